//! How many rows of a table pass the conditions that its loop checks before it goes on.
//!
//! A condition on the columns of one table alone is checked first in the loop over it, as comparisons that jump to the loop's end. They are
//! read back into SQL from the registers that they compare, and the rows that pass all of them are counted. What cannot be read back is left
//! out, so more rows are counted than pass. Names come from the schema by root page and column number, never from the statement.

use std::ops::Range;

use super::allowance::{Allowance, Data, Reader};
use super::cursors::{Over, Seek};
use super::opcode::{Flow, Opcode};
use super::program::Instruction;
use crate::sql::compose::{quote_identifier, quote_text};

/// Conditions of one loop that are read.
const MAX_CONDITIONS: usize = 24;

/// Instructions that one value is followed through.
const MAX_STEPS: usize = 40;

/// `SQLITE_NULLEQ`: the comparison takes NULL for a value.
const NULL_IS_A_VALUE: i64 = 0x80;

/// The loop over a table that an instruction lies in.
struct TableLoop {
    page: i64,
    /// The cursors that read the table: the one that moves, and the one it leads to.
    cursors: Vec<i64>,
    around: Range<usize>,
    positions: Vec<usize>,
}

impl<D: Data> Reader<'_, D> {
    /// The rows that go on behind a condition: those of the table that pass it and all conditions before it.
    pub(super) fn passing(&self, address: usize) -> Option<Allowance> {
        let table = self.table_loop(address)?;
        if !self.skips(address, &table.around) || self.is_followed_by_condition(address, &table) {
            return None;
        }
        let conditions: Vec<String> = (table.around.start..=address)
            .filter(|at| self.skips(*at, &table.around) && self.is_always_met(*at, &table.around))
            .filter_map(|at| self.condition(at, &table))
            .take(MAX_CONDITIONS)
            .collect();
        let entered = table.around.start + 1..address + 1;
        if conditions.is_empty() || self.is_entered_from_outside(entered, &table) {
            return None;
        }
        let rows = self.data.rows_passing(table.page, &conditions)?;
        Some(Allowance::times(
            table
                .positions
                .iter()
                .map(|position| (self.number, *position))
                .collect(),
            rows,
        ))
    }

    /// The innermost loop around an instruction, when it goes through a stored table from one end to another.
    fn table_loop(&self, address: usize) -> Option<TableLoop> {
        let around = self
            .jumps_back()
            .filter(|range| range.contains(&address))
            .min_by_key(|range| range.end - range.start)?;
        let step = self.code.at(around.end.checked_sub(1)?)?;
        if step.opcode.flow() != Flow::Step {
            return None;
        }
        let Over::Stored { pages } = self.cursors.over(step.p1)? else {
            return None;
        };
        let [page] = pages.as_slice() else {
            return None;
        };
        let positions = self.cursors.positions(step.p1);
        let is_scan =
            |position: &usize| self.cursors.equality(&self.code, step, *position) == Seek::Range;
        if positions.is_empty() || !positions.iter().all(is_scan) {
            return None;
        }
        let led = self
            .code
            .instructions
            .iter()
            .filter(|other| other.opcode == Opcode::DeferredSeek && other.p1 == step.p1)
            .map(|other| other.p3);
        Some(TableLoop {
            page: *page,
            cursors: [step.p1].into_iter().chain(led).collect(),
            around,
            positions,
        })
    }

    /// Whether the instruction is a condition that jumps to the loop's end, or out of it.
    fn skips(&self, address: usize, around: &Range<usize>) -> bool {
        self.code.at(address).is_some_and(|instruction| {
            let compares = matches!(
                instruction.opcode,
                Opcode::Eq
                    | Opcode::Ne
                    | Opcode::Lt
                    | Opcode::Le
                    | Opcode::Gt
                    | Opcode::Ge
                    | Opcode::If
                    | Opcode::IfNot
                    | Opcode::IsNull
                    | Opcode::NotNull
            );
            compares
                && instruction
                    .target()
                    .is_some_and(|target| target + 1 >= around.end)
        })
    }

    /// Whether nothing in the loop jumps over the instruction, except to the loop's end.
    fn is_always_met(&self, address: usize, around: &Range<usize>) -> bool {
        (around.start..address).all(|at| {
            self.code
                .successors(at, None)
                .into_iter()
                .all(|(target, _)| target <= address || target + 1 >= around.end)
        })
    }

    /// Whether control comes into the loop before the condition from outside of it, as it does with the NULLs of an outer join.
    fn is_entered_from_outside(&self, inside: Range<usize>, table: &TableLoop) -> bool {
        (0..self.code.instructions.len())
            .filter(|at| !table.around.contains(at) && !table.positions.contains(at))
            .any(|at| {
                self.code
                    .any_successors(at, &self.calls, None, false)
                    .into_iter()
                    .any(|(target, _)| inside.contains(&target))
            })
    }

    /// Whether control comes into these instructions otherwise than from the one before them. Where a cursor is put may leave out the first
    /// instruction of its loop.
    fn is_jumped_into(&self, inside: Range<usize>, table: &TableLoop) -> bool {
        (0..self.code.instructions.len())
            .filter(|at| !table.positions.contains(at))
            .any(|at| {
                self.code
                    .any_successors(at, &self.calls, None, false)
                    .into_iter()
                    .any(|(target, _)| target != at + 1 && inside.contains(&target))
            })
    }

    /// Whether another condition of the same loop follows before anything else is opened or read: that one has all the conditions.
    fn is_followed_by_condition(&self, address: usize, table: &TableLoop) -> bool {
        for at in address + 1..table.around.end {
            let Some(instruction) = self.code.at(at) else {
                return false;
            };
            if self.skips(at, &table.around) {
                return self.condition(at, table).is_some();
            }
            if !matches!(instruction.opcode.flow(), Flow::Next) {
                return false;
            }
        }
        false
    }

    /// What must hold for control to go on, in SQL; NULL counts as passing.
    fn condition(&self, address: usize, table: &TableLoop) -> Option<String> {
        let instruction = self.code.at(address)?;
        let value = |register: i64| self.value(register, address, table, MAX_STEPS);
        let compared = |operator: &str| {
            if instruction.p5 & NULL_IS_A_VALUE != 0 {
                return None;
            }
            let collation = instruction
                .key
                .as_deref()
                .and_then(|key| key.split('-').next())
                .filter(|name| !name.is_empty() && *name != "BINARY")
                .map(|name| format!(" COLLATE {}", quote_identifier(name)))
                .unwrap_or_default();
            Some(format!(
                "({}{collation} {operator} {}) IS NOT TRUE",
                value(instruction.p3)?,
                value(instruction.p1)?
            ))
        };
        match instruction.opcode {
            Opcode::Eq => compared("="),
            Opcode::Ne => compared("<>"),
            Opcode::Lt => compared("<"),
            Opcode::Le => compared("<="),
            Opcode::Gt => compared(">"),
            Opcode::Ge => compared(">="),
            Opcode::If => Some(format!("({}) IS NOT TRUE", value(instruction.p1)?)),
            Opcode::IfNot => Some(format!("({}) IS NOT FALSE", value(instruction.p1)?)),
            Opcode::IsNull => Some(format!("{} IS NOT NULL", value(instruction.p1)?)),
            Opcode::NotNull => Some(format!("{} IS NULL", value(instruction.p1)?)),
            _ => None,
        }
    }

    /// What stands in a register, as an expression over the columns of the table.
    fn value(
        &self,
        register: i64,
        before: usize,
        table: &TableLoop,
        steps: usize,
    ) -> Option<String> {
        let steps = steps.checked_sub(1)?;
        let (at, writer) = self.written_in_loop(register, before, table)?;
        let value = |register: i64| self.value(register, at, table, steps);
        let reads = table.cursors.contains(&writer.p1);
        match writer.opcode {
            Opcode::Column if reads => {
                let page = self.cursors.pages(writer.p1).first().copied()?;
                Some(quote_identifier(&self.data.column_name(page, writer.p2)?))
            }
            Opcode::Rowid | Opcode::IdxRowid if reads => self.data.rowid_name(table.page),
            Opcode::Integer => Some(writer.p1.to_string()),
            Opcode::Int64 => {
                let digits = writer.key.as_deref()?;
                digits.parse::<i64>().ok().map(|number| number.to_string())
            }
            Opcode::String8 => writer.key.as_deref().map(quote_text),
            Opcode::Copy | Opcode::SCopy => value(writer.p1 + (register - writer.p2)),
            Opcode::Add => Some(format!("({} + {})", value(writer.p2)?, value(writer.p1)?)),
            Opcode::Subtract => Some(format!("({} - {})", value(writer.p2)?, value(writer.p1)?)),
            Opcode::Multiply => Some(format!("({} * {})", value(writer.p2)?, value(writer.p1)?)),
            Opcode::Remainder => Some(format!("({} % {})", value(writer.p2)?, value(writer.p1)?)),
            Opcode::Function | Opcode::PureFunc => {
                let (name, count) = function(writer.key.as_deref()?)?;
                let arguments: Option<Vec<String>> =
                    (writer.p2..writer.p2 + count).map(value).collect();
                Some(format!("{name}({})", arguments?.join(",")))
            }
            _ => None,
        }
    }

    /// The instruction that has written a register: in the loop, or, for a constant, the only one anywhere.
    fn written_in_loop(
        &self,
        register: i64,
        before: usize,
        table: &TableLoop,
    ) -> Option<(usize, &Instruction)> {
        let in_loop = (table.around.start..before)
            .rev()
            .filter_map(|at| Some((at, self.code.at(at)?)))
            // It turns whole numbers into reals of the same value.
            .filter(|(_, other)| other.opcode != Opcode::RealAffinity)
            .find(|(_, other)| other.sets(register));
        if let Some((at, writer)) = in_loop {
            let straight = !self.is_jumped_into(at + 1..before + 1, table);
            return straight.then_some((at, writer));
        }
        let mut writers = self
            .code
            .instructions
            .iter()
            .enumerate()
            .filter(|(_, other)| other.sets(register));
        match (writers.next(), writers.next()) {
            (Some((at, writer)), None)
                if matches!(
                    writer.opcode,
                    Opcode::Integer | Opcode::Int64 | Opcode::String8
                ) =>
            {
                Some((at, writer))
            }
            _ => None,
        }
    }
}

/// Functions whose value depends on their arguments alone, by the name that EXPLAIN shows with the number of arguments.
const READABLE_FUNCTIONS: [&str; 14] = [
    "abs",
    "date",
    "glob",
    "instr",
    "length",
    "like",
    "lower",
    "ltrim",
    "rtrim",
    "strftime",
    "substr",
    "substring",
    "trim",
    "upper",
];

/// `like(2)`. A function with any number of arguments shows -1, and how many it has is not known.
fn function(shown: &str) -> Option<(&str, i64)> {
    let (name, rest) = shown.split_once('(')?;
    let count: i64 = rest.strip_suffix(')')?.parse().ok()?;
    (READABLE_FUNCTIONS.contains(&name) && count > 0).then_some((name, count))
}
