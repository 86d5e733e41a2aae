//! An approval is bound to the meaning of its statement: each change of a definition that could
//! matter is refused, and no other change is.

mod changes;

use changes::{ACCEPTED, REFUSED};

use session::Settings;
use std::collections::BTreeSet;

use base::Error;
use serde_json::{Value, json};
use session::approved::{Owner, Place, Request, serve};

use super::{NOW_MS, OWNER, ask, preview, run_request, undo_request, whole_dump};
use test_support::with;
use test_support::{HostDatabase, Stand};

/// Customers with orders, orders with lines, and unrelated tables.
const SHOP: &str = "\
    CREATE TABLE regions (id INTEGER PRIMARY KEY, name TEXT);\
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, region INTEGER REFERENCES regions (id), note TEXT DEFAULT 'none');\
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customers (id) ON DELETE CASCADE, total REAL);\
    CREATE TABLE lines (id INTEGER PRIMARY KEY, orders INTEGER REFERENCES orders (id) ON DELETE CASCADE, what TEXT);\
    CREATE TABLE archive (id INTEGER, name TEXT, region INTEGER, note TEXT);\
    CREATE TABLE other (a, b);\
    CREATE INDEX by_region ON customers (region);\
    CREATE VIEW rich AS SELECT customer FROM big;\
    CREATE VIEW big AS SELECT * FROM orders WHERE total > 100;\
    CREATE VIEW single AS SELECT a FROM 'other';\
    CREATE VIRTUAL TABLE texts USING fts5 (body);\
    INSERT INTO regions VALUES (1, 'north'), (2, 'south');\
    INSERT INTO customers VALUES (1, 'ann', 1, 'x'), (2, 'ben', 2, 'y'), (3, 'cleo', NULL, 'z');\
    INSERT INTO orders VALUES (1, 1, 50), (2, 1, 500), (3, 2, 900);\
    INSERT INTO lines VALUES (1, 1, 'pen'), (2, 3, 'ink');\
    INSERT INTO texts VALUES ('one word'), ('two words');";

const DELETE: &str = "DELETE FROM customers WHERE id = 3";
const INSERT: &str = "INSERT INTO customers (id, name) VALUES (9, 'zoe')";
const COPY: &str = "INSERT INTO archive SELECT * FROM customers";
const BY_VIEW: &str = "UPDATE other SET a = 1 WHERE b IN (SELECT customer FROM rich)";
const ANY: &str = "DELETE FROM customers WHERE id IN (SELECT id FROM customers LIMIT 1)";
const QUOTED: &str =
    "UPDATE other SET a = (SELECT b AS maybe FROM other ORDER BY \"maybe\" LIMIT 1)";
const NAMED: &str = "WITH picked AS (SELECT id FROM customers) DELETE FROM other WHERE a IN (SELECT id FROM picked)";
const JOINED: &str = "INSERT INTO other SELECT total, name FROM orders NATURAL JOIN customers";
const TEXTS: &str = "DELETE FROM texts WHERE rowid IN (SELECT rowid FROM texts WHERE texts MATCH 'one' ORDER BY rank LIMIT 1)";

fn shop() -> HostDatabase {
    with(SHOP)
}

fn refusal(outcome: Result<Value, Error>, what: &str) -> Error {
    match outcome {
        Ok(done) => panic!("{what}: {done}"),
        Err(error) => error,
    }
}

#[test]
fn a_definition_that_changes_meanwhile_is_refused_and_nothing_runs() {
    for (what, statement, change) in REFUSED {
        let db = shop();
        let request = run_request(&db, "one", statement);
        db.script(change);
        let before = whole_dump(&db);
        let error = refusal(ask(&db, &request), what);
        let is_gone = matches!(error.code(), "NO_SUCH_TABLE" | "SQL_BLOCKED" | "SQL_ERROR");
        assert!(
            error.code() == "STATEMENT_CHANGED" || is_gone,
            "{what}: {error:?}"
        );
        assert!(error.hint().is_some(), "{what}");
        assert_eq!(whole_dump(&db), before, "{what}");
    }
}

#[test]
fn a_change_that_means_nothing_to_the_statement_is_no_obstacle() {
    for (what, statement, change) in ACCEPTED {
        let db = shop();
        let request = run_request(&db, "one", statement);
        db.script(change);
        let done = ask(&db, &request).unwrap_or_else(|error| panic!("{what}: {error:?}"));
        assert_eq!(done["ranBefore"], false, "{what}");
    }
}

#[test]
fn a_session_made_again_is_another_database() {
    for statement in [DELETE, "SELECT 1", "CREATE TABLE fresh (a)"] {
        let request = run_request(&shop(), "one", statement);
        let error = refusal(ask(&shop(), &request), statement);
        assert_eq!(error.code(), "STATEMENT_CHANGED");
    }
}

#[test]
fn the_hash_of_an_earlier_version_is_refused_in_its_own_words() {
    // `codemode approved statement 1`, computed by the earlier version, of SELECT 1 without
    // parameters and scope in acme/films.
    let pinned = "cf4fd9afc25111db4184d8a8ce398a2adcb5e0d79799fa69cd0f105b94b59399";
    let db = shop();
    let mut request = run_request(&db, "one", "SELECT 1");
    request["sha256"] = json!(pinned);
    let error = refusal(ask(&db, &request), "an old hash");
    assert_eq!(error.code(), "STATEMENT_CHANGED");
    assert!(error.to_string().contains("earlier version"), "{error}");
}

/// Changes between the preview of an undo and the undo.
const UNDO_REFUSED: &[(&str, &str)] = &[
    ("a column", "ALTER TABLE customers ADD COLUMN extra"),
    ("an index", "CREATE INDEX late ON customers (note)"),
    (
        "a unique index",
        "CREATE UNIQUE INDEX late ON customers (name)",
    ),
    (
        "a trigger",
        "CREATE TRIGGER late AFTER INSERT ON customers BEGIN DELETE FROM other; END",
    ),
    (
        "a child",
        "CREATE TABLE kept (c REFERENCES customers ON DELETE CASCADE)",
    ),
    (
        "a child of a child",
        "CREATE TABLE kept (c REFERENCES lines ON DELETE CASCADE)",
    ),
    ("a parent", "ALTER TABLE regions ADD COLUMN extra"),
    (
        "a table made again with its columns in another order",
        "PRAGMA foreign_keys = OFF; DROP TABLE customers; CREATE TABLE customers (name TEXT, id INTEGER PRIMARY KEY, region INTEGER, note TEXT); PRAGMA foreign_keys = ON",
    ),
    (
        "a table that is gone",
        "PRAGMA foreign_keys = OFF; DROP TABLE customers; PRAGMA foreign_keys = ON",
    ),
    ("another name", "ALTER TABLE customers RENAME TO clients"),
];

#[test]
fn an_undo_is_bound_to_the_definitions_as_well() {
    for (what, change) in UNDO_REFUSED {
        let db = shop();
        ask(&db, &run_request(&db, "one", DELETE)).unwrap();
        let request = undo_request(&db, "one", "two");
        db.script(change);
        let before = whole_dump(&db);
        let error = refusal(ask(&db, &request), what);
        assert!(
            ["STATEMENT_CHANGED", "UNDO_UNAVAILABLE"].contains(&error.code()),
            "{what}: {error:?}"
        );
        assert_eq!(whole_dump(&db), before, "{what}");
    }
    for (what, change) in [
        ("a table", "CREATE TABLE unrelated (a)"),
        ("rows", "INSERT INTO customers VALUES (7, 'g', 1, '')"),
        ("an index elsewhere", "CREATE INDEX late ON other (a)"),
        (
            "a child of a parent",
            "CREATE TABLE shops (r REFERENCES regions)",
        ),
    ] {
        let db = shop();
        ask(&db, &run_request(&db, "one", DELETE)).unwrap();
        let request = undo_request(&db, "one", "two");
        db.script(change);
        let done = ask(&db, &request).unwrap_or_else(|error| panic!("{what}: {error:?}"));
        assert_eq!(done["undone"], true, "{what}");
    }
}

#[test]
fn what_came_between_a_write_and_the_preview_of_its_undo_changes_no_other_row() {
    let db = shop();
    ask(&db, &run_request(&db, "one", INSERT)).unwrap();
    db.script(
        "CREATE TABLE kept (c REFERENCES customers ON DELETE CASCADE); INSERT INTO kept VALUES (9)",
    );
    let request = undo_request(&db, "one", "two");
    let before = whole_dump(&db);
    let error = refusal(ask(&db, &request), "a cascade that came later");
    assert_eq!(error.code(), "UNDO_CONFLICT");
    assert_eq!(whole_dump(&db), before);
}

#[test]
fn the_scope_is_bound_with_the_definition_of_its_column() {
    let db = with(
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, business_id TEXT, total REAL); INSERT INTO orders VALUES (1, 'b1', 2), (2, 'b2', 3)",
    );
    let scope = json!({"column": "business_id", "value": "b1", "readable": []});
    let statement = "DELETE FROM orders";
    let shown = ask(
        &db,
        &json!({"do": "preview", "sql": statement, "scope": scope}),
    )
    .unwrap();
    let run = |scope: &Value| json!({"do": "run", "approvalId": "one", "sha256": shown["sha256"], "sql": statement, "scope": scope, "maxRows": 10, "keepUndoBytes": 0});
    for other in [
        json!({"column": "business_id", "value": "b2", "readable": []}),
        json!({"column": "business_id", "value": "b1", "readable": ["orders"]}),
    ] {
        let error = refusal(ask(&db, &run(&other)), "another scope");
        assert_eq!(error.code(), "STATEMENT_CHANGED");
    }
    db.script("DROP TABLE orders; CREATE TABLE orders (id INTEGER PRIMARY KEY, business_id TEXT COLLATE NOCASE, total REAL); INSERT INTO orders VALUES (1, 'b1', 2), (2, 'B1', 3)");
    let error = refusal(ask(&db, &run(&scope)), "another collation of the column");
    assert_eq!(error.code(), "STATEMENT_CHANGED");
}

#[test]
fn another_owner_is_another_database() {
    let db = shop();
    let request = run_request(&db, "one", DELETE);
    let request = Request::parse(&request.to_string()).unwrap();
    let settings = Settings::default();
    let stand = Stand::new(&settings).at(NOW_MS);
    let owner = Owner {
        place: Place::Session("other"),
        ..OWNER
    };
    let error = serve(&stand.session(&db), owner, &request).unwrap_err();
    assert_eq!(error.code(), "STATEMENT_CHANGED");
}

/// Random numbers that are the same in every run (xorshift64*).
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from.get(self.below(from.len()))
            .copied()
            .unwrap_or_default()
    }

    /// Returns a change of the schema, which may fail.
    fn change(&mut self) -> String {
        let tables = ["t", "u", "w", "x"];
        let (one, two) = (self.pick(&tables), self.pick(&tables));
        let name = format!("n{}", self.below(3));
        let column = self.pick(&["a", "b", "c", "d", "maybe"]);
        let action = self.pick(&[
            "CASCADE",
            "SET NULL",
            "SET DEFAULT",
            "RESTRICT",
            "NO ACTION",
        ]);
        match self.below(11) {
            0 => format!(
                "CREATE TABLE {name} (k REFERENCES {one} ON DELETE {action} ON UPDATE {action}); INSERT INTO {name} SELECT a FROM {one}"
            ),
            1 => format!(
                "ALTER TABLE {one} ADD COLUMN {column} DEFAULT {}",
                self.below(4)
            ),
            2 => format!(
                "CREATE INDEX i{name} ON {one} ({column} {})",
                self.pick(&["", "DESC"])
            ),
            3 => format!("CREATE UNIQUE INDEX i{name} ON {one} ({column})"),
            4 => format!("DROP INDEX i{name}"),
            5 => format!("DROP VIEW v; CREATE VIEW v AS SELECT {column} FROM {one}"),
            6 => format!(
                "ALTER TABLE {one} RENAME TO {name}; ALTER TABLE {two} RENAME TO {one}; ALTER TABLE {name} RENAME TO {two}"
            ),
            7 => format!("ALTER TABLE {one} RENAME COLUMN {column} TO renamed"),
            8 => format!("CREATE TABLE {name} (a, b)"),
            9 => format!("DROP TABLE {name}"),
            _ => format!("ALTER TABLE {one} DROP COLUMN {column}"),
        }
    }
}

const SEEDS: u64 = 150;

/// Tables with the same keys in all of them, so that every action has rows to change.
const RANDOM: &str = "\
    CREATE TABLE t (a INTEGER PRIMARY KEY, b, c DEFAULT 1);\
    CREATE TABLE u (a INTEGER PRIMARY KEY, b REFERENCES t (a) ON DELETE CASCADE ON UPDATE CASCADE, c);\
    CREATE TABLE w (a INTEGER PRIMARY KEY, b, d);\
    CREATE TABLE x (a INTEGER PRIMARY KEY, b, d);\
    CREATE VIEW v AS SELECT b FROM w;\
    INSERT INTO t VALUES (1, 9, 3), (2, 8, 2), (3, 7, 1);\
    INSERT INTO u VALUES (1, 1, 5), (2, 2, 6);\
    INSERT INTO w VALUES (1, 2, 5), (2, 3, 4), (3, 1, 6);\
    INSERT INTO x VALUES (1, 3, 5), (2, 1, 4);";

const STATEMENTS: &[&str] = &[
    "DELETE FROM t WHERE a = 2",
    "DELETE FROM t WHERE a IN (SELECT a FROM t LIMIT 1)",
    "UPDATE t SET a = a + 10 WHERE b > 7",
    "INSERT INTO t SELECT a + 20, b, d FROM w",
    "INSERT OR REPLACE INTO t (a, b) VALUES (1, 2)",
    "UPDATE w SET d = (SELECT b AS maybe FROM x ORDER BY \"maybe\" LIMIT 1) WHERE b IN (SELECT b FROM v)",
    "DELETE FROM w WHERE b IN (SELECT b FROM v LIMIT 1)",
    "INSERT INTO x SELECT * FROM w WHERE a > 2",
    "UPDATE x SET b = (SELECT count(*) FROM t NATURAL JOIN u)",
    "DELETE FROM x WHERE d IN (SELECT d FROM w WHERE a IN (SELECT b FROM v))",
];

/// Returns every row of every table of the caller.
fn rows(db: &HostDatabase) -> BTreeSet<String> {
    let tables = super::tables(db);
    let own = tables
        .iter()
        .filter(|table| !table.starts_with("_codemode"));
    own.flat_map(|table| {
        let rows = super::rows_of(db, table);
        let rows = rows.into_iter().skip(1);
        rows.map(move |row| format!("{table}: {row}"))
    })
    .collect()
}

/// Returns the rows that a run deletes and those that it adds; `None` if it is refused.
fn effect(db: &HostDatabase, request: &Value) -> Option<[Vec<String>; 2]> {
    let before = rows(db);
    ask(db, request).ok()?;
    let after = rows(db);
    let only = |one: &BTreeSet<String>, other| one.difference(other).cloned().collect();
    Some([only(&before, &after), only(&after, &before)])
}

#[test]
fn a_statement_that_is_not_refused_changes_the_same_rows() {
    let (mut ran, mut refused) = (0, 0);
    for seed in 1..=SEEDS {
        let mut chance = Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let statement = chance.pick(STATEMENTS);
        let db = with(RANDOM);
        let request = run_request(&db, "one", statement);
        let unchanged = with(RANDOM);
        let expected = effect(&unchanged, &run_request(&unchanged, "one", statement)).unwrap();
        let mut changes = Vec::new();
        for _ in 0..=chance.below(2) {
            let change = chance.change();
            if db.connection().execute_batch(&change).is_ok() {
                changes.push(change);
            }
        }
        match effect(&db, &request) {
            None => refused += 1,
            Some(found) => {
                ran += 1;
                assert_eq!(
                    found, expected,
                    "seed {seed}: {statement} after {changes:?}"
                );
            }
        }
    }
    assert!(ran > 20 && refused > 20, "{ran} ran, {refused} did not");
}

#[test]
fn a_large_schema_beside_it_is_no_part_of_the_hash() {
    let db = shop();
    let before = preview(&db, DELETE)["sha256"].clone();
    for number in 0..300 {
        db.script(&format!("CREATE TABLE many{number} (a, b, c)"));
    }
    assert_eq!(preview(&db, DELETE)["sha256"], before);
}
