//! The tables, columns and rows that a result becomes.

use base::Error;
use database::Database;
use serde_json::{Value, json};
use session::staging::{ResultOrigin, Threshold, stage, worth_staging};

use super::database;
use test_support::HostDatabase;

/// The origin that tests use by default.
pub const SEARCH: ResultOrigin<'static> = ResultOrigin {
    server: "pubs",
    tool: "search",
    arguments: r#"{"term":"TP53"}"#,
    mappings: None,
    name: None,
    brief: true,
};

/// Compares the document with the code: the example of `docs/staging.md` gives the tables and the
/// result reference in that document.
#[test]
fn staging_md_shows_what_happens() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/staging.md");
    let document = std::fs::read_to_string(path).unwrap();
    let blocks: Vec<&str> = document
        .split("```json\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
        .collect();
    let db = database();
    let receipt = staged(&db, blocks[0]);
    let id = receipt["dataAccessId"].as_str().unwrap();
    assert!(document.contains(&format!("\"{id}\"")), "{id}");
    let documented: Value = serde_json::from_str(blocks[1]).unwrap();
    assert_eq!(receipt, documented);

    for table in receipt["tables"].as_array().unwrap() {
        let name = table["name"].as_str().unwrap();
        let heading = format!("\n`{name}`\n\n");
        let shown = document
            .split_once(&heading)
            .unwrap_or_else(|| panic!("{name} is shown"))
            .1;
        let rows: Vec<String> = shown
            .lines()
            .take_while(|line| line.starts_with('|'))
            .map(|line| {
                line.trim_matches('|')
                    .split(" | ")
                    .map(str::trim)
                    .collect::<Vec<_>>()
                    .join("|")
            })
            .collect();
        let columns: Vec<&str> = rows[0].split('|').collect();
        let in_receipt: Vec<&str> = table["columns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|column| column["name"].as_str().unwrap())
            .collect();
        assert_eq!(columns, in_receipt);
        assert_eq!(
            rows[2..],
            db.dump_rows(&format!("SELECT * FROM {name}")),
            "{name}"
        );
    }
}

/// Stages a result with the test's own settings.
pub fn stage_with<D: Database>(
    db: &D,
    settings: &[(&str, &str)],
    source: &ResultOrigin<'_>,
    data: &str,
) -> Result<Value, Error> {
    let settings = super::settings(settings);
    let stand = test_support::Stand::new(&settings);
    let session = stand.session(db);
    stage(&session, source, data).map(Value::Object)
}

/// Stages a result of [`SEARCH`].
pub fn staged(db: &HostDatabase, data: &str) -> Value {
    stage_with(db, &[], &SEARCH, data).unwrap_or_else(|error| panic!("{error}: {data:.300}"))
}

/// Returns `table(column TYPE, …)` for each table of a result reference.
fn tables(receipt: &Value) -> Vec<String> {
    let column = |column: &Value| {
        format!(
            "{} {}",
            column["name"].as_str().unwrap(),
            column["type"].as_str().unwrap()
        )
    };
    let table = |table: &Value| {
        let columns: Vec<String> = table["columns"]
            .as_array()
            .unwrap()
            .iter()
            .map(column)
            .collect();
        format!(
            "{}({})",
            table["name"].as_str().unwrap(),
            columns.join(", ")
        )
    };
    receipt["tables"]
        .as_array()
        .unwrap()
        .iter()
        .map(table)
        .collect()
}

/// Stages a result, and compares the tables and their rows.
fn check(data: &str, expected: &[(&str, &[&str])]) {
    let db = database();
    let receipt = staged(&db, data);
    let headings: Vec<&str> = expected.iter().map(|(heading, _)| *heading).collect();
    assert_eq!(tables(&receipt), headings, "{data:.300}");
    for (heading, rows) in expected {
        let name = heading.split('(').next().unwrap();
        let found = db.dump_rows(&format!("SELECT * FROM {name} ORDER BY row_id"));
        assert_eq!(found, *rows, "{name} of {data:.300}");
        let table = receipt["tables"]
            .as_array()
            .unwrap()
            .iter()
            .find(|table| table["name"] == name);
        assert_eq!(table.unwrap()["rows"], rows.len(), "{name} of {data:.300}");
    }
}

#[test]
fn a_list_of_records_is_a_table() {
    check(
        r#"[{"pmid":1,"title":"A","score":0.5,"open":true},{"pmid":2,"title":null,"year":2024}]"#,
        &[(
            "pubs_search(row_id INTEGER, pmid INTEGER, title TEXT, score REAL, open INTEGER, year INTEGER)",
            &["1|1|'A'|0.5|1|NULL", "2|2|NULL|NULL|NULL|2024"],
        )],
    );
}

#[test]
fn a_list_in_an_envelope_is_a_table_and_the_rest_a_row() {
    check(
        r#"{"total":2,"nextCursor":"abc","results":[{"id":1},{"id":2}]}"#,
        &[
            ("pubs_search(row_id INTEGER, id INTEGER)", &["1|1", "2|2"]),
            (
                "pubs_search_info(row_id INTEGER, total INTEGER, nextCursor TEXT)",
                &["1|2|'abc'"],
            ),
        ],
    );
}

#[test]
fn a_list_whose_rest_only_says_how_to_go_on_is_the_main_table() {
    check(
        r#"{"count":1,"publications":[{"id":1}]}"#,
        &[
            ("pubs_search(row_id INTEGER, id INTEGER)", &["1|1"]),
            ("pubs_search_info(row_id INTEGER, count INTEGER)", &["1|1"]),
        ],
    );
}

#[test]
fn a_record_with_a_list_is_a_row_and_a_table() {
    check(
        r#"{"id":7,"symbol":"TP53","transcripts":[{"id":"a"},{"id":"b"}]}"#,
        &[
            (
                "pubs_search(row_id INTEGER, id INTEGER, symbol TEXT)",
                &["1|7|'TP53'"],
            ),
            (
                "pubs_search_transcripts(row_id INTEGER, id TEXT)",
                &["1|'a'", "2|'b'"],
            ),
        ],
    );
}

#[test]
fn several_lists_are_several_tables() {
    check(
        r#"{"data":{"genes":[{"id":1}],"diseases":[{"name":"x"}]}}"#,
        &[
            ("pubs_search_genes(row_id INTEGER, id INTEGER)", &["1|1"]),
            (
                "pubs_search_diseases(row_id INTEGER, name TEXT)",
                &["1|'x'"],
            ),
        ],
    );
}

#[test]
fn the_envelopes_of_graphql_are_taken_off() {
    check(
        r#"{"data":{"search":{"pageInfo":{"hasNextPage":true,"endCursor":"e"},"edges":[{"cursor":"c","node":{"id":1,"authors":{"edges":[{"node":{"name":"A"}},{"node":{"name":"B"}}]}}}]}}}"#,
        &[
            (
                "pubs_search(row_id INTEGER, cursor TEXT, id INTEGER)",
                &["1|'c'|1"],
            ),
            (
                "pubs_search_info(row_id INTEGER, pageInfo_hasNextPage INTEGER, pageInfo_endCursor TEXT)",
                &["1|1|'e'"],
            ),
            (
                "pubs_search_authors(row_id INTEGER, parent_row_id INTEGER, name TEXT)",
                &["1|1|'A'", "2|1|'B'"],
            ),
        ],
    );
    check(
        r#"{"data":{"target":{"sym":"EGFR","fam":null}},"errors":[{"message":"m","path":["target","fam"]}]}"#,
        &[
            (
                "pubs_search(row_id INTEGER, sym TEXT, fam TEXT)",
                &["1|'EGFR'|NULL"],
            ),
            (
                "pubs_search_errors(row_id INTEGER, message TEXT, path TEXT)",
                &[r#"1|'m'|'["target","fam"]'"#],
            ),
        ],
    );
}

#[test]
fn a_node_beside_other_keys_keeps_its_name() {
    check(
        r#"[{"id":1,"score":2,"node":{"score":3}},{"id":4,"node":{"x":5}}]"#,
        &[(
            "pubs_search(row_id INTEGER, id INTEGER, score INTEGER, node_score INTEGER, node_x INTEGER)",
            &["1|1|2|3|NULL", "2|4|NULL|NULL|5"],
        )],
    );
}

#[test]
fn an_object_of_like_records_is_a_table_with_their_keys() {
    check(
        r#"{"header":{"type":"esummary"},"result":{"uids":["11","12","13"],"11":{"uid":"11","key":"k"},"12":{"uid":"12"},"13":{"uid":"13"}}}"#,
        &[
            (
                "pubs_search(row_id INTEGER, key TEXT, uid TEXT, key_2 TEXT)",
                &["1|'11'|'11'|'k'", "2|'12'|'12'|NULL", "3|'13'|'13'|NULL"],
            ),
            (
                "pubs_search_info(row_id INTEGER, header_type TEXT, result_uids TEXT)",
                &[r#"1|'esummary'|'["11","12","13"]'"#],
            ),
        ],
    );
}

#[test]
fn nested_objects_are_columns_and_lists_of_records_child_tables() {
    check(
        r#"[{"id":1,"journal":{"name":"J","issn":{"print":"p"}},"authors":[{"name":"A","aff":[{"org":"O"}]},{"name":"B"}],"mesh":["x","y"]},
            {"id":2,"journal":{},"authors":[],"mesh":[]},
            {"id":3,"journal":null,"authors":null}]"#,
        &[
            (
                "pubs_search(row_id INTEGER, id INTEGER, journal_name TEXT, journal_issn_print TEXT, mesh TEXT)",
                &[
                    r#"1|1|'J'|'p'|'["x","y"]'"#,
                    "2|2|NULL|NULL|'[]'",
                    "3|3|NULL|NULL|NULL",
                ],
            ),
            (
                "pubs_search_authors(row_id INTEGER, parent_row_id INTEGER, name TEXT)",
                &["1|1|'A'", "2|1|'B'"],
            ),
            (
                "pubs_search_authors_aff(row_id INTEGER, parent_row_id INTEGER, org TEXT)",
                &["1|1|'O'"],
            ),
        ],
    );
}

#[test]
fn mixed_lists_and_places_lose_nothing() {
    check(
        r#"[{"a":1},5,null,"x",[1,2],{"a":{"b":2}},{"a":[{"c":3},4]},{"a":[5]},{"a":"t"},{}]"#,
        &[
            (
                "pubs_search(row_id INTEGER, value TEXT, a TEXT, a_b INTEGER)",
                &[
                    "1|NULL|'1'|NULL",
                    "2|'5'|NULL|NULL",
                    "3|NULL|NULL|NULL",
                    "4|'x'|NULL|NULL",
                    "5|'[1,2]'|NULL|NULL",
                    "6|NULL|NULL|2",
                    "7|NULL|NULL|NULL",
                    "8|NULL|'[5]'|NULL",
                    "9|NULL|'t'|NULL",
                    "10|NULL|NULL|NULL",
                ],
            ),
            (
                "pubs_search_a(row_id INTEGER, parent_row_id INTEGER, value INTEGER, c INTEGER)",
                &["1|7|NULL|3", "2|7|4|NULL"],
            ),
        ],
    );
}

#[test]
fn answers_without_records_are_tables_too() {
    check(
        "[3,\"x\",null,[1]]",
        &[(
            "pubs_search(row_id INTEGER, value TEXT)",
            &["1|'3'", "2|'x'", "3|NULL", "4|'[1]'"],
        )],
    );
    check("[]", &[("pubs_search(row_id INTEGER, value TEXT)", &[])]);
    check(
        "[{}]",
        &[("pubs_search(row_id INTEGER, value TEXT)", &["1|'{}'"])],
    );
    check(
        "{}",
        &[("pubs_search(row_id INTEGER, value TEXT)", &["1|'{}'"])],
    );
    check(
        "null",
        &[("pubs_search(row_id INTEGER, value TEXT)", &["1|NULL"])],
    );
    check(
        "12",
        &[("pubs_search(row_id INTEGER, value INTEGER)", &["1|12"])],
    );
    check(
        "\"text\"",
        &[("pubs_search(row_id INTEGER, value TEXT)", &["1|'text'"])],
    );
    check(
        r#"{"a":1,"b":{"c":"x"}}"#,
        &[(
            "pubs_search(row_id INTEGER, a INTEGER, b_c TEXT)",
            &["1|1|'x'"],
        )],
    );
}

#[test]
fn numbers_and_texts_keep_their_values() {
    check(
        r#"[{"i":9223372036854775807,"j":9007199254740993,"r":0.1,"m":9007199254740993,"u":18446744073709551616,"t":"ünï 🙂 \u0041\n","h":"\ud800","x":1e400},
            {"i":-9223372036854775808,"j":1,"r":2,"m":0.5,"u":1,"t":"","h":"ok","x":1}]"#,
        &[(
            "pubs_search(row_id INTEGER, i INTEGER, j INTEGER, r REAL, m NUMERIC, u TEXT, t TEXT, h TEXT, x TEXT)",
            &[
                "1|9223372036854775807|9007199254740993|0.1|9007199254740993|'18446744073709551616'|'ünï 🙂 A\n'|'\"\\ud800\"'|'1e400'",
                "2|-9223372036854775808|1|2.0|0.5|'1'|''|'ok'|'1'",
            ],
        )],
    );
}

#[test]
fn blobs_and_infinities_are_values() {
    check(
        r#"[{"b":{"$blob":"AAH/"},"r":{"$real":"-Infinity"},"n":{"$blob":"?"},"o":{"$blob":"AA==","x":1}}]"#,
        &[(
            "pubs_search(row_id INTEGER, b BLOB, r REAL, n TEXT, o_blob TEXT, o_x INTEGER)",
            &[r#"1|x0001ff|-inf|'{"$blob":"?"}'|'AA=='|1"#],
        )],
    );
}

#[test]
fn of_two_equal_keys_the_last_counts() {
    check(
        r#"[{"a":1,"b":{"x":1},"c":[{"y":1}],"a":2,"b":{"z":3},"c":[{"y":2}]},{"a":3}]"#,
        &[
            (
                "pubs_search(row_id INTEGER, a INTEGER, b_x INTEGER, b_z INTEGER)",
                &["1|2|NULL|3", "2|3|NULL|NULL"],
            ),
            (
                "pubs_search_c(row_id INTEGER, parent_row_id INTEGER, y INTEGER)",
                &["1|1|2"],
            ),
        ],
    );
}

#[test]
fn of_two_equal_keys_of_wide_records_and_of_rows_the_last_counts() {
    let db = database();
    let keys: Vec<String> = (0..300).map(|key| format!("\"k{key}\":{key}")).collect();
    staged(&db, &format!("[{{{},\"k0\":\"last\"}}]", keys.join(",")));
    assert_eq!(
        db.dump_rows("SELECT k0, other ->> 'k299' FROM pubs_search"),
        ["'last'|299"]
    );
    check(
        r#"{"1":{"a":1},"2":{"a":2},"3":{"a":3},"x":1,"1":{"a":4},"x":2}"#,
        &[
            (
                "pubs_search(row_id INTEGER, key TEXT, a INTEGER)",
                &["1|'2'|2", "2|'3'|3", "3|'1'|4"],
            ),
            ("pubs_search_info(row_id INTEGER, x INTEGER)", &["1|2"]),
        ],
    );
}

#[test]
fn names_are_valid_and_stand_once() {
    check(
        r#"[{"row_id":"own","id":1,"ID":2,"first name":"a","order":3,"1st":4,"@type":"t","":5,"a":{"b":6},"a_b":7,"year":8}]"#,
        &[(
            "pubs_search(row_id INTEGER, row_id_2 TEXT, id INTEGER, ID_2 INTEGER, first_name TEXT, order_ INTEGER, _1st INTEGER, type TEXT, value INTEGER, a_b_2 INTEGER, a_b INTEGER, year INTEGER)",
            &["1|'own'|1|2|'a'|3|4|'t'|5|6|7|8"],
        )],
    );
}

/// <https://sqlite.org/lang_keywords.html>
const KEYWORDS: &str = "abort action add after all alter always analyze and as asc attach autoincrement before begin between by cascade case cast check collate column commit conflict constraint create cross current current_date current_time current_timestamp database default deferrable deferred delete desc detach distinct do drop each else end escape except exclude exclusive exists explain fail filter first following for foreign from full generated glob group groups having if ignore immediate in index indexed initially inner insert instead intersect into is isnull join key last left like limit match materialized natural no not nothing notnull null nulls of offset on or order others outer over partition plan pragma preceding primary query raise range recursive references regexp reindex release rename replace restrict returning right rollback row rows savepoint select set table temp temporary then ties to transaction trigger unbounded union unique update using vacuum values view virtual when where window with within without true false";

#[test]
fn no_keyword_needs_quotes_as_a_column_or_table() {
    for word in KEYWORDS.split(' ') {
        let db = database();
        let source = ResultOrigin {
            name: Some(word),
            ..SEARCH
        };
        let data = format!(r#"[{{"{word}":"kept"}}]"#);
        let receipt = stage_with(&db, &[], &source, &data).unwrap();
        let table = receipt["tables"][0]["name"].as_str().unwrap();
        let column = receipt["tables"][0]["columns"][1]["name"].as_str().unwrap();
        let rows = db.dump_rows(&format!(
            "SELECT {column} FROM {table} WHERE {column} = 'kept'"
        ));
        assert_eq!(rows, ["'kept'"], "{word}: {column} of {table}");
    }
}

#[test]
fn a_receipt_says_what_is_where() {
    let db = database();
    let data = json!({ "total": 5, "results": (0..5).map(|id| json!({ "id": id, "text": "x".repeat(500), "tags": [{ "t": id }] })).collect::<Vec<_>>() });
    let receipt = staged(&db, &data.to_string());
    assert_eq!(receipt["staged"], true);
    let id = receipt["dataAccessId"].as_str().unwrap();
    assert!(
        id.starts_with("pubs_search_") && id.len() == "pubs_search_".len() + 8,
        "{id}"
    );
    assert_eq!(receipt["rows"], 11);
    let main = &receipt["tables"][0];
    assert_eq!(main["name"], "pubs_search");
    assert_eq!(main["rows"], 5);
    assert_eq!(main["sample"].as_array().unwrap().len(), 3);
    assert_eq!(main["sample"][1]["id"], 1);
    assert_eq!(
        main["sample"][1]["text"].as_str().unwrap().chars().count(),
        201
    );
    let tags = receipt["tables"]
        .as_array()
        .unwrap()
        .iter()
        .find(|table| table["name"] == "pubs_search_tags");
    assert_eq!(tags.unwrap()["parent"], "pubs_search");
    let hint = receipt["hint"].as_str().unwrap();
    assert!(
        hint.contains(r#"{"operation":"query"}"#) && hint.contains("parent_row_id"),
        "{hint}"
    );
}

#[test]
fn an_answer_is_worth_staging_beyond_either_threshold() {
    let threshold = Threshold {
        bytes: 1_000,
        records: 3,
    };
    let worth = |data: &str| worth_staging(data, &threshold);
    assert!(!worth(r#"[{"a":1},{"a":2},{"a":3}]"#));
    assert!(worth(r#"[{"a":1},{"a":2},{"a":3},{"a":4}]"#));
    assert!(worth(r#"{"x":{"y":[{"z":[{},{},{},{}]}]}}"#));
    assert!(!worth(r#"{"a":{},"b":{},"c":{},"d":{},"e":{}}"#));
    assert!(!worth("[1,2,3,4,5,6]"));
    assert!(!worth(r#"["[{},{},{},{}]","\"{",{}]"#));
    assert!(worth(&json!("x".repeat(1_000)).to_string()));
    assert!(!worth("]]}}"));
    assert!(!worth(&"[".repeat(1_000)));
}

#[test]
fn text_that_is_no_json_is_refused() {
    for data in ["", "{", "[1,]", "{\"a\":1}}", "nul", "'x'"] {
        let error = stage_with(&database(), &[], &SEARCH, data).unwrap_err();
        assert_eq!(error.code(), "INVALID_BODY", "{data}");
    }
}
