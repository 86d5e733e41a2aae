//! Reconstructs the join that a nest of loops computes, to bound how often control comes to an
//! instruction in it.
//!
//! A loop over a stored table, or over a sub-query that was counted, is a table of the join. The
//! key of its seek and the branches that lead past the place are its conditions. They are written
//! as SQL from the registers that they compare, with names from the schema by root page and column
//! number, never from the statement. Conditions that cannot be read are left out, so the join may
//! have more rows than the loops produce, but never fewer.

use std::ops::Range;

use super::super::bytecode::cursors::{CursorSource, IndexedTable, ROWID, Seek};
use super::super::bytecode::opcode::{Flow, Opcode};
use super::super::data::Data;
use super::super::data::derived::DerivedTable;
use super::super::data::join::{Condition, Join, Rows};
use super::super::flow::graph::InstructionAddress;
use super::Reader;
use sql_gate::compose::quote_identifier;

/// The largest number of loops and look-ups in one join.
const MAX_TABLES: usize = 16;

/// A table of the join that is being read.
pub struct Table {
    /// The cursors that read its row: the one that moves, and the one it leads to.
    pub cursors: Vec<i64>,
    pub rows: Rows,
    /// The registers in which a coroutine hands its row out, and the address at which its loop
    /// begins.
    pub handed: Option<(Range<i64>, usize)>,
}

/// A nest of loops while it is read.
#[derive(Default)]
pub struct Nest {
    pub tables: Vec<Table>,
    pub conditions: Vec<Condition>,
    pub loops: Vec<usize>,
}

impl Nest {
    fn add_key(&mut self, text: String) {
        let tables = self.tables.len();
        self.conditions.push(Condition {
            tables,
            is_key: true,
            is_equality: false,
            text,
        });
    }
}

/// One loop around a place.
struct Level {
    around: Range<usize>,
    /// The address that positions its cursor.
    position: usize,
    table: Table,
    /// The instructions that start the loop: the rows are counted for each run of them.
    begins: Vec<InstructionAddress>,
    seek: Seek,
}

impl<D: Data> Reader<'_, D> {
    /// Returns the join of the loops around a place, with the conditions that hold there, and the
    /// instructions that start it: the join is computed once for each run of them. `only_innermost`
    /// leaves out all loops but one.
    pub fn join_at(
        &self,
        place: usize,
        only_innermost: bool,
    ) -> Option<(Join, Vec<InstructionAddress>)> {
        let levels = self.levels(place, only_innermost)?;
        let begins = levels.first()?.begins.clone();
        let mut nest = Nest::default();
        for (depth, level) in levels.iter().enumerate() {
            let next = levels.get(depth + 1).map_or(place, |next| next.position);
            self.add_loop(&mut nest, level)?;
            if next <= level.around.start {
                // The place is the step itself, so the body of the loop does not matter.
                continue;
            }
            if self.is_entered_from_outside(level.around.start + 1..next + 1, level) {
                return None;
            }
            self.add_body(&mut nest, &level.around, next);
        }
        let join = Join {
            rows: nest.tables.iter().map(|table| table.rows).collect(),
            conditions: nest.conditions,
            loops: nest.loops,
        };
        Some((join, begins))
    }

    /// Returns the loops around a place, the outermost first, as far outwards as they can be read.
    fn levels(&self, place: usize, only_innermost: bool) -> Option<Vec<Level>> {
        let ranges = self.loops_around(place);
        let contexts = self.contexts_of(place);
        let mut levels: Vec<Level> = Vec::new();
        for (depth, range) in ranges.iter().enumerate().rev() {
            let outer = ranges.get(..depth)?;
            let Some(level) = self.level(range, outer) else {
                break;
            };
            if self.contexts_of(level.position) != contexts || levels.len() == MAX_TABLES {
                break;
            }
            levels.push(level);
            if only_innermost {
                break;
            }
        }
        levels.reverse();
        (!levels.is_empty()).then_some(levels)
    }

    /// Returns the jumps back over a place, the outermost first. Of several jumps to one
    /// instruction, only the longest is returned.
    pub fn loops_around(&self, place: usize) -> Vec<Range<usize>> {
        let calls = |range: &Range<usize>| {
            let last = range.end.checked_sub(1).and_then(|at| self.code.at(at));
            last.is_some_and(|last| last.opcode == Opcode::Gosub)
        };
        let around = self.code.jumps_back_over(place);
        let mut ranges: Vec<Range<usize>> = around
            .map(|(_, range)| range.clone())
            .filter(|range| !calls(range))
            .collect();
        ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        ranges.dedup_by_key(|range| range.start);
        ranges
    }

    /// Returns the contexts that an instruction runs in.
    fn contexts_of(&self, address: usize) -> Vec<usize> {
        let nodes = self.graph.nodes_of((self.number, address)).iter();
        let mut contexts: Vec<usize> = nodes
            .filter_map(|node| self.graph.context_of.get(*node))
            .copied()
            .collect();
        contexts.sort_unstable();
        contexts
    }

    fn level(&self, around: &Range<usize>, outer: &[Range<usize>]) -> Option<Level> {
        let last = around.end.checked_sub(1)?;
        let step = self.code.at(last)?;
        let level = match step.opcode.flow() {
            Flow::Step => {
                let [position] = self.positions_of(step.p1, last)[..] else {
                    return None;
                };
                let rows = self.rows_under(step.p1)?;
                Level {
                    around: around.clone(),
                    position,
                    table: Table {
                        cursors: self.led_by(step.p1),
                        rows,
                        handed: None,
                    },
                    begins: vec![(self.number, position)],
                    seek: self.cursors.equality(self.code, step, position),
                }
            }
            Flow::Goto => self.coroutine_level(around)?,
            Flow::Next
            | Flow::Branch
            | Flow::Jump
            | Flow::Seek
            | Flow::SeekScan
            | Flow::Once
            | Flow::Gosub
            | Flow::Return
            | Flow::InitCoroutine
            | Flow::Yield
            | Flow::Program
            | Flow::End => return None,
        };
        let enclosing = self.loops_around(level.position);
        let is_own = |range: &&Range<usize>| **range == level.around;
        let mut enclosing = enclosing.iter().filter(|range| !is_own(range));
        let is_between = enclosing.by_ref().eq(outer.iter());
        is_between.then_some(level)
    }

    /// Returns the loop over the rows that a coroutine hands out: `Yield r end; …; Goto Yield`.
    fn coroutine_level(&self, around: &Range<usize>) -> Option<Level> {
        let read = self.code.at(around.start)?;
        if read.opcode != Opcode::Yield || read.p2 == 0 || self.read_of(read.p1)? != around.start {
            return None;
        }
        let (start, measured) = self.made.iter().find_map(|made| match made {
            DerivedTable::Coroutine { start, measured }
                if self
                    .coroutine(*start)
                    .is_some_and(|(register, _)| register == read.p1) =>
            {
                Some((*start, *measured))
            }
            DerivedTable::Coroutine { .. } | DerivedTable::Table { .. } => None,
        })?;
        let columns = self.data.columns(measured)?;
        let handed = self
            .first_column(start, read.p1, columns)
            .zip(i64::try_from(columns).ok())
            .map(|(first, columns)| (first..first + columns, around.start));
        let (_, begins) = self.coroutine(start)?;
        Some(Level {
            around: around.clone(),
            position: around.start,
            table: Table {
                cursors: Vec::new(),
                rows: Rows::Counted(measured),
                handed,
            },
            begins,
            seek: Seek::Range,
        })
    }

    /// Returns the cursor and the one that it leads to.
    fn led_by(&self, leader: i64) -> Vec<i64> {
        let deferred = self.code.operating(Opcode::DeferredSeek, leader).iter();
        let led = deferred.filter_map(|at| self.code.at(*at).map(|other| other.p3));
        [leader].into_iter().chain(led).collect()
    }

    fn rows_under(&self, cursor: i64) -> Option<Rows> {
        match self.cursors.over(cursor)? {
            // A table that the statement itself fills may grow after it was counted.
            CursorSource::Stored { pages } => match pages[..] {
                [page] if self.inserted_into(cursor).is_empty() => Some(Rows::Stored(page)),
                _ => None,
            },
            // A sorter has a row for each row that was inserted into it, whichever table its
            // columns come from.
            CursorSource::Made { base, .. }
                if self.measured(base).is_none() && !self.cursors.is_automatic(cursor) =>
            {
                None
            }
            CursorSource::Made { base, .. } => {
                if let Some(measured) = self.measured(base) {
                    self.data.columns(measured)?;
                    return Some(Rows::Counted(measured));
                }
                match self.cursors.source_of_key(self.code, cursor, 1) {
                    Some((IndexedTable::Stored(page), _)) => Some(Rows::Indexed(page)),
                    Some((IndexedTable::Made(base), _)) => {
                        let measured = self.measured(base)?;
                        self.data.columns(measured)?;
                        Some(Rows::Counted(measured))
                    }
                    None => Some(Rows::Counted(self.handed_out_key(cursor, 1)?.0)),
                }
            }
            CursorSource::Virtual | CursorSource::OneRow => None,
        }
    }

    /// Returns true if control enters the loop from outside at one of these addresses, as it does
    /// with the NULLs of an outer join.
    fn is_entered_from_outside(&self, inside: Range<usize>, level: &Level) -> bool {
        let mut ways = self.facts.ways().into(inside);
        ways.any(|way| {
            self.code.meter.takes(1)
                && !(way.returns && self.is_behind_call(way.target, level))
                && way.comes_from_outside(&level.around, Some(level.position))
        })
    }

    /// Returns true if `target` directly follows a call or a Yield of the loop. Only then does a
    /// return lead back to it.
    fn is_behind_call(&self, target: usize, level: &Level) -> bool {
        let flow = |at: usize| self.code.at(at).map(|other| other.opcode.flow());
        target.checked_sub(1).is_some_and(|before| {
            level.around.contains(&before)
                && matches!(flow(before), Some(Flow::Gosub | Flow::Yield))
        })
    }

    fn add_loop(&self, nest: &mut Nest, level: &Level) -> Option<()> {
        let table = Table {
            cursors: level.table.cursors.clone(),
            rows: level.table.rows,
            handed: level.table.handed.clone(),
        };
        nest.tables.push(table);
        nest.loops.push(nest.tables.len() - 1);
        self.add_ends(nest, level);
        let Seek::Equal(columns) = level.seek else {
            return Some(());
        };
        let seek = self.code.at(level.position)?;
        let names = self.key_of(seek.p1, columns)?;
        let mut any = false;
        for (register, (column, collation)) in (seek.p3..).zip(names) {
            any |= self
                .add_key(nest, &column, Some(&collation), register, level.position)
                .is_some();
        }
        any.then_some(())
    }

    /// Adds the ends of a range: the position where the cursor starts, and where its loop stops.
    fn add_ends(&self, nest: &mut Nest, level: &Level) -> Option<()> {
        let seek = self.code.at(level.position)?;
        let equal = match level.seek {
            Seek::Equal(columns) => columns,
            Seek::Range => 0,
        };
        let starts = match seek.opcode {
            Opcode::SeekGE => ">=",
            Opcode::SeekGT => ">",
            Opcode::SeekLE => "<=",
            Opcode::SeekLT => "<",
            _ => return None,
        };
        let top = level.around.start;
        let stop = self.code.at(top)?;
        let stops = match (stop.opcode, starts.chars().next()) {
            (Opcode::IdxGT, Some('>')) => Some("<="),
            (Opcode::IdxGE, Some('>')) => Some("<"),
            (Opcode::IdxLT, Some('<')) => Some(">="),
            (Opcode::IdxLE, Some('<')) => Some(">"),
            _ => None,
        }
        .filter(|_| stop.p1 == seek.p1);
        let CursorSource::Stored { pages } = self.cursors.over(seek.p1)? else {
            return None;
        };
        let page = *pages.first()?;
        if self.data.is_ordered_by_rowid(page) {
            // NULL never finds a rowid, and never compares with one.
            let value = self.value(seek.p3, level.position, nest)?;
            let last = nest.tables.len().checked_sub(1)?;
            let name = self.data.rowid_name(page)?;
            nest.add_key(format!("r{last}.{name} {starts} +({})", value.text));
            return Some(());
        }
        let column = self.data.ascending_column(page, equal)?;
        let offset = i64::try_from(equal).ok()?;
        if seek.p4.is_some_and(|columns| columns > offset) {
            self.add_end(nest, &column, starts, seek.p3 + offset, level.position);
        }
        if let Some(operator) = stops
            && stop.p4.is_some_and(|columns| columns > offset)
        {
            self.add_end(nest, &column, operator, stop.p3 + offset, top);
        }
        Some(())
    }

    fn add_end(
        &self,
        nest: &mut Nest,
        (name, collation): &(String, String),
        operator: &str,
        register: i64,
        before: usize,
    ) -> Option<()> {
        if !self.is_never_null(register, before) {
            return None;
        }
        let value = self.value(register, before, nest)?;
        let last = nest.tables.len().checked_sub(1)?;
        nest.add_key(format!(
            "r{last}.{} COLLATE {} {operator} +({})",
            quote_identifier(name),
            quote_identifier(collation),
            value.text
        ));
        Some(())
    }

    /// Adds the key as `r1."column" COLLATE … = +(value)`, which matches at least the rows that the
    /// look-up finds. The sign removes the affinity of the value, so that the affinity of the
    /// column decides, as in every index that can be used.
    fn add_key(
        &self,
        nest: &mut Nest,
        column: &str,
        collation: Option<&str>,
        register: i64,
        position: usize,
    ) -> Option<()> {
        let value = self.value(register, position, nest)?;
        let operator = if self.is_never_null(register, position) {
            "="
        } else {
            "IS"
        };
        let collation = collation
            .map(|name| format!(" COLLATE {}", quote_identifier(name)))
            .unwrap_or_default();
        let last = nest.tables.len().checked_sub(1)?;
        nest.add_key(format!(
            "r{last}.{column}{collation} {operator} +({})",
            value.text
        ));
        Some(())
    }

    /// Returns the columns of an index's key with their collations.
    fn key_of(&self, cursor: i64, columns: usize) -> Option<Vec<(String, String)>> {
        let quoted = |(name, collation): (String, String)| (quote_identifier(&name), collation);
        match self.cursors.over(cursor)? {
            CursorSource::Stored { pages } => {
                let names = self.data.key_columns(*pages.first()?, columns)?;
                Some(names.into_iter().map(quoted).collect())
            }
            CursorSource::Made { .. } => {
                let (source, key) = match self.cursors.source_of_key(self.code, cursor, columns) {
                    Some(found) => found,
                    None => {
                        let (_, key) = self.handed_out_key(cursor, columns)?;
                        return Some(numbered(key));
                    }
                };
                match source {
                    IndexedTable::Made(_) => Some(numbered(key)),
                    IndexedTable::Stored(page) => key
                        .into_iter()
                        .map(|(column, collation)| {
                            Some((self.column_of_page(page, column)?, collation))
                        })
                        .collect(),
                }
            }
            CursorSource::Virtual | CursorSource::OneRow => None,
        }
    }

    fn column_of_page(&self, page: i64, column: i64) -> Option<String> {
        if column == ROWID {
            return self.data.rowid_name(page);
        }
        Some(quote_identifier(&self.data.column_name(page, column)?))
    }

    /// Returns the name of one column of a cursor's row, and its root page and number if it is
    /// stored.
    pub fn column_under(&self, cursor: i64, column: i64) -> Option<(String, Option<(i64, i64)>)> {
        let wanted = usize::try_from(column).ok()?;
        match self.cursors.over(cursor)? {
            CursorSource::Stored { pages } => {
                let page = *pages.first()?;
                let name = self.column_of_page(page, column)?;
                Some((name, Some((page, column))))
            }
            CursorSource::Made { base, .. } if self.measured(base).is_some() => (wanted
                < self.data.columns(self.measured(base)?)?)
            .then(|| (format!("c{column}"), None)),
            CursorSource::Made { .. } => {
                let key = self
                    .cursors
                    .source_of_key(self.code, cursor, wanted + 1)
                    .map(|(source, key)| (Some(source), key))
                    .or_else(|| {
                        let (_, key) = self.handed_out_key(cursor, wanted + 1)?;
                        Some((None, key))
                    })?;
                let (source, key) = key;
                let (column, _) = key.into_iter().nth(wanted)?;
                match source {
                    Some(IndexedTable::Stored(page)) => {
                        Some((self.column_of_page(page, column)?, Some((page, column))))
                    }
                    Some(IndexedTable::Made(_)) | None => Some((format!("c{column}"), None)),
                }
            }
            CursorSource::Virtual | CursorSource::OneRow => None,
        }
    }

    /// Adds the facts that hold at `place` for the row of a loop: the rows that are looked up
    /// before, and the conditions.
    fn add_body(&self, nest: &mut Nest, around: &Range<usize>, place: usize) {
        let met = self.always_met(around, place);
        for at in [around.start].into_iter().chain(met) {
            if !self.code.meter.takes(1) {
                return;
            }
            if at < place && nest.tables.len() < MAX_TABLES {
                // If a look-up cannot be read, the join only has more rows.
                let _ = self.add_look_up(nest, at, around);
            }
        }
        let conditions = self.conditions_between(around, place, nest);
        let tables = nest.tables.len();
        nest.conditions
            .extend(conditions.into_iter().map(|(text, is_equality)| Condition {
                tables,
                is_key: false,
                is_equality,
                text,
            }));
    }

    /// Adds a row that is looked up by a key, if the round ends when there is no such row.
    fn add_look_up(&self, nest: &mut Nest, at: usize, around: &Range<usize>) -> Option<()> {
        let seek = self.code.at(at)?;
        let ends_round = seek.target()? >= self.end_of_round(around);
        let is_only = self.cursors.positions(seek.p1) == [at];
        let is_known = nest
            .tables
            .iter()
            .any(|table| table.cursors.contains(&seek.p1));
        if !ends_round || !is_only || is_known || self.has_null_row(seek.p1) {
            return None;
        }
        let CursorSource::Stored { pages } = self.cursors.over(seek.p1)? else {
            return None;
        };
        let [page] = pages[..] else {
            return None;
        };
        let keys = match seek.opcode {
            Opcode::SeekRowid | Opcode::NotExists => vec![(self.data.rowid_name(page)?, None)],
            Opcode::SeekGE => {
                let ends = self.code.at(at + 1)?;
                let is_one = ends.opcode == Opcode::IdxGT
                    && (ends.p1, ends.p3) == (seek.p1, seek.p3)
                    && ends.target()? >= self.end_of_round(around)
                    && self.is_never_moved(seek.p1);
                let columns = usize::try_from(seek.p4?.min(ends.p4?)).ok()?;
                if !is_one || columns == 0 {
                    return None;
                }
                let names = self.key_of(seek.p1, columns)?.into_iter();
                names
                    .map(|(name, collation)| (name, Some(collation)))
                    .collect()
            }
            _ => return None,
        };
        let led = self.led_by(seek.p1);
        if led.iter().any(|cursor| self.has_null_row(*cursor)) {
            return None;
        }
        nest.tables.push(Table {
            cursors: led,
            rows: Rows::Stored(page),
            handed: None,
        });
        let added: Vec<Option<()>> = (seek.p3..)
            .zip(keys)
            .map(|(register, (column, collation))| {
                self.add_key(nest, &column, collation.as_deref(), register, at)
            })
            .collect();
        if added.iter().any(Option::is_none) {
            // Without its whole key, the look-up would match more than one row.
            let tables = nest.tables.len();
            nest.conditions
                .retain(|condition| condition.tables < tables);
            nest.tables.pop();
        }
        Some(())
    }

    fn is_never_moved(&self, cursor: i64) -> bool {
        self.code.steps_of(cursor).is_empty()
    }
}

/// Names the columns of a counted sub-query by their numbers.
fn numbered(key: Vec<(i64, String)>) -> Vec<(String, String)> {
    key.into_iter()
        .map(|(column, collation)| (format!("c{column}"), collation))
        .collect()
}
