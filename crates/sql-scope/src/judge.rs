//! Refuses statements that no splice can keep within the scope.

use super::scope::{ROWID_NAMES, Scope};
use super::syntax::Syntax;
use super::tables::{Sort, Table, Tables};
use crate::layout::Layout;
use base::{Error, Result, nearest};
use sql_gate::functions;
use sql_gate::operations::{Explain, Kind, Operations, Relation, unquote};
use sql_gate::policy::{TABLE_FUNCTIONS, blocked};

/// Refuses a statement for reasons that its text alone shows.
///
/// # Errors
/// `SQL_BLOCKED`.
pub(super) fn statement(facts: &Operations, syntax: &Syntax, scope: &Scope) -> Result<()> {
    if facts.explain != Explain::No {
        return Err(blocked(
            "scope_statement",
            "EXPLAIN is not available under a row scope",
            "run the statement without EXPLAIN, or explain it without a scope",
        ));
    }
    if !matches!(
        facts.kind,
        Kind::Select | Kind::Insert | Kind::Update | Kind::Delete
    ) {
        return Err(blocked(
            "scope_statement",
            "definitions are not available under a row scope",
            "under a row scope only SELECT, INSERT, UPDATE and DELETE are available; create tables without a scope",
        ));
    }
    let schemas = facts.relations.iter().map(|relation| &relation.schema);
    let schemas = schemas.chain(facts.targets.iter().map(|target| &target.schema));
    if syntax.schema_column || schemas.into_iter().any(Option::is_some) {
        return Err(blocked(
            "schema_name",
            "schema names cannot be written under a row scope",
            "leave main. out",
        ));
    }
    if let Some(function) = facts
        .functions
        .iter()
        .find(|name| functions::is(name, functions::OF_CONNECTION))
    {
        return Err(blocked(
            "function",
            &format!("function {function} is not available under a row scope"),
            r#"the response of {"operation":"exec"} has the changes; use RETURNING for keys"#,
        ));
    }
    if syntax.indexed {
        return Err(blocked(
            "scope_index",
            "INDEXED BY and NOT INDEXED are not available under a row scope",
            "leave the clause out: the planner chooses the index",
        ));
    }
    facts.relations.iter().try_for_each(function_relation)?;
    writing(facts, syntax, scope)
}

fn writing(facts: &Operations, syntax: &Syntax, scope: &Scope) -> Result<()> {
    if let Some(conflict) = syntax.refused_conflict {
        return Err(blocked(
            "scope_conflict",
            &format!("{conflict} is not available under a row scope"),
            "use ON CONFLICT (…) DO UPDATE SET …, or OR IGNORE",
        ));
    }
    let column = &scope.column;
    if facts.kind == Kind::Insert && (syntax.default_values || syntax.columns.is_none()) {
        return Err(blocked(
            "scope_insert",
            "under a row scope an INSERT names its columns",
            &format!("write INSERT INTO t (a, b) VALUES (?, ?), without {column}"),
        ));
    }
    Ok(())
}

fn function_relation(relation: &Relation) -> Result<()> {
    let name = relation.name.to_ascii_lowercase();
    if name.starts_with("pragma_") {
        return Err(blocked(
            "pragma",
            &format!("{name} is not available under a row scope"),
            r#"use {"operation":"getTables"} or {"operation":"describeTable"}"#,
        ));
    }
    let is_value_function = functions::is_of_values(&name);
    if is_value_function == relation.called
        && (is_value_function || !TABLE_FUNCTIONS.contains(&name.as_str()))
    {
        return Ok(());
    }
    Err(blocked(
        "table_function",
        &format!("{name} is not a table function here"),
        "use json_each(?) or json_tree(?) for lists, or a table",
    ))
}

/// Judges the tables behind the names.
///
/// # Errors
/// `SQL_BLOCKED`.
pub(super) fn tables(
    layout: &Layout<'_>,
    syntax: &Syntax,
    scope: &Scope,
    tables: &Tables,
) -> Result<()> {
    for relation in &layout.facts.relations {
        if !relation.called {
            let table = known(&relation.name, tables, scope)?;
            if table.column(&scope.column).is_none() && !scope.is_readable(&table.name) {
                return Err(unscoped(table, scope));
            }
        }
    }
    for target in &layout.facts.targets {
        written(known(&target.name, tables, scope)?, syntax, scope)?;
    }
    exposed_names(layout, syntax)?;
    rowid(layout, tables)
}

fn known<'t>(name: &str, tables: &'t Tables, scope: &Scope) -> Result<&'t Table> {
    let Some(table) = tables.find(name) else {
        let visible = tables.names().filter(|known| {
            tables
                .find(known)
                .is_some_and(|table| is_visible(table, scope))
        });
        let near = nearest(name, visible);
        let hint = base::did_you_mean(&near).unwrap_or_else(|| {
            r#"under a row scope only the tables of the tenant can be read: call {"operation":"getTables"} with the scope"#
                .to_owned()
        });
        return Err(blocked(
            "scope_table",
            &format!("there is no table {name} in the row scope"),
            &hint,
        ));
    };
    match table.sort {
        Sort::Table => Ok(table),
        Sort::View => Err(blocked(
            "scope_view",
            &format!(
                "{} is a view, which may read the rows of every tenant",
                table.name
            ),
            "write the query of the view itself, or WITH … AS in front of the statement",
        )),
        Sort::Virtual => Err(blocked(
            "scope_view",
            &format!(
                "{} is a virtual table, which may hold the rows of every tenant",
                table.name
            ),
            "search the table itself with LIKE or instr",
        )),
    }
}

/// Returns true if a caller under the scope may know of the table.
pub(super) fn is_visible(table: &Table, scope: &Scope) -> bool {
    table.sort == Sort::Table
        && (table.column(&scope.column).is_some() || scope.is_readable(&table.name))
}

fn unscoped(table: &Table, scope: &Scope) -> Error {
    blocked(
        "scope_table",
        &format!("{} has no column {}", table.name, scope.column),
        "list the table in scope.readable or GLOBAL_TABLES if every tenant may read it",
    )
}

fn written(table: &Table, syntax: &Syntax, scope: &Scope) -> Result<()> {
    let name = &table.name;
    let Some(column) = table.column(&scope.column) else {
        return Err(if scope.is_readable(name) {
            blocked(
                "scope_table",
                &format!(
                    "{name} can only be read under a row scope: it has no column {}",
                    scope.column
                ),
                "change the rows that all tenants share without a scope",
            )
        } else {
            unscoped(table, scope)
        });
    };
    if column.generated {
        return Err(blocked(
            "scope_column",
            &format!(
                "{} of {name} is a generated column, so a change of other columns could move the row to another tenant",
                column.name
            ),
            "store the tenant in a column of its own",
        ));
    }
    if table.replaces() && (!syntax.set.is_empty() || syntax.columns.is_some()) {
        return Err(blocked(
            "scope_conflict",
            &format!(
                "a constraint of {name} has ON CONFLICT REPLACE, which could delete the row of another tenant"
            ),
            "make the table again without ON CONFLICT REPLACE, and use ON CONFLICT (…) DO UPDATE in statements",
        ));
    }
    Ok(())
}

/// Refuses an UPDATE … FROM in which the name that qualifies the written table also names another
/// one.
fn exposed_names(layout: &Layout<'_>, syntax: &Syntax) -> Result<()> {
    if syntax.from_names.is_empty() {
        return Ok(());
    }
    let place = layout.written().ok_or_else(super::scope::unclear)?;
    let written = layout.facts.written_table.clone().unwrap_or_default();
    let exposed = place.alias.unwrap_or(written).to_ascii_lowercase();
    if syntax.from_names.contains(&exposed) {
        return Err(blocked(
            "ambiguous_text",
            &format!("{exposed} names both the written table and one in FROM"),
            "give the table in FROM another alias",
        ));
    }
    Ok(())
}

/// Refuses the names of the rowid. Tables that are read are defined before the statement and have
/// no rowid there, so the name would mean the rowid of another table, or nothing.
fn rowid(layout: &Layout<'_>, tables: &Tables) -> Result<()> {
    let names = layout
        .tokens
        .iter()
        .map(|token| unquote(token.text(layout.text)));
    let Some(written) = names.into_iter().find_map(|name| {
        ROWID_NAMES
            .into_iter()
            .find(|rowid| rowid.eq_ignore_ascii_case(&name))
    }) else {
        return Ok(());
    };
    let relations = layout.facts.relations.iter();
    let read = relations
        .filter(|relation| !relation.called)
        .map(|relation| &relation.name);
    let mut used = read.chain(layout.facts.targets.iter().map(|target| &target.name));
    let declared = used.all(|name| {
        tables
            .find(name)
            .is_some_and(|table| table.column(written).is_some())
    });
    if declared {
        return Ok(());
    }
    Err(blocked(
        "scope_rowid",
        &format!("{written} is not available under a row scope"),
        "use the primary key; bind the word as a parameter if it is a text",
    ))
}
