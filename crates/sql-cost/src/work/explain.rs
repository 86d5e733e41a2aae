//! Explains a refused statement: names the loops that cause the work, the tables that they visit,
//! and a cheaper way.

use super::bytecode::code::Code;
use super::bytecode::cursors::{CursorSource, Cursors, IndexedTable};
use super::bytecode::facts::Facts;
use super::bytecode::opcode::{Flow, Opcode};
use super::data::statistics::Statistics;
use super::data::{Data as _, Schema as _};
use super::flow::graph::Graph;
use super::flow::solve::Solver;
use super::{Analysis, Sum};
use base::Result;
use database::{Cell, Cursor as _, Database, Statement};
use sql_gate::LoopReport;
use sql_gate::bound::Bound;
use sql_gate::compose::quote_identifier;

/// The largest number of lines of EXPLAIN QUERY PLAN in an error, so that a statement of many parts
/// does not fill the context of a model.
const MAX_PLAN_LINES: usize = 60;

/// The largest number of loops in an error: the costliest, which are the ones to change.
const MAX_LOOPS: usize = 5;

/// One loop of the program, which visits rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Loop {
    /// The name of the table or intermediate result, for people.
    over: String,
    /// The table, if it is one of the database.
    table: Option<String>,
    /// The largest number of rows that one run of the loop visits.
    rows: f64,
    /// The largest number of rows that all runs of the loop visit.
    total: f64,
    /// True if the loop stops at the end of the rows of one key.
    by_key: bool,
    /// A column that is compared in every row.
    compared: Option<String>,
}

impl Loop {
    pub fn into_report(self) -> LoopReport {
        LoopReport {
            over: self.over,
            rows: whole(self.rows),
            visited: whole(self.total),
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, which is what a bound wants"
)]
fn whole(number: f64) -> Option<u64> {
    number.is_finite().then_some(number as u64)
}

/// Returns the loops that visit the most rows, the largest first.
pub(super) fn loops<D: Database>(
    analysis: &Analysis<'_>,
    graph: &Graph,
    solver: &Solver<'_>,
    statistics: &Statistics<'_, D>,
) -> Vec<Loop> {
    let mut cuts = solver.cuts.clone();
    cuts.sort_by(|left, right| right.taken.total_cmp(&left.taken));
    let mut loops: Vec<Loop> = Vec::new();
    for cut in cuts {
        let Some((program, address)) = graph
            .edges
            .get(cut.edge)
            .and_then(|edge| graph.places.get(edge.from))
            .copied()
        else {
            continue;
        };
        let Some(Facts { code, cursors, .. }) = analysis.programs.get(program) else {
            continue;
        };
        let Some(step) = code
            .at(address)
            .filter(|instruction| instruction.opcode.flow() == Flow::Step)
        else {
            continue;
        };
        if !analysis.meter.takes(8) {
            break;
        }
        let found = describe(code, cursors, address, cut.taken, statistics);
        let is_known = loops.iter().any(|known| known.over == found.over);
        if step.p1 >= 0 && !is_known {
            loops.push(found);
        }
        if loops.len() == MAX_LOOPS {
            break;
        }
    }
    loops
}

fn describe<D: Database>(
    code: &Code<'_>,
    cursors: &Cursors,
    address: usize,
    total: f64,
    statistics: &Statistics<'_, D>,
) -> Loop {
    let cursor = code.at(address).map_or(-1, |step| step.p1);
    let mut pages = cursors.pages(cursor);
    if let Some((IndexedTable::Stored(page), _)) = cursors.source_of_key(code, cursor, 1) {
        // For an index that the statement builds for itself, the error names the table.
        pages = vec![page];
    }
    let table = pages.first().and_then(|page| statistics.table(*page));
    let rows = pages
        .first()
        .map_or(f64::NAN, |page| statistics.rows(*page));
    let by_key = code.at(address).is_some_and(|step| {
        cursors.positions(cursor).iter().any(|position| {
            cursors.equality(code, step, *position) != super::bytecode::cursors::Seek::Range
        })
    });
    let over = match (&table, cursors.over(cursor)) {
        (Some(table), _) => table.clone(),
        (None, Some(CursorSource::Virtual)) => {
            "(table-valued function or full-text index)".to_owned()
        }
        _ => "(intermediate result)".to_owned(),
    };
    let compared = table
        .as_ref()
        .filter(|_| !by_key)
        .and_then(|_| compared_column(code, cursor, address))
        .and_then(|column| statistics.column_name(*pages.first()?, column));
    Loop {
        over,
        table,
        rows,
        total,
        by_key,
        compared,
    }
}

/// Returns the first column of a cursor that its loop compares for equality.
fn compared_column(code: &Code<'_>, cursor: i64, step: usize) -> Option<i64> {
    let top = code.at(step)?.target()?;
    let body = code.instructions.get(top..step)?;
    let mut read: Vec<(i64, i64)> = Vec::new();
    for instruction in body {
        match instruction.opcode {
            Opcode::Column if instruction.p1 == cursor => {
                read.push((instruction.p3, instruction.p2));
            }
            Opcode::Ne | Opcode::Eq => {
                let found = read.iter().find(|(register, _)| {
                    *register == instruction.p1 || *register == instruction.p3
                });
                if let Some((_, column)) = found {
                    return Some(*column);
                }
            }
            _ => {}
        }
    }
    None
}

/// The hint for a statement whose work comes mostly from the bytes of its values.
const LONG_VALUES: &str = "the values are long, and each is read, copied or stored for each row: keep long values in a table of their own and join \
     it last, work on the first characters (substr(x, 1, 100)), aggregate texts with GROUP BY instead of a running window, or take fewer rows with a LIMIT";

/// The hint for such a statement that searches full-text tables.
const LONG_DOCUMENTS: &str = "snippet compares each occurrence of the search in a document with each other one, and highlight copies the text for each: search for rarer words, bind the search as a literal or parameter, match fewer rows (LIMIT in a sub-query of rowids), keep documents in smaller pieces (one row for each section), or show substr(body, 1, 500) instead";

/// Returns the hint for a refused statement.
pub(super) fn hint(loops: &[Loop], sum: Sum, searches: bool) -> String {
    // Unbounded work does not come from values.
    if sum.of_values > sum.work - sum.of_values {
        return if searches {
            LONG_DOCUMENTS
        } else {
            LONG_VALUES
        }
        .to_owned();
    }
    let repeated = loops
        .iter()
        .filter(|candidate| candidate.table.is_some() && candidate.total > candidate.rows)
        .max_by(|left, right| left.total.total_cmp(&right.total));
    let first = match repeated.and_then(|worst| Some((worst, worst.table.as_ref()?))) {
        Some((worst, table)) if worst.by_key => format!(
            "many rows of {table} have the same key: aggregate {table} into a table with one row for each key first (CREATE TABLE … AS SELECT … GROUP BY …), or join on a column with more distinct values"
        ),
        Some((
            Loop {
                compared: Some(column),
                ..
            },
            table,
        )) => format!(
            "{table} is read from end to end again and again: CREATE INDEX {} ON {} ({})",
            quote_identifier(&format!("{table}_{column}")),
            quote_identifier(table),
            quote_identifier(column)
        ),
        Some((_, table)) => format!(
            "{table} is read from end to end again and again: join it on equal columns with an index, or filter it into a smaller table first"
        ),
        None if sum.work.is_infinite() => {
            "nothing in the statement limits it: give each recursion a LIMIT with a number".to_owned()
        }
        None => "aggregate or filter into a smaller table first (CREATE TABLE … AS SELECT …), then join that".to_owned(),
    };
    format!("{first}; or select fewer rows with a LIMIT")
}

/// Returns the plan of the engine, line by line.
///
/// # Errors
/// The engine's error when it compiles the statement.
pub(super) fn plan<D: Database>(db: &D, bound: &Bound) -> Result<Vec<String>> {
    let explained = bound.query_plan();
    let fail = |error: database::EngineError| sql_gate::explain::explain(db, &error, bound);
    let mut cursor = db
        .open(Statement::Reviewed(explained.reviewed()))
        .map_err(fail)?;
    let mut lines = Vec::new();
    while let Some(row) = cursor.next().map_err(fail)? {
        if lines.len() == MAX_PLAN_LINES {
            break;
        }
        lines.push(
            row.get(3)
                .and_then(Cell::as_text)
                .unwrap_or_default()
                .to_owned(),
        );
    }
    Ok(lines)
}
