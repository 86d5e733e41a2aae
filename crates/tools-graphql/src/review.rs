//! Checks a query against the schema before it is sent.
//!
//! Two checks are combined: [`NameCheck`] looks up names and suggests similar ones; apollo-compiler
//! knows every rule of the specification. A position that the check of names has reported is not
//! reported again. Fragments are visited once, at their definition, so the work is linear in the
//! text. The recursion of both is limited by the nesting that the parser accepts.

use apollo_compiler::ast::{Definition, Document, OperationDefinition};
use apollo_compiler::parser::Parser;
use serde_json::Value;

use super::diagnostics::{self, Diagnostics};
use super::issue::{Code, Issue, Severity};
use super::lines::Lines;
use super::name_check::{LISTED_NAMES, NameCheck};
use super::question::{Given, Question};
use super::schema::Schema;
use super::text::{listed, shorten};
use super::variables;
use crate::limits::{
    MAX_GRAPHQL_DEPTH, MAX_GRAPHQL_QUERY_BYTES, MAX_GRAPHQL_QUERY_ISSUES, MAX_GRAPHQL_QUERY_TOKENS,
};
use base::did_you_mean;
use base::nearest;

/// Checks a query as [`check_question`] does. Variables or an operation name that are `None` count
/// as not sent.
pub fn check_query(
    query: &str,
    variables: Option<&Value>,
    operation: Option<&str>,
    schema: &Schema,
) -> Vec<Issue> {
    let question = Question {
        query,
        variables: variables.into(),
        operation: operation.into(),
    };
    check_question(&question, schema)
}

/// Returns the parts of a query that the schema does not allow: misspelt fields and arguments,
/// missing ones, wrong types, variables without a value. Errors come first, in the order of the
/// text, each with its line and column; those of variables have a path instead. An unused part is a
/// warning, and no reason to refuse the query.
///
/// A query over the limits is not checked, which is also reported as a warning: the server will
/// check it. The same applies to types that the schema names but does not define.
pub fn check_question(question: &Question<'_>, schema: &Schema) -> Vec<Issue> {
    let query = question.query;
    if query.len() > MAX_GRAPHQL_QUERY_BYTES {
        return vec![over_limit(&format!(
            "is longer than {MAX_GRAPHQL_QUERY_BYTES} bytes"
        ))];
    }
    let lines = Lines::new(query);
    let mut parser = Parser::new()
        .recursion_limit(MAX_GRAPHQL_DEPTH)
        .token_limit(MAX_GRAPHQL_QUERY_TOKENS);
    let parsed = parser.parse_ast(query, "query");
    if parser.tokens_reached() > MAX_GRAPHQL_QUERY_TOKENS {
        return vec![over_limit(&format!(
            "has more than {MAX_GRAPHQL_QUERY_TOKENS} tokens"
        ))];
    }
    if parser.recursion_reached() > MAX_GRAPHQL_DEPTH {
        return vec![over_limit(&format!(
            "nests deeper than {MAX_GRAPHQL_DEPTH} levels"
        ))];
    }
    let mut issues = match parsed {
        Err(error) => located(diagnostics::of_syntax(query, &error.errors), &lines),
        Ok(document) => judge(&document, question, schema, &lines),
    };
    issues.sort_by_key(|issue| issue.severity != Severity::Error);
    if issues.len() > MAX_GRAPHQL_QUERY_ISSUES {
        issues.truncate(MAX_GRAPHQL_QUERY_ISSUES - 1);
        issues.push(Issue::not_checked(
            format!("the query has more than {} issues", issues.len()),
            "fix those that are listed, and check it again",
        ));
    }
    issues
}

fn judge(
    document: &Document,
    question: &Question<'_>,
    schema: &Schema,
    lines: &Lines<'_>,
) -> Vec<Issue> {
    let mut names = NameCheck::new(schema, document);
    names.document();
    let mut diagnostics = Diagnostics::new(document, question, schema);
    if let Err(error) = document.to_executable_validate(schema.inner()) {
        diagnostics.read(&error.errors, &names);
    }
    let undefined: Vec<&str> = names.undefined.iter().copied().collect();
    let mut found = names.issues;
    found.extend(diagnostics.issues);
    let mut issues = located(found, lines);
    if let Some(operation) = chosen(document, question.operation, &mut issues) {
        issues.extend(variables::check(operation, question.variables, schema));
    }
    if !undefined.is_empty() {
        issues.push(undefined_types(&undefined));
    }
    issues
}

fn over_limit(what: &str) -> Issue {
    Issue::not_checked(
        format!("the query {what}, so it was not validated against the schema"),
        "the server will check it; only shorter queries are checked here",
    )
}

fn undefined_types(names: &[&str]) -> Issue {
    let mut known: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| !name.starts_with("__"))
        .take(LISTED_NAMES)
        .collect();
    let more = names.len().saturating_sub(known.len());
    let others = match more {
        0 => String::new(),
        1 => "one more".to_owned(),
        more => format!("{more} more"),
    };
    if more > 0 {
        known.push(&others);
    }
    let message = format!(
        "the schema does not define {}: the parts of the query that use them were not checked",
        listed(&known)
    );
    Issue::not_checked(
        shorten(&message, crate::limits::MAX_GRAPHQL_TEXT_CHARACTERS),
        "pass a schema that has all types of the query",
    )
}

/// Sorts the issues by their position in the text.
fn located(mut found: Vec<(usize, Issue)>, lines: &Lines<'_>) -> Vec<Issue> {
    found.sort_by_key(|(offset, _)| *offset);
    found
        .into_iter()
        .take(2 * MAX_GRAPHQL_QUERY_ISSUES)
        .map(|(offset, mut issue)| {
            issue.locations = vec![lines.locate(offset)];
            issue
        })
        .collect()
}

/// Returns the operation that will run.
fn chosen<'a>(
    document: &'a Document,
    name: Given<&str>,
    issues: &mut Vec<Issue>,
) -> Option<&'a OperationDefinition> {
    let operations = || {
        document
            .definitions
            .iter()
            .filter_map(|definition| match definition {
                Definition::OperationDefinition(operation) => Some(&**operation),
                _ => None,
            })
    };
    let Given::Value(name) = name else {
        if operations().nth(1).is_some() {
            if name.is_unknown() {
                return None;
            }
            let names: Vec<&str> = operations()
                .filter_map(|operation| operation.name.as_ref().map(|name| name.as_str()))
                .take(LISTED_NAMES)
                .collect();
            let message = "the query has several operations, and none is chosen".to_owned();
            let mut issue = Issue::new(Severity::Error, Code::InvalidQuery, message);
            issue.hint = Some(format!("pass operationName: one of {}", listed(&names)));
            issues.push(issue);
            return None;
        }
        return operations().next();
    };
    let found =
        operations().find(|operation| operation.name.as_ref().is_some_and(|own| own == name));
    if found.is_none() {
        let names =
            operations().filter_map(|operation| operation.name.as_ref().map(|name| name.as_str()));
        let suggestions = nearest(name, names);
        let mut issue = Issue::new(
            Severity::Error,
            Code::InvalidQuery,
            format!("the query has no operation `{}`", shorten(name, 64)),
        );
        issue.hint = did_you_mean(&suggestions);
        issue.suggestions = suggestions;
        issues.push(issue);
    }
    found
}
