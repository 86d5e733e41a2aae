//! Reviews a statement under a row scope.

#![expect(
    clippy::disallowed_methods,
    reason = "this crate keeps the text within the scope"
)]

use std::rc::Rc;

use sqlite3_parser::Bump;
use sqlite3_parser::dialect::TokenType;

use crate::claims::Claims;
use crate::known::KnownTables;
use crate::layout::Layout;
use crate::rewrite::Plan;
use crate::scope::{Scope, TableLocation, unclear};
use crate::syntax::Syntax;
use crate::tables::{Sort, Table, Tables};
use crate::tenant::Tenant;
use crate::{barrier, cascades, judge, rewrite};
use base::Result;
use database::Database;
use sql_gate::lex::Token;
use sql_gate::operations::{Kind, unquote};
use sql_gate::policy::Policy;
use sql_gate::reviewed::Reviewed;
use sql_gate::{lex, parse};

/// Reviews one statement of a session under a scope.
///
/// # Errors
/// Those of [`sql_gate::review`], and `SQL_BLOCKED` if the statement cannot be kept within the
/// scope.
pub fn review<D: Database>(db: &D, text: &str, policy: &Policy, scope: &Scope) -> Result<Reviewed> {
    apply(db, &sql_gate::reviewed::review(text, policy)?, scope)
}

/// Reviews a statement under a scope after it passed [`sql_gate::review`].
///
/// # Errors
/// `SQL_BLOCKED` if the statement cannot be kept within the scope.
pub fn apply<D: Database>(db: &D, reviewed: &Reviewed, scope: &Scope) -> Result<Reviewed> {
    apply_knowing(db, reviewed, scope, None)
}

/// Does the same as [`apply`] with the facts that the object remembers about its tables.
///
/// # Errors
/// As [`apply`].
pub fn apply_knowing<D: Database>(
    db: &D,
    reviewed: &Reviewed,
    scope: &Scope,
    known: Option<&KnownTables>,
) -> Result<Reviewed> {
    let all = known.map(|known| known.all(db)).transpose()?.flatten();
    // If `all` is present, the remembered facts were compared with the schema just now.
    let known = known.filter(|_| all.is_some());
    if let Some(plan) = known.and_then(|known| known.judged(reviewed.statement(), scope)) {
        return Ok(reviewed.clone().with_scoping(plan));
    }
    let tokens = lex::tokens(reviewed.statement())?;
    let syntax = syntax_of(reviewed.statement())?;
    judge::statement(reviewed.facts(), &syntax, scope)?;
    let names = written_names(reviewed.statement(), &tokens);
    let writes = reviewed.facts().kind != Kind::Select;
    let mut tables = match all {
        Some(all) => all.named(&names, writes),
        None => Tables::read(db, &names, writes)?,
    };
    let layout = Layout {
        text: reviewed.statement(),
        tokens: &tokens,
        facts: reviewed.facts(),
    };
    let claims = Claims::of(&layout, &syntax, scope, reviewed.placeholders(), &tables)?;
    judge::tables(&layout, &syntax, scope, &tables)?;
    cascades::check(&layout, &syntax, &tables)?;
    cascades::check_rows(db, &layout, &syntax, scope, &tables)?;
    let scoped = scoped_tables(&names, scope, &tables);
    if barrier::needs_indexes(&syntax, &scoped) && !tables.knows_indexes() {
        let names: Vec<String> = scoped.iter().map(|table| table.name.clone()).collect();
        tables.read_indexes(db, &names)?;
    }
    let plan = plan(
        &layout,
        &syntax,
        claims,
        scope,
        &tables,
        &names,
        TableLocation::Main,
    )?;
    let plan = Rc::new(plan);
    // The judgement depends only on the text, the scope and the schema, unless foreign keys may act
    // on rows.
    if let Some(known) = known
        && !cascades::depends_on_rows(&layout, &syntax, &tables)
    {
        known.remember(reviewed.statement(), scope, &plan);
    }
    Ok(reviewed.clone().with_scoping(plan))
}

/// Reviews one statement of a tenant of the shared database under a scope within the tenant's
/// tables, which are all in `tables`.
///
/// # Errors
/// Those of [`crate::tenant::review`], and `SQL_BLOCKED` if the statement cannot be kept within the
/// scope.
pub fn review_stored(
    text: &str,
    policy: &Policy,
    tenant: &Tenant,
    scope: &Scope,
    tables: &Tables,
) -> Result<Reviewed> {
    let reviewed = crate::tenant::judged(text, policy)?;
    let tokens = lex::tokens(reviewed.statement())?;
    let syntax = syntax_of(reviewed.statement())?;
    judge::statement(reviewed.facts(), &syntax, scope)?;
    let names = written_names(reviewed.statement(), &tokens);
    let layout = Layout {
        text: reviewed.statement(),
        tokens: &tokens,
        facts: reviewed.facts(),
    };
    let claims = Claims::of(&layout, &syntax, scope, reviewed.placeholders(), tables)?;
    judge::tables(&layout, &syntax, scope, tables)?;
    if let Some(child) = cascades::check(&layout, &syntax, tables)? {
        return Err(cascades::refused(&child));
    }
    let plan = plan(
        &layout,
        &syntax,
        claims,
        scope,
        tables,
        &names,
        TableLocation::Of(tenant),
    )?;
    Ok(reviewed.with_scoping(Rc::new(plan)))
}

fn plan(
    layout: &Layout<'_>,
    syntax: &Syntax,
    claims: Claims,
    scope: &Scope,
    tables: &Tables,
    names: &[String],
    stored: TableLocation<'_>,
) -> Result<Plan> {
    let scoped = scoped_tables(names, scope, tables);
    let risk = barrier::risk(layout, syntax, scope, tables, &scoped);
    let input = rewrite::Input {
        layout,
        syntax,
        claims,
        scope,
        tables,
        scoped: &scoped,
        stored,
    };
    rewrite::plan(&input, risk).ok_or_else(unclear)
}

/// Returns the scoped tables whose names are anywhere in the text, as a table or not. Each of them
/// is defined before the statement, so that safety does not depend on our own reading of the names
/// that the engine would look up.
fn scoped_tables<'t>(names: &[String], scope: &Scope, tables: &'t Tables) -> Vec<&'t Table> {
    let mut found: Vec<&Table> = Vec::new();
    for name in names {
        let Some(table) = tables.find(name) else {
            continue;
        };
        let known = found.iter().any(|other| std::ptr::eq(*other, table));
        if !known && table.sort == Sort::Table && table.column(&scope.column).is_some() {
            found.push(table);
        }
    }
    found
}

fn syntax_of(statement: &str) -> Result<Syntax> {
    let arena = Bump::new();
    Ok(Syntax::of(&parse::parse(&arena, statement)?))
}

/// Returns everything in the text that may be a name, in lower case and each once. This includes
/// texts in single quotes, because SQLite accepts them in place of a name.
fn written_names(statement: &str, tokens: &[Token]) -> Vec<String> {
    let mut names: Vec<String> = tokens
        .iter()
        .filter(|token| !matches!(token.kind, TokenType::TK_VARIABLE | TokenType::TK_BLOB))
        .map(|token| token.text(statement))
        .filter(|text| {
            text.starts_with(|first: char| {
                first.is_alphabetic() || "_'\"`[".contains(first) || !first.is_ascii()
            })
        })
        .map(|text| unquote(text).to_ascii_lowercase())
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}
