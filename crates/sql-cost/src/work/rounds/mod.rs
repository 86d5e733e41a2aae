//! Finds from the instructions how often an edge of the program may be taken: a cursor moves over
//! as many rows as there are, a coroutine is read as often as it yields, a LIMIT counts down from
//! its value.
//!
//! An allowance is a sum of products: how often certain instructions run, times the number that
//! each run allows. `visits` bounds a loop over one key by the number of times that each row is
//! visited, and `keys` has the facts about the key.

mod conditions;
mod filters;
mod keys;
mod nest;
mod visits;

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use super::bytecode::code::{Calls, Code};
use super::bytecode::cursors::{CursorSource, Cursors, Seek};
use super::bytecode::facts::Facts;
use super::bytecode::opcode::{Flow, Opcode};
use super::bytecode::program::Instruction;
use super::bytecode::reach::Reach;
use super::data::Data;
use super::data::derived::{CountedSubQuery, DerivedTable};
use super::flow::allowance::{Allowance, Factor, Term};
use super::flow::graph::{ContextEntry, Edge, Graph, InstructionAddress};

/// Returns the allowances of a statement, one for each edge that has one.
pub fn allowances(
    programs: &[Facts<'_>],
    graph: &Graph,
    data: &impl Data,
    made: &[DerivedTable],
) -> Vec<Option<Allowance>> {
    let readers: Vec<Reader<'_, _>> = programs
        .iter()
        .enumerate()
        .map(|(number, facts)| Reader {
            number,
            facts,
            code: &facts.code,
            calls: &facts.calls,
            cursors: &facts.cursors,
            met: RefCell::default(),
            additions: OnceCell::new(),
            starts: OnceCell::new(),
            data,
            // Sub-queries of triggers and foreign keys are not counted.
            made: if number == 0 { made } else { &[] },
            graph,
        })
        .collect();
    let mut known: HashMap<(InstructionAddress, bool), Option<Allowance>> = HashMap::new();
    graph
        .edges
        .iter()
        .map(|edge: &Edge| {
            let place = graph.places.get(edge.from).copied()?;
            let (program, address) = place;
            if readers.get(program)?.code.meter.is_used_up() {
                return None;
            }
            known
                .entry((place, edge.jumps))
                .or_insert_with(|| readers.get(program)?.allowance(address, edge.jumps))
                .clone()
        })
        .collect()
}

/// One program of the statement, with facts about its data.
pub struct Reader<'a, D> {
    pub number: usize,
    facts: &'a Facts<'a>,
    pub code: &'a Code<'a>,
    pub calls: &'a Calls,
    pub cursors: &'a Cursors,
    /// The instructions of each loop that nothing in the loop jumps over.
    met: RefCell<HashMap<Range<usize>, Rc<[usize]>>>,
    /// Instructions that may add rows to stored tables.
    additions: OnceCell<Vec<usize>>,
    /// For the start address of each coroutine, its register and the instructions that start it.
    starts: OnceCell<HashMap<usize, (i64, Vec<InstructionAddress>)>>,
    pub data: &'a D,
    pub made: &'a [DerivedTable],
    pub graph: &'a Graph,
}

impl<D: Data> Reader<'_, D> {
    fn allowance(&self, address: usize, jumps: bool) -> Option<Allowance> {
        let instruction = self.code.at(address)?;
        match (instruction.opcode.flow(), instruction.opcode) {
            (Flow::Step, _) if jumps => {
                let by_data = self.step(address, instruction);
                match self.counted_visits(address) {
                    Some(counted) => Some(Allowance {
                        otherwise: by_data.map(|allowance| allowance.terms),
                        ..counted
                    }),
                    None => by_data,
                }
            }
            (Flow::Step, _) => self.past_the_end(instruction),
            (Flow::Once, _) if !jumps => Some(Allowance {
                once: true,
                ..Allowance::default()
            }),
            (Flow::Yield, _) if !jumps && instruction.p2 != 0 => {
                Some(self.handed_out(instruction.p1))
            }
            (_, Opcode::DecrJumpZero) if !jumps => self.countdown(instruction.p1, 1),
            (_, Opcode::IfPos) if jumps && instruction.p3 > 0 => {
                self.countdown(instruction.p1, instruction.p3)
            }
            (_, Opcode::IfPos) if !jumps && instruction.p3 == 0 => self.unmatched(address),
            (_, Opcode::RowSetRead) if !jumps => {
                let adds = [Opcode::RowSetAdd, Opcode::RowSetTest]
                    .into_iter()
                    .flat_map(|opcode| self.code.operating(opcode, instruction.p1));
                Some(Allowance::times(self.places(adds), 1.0))
            }
            _ => self
                .leads_to_removal(address, jumps)
                .or_else(|| (!jumps).then(|| self.passing(address)).flatten()),
        }
    }

    /// Returns the allowance of an edge that leads to the removal of a row and nowhere else. A
    /// window function removes each row of its table once it has passed it, so such an edge is
    /// taken as often as rows are inserted.
    fn leads_to_removal(&self, address: usize, jumps: bool) -> Option<Allowance> {
        let instruction = self.code.at(address)?;
        let start = if jumps {
            instruction.target()?
        } else {
            address + 1
        };
        for at in start..start + MAX_CHAIN {
            let next = self.code.at(at)?;
            if next.opcode == Opcode::Delete
                && let Some(CursorSource::Made { inserts, base }) = self.cursors.over(next.p1)
                && self.cursors.has_duplicates(base)
            {
                let places = inserts.into_iter().map(|at| (self.number, at)).collect();
                return Some(Allowance::times(places, 1.0));
            }
            if !matches!(next.opcode.flow(), Flow::Next | Flow::Gosub) {
                return None;
            }
        }
        None
    }

    fn places<'p>(
        &self,
        addresses: impl IntoIterator<Item = &'p usize>,
    ) -> Vec<InstructionAddress> {
        let addresses = addresses.into_iter();
        addresses.map(|address| (self.number, *address)).collect()
    }

    /// Returns the number of rows that a coroutine hands out: the rows that were counted, for each
    /// start, or as often as it yields. Its own yields are those without a target.
    fn handed_out(&self, register: i64) -> Allowance {
        let counted = self.made.iter().find_map(|made| {
            let DerivedTable::Coroutine { start, measured } = made else {
                return None;
            };
            let (coroutine, starts) = self.coroutine(*start)?;
            (coroutine == register).then(|| Allowance::times(starts, measured.rows))
        });
        if let Some(counted) = counted {
            return counted;
        }
        let is_own = |at: &&usize| self.code.at(**at).is_some_and(|other| other.p2 == 0);
        let yields = self.code.operating(Opcode::Yield, register).iter();
        Allowance::times(self.places(yields.filter(is_own)), 1.0)
    }

    /// Returns the count of the table of a cursor.
    pub fn measured(&self, base: i64) -> Option<CountedSubQuery> {
        self.made.iter().find_map(|made| match made {
            DerivedTable::Table { cursor, measured } if *cursor == base => Some(*measured),
            DerivedTable::Coroutine { .. } | DerivedTable::Table { .. } => None,
        })
    }

    /// Returns the allowance of a counter that counts down from the values it is set to.
    fn countdown(&self, register: i64, by: i64) -> Option<Allowance> {
        let mut allowance = Allowance::default();
        let mut is_set = false;
        for address in self.code.writers(register) {
            let instruction = self.code.at(*address)?;
            is_set = true;
            let place = vec![(self.number, *address)];
            let factor = if instruction.opcode == Opcode::Integer {
                let passes = instruction.p1 / by.max(1);
                if passes <= 0 {
                    // A negative limit means no limit; an offset of 0 never jumps.
                    if by == 1 && instruction.p1 < 0 {
                        return None;
                    }
                    continue;
                }
                passes as f64
            } else {
                allowance.of_recursion = true;
                self.data.recursion()
            };
            allowance.terms.push(Term {
                places: place,
                factor: Factor::Fixed(factor),
            });
        }
        is_set.then_some(allowance)
    }

    /// Returns the allowance of the way back in a LEFT JOIN: a row of the left side without a match
    /// goes through the loop once, with NULLs. The way back leads to the instruction that records a
    /// match, so it is taken once for each time that the record is cleared.
    fn unmatched(&self, address: usize) -> Option<Allowance> {
        let register = self.code.at(address)?.p1;
        let mut at = address + 1;
        loop {
            let instruction = self.code.at(at)?;
            match instruction.opcode.flow() {
                Flow::Next => at += 1,
                Flow::Goto => break,
                Flow::Branch
                | Flow::Jump
                | Flow::Seek
                | Flow::SeekScan
                | Flow::Step
                | Flow::Once
                | Flow::Gosub
                | Flow::Return
                | Flow::InitCoroutine
                | Flow::Yield
                | Flow::Program
                | Flow::End => return None,
            }
        }
        let back = self.code.at(self.code.at(at)?.target()?)?;
        let notes = back.opcode == Opcode::Integer && back.p1 > 0 && back.p2 == register;
        let erases = |at: &&usize| {
            let writer = self.code.at(**at);
            !writer.is_some_and(|other| other.opcode == Opcode::Integer && other.p1 > 0)
        };
        let erased = self.places(self.code.writers(register).iter().filter(erases));
        notes.then(|| {
            let mut allowance = Allowance::times(erased, 1.0);
            allowance.once = true;
            allowance
        })
    }

    /// Returns the number of rows that a cursor moves over from the points at which it is
    /// positioned.
    fn step(&self, address: usize, instruction: &Instruction) -> Option<Allowance> {
        let cursor = instruction.p1;
        let positions = self.positions_of(cursor, address);
        let over = self.cursors.over(cursor)?;
        if let CursorSource::Made { inserts, base } = &over {
            let place = |at: &usize| (self.number, *at);
            if self.passes_once(cursor, &positions) {
                return Some(match self.measured(*base) {
                    Some(measured) => {
                        let emptied = self.cursors.emptied(cursor).iter().map(place).collect();
                        Allowance::times(emptied, measured.rows)
                    }
                    None => Allowance::times(inserts.iter().map(place).collect(), 1.0),
                });
            }
        }
        let otherwise = positions
            .iter()
            .map(|position| self.visits_of_all(instruction, *position, &over))
            .collect();
        let mut terms: Vec<Term> = positions
            .iter()
            .map(|position| Term {
                places: vec![(self.number, *position)],
                factor: self.moves(instruction, *position, &over),
            })
            .collect();
        let mut grows = self.inserted_into(cursor);
        if !grows.is_empty() {
            let starts: Vec<usize> = grows.iter().map(|(_, at)| *at).collect();
            let reach = Reach::of(self.code, self.calls, &starts, &[]);
            let mut reaching = reach
                .reaching(self.code, self.calls, &positions)
                .into_iter();
            grows.retain(|_| reaching.next().unwrap_or(true));
        }
        if !grows.is_empty() {
            // A table that the statement also fills has the rows inserted so far as well.
            terms.extend(positions.iter().map(|position| {
                let around = self.loops_around(*position);
                let mut inserts = grows.iter();
                let in_turn = inserts.all(|(_, insert)| self.loops_around(*insert) == around);
                let factor = if in_turn && !around.is_empty() {
                    Factor::InsertedSoFar
                } else {
                    Factor::Inserted
                };
                Term {
                    places: vec![(self.number, *position)],
                    factor: factor(grows.clone()),
                }
            }));
            return Some(Allowance {
                terms,
                ..Allowance::default()
            });
        }
        Some(Allowance {
            terms,
            otherwise,
            ..Allowance::default()
        })
    }

    /// Returns the instructions that add rows to the stored table or index of a cursor. An UPDATE
    /// only replaces rows that it has removed.
    pub fn inserted_into(&self, cursor: i64) -> Vec<InstructionAddress> {
        let pages = self.cursors.pages(cursor);
        if pages.is_empty() {
            return Vec::new();
        }
        let additions = self.additions.get_or_init(|| self.additions());
        let is_into = |at: &&usize| {
            self.code.meter.takes(2);
            let into = self.code.at(**at).map(|other| self.cursors.pages(other.p1));
            into.is_some_and(|into| into.iter().any(|page| pages.contains(page)))
        };
        self.places(additions.iter().filter(is_into))
    }

    fn additions(&self) -> Vec<usize> {
        let is_written =
            |one: &Instruction| one.opcode == Opcode::Insert && self.cursors.is_stored(one.p1);
        let instructions = self.code.instructions.iter();
        self.code.meter.takes(self.code.instructions.len());
        let mut written = instructions
            .clone()
            .filter(|one| is_written(one))
            .peekable();
        let only_updates = written.peek().is_some() && written.all(|one| one.p5 & REPLACES != 0);
        if only_updates {
            return Vec::new();
        }
        instructions
            .enumerate()
            .filter(|(_, other)| {
                matches!(other.opcode, Opcode::Insert | Opcode::IdxInsert)
                    && other.p5 & REPLACES == 0
                    && !self.cursors.pages(other.p1).is_empty()
            })
            .map(|(at, _)| at)
            .collect()
    }

    /// Returns the register of the coroutine that starts at an address, and the instructions that
    /// start it.
    pub fn coroutine(&self, start: usize) -> Option<(i64, Vec<InstructionAddress>)> {
        let starts = self.starts.get_or_init(|| self.coroutines());
        starts.get(&start).cloned()
    }

    fn coroutines(&self) -> HashMap<usize, (i64, Vec<InstructionAddress>)> {
        let mut registers: HashMap<usize, i64> = HashMap::new();
        for other in self.code.instructions {
            if other.opcode == Opcode::InitCoroutine
                && let Ok(start) = usize::try_from(other.p3)
            {
                registers.entry(start).or_insert(other.p1);
            }
        }
        let mut seen = HashSet::new();
        let mut found = HashMap::new();
        for context in &self.graph.contexts {
            let Some((program, start)) = self.graph.places.get(context.entry).copied() else {
                continue;
            };
            if program != self.number || !seen.insert(start) {
                continue;
            }
            if let (ContextEntry::From(places), Some(register)) =
                (&context.entered, registers.get(&start))
            {
                found.insert(start, (*register, places.clone()));
            }
        }
        found
    }

    /// Returns the allowance of the edge after the last row. The cursors of a window function wait
    /// at the end of its rows for the next one, so each row lets each cursor run past the end once.
    fn past_the_end(&self, instruction: &Instruction) -> Option<Allowance> {
        let cursor = instruction.p1;
        let CursorSource::Made { inserts, base } = self.cursors.over(cursor)? else {
            return None;
        };
        if !self.cursors.has_duplicates(base) {
            return None;
        }
        let rows = inserts.into_iter().chain(self.cursors.positions(cursor));
        let places = rows.map(|at| (self.number, at)).collect();
        Some(Allowance::times(places, 1.0))
    }

    /// Returns the positionings of a cursor that may be the last one before a step.
    pub fn positions_of(&self, cursor: i64, step: usize) -> Vec<usize> {
        self.facts.positions_before(cursor, step)
    }

    /// Returns true if the rows of a table that the statement makes are gone through only once
    /// before it is emptied again.
    fn passes_once(&self, cursor: i64, positions: &[usize]) -> bool {
        if positions
            .iter()
            .all(|position| self.only_with_first_row(cursor, *position))
        {
            return true;
        }
        !self.facts.is_put_again(cursor, positions)
    }

    /// Returns true if a positioning runs only with the first row of a partition. Window functions
    /// put their cursors at the first row if the row that was just inserted is the first of its
    /// partition: `NewRowid t r; Insert t; Ne one L r`, and the block up to L, which nothing jumps
    /// into.
    fn only_with_first_row(&self, cursor: i64, position: usize) -> bool {
        let Some(CursorSource::Made { base, .. }) = self.cursors.over(cursor) else {
            return false;
        };
        (1..position).rev().take(MAX_BLOCK).any(|address| {
            self.guards_first_row(address, base)
                .is_some_and(|end| position < end && !self.is_entered(address + 1, end))
        })
    }

    /// Returns the end of the block that runs only with the first row of a table.
    fn guards_first_row(&self, address: usize, base: i64) -> Option<usize> {
        let guard = self.code.at(address)?;
        let insert = self.code.at(address.checked_sub(1)?)?;
        let numbered = self.code.at(address.checked_sub(2)?)?;
        let fits = guard.opcode == Opcode::Ne
            && insert.opcode == Opcode::Insert
            && numbered.opcode == Opcode::NewRowid
            && numbered.p1 == insert.p1
            && numbered.p2 == guard.p3
            && self.cursors.base(insert.p1) == base
            && self.is_one(guard.p1);
        fits.then(|| guard.target()).flatten()
    }

    /// Returns true if the register is set once, to 1.
    fn is_one(&self, register: i64) -> bool {
        let writer = self
            .code
            .only_writer(register)
            .and_then(|at| self.code.at(at));
        writer.is_some_and(|writer| writer.opcode == Opcode::Integer && writer.p1 == 1)
    }

    /// Returns true if an instruction outside of the block jumps into it.
    fn is_entered(&self, from: usize, to: usize) -> bool {
        let block = from.saturating_sub(1)..to;
        let mut ways = self.facts.ways().into(from..to);
        ways.any(|way| self.code.meter.takes(1) && way.comes_from_outside(&block, None))
    }

    /// Returns the number of rows that a cursor may move over after one positioning.
    fn moves(&self, step: &Instruction, position: usize, over: &CursorSource) -> Factor {
        let key = self.cursors.equality(self.code, step, position);
        match (over, key) {
            (CursorSource::Stored { pages }, Seek::Range) => Factor::Fixed(
                pages
                    .iter()
                    .map(|page| self.data.rows(*page))
                    .fold(0.0, f64::max),
            ),
            (CursorSource::Stored { pages }, Seek::Equal(columns)) => Factor::Fixed(
                pages
                    .iter()
                    .map(|page| {
                        let key = self.key(position, columns);
                        self.data.rows_of_one_prefix(*page, columns, key)
                    })
                    .fold(0.0, f64::max),
            ),
            (CursorSource::Made { inserts, base }, seek) => {
                if let Seek::Equal(columns) = seek
                    && let Some(rows) = self.rows_of_automatic_key(step.p1, columns, position)
                {
                    return Factor::Fixed(rows);
                }
                match self.measured(*base) {
                    Some(measured) => Factor::Fixed(measured.rows),
                    None => Factor::Inserted(inserts.iter().map(|at| (self.number, *at)).collect()),
                }
            }
            (CursorSource::Virtual, _) => Factor::Fixed(
                self.data
                    .virtual_rows(self.cursors.argument(self.code, position)),
            ),
            (CursorSource::OneRow, _) => Factor::Fixed(1.0),
        }
    }
}

/// `OPFLAG_ISUPDATE`: the row replaces an existing one.
const REPLACES: i64 = 0x04;

/// The largest number of tables that are followed outwards from a row to find how often it is
/// visited, and of instructions that are followed to a removal.
pub const MAX_CHAIN: usize = 12;

/// The largest number of instructions of a block of the window functions, and of those that are
/// searched backwards for the writer of a register.
pub const MAX_BLOCK: usize = 200;
