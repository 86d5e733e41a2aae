//! The lengths of the values that are read from tables (stored ones, those that the statement
//! makes, and table-valued functions), and how often each row is read.

use super::super::bytecode::cursors::{CursorSource, ROWID, Seek};
use super::super::bytecode::opcode::Opcode;
use super::super::bytecode::program::{Instruction, folds};
use super::super::data::lengths::{Lengths, Measure};
use super::super::data::{Conversion, Data as _, Key};
use super::super::rate;
use super::SHORT_BYTES;
use super::value::{Origin, SHORT, WrittenValue};
use super::values::Values;
use database::Database;
use database::limits::MAX_VALUE_BYTES;
use sql_gate::limits::{MAX_CARRIED_BYTES, MAX_SQL_BYTES};
use sql_gate::sizes::functions::JSON_GROWTH;
use std::rc::Rc;

/// The largest depth of JSON in the engine. The text of each level is a part of the one above.
const JSON_LEVELS: f64 = 1_000.0;

/// The text that the engine shows in place of a default that is binary.
const BINARY_DEFAULT: &str = "(blob)";

/// The most bytes of a path for each byte of JSON: `[0]` for a list within a list.
const PATH_GROWTH: f64 = 3.0;

/// The number of inserted rows up to which it costs nothing worth counting to compare later rows
/// with them.
const FEW_INSERTED: f64 = 20.0;

/// `OPFLAG_TYPEOFARG`, which `OPFLAG_BYTELENARG` includes.
const ONLY_TYPE: i64 = 0x80;

/// Columns of `json_each` and `json_tree`.
const JSON_TYPE: i64 = 2;
const JSON_ID: i64 = 4;
const JSON_PARENT: i64 = 5;
const JSON_FULLKEY: i64 = 6;
const JSON_PATH: i64 = 7;
const JSON_ITSELF: i64 = 8;
const JSON_ROOT: i64 = 9;

/// Returns the length of the default of a column.
fn default_bytes(column: &Instruction) -> f64 {
    match column.key.as_deref() {
        None => 0.0,
        Some(BINARY_DEFAULT) => MAX_SQL_BYTES as f64,
        Some(text) => text.len() as f64,
    }
}

impl<D: Database> Values<'_, D> {
    /// Returns the largest number of times that each row is read, if these instructions position
    /// the cursor: once for each run, or as often as rows have the key that it is looked up by.
    pub(super) fn visits(&mut self, program: usize, cursor: i64, positions: &[usize]) -> f64 {
        let mut sum = 0.0;
        for at in positions {
            let runs = self.runs(program, *at);
            let keyed = match self.measure {
                Measure::Columns => self.visits_by_key(program, cursor, *at),
                Measure::Database => None,
            };
            sum += keyed.map_or(runs, |keyed| keyed.min(runs));
        }
        sum
    }

    pub(super) fn visits_by_key(
        &mut self,
        program: usize,
        cursor: i64,
        position: usize,
    ) -> Option<f64> {
        let seek = self.at(program, position)?;
        let (columns, compared) = match seek.opcode {
            Opcode::SeekRowid | Opcode::NotExists => (1, Conversion::AsNumber),
            Opcode::SeekGE | Opcode::SeekLE => {
                let one = self.programs.get(program)?;
                let steps = one.code.steps_of(cursor);
                let mut steps = steps.iter().filter_map(|at| one.code.at(*at));
                let equal = |step: &Instruction| {
                    one.cursors.equality(one.code, step, position) != Seek::Range
                };
                if !steps.all(equal) {
                    return None;
                }
                (1, Conversion::AsText)
            }
            _ => return None,
        };
        let mut fewest = f64::INFINITY;
        for register in seek.p3..seek.p3 + columns {
            let Some(origin) = self.operand(program, register, position).origin else {
                continue;
            };
            let rows = if origin.column == ROWID {
                1.0
            } else {
                self.statistics
                    .rows_alike(origin.page, origin.column, compared, Key::NotNull)
            };
            fewest = fewest.min(rows * origin.times);
        }
        fewest.is_finite().then_some(fewest)
    }

    /// Returns the positionings of a cursor that may be the last one before control reaches an
    /// address.
    pub(super) fn reaching(&self, program: usize, cursor: i64, address: usize) -> Vec<usize> {
        let Some(one) = self.programs.get(program) else {
            return Vec::new();
        };
        let all = one.cursors.positions(cursor);
        if all.len() < 2 || self.measure == Measure::Database {
            return all;
        }
        one.facts.reaching(cursor, address).to_vec()
    }

    /// Returns the largest number of times that each row of a cursor is read. A row that is reached
    /// through its index is read as often as its entry there.
    pub(super) fn positionings(&mut self, program: usize, cursor: i64, address: usize) -> f64 {
        let direct = self.reaching(program, cursor, address);
        let Some(one) = self.programs.get(program) else {
            return f64::INFINITY;
        };
        let indexes = one.cursors.leaders(cursor).to_vec();
        let mut through = Vec::new();
        for (at, index) in indexes {
            through.push((index, self.reaching(program, index, at)));
        }
        if direct.is_empty() && through.is_empty() {
            return f64::INFINITY;
        }
        let mut sum = self.visits(program, cursor, &direct);
        for (index, positions) in through {
            sum += self.visits(program, index, &positions);
        }
        sum
    }

    /// Returns how often all rows of a cursor are read at an address: once for each positioning, if
    /// each loop around the address moves the cursor. A cursor that stays at a row while another
    /// loop goes round reads that row each time.
    pub(super) fn passes(&mut self, program: usize, cursor: i64, address: usize) -> f64 {
        let Some(one) = self.programs.get(program) else {
            return f64::INFINITY;
        };
        let leaders = one.cursors.leaders(cursor).iter().map(|(at, _)| *at);
        let mut moves = one.code.steps_of(cursor);
        moves.extend(leaders.chain(one.cursors.positions(cursor)));
        one.code.meter.takes(moves.len());
        let each_moves = one.loops.around(address).all(|(_, range)| {
            let mut inside = moves.iter();
            inside.any(|at| one.code.meter.takes(1) && range.contains(at))
        });
        if each_moves {
            self.positionings(program, cursor, address)
        } else {
            f64::INFINITY
        }
    }

    /// Returns the bytes of rows that are read as a whole, without distinguishing columns.
    pub(super) fn whole_rows(
        &mut self,
        (program, address): (usize, usize),
        cursor: i64,
        runs: f64,
    ) -> f64 {
        let anything = self.statistics.lengths_of_anything();
        let all = self.passes(program, cursor, address) * anything.all;
        all.min(anything.longest * runs)
    }

    pub(super) fn rowid(
        &mut self,
        program: usize,
        address: usize,
        instruction: &Instruction,
        runs: f64,
    ) -> WrittenValue {
        let pages = self
            .cursors(program)
            .map(|cursors| cursors.pages(instruction.p1))
            .unwrap_or_default();
        let times = self.passes(program, instruction.p1, address);
        WrittenValue {
            origin: pages.first().map(|page| Origin {
                page: *page,
                column: ROWID,
                times,
            }),
            ..WrittenValue::short(runs)
        }
    }

    /// Returns a rowid of a set, which contains each rowid once, however often it was added.
    pub(super) fn rowid_of_set(
        &mut self,
        program: usize,
        instruction: &Instruction,
        runs: f64,
    ) -> WrittenValue {
        let mut found = WrittenValue::short(runs);
        let Some(one) = self.programs.get(program) else {
            return found;
        };
        let adds = one.code.operating(Opcode::RowSetAdd, instruction.p1).iter();
        let adds: Vec<(usize, i64)> = adds
            .filter_map(|at| Some((*at, one.code.at(*at)?.p2)))
            .collect();
        if let [(at, register)] = adds.as_slice() {
            found.origin = self.operand(program, *register, *at).origin;
        }
        found
    }

    pub(super) fn column(
        &mut self,
        program: usize,
        address: usize,
        instruction: &Instruction,
        runs: f64,
    ) -> WrittenValue {
        // `typeof` and `octet_length` do not read the text.
        if instruction.p5 & ONLY_TYPE != 0 {
            return WrittenValue::short(runs);
        }
        let Some(over) = self
            .cursors(program)
            .and_then(|cursors| cursors.over(instruction.p1))
        else {
            return WrittenValue::of(self.statistics.lengths_of_anything().longest, runs);
        };
        match over {
            CursorSource::Stored { pages } => {
                let mut longest: f64 = 0.0;
                let mut all: f64 = 0.0;
                for page in &pages {
                    let lengths = self.statistics.lengths(*page, instruction.p2, self.measure);
                    longest = longest.max(lengths.longest);
                    all = all.max(lengths.all);
                }
                let passes = self.passes(program, instruction.p1, address);
                let anything = self.statistics.lengths_of_anything();
                // Rows that are older than the column have its default, which is stored once.
                let default = default_bytes(instruction);
                let most = (anything.all * passes + default * runs).min(anything.longest * runs);
                WrittenValue {
                    longest: longest.max(default),
                    total: all * passes + default * runs,
                    source: Some((program, instruction.p1, most)),
                    origin: pages.first().map(|page| Origin {
                        page: *page,
                        column: instruction.p2,
                        times: passes,
                    }),
                    ..WrittenValue::short(runs)
                }
            }
            CursorSource::Made { .. } => self.record_of(
                (program, address),
                instruction.p1,
                Some(instruction.p2),
                runs,
            ),
            CursorSource::OneRow => self.column_of_one_row(program, address, instruction, runs),
            CursorSource::Virtual => self.virtual_column(program, instruction, runs),
        }
    }

    /// Returns the bytes that the engine passes to read a column, over all its runs: those of the
    /// columns before it, up to one that is read at least as often.
    pub(super) fn passed_over(
        &mut self,
        (program, address): (usize, usize),
        instruction: &Instruction,
        runs: f64,
    ) -> f64 {
        if instruction.p5 & ONLY_TYPE != 0 {
            return 0.0;
        }
        let over = self
            .cursors(program)
            .and_then(|cursors| cursors.over(instruction.p1));
        let Some(CursorSource::Stored { pages }) = over else {
            return 0.0;
        };
        let inserted = self.inserted(&pages);
        if !self.statistics.exceeds_cache(inserted.all) {
            return 0.0;
        }
        let Some(one) = self.programs.get(program) else {
            return 0.0;
        };
        let reads = one.code.operating(Opcode::Column, instruction.p1);
        if !one.code.meter.takes(reads.len()) {
            return 0.0;
        }
        let first = reads
            .iter()
            .filter_map(|at| Some((self.runs(program, *at), one.code.at(*at)?.p2)))
            .filter(|(others, column)| *column < instruction.p2 && *others >= runs)
            .map(|(_, column)| column + 1)
            .max();
        let first = first.unwrap_or(0);
        if first >= instruction.p2 {
            return 0.0;
        }
        let passes = self.passes(program, instruction.p1, address);
        let mut most: f64 = 0.0;
        for page in pages {
            let span = self
                .statistics
                .span(page, first, instruction.p2, self.measure);
            let longest = span.longest.max(inserted.longest);
            most = most.max(((span.all + inserted.all) * passes).min(longest * runs));
        }
        most
    }

    /// Returns the bytes of the rows that the statement itself inserts into tables.
    fn inserted(&mut self, pages: &[i64]) -> Lengths {
        let mut inserted = Lengths {
            longest: 0.0,
            all: 0.0,
        };
        for &(program, address) in self.stored_inserts().iter() {
            let Some(insert) = self.at(program, address) else {
                continue;
            };
            let cursor = insert.p1;
            let register = insert.p2;
            let into = self.cursors(program).map(|cursors| cursors.pages(cursor));
            if into.is_some_and(|into| into.iter().any(|page| pages.contains(page))) {
                let row = self.operand(program, register, address);
                inserted.longest = inserted.longest.max(row.longest);
                inserted.all += row.total;
            }
        }
        inserted
    }

    /// Returns the few instructions that insert into tables of the database.
    fn stored_inserts(&mut self) -> Rc<[(usize, usize)]> {
        if let Some(known) = &self.stored_inserts {
            return Rc::clone(known);
        }
        let mut found = Vec::new();
        for (number, one) in self.programs.iter().enumerate() {
            one.code.meter.takes(one.code.instructions.len());
            for (address, instruction) in one.code.instructions.iter().enumerate() {
                let is_insert = instruction.opcode == Opcode::Insert;
                if is_insert
                    && one.cursors.is_stored(instruction.p1)
                    && self.runs(number, address) > FEW_INSERTED
                {
                    found.push((number, address));
                }
            }
        }
        let found: Rc<[(usize, usize)]> = found.into();
        self.stored_inserts = Some(Rc::clone(&found));
        found
    }

    /// Returns the cost of a byte of a key that is compared with all the keys on the way through an
    /// index, stored or made by the statement, that has at least `rows` rows.
    pub(super) fn search_rate(&self, program: usize, cursor: i64, rows: f64) -> f64 {
        let Some(one) = self.programs.get(program) else {
            return rate::searched(true, rows);
        };
        let opens = [
            Opcode::OpenRead,
            Opcode::OpenWrite,
            Opcode::ReopenIdx,
            Opcode::OpenAutoindex,
            Opcode::OpenEphemeral,
        ];
        let mut opened = opens
            .into_iter()
            .flat_map(|opcode| one.code.operating(opcode, cursor).iter());
        let folds = opened.any(|at| {
            let key = one.code.at(*at).and_then(|open| open.key.as_deref());
            key.is_some_and(folds)
        });
        let stored = one.cursors.pages(cursor).into_iter();
        let stored = stored.map(|page| self.statistics.rows(page));
        rate::searched(folds, stored.fold(rows, f64::max))
    }

    /// Returns a column of a pseudo-cursor, which reads the record in a register.
    pub(super) fn column_of_one_row(
        &mut self,
        program: usize,
        address: usize,
        instruction: &Instruction,
        runs: f64,
    ) -> WrittenValue {
        let Some(one) = self.programs.get(program) else {
            return WrittenValue::short(runs);
        };
        let opened = one
            .code
            .operating(Opcode::OpenPseudo, instruction.p1)
            .first();
        let opened = opened.and_then(|at| one.code.at(*at));
        let Some(register) = opened.map(|opened| opened.p2) else {
            return WrittenValue::short(runs);
        };
        let mut found = WrittenValue::short(runs);
        found.total = 0.0;
        found.scale = 0;
        for writer in self.writers(program, register, address) {
            let Some(record) = self.at(program, writer) else {
                continue;
            };
            let one = match record.opcode {
                Opcode::SorterData | Opcode::RowData if self.is_made(program, record.p1) => {
                    self.record_of((program, writer), record.p1, Some(instruction.p2), runs)
                }
                Opcode::MakeRecord => {
                    let field = record.p1 + instruction.p2;
                    self.same_as(program, field, writer, runs)
                }
                _ => self.write((program, writer, register)),
            };
            found.longest = found.longest.max(one.longest);
            found.total += one.total;
            found.scale = found.scale.max(one.scale);
            found.counted |= one.counted;
            found.seed = found.seed.max(one.seed);
            found.carried |= one.carried;
            found.source = one.source;
            found.origin = one.origin;
        }
        found
    }

    /// Returns a column of the records in a table that the statement makes, or the whole record.
    pub(super) fn record_of(
        &mut self,
        (program, address): (usize, usize),
        cursor: i64,
        column: Option<i64>,
        runs: f64,
    ) -> WrittenValue {
        let Some(CursorSource::Made { inserts, base }) = self
            .cursors(program)
            .and_then(|cursors| cursors.over(cursor))
        else {
            return WrittenValue::of(self.statistics.lengths_of_anything().longest, runs);
        };
        let passes = self.passes(program, cursor, address);
        let mut found = WrittenValue::short(runs);
        found.scale = 0;
        let (mut field_total, mut row_total) = (0.0, 0.0);
        let mut origins = Vec::new();
        for insert in inserts {
            let Some(register) = self.at(program, insert).map(|insert| insert.p2) else {
                continue;
            };
            let row = self.operand(program, register, insert);
            row_total += row.total;
            let record = self
                .writers(program, register, insert)
                .into_iter()
                .find(|at| {
                    self.at(program, *at)
                        .is_some_and(|other| other.opcode == Opcode::MakeRecord)
                });
            let first = record
                .and_then(|at| self.at(program, at))
                .map(|made| made.p1);
            let field = match (column, first, record) {
                (Some(column), Some(first), Some(record)) => {
                    self.operand(program, first + column, record)
                }
                _ => row,
            };
            found.longest = found.longest.max(field.longest);
            found.scale = found.scale.max(field.scale);
            found.counted |= field.counted;
            found.carried |= field.carried;
            field_total += field.total;
            origins.push(field.origin);
        }
        found.total = passes * field_total;
        if passes.is_finite() {
            found.source = Some((program, base, passes * row_total));
        }
        if let [Some(origin)] = origins.as_slice() {
            found.origin = Some(Origin {
                times: origin.times * passes,
                ..*origin
            });
        }
        if found.carried {
            // The engine bounds the rows that a recursion passes on while it runs; most of them are
            // short.
            found.seed = found.longest;
            found.longest = found.longest.min(SHORT_BYTES);
            found.total = found.total.min(found.longest * runs);
        }
        found
    }

    /// Returns the bytes that a recursion may pass on in all its rows. A LIMIT of its own is not
    /// considered.
    pub(super) fn carried_bytes(&self, runs: f64) -> f64 {
        let most = MAX_CARRIED_BYTES as f64;
        (runs * most / self.statistics.recursion().max(1.0)).min(most)
    }

    /// Returns the values that a table-valued function makes from its argument. Full-text tables
    /// contain what is stored.
    pub(super) fn virtual_column(
        &mut self,
        program: usize,
        instruction: &Instruction,
        runs: f64,
    ) -> WrittenValue {
        let filters = self
            .cursors(program)
            .map(|cursors| cursors.positions(instruction.p1))
            .unwrap_or_default();
        if !self.statistics.unfolds() {
            let anything = if self.statistics.tells_the_schema() {
                self.statistics.lengths_of_schema()
            } else {
                self.lengths_of_texts(instruction.p2)
            };
            let passes: f64 = filters.iter().map(|at| self.runs(program, *at)).sum();
            return WrittenValue {
                longest: anything.longest,
                total: anything.all * passes,
                ..WrittenValue::short(runs)
            };
        }
        let (mut longest, mut all, mut path) = (0.0_f64, 0.0, SHORT);
        let mut carried = false;
        let mut unfolded = 0.0;
        for filter in filters {
            let Some(first) = self.at(program, filter).map(|filter| filter.p3 + 2) else {
                continue;
            };
            let argument = self.operand(program, first, filter);
            longest = longest.max(argument.longest);
            all += argument.total;
            unfolded += self.runs(program, filter);
            carried |= argument.carried;
            // If a path to begin at is given, it comes before the path of each element.
            if self.literal(program, first - 1, filter).is_none() {
                path = f64::max(path, self.operand(program, first + 1, filter).longest);
            }
        }
        let total = match instruction.p2 {
            JSON_ITSELF | JSON_ROOT => longest * runs,
            JSON_TYPE | JSON_ID | JSON_PARENT => return WrittenValue::short(runs),
            JSON_FULLKEY | JSON_PATH => all * JSON_LEVELS + path * runs,
            _ if self.statistics.unfolds_levels() => all * JSON_LEVELS,
            _ => all * 2.0,
        };
        let longest = match instruction.p2 {
            JSON_FULLKEY | JSON_PATH => longest * PATH_GROWTH + path,
            _ => longest * JSON_GROWTH as f64,
        };
        let longest = longest.clamp(SHORT_BYTES, MAX_VALUE_BYTES as f64);
        // An element has at least one byte.
        let elements = all + unfolded;
        let total = total.max(SHORT_BYTES * runs.min(elements));
        WrittenValue {
            longest,
            total,
            carried,
            ..WrittenValue::short(runs)
        }
    }
}
