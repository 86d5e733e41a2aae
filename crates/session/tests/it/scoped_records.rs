//! Records under a row scope: they lack the tenant's column, or have the scope's value in it.

use serde_json::{Value, json};
use session::Settings;
use session::{Session, dispatch};
use sql_scope::{Scope, ScopeValue};

use super::with;
use test_support::{HostDatabase, Stand, body};

/// Sends records under the scope. Returns the number of inserted rows, or the reason of the
/// refusal.
fn insert(db: &HostDatabase, value: &ScopeValue, records: &Value) -> Result<u64, String> {
    let settings = Settings::default();
    let stand = Stand::new(&settings).at(0).named("scoped");
    let scope = Scope::new("business_id", value.clone(), Vec::new()).unwrap();
    let session = Session {
        scope: Some(&scope),
        ..stand.session(db)
    };
    let sent = json!({"operation": "batchInsert", "table": "orders", "records": records});
    match dispatch(&session, &sent.to_string()) {
        Ok(answer) => Ok(body(&answer)["inserted"].as_u64().unwrap()),
        Err(error) => {
            let details = error.details();
            let reason = details.get("reason").and_then(Value::as_str);
            Err(reason.unwrap_or(error.code()).to_owned())
        }
    }
}

fn check(value: ScopeValue, records: &Value, expected: Result<&[&str], &str>) {
    let db = with("CREATE TABLE orders (id INTEGER PRIMARY KEY, business_id, note TEXT)");
    let outcome = insert(&db, &value, records);
    let rows = db.dump_rows("SELECT id, business_id, note FROM orders ORDER BY id");
    match expected {
        Ok(wanted) => {
            assert_eq!(outcome, Ok(wanted.len() as u64), "{records}");
            assert_eq!(rows, wanted, "{records}");
        }
        Err(reason) => {
            assert_eq!(outcome, Err(reason.to_owned()), "{records}");
            assert!(rows.is_empty(), "{records}: {rows:?}");
        }
    }
}

#[test]
fn the_value_of_the_scope_may_stand_in_records() {
    let text = || ScopeValue::Text("A".to_owned());
    check(
        text(),
        &json!([{"id": 1, "business_id": "A", "note": "n"}, {"id": 2}, {"Business_ID": "A", "id": 3, "note": null}]),
        Ok(&["1|'A'|'n'", "2|'A'|NULL", "3|'A'|NULL"]),
    );
    check(text(), &json!([{"business_id": "A"}]), Ok(&["1|'A'|NULL"]));
    let seven = || ScopeValue::Integer(7);
    check(
        seven(),
        &json!([{"id": 1, "business_id": 7}, {"id": 2, "business_id": "7"}]),
        Ok(&["1|7|NULL", "2|7|NULL"]),
    );
    // The value is longer than a bound value as JSON, but not in the row.
    let long = "\n".repeat(1_200_000);
    let db = with("CREATE TABLE orders (id INTEGER PRIMARY KEY, business_id, note TEXT)");
    let record = |owner: &str| json!([{"id": 1, "business_id": owner, "note": long}]);
    assert_eq!(
        insert(&db, &text(), &record("B")),
        Err("scope_column".to_owned())
    );
    assert_eq!(insert(&db, &text(), &record("A")), Ok(1));
    assert_eq!(
        db.dump_rows("SELECT business_id, length(note) FROM orders"),
        ["'A'|1200000"]
    );
}

#[test]
fn any_other_value_refuses_all_records() {
    for owner in [
        json!("B"),
        json!("a"),
        json!(null),
        json!(["A"]),
        json!({"$blob": "QQ=="}),
        json!(""),
        json!(true),
    ] {
        check(
            ScopeValue::Text("A".to_owned()),
            &json!([{"id": 1, "business_id": "A"}, {"id": 2, "business_id": owner}]),
            Err("scope_column"),
        );
    }
    for owner in [json!(8), json!(7.5), json!("seven"), json!(true)] {
        check(
            ScopeValue::Integer(7),
            &json!([{"id": 1, "business_id": owner}]),
            Err("scope_column"),
        );
    }
}
