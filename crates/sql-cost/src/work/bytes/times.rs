//! Answers two questions about the kinds of values: may a function of date and time be given a text
//! that means the time of its call, and may JSON be binary?

use super::super::bytecode::cursors::{CursorSource, ROWID};
use super::super::bytecode::opcode::Opcode;
use super::super::bytecode::program::Instruction;
use super::functions;
use super::values::Values;
use database::{Bind, Database};

/// The largest number of steps in which a value is followed back to a column whose contents are
/// then checked.
const MAX_FOLLOWED: usize = 8;

impl<D: Database> Values<'_, D> {
    /// Returns true if a value may be a text that means the time of the call. Literals and
    /// parameters were checked before.
    pub(super) fn may_be_now(
        &mut self,
        program: usize,
        register: i64,
        address: usize,
        depth: usize,
    ) -> bool {
        if depth > MAX_FOLLOWED {
            return true;
        }
        // A recursion passes on values of the rows before, which are being checked already.
        if !self.asked.insert((program, address, register)) {
            return false;
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
                    self.may_choose_now(program, writer, depth)
                }
                (Opcode::Concat, _) => {
                    let parts = [writer.p1, writer.p2];
                    !parts.iter().any(|part| {
                        self.literal(program, *part, at).is_some_and(|text| {
                            text.contains(|letter: char| !letter.is_alphabetic())
                        })
                    })
                }
                (Opcode::Column, _) => {
                    let fields = self.fields(program, at, writer);
                    fields.is_empty()
                        || fields.into_iter().any(|(register, record)| {
                            self.may_be_now(program, register, record, depth + 1)
                        })
                }
                (Opcode::VColumn | Opcode::Param | Opcode::RowData | Opcode::SorterData, _) => true,
                // Literals and numbers.
                _ => false,
            };
            if may_be {
                return true;
            }
        }
        false
    }

    /// Returns true if a value may be a blob, as binary JSON is.
    pub(super) fn may_be_blob(
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
            let statistics = self.statistics;
            return statistics.reads_nothing()
                || statistics.may_measure()
                    && statistics
                        .holds_blobs(origin.page, origin.column)
                        .unwrap_or(true);
        }
        let writers = self.writers(program, register, address);
        writers.into_iter().any(|at| {
            let Some(writer) = self.at(program, at) else {
                return true;
            };
            match writer.opcode {
                Opcode::Copy | Opcode::SCopy | Opcode::Move => {
                    let from = writer.p1 + register - writer.p2;
                    self.may_be_blob(program, from, at, depth + 1)
                }
                Opcode::Function | Opcode::PureFunc => functions::may_yield_blob(writer),
                Opcode::Variable => {
                    let position = usize::try_from(writer.p1 - 1).ok();
                    let bind = position.and_then(|at| self.statistics.parameter(at));
                    !matches!(bind, Some(Bind::Text(_) | Bind::Real(_) | Bind::Null))
                }
                Opcode::String8
                | Opcode::String
                | Opcode::Integer
                | Opcode::Int64
                | Opcode::Null
                | Opcode::Rowid
                | Opcode::Concat => false,
                _ => true,
            }
        })
    }

    /// Returns true if an aggregate may return such a text: it chooses among its values, or makes a
    /// text.
    fn may_choose_now(&mut self, program: usize, aggregate: &Instruction, depth: usize) -> bool {
        if functions::yields_no_text(aggregate) {
            return false;
        }
        let name = aggregate.key.as_deref().unwrap_or_default();
        if !(name.starts_with("max(") || name.starts_with("min(")) {
            return true;
        }
        let steps = self.steps_of(program, aggregate.p1);
        let given: Vec<(i64, usize)> = steps
            .iter()
            .filter_map(|step| Some((self.at(program, *step)?.p2, *step)))
            .collect();
        given.is_empty()
            || given
                .into_iter()
                .any(|(register, step)| self.may_be_now(program, register, step, depth + 1))
    }

    /// Returns the registers that fill a column of a table of the statement's own, each with the
    /// address that makes its record. The list is empty if that is not known.
    fn fields(&self, program: usize, address: usize, column: &Instruction) -> Vec<(i64, usize)> {
        let cursors = match self.cursors(program).and_then(|all| all.over(column.p1)) {
            Some(CursorSource::Made { .. }) => vec![column.p1],
            Some(CursorSource::OneRow) => self.rows_behind(program, address, column.p1),
            _ => Vec::new(),
        };
        let mut found = Vec::new();
        for cursor in cursors {
            let over = self.cursors(program).and_then(|all| all.over(cursor));
            let Some(CursorSource::Made { inserts, .. }) = over else {
                return Vec::new();
            };
            for insert in inserts {
                let Some(register) = self.at(program, insert).map(|insert| insert.p2) else {
                    return Vec::new();
                };
                for record in self.writers(program, register, insert) {
                    match self.at(program, record) {
                        Some(made) if made.opcode == Opcode::MakeRecord => {
                            found.push((made.p1 + column.p2, record));
                        }
                        _ => return Vec::new(),
                    }
                }
            }
        }
        found
    }

    /// Returns the cursors whose rows a pseudo-cursor shows.
    fn rows_behind(&self, program: usize, address: usize, pseudo: i64) -> Vec<i64> {
        let Some(one) = self.programs.get(program) else {
            return Vec::new();
        };
        let opened = one.code.instructions.iter();
        let mut opened = opened
            .filter(|other| other.opcode == Opcode::OpenPseudo && other.p1 == pseudo)
            .map(|other| other.p2);
        let Some(register) = opened.next() else {
            return Vec::new();
        };
        self.writers(program, register, address)
            .into_iter()
            .filter_map(|at| self.at(program, at))
            .map(|shown| match shown.opcode {
                Opcode::SorterData | Opcode::RowData => shown.p1,
                _ => NO_CURSOR,
            })
            .collect()
    }
}

/// A number that no cursor has.
const NO_CURSOR: i64 = -1;
