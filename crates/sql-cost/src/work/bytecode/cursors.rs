//! Finds, for the cursors of one program, the table or index that each cursor reads, the
//! instructions that position it, and the instructions that fill the tables that the statement
//! makes for itself.

use std::collections::{HashMap, HashSet};

use super::code::Code;
use super::opcode::Opcode;
use super::program::Instruction;

/// The table or index that a cursor reads.
#[derive(Debug, Clone, PartialEq)]
pub enum CursorSource {
    /// Tables or indexes of the database, by root page.
    Stored { pages: Vec<i64> },
    /// A table, index or sorter that the statement makes; `inserts` fill it.
    Made { base: i64, inserts: Vec<usize> },
    /// A virtual table.
    Virtual,
    /// A single row that is not stored.
    OneRow,
}

/// The table that an index is built on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexedTable {
    /// A table or index of the database, by root page.
    Stored(i64),
    /// A table that the statement makes, by its cursor.
    Made(i64),
}

/// The way in which a cursor is positioned before a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seek {
    /// At an end of the index, or somewhere in between.
    Range,
    /// At the rows whose first columns equal a key.
    Equal(usize),
}

/// The source of the argument of a table-valued function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// A parameter or a literal.
    Given,
    /// A column of a stored table, by root page and number.
    Column(i64, i64),
    Computed,
}

/// The cursors of one program.
#[derive(Debug, Default)]
pub struct Cursors {
    opened: HashMap<i64, Vec<(usize, OpenedSource)>>,
    duplicates: HashMap<i64, i64>,
    /// Cursors that share one table, keyed by the cursor that opens the table. That cursor is the
    /// last one in its list.
    families: HashMap<i64, Vec<i64>>,
    inserts: HashMap<i64, Vec<usize>>,
    positions: HashMap<i64, Vec<usize>>,
    resets: HashMap<i64, Vec<usize>>,
    /// For each cursor, the index cursors that lead to it, each with the address of the instruction
    /// that does so.
    leaders: HashMap<i64, Vec<(usize, i64)>>,
    /// Indexes of one column that store nothing but that column.
    sets: HashSet<i64>,
    /// Sorters that keep only the first rows, because of a LIMIT.
    few: HashSet<i64>,
    /// Indexes that the statement builds over a whole table.
    automatic: HashSet<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenedSource {
    Stored(i64),
    /// A b-tree that the same statement creates.
    Created,
    Made,
    Virtual,
    OneRow,
}

/// The number of instructions that are searched backwards for the source of a value.
const MAX_LOOKED_BACK: usize = 120;

/// The collation of a column if its index names no other.
const BINARY: &str = "BINARY";

impl Cursors {
    pub fn of(code: &Code<'_>) -> Self {
        let mut cursors = Self::default();
        for (address, instruction) in code.instructions.iter().enumerate() {
            cursors.read(address, instruction);
            if instruction.opcode == Opcode::Delete && is_dropped_beyond_limit(code, address) {
                cursors.few.insert(instruction.p1);
            }
        }
        for cursor in cursors.duplicates.keys() {
            let family = cursors.families.entry(cursors.base(*cursor));
            family.or_default().push(*cursor);
        }
        for (base, family) in &mut cursors.families {
            family.push(*base);
        }
        cursors
    }

    fn read(&mut self, address: usize, instruction: &Instruction) {
        let cursor = instruction.p1;
        if instruction.opcode == Opcode::OpenEphemeral
            && instruction.p2 == 1
            && instruction.key.is_some()
        {
            self.sets.insert(cursor);
        }
        if instruction.opcode == Opcode::OpenAutoindex {
            self.automatic.insert(cursor);
        }
        let opened = match instruction.opcode {
            Opcode::OpenRead | Opcode::OpenWrite | Opcode::ReopenIdx => Some(
                instruction
                    .opened_page()
                    .map_or(OpenedSource::Created, OpenedSource::Stored),
            ),
            Opcode::OpenEphemeral | Opcode::OpenAutoindex | Opcode::SorterOpen => {
                Some(OpenedSource::Made)
            }
            Opcode::VOpen => Some(OpenedSource::Virtual),
            Opcode::OpenPseudo => Some(OpenedSource::OneRow),
            _ => None,
        };
        if let Some(opened) = opened {
            self.opened
                .entry(cursor)
                .or_default()
                .push((address, opened));
        }
        let list = match instruction.opcode {
            Opcode::DeferredSeek => {
                let leaders = self.leaders.entry(instruction.p3).or_default();
                leaders.push((address, cursor));
                return;
            }
            Opcode::OpenDup => {
                self.duplicates.insert(cursor, instruction.p2);
                return;
            }
            Opcode::Insert | Opcode::IdxInsert | Opcode::SorterInsert | Opcode::RowCell => {
                &mut self.inserts
            }
            Opcode::ResetSorter => &mut self.resets,
            Opcode::Rewind
            | Opcode::Last
            | Opcode::Sort
            | Opcode::SorterSort
            | Opcode::SeekEnd
            | Opcode::VFilter => &mut self.positions,
            opcode if opcode.looks_up() => &mut self.positions,
            _ => return,
        };
        list.entry(cursor).or_default().push(address);
    }

    /// Returns true if the cursor reads an index that the statement builds over a whole table.
    pub fn is_automatic(&self, cursor: i64) -> bool {
        self.automatic.contains(&cursor)
    }

    /// Returns true if the table of the cursor has few rows at any time, as with
    /// `ORDER BY … LIMIT 10`.
    pub fn keeps_few(&self, cursor: i64) -> bool {
        self.few.contains(&cursor)
    }

    /// Returns the cursor that this one is a duplicate of, or the cursor itself.
    pub fn base(&self, cursor: i64) -> i64 {
        let mut base = cursor;
        // The longest chain that can occur is one in which each duplicate duplicates the one
        // before.
        for _ in 0..self.duplicates.len() {
            match self.duplicates.get(&base) {
                Some(next) => base = *next,
                None => break,
            }
        }
        base
    }

    /// Returns true if several cursors share the table, as those of window functions do.
    pub fn has_duplicates(&self, base: i64) -> bool {
        self.families.contains_key(&base)
    }

    fn family(&self, base: i64) -> Vec<i64> {
        let family = self.families.get(&base);
        family.map_or_else(|| vec![base], Clone::clone)
    }

    /// Returns the table or index that the cursor reads, or `None` if no instruction opens it.
    pub fn over(&self, cursor: i64) -> Option<CursorSource> {
        let base = self.base(cursor);
        let opened = self.opened.get(&base)?;
        let kinds = || opened.iter().map(|(_, kind)| *kind);
        if kinds().all(|kind| kind == OpenedSource::OneRow) {
            return Some(CursorSource::OneRow);
        }
        if kinds().all(|kind| kind == OpenedSource::Virtual) {
            return Some(CursorSource::Virtual);
        }
        let pages: Vec<i64> = kinds()
            .filter_map(|kind| match kind {
                OpenedSource::Stored(page) => Some(page),
                OpenedSource::Created
                | OpenedSource::Made
                | OpenedSource::Virtual
                | OpenedSource::OneRow => None,
            })
            .collect();
        if pages.len() == opened.len() {
            return Some(CursorSource::Stored { pages });
        }
        // A program never uses one number for both a stored table and a table that it makes. If it
        // did, nothing would be known of such a cursor.
        if kinds().any(|kind| matches!(kind, OpenedSource::Stored(_) | OpenedSource::Virtual)) {
            return None;
        }
        let mut inserts: Vec<usize> = self
            .family(base)
            .iter()
            .filter_map(|member| self.inserts.get(member))
            .flatten()
            .copied()
            .collect();
        inserts.sort_unstable();
        Some(CursorSource::Made { base, inserts })
    }

    /// Returns the root pages of the stored tables and indexes that a cursor reads.
    pub fn pages(&self, cursor: i64) -> Vec<i64> {
        match self.over(cursor) {
            Some(CursorSource::Stored { pages }) => pages,
            _ => Vec::new(),
        }
    }

    /// Returns true if rows written through the cursor are stored in the database.
    pub fn is_stored(&self, cursor: i64) -> bool {
        let opened = self.opened.get(&self.base(cursor)).into_iter().flatten();
        opened
            .map(|(_, kind)| kind)
            .any(|kind| matches!(kind, OpenedSource::Stored(_) | OpenedSource::Created))
    }

    /// Returns the addresses of the instructions that position the cursor.
    pub fn positions(&self, cursor: i64) -> Vec<usize> {
        self.positions.get(&cursor).cloned().unwrap_or_default()
    }

    /// Returns the index cursors that lead to this one, each with the address of the instruction
    /// that does so.
    pub fn leaders(&self, cursor: i64) -> &[(usize, i64)] {
        self.leaders.get(&cursor).map_or(&[], Vec::as_slice)
    }

    /// Returns the addresses of the instructions that empty the table of the cursor.
    pub fn emptied(&self, cursor: i64) -> Vec<usize> {
        let base = self.base(cursor);
        let opened = self.opened.get(&base).into_iter().flatten();
        let resets = self
            .family(base)
            .into_iter()
            .filter_map(|member| self.resets.get(&member))
            .flatten();
        opened
            .map(|(address, _)| *address)
            .chain(resets.copied())
            .collect()
    }

    /// Returns [`Seek::Equal`] if a seek and the comparison at the top of its loop restrict the
    /// loop to the rows whose first columns equal one key.
    pub fn equality(&self, code: &Code<'_>, step: &Instruction, position: usize) -> Seek {
        self.equal_columns(code, step, position)
            .filter(|columns| *columns > 0)
            .map_or(Seek::Range, Seek::Equal)
    }

    fn equal_columns(&self, code: &Code<'_>, step: &Instruction, position: usize) -> Option<usize> {
        let seek = code.at(position)?;
        let top = step.target()?;
        let ends = code.at(top)?;
        let forwards = matches!(seek.opcode, Opcode::SeekGE | Opcode::SeekGT)
            && matches!(ends.opcode, Opcode::IdxGT | Opcode::IdxGE)
            && step.opcode == Opcode::Next;
        let backwards = matches!(seek.opcode, Opcode::SeekLE | Opcode::SeekLT)
            && matches!(ends.opcode, Opcode::IdxLT | Opcode::IdxLE)
            && step.opcode == Opcode::Prev;
        let one_key = seek.p1 == ends.p1 && seek.p3 == ends.p3 && position < top;
        if !(forwards || backwards) || !one_key {
            return None;
        }
        let columns = seek.p4?.min(ends.p4?);
        // A range writes its other end into the same registers, between the two instructions.
        let kept = (0..columns)
            .take_while(|column| !code.is_written(seek.p3 + column, position + 1, top - 1))
            .count();
        Some(kept)
    }

    /// Returns the table that an automatic index is built on, and the columns of its key with their
    /// collations.
    pub fn source_of_key(
        &self,
        code: &Code<'_>,
        cursor: i64,
        columns: usize,
    ) -> Option<(IndexedTable, Vec<(i64, String)>)> {
        let (made, collations) = self.record_of_index(code, cursor, columns)?;
        let first = code.at(made)?.p1;
        let mut from = None;
        let mut found = Vec::with_capacity(columns);
        for (register, collation) in (first..).zip(collations) {
            let writer = code.at(code.written_by(register, made, MAX_LOOKED_BACK)?)?;
            let column = match writer.opcode {
                Opcode::Column => writer.p2,
                Opcode::Rowid => ROWID,
                _ => return None,
            };
            let source = match self.over(writer.p1)? {
                CursorSource::Stored { pages } => match pages.as_slice() {
                    [page] => IndexedTable::Stored(*page),
                    _ => return None,
                },
                CursorSource::Made { base, .. } => IndexedTable::Made(base),
                CursorSource::Virtual | CursorSource::OneRow => return None,
            };
            if from.is_some_and(|from| from != source) {
                return None;
            }
            from = Some(source);
            found.push((column, collation));
        }
        Some((from?, found))
    }

    /// Returns the address of the instruction that builds the entries of an index that the
    /// statement makes, and the collations of the index's first columns.
    pub fn record_of_index(
        &self,
        code: &Code<'_>,
        cursor: i64,
        columns: usize,
    ) -> Option<(usize, Vec<String>)> {
        let (opened_at, _) = self.opened.get(&cursor)?.first()?;
        let [insert] = self.inserts.get(&cursor)?.as_slice() else {
            return None;
        };
        let record = code.at(*insert)?.p2;
        let made = look_back(code, *insert, |other| {
            other.opcode == Opcode::MakeRecord && other.p3 == record
        })?;
        let opened = code.at(*opened_at)?;
        let collations: Option<Vec<String>> = (0..columns)
            .map(|column| collation(opened, column))
            .collect();
        Some((made, collations?))
    }

    /// Returns true if the table is an index that holds each value once, which the engine makes for
    /// IN.
    pub fn is_set(&self, base: i64) -> bool {
        self.sets.contains(&base)
    }

    /// Returns the cursor whose column is the argument of a table-valued function.
    pub fn argument_cursor(&self, code: &Code<'_>, filter: usize) -> Option<i64> {
        let register = code.at(filter)?.p3 + 2;
        let writer = code.at(code.written_by(register, filter, MAX_LOOKED_BACK)?)?;
        (writer.opcode == Opcode::Column).then_some(writer.p1)
    }

    /// Returns the source of the argument of a table-valued function. Two registers hold the plan
    /// and the number of arguments; the first argument follows.
    pub fn argument(&self, code: &Code<'_>, filter: usize) -> Argument {
        let Some(register) = code.at(filter).map(|filter| filter.p3 + 2) else {
            return Argument::Computed;
        };
        let near = code.written_by(register, filter, MAX_LOOKED_BACK);
        // Constants are set in the code at the end of the program, which runs first.
        let anywhere = || code.only_writer(register);
        let Some(writer) = near.or_else(anywhere).and_then(|at| code.at(at)) else {
            return Argument::Computed;
        };
        match writer.opcode {
            Opcode::Variable | Opcode::String8 | Opcode::Blob => Argument::Given,
            Opcode::Column => match self.pages(writer.p1).as_slice() {
                [page] => Argument::Column(*page, writer.p2),
                _ => Argument::Computed,
            },
            _ => Argument::Computed,
        }
    }
}

/// Returns true for the delete of `IfNotZero limit; Last t; IdxLE t; Delete t`: once there are as
/// many rows as the LIMIT, the last row makes room for the new one.
fn is_dropped_beyond_limit(code: &Code<'_>, delete: usize) -> bool {
    /// The number of rows that stay in the cache.
    const FEW: i64 = 5_000;
    let cursor = code.at(delete).map(|other| other.p1);
    let Some([counts, last, compares]) = delete
        .checked_sub(3)
        .and_then(|start| code.instructions.get(start..delete))
    else {
        return false;
    };
    let fits = counts.opcode == Opcode::IfNotZero
        && last.opcode == Opcode::Last
        && compares.opcode == Opcode::IdxLE
        && [Some(last.p1), Some(compares.p1)] == [cursor, cursor];
    // The counter is set to the LIMIT and counts down; nothing else writes it.
    let writers = code.writers(counts.p1);
    let sets_few =
        |other: &Instruction| other.opcode == Opcode::Integer && (1..=FEW).contains(&other.p1);
    let mut writers = writers.iter().filter_map(|at| code.at(*at));
    fits && !code.writers(counts.p1).is_empty() && writers.all(sets_few)
}

/// The number that means the rowid among the columns of a table.
pub const ROWID: i64 = -1;

/// Returns the address of the nearest instruction before `address` that fits.
fn look_back(
    code: &Code<'_>,
    address: usize,
    fits: impl Fn(&Instruction) -> bool,
) -> Option<usize> {
    (0..address)
        .rev()
        .take(MAX_LOOKED_BACK)
        .find(|at| code.at(*at).is_some_and(&fits))
}

/// Returns the collation of one column of an index that the statement makes. EXPLAIN shows
/// `k(2,B,NOCASE)`, with B for BINARY.
fn collation(opened: &Instruction, column: usize) -> Option<String> {
    let list = opened.key.as_deref()?;
    let name = list.split(',').nth(column + 1)?.trim_end_matches(')');
    Some(match name.trim_start_matches('-') {
        "B" | "" => BINARY.to_owned(),
        other => other.to_owned(),
    })
}
