//! All or nothing: a failure at any statement of a load leaves no row, no table and no staged
//! chunk.

use session::Settings;
use session::bulk::{Destination, Format};
use session::start;

use super::{NOW_MS, load_pieces, operation, request};
use test_support::{Fault, FaultyDatabase, HostDatabase};

fn faulty() -> FaultyDatabase {
    let db = FaultyDatabase::new(HostDatabase::new());
    start(&db, NOW_MS).unwrap();
    db.inner
        .script("CREATE TABLE t (n INTEGER PRIMARY KEY, pad TEXT DEFAULT 'd')");
    db
}

/// Returns everything that a load may change.
fn traces(db: &FaultyDatabase) -> Vec<String> {
    db.inner.dump_rows(
        "SELECT (SELECT count(*) FROM t), (SELECT count(*) FROM sqlite_schema WHERE name = 'new'), (SELECT count(*) FROM _codemode_stage), (SELECT count(*) FROM execution_logs)",
    )
}

/// Makes `run` fail at its first, second, … statement until it succeeds. Returns the number of
/// statements.
fn fail_everywhere(run: impl Fn(&FaultyDatabase) -> bool) -> u64 {
    for statements in 0..1_000 {
        let mut succeeded = false;
        for fault in [Fault::BeforeApplying, Fault::AfterApplying] {
            let mut db = faulty();
            db.fail_after(statements, fault);
            succeeded = run(&db);
            if !succeeded {
                // Only the deletion of staged chunks may fail silently, because the next start
                // repeats it.
                start(&db, NOW_MS).unwrap();
                assert_eq!(
                    traces(&db),
                    ["0|0|0|0"],
                    "{fault:?} at statement {statements}"
                );
                assert!(run(&db), "the same load succeeds afterwards");
            }
        }
        if succeeded {
            return statements;
        }
    }
    panic!("the load never succeeds");
}

#[test]
fn a_batch_that_fails_anywhere_leaves_nothing() {
    let records: Vec<String> = (0..2_500)
        .map(|number| format!("{{\"n\":{number}}}"))
        .collect();
    let body = format!(
        r#"{{"operation":"batchInsert","table":"t","records":[{}]}}"#,
        records.join(",")
    );
    let statements = fail_everywhere(|db| operation(db, &body).is_ok());
    assert!(statements > 6, "{statements}");
}

#[test]
fn a_load_that_fails_anywhere_leaves_nothing() {
    let body: String = (0..2_500)
        .map(|number| format!("{{\"n\":{number}}}\n"))
        .collect();
    let statements = fail_everywhere(|db| {
        load_pieces(
            db,
            request("t", Format::Json, Destination::Existing),
            body.as_bytes(),
            4_096,
        )
        .is_ok()
    });
    assert!(statements > 6, "{statements}");
}

#[test]
fn a_load_into_a_new_table_that_fails_anywhere_leaves_nothing() {
    let body: String = "n,pad\n".to_owned()
        + &(0..2_500)
            .map(|number| format!("{number},x\n"))
            .collect::<String>();
    let statements = fail_everywhere(|db| {
        load_pieces(
            db,
            request("new", Format::Csv, Destination::Create),
            body.as_bytes(),
            4_096,
        )
        .is_ok()
    });
    assert!(statements > 6, "{statements}");
}

#[test]
fn a_staged_load_that_fails_anywhere_leaves_nothing() {
    let pad = "x".repeat(1_450_000);
    let body: String = (0..6)
        .map(|number| format!("{{\"n\":{number},\"pad\":\"{pad}\"}}\n"))
        .collect();
    let statements = fail_everywhere(|db| {
        load_pieces(
            db,
            request("t", Format::Json, Destination::Existing),
            body.as_bytes(),
            1 << 20,
        )
        .is_ok()
    });
    assert!(statements > 15, "{statements}");
}

#[test]
fn a_staged_load_with_one_bad_record_leaves_nothing() {
    let pad = "x".repeat(100_000);
    let mut body: String = (0..120)
        .map(|number| format!("{{\"n\":{number},\"pad\":\"{pad}\"}}\n"))
        .collect();
    for bad in [
        "{\"n\":5}\n",
        "{\"n\":tru}\n",
        "{\"m\":5}\n",
        "{\"n\":\"x\"}\n",
        "\u{0}",
    ] {
        let db = faulty();
        let before = body.len();
        body.push_str(bad);
        assert!(
            load_pieces(
                &db,
                request("t", Format::Json, Destination::Existing),
                body.as_bytes(),
                65_536
            )
            .is_err(),
            "{bad}"
        );
        assert_eq!(traces(&db), ["0|0|0|0"], "{bad}");
        body.truncate(before);
    }
}

#[test]
fn a_dropped_load_leaves_nothing() {
    let db = faulty();
    let settings = Settings::default();
    let stand = test_support::Stand::new(&settings).named("n");
    let session = stand.session(&db);
    let mut load =
        session::bulk::Load::new(session, request("t", Format::Json, Destination::Existing))
            .unwrap();
    let line = format!("{{\"n\":1,\"pad\":\"{}\"}}\n", "x".repeat(1_000_000));
    (0..12).for_each(|_| load.feed(line.as_bytes()).unwrap());
    assert_ne!(traces(&db), ["0|0|0|0"]);
    drop(load);
    assert_eq!(traces(&db), ["0|0|0|0"]);
}
