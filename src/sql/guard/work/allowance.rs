//! How often an edge of the program may be taken at most, where that follows from what the instruction does: a cursor moves over as many
//! rows as there are, a coroutine is read as often as it yields, a LIMIT counts down from its value.
//!
//! An allowance is a sum of products: how often certain instructions run, times what each run allows.

use std::collections::{BTreeSet, HashMap};

use super::cursors::{Cursors, Over, Seek, Source};
use super::derived::{Made, Measured};
use super::graph::{Calls, Code, Edge, Entered, Graph, Place};
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

    /// Rows at most that have a value in this column that may equal the same key, whatever the collation.
    fn rows_alike(&self, page: i64, column: i64, compared: Compared, key: Key) -> f64;

    /// How many columns a counted sub-query has.
    fn columns(&self, measured: Measured) -> Option<usize>;

    /// The same of a counted sub-query.
    fn rows_of_made_alike(
        &self,
        measured: Measured,
        column: i64,
        compared: Compared,
        key: Key,
    ) -> f64;

    /// Rows at most of a counted sub-query that have the same values in these columns.
    fn rows_of_one_made_key(&self, measured: Measured, columns: &[(i64, String)], key: Key) -> f64;

    /// Rows of a virtual table with this argument.
    fn virtual_rows(&self, argument: Argument) -> f64;

    /// Elements that all values of a column unfold into together.
    fn unfolded(&self, page: i64, column: i64) -> Option<f64>;

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

/// What becomes of a value before it is compared with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compared {
    AsItIs,
    /// A text that looks like a number is one.
    AsNumber,
    /// A number is its text.
    AsText,
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
    /// Another bound of the same: the smaller one holds.
    pub otherwise: Option<Vec<Term>>,
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
    made: &[Made],
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
            // Sub-queries of triggers and foreign keys are not counted.
            made: if number == 0 { made } else { &[] },
            graph,
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
    made: &'a [Made],
    graph: &'a Graph,
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
                Some(self.handed_out(instruction.p1))
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
            _ => self.leads_to_removal(address, jumps),
        }
    }

    /// A window function removes each row of its table once it has passed it: what leads to a removal and nowhere else runs as often as
    /// rows are inserted.
    fn leads_to_removal(&self, address: usize, jumps: bool) -> Option<Allowance> {
        let instruction = self.code.at(address)?;
        let mut at = if jumps {
            instruction.target()?
        } else {
            address + 1
        };
        for _ in 0..MAX_CHAIN {
            let next = self.code.at(at)?;
            if next.opcode == Opcode::Delete
                && let Some(Over::Made { inserts, base }) = self.cursors.over(next.p1)
                && self.cursors.has_duplicates(base)
            {
                let places = inserts.into_iter().map(|at| (self.number, at)).collect();
                return Some(Allowance::times(places, 1.0));
            }
            if !matches!(next.opcode.flow(), Flow::Next | Flow::Gosub) {
                return None;
            }
            at += 1;
        }
        None
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

    /// What a coroutine hands out: the rows that were counted for each start, or as often as it yields. The yields without a target are
    /// its own.
    fn handed_out(&self, register: i64) -> Allowance {
        let counted = self.made.iter().find_map(|made| {
            let Made::Coroutine { start, measured } = made else {
                return None;
            };
            let (coroutine, starts) = self.coroutine(*start)?;
            (coroutine == register).then(|| Allowance::times(starts, measured.rows))
        });
        if let Some(counted) = counted {
            return counted;
        }
        let yields = self
            .all(|other| other.opcode == Opcode::Yield && other.p1 == register && other.p2 == 0);
        Allowance::times(yields, 1.0)
    }

    /// What was counted of the table under a cursor.
    fn measured(&self, base: i64) -> Option<Measured> {
        self.made.iter().find_map(|made| match made {
            Made::Table { cursor, measured } if *cursor == base => Some(*measured),
            _ => None,
        })
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
        if let Over::Made { inserts, base } = &over {
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
        let terms = positions
            .into_iter()
            .map(|position| Term {
                places: vec![(self.number, position)],
                factor: self.moves(instruction, position, &over),
            })
            .collect();
        Some(Allowance {
            terms,
            otherwise,
            ..Allowance::default()
        })
    }

    /// All rows that a loop over one key visits, from the other side: each row of the inner table is visited only from outer rows with
    /// its key. That is far less than the rows of the most frequent key for each outer row, where keys are unevenly spread.
    fn visits_of_all(&self, step: &Instruction, position: usize, over: &Over) -> Option<Term> {
        if let Over::Virtual = over {
            let Argument::Column(page, column) = self.cursors.argument(&self.code, position) else {
                return None;
            };
            let outer = self.cursors.argument_cursor(&self.code, position)?;
            let mut visits = self.visits_of_one(outer, position, MAX_CHAIN)?;
            visits.scale(self.data.unfolded(page, column)?);
            return Some(visits);
        }
        let Seek::Equal(columns) = self.cursors.equality(&self.code, step, position) else {
            return None;
        };
        let rows = match over {
            Over::Stored { pages } => pages
                .iter()
                .map(|page| self.data.rows(*page))
                .fold(0.0, f64::max),
            Over::Made { .. } => {
                let (source, _) = self.cursors.source_of_key(&self.code, step.p1, columns)?;
                match source {
                    Source::Stored(page) => self.data.rows(page),
                    Source::Made(base) => self.measured(base)?.rows,
                }
            }
            Over::Virtual | Over::OneRow => return None,
        };
        let first = self.code.at(position)?.p3;
        let mut visits = self.visits_by_key(first, columns, position, MAX_CHAIN)?;
        visits.scale(rows);
        Some(visits)
    }

    /// How often a row is visited at most when it is looked up by the key in these registers.
    fn visits_by_key(
        &self,
        first: i64,
        columns: usize,
        position: usize,
        chain: usize,
    ) -> Option<Term> {
        let columns = i64::try_from(columns).ok()?;
        (first..first + columns)
            .filter_map(|register| {
                if let Some(visits) = self.visits_by_handed_out(register, position) {
                    return Some(visits);
                }
                let (outer, alike) = self.column_in(register, position)?;
                let mut visits = self.visits_of_one(outer, position, chain)?;
                visits.scale(alike);
                Some(visits)
            })
            .next()
    }

    /// The same where the key is a column that a counted coroutine hands out.
    fn visits_by_handed_out(&self, register: i64, position: usize) -> Option<Term> {
        self.made.iter().find_map(|made| {
            let Made::Coroutine { start, measured } = made else {
                return None;
            };
            let (coroutine, starts) = self.coroutine(*start)?;
            let mut reads = self
                .code
                .instructions
                .iter()
                .enumerate()
                .filter(|(_, other)| {
                    other.opcode == Opcode::Yield && other.p1 == coroutine && other.p2 != 0
                });
            let (top, read) = match (reads.next(), reads.next()) {
                (Some(read), None) => read,
                _ => return None,
            };
            let around = top..read.target()?;
            if !around.contains(&position) || self.is_in_inner_loop(position, &around) {
                return None;
            }
            let original = self.copied_from(register, top, position)?;
            let first = self.first_column(*start, coroutine, self.data.columns(*measured)?)?;
            let compared = self.compared_as(register, position);
            let alike = self.data.rows_of_made_alike(
                *measured,
                original - first,
                compared,
                self.key_in(register, position),
            );
            Some(Term {
                places: starts,
                factor: Factor::Fixed(alike),
            })
        })
    }

    /// The register of the coroutine that starts at an address, and the places that start it.
    fn coroutine(&self, start: usize) -> Option<(i64, Vec<Place>)> {
        let register = self
            .code
            .instructions
            .iter()
            .find(|other| {
                other.opcode == Opcode::InitCoroutine && usize::try_from(other.p3) == Ok(start)
            })?
            .p1;
        let context = self.graph.contexts.iter().find(|context| {
            context.program == self.number
                && self.graph.places.get(context.entry) == Some(&(self.number, start))
        })?;
        match &context.entered {
            Entered::From(places) => Some((register, places.clone())),
            Entered::AtStart => None,
        }
    }

    /// The register that a value was copied from since `top`; `None` when it was computed there.
    fn copied_from(&self, register: i64, top: usize, position: usize) -> Option<i64> {
        let mut register = register;
        let mut before = position;
        for (at, instruction) in self
            .code
            .instructions
            .iter()
            .enumerate()
            .take(position)
            .skip(top)
            .rev()
        {
            if !instruction.sets(register) {
                continue;
            }
            if !matches!(instruction.opcode, Opcode::Copy | Opcode::SCopy)
                || self.code.is_bypassed(register, at, before)
            {
                return None;
            }
            register = instruction.p1 + (register - instruction.p2);
            before = at;
        }
        Some(register)
    }

    /// The register of the first column that a coroutine hands out. The columns lie side by side, and the last one is written last before
    /// the yield; a sorter's are written the other way round.
    fn first_column(&self, start: usize, coroutine: i64, columns: usize) -> Option<i64> {
        let columns = i64::try_from(columns).ok()?;
        let hands_out = |(_, other): &(usize, &Instruction)| {
            other.opcode == Opcode::Yield && other.p1 == coroutine && other.p2 == 0
        };
        let mut yields = self
            .code
            .instructions
            .iter()
            .enumerate()
            .skip(start)
            .filter(hands_out);
        let at = match (yields.next(), yields.next()) {
            (Some((at, _)), None) => at,
            _ => return None,
        };
        let before = self.code.instructions.get(start..at)?;
        let last = before.last().map(Instruction::written)?;
        // A sorter's columns are read from the last to the first.
        let backwards = (0..columns).zip(before.iter().rev());
        if columns > 1
            && before.len() >= usize::try_from(columns).ok()?
            && backwards.clone().all(|(offset, other)| {
                other.written() == (last.start + offset..last.start + offset + 1)
            })
        {
            return Some(last.start);
        }
        let first = last.end - columns;
        let block = before.iter().rev().take(MAX_BLOCK);
        let is_written = |register: i64| block.clone().any(|other| other.sets(register));
        // What stands behind may be a column as well: one read in another order, or a constant, which is set at the end of the program.
        let constants = self.code.at(0).and_then(Instruction::target)?;
        let constants = self.code.instructions.get(constants..)?;
        let behind = last.end;
        if last.is_empty()
            || before
                .iter()
                .chain(constants)
                .any(|other| other.sets(behind))
        {
            return None;
        }
        (first..first + columns).all(is_written).then_some(first)
    }

    /// The cursor whose column stands in a register, and how many of its rows have a value there that may equal the same key.
    fn column_in(&self, register: i64, position: usize) -> Option<(i64, f64)> {
        let (writer, _) = self.writer(register, position)?;
        let cursor = writer.p1;
        let compared = self.compared_as(register, position);
        let key = self.key_in(register, position);
        // `IS` finds rows for the NULLs of a row that an outer join adds, as often as that is added.
        if key == Key::MayBeNull && self.has_null_row(cursor) {
            return None;
        }
        match (writer.opcode, self.cursors.over(cursor)?) {
            (Opcode::Rowid | Opcode::IdxRowid, Over::Stored { .. }) => Some((cursor, 1.0)),
            (Opcode::Column, Over::Stored { pages }) => {
                let [page] = pages.as_slice() else {
                    return None;
                };
                let alike = self.data.rows_alike(*page, writer.p2, compared, key);
                Some((cursor, alike))
            }
            (Opcode::Column, Over::Made { base, .. }) => {
                if self.cursors.is_set(base) && compared == Compared::AsItIs {
                    return Some((cursor, 1.0));
                }
                let measured = self.measured(base)?;
                let alike = self
                    .data
                    .rows_of_made_alike(measured, writer.p2, compared, key);
                Some((cursor, alike))
            }
            _ => None,
        }
    }

    /// What a key is turned into before it is looked up: different values may become the same.
    fn compared_as(&self, register: i64, position: usize) -> Compared {
        let Some(seek) = self.code.at(position) else {
            return Compared::AsItIs;
        };
        if matches!(seek.opcode, Opcode::SeekRowid | Opcode::NotExists) {
            return Compared::AsNumber;
        }
        let start = position.saturating_sub(MAX_BLOCK);
        let before = self
            .code
            .instructions
            .get(start..position)
            .unwrap_or_default();
        let mut compared = Compared::AsItIs;
        for instruction in before.iter().rev() {
            let offset = register - instruction.p1;
            let covers =
                instruction.opcode == Opcode::Affinity && (0..instruction.p2).contains(&offset);
            if covers {
                let letter = instruction
                    .key
                    .as_deref()
                    .zip(usize::try_from(offset).ok())
                    .and_then(|(letters, at)| letters.as_bytes().get(at));
                match letter {
                    Some(b'A' | b'@') => {}
                    Some(b'B') => compared = Compared::AsText,
                    _ => return Compared::AsNumber,
                }
            }
            if instruction.sets(register) {
                break;
            }
        }
        compared
    }

    /// The instruction that has written a register, through copies of it.
    fn writer(&self, register: i64, before: usize) -> Option<(&Instruction, usize)> {
        let mut register = register;
        let mut before = before;
        for _ in 0..MAX_CHAIN {
            let address = self.code.written_by(register, before, MAX_BLOCK)?;
            let instruction = self.code.at(address)?;
            if !matches!(instruction.opcode, Opcode::Copy | Opcode::SCopy) {
                return Some((instruction, address));
            }
            register = instruction.p1 + (register - instruction.p2);
            before = address;
        }
        None
    }

    /// How often one row of a cursor is under it, at most, when control comes to `inside`, which lies in its loop and in no loop within
    /// that one.
    fn visits_of_one(&self, cursor: i64, inside: usize, chain: usize) -> Option<Term> {
        let chain = chain.checked_sub(1)?;
        let (seeks, around) = self.loop_of(cursor)?;
        if !around.contains(&inside) || self.is_in_inner_loop(inside, &around) {
            return None;
        }
        let [position] = seeks.as_slice() else {
            return None;
        };
        let seek = self.code.at(*position)?;
        let place = || Term {
            places: vec![(self.number, *position)],
            factor: Factor::Fixed(1.0),
        };
        match seek.opcode {
            Opcode::SeekRowid | Opcode::NotExists => {
                self.visits_by_key(seek.p3, 1, *position, chain)
            }
            _ => {
                let step = self.step_of(seek.p1)?;
                match self.cursors.equality(&self.code, step, *position) {
                    Seek::Equal(columns) => self
                        .visits_by_key(seek.p3, columns, *position, chain)
                        .or_else(|| Some(place())),
                    Seek::Range => Some(place()),
                }
            }
        }
    }

    /// Where a cursor, or the index that leads it, is put, and the addresses of the loop over its rows.
    fn loop_of(&self, cursor: i64) -> Option<(Vec<usize>, std::ops::Range<usize>)> {
        let leader = self
            .code
            .instructions
            .iter()
            .find(|other| other.opcode == Opcode::DeferredSeek && other.p3 == cursor)
            .map_or(cursor, |deferred| deferred.p1);
        let positions = self.cursors.positions(leader);
        let mut steps = self
            .code
            .instructions
            .iter()
            .enumerate()
            .filter(|(_, other)| other.opcode.flow() == Flow::Step && other.p1 == leader);
        match (steps.next(), steps.next()) {
            (Some((at, step)), None) => Some((positions, step.target()?..at)),
            // A look-up of one row: what follows it runs once for it, up to the end of the loop around it.
            (None, _) => {
                let [position] = positions.as_slice() else {
                    return None;
                };
                let end = self.end_of_loop_around(*position)?;
                Some((positions.clone(), *position + 1..end))
            }
            _ => None,
        }
    }

    fn step_of(&self, cursor: i64) -> Option<&Instruction> {
        self.code
            .instructions
            .iter()
            .find(|other| other.opcode.flow() == Flow::Step && other.p1 == cursor)
    }

    /// Jumps back, as the addresses that they go over.
    fn jumps_back(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let instructions = self.code.instructions.iter().enumerate();
        instructions.flat_map(|(at, instruction)| {
            let targets = match instruction.opcode.flow() {
                Flow::Jump => vec![instruction.p1, instruction.p2, instruction.p3],
                Flow::Next | Flow::Return | Flow::End => Vec::new(),
                _ => vec![instruction.p2],
            };
            targets
                .into_iter()
                .filter_map(|target| usize::try_from(target).ok())
                .filter(move |target| *target > 1 && *target <= at)
                .map(move |target| target..at + 1)
        })
    }

    fn end_of_loop_around(&self, address: usize) -> Option<usize> {
        self.jumps_back()
            .filter(|range| range.contains(&address))
            .map(|range| range.end)
            .min()
    }

    fn is_in_inner_loop(&self, address: usize, around: &std::ops::Range<usize>) -> bool {
        self.jumps_back().any(|range| {
            range.contains(&address) && range.start > around.start && range.end <= around.end
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

    /// Rows at most that an index made by the statement has for one key.
    fn rows_of_automatic_key(&self, cursor: i64, columns: usize, position: usize) -> Option<f64> {
        let (source, names) = self.cursors.source_of_key(&self.code, cursor, columns)?;
        let key = self.key(position, columns);
        match source {
            Source::Stored(page) => Some(self.data.rows_of_one_key(page, &names, key)),
            Source::Made(base) => {
                let measured = self.measured(base)?;
                Some(self.data.rows_of_one_made_key(measured, &names, key))
            }
        }
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

    fn key_in(&self, register: i64, position: usize) -> Key {
        if self.is_never_null(register, position) {
            Key::NotNull
        } else {
            Key::MayBeNull
        }
    }

    fn is_never_null(&self, register: i64, before: usize) -> bool {
        let mut register = register;
        let mut used = before;
        for address in (0..before).rev().take(MAX_BLOCK) {
            let Some(instruction) = self.code.at(address) else {
                return false;
            };
            let checks = instruction.opcode == Opcode::IsNull && instruction.p1 == register;
            if !checks && !instruction.sets(register) {
                continue;
            }
            if self.code.is_bypassed(register, address, used) {
                break;
            }
            if checks {
                return true;
            }
            if matches!(instruction.opcode, Opcode::Copy | Opcode::SCopy) {
                register = instruction.p1 + (register - instruction.p2);
                used = address;
                continue;
            }
            return self.yields_a_value(instruction);
        }
        // Constants are set at the end of the program, where it starts.
        let mut writers = self
            .code
            .instructions
            .iter()
            .filter(|instruction| instruction.sets(register))
            .peekable();
        writers.peek().is_some() && writers.all(|instruction| is_constant(instruction.opcode))
    }

    /// Whether the cursor may stand on a row of NULLs that its table does not have.
    fn has_null_row(&self, cursor: i64) -> bool {
        let mut instructions = self.code.instructions.iter();
        instructions.any(|other| other.opcode == Opcode::NullRow && other.p1 == cursor)
    }

    /// Whether what the instruction writes is never NULL. A row that an outer join adds has nothing but NULLs.
    fn yields_a_value(&self, instruction: &Instruction) -> bool {
        let cursor = instruction.p1;
        let of_outer_join = || self.has_null_row(cursor);
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
            (Over::Made { inserts, base }, seek) => {
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
            (Over::Virtual, _) => Factor::Fixed(
                self.data
                    .virtual_rows(self.cursors.argument(&self.code, position)),
            ),
            (Over::OneRow, _) => Factor::Fixed(1.0),
        }
    }
}

impl Term {
    fn scale(&mut self, by: f64) {
        if let Factor::Fixed(factor) = &mut self.factor {
            *factor *= by;
        }
    }
}

/// Tables that are followed from a row outwards to find how often it is visited.
const MAX_CHAIN: usize = 12;

/// Instructions that a block of the window functions has at most; a longer one counts as run for each row.
const MAX_BLOCK: usize = 200;

fn is_constant(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::Integer | Opcode::Int64 | Opcode::Real | Opcode::String8
    )
}
