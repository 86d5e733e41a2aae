//! The widths of rows. Visiting a row costs the page that it is on, and a column after long values
//! costs the pages of those values, because the engine follows a row's chain of pages from its
//! beginning.

use super::super::rate;
use super::lengths::{Lengths, Measure};
use super::measurement::SLIGHT_WORK;
use super::statistics::Statistics;
use super::{Data as _, Schema as _};
use database::Database;
use database::limits::MAX_VALUE_BYTES;
use sql_gate::compose::{Part, compose, total_length};

/// Bytes of pages that the engine caches. Reading a cached page again costs nothing.
const CACHED_BYTES: f64 = 2_000_000.0;

/// The size of a page in bytes.
pub const PAGE_BYTES: f64 = 4_096.0;

/// Bytes of an index entry above which the engine reads the entry's chain of pages for each
/// comparison.
const WIDE_ENTRY_BYTES: f64 = 1_000.0;

/// The work that may be underestimated because index entries were not measured, in units of 10 ns:
/// five seconds of look-ups.
const MAX_UNMEASURED_WORK: f64 = 500_000_000.0;

/// Bytes of a row that fits on one page.
const LOCAL_BYTES: u32 = 4_000;

/// The largest number of columns of a row, which is the engine's limit.
const MAX_COLUMNS: i64 = 100;

/// The cost that a column adds to measuring a row, in units of 10 ns.
const MEASURED_VALUE: f64 = 5.0;

impl<D: Database> Statistics<'_, D> {
    /// Returns true if the database has more pages than the engine caches, after `added` bytes are
    /// added to it.
    pub fn exceeds_cache(&self, added: f64) -> bool {
        self.lengths_of_anything().all + added > CACHED_BYTES
    }

    /// Returns the average bytes of a row of a table, or of an entry of an index, or 0 if all of
    /// them are cached.
    pub fn row_bytes(&self, page: i64) -> f64 {
        if self.reads_nothing() {
            // The average says nothing about a row of a table that may have only one.
            return (MAX_COLUMNS * MAX_VALUE_BYTES as i64) as f64;
        }
        if !self.exceeds_cache(0.0) {
            return 0.0;
        }
        let rows = self.rows(page).max(1.0);
        let measure = if self.may_measure() {
            Measure::Columns
        } else {
            Measure::Database
        };
        let all = match measure {
            Measure::Database => self.lengths_of_anything().all,
            Measure::Columns => self.bytes_of_rows(page),
        };
        if all <= CACHED_BYTES { 0.0 } else { all / rows }
    }

    /// Returns the cost of visiting a row, by the pages that are read, in units of 10 ns.
    pub fn cost_of_visit(&self, page: i64) -> f64 {
        self.row_bytes(page).min(PAGE_BYTES) * rate::VISITED
    }

    /// Returns the cost of reading a row of a table, by the pages that are read, in units of 10 ns:
    /// the page that it is on and, if its columns are read, those of its long values. For an index,
    /// the result is that of its table.
    pub fn cost_of_reading(&self, page: i64, reads_columns: bool) -> f64 {
        let page = self.page_of_table(page);
        let chain = if reads_columns {
            (self.row_bytes(page) - PAGE_BYTES).max(0.0) * rate::PASSED
        } else {
            0.0
        };
        self.cost_of_visit(page) + chain
    }

    /// Returns the cost of one pass over a table, by its pages, in units of 10 ns, if its values
    /// are not read.
    pub fn work_of_visits(&self, table: &str) -> f64 {
        if !self.exceeds_cache(0.0) {
            return 0.0;
        }
        let pages = self.rows_of(table) * PAGE_BYTES;
        self.lengths_of_anything().all.min(pages) * rate::VISITED
    }

    /// Returns the cost of one pass over a table, by its pages, in units of 10 ns, if values of its
    /// rows are read.
    pub fn work_of_chains(&self, table: &str) -> f64 {
        let rough = self.lengths_of_anything().all * rate::PASSED;
        if !self.exceeds_cache(0.0) || rough <= SLIGHT_WORK {
            return 0.0;
        }
        let page = self.root_of_table(table);
        page.map_or(rough, |page| self.bytes_of_rows(page) * rate::PASSED)
    }

    fn page_of_table(&self, page: i64) -> i64 {
        let owner = self.owner(page).filter(|owner| owner.index.is_some());
        let table = owner.and_then(|owner| self.root_of_table(&owner.table));
        table.unwrap_or(page)
    }

    /// Returns the cost of the entries that a look-up compares on its way, in units of 10 ns. Wide
    /// entries may be met by every look-up, because those that were inserted first are at the top
    /// of the b-tree. For few runs, entries are assumed to have the average width; if there are so
    /// many runs that it matters, the entries are measured.
    pub fn cost_of_way(&self, page: i64, runs: f64) -> f64 {
        let bytes = self.row_bytes(page);
        let visit = self.cost_of_visit(page);
        if bytes == 0.0 || self.is_ordered_by_rowid(page) {
            return visit;
        }
        let levels = self.rows(page).max(2.0).log2();
        let anything = self.lengths_of_anything();
        let most = anything.longest * rate::PASSED * levels;
        let is_measured = self.may_measure() || runs * most > MAX_UNMEASURED_WORK;
        match is_measured.then(|| self.wide_entries(page)).flatten() {
            Some((entries, all)) if entries >= 1.0 => {
                let compared = (entries.log2() + 1.0).min(levels);
                visit + all / entries * rate::PASSED * compared
            }
            Some(_) => visit,
            None if is_measured => most.min(anything.all * rate::PASSED),
            None if bytes < WIDE_ENTRY_BYTES => visit,
            None => bytes * rate::PASSED * levels,
        }
    }

    /// Returns the number of wide entries of an index and their bytes, or `None` if they cost too
    /// much to measure.
    fn wide_entries(&self, page: i64) -> Option<(f64, f64)> {
        let names = self.names(page, 0, MAX_COLUMNS);
        let table = self.table(page)?;
        let (longest, _) = self.measured_span(&table, &names, None)?;
        if longest < WIDE_ENTRY_BYTES {
            return Some((0.0, 0.0));
        }
        let label = format!("wide entries {table} {}", names.join(" "));
        let remember =
            |of: &str, found: Option<u64>| self.counted_exactly(format!("{of} {label}"), || found);
        let (number, all) = ("number of", "all of");
        if let Some(known) = remember(number, None).zip(remember(all, None)) {
            return Some(known);
        }
        let rows = self.rows_of(&table);
        let pages = self.lengths_of_anything().all.min(rows * PAGE_BYTES) * rate::PASSED;
        if !self.affords(rows * MEASURED_VALUE * (names.len() + 2) as f64 + pages) {
            return None;
        }
        let lengths = total_length(&names);
        let select = format!("SELECT count(*), coalesce(sum({lengths}), 0) FROM ");
        let filter = format!(" WHERE {lengths} >= {WIDE_ENTRY_BYTES}");
        let query = [
            Part::Expression(&select),
            Part::Identifier(&table),
            Part::Expression(&filter),
        ];
        let found = self.numbers(&compose(&query, Vec::new()))?;
        Some((
            remember(number, found.first().copied())?,
            remember(all, found.get(1).copied())?,
        ))
    }

    /// Returns the bytes of all rows of a table, or of all entries of an index.
    fn bytes_of_rows(&self, page: i64) -> f64 {
        let names = self.names(page, 0, MAX_COLUMNS);
        let measured = || self.measured_span(&self.table(page)?, &names, None);
        measured().map_or(self.lengths_of_anything().all, |(_, all)| all)
    }

    fn names(&self, page: i64, from: i64, to: i64) -> Vec<String> {
        let names = (from..to).map_while(|column| self.column_name(page, column));
        names.collect()
    }

    /// Returns the bytes that the columns `from..to` have together, counting only rows that are
    /// longer than a page.
    pub fn span(&self, page: i64, from: i64, to: i64, measure: Measure) -> Lengths {
        let anything = self.lengths_of_anything();
        let columns = (to - from).clamp(0, MAX_COLUMNS) as f64;
        let rough = Lengths {
            longest: anything.all.min(columns * MAX_VALUE_BYTES as f64),
            all: anything.all,
        };
        let measured = || {
            let names = self.names(page, from, to);
            let whole = self.names(page, 0, MAX_COLUMNS);
            let (longest, all) = self.measured_span(&self.table(page)?, &names, Some(&whole))?;
            Some(Lengths {
                longest: longest.min(rough.longest),
                all: all.min(rough.all),
            })
        };
        match measure {
            Measure::Database => rough,
            Measure::Columns => measured().unwrap_or(rough),
        }
    }

    /// Measures columns of a table in one pass: the most bytes that a row has in them, and the
    /// bytes of all rows together. If `whole` is given, only rows on more than one page count.
    fn measured_span(
        &self,
        table: &str,
        names: &[String],
        whole: Option<&[String]>,
    ) -> Option<(f64, f64)> {
        if names.is_empty() {
            return Some((0.0, 0.0));
        }
        let rows_of = if whole.is_some() { "long rows" } else { "rows" };
        let label = format!("{rows_of} {table} {}", names.join(" "));
        let remember =
            |of: &str, found: Option<u64>| self.counted_exactly(format!("{of} {label}"), || found);
        let (longest, all) = ("longest span", "all of span");
        if let Some(known) = remember(longest, None).zip(remember(all, None)) {
            return Some(known);
        }
        let rows = self.rows_of(table);
        let pages = self.lengths_of_anything().all.min(rows * PAGE_BYTES) * rate::PASSED;
        let values = names.len() + whole.map_or(0, <[String]>::len);
        if !self.affords(rows * (MEASURED_VALUE * (values + 2) as f64) + pages) {
            return None;
        }
        let lengths = total_length(names);
        let filter = whole.map_or(String::new(), |whole| {
            format!(" WHERE {} > {LOCAL_BYTES}", total_length(whole))
        });
        let select =
            format!("SELECT coalesce(max({lengths}), 0), coalesce(sum({lengths}), 0) FROM ");
        let query = [
            Part::Expression(&select),
            Part::Identifier(table),
            Part::Expression(&filter),
        ];
        let found = self.numbers(&compose(&query, Vec::new()))?;
        Some((
            remember(longest, found.first().copied())?,
            remember(all, found.get(1).copied())?,
        ))
    }
}
