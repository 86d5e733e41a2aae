//! Bounds the lengths of the values that aggregates and window functions collect from many rows.

use std::collections::{HashMap, HashSet};

use super::super::bytecode::opcode::Opcode;
use super::super::bytecode::program::Instruction;
use super::super::data::{Data as _, Key};
use super::value::{NUMBER_BYTES, SHORT};
use super::values::Values;
use database::Database;
use database::limits::MAX_VALUE_BYTES;
use sql_gate::functions;
use sql_gate::sizes::functions::JSON_GROWTH;

/// The most bytes that an aggregate puts between two values.
const PUNCTUATION: f64 = 4.0;

/// The collation that treats most texts as equal. It does not cover texts that differ only in
/// trailing spaces.
const COARSEST: &str = "NOCASE";

impl<D: Database> Values<'_, D> {
    /// Returns the bytes that an aggregate collects from its rows: the most for one result, and the
    /// sum for all results if each row is in one group.
    pub(super) fn aggregate(
        &mut self,
        program: usize,
        instruction: &Instruction,
        register: i64,
    ) -> (f64, f64) {
        let steps = self.steps_of(program, register);
        let name = instruction.key.as_deref().unwrap_or_default();
        let name = name.split('(').next().unwrap_or_default();
        let (mut longest, mut total, mut rows) = (0.0_f64, 0.0_f64, 0.0_f64);
        let collects = functions::is(name, functions::COLLECTS);
        let growth = if collects && name.starts_with("json") {
            JSON_GROWTH as f64
        } else {
            1.0
        };
        for at in steps {
            let Some(step) = self.at(program, at) else {
                continue;
            };
            let runs = self.runs(program, at);
            let mut of_row = 0.0;
            for argument in step.p2..step.p2 + step.p5.max(0) {
                let operand = self.operand(program, argument, at);
                let is_number = collects && !operand.constant;
                let shortest = if is_number { NUMBER_BYTES } else { 0.0 };
                of_row += (operand.longest * growth).max(shortest) + PUNCTUATION;
                total += (operand.total * growth).max(shortest * runs) + PUNCTUATION * runs;
            }
            longest = longest.max(of_row);
            rows += runs;
        }
        match name {
            _ if collects => {
                let rows = rows.min(self.rows_together(program, register));
                let most = (longest * rows).min(total).min(MAX_VALUE_BYTES as f64);
                (most, total)
            }
            "count" | "sum" | "total" | "avg" | "row_number" | "rank" | "dense_rank"
            | "percent_rank" | "cume_dist" | "ntile" => (SHORT, f64::INFINITY),
            _ => (longest, total),
        }
    }

    /// Returns the length of the longest value that a window function has collected from its frame.
    pub(super) fn collected(&mut self, program: usize, instruction: &Instruction) -> f64 {
        let register = if instruction.opcode == Opcode::AggInverse {
            instruction.p3
        } else {
            instruction.p1
        };
        self.aggregate(program, instruction, register).0
    }

    /// Returns the largest number of rows that are aggregated together: those of the moving frame,
    /// or those that have one key.
    pub(super) fn rows_together(&mut self, program: usize, register: i64) -> f64 {
        let frame = self.frame_rows(program, register).unwrap_or(f64::INFINITY);
        if !self.is_of_window(program, register) {
            return frame;
        }
        frame.min(self.partition_rows(program).unwrap_or(f64::INFINITY))
    }

    /// Returns true if an aggregate belongs to a window: its arguments are read from the table of
    /// the window's rows, which several cursors share.
    fn is_of_window(&self, program: usize, register: i64) -> bool {
        let Some(one) = self.programs.get(program) else {
            return false;
        };
        let reads_window = |at: usize| {
            let reads = self.at(program, at)?;
            let base = one.cursors.base(reads.p1);
            (reads.opcode == Opcode::Column).then(|| one.cursors.has_duplicates(base))
        };
        let steps = self.steps_of(program, register);
        !steps.is_empty()
            && steps.into_iter().all(|at| {
                let first = self.at(program, at).map(|step| step.p2);
                let writers = first.map(|first| self.writers(program, first, at));
                writers.is_some_and(|writers| {
                    !writers.is_empty()
                        && writers.into_iter().all(|at| reads_window(at) == Some(true))
                })
            })
    }

    /// Returns the number of rows in a frame of `ROWS n PRECEDING`, if its numbers are in the
    /// program.
    pub(super) fn frame_rows(&self, program: usize, register: i64) -> Option<f64> {
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

    /// Returns the largest number of rows in one partition, if the keys of all windows are columns
    /// of stored tables and no row of a table occurs twice. For each row, a window compares the key
    /// with the one before, calls the subroutine that ends a partition, and copies the key.
    pub(super) fn partition_rows(&mut self, program: usize) -> Option<f64> {
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
