//! The program that EXPLAIN shows: the statement's own instructions, and a sub-program for each
//! trigger or foreign key action.

use std::ops::Range;

use super::opcode::{Flow, Opcode, WrittenRegisters};
use database::Cell;

/// One instruction. Its P4, as EXPLAIN shows it, is a number for seeks and index comparisons, and a
/// text in `key` for the kinds that [`key`] lists.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Instruction {
    pub opcode: Opcode,
    pub p1: i64,
    pub p2: i64,
    pub p3: i64,
    pub p4: Option<i64>,
    pub p5: i64,
    /// The text that EXPLAIN shows as P4 if it is of use: see [`key`].
    pub key: Option<String>,
}

/// `OPFLAG_P2ISREG`: P2 of OpenWrite is a register, which holds a b-tree that the same statement
/// created.
const P2_IS_REGISTER: i64 = 0x10;

impl Instruction {
    /// Returns the address in P2, if the instruction has one.
    pub fn target(&self) -> Option<usize> {
        usize::try_from(self.p2).ok()
    }

    /// Returns the b-tree that the instruction writes, clears or destroys.
    pub(crate) fn written_page(&self) -> Option<i64> {
        match self.opcode {
            Opcode::OpenWrite if self.p5 & P2_IS_REGISTER == 0 => Some(self.p2),
            Opcode::Clear | Opcode::Destroy => Some(self.p1),
            _ => None,
        }
    }

    /// Returns the b-tree that the instruction opens.
    pub fn opened_page(&self) -> Option<i64> {
        match self.opcode {
            Opcode::OpenRead | Opcode::OpenWrite | Opcode::ReopenIdx
                if self.p5 & P2_IS_REGISTER == 0 =>
            {
                Some(self.p2)
            }
            _ => None,
        }
    }

    /// Returns `Some` if the instruction opens, clears or destroys a b-tree. The inner value is the
    /// root page, if the program has it as a number and the b-tree is in the main database.
    pub fn opening(&self) -> Option<Option<i64>> {
        match self.opcode {
            Opcode::OpenRead | Opcode::OpenWrite | Opcode::ReopenIdx => {
                let is_certain = self.p5 & P2_IS_REGISTER == 0 && self.p3 == 0;
                Some(is_certain.then_some(self.p2))
            }
            Opcode::Clear | Opcode::Destroy => Some((self.p2 == 0).then_some(self.p1)),
            _ => None,
        }
    }

    /// Returns the registers that the instruction writes.
    pub fn written(&self) -> Range<i64> {
        match self.opcode.writes() {
            WrittenRegisters::Nothing => 0..0,
            WrittenRegisters::P1 => self.p1..self.p1 + 1,
            WrittenRegisters::P2 => self.p2..self.p2 + 1,
            WrittenRegisters::P3 => self.p3..self.p3 + 1,
            WrittenRegisters::P2ToP3 => self.p2..self.p3.max(self.p2) + 1,
            WrittenRegisters::P3MoreThanP2 => self.p2..self.p2 + self.p3 + 1,
            WrittenRegisters::P3FromP2 => self.p2..self.p2 + self.p3,
        }
    }

    /// Returns true if the instruction writes this register.
    pub fn sets(&self, register: i64) -> bool {
        self.written().contains(&register)
    }
}

/// The output of EXPLAIN.
#[derive(Debug, Clone, Default)]
pub(crate) struct Listing {
    /// The statement's own instructions, then those of each sub-program.
    pub programs: Vec<Vec<Instruction>>,
    /// The first instruction that is not known. If there is one, nothing can be said about the
    /// work.
    pub unknown: Option<String>,
}

impl Listing {
    /// Adds one row of EXPLAIN: addr, opcode, p1, p2, p3, p4, p5, comment.
    pub(crate) fn push(&mut self, row: &[Cell]) {
        let integer = |index: usize| row.get(index).map_or(0, Cell::as_integer);
        let name = row.get(1).and_then(Cell::as_text).unwrap_or_default();
        // Addresses restart at 0 at the start of each sub-program.
        if integer(0) == 0 {
            self.programs.push(Vec::new());
        }
        let Some(opcode) = Opcode::from_name(name) else {
            self.unknown.get_or_insert_with(|| name.to_owned());
            return;
        };
        let instruction = Instruction {
            opcode,
            p1: integer(2),
            p2: integer(3),
            p3: integer(4),
            p4: row
                .get(5)
                .and_then(Cell::as_text)
                .and_then(|text| text.parse().ok()),
            p5: integer(6),
            key: key(opcode, row.get(5).and_then(Cell::as_text)),
        };
        if let Some(program) = self.programs.last_mut() {
            program.push(instruction);
        }
    }

    /// Returns the number of instructions.
    pub(crate) fn len(&self) -> usize {
        self.programs.iter().map(Vec::len).sum()
    }

    /// Returns the b-trees that the statement opens, clears or destroys. An element is `None` if
    /// the program does not say which b-tree it is.
    pub(crate) fn openings(&self) -> Vec<Option<i64>> {
        let mut pages: Vec<Option<i64>> = self
            .programs
            .iter()
            .flatten()
            .filter_map(Instruction::opening)
            .collect();
        pages.sort_unstable();
        pages.dedup();
        pages
    }

    /// Returns the b-trees that the statement opens for writing, clears or destroys.
    pub(crate) fn written_pages(&self) -> Vec<i64> {
        let mut pages: Vec<i64> = self
            .programs
            .iter()
            .flatten()
            .filter_map(Instruction::written_page)
            .collect();
        pages.sort_unstable();
        pages.dedup();
        pages
    }
}

/// Collations that do not compare the stored bytes as they are.
const FOLDING: [&str; 2] = ["NOCASE", "RTRIM"];

/// Returns true if the text, from EXPLAIN or of a query, names a collation that does not compare
/// the stored bytes as they are.
pub fn folds(text: &str) -> bool {
    FOLDING.iter().any(|name| text.contains(name))
}

/// Returns the text of P4 if it is of use: the columns of an index that the statement makes, those
/// of a stored index that is compared by [`FOLDING`], the affinities that are applied, a constant,
/// the default of a column, the arguments of a full-text search, the collation of a comparison, or
/// a function.
fn key(opcode: Opcode, text: Option<&str>) -> Option<String> {
    let text = text?;
    let fits = match opcode {
        Opcode::OpenAutoindex | Opcode::OpenEphemeral => text.starts_with("k("),
        Opcode::OpenRead | Opcode::OpenWrite | Opcode::ReopenIdx => folds(text),
        Opcode::Affinity
        | Opcode::Int64
        | Opcode::Real
        | Opcode::String8
        | Opcode::Function
        | Opcode::PureFunc
        | Opcode::AggStep
        | Opcode::AggStep1
        | Opcode::AggInverse
        | Opcode::AggValue
        | Opcode::AggFinal
        | Opcode::Column
        | Opcode::VFilter
        | Opcode::Eq
        | Opcode::Ne
        | Opcode::Lt
        | Opcode::Le
        | Opcode::Gt
        | Opcode::Ge => true,
        _ => false,
    };
    fits.then(|| text.to_owned())
}

/// Returns true if control never continues after this instruction.
pub fn ends(instruction: &Instruction) -> bool {
    instruction.opcode.flow() == Flow::End
}
