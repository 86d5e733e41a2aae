//! Parses the final text again and checks it: scoped tables may be named only in our definitions,
//! and the table that is written must have our predicate.

use sqlite3_parser::Bump;
use sqlite3_parser::ast::{
    Cmd, Expr, FromClause, InsertBody, Literal, Materialized, Name, OneSelect, Operator,
    ResultColumn, Select, SelectTable, Set, Stmt, Upsert, UpsertDo, With,
};

use super::scope::unclear;
use super::syntax::written_rows;
use crate::layout::{CLAIMED_SOURCE, Claimed, UpsertKind, claimed_name};
use base::Result;
use sql_gate::functions;
use sql_gate::operations::{Kind, Operations, Relation, unquote};
use sql_gate::scoping::ValueText;
use sql_gate::{collect, lex, parse};

/// The table that is written.
#[derive(Debug, Clone)]
pub(super) struct WrittenTable {
    pub kind: Kind,
    /// The name in the text that runs.
    pub stored: String,
    /// The name that qualifies its columns.
    pub exposed: String,
    /// The tenant's column.
    pub column: String,
}

/// A table that is defined before the statement.
#[derive(Debug, Clone)]
pub(super) struct Definition {
    /// The name that the caller knows.
    pub name: String,
    /// The name of the table in the text that runs.
    pub stored: String,
    /// The tenant's column, or `None` if all rows may be read.
    pub column: Option<String>,
}

/// The required shape of the final text.
#[derive(Debug, Clone)]
pub(crate) struct Check {
    pub(super) definitions: Vec<Definition>,
    /// Tables that are read under their own names, in lower case, or `None` in the shared database,
    /// where there are none.
    pub(super) plain: Option<Vec<String>>,
    pub(super) target: Option<WrittenTable>,
    pub(super) upserts: Vec<UpsertKind>,
    /// The tenant's column, if the caller has it in the list of an INSERT.
    pub(super) claimed: Option<Claimed>,
}

/// Refuses the text that is about to run if it does not have the required shape.
///
/// # Errors
/// `SQL_BLOCKED`.
pub(crate) fn verify(sql: &str, check: &Check, value: &ValueText) -> Result<()> {
    let tokens = lex::tokens(sql)?;
    let (start, end) = parse::statement_span(&tokens)?;
    let arena = Bump::new();
    let command = parse::parse(&arena, sql.get(start..end).unwrap_or_default())?;
    let facts = collect::collect(&command);
    let Cmd::Stmt(statement) = &command else {
        return Err(unclear());
    };
    let verifier = Verifier { check, value };
    if verifier.relations(&facts) && verifier.statement(statement).unwrap_or(false) {
        Ok(())
    } else {
        Err(unclear())
    }
}

struct Verifier<'a> {
    check: &'a Check,
    value: &'a ValueText,
}

impl Verifier<'_> {
    /// Returns true if each relation that is not a common table expression may be read, and each
    /// definition reads its table once.
    fn relations(&self, facts: &Operations) -> bool {
        let mut defined = 0;
        for relation in facts.relations.iter().filter(|relation| !relation.called) {
            if self.is_defined(relation) {
                defined += 1;
            } else if !self.is_plain(relation) {
                return false;
            }
        }
        let called = facts.relations.iter().filter(|relation| relation.called);
        let own_values = called.into_iter().all(|relation| {
            relation.schema.is_none()
                && functions::is_of_values(&relation.name.to_ascii_lowercase())
        });
        own_values && defined == self.check.definitions.len()
    }

    fn is_defined(&self, relation: &Relation) -> bool {
        let schema = self.check.plain.as_ref().map(|_| "main");
        relation.schema.as_deref() == schema
            && self
                .check
                .definitions
                .iter()
                .any(|definition| definition.stored == relation.name)
    }

    fn is_plain(&self, relation: &Relation) -> bool {
        let folded = relation.name.to_ascii_lowercase();
        relation.schema.is_none()
            && self
                .check
                .plain
                .as_ref()
                .is_some_and(|names| names.contains(&folded))
    }

    fn statement(&self, statement: &Stmt<'_>) -> Option<bool> {
        match (statement, &self.check.target) {
            (Stmt::Select(select), None) => self.definitions(select.with.as_ref()),
            (
                Stmt::Insert {
                    with,
                    tbl_name,
                    columns,
                    body: InsertBody::Select(select, upsert),
                    ..
                },
                Some(target),
            ) => {
                let columns = columns.as_ref()?;
                let owner = match self.check.claimed {
                    Some(claimed) => columns.get(claimed.position)?,
                    None => columns.last()?,
                };
                let named = columns
                    .iter()
                    .filter(|name| unquote(name.0).eq_ignore_ascii_case(&target.column));
                Some(
                    target.kind == Kind::Insert
                        && self.definitions(with.as_ref())?
                        && is_target(tbl_name, target)
                        && unquote(owner.0).eq_ignore_ascii_case(&target.column)
                        && named.count() == 1
                        && self.source(select)?
                        && self.upserts(*upsert, target),
                )
            }
            (
                Stmt::Update {
                    with,
                    tbl_name,
                    sets,
                    where_clause,
                    ..
                },
                Some(target),
            ) => Some(
                target.kind == Kind::Update
                    && self.keeps_owner(sets, target)
                    && self.definitions(with.as_ref())?
                    && is_target(tbl_name, target)
                    && self.is_guarded(where_clause.as_ref()?, target),
            ),
            (
                Stmt::Delete {
                    with,
                    tbl_name,
                    where_clause,
                    ..
                },
                Some(target),
            ) => Some(
                target.kind == Kind::Delete
                    && self.definitions(with.as_ref())?
                    && is_target(tbl_name, target)
                    && self.is_guarded(where_clause.as_ref()?, target),
            ),
            _ => None,
        }
    }

    /// Returns true if the WITH begins with our definitions, each as we write it.
    fn definitions(&self, with: Option<&With<'_>>) -> Option<bool> {
        let wanted = &self.check.definitions;
        if wanted.is_empty() {
            return Some(true);
        }
        let found = with?.ctes;
        for (position, definition) in wanted.iter().enumerate() {
            let cte = found.get(position)?;
            let is_ours = unquote(cte.tbl_name.0) == definition.name
                && cte.columns.is_none()
                && cte.materialized != Materialized::Any
                && self.is_definition(cte.select, definition)?;
            if !is_ours {
                return Some(false);
            }
        }
        Some(true)
    }

    fn is_definition(&self, select: &Select<'_>, definition: &Definition) -> Option<bool> {
        let OneSelect::Select {
            distinctness: None,
            columns: [ResultColumn::Star],
            from: Some(from),
            where_clause,
            group_by: None,
            having: None,
            window_clause: None,
        } = &select.body.select
        else {
            return None;
        };
        let SelectTable::Table(table, None, None) = only(from)? else {
            return None;
        };
        let schema = table.db_name.as_ref().map(|name| unquote(name.0));
        let wanted = self.check.plain.as_ref().map(|_| "main".to_owned());
        let is_table =
            is_alone(select) && schema == wanted && unquote(table.name.0) == definition.stored;
        let is_filtered = match (&definition.column, where_clause) {
            (None, None) => true,
            (Some(column), Some(condition)) => {
                self.is_predicate(condition, &definition.stored, column)
            }
            _ => false,
        };
        Some(is_table && is_filtered)
    }

    /// Returns true if SET does not change the tenant's column, or sets it to our value.
    fn keeps_owner(&self, sets: &[Set<'_>], target: &WrittenTable) -> bool {
        sets.iter().all(|set| {
            let is_owner = |name: &Name<'_>| unquote(name.0).eq_ignore_ascii_case(&target.column);
            !set.col_names.iter().any(is_owner)
                || (set.col_names.len() == 1 && self.is_value(&set.expr))
        })
    }

    /// Returns true for `VALUES (…, value), …` or `SELECT *, value FROM (…) WHERE true`. If the
    /// caller has the column, its value must be ours.
    fn source(&self, select: &Select<'_>) -> Option<bool> {
        if let Some(rows) = written_rows(select) {
            let mut values = rows.iter().map(|row| match self.check.claimed {
                Some(claimed) => row.get(claimed.position),
                None => row.last(),
            });
            let has_value = |value: Option<&Expr<'_>>| value.is_some_and(|one| self.is_value(one));
            return Some(!rows.is_empty() && values.all(has_value));
        }
        if let Some(claimed) = self.check.claimed {
            return self.claimed_source(select, claimed);
        }
        let OneSelect::Select {
            distinctness: None,
            columns: [ResultColumn::Star, ResultColumn::Expr(value, None)],
            from: Some(from),
            where_clause: Some(condition),
            group_by: None,
            having: None,
            window_clause: None,
        } = &select.body.select
        else {
            return None;
        };
        let SelectTable::Select(_, None) = only(from)? else {
            return None;
        };
        Some(
            is_alone(select) && select.with.is_none() && is_true(condition) && self.is_value(value),
        )
    }

    /// Returns true for `WITH source(c1, …) AS (…) SELECT c1, value, … FROM source WHERE true`.
    fn claimed_source(&self, select: &Select<'_>, claimed: Claimed) -> Option<bool> {
        let [source] = select.with.as_ref()?.ctes else {
            return None;
        };
        let OneSelect::Select {
            distinctness: None,
            columns,
            from: Some(from),
            where_clause: Some(condition),
            group_by: None,
            having: None,
            window_clause: None,
        } = &select.body.select
        else {
            return None;
        };
        let SelectTable::Table(table, None, None) = only(from)? else {
            return None;
        };
        let is_ours = unquote(source.tbl_name.0) == CLAIMED_SOURCE
            && table.db_name.is_none()
            && unquote(table.name.0) == CLAIMED_SOURCE
            && columns.len() == claimed.width;
        let has_place = |(position, column): (usize, &ResultColumn<'_>)| match column {
            ResultColumn::Expr(value, None) if position == claimed.position => self.is_value(value),
            ResultColumn::Expr(Expr::Id(id), None) => id.0 == claimed_name(position),
            _ => false,
        };
        Some(
            is_ours
                && is_alone(select)
                && is_true(condition)
                && columns.iter().enumerate().all(has_place),
        )
    }

    fn upserts(&self, upsert: Option<&Upsert<'_>>, target: &WrittenTable) -> bool {
        let mut next = upsert;
        let mut count = 0;
        while let Some(clause) = next {
            let guarded = match &clause.do_clause {
                UpsertDo::Nothing => true,
                UpsertDo::Set { sets, where_clause } => {
                    self.keeps_owner(sets, target)
                        && where_clause
                            .as_ref()
                            .is_some_and(|condition| self.is_guarded(condition, target))
                }
            };
            if !guarded {
                return false;
            }
            count += 1;
            next = clause.next;
        }
        count == self.check.upserts.len()
    }

    /// Returns true if the condition is our predicate, or our predicate AND a condition in
    /// brackets.
    fn is_guarded(&self, condition: &Expr<'_>, target: &WrittenTable) -> bool {
        match condition {
            Expr::Binary(ours, Operator::And, old) => {
                let is_bracketed = match old {
                    Expr::Parenthesized(_) | Expr::Case { base: None, .. } => true,
                    // The brackets around a query are part of it.
                    Expr::Subquery(_) => true,
                    _ => false,
                };
                is_bracketed && self.is_predicate(ours, &target.exposed, &target.column)
            }
            ours => self.is_predicate(ours, &target.exposed, &target.column),
        }
    }

    fn is_predicate(&self, expression: &Expr<'_>, qualifier: &str, column: &str) -> bool {
        let Expr::Binary(Expr::Qualified(table, name), Operator::Equals, value) = expression else {
            return false;
        };
        let Expr::Collate(value, collation) = value else {
            return false;
        };
        unquote(table.0) == qualifier
            && unquote(name.0) == column
            && *collation == "BINARY"
            && self.is_value(value)
    }

    fn is_value(&self, expression: &Expr<'_>) -> bool {
        let wanted = self.value;
        match (&wanted.element, expression) {
            (None, Expr::Variable(name)) => is_variable(name, &wanted.variable),
            (Some(element), Expr::Parenthesized(inner)) => match inner.as_slice() {
                [
                    Expr::Binary(
                        Expr::Variable(name),
                        Operator::ArrowRightShift,
                        Expr::Literal(Literal::Numeric(path) | Literal::String(path)),
                    ),
                ] => is_variable(name, &wanted.variable) && path == element,
                _ => false,
            },
            _ => false,
        }
    }
}

fn is_true(condition: &Expr<'_>) -> bool {
    match condition {
        Expr::Id(id) => id.0 == "true",
        Expr::Literal(Literal::Keyword(word)) => *word == "true",
        _ => false,
    }
}

/// Returns true if a variable is the wanted one. The tree has variables with or without their `?`.
fn is_variable(found: &str, wanted: &str) -> bool {
    found == wanted || wanted.strip_prefix('?') == Some(found)
}

/// Returns the table of a FROM that has only one.
fn only<'a>(from: &'a FromClause<'a>) -> Option<&'a SelectTable<'a>> {
    from.select
        .filter(|_| from.joins.as_ref().is_none_or(|joins| joins.is_empty()))
}

/// Returns true for a SELECT without compound, ORDER BY or LIMIT.
fn is_alone(select: &Select<'_>) -> bool {
    select
        .body
        .compounds
        .as_ref()
        .is_none_or(|compounds| compounds.is_empty())
        && select.order_by.is_none()
        && select.limit.is_none()
}

fn is_target(name: &sqlite3_parser::ast::QualifiedName<'_>, target: &WrittenTable) -> bool {
    let alias = name.alias.as_ref().map(|alias| unquote(alias.0));
    name.db_name.is_none()
        && unquote(name.name.0) == target.stored
        && alias.unwrap_or_else(|| target.stored.clone()) == target.exposed
}
