//! The walk over the syntax tree for [`super::check`]. It resolves names as SQLite does, and
//! measures the body of each definition once.

mod select;

use std::collections::HashMap;
use std::rc::Rc;

use sqlite3_parser::ast::{
    AlterTableBody, CommonTableExpr, CreateTableBody, Expr, FromClause, InsertBody, JoinConstraint,
    Limit, OneSelect, QualifiedName, ResultColumn, Select, SelectTable, SortedColumn, Stmt, Upsert,
    UpsertDo, With,
};

use super::columns::{Columns, condition_of, conditions_of, generated, largest, renamed, united};
use super::{Definitions, Outline, Size};
use crate::limits::MAX_EXPANDED_HEIGHT;
use crate::operations::unquote;
use crate::tree::{self, Child, column_name, folded};
use base::limits::MAX_COLUMNS;

/// The state of a measurement.
pub(crate) struct Expansion<'a, 'd> {
    definitions: &'d dyn Definitions,
    /// The WITH clauses in scope, innermost last.
    scopes: Vec<Scope<'a>>,
    /// The columns in scope by name, innermost last.
    frames: Vec<HashMap<String, Size>>,
    /// The size of the text, in which each part counts once.
    written: Size,
    blamed: Option<String>,
}

struct Scope<'a> {
    /// The names in lower case. Of two equal names, the first one counts.
    names: HashMap<String, usize>,
    entries: Vec<Entry<'a>>,
    /// The number of [`Expansion::frames`] whose columns the bodies can use.
    frames: usize,
}

struct Entry<'a> {
    name: String,
    cte: &'a CommonTableExpr<'a>,
    state: State,
}

#[derive(Clone)]
enum State {
    New,
    /// The body is being measured, so a use of the name in it is a recursion.
    Open,
    Done(Rc<Outline>),
}

impl<'a, 'd> Expansion<'a, 'd> {
    pub fn new(definitions: &'d dyn Definitions) -> Self {
        Self {
            definitions,
            scopes: Vec::new(),
            frames: Vec::new(),
            written: Size::default(),
            blamed: None,
        }
    }

    /// Returns the size and columns of the compiled statement.
    pub fn statement(mut self, statement: &'a Stmt<'a>) -> Outline {
        let mut outline = match statement {
            Stmt::Select(select) => self.select(select),
            Stmt::CreateView {
                columns, select, ..
            } => renamed(self.select(select), *columns),
            Stmt::CreateTable { body, .. } => self.table(body),
            other => Outline {
                size: self.change(other),
                ..Outline::default()
            },
        };
        outline.written = self.written;
        outline.blamed = self.blamed;
        outline
    }

    /// Returns the largest part of a definition that a later statement may compile as a whole: a
    /// view, or an expression of a table or index.
    pub fn defined(mut self, statement: &'a Stmt<'a>) -> Size {
        match statement {
            Stmt::CreateView { select, .. } => self.select(select).size,
            Stmt::CreateTable { body, .. } => match body {
                CreateTableBody::AsSelect(_) => Size::default(),
                CreateTableBody::ColumnsAndConstraints {
                    columns,
                    constraints,
                    ..
                } => {
                    let computed = self.table(body).columns;
                    let computed = computed.iter().map(|(_, size)| *size);
                    let largest = computed.fold(Size::default(), Size::largest);
                    let conditions = columns.iter().flat_map(conditions_of);
                    let named = constraints.unwrap_or_default().iter();
                    let named = named.filter_map(|named| condition_of(&named.constraint));
                    conditions.chain(named).fold(largest, |largest, condition| {
                        largest.largest(self.expression(condition))
                    })
                }
            },
            Stmt::CreateIndex { .. } => self.change(statement),
            Stmt::AlterTable(name, AlterTableBody::AddColumn(column)) => {
                let computed = self.change(statement);
                self.open_table(name.name.0);
                conditions_of(column).fold(computed, |largest, condition| {
                    largest.largest(self.expression(condition))
                })
            }
            Stmt::AlterTable(name, AlterTableBody::AddConstraint(named)) => {
                self.open_table(name.name.0);
                let condition = condition_of(&named.constraint);
                condition.map_or_else(Size::default, |condition| self.expression(condition))
            }
            _ => Size::default(),
        }
    }

    fn change(&mut self, statement: &'a Stmt<'a>) -> Size {
        match statement {
            Stmt::Insert {
                with,
                tbl_name,
                body,
                returning,
                ..
            } => {
                let scoped = self.enter(with.as_ref());
                let mut size = self.target(tbl_name);
                if let InsertBody::Select(select, upsert) = body {
                    size = size.plus(self.select(select).size);
                    size = size.plus(self.upsert(*upsert));
                }
                size = size.plus(self.returning(*returning));
                self.leave(scoped);
                size
            }
            Stmt::Update {
                with,
                tbl_name,
                sets,
                from,
                where_clause,
                returning,
                order_by,
                limit,
                ..
            } => {
                let scoped = self.enter(with.as_ref());
                let mut size = self.target(tbl_name);
                if let Some(from) = from {
                    let (joined, columns, _) = self.from(from);
                    self.open_frame(&columns);
                    size = size.plus(joined).plus(self.conditions(from));
                }
                let values = sets.iter().map(|set| &set.expr);
                let expressions = values.chain(choosing(where_clause, *order_by, *limit));
                size = size.plus(self.all(expressions));
                size = size.plus(self.returning(*returning));
                self.leave(scoped);
                size
            }
            Stmt::Delete {
                with,
                tbl_name,
                where_clause,
                returning,
                order_by,
                limit,
                ..
            } => {
                let scoped = self.enter(with.as_ref());
                let mut size = self.target(tbl_name);
                size = size.plus(self.all(choosing(where_clause, *order_by, *limit)));
                size = size.plus(self.returning(*returning));
                self.leave(scoped);
                size
            }
            Stmt::CreateIndex {
                tbl_name,
                columns,
                where_clause,
                ..
            } => {
                self.open_table(tbl_name.0);
                let expressions = columns
                    .iter()
                    .map(|term| &term.expr)
                    .chain(where_clause.as_ref());
                self.all(expressions)
            }
            Stmt::AlterTable(name, AlterTableBody::AddColumn(column)) => {
                self.open_table(name.name.0);
                generated(column).map_or_else(Size::default, |value| self.expression(value))
            }
            _ => Size::default(),
        }
    }

    /// Returns the size of the table that is written. If it is a view, SQLite compiles it before it
    /// rejects the write.
    fn target(&mut self, name: &QualifiedName<'a>) -> Size {
        self.written = self.written.plus(Size::REFERENCE);
        Size::REFERENCE.plus(self.open_table(name.name.0))
    }

    /// Puts the columns of a table of the schema in scope, and returns the additional size of
    /// compiling the table.
    fn open_table(&mut self, written: &str) -> Size {
        let name = unquote(written);
        let Some(outline) = self.definitions.relation(&name) else {
            return Size::default();
        };
        self.blame_relation(&name, &outline);
        self.open_frame(&outline.columns);
        outline.size
    }

    fn open_frame(&mut self, columns: &[(String, Size)]) {
        let mut frame: HashMap<String, Size> = HashMap::with_capacity(columns.len());
        for (name, size) in columns {
            let known = frame.entry(name.clone()).or_default();
            *known = known.largest(*size);
        }
        self.frames.push(frame);
    }

    fn upsert(&mut self, upsert: Option<&'a Upsert<'a>>) -> Size {
        let mut size = Size::default();
        let mut next = upsert;
        while let Some(clause) = next {
            if let Some(index) = &clause.index {
                let targets = index.targets.iter().map(|term| &term.expr);
                size = size.plus(self.all(targets.chain(index.where_clause.as_ref())));
            }
            if let UpsertDo::Set { sets, where_clause } = &clause.do_clause {
                let values = sets.iter().map(|set| &set.expr);
                size = size.plus(self.all(values.chain(where_clause.as_ref())));
            }
            next = clause.next;
        }
        size
    }

    fn returning(&mut self, columns: Option<&'a [ResultColumn<'a>]>) -> Size {
        self.result(columns.unwrap_or_default(), &Columns::new(), false)
            .size
    }

    /// Measures a CREATE TABLE: its query, or its generated columns.
    fn table(&mut self, body: &'a CreateTableBody<'a>) -> Outline {
        let columns = match body {
            CreateTableBody::AsSelect(select) => return self.select(select),
            CreateTableBody::ColumnsAndConstraints { columns, .. } => columns,
        };
        let computed: Vec<(String, &'a Expr<'a>)> = columns
            .iter()
            .filter_map(|column| Some((folded(column.col_name.0), generated(column)?)))
            .collect();
        // A column may name a later one, so the sizes grow from pass to pass until each has reached
        // its final value.
        let mut known: Columns = computed
            .iter()
            .map(|(name, _)| (name.clone(), Size::PART))
            .collect();
        let mut outline = Outline::default();
        for _ in 0..=computed.len() {
            self.written = Size::default();
            self.frames.clear();
            self.open_frame(&known);
            let sizes: Columns = computed
                .iter()
                .map(|(name, value)| (name.clone(), self.expression(value)))
                .collect();
            let settled = sizes == known;
            known = sizes;
            outline.size = known
                .iter()
                .fold(Size::default(), |sum, (_, size)| sum.plus(*size));
            if settled || outline.size.is_too_large(self.written) {
                break;
            }
        }
        outline.columns = known;
        outline.is_open = true;
        outline
    }

    fn enter(&mut self, with: Option<&'a With<'a>>) -> bool {
        let Some(with) = with else { return false };
        let entries: Vec<Entry<'a>> = with
            .ctes
            .iter()
            .map(|cte| Entry {
                name: unquote(cte.tbl_name.0),
                cte,
                state: State::New,
            })
            .collect();
        let count = entries.len();
        let mut names = HashMap::with_capacity(count);
        for (position, entry) in entries.iter().enumerate() {
            names
                .entry(entry.name.to_ascii_lowercase())
                .or_insert(position);
        }
        self.scopes.push(Scope {
            names,
            entries,
            frames: self.frames.len(),
        });
        // Bodies are measured in the order of the text, so that a long list of expressions does not
        // become a deep recursion.
        let scope = self.scopes.len() - 1;
        for position in 0..count {
            self.body(scope, position);
        }
        true
    }

    fn leave(&mut self, scoped: bool) {
        if scoped {
            self.scopes.pop();
        }
    }

    /// Returns the measured definition of a common table expression, in the scope of its
    /// definition.
    fn body(&mut self, scope: usize, position: usize) -> Rc<Outline> {
        let endless = || {
            Rc::new(Outline {
                size: Size::ENDLESS,
                ..Outline::default()
            })
        };
        let Some(found) = self.scopes.get_mut(scope) else {
            return endless();
        };
        let frames = found.frames;
        let Some(entry) = found.entries.get_mut(position) else {
            return endless();
        };
        match &entry.state {
            State::Done(outline) => return Rc::clone(outline),
            State::Open => return Rc::new(Outline::default()),
            State::New => entry.state = State::Open,
        }
        let (cte, name) = (entry.cte, entry.name.clone());
        let hidden_scopes = self.scopes.split_off(scope + 1);
        let hidden_frames = self.frames.split_off(frames.min(self.frames.len()));
        let outline = Rc::new(renamed(self.select(cte.select), cte.columns));
        self.scopes.extend(hidden_scopes);
        self.frames.extend(hidden_frames);
        self.blame(&name, outline.size);
        if let Some(entry) = self
            .scopes
            .get_mut(scope)
            .and_then(|scope| scope.entries.get_mut(position))
        {
            entry.state = State::Done(Rc::clone(&outline));
        }
        outline
    }

    /// Remembers the first name that is too large although the names within it are not.
    fn blame(&mut self, name: &str, size: Size) {
        if self.blamed.is_none() && size.is_too_large(self.written) {
            self.blamed = Some(name.to_owned());
        }
    }

    fn blame_relation(&mut self, name: &str, outline: &Outline) {
        self.blame(outline.blamed.as_deref().unwrap_or(name), outline.size);
    }

    fn all(&mut self, expressions: impl IntoIterator<Item = &'a Expr<'a>>) -> Size {
        expressions
            .into_iter()
            .fold(Size::default(), |sum, expression| {
                sum.plus(self.expression(expression))
            })
    }

    fn expression(&mut self, expression: &'a Expr<'a>) -> Size {
        self.written = self.written.plus(Size::PART);
        if !self.rise() {
            return Size::ENDLESS;
        }
        let own = match expression {
            Expr::Id(id) => self.column(id.0),
            Expr::Name(name) | Expr::Qualified(_, name) | Expr::DoublyQualified(_, _, name) => {
                self.column(name.0)
            }
            _ => Size::PART,
        };
        let mut parts = Vec::new();
        tree::children(expression, &mut |part| parts.push(part));
        let size = own.plus(self.parts(parts));
        self.sink();
        size
    }

    fn parts(&mut self, parts: Vec<Child<'a>>) -> Size {
        let mut size = Size::default();
        for part in parts {
            size = size.plus(match part {
                Child::Expression(expression) => self.expression(expression),
                Child::Query(select) => {
                    self.written = self.written.plus(Size::REFERENCE);
                    let frames = self.frames.len();
                    let inner = self.select(select).size;
                    self.frames.truncate(frames);
                    Size::REFERENCE.plus(inner)
                }
                Child::Table(name) => self.name(name).0,
            });
        }
        size
    }

    /// Returns the size of a column's expression: the largest one with its name in scope. SQLite
    /// names an unnamed column after its text, so a name that is not known may be any of those.
    fn column(&self, written: &str) -> Size {
        if self.frames.iter().all(HashMap::is_empty) {
            return Size::PART;
        }
        let name = folded(written);
        let named = |wanted: &str| {
            let known = self.frames.iter().filter_map(|frame| frame.get(wanted));
            known.copied().reduce(Size::largest)
        };
        named(&name)
            .or_else(|| named(""))
            .unwrap_or(Size::PART)
            .largest(Size::PART)
    }
}

/// Returns the expressions that choose the rows that an UPDATE or DELETE changes.
fn choosing<'a>(
    where_clause: &'a Option<Expr<'a>>,
    order_by: Option<&'a [SortedColumn<'a>]>,
    limit: Option<&'a Limit<'a>>,
) -> impl Iterator<Item = &'a Expr<'a>> {
    let terms = order_by.unwrap_or_default().iter().map(|term| &term.expr);
    let limits = limit.into_iter().map(|limit| &limit.expr);
    where_clause.iter().chain(terms).chain(limits)
}
