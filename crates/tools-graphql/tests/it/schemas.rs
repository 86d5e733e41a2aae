//! Schemas of servers: bare, wrapped, newer than the specification, or invalid.

use base::CommonError;
use base::Error;
use serde_json::{Value, json};
use tools_graphql::{Code, INTROSPECTION_QUERY, Schema, check_query};

use super::{INTROSPECTION, SDL};

fn messages(schema: &Schema, query: &str) -> Vec<String> {
    check_query(query, None, None, schema)
        .into_iter()
        .map(|issue| issue.message)
        .collect()
}

/// Returns the result of an introspection with one type `Query`, for a test to change.
fn small() -> Value {
    json!({ "__schema": {
        "queryType": { "name": "Query" },
        "types": [{ "kind": "OBJECT", "name": "Query", "fields": [
            { "name": "gene", "args": [{ "name": "id", "type": { "kind": "NON_NULL", "ofType": { "kind": "SCALAR", "name": "ID" } } }],
              "type": { "kind": "OBJECT", "name": "Gene" } },
        ] }, { "kind": "OBJECT", "name": "Gene", "fields": [{ "name": "symbol", "type": { "kind": "SCALAR", "name": "String" } }] }],
    } })
}

#[test]
fn our_introspection_is_a_query_that_every_schema_allows() {
    let schema = Schema::from_sdl(SDL).unwrap();
    assert_eq!(messages(&schema, INTROSPECTION_QUERY), Vec::<String>::new());
}

#[test]
fn an_introspection_may_stand_in_an_answer_or_by_itself() {
    let whole: Value = serde_json::from_str(INTROSPECTION).unwrap();
    let bare = whole["data"].to_string();
    for text in [INTROSPECTION, &bare] {
        let schema = Schema::from_introspection(text).unwrap();
        assert_eq!(
            messages(&schema, "{ targett { id } }"),
            ["Query has no field `targett`"]
        );
    }
    for value in [whole, json!(bare), json!(SDL), json!(INTROSPECTION)] {
        let schema = Schema::parse(&value).unwrap();
        assert_eq!(messages(&schema, "{ version }"), Vec::<String>::new());
    }
}

#[test]
fn what_a_schema_has_too_new_or_wrong_is_left_out() {
    let mut answer = small();
    let types = answer["__schema"]["types"].as_array_mut().unwrap();
    types.extend([
        json!({ "kind": "HOLOGRAM", "name": "New" }),
        json!({ "kind": "OBJECT", "name": "no name", "fields": [] }),
        json!({ "kind": "OBJECT", "name": "type Evil { x: Int } type" }),
        json!({ "kind": "OBJECT" }),
        json!({ "name": "NoKind" }),
        json!({ "kind": "UNION", "name": "U", "possibleTypes": [{ "name": "Nowhere" }, { "name": null }] }),
        json!({ "kind": "OBJECT", "name": "Loose", "interfaces": [{ "name": "Nowhere" }], "fields": [{ "name": "x", "type": { "kind": "OBJECT", "name": "Nowhere" } }] }),
        json!({ "kind": "INPUT_OBJECT", "name": "In", "inputFields": [{ "name": "in", "type": { "kind": "NON_NULL", "ofType": { "kind": "INPUT_OBJECT", "name": "In" } } }] }),
        json!({ "kind": "OBJECT", "name": "Gene", "fields": null }),
        json!({ "kind": "OBJECT", "name": "String", "fields": [] }),
        json!({ "kind": "OBJECT", "name": "__Type", "fields": [] }),
    ]);
    let fields = answer["__schema"]["types"][0]["fields"]
        .as_array_mut()
        .unwrap();
    fields.extend([
        json!({ "name": "deep", "type": { "kind": "LIST", "ofType": { "kind": "NON_NULL", "ofType": null } } }),
        json!({ "name": "odd", "type": { "kind": "NON_NULL", "ofType": { "kind": "NON_NULL", "ofType": { "kind": "OBJECT", "name": "Loose" } } } }),
        json!({ "name": "untyped" }),
        json!({ "name": "u", "type": { "kind": "UNION", "name": "U" }, "isDeprecated": "perhaps", "directives": 7 }),
    ]);
    let schema = Schema::parse(&answer).unwrap();
    assert_eq!(
        messages(&schema, "{ gene(id: 1) { symbol } }"),
        Vec::<String>::new()
    );
    assert_eq!(
        messages(&schema, "{ gene { symbl } }"),
        [
            "Query.gene needs the argument `id` of type ID!",
            "Gene has no field `symbl`"
        ]
    );
    // Parts that could not be read exist, but nothing more is known about them.
    for query in ["{ deep }", "{ untyped }", "{ u { __typename } }"] {
        assert_eq!(messages(&schema, query), Vec::<String>::new(), "{query}");
    }
    let unjudged = |query: &str, names: &str| {
        let issues = check_query(query, None, None, &schema);
        assert_eq!(issues.len(), 1, "{query}: {issues:?}");
        assert_eq!(issues[0].code, Code::NotChecked);
        let expected = format!("the schema does not define {names}:");
        assert!(
            issues[0].message.starts_with(&expected),
            "{}",
            issues[0].message
        );
    };
    unjudged("{ odd { x { y } } }", "Nowhere");
    unjudged("{ deep { any { thing } } }", "one more");
    unjudged(
        "{ u { ... on New { x } ... on NoKind { y } } }",
        "New and NoKind",
    );
}

#[test]
fn an_entry_of_another_shape_spoils_no_other() {
    let mut answer = small();
    let types = answer["__schema"]["types"].as_array_mut().unwrap();
    types.extend([
        json!({ "kind": null, "name": "NullKind" }),
        json!({ "kind": "OBJECT", "name": 5 }),
        json!({ "kind": "OBJECT", "name": "Broken", "fields": [{ "name": "x", "args": 7 }] }),
        json!(17),
        json!([]),
    ]);
    let fields = answer["__schema"]["types"][0]["fields"]
        .as_array_mut()
        .unwrap();
    fields.push(json!({ "name": "broken", "args": [{ "name": "in", "type": 5 }], "type": { "kind": "OBJECT", "name": "Broken" } }));
    // Now `Query` itself cannot be read, so nothing is checked against it.
    let schema = Schema::parse(&answer).unwrap();
    let issues = check_query("{ gene { symbl } }", None, None, &schema);
    assert!(
        issues.iter().all(|issue| issue.code == Code::NotChecked),
        "{issues:?}"
    );
    let fields = answer["__schema"]["types"][0]["fields"]
        .as_array_mut()
        .unwrap();
    fields[1]["args"] = json!([{ "name": "in", "type": { "kind": "NON_NULL" } }]);
    let schema = Schema::parse(&answer).unwrap();
    assert_eq!(
        messages(&schema, "{ gene(id: 1) { symbl } }"),
        ["Gene has no field `symbl`"]
    );
    for query in ["{ broken(in: {a: 1}) { x } }", "{ broken { x } }"] {
        let issues = check_query(query, None, None, &schema);
        assert!(
            issues.iter().all(|issue| issue.code == Code::NotChecked),
            "{issues:?}"
        );
    }
}

#[test]
fn what_is_no_schema_is_refused_with_what_one_looks_like() {
    let refused = |schema: Value, part: &str| {
        let error = Schema::parse(&schema).unwrap_err();
        assert!(
            matches!(error.of(), Some(CommonError::InvalidArgument { .. })),
            "{schema}"
        );
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.hint().is_some());
    };
    refused(json!(7), "`schema`");
    refused(json!({}), "`__schema`");
    refused(json!({ "data": { "__schema": null } }), "`__schema`");
    refused(json!({ "__schema": { "types": [] } }), "query type");
    refused(
        json!({ "__schema": { "queryType": { "name": "1" }, "types": [] } }),
        "query type",
    );
    refused(json!({ "__schema": { "queryType": 5 } }), "invalid type");
    refused(json!("{ not json"), "introspection");
    refused(json!("type Query {\n  a: }"), "line 2, column 6");
    refused(json!(""), "syntax error");
    refused(json!("type Other { a: Int }"), "no type Query");
    refused(json!("heart attack"), "syntax error");
}

#[test]
fn schemas_over_the_limits_are_refused() {
    use tools_graphql::limits::{
        MAX_GRAPHQL_INTROSPECTION_BYTES, MAX_GRAPHQL_SCHEMA_MEMBERS, MAX_GRAPHQL_SDL_BYTES,
    };
    let too_big =
        |found: Result<Schema, Error>| assert!(found.is_err_and(|error| error.code() == "TOO_BIG"));
    too_big(Schema::from_introspection(
        &" ".repeat(MAX_GRAPHQL_INTROSPECTION_BYTES + 1),
    ));
    too_big(Schema::from_introspection(
        &"{},".repeat(MAX_GRAPHQL_SCHEMA_MEMBERS + 1),
    ));
    too_big(Schema::from_sdl(&" ".repeat(MAX_GRAPHQL_SDL_BYTES + 1)));
    too_big(Schema::from_sdl(&format!(
        "type Query {{ {} }}",
        "a:B ".repeat(200_000)
    )));
    let nested = format!(
        "type Query {{ a: {}Int{} }}",
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    too_big(Schema::from_sdl(&nested));
}
