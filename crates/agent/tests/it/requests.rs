//! Bodies of requests: fields that are not understood are errors.

use agent::request::{Action, BusinessRule, Claims, DecisionRequest, Question, fork};
use serde_json::{Value, json};

fn question() -> Value {
    json!({ "input": "how many", "inputId": "q1", "session": "films", "businessId": "b1", "userId": "ann" })
}

fn with(mut body: Value, name: &str, value: Value) -> Value {
    body[name] = value;
    body
}

fn without(mut body: Value, name: &str) -> Value {
    body.as_object_mut().unwrap().remove(name);
    body
}

fn refusal(body: &Value, claims: &Claims) -> String {
    let error = Question::parse(&body.to_string(), claims).unwrap_err();
    format!(
        "{} {} {}",
        error.code(),
        error,
        error.hint().unwrap_or_default()
    )
}

#[test]
fn each_field_of_a_question_is_checked() {
    let nobody = Claims {
        rule: BusinessRule::Required,
        ..Claims::default()
    };
    for name in ["input", "inputId", "session", "businessId", "userId"] {
        let text = refusal(&without(question(), name), &nobody);
        assert!(
            text.starts_with("INVALID_ARGUMENT") && text.contains(name),
            "{text}"
        );
        let text = refusal(&with(question(), name, json!(7)), &nobody);
        assert!(text.contains("must be a text"), "{text}");
    }
    for (name, value, part) in [
        ("input", json!("  "), "is empty"),
        ("input", json!("x".repeat(20_000)), "TOO_BIG"),
        ("inputId", json!("a\nb"), "control characters"),
        ("inputId", json!("x".repeat(129)), "1 to 128"),
        ("session", json!("a/b"), "session"),
        ("target", json!("persistent"), "both session and target"),
        ("sesion", json!("x"), "did you mean `session`?"),
        ("profileId", json!(""), "profileId"),
    ] {
        let text = refusal(&with(question(), name, value), &nobody);
        assert!(text.contains(part), "{name}: {text}");
    }
    let target = with(without(question(), "session"), "target", json!("elsewhere"));
    assert!(refusal(&target, &nobody).contains("no target \"elsewhere\""));
    for body in ["", "[]", "{", "null", r#"{"input":"a","input":"b"}"#] {
        let error = Question::parse(body, &nobody).unwrap_err();
        assert_eq!(error.code(), "INVALID_BODY", "{body}");
    }
}

#[test]
fn a_question_without_a_business_is_about_all_rows_where_no_scope_is_set_up() {
    let body = without(question(), "businessId").to_string();
    let parsed = Question::parse(&body, &Claims::default()).unwrap();
    assert_eq!(parsed.values.who.business_id, None);
    let parsed = Question::parse(&question().to_string(), &Claims::default()).unwrap();
    assert_eq!(parsed.values.who.business_id.as_deref(), Some("b1"));
}

#[test]
fn the_business_of_the_access_token_counts() {
    let claims = Claims {
        business_id: Some("b9".to_owned()),
        user_id: Some("sub".to_owned()),
        issuer: None,
        ..Claims::default()
    };
    assert!(refusal(&question(), &claims).starts_with("OTHER_BUSINESS"));
    let body = without(without(question(), "businessId"), "userId");
    let parsed = Question::parse(&body.to_string(), &claims).unwrap();
    assert_eq!(parsed.values.who.business_id.as_deref(), Some("b9"));
    assert_eq!(parsed.values.who.user_id, "sub");
}

#[test]
fn each_field_of_a_decision_is_checked() {
    let good = json!({ "approvalId": "a", "sha256": "b", "action": "approved", "userId": "ann" });
    let refusal = |body: &Value| {
        let error = DecisionRequest::parse(&body.to_string(), &Claims::default()).unwrap_err();
        format!(
            "{} {} {}",
            error.code(),
            error,
            error.hint().unwrap_or_default()
        )
    };
    for (body, part) in [
        (without(good.clone(), "approvalId"), "approvalId is missing"),
        (without(good.clone(), "sha256"), "sha256 is missing"),
        (without(good.clone(), "action"), "action is missing"),
        (without(good.clone(), "userId"), "userId is missing"),
        (
            with(good.clone(), "action", json!("approve")),
            "the actions are",
        ),
        (
            with(good.clone(), "action", json!("edited")),
            "sql is missing",
        ),
        (
            with(good.clone(), "sql", json!("SELECT 1")),
            "belongs to the action edited",
        ),
        (
            with(good.clone(), "reason", json!("x")),
            "belongs to the action rejected",
        ),
        (with(good.clone(), "revise", json!("yes")), "true or false"),
        (with(good.clone(), "token", json!("t")), "the token alone"),
        (
            with(good.clone(), "confirm", json!(true)),
            "no field \"confirm\"",
        ),
    ] {
        let text = refusal(&body);
        assert!(text.contains(part), "{body}: {text}");
    }
    let undo = json!({ "approvalId": "a", "action": "undo", "userId": "ann" });
    let parsed = DecisionRequest::parse(&undo.to_string(), &Claims::default()).unwrap();
    assert_eq!(parsed.action, Action::Undo);
}

#[test]
fn a_fork_names_a_checkpoint() {
    assert_eq!(fork(r#"{"checkpoint":3}"#).unwrap(), 3);
    for body in [
        "{}",
        r#"{"checkpoint":"3"}"#,
        r#"{"checkpoint":-1}"#,
        r#"{"checkpoint":1,"x":2}"#,
    ] {
        assert_eq!(fork(body).unwrap_err().code(), "INVALID_ARGUMENT", "{body}");
    }
}
