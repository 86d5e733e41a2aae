//! Definitions that change between an approval and its run.

use super::*;

/// Returns the stored name of a table of acme.
pub(super) fn stored(name: &str) -> String {
    format!("\"~61636d65~{name}\"")
}

pub(super) const DELETE: &str = "DELETE FROM orders WHERE id = 1";
pub(super) const COUNTRIES: &str = "INSERT INTO countries SELECT note, note FROM orders";

/// A statement, a change of the stored definitions before it runs, and whether that makes it fail;
/// `{name}` is a stored name.
pub(super) const CHANGES: &[(&str, &str, bool)] = &[
    (DELETE, "ALTER TABLE {orders} ADD COLUMN extra", true),
    (DELETE, "CREATE INDEX {late} ON {orders} (note)", true),
    (
        DELETE,
        "CREATE TABLE {kept} (o REFERENCES {orders} ON DELETE CASCADE)",
        true,
    ),
    (
        DELETE,
        "CREATE TABLE elsewhere (o REFERENCES {orders} ON DELETE CASCADE)",
        true,
    ),
    (
        DELETE,
        "CREATE TRIGGER late AFTER DELETE ON {orders} BEGIN DELETE FROM {secrets}; END",
        true,
    ),
    (DELETE, "ALTER TABLE {countries} ADD COLUMN extra", true),
    (
        DELETE,
        "DROP TABLE {orders}; CREATE TABLE {orders} (id INTEGER PRIMARY KEY, business_id TEXT, country TEXT, amount REAL DEFAULT 7, note TEXT)",
        true,
    ),
    (
        COUNTRIES,
        "ALTER TABLE {orders} RENAME COLUMN amount TO sum",
        true,
    ),
    (
        COUNTRIES,
        "CREATE UNIQUE INDEX {late} ON {countries} (name)",
        true,
    ),
    (DELETE, "CREATE TABLE {unrelated} (a)", false),
    (DELETE, "ALTER TABLE {secrets} ADD COLUMN extra", false),
    (
        DELETE,
        "INSERT INTO {countries} VALUES ('it', 'Italy')",
        false,
    ),
    (
        DELETE,
        "CREATE TABLE \"~7a657461~kept\" (o REFERENCES \"~7a657461~orders\" ON DELETE CASCADE)",
        false,
    ),
    (
        "SELECT count(*) FROM orders",
        "CREATE INDEX {late} ON {orders} (note)",
        true,
    ),
    (
        "SELECT count(*) FROM orders",
        "CREATE TABLE {kept} (o REFERENCES {orders})",
        false,
    ),
];

pub(super) fn script(template: &str) -> String {
    let names = [
        "orders",
        "countries",
        "secrets",
        "kept",
        "late",
        "unrelated",
    ];
    names.iter().fold(template.to_owned(), |text, name| {
        text.replace(&format!("{{{name}}}"), &stored(name))
    })
}

/// Returns a request without a scope, under which every table may be written.
pub(super) fn unscoped_run(remote: &HostRemote, sql: &str) -> Value {
    let shown = ask(remote, "acme", &json!({"do": "preview", "sql": sql})).unwrap();
    json!({"do": "run", "approvalId": "a1", "sha256": shown["sha256"], "sql": sql, "maxRows": 10, "keepUndoBytes": 0})
}

pub(super) fn dump(remote: &HostRemote) -> Vec<String> {
    let tables = ["orders", "countries", "secrets"];
    let dumped = tables
        .iter()
        .map(|table| format!("SELECT * FROM {}", stored(table)));
    dumped.flat_map(|text| remote.db.dump_rows(&text)).collect()
}

#[test]
pub(super) fn a_definition_that_changes_meanwhile_is_refused() {
    for (sql, change, is_refused) in CHANGES {
        let remote = shop();
        let request = unscoped_run(&remote, sql);
        remote.db.script(&script(change));
        let before = dump(&remote);
        match ask(&remote, "acme", &request) {
            Err(error) => {
                assert_eq!(
                    (error.code(), *is_refused),
                    ("STATEMENT_CHANGED", true),
                    "{change}"
                );
                assert_eq!(dump(&remote), before, "{change}");
            }
            Ok(done) => assert!(!is_refused, "{sql} after {change}: {done}"),
        }
    }
}

#[test]
pub(super) fn a_definition_that_changes_while_a_statement_is_on_its_way_is_refused_too() {
    for (sql, change, is_refused) in CHANGES {
        let mut ends = Vec::new();
        // Before each batch of the run; the last one has the statement itself.
        for batch in 0..12 {
            let remote = shop();
            let request = unscoped_run(&remote, sql);
            remote.meanwhile_after(batch, &script(change));
            let done = ask(&remote, "acme", &request);
            let happened = remote.meanwhile.borrow().is_none();
            match done {
                Err(error) => {
                    assert!(
                        happened && *is_refused,
                        "{sql}, {change}, {batch}: {error:?}"
                    );
                    assert_eq!(
                        error.code(),
                        "STATEMENT_CHANGED",
                        "{sql}, {change}, {batch}"
                    );
                    ends.push(false);
                }
                Ok(_) => {
                    assert!(!happened || !is_refused, "{sql}, {change}, {batch}");
                    ends.push(true);
                }
            }
        }
        // With the last numbers no change happens any more, so every batch of the run was covered.
        assert!(ends.ends_with(&[true]), "{sql}, {change}: {ends:?}");
    }
}
