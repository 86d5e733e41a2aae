//! Statements of few instructions whose values are long: each byte that is written, sorted, kept or
//! compared counts.
//!
//! The limit is the product's own, over a table of a million rows. Refused statements are not run;
//! those that pass are run with a clock of processor time.

use sql_gate::SqlError;
use std::time::Duration;

use base::Error;
use database::{Cursor as _, Database as _, EngineError, Statement};
use serde_json::{Value, json};
use sql_cost::Counts;
use sql_gate::{self, Bound, Parameters, Policy};

use test_support::{HostDatabase, ProcessorTime};

/// The number of rows of `big`.
const ROWS: u64 = 1_000_000;
/// The time within which a statement is refused on a busy machine: counting for a verdict may take
/// a second.
const REFUSED_IN_TIME: Duration = Duration::from_secs(10);

/// The time within which a statement that passes ends on a busy machine.
const IN_TIME: Duration = Duration::from_secs(30);

struct World {
    db: HostDatabase,
    counts: Counts,
}

impl World {
    /// Makes the tables:
    /// - `big` has a million rows, `note` of a few bytes, ten rows for each `k`;
    /// - `docs` has 2,000 texts of 2,000 bytes, and one of a megabyte;
    /// - `lists` has JSON lists of a hundred numbers;
    /// - `empty` and `kept` get the written rows.
    fn new() -> Self {
        let db = HostDatabase::new();
        session::start(&db, 0).unwrap();
        db.script(&format!(
            "CREATE TABLE big (id INTEGER PRIMARY KEY, k INTEGER, note TEXT);
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {ROWS}) INSERT INTO big SELECT i, i / 10, 'n' || i FROM n;
             CREATE TABLE docs (id INTEGER PRIMARY KEY, body TEXT, kind INTEGER);
             INSERT INTO docs SELECT id, id || printf('%2000d', id), id % 7 FROM big WHERE id <= 2000;
             INSERT INTO docs VALUES (2001, hex(zeroblob(500000)), 1);
             CREATE TABLE lists (id INTEGER PRIMARY KEY, body TEXT);
             INSERT INTO lists SELECT id, '[' || replace(hex(zeroblob(100)), '00', '1,') || id || ']' FROM big WHERE id <= 5000;
             CREATE TABLE empty (id INTEGER PRIMARY KEY, z);
             CREATE TABLE kept (id INTEGER PRIMARY KEY, z TEXT, long TEXT AS (z || z) STORED, CHECK (length(z) >= 0));
             CREATE TABLE parents (name TEXT PRIMARY KEY);
             CREATE TABLE children (id INTEGER PRIMARY KEY, parent TEXT REFERENCES parents (name) ON UPDATE CASCADE);
             CREATE INDEX children_parent ON children (parent);
             INSERT INTO parents VALUES ('a'); INSERT INTO children SELECT id, 'a' FROM big WHERE id <= 100000",
        ));
        Self {
            db,
            counts: Counts::default(),
        }
    }

    fn judge(&self, text: &str, params: &Value) -> Result<Bound, Error> {
        let parameters = Parameters::from_json(Some(params.clone())).unwrap();
        let bound = sql_gate::review(text, &Policy::default())?.bind(&parameters)?;
        sql_cost::guard_counting(&self.db, &bound, &Policy::default(), &self.counts)?;
        Ok(bound)
    }

    /// Returns the problem with the verdict on a statement that should be refused.
    fn refused(&self, text: &str) -> Option<String> {
        let begun = ProcessorTime::start();
        let judged = self.judge(text, &json!([]));
        let taken = begun.elapsed();
        println!("{:.2} s to refuse: {text}", taken.as_secs_f64());
        if taken > REFUSED_IN_TIME {
            return Some(format!("refused after {taken:?} only: {text}"));
        }
        match judged {
            Err(error)
                if match error.of() {
                    Some(SqlError::QueryTooExpensive { hint, .. }) => {
                        hint.contains("long") || hint.contains("LIMIT")
                    }
                    Some(SqlError::TooMuchWork { .. }) => true,
                    _ => false,
                } =>
            {
                None
            }
            other => Some(format!(
                "refused was wanted, not {:?}: {text}",
                other.map(|_| "passes")
            )),
        }
    }

    fn run(&self, bound: &Bound) -> Result<(), EngineError> {
        let mut cursor = self.db.open(Statement::Reviewed(bound.reviewed()))?;
        while cursor.next()?.is_some() {}
        Ok(())
    }

    /// Returns the problem with a statement that should pass and end in time.
    fn passes(&self, text: &str, params: &Value) -> Option<String> {
        let bound = match self.judge(text, params) {
            Ok(bound) => bound,
            Err(error) => return Some(format!("{error} ({:?}): {text}", error.hint())),
        };
        let begun = ProcessorTime::start();
        let mut outcome = None;
        let _ = self.db.transaction(&mut || {
            outcome = Some(self.run(&bound));
            Err(Error::internal("roll back"))
        });
        let taken = begun.elapsed();
        println!("{:.2} s: {text}", taken.as_secs_f64());
        (outcome != Some(Ok(())) || taken > IN_TIME)
            .then(|| format!("{outcome:?} in {taken:?}: {text}"))
    }

    fn check(&self, refused: &[&str], passes: &[&str]) {
        let refused = refused.iter().filter_map(|text| self.refused(text));
        let passes = passes
            .iter()
            .filter_map(|text| self.passes(text, &json!([])));
        let complaints: Vec<String> = refused.chain(passes).collect();
        assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    }
}

#[test]
fn a_written_byte_counts_for_each_row() {
    let world = World::new();
    world.check(&[
        "INSERT INTO empty (z) SELECT zeroblob(1000000) FROM big",
        "INSERT INTO empty (z) SELECT z FROM big, (SELECT zeroblob(1000000) AS z)",
        "INSERT INTO empty (z) SELECT (SELECT hex(zeroblob(500000))) FROM big RETURNING id",
        "INSERT INTO empty (z) SELECT CASE WHEN id % 2 THEN zeroblob(1000000) ELSE note END FROM big",
        "INSERT INTO empty (id, z) SELECT id % 3, note FROM big WHERE true ON CONFLICT (id) DO UPDATE SET z = zeroblob(1000000)",
        "INSERT OR REPLACE INTO empty (id, z) SELECT id, printf('%100000d', id) FROM big",
        "UPDATE big SET note = hex(zeroblob(500000))",
        "UPDATE big SET note = note || hex(zeroblob(20000)) WHERE k > 5",
        "UPDATE big SET note = d.body FROM docs d WHERE d.id = 2001",
        "CREATE TABLE fat AS SELECT id, zeroblob(1000000) AS z FROM big",
        "CREATE INDEX fat ON big (hex(zeroblob(20000)) || note)",
        "INSERT INTO kept (z) SELECT hex(zeroblob(20000)) FROM big",
        "INSERT INTO empty (z) SELECT body FROM docs, big WHERE docs.id = 2001",
        "INSERT INTO empty (z) SELECT substr(d.body, 1, 200000) FROM big b JOIN docs d ON d.id = 2001 + b.id * 0",
        "UPDATE parents SET name = hex(zeroblob(500000))",
        "WITH m AS MATERIALIZED (SELECT zeroblob(200000) AS z FROM big) INSERT INTO empty (z) SELECT z FROM m",
    ], &[
        "INSERT INTO empty (z) SELECT zeroblob(1000000) FROM big WHERE id <= 60",
        "INSERT INTO empty (z) SELECT zeroblob(1000000) FROM (SELECT 1 FROM big LIMIT 60)",
        "INSERT INTO empty (z) SELECT note || ' ' || k FROM big",
        "INSERT INTO empty (z) SELECT body FROM docs",
        "INSERT INTO empty (id, z) SELECT id, upper(body) FROM docs",
        "INSERT INTO empty (z) SELECT zeroblob(50)",
        "INSERT INTO kept (z) SELECT body FROM docs WHERE id <= 2000",
        "UPDATE big SET note = note || '!'",
        "UPDATE docs SET body = body || '!', kind = kind + 1",
        "UPDATE docs SET kind = 3 WHERE body LIKE '%17%' RETURNING id",
        "UPDATE parents SET name = 'a longer name'",
        "CREATE TABLE copy AS SELECT id, lower(note) AS note FROM big",
        "CREATE TABLE copy AS SELECT * FROM docs ORDER BY body",
        "CREATE INDEX by_body ON docs (body)",
        "DELETE FROM docs",
    ]);
    let list = serde_json::to_string(&vec!["some text of a row"; 40_000]).unwrap();
    for (text, value) in [
        ("INSERT INTO empty (z) VALUES (?1)", "x".repeat(1_000_000)),
        (
            "INSERT INTO empty (z) SELECT value FROM json_each(?1)",
            list,
        ),
    ] {
        assert_eq!(world.passes(text, &json!([value])), None);
    }
}

#[test]
fn what_a_window_collects_counts_for_each_row() {
    let world = World::new();
    world.check(&[
        "SELECT max(length(x)) FROM (SELECT group_concat(note) OVER (ORDER BY id ROWS 50000 PRECEDING) AS x FROM big)",
        "SELECT max(length(x)) FROM (SELECT json_group_array(note) OVER (ORDER BY id ROWS BETWEEN 50000 PRECEDING AND CURRENT ROW) AS x FROM big)",
        "SELECT max(length(x)) FROM (SELECT json_group_object('k' || id, note) OVER (PARTITION BY k % 10 ORDER BY id) AS x FROM big)",
        "SELECT max(length(x)) FROM (SELECT string_agg(note, ',') OVER (ORDER BY id RANGE BETWEEN 50000 PRECEDING AND CURRENT ROW) AS x FROM big)",
        "SELECT max(length(x)) FROM (SELECT group_concat(note) OVER (ORDER BY k GROUPS 5000 PRECEDING) AS x FROM big)",
        "SELECT max(length(x)) FROM (SELECT group_concat(note) OVER w AS x FROM big WINDOW w AS (PARTITION BY id / 300000 ORDER BY id))",
        "SELECT max(length(x)) FROM (SELECT max(note || hex(zeroblob(20000))) OVER (ORDER BY id ROWS 9 PRECEDING) AS x FROM big)",
        "SELECT max(length(x)) FROM (SELECT lag(hex(zeroblob(50000)) || id) OVER (ORDER BY id) AS x FROM big)",
    ], &[
        "SELECT max(length(x)) FROM (SELECT group_concat(note) OVER (ORDER BY id ROWS 9 PRECEDING) AS x FROM big WHERE id <= 300000)",
        "SELECT max(length(x)) FROM (SELECT group_concat(note) OVER (PARTITION BY k ORDER BY id) AS x FROM big WHERE id <= 300000)",
        "SELECT max(length(x)) FROM (SELECT json_group_array(note) OVER (ORDER BY id) AS x FROM big WHERE id <= 3000)",
        "SELECT max(length(x)) FROM (SELECT group_concat(note) AS x FROM big GROUP BY k)",
        "SELECT length(group_concat(note)) FROM big WHERE id <= 100000",
        "SELECT length(json_group_array(note)) FROM big WHERE id <= 100000",
        "SELECT kind, max(body) FROM docs GROUP BY kind",
        "SELECT max(length(x)) FROM (SELECT max(body) OVER (ORDER BY id ROWS 9 PRECEDING) AS x FROM docs)",
    ]);
}

#[test]
fn stored_values_are_taken_for_as_long_as_they_are() {
    let world = World::new();
    world.check(&[
        "SELECT count(*) FROM big b JOIN docs d ON d.id = 2001 WHERE instr(d.body, b.note) > 0",
        "SELECT count(*) FROM docs d, big b WHERE d.body || b.note = ''",
        "SELECT count(*) FROM big b JOIN docs d ON d.id = 2001 + b.k * 0 WHERE d.body LIKE '%' || b.note || '%'",
        "SELECT count(*) FROM docs a, docs b, docs c WHERE a.body = b.body || c.kind",
        "SELECT sum(length(replace(d.body, '0', b.note))) FROM docs d JOIN big b ON b.id % 2001 = d.id",
        "SELECT count(*) FROM (SELECT DISTINCT d.body, b.id FROM docs d JOIN big b ON d.id = 2001)",
        "SELECT b.id FROM docs d JOIN big b ON d.id = 2001 ORDER BY d.body, b.k LIMIT 3",
        "SELECT count(*) FROM big b JOIN docs d ON d.id = 2001 JOIN json_each('[' || d.body || ']') j",
        "SELECT count(*) FROM (SELECT d.body AS s FROM docs d JOIN big b ON d.id = 2001 UNION SELECT note FROM big)",
    ], &[
        "SELECT count(*) FROM docs WHERE body LIKE '%77%' OR instr(body, 'abc') > 0",
        "SELECT sum(length(replace(body, '0', 'xyz'))) FROM docs WHERE id <= 2000",
        "SELECT id, upper(body) FROM docs WHERE id <= 2000 ORDER BY body LIMIT 5",
        "SELECT kind, count(DISTINCT body) FROM docs GROUP BY kind",
        "SELECT count(*) FROM docs a JOIN docs b ON b.body = a.body",
        "SELECT count(*) FROM big b JOIN docs d ON d.id = b.k WHERE length(d.body) > 10",
        "SELECT sum(j.value) FROM lists l, json_each(l.body) j",
        "SELECT max(j.fullkey) FROM lists l, json_tree(l.body) j",
        "WITH RECURSIVE r(id, path) AS (SELECT id, note FROM big WHERE id = 1 UNION ALL SELECT b.id, r.path || '/' || b.note FROM r JOIN big b ON b.id = r.id + 1 WHERE r.id < 100) SELECT count(*) FROM r WHERE path NOT LIKE '%x%' ORDER BY path",
    ]);
}

#[test]
fn a_search_in_order_of_its_rank_is_as_cheap_as_its_texts_are_short() {
    let db = HostDatabase::new();
    session::start(&db, 0).unwrap();
    db.script(
        "CREATE VIRTUAL TABLE titles USING fts5(title);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3200)
         INSERT INTO titles (rowid, title) SELECT i, 'the night of word' || i FROM n;",
    );
    let policy = Policy::default();
    for sql in [
        "SELECT title FROM titles WHERE titles MATCH 'night' ORDER BY bm25(titles)",
        "SELECT title, bm25(titles) AS score FROM titles WHERE titles MATCH 'night OR the' ORDER BY score",
        "SELECT title FROM titles WHERE titles MATCH 'night' ORDER BY rank",
        "SELECT rowid, round(bm25(titles, 2.0), 3) FROM titles WHERE titles MATCH 'n*' ORDER BY 2, 1",
        "SELECT highlight(titles, 0, '[', ']') FROM titles WHERE titles MATCH 'night' ORDER BY rank LIMIT 20",
    ] {
        let bound = sql_gate::review(sql, &policy)
            .and_then(|reviewed| reviewed.bind(&Parameters::None))
            .unwrap();
        let verdict = sql_cost::guard_counting(&db, &bound, &policy, &Counts::default());
        assert!(verdict.is_ok(), "{sql}: {verdict:?}");
    }
}

#[test]
fn counting_for_a_verdict_is_bounded_where_keys_are_long() {
    let world = World::new();
    world.db.script(
        "CREATE TABLE copies (id INTEGER PRIMARY KEY, body TEXT);
         INSERT INTO copies SELECT big.id, d.body || big.id FROM big JOIN docs d ON d.id = 2001 WHERE big.id <= 30",
    );
    world.check(
        &[
            "SELECT count(*) FROM big c JOIN copies a ON a.id = c.k % 30 JOIN copies b ON b.body = a.body",
            "SELECT count(*) FROM big c JOIN copies a ON a.id = c.k % 30 JOIN (SELECT DISTINCT body FROM copies) b ON b.body = a.body",
            "SELECT count(*) FROM (SELECT a.body AS s FROM copies a JOIN big b ON a.id = b.k % 30 UNION SELECT note FROM big)",
        ],
        &[
            "SELECT count(*) FROM copies a JOIN copies b ON b.body = a.body",
            "SELECT body, count(*) FROM copies GROUP BY body",
            "SELECT count(*) FROM copies a JOIN big b ON b.id = a.id JOIN big c ON c.k = b.id",
        ],
    );
}
