//! How long the value of a register can be where an instruction reads it, and how long all values are together that it reads there.
//!
//! A value is followed back to what wrote it: a literal, a parameter, a function, a column of a stored table, or a column of a table that the
//! statement makes, which leads on to the record that was inserted. Where a way leads past the nearest writer, all that write the register count.

use std::collections::{HashMap, HashSet};

use super::super::allowance::{Compared, Data as _, Key, finds};
use super::super::cursors::{Cursors, Over, ROWID, Seek};
use super::super::graph::{Calls, Code};
use super::super::lengths::Measure;
use super::super::opcode::{Flow, Opcode};
use super::super::program::{Instruction, Listing};
use super::super::solve::Solver;
use super::super::statistics::Statistics;
use super::{SHORT_BYTES, functions, reads_made};
use crate::database::{Bind, Database};
use crate::limits::{MAX_CARRIED_BYTES, MAX_VALUE_BYTES};
use crate::sql::sizes::functions::Value;

/// Rounds in which values that depend on themselves are found. What a recursion hands on is bounded by the engine while it runs.
pub(super) const ROUNDS: usize = 3;

/// Instructions searched backwards for what wrote a register.
const MAX_LOOKED_BACK: usize = 300;

/// Steps that a value is followed back.
const MAX_DEPTH: usize = 120;

/// Values that are followed back to a column for what it holds.
const MAX_FOLLOWED: usize = 8;

/// Arguments of one call.
const MAX_ARGUMENTS: i64 = 127;

/// A number, a date, NULL.
const SHORT: f64 = 8.0;

/// Levels of JSON, as the engine has it: the text of each level is a part of the one above.
const JSON_LEVELS: f64 = 1_000.0;

/// What one instruction writes into a register, over all its runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Written {
    pub longest: f64,
    pub total: f64,
    runs: f64,
    /// A literal or a parameter.
    constant: bool,
    number: Option<u64>,
    scale: u64,
    /// Handed on by a recursion, whose rows have no known length before it runs.
    pub carried: bool,
    /// The table that the value is a part of, and what all its rows have together as often as they are read.
    source: Option<(usize, i64, f64)>,
    /// A column of a stored table.
    origin: Option<Origin>,
}

/// A column of a stored table, and how often the value of each row is handed on.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Origin {
    page: i64,
    column: i64,
    times: f64,
}

impl Written {
    pub fn short(runs: f64) -> Self {
        Self {
            longest: SHORT,
            total: SHORT * runs,
            runs,
            constant: false,
            number: None,
            scale: 0,
            carried: false,
            source: None,
            origin: None,
        }
    }

    fn of(longest: f64, runs: f64) -> Self {
        Self {
            longest,
            total: longest * runs,
            ..Self::short(runs)
        }
    }
}

/// What an instruction reads from a register, over all its runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Operand {
    pub longest: f64,
    pub total: f64,
    pub constant: bool,
    pub carried: bool,
    number: Option<u64>,
    scale: u64,
    source: Option<(usize, i64, f64)>,
    origin: Option<Origin>,
}

impl Operand {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a length is never negative and at most that of a value"
    )]
    pub fn as_value(&self) -> Value {
        Value {
            number: self.number,
            scale: self.scale,
            varies: !self.constant,
            ..Value::of(self.longest as u64)
        }
    }
}

/// One program.
struct Program<'a> {
    code: Code<'a>,
    calls: Calls,
    cursors: Cursors,
    writers: HashMap<i64, Vec<usize>>,
    /// Jumps backwards, each with its target: loops.
    loops: Vec<(usize, usize)>,
}

/// An instruction and the register it writes.
type Spot = (usize, usize, i64);

pub(super) struct Values<'a, D> {
    programs: Vec<Program<'a>>,
    solver: &'a Solver<'a>,
    statistics: &'a Statistics<'a, D>,
    measure: Measure,
    known: HashMap<Spot, Written>,
    /// What the round before has found.
    assumed: HashMap<Spot, Written>,
    /// What is being followed, outermost first.
    active: Vec<Spot>,
    reaching: HashMap<(usize, i64, usize), Vec<usize>>,
    is_cyclic: bool,
}

impl<'a, D: Database> Values<'a, D> {
    pub fn new(
        listing: &'a Listing,
        solver: &'a Solver<'a>,
        statistics: &'a Statistics<'a, D>,
        measure: Measure,
    ) -> Self {
        Self {
            programs: listing.programs.iter().map(|all| program(all)).collect(),
            solver,
            statistics,
            measure,
            known: HashMap::new(),
            assumed: HashMap::new(),
            active: Vec::new(),
            reaching: HashMap::new(),
            is_cyclic: false,
        }
    }

    /// Whether another round would find more.
    pub fn next_round(&mut self) -> bool {
        self.assumed = std::mem::take(&mut self.known);
        std::mem::take(&mut self.is_cyclic)
    }

    pub fn runs(&self, program: usize, address: usize) -> f64 {
        self.solver
            .runs((program, address))
            .unwrap_or(f64::INFINITY)
    }

    pub fn cursors(&self, program: usize) -> Option<&Cursors> {
        self.programs.get(program).map(|one| &one.cursors)
    }

    pub fn is_made(&self, program: usize, cursor: i64) -> bool {
        self.cursors(program)
            .is_some_and(|cursors| reads_made(cursors, cursor))
    }

    fn at(&self, program: usize, address: usize) -> Option<&'a Instruction> {
        let instructions = self.programs.get(program)?.code.instructions;
        instructions.get(address)
    }

    /// All bytes that an instruction writes into a register.
    pub fn written(&mut self, program: usize, address: usize, register: i64) -> f64 {
        self.write((program, address, register)).total
    }

    /// What an instruction reads from a register.
    pub fn operand(&mut self, program: usize, register: i64, address: usize) -> Operand {
        let runs = self.runs(program, address);
        let writers = self.writers(program, register, address);
        let mut all: Vec<Written> = Vec::with_capacity(writers.len());
        let mut once_each = true;
        for writer in &writers {
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
        let is_once = once_each && runs <= written;
        Operand {
            longest,
            total: if is_once { total.min(most) } else { most },
            constant: !all.is_empty() && all.iter().all(|one| one.constant),
            carried: all.iter().any(|one| one.carried),
            number: only.and_then(|one| one.number),
            scale: all.iter().map(|one| one.scale).max().unwrap_or(0),
            source: only.and_then(|one| one.source).filter(|_| is_once),
            origin: only.and_then(|one| one.origin).map(|origin| Origin {
                times: if is_once { origin.times } else { f64::INFINITY },
                ..origin
            }),
        }
    }

    /// The instructions whose value a register may have.
    fn writers(&self, program: usize, register: i64, address: usize) -> Vec<usize> {
        let Some(one) = self.programs.get(program) else {
            return Vec::new();
        };
        if let Some(only) = one.code.written_by(register, address, MAX_LOOKED_BACK) {
            return vec![only];
        }
        let all = one.writers.get(&register).cloned().unwrap_or_default();
        handed_over(one, register, address, &all).unwrap_or(all)
    }

    /// Whether each value that is written at one place is read at the other at most once: every loop around the reader is around the writer
    /// or around where its coroutine hands its rows over.
    fn in_one_loop(&self, program: usize, writer: usize, reader: usize) -> bool {
        let Some(one) = self.programs.get(program) else {
            return false;
        };
        let shared = |inner: usize, outer: usize| {
            one.loops.iter().all(|(from, to)| {
                !(*from <= inner && inner <= *to) || (*from <= outer && outer <= *to)
            })
        };
        if shared(reader, writer) {
            return true;
        }
        let Some(coroutine) = one.code.coroutine_around(writer) else {
            return false;
        };
        let instructions = one.code.instructions.iter().enumerate();
        let mut yields = instructions
            .filter(|(_, other)| other.opcode.flow() == Flow::Yield && other.p1 == coroutine);
        yields.all(|(at, other)| {
            if other.p2 == 0 {
                shared(at, writer)
            } else {
                shared(reader, at)
            }
        })
    }

    fn write(&mut self, spot: Spot) -> Written {
        if let Some(known) = self.known.get(&spot) {
            return known.clone();
        }
        let (program, address, _) = spot;
        let runs = self.runs(program, address);
        if self.active.len() > MAX_DEPTH {
            return Written::of(MAX_VALUE_BYTES as f64, runs);
        }
        if let Some(first) = self.active.iter().position(|other| *other == spot) {
            self.is_cyclic = true;
            let found = self.assumed.get(&spot).cloned();
            return Written {
                carried: self.is_recursion(first),
                ..found.unwrap_or_else(|| Written::short(runs))
            };
        }
        self.active.push(spot);
        let mut written = match self.at(program, address) {
            Some(instruction) => self.value(spot, instruction, runs),
            None => Written::short(runs),
        };
        if !written.total.is_finite() || written.total > written.longest * runs {
            written.total = written.longest * runs;
        }
        written.runs = runs;
        self.active.pop();
        self.known.insert(spot, written.clone());
        written
    }

    /// Whether a value comes back to itself through a table that the statement makes, and not because a register is used again.
    fn is_recursion(&self, first: usize) -> bool {
        let circle = self.active.iter().skip(first);
        circle
            .filter_map(|(program, address, _)| Some((*program, self.at(*program, *address)?)))
            .any(|(program, read)| {
                matches!(
                    read.opcode,
                    Opcode::Column | Opcode::RowData | Opcode::SorterData
                ) && self.is_made(program, read.p1)
            })
    }

    fn value(&mut self, spot: Spot, instruction: &Instruction, runs: f64) -> Written {
        let (program, address, register) = spot;
        let literal = |longest: f64| Written {
            constant: true,
            ..Written::of(longest, runs)
        };
        match instruction.opcode {
            Opcode::String8 | Opcode::String => literal(
                instruction
                    .key
                    .as_ref()
                    .map_or(SHORT, |text| text.len() as f64),
            ),
            Opcode::Blob => literal(instruction.p1.max(0) as f64),
            Opcode::Variable => literal(self.parameter(instruction.p1)),
            Opcode::Integer | Opcode::Int64 => {
                let number = match &instruction.key {
                    Some(text) => text.parse().ok(),
                    None => u64::try_from(instruction.p1).ok(),
                };
                Written {
                    number,
                    scale: number.unwrap_or(0),
                    ..literal(SHORT)
                }
            }
            Opcode::Copy | Opcode::SCopy | Opcode::Move => {
                let from = instruction.p1 + register - instruction.p2;
                self.same_as(program, from, address, runs)
            }
            Opcode::Cast | Opcode::SoftNull | Opcode::CollSeq => {
                self.same_as(program, register, address, runs)
            }
            Opcode::Concat => {
                self.joined(program, &[instruction.p1, instruction.p2], address, runs)
            }
            Opcode::MakeRecord => {
                let registers: Vec<i64> =
                    (instruction.p1..instruction.p1 + instruction.p2.max(0)).collect();
                self.joined(program, &registers, address, runs)
            }
            Opcode::Multiply | Opcode::Add | Opcode::ShiftLeft => {
                let left = self.operand(program, instruction.p1, address).scale;
                let right = self.operand(program, instruction.p2, address).scale;
                let scale = match instruction.opcode {
                    Opcode::Multiply => left.max(1).saturating_mul(right.max(1)),
                    Opcode::Add => left.saturating_add(right),
                    _ => MAX_VALUE_BYTES as u64,
                };
                Written {
                    scale,
                    ..Written::short(runs)
                }
            }
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
                Written {
                    longest,
                    total,
                    ..Written::short(runs)
                }
            }
            Opcode::AggFinal => {
                let (longest, total) = self.aggregate(program, instruction, instruction.p1);
                Written {
                    longest,
                    total,
                    ..Written::short(runs)
                }
            }
            Opcode::AggValue => {
                let longest = self.collected(program, instruction);
                Written::of(longest, runs)
            }
            Opcode::Param => self.parameter_of_program(program, instruction, runs),
            _ => Written::short(runs),
        }
    }

    /// The value of another register.
    fn same_as(&mut self, program: usize, register: i64, address: usize, runs: f64) -> Written {
        let operand = self.operand(program, register, address);
        Written {
            longest: operand.longest,
            total: operand.total,
            runs,
            constant: operand.constant,
            number: operand.number,
            scale: operand.scale,
            carried: operand.carried,
            source: operand.source,
            origin: operand.origin,
        }
    }

    /// The values of several registers behind each other. Columns of one table have no more together than its rows have.
    fn joined(&mut self, program: usize, registers: &[i64], address: usize, runs: f64) -> Written {
        let mut longest = 0.0;
        let mut total = 0.0;
        let mut carried = false;
        let mut of_sources: HashMap<(usize, i64), (f64, f64)> = HashMap::new();
        for register in registers {
            let operand = self.operand(program, *register, address);
            longest += operand.longest;
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
        Written {
            longest: f64::min(longest, MAX_VALUE_BYTES as f64),
            total,
            carried,
            ..Written::short(runs)
        }
    }

    fn parameter(&self, number: i64) -> f64 {
        let position = usize::try_from(number - 1).ok();
        match position.and_then(|position| self.statistics.bound.binds().get(position)) {
            Some(Bind::Text(text)) => text.len() as f64,
            Some(Bind::Blob(bytes)) => bytes.len() as f64,
            Some(_) => SHORT,
            None => self.statistics.text_bytes as f64,
        }
    }

    /// The text of a register, where it is a literal or a parameter.
    pub fn literal(&self, program: usize, register: i64, address: usize) -> Option<String> {
        let writers = self.writers(program, register, address);
        let [only] = writers.as_slice() else {
            return None;
        };
        let writer = self.at(program, *only)?;
        match writer.opcode {
            Opcode::String8 | Opcode::String => writer.key.clone(),
            Opcode::Variable => {
                let position = usize::try_from(writer.p1 - 1).ok()?;
                match self.statistics.bound.binds().get(position)? {
                    Bind::Text(text) => Some(text.to_string()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether a value may be a text that means the time of the call. Literals and parameters were looked through before.
    pub fn may_be_now(
        &mut self,
        program: usize,
        register: i64,
        address: usize,
        depth: usize,
    ) -> bool {
        if depth > MAX_FOLLOWED {
            return true;
        }
        let operand = self.operand(program, register, address);
        if let Some(origin) = operand.origin {
            return origin.column != ROWID
                && self
                    .statistics
                    .holds_now(origin.page, origin.column)
                    .unwrap_or(true);
        }
        let writers = self.writers(program, register, address);
        for at in writers {
            let Some(writer) = self.at(program, at) else {
                return true;
            };
            let from = match writer.opcode {
                Opcode::Copy | Opcode::SCopy | Opcode::Move => {
                    Some(writer.p1 + register - writer.p2)
                }
                Opcode::Cast => Some(register),
                _ => None,
            };
            let may_be = match (writer.opcode, from) {
                (_, Some(from)) => self.may_be_now(program, from, at, depth + 1),
                (Opcode::Function | Opcode::PureFunc, _) => !functions::yields_no_text(writer),
                (Opcode::AggFinal | Opcode::AggValue, _) => {
                    let name = writer.key.as_deref().unwrap_or_default();
                    let chooses = name.starts_with("max(") || name.starts_with("min(");
                    let steps = self.steps_of(program, writer.p1);
                    let given: Vec<(i64, usize)> = steps
                        .iter()
                        .filter_map(|step| Some((self.at(program, *step)?.p2, *step)))
                        .collect();
                    !functions::yields_no_text(writer)
                        && !(chooses
                            && !given.is_empty()
                            && given.iter().all(|(register, step)| {
                                !self.may_be_now(program, *register, *step, depth + 1)
                            }))
                }
                (Opcode::Concat, _) => {
                    let parts = [writer.p1, writer.p2];
                    !parts.iter().any(|part| {
                        self.literal(program, *part, at).is_some_and(|text| {
                            text.contains(|letter: char| !letter.is_alphabetic())
                        })
                    })
                }
                (
                    Opcode::Column
                    | Opcode::VColumn
                    | Opcode::Param
                    | Opcode::RowData
                    | Opcode::SorterData,
                    _,
                ) => true,
                // Literals and numbers.
                _ => false,
            };
            if may_be {
                return true;
            }
        }
        false
    }

    fn steps_of(&self, program: usize, register: i64) -> Vec<usize> {
        let Some(one) = self.programs.get(program) else {
            return Vec::new();
        };
        let all = one.code.instructions.iter().enumerate();
        all.filter(|(_, other)| {
            matches!(other.opcode, Opcode::AggStep | Opcode::AggStep1) && other.p3 == register
        })
        .map(|(at, _)| at)
        .collect()
    }

    /// How many registers from this one on were written for a call: near it, or once for all.
    pub fn arguments_from(&self, program: usize, first: i64, address: usize) -> i64 {
        (0..MAX_ARGUMENTS)
            .take_while(|position| {
                let writers = self.writers(program, first + position, address);
                !writers.is_empty()
            })
            .count()
            .try_into()
            .unwrap_or(MAX_ARGUMENTS)
    }

    /// How often each row is read at most, when the cursor is put somewhere by these instructions: once each time, or as often as rows
    /// have the key that it is looked up by.
    fn visits(&mut self, program: usize, cursor: i64, positions: &[usize]) -> f64 {
        let mut sum = 0.0;
        for at in positions {
            let runs = self.runs(program, *at);
            let keyed = match self.measure {
                Measure::Columns => self.visits_by_key(program, cursor, *at),
                Measure::Database => None,
            };
            sum += keyed.map_or(runs, |keyed| keyed.min(runs));
        }
        sum
    }

    fn visits_by_key(&mut self, program: usize, cursor: i64, position: usize) -> Option<f64> {
        let seek = self.at(program, position)?;
        let (columns, compared) = match seek.opcode {
            Opcode::SeekRowid | Opcode::NotExists => (1, Compared::AsNumber),
            Opcode::SeekGE | Opcode::SeekLE => {
                let one = self.programs.get(program)?;
                let steps = one.code.instructions.iter();
                let mut steps =
                    steps.filter(|other| other.opcode.flow() == Flow::Step && other.p1 == cursor);
                let equal = |step: &Instruction| {
                    one.cursors.equality(&one.code, step, position) != Seek::Range
                };
                if !steps.all(equal) {
                    return None;
                }
                (1, Compared::AsText)
            }
            _ => return None,
        };
        let mut fewest = f64::INFINITY;
        for register in seek.p3..seek.p3 + columns {
            let Some(origin) = self.operand(program, register, position).origin else {
                continue;
            };
            let rows = if origin.column == ROWID {
                1.0
            } else {
                self.statistics
                    .rows_alike(origin.page, origin.column, compared, Key::NotNull)
            };
            fewest = fewest.min(rows * origin.times);
        }
        fewest.is_finite().then_some(fewest)
    }

    /// Where a cursor may have been put last when control comes to an address.
    fn reaching(&mut self, program: usize, cursor: i64, address: usize) -> Vec<usize> {
        let Some(one) = self.programs.get(program) else {
            return Vec::new();
        };
        let all = one.cursors.positions(cursor);
        if all.len() < 2 || self.measure == Measure::Database {
            return all;
        }
        if let Some(known) = self.reaching.get(&(program, cursor, address)) {
            return known.clone();
        }
        let found: Vec<usize> = all
            .iter()
            .copied()
            .filter(|position| {
                let coroutine = one.code.coroutine_around(*position);
                finds(
                    (*position, false),
                    &|at| at == address,
                    &|at| all.contains(&at),
                    |(at, started)| one.code.any_successors(at, &one.calls, coroutine, started),
                )
            })
            .collect();
        self.reaching
            .insert((program, cursor, address), found.clone());
        found
    }

    /// How often each row under a cursor is read at most. A row that is reached through its index is read as often as its entry there.
    fn positionings(&mut self, program: usize, cursor: i64, address: usize) -> f64 {
        let direct = self.reaching(program, cursor, address);
        let Some(one) = self.programs.get(program) else {
            return f64::INFINITY;
        };
        let indexes: Vec<(usize, i64)> = one
            .code
            .instructions
            .iter()
            .enumerate()
            .filter(|(_, other)| other.opcode == Opcode::DeferredSeek && other.p3 == cursor)
            .map(|(at, other)| (at, other.p1))
            .collect();
        let mut through = Vec::new();
        for (at, index) in indexes {
            through.push((index, self.reaching(program, index, at)));
        }
        if direct.is_empty() && through.is_empty() {
            return f64::INFINITY;
        }
        let mut sum = self.visits(program, cursor, &direct);
        for (index, positions) in through {
            sum += self.visits(program, index, &positions);
        }
        sum
    }

    /// How often all rows under a cursor are read at an address: as often as it is put somewhere, when each loop around the address moves
    /// it. What stays at a row while another loop turns reads that row each time.
    fn passes(&mut self, program: usize, cursor: i64, address: usize) -> f64 {
        let Some(one) = self.programs.get(program) else {
            return f64::INFINITY;
        };
        let moves: Vec<usize> = one
            .code
            .instructions
            .iter()
            .enumerate()
            .filter(|(_, other)| {
                let steps = other.opcode.flow() == Flow::Step && other.p1 == cursor;
                steps || (other.opcode == Opcode::DeferredSeek && other.p3 == cursor)
            })
            .map(|(at, _)| at)
            .chain(one.cursors.positions(cursor))
            .collect();
        let each_moves = one
            .loops
            .iter()
            .filter(|(from, to)| *from <= address && address <= *to)
            .all(|(from, to)| moves.iter().any(|at| *from <= *at && *at <= *to));
        if each_moves {
            self.positionings(program, cursor, address)
        } else {
            f64::INFINITY
        }
    }

    /// All bytes of rows that are read whole, by columns that are not told apart.
    pub fn whole_rows(
        &mut self,
        (program, address): (usize, usize),
        cursor: i64,
        runs: f64,
    ) -> f64 {
        let anything = self.statistics.lengths_of_anything();
        let all = self.passes(program, cursor, address) * anything.all;
        all.min(anything.longest * runs)
    }

    fn rowid(
        &mut self,
        program: usize,
        address: usize,
        instruction: &Instruction,
        runs: f64,
    ) -> Written {
        let pages = self
            .cursors(program)
            .map(|cursors| cursors.pages(instruction.p1))
            .unwrap_or_default();
        let times = self.passes(program, instruction.p1, address);
        Written {
            origin: pages.first().map(|page| Origin {
                page: *page,
                column: ROWID,
                times,
            }),
            ..Written::short(runs)
        }
    }

    /// Each rowid comes out of a set once, however often it was put in.
    fn rowid_of_set(&mut self, program: usize, instruction: &Instruction, runs: f64) -> Written {
        let mut found = Written::short(runs);
        let Some(one) = self.programs.get(program) else {
            return found;
        };
        let adds: Vec<(usize, i64)> = one
            .code
            .instructions
            .iter()
            .enumerate()
            .filter(|(_, other)| other.opcode == Opcode::RowSetAdd && other.p1 == instruction.p1)
            .map(|(at, other)| (at, other.p2))
            .collect();
        if let [(at, register)] = adds.as_slice() {
            found.origin = self.operand(program, *register, *at).origin;
        }
        found
    }

    fn column(
        &mut self,
        program: usize,
        address: usize,
        instruction: &Instruction,
        runs: f64,
    ) -> Written {
        // `typeof` and `octet_length` read no text.
        if instruction.p5 & ONLY_TYPE != 0 {
            return Written::short(runs);
        }
        let Some(over) = self
            .cursors(program)
            .and_then(|cursors| cursors.over(instruction.p1))
        else {
            return Written::of(self.statistics.lengths_of_anything().longest, runs);
        };
        match over {
            Over::Stored { pages } => {
                let mut longest: f64 = 0.0;
                let mut all: f64 = 0.0;
                for page in &pages {
                    let lengths = self.statistics.lengths(*page, instruction.p2, self.measure);
                    longest = longest.max(lengths.longest);
                    all = all.max(lengths.all);
                }
                let passes = self.passes(program, instruction.p1, address);
                let anything = self.statistics.lengths_of_anything();
                let most = (anything.all * passes).min(anything.longest * runs);
                Written {
                    longest,
                    total: all * passes,
                    source: Some((program, instruction.p1, most)),
                    origin: pages.first().map(|page| Origin {
                        page: *page,
                        column: instruction.p2,
                        times: passes,
                    }),
                    ..Written::short(runs)
                }
            }
            Over::Made { .. } => self.record_of(
                (program, address),
                instruction.p1,
                Some(instruction.p2),
                runs,
            ),
            Over::OneRow => self.column_of_one_row(program, address, instruction, runs),
            Over::Virtual => self.virtual_column(program, instruction, runs),
        }
    }

    /// A pseudo-cursor reads the record in a register.
    fn column_of_one_row(
        &mut self,
        program: usize,
        address: usize,
        instruction: &Instruction,
        runs: f64,
    ) -> Written {
        let Some(one) = self.programs.get(program) else {
            return Written::short(runs);
        };
        let opened = one
            .code
            .instructions
            .iter()
            .find(|other| other.opcode == Opcode::OpenPseudo && other.p1 == instruction.p1);
        let Some(register) = opened.map(|opened| opened.p2) else {
            return Written::short(runs);
        };
        let mut found = Written::short(runs);
        found.total = 0.0;
        for writer in self.writers(program, register, address) {
            let Some(record) = self.at(program, writer) else {
                continue;
            };
            let one = match record.opcode {
                Opcode::SorterData | Opcode::RowData if self.is_made(program, record.p1) => {
                    self.record_of((program, writer), record.p1, Some(instruction.p2), runs)
                }
                Opcode::MakeRecord => {
                    let field = record.p1 + instruction.p2;
                    self.same_as(program, field, writer, runs)
                }
                _ => self.write((program, writer, register)),
            };
            found.longest = found.longest.max(one.longest);
            found.total += one.total;
            found.carried |= one.carried;
            found.source = one.source;
            found.origin = one.origin;
        }
        found
    }

    /// A column of the records in a table that the statement makes, or the whole record.
    fn record_of(
        &mut self,
        (program, address): (usize, usize),
        cursor: i64,
        column: Option<i64>,
        runs: f64,
    ) -> Written {
        let Some(Over::Made { inserts, base }) = self
            .cursors(program)
            .and_then(|cursors| cursors.over(cursor))
        else {
            return Written::of(self.statistics.lengths_of_anything().longest, runs);
        };
        let passes = self.passes(program, cursor, address);
        let mut found = Written::short(runs);
        let (mut field_total, mut row_total) = (0.0, 0.0);
        let mut origins = Vec::new();
        for insert in inserts {
            let Some(register) = self.at(program, insert).map(|insert| insert.p2) else {
                continue;
            };
            let row = self.operand(program, register, insert);
            row_total += row.total;
            let record = self
                .writers(program, register, insert)
                .into_iter()
                .find(|at| {
                    self.at(program, *at)
                        .is_some_and(|other| other.opcode == Opcode::MakeRecord)
                });
            let first = record
                .and_then(|at| self.at(program, at))
                .map(|made| made.p1);
            let field = match (column, first, record) {
                (Some(column), Some(first), Some(record)) => {
                    self.operand(program, first + column, record)
                }
                _ => row,
            };
            found.longest = found.longest.max(field.longest);
            found.carried |= field.carried;
            field_total += field.total;
            origins.push(field.origin);
        }
        found.total = passes * field_total;
        if passes.is_finite() {
            found.source = Some((program, base, passes * row_total));
        }
        if let [Some(origin)] = origins.as_slice() {
            found.origin = Some(Origin {
                times: origin.times * passes,
                ..*origin
            });
        }
        if found.carried {
            // The engine bounds what a recursion hands on while it runs; most of it is short.
            found.longest = found.longest.min(SHORT_BYTES);
            found.total = found.total.min(found.longest * runs);
        }
        found
    }

    /// What a recursion may hand on, all its rows together; a LIMIT of its own is not looked for.
    pub fn carried_bytes(&self, runs: f64) -> f64 {
        let most = MAX_CARRIED_BYTES as f64;
        (runs * most / self.statistics.recursion().max(1.0)).min(most)
    }

    /// What a table-valued function makes of its argument. Full-text tables hold what is stored.
    fn virtual_column(&mut self, program: usize, instruction: &Instruction, runs: f64) -> Written {
        let filters = self
            .cursors(program)
            .map(|cursors| cursors.positions(instruction.p1))
            .unwrap_or_default();
        if !self.statistics.unfolds() {
            let anything = self.statistics.lengths_of_anything();
            let passes: f64 = filters.iter().map(|at| self.runs(program, *at)).sum();
            return Written {
                longest: anything.longest,
                total: anything.all * passes,
                ..Written::short(runs)
            };
        }
        let (mut longest, mut all) = (0.0_f64, 0.0);
        let mut carried = false;
        for filter in filters {
            let Some(first) = self.at(program, filter).map(|filter| filter.p3 + 2) else {
                continue;
            };
            let argument = self.operand(program, first, filter);
            longest = longest.max(argument.longest);
            all += argument.total;
            carried |= argument.carried;
        }
        let total = match instruction.p2 {
            JSON_ITSELF | JSON_ROOT => longest * runs,
            JSON_TYPE | JSON_ID | JSON_PARENT => return Written::short(runs),
            _ if self.statistics.unfolds_levels() => all * JSON_LEVELS,
            _ => all * 2.0,
        };
        Written {
            longest,
            total,
            carried,
            ..Written::short(runs)
        }
    }

    /// What a trigger or foreign key action gets from the statement that calls it.
    fn parameter_of_program(
        &mut self,
        program: usize,
        instruction: &Instruction,
        runs: f64,
    ) -> Written {
        let mut longest = SHORT;
        for caller in 0..self.programs.len() {
            let Some(one) = self.programs.get(caller) else {
                continue;
            };
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
        Written::of(longest, runs)
    }

    /// The bytes that an aggregate has of its rows: at most for one result, and for all of them where each row is in one group.
    fn aggregate(
        &mut self,
        program: usize,
        instruction: &Instruction,
        register: i64,
    ) -> (f64, f64) {
        let steps = self.steps_of(program, register);
        let name = instruction.key.as_deref().unwrap_or_default();
        let name = name.split('(').next().unwrap_or_default();
        let (mut longest, mut total, mut rows) = (0.0_f64, 0.0_f64, 0.0_f64);
        for at in steps {
            let Some(step) = self.at(program, at) else {
                continue;
            };
            let runs = self.runs(program, at);
            let mut of_row = 0.0;
            for argument in step.p2..step.p2 + step.p5.max(0) {
                let operand = self.operand(program, argument, at);
                of_row += operand.longest + PUNCTUATION;
                total += operand.total + PUNCTUATION * runs;
            }
            longest = longest.max(of_row);
            rows += runs;
        }
        match name {
            "group_concat" | "string_agg" | "json_group_array" | "json_group_object"
            | "jsonb_group_array" | "jsonb_group_object" => {
                let rows = rows.min(self.rows_together(program, register));
                let most = (longest * rows).min(total).min(MAX_VALUE_BYTES as f64);
                (most, total)
            }
            "count" | "sum" | "total" | "avg" | "row_number" | "rank" | "dense_rank"
            | "percent_rank" | "cume_dist" | "ntile" => (SHORT, f64::INFINITY),
            _ => (longest, total),
        }
    }

    /// The longest value that a window function has collected of its frame.
    pub fn collected(&mut self, program: usize, instruction: &Instruction) -> f64 {
        let register = if instruction.opcode == Opcode::AggInverse {
            instruction.p3
        } else {
            instruction.p1
        };
        self.aggregate(program, instruction, register).0
    }

    /// Rows that are aggregated together at most: those of the moving frame, or those that have one key.
    fn rows_together(&mut self, program: usize, register: i64) -> f64 {
        let frame = self.frame_rows(program, register).unwrap_or(f64::INFINITY);
        frame.min(self.partition_rows(program).unwrap_or(f64::INFINITY))
    }

    /// Rows of a frame of `ROWS n PRECEDING`, where the numbers are in the program.
    fn frame_rows(&self, program: usize, register: i64) -> Option<f64> {
        let instructions = self.programs.get(program)?.code.instructions;
        let moves = instructions
            .iter()
            .any(|other| other.opcode == Opcode::AggInverse && other.p3 == register);
        let text = self.statistics.bound.sql().to_ascii_lowercase();
        let other_frames = ["groups", "range", "unbounded"]
            .iter()
            .any(|word| text.contains(word));
        if !moves || other_frames || self.statistics.reads_a_view() {
            return None;
        }
        let mut rows = 2.0;
        for (at, instruction) in instructions.iter().enumerate() {
            if instruction.opcode == Opcode::MustBeInt {
                let [only] = self.writers(program, instruction.p1, at)[..] else {
                    return None;
                };
                let writer = self.at(program, only)?;
                if writer.opcode != Opcode::Integer {
                    return None;
                }
                rows += writer.p1.max(0) as f64;
            }
        }
        Some(rows)
    }

    /// Rows of one partition, where the keys of all windows are columns of stored tables, and no row of a table is there twice. A window
    /// compares the key of each row with the one before, calls what ends a partition, and copies the key.
    fn partition_rows(&mut self, program: usize) -> Option<f64> {
        let one = self.programs.get(program)?;
        let instructions = one.code.instructions;
        let windows: HashSet<i64> = instructions
            .iter()
            .filter(|other| other.opcode == Opcode::OpenDup)
            .map(|other| one.cursors.base(other.p1))
            .collect();
        let starts: Vec<usize> = (0..instructions.len())
            .filter(|at| {
                let follows = [Opcode::Compare, Opcode::Jump, Opcode::Gosub, Opcode::Copy];
                let found = instructions.get(*at..at + follows.len());
                found.is_some_and(|found| found.iter().map(|one| one.opcode).eq(follows))
            })
            .collect();
        if starts.len() != windows.len() {
            return None;
        }
        let mut most: f64 = 0.0;
        for at in starts {
            let compare = self.at(program, at)?;
            let mut of_page: HashMap<i64, Vec<(i64, String)>> = HashMap::new();
            for register in compare.p1..compare.p1 + compare.p3 {
                let origin = self.operand(program, register, at).origin?;
                let key = (origin.column, COARSEST.to_owned());
                of_page.entry(origin.page).or_default().push(key);
            }
            let compared = self.runs(program, at);
            let mut rows = f64::INFINITY;
            for (page, columns) in of_page {
                if compared <= self.statistics.rows(page) {
                    let key = self
                        .statistics
                        .rows_of_one_key(page, &columns, Key::MayBeNull);
                    rows = rows.min(key);
                }
            }
            most = most.max(rows);
        }
        Some(most)
    }
}

/// The collation that takes most texts for equal; trailing spaces are left to the words that follow them.
const COARSEST: &str = "NOCASE";

/// The writers of a register that only a coroutine writes, as they are when it hands its row over.
fn handed_over(
    one: &Program<'_>,
    register: i64,
    address: usize,
    all: &[usize],
) -> Option<Vec<usize>> {
    let coroutine = one.code.coroutine_around(*all.first()?)?;
    let inside = |at: usize| one.code.coroutine_around(at) == Some(coroutine);
    if inside(address) || !all.iter().all(|at| inside(*at)) {
        return None;
    }
    let yields = one.code.instructions.iter().enumerate();
    yields
        .filter(|(_, other)| {
            other.opcode.flow() == Flow::Yield && other.p1 == coroutine && other.p2 == 0
        })
        .map(|(at, _)| one.code.written_by(register, at, MAX_LOOKED_BACK))
        .collect()
}

/// `OPFLAG_TYPEOFARG`, which `OPFLAG_BYTELENARG` has in it.
const ONLY_TYPE: i64 = 0x80;

/// What an aggregate puts between two values.
const PUNCTUATION: f64 = 4.0;

/// Columns of `json_each` and `json_tree`.
const JSON_TYPE: i64 = 2;
const JSON_ID: i64 = 4;
const JSON_PARENT: i64 = 5;
const JSON_ITSELF: i64 = 8;
const JSON_ROOT: i64 = 9;

fn program(instructions: &[Instruction]) -> Program<'_> {
    let code = Code::new(instructions);
    let mut writers: HashMap<i64, Vec<usize>> = HashMap::new();
    let mut loops = Vec::new();
    for (at, instruction) in instructions.iter().enumerate() {
        // What starts or calls writes where to return to.
        let returns = matches!(
            instruction.opcode.flow(),
            Flow::Gosub | Flow::InitCoroutine | Flow::Yield
        ) || matches!(
            instruction.opcode,
            Opcode::EndCoroutine | Opcode::Null | Opcode::BeginSubrtn
        );
        if !returns {
            for register in instruction.written() {
                writers.entry(register).or_default().push(at);
            }
        }
        // A subroutine is no loop, nor is the end of the program, where constants are set.
        if !matches!(instruction.opcode.flow(), Flow::Gosub | Flow::Return) {
            for (target, _) in code.successors(at, None) {
                if target <= at && target > 1 {
                    loops.push((target, at));
                }
            }
        }
    }
    Program {
        code,
        calls: Calls::of(instructions),
        cursors: Cursors::of(instructions),
        writers,
        loops,
    }
}
