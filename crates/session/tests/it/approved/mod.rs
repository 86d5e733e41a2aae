//! Approved statements: previews that change nothing, runs that happen once, undos that restore
//! every value.

mod bound;
mod crashes;
mod lookup;
mod preview;
mod random;
mod run;
mod schema;
mod undo;

use base::Error;
use database::Database;
use serde_json::{Value, json};
use session::Settings;
use session::approved::{Owner, Place, Request, serve};

use super::NOW_MS;
use test_support::{HostDatabase, Stand};

const OWNER: Owner<'static> = Owner {
    tenant: "acme",
    place: Place::Session("films"),
};

/// Returns the response to a request of the front Worker.
fn ask_at<D: Database>(db: &D, now_ms: u64, body: &Value) -> Result<Value, Error> {
    let settings = Settings::default();
    let stand = Stand::new(&settings).at(now_ms);
    let request = Request::parse(&body.to_string())?;
    let text = serve(&stand.session(db), OWNER, &request)?;
    Ok(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
}

fn ask<D: Database>(db: &D, body: &Value) -> Result<Value, Error> {
    ask_at(db, NOW_MS, body)
}

fn preview<D: Database>(db: &D, sql: &str) -> Value {
    ask(db, &json!({"do": "preview", "sql": sql})).unwrap_or_else(|error| panic!("{error}: {sql}"))
}

/// Returns a request to run the statement that was just previewed.
fn run_request<D: Database>(db: &D, approval_id: &str, sql: &str) -> Value {
    let sha256 = preview(db, sql)["sha256"].clone();
    json!({"do": "run", "approvalId": approval_id, "sha256": sha256, "sql": sql, "maxRows": 100, "keepUndoBytes": 1_000_000})
}

fn run<D: Database>(db: &D, approval_id: &str, sql: &str) -> Value {
    let request = run_request(db, approval_id, sql);
    ask(db, &request).unwrap_or_else(|error| panic!("{error}: {sql}"))
}

fn undo_request<D: Database>(db: &D, approval_id: &str, undo_id: &str) -> Value {
    let asked = json!({"do": "undoPreview", "approvalId": approval_id});
    let sha256 = ask(db, &asked).unwrap()["sha256"].clone();
    json!({"do": "undo", "approvalId": approval_id, "undoApprovalId": undo_id, "sha256": sha256})
}

/// Returns every value of every table with its type, and the schema. The counters of AUTOINCREMENT
/// and the product's own tables are not in it.
fn dump(db: &HostDatabase) -> Vec<String> {
    let mut lines = db.dump_rows(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE '\\_codemode%' ESCAPE '\\' ORDER BY name",
    );
    for table in tables(db) {
        if !table.starts_with("_codemode") && table != "sqlite_sequence" {
            lines.extend(rows_of(db, &table));
        }
    }
    lines
}

/// Returns the same with all tables and the page numbers of the schema, except the number that
/// identifies the database.
fn whole_dump(db: &HostDatabase) -> Vec<String> {
    let mut lines =
        db.dump_rows("SELECT rowid, type, name, tbl_name, rootpage, sql FROM sqlite_schema");
    for table in tables(db) {
        lines.extend(rows_of(db, &table));
    }
    lines.retain(|line| !line.starts_with("'identity'|"));
    lines
}

fn tables(db: &HostDatabase) -> Vec<String> {
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let quoted = db.dump_rows(names);
    quoted
        .iter()
        .map(|name| name.trim_matches('\'').to_owned())
        .collect()
}

fn rows_of(db: &HostDatabase, table: &str) -> Vec<String> {
    let quoted = format!("\"{}\"", table.replace('"', "\"\""));
    let with_rowid = format!("SELECT rowid AS r, * FROM {quoted}");
    let has_rowid = db.connection().prepare(&with_rowid).is_ok();
    let text = if has_rowid {
        with_rowid
    } else {
        format!("SELECT * FROM {quoted}")
    };
    let mut rows = db.dump_rows(&text);
    rows.sort();
    rows.insert(0, format!("-- {table}"));
    rows
}
