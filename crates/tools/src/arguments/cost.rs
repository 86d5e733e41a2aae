//! How much work a check will be, foreseen.
//!
//! The library tries every branch of a schema on every value, so schemas that refer to themselves twice double their work with each level
//! of the value. Here the same walk is made with a memory: each pair of a schema and a value is looked at once, and the numbers are added
//! up. The bound is high for what real tools declare, and low enough that errors of every branch fit into memory. References that come
//! back to a schema on the same value have no end and are found here, too.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::patterns;
use super::prepare::Prepared;
use super::survey::Target;
use crate::limits::{
    MAX_SCHEMA_CHECK_DEPTH, MAX_SCHEMA_CHECK_MISSING, MAX_SCHEMA_CHECK_VISITS,
    MAX_SCHEMA_CHECK_WORK,
};

/// Visits that a published metaschema makes for each value: its vocabularies and their keywords.
const METASCHEMA_VISITS: u64 = 64;
/// States of an expression and bytes of a text, multiplied, that make one unit of work.
const STATE_BYTES: u64 = 8;

/// Whether the arguments can be checked against the schema within the limits.
pub(super) fn is_bearable(prepared: &Prepared, arguments: &Value) -> bool {
    let mut estimate = Estimate {
        prepared,
        known: HashMap::new(),
        open: HashSet::new(),
        steps: MAX_SCHEMA_CHECK_VISITS,
    };
    estimate
        .cost(&prepared.document, arguments, MAX_SCHEMA_CHECK_DEPTH)
        .is_some()
}

#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    visits: u64,
    work: u64,
    /// Missing names: each error keeps a list of its own.
    missing: u64,
}

impl Cost {
    fn add(&mut self, other: Self) -> Option<()> {
        self.visits += other.visits;
        self.work = self.work.saturating_add(other.work);
        self.missing = self.missing.saturating_add(other.missing);
        let bearable = self.visits <= MAX_SCHEMA_CHECK_VISITS
            && self.work <= MAX_SCHEMA_CHECK_WORK
            && self.missing <= MAX_SCHEMA_CHECK_MISSING;
        bearable.then_some(())
    }
}

type Pair = (usize, usize);

struct Estimate<'a> {
    prepared: &'a Prepared,
    known: HashMap<Pair, Cost>,
    open: HashSet<Pair>,
    steps: u64,
}

impl<'a> Estimate<'a> {
    /// `None`: too much, too deep, or without end.
    fn cost(&mut self, schema: &'a Value, value: &Value, depth: usize) -> Option<Cost> {
        let below = depth.checked_sub(1)?;
        self.steps = self.steps.checked_sub(1)?;
        let mut cost = Cost {
            visits: 1,
            work: 1,
            missing: 0,
        };
        let Some(keywords) = schema.as_object() else {
            return Some(cost);
        };
        let pair = (address(schema), address(value));
        if let Some(known) = self.known.get(&pair) {
            return Some(*known);
        }
        if !self.open.insert(pair) {
            return None;
        }
        cost.add(own_work(keywords, value))?;
        self.same_value(&mut cost, keywords, value, below)?;
        match value {
            Value::Object(entries) => self.entries(&mut cost, keywords, entries, below)?,
            Value::Array(items) => self.items(&mut cost, keywords, items, below)?,
            _ => {}
        }
        self.open.remove(&pair);
        self.known.insert(pair, cost);
        Some(cost)
    }

    /// Keywords that check further schemas against the same value.
    fn same_value(
        &mut self,
        cost: &mut Cost,
        keywords: &'a Map<String, Value>,
        value: &Value,
        depth: usize,
    ) -> Option<()> {
        for (keyword, inner) in keywords {
            match (keyword.as_str(), inner) {
                ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => {
                    for branch in branches {
                        cost.add(self.cost(branch, value, depth)?)?;
                    }
                }
                ("not" | "if" | "then" | "else", _) => cost.add(self.cost(inner, value, depth)?)?,
                ("dependentSchemas" | "dependencies", Value::Object(branches)) => {
                    for branch in branches.values().filter(|branch| !branch.is_array()) {
                        cost.add(self.cost(branch, value, depth)?)?;
                    }
                }
                ("$ref", Value::String(reference)) => {
                    cost.add(self.reference(reference, value, depth)?)?;
                }
                ("$dynamicRef" | "$recursiveRef", Value::String(reference)) => {
                    cost.add(self.reference(reference, value, depth)?)?;
                    for place in &self.prepared.dynamic {
                        let target = self.prepared.document.pointer(place)?;
                        if self.target_of(reference) != Some(address(target)) {
                            cost.add(self.cost(target, value, depth)?)?;
                        }
                    }
                }
                _ => {}
            }
        }
        Some(())
    }

    fn reference(&mut self, reference: &str, value: &Value, depth: usize) -> Option<Cost> {
        match self.prepared.targets.get(reference)? {
            Target::Place(place) => {
                let target = self.prepared.document.pointer(place)?;
                self.cost(target, value, depth)
            }
            Target::Metaschema => {
                let visits = METASCHEMA_VISITS.saturating_mul(size(value));
                let mut cost = Cost::default();
                cost.add(Cost {
                    visits,
                    work: visits,
                    missing: 0,
                })?;
                Some(cost)
            }
        }
    }

    fn target_of(&self, reference: &str) -> Option<usize> {
        match self.prepared.targets.get(reference)? {
            Target::Place(place) => self.prepared.document.pointer(place).map(address),
            Target::Metaschema => None,
        }
    }

    fn entries(
        &mut self,
        cost: &mut Cost,
        keywords: &'a Map<String, Value>,
        entries: &Map<String, Value>,
        depth: usize,
    ) -> Option<()> {
        let properties = keywords.get("properties").and_then(Value::as_object);
        let patterned = keywords.get("patternProperties").and_then(Value::as_object);
        for (name, value) in entries {
            if let Some(schema) = properties.and_then(|properties| properties.get(name)) {
                cost.add(self.cost(schema, value, depth)?)?;
            }
            for (pattern, schema) in patterned.into_iter().flatten() {
                cost.add(matching(pattern, name))?;
                cost.add(self.cost(schema, value, depth)?)?;
            }
            for keyword in ["additionalProperties", "unevaluatedProperties"] {
                if let Some(schema) = keywords.get(keyword) {
                    cost.add(self.cost(schema, value, depth)?)?;
                }
            }
        }
        if let Some(schema) = keywords.get("propertyNames") {
            for name in entries.keys() {
                // Each name is a value of its own, which lives no longer than this: it must not be remembered.
                let mut apart = Estimate {
                    prepared: self.prepared,
                    known: HashMap::new(),
                    open: HashSet::new(),
                    steps: self.steps,
                };
                let name = Value::String(name.clone());
                cost.add(apart.cost(schema, &name, depth)?)?;
                self.steps = apart.steps;
            }
        }
        Some(())
    }

    fn items(
        &mut self,
        cost: &mut Cost,
        keywords: &'a Map<String, Value>,
        items: &[Value],
        depth: usize,
    ) -> Option<()> {
        for keyword in ["items", "prefixItems"] {
            if let Some(Value::Array(schemas)) = keywords.get(keyword) {
                for (schema, value) in schemas.iter().zip(items) {
                    cost.add(self.cost(schema, value, depth)?)?;
                }
            }
        }
        for keyword in ["items", "additionalItems", "contains", "unevaluatedItems"] {
            let Some(schema) = keywords.get(keyword).filter(|schema| !schema.is_array()) else {
                continue;
            };
            for value in items {
                cost.add(self.cost(schema, value, depth)?)?;
            }
        }
        Some(())
    }
}

/// Work of the keywords that hold no schemas.
fn own_work(keywords: &Map<String, Value>, value: &Value) -> Cost {
    let list = |keyword: &str| keywords.get(keyword).and_then(Value::as_array);
    let mut work = as_count(list("enum").map_or(0, Vec::len));
    let mut missing = 0;
    if let Value::Object(entries) = value {
        for names in list("required")
            .into_iter()
            .chain(dependent(keywords, entries))
        {
            let absent = |name: &&Value| {
                name.as_str()
                    .is_some_and(|name| !entries.contains_key(name))
            };
            work = work.saturating_add(as_count(names.len()));
            missing += as_count(names.iter().filter(absent).count());
        }
    }
    if let (Some(pattern), Value::String(text)) =
        (keywords.get("pattern").and_then(Value::as_str), value)
    {
        work = work.saturating_add(matching(pattern, text).work);
    }
    if keywords.get("uniqueItems") == Some(&Value::Bool(true)) && value.is_array() {
        work = work.saturating_add(size(value).saturating_mul(20));
    }
    Cost {
        visits: 0,
        work,
        missing,
    }
}

/// The lists of names that are required for names that were given.
fn dependent<'a>(
    keywords: &'a Map<String, Value>,
    entries: &Map<String, Value>,
) -> impl Iterator<Item = &'a Vec<Value>> {
    ["dependentRequired", "dependencies"]
        .into_iter()
        .filter_map(|keyword| keywords.get(keyword)?.as_object())
        .flatten()
        .filter(|(name, _)| entries.contains_key(*name))
        .filter_map(|(_, names)| names.as_array())
}

fn matching(pattern: &str, text: &str) -> Cost {
    let weight = patterns::weight(pattern).unwrap_or(0);
    Cost {
        visits: 0,
        work: weight.saturating_mul(as_count(text.len() + 1)) / STATE_BYTES + 1,
        missing: 0,
    }
}

/// Values in a value, itself included. Depth is bounded before.
fn size(value: &Value) -> u64 {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<u64>(),
        Value::Object(entries) => 1 + entries.values().map(size).sum::<u64>(),
        _ => 1,
    }
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

fn as_count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
