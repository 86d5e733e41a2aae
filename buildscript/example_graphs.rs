//! Checks the graphs of `data/graphs/` and embeds them as `example_graphs.rs` of the crate that is
//! built.
//!
//! A file that the product itself would not import stops the build with a message that names it.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use serde_json::Value;

/// Embeds the graphs of a folder, by name.
pub fn embed(folder: &str) {
    println!("cargo::rerun-if-changed={folder}");
    if let Err(complaint) = generate(folder) {
        println!("cargo::error={}", complaint.replace('\n', " "));
    }
}

fn generate(folder: &str) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{folder}: {error}"))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| format!("{folder}: {error}"))?.path();
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let text =
            fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        files.push((name, text));
    }
    files.sort();
    let mut source = String::from(
        "/// `data/graphs/`: the name of each graph, and its nodes and edges as JSON.\n\
         pub(crate) const EXAMPLE_GRAPHS: &[(&str, &str)] = &[\n",
    );
    for (name, text) in files {
        check(&text).map_err(|complaint| format!("{folder}/{name}.json: {complaint}"))?;
        let _ = writeln!(source, "    ({name:?}, {text:?}),");
    }
    source.push_str("];\n");
    let directory = env::var("OUT_DIR").map_err(|error| format!("OUT_DIR: {error}"))?;
    fs::write(Path::new(&directory).join("example_graphs.rs"), source)
        .map_err(|error| format!("cannot write example_graphs.rs: {error}"))
}

/// Checks a graph.
///
/// # Errors
/// A duplicate id, a duplicate edge, an edge with a missing end, or a missing field.
fn check(text: &str) -> Result<(), String> {
    let graph: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let list = |name: &str| {
        let list = graph.get(name).and_then(Value::as_array);
        list.ok_or(format!("{name} must be a list"))
    };
    let word = |item: &Value, field: &str| {
        let text = item.get(field).and_then(Value::as_str);
        let text = text.filter(|text| !text.is_empty());
        text.map(str::to_owned)
            .ok_or(format!("{item} has no {field}"))
    };
    let mut ids = BTreeSet::new();
    for node in list("nodes")? {
        word(node, "label")?;
        word(node, "type")?;
        if !ids.insert(word(node, "id")?) {
            return Err(format!("{node} stands there twice"));
        }
    }
    let mut edges = BTreeSet::new();
    for edge in list("edges")? {
        let ends = [word(edge, "source")?, word(edge, "target")?];
        if let Some(end) = ends.iter().find(|end| !ids.contains(*end)) {
            return Err(format!("{edge}: there is no node {end}"));
        }
        if !edges.insert((ends, word(edge, "label")?, word(edge, "type")?)) {
            return Err(format!("{edge} stands there twice"));
        }
    }
    Ok(())
}
