//! A question from its input to its reply.

use agent::approval::Status;
use agent::state::{Outcome, Step};
use serde_json::{Value, json};

use crate::world::{NOW_MS, Next, Stage, Told, changed, preview, rows};

fn read_stage() -> Stage {
    Stage::new()
        .writes([Next::Query(
            "SELECT genre, count(*) AS films FROM films GROUP BY genre",
        )])
        .tables_say([preview("read", "aa"), rows()])
}

#[test]
fn a_statement_waits_for_a_person_and_runs_once_it_is_approved() {
    let stage = read_stage();
    let head = stage.ask("films by genre", "q1");
    assert_eq!(head.step, Step::HumanApproval);
    assert_eq!(stage.asked_to("run"), 0);
    let approval = head.values.approval.clone().unwrap();
    assert_eq!(approval.status, Status::Pending);
    assert_eq!(approval.expires_at_ms, NOW_MS + 60_000);

    stage.decide("ann", "approved", &json!({})).unwrap();
    assert_eq!(
        stage.head().step,
        Step::ExecuteQuery,
        "stored before it runs"
    );
    stage.work().unwrap();
    let head = stage.head();
    assert_eq!(
        (head.step, head.values.outcome),
        (Step::End, Some(Outcome::Answered))
    );
    let run = stage
        .asked
        .borrow()
        .iter()
        .find(|request| request["do"] == "run")
        .cloned()
        .unwrap();
    assert_eq!(run["approvalId"], approval.approval_id.as_str());
    assert_eq!(run["sha256"], "aa");
    assert_eq!(run["scope"], json!({ "value": "b1" }));
    let answer = head.values.answer.unwrap();
    assert!(answer.contains("| drama | 4 |"), "{answer}");
    assert_eq!(head.values.chart.unwrap()["mark"], "bar");
    assert_eq!(stage.remembered.borrow().len(), 1);
}

#[test]
fn every_statement_to_the_tables_is_in_the_scope_of_the_business() {
    let stage = read_stage();
    stage.ask("films by genre", "q1");
    stage.decide("ann", "approved", &json!({})).unwrap();
    stage.work().unwrap();
    for request in stage.asked.borrow().iter() {
        assert_eq!(request["scope"]["value"], "b1", "{request}");
    }
}

#[test]
fn the_stream_tells_each_step_and_ends_with_what_waits() {
    let stage = read_stage();
    stage.ask("films by genre", "q1");
    let events = stage.events();
    let nodes: Vec<&str> = events
        .iter()
        .map(|(event, data)| {
            let node = data.as_object().and_then(|data| data.keys().next());
            if event == "updates" {
                node.map_or("", String::as_str)
            } else {
                event.as_str()
            }
        })
        .collect();
    assert_eq!(nodes, ["__start__", "writeQuery", "__interrupt__", "end"]);
    let interrupt = &events[2].1["__interrupt__"][0];
    assert_eq!(interrupt["id"], "approval-1");
    assert_eq!(interrupt["value"]["affectedRows"], 2);
    assert_eq!(
        interrupt["value"]["expiresAt"],
        "2026-11-21T22:11:00Z".replace("00Z", "00.000Z")
    );
    assert_eq!(events[3].1["next"], json!(["humanApproval"]));
}

#[test]
fn a_question_that_needs_no_statement_is_answered_without_one() {
    for outcome in [Outcome::NoQuery, Outcome::CannotAnswer, Outcome::AskedBack] {
        let stage = Stage::new().writes([Next::Reply("Hello.", outcome)]);
        let head = stage.ask("hi", "q1");
        assert_eq!((head.step, head.values.outcome), (Step::End, Some(outcome)));
        assert_eq!(head.values.answer.as_deref(), Some("Hello."));
        assert_eq!(head.values.written_query, None);
        assert_eq!(stage.asked_to("preview"), 0);
    }
}

#[test]
fn a_refused_statement_goes_back_with_its_error_three_times_at_most() {
    let stage = Stage::new()
        .writes([
            Next::Query("SELECT a"),
            Next::Query("SELECT b"),
            Next::Query("SELECT c"),
        ])
        .tables_say([
            Told::No("NO_SUCH_COLUMN"),
            Told::No("SQL_BLOCKED"),
            Told::No("SYNTAX_ERROR"),
        ]);
    let head = stage.ask("films", "q1");
    assert_eq!(
        (head.step, head.values.outcome),
        (Step::End, Some(Outcome::Failed))
    );
    assert_eq!(head.values.error.unwrap().code, "SYNTAX_ERROR");
    assert_eq!(head.values.attempts.len(), 3);
    let prompts = stage.writer.prompts.borrow();
    assert_eq!(prompts.len(), 3);
    assert!(!prompts[0].contains("refused"));
    assert!(
        prompts[1].contains("refused by NO_SUCH_COLUMN"),
        "{}",
        prompts[1]
    );
    assert!(prompts[2].contains("SELECT b") && prompts[2].contains("do otherwise"));
}

#[test]
fn a_statement_that_passes_at_the_second_attempt_is_shown_once() {
    let stage = Stage::new()
        .writes([Next::Query("SELECT a"), Next::Query("SELECT b")])
        .tables_say([Told::No("NO_SUCH_COLUMN"), preview("read", "bb")]);
    let head = stage.ask("films", "q1");
    assert_eq!(head.step, Step::HumanApproval);
    let asked: Vec<String> = stage
        .audit()
        .into_iter()
        .filter(|(kind, _)| kind == "approvalAsked")
        .map(|(_, body)| body["sql"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(asked, ["SELECT b"]);
}

#[test]
fn a_writer_that_fails_ends_the_question_with_its_error() {
    let stage = Stage::new().writes([Next::Fails("the model is away")]);
    let head = stage.ask("films", "q1");
    assert_eq!(head.values.outcome, Some(Outcome::Failed));
    assert!(head.values.answer.unwrap().contains("the model is away"));
}

#[test]
fn a_new_question_clears_what_the_one_before_left() {
    let stage = read_stage();
    stage.ask("films by genre", "q1");
    stage.decide("ann", "approved", &json!({})).unwrap();
    stage.work().unwrap();
    stage
        .writer
        .writes
        .borrow_mut()
        .push_back(Next::Reply("No.", Outcome::CannotAnswer));
    let head = stage.ask("the weather", "q2");
    let values = head.values;
    assert_eq!(values.written_query, None);
    assert_eq!(values.approval, None);
    assert_eq!(values.sql_result, None);
    assert_eq!(values.chart, None);
    let state = stage.store().state(&stage.head()).unwrap();
    for field in ["writtenQuery", "sqlResult", "approval", "chart", "error"] {
        assert_eq!(
            state["values"][field],
            Value::Null,
            "{field} is an explicit null"
        );
    }
}

#[test]
fn a_result_is_told_although_the_model_cannot() {
    let stage = read_stage();
    stage
        .writer
        .replies
        .borrow_mut()
        .push_back(Err(base::Error::internal("no budget")));
    stage.ask("films by genre", "q1");
    stage.decide("ann", "approved", &json!({})).unwrap();
    stage.work().unwrap();
    let answer = stage.head().values.answer.unwrap();
    assert!(
        answer.contains("drama") && answer.contains("no budget"),
        "{answer}"
    );
}

#[test]
fn pieces_of_a_message_come_with_their_positions() {
    let stage = read_stage();
    stage.ask("films by genre", "q1");
    let tokens = stage.tokens.borrow();
    assert_eq!(tokens[0], ("reply-q1".to_owned(), 0, "Thi".to_owned()));
    assert_eq!(tokens[1], ("reply-q1".to_owned(), 3, "nking".to_owned()));
}

#[test]
fn a_write_is_done_undone_by_its_own_approval_and_tells_both() {
    let stage = Stage::new()
        .writes([Next::Query("DELETE FROM films WHERE year < 1920")])
        .tables_say([
            preview("delete", "dd"),
            changed(),
            Told::Yes(json!({ "possible": true, "changes": 2, "sha256": "uu", "tables": [], "sample": null })),
            Told::Yes(json!({ "changes": 2 })),
        ]);
    stage.ask("delete old films", "q1");
    stage.decide("ann", "approved", &json!({})).unwrap();
    stage.work().unwrap();
    assert!(
        stage
            .head()
            .values
            .answer
            .unwrap()
            .contains("can be undone")
    );

    let undo = json!({ "approvalId": "approval-1", "action": "undo", "userId": "ann" });
    stage
        .decide_body(&undo, &agent::request::Claims::default())
        .unwrap();
    let head = stage.head();
    assert_eq!(
        head.step,
        Step::HumanApproval,
        "an undo is approved by itself"
    );
    assert_eq!(head.values.approval.as_ref().unwrap().preview.kind, "undo");
    assert_eq!(stage.asked_to("undo"), 0);
    stage.decide("ben", "approved", &json!({})).unwrap();
    stage.work().unwrap();
    assert_eq!(stage.asked_to("undo"), 1);
    assert!(
        stage
            .head()
            .values
            .answer
            .unwrap()
            .contains("Undone: 2 rows")
    );
}

#[test]
fn texts_of_the_question_are_looked_up_in_the_scope_and_told_to_the_writer() {
    let stage = read_stage();
    stage.ask("how many drama films like Metropolys", "q1");
    let asked = stage.asked.borrow();
    let lookups: Vec<&Value> = asked
        .iter()
        .filter(|request| request["do"] == "lookup")
        .collect();
    let [equal, near] = lookups.as_slice() else {
        panic!("{lookups:?}")
    };
    assert_eq!(
        equal["columns"],
        json!([{ "table": "films", "column": "genre" }])
    );
    let texts = equal["texts"].as_array().unwrap();
    for text in ["drama", "drama films", "Metropolys"] {
        assert!(texts.contains(&json!(text)), "{text}");
    }
    assert_eq!(near["near"], json!(["Metropolys"]));
    assert_eq!(near["scope"]["value"], "b1");
    let prompt = &stage.writer.prompts.borrow()[0];
    assert!(
        prompt.contains(r#"{"table":"films","column":"genre","values":["Drama"]}"#),
        "{prompt}"
    );
}

#[test]
fn a_reply_to_a_question_back_completes_the_question() {
    let stage = Stage::new()
        .writes([Next::Planned, Next::Planned, Next::Planned])
        .tables_say([preview("read", "aa"), preview("read", "bb")]);
    let head = stage.ask("average rating", "q1");
    let back = head.values.asked_back.unwrap();
    assert_eq!(head.values.outcome, Some(Outcome::AskedBack));
    // The table of an earlier result is not among the meanings.
    assert_eq!(back.choices, ["films", "actors"]);
    let update = json!(stage.events());
    assert!(
        update
            .to_string()
            .contains(r#""choices":["films","actors"]"#),
        "{update}"
    );
    let head = stage.ask("of the Films.", "q2");
    assert_eq!(head.values.question, "of the Films.");
    let sql = head.values.written_query.unwrap().sql;
    assert!(
        sql.contains("AVG(rating)") && sql.contains("FROM films"),
        "{sql}"
    );
    let head = stage.ask("average rating of actors", "q3");
    assert_eq!(head.values.asked_back, None, "a new question is one");
    assert!(
        head.values
            .written_query
            .unwrap()
            .sql
            .contains("FROM actors")
    );
}

#[test]
fn a_short_reply_that_names_no_choice_asks_back_again() {
    let stage = Stage::new()
        .writes([Next::Planned, Next::Planned, Next::Planned, Next::Planned])
        .tables_say([preview("read", "aa")]);
    let first = stage.ask("average rating", "q1");
    for reply in ["both", "perhaps"] {
        let head = stage.ask(reply, reply);
        assert_eq!(head.values.outcome, Some(Outcome::AskedBack), "{reply}");
        assert_eq!(head.values.asked_back, first.values.asked_back, "{reply}");
        let answer = head.values.answer.unwrap();
        assert!(answer.contains("“average rating”"), "{answer}");
    }
    let head = stage.ask("the second one", "q4");
    assert!(
        head.values
            .written_query
            .unwrap()
            .sql
            .contains("FROM actors")
    );
}

#[test]
fn a_reply_that_names_no_choice_is_a_new_question() {
    let stage = Stage::new()
        .writes([Next::Planned, Next::Planned])
        .tables_say([preview("read", "aa")]);
    stage.ask("average rating", "q1");
    let head = stage.ask("how many films are there", "q2");
    assert_eq!(head.values.asked_back, None);
    assert!(head.values.written_query.unwrap().sql.contains("COUNT(*)"));
}

#[test]
fn the_table_of_a_result_is_asked_about_where_it_is_named() {
    let stage = Stage::new()
        .writes([Next::Planned])
        .tables_say([preview("read", "aa")]);
    let head = stage.ask("average rating of result_0123abcd", "q1");
    let sql = head.values.written_query.map(|written| written.sql);
    assert!(
        sql.as_ref()
            .is_some_and(|sql| sql.contains("result_0123abcd")),
        "{sql:?} {:?}",
        head.values.answer
    );
}
