//! Checks of a result alone, with its query, and with the schema.

use base::Error;
use serde_json::{Value, json};
use tools_graphql::{Check, Schema, check, is_response, looks_like_response};

use super::{SDL, lines, schemas, validate};

fn issues(response: &str, expected: &[&str]) {
    assert_eq!(lines(&validate(response)), expected, "{response}");
}

#[test]
fn a_null_root_field_is_an_error_and_named() {
    let validation = validate(r#"{"data":{"target":null,"disease":{"name":"x"},"d2":null}}"#);
    assert!(!validation.valid);
    assert!(!validation.partial);
    assert_eq!(validation.null_fields, ["target", "d2"]);
    assert_eq!(
        lines(&validation),
        [
            r#"error GRAPHQL_NULL_FIELD data.target: GraphQL field "target" is null"#,
            r#"error GRAPHQL_NULL_FIELD data.d2: GraphQL field "d2" is null"#,
        ]
    );
}

#[test]
fn null_data_is_an_error_with_the_words_of_the_server() {
    issues(
        r#"{"data":null}"#,
        &["error GRAPHQL_NULL_DATA data: GraphQL data is null"],
    );
    issues(
        r#"{"errors":[{"message":"no access","extensions":{"code":"FORBIDDEN"}}],"data":null}"#,
        &[
            "error GRAPHQL_NULL_DATA data: GraphQL data is null: no access",
            "error GRAPHQL_ERROR [FORBIDDEN]: no access",
        ],
    );
    assert_eq!(validate(r#"{"data":null}"#).null_fields, ["data"]);
}

#[test]
fn nulls_further_down_are_warnings_with_the_first_path_and_a_count() {
    let response = r#"{"data":{"genes":[{"name":"a","drugs":null},{"name":null},null,{"name":null,"drugs":[{"id":null}]}]}}"#;
    let validation = validate(response);
    assert!(validation.valid);
    assert_eq!(validation.null_count, 5);
    assert_eq!(
        lines(&validation),
        [
            r#"warning GRAPHQL_NULL_FIELD data.genes[0].drugs x1: GraphQL field "drugs" is null"#,
            r#"warning GRAPHQL_NULL_FIELD data.genes[1].name x2: GraphQL field "name" is null in 2 positions: data.genes[].name"#,
            "warning GRAPHQL_NULL_FIELD data.genes[2] x1: a GraphQL list contains null",
            r#"warning GRAPHQL_NULL_FIELD data.genes[3].drugs[0].id x1: GraphQL field "id" is null"#,
        ]
    );
}

#[test]
fn partial_data_stays_usable_and_says_so() {
    let response = r#"{"data":{"target":{"name":"ACE2","diseases":[{"name":null}]}},"errors":[
        {"message":"timed out","path":["target","diseases",0,"name"],"locations":[{"line":3,"column":7}],"extensions":{"code":"TIMEOUT"}}]}"#;
    let validation = validate(response);
    assert!(validation.valid && validation.partial);
    assert_eq!(
        lines(&validation),
        [
            "warning GRAPHQL_ERROR data.target.diseases[0].name [TIMEOUT]: timed out",
            r#"warning GRAPHQL_NULL_FIELD data.target.diseases[0].name x1: GraphQL field "name" is null: timed out"#,
        ]
    );
    assert_eq!(
        validation.issues[0].to_json()["locations"],
        json!([{ "line": 3, "column": 7 }])
    );
    assert_eq!(
        validation.console_lines("pharos", "graphql_query"),
        ["[GraphQL] pharos.graphql_query: partial data: timed out."]
    );
}

#[test]
fn a_root_field_that_an_error_made_null_has_the_error_in_its_message() {
    let response = r#"{"data":{"target":null,"version":"3"},"errors":[{"message":"timed out","path":["target"]}]}"#;
    let validation = validate(response);
    assert!(!validation.valid && validation.partial);
    assert_eq!(
        lines(&validation),
        [
            r#"error GRAPHQL_NULL_FIELD data.target: GraphQL field "target" is null: timed out"#,
            "error GRAPHQL_ERROR data.target: timed out",
        ]
    );
    assert_eq!(
        validation.console_lines("pharos", "q"),
        [
            r#"[GraphQL] pharos.q: GraphQL field "target" is null: timed out."#,
            "[GraphQL] Null fields: target",
        ]
    );
}

#[test]
fn errors_without_data_are_invalid() {
    for response in [
        r#"{"errors":[{"message":"Cannot query field \"targett\""}]}"#,
        r#"{"data":{},"errors":[{"message":"Cannot query field \"targett\""}]}"#,
    ] {
        let validation = validate(response);
        assert!(!validation.valid, "{response}");
        assert!(validation.null_fields.is_empty());
        assert_eq!(
            validation.console_lines("s", "t"),
            [r#"[GraphQL] s.t: Cannot query field "targett"."#]
        );
    }
}

#[test]
fn what_holds_no_null_is_valid_without_issues() {
    for response in [
        r#"{"data":{}}"#,
        r#"{"data":{"a":[],"b":{},"c":"null","d":0,"e":false}}"#,
        r#"{"data":{"a":1},"errors":[],"extensions":{"x":null}}"#,
        r#"{"data":{"a":1},"errors":null}"#,
        r#"{"data":{"a":1},"errors":false}"#,
        r#"{"data":{"a":1},"errors":""}"#,
    ] {
        let validation = validate(response);
        assert!(validation.valid && !validation.partial, "{response}");
        assert!(validation.issues.is_empty(), "{response}");
    }
}

#[test]
fn only_a_response_that_is_not_json_is_refused() {
    for response in ["", "{", r#"{"data":{"a":}}"#, r#"{"data":1} x"#, "data"] {
        let found = check(&Check {
            response,
            ..Check::default()
        });
        assert!(
            found.is_err_and(|error| error.code() == "INVALID_BODY"),
            "{response}"
        );
    }
}

#[test]
fn a_response_is_known_by_its_keys() {
    for text in [
        r#"{"data":{}}"#,
        r#"{"extensions":{},"data":null}"#,
        r#"{"errors":[]}"#,
        r#" {"ok":true,"d\u0061ta":1}"#,
    ] {
        assert!(is_response(text), "{text}");
    }
    for text in [
        "{}",
        "[]",
        "",
        "data",
        r#"{"rows":{"data":1}}"#,
        r#"["data"]"#,
        "{",
    ] {
        assert!(!is_response(text), "{text}");
    }
}

#[test]
fn of_unknown_servers_only_errors_tell_graphql() {
    for text in [
        r#"{"data":{"gene":null},"errors":[{"message":"no such gene","path":["gene"]}]}"#,
        r#"{"errors":[{"message":"x"}],"extensions":{}}"#,
    ] {
        assert!(looks_like_response(text), "{text}");
    }
    for text in [
        r#"{"data":{"gene":null}}"#,
        r#"{"data":null}"#,
        r#"{"data":null,"errors":null}"#,
        r#"{"data":{},"errors":[]}"#,
        r#"{"errors":["x"]}"#,
        r#"{"errors":{"message":"x"}}"#,
        r#"{"extensions":{}}"#,
        "{}",
        "null",
        "[",
    ] {
        assert!(!looks_like_response(text), "{text}");
    }
}

#[test]
fn the_console_has_the_usual_reasons_where_none_is_known() {
    assert_eq!(
        validate(r#"{"data":{"target":null}}"#).console_lines("pharos", "pharos_graphql_query"),
        [
            r#"[GraphQL] pharos.pharos_graphql_query: GraphQL field "target" is null."#,
            "[GraphQL] The query ran and found nothing there. The usual reasons:",
            "[GraphQL]   1. The field name is misspelt.",
            "[GraphQL]   2. The entity does not have this property.",
            "[GraphQL]   3. The filter matched no record.",
            "[GraphQL] Null fields: target",
        ]
    );
}

#[test]
fn an_invalid_answer_becomes_an_error_with_its_details() {
    let validation = validate(r#"{"data":{"a":null,"b":null,"c":null,"d":null,"e":{"f":null}}}"#);
    let error = Error::from(validation.error(vec!["line".to_owned()])).to_json();
    assert_eq!(error["code"], "GRAPHQL_NULL_DATA");
    assert_eq!(
        error["message"],
        r#"GraphQL field "a" is null; GraphQL field "b" is null; GraphQL field "c" is null; 1 more"#
    );
    assert!(error["hint"].as_str().unwrap().contains("`a` is spelt"));
    assert_eq!(error["nullFields"], json!(["a", "b", "c", "d"]));
    let issues = error["details"].as_array().unwrap();
    assert_eq!(issues.len(), 5);
    assert_eq!(issues[4]["severity"], "warning");
}

// ---- With the query

fn hint(response: &str, query: &str, variables: Value, schema: Option<&Schema>) -> Option<String> {
    let validation = check(&Check {
        response,
        query: Some(query),
        variables: Some(&variables),
        operation: None,
        schema,
    })
    .unwrap();
    validation.issues[0].hint.clone()
}

#[test]
fn the_call_that_matched_nothing_is_quoted() {
    let called = |query: &str, variables: Value, expected: &str| {
        let found = hint(r#"{"data":{"t":null}}"#, query, variables, None);
        assert_eq!(found.as_deref(), Some(expected), "{query}");
    };
    let expected = r#"target(q: {sym: "ACE22"}) matched nothing: check the argument q"#;
    let none = || json!({});
    called(
        r#"{ t: target(q:{sym:"ACE22"}) { name } }"#,
        none(),
        expected,
    );
    called(
        "query($sym: String) { t: target(q: {sym: $sym}) { name } }",
        json!({ "sym": "ACE22" }),
        expected,
    );
    called(
        "query($q: ITarget = {sym: \"ACE22\"}) { t: target(q: $q) { name } }",
        none(),
        expected,
    );
    called(
        "query($q: ITarget) { ...Root } fragment Root on Query { ... on Query { ... @include(if: true) { t: target(q: $q) { name } } } }",
        json!({ "q": { "sym": "ACE22" } }),
        expected,
    );
    called(
        "query($sym: String) { t: target(q: {sym: $sym}) { name } }",
        none(),
        "target(q: {sym: $sym}) matched nothing: no value was given for $sym",
    );
    called(
        "{ t: search(term: \"x\", species: HUMAN, top: 5) { id } }",
        none(),
        "search(term: \"x\", species: HUMAN, top: 5) matched nothing: check the argument term",
    );
    called(
        "{ t: status { id } }",
        none(),
        "`status` was asked for without arguments, and the server has no value for it",
    );
    let long = "A".repeat(500);
    called(
        &format!("{{ t: target(name: \"{long}\") {{ id }} }}"),
        none(),
        &format!(
            "target(name: \"{}…\") matched nothing: check the argument name",
            "A".repeat(39)
        ),
    );
}

#[test]
fn the_operation_that_ran_is_the_one_that_is_asked() {
    let query = "query A { t: one(id: 1) { x } } query B { t: two(id: 2) { x } }";
    let found = |operation: Option<&str>| {
        let validation = check(&Check {
            response: r#"{"data":{"t":null}}"#,
            query: Some(query),
            operation,
            ..Check::default()
        });
        validation.unwrap().issues[0].hint.clone().unwrap()
    };
    assert!(found(None).starts_with("one(id: 1)"));
    assert!(found(Some("B")).starts_with("two(id: 2)"));
    assert!(
        found(Some("C")).contains("spelt"),
        "an operation that is not there explains nothing"
    );
}

#[test]
fn a_query_that_does_not_parse_or_asks_for_something_else_explains_nothing() {
    for query in [
        "{ t: target(",
        "",
        "type A { b: C }",
        "{ other }",
        "{ ...Missing }",
        "\0\u{feff}",
    ] {
        let found = hint(r#"{"data":{"t":null}}"#, query, json!(7), None).unwrap();
        assert!(
            found.contains("`t` is spelt as in the schema"),
            "{query:?}: {found}"
        );
    }
}

#[test]
fn aliases_are_resolved_through_merged_selections_and_fragments() {
    let query = "{ t: target(q: {sym: \"A\"}) { id } ...More }
        fragment More on Query { t: target(q: {sym: \"A\"}) { d: diseases(name: \"flu\") { ...Disease } } }
        fragment Disease on Disease { n: name }";
    let response = r#"{"data":{"t":{"id":"1","d":[{"n":"x"},{"n":null}]}}}"#;
    assert_eq!(
        hint(response, query, json!({}), None).as_deref(),
        Some("it is the field `name`")
    );
    let response = r#"{"data":{"t":{"id":"1","d":null}}}"#;
    assert_eq!(
        hint(response, query, json!({}), None).as_deref(),
        Some("diseases(name: \"flu\") matched nothing: check the argument name")
    );
}

// ---- With the schema

#[test]
fn with_the_schema_a_null_is_explained_by_its_type() {
    for (form, schema) in &schemas() {
        let check = |response: &str, query: &str, expected: &str| {
            let found = hint(response, query, json!({}), Some(schema));
            assert_eq!(found.as_deref(), Some(expected), "{form}: {query}");
        };
        check(
            r#"{"data":{"t":null}}"#,
            "{ t: target { name } }",
            "`target` was asked for without arguments: it takes q",
        );
        check(
            r#"{"data":{"status":null}}"#,
            "{ status }",
            "`status` may be null in the schema (its type is JSON), and the server has no value for it",
        );
        check(
            r#"{"data":{"targett":null}}"#,
            "{ targett { name } }",
            "`Query` has no field `targett`: did you mean `target` or `targets`?",
        );
        check(
            r#"{"data":{"s":[{"tdl":null}]}}"#,
            "{ s: search(term: \"x\") { ... on Target { tdl } } }",
            "`tdl` may be null in the schema (its type is TDL): the record has no value there",
        );
        check(
            r#"{"data":{"targets":[null]}}"#,
            "{ targets { name } }",
            "`targets` is a list that may contain null (its type is [Target]): skip the nulls",
        );
    }
}

#[test]
fn without_the_query_the_schema_explains_what_it_can() {
    let schema = Schema::from_sdl(SDL).unwrap();
    let found = |response: &str| {
        let validation = check(&Check {
            response,
            schema: Some(&schema),
            ..Check::default()
        });
        validation.unwrap().issues[0].hint.clone().unwrap()
    };
    assert_eq!(
        found(r#"{"data":{"target":null}}"#),
        "`target` may be null in the schema (its type is Target): no record matched; check what was passed for q"
    );
    assert_eq!(
        found(r#"{"data":{"targett":null}}"#),
        "`Query` has no field `targett`: did you mean `target` or `targets`?"
    );
    assert!(
        found(r#"{"data":{"x":null}}"#).contains("spelt"),
        "it may be an alias"
    );
    assert_eq!(
        found(r#"{"data":{"target":{"tdl":null}}}"#),
        "`tdl` may be null in the schema (its type is TDL): the record has no value there"
    );
}
