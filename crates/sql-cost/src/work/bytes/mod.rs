//! Weighs instructions by the length of their values. An instruction that is cheap for a short
//! value takes milliseconds for one of a megabyte, and a long constant that is computed once may be
//! stored again for each row.
//!
//! [`values`] finds how long the value of a register can be, from literals, parameters, functions
//! and stored values. This module weighs each instruction that reads or writes values by that
//! length. The cost of the instruction already contains the first [`SHORT_BYTES`] of each value.

mod aggregates;
mod code;
mod full_text;
mod functions;
mod tables;
mod times;
mod value;
mod values;

use super::Analysis;
use super::bytecode::cursors::{CursorSource, Cursors};
use super::bytecode::opcode::Opcode;
use super::bytecode::program::{Instruction, Listing, folds};
use super::data::lengths::Measure;
use super::data::statistics::Statistics;
use super::flow::solve::Solver;
use super::rate::{self, SHORT_BYTES};
use database::Database;
use database::limits::MAX_VALUE_BYTES;
use sql_gate::limits::MAX_SORTED_BYTES;
use value::Operand;
use values::Values;

/// Bytes that the engine holds for a sorted row in addition to its record.
const SORTED_ROW_BYTES: f64 = 32.0;

/// The weight of a statement's values.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Weight {
    /// Work beyond that of the instructions, in units of 10 ns.
    pub work: f64,
    /// Bytes of the rows that are sorted.
    pub sorted: f64,
}

impl Weight {
    fn is_within(self, work: f64) -> bool {
        self.work <= work && self.sorted <= MAX_SORTED_BYTES as f64
    }
}

/// Weighs the values of a statement. Stored values are measured if the rough weight is more than
/// `left` or more than memory holds, and measuring is worth its cost.
pub(super) fn weight<D: Database>(
    analysis: &Analysis<'_>,
    solver: &Solver<'_>,
    statistics: &Statistics<'_, D>,
    left: f64,
) -> Weight {
    if cannot_matter(analysis, solver, left) {
        return Weight::default();
    }
    let rough = weigh(analysis, solver, statistics, Measure::Database);
    if rough.is_within(left) || !statistics.may_measure() {
        return rough;
    }
    let fine = weigh(analysis, solver, statistics, Measure::Columns);
    Weight {
        work: fine.work.min(rough.work),
        sorted: fine.sorted.min(rough.sorted),
    }
}

/// Returns the largest length of each column of a result.
pub(super) fn result_lengths<D: Database>(
    analysis: &Analysis<'_>,
    solver: &Solver<'_>,
    statistics: &Statistics<'_, D>,
) -> Vec<f64> {
    let mut values = Values::new(&analysis.programs, solver, statistics, Measure::Columns);
    let mut found = Vec::new();
    for _ in 0..values::ROUNDS {
        found.clear();
        let instructions = analysis
            .listing
            .programs
            .first()
            .into_iter()
            .flatten()
            .enumerate();
        let rows = instructions.filter(|(_, one)| one.opcode == Opcode::ResultRow);
        for (address, row) in rows {
            for (column, register) in (row.p1..row.p1 + row.p2).enumerate() {
                let longest = values.operand(0, register, address).longest;
                match found.get_mut(column) {
                    Some(known) => *known = f64::max(*known, longest),
                    None => found.push(longest),
                }
            }
        }
        if !values.next_round() {
            break;
        }
    }
    found
}

/// Returns true if a function of date and time may be given a text that means the time of its call.
/// Literals, numbers and dates are known not to; stored columns are searched for such a text.
pub(super) fn may_ask_the_time<D: Database>(
    analysis: &Analysis<'_>,
    statistics: &Statistics<'_, D>,
) -> bool {
    let Some(graph) = &analysis.graph else {
        return true;
    };
    let solver = Solver::new(graph, analysis.meter, &[], 0.0);
    let mut values = Values::new(&analysis.programs, &solver, statistics, Measure::Database);
    let calls = analysis.listing.programs.iter().enumerate();
    calls
        .flat_map(|(number, program)| {
            let addresses = program.iter().enumerate();
            addresses.map(move |(address, instruction)| ((number, address), instruction))
        })
        .filter(|(_, instruction)| functions::tells_time(instruction))
        .any(|(place, instruction)| functions::may_be_given_now(&mut values, place, instruction))
}

/// The largest number of rows in a b-tree: ten gigabytes of them.
const MOST_ROWS: f64 = 1e9;

/// Returns true if the statement would pass even with every value as long as a value may be.
fn cannot_matter(analysis: &Analysis<'_>, solver: &Solver<'_>, left: f64) -> bool {
    let (mut most, mut sorted) = (0.0, 0.0);
    let mut all = analysis.listing.programs.iter().flatten();
    let folds = all.any(|one| one.key.as_deref().is_some_and(folds));
    let searched = rate::STORED + rate::searched(folds, MOST_ROWS);
    for (number, instructions) in analysis.listing.programs.iter().enumerate() {
        for (address, instruction) in instructions.iter().enumerate() {
            let rate = if searches(instruction) {
                f64::INFINITY
            } else {
                highest_rate(instruction)
            };
            let rate = if searches_index(instruction.opcode) {
                rate.max(searched)
            } else {
                rate
            };
            if rate > 0.0 {
                let runs = solver.runs((number, address)).unwrap_or(f64::INFINITY);
                most += rate * runs;
                if instruction.opcode == Opcode::SorterInsert {
                    sorted += runs;
                }
            }
        }
    }
    let longest = MAX_VALUE_BYTES as f64;
    most * longest <= left && sorted * longest <= MAX_SORTED_BYTES as f64
}

/// Returns the highest cost of a byte; infinite for functions whose work is the product of two
/// lengths.
fn highest_rate(instruction: &Instruction) -> f64 {
    match instruction.opcode {
        Opcode::Function | Opcode::PureFunc => functions::highest_rate(instruction),
        // A full-text table may write all documents again.
        Opcode::VUpdate => f64::INFINITY,
        Opcode::Column => rate::PARSED + instruction.p2.max(0) as f64 * rate::PASSED,
        Opcode::VColumn
        | Opcode::VFilter
        | Opcode::MakeRecord
        | Opcode::Insert
        | Opcode::IdxInsert
        | Opcode::IdxDelete
        | Opcode::Delete
        | Opcode::RowCell
        | Opcode::RowData
        | Opcode::SorterInsert
        | Opcode::SorterData
        | Opcode::Clear
        | Opcode::Destroy
        | Opcode::Concat
        | Opcode::Cast
        | Opcode::Compare
        | Opcode::AggStep
        | Opcode::AggStep1
        | Opcode::AggInverse
        | Opcode::AggValue
        | Opcode::AggFinal => rate::PARSED,
        _ if compares(instruction.opcode) || seeks(instruction.opcode) => rate::SEARCHED,
        _ => 0.0,
    }
}

/// Returns true if a statement searches full-text tables.
pub(super) fn searches_documents(listing: &Listing) -> bool {
    listing.programs.iter().flatten().any(searches)
}

/// Returns true if the instruction searches a full-text table.
fn searches(instruction: &Instruction) -> bool {
    instruction.opcode == Opcode::VFilter && instruction.key.is_some()
}

/// Returns true if the instruction may search for a key in an index, or compare a key with one.
fn searches_index(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::IdxInsert | Opcode::IdxDelete) || compares(opcode) || seeks(opcode)
}

fn compares(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::Eq | Opcode::Ne | Opcode::Lt | Opcode::Le | Opcode::Gt | Opcode::Ge
    )
}

fn seeks(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::SeekGE
            | Opcode::SeekGT
            | Opcode::SeekLE
            | Opcode::SeekLT
            | Opcode::Found
            | Opcode::NotFound
            | Opcode::NoConflict
            | Opcode::IdxGE
            | Opcode::IdxGT
            | Opcode::IdxLE
            | Opcode::IdxLT
    )
}

/// Sums the weights of all instructions.
fn weigh<D: Database>(
    analysis: &Analysis<'_>,
    solver: &Solver<'_>,
    statistics: &Statistics<'_, D>,
    measure: Measure,
) -> Weight {
    let mut values = Values::new(&analysis.programs, solver, statistics, measure);
    let mut sum = Weight::default();
    // The length of a value that depends on itself, as in a recursion, is found in rounds.
    for _ in 0..values::ROUNDS {
        sum = Weight::default();
        let mut deletes = false;
        for (number, instructions) in analysis.listing.programs.iter().enumerate() {
            for (address, instruction) in instructions.iter().enumerate() {
                let runs = values.runs(number, address);
                if runs == 0.0 || highest_rate(instruction) == 0.0 {
                    continue;
                }
                if !statistics.meter.takes(4) {
                    return Weight {
                        work: f64::INFINITY,
                        sorted: f64::INFINITY,
                    };
                }
                deletes |= removes(instruction, values.cursors(number));
                sum.work += cost(&mut values, (number, address), instruction, runs);
                if instruction.opcode == Opcode::SorterInsert {
                    let record = values.operand(number, instruction.p2, address);
                    sum.sorted += record.total + runs * SORTED_ROW_BYTES;
                }
            }
        }
        if deletes {
            sum.work += statistics.lengths_of_anything().all * rate::DELETED;
        }
        if !values.next_round() {
            break;
        }
    }
    sum
}

/// Returns true if the instruction may delete stored values. Each of them can be deleted only once;
/// values that the statement itself has written are weighed when they are written.
fn removes(instruction: &Instruction, cursors: Option<&Cursors>) -> bool {
    match instruction.opcode {
        Opcode::Clear | Opcode::Destroy => true,
        Opcode::Delete | Opcode::IdxDelete | Opcode::Insert => {
            cursors.is_some_and(|cursors| cursors.is_stored(instruction.p1))
        }
        _ => false,
    }
}

/// Returns the cost of the values of one instruction over all its runs.
fn cost<D: Database>(
    values: &mut Values<'_, D>,
    place: (usize, usize),
    instruction: &Instruction,
    runs: f64,
) -> f64 {
    let (number, address) = place;
    let beyond = |operand: Operand| (operand.total - runs * SHORT_BYTES).max(0.0);
    let mut of = |register: i64| beyond(values.operand(number, register, address));
    match instruction.opcode {
        Opcode::Function | Opcode::PureFunc => functions::cost(values, place, instruction, runs),
        Opcode::Column => cost_of_column(values, place, instruction, runs),
        Opcode::VColumn | Opcode::SorterData | Opcode::RowData => {
            let register = if instruction.opcode == Opcode::VColumn {
                instruction.p3
            } else {
                instruction.p2
            };
            let rank = match instruction.opcode {
                Opcode::VColumn => values.cost_of_rank(place, instruction, runs),
                _ => 0.0,
            };
            let written = values.written(number, address, register);
            rank + (written - runs * SHORT_BYTES).max(0.0) * rate::COPIED
        }
        Opcode::VFilter if searches(instruction) => {
            let given = of(instruction.p3 + 2) * rate::PARSED;
            given + values.cost_of_search(number, address)
        }
        Opcode::VFilter => of(instruction.p3 + 2) * rate::PARSED,
        Opcode::VUpdate => {
            let registers = instruction.p3..instruction.p3 + instruction.p2;
            let given = registers.map(of).sum();
            values.cost_of_write(place, instruction, runs, given)
        }
        Opcode::MakeRecord => {
            let written = values.written(number, address, instruction.p3);
            (written - runs * SHORT_BYTES).max(0.0) * rate::COPIED
        }
        Opcode::Insert | Opcode::IdxInsert | Opcode::SorterInsert | Opcode::RowCell => {
            cost_of_insert(values, place, instruction, runs)
        }
        Opcode::IdxDelete => {
            let key = instruction.p2..instruction.p2 + instruction.p3;
            key.map(of).sum::<f64>() * values.search_rate(number, instruction.p1, runs)
        }
        Opcode::Concat => {
            let written = values.written(number, address, instruction.p3);
            (written - runs * SHORT_BYTES).max(0.0) * rate::READ
        }
        Opcode::Cast => of(instruction.p1) * rate::CONVERTED,
        Opcode::Compare => {
            let compared = instruction.p1..instruction.p1 + instruction.p3;
            compared.map(of).sum::<f64>() * rate::COMPARED
        }
        Opcode::AggStep | Opcode::AggStep1 => {
            let arguments = instruction.p5.max(0);
            (instruction.p2..instruction.p2 + arguments)
                .map(of)
                .sum::<f64>()
                * rate::AGGREGATED
        }
        // Removing the front of a text moves the rest of it.
        Opcode::AggInverse => values.collected(number, instruction) * runs * rate::AGGREGATED,
        Opcode::AggValue => {
            (values.written(number, address, instruction.p3) - runs * SHORT_BYTES).max(0.0)
                * rate::AGGREGATED
        }
        Opcode::AggFinal => {
            (values.written(number, address, instruction.p1) - runs * SHORT_BYTES).max(0.0)
                * rate::AGGREGATED
        }
        opcode if compares(opcode) => {
            let compared =
                of(instruction.p1).min(beyond(values.operand(number, instruction.p3, address)));
            compared * compared_rate(instruction)
        }
        opcode if seeks(opcode) => {
            let key = instruction.p4.unwrap_or(1).max(1);
            let key: f64 = (instruction.p3..instruction.p3 + key).map(of).sum();
            key * values.search_rate(number, instruction.p1, runs)
        }
        _ => 0.0,
    }
}

/// Returns the cost of a byte that an instruction compares.
fn compared_rate(instruction: &Instruction) -> f64 {
    match instruction.key.as_deref() {
        Some(collation) if folds(collation) => rate::FOLDED,
        _ => rate::COMPARED,
    }
}

/// Returns the cost of reading a column: its own bytes, and those that the engine passes to reach
/// them.
fn cost_of_column<D: Database>(
    values: &mut Values<'_, D>,
    place: (usize, usize),
    instruction: &Instruction,
    runs: f64,
) -> f64 {
    let (number, address) = place;
    let is_made = values.is_made(number, instruction.p1);
    let read = values.written(number, address, instruction.p3);
    let rate = if is_made { rate::COPIED } else { rate::READ };
    let passed = values.passed_over(place, instruction, runs);
    (read - runs * SHORT_BYTES).max(0.0) * rate
        + (passed - runs * SHORT_BYTES).max(0.0) * rate::PASSED
}

/// Returns the cost of an instruction that inserts a row or an index entry.
fn cost_of_insert<D: Database>(
    values: &mut Values<'_, D>,
    place: (usize, usize),
    instruction: &Instruction,
    runs: f64,
) -> f64 {
    if instruction.opcode == Opcode::RowCell {
        let row = values.whole_rows(place, instruction.p2, runs);
        return (row - runs * SHORT_BYTES).max(0.0) * rate::STORED;
    }
    let (number, address) = place;
    let cursors = values.cursors(number);
    let stored = cursors.is_some_and(|cursors| cursors.is_stored(instruction.p1));
    let rate = match instruction.opcode {
        Opcode::SorterInsert => rate::SORTED,
        Opcode::IdxInsert => {
            let kept = if stored { rate::STORED } else { rate::KEPT };
            kept + values.search_rate(number, instruction.p1, runs)
        }
        _ if stored => rate::STORED,
        _ => rate::KEPT,
    };
    let record = values.operand(number, instruction.p2, address);
    let mut bytes = (record.total - runs * SHORT_BYTES).max(0.0);
    // The queue of the recursion itself is a table that the statement makes.
    if record.carried && rate > rate::KEPT {
        bytes = bytes.max(values.carried_bytes(runs));
    }
    bytes * rate
}

/// Returns true if a cursor reads a table that the statement itself has made.
fn reads_made(cursors: &Cursors, cursor: i64) -> bool {
    matches!(
        cursors.over(cursor),
        Some(CursorSource::Made { .. } | CursorSource::OneRow)
    )
}
