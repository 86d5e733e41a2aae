//! Reports of unchecked parts, and the accuracy of counts.

use tools_graphql::limits::{
    MAX_GRAPHQL_BATCH, MAX_GRAPHQL_ISSUES, MAX_GRAPHQL_NULL_FIELDS, MAX_GRAPHQL_QUERY_BYTES,
    MAX_GRAPHQL_QUERY_ISSUES,
};
use tools_graphql::{Code, Issue, Schema, Severity, check_query, is_response};

use super::{SDL, lines, validate};

fn not_checked(issues: &[Issue]) -> Vec<&str> {
    let found = issues
        .iter()
        .filter(|issue| issue.code == Code::NotChecked && issue.severity == Severity::Warning);
    found.map(|issue| issue.message.as_str()).collect()
}

#[test]
fn a_query_over_a_limit_is_told_to_be_unchecked() {
    let schema = Schema::from_sdl(SDL).unwrap();
    let nested = "{ target ".repeat(3_000) + &"}".repeat(3_000);
    let aliases: String = (0..9_000).map(|at| format!("a{at}: version ")).collect();
    let long = format!("{{ version }}{}", " ".repeat(MAX_GRAPHQL_QUERY_BYTES));
    for (query, part) in [
        (nested, "nests deeper than 100 levels"),
        (format!("{{ {aliases} }}"), "has more than 20000 tokens"),
        (long, "is longer than 262144 bytes"),
    ] {
        let issues = check_query(&query, None, None, &schema);
        assert_eq!(issues.len(), 1, "{part}");
        assert!(not_checked(&issues)[0].contains(part), "{part}");
    }
}

#[test]
fn fragments_that_double_are_judged_whole() {
    let schema = Schema::from_sdl(SDL).unwrap();
    let doubled = |last: &str| {
        let fragments: String = (0..25)
            .map(|at| format!("fragment F{at} on Target {{ ...F{0} ...F{0} }} ", at + 1))
            .collect();
        let query =
            format!("{{ target {{ ...F0 }} }} {fragments} fragment F25 on Target {{ {last} }}");
        check_query(&query, None, None, &schema)
    };
    assert!(doubled("name").is_empty());
    assert_eq!(doubled("nmae")[0].suggestions, ["name"]);
}

#[test]
fn issues_of_a_query_beyond_those_listed_are_told() {
    let schema = Schema::from_sdl(SDL).unwrap();
    let query = |fields: usize| {
        let fields: String = (0..fields).map(|at| format!("xyz{at} ")).collect();
        check_query(&format!("{{ {fields} }}"), None, None, &schema)
    };
    assert!(not_checked(&query(MAX_GRAPHQL_QUERY_ISSUES)).is_empty());
    let issues = query(MAX_GRAPHQL_QUERY_ISSUES + 5);
    assert_eq!(issues.len(), MAX_GRAPHQL_QUERY_ISSUES);
    assert_eq!(not_checked(&issues), ["the query has more than 19 issues"]);
}

#[test]
fn what_is_no_response_is_told_to_be_unchecked() {
    for response in [
        r#"{"rows":[null,{"a":null}]}"#,
        r#"{"gene":null}"#,
        r#"{"result":{"data":{"gene":null}}}"#,
        r#"{"errors":[]}"#,
        "{}",
        "[]",
        "[null]",
        "null",
        "\"data\"",
        "17",
    ] {
        let validation = validate(response);
        assert!(validation.valid && !validation.partial, "{response}");
        assert_eq!(not_checked(&validation.issues).len(), 1, "{response}");
        assert_eq!(validation.issues.len(), 1, "{response}");
    }
}

#[test]
fn nulls_that_lie_too_deep_are_told_of() {
    let nested = |levels: usize, value: &str| {
        let (open, close) = (r#"{"a":"#.repeat(levels), "}".repeat(levels));
        format!(r#"{{"data":{open}{value}{close}}}"#)
    };
    let validation = validate(&nested(100, "null"));
    assert_eq!(validation.null_count, 1);
    assert!(not_checked(&validation.issues).is_empty());
    for value in [r#"{"b":null}"#, "[1,2]"] {
        let validation = validate(&nested(100, value));
        assert!(validation.valid);
        let told = not_checked(&validation.issues);
        assert_eq!(
            told,
            ["a value is deeper than 100 levels and not searched for nulls"]
        );
    }
    for value in ["{}", "[]", "5", "\"x\""] {
        assert!(validate(&nested(100, value)).issues.is_empty(), "{value}");
    }
}

#[test]
fn the_count_of_nulls_is_that_of_all() {
    let count = |response: &str| validate(response).null_count;
    assert_eq!(count(r#"{"data":null}"#), 1);
    assert_eq!(
        count(r#"{"data":{"a":null,"b":{"c":null,"d":[null,1]}}}"#),
        3
    );
    assert_eq!(count(r#"{"data":{"a":1},"extensions":null}"#), 0);
}

#[test]
fn every_null_is_listed_or_counted_as_omitted() {
    let places: String = (0..30_000)
        .map(|at| format!(r#"{{"k{at}":null}},"#))
        .collect();
    let validation = validate(&format!(r#"{{"data":{{"list":[{places}1]}}}}"#));
    assert_eq!(validation.null_count, 30_000);
    let listed: u64 = validation
        .issues
        .iter()
        .filter_map(|issue| issue.count)
        .sum();
    assert_eq!(listed, MAX_GRAPHQL_ISSUES as u64);
    assert_eq!(listed + validation.omitted_issues, 30_000);
}

#[test]
fn many_null_root_fields_are_named_and_the_rest_is_counted() {
    let nulls = |count: usize| {
        let fields: String = (0..count).map(|at| format!(r#""g{at}":null,"#)).collect();
        validate(&format!(r#"{{"data":{{{fields}"z":1}}}}"#))
    };
    let validation = nulls(250);
    assert_eq!(validation.null_fields.len(), 250);
    assert_eq!(validation.omitted_null_fields, 0);
    assert_eq!(validation.omitted_issues, 150);
    assert!(validation.to_json().get("omittedNullFields").is_none());
    let validation = nulls(MAX_GRAPHQL_NULL_FIELDS + 7);
    assert_eq!(validation.null_fields.len(), MAX_GRAPHQL_NULL_FIELDS);
    assert_eq!(validation.to_json()["omittedNullFields"], 7);
}

#[test]
fn of_a_root_field_that_is_repeated_the_last_counts() {
    let check = |fields: &str, nulls: &[&str]| {
        let validation = validate(&format!(r#"{{"data":{{{fields}}}}}"#));
        assert_eq!(validation.null_fields, nulls, "{fields}");
        assert_eq!(validation.null_count, nulls.len() as u64, "{fields}");
        assert_eq!(validation.valid, nulls.is_empty(), "{fields}");
    };
    check(r#""a":null,"a":{"x":1}"#, &[]);
    check(r#""a":null,"a":null"#, &["a"]);
    check(r#""a":null,"a":1,"a":null,"b":1"#, &["a"]);
    check(r#""a":null,"b":null,"a":1"#, &["b"]);
}

#[test]
fn a_byte_order_mark_hides_no_null() {
    let text = "\u{feff}{\"data\":{\"gene\":null}}";
    assert!(is_response(text));
    assert_eq!(validate(text).null_fields, ["gene"]);
}

// ---- Lists of responses

#[test]
fn each_response_of_a_list_is_checked() {
    let text = r#" [{"data":{"a":1}},{"data":{"gene":null,"b":[null]}},{"errors":[{"message":"m"}],"data":null}]"#;
    assert!(is_response(text));
    let validation = validate(text);
    assert!(!validation.valid);
    assert_eq!(validation.null_fields, ["[1].gene", "[2].data"]);
    assert_eq!(validation.null_count, 3);
    assert_eq!(
        lines(&validation),
        [
            r#"error GRAPHQL_NULL_FIELD [1].data.gene: GraphQL field "gene" is null"#,
            "error GRAPHQL_NULL_DATA [2].data: GraphQL data is null: m",
            "error GRAPHQL_ERROR [2]: m",
            "warning GRAPHQL_NULL_FIELD [1].data.b[0] x1: a GraphQL list contains null",
        ]
    );
    assert!(
        validate(r#"[{"data":{"a":1}},{"data":{}}]"#)
            .issues
            .is_empty()
    );
}

#[test]
fn a_list_is_one_of_responses_only_where_the_first_has_nothing_else() {
    for text in [r#"[{"data":null}]"#, r#"[{"extensions":{},"errors":[]},7]"#] {
        assert!(is_response(text), "{text}");
    }
    for text in [
        "[]",
        "[null]",
        "[[]]",
        r#"[{"data":1,"id":2}]"#,
        r#"[{"extensions":1}]"#,
        "[",
    ] {
        assert!(!is_response(text), "{text}");
    }
}

#[test]
fn elements_of_a_list_that_were_not_checked_are_told() {
    let validation = validate(r#"[{"data":{"a":1}},{"rows":[]},null]"#);
    assert!(validation.valid);
    assert_eq!(
        not_checked(&validation.issues),
        ["2 elements of the list are not GraphQL responses and were not checked"]
    );
    let many = format!(
        "[{}{{}}]",
        r#"{"data":null},"#.repeat(MAX_GRAPHQL_BATCH + 20)
    );
    let validation = validate(&many);
    assert_eq!(validation.null_count, MAX_GRAPHQL_BATCH as u64);
    assert_eq!(validation.issues.len(), MAX_GRAPHQL_ISSUES);
    assert_eq!(validation.omitted_issues, 901);
    let many = format!("[{}{{}}]", r#"{"data":{"a":1}},"#.repeat(MAX_GRAPHQL_BATCH));
    assert_eq!(
        not_checked(&validate(&many).issues),
        ["the list has 1001 elements: only the first 1000 were checked"]
    );
}
