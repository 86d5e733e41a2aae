//! The columns that a CREATE TABLE declares, in a form that can be compared with an existing table.

use sqlite3_parser::Bump;
use sqlite3_parser::ast::{
    Cmd, ColumnConstraint, ColumnDefinition, CreateTableBody, Expr, Stmt, TableConstraint,
};

use super::operations::unquote;
use super::parse::parse;
use super::types;

/// A column of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredColumn {
    /// Its name, without quotes.
    pub name: String,
    /// The words of its type, without a size; empty if it has none.
    pub type_name: String,
    /// True for NOT NULL.
    pub not_null: bool,
    /// True if it is the primary key, or a part of it.
    pub primary_key: bool,
}

impl DeclaredColumn {
    /// Makes a column from the type as SQLite stores it, including its size.
    pub fn new(name: &str, declared_type: &str, not_null: bool, primary_key: bool) -> Self {
        Self {
            name: name.to_owned(),
            type_name: types::words(declared_type).join(" "),
            not_null,
            primary_key,
        }
    }

    /// Returns true if both declare the same, ignoring case.
    pub fn is_same(&self, other: &Self) -> bool {
        self.name.eq_ignore_ascii_case(&other.name)
            && self.type_name.eq_ignore_ascii_case(&other.type_name)
            && self.not_null == other.not_null
            && self.primary_key == other.primary_key
    }
}

impl std::fmt::Display for DeclaredColumn {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.name)?;
        if !self.type_name.is_empty() {
            write!(formatter, " {}", self.type_name)?;
        }
        if self.primary_key {
            formatter.write_str(" PRIMARY KEY")?;
        }
        if self.not_null {
            formatter.write_str(" NOT NULL")?;
        }
        Ok(())
    }
}

/// Returns the columns of a statement that passed the gate, or `None` if it is not a CREATE TABLE
/// with columns.
pub fn declared_columns(sql: &str) -> Option<Vec<DeclaredColumn>> {
    let arena = Bump::new();
    let Ok(Cmd::Stmt(Stmt::CreateTable { body, .. })) = parse(&arena, sql) else {
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
    let mut declared: Vec<DeclaredColumn> = columns.iter().map(column).collect();
    for constraint in constraints.into_iter().flatten() {
        let TableConstraint::PrimaryKey { columns, .. } = &constraint.constraint else {
            continue;
        };
        let names: Vec<String> = columns
            .iter()
            .filter_map(|sorted| name_in(&sorted.expr))
            .collect();
        for column in &mut declared {
            column.primary_key |= names
                .iter()
                .any(|name| name.eq_ignore_ascii_case(&column.name));
        }
    }
    Some(declared)
}

fn column(definition: &ColumnDefinition<'_>) -> DeclaredColumn {
    let has = |wanted: fn(&ColumnConstraint<'_>) -> bool| {
        definition
            .constraints
            .iter()
            .any(|named| wanted(&named.constraint))
    };
    DeclaredColumn {
        name: unquote(definition.col_name.0),
        type_name: definition
            .col_type
            .as_ref()
            .map_or_else(String::new, |kind| types::declared(kind).into_owned()),
        not_null: has(|it| {
            matches!(
                it,
                ColumnConstraint::NotNull {
                    nullable: false,
                    ..
                }
            )
        }),
        primary_key: has(|it| matches!(it, ColumnConstraint::PrimaryKey { .. })),
    }
}

fn name_in(expression: &Expr<'_>) -> Option<String> {
    match expression {
        Expr::Id(id) => Some(unquote(id.0)),
        Expr::Name(name) => Some(unquote(name.0)),
        Expr::Collate(inner, _) => name_in(inner),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_read_with_their_types_and_keys() {
        let shown = |sql: &str| -> Vec<String> {
            declared_columns(sql)
                .unwrap()
                .iter()
                .map(ToString::to_string)
                .collect()
        };
        assert_eq!(
            shown("CREATE TABLE t (id INTEGER PRIMARY KEY, \"a b\" varchar(10) NOT NULL, c)"),
            ["id INTEGER PRIMARY KEY", "a b varchar NOT NULL", "c"]
        );
        assert_eq!(
            shown("CREATE TABLE IF NOT EXISTS t (a TEXT, b DOUBLE  PRECISION, PRIMARY KEY (a, B))"),
            ["a TEXT PRIMARY KEY", "b DOUBLE PRECISION PRIMARY KEY"]
        );
        // The types as the gate declares them.
        assert_eq!(
            shown(
                "CREATE TABLE t (a TEXT[], b INTEGER [3] [], c BIT(8), d BIT(1), e BIT, f DATE, g HUGE, h INTEGER [] NOT NULL)"
            ),
            [
                "a TEXT",
                "b TEXT",
                "c TEXT",
                "d BIT",
                "e BIT",
                "f TEXT",
                "g",
                "h TEXT NOT NULL"
            ]
        );
        assert_eq!(declared_columns("CREATE TABLE t AS SELECT 1"), None);
        assert_eq!(declared_columns("SELECT 1"), None);
    }
}
