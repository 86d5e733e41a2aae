//! Checks a result with data for two problems: fields that the query selects but the server did not
//! send, and errors that a mutation returns as data, such as Shopify's `userErrors`.
//!
//! The data is read level by level, as the query selects it. Only the first elements of a list and
//! a limited number of bytes are read. The rest is not checked, and no issue is reported about it.

use apollo_compiler::ast::{DirectiveList, OperationType, Selection};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::issue::{Code, Issue, Severity};
use super::query::RunOperation;
use super::text::{push_index, push_key, shorten};
use crate::limits::{
    MAX_GRAPHQL_DEPTH, MAX_GRAPHQL_PAYLOAD_BYTES, MAX_GRAPHQL_PAYLOAD_ELEMENTS,
    MAX_GRAPHQL_PAYLOAD_ISSUES, MAX_GRAPHQL_TEXT_CHARACTERS,
};
use base::entries::Entries;

/// The members of an object.
type Members<'a> = Entries<String, &'a RawValue>;

/// Returns the findings; errors of mutations come first.
pub(super) fn issues(text: &str, asked: Option<&RunOperation<'_>>) -> Vec<Issue> {
    #[derive(Deserialize)]
    struct Response<'a> {
        #[serde(borrow, default)]
        data: Option<&'a RawValue>,
    }
    let Ok(Response { data: Some(data) }) = serde_json::from_str::<Response<'_>>(text) else {
        return Vec::new();
    };
    let mut review = Review {
        issues: Vec::new(),
        left_bytes: MAX_GRAPHQL_PAYLOAD_BYTES,
    };
    let is_mutation = asked.is_some_and(|asked| asked.operation_type() == OperationType::Mutation);
    review.user_errors(data, is_mutation);
    if let Some(asked) = asked {
        review.missing(data, asked.selections(), "data", MAX_GRAPHQL_DEPTH);
    }
    review.issues
}

/// Returns the errors that mutations report in their data, such as Shopify's `userErrors`, as
/// sentences. The text may be a whole response, the value of its `data`, or the value of one root
/// field, because tools pass on any of these.
pub fn refusals(text: &str) -> Vec<String> {
    let mut review = Review {
        issues: Vec::new(),
        left_bytes: MAX_GRAPHQL_PAYLOAD_BYTES,
    };
    let Ok(whole) = serde_json::from_str::<&RawValue>(text) else {
        return Vec::new();
    };
    // Most results have no such member and need not be parsed. The others are read up to four
    // times, once for each level.
    let is_likely =
        text.len() <= MAX_GRAPHQL_PAYLOAD_BYTES / 4 && names_user_errors_somewhere(text);
    if !is_likely || !text.trim_start().starts_with('{') {
        return Vec::new();
    }
    if let Some(members) = review.read::<Members<'_>>(whole) {
        let data = members.0.iter().find(|(name, _)| name == "data");
        if let Some((_, data)) = data {
            review.user_errors(data, false);
        }
        review.errors_among(members, None, "", false);
    }
    review.user_errors(whole, false);
    let sentences = review.issues.into_iter().map(|issue| issue.message);
    let mut distinct: Vec<String> = Vec::new();
    for sentence in sentences {
        if !distinct.contains(&sentence) {
            distinct.push(sentence);
        }
    }
    distinct
}

/// Returns true for the name of a list of user errors: `userErrors`, `mediaUserErrors`,
/// `user_errors`.
fn names_user_errors(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with("usererrors") || name.ends_with("user_errors")
}

fn names_user_errors_somewhere(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.contains("usererrors\"") || text.contains("user_errors\"")
}

struct Review {
    issues: Vec<Issue>,
    left_bytes: usize,
}

impl Review {
    /// Reads a value if the byte budget allows it.
    fn read<'a, T: Deserialize<'a>>(&mut self, json: &'a RawValue) -> Option<T> {
        self.left_bytes = self.left_bytes.checked_sub(json.get().len())?;
        serde_json::from_str(json.get()).ok()
    }

    fn add(&mut self, code: Code, message: String, path: String, hint: &str) {
        if self.issues.len() < MAX_GRAPHQL_PAYLOAD_ISSUES {
            let mut issue = Issue::new(Severity::Warning, code, message);
            issue.path = Some(shorten(&path, MAX_GRAPHQL_TEXT_CHARACTERS));
            issue.hint = Some(hint.to_owned());
            self.issues.push(issue);
        }
    }

    /// Collects the errors that root fields return in their data. A field `errors` counts only in a
    /// mutation; elsewhere it may be requested data.
    fn user_errors(&mut self, data: &RawValue, is_mutation: bool) {
        let Some(Entries(roots)) = self.read::<Members<'_>>(data) else {
            return;
        };
        for (root, payload) in roots {
            if let Some(members) = self.read::<Members<'_>>(payload) {
                let mut path = "data".to_owned();
                push_key(&mut path, &root);
                self.errors_among(members, Some(&root), &path, is_mutation);
            }
        }
    }

    /// Collects the errors among the members of an object.
    fn errors_among(
        &mut self,
        members: Members<'_>,
        root: Option<&str>,
        path: &str,
        is_mutation: bool,
    ) {
        for (name, value) in members.0 {
            let is_named = (is_mutation && name == "errors") || names_user_errors(&name);
            let list = is_named
                .then(|| self.read::<Vec<&RawValue>>(value))
                .flatten();
            let Some((first, rest)) = list.as_deref().and_then(<[_]>::split_first) else {
                continue;
            };
            let mut path = path.to_owned();
            push_key(&mut path, &name);
            let more = match rest.len() {
                0 => String::new(),
                count => format!("; and {count} more"),
            };
            let words = words_of(first);
            let what = root.map_or_else(
                || "the request".to_owned(),
                |root| format!("\"{}\"", shorten(root, 64)),
            );
            let message = format!("{what} was refused: {words}{more}");
            let hint = "the text after the colon is the server's: what it refuses was not done";
            self.add(Code::UserError, message, path, hint);
        }
    }

    /// Collects the selected fields that an object lacks.
    fn missing(&mut self, value: &RawValue, selections: &[Selection], path: &str, depth: usize) {
        let Some(below) = depth.checked_sub(1) else {
            return;
        };
        if value.get().starts_with('[') {
            let elements: Vec<&RawValue> = self.read(value).unwrap_or_default();
            for (index, element) in elements
                .iter()
                .take(MAX_GRAPHQL_PAYLOAD_ELEMENTS)
                .enumerate()
            {
                let mut path = path.to_owned();
                push_index(&mut path, index);
                self.missing(element, selections, &path, below);
            }
            return;
        }
        if !value.get().starts_with('{') {
            return;
        }
        let Some(Entries(members)) = self.read::<Members<'_>>(value) else {
            return;
        };
        for selection in selections {
            match selection {
                Selection::Field(field) if is_certain(&field.directives) => {
                    let key = field.response_name().as_str();
                    let mut path = path.to_owned();
                    push_key(&mut path, key);
                    match members.iter().find(|(name, _)| name == key) {
                        Some((_, value)) => {
                            self.missing(value, &field.selection_set, &path, below);
                        }
                        None => self.add(
                            Code::MissingField,
                            format!("the response lacks the field \"{}\"", shorten(key, 64)),
                            path,
                            "the query selects it, but the server did not send it: do not treat it as null",
                        ),
                    }
                }
                // An object of another type may rightly lack them.
                Selection::InlineFragment(fragment)
                    if fragment.type_condition.is_none() && is_certain(&fragment.directives) =>
                {
                    self.missing(value, &fragment.selection_set, path, below);
                }
                Selection::Field(_)
                | Selection::InlineFragment(_)
                | Selection::FragmentSpread(_) => {}
            }
        }
    }
}

/// Returns true if a selection does not depend on a directive.
fn is_certain(directives: &DirectiveList) -> bool {
    directives.is_empty()
}

/// Returns the text of an error, and the field that it concerns.
fn words_of(error: &RawValue) -> String {
    #[derive(Deserialize)]
    struct Told<'a> {
        message: String,
        #[serde(borrow, default)]
        field: Option<&'a RawValue>,
    }
    let text = match serde_json::from_str::<Told<'_>>(error.get()) {
        Ok(Told { message, field }) => match field.filter(|field| field.get() != "null") {
            Some(field) => format!("{message} (field {})", field.get()),
            None => message,
        },
        Err(_) => serde_json::from_str(error.get()).unwrap_or_else(|_| error.get().to_owned()),
    };
    shorten(&text, MAX_GRAPHQL_TEXT_CHARACTERS)
}

#[cfg(test)]
mod tests {
    use super::super::{Check, check};

    fn told(query: &str, response: &str) -> Vec<String> {
        let checked = check(&Check {
            response,
            query: (!query.is_empty()).then_some(query),
            ..Check::default()
        });
        let issues = checked.unwrap().issues;
        let told = issues.iter().map(|issue| {
            let path = issue.path.as_deref().unwrap_or_default();
            format!("{} {path}: {}", issue.code.name(), issue.message)
        });
        told.collect()
    }

    #[test]
    fn errors_within_data_are_told() {
        for (query, response, wanted) in [
            (
                "",
                r#"{"data":{"productCreate":{"product":{},"userErrors":[{"field":["title"],"message":"Title can't be blank"},{"message":"x"}]}}}"#,
                r#"GRAPHQL_USER_ERROR data.productCreate.userErrors: "productCreate" was refused: Title can't be blank (field ["title"]); and 1 more"#,
            ),
            (
                "",
                r#"{"data":{"c":{"customerUserErrors":[{"code":"TAKEN","message":"Email is taken"}]}}}"#,
                r#"GRAPHQL_USER_ERROR data.c.customerUserErrors: "c" was refused: Email is taken"#,
            ),
            (
                "mutation { save { errors } }",
                r#"{"data":{"save":{"errors":["Name is short"]}}}"#,
                r#"GRAPHQL_USER_ERROR data.save.errors: "save" was refused: Name is short"#,
            ),
        ] {
            assert_eq!(told(query, response), [wanted]);
        }
        for response in [
            r#"{"data":{"productCreate":{"userErrors":[]}}}"#,
            r#"{"data":{"productCreate":{"userErrors":5,"errors":{}}}}"#,
            r#"{"data":{"list":[{"userErrors":[{"message":"m"}]}]}}"#,
            r#"{"data":{"build":{"errors":["no such file"]}}}"#,
            r#"{"data":[1]}"#,
        ] {
            assert!(told("", response).is_empty(), "{response}");
        }
    }

    #[test]
    fn errors_within_the_result_of_a_tool_are_told() {
        let blank = r#""productCreate" was refused: can't be blank (field ["title"])"#;
        for (result, wanted) in [
            (
                r#"{"data":{"productCreate":{"product":null,"userErrors":[{"field":["title"],"message":"can't be blank"}]}}}"#,
                vec![blank],
            ),
            (
                r#"{"productCreate":{"userErrors":[{"field":["title"],"message":"can't be blank"}]}}"#,
                vec![blank],
            ),
            (
                r#"{"mediaUserErrors":[{"message":"too large"}],"customerUserErrors":[]}"#,
                vec!["the request was refused: too large"],
            ),
            (
                r#"{"order":{"user_errors":["a","b","c"]}}"#,
                vec![r#""order" was refused: a; and 2 more"#],
            ),
            (r#"{"data":{"p":{"userErrors":[]}}}"#, vec![]),
            (r#"{"userErrors":"none","n":1}"#, vec![]),
            (r#"[{"userErrors":["a"]}]"#, vec![]),
            ("userErrors", vec![]),
        ] {
            assert_eq!(super::refusals(result), wanted, "{result}");
        }
    }

    #[test]
    fn fields_that_the_query_selects_and_the_response_lacks_are_told() {
        let query = "query($a: Boolean!) { gene: target { id name ... { size } ...F ... on B { b } c @include(if: $a) } all { x } } fragment F on T { f }";
        let lacking = |path: &str, name: &str| {
            format!("GRAPHQL_MISSING_FIELD {path}: the response lacks the field \"{name}\"")
        };
        for (data, wanted) in [
            (
                r#"{"gene":{"id":1,"name":"n","size":2},"all":[{"x":1}]}"#,
                vec![],
            ),
            (
                r#"{"gene":{"id":1},"all":[{"x":1},{}]}"#,
                vec![
                    lacking("data.gene.name", "name"),
                    lacking("data.gene.size", "size"),
                    lacking("data.all[1].x", "x"),
                ],
            ),
            (r#"{"all":[]}"#, vec![lacking("data.gene", "gene")]),
        ] {
            assert_eq!(
                told(query, &format!(r#"{{"data":{data}}}"#)),
                wanted,
                "{data}"
            );
        }
        assert!(told("no query {", r#"{"data":{"a":1}}"#).is_empty());
    }
}
