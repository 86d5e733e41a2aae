//! Checks `data/column_mappings.toml` and embeds it. An invalid file stops the build with a message
//! that names the file and the fix.

#[path = "../../buildscript/mappings.rs"]
mod mappings;

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

const MAPPINGS: &str = "../../data/column_mappings.toml";

fn main() {
    for input in ["build.rs", "../../buildscript", MAPPINGS] {
        println!("cargo::rerun-if-changed={input}");
    }
    if let Err(complaint) = generate() {
        println!("cargo::error={}", complaint.replace('\n', " "));
    }
}

fn generate() -> Result<(), String> {
    let text = fs::read_to_string(MAPPINGS).map_err(|error| format!("{MAPPINGS}: {error}"))?;
    let servers: BTreeMap<String, BTreeMap<String, String>> =
        toml::from_str(&text).map_err(|error| format!("{MAPPINGS}: {error}"))?;
    let source = mappings::render_mappings(&servers)
        .map_err(|complaint| format!("{MAPPINGS}: {complaint}"))?;
    let directory = env::var("OUT_DIR").map_err(|error| format!("OUT_DIR: {error}"))?;
    fs::write(Path::new(&directory).join("column_mappings.rs"), source)
        .map_err(|error| format!("cannot write column_mappings.rs: {error}"))
}
