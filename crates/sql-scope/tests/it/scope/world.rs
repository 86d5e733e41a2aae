//! Two databases: one with the rows of several tenants, and one with those of a single tenant,
//! where no wall is needed.
//!
//! In the second one, the tenant's column has the tenant as its DEFAULT, so that the caller's own
//! text has the same effect there as the rewritten text in the first one.

use base::{Error, Result};
use database::{Cursor as _, Database as _, Statement};
use sql_gate::{self, Bound, Parameters, Policy};
use sql_scope::{Scope, ScopeValue};

use super::random::Random;
use test_support::HostDatabase;

/// The declaration of the tenant's column, the tenant whose rows are visible, and the other
/// tenants.
pub struct Kind {
    pub declared: &'static str,
    pub own: &'static str,
    pub value: fn() -> ScopeValue,
    pub strangers: &'static [&'static str],
}

/// Literals as SQL.
pub const KINDS: [Kind; 5] = [
    Kind {
        declared: "TEXT",
        own: "'acme'",
        value: || ScopeValue::Text("acme".to_owned()),
        strangers: &["'ACME'", "'acme '", "'acm'", "NULL", "''"],
    },
    Kind {
        declared: "TEXT COLLATE NOCASE",
        own: "'acme'",
        value: || ScopeValue::Text("acme".to_owned()),
        strangers: &["'ACME'", "'Acme'", "NULL"],
    },
    Kind {
        declared: "INTEGER",
        own: "1",
        value: || ScopeValue::Integer(1),
        strangers: &["2", "NULL", "0", "-1", "'x'"],
    },
    Kind {
        declared: "INTEGER",
        own: "7",
        value: || ScopeValue::Text("7".to_owned()),
        strangers: &["77", "NULL", "'7a'"],
    },
    Kind {
        declared: "",
        own: "1",
        value: || ScopeValue::Integer(1),
        strangers: &["'1'", "2", "NULL", "x'31'"],
    },
];

/// Tables with the tenant's column, all of which the statements may use.
pub const SCOPED: [&str; 4] = ["customers", "orders", "order\"lines", "Größe"];

const TABLES: &str = r#"
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, score INT, note TEXT, business_id {column});
CREATE TABLE orders (id INTEGER PRIMARY KEY, business_id {column}, customer_id INT, ref INT, qty INT, status TEXT COLLATE NOCASE, note TEXT,
    UNIQUE (business_id, ref));
CREATE TABLE "order""lines" (business_id {column} NOT NULL DEFAULT {default}, order_id INT, line INT, qty INT, note TEXT, oid INT,
    PRIMARY KEY (business_id, order_id, line)) WITHOUT ROWID;
CREATE TABLE "Größe" (id INTEGER PRIMARY KEY AUTOINCREMENT, "Business_ID" {column}, qty INT, name TEXT, note TEXT, doubled INT AS (qty * 2));
CREATE TABLE countries (id INTEGER PRIMARY KEY, name TEXT, city TEXT, score INT);
INSERT INTO countries VALUES (1, 'a', 'b', 1), (2, 'b', 'b', 2), (3, 'c', 'a', 3);
CREATE INDEX orders_note ON orders (note);
CREATE INDEX orders_status ON orders (status, qty);
CREATE INDEX orders_customer ON orders (customer_id);
CREATE INDEX customers_city ON customers (city);
CREATE INDEX customers_note ON customers (lower(name), note) WHERE score > 0;
"#;

/// The databases.
pub struct World {
    pub mixed: HostDatabase,
    pub alone: HostDatabase,
    pub scope: Scope,
    own: &'static str,
}

/// The result of a statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Rows(Vec<String>),
    Failed,
}

/// The table without the tenant's column that statements may read; SQLite ignores the case.
pub const READABLE: &str = "Countries";

/// The range of each tenant's ids, so that no key conflicts with one of another tenant: a conflict
/// would be visible.
const IDS: i64 = 1_000_000;

/// The statements that make each database.
pub struct Scripts {
    pub mixed: Vec<String>,
    pub alone: Vec<String>,
}

impl Scripts {
    pub fn new(kind: &Kind, random: &mut Random) -> Self {
        let declared = |default: &str| {
            TABLES
                .replace(
                    "{column} NOT NULL DEFAULT {default}",
                    &format!("{} DEFAULT {default}", kind.declared),
                )
                .replace("{column}", &format!("{} DEFAULT {default}", kind.declared))
        };
        let split = |script: &str| -> Vec<String> {
            let statements = script.split(";\n").map(str::trim);
            statements
                .filter(|statement| !statement.is_empty())
                .map(str::to_owned)
                .collect()
        };
        let mut mixed = split(&declared("NULL").replace(
            "business_id TEXT DEFAULT NULL, order_id",
            "business_id TEXT DEFAULT 'nobody', order_id",
        ));
        let mut alone = split(&declared(kind.own));
        for (position, tenant) in std::iter::once(&kind.own).chain(kind.strangers).enumerate() {
            let is_own = position == 0;
            for row in 0..random.below(9) + 2 {
                let id = i64::try_from(position).unwrap() * IDS + row;
                for statement in rows(id, tenant, is_own, random).into_iter().flatten() {
                    if is_own {
                        alone.push(statement.clone());
                    }
                    mixed.push(statement);
                }
            }
        }
        Self { mixed, alone }
    }
}

impl World {
    pub fn new(kind: &'static Kind, random: &mut Random) -> Self {
        let scripts = Scripts::new(kind, random);
        let mixed = HostDatabase::new();
        let alone = HostDatabase::new();
        for (database, statements) in [(&mixed, &scripts.mixed), (&alone, &scripts.alone)] {
            for statement in statements {
                database.script(statement);
            }
        }
        let scope = Scope::new("business_id", (kind.value)(), vec![READABLE.to_owned()]).unwrap();
        Self {
            mixed,
            alone,
            scope,
            own: kind.own,
        }
    }

    /// Returns the rows of the tenant, or of all others.
    fn dump(db: &HostDatabase, own: &str, wanted: bool) -> Vec<String> {
        let mut found = Vec::new();
        for table in SCOPED {
            let name = format!("\"{}\"", table.replace('"', "\"\""));
            let is = format!("business_id = {own} COLLATE BINARY");
            let filter = if wanted {
                is
            } else {
                format!("NOT coalesce({is}, 0)")
            };
            let mut rows = db.dump_rows(&format!("SELECT * FROM {name} WHERE {filter}"));
            rows.sort_unstable();
            found.push(format!("{table}:"));
            found.extend(rows);
        }
        found.extend(db.dump_rows("SELECT * FROM countries ORDER BY id"));
        found
    }

    fn pass(&self, text: &str, parameters: &Parameters) -> Result<Bound> {
        let policy = Policy::default();
        let reviewed = sql_scope::review(&self.mixed, text, &policy, &self.scope)?;
        let bound = reviewed.bind(parameters)?;
        sql_cost::guard(&self.mixed, &bound, &policy)?;
        Ok(bound)
    }

    /// Runs the statement on both sides, undoes it, and reports any difference. Returns `None` if
    /// the gate refused it.
    pub fn compare(
        &self,
        text: &str,
        parameters: &Parameters,
    ) -> Option<std::result::Result<Outcome, String>> {
        let bound = match self.pass(text, parameters) {
            Ok(bound) => bound,
            Err(error) => {
                // A compile error of the engine does not come from the wall; on the other side it
                // must fail, too.
                let is_walls = matches!(
                    error.code(),
                    "SQL_BLOCKED" | "TOO_BIG" | "QUERY_TOO_EXPENSIVE" | "PARAMETER_COUNT"
                );
                if is_walls {
                    return None;
                }
                let raw = self.raw(text, parameters).0;
                return Some(match raw {
                    Outcome::Failed => Ok(Outcome::Failed),
                    Outcome::Rows(rows) => Err(format!(
                        "the wall fails with {error:?}, alone there are {rows:?}"
                    )),
                });
            }
        };
        let (raw, raw_rows) = self.raw(text, parameters);
        let before = Self::dump(&self.mixed, self.own, false);
        let mut outcome = Outcome::Failed;
        let mut own = Vec::new();
        let mut strangers = Vec::new();
        undone(&self.mixed, &mut || {
            outcome = run(&self.mixed, &bound);
            own = Self::dump(&self.mixed, self.own, true);
            strangers = Self::dump(&self.mixed, self.own, false);
        });
        Some(if strangers != before {
            Err(format!(
                "rows of others changed: {}\n{before:#?}\n{strangers:#?}",
                bound.sql()
            ))
        } else if outcome != raw {
            Err(format!(
                "answers differ: {}\n{outcome:?}\nalone:\n{raw:?}",
                bound.sql()
            ))
        } else if own != raw_rows {
            Err(format!(
                "rows differ: {}\n{own:#?}\nalone:\n{raw_rows:#?}",
                bound.sql()
            ))
        } else {
            Ok(outcome)
        })
    }

    /// Runs the statement as it is written in the database without other tenants.
    fn raw(&self, text: &str, parameters: &Parameters) -> (Outcome, Vec<String>) {
        let bound = sql_gate::review(text, &Policy::default())
            .unwrap()
            .bind(parameters)
            .unwrap();
        let mut outcome = Outcome::Failed;
        let mut own = Vec::new();
        undone(&self.alone, &mut || {
            outcome = run(&self.alone, &bound);
            own = Self::dump(&self.alone, self.own, true);
        });
        (outcome, own)
    }
}

/// Runs the work in a transaction that is rolled back.
fn undone(db: &HostDatabase, work: &mut dyn FnMut()) {
    let stop = db.transaction(&mut || {
        work();
        Err(Error::invalid("undone"))
    });
    assert!(stop.is_err());
}

fn run(db: &HostDatabase, bound: &Bound) -> Outcome {
    let mut cursor = match db.open(Statement::Reviewed(bound.reviewed())) {
        Ok(cursor) => cursor,
        Err(_) => return Outcome::Failed,
    };
    let mut rows = Vec::new();
    loop {
        match cursor.next() {
            Ok(Some(row)) => rows.push(format!("{row:?}")),
            Ok(None) => break,
            Err(_) => return Outcome::Failed,
        }
    }
    rows.sort_unstable();
    Outcome::Rows(rows)
}

/// Returns the rows of one id. Those of strangers make expressions fail that do not fail on the
/// tenant's.
fn rows(id: i64, tenant: &str, is_own: bool, random: &mut Random) -> [Option<String>; 4] {
    let word = |random: &mut Random| ["'a'", "'b'", "'c'", "NULL", "'A'"][random.index(5)];
    let note = |random: &mut Random| {
        if is_own {
            ["NULL", "'{\"a\":1}'", "'[1,2]'", "'{\"a\":\"x\"}'"][random.index(4)]
        } else {
            ["'{bad'", "'secret'", "'{\"a\":1}'", "'[1,2]'"][random.index(4)]
        }
    };
    let number = |random: &mut Random| random.below(5) + 1;
    let score = if is_own || random.below(2) == 0 {
        number(random).to_string()
    } else {
        "(-9223372036854775807 - 1)".to_owned()
    };
    let customer = id - random.below(3);
    let line = random.below(3);
    let lines = (tenant != "NULL").then(|| {
        format!(
            "INSERT OR IGNORE INTO \"order\"\"lines\" (business_id, order_id, line, qty, note, oid) VALUES ({tenant}, {}, {line}, {}, {}, {})",
            id - random.below(2), number(random), note(random), number(random)
        )
    });
    [
        Some(format!(
            "INSERT INTO customers (id, name, city, score, note, business_id) VALUES ({id}, {}, {}, {score}, {}, {tenant})",
            word(random),
            word(random),
            note(random)
        )),
        Some(format!(
            "INSERT INTO orders (id, business_id, customer_id, ref, qty, status, note) VALUES ({id}, {tenant}, {customer}, {}, {}, {}, {})",
            id,
            number(random),
            word(random),
            note(random)
        )),
        lines,
        Some(format!(
            "INSERT INTO \"Größe\" (id, Business_ID, qty, name, note) VALUES ({id}, {tenant}, {}, {}, {})",
            number(random),
            word(random),
            note(random)
        )),
    ]
}
