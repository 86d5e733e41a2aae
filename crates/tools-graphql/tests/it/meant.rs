//! Suggestions for unknown names, and queries that contain no mistake.

use serde_json::{Value, json};
use tools_graphql::{Code, Given, Issue, Question, Schema, check_query, check_question};

use super::{SDL, schemas};

/// Renders issues as `message | hint`; warnings begin with `~`.
fn shown(issues: &[Issue]) -> Vec<String> {
    let shown = issues.iter().map(|issue| {
        let mark = if issue.severity.name() == "warning" {
            "~"
        } else {
            ""
        };
        let hint = issue.hint.as_deref().map(|hint| format!(" | {hint}"));
        format!("{mark}{}{}", issue.message, hint.unwrap_or_default())
    });
    shown.collect()
}

fn check(query: &str, sdl: &str, expected: &[&str]) {
    let schema = Schema::from_sdl(sdl).unwrap();
    let found = check_query(query, None, None, &schema);
    assert_eq!(shown(&found), expected, "{query}");
}

const SMALL: &str = "type Query { top(level: Level): Int genes(filter: Filter, levels: [Level], all: [Filter!]): Int page: Int }
    enum Level { LOW HIGH } input Filter { level: Level! levels: [Level!] }";

// ---- Types of interfaces and unions

#[test]
fn a_field_of_a_possible_type_comes_with_its_fragment() {
    check(
        "{ node(id: 1) { symbol } }",
        "interface Node { id: ID } type Target implements Node { id: ID symbol: String } type Query { node(id: ID): Node }",
        &["Node has no field `symbol` | write ... on Target { symbol }"],
    );
    check(
        "{ node(id: 1) { symbl } }",
        "interface Node { id: ID } type Target implements Node { id: ID symbol: String } type Query { node(id: ID): Node }",
        &["Node has no field `symbl` | did you mean `symbol`? write ... on Target { symbol }"],
    );
    check(
        "{ hit { symbol } }",
        "union Hit = Target | Disease type Target { symbol: String } type Disease { id: ID } type Query { hit: Hit }",
        &["Hit has no field `symbol` | write ... on Target { symbol }"],
    );
    check(
        "{ hit { quite_other } }",
        "union Hit = Target | Disease type Target { symbol: String } type Disease { id: ID } type Query { hit: Hit }",
        &["Hit has no field `quite_other` | Hit is a union: write ... on Target or Disease { … }"],
    );
}

#[test]
fn a_fragment_that_never_fits_is_told_with_what_would() {
    let sdl = "union Hit = Target | Disease type Target { symbol: String } type Disease { id: ID } type Other { x: Int } type Query { hit: Hit target: Target }";
    check(
        "{ hit { ... on Other { x } } target { ... on Disease { id } } }",
        sdl,
        &[
            "inline fragment with type condition `Other` cannot be applied to `Hit` | a value of type Hit may be Target or Disease",
            "inline fragment with type condition `Disease` cannot be applied to `Target` | a value of type Target cannot have another type: leave the fragment out",
        ],
    );
    // An undefined type may be one of the possible types.
    let part = "union Hit = Target | Unknown type Target { symbol: String } interface Node { id: ID } type Query { hit: Hit }";
    check("{ hit { ... on Node { id } } }", part, &[]);
}

// ---- Variables

#[test]
fn a_variable_of_another_type_is_named_with_both_types() {
    let message = "the variable `$l` is of type String, and `filter.level` takes Level!";
    check(
        "query($l: String) { genes(filter: {level: $l}) }",
        SMALL,
        &[&format!("{message} | declare $l: Level!")],
    );
    check(
        "query($l: String) { genes(levels: [LOW, $l]) }",
        SMALL,
        &["the variable `$l` is of type String, and `levels` takes Level | declare $l: Level"],
    );
    check(
        "query($l: Level! = LOW) { genes(filter: {level: $l, levels: [$l]}) }",
        SMALL,
        &[],
    );
    // In a fragment of several operations the declaration of the variable is ambiguous.
    let query = "query A($l: String) { ...F } query B($l: Level!) { ...F } fragment F on Query { genes(filter: {level: $l}) }";
    let schema = Schema::from_sdl(SMALL).unwrap();
    let found = shown(&check_query(query, None, Some("A"), &schema));
    assert!(
        !found.iter().any(|line| line.contains("declare")),
        "{found:?}"
    );
}

#[test]
fn a_variable_that_is_not_declared_comes_with_the_one_that_is() {
    check(
        "query($level: Level) { top(level: $levle) }",
        SMALL,
        &[
            "variable `$levle` is not defined | did you mean `$level`?",
            "~unused variable: `$level` | use it, or leave it out",
        ],
    );
    let schema = Schema::from_sdl(SMALL).unwrap();
    let given = json!({ "l": "LOW" });
    let found = check_query("{ top(level: $l) }", Some(&given), None, &schema);
    assert_eq!(
        shown(&found),
        [
            "variable `$l` is not defined | it has a value: declare $l among the variables of the operation",
            "~the operation declares no variable `$l` | the operation declares none",
        ]
    );
    let found = check_query(
        "query($aaa: Level) { top(level: $zzz) }",
        None,
        None,
        &schema,
    );
    assert_eq!(
        shown(&found)[0],
        "variable `$zzz` is not defined | the operation declares $aaa"
    );
    // Each operation declares its own variables.
    let query = "query A($level: Level) { top(level: $level) } query B { top(level: $levle) }";
    let found = check_query(query, None, Some("A"), &schema);
    assert_eq!(
        shown(&found),
        ["variable `$levle` is not defined | the operation declares none"]
    );
}

#[test]
fn what_stands_behind_a_misspelt_name_is_not_called_unused() {
    check(
        "query($level: Level) { tpo: topp(level: $level) { ...F } } fragment F on Query { page }",
        SMALL,
        &[
            "Query has no field `topp` | did you mean `top`? the fields of Query include top, genes and page",
        ],
    );
}

#[test]
fn a_value_for_no_variable_comes_with_those_that_there_are() {
    let schema = Schema::from_sdl(SMALL).unwrap();
    let query = "query($level: Level) { top(level: $level) }";
    let found = check_query(query, Some(&json!({ "zzz": 1 })), None, &schema);
    assert_eq!(
        shown(&found),
        ["~the operation declares no variable `$zzz` | the operation declares $level"]
    );
}

#[test]
fn values_and_operations_that_may_be_elsewhere_are_not_asked_for() {
    let schema = Schema::from_sdl(SMALL).unwrap();
    let check = |query: &str, variables: Given<&Value>, operation: Given<&str>| {
        let question = Question {
            query,
            variables,
            operation,
        };
        shown(&check_question(&question, &schema))
    };
    let query = "query($l: Level!) { top(level: $l) }";
    let missed = check(query, Given::Nothing, Given::Nothing);
    assert_eq!(missed, ["the variable `$l` of type Level! has no value"]);
    assert!(check(query, Given::Unknown, Given::Nothing).is_empty());
    let two = "query A { page } query B($l: Level!) { top(level: $l) }";
    let missed = check(two, Given::Unknown, Given::Nothing);
    assert!(
        missed[0].starts_with("the query has several operations"),
        "{missed:?}"
    );
    assert!(check(two, Given::Unknown, Given::Unknown).is_empty());
    assert!(check(two, Given::Nothing, Given::Unknown).is_empty());
    // The known values are checked all the same.
    let value = json!({ "l": "HIHG" });
    assert_eq!(check(query, Given::Value(&value), Given::Unknown).len(), 1);
    assert_eq!(check("{ pgae }", Given::Unknown, Given::Unknown).len(), 1);
}

// ---- Directives

fn introspected(directives: Value) -> Schema {
    let mut answer = json!({ "__schema": {
        "queryType": { "name": "Query" },
        "types": [{ "kind": "OBJECT", "name": "Query", "fields": [{ "name": "a", "type": { "kind": "SCALAR", "name": "Int" } }] }],
    } });
    if !directives.is_null() {
        answer["__schema"]["directives"] = directives;
    }
    Schema::parse(&answer).unwrap()
}

#[test]
fn directives_of_the_server_are_known_by_introspection() {
    let int = json!({ "kind": "SCALAR", "name": "Int" });
    let schema = introspected(json!([
        { "name": "cascade", "locations": ["FIELD", "HOLOGRAM", "OBJECT"], "args": [] },
        { "name": "cached", "locations": ["QUERY"], "args": [{ "name": "ttl", "type": { "kind": "NON_NULL", "ofType": int } }] },
        { "name": "include", "locations": ["FIELD"], "args": [{ "name": "if", "type": { "kind": "NON_NULL", "ofType": { "kind": "SCALAR", "name": "Boolean" } } }] },
    ]));
    let check = |query: &str| shown(&check_query(query, None, None, &schema));
    for valid in [
        "{ a @cascade }",
        "{ a @cascade @cascade }",
        "query @cached(ttl: 60) { a @include(if: true) @skip(if: false) }",
        "{ ... @defer { a } }",
        "{ a @stream }",
    ] {
        assert_eq!(check(valid), Vec::<String>::new(), "{valid}");
    }
    assert_eq!(
        check("{ a @inclde(if: true) }"),
        ["the schema has no directive `@inclde` | did you mean `@include`?"]
    );
    assert_eq!(
        check("{ a @quiteOther }"),
        ["the schema has no directive `@quiteOther`"]
    );
    assert_eq!(check("query @cascade { a }").len(), 1);
    assert_eq!(check("query @cached { a }").len(), 1);
}

#[test]
fn where_the_schema_is_silent_about_directives_none_is_refused() {
    let silent = [
        introspected(Value::Null),
        introspected(json!([{ "name": "cached", "locations": ["QUERY"] }, { "name": 7 }])),
        Schema::from_sdl("type Query { a: Int }").unwrap(),
    ];
    for schema in silent {
        let found = check_query("{ a @cascade }", None, None, &schema);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].code, found[0].severity.name()),
            (Code::NotChecked, "warning")
        );
        let found = check_query("{ a @inclde(if: true) }", None, None, &schema);
        assert_eq!(
            shown(&found),
            [
                "~the schema does not say whether there is a directive `@inclde` | did you mean `@include`?"
            ]
        );
    }
    let schema = Schema::from_sdl(SDL).unwrap();
    assert_eq!(
        check_query("{ version @nope }", None, None, &schema)[0].code,
        Code::InvalidQuery
    );
}

// ---- What the schema names and does not define

#[test]
fn types_that_the_schema_only_names_are_not_judged_and_told_so() {
    let part = "type Query { a(in: In, at: DateTime): Int thing: Thing }";
    let told = |names: &str| {
        format!(
            "~the schema does not define {names}: the parts of the query that use them were not checked | pass a schema that has all types of the query"
        )
    };
    check(
        "query($x: In!, $at: DateTime) { a(in: $x, at: $at) }",
        part,
        &[
            "the variable `$x` of type In! has no value",
            &told("DateTime and In"),
        ],
    );
    check(
        "{ a(in: {x: 1}, at: \"2020\") }",
        part,
        &[&told("DateTime and In")],
    );
    check(
        "{ thing { x { y } } ... on Thing { x } }",
        part,
        &[&told("Thing")],
    );
    check(
        "{ thing { ...F } } fragment F on Thing { x }",
        part,
        &[&told("Thing")],
    );
    check(
        "query($x: Inn) { a(in: $x) }",
        "type Query { a(in: Int): Int }",
        &["the schema has no type `Inn`"],
    );
}

#[test]
fn types_of_the_language_are_there_though_the_schema_does_not_use_them() {
    let sdl = "scalar JSON type Query { a(j: JSON): String }";
    check(
        "query($n: Int = 1, $f: Float, $b: Boolean, $i: ID) { a(j: {n: $n, f: $f, b: $b, i: $i}) }",
        sdl,
        &[],
    );
}

// ---- Suggestions that may be wrong

#[test]
fn behind_a_suggestion_stands_all_that_there_is() {
    check(
        "{ top(level: HIHG) }",
        SMALL,
        &[
            "Level has no value `HIHG` | did you mean `HIGH`? the values of Level include LOW and HIGH",
        ],
    );
    check(
        "{ pgae }",
        SMALL,
        &[
            "Query has no field `pgae` | did you mean `page`? the fields of Query include top, genes and page",
        ],
    );
}

#[test]
fn an_empty_query_is_called_so() {
    for (form, schema) in &schemas() {
        for query in ["", " \n", "# { version }"] {
            let found = shown(&check_query(query, None, None, schema));
            assert_eq!(found, ["the query is empty | write { field }"], "{form}");
        }
    }
}
