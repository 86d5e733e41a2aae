//! The stored thread: history, forks, messages, the audit, and storage that fails.

use agent::state::{Outcome, Step};
use agent::store::{GENESIS, Page, record_hash};
use serde_json::{Value, json};

use crate::world::{NOW_MS, Next, Stage, Told, preview, rows};
use test_support::HostDatabase;
use test_support::{Fault, FaultyDatabase};

fn answered() -> Stage {
    let stage = Stage::new()
        .writes([Next::Query("SELECT 1")])
        .tables_say([preview("read", "aa"), rows()]);
    stage.ask("films by genre", "q1");
    stage.decide("ann", "approved", &json!({})).unwrap();
    stage.work().unwrap();
    stage
}

const ALL: Page = Page {
    limit: 200,
    cursor: None,
};

#[test]
fn any_earlier_state_can_be_read() {
    let stage = answered();
    let history = stage.store().history(ALL).unwrap();
    let checkpoints = history["checkpoints"].as_array().unwrap();
    let next: Vec<&Value> = checkpoints
        .iter()
        .rev()
        .map(|checkpoint| &checkpoint["next"])
        .collect();
    assert_eq!(
        next,
        [
            &json!(["writeQuery"]),
            &json!(["writeQuery"]),
            &json!(["humanApproval"]),
            &json!(["executeQuery"]),
            &json!(["generateAnswer"]),
            &json!([])
        ]
    );
    let waiting = stage.store().state_at(3).unwrap();
    assert_eq!(waiting["pending"]["approvalId"], "approval-1");
    assert_eq!(waiting["values"]["messages"].as_array().unwrap().len(), 1);
    assert_eq!(waiting["parent"], 2);
    let error = stage.store().state_at(99).unwrap_err();
    assert_eq!(error.code(), "NO_SUCH_CHECKPOINT");
}

#[test]
fn pages_of_the_history_have_every_checkpoint_once() {
    let stage = answered();
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let page = stage.store().history(Page { limit: 2, cursor }).unwrap();
        seen.extend(
            page["checkpoints"]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| one["checkpoint"].as_u64().unwrap()),
        );
        match page["nextCursor"].as_str() {
            Some(next) => cursor = Some(next.parse().unwrap()),
            None => break,
        }
    }
    assert_eq!(seen, [6, 5, 4, 3, 2, 1]);
}

#[test]
fn a_fork_goes_on_from_an_earlier_checkpoint_with_its_messages_only() {
    let stage = answered();
    stage
        .writer
        .writes
        .borrow_mut()
        .push_back(Next::Reply("Second.", Outcome::NoQuery));
    stage.ask("second question", "q2");
    let head = stage.store().fork("talk", 6, "ann").unwrap();
    assert_eq!((head.step, head.branch), (Step::End, 2));
    stage
        .writer
        .writes
        .borrow_mut()
        .push_back(Next::Reply("Other.", Outcome::NoQuery));
    stage.ask("another second question", "q3");
    let state = stage.store().state(&stage.head()).unwrap();
    let said: Vec<&str> = state["values"]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["type"] == "human")
        .map(|message| message["content"].as_str().unwrap())
        .collect();
    assert_eq!(said, ["films by genre", "another second question"]);
}

#[test]
fn what_waits_is_not_decided_in_two_lines() {
    let stage = Stage::new()
        .writes([Next::Query("DELETE FROM films")])
        .tables_say([preview("delete", "dd")]);
    stage.ask("delete", "q1");
    let waiting = stage.head().checkpoint;
    stage.store().fork("talk", waiting, "ann").unwrap();
    assert_eq!(stage.head().step, Step::End);
    let old = json!({ "approvalId": "approval-1", "sha256": "dd", "action": "approved", "userId": "ann" });
    let error = stage
        .decide_body(&old, &agent::request::Claims::default())
        .unwrap_err();
    assert_eq!(
        (error.code(), &error.details()["status"]),
        ("ALREADY_DECIDED", &json!("superseded"))
    );
}

#[test]
fn the_audit_is_a_chain_that_a_reader_can_check() {
    let stage = answered();
    let audit = stage.store().audit(ALL).unwrap();
    let mut previous = GENESIS.to_owned();
    let mut kinds = Vec::new();
    for record in audit["records"].as_array().unwrap() {
        let text = |name: &str| record[name].as_str().unwrap();
        let count = |name: &str| record[name].as_u64().unwrap();
        assert_eq!(text("previousHash"), previous);
        let hash = record_hash(
            &previous,
            count("sequence"),
            count("atMs"),
            text("kind"),
            text("actor"),
            text("body"),
        );
        assert_eq!(text("hash"), hash);
        previous = hash;
        kinds.push(text("kind").to_owned());
    }
    assert_eq!(
        kinds,
        [
            "question",
            "statement",
            "approvalAsked",
            "decision",
            "execution",
            "answer"
        ]
    );
    // The decision holds what was approved: the original text, the final one and its hash.
    let (_, decision) = stage
        .audit()
        .into_iter()
        .find(|(kind, _)| kind == "decision")
        .unwrap();
    assert_eq!(
        (&decision["sql"], &decision["finalSql"], &decision["sha256"]),
        (&json!("SELECT 1"), &json!("final aa"), &json!("aa"))
    );
}

#[test]
fn a_commit_that_fails_at_any_statement_leaves_nothing() {
    let dump = |db: &FaultyDatabase| -> Vec<String> {
        [
            "thread",
            "branches",
            "checkpoints",
            "messages",
            "events",
            "inputs",
            "audit",
            "approvals",
            "owner",
        ]
        .iter()
        .flat_map(|table| db.inner.dump_rows(&format!("SELECT * FROM {table}")))
        .collect()
    };
    let inner = HostDatabase::new();
    database::migrations::apply(&inner, agent::MIGRATIONS, NOW_MS).unwrap();
    let mut db = FaultyDatabase::new(inner);
    let body = json!({ "input": "x", "inputId": "q1", "session": "films", "businessId": "b1", "userId": "ann" });
    let question =
        agent::request::Question::parse(&body.to_string(), &agent::request::Claims::default())
            .unwrap();
    let turned = agent::turn::ask(None, question.values.clone()).unwrap();
    let before = dump(&db);
    let mut failures = 0;
    for fault in [Fault::BeforeApplying, Fault::AfterApplying] {
        for statement in 0.. {
            db.fail_after(statement, fault);
            let store = agent::store::Store {
                db: &db,
                now_ms: NOW_MS,
            };
            let stored = store.commit_input(None, &turned, &Stage::owner(), &question.text);
            if stored.is_ok() {
                break;
            }
            failures += 1;
            assert_eq!(dump(&db), before, "a fault at statement {statement}");
        }
        if fault == Fault::BeforeApplying {
            let inner = HostDatabase::new();
            database::migrations::apply(&inner, agent::MIGRATIONS, NOW_MS).unwrap();
            db = FaultyDatabase::new(inner);
        }
    }
    assert!(failures > 5, "{failures}");
}

#[test]
fn hidden_messages_carry_the_prefix_that_clients_filter_by() {
    let stage = answered();
    let state = stage.store().state(&stage.head()).unwrap();
    let messages = state["values"]["messages"].as_array().unwrap();
    let hidden: Vec<&str> = messages
        .iter()
        .filter(|message| {
            message["id"]
                .as_str()
                .unwrap()
                .starts_with("do-not-render-")
        })
        .map(|message| message["content"].as_str().unwrap())
        .collect();
    assert_eq!(hidden, ["approved by ann"]);
    assert_eq!(messages[0]["id"], "q1", "the id of the sender is kept");
}

#[test]
fn a_failing_statement_of_the_engine_is_told_and_ends_the_question() {
    let stage = Stage::new()
        .writes([Next::Query("INSERT INTO films VALUES (1)")])
        .tables_say([preview("insert", "ii"), Told::No("CONSTRAINT_FAILED")]);
    stage.ask("add a film", "q1");
    stage.decide("ann", "approved", &json!({})).unwrap();
    stage.work().unwrap();
    let values = stage.head().values;
    assert_eq!(values.outcome, Some(Outcome::Failed));
    assert_eq!(values.error.unwrap().code, "CONSTRAINT_FAILED");
}
