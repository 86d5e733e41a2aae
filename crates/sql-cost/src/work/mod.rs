//! The work bound: nothing can stop a running statement, so a statement that would run too long is
//! not started.
//!
//! The bound comes from the bytecode that EXPLAIN shows and from counts of the data. It depends on
//! no name: an alias, a table or a column may be called anything. [`bytecode`] reads EXPLAIN and
//! the control flow, [`data`] counts rows, keys and joins, [`rounds`] bounds how often a loop
//! repeats, and [`flow`] how often each instruction then runs. [`cost`] weighs each run, [`bytes`]
//! adds the weight of long values, and [`explain`] tells the caller of a refused statement what to
//! do instead. docs/sql-policy.md has the rules and their limits.

mod bytecode;
mod bytes;
mod changing;
mod cost;
mod data;
mod explain;
mod flow;
mod general;
mod meter;
mod rate;
mod rounds;

pub(super) use bytecode::program::Listing;
pub use data::counts::Counts;
pub(super) use data::counts::Owner;
pub(super) use data::programs::Program;
pub(super) use general::{known_verdict, passes_in_any_state};

use sql_gate::SqlError;
use std::rc::Rc;

use base::{Error, Result};
use bytecode::facts::Facts;
use changing::may_change;
use data::derived::{DerivedTable, SubQueries, View};
use data::statistics::{Precision, Statistics};
use database::{Cursor as _, Database, Statement};
use explain::Loop;
use flow::graph::Graph;
use flow::solve::Solver;
use meter::Meter;
use sql_gate::Policy;
use sql_gate::StatementKind;
use sql_gate::bound::Bound;
use sql_gate::limits::{
    MAX_ANALYSIS_STEPS, MAX_INSTRUCTIONS, MAX_SORTED_BYTES, STEPS_OF_A_QUERY, STEPS_OF_A_ROW,
};

/// The upper bound of a statement's cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Estimate {
    /// Instructions of SQLite's virtual machine; `u64::MAX` if nothing bounds them.
    pub opcodes: u64,
    /// The cost of those instructions, in units of 10 ns.
    pub work: u64,
    /// The number of instructions that the statement compiles to.
    pub instructions: usize,
    /// The number of steps that the analysis took, of `MAX_ANALYSIS_STEPS`.
    pub steps: u64,
}

/// The cost while it is added up: infinite if nothing bounds it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Sum {
    opcodes: f64,
    work: f64,
    /// The part of the work that comes from the length of values.
    of_values: f64,
    /// Bytes of the rows that the statement sorts. The engine holds all of them in memory.
    sorted_bytes: f64,
}

impl Sum {
    /// Returns true if the engine has the memory to sort the statement's rows.
    fn fits_memory(&self) -> bool {
        self.sorted_bytes <= MAX_SORTED_BYTES as f64
    }
}

/// The cost that was found, with the loops that explain it.
struct Assessment {
    sum: Sum,
    /// The cost of counting so far.
    counting: f64,
    loops: Vec<Loop>,
}

impl Assessment {
    /// Returns the cost of the verdict and the statement together: both must end within one
    /// request.
    fn whole_work(&self) -> f64 {
        self.sum.work + self.counting
    }

    /// Returns true if both the work and the memory are within their limits.
    fn is_within(&self, limit: f64) -> bool {
        self.whole_work() <= limit && self.sum.fits_memory()
    }
}

/// Reads EXPLAIN of the statement.
///
/// # Errors
/// The engine's error when it compiles the statement; `TOO_BIG` for a program that is too long to
/// judge.
pub(super) fn listing<D: Database>(db: &D, bound: &Bound) -> Result<Listing> {
    read(db, bound, &Meter::new(u64::MAX))
}

fn read<D: Database>(db: &D, bound: &Bound, meter: &Meter) -> Result<Listing> {
    let explained = bound.explained();
    let fail = |error: database::EngineError| sql_gate::explain::explain(db, &error, bound);
    meter.takes(STEPS_OF_A_QUERY);
    let mut cursor = db
        .open(Statement::Reviewed(explained.reviewed()))
        .map_err(fail)?;
    let mut listing = Listing::default();
    for _ in 0..MAX_INSTRUCTIONS {
        let Some(row) = cursor.next().map_err(fail)? else {
            return Ok(listing);
        };
        if !meter.takes(STEPS_OF_A_ROW) {
            return Err(too_complex());
        }
        listing.push(&row);
    }
    Err(Error::from(SqlError::TooMuchWork {
        message: format!(
            "the statement is too long: it compiles to more than {MAX_INSTRUCTIONS} instructions"
        ),
        hint: r#"split it into smaller ones, and load rows with {"operation":"batchInsert"}"#
            .to_owned(),
    }))
}

/// Returns the refusal of a statement that cannot be judged in time.
fn too_complex() -> Error {
    Error::from(SqlError::TooMuchWork {
        message: "the statement is too complex: the number of times that each part runs cannot be determined in time"
            .to_owned(),
        hint: "split it: write a part of the result to a table (CREATE TABLE step AS SELECT …), and go on from there with fewer joined tables, \
               windows, sub-queries and OR terms in each statement"
            .to_owned(),
    })
}

/// A statement's programs, with facts about them that do not depend on the data.
pub(super) struct Analysis<'a> {
    listing: &'a Listing,
    programs: Vec<Facts<'a>>,
    /// `None` if the graph is too large to judge.
    graph: Option<Graph>,
    meter: &'a Meter,
}

impl<'a> Analysis<'a> {
    fn of(listing: &'a Listing, meter: &'a Meter) -> Self {
        let programs = listing.programs.iter();
        let programs: Vec<Facts<'a>> = programs.map(|program| Facts::of(program, meter)).collect();
        Self {
            listing,
            graph: Graph::of(&programs),
            programs,
            meter,
        }
    }
}

/// Refuses a statement whose work is beyond the limit or unbounded.
///
/// # Errors
/// `QUERY_TOO_EXPENSIVE`, with the loops that make the work and a way to do less.
pub(super) fn check<D: Database>(
    db: &D,
    bound: &Bound,
    policy: &Policy,
    counts: &Counts,
    listing: &Listing,
) -> Result<()> {
    require_within(db, bound, policy, counts, listing, RequestWork::default()).map(drop)
}

/// The work that a request has done before a statement, and how often it runs the statement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestWork {
    /// Work, in units of 10 ns.
    pub before: f64,
    pub times: f64,
}

impl Default for RequestWork {
    fn default() -> Self {
        Self {
            before: 0.0,
            times: 1.0,
        }
    }
}

/// Returns the work of one run of a statement that runs `spent.times` times, if all of it is within
/// the limit.
///
/// # Errors
/// As [`check`], and the engine's error when it compiles the statement.
pub(crate) fn weigh<D: Database>(
    db: &D,
    bound: &Bound,
    policy: &Policy,
    counts: &Counts,
    spent: RequestWork,
) -> Result<f64> {
    super::full_text::check(db, bound)?;
    let listing = listing(db, bound)?;
    require_within(db, bound, policy, counts, &listing, spent)
}

fn require_within<D: Database>(
    db: &D,
    bound: &Bound,
    policy: &Policy,
    counts: &Counts,
    listing: &Listing,
    spent: RequestWork,
) -> Result<f64> {
    let left = (limit(policy) - spent.before) / spent.times.max(1.0);
    let meter = Meter::new(MAX_ANALYSIS_STEPS);
    let found = assess(db, bound, policy, counts, listing, left, &meter)?;
    if found.is_within(left) {
        return Ok(found.sum.work);
    }
    if found.whole_work() <= left {
        return Err(too_much_sorted(found.sum.sorted_bytes));
    }
    // The cost of counting depends on what was remembered, so the error includes it only if it
    // decides.
    let one = if found.sum.work > left {
        found.sum.work
    } else {
        found.whole_work()
    };
    Err(Error::from(SqlError::QueryTooExpensive {
        estimated_work: finite(spent.before + one * spent.times),
        limit: policy.max_query_work,
        hint: if !bound.is_callers() && bound.kind() == StatementKind::Write {
            EACH_ROW.to_owned()
        } else {
            explain::hint(&found.loops, found.sum, bytes::searches_documents(listing))
        },
        loops: found.loops.into_iter().map(Loop::into_report).collect(),
        plan: explain::plan(db, bound)?,
    }))
}

/// Returns the refusal of a statement that sorts more than memory holds.
fn too_much_sorted(bytes: f64) -> Error {
    let megabytes = |bytes: f64| bytes / 1_000_000.0;
    Error::from(SqlError::TooMuchWork {
        message: format!(
            "the statement may sort {:.0} MB, which SQLite holds in memory; the limit is {:.0} MB",
            megabytes(bytes),
            megabytes(MAX_SORTED_BYTES as f64)
        ),
        hint: "sort, group or number rows by a short column (an id, or substr(x, 1, 100)) and join the long values afterwards, select fewer \
               columns before a window, index substr(x, 1, 100) instead of x, or take fewer rows with WHERE"
            .to_owned(),
    })
}

/// The hint for a statement that writes too many rows.
const EACH_ROW: &str = "each row runs the CHECKs, computed columns, foreign keys and indexes on expressions of its table: create an index on each \
                        column that refers to another table, make the others cheaper, or write fewer rows in one request";

/// Returns the refusal of a request whose statements are too much work together.
pub(crate) fn too_much_together(work: f64, policy: &Policy) -> Error {
    Error::from(SqlError::QueryTooExpensive {
        estimated_work: finite(work),
        limit: policy.max_query_work,
        hint: EACH_ROW.to_owned(),
        loops: Vec::new(),
        plan: Vec::new(),
    })
}

/// Returns the bound of a statement, from counts as exact as they can be.
///
/// # Errors
/// The engine's error when it compiles the statement.
pub fn estimate<D: Database>(db: &D, bound: &Bound, policy: &Policy) -> Result<Estimate> {
    estimated(db, bound, policy, &Counts::default(), 0.0)
}

fn estimated<D: Database>(
    db: &D,
    bound: &Bound,
    policy: &Policy,
    counts: &Counts,
    limit: f64,
) -> Result<Estimate> {
    let listing = listing(db, bound)?;
    let meter = Meter::new(MAX_ANALYSIS_STEPS);
    let sum = assess(db, bound, policy, counts, &listing, limit, &meter)?.sum;
    Ok(Estimate {
        steps: meter.spent(),
        instructions: listing.len(),
        opcodes: finite(sum.opcodes).unwrap_or(u64::MAX),
        work: finite(sum.work).unwrap_or(u64::MAX),
    })
}

/// Returns the bound on the length of each column of a statement's result, in bytes, in which a
/// number counts as 8. The list is empty if nothing bounds the statement.
///
/// # Errors
/// The engine's error when it compiles the statement.
pub fn result_lengths<D: Database>(db: &D, bound: &Bound, policy: &Policy) -> Result<Vec<f64>> {
    let listing = listing(db, bound)?;
    let counts = Counts::default();
    let meter = Meter::new(MAX_ANALYSIS_STEPS);
    let statistics = Statistics::new(db, &counts, bound, policy, longest_text(bound), &meter)?;
    statistics.take_care(Precision::Now);
    let analysis = Analysis::of(&listing, &meter);
    let Some(graph) = analysis
        .graph
        .as_ref()
        .filter(|_| listing.unknown.is_none())
    else {
        return Ok(Vec::new());
    };
    let allowances = rounds::allowances(&analysis.programs, graph, &statistics, &[]);
    let mut solver = Solver::new(graph, &meter, &allowances, 0.0);
    solver.solve();
    if meter.is_used_up() {
        return Err(too_complex());
    }
    Ok(bytes::result_lengths(&analysis, &solver, &statistics))
}

/// Returns the bound of a statement, from counts that are only as exact as needed to come below the
/// limit of the policy.
///
/// # Errors
/// The engine's error when it compiles the statement.
pub fn estimate_within<D: Database>(
    db: &D,
    bound: &Bound,
    policy: &Policy,
    counts: &Counts,
) -> Result<Estimate> {
    estimated(db, bound, policy, counts, limit(policy))
}

/// Counts only as much as needed to come below a limit: rows first, keys if rows alone do not
/// suffice, then everything again, and then the statement's own sub-queries and joins.
fn assess<D: Database>(
    db: &D,
    bound: &Bound,
    policy: &Policy,
    counts: &Counts,
    listing: &Listing,
    limit: f64,
    meter: &Meter,
) -> Result<Assessment> {
    let analysis = Analysis::of(listing, meter);
    let mut statistics = Statistics::new(db, counts, bound, policy, longest_text(bound), meter)?;
    for care in [Precision::Rows, Precision::Keys, Precision::Now] {
        statistics.take_care(care);
        let found = judge(&analysis, &statistics, &[], Limits::same(limit))?;
        if found.is_within(limit) {
            return Ok(found);
        }
    }
    count_sub_queries(db, bound, &analysis, &mut statistics, limit)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a limit beyond 2^53 is as good as none"
)]
fn limit(policy: &Policy) -> f64 {
    policy.max_query_work as f64
}

/// Runs the sub-queries that are cheap enough, and judges the statement by the number of their
/// rows.
fn count_sub_queries<D: Database>(
    db: &D,
    bound: &Bound,
    analysis: &Analysis<'_>,
    statistics: &mut Statistics<'_, D>,
    limit: f64,
) -> Result<Assessment> {
    let Some(program) = analysis.listing.programs.first() else {
        return judge(analysis, statistics, &[], Limits::same(limit));
    };
    let views = statistics.views();
    let is_changing = |view: &View| may_change(&view.sql, &view.functions, bound);
    let bodies = match views {
        Some(views) if !views.iter().any(is_changing) => SubQueries::of(bound, &views),
        _ => SubQueries::default(),
    };
    let bodies = Rc::new(bodies);
    statistics.bodies = Some(Rc::clone(&bodies));
    let planned = data::derived::planned(db, bound, program);
    let mut counted: Vec<Option<f64>> = vec![None; bodies.len()];
    for care in [Precision::Now, Precision::Joins] {
        statistics.take_care(care);
        count_bodies(db, bound, statistics, &planned, &mut counted)?;
        let made = bodies.locate(program, &planned, &counted);
        let found = judge(analysis, statistics, &made, Limits::same(limit))?;
        if care == Precision::Joins || found.is_within(limit) {
            return Ok(found);
        }
    }
    judge(analysis, statistics, &[], Limits::same(limit))
}

/// The part of the counting budget (1/20) above which the values that a sub-query reads are
/// measured.
const MEASURED_PART: f64 = 20.0;

/// Runs the sub-queries that are cheap enough and have not been counted yet, inner ones first.
fn count_bodies<D: Database>(
    db: &D,
    bound: &Bound,
    statistics: &Statistics<'_, D>,
    planned: &[(usize, String)],
    counted: &mut [Option<f64>],
) -> Result<()> {
    let Some(bodies) = statistics.bodies.as_ref() else {
        return Ok(());
    };
    for body in 0..bodies.len() {
        let is_known = counted.get(body).copied().flatten().is_some();
        if is_known || !bodies.is_planned(body, planned) {
            continue;
        }
        let Some(counting) = bodies.counting(bound, body) else {
            continue;
        };
        if may_change(counting.sql(), &bound.facts().functions, bound) {
            continue;
        }
        if statistics.meter.is_used_up() {
            return Err(too_complex());
        }
        let Ok(inner) = read(db, &counting, statistics.meter) else {
            continue;
        };
        let analysis = Analysis::of(&inner, statistics.meter);
        let inner_program = inner.programs.first().map_or(&[][..], Vec::as_slice);
        let inner_plan = data::derived::planned(db, &counting, inner_program);
        let made = bodies.locate(inner_program, &inner_plan, counted);
        let spent = statistics.spent();
        let affordable = statistics.affordable();
        let limits = Limits {
            most: spent + affordable,
            unmeasured: spent + affordable / MEASURED_PART,
        };
        let sum = judge(&analysis, statistics, &made, limits)?.sum;
        statistics.body_work.borrow_mut().insert(body, sum.work);
        if sum.fits_memory()
            && statistics.affords(sum.work)
            && !bytes::may_ask_the_time(&analysis, statistics)
            && let Some(slot) = counted.get_mut(body)
        {
            *slot = statistics.number(&counting).map(|rows| rows as f64);
        }
    }
    Ok(())
}

/// Limits on the cost of a statement together with the cost of counting.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// If the instructions and counting alone cost more than this, the values are not weighed.
    most: f64,
    /// If the cost with a rough weight of the values is beyond this, the values are measured.
    unmeasured: f64,
}

impl Limits {
    fn same(limit: f64) -> Self {
        Self {
            most: limit,
            unmeasured: limit,
        }
    }
}

/// Adds up the cost of a statement. The work on values is left out if the instructions alone are
/// beyond the limit.
///
/// # Errors
/// `QUERY_TOO_EXPENSIVE` if the steps of the analysis are used up.
fn judge<D: Database>(
    analysis: &Analysis<'_>,
    statistics: &Statistics<'_, D>,
    made: &[DerivedTable],
    limits: Limits,
) -> Result<Assessment> {
    let (listing, meter) = (analysis.listing, analysis.meter);
    if meter.is_used_up() {
        return Err(too_complex());
    }
    let unbounded = Assessment {
        sum: Sum {
            opcodes: f64::INFINITY,
            work: f64::INFINITY,
            of_values: 0.0,
            sorted_bytes: 0.0,
        },
        counting: statistics.spent(),
        loops: Vec::new(),
    };
    if listing.unknown.is_some() {
        return Ok(unbounded);
    }
    let Some(graph) = &analysis.graph else {
        return Ok(unbounded);
    };
    let allowances = rounds::allowances(&analysis.programs, graph, statistics, made);
    let written_rows = listing
        .written_pages()
        .into_iter()
        .map(|page| data::Data::rows(statistics, page))
        .sum();
    let mut solver = Solver::new(graph, meter, &allowances, written_rows);
    solver.solve();
    let mut sum = add_up(analysis, &solver, statistics);
    let known = sum.work + statistics.spent();
    if known <= limits.most {
        let left = (limits.unmeasured - known).max(0.0);
        let bytes = bytes::weight(analysis, &solver, statistics, left);
        sum.of_values = bytes.work;
        sum.sorted_bytes = bytes.sorted;
        sum.work += sum.of_values;
    }
    let loops = explain::loops(analysis, graph, &solver, statistics);
    if meter.is_used_up() {
        return Err(too_complex());
    }
    Ok(Assessment {
        sum,
        counting: statistics.spent(),
        loops,
    })
}

fn add_up<D: Database>(
    analysis: &Analysis<'_>,
    solver: &Solver<'_>,
    statistics: &Statistics<'_, D>,
) -> Sum {
    let mut sum = Sum {
        opcodes: 0.0,
        work: 0.0,
        of_values: 0.0,
        sorted_bytes: 0.0,
    };
    for (number, Facts { code, cursors, .. }) in analysis.programs.iter().enumerate() {
        for (address, instruction) in code.instructions.iter().enumerate() {
            if !analysis.meter.takes(4) {
                return sum;
            }
            let runs = solver.runs((number, address)).unwrap_or(f64::INFINITY);
            if runs == 0.0 {
                continue;
            }
            sum.opcodes += runs;
            sum.work += runs * cost::of(instruction, runs, cursors, statistics);
        }
    }
    sum
}

/// Returns the length of the longest text that the statement can unfold into rows: a bound value or
/// the statement itself.
fn longest_text(bound: &Bound) -> usize {
    let bound_text = bound.binds().iter().map(|bind| match bind {
        database::Bind::Text(text) => text.len(),
        // An element of a binary list has at least one byte, and one of a list in text has two.
        database::Bind::Blob(bytes) => bytes.len().saturating_mul(2),
        database::Bind::Null | database::Bind::Real(_) => 0,
    });
    bound_text
        .chain([bound.statement().len()])
        .max()
        .unwrap_or(0)
}

/// Returns the number as an integer, or `None` if it is infinite.
fn finite(work: f64) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` saturates, which is what a bound wants"
    )]
    work.is_finite().then_some(work as u64)
}
