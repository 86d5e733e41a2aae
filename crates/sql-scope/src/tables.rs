//! The tables, views and triggers of a schema, as far as a statement may concern them.

use sqlite3_parser::Bump;
use sqlite3_parser::ast::{
    Cmd, ColumnConstraint, CreateTableBody, ForeignKeyClause, RefAct, RefArg, Stmt, TableConstraint,
};
use sqlite3_parser::dialect::TokenType;

use base::Result;
use database::{Bind, Cell, Database, DatabaseExt as _};
use serde_json::Value;
use sql_gate::operations::unquote;
use sql_gate::policy::is_internal_name;
use sql_gate::{catalog, lex, parse};

/// The tables, views and triggers that a statement may concern.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    list: Vec<Table>,
    keys: Vec<ForeignKey>,
    /// Tables with a trigger that is not the product's own.
    triggered: Vec<String>,
    indexes: Indexes,
}

/// The known indexes of tables.
#[derive(Debug, Clone, Default)]
enum Indexes {
    /// Nothing is known: each index may have any columns.
    #[default]
    Unknown,
    /// The tables' indexes, each with its columns in lower case, or `None` for an expression or the
    /// rowid.
    Known(Vec<Index>),
}

#[derive(Debug, Clone)]
struct Index {
    table: String,
    columns: Vec<Option<String>>,
}

/// The kind of a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// A table with rows of its own.
    Table,
    /// A view.
    View,
    /// A virtual table, or a table in which a virtual table stores its rows.
    Virtual,
}

/// A table or view.
#[derive(Debug, Clone)]
pub struct Table {
    /// The name as it is declared.
    pub name: String,
    /// Its kind.
    pub sort: Sort,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its CREATE statement.
    pub definition: String,
}

/// A column.
#[derive(Debug, Clone)]
pub struct Column {
    /// The name as it is declared.
    pub name: String,
    /// True if it is computed from other columns.
    pub generated: bool,
    /// True if it is a part of the primary key.
    pub key: bool,
}

impl Table {
    /// Returns the column with this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns
            .iter()
            .find(|column| column.name.eq_ignore_ascii_case(name))
    }

    /// Returns true if a constraint of the table has ON CONFLICT REPLACE.
    pub(super) fn replaces(&self) -> bool {
        let Ok(tokens) = lex::tokens(&self.definition) else {
            return true;
        };
        tokens.windows(2).any(|pair| {
            matches!(pair, [first, second]
                if first.kind == TokenType::TK_CONFLICT && second.kind == TokenType::TK_REPLACE)
        })
    }
}

/// The action of a foreign key on its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// It refuses the change.
    Refuse,
    /// It changes the row.
    Change,
    /// It deletes the row.
    Delete,
}

/// A foreign key of one table.
#[derive(Debug, Clone)]
pub(super) struct ForeignKey {
    pub child: String,
    pub columns: Vec<String>,
    pub parent: String,
    /// `None` for the parent's primary key.
    pub parent_columns: Option<Vec<String>>,
    pub on_delete: Act,
    pub on_update: Act,
}

const OBJECTS: &str = "SELECT name, type, rootpage, sql FROM sqlite_schema WHERE type IN ('table', 'view') \
    AND lower(name) IN (SELECT value FROM json_each(?1))";

const ALL_OBJECTS: &str =
    "SELECT name, type, rootpage, sql FROM sqlite_schema WHERE type IN ('table', 'view')";

const REFERRING: &str = "SELECT name, type, sql FROM sqlite_schema WHERE type = 'trigger' \
    OR type = 'table' AND rootpage > 0 AND sql LIKE '%references%'";

const TRIGGERED: &str = "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'trigger'";

const INDEXED: &str = "SELECT t.value, i.seq, c.name FROM json_each(?1) AS t, pragma_index_list(t.value) AS i, pragma_index_info(i.name) AS c";

impl Tables {
    /// Makes the tables of a database that is not available here. Nothing is known about its
    /// indexes.
    pub fn new(list: Vec<Table>) -> Self {
        let keys = list
            .iter()
            .flat_map(|table| foreign_keys(&table.name, &table.definition).unwrap_or_default())
            .collect();
        Self {
            list,
            keys,
            triggered: Vec::new(),
            indexes: Indexes::Unknown,
        }
    }

    /// Reads the tables and views with these names, which are in lower case. For a statement that
    /// writes, also reads the foreign keys of the whole schema.
    ///
    /// # Errors
    /// The engine's.
    pub(super) fn read<D: Database>(db: &D, names: &[String], writes: bool) -> Result<Self> {
        let names = Value::from(names.to_vec()).to_string();
        let rows = db.rows(OBJECTS, &[Bind::text(names)])?;
        let mut tables = Self::default();
        tables.read_objects(db, rows)?;
        if writes {
            tables.read_references(db)?;
        }
        Ok(tables)
    }

    /// Reads all tables and views of the schema, with their keys, triggers and indexes.
    ///
    /// # Errors
    /// The engine's.
    pub(super) fn all<D: Database>(db: &D) -> Result<Self> {
        let mut tables = Self::default();
        tables.read_objects(db, db.rows(ALL_OBJECTS, &[])?)?;
        tables.read_references(db)?;
        let names: Vec<String> = tables.names().map(str::to_owned).collect();
        tables.read_indexes(db, &names)?;
        Ok(tables)
    }

    /// Returns only the tables with these names, as [`Self::read`] would read them.
    pub(super) fn named(&self, names: &[String], writes: bool) -> Self {
        let is_named = |table: &&Table| {
            let name = table.name.to_ascii_lowercase();
            names.contains(&name)
        };
        Self {
            list: self.list.iter().filter(is_named).cloned().collect(),
            keys: if writes {
                self.keys.clone()
            } else {
                Vec::new()
            },
            triggered: if writes {
                self.triggered.clone()
            } else {
                Vec::new()
            },
            indexes: self.indexes.clone(),
        }
    }

    /// Returns true if the indexes of the tables have been looked up.
    pub(super) fn knows_indexes(&self) -> bool {
        matches!(self.indexes, Indexes::Known(_))
    }

    fn read_objects<D: Database>(&mut self, db: &D, rows: Vec<Vec<Cell>>) -> Result<()> {
        let shadows = catalog::shadow_tables(db)?;
        for row in rows {
            let mut cells = row.into_iter();
            let (Some(name), Some(kind), Some(root), Some(sql)) =
                (cells.next(), cells.next(), cells.next(), cells.next())
            else {
                continue;
            };
            let name = name.into_text();
            if is_internal_name(&name) {
                continue;
            }
            let is_shadow = shadows
                .iter()
                .any(|shadow| shadow.eq_ignore_ascii_case(&name));
            let sort = match kind.as_text() {
                Some("view") => Sort::View,
                _ if root.as_count() == 0 || is_shadow => Sort::Virtual,
                _ => Sort::Table,
            };
            self.list.push(Table {
                columns: match sort {
                    Sort::Table => columns(db, &name)?,
                    Sort::View | Sort::Virtual => Vec::new(),
                },
                name,
                sort,
                definition: sql.into_text(),
            });
        }
        Ok(())
    }

    fn read_references<D: Database>(&mut self, db: &D) -> Result<()> {
        for row in db.rows(REFERRING, &[])? {
            let mut cells = row.into_iter().map(Cell::into_text);
            let (Some(name), Some(kind), Some(sql)) = (cells.next(), cells.next(), cells.next())
            else {
                continue;
            };
            if kind == "table" {
                // A definition that our parser cannot read may refer to anything; the engine's
                // bytecode is checked later.
                self.keys
                    .extend(foreign_keys(&name, &sql).unwrap_or_default());
            }
        }
        for row in db.rows(TRIGGERED, &[])? {
            let mut cells = row.into_iter().map(Cell::into_text);
            if let (Some(name), Some(table)) = (cells.next(), cells.next())
                && !is_internal_name(&name)
            {
                self.triggered.push(table);
            }
        }
        Ok(())
    }

    /// Looks up the indexes of these tables.
    ///
    /// # Errors
    /// The engine's.
    pub(super) fn read_indexes<D: Database>(&mut self, db: &D, tables: &[String]) -> Result<()> {
        let names = Value::from(tables.to_vec()).to_string();
        let mut found: Vec<Index> = Vec::new();
        let mut last = None;
        for row in db.rows(INDEXED, &[Bind::text(names)])? {
            let mut cells = row.into_iter();
            let (Some(table), Some(number), Some(column)) =
                (cells.next(), cells.next(), cells.next())
            else {
                continue;
            };
            let table = table.into_text();
            let position = (table.clone(), number.as_count());
            if last.as_ref() != Some(&position) {
                found.push(Index {
                    table,
                    columns: Vec::new(),
                });
                last = Some(position);
            }
            if let Some(index) = found.last_mut() {
                index
                    .columns
                    .push(column.as_text().map(str::to_ascii_lowercase));
            }
        }
        self.indexes = Indexes::Known(found);
        Ok(())
    }

    /// Returns the table or view with this name.
    pub fn find(&self, name: &str) -> Option<&Table> {
        self.list
            .iter()
            .find(|table| table.name.eq_ignore_ascii_case(name))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|table| table.name.as_str())
    }

    /// Returns true if the table has a trigger.
    pub(super) fn is_triggered(&self, table: &str) -> bool {
        self.triggered
            .iter()
            .any(|name| name.eq_ignore_ascii_case(table))
    }

    pub(super) fn children<'t, 'n>(
        &'t self,
        table: &'n str,
    ) -> impl Iterator<Item = &'t ForeignKey> + use<'t, 'n> {
        self.keys
            .iter()
            .filter(move |key| key.parent.eq_ignore_ascii_case(table))
    }

    pub(super) fn parents<'t, 'n>(
        &'t self,
        table: &'n str,
    ) -> impl Iterator<Item = &'t ForeignKey> + use<'t, 'n> {
        self.keys
            .iter()
            .filter(move |key| key.child.eq_ignore_ascii_case(table))
    }

    /// Returns true if an index of the table lacks the column and has one for which `matters`
    /// returns true. `None` represents an expression.
    pub(super) fn has_index_without(
        &self,
        table: &str,
        column: &str,
        matters: &dyn Fn(Option<&str>) -> bool,
    ) -> bool {
        let Indexes::Known(indexes) = &self.indexes else {
            return true;
        };
        let of_table = indexes
            .iter()
            .filter(|index| index.table.eq_ignore_ascii_case(table));
        of_table
            .filter(|index| {
                !index
                    .columns
                    .iter()
                    .flatten()
                    .any(|name| name.eq_ignore_ascii_case(column))
            })
            .any(|index| index.columns.iter().any(|name| matters(name.as_deref())))
    }

    /// Returns true if the table has an index that lacks the column.
    pub(super) fn has_any_index_without(&self, table: &str, column: &str) -> bool {
        self.has_index_without(table, column, &|_| true)
    }
}

fn columns<D: Database>(db: &D, table: &str) -> Result<Vec<Column>> {
    let columns = catalog::columns(db, table)?;
    Ok(columns
        .into_iter()
        .map(|column| Column {
            name: column.name,
            generated: column.hidden,
            key: column.primary_key > 0,
        })
        .collect())
}

/// Returns the foreign keys of a CREATE TABLE, or `None` for a text that cannot be read.
fn foreign_keys(child: &str, definition: &str) -> Option<Vec<ForeignKey>> {
    let tokens = lex::tokens(definition).ok()?;
    lex::bounds(&tokens).ok()?;
    let arena = Bump::new();
    let Ok(Cmd::Stmt(Stmt::CreateTable { body, .. })) = parse::parse(&arena, definition) else {
        return None;
    };
    let CreateTableBody::ColumnsAndConstraints {
        columns,
        constraints,
        ..
    } = body
    else {
        return None;
    };
    let mut keys = Vec::new();
    for column in columns {
        for named in column.constraints {
            if let ColumnConstraint::ForeignKey { clause, .. } = &named.constraint {
                keys.push(foreign_key(child, vec![unquote(column.col_name.0)], clause));
            }
        }
    }
    for named in constraints.into_iter().flatten() {
        if let TableConstraint::ForeignKey {
            columns, clause, ..
        } = &named.constraint
        {
            let columns = columns
                .iter()
                .map(|column| unquote(column.col_name.0))
                .collect();
            keys.push(foreign_key(child, columns, clause));
        }
    }
    Some(keys)
}

fn foreign_key(child: &str, columns: Vec<String>, clause: &ForeignKeyClause<'_>) -> ForeignKey {
    let mut key = ForeignKey {
        child: child.to_owned(),
        columns,
        parent: unquote(clause.tbl_name.0),
        parent_columns: clause.columns.map(|columns| {
            columns
                .iter()
                .map(|column| unquote(column.col_name.0))
                .collect()
        }),
        on_delete: Act::Refuse,
        on_update: Act::Refuse,
    };
    for argument in clause.args {
        match argument {
            RefArg::OnDelete(act) => {
                key.on_delete = match act {
                    RefAct::Cascade => Act::Delete,
                    RefAct::SetNull | RefAct::SetDefault => Act::Change,
                    RefAct::Restrict | RefAct::NoAction => Act::Refuse,
                }
            }
            RefArg::OnUpdate(act) => {
                key.on_update = match act {
                    RefAct::Cascade | RefAct::SetNull | RefAct::SetDefault => Act::Change,
                    RefAct::Restrict | RefAct::NoAction => Act::Refuse,
                }
            }
            RefArg::OnInsert(_) | RefArg::Match(_) => {}
        }
    }
    key
}
