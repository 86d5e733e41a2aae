//! Proves that a SELECT of an INSERT returns the value of the scope when it names the tenant's
//! column.
//!
//! Under a scope, each table that has the column shows only rows whose column is the scope's value,
//! and every other table lacks the column. So a plain column with this name is the value, whichever
//! of the tables it belongs to, if the SELECT reads only tables: then no sub-query, common table
//! expression or function can have given the name to another value. Two sources of NULL are
//! excluded, too: an outer join, and an aggregate over no rows.

use sqlite3_parser::ast::{
    Expr, FromClause, JoinOperator, JoinType, OneSelect, ResultColumn, Select, SelectTable,
};

use super::tables::{Sort, Tables};
use crate::layout::Layout;
use sql_gate::functions;
use sql_gate::operations::unquote;
use sql_gate::tree::folded;

/// One SELECT of an INSERT that reads only tables.
#[derive(Debug)]
pub(super) struct Arm {
    /// The tables of FROM.
    tables: Vec<String>,
    /// The columns of the result by name, in lower case; `None` for one that is computed.
    columns: Vec<Option<String>>,
    is_grouped: bool,
    has_having: bool,
}

impl Arm {
    /// Returns the parts of a compound. A part is `None` if it reads anything other than tables.
    pub(super) fn of_source(select: &Select<'_>) -> Vec<Option<Self>> {
        let others = select.body.compounds.iter().flatten();
        std::iter::once(&select.body.select)
            .chain(others.map(|compound| &compound.select))
            .map(Self::of)
            .collect()
    }

    fn of(select: &OneSelect<'_>) -> Option<Self> {
        let OneSelect::Select {
            columns,
            from: Some(from),
            group_by,
            having,
            ..
        } = select
        else {
            return None;
        };
        let mut tables = Vec::new();
        read_tables(from, &mut tables)?;
        Some(Self {
            tables,
            columns: columns.iter().map(column).collect(),
            is_grouped: group_by.is_some(),
            has_having: having.is_some(),
        })
    }

    /// Returns true if the result at a position is the tenant's column, and cannot be anything but
    /// the value of the scope.
    pub(super) fn yields(
        &self,
        position: usize,
        column: &str,
        layout: &Layout<'_>,
        tables: &Tables,
    ) -> bool {
        let facts = layout.facts;
        let is_column = self
            .columns
            .get(position)
            .and_then(Option::as_deref)
            .is_some_and(|name| name.eq_ignore_ascii_case(column));
        // An aggregate of a sub-query may belong to the query around it.
        let may_aggregate = self.has_having
            || facts.functions.iter().any(|name| {
                functions::is(name, functions::AGGREGATE) || matches!(name.as_str(), "min" | "max")
            });
        let mut read = self.tables.iter().map(|name| tables.find(name));
        let are_tables = read
            .clone()
            .all(|table| table.is_some_and(|table| table.sort == Sort::Table));
        let has_column =
            read.any(|table| table.is_some_and(|table| table.column(column).is_some()));
        is_column
            && facts.ctes.is_empty()
            && are_tables
            && has_column
            && (self.is_grouped || !may_aggregate)
    }
}

/// Returns the name of a plain column.
fn column(result: &ResultColumn<'_>) -> Option<String> {
    let ResultColumn::Expr(expression, _) = result else {
        return None;
    };
    match expression {
        Expr::Id(id) => Some(folded(id.0)),
        Expr::Name(name) | Expr::Qualified(_, name) => Some(folded(name.0)),
        _ => None,
    }
}

/// Collects the tables of a FROM without outer joins. Returns `None` if it has anything else.
fn read_tables(from: &FromClause<'_>, tables: &mut Vec<String>) -> Option<()> {
    read_table(from.select?, tables)?;
    for joined in from.joins.iter().flatten() {
        let is_inner = match joined.operator {
            JoinOperator::Comma | JoinOperator::TypedJoin(None) => true,
            JoinOperator::TypedJoin(Some(kind)) => {
                !kind.intersects(JoinType::LEFT | JoinType::RIGHT | JoinType::OUTER)
            }
        };
        if !is_inner {
            return None;
        }
        read_table(&joined.table, tables)?;
    }
    Some(())
}

fn read_table(table: &SelectTable<'_>, tables: &mut Vec<String>) -> Option<()> {
    match table {
        SelectTable::Table(name, _, _) if name.db_name.is_none() => {
            tables.push(unquote(name.name.0));
            Some(())
        }
        SelectTable::Sub(from, None) => read_tables(from, tables),
        SelectTable::Table(..)
        | SelectTable::TableCall(..)
        | SelectTable::Select(..)
        | SelectTable::Sub(..) => None,
    }
}
