//! The splices of a scope, and the required shape of the final text.

use std::cell::RefCell;

use database::Bind;

use super::barrier::Risk;
use super::claims::Claims;
use super::fence::Fence;
use super::scope::{Scope, TableLocation};
use super::syntax::Syntax;
use super::tables::{Table, Tables};
use super::verify::{Check, Definition, WrittenTable, verify};
use crate::layout::{Claimed, InsertParts, Layout};
use base::Result;
use sql_gate::compose::quote_identifier;
use sql_gate::operations::{Kind, Target};
use sql_gate::scoping::{ScopeValue, Scoping, ValueText};
use sql_gate::splice::Splice;

/// The character that represents the tenant's value in a splice. No text of a statement contains
/// it.
const VALUE: char = '\0';

/// The changes of a statement under a scope.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// The splices if no barrier is needed: the planner sees through the definitions.
    open: Vec<Splice>,
    /// The splices if a barrier is needed: the planner does not see through the definitions and
    /// predicates.
    closed: Vec<Splice>,
    risk: Risk,
    value: ScopeValue,
    column: String,
    claims: Claims,
    check: Check,
    fence: Fence,
    /// The final text that passed the check last, and the form of the value in it.
    passed: RefCell<Option<(String, ValueText)>>,
}

impl Scoping for Plan {
    fn value(&self) -> Option<&ScopeValue> {
        let is_named = self
            .open
            .iter()
            .any(|template| template.text.contains(VALUE));
        is_named.then_some(&self.value)
    }

    fn check_claims(&self, values: &[&serde_json::Value]) -> Result<()> {
        self.claims.check(&self.column, &self.value, values)
    }

    fn replaces(&self, start: usize) -> bool {
        self.claims
            .replaced
            .iter()
            .any(|range| range.start == start)
    }

    fn splices(&self, binds: &[Bind], value: &str) -> Vec<Splice> {
        let templates = if self.risk.is_barrier(binds) {
            &self.closed
        } else {
            &self.open
        };
        let filled = templates.iter().map(|template| Splice {
            text: template.text.replace(VALUE, value),
            ..*template
        });
        filled.collect()
    }

    fn verify(&self, sql: &str, value: &ValueText) -> Result<()> {
        let has_passed = |(text, known): &(String, ValueText)| text == sql && known == value;
        if self.passed.borrow().as_ref().is_some_and(has_passed) {
            return Ok(());
        }
        verify(sql, &self.check, value)?;
        *self.passed.borrow_mut() = Some((sql.to_owned(), value.clone()));
        Ok(())
    }

    fn may_open(&self, table: &str) -> bool {
        self.fence.allows(table)
    }
}

/// The input of a plan.
pub(super) struct Input<'a> {
    pub layout: &'a Layout<'a>,
    pub syntax: &'a Syntax,
    pub claims: Claims,
    pub scope: &'a Scope,
    pub tables: &'a Tables,
    /// The scoped tables whose names are in the text.
    pub scoped: &'a [&'a Table],
    pub stored: TableLocation<'a>,
}

/// Makes the plan. Returns `None` if a part of the statement is not where the grammar has it.
pub(super) fn plan(input: &Input<'_>, risk: Risk) -> Option<Plan> {
    let definitions = definitions(input)?;
    let target = target(input)?;
    let check = Check {
        plain: plain(input),
        target: target.clone(),
        upserts: input.syntax.upserts.clone(),
        claimed: claimed(input),
        definitions,
    };
    Some(Plan {
        open: splices(input, &check, Shape::Open)?,
        closed: splices(input, &check, Shape::Closed)?,
        risk,
        value: input.scope.value.clone(),
        column: input.scope.column.clone(),
        claims: input.claims.clone(),
        fence: Fence::of(
            input.layout,
            input.scope,
            input.tables,
            &defined(input).collect::<Vec<_>>(),
        ),
        check,
        passed: RefCell::default(),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Open,
    Closed,
}

/// Returns the scoped tables that are defined. A table is left out if the caller's own WITH uses
/// its name: the name then means the caller's expression, and SQLite refuses an expression that
/// names itself.
fn defined<'a>(input: &'a Input<'_>) -> impl Iterator<Item = &'a Table> {
    input.scoped.iter().copied().filter(|table| {
        !input
            .syntax
            .outer_ctes
            .iter()
            .any(|name| name.eq_ignore_ascii_case(&table.name))
    })
}

fn definitions(input: &Input<'_>) -> Option<Vec<Definition>> {
    let mut found = Vec::new();
    for table in defined(input) {
        found.push(Definition {
            name: table.name.clone(),
            stored: input.stored.name(&table.name),
            column: Some(table.column(&input.scope.column)?.name.clone()),
        });
    }
    // In the shared database, a table that everybody may read has another name, too.
    if let TableLocation::Of(_) = input.stored {
        for relation in &input.layout.facts.relations {
            let is_known = found
                .iter()
                .any(|known: &Definition| known.name.eq_ignore_ascii_case(&relation.name));
            if !relation.called && !is_known {
                found.push(Definition {
                    name: relation.name.clone(),
                    stored: input.stored.name(&input.tables.find(&relation.name)?.name),
                    column: None,
                });
            }
        }
    }
    Some(found)
}

/// Returns the tables that are read under their own names.
fn plain(input: &Input<'_>) -> Option<Vec<String>> {
    match input.stored {
        TableLocation::Of(_) => None,
        TableLocation::Main => {
            let relations = input.layout.facts.relations.iter();
            let tables = relations.filter_map(|relation| input.tables.find(&relation.name));
            let whole = tables.filter(|table| input.scope.reads_whole(table));
            Some(whole.map(|table| table.name.to_ascii_lowercase()).collect())
        }
    }
}

fn target(input: &Input<'_>) -> Option<Option<WrittenTable>> {
    let facts = input.layout.facts;
    let [target]: &[Target] = facts.targets.as_slice() else {
        return facts.targets.is_empty().then_some(None);
    };
    let table = input.tables.find(&target.name)?;
    let place = input.layout.written()?;
    Some(Some(WrittenTable {
        kind: facts.kind.clone(),
        stored: match input.stored {
            // The caller's own spelling is kept.
            TableLocation::Main => target.name.clone(),
            TableLocation::Of(_) => input.stored.name(&table.name),
        },
        exposed: place.alias.unwrap_or_else(|| target.name.clone()),
        column: table.column(&input.scope.column)?.name.clone(),
    }))
}

fn splices(input: &Input<'_>, check: &Check, shape: Shape) -> Option<Vec<Splice>> {
    let layout = input.layout;
    let texts: Vec<String> = check
        .definitions
        .iter()
        .map(|definition| definition_text(definition, input.stored, shape))
        .collect();
    let mut splices: Vec<Splice> = layout.define(&texts)?.into_iter().collect();
    let Some(target) = &check.target else {
        return Some(splices);
    };
    if let TableLocation::Of(_) = input.stored {
        splices.push(stored_target(layout, target)?);
    }
    let predicate = format!(
        "{}.{} = {VALUE} COLLATE BINARY",
        quote_identifier(&target.exposed),
        quote_identifier(&target.column)
    );
    // CASE computes the caller's condition only for rows of the tenant, whatever indexes there are.
    let case = format!("CASE WHEN {predicate} THEN ");
    let wrap = match shape {
        Shape::Open => ("", ""),
        Shape::Closed => (case.as_str(), " END"),
    };
    splices.extend(match target.kind {
        Kind::Insert => layout.insert(
            &quote_identifier(&target.column),
            &VALUE.to_string(),
            &predicate,
            wrap,
            &InsertParts {
                rows: input.syntax.written_rows,
                upserts: &input.syntax.upserts,
                claimed: claimed(input),
            },
        )?,
        Kind::Select
        | Kind::Update
        | Kind::Delete
        | Kind::CreateTable
        | Kind::CreateIndex
        | Kind::CreateView
        | Kind::CreateVirtualTable { .. }
        | Kind::AlterTable
        | Kind::DropTable
        | Kind::DropIndex
        | Kind::DropView
        | Kind::Other(_) => layout.filter(&predicate, wrap)?,
    });
    splices.extend(input.claims.replaced.iter().map(|range| Splice {
        start: range.start,
        end: range.end,
        text: VALUE.to_string(),
    }));
    Some(splices)
}

fn claimed(input: &Input<'_>) -> Option<Claimed> {
    Some(Claimed {
        position: input.claims.inserted?,
        width: input.claims.width,
    })
}

fn definition_text(definition: &Definition, stored: TableLocation<'_>, shape: Shape) -> String {
    let (source, qualifier) = stored.source(&definition.name);
    let hint = match (shape, &definition.column) {
        (Shape::Closed, Some(_)) => "MATERIALIZED",
        _ => "NOT MATERIALIZED",
    };
    let filter = match &definition.column {
        None => String::new(),
        Some(column) => format!(
            " WHERE {qualifier}.{} = {VALUE} COLLATE BINARY",
            quote_identifier(column)
        ),
    };
    format!(
        "{} AS {hint} (SELECT * FROM {source}{filter})",
        quote_identifier(&definition.name)
    )
}

fn stored_target(layout: &Layout<'_>, target: &WrittenTable) -> Option<Splice> {
    let [at] = layout.targets()?[..] else {
        return None;
    };
    let token = layout.tokens.get(at)?;
    let has_alias = layout.written()?.alias.is_some();
    let mut text = quote_identifier(&target.stored);
    if !has_alias {
        text.push_str(" AS ");
        text.push_str(&quote_identifier(&target.exposed));
    }
    Some(Splice {
        start: token.start,
        end: token.end,
        text,
    })
}
