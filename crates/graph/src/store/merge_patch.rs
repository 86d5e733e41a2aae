//! JSON merge patches (RFC 7396) of texts. Members that the patch does not name keep their exact
//! text, including numbers of any length.
//!
//! SQLite's `json_patch` searches all members of the target for each member of the patch, which
//! takes minutes for objects of 100,000 members.

use std::collections::HashMap;

use base::entries::Entries;
use base::{Error, Result};
use serde_json::value::RawValue;

use super::pieces::quoted;

/// Returns the result of applying a patch to an object. Both are JSON objects of a checked depth,
/// which bounds the recursion.
pub(crate) fn merge(target: &str, patch: &str) -> Result<String> {
    let target: Entries<String, &RawValue> = parse(target)?;
    let patch: Entries<String, &RawValue> = parse(patch)?;
    // Of two members with the same name the last counts, as in all JSON readers.
    let mut patches: HashMap<&str, &RawValue> = HashMap::with_capacity(patch.0.len());
    patches.extend(patch.0.iter().map(|(name, value)| (name.as_str(), *value)));
    let mut merged = Object::default();
    for (name, value) in &target.0 {
        match patches.get(name.as_str()) {
            None => merged.push(name, value.get()),
            Some(patch) if patch.get() == "null" => {}
            Some(patch) => merged.push(name, &apply(value.get(), patch.get())?),
        }
    }
    let mut known: HashMap<&str, ()> = HashMap::with_capacity(target.0.len());
    known.extend(target.0.iter().map(|(name, _)| (name.as_str(), ())));
    for (name, _) in &patch.0 {
        if known.contains_key(name.as_str()) {
            continue;
        }
        // Removing it from the map writes a duplicate name only once.
        if let Some(value) = patches.remove(name.as_str())
            && value.get() != "null"
        {
            merged.push(name, &apply("null", value.get())?);
        }
    }
    Ok(merged.finish())
}

/// Returns an object with the members of another that it lacks, also within nested objects. Both
/// are JSON objects of a checked depth.
pub(crate) fn filled(object: &str, other: &str) -> Result<String> {
    let own: Entries<String, &RawValue> = parse(object)?;
    let other: Entries<String, &RawValue> = parse(other)?;
    let mut others: HashMap<&str, &RawValue> = HashMap::with_capacity(other.0.len());
    others.extend(other.0.iter().map(|(name, value)| (name.as_str(), *value)));
    let mut whole = Object::default();
    for (name, value) in &own.0 {
        match others.remove(name.as_str()) {
            Some(other) if value.get().starts_with('{') && other.get().starts_with('{') => {
                whole.push(name, &filled(value.get(), other.get())?);
            }
            _ => whole.push(name, value.get()),
        }
    }
    for (name, _) in &other.0 {
        // Removing it from the map writes a duplicate name only once.
        if let Some(value) = others.remove(name.as_str()) {
            whole.push(name, value.get());
        }
    }
    Ok(whole.finish())
}

fn apply(target: &str, patch: &str) -> Result<String> {
    if !patch.starts_with('{') {
        return Ok(patch.to_owned());
    }
    let target = if target.starts_with('{') {
        target
    } else {
        "{}"
    };
    merge(target, patch)
}

fn parse(text: &str) -> Result<Entries<String, &RawValue>> {
    serde_json::from_str(text)
        .map_err(|error| Error::invalid(format!("data cannot be read: {error}")))
}

#[derive(Default)]
struct Object(String);

impl Object {
    fn push(&mut self, name: &str, value: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.push_str(&quoted(name));
        self.0.push(':');
        self.0.push_str(value);
    }

    fn finish(mut self) -> String {
        if self.0.is_empty() {
            self.0.push('{');
        }
        self.0.push('}');
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::merge;

    /// The examples of RFC 7396, appendix A, whose target and patch are objects, and cases in which
    /// the exact text matters.
    #[test]
    fn a_patch_changes_what_it_names() {
        for (target, patch, expected) in [
            (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"a":null}"#, "{}"),
            (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
            (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
            (
                r#"{"a":{"b":"c"}}"#,
                r#"{"a":{"b":"d","c":null}}"#,
                r#"{"a":{"b":"d"}}"#,
            ),
            (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
            (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"e":null,"a":1}"#),
            ("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
            (
                r#"{"n":9007199254740993,"f":1.10}"#,
                r#"{"b":18446744073709551616,"b":1e400}"#,
                r#"{"n":9007199254740993,"f":1.10,"b":1e400}"#,
            ),
        ] {
            assert_eq!(merge(target, patch).unwrap(), expected, "{target} {patch}");
        }
    }

    #[test]
    fn large_objects_are_merged_in_linear_time() {
        let object = |from: usize| {
            let members: Vec<String> = (from..from + 100_000)
                .map(|number| format!("\"k{number}\":{number}"))
                .collect();
            format!("{{{}}}", members.join(","))
        };
        let merged = merge(&object(0), &object(50_000)).unwrap();
        assert_eq!(merged.matches(':').count(), 150_000);
    }
}
