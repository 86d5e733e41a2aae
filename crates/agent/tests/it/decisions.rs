//! Decisions: each is valid once, for the statement that was shown, in time, by a person who is
//! allowed to decide.

use agent::approval::Status;
use agent::request::Claims;
use agent::state::{Outcome, Step};
use serde_json::json;

use crate::world::{NOW_MS, Next, Stage, Told, changed, preview};

fn waiting() -> Stage {
    let stage = Stage::new()
        .writes([Next::Query("DELETE FROM films")])
        .tables_say([preview("delete", "dd")]);
    stage.ask("delete all films", "q1");
    stage
}

fn code(outcome: base::Result<u64>) -> &'static str {
    outcome.map_or_else(|error| error.code(), |_| "OK")
}

#[test]
fn a_second_decision_is_a_conflict_and_runs_nothing() {
    let stage = waiting();
    stage.told.borrow_mut().push_back(changed());
    assert_eq!(code(stage.decide("ann", "approved", &json!({}))), "OK");
    assert_eq!(
        code(stage.decide("ann", "approved", &json!({}))),
        "ALREADY_DECIDED"
    );
    stage.work().unwrap();
    assert_eq!(
        code(stage.decide("ben", "approved", &json!({}))),
        "ALREADY_DECIDED"
    );
    assert_eq!(
        code(stage.decide("ben", "rejected", &json!({}))),
        "ALREADY_DECIDED"
    );
    stage.work().unwrap();
    assert_eq!(stage.asked_to("run"), 1);
}

#[test]
fn a_decision_of_another_statement_or_approval_is_a_conflict() {
    let stage = waiting();
    let other_hash = json!({ "sha256": "ee" });
    assert_eq!(
        code(stage.decide("ann", "approved", &other_hash)),
        "STATEMENT_MISMATCH"
    );
    let other_id = json!({ "approvalId": "approval-9" });
    assert_eq!(
        code(stage.decide("ann", "approved", &other_id)),
        "WRONG_APPROVAL"
    );
    assert_eq!(stage.head().step, Step::HumanApproval, "it still waits");
}

#[test]
fn a_late_decision_is_a_conflict_and_the_thread_shows_that_it_expired() {
    let stage = waiting();
    stage.now_ms.set(NOW_MS + 60_000);
    assert_eq!(
        code(stage.decide("ann", "approved", &json!({}))),
        "APPROVAL_EXPIRED"
    );
    let head = stage.head();
    assert_eq!(
        (head.step, head.values.outcome),
        (Step::End, Some(Outcome::Expired))
    );
    assert_eq!(stage.asked_to("run"), 0);
    assert_eq!(
        code(stage.decide("ann", "approved", &json!({}))),
        "ALREADY_DECIDED"
    );
}

#[test]
fn a_decision_where_nothing_waits_is_told() {
    let stage = Stage::new().writes([Next::Reply("Hello.", Outcome::NoQuery)]);
    stage.ask("hi", "q1");
    let body = json!({ "approvalId": "x", "sha256": "y", "action": "approved", "userId": "ann" });
    assert_eq!(
        code(stage.decide_body(&body, &Claims::default())),
        "NOTHING_PENDING"
    );
}

#[test]
fn a_new_question_supersedes_what_waits_and_says_so() {
    let stage = waiting();
    stage
        .writer
        .writes
        .borrow_mut()
        .push_back(Next::Reply("Hello.", Outcome::NoQuery));
    stage.ask("hi", "q2");
    let told = stage.events().into_iter().any(|(_, data)| {
        data["humanApproval"] == json!({ "approvalId": "approval-1", "status": "superseded" })
    });
    assert!(told, "readers are told");
    assert!(stage.audit().iter().any(|(kind, _)| kind == "superseded"));
    let late = json!({ "approvalId": "approval-1", "sha256": "dd", "action": "approved", "userId": "ann" });
    let error = stage.decide_body(&late, &Claims::default()).unwrap_err();
    assert_eq!(error.code(), "ALREADY_DECIDED");
    assert_eq!(error.details()["status"], "superseded");
    assert_eq!(stage.asked_to("run"), 0);
}

#[test]
fn a_rejection_clears_the_query_and_keeps_the_reason() {
    let stage = waiting();
    stage
        .decide("ann", "rejected", &json!({ "reason": "too much" }))
        .unwrap();
    stage.work().unwrap();
    let head = stage.head();
    assert_eq!(
        (head.step, head.values.outcome),
        (Step::End, Some(Outcome::Rejected))
    );
    assert_eq!(head.values.written_query, None);
    assert_eq!(head.values.approval.unwrap().status, Status::Rejected);
    let (_, decision) = stage
        .audit()
        .into_iter()
        .find(|(kind, _)| kind == "decision")
        .unwrap();
    assert_eq!(
        (&decision["action"], &decision["reason"]),
        (&json!("rejected"), &json!("too much"))
    );
    assert_eq!(stage.asked_to("run"), 0);
}

#[test]
fn a_rejection_may_ask_for_another_statement() {
    let stage = waiting();
    stage
        .writer
        .writes
        .borrow_mut()
        .push_back(Next::Query("DELETE FROM films WHERE year < 1920"));
    stage.told.borrow_mut().push_back(preview("delete", "ff"));
    stage
        .decide(
            "ann",
            "rejected",
            &json!({ "reason": "only the old ones", "revise": true }),
        )
        .unwrap();
    stage.work().unwrap();
    let head = stage.head();
    assert_eq!(head.step, Step::HumanApproval);
    assert_eq!(head.values.approval.unwrap().preview.sha256, "ff");
    let prompts = stage.writer.prompts.borrow();
    assert!(prompts[1].contains("only the old ones"), "{}", prompts[1]);
}

#[test]
fn an_edited_statement_is_checked_and_approved_anew() {
    let stage = waiting();
    stage.told.borrow_mut().push_back(preview("delete", "ff"));
    stage
        .decide(
            "ann",
            "edited",
            &json!({ "sql": "DELETE FROM films WHERE id = 1" }),
        )
        .unwrap();
    let head = stage.head();
    assert_eq!(
        head.step,
        Step::HumanApproval,
        "the edit is not the approval"
    );
    let approval = head.values.approval.unwrap();
    assert_eq!(
        (
            approval.approval_id.as_str(),
            approval.preview.sha256.as_str()
        ),
        ("approval-2", "ff")
    );
    let old = json!({ "approvalId": "approval-1", "sha256": "dd", "action": "approved", "userId": "ann" });
    let error = stage.decide_body(&old, &Claims::default()).unwrap_err();
    assert_eq!(
        (error.code(), &error.details()["status"]),
        ("ALREADY_DECIDED", &json!("edited"))
    );
    stage.told.borrow_mut().push_back(changed());
    stage.decide("ann", "approved", &json!({})).unwrap();
    stage.work().unwrap();
    let asked = stage.asked.borrow();
    let run = asked.iter().find(|request| request["do"] == "run").unwrap();
    assert_eq!(run["sql"], "DELETE FROM films WHERE id = 1");
}

#[test]
fn an_edit_that_does_not_pass_leaves_what_waited() {
    let stage = waiting();
    stage.told.borrow_mut().push_back(Told::No("SQL_BLOCKED"));
    let error = stage
        .decide("ann", "edited", &json!({ "sql": "PRAGMA x" }))
        .unwrap_err();
    assert_eq!(
        (error.code(), error.hint().as_deref()),
        ("SQL_BLOCKED", Some("do otherwise"))
    );
    let head = stage.head();
    assert_eq!(head.step, Step::HumanApproval);
    assert_eq!(head.values.approval.unwrap().approval_id, "approval-1");
}

#[test]
fn a_write_may_need_two_persons_and_never_one_twice() {
    let mut stage = waiting_for_two();
    assert_eq!(code(stage.decide("ann", "approved", &json!({}))), "OK");
    assert_eq!(stage.head().step, Step::HumanApproval);
    assert_eq!(
        code(stage.decide("ann", "approved", &json!({}))),
        "ALREADY_APPROVED"
    );
    stage.work().unwrap();
    assert_eq!(stage.asked_to("run"), 0);
    stage.told.get_mut().push_back(changed());
    assert_eq!(code(stage.decide("ben", "approved", &json!({}))), "OK");
    stage.work().unwrap();
    assert_eq!(stage.asked_to("run"), 1);
}

#[test]
fn one_person_under_several_spellings_is_one_approver() {
    for (first, again) in [
        ("Ann Lee", "annlee"),
        ("ann", "ANN"),
        ("ann", " ann "),
        ("ann", "a\u{200b}nn"),
        ("ann", "\u{ff41}nn"),
        ("Jos\u{e9}", "JOSE\u{301}"),
        ("Strauß", "STRAUSS"),
    ] {
        let stage = waiting_for_two();
        assert_eq!(code(stage.decide(first, "approved", &json!({}))), "OK");
        let refused = code(stage.decide(again, "approved", &json!({})));
        assert_eq!(refused, "ALREADY_APPROVED", "{first} {again:?}");
        assert_eq!(stage.head().values.approval.unwrap().approvers, [first]);
    }
    let stage = waiting_for_two();
    for nobody in ["\u{200b}", " ", "\u{3164}"] {
        let refused = code(stage.decide(nobody, "approved", &json!({})));
        assert_eq!(refused, "INVALID_ARGUMENT", "{nobody:?}");
    }
}

#[test]
fn where_there_are_access_tokens_their_subjects_alone_are_approvers() {
    let stage = waiting_for_two();
    let approve = |subject: Option<&str>, name: &str, issuer: &str| {
        let claims = Claims {
            business_id: None,
            user_id: subject.map(str::to_owned),
            issuer: Some(issuer.to_owned()),
            ..Claims::default()
        };
        let head = stage.head();
        let approval = head.values.approval.as_ref().unwrap();
        let body = json!({
            "approvalId": approval.approval_id, "sha256": approval.preview.sha256, "action": "approved", "userId": name,
        });
        code(stage.decide_body(&body, &claims))
    };
    const ISSUER: &str = "https://id.example";
    assert_eq!(approve(None, "zoe", ISSUER), "INVALID_ARGUMENT");
    assert_eq!(approve(Some("auth|1"), "ann", ISSUER), "OK");
    assert_eq!(approve(Some("auth|1"), "ben", ISSUER), "ALREADY_APPROVED");
    assert_eq!(approve(None, "ben", ISSUER), "INVALID_ARGUMENT");
    stage.told.borrow_mut().push_back(changed());
    assert_eq!(
        approve(Some("AUTH|1"), "ann", ISSUER),
        "OK",
        "a subject is compared byte by byte"
    );
}

fn waiting_for_two() -> Stage {
    let mut stage = Stage::new()
        .writes([Next::Query("DELETE FROM films")])
        .tables_say([preview("delete", "dd")]);
    stage.rules.write_approvers = 2;
    stage.ask("delete all films", "q1");
    stage
}

#[test]
fn only_cheap_reads_run_by_themselves_and_only_where_the_deployment_says_so() {
    for (kind, rows, runs) in [
        ("read", Some(10.0), true),
        ("read", Some(9.0), false),
        ("read", None, false),
        ("update", Some(1_000_000.0), false),
        ("delete", Some(1_000_000.0), false),
        ("insert", Some(1_000_000.0), false),
        ("schema", Some(1_000_000.0), false),
    ] {
        let mut stage = Stage::new()
            .writes([Next::Query("SELECT 1")])
            .tables_say([preview(kind, "aa")]);
        stage.rules.auto_approve_rows = rows;
        if runs {
            stage.told.get_mut().push_back(crate::world::rows());
        }
        let head = stage.ask("films", "q1");
        assert_eq!(head.step == Step::End, runs, "{kind} {rows:?}");
        assert_eq!(stage.asked_to("run"), usize::from(runs), "{kind} {rows:?}");
        if runs {
            assert!(stage.audit().iter().any(|(kind, _)| kind == "autoApproved"));
            assert!(
                stage.remembered.borrow().is_empty(),
                "no person approved it"
            );
        }
    }
}

#[test]
fn a_token_decides_what_it_was_made_for_and_nothing_else() {
    let stage = waiting();
    let approval = stage.head().values.approval.unwrap();
    let token = |owner: &str| {
        stage
            .store()
            .approval_token(owner, &approval, || Ok([7; 32]))
            .unwrap()
    };
    let decide = |token: &str| {
        let body = json!({ "token": token, "action": "approved", "userId": "ann" });
        code(stage.decide_body(&body, &Claims::default()))
    };
    let good = token("acme/talk");
    assert_eq!(
        decide(&token("zeta/talk")),
        "BAD_APPROVAL_TOKEN",
        "of another tenant"
    );
    for at in 0..good.len() {
        let mut forged = good.clone().into_bytes();
        forged[at] ^= 1;
        let forged = String::from_utf8(forged).unwrap();
        // The last letter of base64 may contain unused bits.
        if at + 1 < good.len() {
            assert_eq!(decide(&forged), "BAD_APPROVAL_TOKEN", "{forged}");
        }
    }
    assert_eq!(decide(&good), "OK");
    assert_eq!(decide(&good), "NOTHING_PENDING", "it works once");
}

#[test]
fn another_business_neither_asks_nor_decides_here() {
    let stage = waiting();
    let claims = Claims {
        business_id: Some("b2".to_owned()),
        user_id: Some("eve".to_owned()),
        issuer: None,
        ..Claims::default()
    };
    let body = json!({ "approvalId": "approval-1", "sha256": "dd", "action": "approved" });
    assert_eq!(code(stage.decide_body(&body, &claims)), "OTHER_BUSINESS");
    let question = json!({ "input": "x", "inputId": "q9", "session": "films", "businessId": "b2", "userId": "eve" });
    let refused = stage.ask_body(&question).unwrap_err();
    assert_eq!(refused.code(), "OTHER_BUSINESS");
    assert_eq!(
        refused.to_string(),
        "the thread belongs to a business other than \"b2\""
    );
    let hint = refused.hint().unwrap();
    assert!(hint.contains("another thread"), "{hint}");
}

#[test]
fn a_thread_without_a_business_asks_about_all_rows_and_belongs_to_no_business() {
    let stage = Stage::new()
        .writes([Next::Query("SELECT 1"), Next::Query("SELECT 2")])
        .tables_say([preview("read", "d1"), preview("read", "d2")]);
    let question = |id: &str, business: Option<&str>| {
        let mut body =
            json!({ "input": "how many", "inputId": id, "session": "films", "userId": "ann" });
        if let Some(business) = business {
            body["businessId"] = business.into();
        }
        body
    };
    stage.ask_body(&question("q1", None)).unwrap();
    stage.work().unwrap();
    let asked = stage.asked.borrow().clone();
    assert!(asked.len() > 1 && asked.iter().all(|request| request.get("scope").is_none()));
    let refused = stage.ask_body(&question("q2", Some("b1"))).unwrap_err();
    assert_eq!(refused.code(), "OTHER_BUSINESS");
    let claims = Claims {
        business_id: Some("b1".to_owned()),
        user_id: Some("eve".to_owned()),
        ..Claims::default()
    };
    let body = json!({ "approvalId": "approval-1", "sha256": "d1", "action": "approved" });
    assert_eq!(code(stage.decide_body(&body, &claims)), "OTHER_BUSINESS");
    assert_eq!(stage.head().values.title, "how many");
}

#[test]
fn a_later_question_keeps_the_business_of_the_thread() {
    let stage = waiting();
    stage
        .writer
        .writes
        .borrow_mut()
        .push_back(Next::Query("SELECT 1"));
    stage.told.borrow_mut().push_back(preview("read", "d2"));
    let before = stage.asked.borrow().len();
    let body = json!({ "input": "and then", "inputId": "q2", "session": "films", "userId": "ann" });
    stage.ask_body(&body).unwrap();
    stage.work().unwrap();
    let asked = stage.asked.borrow()[before..].to_vec();
    assert!(
        !asked.is_empty()
            && asked
                .iter()
                .all(|request| request["scope"] == json!({ "value": "b1" }))
    );
    let values = stage.head().values;
    assert_eq!(
        (values.title.as_str(), values.question.as_str()),
        ("delete all films", "and then")
    );
}

#[test]
fn the_person_of_the_access_token_counts_and_not_the_one_of_the_body() {
    let stage = waiting();
    stage.told.borrow_mut().push_back(changed());
    let claims = Claims {
        business_id: None,
        user_id: Some("token-user".to_owned()),
        issuer: Some("https://id.example".to_owned()),
        ..Claims::default()
    };
    let body = json!({ "approvalId": "approval-1", "sha256": "dd", "action": "approved", "userId": "somebody" });
    stage.decide_body(&body, &claims).unwrap();
    assert_eq!(
        stage.head().values.approval.unwrap().approvers,
        ["token-user"]
    );
}
