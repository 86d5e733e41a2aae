//! Functions of two long values that pass through everything that can pass on a value, and
//! functions of full-text tables over long documents. The estimate grows with the product, and
//! statements that would really run for long are refused.

use sql_cost::Counts;
use sql_gate::{self, Parameters, Policy, SqlError};

use test_support::HostDatabase;

/// Returns a database with one row of two texts, of `size` bytes and half of that, and a full-text
/// table with a document of `tokens` equal words.
fn database(size: usize, tokens: usize) -> HostDatabase {
    let db = HostDatabase::new();
    session::start(&db, 0).unwrap();
    db.script(&format!(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT, va TEXT AS (a || ''));
         INSERT INTO t (a, b) VALUES (replace(hex(zeroblob({size} / 2)), '0', 'a'), replace(hex(zeroblob({size} / 4)), '0', 'a') || 'b');
         CREATE VIEW collected AS SELECT group_concat(a, '') AS x, max(b) AS y FROM t;
         CREATE VIEW carried AS WITH RECURSIVE r(x, y) AS (SELECT a, b FROM t UNION ALL SELECT x, y FROM r LIMIT 20) SELECT x, y FROM r;
         CREATE VIRTUAL TABLE f USING fts5(body);
         INSERT INTO f VALUES (replace(hex(zeroblob({tokens})), '00', 'w '));
         CREATE VIEW shown AS SELECT snippet(f, 0, '[', ']', '…', 10) AS s FROM f WHERE f MATCH 'w'",
    ));
    db
}

/// Returns the estimated work, in units of 10 ns, from exact counts.
fn work(db: &HostDatabase, text: &str) -> u64 {
    let policy = Policy {
        // The limit is so low that everything is measured, and so high that counting is allowed.
        max_query_work: 20_000_000,
        ..Policy::default()
    };
    let bound = sql_gate::review(text, &policy)
        .and_then(|reviewed| reviewed.bind(&Parameters::None))
        .unwrap_or_else(|error| panic!("{error}: {text}"));
    let estimate = sql_cost::estimate_within(db, &bound, &policy, &Counts::default());
    estimate.unwrap().work
}

fn refusal(db: &HostDatabase, text: &str) -> Option<String> {
    let policy = Policy::default();
    let bound = match sql_gate::review(text, &policy).and_then(|one| one.bind(&Parameters::None)) {
        Ok(bound) => bound,
        Err(error) => return error.hint(),
    };
    let verdict = sql_cost::guard_counting(db, &bound, &policy, &Counts::default());
    match verdict.as_ref().map_err(|error| error.of()) {
        Err(Some(SqlError::QueryTooExpensive { hint, .. })) => Some(hint.clone()),
        Err(_) => panic!("{verdict:?}: {text}"),
        Ok(()) => None,
    }
}

/// Ways to `a` and `b`, each with its FROM and the text before it.
const WAYS: [(&str, &str, &str, &str); 36] = [
    ("", "a", "b", "t"),
    ("", "va", "b", "t"),
    ("", "group_concat(a, '')", "b", "t"),
    ("", "string_agg(a, 'x')", "max(b)", "t"),
    ("", "json_group_array(a)", "min(b)", "t"),
    ("", "json_group_object('k', a)", "b", "t"),
    (
        "",
        "group_concat(a, '' ORDER BY id)",
        "group_concat(DISTINCT b)",
        "t",
    ),
    (
        "",
        "group_concat(a, '') FILTER (WHERE id)",
        "b",
        "t GROUP BY id",
    ),
    ("", "group_concat(a, '') OVER ()", "b", "t"),
    ("", "group_concat(a, '') OVER (PARTITION BY id)", "b", "t"),
    (
        "",
        "first_value(a) OVER (ORDER BY id)",
        "last_value(b) OVER ()",
        "t",
    ),
    ("", "json_object('x', a) ->> 'x'", "b", "t"),
    (
        "",
        "json_extract(json_object('x', a), '$.x')",
        "json_extract(json_array(b), '$[0]')",
        "t",
    ),
    ("", "jsonb_extract(jsonb_array(a), '$[0]')", "b", "t"),
    ("", "json_set('{}', '$.a', a)", "b", "t"),
    ("", "json_patch('{}', json_object('x', a))", "b", "t"),
    ("", "json_quote(a)", "b", "t"),
    ("", "e.value", "b", "t, json_each(json_array(a)) e"),
    ("", "e.fullkey", "b", "t, json_tree(json_object(a, 1)) e"),
    ("", "printf('%s', a)", "format('%s', b)", "t"),
    (
        "",
        "printf('%*s', length(a), '')",
        "printf('%*sb', length(b), '')",
        "t",
    ),
    (
        "",
        "printf('%.*c', length(a), 'a')",
        "printf('%.*cb', length(b) - 1, 'a')",
        "t",
    ),
    ("", "printf('%' || length(a) || 's', '')", "b", "t"),
    (
        "",
        "zeroblob(length(a) * 1)",
        "zeroblob(length(b) * 1) || 'b'",
        "t",
    ),
    ("", "concat(a)", "concat_ws('', b, '')", "t"),
    ("", "coalesce(NULL, a)", "iif(id, b, '')", "t"),
    (
        "",
        "(SELECT group_concat(a, '') FROM t)",
        "(SELECT max(b) FROM t)",
        "(SELECT 1)",
    ),
    (
        "",
        "x",
        "y",
        "(SELECT a AS x, b AS y FROM t UNION SELECT '', '')",
    ),
    (
        "",
        "x",
        "y",
        "(SELECT a AS x, b AS y FROM t EXCEPT SELECT '', '')",
    ),
    (
        "",
        "column1",
        "column2",
        "(VALUES ('', ''), ((SELECT a FROM t), (SELECT b FROM t)))",
    ),
    (
        "WITH q(x, y) AS (SELECT group_concat(a, ''), max(b) FROM t) ",
        "x",
        "y",
        "q",
    ),
    (
        "WITH q(x, y) AS MATERIALIZED (SELECT json_group_array(a), b FROM t) ",
        "x ->> 0",
        "y",
        "q",
    ),
    ("", "x", "y", "collected"),
    ("", "x", "y", "carried"),
    (
        "WITH RECURSIVE r(n, x, y) AS (SELECT 1, a, b FROM t UNION ALL SELECT n + 1, x, y FROM r WHERE n < 3) ",
        "x",
        "y",
        "r",
    ),
    (
        "WITH RECURSIVE r(n, x, y) AS (SELECT 1, a, b FROM t UNION ALL SELECT n + 1, x, y FROM r WHERE n < 3) ",
        "upper(x)",
        "y || ''",
        "r",
    ),
];

#[test]
fn a_product_of_lengths_counts_behind_everything_that_hands_a_value_on() {
    let large = database(1_200_000, 10);
    let (small, twice) = (database(100_000, 10), database(200_000, 10));
    let mut complaints = Vec::new();
    for (before, a, b, from) in WAYS {
        let text = format!("{before}SELECT instr({a}, {b}) FROM {from}");
        if refusal(&large, &text).is_none() {
            complaints.push(format!("it passes: {text}"));
        }
        // The engine compares 20 pairs of bytes in a nanosecond.
        let least = 100_000 * 50_000 / 20 / 10;
        let (small, twice) = (work(&small, &text), work(&twice, &text));
        if small < least || twice < 4 * least {
            complaints.push(format!("{small}, {twice} for twice the length: {text}"));
        }
    }
    for function in [
        "replace({a}, {b}, '')",
        "trim({a}, {b})",
        "unhex({a}, {b})",
        "json_patch({a}, {b})",
    ] {
        let call = function
            .replace("{a}", "group_concat(a, '')")
            .replace("{b}", "max(b)");
        let text = format!("SELECT {call} FROM t");
        if refusal(&large, &text).is_none() {
            complaints.push(format!("it passes: {text}"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn a_default_counts_for_each_row_that_is_older_than_its_column() {
    let db = database(1_000, 10);
    db.script(&format!(
        "CREATE TABLE many (id INTEGER PRIMARY KEY);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60000) INSERT INTO many SELECT i FROM n;
         ALTER TABLE many ADD COLUMN late TEXT DEFAULT '{}'",
        "d".repeat(90_000)
    ));
    let text = "SELECT DISTINCT late || id FROM many";
    assert!(work(&db, text) > 60_000 * 90_000 / 10);
    assert!(refusal(&db, text).is_some());
}

#[test]
fn a_function_of_a_long_document_costs_the_square_of_its_occurrences() {
    const SEARCHES: [&str; 9] = [
        "SELECT snippet(f, 0, '[', ']', '…', 10) FROM f WHERE f MATCH 'w'",
        "SELECT snippet(f, 0, '[', ']', '…', 64) FROM f('w*') ORDER BY rank",
        "SELECT snippet(f, 0, '[', ']', '…', 10) FROM f WHERE body MATCH 'NEAR(w w, 5)'",
        "SELECT snippet(f, 0, '[', ']', '…', 10) FROM f WHERE f MATCH 'w' || ''",
        "SELECT snippet(f, 0, '[', ']', '…', 10) FROM f, json_each('[1]') WHERE f MATCH 'w OR x'",
        "SELECT rank FROM f WHERE f MATCH 'w' AND rank MATCH 'snippet(0, ''['', '']'', ''…'', 10)' ORDER BY rank",
        "SELECT highlight(f, 0, '[', ']') FROM f WHERE f MATCH 'w'",
        "SELECT max(s) FROM (SELECT snippet(f, 0, '[', ']', '…', 10) AS s FROM f WHERE f MATCH 'w')",
        "SELECT s FROM shown",
    ];
    let (small, twice) = (database(10, 10_000), database(10, 20_000));
    let large = database(10, 200_000);
    for text in SEARCHES {
        let (small, twice) = (work(&small, text), work(&twice, text));
        assert!(
            small > 1_000_000 && twice * 10 > small * 35,
            "{small}, {twice} for twice the tokens: {text}"
        );
        let hint = refusal(&large, text).unwrap_or_else(|| panic!("it passes: {text}"));
        assert!(hint.contains("documents"), "{hint}: {text}");
    }
    // The cost of each of these is proportional to the document.
    for text in [
        "SELECT snippet(f, 0, '[', ']', '…', 10) FROM f WHERE f MATCH 'absent'",
        "SELECT snippet(f, 0, '[', ']', '…', 10) FROM f",
        "SELECT highlight(f, 0, '[', ']') FROM f WHERE rowid = 1",
        "SELECT bm25(f) FROM f WHERE f MATCH 'w'",
        "SELECT rowid FROM f WHERE f MATCH 'w' ORDER BY rank",
    ] {
        assert_eq!(refusal(&large, text), None, "{text}");
    }
}

/// Statements that write full-text tables, with the bytes of documents that each splits into
/// tokens, for every byte of the documents.
const WRITES: [(&str, f64); 18] = [
    ("INSERT INTO outside (outside) VALUES ('rebuild')", 1.0),
    ("INSERT INTO outside (outside) VALUES ('REBUILD')", 1.0),
    ("INSERT INTO thirds (thirds) VALUES ('rebuild')", 2.5),
    ("INSERT INTO own (own) VALUES ('rebuild')", 1.0),
    ("INSERT INTO own (own) VALUES ('integrity-check')", 1.0),
    ("INSERT INTO own (own) SELECT 'rebuild' FROM docs", 100.0),
    ("INSERT INTO own (own) VALUES (lower('Rebuild'))", 1.0),
    ("INSERT INTO own (own) VALUES ('optimize')", 0.01),
    ("INSERT INTO own (own, rank) VALUES ('merge', 500)", 0.01),
    ("DELETE FROM own", 1.0),
    ("UPDATE own SET body = 'short'", 1.0),
    (
        "REPLACE INTO own (rowid, body) SELECT id, 'short' FROM docs",
        1.0,
    ),
    (
        "INSERT INTO own (rowid, body) SELECT id + 1000, body FROM docs",
        1.0,
    ),
    ("DELETE FROM outside", 1.0),
    ("DELETE FROM own WHERE rowid = 7", 0.0),
    ("INSERT INTO own (body) VALUES ('a short text')", 0.0),
    ("INSERT INTO own (own, rank) VALUES ('automerge', 8)", 0.0),
    (
        "INSERT INTO outside (outside, rowid, body) VALUES ('delete', 7, 'a text')",
        0.0,
    ),
];

/// A byte of a document takes 40 to 200 ns.
#[test]
fn writes_of_a_full_text_table_cost_the_documents_that_they_divide_into_tokens() {
    const UNITS: f64 = 5.0;
    let made = |words: usize| {
        let db = HostDatabase::new();
        session::start(&db, 0).unwrap();
        db.script(&format!(
            "CREATE TABLE docs (id INTEGER PRIMARY KEY, body TEXT);
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100)
               INSERT INTO docs SELECT i, replace(hex(zeroblob({words})), '00', 'w' || (i % 10) || ' ') FROM n;
             CREATE VIRTUAL TABLE own USING fts5 (body);
             INSERT INTO own (rowid, body) SELECT id, body FROM docs;
             CREATE VIRTUAL TABLE outside USING fts5 (body, content = 'docs', content_rowid = 'id');
             CREATE VIRTUAL TABLE thirds USING fts5 (body, content = docs, content_rowid = id, tokenize = 'trigram');
             INSERT INTO outside (outside) VALUES ('rebuild')"
        ));
        db
    };
    let bytes = |words: usize| (100 * words * 3) as f64;
    let (small, twice) = (made(5_000), made(10_000));
    let mut complaints = Vec::new();
    for (text, part) in WRITES {
        let (least, more) = (work(&small, text) as f64, work(&twice, text) as f64);
        let is_slight = part == 0.0 && more < bytes(10_000) * UNITS / 4.0;
        let grows = part > 0.0 && least >= bytes(5_000) * UNITS * part && more >= least * 1.5;
        if !is_slight && !grows {
            complaints.push(format!("{least}, {more} for twice the bytes: {text}"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// `json_patch` searches each key of one object among all keys of the other and those that it has
/// added. A key with its value takes two bytes of binary JSON.
#[test]
fn a_patch_costs_the_pairs_of_keys() {
    let db = HostDatabase::new();
    session::start(&db, 0).unwrap();
    db.script(
        "CREATE TABLE p (id INTEGER PRIMARY KEY, j BLOB, k BLOB, t TEXT, d TEXT);
         INSERT INTO p VALUES (1, unhex('EC' || printf('%08X', 100000) || replace(hex(zeroblob(50000)), '00', '0700')),
           unhex('EC' || printf('%08X', 99000) || replace(hex(zeroblob(33000)), '00', '176100')),
           (SELECT json_group_object('k' || value, 1) FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 50000) SELECT value FROM n)),
           '{\"a\":1,\"b\":[1,2,3]}')",
    );
    // Seconds of native SQLite on a quiet machine.
    for (expression, least_s) in [
        ("jsonb_patch(j, k)", 7.4),
        ("json_patch(j, k)", 7.4),
        ("jsonb_patch(j, coalesce(k, t))", 7.4),
        ("json_patch('{}', t)", 6.1),
        ("json_patch(d, t)", 6.1),
        ("jsonb_patch(jsonb('{}'), jsonb(t))", 6.1),
    ] {
        let found = work(&db, &format!("SELECT length({expression}) FROM p")) as f64 / 1e8;
        assert!(found >= least_s, "{found} s: {expression}");
    }
    for text in [
        "SELECT json_patch(d, '{\"c\":1}') FROM p",
        "SELECT json_patch(t, '{\"c\":1}') FROM p",
        "UPDATE p SET d = json_patch(d, json_object('c', id))",
    ] {
        assert!(work(&db, text) < 20_000_000, "{}: {text}", work(&db, text));
    }
}

#[test]
fn each_modifier_of_a_date_and_each_byte_of_a_format_counts() {
    let db = database(180_000, 10);
    let of = |expression: &str| work(&db, &format!("SELECT {expression} FROM t"));
    let modifiers = ", '+1 day'".repeat(90);
    let many = format!(
        "SELECT count(date(i{modifiers})) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT i FROM n)"
    );
    // 30 modifiers took 0.8 µs.
    assert!(work(&db, &many) > 24_000_000, "{}", work(&db, &many));
    // 90,000 of `%J` took 4 ms.
    let formatted = of("length(strftime(replace(hex(zeroblob(90000)), '00', '%J'), id))");
    assert!(formatted > 400_000, "{formatted}");
}

#[test]
fn each_phrase_of_a_search_adds_its_occurrences() {
    let db = database(10, 10_000);
    let of = |search: &str| {
        work(
            &db,
            &format!("SELECT snippet(f, 0, '[', ']', '…', 10) FROM f WHERE f MATCH '{search}'"),
        )
    };
    let one = of("w");
    assert!(of("w OR w") * 10 > one * 35, "{one}, {}", of("w OR w"));
    assert!(of("w \"w\" w* + x") > of("w OR w"));
    let joined = "SELECT snippet(f, 0, '[', ']', '…', 10) FROM f, (SELECT 1 UNION SELECT 2 UNION SELECT 3) WHERE f MATCH 'w'";
    assert!(work(&db, joined) > one * 5 / 2);
}

#[test]
fn a_pattern_is_parted_by_its_own_wildcards_and_an_unknown_format_may_be_all_conversions() {
    let db = database(1_000_000, 10);
    let rows = "FROM t, (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) SELECT i FROM n)";
    for (expression, is_refused) in [
        (
            "(a || i) LIKE '%a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b'",
            true,
        ),
        ("(a || i) LIKE '%a%%b'", false),
        (
            "(a || i) GLOB '*[*]a[*]a[*]a[*]a[*]a[*]a[*]a[*]a[*]a[*]a[*]b'",
            true,
        ),
        ("printf(a || '%d', i)", true),
        ("printf('%d of %s', i, b)", false),
    ] {
        let text = format!("SELECT count(*) {rows} WHERE ({expression}) > 0");
        assert_eq!(refusal(&db, &text).is_some(), is_refused, "{text}");
    }
}

/// fts5 holds the positions of all words of a phrase at once, whatever separates the words, and
/// even if the phrase does not occur.
#[test]
fn each_word_of_a_phrase_counts() {
    let db = database(10, 100_000);
    for between in [" ", "—", "-", "\u{a0}"] {
        for end in ["w", "absent"] {
            for (words, is_refused) in [(20, false), (1_000, true)] {
                let phrase = format!("{}{end}", format!("w{between}").repeat(words));
                let text = format!("SELECT count(*) FROM f WHERE f MATCH '\"{phrase}\"'");
                assert_eq!(
                    refusal(&db, &text).is_some(),
                    is_refused,
                    "{words} words, {between:?}, {end}"
                );
            }
        }
    }
}

/// At each occurrence of a word of NEAR fts5 compares all words, so their number counts twice.
#[test]
fn words_near_each_other_count_twice() {
    let db = database(10, 400_000);
    for (words, is_refused) in [(2, false), (10, false), (120, true)] {
        let near = "w ".repeat(words);
        let text = format!("SELECT count(*) FROM f WHERE f MATCH 'NEAR({near}, 1000)'");
        assert_eq!(refusal(&db, &text).is_some(), is_refused, "{words} words");
    }
}

#[test]
fn snippets_of_usual_documents_pass() {
    let db = HostDatabase::new();
    session::start(&db, 0).unwrap();
    db.script(
        "CREATE VIRTUAL TABLE papers USING fts5(title, body, tokenize = 'porter unicode61');
         WITH RECURSIVE w(k, s) AS (SELECT 1, '' UNION ALL
             SELECT k + 1, s || ' w' || (k * 7919 % 3000) || ' the ' || (k % 17) || ' entry of topic' || (k % 40) || ' runs' FROM w LIMIT 2500),
           n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300)
         INSERT INTO papers (rowid, title, body) SELECT i, 'report ' || i, (SELECT substr(s, 1, 4000 + i * 250) FROM w WHERE k = 2500) FROM n",
    );
    for text in [
        "SELECT title, snippet(papers, 1, '<b>', '</b>', '…', 12) FROM papers WHERE papers MATCH 'topic7' ORDER BY rank",
        "SELECT title, snippet(papers, -1, '<b>', '</b>', '…', 32) FROM papers WHERE papers MATCH 'w12* OR report' ORDER BY rank LIMIT 20",
        "SELECT highlight(papers, 1, '<b>', '</b>') FROM papers WHERE papers MATCH 'topic3 topic4 \"the 7\"'",
        "SELECT rowid, bm25(papers, 10.0, 1.0) AS score FROM papers WHERE papers MATCH 'body: the OR title: report' ORDER BY score LIMIT 10",
        "SELECT snippet(papers, 1, '[', ']', '…', 10) FROM papers WHERE papers MATCH 'topics9 OR topic9 OR reporting' AND rowid < 20",
    ] {
        assert_eq!(refusal(&db, text), None, "{text}");
    }
}

#[test]
fn rows_that_memory_does_not_hold_are_not_sorted() {
    let db = HostDatabase::new();
    session::start(&db, 0).unwrap();
    db.script(
        "CREATE TABLE n (id INTEGER PRIMARY KEY, k);
         WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 2000)
             INSERT INTO n (k) SELECT i FROM r;
         CREATE VIEW v AS SELECT id, hex(zeroblob(400000)) || id AS x FROM n",
    );
    let policy = Policy::default();
    let verdict = |text: &str| {
        let bound = sql_gate::review(text, &policy).and_then(|one| one.bind(&Parameters::None));
        sql_cost::guard_counting(&db, &bound.unwrap(), &policy, &Counts::default())
    };
    // Each row that is sorted has 800,000 bytes: 1,200 rows are 960 MB and 1,400 are 1,120.
    for sorting in [
        "SELECT id FROM v WHERE id <= ROWS ORDER BY x",
        "SELECT length(x) FROM v WHERE id <= ROWS GROUP BY x",
        "SELECT length(x), row_number() OVER (ORDER BY k) FROM v JOIN n USING (id) WHERE id <= ROWS",
        "SELECT id FROM (SELECT id, substr(x || k, 2) AS y FROM v JOIN n USING (id)) WHERE id <= ROWS ORDER BY y",
        "CREATE INDEX i ON n (hex(zeroblob(400000)) || id) WHERE id <= ROWS",
    ] {
        let few = verdict(&sorting.replace("ROWS", "1200"));
        assert!(few.is_ok(), "{few:?}: {sorting}");
        let many = verdict(&sorting.replace("ROWS", "1400"));
        let message = many.map_err(|error| format!("{} {error}", error.code()));
        let message = message.expect_err(sorting);
        assert!(
            message.starts_with("QUERY_TOO_EXPENSIVE") && message.contains("holds in memory"),
            "{message}: {sorting}"
        );
    }
    // Ten million short rows fit.
    let short = verdict(
        "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 1000000) SELECT i, row_number() OVER (ORDER BY -i) FROM r",
    );
    assert!(short.is_ok(), "{short:?}");
}

#[test]
fn wide_rows_cost_the_pages_that_are_gone_through() {
    /// Makes rows with `bytes` bytes before a number, after one, and as the key of a table without
    /// rowid.
    fn rows_of(bytes: usize, rows: usize) -> HostDatabase {
        let db = HostDatabase::new();
        session::start(&db, 0).unwrap();
        db.script(&format!(
            "CREATE TABLE before (id INTEGER PRIMARY KEY, big TEXT, k INTEGER);
             CREATE TABLE behind (id INTEGER PRIMARY KEY, k INTEGER, big TEXT);
             CREATE TABLE keyed (k INTEGER PRIMARY KEY, big TEXT) WITHOUT ROWID;
             CREATE TABLE child (id INTEGER PRIMARY KEY, big TEXT, p INTEGER REFERENCES parent (id) ON DELETE CASCADE);
             CREATE TABLE parent (id INTEGER PRIMARY KEY, n INTEGER);
             CREATE TABLE self (id INTEGER PRIMARY KEY, big TEXT, p INTEGER REFERENCES self (id) DEFERRABLE INITIALLY DEFERRED);
             CREATE TABLE keys (id INTEGER PRIMARY KEY, k INTEGER);
             WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT {rows})
                 INSERT INTO before SELECT i, replace(hex(zeroblob({bytes} / 2)), '0', 'x'), i FROM r;
             INSERT INTO behind SELECT id, k, big FROM before;
             INSERT INTO keyed SELECT k, big FROM before;
             WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 3000)
                 INSERT INTO keys SELECT i, i % 400 FROM r;
             INSERT INTO parent SELECT id, id FROM keys;
             INSERT INTO child SELECT id, big, k FROM before;
             INSERT INTO self SELECT id, big, k FROM before;"
        ));
        db
    }
    // The limit is so high that the instructions are within it, and so low that lengths are
    // measured.
    let work = |db: &HostDatabase, text: &str| {
        let policy = Policy {
            max_query_work: 2_000_000_000,
            ..Policy::default()
        };
        let bound = sql_gate::review(text, &policy).and_then(|one| one.bind(&Parameters::None));
        let estimate = sql_cost::estimate_within(db, &bound.unwrap(), &policy, &Counts::default());
        estimate.unwrap().work
    };
    let (narrow, wide, page) = (rows_of(20, 400), rows_of(40_000, 400), rows_of(3_500, 800));
    // The additional work over narrow rows, in bytes that are passed over: a multiple of all rows
    // of a table, or of one page for each of some rows.
    let all = 400.0 * 40_000.0;
    for (text, passed, of_pages) in [
        (
            "SELECT count(*) FROM keys CROSS JOIN before ON before.k + 1 < keys.k",
            3_000.0 * all,
            true,
        ),
        (
            "SELECT count(*) FROM keys CROSS JOIN behind ON behind.k + 1 < keys.k",
            0.0,
            true,
        ),
        (
            "SELECT sum(before.k) FROM keys CROSS JOIN before ON before.id = keys.k",
            3_000.0 / 400.0 * all,
            false,
        ),
        (
            "SELECT count(*) FROM keys CROSS JOIN keyed ON keyed.k = keys.k",
            3_000.0 / 400.0 * all,
            false,
        ),
        ("DELETE FROM parent WHERE n > 400", 2_600.0 * all, true),
        ("DELETE FROM self", 400.0 * all, false),
        (
            "SELECT count(*) FROM keys WHERE NOT EXISTS (SELECT 1 FROM before NOT INDEXED WHERE before.k = keys.k + 1000)",
            3_000.0 * all,
            true,
        ),
    ] {
        let few = work(&narrow, text) as f64;
        let many = work(&wide, text) as f64;
        // A byte takes 0.17 ns.
        let least = few + passed * 0.017;
        assert!(many >= least, "{many} < {least}: {text}");
        if of_pages {
            // A page takes 1.2 µs.
            let pages = work(&page, text) as f64;
            assert!(
                pages >= few + passed / all * 800.0 * 100.0,
                "{pages}: {text}"
            );
        }
    }
}
