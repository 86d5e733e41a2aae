//! Checks of queries against the schema, before they are sent.

use serde_json::{Value, json};
use tools_graphql::{Issue, check_query};

use super::schemas;

/// Renders an issue as `line:column message | hint`, or with the path instead of line and column;
/// warnings begin with `~`.
fn shown(issue: &Issue) -> String {
    let mark = if issue.severity.name() == "warning" {
        "~"
    } else {
        ""
    };
    let place = match (&issue.locations.first(), &issue.path) {
        (Some(place), _) => format!("{}:{}", place.line, place.column),
        (None, Some(path)) => path.clone(),
        (None, None) => "-".to_owned(),
    };
    let hint = issue
        .hint
        .as_deref()
        .map(|hint| format!(" | {hint}"))
        .unwrap_or_default();
    format!("{mark}{place} {}{hint}", issue.message)
}

fn with_variables(query: &str, variables: Value, operation: Option<&str>, expected: &[&str]) {
    for (form, schema) in &schemas() {
        let issues = check_query(query, Some(&variables), operation, schema);
        let found: Vec<String> = issues.iter().map(shown).collect();
        assert_eq!(found, expected, "{form}: {query}");
    }
}

fn check(query: &str, expected: &[&str]) {
    with_variables(query, Value::Null, None, expected);
}

#[test]
fn queries_that_the_schema_allows_have_no_issues() {
    check(
        "{ target(q: {sym: \"ACE2\", species: HUMAN}) { name tdl __typename diseases(top: 3) { name parent { id } } } }",
        &[],
    );
    check(
        "{ search(term: \"x\") { __typename ... on Target { sym } ...D } } fragment D on Disease { name }",
        &[],
    );
    check(
        "{ a: version b: version node(id: 5) { id ... on Annotated { xrefs { name } } } __schema { types { name } } }",
        &[],
    );
    check("mutation { annotate(id: \"1\", note: \"x\") { id } }", &[]);
    check(
        "{ targets(filter: {facet: \"TDL\", values: \"Tclin\"}) { pubCount } }",
        &[],
    );
    with_variables(
        "query T($q: ITarget, $top: Int = 5, $f: [IFilter!]) { target(q: $q) { id } targets(filter: $f, top: $top) { id } }",
        json!({ "q": { "sym": "A", "species": "MOUSE" }, "f": [{ "facet": "x", "values": ["y"], "not": null }], "top": 5.0 }),
        Some("T"),
        &[],
    );
}

#[test]
fn misspelt_names_come_with_the_nearest_right_ones() {
    check(
        "{\n  targett(q: {sym: \"A\"}) { name }\n}",
        &[
            "2:3 Query has no field `targett` | did you mean `target` or `targets`? the fields of Query include target, targets, disease, diseases, ligand, search, node, status and version",
        ],
    );
    check(
        "{ target(q: {sym: \"A\"}) { t: nmae } }",
        &[
            "1:30 Target has no field `nmae` | did you mean `name`? the fields of Target include id, xrefs, name, sym, description, tdl, novelty, pubCount, diseases, ligands and publications",
        ],
    );
    check(
        "{ disease(nam: \"x\") { id } }",
        &[
            "1:11 Query.disease takes no argument `nam` | did you mean `name`? its arguments are name",
        ],
    );
    check(
        "{ targets(filter: {facets: \"TDL\", values: \"x\"}) { id } }",
        &[
            "1:20 IFilter has no field `facets` | did you mean `facet`? its fields are facet, values and not",
        ],
    );
    check(
        "{ target(query: {}) { id } }",
        &["1:10 Query.target takes no argument `query` | its arguments are q"],
    );
    check(
        "{ target(q: {symbl: \"A\", species: HUMN}) { id } }",
        &[
            "1:14 ITarget has no field `symbl` | did you mean `sym`? its fields are sym, uniprot and species",
            "1:35 Species has no value `HUMN` | did you mean `HUMAN`? the values of Species include HUMAN, MOUSE and RAT",
        ],
    );
    check(
        "{ search(term: \"a\") { ... on Targt { name } } }",
        &["1:30 the schema has no type `Targt` | did you mean `Target` or `ITarget`?"],
    );
    check(
        "{ target { ...Basics } } fragment Basic on Target { id }",
        &[
            "1:12 the query has no fragment `Basics` | did you mean `Basic`?",
            "~1:26 fragment `Basic` must be used in an operation | use it, or leave it out",
        ],
    );
    check(
        "query($q: Itarget) { target(q: $q) { id } }",
        &["1:11 the schema has no type `Itarget` | did you mean `ITarget` or `Target`?"],
    );
    check(
        "mutation { annotte(id: 1, note: \"x\") { id } }",
        &[
            "1:12 Mutation has no field `annotte` | did you mean `annotate`? the fields of Mutation include annotate",
        ],
    );
    check(
        "{ disease(name: $nam) { id } }",
        &["1:17 variable `$nam` is not defined | the operation declares none"],
    );
}

#[test]
fn required_arguments_that_are_missing_are_named() {
    let message =
        "1:3 Query.disease needs the argument `name` of type String! | write disease(name: …)";
    check("{ disease { id } }", &[message]);
    check("{ disease(name: null) { id } }", &[message]);
    check(
        "{ targets(filter: {facet: \"a\"}) { id } }",
        &["1:19 the argument `filter` needs the field `values` of type [String!]!"],
    );
}

#[test]
fn wrong_types_are_named_where_they_stand() {
    check(
        "{ search(term: 5) { __typename } }",
        &["1:16 the argument `term` is a whole number, but its type is String! | write \"5\""],
    );
    check(
        "{ diseases(top: \"many\") { id } }",
        &[
            "1:17 the argument `top` is a text, but its type is Int | write numbers, true and false without quotes: many",
        ],
    );
    check(
        "{ search(term: ACE2) { __typename } target(q: {sym: 5, species: 1}) { id } }",
        &[
            "1:16 the argument `term` is a name, but its type is String! | write texts in double quotes",
            "1:53 the argument `q.sym` is a whole number, but its type is String | write \"5\"",
            "1:65 the argument `q.species` is a whole number, but its type is Species",
        ],
    );
    check(
        "{ ligand(id: {a: 1}) { id } targets(filter: [{facet: null, values: [null]}]) { id } a: targets(top: [1]) { id } }",
        &[
            "1:14 the argument `id` is an object, but its type is ID!",
            "1:54 the argument `filter.facet` is null, but its type is String!",
            "1:69 the argument `filter.values` is null, but its type is String!",
            "1:101 the argument `top` is a list, but its type is Int",
        ],
    );
    check(
        "{ target(q: {species: \"HUMAN\"}) { id } }",
        &["1:23 Species is an enum: write its values without quotes | did you mean `HUMAN`?"],
    );
    check(
        "query($q: String) { target(q: $q) { id } }",
        &[
            "1:28 variable `$q` of type `String` cannot be used for argument `q` of type `ITarget` | declare the variable with the type of the argument",
        ],
    );
    check(
        "{ target }",
        &[
            "1:3 `target` is of type Target, but none of its fields are selected | write target { id }; its fields are id, xrefs, name, sym, description, tdl, novelty, pubCount, diseases, ligands and publications",
        ],
    );
    check(
        "{ version { major } }",
        &["1:3 `version` is of type String!, which has no fields | write version without braces"],
    );
    check(
        "{ search(term: \"x\") { name } }",
        &[
            "1:23 SearchHit has no field `name` | Target, Disease and Ligand have it: write ... on Target { name }",
        ],
    );
    check(
        "subscription { version }",
        &["1:1 `subscription` root operation type is not defined"],
    );
}

#[test]
fn values_of_variables_are_held_against_their_types() {
    let query = "query($name: String!, $q: ITarget, $top: Int) { disease(name: $name) { id } target(q: $q) { id } targets(top: $top) { id } }";
    let check =
        |variables: Value, expected: &[&str]| with_variables(query, variables, None, expected);
    check(
        json!(null),
        &["variables.name the variable `$name` of type String! has no value"],
    );
    check(
        json!([]),
        &["variables the variables are a list, not an object"],
    );
    check(
        json!({ "name": null }),
        &["variables.name variables.name is null, but its type is String!"],
    );
    check(
        json!({ "name": 5, "top": "3", "q": { "sym": ["a"], "speces": "HUMAN", "species": "HUMN" } }),
        &[
            "variables.name variables.name is a whole number, but its type is String",
            "variables.q.sym variables.q.sym is a list, but its type is String",
            "variables.q.species variables.q.species is \"HUMN\", which is not a value of Species | did you mean `HUMAN`?",
            "variables.q.speces ITarget has no field `speces` | did you mean `species`?",
            "variables.top variables.top is a text, but its type is Int",
        ],
    );
    check(
        json!({ "nam": "x", "name": "x" }),
        &["~variables.nam the operation declares no variable `$nam` | did you mean `name`?"],
    );
    check(
        json!({ "name": "x", "top": 3_000_000_000_u32 }),
        &["variables.top variables.top is a whole number, but its type is Int"],
    );
}

#[test]
fn the_operation_that_is_meant_must_be_there() {
    let query = "query Targets { targets { id } } query Version { version }";
    check(
        query,
        &[
            "- the query has several operations, and none is chosen | pass operationName: one of Targets and Version",
        ],
    );
    with_variables(query, json!({}), Some("Version"), &[]);
    with_variables(
        query,
        json!({}),
        Some("Versio"),
        &["- the query has no operation `Versio` | did you mean `Version`?"],
    );
}

#[test]
fn a_query_that_does_not_parse_is_told_with_its_place() {
    check(
        "{\n  target(q: {sym: \"A\"}) { name }\n",
        &["3:1 syntax error: expected `}`, found the end"],
    );
    check(
        "{ x: version x: status }",
        &[
            "1:14 operation must not select different types using the same name `x` | give one of them another alias",
        ],
    );
}

#[test]
fn what_is_merely_unused_is_a_warning() {
    check(
        "query($a: Int) { version }",
        &["~1:7 unused variable: `$a` | use it, or leave it out"],
    );
}
