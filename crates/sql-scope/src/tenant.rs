//! One database for all tenants: a caller's statement is changed so that it uses only the tenant's
//! own tables.
//!
//! The table `movies` of a tenant is stored as `~<hex of the tenant>~movies`. Three independent
//! rules keep tenants apart:
//!
//! 1. Text from outside that contains such a prefix anywhere, quoted or not, is refused before it
//!    is parsed (`names_a_tenant`). A name is part of the text verbatim, whatever quotes are around
//!    it, so no caller can spell another tenant's table.
//! 2. The statement must pass the gate under the strict profile. Some statements that the gate
//!    accepts are refused as well (`judge`). The tables that it reads are then defined before it,
//!    `WITH "movies" AS (SELECT * FROM "~6163~movies")`, and the names that it writes or creates
//!    are replaced at their tokens.
//! 3. The final text is parsed again before it is sent ([`verify`]): every relation must be a
//!    common table expression or have the tenant's prefix, and every target must have the prefix.

#![expect(
    clippy::disallowed_methods,
    reason = "this crate keeps the text within the tenant"
)]

use sqlite3_parser::Bump;
use sqlite3_parser::dialect::TokenType;

use crate::layout::Layout;
use base::{Error, Result};
use sql_gate::bound::Bound;
use sql_gate::compose::quote_identifier;
use sql_gate::functions;
use sql_gate::lex::Token;
use sql_gate::operations::{Kind, Operations, Relation, Role, Target, unquote};
use sql_gate::policy::{Policy, Profile, blocked, is_internal_name};
use sql_gate::reviewed::Reviewed;
use sql_gate::splice::Splice;
use sql_gate::{collect, lex, parse};

/// The character that ends the prefix of a table.
const TABLE_MARK: char = '~';

/// The character that ends the prefix of a transfer table, which holds rows on their way into a
/// table.
const TRANSFER_MARK: char = '^';

/// A tenant of the shared database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tenant {
    hex: String,
    prefix: String,
}

impl Tenant {
    /// Makes the tenant with this name. Different names have different prefixes, and no prefix
    /// begins with another one, because the mark ends each.
    pub fn new(name: &str) -> Self {
        let hex = const_hex::encode(name);
        let prefix = format!("{TABLE_MARK}{hex}{TABLE_MARK}");
        Self { hex, prefix }
    }

    /// Returns the prefix of its tables' names.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Returns the prefix of its transfer tables' names.
    pub fn transfer_prefix(&self) -> String {
        format!("{TABLE_MARK}{}{TRANSFER_MARK}", self.hex)
    }

    /// Returns the stored name of a table.
    pub fn physical(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Returns the name by which the tenant knows a table, if it is the tenant's own.
    pub fn logical<'n>(&self, physical: &'n str) -> Option<&'n str> {
        physical.strip_prefix(&self.prefix)
    }

    /// Returns a text of the engine in a form that the tenant may read: without prefixes. A text
    /// that names anybody else's table is withheld completely.
    pub fn readable(&self, text: &str) -> String {
        let text = text.replace(&self.prefix, "");
        if names_a_tenant(&text) {
            "the persistent database refused the statement: SQLITE_ERROR".to_owned()
        } else {
            text
        }
    }

    fn owns(&self, name: &str) -> bool {
        name.starts_with(&self.prefix)
    }
}

/// Returns true if a text contains the prefix of any tenant: a mark, hexadecimal digits and a mark.
fn names_a_tenant(text: &str) -> bool {
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once(TABLE_MARK) {
        let after = behind.trim_start_matches(|letter: char| letter.is_ascii_hexdigit());
        if after.len() < behind.len() && after.starts_with([TABLE_MARK, TRANSFER_MARK]) {
            return true;
        }
        rest = behind;
    }
    false
}

/// Reviews one statement of a tenant. The rewritten text must still pass [`verify`] after its
/// parameters are bound.
///
/// # Errors
/// Those of `super::review` under the strict profile, and `SQL_BLOCKED` for statements that a
/// shared database cannot offer.
pub fn review(text: &str, policy: &Policy, tenant: &Tenant) -> Result<Reviewed> {
    let reviewed = judged(text, policy)?;
    let tokens = lex::tokens(reviewed.statement())?;
    let layout = Layout {
        text: reviewed.statement(),
        tokens: &tokens,
        facts: reviewed.facts(),
    };
    let mut splices = stored_targets(&layout, tenant).ok_or_else(unclear)?;
    let definitions: Vec<String> = read_names(reviewed.facts())
        .into_iter()
        .map(|name| definition(name, tenant))
        .collect();
    splices.extend(layout.define(&definitions).ok_or_else(unclear)?);
    Ok(reviewed.with_splices(splices))
}

/// Returns the statement with its facts if a shared database can offer it. Nothing is spliced yet.
pub(crate) fn judged(text: &str, policy: &Policy) -> Result<Reviewed> {
    if names_a_tenant(text) {
        return Err(blocked(
            "reserved_name",
            "names that begin with ~<hex>~ belong to the product",
            "use the plain name of your table; bind such a text as a parameter",
        ));
    }
    let reviewed = sql_gate::review(
        text,
        &Policy {
            profile: Profile::Strict,
            ..*policy
        },
    )?;
    judge(reviewed.facts())?;
    Ok(reviewed)
}

/// Returns a name of the rowid that a statement contains while it reads tables. These tables are
/// defined before the statement and have no rowid there, so the name would be looked up further
/// outside, and silently mean the rowid of another table.
pub fn rowid_written(bound: &Bound) -> Option<&'static str> {
    const ROWID_NAMES: [&str; 3] = ["rowid", "_rowid_", "oid"];
    if bound
        .facts()
        .relations
        .iter()
        .all(|relation| relation.called)
    {
        return None;
    }
    let statement = bound.statement();
    let tokens = lex::tokens(statement).ok()?;
    let is_name = |token: &Token| {
        !matches!(
            token.kind,
            TokenType::TK_STRING | TokenType::TK_VARIABLE | TokenType::TK_BLOB
        )
    };
    let names = tokens
        .iter()
        .filter(|token| is_name(token))
        .map(|token| unquote(token.text(statement)));
    names.into_iter().find_map(|name| {
        ROWID_NAMES
            .into_iter()
            .find(|rowid| rowid.eq_ignore_ascii_case(&name))
    })
}

/// Refuses statements that the strict profile allows and a shared database does not.
fn judge(facts: &Operations) -> Result<()> {
    if let Kind::CreateVirtualTable { .. } = facts.kind {
        return Err(blocked(
            "virtual_table",
            "virtual tables are not available in the persistent database",
            "search with LIKE or instr, or in the session",
        ));
    }
    for target in &facts.targets {
        require_no_schema(target.schema.as_deref())?;
        if target.name.is_empty() {
            return Err(blocked(
                "reserved_name",
                "a name cannot be empty",
                "choose a name",
            ));
        }
    }
    for relation in &facts.relations {
        judge_relation(relation)?;
    }
    for cte in &facts.ctes {
        if is_internal_name(&cte.name) || is_pragma(&cte.name) {
            return Err(blocked(
                "internal_name",
                &format!("{} is internal", cte.name),
                "give the common table expression another name",
            ));
        }
    }
    match facts
        .functions
        .iter()
        .find(|name| functions::is(name, functions::OF_CONNECTION))
    {
        Some(name) => Err(blocked(
            "function",
            &format!("function {name} is not available in the persistent database"),
            r#"the response of {"operation":"exec"} has the changes; use RETURNING for keys"#,
        )),
        None => Ok(()),
    }
}

fn judge_relation(relation: &Relation) -> Result<()> {
    require_no_schema(relation.schema.as_deref())?;
    let name = relation.name.as_str();
    if is_pragma(name) {
        return Err(blocked(
            "pragma",
            &format!("{name} is not available in the persistent database"),
            USE_OPERATIONS,
        ));
    }
    if is_internal_name(name) {
        return Err(blocked(
            "internal_name",
            &format!("{name} is not available in the persistent database"),
            USE_OPERATIONS,
        ));
    }
    if relation.called && !is_value_function(name) {
        return Err(blocked(
            "table_function",
            &format!("{name} is not a table function here"),
            "use json_each(?) or json_tree(?) for lists, or a table",
        ));
    }
    Ok(())
}

const USE_OPERATIONS: &str =
    r#"use {"operation":"getTables"} or {"operation":"describeTable"} with target persistent"#;

fn require_no_schema(schema: Option<&str>) -> Result<()> {
    match schema {
        None => Ok(()),
        Some(name) => Err(blocked(
            "schema_name",
            &format!("the schema name {name} cannot be written here"),
            "leave the schema name out",
        )),
    }
}

fn is_pragma(name: &str) -> bool {
    name.get(.."pragma_".len())
        .is_some_and(|start| start.eq_ignore_ascii_case("pragma_"))
}

fn is_value_function(name: &str) -> bool {
    functions::is_of_values(&name.to_ascii_lowercase())
}

/// Checks the text that is about to be sent.
///
/// # Errors
/// `SQL_BLOCKED` if it would access anything that is not the tenant's.
pub fn verify(sql: &str, tenant: &Tenant) -> Result<()> {
    let tokens = lex::tokens(sql)?;
    let (start, end) = parse::statement_span(&tokens)?;
    let arena = Bump::new();
    let command = parse::parse(&arena, sql.get(start..end).unwrap_or_default())?;
    let facts = collect::collect(&command);
    let allowed = matches!(
        facts.kind,
        Kind::Select
            | Kind::Insert
            | Kind::Update
            | Kind::Delete
            | Kind::CreateTable
            | Kind::CreateIndex
            | Kind::CreateView
    );
    let relation_is_own = |relation: &Relation| {
        relation.schema.is_none()
            && if relation.called {
                is_value_function(&relation.name)
            } else {
                tenant.owns(&relation.name)
            }
    };
    let target_is_own = |target: &Target| target.schema.is_none() && tenant.owns(&target.name);
    if allowed
        && !facts.temporary
        && facts.relations.iter().all(relation_is_own)
        && facts.targets.iter().all(target_is_own)
    {
        Ok(())
    } else {
        Err(unclear())
    }
}

fn unclear() -> Error {
    blocked(
        "ambiguous_text",
        "the tables of the statement could not be determined with certainty",
        "write one plain statement, with tables in FROM and JOIN",
    )
}

/// Returns the splices that replace the names that are written, created or referred to by stored
/// names.
fn stored_targets(layout: &Layout<'_>, tenant: &Tenant) -> Option<Vec<Splice>> {
    let places = layout.targets()?;
    places
        .into_iter()
        .zip(&layout.facts.targets)
        .map(|(at, target)| {
            let token = layout.tokens.get(at)?;
            let mut text = quote_identifier(&tenant.physical(&target.name));
            // The alias keeps the meaning of columns that are qualified with the table's name.
            if target.role == Role::Rows && layout.kind(at + 1) != Some(TokenType::TK_AS) {
                text.push_str(" AS ");
                text.push_str(&quote_identifier(&target.name));
            }
            Some(Splice {
                start: token.start,
                end: token.end,
                text,
            })
        })
        .collect()
}

/// Returns the tables that are read, each once.
fn read_names(facts: &Operations) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for relation in facts.relations.iter().filter(|relation| !relation.called) {
        if !names
            .iter()
            .any(|known| known.eq_ignore_ascii_case(&relation.name))
        {
            names.push(&relation.name);
        }
    }
    names
}

/// Returns the definition of a table that is read. NOT MATERIALIZED allows the planner to see
/// through it, so that indexes are used and nothing is copied.
fn definition(name: &str, tenant: &Tenant) -> String {
    format!(
        "{} AS NOT MATERIALIZED (SELECT * FROM {})",
        quote_identifier(name),
        quote_identifier(&tenant.physical(name))
    )
}
