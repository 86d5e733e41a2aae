//! JSON Schema as TypeScript types.
//!
//! References are expanded in place. A recursive reference, or one that nests too deep, becomes
//! `any` with its name. Work and text are limited by the number of parts that are visited. A
//! comment of a parameter extends to the end of its line, so a type with comments always has its
//! closing bracket on a line of its own.

use serde_json::{Map, Value};

use super::{Detail, text};
use crate::limits::{
    DECLARED_LINE_CHARACTERS, DECLARED_NOTE_CHARACTERS, MAX_DECLARED_CHOICES, MAX_DECLARED_DEPTH,
    MAX_DECLARED_PARTS,
};

/// Renders the type of a schema.
pub(super) fn of(schema: &Value, detail: Detail) -> String {
    within(schema, schema, detail)
}

/// Renders the type of a part of a schema; its references are relative to the whole schema.
pub(super) fn within(root: &Value, schema: &Value, detail: Detail) -> String {
    Writer {
        root,
        detail,
        parts: MAX_DECLARED_PARTS,
        open: Vec::new(),
    }
    .write(schema, 0)
    .text
}

/// A type, and whether it needs brackets before `[]` or beside `&`.
struct Type {
    text: String,
    compound: bool,
}

impl Type {
    fn plain(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            compound: false,
        }
    }

    fn any(why: &str) -> Self {
        Self::plain(if why.is_empty() {
            "any".to_owned()
        } else {
            format!("any /* {why} */")
        })
    }

    fn in_brackets(self) -> String {
        if self.compound {
            format!("({})", self.text)
        } else {
            self.text
        }
    }
}

struct Writer<'a> {
    root: &'a Value,
    detail: Detail,
    parts: usize,
    open: Vec<&'a str>,
}

impl<'a> Writer<'a> {
    fn write(&mut self, schema: &'a Value, depth: usize) -> Type {
        let Some(left) = self.parts.checked_sub(1) else {
            return Type::any("…");
        };
        self.parts = left;
        if depth > MAX_DECLARED_DEPTH {
            return Type::any("…");
        }
        let keywords = match schema {
            Value::Bool(false) => return Type::plain("never"),
            Value::Object(keywords) => keywords,
            _ => return Type::any(""),
        };
        let written = self.not_null(keywords, depth);
        if keywords.get("nullable") == Some(&Value::Bool(true)) {
            return union(vec![written, Type::plain("null")]);
        }
        written
    }

    fn not_null(&mut self, keywords: &'a Map<String, Value>, depth: usize) -> Type {
        if let Some(Value::String(reference)) = keywords.get("$ref") {
            return self.reference(reference, depth);
        }
        if let Some(value) = keywords.get("const") {
            return constant(value);
        }
        if let Some(Value::Array(values)) = keywords.get("enum") {
            return choices(values);
        }
        let own = self.own(keywords, depth);
        let mut parts: Vec<Type> = own.into_iter().collect();
        if let Some(Value::Array(members)) = keywords.get("allOf") {
            parts.extend(members.iter().map(|member| self.write(member, depth + 1)));
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = keywords.get(keyword) {
                let branches = branches
                    .iter()
                    .map(|branch| self.write(branch, depth + 1))
                    .collect();
                parts.push(union(branches));
            }
        }
        intersection(parts)
    }

    /// Renders the schema's own keywords, without its combinations; none if these are enough.
    fn own(&mut self, keywords: &'a Map<String, Value>, depth: usize) -> Option<Type> {
        let combines = ["allOf", "anyOf", "oneOf"]
            .iter()
            .any(|keyword| keywords.contains_key(*keyword));
        let names: Vec<&str> = match keywords.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ if has_entries(keywords) => vec!["object"],
            _ if keywords.contains_key("items") || keywords.contains_key("prefixItems") => {
                vec!["array"]
            }
            _ => return (!combines).then(|| Type::any("")),
        };
        if combines && names == ["object"] && !has_entries(keywords) {
            return None;
        }
        let types = names
            .iter()
            .map(|name| self.named(name, keywords, depth))
            .collect();
        Some(union(types))
    }

    fn named(&mut self, name: &str, keywords: &'a Map<String, Value>, depth: usize) -> Type {
        match name {
            "string" => Type::plain("string"),
            "number" | "integer" => Type::plain("number"),
            "boolean" => Type::plain("boolean"),
            "null" => Type::plain("null"),
            "array" => self.array(keywords, depth),
            "object" => self.object(keywords, depth),
            _ => Type::any(""),
        }
    }

    fn array(&mut self, keywords: &'a Map<String, Value>, depth: usize) -> Type {
        let items = keywords.get("items");
        let first = match (keywords.get("prefixItems"), items) {
            (Some(Value::Array(first)), _) | (None, Some(Value::Array(first))) => first.as_slice(),
            _ => &[],
        };
        let rest = if matches!(items, Some(Value::Array(_))) {
            keywords.get("additionalItems")
        } else {
            items
        };
        if first.is_empty() {
            let item = rest.map_or_else(|| Type::any(""), |item| self.write(item, depth + 1));
            return Type::plain(format!("{}[]", item.in_brackets()));
        }
        let mut parts: Vec<String> = first
            .iter()
            .take(MAX_DECLARED_CHOICES)
            .map(|item| self.write(item, depth + 1).text)
            .collect();
        if first.len() > MAX_DECLARED_CHOICES {
            parts.push("...any[]".to_owned());
        } else if let Some(rest) = rest.filter(|rest| rest.is_object()) {
            let item = self.write(rest, depth + 1);
            parts.push(format!("...{}[]", item.in_brackets()));
        }
        Type::plain(format!("[{}]", parts.join(", ")))
    }

    fn object(&mut self, keywords: &'a Map<String, Value>, depth: usize) -> Type {
        let others = self.other_entries(keywords, depth);
        let properties = keywords.get("properties").and_then(Value::as_object);
        let Some(properties) = properties.filter(|properties| !properties.is_empty()) else {
            let closed = keywords.get("additionalProperties") == Some(&Value::Bool(false));
            return Type::plain(match others {
                Some(others) => format!("Record<string, {others}>"),
                None if closed => "{}".to_owned(),
                None => "Record<string, any>".to_owned(),
            });
        };
        let required: Vec<&str> = keywords
            .get("required")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let mut entries = Vec::new();
        for (name, schema) in properties {
            if self.parts == 0 || !text::is_short(name) {
                continue;
            }
            let mark = if required.contains(&name.as_str()) {
                ""
            } else {
                "?"
            };
            let written = self.write(schema, depth + 1);
            entries.push((
                format!("{}{mark}: {}", text::key(name), written.text),
                self.note(schema),
            ));
        }
        let left_out = properties.len() - entries.len();
        if left_out > 0 {
            entries.push((
                "[name: string]: any".to_owned(),
                format!("and {left_out} more"),
            ));
            return Type::plain(braces(&entries));
        }
        let others = match others {
            None if keywords.get("additionalProperties") == Some(&Value::Bool(true)) => {
                Some("any".to_owned())
            }
            others => others,
        };
        let Some(others) = others else {
            return Type::plain(braces(&entries));
        };
        let index = format!("[name: string]: {others}");
        // An index signature also applies to the named properties, so one of another type would
        // contradict them.
        let agrees = others == "any"
            || entries.iter().all(|(entry, _)| {
                entry
                    .split_once(": ")
                    .is_some_and(|(_, written)| written == others)
            });
        if agrees {
            entries.push((index, String::new()));
            return Type::plain(braces(&entries));
        }
        Type {
            text: format!("{} & {{ {index} }}", braces(&entries)),
            compound: true,
        }
    }

    /// Renders the type of entries without a name in the schema.
    fn other_entries(&mut self, keywords: &'a Map<String, Value>, depth: usize) -> Option<String> {
        let mut schemas: Vec<&'a Value> = Vec::new();
        if let Some(Value::Object(patterned)) = keywords.get("patternProperties") {
            schemas.extend(patterned.values().take(MAX_DECLARED_CHOICES));
        }
        schemas.extend(
            keywords
                .get("additionalProperties")
                .filter(|schema| schema.is_object()),
        );
        if schemas.is_empty() {
            return None;
        }
        let types = schemas
            .into_iter()
            .map(|schema| self.write(schema, depth + 1))
            .collect();
        Some(union(types).text)
    }

    fn reference(&mut self, reference: &'a str, depth: usize) -> Type {
        let name = text::one_line(
            reference.rsplit('/').next().unwrap_or_default(),
            DECLARED_NOTE_CHARACTERS,
        );
        if self.open.contains(&reference) {
            return Type::any(if name.starts_with('#') {
                "itself"
            } else {
                &name
            });
        }
        let Some(target) = reference
            .strip_prefix('#')
            .and_then(|pointer| self.root.pointer(pointer))
        else {
            return Type::any(&name);
        };
        self.open.push(reference);
        let written = self.write(target, depth + 1);
        self.open.pop();
        written
    }

    /// Renders the comment of a parameter: its description, format, limits and default.
    fn note(&self, schema: &Value) -> String {
        if self.detail == Detail::Brief {
            return String::new();
        }
        let mut notes = Vec::new();
        if let Some(Value::String(description)) = schema.get("description") {
            notes.push(text::one_line(description, DECLARED_NOTE_CHARACTERS));
        }
        notes.extend(form(schema));
        notes.extend(bounds(schema));
        if let Some(default) = schema.get("default") {
            notes.push(format!("default {}", short_json(default)));
        }
        if schema.get("deprecated") == Some(&Value::Bool(true)) {
            notes.push("deprecated".to_owned());
        }
        notes.retain(|note| !note.is_empty());
        notes.join("; ")
    }
}

fn has_entries(keywords: &Map<String, Value>) -> bool {
    ["properties", "additionalProperties", "patternProperties"]
        .iter()
        .any(|keyword| keywords.contains_key(*keyword))
}

/// Returns the format of a string, or that a number is an integer.
fn form(schema: &Value) -> Option<String> {
    if schema.get("type").and_then(Value::as_str) == Some("integer") {
        return Some("integer".to_owned());
    }
    let said = schema.get("format").or_else(|| schema.get("pattern"))?;
    Some(text::one_line(said.as_str()?, DECLARED_NOTE_CHARACTERS))
}

/// Renders limits: `1 to 100`, `at least 1`, `at most 5 items`.
fn bounds(schema: &Value) -> Vec<String> {
    let bound = |keyword: &str| {
        schema
            .get(keyword)
            .filter(|value| value.is_number())
            .map(ToString::to_string)
    };
    [
        ("minimum", "maximum", ""),
        ("minLength", "maxLength", " characters"),
        ("minItems", "maxItems", " items"),
    ]
    .into_iter()
    .filter_map(|(least, most, unit)| match (bound(least), bound(most)) {
        (Some(least), Some(most)) => Some(format!("{least} to {most}{unit}")),
        (Some(least), None) => Some(format!("at least {least}{unit}")),
        (None, Some(most)) => Some(format!("at most {most}{unit}")),
        (None, None) => None,
    })
    .collect()
}

fn short_json(value: &Value) -> String {
    match value {
        Value::Array(items) if items.len() > 8 => "…".to_owned(),
        Value::Object(entries) if entries.len() > 8 => "…".to_owned(),
        Value::Array(items) if items.iter().any(|item| item.is_array() || item.is_object()) => {
            "…".to_owned()
        }
        Value::Object(entries)
            if entries
                .values()
                .any(|item| item.is_array() || item.is_object()) =>
        {
            "…".to_owned()
        }
        other => text::one_line(&other.to_string(), DECLARED_NOTE_CHARACTERS / 2),
    }
}

fn constant(value: &Value) -> Type {
    match text::literal_type(value, DECLARED_NOTE_CHARACTERS) {
        Some(text) => Type::plain(text),
        None => Type::plain(kind_of(value)),
    }
}

/// Renders the values of an enumeration, and the types of the values that are left out.
fn choices(values: &[Value]) -> Type {
    let mut types: Vec<Type> = values
        .iter()
        .take(MAX_DECLARED_CHOICES)
        .map(constant)
        .collect();
    for value in values.iter().skip(MAX_DECLARED_CHOICES) {
        let kind = kind_of(value);
        if !types.iter().any(|known| known.text == kind) {
            types.push(Type::plain(kind));
        }
    }
    union(types)
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "any[]",
        Value::Object(_) => "Record<string, any>",
    }
}

/// Renders `A | B` without duplicates; `any` if one of the types is `any`.
fn union(types: Vec<Type>) -> Type {
    let mut texts: Vec<String> = Vec::new();
    let mut left_out = false;
    for one in types {
        if one.text == "any" {
            return one;
        }
        if texts.contains(&one.text) {
            continue;
        }
        if texts.len() > MAX_DECLARED_CHOICES + 6 {
            left_out = true;
            break;
        }
        texts.push(one.text);
    }
    if left_out {
        texts.push("any /* … */".to_owned());
    }
    match texts.len() {
        0 => Type::plain("never"),
        1 => Type::plain(texts.concat()),
        _ => Type {
            text: texts.join(" | "),
            compound: true,
        },
    }
}

/// Renders `A & B`; `any` if there are no parts.
fn intersection(parts: Vec<Type>) -> Type {
    let mut said: Vec<Type> = Vec::new();
    for part in parts {
        let known = said.iter().any(|known| known.text == part.text);
        if part.text != "any" && !known {
            said.push(part);
        }
    }
    match said.len() {
        0 => Type::any(""),
        1 => said.pop().unwrap_or_else(|| Type::any("")),
        _ => {
            let texts: Vec<String> = said.into_iter().map(Type::in_brackets).collect();
            Type {
                text: texts.join(" & "),
                compound: true,
            }
        }
    }
}

/// Renders entries between braces: on one line if they are short and have no comments.
fn braces(entries: &[(String, String)]) -> String {
    let length: usize = entries
        .iter()
        .map(|(entry, _)| entry.chars().count() + 2)
        .sum();
    let is_plain = entries
        .iter()
        .all(|(entry, note)| note.is_empty() && !entry.contains('\n'));
    if is_plain && length <= DECLARED_LINE_CHARACTERS {
        let entries: Vec<&str> = entries.iter().map(|(entry, _)| entry.as_str()).collect();
        return format!("{{ {} }}", entries.join("; "));
    }
    let mut text = String::from("{\n");
    for (entry, note) in entries {
        let indented = entry.replace('\n', "\n  ");
        let (before, after) = match (note.is_empty(), entry.contains('\n')) {
            (true, _) => (String::new(), String::new()),
            (false, true) => (format!("  // {note}\n"), String::new()),
            (false, false) => (String::new(), format!(" // {note}")),
        };
        text.push_str(&format!("{before}  {indented};{after}\n"));
    }
    text.push('}');
    text
}
