//! Finds how long the value of a register can be when an instruction reads it, and the sum of all
//! values that it reads.
//!
//! A value is followed back to the instruction that wrote it: a literal, a parameter, a function, a
//! column of a stored table, or a column of a table that the statement makes, which leads on to the
//! record that was inserted. If control may reach the reader without passing the nearest writer,
//! all writers of the register count.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::super::bytecode::cursors::Cursors;
use super::super::bytecode::facts::Facts;
use super::super::bytecode::opcode::Opcode;
use super::super::bytecode::program::Instruction;
use super::super::data::full_text::FullText;
use super::super::data::lengths::Measure;
use super::super::data::statistics::Statistics;
use super::super::flow::solve::Solver;
use super::code::{Program, program};
use super::value::{ANY_SCALE, NUMBER_BYTES, Operand, Origin, SHORT, WrittenValue};
use super::{functions, reads_made};
use database::limits::MAX_VALUE_BYTES;
use database::{Bind, Database};

/// The number of rounds in which the lengths of values that depend on themselves are computed. The
/// engine bounds the values that a recursion passes on while it runs.
pub(super) const ROUNDS: usize = 3;

/// The largest number of instructions that are searched backwards for the writer of a register.
pub(super) const MAX_LOOKED_BACK: usize = 300;

/// The largest number of steps in which a value is followed back.
const MAX_DEPTH: usize = 120;

/// The largest number of arguments of one call.
const MAX_ARGUMENTS: i64 = 127;

/// An instruction, as its program and address, and the register it writes.
pub(super) type Spot = (usize, usize, i64);

pub(super) struct Values<'a, D> {
    pub(super) programs: Vec<Program<'a>>,
    pub(super) solver: &'a Solver<'a>,
    pub(super) statistics: &'a Statistics<'a, D>,
    pub(super) measure: Measure,
    pub(super) known: HashMap<Spot, WrittenValue>,
    /// The results of the round before.
    pub(super) assumed: HashMap<Spot, WrittenValue>,
    /// The values that are being followed, outermost first.
    pub(super) active: Vec<Spot>,
    /// The values for which it was checked if they may mean the time of the call.
    pub(super) asked: HashSet<Spot>,
    pub(super) is_cyclic: bool,
    /// The full-text tables of the statement; `None` until they are first needed.
    pub(super) full_texts: Option<Rc<[FullText]>>,
    /// The instructions that insert into tables of the database; `None` until they are first
    /// needed.
    pub(super) stored_inserts: Option<Rc<[(usize, usize)]>>,
}

impl<'a, D: Database> Values<'a, D> {
    pub(super) fn new(
        programs: &'a [Facts<'a>],
        solver: &'a Solver<'a>,
        statistics: &'a Statistics<'a, D>,
        measure: Measure,
    ) -> Self {
        Self {
            programs: programs.iter().map(program).collect(),
            solver,
            statistics,
            measure,
            known: HashMap::new(),
            assumed: HashMap::new(),
            active: Vec::new(),
            asked: HashSet::new(),
            is_cyclic: false,
            full_texts: None,
            stored_inserts: None,
        }
    }

    /// Starts another round. Returns true if it would find more.
    pub(super) fn next_round(&mut self) -> bool {
        self.assumed = std::mem::take(&mut self.known);
        std::mem::take(&mut self.is_cyclic)
    }

    pub(super) fn runs(&self, program: usize, address: usize) -> f64 {
        self.solver
            .runs((program, address))
            .unwrap_or(f64::INFINITY)
    }

    pub(super) fn cursors(&self, program: usize) -> Option<&Cursors> {
        self.programs.get(program).map(|one| one.cursors)
    }

    pub(super) fn is_made(&self, program: usize, cursor: i64) -> bool {
        self.cursors(program)
            .is_some_and(|cursors| reads_made(cursors, cursor))
    }

    pub(super) fn at(&self, program: usize, address: usize) -> Option<&'a Instruction> {
        let instructions = self.programs.get(program)?.code.instructions;
        instructions.get(address)
    }

    /// Returns the bytes that an instruction writes into a register over all its runs.
    pub(super) fn written(&mut self, program: usize, address: usize, register: i64) -> f64 {
        self.write((program, address, register)).total
    }

    /// Returns the values that an instruction reads from a register.
    pub(super) fn operand(&mut self, program: usize, register: i64, address: usize) -> Operand {
        let runs = self.runs(program, address);
        let writers = self.writers(program, register, address);
        let mut all: Vec<WrittenValue> = Vec::with_capacity(writers.len());
        let mut once_each = true;
        for writer in &writers {
            if !self.statistics.meter.takes(4) {
                break;
            }
            once_each &= self.in_one_loop(program, *writer, address);
            all.push(self.write((program, *writer, register)));
        }
        let longest = all.iter().map(|one| one.longest).fold(0.0, f64::max);
        let written: f64 = all.iter().map(|one| one.runs).sum();
        let total: f64 = all.iter().map(|one| one.total).sum();
        let most = longest * runs;
        let only = match all.as_slice() {
            [only] => Some(only),
            _ => None,
        };
        // A value that is read more often than it was written may be the longest one each time.
        let again = (runs - written).max(0.0) * longest;
        let is_once = once_each && runs <= written;
        Operand {
            longest,
            total: if once_each {
                (total + again).min(most)
            } else {
                most
            },
            // With two literals, neither is certain to be the shorter one.
            constant: only.is_some_and(|one| one.constant),
            carried: all.iter().any(|one| one.carried),
            number: only.and_then(|one| one.number),
            scale: all.iter().map(|one| one.scale).max().unwrap_or(ANY_SCALE),
            counted: all.iter().any(|one| one.counted),
            seed: all.iter().map(|one| one.seed).fold(0.0, f64::max),
            source: only.and_then(|one| one.source).filter(|_| is_once),
            origin: only.and_then(|one| one.origin).map(|origin| Origin {
                times: if is_once { origin.times } else { f64::INFINITY },
                ..origin
            }),
        }
    }

    /// Returns the instructions that may have written the value of a register.
    pub(super) fn writers(&self, program: usize, register: i64, address: usize) -> Vec<usize> {
        let Some(one) = self.programs.get(program) else {
            return Vec::new();
        };
        if let Some(only) = one.code.written_by(register, address, MAX_LOOKED_BACK) {
            return vec![only];
        }
        let all = one.writers.get(&register).cloned().unwrap_or_default();
        handed_over(one, register, address, &all).unwrap_or(all)
    }

    /// Returns true if each value that `writer` writes is read by `reader` at most once: every loop
    /// around the reader is also around the writer or around the instruction with which its
    /// coroutine hands its rows over.
    pub(super) fn in_one_loop(&self, program: usize, writer: usize, reader: usize) -> bool {
        let Some(one) = self.programs.get(program) else {
            return false;
        };
        if one.shares_loops(reader, writer) {
            return true;
        }
        let Some(coroutine) = one.code.coroutine_around(writer) else {
            return false;
        };
        let rows = one.rows_of(coroutine);
        rows.are_within(writer) && rows.reads.iter().all(|at| one.shares_loops(reader, *at))
    }

    pub(super) fn write(&mut self, spot: Spot) -> WrittenValue {
        if let Some(known) = self.known.get(&spot) {
            return known.clone();
        }
        let (program, address, _) = spot;
        let runs = self.runs(program, address);
        if self.active.len() > MAX_DEPTH || !self.statistics.meter.takes(8) {
            return WrittenValue::of(MAX_VALUE_BYTES as f64, runs);
        }
        self.statistics.meter.takes(self.active.len() / 8);
        if let Some(first) = self.active.iter().position(|other| *other == spot) {
            self.is_cyclic = true;
            let found = self.assumed.get(&spot).cloned();
            return WrittenValue {
                carried: self.is_recursion(first),
                counted: self.is_recursion(first),
                ..found.unwrap_or_else(|| WrittenValue::short(runs))
            };
        }
        self.active.push(spot);
        let mut written = match self.at(program, address) {
            Some(instruction) => self.value(spot, instruction, runs),
            None => WrittenValue::short(runs),
        };
        if !written.total.is_finite() || written.total > written.longest * runs {
            written.total = written.longest * runs;
        }
        written.runs = runs;
        self.active.pop();
        self.known.insert(spot, written.clone());
        written
    }

    /// Returns true if a value depends on itself through the queue of a recursion, and not because
    /// a register is used again.
    fn is_recursion(&self, first: usize) -> bool {
        let circle = self.active.iter().skip(first);
        circle
            .filter_map(|(program, address, _)| {
                let one = self.programs.get(*program)?;
                Some((*program, one, self.at(*program, *address)?))
            })
            .any(|(program, one, read)| {
                one.has_queue
                    && matches!(
                        read.opcode,
                        Opcode::Column | Opcode::RowData | Opcode::SorterData
                    )
                    && self.is_made(program, read.p1)
            })
    }

    pub(super) fn value(
        &mut self,
        spot: Spot,
        instruction: &Instruction,
        runs: f64,
    ) -> WrittenValue {
        let (program, address, register) = spot;
        match instruction.opcode {
            Opcode::Copy | Opcode::SCopy | Opcode::Move => {
                let from = instruction.p1 + register - instruction.p2;
                self.same_as(program, from, address, runs)
            }
            Opcode::Cast => {
                let mut cast = self.same_as(program, register, address, runs);
                cast.longest = cast.longest.max(NUMBER_BYTES);
                cast.total = cast.total.max(NUMBER_BYTES * runs);
                cast
            }
            Opcode::SoftNull | Opcode::CollSeq | Opcode::SetSubtype | Opcode::ClrSubtype => {
                self.same_as(program, register, address, runs)
            }
            Opcode::Concat => {
                let parts = [instruction.p1, instruction.p2];
                let mut joined = self.joined(program, &parts, address, runs);
                for part in parts {
                    let part = self.operand(program, part, address);
                    if !part.constant && part.longest < NUMBER_BYTES {
                        joined.longest += NUMBER_BYTES - part.longest;
                        joined.total += (NUMBER_BYTES - part.longest) * runs;
                    }
                }
                joined.longest = joined.longest.min(MAX_VALUE_BYTES as f64);
                joined
            }
            Opcode::MakeRecord => {
                let registers: Vec<i64> =
                    (instruction.p1..instruction.p1 + instruction.p2.max(0)).collect();
                self.joined(program, &registers, address, runs)
            }
            Opcode::Multiply
            | Opcode::Add
            | Opcode::Subtract
            | Opcode::Remainder
            | Opcode::BitOr => self.computed(program, address, instruction, runs),
            Opcode::Function | Opcode::PureFunc => {
                functions::value(self, (program, address), instruction, runs)
            }
            Opcode::Column => self.column(program, address, instruction, runs),
            Opcode::VColumn => self.virtual_column(program, instruction, runs),
            Opcode::Rowid | Opcode::IdxRowid => self.rowid(program, address, instruction, runs),
            Opcode::RowSetRead => self.rowid_of_set(program, instruction, runs),
            Opcode::SorterData => self.record_of((program, address), instruction.p1, None, runs),
            Opcode::RowData if self.is_made(program, instruction.p1) => {
                self.record_of((program, address), instruction.p1, None, runs)
            }
            Opcode::RowData => {
                let longest = self.statistics.lengths_of_anything().longest;
                let total = self.whole_rows((program, address), instruction.p1, runs);
                WrittenValue {
                    longest,
                    total,
                    ..WrittenValue::short(runs)
                }
            }
            Opcode::AggFinal => {
                let (longest, total) = self.aggregate(program, instruction, instruction.p1);
                WrittenValue {
                    longest,
                    total,
                    ..WrittenValue::short(runs)
                }
            }
            Opcode::AggValue => {
                let longest = self.collected(program, instruction);
                WrittenValue::of(longest, runs)
            }
            Opcode::Param => self.parameter_of_program(program, instruction, runs),
            _ => self.literal_value(instruction, runs),
        }
    }

    /// Returns a number that is computed from two others.
    fn computed(
        &mut self,
        program: usize,
        address: usize,
        instruction: &Instruction,
        runs: f64,
    ) -> WrittenValue {
        // `a % b` has its left side in P2.
        let first = self.operand(program, instruction.p1, address);
        let second = self.operand(program, instruction.p2, address);
        let scale = match instruction.opcode {
            Opcode::Multiply => first.scale.max(1).saturating_mul(second.scale.max(1)),
            Opcode::Remainder => first.scale,
            _ => first.scale.saturating_add(second.scale),
        };
        WrittenValue {
            scale: scale.min(ANY_SCALE),
            counted: first.counted || second.counted,
            ..WrittenValue::short(runs)
        }
    }

    /// Returns the value of a literal or a parameter; any other is a number.
    fn literal_value(&self, instruction: &Instruction, runs: f64) -> WrittenValue {
        let longest = match instruction.opcode {
            Opcode::String8 | Opcode::String => {
                let text = instruction.key.as_ref();
                text.map_or(SHORT, |text| text.len() as f64)
            }
            Opcode::Blob => instruction.p1.max(0) as f64,
            Opcode::Variable => self.parameter(instruction.p1),
            Opcode::Integer | Opcode::Int64 => SHORT,
            _ => return WrittenValue::short(runs),
        };
        let number = match (instruction.opcode, &instruction.key) {
            (Opcode::Int64, Some(text)) => text.parse().ok(),
            (Opcode::Integer, _) => u64::try_from(instruction.p1).ok(),
            _ => None,
        };
        WrittenValue {
            constant: true,
            number,
            scale: number.unwrap_or(ANY_SCALE),
            ..WrittenValue::of(longest, runs)
        }
    }

    /// Returns the value of another register.
    pub(super) fn same_as(
        &mut self,
        program: usize,
        register: i64,
        address: usize,
        runs: f64,
    ) -> WrittenValue {
        let operand = self.operand(program, register, address);
        WrittenValue {
            longest: operand.longest,
            total: operand.total,
            runs,
            constant: operand.constant,
            number: operand.number,
            scale: operand.scale,
            counted: operand.counted,
            seed: operand.seed,
            carried: operand.carried,
            source: operand.source,
            origin: operand.origin,
        }
    }

    /// Returns the concatenated values of several registers. Columns of one table have no more
    /// bytes together than its rows have.
    pub(super) fn joined(
        &mut self,
        program: usize,
        registers: &[i64],
        address: usize,
        runs: f64,
    ) -> WrittenValue {
        let mut longest = 0.0;
        let mut total = 0.0;
        let mut carried = false;
        let mut seed = 0.0;
        let mut of_sources: HashMap<(usize, i64), (f64, f64)> = HashMap::new();
        for register in registers {
            let operand = self.operand(program, *register, address);
            longest += operand.longest;
            seed += operand.seed;
            carried |= operand.carried;
            match operand.source {
                Some((of, cursor, most)) => {
                    let sum = of_sources.entry((of, cursor)).or_insert((0.0, most));
                    sum.0 += operand.total;
                    sum.1 = sum.1.min(most);
                }
                None => total += operand.total,
            }
        }
        total += of_sources
            .values()
            .map(|(sum, most)| sum.min(*most))
            .sum::<f64>();
        WrittenValue {
            longest: f64::min(longest, MAX_VALUE_BYTES as f64),
            total,
            carried,
            seed,
            ..WrittenValue::short(runs)
        }
    }

    pub(super) fn parameter(&self, number: i64) -> f64 {
        let position = usize::try_from(number - 1).ok();
        match position.and_then(|position| self.statistics.parameter(position)) {
            Some(Bind::Text(text)) => text.len() as f64,
            Some(Bind::Blob(bytes)) => bytes.len() as f64,
            Some(_) => SHORT,
            None => self.statistics.text_bytes as f64,
        }
    }

    /// Returns the text of a register, if it is a literal or a parameter.
    pub(super) fn literal(&self, program: usize, register: i64, address: usize) -> Option<String> {
        let writers = self.writers(program, register, address);
        let [only] = writers.as_slice() else {
            return None;
        };
        let writer = self.at(program, *only)?;
        match writer.opcode {
            Opcode::String8 | Opcode::String => writer.key.clone(),
            Opcode::Variable => {
                let position = usize::try_from(writer.p1 - 1).ok()?;
                match self.statistics.parameter(position)? {
                    Bind::Text(text) => Some(text.to_string()),
                    Bind::Null | Bind::Real(_) | Bind::Blob(_) => None,
                }
            }
            _ => None,
        }
    }

    pub(super) fn steps_of(&self, program: usize, register: i64) -> Vec<usize> {
        let Some(one) = self.programs.get(program) else {
            return Vec::new();
        };
        // The register that a step adds to does not count as written.
        one.steps.get(&register).cloned().unwrap_or_default()
    }

    /// Returns how many registers from this one on are arguments of the call at an address, if
    /// EXPLAIN shows only that it takes any number. The instruction before the call computes the
    /// last argument, unless that is a constant, which is set once at the end of the program.
    pub(super) fn arguments_from(&self, program: usize, first: i64, address: usize) -> i64 {
        let Some(one) = self.programs.get(program) else {
            return MAX_ARGUMENTS;
        };
        let before = one.code.instructions.iter().take(address).rev();
        let last = before
            .into_iter()
            .find(|other| !matches!(other.opcode, Opcode::CollSeq | Opcode::ClrSubtype))
            .and_then(|computed| {
                (0..MAX_ARGUMENTS)
                    .rev()
                    .find(|at| computed.sets(first + at))
            });
        // Constants are set after all other code, in the part of the program that runs first.
        let start = one.code.at(0).and_then(Instruction::target).unwrap_or(0);
        let is_constant = |register: i64| {
            let all = one.writers.get(&register).map_or(&[][..], Vec::as_slice);
            matches!(all, [only] if *only > address.max(start))
        };
        let mut count = last.map_or(0, |last| last + 1);
        while count < MAX_ARGUMENTS && is_constant(first + count) {
            count += 1;
        }
        if last.is_none() {
            // A CASE or sub-query may end with another instruction.
            let is_written = |register: i64| !self.writers(program, register, address).is_empty();
            while count < MAX_ARGUMENTS && is_written(first + count) {
                count += 1;
            }
        }
        count
    }

    /// Returns a value that a trigger or foreign key action gets from the statement that calls it.
    pub(super) fn parameter_of_program(
        &mut self,
        program: usize,
        instruction: &Instruction,
        runs: f64,
    ) -> WrittenValue {
        let mut longest = SHORT;
        for caller in 0..self.programs.len() {
            let Some(one) = self.programs.get(caller) else {
                continue;
            };
            self.statistics.meter.takes(one.code.instructions.len() / 8);
            let calls: Vec<(usize, i64)> = one
                .code
                .instructions
                .iter()
                .enumerate()
                .filter(|(_, other)| other.opcode == Opcode::Program && caller != program)
                .map(|(at, other)| (at, other.p1))
                .collect();
            for (at, first) in calls {
                let given = self.operand(caller, first + instruction.p1, at);
                longest = f64::max(longest, given.longest);
            }
        }
        WrittenValue::of(longest, runs)
    }
}

/// Returns the writers of a register that only a coroutine writes, as they are when the coroutine
/// hands its row over.
fn handed_over(
    one: &Program<'_>,
    register: i64,
    address: usize,
    all: &[usize],
) -> Option<Vec<usize>> {
    let coroutine = one.code.coroutine_around(*all.first()?)?;
    let inside = |at: usize| one.code.coroutine_around(at) == Some(coroutine);
    one.code.meter.takes(all.len());
    if inside(address) || !all.iter().all(|at| inside(*at)) {
        return None;
    }
    let is_own = |at: &&usize| one.code.at(**at).is_some_and(|other| other.p2 == 0);
    let yields = one.code.operating(Opcode::Yield, coroutine).iter();
    yields
        .filter(is_own)
        .map(|at| one.code.written_by(register, *at, MAX_LOOKED_BACK))
        .collect()
}
