//! The reason given for a null: the actual one, or none.

use serde_json::{Value, json};
use tools_graphql::{Check, Given, Question, Schema, Validation, check, check_answer};

use super::{SDL, lines};

const TOLD: &str = "the text after the colon is the server's explanation";

fn explained(response: &str, query: &str, sdl: Option<&str>) -> Validation {
    let schema = sdl.map(|sdl| Schema::from_sdl(sdl).unwrap());
    check(&Check {
        response,
        query: Some(query),
        schema: schema.as_ref(),
        ..Check::default()
    })
    .unwrap()
}

/// Returns the hint of the first null.
fn hint(response: &str, query: &str, sdl: Option<&str>) -> String {
    let issues = explained(response, query, sdl).issues;
    let null = issues
        .into_iter()
        .find(|issue| issue.code.name() == "GRAPHQL_NULL_FIELD");
    null.and_then(|issue| issue.hint).unwrap()
}

// ---- The words of the server

#[test]
fn where_the_server_says_why_nothing_else_is_blamed() {
    let answer = |path: &str| {
        format!(
            r#"{{"data":{{"target":{{"name":null,"ligands":null}}}},"errors":[{{"message":"service down","path":["target","{path}"]}}]}}"#
        )
    };
    let query = "{ target(q: {sym: \"A\"}) { name ligands(name: \"x\") { id } } }";
    for schema in [None, Some(SDL)] {
        assert_eq!(hint(&answer("name"), query, schema), TOLD);
    }
    let issues = explained(&answer("ligands"), query, None).issues;
    assert_eq!(
        issues[2].message,
        "GraphQL field \"ligands\" is null: service down"
    );
    assert_eq!(issues[2].hint.as_deref(), Some(TOLD));
}

#[test]
fn an_error_below_a_null_made_it() {
    let response = r#"{"data":{"targets":[{"ligands":[null]}]},"errors":[{"message":"no id","path":["targets",0,"ligands",0,"id"]}]}"#;
    let validation = explained(response, "{ targets { ligands { id } } }", Some(SDL));
    let null = &validation.issues[1];
    assert_eq!(null.message, "a GraphQL list contains null: no id");
    assert_eq!(null.hint.as_deref(), Some(TOLD));
    // A longer name with the same beginning is another field.
    let response =
        r#"{"data":{"t":{"name":null,"names":1}},"errors":[{"message":"m","path":["t","names"]}]}"#;
    assert_eq!(
        lines(&explained(response, "{ t { name names } }", None))[1],
        r#"warning GRAPHQL_NULL_FIELD data.t.name x1: GraphQL field "name" is null"#
    );
}

#[test]
fn an_error_at_one_of_several_places_is_told_and_explains_that_one() {
    let response = r#"{"data":{"genes":[{"name":null},{"name":null}]},"errors":[{"message":"timed out","path":["genes",1,"name"]}]}"#;
    let null = &explained(response, "{ genes { n: id name } }", None).issues[1];
    assert_eq!(
        null.message,
        "GraphQL field \"name\" is null in 2 positions: data.genes[].name; about data.genes[1].name the server says: timed out"
    );
    assert_eq!(
        null.hint.as_deref(),
        Some("where the server gives no reason: test it for null before you read its fields")
    );
    let response = r#"{"data":{"genes":[{"name":null},{"name":null}]},"errors":[{"message":"a","path":["genes",0,"name"]},{"message":"b","path":["genes",1,"name"]}]}"#;
    assert_eq!(hint(response, "{ genes { name } }", Some(SDL)), TOLD);
}

#[test]
fn the_console_gives_the_usual_reasons_for_what_the_server_does_not_explain() {
    let response = r#"{"data":{"a":null,"b":null,"c":1},"errors":[{"message":"m","path":["a"]}]}"#;
    let lines = explained(response, "{ other }", None).console_lines("s", "t");
    assert!(
        lines.iter().any(|line| line.contains("usual reasons")),
        "{lines:?}"
    );
    let response = r#"{"data":{"a":null,"c":1},"errors":[{"message":"m"}]}"#;
    let lines = explained(response, "{ other }", None).console_lines("s", "t");
    assert!(
        !lines.iter().any(|line| line.contains("usual reasons")),
        "{lines:?}"
    );
}

#[test]
fn a_name_that_the_schema_has_is_not_said_to_be_misspelt() {
    let query = "{ target(q: {sym: \"A\"}) { id } }";
    let response = r#"{"data":{"target":null}}"#;
    let lines = explained(response, query, Some(SDL))
        .console_lines("s", "t")
        .join("\n");
    assert!(!lines.contains("misspelt"), "{lines}");
    assert!(
        lines.contains("  1. The entity does not have this property."),
        "{lines}"
    );
    let lines = explained(response, query, None)
        .console_lines("s", "t")
        .join("\n");
    assert!(
        lines.contains("  1. The field name is misspelt."),
        "{lines}"
    );
}

// ---- Operations that write

#[test]
fn a_mutation_that_answers_null_is_said_to_have_run() {
    let sdl = "type Query { a: Int } type Mutation { drop(id: ID!): Boolean }";
    let ran = "the mutation ran, and its server returned null: it may have done its work, so look before you repeat it";
    for schema in [None, Some(sdl)] {
        for (response, query) in [
            (r#"{"data":{"drop":null}}"#, "mutation { drop(id: \"1\") }"),
            (r#"{"data":null}"#, "mutation { drop(id: \"1\") }"),
        ] {
            let validation = explained(response, query, schema);
            assert_eq!(
                validation.issues[0].hint.as_deref(),
                Some(ran),
                "{response}"
            );
            let lines = validation.console_lines("s", "t");
            assert!(lines.contains(&format!("[GraphQL] {ran}.")), "{lines:?}");
            assert!(
                !lines.iter().any(|line| line.contains("found nothing")),
                "{lines:?}"
            );
        }
    }
    let refused = r#"{"data":{"drop":null},"errors":[{"message":"locked","path":["drop"]}]}"#;
    assert_eq!(hint(refused, "mutation { drop(id: 1) }", Some(sdl)), TOLD);
}

// ---- Promises of the schema

#[test]
fn a_null_that_the_schema_rules_out_is_not_said_to_be_allowed() {
    let check = |response: &str, query: &str, field: &str| {
        let expected = format!(
            "the schema does not allow null here ({field}): the server violates its schema, or the schema belongs to another server"
        );
        assert_eq!(hint(response, query, Some(SDL)), expected, "{query}");
    };
    check(
        r#"{"data":{"targets":[{"sym":null}]}}"#,
        "{ targets { sym } }",
        "`sym` is of type String!",
    );
    check(
        r#"{"data":{"s":[{"n":null}]}}"#,
        "{ s: search(term: \"x\") { ...D } } fragment D on Disease { n: name }",
        "`name` is of type String!",
    );
    check(
        r#"{"data":{"targets":[{"ligands":[null]}]}}"#,
        "{ targets { ligands { id } } }",
        "`ligands` is of type [Ligand!]!",
    );
    check(
        r#"{"data":{"version":null}}"#,
        "{ version }",
        "`version` is of type String!",
    );
    check(
        r#"{"data":{"targets":[{"ligands":null}]}}"#,
        "{ targets { ligands(top: 5) { id } } }",
        "`ligands` is of type [Ligand!]!",
    );
    let schema = Schema::from_sdl(SDL).unwrap();
    let found = check_answer(r#"{"data":{"version":null}}"#, None, Some(&schema)).unwrap();
    assert!(
        found.issues[0]
            .hint
            .as_ref()
            .unwrap()
            .contains("does not allow null")
    );
    // The list may hold null; nested lists are distinguished.
    let sdl = "type Query { grid: [[Int]!] other: Int }";
    assert!(
        hint(r#"{"data":{"grid":[[null]]}}"#, "{ grid }", Some(sdl)).contains("may contain null")
    );
    assert!(
        hint(r#"{"data":{"grid":[null]}}"#, "{ grid }", Some(sdl)).contains("does not allow null")
    );
    assert!(
        !hint(r#"{"data":{"other":[null]}}"#, "{ other }", Some(sdl))
            .contains("does not allow null")
    );
}

// ---- The call that is blamed

#[test]
fn a_key_of_several_fields_blames_none_of_them() {
    let query = "{ search { __typename ... on Target { x: ligands(name: \"a\") { id } } ... on Disease { x: drugs(phase: 4) { id } } } }";
    let response = r#"{"data":{"search":[{"__typename":"Target","x":null}]}}"#;
    let expected = "it is `ligands` of Target or `drugs` of Disease";
    let found = hint(response, query, None);
    assert!(
        [expected, "it is `drugs` of Disease or `ligands` of Target"].contains(&found.as_str()),
        "{found}"
    );
    let query = "{ search { ... on Target { x: name(of: 1) } ... on Disease { x: name(of: 2) } } }";
    assert!(hint(response, query, None).starts_with("it is `name` of "));
    // The same call on two types is one call, but its type differs.
    let sdl = "type Query { s: [U] } union U = A | B type A { n: String } type B { n: String! }";
    let query = "{ s { ... on A { n } ... on B { n } } }";
    let found = hint(r#"{"data":{"s":[{"n":null}]}}"#, query, Some(sdl));
    assert!(found.starts_with("test it for null"), "{found}");
}

#[test]
fn arguments_that_choose_no_record_are_not_blamed() {
    let check = |query: &str, variables: Value, sdl: Option<&str>, expected: &str| {
        let schema = sdl.map(|sdl| Schema::from_sdl(sdl).unwrap());
        let found = check(&Check {
            response: r#"{"data":{"t":null}}"#,
            query: Some(query),
            variables: Some(&variables),
            schema: schema.as_ref(),
            ..Check::default()
        });
        let hint = found.unwrap().issues[0].hint.clone().unwrap();
        assert!(hint.ends_with(expected), "{query}: {hint}");
    };
    let none = || json!({});
    let only_id = "matched nothing: check the argument id";
    check(
        "{ t: gene(id: \"X\", retired: false, format: SHORT) { id } }",
        none(),
        None,
        only_id,
    );
    check(
        "query($r: Boolean) { t: gene(id: \"X\", retired: $r) { id } }",
        json!({ "r": true }),
        None,
        only_id,
    );
    check(
        "query($f: Format) { t: gene(id: \"X\", format: $f) }",
        json!({ "f": "SHORT" }),
        Some("type Query { gene(id: ID, format: Format): Int } enum Format { SHORT LONG }"),
        only_id,
    );
    check(
        "{ t: genes(kind: RNA) { id } }",
        none(),
        None,
        "check the argument kind",
    );
    check(
        "{ t: genes(first: 5, after: \"abc\") { id } }",
        none(),
        None,
        "check the argument after",
    );
    check(
        "{ t: genes(first: 5) { id } }",
        none(),
        None,
        "has no value; its arguments only select a page, not a record",
    );
}

// ---- What is not known of the question

#[test]
fn values_and_operations_that_may_be_elsewhere_are_not_missed() {
    let hint = |query: &str, variables: Given<&Value>, operation: Given<&str>| {
        let question = Question {
            query,
            variables,
            operation,
        };
        let found = check_answer(r#"{"data":{"t":null}}"#, Some(&question), None);
        found.unwrap().issues[0].hint.clone().unwrap()
    };
    let query = "query($i: ID!) { t: gene(id: $i) { id } }";
    assert!(hint(query, Given::Nothing, Given::Nothing).ends_with("no value was given for $i"));
    assert!(hint(query, Given::Unknown, Given::Nothing).ends_with("check the argument id"));
    let query = "query A { t: one(id: 1) } query B { t: two(id: 2) }";
    assert!(hint(query, Given::Nothing, Given::Nothing).contains("one(id: 1)"));
    assert!(hint(query, Given::Nothing, Given::Unknown).contains("spelt as in the schema"));
    assert!(hint(query, Given::Nothing, Given::Value("B")).contains("two(id: 2)"));
    let query = "query A { t: one(id: 1) }";
    assert!(hint(query, Given::Nothing, Given::Unknown).contains("one(id: 1)"));
}
