//! Parses arguments. Text that two JSON readers might interpret differently is an issue with its
//! path: a duplicate name (the check would see the last value, the server perhaps the first), and a
//! number that is too large.

use base::entries::Entries;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::Issue;
use super::words::{self, Place};
use crate::limits::MAX_ARGUMENT_ISSUES;
use session::limits::MAX_JSON_DEPTH;

/// Parses a JSON text.
///
/// # Errors
/// The issues of duplicate names, or the single issue of a text that cannot be read.
pub fn read(text: &str) -> Result<Value, Vec<Issue>> {
    let mut repeated = Vec::new();
    let value = serde_json::from_str(text)
        .map_err(|error| Issue::whole(format!("cannot be read: {error}")))
        .and_then(|raw| parse(raw, &Place::Whole, MAX_JSON_DEPTH, &mut repeated))
        .map_err(|issue| vec![issue])?;
    if repeated.is_empty() {
        Ok(value)
    } else {
        Err(repeated)
    }
}

/// Parses each level separately, so that the path of a problem is known. The depth is limited, and
/// so is the work.
fn parse(
    raw: &RawValue,
    place: &Place<'_>,
    depth: usize,
    repeated: &mut Vec<Issue>,
) -> Result<Value, Issue> {
    let text = raw.get();
    let unreadable = |error: serde_json::Error| match error.to_string() {
        message if message.starts_with("number out of range") => {
            let message = "is a number that is too large".to_owned();
            Issue::new(place.text(), message, Vec::new())
        }
        message => Issue::whole(format!("cannot be read: {message}")),
    };
    if !text.starts_with(['[', '{']) {
        return serde_json::from_str(text).map_err(unreadable);
    }
    let below = depth
        .checked_sub(1)
        .ok_or_else(|| Issue::whole(words::too_deep()))?;
    if text.starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(text).map_err(unreadable)?;
        let items = items
            .into_iter()
            .enumerate()
            .map(|(number, item)| parse(item, &Place::Item(place, number), below, repeated));
        return items.collect();
    }
    let entries: Entries<String, &RawValue> = serde_json::from_str(text).map_err(unreadable)?;
    let mut object = Map::new();
    for (name, raw) in entries.0 {
        let place = Place::Name(place, &name);
        if object.contains_key(&name) && repeated.len() < MAX_ARGUMENT_ISSUES {
            let message = "must not be given twice".to_owned();
            repeated.push(Issue::new(place.text(), message, Vec::new()));
        }
        let value = parse(raw, &place, below, repeated)?;
        object.insert(name, value);
    }
    Ok(Value::Object(object))
}
