//! Checks `operations.json` and makes constants of it, so that nothing parses them while a request waits.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use serde_json::Value;

/// The operations of a session.
const TABLE: &str = "operations.json";
/// A field that every request has, which names the operation itself.
const OPERATION: &str = "operation";

/// What a reference begins with.
const DEFINITIONS: &str = "#/definitions/";
/// Levels of a schema whose references are replaced.
const MAX_INLINED_DEPTH: usize = 32;

fn main() {
    for input in ["build.rs", TABLE] {
        println!("cargo::rerun-if-changed={input}");
    }
    if let Err(complaint) = generate() {
        println!("cargo::error={}", complaint.replace('\n', " "));
    }
}

fn generate() -> Result<(), String> {
    let fail = |complaint: String| format!("{TABLE}: {complaint}");
    let text = fs::read_to_string(TABLE).map_err(|error| fail(error.to_string()))?;
    let parsed: Value = serde_json::from_str(&text).map_err(|error| fail(error.to_string()))?;
    let source = source(&parsed).map_err(fail)?;
    let directory = env::var("OUT_DIR").map_err(|error| format!("OUT_DIR: {error}"))?;
    fs::write(Path::new(&directory).join("operations.rs"), source)
        .map_err(|error| format!("cannot write operations.rs: {error}"))
}

fn source(table: &Value) -> Result<String, String> {
    let definitions = table.get("definitions").ok_or("it has no definitions")?;
    let mut source =
        String::from("/// Every operation.\npub const OPERATIONS: &[Operation] = &[\n");
    let mut names =
        String::from("/// The names of all operations.\npub const NAMES: &[&str] = &[\n");
    let mut persistent = String::from(
        "/// The names of those that take the target `persistent`.\npub const PERSISTENT: &[&str] = &[\n",
    );
    let mut ids = String::from(
        "/// An operation, to be matched: one that has no handler does not compile.\n#[derive(Debug, Clone, Copy, PartialEq, Eq)]\npub enum Id {\n",
    );
    let entries = table.get("operations").and_then(Value::as_array);
    for entry in entries.ok_or("operations is not a list")? {
        let name = text_of(entry, "name")?;
        let rendered =
            render(entry, definitions).map_err(|complaint| format!("{name}: {complaint}"))?;
        source.push_str(&rendered);
        let _ = writeln!(names, "    {name:?},");
        if flag(entry, "persistent")? {
            let _ = writeln!(persistent, "    {name:?},");
        }
        let _ = writeln!(ids, "    /// `{name}`.\n    {},", variant(name));
    }
    for part in [&mut source, &mut names, &mut persistent] {
        part.push_str("];\n\n");
    }
    ids.push_str("}\n\n");
    let _ = writeln!(
        ids,
        "/// The schemas that inputs and outputs refer to, by name, as a JSON object.\npub const DEFINITIONS: &str = {:?};",
        definitions.to_string()
    );
    Ok(source + &names + &persistent + &ids)
}

fn render(entry: &Value, definitions: &Value) -> Result<String, String> {
    let input = entry.get("input").ok_or("it has no input")?;
    let properties = input
        .get("properties")
        .and_then(Value::as_object)
        .ok_or("its input has no properties")?;
    let fields: Vec<&str> = std::iter::once(OPERATION)
        .chain(properties.keys().map(String::as_str))
        .collect();
    let mut source = String::from("    Operation {\n");
    let _ = writeln!(
        source,
        "        id: Id::{},",
        variant(text_of(entry, "name")?)
    );
    for name in [
        "name",
        "server",
        "helper",
        "title",
        "description",
        "declaration",
    ] {
        let _ = writeln!(source, "        {name}: {:?},", text_of(entry, name)?);
    }
    let _ = writeln!(
        source,
        "        persistent: {},",
        flag(entry, "persistent")?
    );
    let annotations = entry.get("annotations").ok_or("it has no annotations")?;
    for (field, name) in [
        ("read_only", "readOnlyHint"),
        ("destructive", "destructiveHint"),
        ("idempotent", "idempotentHint"),
        ("open_world", "openWorldHint"),
    ] {
        let _ = writeln!(source, "        {field}: {},", flag(annotations, name)?);
    }
    let _ = writeln!(source, "        fields: &{fields:?},");
    let _ = writeln!(source, "        input: {:?},", input.to_string());
    let whole = inlined(input, definitions, MAX_INLINED_DEPTH)?;
    let _ = writeln!(source, "        input_inlined: {:?},", whole.to_string());
    for name in ["output", "examples"] {
        let value = entry.get(name).ok_or_else(|| format!("it has no {name}"))?;
        let _ = writeln!(source, "        {name}: {:?},", value.to_string());
    }
    source.push_str("    },\n");
    Ok(source)
}

fn text_of<'v>(entry: &'v Value, name: &str) -> Result<&'v str, String> {
    entry
        .get(name)
        .and_then(Value::as_str)
        .ok_or_else(|| format!("{name} is missing, or no text"))
}

fn flag(entry: &Value, name: &str) -> Result<bool, String> {
    entry
        .get(name)
        .and_then(Value::as_bool)
        .ok_or_else(|| format!("{name} is missing, or neither true nor false"))
}

/// A schema with each reference replaced by the definition it names.
fn inlined(schema: &Value, definitions: &Value, depth: usize) -> Result<Value, String> {
    let depth = depth
        .checked_sub(1)
        .ok_or("its definitions refer to themselves")?;
    Ok(match schema {
        Value::Object(fields) => {
            if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
                let name = reference.trim_start_matches(DEFINITIONS);
                let definition = definitions
                    .get(name)
                    .ok_or_else(|| format!("there is no definition {reference}"))?;
                return inlined(definition, definitions, depth);
            }
            let fields = fields
                .iter()
                .map(|(name, value)| Ok((name.clone(), inlined(value, definitions, depth)?)));
            Value::Object(fields.collect::<Result<_, String>>()?)
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| inlined(item, definitions, depth));
            Value::Array(items.collect::<Result<_, String>>()?)
        }
        other => other.clone(),
    })
}

/// `batchInsert` as `BatchInsert`.
fn variant(name: &str) -> String {
    let mut characters = name.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}
