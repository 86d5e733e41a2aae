//! Bounds how often the rows of an inner table are visited. Each row is visited only from outer
//! rows with its key, so this module follows the key outwards, from the loop that looks it up to
//! the loops that it comes from.

use std::ops::Range;

use super::super::bytecode::cursors::Argument;
use super::super::bytecode::cursors::{CursorSource, IndexedTable, Seek};
use super::super::bytecode::opcode::Opcode;
use super::super::bytecode::program::Instruction;
use super::super::data::derived::DerivedTable;
use super::super::data::{Conversion, Data, Key};
use super::super::flow::allowance::{Factor, Term};
use super::{MAX_BLOCK, MAX_CHAIN, Reader};

impl<D: Data> Reader<'_, D> {
    /// Returns the number of visits of all rows of a loop over one key: the rows of the inner
    /// table, each times the number of outer rows with its key. If keys are unevenly distributed,
    /// that is far less than the rows of the most frequent key for each outer row.
    pub fn visits_of_all(
        &self,
        step: &Instruction,
        position: usize,
        over: &CursorSource,
    ) -> Option<Term> {
        if let CursorSource::Virtual = over {
            let Argument::Column(page, column) = self.cursors.argument(self.code, position) else {
                return None;
            };
            let outer = self.cursors.argument_cursor(self.code, position)?;
            let mut visits = self.visits_of_one(outer, position, MAX_CHAIN)?;
            visits.scale(self.data.unfolded(page, column)?);
            return Some(visits);
        }
        let Seek::Equal(columns) = self.cursors.equality(self.code, step, position) else {
            return None;
        };
        let rows = match over {
            CursorSource::Stored { pages } => pages
                .iter()
                .map(|page| self.data.rows(*page))
                .fold(0.0, f64::max),
            CursorSource::Made { .. } => {
                match self.cursors.source_of_key(self.code, step.p1, columns) {
                    Some((IndexedTable::Stored(page), _)) => self.data.rows(page),
                    Some((IndexedTable::Made(base), _)) => self.measured(base)?.rows,
                    None => self.handed_out_key(step.p1, columns)?.0.rows,
                }
            }
            CursorSource::Virtual | CursorSource::OneRow => return None,
        };
        let first = self.code.at(position)?.p3;
        let mut visits = self.visits_by_key(first, columns, position, MAX_CHAIN)?;
        visits.scale(rows);
        Some(visits)
    }

    /// Returns the largest number of times that a row is visited if it is looked up by the key in
    /// these registers.
    fn visits_by_key(
        &self,
        first: i64,
        columns: usize,
        position: usize,
        chain: usize,
    ) -> Option<Term> {
        let columns = i64::try_from(columns).ok()?;
        // A rowid is never NULL, so a look-up by NULL finds none.
        let by_rowid = self
            .code
            .at(position)
            .is_some_and(|seek| matches!(seek.opcode, Opcode::SeekRowid | Opcode::NotExists));
        (first..first + columns)
            .filter_map(|register| {
                let key = if by_rowid || self.is_never_null(register, position) {
                    Key::NotNull
                } else {
                    Key::MayBeNull
                };
                if let Some(visits) = self.visits_by_handed_out(register, position, key) {
                    return Some(visits);
                }
                let (outer, alike) = self.column_in(register, position, key)?;
                let mut visits = self.visits_of_one(outer, position, chain)?;
                visits.scale(alike);
                Some(visits)
            })
            .next()
    }

    /// Returns the same if the key is a column that a counted coroutine hands out.
    fn visits_by_handed_out(&self, register: i64, position: usize, key: Key) -> Option<Term> {
        self.made.iter().find_map(|made| {
            let DerivedTable::Coroutine { start, measured } = made else {
                return None;
            };
            let (coroutine, starts) = self.coroutine(*start)?;
            let top = self.read_of(coroutine)?;
            let around = top..self.code.at(top)?.target()?;
            if !around.contains(&position) || self.is_in_inner_loop(position, &around) {
                return None;
            }
            let original = self.copied_from(register, top, position)?;
            let first = self.first_column(*start, coroutine, self.data.columns(*measured)?)?;
            let compared = self.compared_as(register, position);
            let alike = self
                .data
                .rows_of_made_alike(*measured, original - first, compared, key);
            Some(Term {
                places: starts,
                factor: Factor::Fixed(alike),
            })
        })
    }

    /// Returns the register of the first column that a coroutine hands out. The columns are in
    /// consecutive registers, and the last one is written last before the yield; those of a sorter
    /// are written in reverse order.
    pub fn first_column(&self, start: usize, coroutine: i64, columns: usize) -> Option<i64> {
        let columns = i64::try_from(columns).ok()?;
        let hands_out = |(_, other): &(usize, &Instruction)| {
            other.opcode == Opcode::Yield && other.p1 == coroutine && other.p2 == 0
        };
        let yields = self.code.operating(Opcode::Yield, coroutine).iter();
        let mut yields = yields
            .filter(|at| **at >= start)
            .filter_map(|at| Some((*at, self.code.at(*at)?)))
            .filter(hands_out);
        let at = match (yields.next(), yields.next()) {
            (Some((at, _)), None) => at,
            _ => return None,
        };
        let before = self.code.instructions.get(start..at)?;
        let last = before.last().map(Instruction::written)?;
        // The columns of a sorter are read from the last to the first.
        let backwards = (0..columns).zip(before.iter().rev());
        let is_sorted = columns > 1
            && before.len() >= usize::try_from(columns).ok()?
            && backwards.clone().all(|(offset, other)| {
                other.written() == (last.start + offset..last.start + offset + 1)
            });
        // A single column is the one that the reader copies first.
        let is_copied = |register: i64| {
            let top = self.read_of(coroutine);
            let next = top.and_then(|top| self.code.at(top + 1));
            next.is_some_and(|other| other.opcode == Opcode::Copy && other.p1 == register)
        };
        if is_sorted || (columns == 1 && last.end == last.start + 1 && is_copied(last.start)) {
            return Some(last.start);
        }
        let first = last.end - columns;
        let block = start.max(at.saturating_sub(MAX_BLOCK))..at;
        let is_in_block =
            |register: i64| self.code.is_written(register, block.start, block.end - 1);
        // The register after the last one may be a column as well: one that is read in another
        // order, or a constant, which is set at the end of the program.
        let constants = self.code.at(0).and_then(Instruction::target)?;
        let behind = last.end;
        let is_written = |first, last| self.code.is_written(behind, first, last);
        if last.is_empty()
            || (start < at && is_written(start, at - 1))
            || is_written(constants, usize::MAX)
        {
            return None;
        }
        (first..first + columns).all(is_in_block).then_some(first)
    }

    /// Returns the cursor whose column is in a register, and how many of its rows have a value
    /// there that may equal the same key.
    fn column_in(&self, register: i64, position: usize, key: Key) -> Option<(i64, f64)> {
        let (writer, _) = self.writer(register, position)?;
        let cursor = writer.p1;
        let compared = self.compared_as(register, position);
        // `IS` also finds rows for the NULLs of a row that an outer join adds, as often as that row
        // is added.
        if key == Key::MayBeNull && self.has_null_row(cursor) {
            return None;
        }
        match (writer.opcode, self.cursors.over(cursor)?) {
            (Opcode::Rowid | Opcode::IdxRowid, CursorSource::Stored { .. }) => Some((cursor, 1.0)),
            (Opcode::Column, CursorSource::Stored { pages }) => {
                let [page] = pages.as_slice() else {
                    return None;
                };
                let alike = self.data.rows_alike(*page, writer.p2, compared, key);
                Some((cursor, alike))
            }
            (Opcode::Column, CursorSource::Made { base, .. }) => {
                if self.cursors.is_set(base) && compared == Conversion::Unchanged {
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

    /// Returns the largest number of times that a cursor is at one row when control comes to
    /// `inside`, which is in the cursor's loop and in no loop within that one.
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
                match self.cursors.equality(self.code, step, *position) {
                    Seek::Equal(columns) => self
                        .visits_by_key(seek.p3, columns, *position, chain)
                        .or_else(|| Some(place())),
                    Seek::Range => Some(place()),
                }
            }
        }
    }

    /// Returns the addresses that position a cursor, or the index cursor that leads it, and the
    /// addresses of the loop over its rows.
    fn loop_of(&self, cursor: i64) -> Option<(Vec<usize>, Range<usize>)> {
        let leader = self
            .cursors
            .leaders(cursor)
            .first()
            .map_or(cursor, |(_, leader)| *leader);
        let positions = self.cursors.positions(leader);
        match self.code.steps_of(leader)[..] {
            [at] => Some((positions, self.code.at(at)?.target()?..at)),
            // A look-up of one row: the following code runs once for it, up to the end of the loop
            // around it.
            [] => {
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
        let first = *self.code.steps_of(cursor).first()?;
        self.code.at(first)
    }

    fn end_of_loop_around(&self, address: usize) -> Option<usize> {
        let around = self.code.jumps_back_over(address);
        around.map(|(_, range)| range.end).min()
    }

    fn is_in_inner_loop(&self, address: usize, around: &Range<usize>) -> bool {
        self.code
            .jumps_back_over(address)
            .any(|(_, range)| range.start > around.start && range.end <= around.end)
    }
}

impl Term {
    fn scale(&mut self, by: f64) {
        if let Factor::Fixed(factor) = &mut self.factor {
            *factor *= by;
        }
    }
}
