//! Objects that die during a step, sessions that do not respond, storage that fails: the thread
//! continues, and nothing runs twice.

use agent::state::{Outcome, Step};
use serde_json::json;

use crate::world::{Next, Stage, Told, changed, preview};

#[test]
fn a_statement_whose_outcome_got_lost_is_asked_for_under_the_same_approval() {
    let stage = Stage::new()
        .writes([Next::Query("DELETE FROM films")])
        .tables_say([preview("delete", "dd"), Told::Lost, Told::Lost, changed()]);
    stage.ask("delete all films", "q1");
    stage.decide("ann", "approved", &json!({})).unwrap();
    assert_eq!(stage.work().unwrap_err().code(), "INTERNAL");
    assert_eq!(stage.head().step, Step::ExecuteQuery);
    assert!(stage.work().is_err());
    stage.work().unwrap();
    assert_eq!(stage.head().values.outcome, Some(Outcome::Answered));
    let asked = stage.asked.borrow();
    let runs: Vec<_> = asked
        .iter()
        .filter(|request| request["do"] == "run")
        .collect();
    assert_eq!(runs.len(), 3);
    assert!(
        runs.iter()
            .all(|run| run["approvalId"] == runs[0]["approvalId"])
    );
}

#[test]
fn a_step_that_fails_each_time_ends_with_an_error_that_says_why() {
    let stage = Stage::new()
        .writes([Next::Query("DELETE FROM films")])
        .tables_say([preview("delete", "dd")])
        .tables_say((0..9).map(|_| Told::Lost));
    stage.ask("delete all films", "q1");
    stage.decide("ann", "approved", &json!({})).unwrap();
    let failures = (0..20).take_while(|_| stage.work().is_err()).count();
    assert_eq!(failures, 5);
    let values = stage.head().values;
    assert_eq!(values.outcome, Some(Outcome::Failed));
    let error = values.error.unwrap();
    assert_eq!(error.code, "STEP_FAILED");
    assert!(
        error.message.contains("the session stopped"),
        "{}",
        error.message
    );
}

#[test]
fn an_object_that_dies_over_the_writing_writes_again() {
    let stage = Stage::new()
        .writes([Next::Query("SELECT 1")])
        .tables_say([preview("read", "aa")]);
    let body = json!({ "input": "films", "inputId": "q1", "session": "films", "businessId": "b1", "userId": "ann" });
    stage.ask_body(&body).unwrap();
    // The object dies before it works. The next object finds the question.
    assert_eq!(stage.head().step, Step::WriteQuery);
    stage.work().unwrap();
    assert_eq!(stage.head().step, Step::HumanApproval);
}

#[test]
fn an_object_that_dies_again_and_again_over_a_step_gives_up() {
    let stage = Stage::new();
    let body = json!({ "input": "films", "inputId": "q1", "session": "films", "businessId": "b1", "userId": "ann" });
    stage.ask_body(&body).unwrap();
    for _ in 0..5 {
        stage.store().begin().unwrap();
    }
    stage.work().unwrap();
    let error = stage.head().values.error.unwrap();
    assert_eq!(error.code, "STEP_FAILED");
    assert!(
        error.message.contains("stopped before the end of the step"),
        "{}",
        error.message
    );
}

#[test]
fn a_question_that_is_sent_again_is_asked_once() {
    let stage = Stage::new()
        .writes([Next::Query("SELECT 1")])
        .tables_say([preview("read", "aa")]);
    let body = json!({ "input": "films", "inputId": "q1", "session": "films", "businessId": "b1", "userId": "ann" });
    let first = stage.ask_body(&body).unwrap();
    stage.work().unwrap();
    let again = stage.ask_body(&body).unwrap();
    assert!(again.is_repeated && !first.is_repeated);
    assert_eq!(again.after_event, first.after_event);
    stage.work().unwrap();
    assert_eq!(stage.writer.prompts.borrow().len(), 1);
    let other = json!({ "input": "others", "inputId": "q1", "session": "films", "businessId": "b1", "userId": "ann" });
    assert_eq!(stage.ask_body(&other).unwrap_err().code(), "INPUT_CONFLICT");
}

#[test]
fn a_question_while_another_is_worked_on_is_a_conflict() {
    let stage = Stage::new();
    let body = |id: &str| json!({ "input": "films", "inputId": id, "session": "films", "businessId": "b1", "userId": "ann" });
    stage.ask_body(&body("q1")).unwrap();
    assert_eq!(
        stage.ask_body(&body("q2")).unwrap_err().code(),
        "TURN_IN_PROGRESS"
    );
}
