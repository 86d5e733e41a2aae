//! Estimates the work that the values of a statement cause, even with few rows, if texts are long.
//!
//! Sizes of literals and parameters are known before a statement runs, and each function makes from
//! its arguments a value of a known largest size. The contents of a column are not known and are
//! assumed to have `STORED_BYTES`, as the documents say. Work is estimated in nanoseconds of
//! native SQLite, from measured rates, and a statement that may take longer than
//! [`MAX_VALUE_WORK_NS`] is refused.
//!
//! It is not known how a JSON list is divided into elements. So each list is estimated in two ways:
//! as many short elements, and as one long element.

pub mod functions;
mod recursion;
mod walk;

use crate::SqlError;
use crate::functions as table;
use sqlite3_parser::Bump;

use functions::Value;

use crate::bound::Bound;
use crate::compose::{Part, compose};
use crate::limits::MAX_VALUE_WORK_NS;
use crate::operations::{Kind, Operations};
use crate::placeholders::Placeholders;
use crate::splice::{self, Splice};
use crate::{Policy, parse};
use base::{Error, Result};
use database::{Bind, Cell, Cursor as _, Database, Statement};

/// The assumed size of a column's value, in bytes: nothing is known about it, and most are short.
const STORED_BYTES: u64 = 100;

/// Bytes up to which the texts of a statement are not estimated, if it calls no function that makes
/// long ones.
pub const SHORT_TEXT_BYTES: usize = 4_096;

/// Work for each row up to which rows are not counted: a million rows with that work are within the
/// limit.
const UNCOUNTED_ROW_NS: u64 = MAX_VALUE_WORK_NS / 1_000_000;

/// The assumed division of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Division {
    ManyShort,
    OneLong,
}

/// The cost of the values of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Work {
    /// Nanoseconds that do not depend on tables.
    once_ns: u64,
    /// Nanoseconds for each row of a table.
    row_ns: u64,
    /// The function with the highest cost.
    function: Option<String>,
}

/// Returns true if the work of the statement may depend on the lengths of its values.
pub fn depends_on_values(facts: &Operations) -> bool {
    facts
        .functions
        .iter()
        .any(|name| table::is(name, table::GROWS) || name.starts_with("json"))
}

/// Returns true if [`check`] finds no work, whatever the parameters of at most [`SHORT_TEXT_BYTES`]
/// are.
pub fn is_independent(statement: &str, facts: &Operations) -> bool {
    let mut functions = facts.functions.iter();
    statement.len() <= SHORT_TEXT_BYTES && !functions.any(|name| table::is(name, table::GROWS))
}

/// Estimates the cost of the values of a statement, with its parameters.
///
/// # Errors
/// `QUERY_TOO_EXPENSIVE` or `TOO_BIG`, naming the function.
pub fn check(
    statement: &str,
    facts: &Operations,
    placeholders: &Placeholders,
    binds: &[Bind],
    policy: &Policy,
) -> Result<Work> {
    let length = |bind: &Bind| match bind {
        Bind::Text(text) => text.len(),
        Bind::Blob(bytes) => bytes.len(),
        Bind::Null | Bind::Real(_) => 8,
    };
    let longest = binds.iter().map(length).max().unwrap_or(0);
    if longest <= SHORT_TEXT_BYTES && is_independent(statement, facts) {
        return Ok(Work::default());
    }
    // The lengths of single packed values are not known.
    let packed = binds.len() != placeholders.count;
    let parameters = (0..placeholders.count)
        .map(|position| match binds.get(position) {
            Some(bind) if !packed => Value {
                binary: matches!(bind, Bind::Blob(_)),
                ..Value::of(length(bind) as u64)
            },
            _ => Value::of(longest as u64),
        })
        .collect();
    let numbered = placeholders.places.iter().map(|place| Splice {
        start: place.start,
        end: place.end,
        text: format!("?{}", place.number),
    });
    let text = splice::apply(statement, numbered.collect());
    let arena = Bump::new();
    let command = parse::parse(&arena, &text)?;
    let mut work = Work::default();
    let context = walk::Context {
        parameters,
        max_rows: policy.max_recursive_rows,
    };
    for division in [Division::ManyShort, Division::OneLong] {
        let found = walk::Estimate::new(&context, division).command(&command)?;
        if found.once_ns > MAX_VALUE_WORK_NS {
            return Err(too_much(&found, found.once_ns));
        }
        work.once_ns = work.once_ns.max(found.once_ns);
        if found.row_ns >= work.row_ns {
            work.row_ns = found.row_ns;
            work.function = found.function;
        }
    }
    Ok(work)
}

/// Refuses a statement whose work on each row is too much for the number of rows in its tables.
/// Rows are counted only as far as it matters.
///
/// # Errors
/// `QUERY_TOO_EXPENSIVE`, naming the function.
pub fn check_rows<D: Database>(db: &D, bound: &Bound) -> Result<()> {
    let Some(work) = bound.work() else {
        return Ok(());
    };
    if work.row_ns <= UNCOUNTED_ROW_NS {
        return Ok(());
    }
    let most = MAX_VALUE_WORK_NS / work.row_ns;
    let facts = bound.facts();
    let read = facts.relations.iter().filter(|one| !one.called);
    let changed = match facts.kind {
        Kind::Update | Kind::Delete => facts.written_table.as_ref(),
        Kind::Select
        | Kind::Insert
        | Kind::CreateTable
        | Kind::CreateIndex
        | Kind::CreateView
        | Kind::CreateVirtualTable { .. }
        | Kind::AlterTable
        | Kind::DropTable
        | Kind::DropIndex
        | Kind::DropView
        | Kind::Other(_) => None,
    };
    for table in read.map(|one| &one.name).chain(changed) {
        let few = compose(
            &[
                Part::Sql("SELECT count(*) FROM (SELECT 1 FROM "),
                Part::Identifier(table),
                Part::Sql(" LIMIT "),
                Part::Number(most + 1),
                Part::Sql(")"),
            ],
            Vec::new(),
        );
        // The engine itself refuses a name that does not exist.
        let Ok(mut cursor) = db.open(Statement::Reviewed(few.reviewed())) else {
            continue;
        };
        let rows = cursor.next().ok().flatten();
        let rows = rows.and_then(|row| row.first().map(Cell::as_count));
        if rows.unwrap_or(0) > most {
            return Err(too_much(work, work.row_ns.saturating_mul(most + 1)));
        }
    }
    Ok(())
}

fn too_much(work: &Work, ns: u64) -> Error {
    let function = work.function.as_deref().unwrap_or("the statement");
    let seconds = ns / 1_000_000_000;
    let hint = functions::cheaper(function);
    Error::from(SqlError::TooMuchWork {
        message: format!(
            "{function} would work on long values for about {} seconds or more; the limit is {} seconds",
            seconds.clamp(1, 100_000),
            MAX_VALUE_WORK_NS / 1_000_000_000
        ),
        hint: hint.to_owned(),
    })
}
