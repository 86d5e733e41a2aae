//! Bounds that are found by running the joins that the statement's loops compute: how many rows a
//! loop visits, and how many of them pass its conditions.

use super::super::bytecode::cursors::{CursorSource, Seek};
use super::super::bytecode::opcode::{Flow, Opcode};
use super::super::bytecode::program::Instruction;
use super::super::data::Data;
use super::super::data::join::Rows;
use super::super::flow::allowance::Allowance;
use super::Reader;

/// The largest number of instructions of a program whose joins are read; honest statements have
/// some hundreds.
const MAX_READ_INSTRUCTIONS: usize = 6_000;

impl<D: Data> Reader<'_, D> {
    /// Returns the number of rows for which control continues after an instruction: those of its
    /// loop that pass all conditions, if the conditions end there.
    pub fn passing(&self, address: usize) -> Option<Allowance> {
        let around = self.innermost_loop(address)?;
        self.code.meter.takes(2);
        let step = self.code.at(around.end.checked_sub(1)?)?;
        let is_condition = |at: usize| {
            at >= around.start
                && self
                    .code
                    .at(at)
                    .is_some_and(|other| !matches!(other.opcode.flow(), Flow::Next | Flow::Gosub))
        };
        let goes_on = self.code.at(address)?.opcode.flow() == Flow::Next;
        let behind_conditions = if goes_on {
            // The ways of an OR join again here.
            address > around.start && is_condition(address - 1)
        } else {
            is_condition(address)
        };
        let place = address + 1;
        if !behind_conditions
            || place >= self.end_of_round(&around)
            || self.code.instructions.len() > MAX_READ_INSTRUCTIONS
            || self.is_followed_by_condition(place, &around)
            || !self.is_always_met(&around, place)
        {
            return None;
        }
        let whole = self.data.counts_joins();
        if !whole && !self.is_scan(step, around.end - 1) {
            return None;
        }
        let (join, begins) = self.join_at(place, !whole)?;
        let innermost = *join.loops.last()?;
        let mut own = join
            .conditions
            .iter()
            .filter(|condition| condition.tables > innermost && !condition.is_key)
            .peekable();
        let last = if goes_on { address - 1 } else { address };
        let checks_null = self.code.at(last)?.opcode == Opcode::IsNull;
        if own.peek().is_none() || (checks_null && own.count() > 1) {
            return None;
        }
        Some(Allowance::times(begins, self.data.rows_joined(&join)?))
    }

    /// Returns the number of all rows that a loop visits, counted together with the loops around
    /// it.
    pub fn counted_visits(&self, step: usize) -> Option<Allowance> {
        if !self.data.counts_joins() || self.code.instructions.len() > MAX_READ_INSTRUCTIONS {
            return None;
        }
        // The join up to the row itself, before any condition on it is checked.
        let around = self.innermost_loop(step)?;
        let (join, begins) = self.join_at(around.start, false)?;
        if join.conditions.is_empty() {
            return None;
        }
        Some(Allowance::times(begins, self.data.rows_joined(&join)?))
    }

    fn innermost_loop(&self, address: usize) -> Option<std::ops::Range<usize>> {
        let around = self.code.jumps_back_over(address);
        let innermost = around.min_by_key(|(number, range)| (range.end - range.start, *number));
        innermost.map(|(_, range)| range.clone())
    }

    /// Returns true if a loop visits a stored table in order, and not only the rows of one key.
    fn is_scan(&self, step: &Instruction, address: usize) -> bool {
        let is_range =
            |position: &usize| self.cursors.equality(self.code, step, *position) == Seek::Range;
        let positions = self.positions_of(step.p1, address);
        step.opcode.flow() == Flow::Step
            && matches!(
                self.cursors.over(step.p1),
                Some(CursorSource::Stored { .. })
            )
            && !positions.is_empty()
            && positions.iter().all(is_range)
    }

    /// Returns true if another condition of the same loop follows before any other branch. That one
    /// then includes all the conditions.
    fn is_followed_by_condition(&self, place: usize, around: &std::ops::Range<usize>) -> bool {
        for at in place..around.end {
            if !self.code.meter.takes(1) {
                return false;
            }
            let Some(instruction) = self.code.at(at) else {
                return false;
            };
            match instruction.opcode.flow() {
                Flow::Next => {}
                Flow::Branch => {
                    // A check for NULL is not worth a count of its own.
                    return instruction.opcode.compares()
                        && instruction.opcode != Opcode::IsNull
                        && instruction
                            .target()
                            .is_some_and(|target| target >= self.end_of_round(around));
                }
                Flow::Goto
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
                | Flow::End => return false,
            }
        }
        false
    }
}

impl Rows {
    /// Returns true for a table of the database.
    pub fn is_stored(self) -> bool {
        !matches!(self, Self::Counted(_))
    }
}
