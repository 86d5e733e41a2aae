//! The work bound, statement by statement: refused statements would really have run for long, those
//! that pass are really cheap, and no estimate is below the instructions that SQLite took.
//!
//! The tables are small and so is the limit, so that "long" is a million instructions.

mod joins;
mod loops;
mod names;
mod runaway;
mod told;
mod values;
mod writes;

use base::Error;
use serde_json::{Value, json};
use sql_cost::Counts;
use sql_gate::{self, Bound, Parameters, Policy};

use test_support::HostDatabase;
use test_support::estimate::estimate;
use test_support::steps::{End, Stopwatch, Taken};

/// The number of rows in the larger tables: a pass over one is 10,000 instructions, a product of
/// two is 10 million and more.
const ROWS: u64 = 2_500;
/// The limit of these tests, in units of work.
const LIMIT: u64 = 6_500_000;
/// A refused statement takes more instructions than this, and is stopped soon after.
const LONG: u64 = 1_000_000;
/// A statement that passes takes fewer instructions than this.
const SHORT: u64 = 600_000;

/// - `many` has a row for each of its keys, `k` without an index, and columns of few values;
/// - `other` has half as many, and an index on each of its columns;
/// - `own` has a column of its own called rowid, `sparse` rowids that lie far apart, `holes` keys
///   that are mostly NULL;
/// - `plain` has its primary key as its order, `lists` texts of JSON, `words` a full-text index,
///   and `parents` has children.
const TABLES: &str = "
CREATE TABLE many (id INTEGER PRIMARY KEY, k INTEGER NOT NULL, n INTEGER, flag TEXT, code TEXT);
CREATE TABLE other (id INTEGER PRIMARY KEY, p INTEGER, q INTEGER, few INTEGER, some INTEGER);
CREATE INDEX other_p ON other (p); CREATE INDEX other_q ON other (q);
CREATE INDEX other_few ON other (few); CREATE INDEX other_some ON other (some);
CREATE TABLE own (rowid INTEGER, v INTEGER);
CREATE TABLE sparse (id INTEGER PRIMARY KEY, v INTEGER);
CREATE TABLE holes (id INTEGER PRIMARY KEY, k INTEGER);
CREATE INDEX holes_k ON holes (k);
CREATE TABLE bare_holes (id INTEGER PRIMARY KEY, k INTEGER);
CREATE TABLE plain (code TEXT PRIMARY KEY, flag TEXT) WITHOUT ROWID;
CREATE TABLE lists (id INTEGER PRIMARY KEY, body TEXT);
CREATE TABLE long_lists (id INTEGER PRIMARY KEY, body TEXT);
CREATE VIRTUAL TABLE words USING fts5(body);
CREATE TABLE parents (id INTEGER PRIMARY KEY);
CREATE TABLE children (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parents (id) ON DELETE CASCADE);
CREATE TABLE indexed_parents (id INTEGER PRIMARY KEY);
CREATE TABLE indexed_children (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES indexed_parents (id) ON DELETE CASCADE);
CREATE INDEX indexed_children_parent ON indexed_children (parent);
CREATE TABLE \"SCAN b\" (v INTEGER);
CREATE TABLE \"MATERIALIZE x\" (v INTEGER);
CREATE TABLE \"CONSTANT ROW\" (id INTEGER PRIMARY KEY, \"a=?\" INTEGER, \"rowid=?\" INTEGER);
CREATE INDEX \"x (rowid=?)\" ON \"CONSTANT ROW\" (\"a=?\");
";

/// Statements that insert the rows, from a series from 1 to [`ROWS`] called `series`.
const FILL: &[&str] = &[
    "INSERT INTO many SELECT i, i * 7919 % 1000003, i % 3, substr('yn', i % 2 + 1, 1), 'c' || i FROM series",
    "INSERT INTO other SELECT i, i * 31, i * 17, i % 4, i / 10 FROM series WHERE i % 2 = 0",
    "INSERT INTO own SELECT i % 2 + 1, i FROM series",
    "INSERT INTO sparse SELECT i * 1000000007, i FROM series",
    "INSERT INTO holes SELECT i, CASE WHEN i % 50 = 0 THEN i END FROM series",
    "INSERT INTO bare_holes SELECT id, k FROM holes",
    "INSERT INTO plain SELECT 'c' || i, substr('yn', i % 2 + 1, 1) FROM series",
    "INSERT INTO lists SELECT i, '[' || i || ',2,3]' FROM series",
    "INSERT INTO long_lists SELECT i, '[' || replace(hex(zeroblob(20000)), '00', '1,') || '1]' FROM series WHERE i <= 40",
    "INSERT INTO words (rowid, body) SELECT i, 'alpha word' || i FROM series",
    "INSERT INTO parents SELECT i FROM series",
    "INSERT INTO children SELECT i, i FROM series",
    "INSERT INTO indexed_parents SELECT i FROM series",
    "INSERT INTO indexed_children SELECT i, i FROM series",
    "INSERT INTO \"SCAN b\" SELECT i FROM series",
    "INSERT INTO \"MATERIALIZE x\" SELECT i FROM series",
    "INSERT INTO \"CONSTANT ROW\" SELECT i, i, i % 2 FROM series",
];

/// Views that a caller creates, through the gate.
const VIEWS: &[&str] = &[
    "CREATE VIEW counted AS WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 400000) SELECT i FROM r",
    "CREATE VIEW counted_a_little AS WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 400) SELECT i FROM r",
    "CREATE VIEW pairs AS SELECT a.id AS x, b.id AS y FROM many a, many b",
    "CREATE VIEW pairs_of_pairs AS SELECT x, count(*) AS n FROM pairs GROUP BY x",
    "CREATE VIEW keyed AS SELECT a.id AS x, b.code AS y FROM many a JOIN plain b ON b.code = a.code",
    "CREATE VIEW ranked AS SELECT id, rank() OVER (PARTITION BY n ORDER BY k) AS place FROM many",
    "CREATE VIEW around AS SELECT id, sum(k) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) AS rest FROM many",
];

fn policy() -> Policy {
    Policy {
        max_query_work: LIMIT,
        ..Policy::default()
    }
}

/// A database with its tables, and the stopwatch that stops its statements.
struct World {
    db: HostDatabase,
    stopwatch: Stopwatch,
    counts: Counts,
}

impl World {
    fn empty() -> Self {
        let mut db = HostDatabase::new();
        session::start(&db, 0).unwrap();
        let stopwatch = Stopwatch::start(&mut db, 3 * LONG);
        Self {
            db,
            stopwatch,
            counts: Counts::default(),
        }
    }

    fn new() -> Self {
        let world = Self::empty();
        world.script(TABLES);
        for fill in FILL {
            world.fill(fill, ROWS);
        }
        for view in VIEWS {
            world.script(bound(view, &[]).sql());
        }
        world
    }

    fn script(&self, sql: &str) {
        self.stopwatch.reset();
        self.db.script(sql);
        self.counts.schema_changed();
        self.stopwatch.reset();
    }

    /// Runs an INSERT from `series`.
    fn fill(&self, insert: &str, rows: u64) {
        self.stopwatch.reset();
        self.db.script(&format!(
            "WITH RECURSIVE series(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM series LIMIT {rows}) {insert}"
        ));
        self.stopwatch.reset();
    }

    fn guard(&self, bound: &Bound) -> Result<(), Error> {
        self.stopwatch.reset();
        sql_cost::guard_counting(&self.db, bound, &policy(), &self.counts)
    }

    /// Returns the instructions that the statement takes, and the estimate.
    fn truth(&self, bound: &Bound) -> (Taken, u64) {
        self.stopwatch.reset();
        let estimated = estimate(&self.db, bound, &policy()).unwrap().opcodes;
        (self.stopwatch.run(&self.db, bound), estimated)
    }

    /// Returns the problem with the verdict, or `None` if there is none.
    fn complaint(&self, case: &Case) -> Option<String> {
        let Case {
            verdict,
            sql,
            params,
        } = case;
        let bound = bound(sql, params);
        let said = self.guard(&bound);
        let (taken, estimated) = self.truth(&bound);
        let facts = format!(
            "estimate {estimated}, SQLite took {}{}: {sql}",
            taken.opcodes,
            if taken.end == End::Finished {
                ""
            } else {
                " until it was ended"
            }
        );
        println!("{verdict:?} {facts}");
        if estimated < taken.opcodes {
            return Some(format!("BELOW THE TRUTH, {facts}"));
        }
        match (verdict, said) {
            (Verdict::Passes, Ok(())) if taken.end == End::Finished && taken.opcodes < SHORT => {
                None
            }
            (Verdict::Refused, Err(error))
                if error.code() == "QUERY_TOO_EXPENSIVE" && taken.opcodes > LONG =>
            {
                None
            }
            (verdict, said) => Some(format!(
                "{verdict:?} was wanted, the gate said {said:?}, {facts}"
            )),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// It is allowed, and it is cheap.
    Passes,
    /// It is refused, and it takes more than a million instructions.
    Refused,
}

struct Case {
    verdict: Verdict,
    sql: String,
    params: Vec<Value>,
}

fn passes(sql: impl Into<String>) -> Case {
    Case {
        verdict: Verdict::Passes,
        sql: sql.into(),
        params: Vec::new(),
    }
}

fn refused(sql: impl Into<String>) -> Case {
    Case {
        verdict: Verdict::Refused,
        ..passes(sql)
    }
}

impl Case {
    fn with(mut self, param: Value) -> Self {
        self.params.push(param);
        self
    }
}

/// Returns a JSON list of so many numbers.
fn numbers(count: usize) -> Value {
    json!(format!("[{}1]", "1,".repeat(count - 1)))
}

fn bound(text: &str, params: &[Value]) -> Bound {
    let params = if params.is_empty() {
        Parameters::None
    } else {
        Parameters::Positional(params.to_vec())
    };
    sql_gate::review(text, &policy())
        .and_then(|reviewed| reviewed.bind(&params))
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn check(cases: &[Case]) {
    let world = World::new();
    let complaints: Vec<String> = cases
        .iter()
        .filter_map(|case| world.complaint(case))
        .collect();
    assert!(
        complaints.is_empty(),
        "{} of {} cases:\n{}",
        complaints.len(),
        cases.len(),
        complaints.join("\n")
    );
}
