//! Turns errors of the engine into coded errors with fixes.
//!
//! workerd formats them as `Error: <message>[ at offset N]: SQLITE_XXX[ (extended:
//! SQLITE_XXX_YYY)]` and has no code property, so the text is parsed. Names that are nearly right
//! are looked up in the real schema.

use super::catalog::{self, Live, Schema};
use super::operations::{Kind, Relation};
use super::policy::{blocked, refused_function};
use super::text::{line_and_column, pointer};
use super::{carried, dialect, match_errors};
use crate::bound::Bound;
use crate::{SqlError, TableOrigin};
use base::CommonError;
use base::Error;
use base::nearest;
use database::DatabaseError;
use database::{Database, EngineError, Parts};

/// Explains an error of the caller's statement.
pub fn explain<D: Database>(db: &D, error: &EngineError, bound: &Bound) -> Error {
    explain_by(&Live(db), error, bound)
}

/// Explains an error of the caller's statement after it has begun to return rows, when only its
/// data can be the cause.
pub fn midway(error: &EngineError, bound: &Bound) -> Error {
    explain_by(&catalog::Unknown, error, bound)
}

/// Explains an error of a statement with names from the given schema.
pub fn explain_by(schema: &impl Schema, error: &EngineError, bound: &Bound) -> Error {
    if database::is_full(&error.message) {
        return Error::from(DatabaseError::DatabaseFull);
    }
    let parts = error.parts();
    match parts.code {
        "SQLITE_CONSTRAINT" => return constraint(&parts),
        "SQLITE_MISMATCH" => {
            return Error::from(SqlError::DatatypeMismatch {
                message: parts.message.to_owned(),
            });
        }
        "SQLITE_TOOBIG" => return too_big(&parts),
        "SQLITE_BUSY" | "SQLITE_LOCKED" => {
            return Error::from(DatabaseError::Busy {
                message: parts.message.to_owned(),
            });
        }
        "SQLITE_AUTH" => return not_authorized(parts.message, bound),
        _ => {}
    }
    by_message(schema, &parts, bound)
}

/// Explains why an object was reset, if a deferred foreign key was broken when its changes were to
/// be stored.
pub fn broken_at_commit(text: &str) -> Option<Error> {
    text.contains("FOREIGN KEY constraint failed").then(|| {
        Error::from(SqlError::ConstraintFailed {
            kind: "FOREIGN KEY",
            table: None,
            columns: Vec::new(),
            message: "FOREIGN KEY constraint failed: a deferred foreign key had no parent row when changes were to be stored, of this request or of another one at that moment; the last changes of both may be rolled back, so look for them before you repeat the request".to_owned(),
        })
    })
}

fn by_message(schema: &impl Schema, parts: &Parts<'_>, bound: &Bound) -> Error {
    let message = parts.message;
    if let Some(hint) = match_errors::hint(message, bound) {
        return Error::from(SqlError::SqlError {
            message: message.to_owned(),
            hint: Some(hint.to_owned()),
        });
    }
    if let Some(table) = message.strip_prefix("no such table: ") {
        return no_such_table(schema, table, bound);
    }
    if let Some(column) = message.strip_prefix("no such column: ") {
        let written = column.split(" - ").next().unwrap_or(column);
        return no_such_column(
            schema,
            written.trim_matches('"'),
            bound,
            written.starts_with('"'),
        );
    }
    if let Some((_, column)) = message.split_once(" has no column named ") {
        return no_such_column(schema, column, bound, false);
    }
    if let Some(function) = message
        .strip_prefix("no such function: ")
        .or_else(|| message.strip_prefix("not authorized to use function: "))
    {
        return refused_function(function);
    }
    if message.ends_with("already exists") {
        let table = message
            .trim_end_matches(" already exists")
            .rsplit(' ')
            .next()
            .unwrap_or_default();
        return Error::from(SqlError::AlreadyExists {
            table: table.trim_matches('"').to_owned(),
            by: TableOrigin::Statement,
        });
    }
    if message.contains("syntax error")
        || message == "incomplete input"
        || message.starts_with("unrecognized token")
    {
        return syntax(parts, bound);
    }
    if message.starts_with("Wrong number of parameter bindings") {
        return Error::from(SqlError::ParameterCount {
            expected: 0,
            given: bound.binds().len(),
        });
    }
    if message == "not authorized"
        || message.starts_with("not authorized")
        || message.contains("prohibited")
    {
        return not_authorized(message, bound);
    }
    if carried::is_refusal(message) && carried::is_bounded(bound.sql()) {
        return carried::too_much();
    }
    if is_engine_limit(message) {
        return too_big(parts);
    }
    if message.contains("is locked") {
        return Error::from(DatabaseError::Busy {
            message: message.to_owned(),
        });
    }
    if message.contains("datatype mismatch") {
        return Error::from(SqlError::DatatypeMismatch {
            message: message.to_owned(),
        });
    }
    Error::from(SqlError::SqlError {
        message: message.to_owned(),
        hint: general_hint(message, bound),
    })
}

/// The beginnings of the engine's messages about its limits, with their hints. The first that
/// matches is used.
const ENGINE_LIMITS: [(&str, &str); 13] = [
    (
        "too many columns",
        "a table or result has at most 100 columns: keep rare fields in one JSON column, or split the table",
    ),
    (
        "Expression tree",
        "expressions nest at most 100 deep: use IN (…), or join a table of values",
    ),
    (
        "too many terms in compound SELECT",
        "at most 5 SELECTs can be joined by UNION: use VALUES (…), (…), or insert into a table first",
    ),
    (
        "too many terms in ",
        "ORDER BY and GROUP BY take at most 100 terms: sort or group by fewer, or by one expression that joins several",
    ),
    (
        "too many arguments on function",
        "call the function with fewer arguments: nest the calls, join texts with ||, or merge objects with json_patch",
    ),
    (
        "too many FROM clause terms",
        "read fewer tables in one statement: insert the first joins into a table, and join that",
    ),
    (
        "at most ",
        "read at most 64 tables in one statement, including those of its views: write the result of the first joins to a table, and join that",
    ),
    (
        "too many references to",
        "refer to the table or common table expression fewer times: insert it into a table first",
    ),
    (
        "too many SQL variables",
        "pass one JSON text and read it with json_each(?)",
    ),
    (
        "LIKE or GLOB",
        "a LIKE or GLOB pattern has at most 50 bytes: use instr(text, part), or an fts5 table with MATCH",
    ),
    (
        "parser stack overflow",
        "the statement nests too deep for the parser: take sub-queries out into WITH, or into tables",
    ),
    ("statement too long", STATEMENT_TOO_LONG),
    ("SQL statement too long", STATEMENT_TOO_LONG),
];

const STATEMENT_TOO_LONG: &str = r#"a statement has at most 100,000 bytes: bind values as parameters, or load rows with {"operation":"batchInsert"}"#;

/// The hint for texts, blobs and rows that are too long.
const VALUE_TOO_BIG: &str = "a value or row holds at most 2 MB: store long texts in pieces";

/// The engine's message about such a value.
const VALUE_COMPLAINT: &str = "string or blob too big";

fn is_engine_limit(message: &str) -> bool {
    message.starts_with("too many ")
        || message.starts_with(VALUE_COMPLAINT)
        || ENGINE_LIMITS
            .iter()
            .any(|(start, _)| message.starts_with(start))
}

fn too_big(parts: &Parts<'_>) -> Error {
    let message = parts.message;
    let known = ENGINE_LIMITS
        .iter()
        .find(|(start, _)| message.starts_with(start));
    let hint = match known {
        Some((_, hint)) => hint,
        None if message.starts_with("too many ") => "split the statement into smaller ones",
        None => VALUE_TOO_BIG,
    };
    Error::from(CommonError::TooBig {
        message: message.to_owned(),
        hint: hint.to_owned(),
    })
}

/// Returns the refusal of a table or function of the platform. The engine names a table only if it
/// refuses one of its columns: `access to t.a is prohibited`.
fn not_authorized(message: &str, bound: &Bound) -> Error {
    let named = message
        .strip_prefix("access to ")
        .and_then(|rest| rest.strip_suffix(" is prohibited"));
    let reads_schema = bound
        .relations_with_functions()
        .any(|name| name.to_ascii_lowercase().starts_with("pragma_"));
    let cause = match named {
        Some(name) => format!("{name} belongs to the platform"),
        None if reads_schema => {
            "the engine does not describe the tables of the platform, whose names begin with _cf_"
                .to_owned()
        }
        None => "statements cannot use the tables and functions of the platform".to_owned(),
    };
    blocked(
        "internal_name",
        &cause,
        "name tables of your own: SELECT name FROM sqlite_schema WHERE type = 'table' lists them",
    )
}

fn constraint(parts: &Parts<'_>) -> Error {
    let message = parts.message.to_owned();
    if parts.extended == "SQLITE_CONSTRAINT_DATATYPE" || message.starts_with("cannot store ") {
        return Error::from(SqlError::DatatypeMismatch { message });
    }
    let kind = match parts.extended {
        "SQLITE_CONSTRAINT_PRIMARYKEY" | "SQLITE_CONSTRAINT_ROWID" => "PRIMARY KEY",
        "SQLITE_CONSTRAINT_UNIQUE" => "UNIQUE",
        "SQLITE_CONSTRAINT_NOTNULL" => "NOT NULL",
        "SQLITE_CONSTRAINT_CHECK" => "CHECK",
        "SQLITE_CONSTRAINT_FOREIGNKEY" => "FOREIGN KEY",
        _ if message.starts_with("UNIQUE") => "UNIQUE",
        _ if message.starts_with("NOT NULL") => "NOT NULL",
        _ if message.starts_with("CHECK") => "CHECK",
        _ if message.starts_with("FOREIGN KEY") => "FOREIGN KEY",
        _ => "CONSTRAINT",
    };
    let (table, columns) = match message.split_once(" constraint failed: ") {
        Some((_, what)) if kind == "CHECK" => (None, vec![what.to_owned()]),
        Some((_, what)) => constrained_columns(what),
        None => (None, Vec::new()),
    };
    Error::from(SqlError::ConstraintFailed {
        kind,
        table,
        columns,
        message,
    })
}

/// Splits `t.a, t.b` into the table and its columns.
fn constrained_columns(what: &str) -> (Option<String>, Vec<String>) {
    let mut table = None;
    let mut columns = Vec::new();
    for part in what.split(", ") {
        match part.split_once('.') {
            Some((name, column)) => {
                table = Some(name.to_owned());
                columns.push(column.to_owned());
            }
            None => columns.push(part.to_owned()),
        }
    }
    (table, columns)
}

fn no_such_table(schema: &impl Schema, written: &str, bound: &Bound) -> Error {
    let name = written.rsplit('.').next().unwrap_or(written);
    let tables = schema.tables().unwrap_or_default();
    Error::from(SqlError::NoSuchTable {
        table: name.to_owned(),
        suggestions: nearest(name, tables.iter().map(String::as_str)),
        hint: dialect::table(written)
            .or_else(|| dialect::table(name))
            .or_else(|| {
                let called = |relation: &Relation| {
                    relation.called && relation.name.eq_ignore_ascii_case(name)
                };
                let is_function = bound.facts().relations.iter().any(called);
                is_function
                    .then(|| dialect::function(&name.to_ascii_lowercase()))
                    .flatten()
            })
            .map(str::to_owned),
    })
}

/// Returns a `NO_SUCH_COLUMN` error with the nearest columns of the relations that the statement
/// reads or writes.
pub fn no_such_column(
    schema: &impl Schema,
    written: &str,
    bound: &Bound,
    double_quoted: bool,
) -> Error {
    let (qualifier, column) = written
        .rsplit_once('.')
        .map_or(("", written), |(_, column)| {
            written.split_at(written.len() - column.len())
        });
    let available = catalog::columns_of_statement(schema, bound).unwrap_or_default();
    // A suggestion replaces the whole name as written, with its qualifier.
    let suggestions: Vec<String> = catalog::suggest_column(column, &available)
        .into_iter()
        .map(|name| format!("{qualifier}{name}"))
        // The column exists in the table, but the table has another name here.
        .filter(|name| !name.eq_ignore_ascii_case(written))
        .collect();
    let available: Vec<String> = available.into_iter().map(|column| column.name).collect();
    let hint = part_of_json(qualifier, column, &available)
        .or_else(|| dialect::column_hint(bound.statement(), written).map(str::to_owned))
        .or_else(|| {
            // A near name is the better guess.
            let of_others = dialect::column(written).filter(|_| suggestions.is_empty());
            of_others.map(str::to_owned)
        })
        .filter(|_| !double_quoted);
    Error::from(SqlError::NoSuchColumn {
        column: written.to_owned(),
        suggestions,
        available,
        double_quoted,
        hint,
    })
}

/// Returns the hint for `doc.name` where `doc` is a column: other databases read that as a part of
/// its value.
fn part_of_json(qualifier: &str, column: &str, available: &[String]) -> Option<String> {
    let holder = qualifier.strip_suffix('.')?;
    let name = available
        .iter()
        .find(|name| name.eq_ignore_ascii_case(holder))?;
    Some(format!(
        "{name} is a column, not a table: to read a part of its JSON write {name} ->> '$.{column}'"
    ))
}

fn syntax(parts: &Parts<'_>, bound: &Bound) -> Error {
    let offset = parts
        .offset
        .map_or(0, |offset| bound.offset_in_statement(offset));
    let (line, column) = line_and_column(bound.statement(), offset);
    Error::from(SqlError::SyntaxError {
        message: parts.message.to_owned(),
        line,
        column,
        pointer: pointer(bound.statement(), offset),
        hint: dialect::syntax_hint(bound.statement(), offset)
            .or_else(|| dialect::definition_hint(bound.statement(), offset))
            .map(str::to_owned),
    })
}

fn general_hint(message: &str, bound: &Bound) -> Option<String> {
    let kind = &bound.facts().kind;
    let hint = if message.starts_with("ambiguous column name") {
        "write the table or its alias before the column: t.column"
    } else if message.starts_with("AUTOINCREMENT is only allowed") {
        return Some(dialect::counter_hint().to_owned());
    } else if message.starts_with("unknown datatype for") {
        "a STRICT table has the types INT, INTEGER, REAL, TEXT, BLOB and ANY: write one of these, or leave STRICT out"
    } else if message.contains("malformed JSON") {
        "check the text with json_valid(x) first"
    } else if message.contains("values were supplied") || message.contains("values for") {
        "name the columns: INSERT INTO t (a, b) VALUES (?, ?)"
    } else if message.contains("misuse of aggregate") {
        if matches!(kind, Kind::Select) {
            "an aggregate is only allowed in the result list, in HAVING and in ORDER BY: filter with HAVING after GROUP BY, or put the aggregate into a sub-query"
        } else {
            "put the aggregate into a sub-query: (SELECT sum(x) FROM t)"
        }
    } else if message.contains("misuse of window function") {
        "compute the window function in a sub-query and filter outside of it"
    } else if message.contains("no such index") {
        if matches!(kind, Kind::DropIndex) {
            r#"DROP INDEX IF EXISTS accepts a missing index; {"operation":"describeTable"} lists the indexes of a table"#
        } else {
            "leave INDEXED BY out"
        }
    } else if message.contains("circular reference")
        || message.contains("view") && message.contains("circularly")
    {
        "give the inner query another name"
    } else if let Some(function) = message
        .strip_prefix("wrong number of arguments to function ")
        .and_then(|rest| rest.split('(').next())
    {
        return Some(dialect::arguments_hint(function));
    } else if message.contains("DISTINCT aggregates must have exactly one argument") {
        "take the distinct values in a sub-query: (SELECT group_concat(x, ', ') FROM (SELECT DISTINCT x FROM t)), (SELECT count(*) FROM (SELECT DISTINCT x, y FROM t))"
    } else if message.contains("do not have the same number of result columns") {
        "select as many columns in each part of the UNION, with NULL for one that is missing"
    } else if message.starts_with("no such collation sequence") {
        "the collations are BINARY, NOCASE and RTRIM"
    } else if message.starts_with("error in generated column") {
        "only STORED or VIRTUAL may follow the expression: CREATE TABLE v (x INTEGER, y INTEGER AS (x * 2) STORED)"
    } else if message.contains("row value misused") {
        "compare a row with rows: (a, b) IN (VALUES (1, 2), (3, 4))"
    } else if message.starts_with("sub-select returns") {
        "select one column in the sub-query, or compare a row with as many: (a, b) IN (SELECT x, y FROM t)"
    } else if message.contains("because it is a view") {
        "change the table that the view reads, or copy the view into a table: CREATE TABLE … AS SELECT * FROM the view"
    } else {
        hint_of_added_column(message)?
    };
    Some(hint.to_owned())
}

/// Returns the hint for a column that SQLite does not add to a table that has rows already, or may
/// have.
fn hint_of_added_column(message: &str) -> Option<&'static str> {
    const KINDS: [(&str, &str); 5] = [
        (
            "PRIMARY KEY column",
            "a key is declared when the table is made: CREATE TABLE v (id INTEGER PRIMARY KEY, x)",
        ),
        (
            "UNIQUE column",
            "add the column without UNIQUE, and then CREATE UNIQUE INDEX i ON t (x)",
        ),
        (
            "NOT NULL column",
            "give it a default for the existing rows: ALTER TABLE t ADD COLUMN x INTEGER NOT NULL DEFAULT 0",
        ),
        (
            "non-constant default",
            "add the column without a default, and fill it with UPDATE t SET x = datetime('now')",
        ),
        (
            "STORED column",
            "leave STORED out: ALTER TABLE t ADD COLUMN z AS (x * 2)",
        ),
    ];
    let message = message
        .strip_prefix("Cannot add a ")
        .or_else(|| message.strip_prefix("cannot add a "))?;
    let known = KINDS.iter().find(|(kind, _)| message.contains(kind));
    known.map(|(_, hint)| *hint)
}
