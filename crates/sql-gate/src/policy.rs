//! The decision: may a statement with these facts run?
//!
//! Anything that is not explicitly allowed is refused. Each refusal has a stable `reason` and a
//! hint that names the allowed way; `docs/sql-policy.md` lists them, and a test compares that list
//! with [`REASONS`].

use super::operations::{Explain, Kind, Operations, Relation, Role, Target};
use super::{dialect, functions};
use crate::SqlError;
use crate::error::hinted;
use crate::limits;
use base::nearest;
use base::{Error, Result};

/// The set of statements that are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// Everything on the allowed list.
    #[default]
    Standard,
    /// Without DROP and ALTER: for data that outlives a session.
    Strict,
}

/// The settings of the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// The statements that are allowed.
    pub profile: Profile,
    /// The LIMIT, in rows, of a recursive common table expression that sets none.
    pub max_recursive_rows: u64,
    /// The work, in units of 10 ns, above which a statement is refused.
    pub max_query_work: u64,
    /// The way in which the types of a definition are read.
    pub types: TypeReading,
}

/// The way in which the types of a definition are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TypeReading {
    /// With their meaning in the database that the definition was written for. Used for definitions
    /// of callers.
    #[default]
    AsMeant,
    /// As SQLite reads them. Used for the copy of an existing table.
    AsWritten,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            profile: Profile::Standard,
            max_recursive_rows: limits::DEFAULT_MAX_RECURSIVE_ROWS,
            max_query_work: limits::DEFAULT_MAX_QUERY_WORK,
            types: TypeReading::AsMeant,
        }
    }
}

/// Every `reason` that a `SQL_BLOCKED` can carry.
pub const REASONS: [&str; 31] = [
    "alter_in_strict_profile",
    "ambiguous_text",
    "attach",
    "drop_in_strict_profile",
    "empty",
    "explain",
    "function",
    "internal_name",
    "internal_table",
    "maintenance",
    "multiple_statements",
    "parsers_disagree",
    "pragma",
    "read_only_operation",
    "reserved_name",
    "schema_name",
    "scope_cascade",
    "scope_column",
    "scope_conflict",
    "scope_index",
    "scope_insert",
    "scope_rowid",
    "scope_statement",
    "scope_table",
    "scope_view",
    "shadow_table",
    "table_function",
    "temporary",
    "transaction",
    "trigger",
    "virtual_table",
];

/// Tables of ours that a session may read but not change.
pub const READABLE_OWN_TABLES: [&str; 2] = ["session_state", "execution_logs"];

/// The names of the engine's table of definitions. A session reads it without the entries of hidden
/// tables.
pub const SCHEMA_TABLES: [&str; 2] = ["sqlite_schema", "sqlite_master"];

/// The prefixes of the names of the engine's, the platform's and our tables.
pub const HIDDEN_PREFIXES: [&str; 4] = ["sqlite_", "_cf_", "_codemode_", "__miniflare"];

/// Virtual tables of SQLite that exist without being created, if they are compiled in, except the
/// allowed functions below and those whose names begin with `sqlite_` or `pragma_`. A test asks the
/// engine for its own list.
const EPONYMOUS_TABLES: [&str; 7] = [
    "bytecode",
    "dbstat",
    "fts3tokenize",
    "fts4aux",
    "fts5vocab",
    "generate_series",
    "tables_used",
];

/// Table-valued functions that may be read.
pub const TABLE_FUNCTIONS: [&str; 10] = [
    "json_each",
    "json_tree",
    "jsonb_each",
    "jsonb_tree",
    "pragma_foreign_key_list",
    "pragma_index_info",
    "pragma_index_list",
    "pragma_table_info",
    "pragma_table_list",
    "pragma_table_xinfo",
];

/// Judges the facts.
///
/// # Errors
/// `SQL_BLOCKED` with the rule that refused the statement.
pub fn judge(facts: &Operations, policy: &Policy) -> Result<()> {
    judge_kind(facts, policy.profile)?;
    for target in &facts.targets {
        judge_target(target, &facts.kind)?;
    }
    for relation in &facts.relations {
        judge_relation(relation)?;
    }
    for function in &facts.functions {
        judge_function(function)?;
    }
    Ok(())
}

fn judge_kind(facts: &Operations, profile: Profile) -> Result<()> {
    if facts.explain == Explain::Bytecode {
        return Err(blocked(
            "explain",
            "EXPLAIN without QUERY PLAN is not available",
            "use EXPLAIN QUERY PLAN",
        ));
    }
    if facts.temporary {
        return Err(blocked(
            "temporary",
            "temporary tables and views are not available",
            "create an ordinary table: the session is temporary as a whole",
        ));
    }
    match &facts.kind {
        Kind::Select
        | Kind::Insert
        | Kind::Update
        | Kind::Delete
        | Kind::CreateTable
        | Kind::CreateIndex
        | Kind::CreateView => Ok(()),
        Kind::CreateVirtualTable { module, arguments } => judge_virtual_table(module, arguments),
        Kind::AlterTable if profile == Profile::Strict => Err(blocked(
            "alter_in_strict_profile",
            "ALTER is not available here",
            "create a new table and INSERT … SELECT into it",
        )),
        Kind::DropTable | Kind::DropIndex | Kind::DropView if profile == Profile::Strict => {
            Err(blocked(
                "drop_in_strict_profile",
                "DROP is not available here",
                "DELETE the rows instead",
            ))
        }
        Kind::AlterTable | Kind::DropTable | Kind::DropIndex | Kind::DropView => Ok(()),
        Kind::Other(keyword) => Err(refused_keyword(keyword)),
    }
}

/// Returns the refusal of a statement that no profile allows.
pub fn refused_keyword(keyword: &str) -> Error {
    let (reason, hint) = match keyword {
        "PRAGMA" => (
            "pragma",
            r#"read the schema with {"operation":"getTables"}, {"operation":"describeTable"}, sqlite_schema or pragma_table_info('table')"#,
        ),
        "ATTACH" | "DETACH" => (
            "attach",
            "a session has one database; load the other data into tables of it",
        ),
        "BEGIN" | "COMMIT" | "ROLLBACK" | "SAVEPOINT" | "RELEASE" => (
            "transaction",
            "each statement is atomic by itself; {\"operation\":\"batchInsert\"} and loads are all or nothing",
        ),
        "VACUUM" | "REINDEX" | "ANALYZE" => (
            "maintenance",
            "the platform maintains the database; leave the statement out",
        ),
        "CREATE TRIGGER" | "DROP TRIGGER" => (
            "trigger",
            "do the work in the statement itself, with a generated column or with ON CONFLICT",
        ),
        _ => (
            "maintenance",
            "use SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER or DROP",
        ),
    };
    blocked(reason, &format!("{keyword} is not available"), hint)
}

fn judge_virtual_table(module: &str, arguments: &[String]) -> Result<()> {
    if module != "fts5" {
        return Err(blocked(
            "virtual_table",
            &format!("virtual tables of module {module} are not available"),
            "use fts5, or an ordinary table",
        ));
    }
    for argument in arguments {
        if let Some(content) = fts5_content(argument) {
            // `content=''` means a table that does not keep its texts.
            if !content.is_empty() {
                require_writable_name(&content)?;
            }
            if begins_with(&content, PRAGMA_PREFIX) {
                return Err(reserved(&content));
            }
        }
    }
    Ok(())
}

/// Returns the value of an fts5 `content` option. fts5 accepts any prefix of an option's name, and
/// any quotes around its value.
pub fn fts5_content(argument: &str) -> Option<String> {
    let (key, value) = argument.split_once('=')?;
    let key = super::operations::unquote(key.trim()).to_ascii_lowercase();
    let is_content = !key.is_empty() && "content".starts_with(key.as_str());
    is_content.then(|| super::operations::unquote(value.trim()))
}

fn judge_target(target: &Target, kind: &Kind) -> Result<()> {
    require_main(target.schema.as_deref())?;
    let is_made = match target.role {
        Role::NewName => true,
        Role::Definition => !matches!(
            kind,
            Kind::AlterTable | Kind::DropTable | Kind::DropIndex | Kind::DropView
        ),
        Role::Rows | Role::Reference | Role::IndexedTable => false,
    };
    if is_made {
        return require_new_name(&target.name);
    }
    require_writable_name(&target.name)?;
    // No session has such a table to write to, and the engine's own cannot be written. If one
    // exists all the same, it can be dropped.
    if target.role != Role::Definition && begins_with(&target.name, PRAGMA_PREFIX) {
        return Err(reserved(&target.name));
    }
    Ok(())
}

fn judge_relation(relation: &Relation) -> Result<()> {
    if let Err(refusal) = require_main(relation.schema.as_deref()) {
        let known = relation
            .schema
            .as_deref()
            .and_then(|schema| dialect::schema_table(schema, &relation.name));
        return Err(hinted(refusal, known));
    }
    let name = relation.name.to_ascii_lowercase();
    if TABLE_FUNCTIONS.contains(&name.as_str()) {
        return Ok(());
    }
    if name.starts_with(PRAGMA_PREFIX) {
        return Err(blocked(
            "pragma",
            &format!("{name} is not available"),
            "the available pragma functions are pragma_table_info, pragma_table_xinfo, pragma_table_list, pragma_index_list, pragma_index_info, \
             pragma_foreign_key_list",
        ));
    }
    if EPONYMOUS_TABLES.contains(&name.as_str()) {
        let hint = dialect::function(&name)
            .unwrap_or("use json_each(?) or json_tree(?) for lists, or a table");
        return Err(blocked(
            "table_function",
            &format!("{name} is not available"),
            hint,
        ));
    }
    require_readable_name(&relation.name)
}

fn judge_function(name: &str) -> Result<()> {
    if functions::is_allowed(name) {
        Ok(())
    } else {
        Err(refused_function(name))
    }
}

/// Returns the refusal of a function that no statement may call, or that does not exist.
pub fn refused_function(written: &str) -> Error {
    let name = written.to_ascii_lowercase();
    let hint = dialect::function(&name);
    if functions::is_withheld(&name) {
        return blocked(
            "function",
            &format!("function {name} is not available"),
            hint.unwrap_or("use SQLite's built-in functions; docs/sql-policy.md lists them"),
        );
    }
    // A function that exists in another database is not misspelt.
    let suggestions = match hint {
        Some(_) => Vec::new(),
        None => nearest(&name, functions::allowed_functions()),
    };
    let misspelt = || {
        nearest(&name, dialect::function_names())
            .first()
            .and_then(|near| Some(format!("for {near} {}", dialect::function(near)?)))
    };
    Error::from(SqlError::NoSuchFunction {
        hint: match hint {
            Some(hint) => Some(hint.to_owned()),
            None if suggestions.is_empty() => misspelt(),
            None => None,
        },
        function: name,
        suggestions,
    })
}

fn require_main(schema: Option<&str>) -> Result<()> {
    match schema {
        None => Ok(()),
        Some(name) if name.eq_ignore_ascii_case("main") => Ok(()),
        Some(name) if name.eq_ignore_ascii_case("temp") => Err(blocked(
            "temporary",
            "the temp schema is not available",
            "leave the schema name out",
        )),
        Some(name) => Err(blocked(
            "schema_name",
            &format!("there is no schema {name}"),
            "leave the schema name out, or write main",
        )),
    }
}

/// The prefix of the engine's table-valued functions for PRAGMA.
const PRAGMA_PREFIX: &str = "pragma_";

/// Refuses names that no new table, view or index may have, created by SQL or otherwise. Besides
/// the names that may not be written to, these are the names of the engine's table-valued
/// functions, because the new table would hide the function, and names that only lack the `_` of a
/// reserved prefix. The latter are refused because a full-text table `_codemode` owns a table
/// `_codemode_data`, and any table may be renamed to such a name.
///
/// # Errors
/// `SQL_BLOCKED` with reason `internal_table`, `internal_name` or `reserved_name`.
pub fn require_new_name(name: &str) -> Result<()> {
    require_writable_name(name)?;
    let folded = name.to_ascii_lowercase();
    if folded.starts_with(OWN_PREFIX) || is_internal_name(&format!("{folded}_")) {
        return Err(internal(&folded));
    }
    let is_function = TABLE_FUNCTIONS.contains(&folded.as_str())
        || EPONYMOUS_TABLES.contains(&folded.as_str())
        || format!("{folded}_").starts_with(PRAGMA_PREFIX);
    if is_function {
        Err(reserved(name))
    } else {
        Ok(())
    }
}

/// Refuses the names that a session may not change: the engine's and ours. The name of a new table
/// needs [`require_new_name`].
///
/// # Errors
/// `SQL_BLOCKED` with reason `internal_table` or `internal_name`.
pub fn require_writable_name(name: &str) -> Result<()> {
    let folded = name.to_ascii_lowercase();
    if READABLE_OWN_TABLES.contains(&folded.as_str()) {
        return Err(blocked(
            "internal_table",
            &format!("{folded} belongs to the session and can only be read"),
            r#"use {"operation":"saveState"} and {"operation":"getState"}, or a table of your own"#,
        ));
    }
    if is_internal_name(&folded) {
        return Err(internal(&folded));
    }
    Ok(())
}

/// Refuses the names that a session may not read.
///
/// # Errors
/// `SQL_BLOCKED` with reason `internal_name`.
pub fn require_readable_name(name: &str) -> Result<()> {
    let folded = name.to_ascii_lowercase();
    let readable =
        SCHEMA_TABLES.contains(&folded.as_str()) || READABLE_OWN_TABLES.contains(&folded.as_str());
    if !readable && is_internal_name(&folded) {
        Err(internal(&folded))
    } else {
        Ok(())
    }
}

/// Returns true if a table is ours or the engine's, so that listings leave it out.
pub fn is_internal_name(name: &str) -> bool {
    let folded = name.to_ascii_lowercase();
    READABLE_OWN_TABLES.contains(&folded.as_str())
        || HIDDEN_PREFIXES
            .iter()
            .any(|prefix| folded.starts_with(prefix))
}

/// The prefix of our own tables. No new name may begin with it, even without a `_` after it.
const OWN_PREFIX: &str = "_codemode";

fn begins_with(name: &str, prefix: &str) -> bool {
    name.get(..prefix.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

fn internal(name: &str) -> Error {
    blocked(
        "internal_name",
        &format!("{name} is internal"),
        "use a name that does not begin with sqlite_, _cf_ or _codemode_; sqlite_schema can be read",
    )
}

fn reserved(name: &str) -> Error {
    blocked(
        "reserved_name",
        &format!("{name} is the name of a built-in table function"),
        "choose another name",
    )
}

/// Returns a `SQL_BLOCKED` error.
pub fn blocked(reason: &'static str, message: &str, hint: &str) -> Error {
    Error::from(SqlError::SqlBlocked {
        reason,
        message: message.to_owned(),
        hint: hint.to_owned(),
    })
}
