//! The keywords of JSON Schema, of all drafts.

use std::cmp::Ordering::{self, Greater, Less};
use std::collections::HashMap;
use std::mem::discriminant;

use serde_json::{Map, Number, Value};

use super::judge::{Frame, Kind};
use super::numbers;
use super::verdict::{Fails, Fits, Unknown, Verdict};
use super::words::{self, Place};

/// The two keywords for a lower bound and the words for each: first inclusive, then exclusive.
/// [`MOST`] is the same for an upper bound.
const LEAST: [&str; 4] = ["minimum", "exclusiveMinimum", "be at least", "be more than"];
const MOST: [&str; 4] = ["maximum", "exclusiveMaximum", "be at most", "be less than"];

/// Work for each value in lists and objects that are compared as a whole.
const KEY_WORK: usize = 20;

impl<'s, 'v> Frame<'_, 's, 'v> {
    /// Checks all keywords.
    pub(super) fn all(&mut self) -> Option<()> {
        // In older drafts, keywords beside a reference are ignored.
        if self.get("$ref").is_none() || !self.judge.references.is_alone {
            self.kinds()?;
            if self.out.verdict == Fails {
                return Some(());
            }
            match self.value {
                Value::Number(number) => self.number(number),
                Value::String(text) => self.text(text)?,
                Value::Array(items) => self.items(items)?,
                Value::Object(entries) => self.entries(entries)?,
                Value::Null | Value::Bool(_) => {}
            }
            self.combined()?;
        }
        // A dynamic reference chooses among schemas that have addresses of their own. Here only the
        // whole document has one, so each reference has only one target.
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            if let Some(reference) = self.read(keyword, Value::as_str) {
                self.judge.spend(reference.len())?;
                match self.judge.references.target(reference) {
                    Some(schema) => self.same(schema, Fits)?,
                    None => self.unknown(),
                }
            }
        }
        if self.out.verdict == Fails {
            Some(())
        } else {
            self.unevaluated()
        }
    }

    /// Checks types and allowed values.
    fn kinds(&mut self) -> Option<()> {
        if let Some(names) = self.read("type", types)
            && !names.iter().any(|name| words::is_kind(self.value, name))
        {
            self.refuse_kind(Kind::Type(names));
            return Some(());
        }
        let constant = self.get("const").map(std::slice::from_ref);
        for wanted in self.read("enum", filled).into_iter().chain(constant) {
            let is_alike = |one: &&Value| discriminant(*one) == discriminant(self.value);
            let alike: Vec<&Value> = wanted.iter().filter(is_alike).collect();
            let sizes: usize = alike.iter().map(|one| numbers::size(one)).sum();
            let is_whole = self.value.is_array() || self.value.is_object();
            let sizes = if is_whole {
                sizes + numbers::size(self.value)
            } else {
                0
            };
            self.judge
                .spend(wanted.len() + sizes.saturating_mul(KEY_WORK))?;
            if !numbers::is_among(self.value, &alike) {
                self.refuse_kind(Kind::Among(wanted.iter().collect()));
            }
        }
        // Servers interpret formats in different ways.
        if self.get("format").is_some() {
            self.and(Unknown);
        }
        Some(())
    }

    fn number(&mut self, number: &Number) {
        let count = [number.clone()];
        for ([keyword, strict, loosely, strictly], wrong) in [(LEAST, Less), (MOST, Greater)] {
            let is_wrong = |order: Ordering| order == wrong;
            let is_wrong_or_equal = |order: Ordering| order == wrong || order.is_eq();
            // Draft 4 and OpenAPI 3.0 write `"exclusiveMinimum": true` beside the limit.
            let flag = self.get(strict).and_then(Value::as_bool);
            match flag {
                Some(true) => self.bound(keyword, strictly, "", &count, is_wrong_or_equal),
                _ => self.bound(keyword, loosely, "", &count, is_wrong),
            }
            if flag.is_none() {
                self.bound(strict, strictly, "", &count, is_wrong_or_equal);
            }
        }
        if let Some(of) = self.read("multipleOf", Value::as_number) {
            match numbers::is_multiple(number, of) {
                Fails => self.refuse(format!("must be a multiple of {of}, not {number}")),
                verdict @ (Unknown | Fits) => self.and(verdict),
            }
        }
    }

    fn sizes(&mut self, [least, most, verb, things]: [&str; 4], counts: [usize; 2]) {
        let counts = counts.map(Number::from);
        self.bound(
            least,
            &format!("{verb} at least"),
            things,
            &counts,
            Ordering::is_lt,
        );
        self.bound(
            most,
            &format!("{verb} at most"),
            things,
            &counts,
            Ordering::is_gt,
        );
    }

    /// Checks a limit against a size that languages may count in several ways.
    fn bound(
        &mut self,
        keyword: &str,
        words: &str,
        things: &str,
        counts: &[Number],
        is_wrong: impl Fn(Ordering) -> bool,
    ) {
        let is_limit = |limit: &&Number| things.is_empty() || limit.as_f64() >= Some(0.0);
        let read = |value: &'s Value| value.as_number().filter(is_limit);
        let Some(limit) = self.read(keyword, read) else {
            return;
        };
        let is_wrong = |count: &Number| numbers::compare(count, limit).is_some_and(&is_wrong);
        match counts {
            [got, ..] if counts.iter().all(is_wrong) => {
                self.refuse(format!("must {words} {limit}{things}, not {got}"));
            }
            counts if counts.iter().any(is_wrong) => self.and(Unknown),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) -> Option<()> {
        self.judge.spend(text.len() / 16)?;
        // Languages count code points or UTF-16 units.
        let counts = [text.chars().count(), text.encode_utf16().count()];
        self.sizes(["minLength", "maxLength", "have", " characters"], counts);
        if let Some(pattern) = self.read("pattern", Value::as_str) {
            match self.judge.matches(pattern, text)? {
                Fails => {
                    let (wanted, got) = (words::quoted(pattern), words::value(self.value));
                    self.refuse(format!("must match the pattern {wanted}, not {got}"));
                }
                verdict @ (Unknown | Fits) => self.and(verdict),
            }
        }
        Some(())
    }

    fn items(&mut self, items: &'v [Value]) -> Option<()> {
        self.sizes(["minItems", "maxItems", "have", " items"], [items.len(); 2]);
        if self.read("uniqueItems", Value::as_bool) == Some(true) {
            let size = numbers::size(self.value);
            self.judge.spend(size.saturating_mul(KEY_WORK))?;
            let mut known = HashMap::new();
            for (number, item) in items.iter().enumerate() {
                if let Some(first) = known.insert(numbers::key(item), number) {
                    let which = format!("items {first} and {number} are equal");
                    self.refuse(format!("must not repeat items: {which}"));
                    break;
                }
            }
        }
        let [tuple, rest] = match (self.get("prefixItems"), self.get("items")) {
            (None, Some(Value::Array(_))) => ["items", "additionalItems"],
            _ => ["prefixItems", "items"],
        };
        let schemas = self.read(tuple, Value::as_array);
        let is_read = schemas.is_some() == self.get(tuple).is_some();
        let length = schemas.map_or(0, Vec::len);
        let is_closed = self.get(rest) == Some(&Value::Bool(false));
        if is_closed && is_read && items.len() > length {
            let got = items.len();
            self.refuse(format!("must have at most {length} items, not {got}"));
        }
        let rest = self.get(rest).filter(|_| !is_closed);
        let weight = if is_read { Fits } else { Unknown };
        for (number, item) in items.iter().enumerate() {
            let own = schemas.and_then(|schemas| schemas.get(number));
            if let Some(schema) = own.or(rest) {
                self.apply(schema, item, &Place::Item(self.place, number), weight)?;
                self.see_one(number, weight);
            }
        }
        match self.get("contains") {
            Some(schema) => self.contains(items, schema),
            None => Some(()),
        }
    }

    fn contains(&mut self, items: &'v [Value], schema: &'s Value) -> Option<()> {
        let (mut possible, mut sure) = (0, 0);
        for (number, item) in items.iter().enumerate() {
            let verdict = self.test(schema, item)?.verdict;
            self.see_one(number, verdict);
            possible += usize::from(verdict != Fails);
            sure += usize::from(verdict == Fits);
        }
        let kind = "that the schema requires";
        let items = format!(" items {kind}");
        let counts = [possible, sure];
        self.sizes(["minContains", "maxContains", "contain", &items], counts);
        match counts {
            _ if self.get("minContains").is_some() => {}
            [0, _] => self.refuse(format!("must contain an item {kind}")),
            [_, 0] => self.and(Unknown),
            _ => {}
        }
        Some(())
    }

    fn entries(&mut self, entries: &'v Map<String, Value>) -> Option<()> {
        let count = [entries.len(); 2];
        self.sizes(
            ["minProperties", "maxProperties", "have", " entries"],
            count,
        );
        if let Some(names) = self.read("required", Value::as_array) {
            self.required(entries, names, None)?;
        }
        for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
            let dependent = self.read(keyword, Value::as_object);
            for (name, needs) in dependent.into_iter().flatten() {
                self.judge.spend(1)?;
                match needs {
                    _ if !entries.contains_key(name) => {}
                    Value::Array(names) => self.required(entries, names, Some(name))?,
                    schema => self.same(schema, Fits)?,
                }
            }
        }
        let properties = self.read("properties", Value::as_object);
        let patterns = self.read("patternProperties", Value::as_object);
        let is_read = properties.is_some() == self.get("properties").is_some()
            && patterns.is_some() == self.get("patternProperties").is_some();
        let others = self.get("additionalProperties");
        for (number, (name, item)) in entries.iter().enumerate() {
            self.judge.spend(name.len() / 16)?;
            let place = Place::Name(self.place, name);
            let mut known = if is_read { Fails } else { Unknown };
            if let Some(schema) = properties.and_then(|properties| properties.get(name)) {
                known = Fits;
                self.apply(schema, item, &place, Fits)?;
            }
            for (pattern, schema) in patterns.into_iter().flatten() {
                let matches = self.judge.matches(pattern, name)?;
                known = matches.max(known);
                if matches != Fails {
                    self.apply(schema, item, &place, matches)?;
                }
            }
            self.see_one(number, known);
            if let Some(schema) = others {
                self.other(schema, number, (name, item), !known)?;
            }
        }
        if let Some(schema) = self.get("propertyNames") {
            for name in entries.keys() {
                self.judge.spend(name.len() / 16)?;
                let verdict = self.test(schema, &Value::from(name.as_str()))?.verdict;
                self.and(verdict);
                if verdict == Fails {
                    self.refuse_name(name, std::iter::empty(), |path, _| {
                        let why = "the schema does not allow its name";
                        Kind::Said(format!("unknown parameter {path}: {why}"), Vec::new())
                    });
                }
            }
        }
        Some(())
    }

    /// Checks that an object has the required names; with `because`, those that another name
    /// requires.
    fn required(
        &mut self,
        entries: &Map<String, Value>,
        names: &'s [Value],
        because: Option<&str>,
    ) -> Option<()> {
        self.judge.spend(names.len())?;
        let known = self.get("properties").and_then(Value::as_object);
        for name in names {
            let Some(name) = name.as_str() else {
                self.and(Unknown);
                continue;
            };
            if entries.contains_key(name) {
                continue;
            }
            let is_known = |name: &str| known.is_some_and(|known| known.contains_key(name));
            let others = entries.keys().map(String::as_str);
            let others = others.filter(|name| because.is_none() && !is_known(name));
            self.refuse_name(name, others, |path, near| {
                let (why, suggestions) = match (because, near.first()) {
                    (Some(other), _) => (format!(", which {} needs", words::bare(other)), vec![]),
                    (None, None) => (String::new(), vec![]),
                    (None, Some(near)) => {
                        let near = words::bare(near);
                        let why = format!("; {near} is not a parameter of the tool");
                        (why, vec![name.to_owned()])
                    }
                };
                Kind::Said(format!("missing parameter {path}{why}"), suggestions)
            });
        }
        Some(())
    }

    /// Checks an entry that no other keyword knows; `weight` says how certain that is.
    fn other(
        &mut self,
        schema: &'s Value,
        number: usize,
        (name, item): (&String, &'v Value),
        weight: Verdict,
    ) -> Option<()> {
        self.see_one(number, weight);
        match (schema, weight) {
            (_, Fails) => {}
            (Value::Bool(false), Unknown) => self.and(Unknown),
            (Value::Bool(false), Fits) => {
                let properties = self.get("properties").and_then(Value::as_object);
                let names = properties
                    .into_iter()
                    .flat_map(Map::keys)
                    .map(String::as_str);
                self.refuse_name(name, names.clone(), |path, near| {
                    let shown = words::first(names, words::bare).join(", ");
                    let more = match near.is_empty() && !shown.is_empty() {
                        true => format!("; known there: {shown}"),
                        false => String::new(),
                    };
                    Kind::Said(format!("unknown parameter {path}{more}"), near)
                });
            }
            _ => drop(self.apply(schema, item, &Place::Name(self.place, name), weight)?),
        }
        Some(())
    }

    /// Checks entries and items that no subschema knows.
    fn unevaluated(&mut self) -> Option<()> {
        let schemas = ["unevaluatedProperties", "unevaluatedItems"].map(|name| self.get(name));
        let seen = self.out.seen.clone().into_iter().enumerate();
        match (self.value, schemas) {
            (Value::Object(entries), [Some(schema), _]) => {
                for ((number, seen), entry) in seen.zip(entries) {
                    self.other(schema, number, entry, !seen)?;
                }
            }
            (Value::Array(items), [_, Some(schema)]) => {
                for ((number, seen), item) in seen.zip(items) {
                    if seen != Fits {
                        self.apply(schema, item, &Place::Item(self.place, number), !seen)?;
                        self.see_one(number, Fits);
                    }
                }
            }
            _ => {}
        }
        Some(())
    }

    /// Checks keywords that combine subschemas for the same value.
    fn combined(&mut self) -> Option<()> {
        for schema in self.read("allOf", filled).into_iter().flatten() {
            self.same(schema, Fits)?;
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(forms) = self.read(keyword, filled) {
                self.choice(keyword, forms)?;
            }
        }
        if let Some(schema) = self.get("not") {
            match self.test(schema, self.value)?.verdict {
                Fits => {
                    let got = words::value(self.value);
                    self.refuse(format!("must not be {got}: the schema excludes it"));
                }
                verdict @ (Fails | Unknown) => self.and(!verdict),
            }
        }
        if let Some(schema) = self.get("if") {
            let judged = self.test(schema, self.value)?;
            self.see(&judged.seen, judged.verdict);
            for (keyword, weight) in [("then", judged.verdict), ("else", !judged.verdict)] {
                if let Some(schema) = self.get(keyword).filter(|_| weight != Fails) {
                    self.same(schema, weight)?;
                }
            }
        }
        Some(())
    }
}

fn filled(value: &Value) -> Option<&[Value]> {
    let values = value.as_array().filter(|values| !values.is_empty());
    values.map(Vec::as_slice)
}

fn types(value: &Value) -> Option<Vec<&str>> {
    let names = filled(value).unwrap_or(std::slice::from_ref(value)).iter();
    let names = names.map(|name| name.as_str().filter(|name| words::kind(name).is_some()));
    names.collect()
}
