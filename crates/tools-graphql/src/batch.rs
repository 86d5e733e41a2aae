//! Checks a list of results, with which a server answers several queries sent at once.
//!
//! The query of each element is not known here, so nulls are found but not explained.

use serde::de::{Deserializer as _, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::issue::{Issue, Severity};
use super::scan::Key;
use super::text::push_index;
use super::validation::Validation;
use super::verdict::{check_one, no_response};
use crate::limits::{MAX_GRAPHQL_BATCH, MAX_GRAPHQL_ISSUES, MAX_GRAPHQL_NULL_FIELDS};

/// Returns true if a list begins with a result that has only `data`, `errors` and `extensions`.
pub(super) fn is_batch(list: &str) -> bool {
    let mut found = false;
    // An error ends the reading early.
    let _ = serde_json::Deserializer::from_str(list).deserialize_seq(First(&mut found));
    found
}

/// Checks each result of a list.
///
/// # Errors
///
/// The error of serde_json for a text that is not JSON.
pub(super) fn check(list: &str) -> serde_json::Result<Validation> {
    let mut sum = Sum {
        whole: Validation {
            valid: true,
            ..Validation::default()
        },
        ..Sum::default()
    };
    let mut deserializer = serde_json::Deserializer::from_str(list);
    deserializer.deserialize_seq(&mut sum)?;
    deserializer.end()?;
    Ok(sum.finish())
}

#[derive(Default)]
struct Sum {
    whole: Validation,
    warnings: Vec<Issue>,
    elements: usize,
    /// The number of elements that are not results.
    others: usize,
}

impl Sum {
    fn add(&mut self, one: Validation) {
        let mut place = String::new();
        push_index(&mut place, self.elements);
        self.elements += 1;
        if one.issues.first() == Some(&no_response()) {
            self.others += 1;
            return;
        }
        self.whole.valid &= one.valid;
        self.whole.partial |= one.partial;
        self.whole.null_count += one.null_count;
        self.whole.omitted_issues += one.omitted_issues;
        self.whole.omitted_null_fields += one.omitted_null_fields;
        for name in one.null_fields {
            if self.whole.null_fields.len() < MAX_GRAPHQL_NULL_FIELDS {
                self.whole.null_fields.push(format!("{place}.{name}"));
            } else {
                self.whole.omitted_null_fields += 1;
            }
        }
        for mut issue in one.issues {
            issue.path = Some(match issue.path {
                Some(path) => format!("{place}.{path}"),
                None => place.clone(),
            });
            self.list(issue);
        }
    }

    fn list(&mut self, issue: Issue) {
        let list = match issue.severity {
            Severity::Error => &mut self.whole.issues,
            Severity::Warning => &mut self.warnings,
        };
        if list.len() < MAX_GRAPHQL_ISSUES {
            list.push(issue);
        } else {
            self.whole.omitted_issues += 1;
        }
    }

    fn finish(mut self) -> Validation {
        let issues = &mut self.whole.issues;
        if self.others == self.elements.min(MAX_GRAPHQL_BATCH) {
            issues.push(no_response());
        } else {
            // Before the warnings, because there may be many.
            if self.others > 0 {
                issues.push(Issue::not_checked(
                    format!(
                        "{} elements of the list are not GraphQL responses and were not checked",
                        self.others
                    ),
                    "each element of a list of responses must have data or errors",
                ));
            }
            if self.elements > MAX_GRAPHQL_BATCH {
                issues.push(Issue::not_checked(
                    format!(
                        "the list has {} elements: only the first {MAX_GRAPHQL_BATCH} were checked",
                        self.elements
                    ),
                    "check the others separately",
                ));
            }
        }
        issues.append(&mut self.warnings);
        let more = issues.len().saturating_sub(MAX_GRAPHQL_ISSUES);
        issues.truncate(MAX_GRAPHQL_ISSUES);
        self.whole.omitted_issues += more as u64;
        self.whole
    }
}

impl<'de> Visitor<'de> for &mut Sum {
    type Value = ();

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a list of GraphQL responses")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while self.elements < MAX_GRAPHQL_BATCH {
            let Some(raw) = list.next_element::<&RawValue>()? else {
                return Ok(());
            };
            let one = check_one(raw.get(), None, None).map_err(A::Error::custom)?;
            self.add(one);
        }
        while list.next_element::<IgnoredAny>()?.is_some() {
            self.elements += 1;
        }
        Ok(())
    }
}

/// A visitor that reads only the first element of a list.
struct First<'a>(&'a mut bool);

impl<'de> Visitor<'de> for First<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a list of GraphQL responses")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        if let Some(first) = list.next_element::<&RawValue>()? {
            let mut keys = Keys::default();
            let _ = serde_json::Deserializer::from_str(first.get()).deserialize_map(&mut keys);
            *self.0 = keys.wanted && !keys.others;
        }
        Err(A::Error::custom("known"))
    }
}

#[derive(Default)]
struct Keys {
    wanted: bool,
    others: bool,
}

impl<'de> Visitor<'de> for &mut Keys {
    type Value = ();

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a GraphQL response")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Key)? {
            match key.as_ref() {
                "data" | "errors" => self.wanted = true,
                "extensions" => {}
                _ => self.others = true,
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}
