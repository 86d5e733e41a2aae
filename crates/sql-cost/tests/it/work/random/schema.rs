//! The tables of a seed: every kind of key and index, few rows, few values, some of them much more
//! frequent than others.

use sql_gate::{self, Parameters, Policy};

use super::super::analytic::random::Random;

use super::names::Source;
use super::select::Generator;
use test_support::HostDatabase;

/// The largest number of rows in a table.
const MAX_ROWS: u64 = 60;

const TABLES: &str = r#"
CREATE TABLE a (id INTEGER PRIMARY KEY, x INTEGER, y INTEGER, s TEXT, j TEXT);
CREATE INDEX a_x ON a (x);
CREATE INDEX a_yx ON a (y DESC, x);
CREATE INDEX a_sum ON a (x + y);
CREATE INDEX a_part ON a (s) WHERE y > 2;
CREATE TABLE b (x INTEGER, y INTEGER, s TEXT, j TEXT);
CREATE INDEX b_x ON b (x DESC);
CREATE INDEX b_s ON b (s, y);
CREATE TABLE plain (x, y, s);
CREATE TABLE own (rowid INTEGER, x INTEGER, s TEXT UNIQUE);
CREATE INDEX own_rowid ON own (rowid);
CREATE TABLE without (p TEXT, q INTEGER, x INTEGER, y INTEGER, PRIMARY KEY (p, q)) WITHOUT ROWID;
CREATE INDEX without_x ON without (x);
CREATE TABLE strange ("a=?" INTEGER, "CONSTANT ROW a" INTEGER, x INTEGER, "rowid=?" TEXT);
CREATE INDEX "strange USING" ON strange ("a=?");
CREATE INDEX "SCAN strange" ON strange ("CONSTANT ROW a", x);
CREATE TABLE parent (id INTEGER PRIMARY KEY, x INTEGER UNIQUE, y INTEGER);
CREATE TABLE child (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES parent (id) ON DELETE CASCADE, x INTEGER REFERENCES parent (x) ON UPDATE CASCADE ON DELETE SET NULL);
CREATE INDEX child_parent ON child (parent_id);
CREATE TABLE grandchild (child_id INTEGER REFERENCES child (id) ON DELETE CASCADE, s TEXT);
CREATE TABLE log (x INTEGER, s TEXT);
CREATE INDEX log_x ON log (x);
CREATE VIRTUAL TABLE words USING fts5(body, title);
"#;

const VIEWS: &str = r#"
CREATE VIEW v_join AS SELECT a.id AS id, b.y AS y, a.x AS x FROM a JOIN b ON b.x = a.x;
CREATE VIEW v_group AS SELECT x, count(*) AS n, max(y) AS y FROM b GROUP BY x;
CREATE VIEW v_twice AS SELECT g.x AS x, h.n AS n FROM v_group g JOIN v_group h ON h.x = g.y;
CREATE VIEW v_union AS SELECT x, y FROM a UNION SELECT x, y FROM b;
CREATE VIEW v_all AS SELECT x, y FROM a UNION ALL SELECT x, y FROM without;
CREATE VIEW v_window AS SELECT x, sum(y) OVER (PARTITION BY x ORDER BY id) AS y, row_number() OVER (ORDER BY y) AS n FROM a;
CREATE VIEW v_recursive AS WITH RECURSIVE r(n, x) AS (SELECT 0, 1 UNION ALL SELECT n + 1, x * 2 FROM r WHERE n < 12) SELECT n, x FROM r LIMIT 40;
CREATE VIEW v_exists AS SELECT x, y FROM b WHERE EXISTS (SELECT 1 FROM plain WHERE plain.x = b.x)
"#;

const TRIGGERS: &str = "
CREATE TRIGGER log_b AFTER UPDATE ON b BEGIN INSERT INTO log VALUES (new.x, old.s); END;
CREATE TRIGGER log_plain AFTER INSERT ON plain BEGIN UPDATE log SET s = new.s WHERE x = new.x; END;
CREATE TRIGGER log_own BEFORE DELETE ON own WHEN old.x > 1 BEGIN DELETE FROM log WHERE x = old.x; INSERT INTO log SELECT x, s FROM plain WHERE x = old.x; END;
";

/// Returns the relations that FROM may name in every seed.
fn sources() -> Vec<Source> {
    vec![
        Source::new("a", &["id", "x", "y", "s", "j"], true),
        Source::new("b", &["x", "y", "s", "j"], true),
        Source::new("plain", &["x", "y", "s"], true),
        Source::new("own", &["rowid", "x", "s"], false),
        Source::new("without", &["p", "q", "x", "y"], false),
        Source::new(
            "strange",
            &["\"a=?\"", "\"CONSTANT ROW a\"", "x", "\"rowid=?\""],
            true,
        ),
        Source::new("parent", &["id", "x", "y"], true),
        Source::new("child", &["id", "parent_id", "x"], true),
        Source::new("v_join", &["id", "y", "x"], false),
        Source::new("v_group", &["x", "n", "y"], false),
        Source::new("v_twice", &["x", "n"], false),
        Source::new("v_union", &["x", "y"], false),
        Source::new("v_all", &["x", "y"], false),
        Source::new("v_window", &["x", "y", "n"], false),
        Source::new("v_recursive", &["n", "x"], false),
        Source::new("v_exists", &["x", "y"], false),
    ]
}

/// The largest number of random views of a seed. Later ones may use earlier ones.
const RANDOM_VIEWS: usize = 3;

/// Makes the tables of a seed, and returns the relations that FROM may name. Every second seed has
/// statistics, and every third has triggers.
pub fn make(db: &HostDatabase, random: &mut Random, seed: u64) -> Vec<Source> {
    db.script(TABLES);
    for view in VIEWS.trim().split(";\n") {
        create_view(db, view).unwrap();
    }
    let values = random.between(2, 8) as u64;
    fill(db, random, values);
    let mut sources = sources();
    for number in 0..RANDOM_VIEWS {
        let name = format!("rv{number}");
        let (text, view) = Generator::new(random, sources.clone()).view(&name);
        if create_view(db, &text).is_ok() {
            sources.push(view);
        }
    }
    if seed % 2 == 1 {
        db.script("ANALYZE");
    }
    if seed % 3 == 2 {
        db.script(TRIGGERS);
    }
    sources
}

/// Creates a view through the gate, as a session would, because the gate gives recursion a LIMIT. A
/// view that SQLite refuses when it is used is dropped again.
fn create_view(db: &HostDatabase, text: &str) -> Result<(), String> {
    let reviewed = sql_gate::review(text, &Policy::default()).map_err(|error| error.to_string())?;
    let bound = reviewed
        .bind(&Parameters::None)
        .map_err(|error| error.to_string())?;
    let made = db.connection().execute_batch(bound.sql());
    made.map_err(|error| error.to_string())?;
    let name = text.split_whitespace().nth(2).unwrap_or_default();
    let used = db.connection().prepare(&format!("SELECT * FROM {name}"));
    if let Err(error) = used {
        db.script(&format!("DROP VIEW {name}"));
        return Err(error.to_string());
    }
    Ok(())
}

/// Returns a small number, often the same one, sometimes NULL.
fn value(random: &mut Random, values: u64) -> String {
    match random.below(20) {
        0 => "NULL".to_owned(),
        _ => random.skewed(values, 2.0).to_string(),
    }
}

fn word(random: &mut Random, values: u64) -> String {
    format!("'w{}'", random.skewed(values, 1.5))
}

fn list(random: &mut Random, values: u64) -> String {
    let items: Vec<String> = (0..random.below(6))
        .map(|_| random.below(values).to_string())
        .collect();
    match random.below(6) {
        0 => "NULL".to_owned(),
        1 => format!("'{{\"k\":[{}]}}'", items.join(",")),
        _ => format!("'[{}]'", items.join(",")),
    }
}

fn fill(db: &HostDatabase, random: &mut Random, values: u64) {
    let mut rows = |table: &str, row: &mut dyn FnMut(&mut Random, u64) -> String| {
        for number in 1..=random.between(5, MAX_ROWS as i64) as u64 {
            let row = row(random, number);
            db.script(&format!("INSERT OR IGNORE INTO {table} VALUES ({row})"));
        }
    };
    rows("a", &mut |random, number| {
        let (x, y) = (value(random, values), value(random, values));
        let (s, j) = (word(random, values), list(random, values));
        format!("{}, {x}, {y}, {s}, {j}", number * 3)
    });
    rows("b", &mut |random, _| {
        let (x, y) = (value(random, values), value(random, values));
        let (s, j) = (word(random, values), list(random, values));
        format!("{x}, {y}, {s}, {j}")
    });
    rows("plain", &mut |random, _| {
        let (x, y) = (value(random, values), value(random, values));
        format!("{x}, {y}, {}", word(random, values))
    });
    rows("own", &mut |random, number| {
        let rowid = random.below(values);
        format!("{rowid}, {}, 's{number}'", value(random, values))
    });
    rows("without", &mut |random, number| {
        let (x, y) = (value(random, values), value(random, values));
        format!("{}, {number}, {x}, {y}", word(random, values))
    });
    rows("strange", &mut |random, _| {
        let (first, second) = (value(random, values), value(random, values));
        let third = value(random, values);
        format!("{first}, {second}, {third}, {}", word(random, values))
    });
    rows("parent", &mut |random, number| {
        format!("{number}, {number}, {}", value(random, values))
    });
    rows("child", &mut |random, number| {
        let parent = random.skewed(5, 2.0) + 1;
        format!("{number}, {parent}, {}", random.skewed(5, 2.0) + 1)
    });
    rows("grandchild", &mut |random, _| {
        let child = random.skewed(5, 2.0) + 1;
        format!("{child}, {}", word(random, values))
    });
    rows("log", &mut |random, _| {
        format!("{}, {}", value(random, values), word(random, values))
    });
    rows("words", &mut |random, _| {
        let title = word(random, values);
        format!("'one two w{} three', {title}", random.below(values))
    });
}
