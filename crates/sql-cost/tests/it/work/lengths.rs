//! Bounds on lengths compared with the real lengths of random compositions: functions, operators,
//! aggregates, windows, JSON, compounds, common table expressions and views over tables of texts.
//!
//! `CODEMODE_LENGTH_SEEDS=500 cargo test -p sql-cost work::lengths` tries more seeds;
//! `CODEMODE_LENGTH_SEED=17` tries one.

use base::Error;
use database::Database as _;
use rusqlite::types::ValueRef;
use sql_gate::{self, Parameters, Policy};

use super::analytic::random::Random;
use test_support::HostDatabase;

/// Seeds of a plain test run: a second or two.
const SEEDS: u64 = 4;
const STATEMENTS_A_SEED: usize = 150;
/// The depth to which functions nest.
const MAX_DEPTH: usize = 3;
/// The least percentage of the statements that must run to the end. The others read JSON from a
/// text that is none, or become longer than a value.
const RUN_PERCENT: usize = 50;

const TABLES: &str = "
CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT, n INTEGER, j TEXT, z BLOB, up TEXT AS (upper(a) || b), twice TEXT AS (a || a) STORED);
CREATE TABLE u (id INTEGER PRIMARY KEY, a TEXT, b TEXT, n INTEGER, j TEXT, z BLOB);
CREATE INDEX t_a ON t (a); CREATE INDEX u_n ON u (n, b);
CREATE VIEW collected AS SELECT n, group_concat(a, b) AS a, json_group_array(b) AS b, json_group_object(a, n) AS j FROM t GROUP BY n;
CREATE VIEW both AS SELECT a, b, n, j FROM t UNION ALL SELECT b, a, n, json_array(j, z IS NULL) FROM u;
";

/// Pieces of text that become longer when they are quoted, escaped or written as hexadecimal
/// digits.
const PIECES: [&str; 8] = ["a", "bcd", "\"", "'", "\\", "\u{1}", "é", "key "];

fn text(random: &mut Random) -> String {
    let pieces = random.skewed(60, 2.0);
    let pieces: Vec<&str> = (0..pieces).map(|_| *random.pick(&PIECES)).collect();
    pieces.concat()
}

fn database(random: &mut Random) -> HostDatabase {
    let db = HostDatabase::new();
    session::start(&db, 0).unwrap();
    db.script(TABLES);
    for (table, rows) in [("t", 9), ("u", 6)] {
        for _ in 0..rows {
            let (a, b, n) = (text(random), text(random), random.below(5));
            let json = serde_json::json!({"k": text(random), "list": [n, text(random)], "deep": {"x": [[text(random)]]}});
            let insert = format!(
                "INSERT INTO {table} (a, b, n, j, z) VALUES (?1, ?2, ?3, ?4, CAST(?1 AS BLOB))"
            );
            db.connection()
                .execute(&insert, (a, b, n as i64, json.to_string()))
                .unwrap();
        }
    }
    db.script("ALTER TABLE u ADD COLUMN late TEXT DEFAULT 'a default that is longer than what most rows have'");
    db
}

struct Generator<'r> {
    random: &'r mut Random,
}

impl Generator<'_> {
    fn pick(&mut self, all: &[&str]) -> String {
        (*self.random.pick(all)).to_owned()
    }

    fn leaf(&mut self) -> String {
        self.pick(&[
            "a",
            "a",
            "b",
            "b",
            "n",
            "j",
            "'x'",
            "'lit\"eral'",
            "NULL",
            "7",
            "a || b",
        ])
    }

    /// Returns an expression for a text of any kind.
    fn value(&mut self, depth: usize) -> String {
        if depth >= MAX_DEPTH {
            return self.leaf();
        }
        let depth = depth + 1;
        let one = self.value(depth);
        match self.random.below(40) {
            0..=6 => one,
            7 => format!("({one} || {})", self.value(depth)),
            8 => format!(
                "replace({one}, {}, {})",
                self.value(depth),
                self.value(depth)
            ),
            9 => format!(
                "replace({one}, {}, {})",
                self.pick(&["'a'", "1", "''"]),
                self.value(depth)
            ),
            10 => format!("hex({one})"),
            11 => format!("quote({one})"),
            12 => format!("concat({one}, {})", self.value(depth)),
            13 => format!(
                "concat_ws({one}, {}, 2, {})",
                self.value(depth),
                self.value(depth)
            ),
            14 => format!(
                "{}({one})",
                self.pick(&["upper", "lower", "trim", "likely", "typeof"])
            ),
            15 => format!(
                "substr({one}, {}, {})",
                self.pick(&["1", "-3", "n"]),
                self.pick(&["2", "40", "n"])
            ),
            16 => format!(
                "{}({one}, {})",
                self.pick(&["coalesce", "max", "min", "nullif", "ifnull"]),
                self.value(depth)
            ),
            17 => format!("iif(n % 2, {one}, {})", self.value(depth)),
            18 => format!(
                "CASE n WHEN 1 THEN {one} WHEN 2 THEN {} ELSE 'else' END",
                self.value(depth)
            ),
            19 => format!("CAST({one} AS {})", self.pick(&["TEXT", "BLOB"])),
            20 => format!("printf('%s|%q|%5d', {one}, {}, n)", self.value(depth)),
            21 => format!(
                "printf('%*s', {}, {one})",
                self.pick(&["length(a)", "n", "n * 50", "9"])
            ),
            22 => format!(
                "printf({}, n)",
                self.pick(&[
                    "'%' || n * 40 || 'd'",
                    "CASE n WHEN 1 THEN '%300d' ELSE '%d' END"
                ])
            ),
            23 => format!(
                "hex(zeroblob({}))",
                self.pick(&["n", "length(a)", "n * 30", "12", "length(b) * 1"])
            ),
            kind @ 24..=34 => self.json(kind, &one, depth),
            35 => format!("({})", self.scalar()),
            36 => format!("char(233, n, 65) || {one}"),
            37 => format!("strftime('%J %Y', '2024-01-01') || {one}"),
            38 => format!("unhex(hex({one}))"),
            _ => format!("j -> '$.deep' || {one}"),
        }
    }

    /// Returns an expression for a text that JSON functions make.
    fn json(&mut self, kind: u64, one: &str, depth: usize) -> String {
        match kind {
            24 => format!("json_array({one}, {})", self.value(depth)),
            25 => format!("json_object('k', {one}, 'l', {})", self.value(depth)),
            26 => format!("json_quote({one})"),
            27 => format!(
                "(json_object('k', {one}) {} 'k')",
                self.pick(&["->", "->>"])
            ),
            28 => format!("json_extract(json_object('k', {one}), '$.k')"),
            29 => format!("json_extract(json_array({one}, 1), '$[0]', '$', '$[1]')"),
            30 => format!("json_set(j, '$.new', {one})"),
            31 => format!("json_patch(j, json_object('p', {one}))"),
            32 => format!(
                "{}(json_array({one}, {}))",
                self.pick(&["json", "jsonb"]),
                self.value(depth)
            ),
            33 => format!("json(jsonb_object('k', {one}))"),
            _ => format!("json_insert('[]', '$[#]', {one})"),
        }
    }

    fn scalar(&mut self) -> String {
        let value = self.leaf();
        self.scalar_of(&value)
    }

    fn scalar_of(&mut self, value: &str) -> String {
        match self.random.below(4) {
            0 => format!("SELECT group_concat({value}, '') FROM u"),
            1 => format!("SELECT json_group_array({value}) FROM u WHERE n > 1"),
            2 => format!("SELECT value FROM u, json_each(json_array({value})) LIMIT 1"),
            _ => format!("SELECT max({value}) FROM u"),
        }
    }

    fn aggregate(&mut self) -> String {
        let value = self.value(1);
        match self.random.below(9) {
            0 => format!("group_concat({value})"),
            1 => format!("group_concat({value}, {})", self.leaf()),
            2 => format!("string_agg({value}, '; ' ORDER BY n)"),
            3 => format!("group_concat(DISTINCT {value})"),
            4 => format!("json_group_array({value})"),
            5 => format!("json_group_object(coalesce({}, ''), {value})", self.leaf()),
            6 => format!("{}({value})", self.pick(&["max", "min"])),
            7 => format!("json(jsonb_group_array({value}))"),
            _ => format!("group_concat({value}) FILTER (WHERE n > 1)"),
        }
    }

    fn window(&mut self) -> String {
        let value = self.leaf();
        let function = match self.random.below(7) {
            0 => format!("group_concat({value}, {})", self.leaf()),
            1 => format!("json_group_array({value})"),
            2 => format!("lag({value}, 1, {})", self.leaf()),
            3 => format!("first_value({value})"),
            4 => format!("nth_value({value}, 2)"),
            5 => format!("json_group_object(coalesce(a, ''), {value})"),
            _ => format!("max({value})"),
        };
        let over = self.pick(&[
            "()",
            "(ORDER BY id)",
            "(PARTITION BY n ORDER BY id)",
            "(PARTITION BY n)",
            "(ORDER BY id ROWS 2 PRECEDING)",
            "(ORDER BY n GROUPS 1 PRECEDING)",
            "(ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW)",
        ]);
        format!("{function} OVER {over}")
    }

    fn source(&mut self, depth: usize) -> String {
        if depth >= 2 || self.random.chance(50) {
            return self.pick(&["t", "u", "t", "both AS v", "collected AS v"]);
        }
        format!("({}) AS s", self.columns(depth + 1))
    }

    /// Returns a query of the columns that all sources have.
    fn columns(&mut self, depth: usize) -> String {
        let (a, b) = (self.value(1), self.value(1));
        let from = self.source(depth);
        match self.random.below(8) {
            0 => format!(
                "SELECT {}, {}, n, j FROM {from} GROUP BY n",
                named(&self.aggregate(), "a"),
                named(&self.aggregate(), "b")
            ),
            1 => format!(
                "SELECT {}, {}, n, j FROM t",
                named(&self.window(), "a"),
                named(&self.window(), "b")
            ),
            2 => {
                let operator = self.pick(&["UNION", "UNION ALL", "EXCEPT", "INTERSECT"]);
                format!(
                    "SELECT {a} AS a, {b} AS b, n, j FROM {from} {operator} SELECT b, {}, n, j FROM u",
                    self.value(1)
                )
            }
            3 => format!(
                "SELECT DISTINCT {a} AS a, {b} AS b, n, j FROM {from} ORDER BY 1, 2 LIMIT 7"
            ),
            4 => format!(
                "SELECT e.{} AS a, {b} AS b, n, j FROM {from}, {}(coalesce(j, '[]')) AS e",
                self.pick(&["value", "key", "fullkey", "path", "atom", "json"]),
                self.pick(&["json_each", "json_tree"])
            ),
            5 => format!(
                "SELECT e.{} AS a, b, n, j FROM {from}, json_tree(json_array({a})) AS e",
                self.pick(&["value", "fullkey", "atom"])
            ),
            6 => format!(
                "SELECT column1 AS a, column2 AS b, n, j FROM (VALUES ('one', 'two'), (({}), '')) AS w, u",
                self.scalar_of("b")
            ),
            _ => format!("SELECT {a} AS a, {b} AS b, n, j FROM {from} WHERE n <> 4"),
        }
    }

    fn statement(&mut self) -> String {
        match self.random.below(8) {
            0 => {
                let hint = self.pick(&["", "MATERIALIZED ", "NOT MATERIALIZED "]);
                format!(
                    "WITH c AS {hint}({}) SELECT {}, {} FROM c",
                    self.columns(0),
                    self.value(1),
                    self.value(0)
                )
            }
            1 => format!(
                "WITH c AS ({}) SELECT {}, {} FROM c GROUP BY n % 2",
                self.columns(0),
                self.aggregate(),
                self.aggregate()
            ),
            2 => format!(
                "SELECT {}, late, up, twice FROM u JOIN t USING (id)",
                "replace(u.b, u.a, late), quote(t.z) || hex(u.z)"
            ),
            3 => format!("SELECT {}, {} FROM t", self.window(), self.window()),
            4 => format!(
                "SELECT {} FROM ({}) AS s ORDER BY {}",
                self.value(0),
                self.columns(0),
                self.leaf()
            ),
            5 => format!(
                "WITH RECURSIVE r(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM r LIMIT 3) SELECT k, {} FROM r JOIN t ON t.id = k",
                self.value(0)
            ),
            6 => format!(
                "INSERT INTO u (a, b, n, j) {} RETURNING {}, a, b, late",
                self.columns(0),
                self.value(0)
            ),
            _ => format!(
                "UPDATE t SET a = {}, b = a || b RETURNING {}, a, up, twice",
                self.value(1),
                self.value(0)
            ),
        }
    }
}

fn named(expression: &str, name: &str) -> String {
    format!("{expression} AS {name}")
}

/// Returns the longest text or blob of each column, or `None` if the statement does not run to its
/// end. It is rolled back.
fn real_lengths(db: &HostDatabase, text: &str) -> Option<Vec<f64>> {
    let mut found = None;
    let _ = db.transaction(&mut || {
        found = lengths(db, text).ok();
        Err(Error::internal("roll back"))
    });
    found
}

fn lengths(db: &HostDatabase, text: &str) -> rusqlite::Result<Vec<f64>> {
    let mut statement = db.connection().prepare(text)?;
    let mut longest = vec![0.0; statement.column_count()];
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        for (column, known) in longest.iter_mut().enumerate() {
            if let ValueRef::Text(bytes) | ValueRef::Blob(bytes) = row.get_ref(column)? {
                *known = f64::max(*known, bytes.len() as f64);
            }
        }
    }
    Ok(longest)
}

fn seed(seed: u64, complaints: &mut Vec<String>) -> usize {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678);
    let db = database(&mut random);
    let policy = Policy::default();
    let mut run = 0;
    for _ in 0..STATEMENTS_A_SEED {
        let text = Generator {
            random: &mut random,
        }
        .statement();
        let reviewed = sql_gate::review(&text, &policy).and_then(|one| one.bind(&Parameters::None));
        let Ok(bound) = reviewed else { continue };
        let Ok(bounds) = sql_cost::result_lengths(&db, &bound, &policy) else {
            continue;
        };
        let Some(real) = real_lengths(&db, bound.sql()) else {
            continue;
        };
        run += 1;
        let below = bounds.len() != real.len()
            || real.iter().zip(&bounds).any(|(real, bound)| real > bound);
        if below {
            complaints.push(format!(
                "seed {seed}: lengths {real:?}, bounds {bounds:?}: {text}"
            ));
        }
    }
    run
}

#[test]
fn no_bound_on_a_length_is_below_what_sqlite_makes() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().unwrap());
    let seeds: std::ops::Range<u64> = match number("CODEMODE_LENGTH_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("CODEMODE_LENGTH_SEEDS").unwrap_or(SEEDS),
    };
    let tried = (seeds.end - seeds.start) as usize * STATEMENTS_A_SEED;
    let mut complaints = Vec::new();
    let run: usize = seeds.map(|one| seed(one, &mut complaints)).sum();
    assert!(
        complaints.is_empty(),
        "{} of {run}:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
    assert!(
        run * 100 >= tried * RUN_PERCENT,
        "only {run} of {tried} ran"
    );
}
