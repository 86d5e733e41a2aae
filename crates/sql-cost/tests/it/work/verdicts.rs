//! The cost of the verdict itself, for families of statements that grow. The steps of the analysis
//! follow the instructions that a statement compiles to, and a statement that would take more is
//! refused. Steps are counted, so that a busy machine changes nothing. Where values are long, steps
//! say nothing, and the processor time of the statement itself is compared.

use base::Error;
use database::{Database as _, DatabaseExt as _, Statement};
use sql_cost::{Counts, Estimate};
use sql_gate::limits::{MAX_ANALYSIS_STEPS, MAX_INSTRUCTIONS};
use sql_gate::{self, Parameters, Policy};

use test_support::HostDatabase;
use test_support::processor_time::shortest_of;

/// The name of a family, its two sizes, the power of the instructions with which its steps may
/// grow, a size that is refused, if there is one, and the function that makes its schema and
/// statement.
type Family = (
    &'static str,
    [usize; 2],
    f64,
    Option<usize>,
    fn(usize) -> (String, String),
);

/// The factor by which the steps of the larger statement may exceed the power of its growth.
const SLACK: f64 = 1.3;

fn list(count: usize, between: &str, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(between)
}

/// Returns a table of 99 columns, the first of them with an index each.
fn wide(indexes: usize) -> String {
    let columns = list(99, ",", |column| format!("c{column}"));
    let indexes = list(indexes, "", |index| {
        format!("CREATE INDEX i{index} ON t (c{index});")
    });
    format!("CREATE TABLE t (id INTEGER PRIMARY KEY, {columns});{indexes}")
}

fn unique(indexes: usize) -> String {
    wide(indexes).replace("CREATE INDEX", "CREATE UNIQUE INDEX")
}

fn copies(count: usize) -> String {
    list(count, ",", |copy| format!("t t{copy}"))
}

fn of_each_column(count: usize, part: impl Fn(usize) -> String) -> String {
    format!("SELECT {} FROM t", list(count, ",", part))
}

const FAMILIES: [Family; 24] = [
    (
        "joins of copies with four-term ORs over 40 indexes",
        [5, 10],
        2.0,
        Some(40),
        |n| {
            let terms = list(n, " AND ", |i| {
                let p = (i + 1) % n;
                format!("(t{i}.c0=t{p}.c1 OR t{i}.c2=t{p}.c3 OR t{i}.c4=t{p}.c5 OR t{i}.c6=1)")
            });
            (
                wide(40),
                format!("SELECT count(*) FROM {} WHERE {terms}", copies(n)),
            )
        },
    ),
    ("joins of copies", [16, 32], 2.0, None, |n| {
        let terms = list(n - 1, " AND ", |i| format!("t{i}.c0=t{}.c1", i + 1));
        (
            wide(40),
            format!("SELECT count(*) FROM {} WHERE {terms}", copies(n)),
        )
    }),
    ("outer joins", [16, 32], 3.0, None, |n| {
        let joins = list(n, " ", |i| {
            format!("LEFT JOIN t t{} ON t{i}.c0=t{}.c1", i + 1, i + 1)
        });
        (wide(40), format!("SELECT count(*) FROM t t0 {joins}"))
    }),
    ("windows over one order", [20, 40], 2.0, None, |n| {
        (
            wide(0),
            of_each_column(n, |_| {
                "sum(c0) OVER (PARTITION BY c1 ORDER BY c2)".to_owned()
            }),
        )
    }),
    (
        "windows with frames of their own",
        [10, 20],
        3.0,
        Some(50),
        |n| {
            (
                wide(0),
                of_each_column(n, |i| {
                    format!(
                        "sum(c0) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN {} PRECEDING AND {} FOLLOWING)",
                        i + 1,
                        i + 2
                    )
                }),
            )
        },
    ),
    ("windows over many orders", [10, 20], 2.0, Some(50), |n| {
        (
            wide(0),
            of_each_column(n, |i| format!("rank() OVER (ORDER BY c{i})")),
        )
    }),
    ("windows within windows", [10, 20], 2.5, None, |n| {
        let inner = "SELECT c0, c1, c2 FROM t".to_owned();
        let sql = (0..n).fold(inner, |sql, _| {
            format!("SELECT c0, sum(c1) OVER (ORDER BY c2) AS c1, c2 FROM ({sql})")
        });
        (wide(0), sql)
    }),
    ("correlated sub-queries", [20, 40], 2.0, Some(99), |n| {
        (
            wide(1),
            of_each_column(n, |i| {
                format!("(SELECT max(c1) FROM t x WHERE x.c0=t.c0+{i})")
            }),
        )
    }),
    (
        "correlated sub-queries with ORs",
        [10, 20],
        2.0,
        Some(99),
        |n| {
            (
                wide(40),
                of_each_column(n, |i| {
                    format!(
                        "(SELECT count(*) FROM t x WHERE x.c0=t.c{} OR x.c1=t.c2 OR x.c3=1)",
                        i % 40
                    )
                }),
            )
        },
    ),
    ("sorted sub-queries", [10, 20], 2.0, Some(99), |n| {
        (
            wide(1),
            of_each_column(n, |i| {
                format!(
                    "(SELECT group_concat(c1) FROM (SELECT c1 FROM t x WHERE x.c0=t.c0 ORDER BY c2 LIMIT {}))",
                    i + 1
                )
            }),
        )
    }),
    (
        "conditions with IN and a sub-query",
        [20, 40],
        2.0,
        Some(90),
        |n| {
            let terms = list(n, " OR ", |i| {
                format!("c0 IN (SELECT c1 FROM t WHERE c2={i})")
            });
            (wide(1), format!("SELECT 1 FROM t WHERE {terms}"))
        },
    ),
    (
        "grouped sub-queries within each other",
        [10, 20],
        2.7,
        Some(40),
        |n| {
            let sql = (0..n).fold("SELECT c0, c1 FROM t".to_owned(), |sql, i| {
                format!("SELECT c0, count(*) AS c1 FROM ({sql}) WHERE c0>{i} GROUP BY c1")
            });
            (wide(1), sql)
        },
    ),
    (
        "joins of grouped common table expressions",
        [8, 16],
        2.7,
        Some(40),
        |n| {
            let with = list(n, ",", |i| {
                format!("w{i} AS (SELECT c0, count(*) n FROM t WHERE c1>{i} GROUP BY c0)")
            });
            let terms = list(n - 1, " AND ", |i| format!("w{i}.c0=w{}.c0", i + 1));
            (
                wide(1),
                format!(
                    "WITH {with} SELECT count(*) FROM {} WHERE {terms}",
                    list(n, ",", |i| format!("w{i}"))
                ),
            )
        },
    ),
    (
        "one common table expression, named again and again",
        [20, 40],
        2.0,
        None,
        |n| {
            let columns = list(n, ",", |i| format!("(SELECT n FROM w WHERE c0={i})"));
            (
                wide(1),
                format!("WITH w AS (SELECT c0, count(*) n FROM t GROUP BY c0) SELECT {columns}"),
            )
        },
    ),
    ("compound selects of joins", [10, 20], 2.0, None, |n| {
        let one = |k: usize| {
            let terms = list(n - 1, " AND ", |i| format!("t{i}.c{k}=t{}.c1", i + 1));
            format!("SELECT count(*) FROM {} WHERE {terms}", copies(n))
        };
        (wide(40), list(5, " UNION ", one))
    }),
    ("lists behind IN", [1_000, 4_000], 1.0, Some(20_000), |n| {
        (
            wide(1),
            format!(
                "SELECT 1 FROM t WHERE c0 IN ({})",
                list(n, ",", |i| (i % 10).to_string())
            ),
        )
    }),
    ("chains of CASE", [20, 40], 1.7, None, |n| {
        let arms = |k: usize| list(20, " ", |i| format!("WHEN c0>{i} AND c1<{k} THEN c2+{i}"));
        (
            wide(1),
            of_each_column(n, |k| format!("CASE {} END", arms(k))),
        )
    }),
    ("ORs over many indexes", [20, 40], 2.0, None, |n| {
        (
            wide(60),
            format!(
                "DELETE FROM t WHERE {}",
                list(n, " OR ", |i| format!("c{}={i}", i % 60))
            ),
        )
    }),
    ("UPSERT over unique indexes", [20, 40], 1.5, None, |n| {
        let clauses = list(n, " ", |i| {
            format!("ON CONFLICT (c{i}) DO UPDATE SET c90=c90+1, c91=c91+1")
        });
        (
            unique(n),
            format!("INSERT INTO t (c0, c1) VALUES (1, 2) {clauses}"),
        )
    }),
    ("REPLACE over unique indexes", [20, 40], 1.5, None, |n| {
        (
            unique(n),
            "REPLACE INTO t (c0, c1) SELECT c1, c2 FROM t".to_owned(),
        )
    }),
    ("RETURNING with sub-queries", [20, 40], 2.0, Some(99), |n| {
        let columns = list(n, ",", |i| {
            format!("(SELECT count(*) FROM t x WHERE x.c0=t.c{i})")
        });
        (
            wide(1),
            format!("INSERT INTO t (c0) VALUES (1) RETURNING {columns}"),
        )
    }),
    ("rows written out", [2_000, 4_000], 1.0, Some(20_000), |n| {
        (
            wide(2),
            format!(
                "INSERT INTO t (c0) VALUES {}",
                list(n, ",", |_| "(1)".to_owned())
            ),
        )
    }),
    ("checks of a table", [40, 80], 1.2, None, |n| {
        let columns = list(n, ",", |i| {
            format!("c{i} CHECK (c{i}>1 OR c{i} IN (1,2,3) OR c{i} LIKE 'a%')")
        });
        (
            format!("CREATE TABLE t (a, {columns})"),
            "INSERT INTO t (a) VALUES (1), (2)".to_owned(),
        )
    }),
    (
        "foreign keys that follow each other",
        [50, 100],
        1.5,
        None,
        |n| {
            let child = |i: usize| {
                format!(
                    "CREATE TABLE f{i} (id INTEGER PRIMARY KEY, x REFERENCES f{} (id) ON DELETE CASCADE);",
                    i.max(1) - 1
                )
            };
            (list(n, "", child), "DELETE FROM f0 WHERE id = 1".to_owned())
        },
    ),
];

fn judged((schema, sql): (String, String)) -> Result<Estimate, String> {
    let db = HostDatabase::new();
    db.script(&schema);
    let reviewed = sql_gate::review(&sql, &Policy::default()).map_err(|error| error.to_string())?;
    let bound = reviewed.bind(&Parameters::None).unwrap();
    sql_cost::estimate_within(&db, &bound, &Policy::default(), &Counts::default())
        .map_err(|error| format!("{} {error}", error.code()))
}

#[test]
fn the_steps_of_a_verdict_follow_the_instructions_of_the_statement() {
    let mut wrong = Vec::new();
    for (name, [small, large], power, refused, made) in FAMILIES {
        match (judged(made(small)), judged(made(large))) {
            (Ok(few), Ok(many)) => {
                let growth = many.instructions as f64 / few.instructions as f64;
                let steps = many.steps as f64 / few.steps as f64;
                println!(
                    "{name}: {} and {} instructions, {} and {} steps, power {:.2}",
                    few.instructions,
                    many.instructions,
                    few.steps,
                    many.steps,
                    steps.ln() / growth.ln()
                );
                if growth < 1.2 || steps > SLACK * growth.powf(power) {
                    wrong.push(format!(
                        "{name}: {growth:.2} times the instructions, {steps:.2} times the steps"
                    ));
                }
                if many.steps >= MAX_ANALYSIS_STEPS || many.instructions > MAX_INSTRUCTIONS {
                    wrong.push(format!("{name}: beyond the bound"));
                }
            }
            (few, many) => wrong.push(format!("{name}: {few:?}, {many:?}")),
        }
        let Some(refused) = refused else { continue };
        let verdict = judged(made(refused));
        let is_told = verdict.as_ref().is_err_and(|error| {
            error.starts_with("QUERY_TOO_EXPENSIVE the statement is too ")
                && error.contains("the statement is too ")
        });
        if !is_told {
            wrong.push(format!("{name}: not refused at {refused}: {verdict:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Statements about wide rows with columns after their long value. A verdict may want to count the
/// rows.
const OF_WIDE_ROWS: [(&str, &str); 4] = [
    (
        "a condition of a join",
        "SELECT count(*) FROM small AS s CROSS JOIN docs AS d WHERE d.k + 1 < s.k",
    ),
    (
        "a condition of a correlated sub-query",
        "SELECT (SELECT count(*) FROM docs AS d WHERE d.k + 0 = s.k) FROM small AS s",
    ),
    (
        "rows that are looked up",
        "SELECT count(*) FROM small AS s CROSS JOIN docs AS d ON d.year = s.k % 2 WHERE d.k + 1 < s.k",
    ),
    (
        "a look-up behind a join",
        "SELECT count(*) FROM small AS s CROSS JOIN small AS o CROSS JOIN docs AS d ON d.id = s.k + o.k WHERE d.k + 1 < s.k",
    ),
];

#[test]
fn a_verdict_does_not_run_a_join_of_wide_rows_to_count_it() {
    let db = HostDatabase::new();
    db.script(
        "CREATE TABLE docs (id INTEGER PRIMARY KEY, year, body, k);
         WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 250)
         INSERT INTO docs SELECT i, i % 2, replace(hex(zeroblob(40000)), '0', 'x'), i FROM r;
         CREATE INDEX by_year ON docs (year);
         CREATE TABLE small (id INTEGER PRIMARY KEY, k);
         WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 250)
         INSERT INTO small SELECT i, i % 125 FROM r;",
    );
    // Counting may take half of the limit: enough for the rows, and not for their pages.
    let policy = Policy {
        max_query_work: 20_000_000,
        ..Policy::default()
    };
    let mut wrong = Vec::new();
    for (name, sql) in OF_WIDE_ROWS {
        let reviewed = sql_gate::review(sql, &policy).unwrap();
        let bound = reviewed.bind(&Parameters::None).unwrap();
        let verdict = sql_cost::guard_counting(&db, &bound, &policy, &Counts::default());
        let judged = shortest_of(10, || {
            let counts = Counts::default();
            let _verdict = sql_cost::guard_counting(&db, &bound, &policy, &counts);
        });
        let ran = shortest_of(3, || {
            db.rows(sql, &[]).unwrap();
        });
        println!("{name}: judged in {judged:?}, ran in {ran:?}, {verdict:?}");
        if verdict.is_ok() || judged * 3 > ran {
            wrong.push(format!("{name}: {judged:?} of {ran:?}, {verdict:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Statements that look rows up by one index, while one of their conditions would let the engine
/// choose another index that has at most one key.
const BY_ONE_INDEX: [(&str, &str); 3] = [
    (
        "a range and IS",
        "SELECT sum(t.c) FROM s CROSS JOIN t INDEXED BY by_x ON t.x > s.y AND t.x < s.z AND t.w IS s.v",
    ),
    (
        "a key and IS",
        "SELECT sum(t.c) FROM s CROSS JOIN t INDEXED BY by_x ON t.x = s.y AND t.w IS s.v",
    ),
    (
        "a partial index and IS",
        "SELECT sum(t.w) FROM s CROSS JOIN t INDEXED BY some ON t.c = 1 AND t.x > s.y AND t.x < s.z AND t.w IS s.v",
    ),
];

#[test]
fn counting_a_join_takes_the_index_that_its_statement_takes() {
    let db = HostDatabase::new();
    db.script(
        "CREATE TABLE s (id INTEGER PRIMARY KEY, y INTEGER, z INTEGER, v INTEGER);
         CREATE TABLE t (id INTEGER PRIMARY KEY, x INTEGER, c INTEGER, w INTEGER);
         WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 1000)
         INSERT INTO s SELECT i, i, i + 2, 1 FROM r;
         WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 5000)
         INSERT INTO t SELECT i, i, 1, 1 FROM r;
         CREATE INDEX by_x ON t (x);
         CREATE INDEX some ON t (x) WHERE t.c = 1 OR c = 'c';
         CREATE INDEX by_w ON t (w);",
    );
    // The work for all rows of the join is above this limit.
    let policy = Policy {
        max_query_work: 20_000_000,
        ..Policy::default()
    };
    let mut wrong = Vec::new();
    for (name, sql) in BY_ONE_INDEX {
        let reviewed = sql_gate::review(sql, &policy).unwrap();
        let bound = reviewed.bind(&Parameters::None).unwrap();
        let begun = db.steps();
        let verdict = sql_cost::guard_counting(&db, &bound, &policy, &Counts::default());
        let judged = db.steps() - begun;
        let by_other = sql
            .replace("INDEXED BY by_x", "INDEXED BY by_w")
            .replace("INDEXED BY some", "INDEXED BY by_w");
        let by_other = sql_gate::review(&by_other, &policy).unwrap();
        let begun = db.steps();
        db.open(Statement::Reviewed(
            by_other.bind(&Parameters::None).unwrap().reviewed(),
        ))
        .unwrap();
        let ran = db.steps() - begun;
        println!("{name}: judged in {judged} steps, by the other index {ran}, {verdict:?}");
        if verdict.is_err() || judged * 5 > ran {
            wrong.push(format!("{name}: {judged} of {ran} steps, {verdict:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Long texts that differ at their end, with an index that compares their letters exactly, and one
/// that ignores case.
const LONG_KEYS: &str = "
CREATE TABLE s (id INTEGER PRIMARY KEY, x TEXT);
CREATE TABLE exact (id INTEGER PRIMARY KEY, x TEXT UNIQUE);
CREATE TABLE folded (id INTEGER PRIMARY KEY, x TEXT UNIQUE COLLATE NOCASE);
WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 2000)
INSERT INTO s SELECT i, printf('%.*c', 10000, 'x') || i FROM r;
INSERT INTO exact SELECT * FROM s; INSERT INTO folded SELECT * FROM s;";

/// Short texts, and an index with longer texts among which they belong.
const SHORT_KEYS: &str = "
CREATE TABLE s (id INTEGER PRIMARY KEY, x TEXT);
CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT);
CREATE INDEX by_x ON t (x);
WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 2000)
INSERT INTO s SELECT i, printf('%04d', i * 7919 % 60) || i FROM r;
INSERT INTO t SELECT id, printf('%04d', id) || $bytes FROM s WHERE id <= 60;";

/// The same, with the short texts in the index, too.
const SHORT_KEYS_LATER: &str = "
CREATE TABLE s (id INTEGER PRIMARY KEY, x TEXT);
CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT);
CREATE INDEX by_x ON t (x);
WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 2000)
INSERT INTO s SELECT i, printf('%04d', i * 7919 % 60) || i FROM r;
INSERT INTO t SELECT id, printf('%04d', id) || $bytes FROM s WHERE id <= 60;
INSERT INTO t (x) SELECT x FROM s;";

/// The name of a pair, its limit, its schema, and two statements, each with its value for `$bytes`.
type Pair = (
    &'static str,
    u64,
    &'static str,
    [(&'static str, &'static str); 2],
);

/// Pairs of statements of which the second takes many times as long as the first, because of the
/// keys that are compared on the way to a row. The limits are so low that rows and values are
/// measured.
const BY_THEIR_KEYS: [Pair; 4] = [
    (
        "letters without case",
        25_000_000,
        LONG_KEYS,
        [
            (
                "''",
                "SELECT count(*) FROM s CROSS JOIN exact AS e ON e.x = s.x",
            ),
            (
                "''",
                "SELECT count(*) FROM s CROSS JOIN folded AS f ON f.x = s.x",
            ),
        ],
    ),
    (
        "letters without case in an index of the statement's own",
        150_000_000,
        LONG_KEYS,
        [
            (
                "''",
                "SELECT count(*) FROM s CROSS JOIN s AS e ON e.x = s.x",
            ),
            (
                "''",
                "SELECT count(*) FROM s CROSS JOIN s AS f ON f.x = s.x COLLATE NOCASE",
            ),
        ],
    ),
    (
        "few wide keys that were there first",
        10_000_000,
        SHORT_KEYS_LATER,
        [
            ("''", "DELETE FROM t WHERE id > 60"),
            ("hex(zeroblob(400000))", "DELETE FROM t WHERE id > 60"),
        ],
    ),
    (
        "short keys among wide ones",
        10_000_000,
        SHORT_KEYS,
        [
            ("''", "INSERT INTO t (x) SELECT x FROM s"),
            ("hex(zeroblob(400000))", "INSERT INTO t (x) SELECT x FROM s"),
        ],
    ),
];

#[test]
fn keys_that_are_compared_on_the_way_are_weighed() {
    let mut wrong = Vec::new();
    for (name, max_query_work, schema, statements) in BY_THEIR_KEYS {
        let [(quick_estimate, quick), (slow_estimate, slow)] = statements.map(|(bytes, sql)| {
            let db = HostDatabase::new();
            db.script(&schema.replace("$bytes", bytes));
            let policy = Policy {
                max_query_work,
                ..Policy::default()
            };
            let reviewed = sql_gate::review(sql, &policy).unwrap();
            let bound = reviewed.bind(&Parameters::None).unwrap();
            let estimate =
                sql_cost::estimate_within(&db, &bound, &policy, &Counts::default()).unwrap();
            let taken = shortest_of(3, || {
                let _ = db.transaction(&mut || {
                    db.rows(sql, &[])?;
                    Err(Error::internal("roll back"))
                });
            });
            (estimate.work as f64, taken.as_secs_f64())
        });
        let (estimated, real) = (slow_estimate / quick_estimate, slow / quick);
        println!("{name}: {estimated:.1} times the work, {real:.1} times the time");
        if real < 2.0 || estimated * 3.0 < real {
            wrong.push(format!(
                "{name}: {estimated:.1} times the work of {real:.1} times the time"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
