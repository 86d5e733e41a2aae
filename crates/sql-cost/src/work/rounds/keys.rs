//! Facts about the key of a look-up: which instruction wrote it, whether it may be NULL, and how it
//! is converted before the comparison.

use super::super::bytecode::cursors::IndexedTable;
use super::super::bytecode::opcode::Opcode;
use super::super::bytecode::program::Instruction;
use super::super::data::derived::{CountedSubQuery, DerivedTable};
use super::super::data::{Conversion, Data, Key};
use super::{MAX_BLOCK, MAX_CHAIN, Reader};

/// Columns by number, with their collations.
type ColumnKey = Vec<(i64, String)>;

impl<D: Data> Reader<'_, D> {
    /// Returns the largest number of rows that an index made by the statement has for one key.
    pub fn rows_of_automatic_key(
        &self,
        cursor: i64,
        columns: usize,
        position: usize,
    ) -> Option<f64> {
        let key = self.key(position, columns);
        let Some((source, names)) = self.cursors.source_of_key(self.code, cursor, columns) else {
            let (measured, names) = self.handed_out_key(cursor, columns)?;
            return Some(self.data.rows_of_one_made_key(measured, &names, key));
        };
        match source {
            IndexedTable::Stored(page) => Some(self.data.rows_of_one_key(page, &names, key)),
            IndexedTable::Made(base) => {
                let measured = self.measured(base)?;
                Some(self.data.rows_of_one_made_key(measured, &names, key))
            }
        }
    }

    /// Returns the counted coroutine that an automatic index is built from, and the columns of its
    /// key with their collations.
    pub fn handed_out_key(
        &self,
        cursor: i64,
        columns: usize,
    ) -> Option<(CountedSubQuery, ColumnKey)> {
        let (record, collations) = self.cursors.record_of_index(self.code, cursor, columns)?;
        let first = self.code.at(record)?.p1;
        self.made.iter().find_map(|made| {
            let DerivedTable::Coroutine { start, measured } = made else {
                return None;
            };
            let (coroutine, _) = self.coroutine(*start)?;
            let top = self.read_of(coroutine)?;
            let handed = self.first_column(*start, coroutine, self.data.columns(*measured)?)?;
            let names: Option<ColumnKey> = (first..)
                .zip(&collations)
                .map(|(register, collation)| {
                    let original = self.copied_from(register, top, record)?;
                    let known = 0..i64::try_from(self.data.columns(*measured)?).ok()?;
                    let column = original - handed;
                    known.contains(&column).then(|| (column, collation.clone()))
                })
                .collect();
            Some((*measured, names?))
        })
    }

    /// Returns the only instruction that reads from a coroutine.
    pub fn read_of(&self, coroutine: i64) -> Option<usize> {
        let is_read = |at: &&usize| self.code.at(**at).is_some_and(|other| other.p2 != 0);
        let yields = self.code.operating(Opcode::Yield, coroutine).iter();
        let mut reads = yields.filter(is_read);
        match (reads.next(), reads.next()) {
            (Some(at), None) => Some(*at),
            _ => None,
        }
    }

    /// Returns [`Key::NotNull`] if each value of a seek is checked before, or comes from an
    /// instruction that never writes NULL.
    pub fn key(&self, position: usize, columns: usize) -> Key {
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

    /// Returns true if a register is never NULL at `before`.
    pub fn is_never_null(&self, register: i64, before: usize) -> bool {
        let mut register = register;
        let mut used = before;
        for address in (0..before).rev().take(MAX_BLOCK) {
            if !self.code.meter.takes(1) {
                return false;
            }
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
        // Constants are set in the code at the end of the program, which runs first.
        let writers = self.code.writers(register);
        let mut all = writers.iter().filter_map(|at| self.code.at(*at));
        !writers.is_empty() && all.all(|instruction| is_constant(instruction.opcode))
    }

    /// Returns true if the cursor may be at a row of NULLs that its table does not have.
    pub fn has_null_row(&self, cursor: i64) -> bool {
        !self.code.operating(Opcode::NullRow, cursor).is_empty()
    }

    /// Returns true if the instruction never writes NULL. A row that an outer join adds consists of
    /// NULLs.
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

    /// Returns the conversion of a key before it is looked up. Different values may become the
    /// same.
    pub fn compared_as(&self, register: i64, position: usize) -> Conversion {
        let Some(seek) = self.code.at(position) else {
            return Conversion::Unchanged;
        };
        if matches!(seek.opcode, Opcode::SeekRowid | Opcode::NotExists) {
            return Conversion::AsNumber;
        }
        let start = position.saturating_sub(MAX_BLOCK);
        let before = self
            .code
            .instructions
            .get(start..position)
            .unwrap_or_default();
        let mut compared = Conversion::Unchanged;
        for instruction in before.iter().rev() {
            if !self.code.meter.takes(1) {
                break;
            }
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
                    Some(b'B') => compared = Conversion::AsText,
                    _ => return Conversion::AsNumber,
                }
            }
            if instruction.sets(register) {
                break;
            }
        }
        compared
    }

    /// Returns the instruction that has written a register, following copies.
    pub fn writer(&self, register: i64, before: usize) -> Option<(&Instruction, usize)> {
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

    /// Returns the register that a value was copied from since `top`, or `None` if it was computed
    /// there.
    pub fn copied_from(&self, register: i64, top: usize, position: usize) -> Option<i64> {
        let mut register = register;
        let mut before = position;
        for at in (top..position).rev() {
            if !self.code.meter.takes(1) {
                return None;
            }
            let instruction = self.code.at(at)?;
            if !instruction.sets(register) {
                continue;
            }
            let copies = matches!(instruction.opcode, Opcode::Copy | Opcode::SCopy);
            if !copies || self.code.is_bypassed(register, at, before) {
                return None;
            }
            register = instruction.p1 + (register - instruction.p2);
            before = at;
        }
        Some(register)
    }
}

fn is_constant(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::Integer | Opcode::Int64 | Opcode::Real | Opcode::String8
    )
}
