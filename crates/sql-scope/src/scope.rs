//! The tenant wall within a table: a caller's statement is changed so that it sees and changes only
//! the rows of one tenant, whatever its text is.
//!
//! Tables with the tenant's column are *scoped*. The caller's text remains as it is, byte for byte.
//! Only splices are added:
//!
//! 1. Before the statement, each scoped table is defined again, `WITH orders AS NOT MATERIALIZED
//!    (SELECT * FROM main.orders WHERE business_id = ?)`, and SQLite itself resolves names. This is
//!    correct without understanding the scopes of names in the caller's text.
//! 2. UPDATE, DELETE and DO UPDATE get the tenant's predicate before their own condition, and the
//!    rows of an INSERT get the tenant.
//! 3. The tenant is a bound value, never text.
//!
//! Statements that splices cannot make safe are refused (`judge`, `cascades`). Two more fences
//! follow: the final text is parsed again and must have exactly this shape (`verify`), and the
//! engine's bytecode may open only the tables that were judged (`fence`). `barrier` decides if the
//! engine might compute an expression that can fail on a stranger's row before it compares the
//! tenant; if so, the definitions are materialized. docs/scope.md describes the remaining gaps.

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
use crate::syntax::Syntax;
use crate::tables::{Sort, Table, Tables};
use crate::tenant::Tenant;
use crate::{barrier, cascades, judge, rewrite};
use base::{Error, Result};
use database::Database;
use sql_gate::compose::quote_identifier;
use sql_gate::lex::Token;
use sql_gate::limits::{MAX_READABLE_TABLES, MAX_SCOPE_VALUE_BYTES};
use sql_gate::operations::{Kind, unquote};
use sql_gate::policy::{Policy, blocked, require_writable_name};
use sql_gate::reviewed::Reviewed;
use sql_gate::scoping::ScopeValue;
use sql_gate::{lex, parse};

/// The rows that a statement may see and change.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Scope {
    pub(super) column: String,
    pub(super) value: ScopeValue,
    pub(super) readable: Vec<String>,
}

impl Scope {
    /// Makes a scope: rows whose `column` is `value`, and all rows of the tables `readable`, which
    /// have no such column. `*` lists every table without the column.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an empty name, an empty or too long value, or too many readable
    /// tables.
    pub fn new(column: &str, value: ScopeValue, readable: Vec<String>) -> Result<Self> {
        let is_name = |name: &str| !name.is_empty() && !name.contains('\0');
        if !is_name(column) {
            return Err(Error::invalid("the column of the scope has no name"));
        }
        if ROWID_NAMES
            .iter()
            .any(|name| name.eq_ignore_ascii_case(column))
        {
            return Err(Error::invalid(
                "the column of the scope cannot be the rowid",
            ));
        }
        if let ScopeValue::Text(text) = &value {
            if text.is_empty() || text.contains('\0') {
                return Err(Error::invalid(
                    "the value of the scope must be a text that is not empty, or a whole number",
                ));
            }
            if text.len() > MAX_SCOPE_VALUE_BYTES {
                return Err(Error::invalid(format!(
                    "the value of the scope has {} bytes, the limit is {MAX_SCOPE_VALUE_BYTES}",
                    text.len()
                )));
            }
        }
        if readable.len() > MAX_READABLE_TABLES {
            return Err(Error::invalid(format!(
                "the scope lists {} readable tables, the limit is {MAX_READABLE_TABLES}",
                readable.len()
            )));
        }
        if readable.iter().any(|name| !is_name(name)) {
            return Err(Error::invalid("a readable table of the scope has no name"));
        }
        for name in readable.iter().filter(|name| *name != ALL_TABLES) {
            require_writable_name(name)?;
        }
        Ok(Self {
            column: column.to_owned(),
            value,
            readable,
        })
    }

    /// Returns the column that names the tenant of a row.
    pub fn column(&self) -> &str {
        &self.column
    }

    /// Returns the tenant, as the value of that column.
    pub fn value(&self) -> &ScopeValue {
        &self.value
    }

    /// Returns the tables without the column that may be read.
    pub fn readable(&self) -> &[String] {
        &self.readable
    }

    /// Returns true if a table without the column may be read.
    pub fn is_readable(&self, table: &str) -> bool {
        self.reads_all() || self.lists(table)
    }

    /// Returns true if every table without the column may be read.
    pub(super) fn reads_all(&self) -> bool {
        self.readable.iter().any(|name| name == ALL_TABLES)
    }

    pub(super) fn lists(&self, table: &str) -> bool {
        let mut listed = self.readable.iter();
        listed.any(|name| name.eq_ignore_ascii_case(table))
    }

    /// Returns true if all rows of a table of the schema are read, under its own name.
    pub(super) fn reads_whole(&self, table: &Table) -> bool {
        self.lists(&table.name) || (self.reads_all() && table.column(&self.column).is_none())
    }
}

/// The entry in a list of readable tables that means every table without the column.
pub const ALL_TABLES: &str = "*";

/// Names of the rowid.
pub(super) const ROWID_NAMES: [&str; 3] = ["rowid", "_rowid_", "oid"];

/// Reviews one statement of a session under a scope.
///
/// # Errors
/// Those of [`crate::reviewed::review`], and `SQL_BLOCKED` if the statement cannot be kept within
/// the scope.
pub fn review<D: Database>(db: &D, text: &str, policy: &Policy, scope: &Scope) -> Result<Reviewed> {
    apply(db, &sql_gate::reviewed::review(text, policy)?, scope)
}

/// Reviews a statement under a scope after it passed [`crate::reviewed::review`].
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
    // The schema was compared just now.
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
        Stored::Main,
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
        Stored::Of(tenant),
    )?;
    Ok(reviewed.with_scoping(Rc::new(plan)))
}

/// The place of the rows of a table.
#[derive(Clone, Copy)]
pub(super) enum Stored<'a> {
    /// In the session, under the same name.
    Main,
    /// In the shared database, under a name of the tenant.
    Of(&'a Tenant),
}

impl Stored<'_> {
    /// Returns the text after FROM, and the name that qualifies columns there.
    pub(super) fn source(self, table: &str) -> (String, String) {
        match self {
            Self::Main => {
                let name = quote_identifier(table);
                (format!("main.{name}"), name)
            }
            Self::Of(tenant) => {
                let name = quote_identifier(&tenant.physical(table));
                (name.clone(), name)
            }
        }
    }

    /// Returns the name of the table in the text that runs.
    pub(super) fn name(self, table: &str) -> String {
        match self {
            Self::Main => table.to_owned(),
            Self::Of(tenant) => tenant.physical(table),
        }
    }
}

fn plan(
    layout: &Layout<'_>,
    syntax: &Syntax,
    claims: Claims,
    scope: &Scope,
    tables: &Tables,
    names: &[String],
    stored: Stored<'_>,
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

pub(super) fn unclear() -> Error {
    blocked(
        "ambiguous_text",
        "the parts of the statement could not be told for certain",
        "write one plain statement, with tables in FROM and JOIN",
    )
}
