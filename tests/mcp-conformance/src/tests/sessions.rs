//! The older versions, in which a client is asked questions while its request is open.

use std::cell::RefCell;

use serde_json::{Value, json};

use super::world::{filled, text_of, world, written};

fn call(tool: &str, arguments: &Value) -> Value {
    json!({ "name": tool, "arguments": arguments })
}

#[test]
fn a_model_is_asked_what_the_caller_asks() {
    let world = world();
    let asked = RefCell::new(Vec::new());
    let params = call("test_sampling", &json!({ "prompt": "Say hi" }));
    let result = world.send_in_session("tools/call", &params, |method, params| {
        asked.borrow_mut().push((method.to_owned(), params));
        written("hi")
    });
    assert_eq!(text_of(&result.unwrap()), "LLM response: hi");
    let asked = asked.into_inner();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].0, "sampling/createMessage");
    assert_eq!(asked[0].1["messages"][0]["content"]["text"], "Say hi");
}

#[test]
fn forms_have_the_fields_that_the_suites_look_for() {
    let world = world();
    let ask = |tool: &str, arguments: &Value| {
        let form = RefCell::new(Value::Null);
        let result = world.send_in_session("tools/call", &call(tool, arguments), |_, params| {
            form.replace(params);
            filled(json!({ "a": 1 }))
        });
        (form.into_inner(), result.unwrap())
    };
    let (form, result) = ask("test_elicitation", &json!({ "message": "Who are you?" }));
    assert_eq!(form["message"], "Who are you?");
    assert_eq!(
        text_of(&result),
        r#"User response: action=accept, content={"a":1}"#
    );
    let (form, _) = ask("test_elicitation_sep1034_defaults", &json!({}));
    let fields = form["requestedSchema"]["properties"].as_object().unwrap();
    assert_eq!(fields.len(), 5);
    assert!(fields.values().all(|field| !field["default"].is_null()));
    let (form, _) = ask("test_elicitation_sep1330_enums", &json!({}));
    let fields = &form["requestedSchema"]["properties"];
    assert!(fields["legacyEnum"]["enumNames"].is_array());
    assert!(fields["titledMulti"]["items"]["anyOf"].is_array());
    assert!(fields["titledSingle"]["oneOf"].is_array());
}

#[test]
fn rounds_with_a_state_run_in_a_session_too() {
    let world = world();
    let params = call("test_input_required_result_multi_round", &json!({}));
    let result = world.send_in_session("tools/call", &params, |_, params| {
        let is_first = params["message"].as_str().unwrap().starts_with("Step 1");
        filled(if is_first {
            json!({ "name": "Ada" })
        } else {
            json!({ "color": "blue" })
        })
    });
    assert_eq!(text_of(&result.unwrap()), "Ada likes blue.");
}

#[test]
fn a_client_that_never_fits_is_not_asked_for_ever() {
    let world = world();
    let params = call("test_input_required_result_elicitation", &json!({}));
    let fault = world.send_in_session("tools/call", &params, |_, _| json!({}));
    assert_eq!(fault.unwrap_err().code, -32603);
}

#[test]
fn a_missing_resource_has_the_code_of_its_version() {
    let world = world();
    let params = json!({ "uri": "test://none" });
    let fault = world.send_in_session("resources/read", &params, |_, _| json!({}));
    assert_eq!(fault.unwrap_err().code, -32002);
}
