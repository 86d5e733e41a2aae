//! How often an edge of the program may be taken at most, where that follows from what the instruction does: a cursor moves over as many
//! rows as there are, a coroutine is read as often as it yields, a LIMIT counts down from its value.
//!
//! An allowance is a sum of products: how often certain instructions run, times what each run allows.

use std::collections::{BTreeSet, HashMap};

use super::cursors::{Cursors, Over, Seek};
use super::graph::{Calls, Code, Edge, Graph, Place};
use super::opcode::{Flow, Opcode};
use super::program::Instruction;

/// What the data says, asked for by root page.
pub(super) trait Data {
    /// Rows of the table, or entries of the index, at most.
    fn rows(&self, page: i64) -> f64;

    /// Rows at most that have the same values in the first columns of an index.
    fn rows_of_one_prefix(&self, page: i64, columns: usize, key: Key) -> f64;

    /// Rows at most that have the same values in these columns of a table, compared by these collations.
    fn rows_of_one_key(&self, page: i64, columns: &[(i64, String)], key: Key) -> f64;

    /// Rows of a virtual table with this argument.
    fn virtual_rows(&self, argument: Argument) -> f64;

    /// Steps of a recursion whose LIMIT is computed by the statement.
    fn recursion(&self) -> f64;

    /// Whether the column is declared NOT NULL.
    fn is_never_null(&self, page: i64, column: i64) -> bool;
}

/// Whether a key that rows are looked up by may be NULL. `=` never matches NULL, `IS` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    NotNull,
    MayBeNull,
}

/// What a table-valued function is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Argument {
    /// A parameter or a literal.
    Given,
    /// A column of a stored table, by root page and number.
    Column(i64, i64),
    Computed,
}

/// What one run of an instruction allows.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Factor {
    Fixed(f64),
    /// As many as these instructions insert.
    Inserted(Vec<Place>),
}

/// Part of an allowance.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Term {
    pub places: Vec<Place>,
    pub factor: Factor,
}

/// How often an edge may be taken.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Allowance {
    /// Once for each run of the program.
    pub once: bool,
    pub terms: Vec<Term>,
    /// Rests on the limit that the gate gives every recursion, and is used only where nothing else ends a loop.
    pub of_recursion: bool,
}

impl Allowance {
    fn times(places: Vec<Place>, factor: f64) -> Self {
        Self {
            terms: vec![Term {
                places,
                factor: Factor::Fixed(factor),
            }],
            ..Self::default()
        }
    }
}

/// The allowances of a statement, one for each edge that has one.
pub(super) fn allowances(
    programs: &[Vec<Instruction>],
    graph: &Graph,
    data: &impl Data,
) -> Vec<Option<Allowance>> {
    let readers: Vec<Reader<'_, _>> = programs
        .iter()
        .enumerate()
        .map(|(number, instructions)| Reader {
            number,
            code: Code::new(instructions),
            calls: Calls::of(instructions),
            cursors: Cursors::of(instructions),
            data,
        })
        .collect();
    let mut known: HashMap<(Place, bool), Option<Allowance>> = HashMap::new();
    graph
        .edges
        .iter()
        .map(|edge: &Edge| {
            let place = graph.places.get(edge.from).copied()?;
            let (program, address) = place;
            known
                .entry((place, edge.jumps))
                .or_insert_with(|| readers.get(program)?.allowance(address, edge.jumps))
                .clone()
        })
        .collect()
}

struct Reader<'a, D> {
    number: usize,
    code: Code<'a>,
    calls: Calls,
    cursors: Cursors,
    data: &'a D,
}

impl<D: Data> Reader<'_, D> {
    fn allowance(&self, address: usize, jumps: bool) -> Option<Allowance> {
        let instruction = self.code.at(address)?;
        match (instruction.opcode.flow(), instruction.opcode) {
            (Flow::Step, _) if jumps => self.step(address, instruction),
            (Flow::Step, _) => self.past_the_end(instruction),
            (Flow::Once, _) if !jumps => Some(Allowance {
                once: true,
                ..Allowance::default()
            }),
            (Flow::Yield, _) if !jumps && instruction.p2 != 0 => {
                Some(Allowance::times(self.yields(instruction.p1), 1.0))
            }
            (_, Opcode::DecrJumpZero) if !jumps => self.countdown(instruction.p1, 1),
            (_, Opcode::IfPos) if jumps && instruction.p3 > 0 => {
                self.countdown(instruction.p1, instruction.p3)
            }
            (_, Opcode::IfPos) if !jumps && instruction.p3 == 0 => self.unmatched(address),
            (_, Opcode::RowSetRead) if !jumps => {
                let adds = self.all(|other| {
                    matches!(other.opcode, Opcode::RowSetAdd | Opcode::RowSetTest)
                        && other.p1 == instruction.p1
                });
                Some(Allowance::times(adds, 1.0))
            }
            _ => None,
        }
    }

    fn all(&self, chosen: impl Fn(&Instruction) -> bool) -> Vec<Place> {
        self.code
            .instructions
            .iter()
            .enumerate()
            .filter(|(_, instruction)| chosen(instruction))
            .map(|(address, _)| (self.number, address))
            .collect()
    }

    /// What a coroutine hands out: the yields without a target are its own.
    fn yields(&self, register: i64) -> Vec<Place> {
        self.all(|other| other.opcode == Opcode::Yield && other.p1 == register && other.p2 == 0)
    }

    /// A counter that starts at the values it is set to.
    fn countdown(&self, register: i64, by: i64) -> Option<Allowance> {
        let mut allowance = Allowance::default();
        let mut is_set = false;
        for (address, instruction) in self.code.instructions.iter().enumerate() {
            if !instruction.sets(register) {
                continue;
            }
            is_set = true;
            let place = vec![(self.number, address)];
            let factor = if instruction.opcode == Opcode::Integer {
                let passes = instruction.p1 / by.max(1);
                if passes <= 0 {
                    // A negative limit is none; an offset of 0 never jumps.
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

    /// LEFT JOIN: a row of the left side without a match goes through the loop once, with NULLs. The way back leads to the instruction that
    /// notes a match, so it is taken once for each time that the note is erased.
    fn unmatched(&self, address: usize) -> Option<Allowance> {
        let register = self.code.at(address)?.p1;
        let mut at = address + 1;
        loop {
            let instruction = self.code.at(at)?;
            match instruction.opcode.flow() {
                Flow::Next => at += 1,
                Flow::Goto => break,
                _ => return None,
            }
        }
        let back = self.code.at(self.code.at(at)?.target()?)?;
        let notes = back.opcode == Opcode::Integer && back.p1 > 0 && back.p2 == register;
        let erased = self.all(|other| {
            other.sets(register) && !(other.opcode == Opcode::Integer && other.p1 > 0)
        });
        notes.then(|| {
            let mut allowance = Allowance::times(erased, 1.0);
            allowance.once = true;
            allowance
        })
    }

    /// A cursor moves over the rows that lie behind where it was put.
    fn step(&self, address: usize, instruction: &Instruction) -> Option<Allowance> {
        let cursor = instruction.p1;
        let positions = self.positions_of(cursor, address);
        let over = self.cursors.over(cursor)?;
        if let Over::Made { inserts, .. } = &over {
            let inserts: Vec<Place> = inserts.iter().map(|at| (self.number, *at)).collect();
            if self.passes_once(cursor, &positions) {
                return Some(Allowance::times(inserts, 1.0));
            }
        }
        let terms = positions
            .into_iter()
            .map(|position| Term {
                places: vec![(self.number, position)],
                factor: self.moves(instruction, position, &over),
            })
            .collect();
        Some(Allowance {
            terms,
            ..Allowance::default()
        })
    }

    /// The cursors of a window function wait at the end of its rows for the next one, so each row lets each cursor run past the end once.
    fn past_the_end(&self, instruction: &Instruction) -> Option<Allowance> {
        let cursor = instruction.p1;
        let Over::Made { inserts, base } = self.cursors.over(cursor)? else {
            return None;
        };
        if !self.cursors.has_duplicates(base) {
            return None;
        }
        let rows = inserts.into_iter().chain(self.cursors.positions(cursor));
        let places = rows.map(|at| (self.number, at)).collect();
        Some(Allowance::times(places, 1.0))
    }

    /// The positionings of a cursor that may be the last one before a step. Where none is found, all of them count.
    fn positions_of(&self, cursor: i64, step: usize) -> Vec<usize> {
        let all = self.cursors.positions(cursor);
        if all.len() < 2 {
            return all;
        }
        let reaching: Vec<usize> = all
            .iter()
            .copied()
            .filter(|position| self.reaches(*position, &|at| at == step, &|at| all.contains(&at)))
            .collect();
        if reaching.is_empty() { all } else { reaching }
    }

    /// Whether some path from behind `start` comes to a `goal` without passing a `wall`.
    fn reaches(
        &self,
        start: usize,
        goal: &dyn Fn(usize) -> bool,
        wall: &dyn Fn(usize) -> bool,
    ) -> bool {
        let coroutine = self.code.coroutine_around(start);
        let successors = |at: usize, started| {
            self.code
                .any_successors(at, &self.calls, coroutine, started)
        };
        let mut seen = BTreeSet::new();
        let mut open = successors(start, false);
        while let Some((at, started)) = open.pop() {
            if !seen.insert((at, started)) {
                continue;
            }
            if goal(at) {
                return true;
            }
            if !wall(at) {
                open.extend(successors(at, started));
            }
        }
        false
    }

    /// Whether the rows of a table that the statement makes are gone through only once between two times that it is emptied.
    fn passes_once(&self, cursor: i64, positions: &[usize]) -> bool {
        if positions
            .iter()
            .all(|position| self.only_with_first_row(cursor, *position))
        {
            return true;
        }
        let emptied = self.cursors.emptied(cursor);
        let is_emptied = |at: usize| emptied.contains(&at);
        let is_position = |at: usize| positions.contains(&at);
        positions
            .iter()
            .all(|position| !self.reaches(*position, &is_position, &is_emptied))
    }

    /// Window functions put their cursors at the first row when the row that was just inserted is the first of its partition:
    /// `NewRowid t r; Insert t; Ne one L r`, and the block up to L, which nothing jumps into.
    fn only_with_first_row(&self, cursor: i64, position: usize) -> bool {
        let Some(Over::Made { base, .. }) = self.cursors.over(cursor) else {
            return false;
        };
        (1..position).rev().take(MAX_BLOCK).any(|address| {
            self.guards_first_row(address, base)
                .is_some_and(|end| position < end && !self.is_entered(address + 1, end))
        })
    }

    /// The end of the block that runs only with the first row of a table.
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

    /// Whether the register is set once, to 1.
    fn is_one(&self, register: i64) -> bool {
        let mut writers = self
            .code
            .instructions
            .iter()
            .filter(|instruction| instruction.sets(register));
        let first = writers.next();
        first.is_some_and(|writer| writer.opcode == Opcode::Integer && writer.p1 == 1)
            && writers.next().is_none()
    }

    /// Whether an instruction outside of the block jumps into it.
    fn is_entered(&self, from: usize, to: usize) -> bool {
        self.code
            .instructions
            .iter()
            .enumerate()
            .filter(|(at, _)| *at + 1 < from || *at >= to)
            .any(|(at, _)| {
                self.code
                    .any_successors(at, &self.calls, None, false)
                    .iter()
                    .any(|(target, _)| (from..to).contains(target))
            })
    }

    /// Whether a seek may be for NULL: it is not where each value is checked before, or comes from what is never NULL.
    fn key(&self, position: usize, columns: usize) -> Key {
        let Some(first) = self.code.at(position).map(|seek| seek.p3) else {
            return Key::MayBeNull;
        };
        let columns = i64::try_from(columns).unwrap_or(i64::MAX);
        let never_null = (first..first.saturating_add(columns))
            .all(|register| self.is_never_null(register, position));
        if never_null {
            Key::NotNull
        } else {
            Key::MayBeNull
        }
    }

    fn is_never_null(&self, register: i64, before: usize) -> bool {
        let mut register = register;
        for address in (0..before).rev().take(MAX_BLOCK) {
            let Some(instruction) = self.code.at(address) else {
                return false;
            };
            if instruction.opcode == Opcode::IsNull && instruction.p1 == register {
                return true;
            }
            if !instruction.sets(register) {
                continue;
            }
            if matches!(instruction.opcode, Opcode::Copy | Opcode::SCopy) {
                register = instruction.p1 + (register - instruction.p2);
                continue;
            }
            return self.yields_a_value(instruction);
        }
        // Constants are set at the end of the program, where it starts.
        let mut writers = self
            .code
            .instructions
            .iter()
            .filter(|instruction| instruction.sets(register));
        writers.all(|instruction| is_constant(instruction.opcode))
    }

    /// Whether what the instruction writes is never NULL. A row that an outer join adds has nothing but NULLs.
    fn yields_a_value(&self, instruction: &Instruction) -> bool {
        let cursor = instruction.p1;
        let of_outer_join = || {
            self.code
                .instructions
                .iter()
                .any(|other| other.opcode == Opcode::NullRow && other.p1 == cursor)
        };
        match instruction.opcode {
            Opcode::Rowid | Opcode::IdxRowid => !of_outer_join(),
            Opcode::Column => {
                let pages = self.cursors.pages(cursor);
                let declared = |page: &i64| self.data.is_never_null(*page, instruction.p2);
                !pages.is_empty() && pages.iter().all(declared) && !of_outer_join()
            }
            other => is_constant(other),
        }
    }

    /// Rows that one positioning leaves to move over.
    fn moves(&self, step: &Instruction, position: usize, over: &Over) -> Factor {
        let key = self.cursors.equality(&self.code, step, position);
        match (over, key) {
            (Over::Stored { pages }, Seek::Range) => Factor::Fixed(
                pages
                    .iter()
                    .map(|page| self.data.rows(*page))
                    .fold(0.0, f64::max),
            ),
            (Over::Stored { pages }, Seek::Equal(columns)) => Factor::Fixed(
                pages
                    .iter()
                    .map(|page| {
                        let key = self.key(position, columns);
                        self.data.rows_of_one_prefix(*page, columns, key)
                    })
                    .fold(0.0, f64::max),
            ),
            (Over::Made { inserts, .. }, key) => {
                if let Seek::Equal(columns) = key
                    && let Some((page, names)) =
                        self.cursors.source_of_key(&self.code, step.p1, columns)
                {
                    let key = self.key(position, columns);
                    return Factor::Fixed(self.data.rows_of_one_key(page, &names, key));
                }
                Factor::Inserted(inserts.iter().map(|at| (self.number, *at)).collect())
            }
            (Over::Virtual, _) => Factor::Fixed(
                self.data
                    .virtual_rows(self.cursors.argument(&self.code, position)),
            ),
            (Over::OneRow, _) => Factor::Fixed(1.0),
        }
    }
}

/// Instructions that a block of the window functions has at most; a longer one counts as run for each row.
const MAX_BLOCK: usize = 200;

fn is_constant(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::Integer | Opcode::Int64 | Opcode::Real | Opcode::String8
    )
}
