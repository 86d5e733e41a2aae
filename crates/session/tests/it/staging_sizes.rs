//! Results that are large, deep or wide.

use serde_json::{Value, json};
use session::staging::ResultOrigin;

use super::database;
use super::staging::{SEARCH, stage_with, staged};

#[test]
fn what_nests_too_deep_stays_json() {
    let deep = "{\"a\":".repeat(100) + "1" + &"}".repeat(100);
    let db = database();
    let receipt = staged(&db, &format!("[{deep},{{\"b\":1}}]"));
    assert_eq!(receipt["tables"].as_array().unwrap().len(), 1);
    let rows = db.dump_rows("SELECT * FROM pubs_search WHERE row_id = 1");
    assert!(rows[0].contains("{\"a\":{\"a\":"), "{rows:?}");
    // Deeper than any parser recurses.
    let deepest = format!("[{{\"x\":{}}}]", "[".repeat(100_000) + &"]".repeat(100_000));
    staged(&db, &deepest);
    assert_eq!(
        db.dump_rows("SELECT length(x) FROM pubs_search"),
        ["200000"]
    );
}

/// Returns a record with objects `o0`, `o1`, …, each with `keys` keys.
fn wide(objects: usize, keys: usize) -> String {
    let object = |number: usize| {
        let keys: Vec<String> = (0..keys).map(|key| format!("\"k{key}\":{key}")).collect();
        format!("\"o{number}\":{{{}}}", keys.join(","))
    };
    let objects: Vec<String> = (0..objects).map(object).collect();
    format!("{{\"id\":1,{}}}", objects.join(","))
}

#[test]
fn objects_with_too_many_keys_become_json() {
    let db = database();
    let receipt = staged(&db, &format!("[{}]", wide(3, 40)));
    let columns = receipt["tables"][0]["columns"].as_array().unwrap().len();
    assert_eq!(columns, 1 + 1 + 2 * 40 + 1);
    let folded: Vec<&Value> = receipt["tables"][0]["columns"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|column| ["o0", "o1", "o2"].contains(&column["name"].as_str().unwrap()))
        .collect();
    assert_eq!(folded.len(), 1);
    let name = folded[0]["name"].as_str().unwrap();
    assert_eq!(
        db.dump_rows(&format!("SELECT {name} ->> 'k39' FROM pubs_search")),
        ["39"]
    );
}

#[test]
fn keys_beyond_the_columns_of_a_table_share_one() {
    for keys in [96, 97, 150, 200, 201, 1_000] {
        let db = database();
        let record: Vec<String> = (0..keys).map(|key| format!("\"k{key}\":{key}")).collect();
        let receipt = staged(&db, &format!("[{{{}}},{{\"k0\":\"x\"}}]", record.join(",")));
        let columns = receipt["tables"][0]["columns"].as_array().unwrap();
        assert!(columns.len() <= 100, "{keys}");
        let last = keys - 1;
        let found = if keys > 96 {
            assert_eq!(columns.last().unwrap()["name"], "other");
            format!("SELECT other ->> 'k{last}' FROM pubs_search")
        } else {
            format!("SELECT k{last} FROM pubs_search")
        };
        assert_eq!(
            db.dump_rows(&found),
            [last.to_string().as_str(), "NULL"],
            "{keys}"
        );
        assert_eq!(db.dump_rows("SELECT k0 FROM pubs_search"), ["'0'", "'x'"]);
    }
}

#[test]
fn lists_beyond_the_tables_of_an_answer_stay_json() {
    let db = database();
    let lists: Vec<String> = (0..30)
        .map(|list| format!("\"l{list}\":[{{\"x\":{list}}}]"))
        .collect();
    let receipt = staged(&db, &format!("[{{{}}}]", lists.join(",")));
    assert_eq!(receipt["tables"].as_array().unwrap().len(), 20);
    assert_eq!(db.dump_rows("SELECT x FROM pubs_search_l0"), ["0"]);
    assert_eq!(
        db.dump_rows("SELECT l29 ->> '$[0].x' FROM pubs_search"),
        ["29"]
    );
}

#[test]
fn values_longer_than_a_row_lie_in_pieces() {
    let db = database();
    let text = "é\"x".repeat(1_000_000);
    let data = json!([{ "id": 1, "short": "s", "text": text }, { "id": 2, "a": "a".repeat(1_500_000), "b": "b".repeat(1_500_000) }]);
    let receipt = staged(&db, &data.to_string());
    let hint = receipt["hint"].as_str().unwrap();
    assert!(hint.contains("pubs_search_parts"), "{hint}");
    assert_eq!(
        db.dump_rows("SELECT id, short, text IS NULL, length(a), length(b) FROM pubs_search"),
        ["1|'s'|1|NULL|NULL", "2|NULL|1|1500000|NULL"]
    );
    let pieces = "FROM pubs_search_parts WHERE parent_table = 'pubs_search' AND parent_row_id";
    let mut joined = String::new();
    let mut statement = db
        .connection()
        .prepare(&format!(
            "SELECT text {pieces} = 1 AND parent_column = 'text' ORDER BY part"
        ))
        .unwrap();
    let rows = statement
        .query_map([], |row| row.get::<_, String>(0))
        .unwrap();
    rows.for_each(|piece| joined.push_str(&piece.unwrap()));
    assert!(joined == text, "{} characters", joined.len());
    assert_eq!(
        db.dump_rows(&format!(
            "SELECT parent_column, sum(length(text)) {pieces} = 2 GROUP BY 1"
        )),
        ["'b'|1500000"]
    );
}

#[test]
fn a_row_nearly_as_long_as_the_engine_takes_is_one_row() {
    let db = database();
    let quotes = "\"".repeat(900_000);
    staged(
        &db,
        &json!([{ "id": 1 }, { "id": 2, "text": quotes, "list": ["\n".repeat(10)] }]).to_string(),
    );
    assert_eq!(
        db.dump_rows("SELECT id, length(text), list FROM pubs_search"),
        [
            "1|NULL|NULL".to_owned(),
            format!("2|900000|'{}'", json!(["\n".repeat(10)]))
        ]
    );
}

#[test]
fn a_long_text_is_rows_of_pieces() {
    let db = database();
    let text = "line of text\n".repeat(200_000);
    let receipt = staged(&db, &json!(text).to_string());
    assert_eq!(receipt["rows"], 3);
    assert_eq!(
        db.dump_rows("SELECT sum(length(value)) FROM pubs_search"),
        [text.len().to_string()]
    );
}

#[test]
fn many_records_keep_their_order_and_parents() {
    let db = database();
    let record = |id: usize| {
        let authors: Vec<Value> = (0..id % 4)
            .map(|n| json!({ "name": format!("{id}/{n}") }))
            .collect();
        json!({ "id": id, "authors": authors })
    };
    let records: Vec<Value> = (0..5_000).map(record).collect();
    let receipt = staged(
        &db,
        &json!({ "results": records, "total": 5_000 }).to_string(),
    );
    assert_eq!(receipt["rows"], 5_000 + 7_500 + 1);
    assert_eq!(
        db.dump_rows("SELECT count(*), sum(row_id = id + 1) FROM pubs_search"),
        ["5000|5000"]
    );
    assert_eq!(
        db.dump_rows(
            "SELECT count(*), sum(name GLOB p.id || '/*') FROM pubs_search_authors a JOIN pubs_search p ON p.row_id = a.parent_row_id"
        ),
        ["7500|7500"]
    );
}

#[test]
fn the_sample_of_wide_rows_is_short() {
    let db = database();
    let record: Vec<String> = (0..90)
        .map(|key| format!("\"k{key}\":\"{}\"", "é".repeat(10_000)))
        .collect();
    let blob = r#""b":{"$blob":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#;
    let receipt = staged(&db, &format!("[{{{},{blob}}}]", record.join(",")));
    let sample = &receipt["tables"][0]["sample"];
    assert_eq!(sample[0]["k0"], "é".repeat(20) + "…");
    assert_eq!(sample[0]["b"], "…36 bytes");
    assert!(sample.to_string().len() < 10_000);
}

#[test]
fn a_receipt_stays_small_whatever_the_answer() {
    let lists: Vec<String> = (0..20)
        .map(|list| {
            let keys: Vec<String> = (0..90)
                .map(|key| format!("\"a_long_key_{key}\":\"value {key}\""))
                .collect();
            format!("\"list{list}\":[{{{}}}]", keys.join(","))
        })
        .collect();
    let answer = format!("{{{}}}", lists.join(","));
    let receipt = staged(&database(), &answer);
    let tables = receipt["tables"].as_array().unwrap();
    let bytes = receipt.to_string().len();
    assert!(bytes < 14_000, "{bytes}");
    assert_eq!(tables.len(), 20);
    let last = tables.last().unwrap();
    assert_eq!(last["columns"].as_array().unwrap().len(), 8);
    assert_eq!(last["moreColumns"], 91 - 8);
    assert_eq!(last["sample"], json!([]));
    assert!(
        receipt["hint"].as_str().unwrap().contains("describeTable"),
        "{receipt}"
    );
    // For a program nothing is left out, nor from a short reference.
    let long = ResultOrigin {
        brief: false,
        ..SEARCH
    };
    let whole = stage_with(&database(), &[], &long, &answer).unwrap();
    assert_eq!(whole["tables"][19]["columns"].as_array().unwrap().len(), 91);
    let small = staged(&database(), &format!("[{}]", wide(2, 40)));
    assert_eq!(small["tables"][0]["moreColumns"], Value::Null);
    assert_ne!(small["tables"][0]["sample"], Value::Null);
}

#[test]
fn a_text_that_goes_on_behind_a_nul_is_cut_in_a_sample() {
    let db = database();
    let text = format!("a\\u0000{}", "x".repeat(100_000));
    let receipt = staged(&db, &format!("[{{\"t\":\"{text}\"}}]"));
    let bytes = receipt.to_string().len();
    assert!(bytes < 2_000, "{bytes}");
    assert_eq!(
        db.dump_rows("SELECT octet_length(t) FROM pubs_search"),
        ["100002"]
    );
}

#[test]
fn bytes_longer_than_a_row_lie_in_pieces_of_bytes() {
    let db = database();
    let hex: String = (0..4_000_003_u32)
        .map(|at| format!("{:02x}", at.wrapping_mul(2_654_435_761) >> 24))
        .collect();
    let bytes: Vec<u8> = hex
        .as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect();
    let base64 = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, &bytes);
    let data = json!([{ "id": 1, "photo": { "$blob": base64 } }, { "id": 2, "photo": { "$blob": "AAE=" } }]);
    let reference = staged(&db, &data.to_string());
    assert!(
        reference["hint"]
            .as_str()
            .unwrap()
            .contains("pubs_search_parts")
    );
    assert_eq!(
        db.dump_rows("SELECT id, photo FROM pubs_search"),
        ["1|NULL", "2|x0001"]
    );
    let mut joined = Vec::new();
    let mut statement = db
        .connection()
        .prepare("SELECT text FROM pubs_search_parts WHERE parent_column = 'photo' ORDER BY part")
        .unwrap();
    let rows = statement
        .query_map([], |row| row.get::<_, Vec<u8>>(0))
        .unwrap();
    rows.for_each(|piece| joined.extend(piece.unwrap()));
    assert!(joined == bytes, "{} bytes", joined.len());
}
