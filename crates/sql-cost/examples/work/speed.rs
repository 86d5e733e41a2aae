//! Measures the cost of each kind of work: statements of `bench/work.json` with known numbers of
//! rows and instructions, each together with a statement that does the same without that work.
//! `bench/work.mjs` runs the same statements in workerd.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sql_gate::Policy;

use crate::options::{Failure, Options};
use crate::truth::{Clock, bound, without_authorizer};
use test_support::HostDatabase;
use test_support::estimate::estimate;

const CASES: &str = include_str!("../../../../bench/work.json");
/// The number of times that a read is repeated. The fastest one counts, because other load on the
/// machine can only add time.
const ROUNDS: usize = 2;
/// A cut-off in seconds that is long enough for everything in the file.
const CUT_OFF_S: f64 = 120.0;

#[derive(Debug, Deserialize)]
struct Cases {
    rows: u64,
    setup: Vec<String>,
    cases: Vec<Case>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    sql: String,
    /// The name of the case that does everything except the work that this one measures.
    over: Option<String>,
    /// Statements that run before each run.
    #[serde(default)]
    before: Vec<String>,
    /// Units of work, as a part of the rows.
    #[serde(default = "one")]
    times: f64,
    /// True if the gate refuses the statements before it.
    #[serde(default, rename = "host_only")]
    _host_only: bool,
}

fn one() -> f64 {
    1.0
}

/// A measured case.
#[derive(Debug, Clone, Copy, Serialize)]
struct Measured {
    seconds: f64,
    opcodes: u64,
    units: f64,
    /// The gate's estimate, before the case has run.
    estimated_opcodes: Option<u64>,
    work: Option<u64>,
}

impl Measured {
    fn ns_a_unit(self) -> f64 {
        self.seconds * 1e9 / self.units
    }

    fn opcodes_a_unit(self) -> f64 {
        self.opcodes as f64 / self.units
    }

    fn ns_an_opcode(self) -> f64 {
        self.seconds * 1e9 / self.opcodes.max(1) as f64
    }
}

/// Runs all cases and prints the table. `u` is a unit, most often a row; `est/op` is the estimate
/// divided by the truth, and `ns/work` the time for a unit of estimated work.
pub fn run(options: &Options) -> Result<(), Failure> {
    let cases: Cases = serde_json::from_str(CASES)?;
    let rows = options.rows.min(cases.rows);
    let fill = |sql: &str| sql.replace("{rows}", &rows.to_string());
    let (mut db, clock) = open()?;
    clock.watch(&mut db)?;
    for sql in &cases.setup {
        db.script(&fill(sql));
    }
    db.connection()
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    println!("{rows} rows; + is what a unit costs beyond the case named on the right");
    println!(
        "{:<62} {:>8} {:>12} {:>7} {:>7} {:>9} {:>9} {:>8} {:>9} {:>9}",
        "",
        "seconds",
        "opcodes",
        "ops/u",
        "ns/op",
        "ns/unit",
        "est/op",
        "ns/work",
        "+ops/u",
        "+ns/unit"
    );
    let mut measured: BTreeMap<&str, Measured> = BTreeMap::new();
    for case in &cases.cases {
        let wanted = options
            .only
            .as_ref()
            .is_none_or(|part| case.name.contains(part.as_str()));
        let needed = cases
            .cases
            .iter()
            .any(|other| other.over.as_ref() == Some(&case.name));
        if !wanted && !needed {
            continue;
        }
        let mut best: Option<Measured> = None;
        for _ in 0..if case.before.is_empty() { ROUNDS } else { 1 } {
            for sql in &case.before {
                db.script(&fill(sql));
            }
            let estimated = bound(&fill(&case.sql), &Policy::default())
                .and_then(|bound| Ok(estimate(&db, &bound, &Policy::default())?))
                .ok();
            let (finished, seconds, opcodes) = clock
                .time(&db, &fill(&case.sql), CUT_OFF_S)
                .map_err(|error| format!("{}: {error}", case.name))?;
            if !finished {
                return Err(format!("{} did not end", case.name).into());
            }
            if best.is_none_or(|best| seconds < best.seconds) {
                let units = rows as f64 * case.times;
                best = Some(Measured {
                    seconds,
                    opcodes,
                    units,
                    estimated_opcodes: estimated.map(|estimated| estimated.opcodes),
                    work: estimated.map(|estimated| estimated.work),
                });
            }
        }
        let Some(best) = best else { continue };
        measured.insert(&case.name, best);
        println!("{}", line(case, best, &measured));
    }
    if let Some(path) = &options.json {
        std::fs::write(path, serde_json::to_string_pretty(&measured)?)?;
    }
    Ok(())
}

fn line(case: &Case, this: Measured, measured: &BTreeMap<&str, Measured>) -> String {
    let mut text = format!(
        "{:<62} {:>8.3} {:>12} {:>7.1} {:>7.1} {:>9.1} {:>9.2} {:>8.2}",
        case.name,
        this.seconds,
        this.opcodes,
        this.opcodes_a_unit(),
        this.ns_an_opcode(),
        this.ns_a_unit(),
        this.estimated_opcodes
            .map_or(f64::NAN, |estimated| estimated as f64
                / this.opcodes.max(1) as f64),
        this.work
            .map_or(f64::NAN, |work| this.seconds * 1e9 / work.max(1) as f64),
    );
    if let Some((over, base)) = case
        .over
        .as_deref()
        .and_then(|over| Some((over, measured.get(over)?)))
    {
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            " {:>9.1} {:>9.1}  {over}",
            this.opcodes_a_unit() - base.opcodes_a_unit(),
            this.ns_a_unit() - base.ns_a_unit()
        );
    }
    text
}

/// Opens a new database in a file, with a journal as in workerd.
fn open() -> Result<(HostDatabase, Clock), Failure> {
    let folder = Options::folder()?;
    for name in ["speed.sqlite", "speed.sqlite-wal", "speed.sqlite-shm"] {
        let path = folder.join(name);
        if path.exists() {
            std::fs::remove_file(path)?;
        }
    }
    let mut db = HostDatabase::over(rusqlite::Connection::open(folder.join("speed.sqlite"))?);
    without_authorizer(&mut db)?;
    db.connection()
        .query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    Ok((db, Clock::default()))
}
