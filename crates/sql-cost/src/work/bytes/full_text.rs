//! The cost of searching a full-text table, and of its functions on the rows that are found.
//!
//! `snippet` compares each occurrence of the search in a row with every other one, and `highlight`
//! copies its result so far at each of them. Both are cheap if a search occurs a few times in a
//! document, and take minutes if it occurs ten thousand times. So occurrences are counted if the
//! verdict depends on their number.

use std::rc::Rc;

use super::super::bytecode::cursors::CursorSource;
use super::super::bytecode::opcode::Opcode;
use super::super::bytecode::program::Instruction;
use super::super::data::full_text::{FullText, Numbers, phrases, tokens_of, words};
use super::super::data::lengths::{Lengths, Measure};
use super::super::rate;
use super::values::Values;
use database::Database;
use database::limits::MAX_VALUE_BYTES;

/// Units of 10 ns for two occurrences of a search in one row, which `snippet` compares: 16,000 of
/// them took 10 s on a busy machine.
const PAIR: f64 = 4.0;

/// Units for a byte of the text that `highlight` has made, copied for each occurrence.
const COPIED_AGAIN: f64 = 0.01;

/// Units for comparing an occurrence with one part of the search, when occurrences are sorted.
const OCCURRENCE: f64 = 2.0;

/// Units for an occurrence that is found. The occurrences of all words with the same prefix are
/// sorted by row.
const MATCHED: f64 = 15.0;

/// Units for looking for one part of the search in one row.
const TRIED: f64 = 2.0;

/// `FTS5_BI_ORDER_RANK`: the search returns its rows in the order of their rank.
const ORDERED_BY_RANK: i64 = 0x20;

/// Work on a search, in units of 10 ns, above which the occurrences of its phrases are counted.
/// Counting takes a part of that work.
const COUNTED_SEARCH: f64 = 500_000_000.0;

/// Units for a byte that is split into tokens.
const TOKENIZED: f64 = 5.0;

/// The factor by which indexing a byte takes longer if each character begins a token: 256 MB took
/// 45 s.
const TRIGRAM: f64 = 2.5;

/// Units for a byte of an index that is read and written again.
const MERGED: f64 = 5.0;

/// Commands that only set an option, or whose work depends only on the length of the texts in the
/// statement.
const SLIGHT_COMMANDS: [&str; 11] = [
    "automerge",
    "crisismerge",
    "delete",
    "deletemerge",
    "flush",
    "hashsize",
    "pgsz",
    "rank",
    "secure-delete",
    "usermerge",
    "version",
];

/// Units of 10 ns for comparing one word with an occurrence of another in NEAR: 120 words over
/// 1,920,000 tokens took 48 s.
const COMPARED_NEAR: f64 = 0.5;

/// The largest number of positions of the words of one phrase in one row. Each takes some bytes:
/// 500,000,000 of them took 1.2 GB.
const MAX_POSITIONS: f64 = 50_000_000.0;

/// The largest number of different phrases of one search that are counted.
const MAX_COUNTED_PHRASES: usize = 20;

/// The largest number of arguments of a search: conditions on its text, its rowid and its rank.
const MAX_CONDITIONS: i64 = 20;

/// The way in which the occurrences of a search are found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Occurrences {
    /// Derived from the number of tokens alone.
    Bounded,
    /// Counted by looking for each phrase.
    Counted,
}

/// The size of what a search finds.
#[derive(Debug, Clone, Copy, PartialEq)]
struct SearchSize {
    /// The number of words in the search.
    words: f64,
    /// The number of words that may be near each other. At each occurrence of one, all of them are
    /// compared.
    near: f64,
    /// The number of positions in one row of the words of its largest phrase, which fts5 holds in
    /// memory at once.
    positions: f64,
    /// The number of occurrences in a row.
    occurrences: Numbers,
    bytes: Lengths,
    /// The number of rows in the table.
    rows: f64,
    /// True if the search itself returns its rows in the order of their rank.
    is_ordered: bool,
    /// The number of times that the search runs.
    searches: f64,
    /// The number of times that each found row is read.
    passes: f64,
    /// True if `rank` may be `snippet`.
    ranks_otherwise: bool,
}

/// The position of the first column in the arguments of a write. The old and the new rowid precede
/// it.
const FIRST_COLUMN: i64 = 2;

/// `OE_Replace`: the write deletes a row that conflicts.
const REPLACES: i64 = 5;

/// Returns true if the name is that of a function that gets the row of a full-text table.
pub(super) fn is_auxiliary(name: &str) -> bool {
    matches!(name, "snippet" | "highlight" | "bm25")
}

impl<D: Database> Values<'_, D> {
    /// Returns the cost of a search in one program, in units of 10 ns, or 0 if the virtual table is
    /// not a full-text table.
    pub(super) fn cost_of_search(&mut self, program: usize, address: usize) -> f64 {
        let cost = |found: SearchSize| {
            if found.positions > MAX_POSITIONS {
                return f64::INFINITY;
            }
            let tried = (found.rows * TRIED).min(found.occurrences.all * MATCHED);
            let mut each = found.occurrences.all * (MATCHED + found.near * COMPARED_NEAR)
                + tried * found.words;
            if found.is_ordered {
                // Before the rank of any row, fts5 counts the rows that contain each phrase.
                each += found.occurrences.all * (MATCHED + (found.words + 1.0) * OCCURRENCE);
            }
            if found.ranks_otherwise {
                return found.searches * each + found.snippets(f64::INFINITY);
            }
            found.searches * each
        };
        let bounded = self.found(program, &[address], Occurrences::Bounded);
        let bounded = bounded.map_or(0.0, cost);
        if bounded <= COUNTED_SEARCH {
            return bounded;
        }
        let counted = self.found(program, &[address], Occurrences::Counted);
        counted.map_or(0.0, cost).min(bounded)
    }

    /// Returns the cost of reading the rank of a row over all runs of an instruction, in units of
    /// 10 ns, or 0 if it reads another column.
    pub(super) fn cost_of_rank(
        &mut self,
        (program, address): (usize, usize),
        read: &Instruction,
        runs: f64,
    ) -> f64 {
        let columns = self.full_texts().iter().map(|table| table.columns).min();
        let is_rank = columns.is_some_and(|columns| read.p2 > i64::from(columns));
        if !is_rank {
            return 0.0;
        }
        let filters = self.cursors(program).map(|all| all.positions(read.p1));
        let Some(mut found) =
            self.found(program, &filters.unwrap_or_default(), Occurrences::Counted)
        else {
            return 0.0;
        };
        found.passes = self.passes(program, read.p1, address);
        let ranked = found.of_rows(runs, (found.words + 1.0) * OCCURRENCE);
        if found.ranks_otherwise {
            return ranked + found.snippets(runs);
        }
        ranked
    }

    /// Returns the longest lengths of a column among the full-text tables that the statement names.
    pub(super) fn lengths_of_texts(&mut self, column: i64) -> Lengths {
        let tables = self.full_texts();
        if self.measure == Measure::Database || tables.is_empty() {
            return self.statistics.lengths_of_anything();
        }
        let of_rank = Lengths {
            longest: super::value::SHORT,
            all: 0.0,
        };
        tables.iter().fold(of_rank, |known, table| {
            let found = if column < i64::from(table.columns) {
                self.statistics.texts(table, column)
            } else {
                of_rank
            };
            Lengths {
                longest: known.longest.max(found.longest),
                all: known.all.max(found.all),
            }
        })
    }

    /// Returns the cost of a write beyond that of its instruction, in units of 10 ns, for arguments
    /// that have `given` bytes together. A row that is removed is split into tokens once more, and
    /// each version of a row is removed only once.
    pub(super) fn cost_of_write(
        &mut self,
        (program, address): (usize, usize),
        update: &Instruction,
        runs: f64,
        given: f64,
    ) -> f64 {
        let written = self.statistics.facts.written_table.clone();
        let is_it = |table: &&FullText| {
            let mut names = written.iter();
            program > 0 || names.any(|name| name.eq_ignore_ascii_case(&table.name))
        };
        let mut most = given * rate::INDEXED;
        for table in self.full_texts().iter().filter(is_it) {
            let slower = if table.trigram { TRIGRAM } else { 1.0 };
            let stored = match self.measure {
                Measure::Columns => self.statistics.documents(table),
                Measure::Database => self.statistics.lengths_of_anything(),
            };
            let inserts = update.p2 > 1 && self.is_null(program, update.p3, address);
            let removed = if inserts && update.p5 != REPLACES {
                0.0
            } else {
                (runs * stored.longest).min(stored.all + given)
            };
            let command = update.p3 + FIRST_COLUMN + i64::from(table.columns);
            let commanded = if inserts && !self.is_null(program, command, address) {
                let literal = self.literal(program, command, address);
                runs * self.cost_of_command(table, literal.as_deref(), stored.all * slower)
            } else {
                0.0
            };
            most = most.max((given + removed) * rate::INDEXED * slower + commanded);
        }
        most
    }

    /// Returns the cost of one command of a full-text table, in units of 10 ns, or the highest cost
    /// of any command if it is not known.
    fn cost_of_command(&self, table: &FullText, command: Option<&str>, documents: f64) -> f64 {
        let command = command.map(str::to_ascii_lowercase);
        let index = || match self.measure {
            Measure::Columns => self.statistics.index_bytes(table),
            Measure::Database => self.statistics.lengths_of_anything().all,
        };
        match command.as_deref() {
            Some(slight) if SLIGHT_COMMANDS.contains(&slight) => 0.0,
            Some("optimize" | "merge" | "delete-all") => index() * MERGED,
            _ => documents * rate::INDEXED + index() * MERGED,
        }
    }

    /// Returns true if nothing but NULL is written to a register.
    fn is_null(&self, program: usize, register: i64, address: usize) -> bool {
        let writers = self.writers(program, register, address);
        let mut writers = writers.into_iter().map(|at| self.at(program, at));
        writers.all(|writer| writer.is_some_and(|writer| writer.opcode == Opcode::Null))
    }

    fn full_texts(&mut self) -> Rc<[FullText]> {
        let statistics = self.statistics;
        let known = self
            .full_texts
            .get_or_insert_with(|| statistics.full_texts().into());
        Rc::clone(known)
    }

    /// Returns the cost of a function of a full-text row over all its runs, in units of 10 ns, and
    /// the largest length of its value.
    pub(super) fn auxiliary(
        &mut self,
        (program, address): (usize, usize),
        name: &str,
        runs: f64,
        marks: f64,
    ) -> (f64, f64) {
        let cursors = self.cursors_of(program, address);
        let filters: Vec<usize> = cursors
            .iter()
            .filter_map(|cursor| Some(self.cursors(program)?.positions(*cursor)))
            .flatten()
            .collect();
        let most = MAX_VALUE_BYTES as f64;
        let Some(mut found) = self.found(program, &filters, Occurrences::Counted) else {
            return (runs * most * TOKENIZED, most);
        };
        let passes = cursors
            .iter()
            .map(|cursor| self.passes(program, *cursor, address));
        found.passes = passes.sum();
        let ordered = found.of_rows(runs, (found.words + 1.0) * OCCURRENCE);
        if name == "bm25" {
            // For each search, fts5 counts the rows that contain each phrase.
            let counted = found.searches * found.occurrences.all * (found.words + 1.0);
            return (ordered + counted * OCCURRENCE, super::value::SHORT);
        }
        // The text, and the marks around each occurrence.
        let made = found.bytes.longest + (found.occurrences.most + 2.0) * marks;
        let copied = found.of_rows(runs, made * COPIED_AGAIN);
        let cost = if name == "snippet" {
            ordered + copied + found.snippets(runs)
        } else {
            ordered + copied + found.tokenized(runs)
        };
        (cost, made.min(most))
    }

    /// Returns the cursors whose row a function gets: those that its first argument reads.
    fn cursors_of(&self, program: usize, address: usize) -> Vec<i64> {
        let Some(call) = self.at(program, address) else {
            return Vec::new();
        };
        let writers = self.writers(program, call.p2, address);
        let mut cursors: Vec<i64> = writers
            .into_iter()
            .filter_map(|at| self.at(program, at))
            .filter(|reads| matches!(reads.opcode, Opcode::VColumn | Opcode::Column))
            .map(|reads| reads.p1)
            .collect();
        cursors.sort_unstable();
        cursors.dedup();
        cursors
    }

    /// Returns the upper bound of what the searches at these addresses find, in the largest of the
    /// full-text tables that the statement names.
    fn found(
        &mut self,
        program: usize,
        filters: &[usize],
        occurrences: Occurrences,
    ) -> Option<SearchSize> {
        let tables = self.full_texts();
        let mut found: Option<SearchSize> = None;
        for filter in filters {
            let instruction = self.at(program, *filter)?;
            let is_search = instruction.opcode == Opcode::VFilter && instruction.key.is_some();
            if !is_search
                || self.cursors(program)?.over(instruction.p1) != Some(CursorSource::Virtual)
            {
                continue;
            }
            for table in tables.iter() {
                let one = self.found_in(table, (program, *filter), instruction, occurrences);
                found = Some(found.map_or(one, |known| known.larger(one)));
            }
        }
        found
    }

    fn found_in(
        &mut self,
        table: &FullText,
        (program, filter): (usize, usize),
        instruction: &Instruction,
        occurrences: Occurrences,
    ) -> SearchSize {
        let counts = self.measure == Measure::Columns;
        let (bytes, tokens) = if counts {
            (
                self.statistics.documents(table),
                self.statistics.tokens(table),
            )
        } else {
            let bytes = self.statistics.lengths_of_anything();
            (bytes, tokens_of(bytes, table))
        };
        let mut found = SearchSize {
            words: 0.0,
            near: 0.0,
            positions: 0.0,
            occurrences: Numbers {
                most: 0.0,
                all: 0.0,
            },
            bytes,
            rows: self.statistics.rows_of(&table.name),
            is_ordered: !self.is_unordered(program, instruction.p3, filter),
            searches: self.runs(program, filter),
            passes: self.runs(program, filter),
            ranks_otherwise: self.statistics.ranks_otherwise(table),
        };
        let kinds = instruction.key.as_deref().unwrap_or_default();
        let kinds = kinds.chars().filter(|kind| !kind.is_ascii_digit());
        for (register, kind) in (instruction.p3 + 2..)
            .zip(kinds)
            .take(MAX_CONDITIONS as usize)
        {
            match kind {
                '=' | '<' | '>' => {}
                'r' => {
                    let rank = self.literal(program, register, filter);
                    found.ranks_otherwise |= !rank.is_some_and(|text| text.starts_with("bm25("));
                }
                _ => {
                    let literal = self
                        .literal(program, register, filter)
                        .filter(|_| kind == 'M');
                    match literal {
                        Some(search) => {
                            self.add_phrases(&mut found, table, &search, tokens, occurrences);
                        }
                        None => {
                            let longest = self.operand(program, register, filter).longest;
                            let words = tokens_of(
                                Lengths {
                                    longest,
                                    all: longest,
                                },
                                table,
                            );
                            found.positions = words.most * tokens.most;
                            found.add(words.most, words.most, tokens);
                            found.near = found.words;
                        }
                    }
                }
            }
        }
        found
    }

    /// Returns true if the number of a search's plan shows that the rows are not in the order of
    /// their rank.
    fn is_unordered(&self, program: usize, register: i64, address: usize) -> bool {
        let plans = self.writers(program, register, address);
        let is_unordered = |at: &usize| {
            let plan = self.at(program, *at);
            plan.is_some_and(|plan| {
                plan.opcode == Opcode::Integer && plan.p1 & ORDERED_BY_RANK == 0
            })
        };
        !plans.is_empty() && plans.iter().all(is_unordered)
    }

    fn add_phrases(
        &self,
        found: &mut SearchSize,
        table: &FullText,
        search: &str,
        tokens: Numbers,
        occurrences: Occurrences,
    ) {
        let counts = self.measure == Measure::Columns && occurrences == Occurrences::Counted;
        for (position, phrase) in phrases(search).iter().enumerate() {
            let is_counted = counts && position < MAX_COUNTED_PHRASES;
            let occurs = is_counted
                .then(|| self.statistics.occurrences(table, phrase))
                .flatten();
            let times = phrase.times as f64;
            let words = words(table, &phrase.text) * times;
            found.positions = found.positions.max(words * tokens.most);
            found.add(words, times, occurs.unwrap_or(tokens));
        }
        if search.contains("NEAR") {
            found.near = found.words;
        }
    }
}

impl SearchSize {
    /// Returns the cost of the occurrences, summed over rows: the lesser of each row once in a
    /// pass, and the largest row in every run.
    fn of_rows(self, runs: f64, each: f64) -> f64 {
        let Numbers { most, all } = self.occurrences;
        if most == 0.0 || each == 0.0 {
            return 0.0;
        }
        (runs * most).min(self.passes * all) * each
    }

    fn tokenized(self, runs: f64) -> f64 {
        if self.bytes.longest == 0.0 {
            return 0.0;
        }
        (runs * self.bytes.longest).min(self.passes * self.bytes.all) * TOKENIZED
    }

    /// Returns the cost of the snippets of all rows. Each occurrence is compared with every other
    /// one in its row.
    fn snippets(self, runs: f64) -> f64 {
        self.of_rows(runs, self.occurrences.most * PAIR) + self.tokenized(runs)
    }

    fn add(&mut self, words: f64, times: f64, occurs: Numbers) {
        self.words += words;
        self.occurrences.most += times * occurs.most;
        self.occurrences.all += times * occurs.all;
    }

    fn larger(self, other: Self) -> Self {
        Self {
            words: self.words.max(other.words),
            near: self.near.max(other.near),
            positions: self.positions.max(other.positions),
            occurrences: Numbers {
                most: self.occurrences.most.max(other.occurrences.most),
                all: self.occurrences.all.max(other.occurrences.all),
            },
            bytes: Lengths {
                longest: self.bytes.longest.max(other.bytes.longest),
                all: self.bytes.all.max(other.bytes.all),
            },
            rows: self.rows.max(other.rows),
            is_ordered: self.is_ordered || other.is_ordered,
            searches: self.searches + other.searches,
            passes: self.passes + other.passes,
            ranks_otherwise: self.ranks_otherwise || other.ranks_otherwise,
        }
    }
}
