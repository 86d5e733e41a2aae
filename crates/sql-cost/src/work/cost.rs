//! The cost of one run of an instruction, in units of 10 ns.
//!
//! Most instructions cost 5 to 20 ns. The cost of a look-up or an insert depends on the b-tree: in
//! one that is larger than SQLite's page cache (2 MB) it waits for pages. The figures were measured
//! by `work -- speed` (CONTRIBUTING.md), with keys in random order.

use super::bytecode::cursors::Cursors;
use super::bytecode::opcode::Opcode;
use super::bytecode::program::Instruction;
use super::data::Data as _;
use super::data::statistics::Statistics;
use database::Database;

/// The number of rows up to which a b-tree is assumed to be in the cache: 2 MB of rows of a hundred
/// bytes.
const CACHED_ROWS: f64 = 20_000.0;

/// The additional cost of a look-up in a larger b-tree.
const DISTANT_LOOK_UP: f64 = 80.0;

/// The additional cost of an insert into a temporary table of the statement that is larger than the
/// cache.
const DISTANT_OWN_INSERT: f64 = 100.0;

/// The cost that a write to the database has in addition to a write to a temporary table of the
/// statement: the page is also written to the log.
const STORED_WRITE: f64 = 45.0;

/// The additional cost of such a write if the row or index entry may belong anywhere in a larger
/// b-tree.
const DISTANT_WRITE: f64 = 350.0;

/// The cost of a row that is counted or dropped together with its page.
const COUNTED_ROW: f64 = 6.0;

/// `OPFLAG_APPEND`: the row is inserted after the last one.
const APPENDS: i64 = 0x08;

/// Returns the cost of one of `runs` runs of an instruction.
pub(super) fn of<D: Database>(
    instruction: &Instruction,
    runs: f64,
    cursors: &Cursors,
    statistics: &Statistics<'_, D>,
) -> f64 {
    let base = instruction.opcode.cost();
    let pages = cursors.pages(instruction.p1);
    let rows_of = |pages: &[i64]| {
        pages
            .iter()
            .map(|page| statistics.rows(*page))
            .fold(0.0, f64::max)
    };
    let is_stored = !pages.is_empty()
        || (instruction.opcode == Opcode::Insert && cursors.is_stored(instruction.p1));
    let is_large = || {
        let rows = if is_stored { rows_of(&pages) } else { runs };
        rows > CACHED_ROWS
    };
    let most = |cost: &dyn Fn(i64) -> f64| pages.iter().map(|page| cost(*page)).fold(0.0, f64::max);
    let visit = || most(&|page| statistics.cost_of_visit(page));
    match instruction.opcode {
        opcode if opcode.looks_up() => {
            let way = most(&|page| statistics.cost_of_way(page, runs));
            let is_distant = way > 0.0 || is_large();
            base + way + if is_distant { DISTANT_LOOK_UP } else { 0.0 }
        }
        Opcode::Next | Opcode::Prev => base + visit(),
        // The row that an index leads to is looked up only when one of its columns is read.
        Opcode::DeferredSeek => {
            let rows = cursors.pages(instruction.p3);
            let visit = rows.iter().map(|page| statistics.cost_of_visit(*page));
            let visit = visit.fold(0.0, f64::max);
            base + visit + if visit > 0.0 { DISTANT_LOOK_UP } else { 0.0 }
        }
        Opcode::IdxInsert | Opcode::IdxDelete | Opcode::Insert | Opcode::Delete if is_stored => {
            let appends = instruction.opcode == Opcode::Insert && instruction.p5 & APPENDS != 0;
            let is_distant = || rows_of(&pages).max(runs) > CACHED_ROWS || visit() > 0.0;
            let distant = if !appends && is_distant() {
                DISTANT_WRITE
            } else {
                0.0
            };
            let way = match instruction.opcode {
                Opcode::IdxInsert | Opcode::IdxDelete => {
                    most(&|page| statistics.cost_of_way(page, runs))
                }
                _ => 0.0,
            };
            base + STORED_WRITE + distant + way
        }
        Opcode::IdxInsert if is_large() && !cursors.keeps_few(instruction.p1) => {
            base + DISTANT_OWN_INSERT
        }
        Opcode::Count => base + rows_of(&pages) * COUNTED_ROW,
        Opcode::Clear => base + rows_of(&[instruction.p1]) * COUNTED_ROW,
        _ => base,
    }
}
