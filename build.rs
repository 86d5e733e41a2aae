//! Checks the data that the crate carries and embeds it as constants.
//!
//! Reads `data/column_mappings.toml` and `migrations/session/*.sql`; the rules are in `buildscript/embedded.rs`, where tests reach them.
//! A malformed file stops the build with a message that names the file and the fix.

#[path = "buildscript/embedded.rs"]
mod embedded;

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

const MAPPINGS: &str = "data/column_mappings.toml";
const MIGRATIONS: &str = "migrations/session";
/// The parsers recurse; workerd's default of 1 MiB overflows below the nesting that the gate admits.
const WASM_STACK_BYTES: u32 = 4 * 1024 * 1024;

fn main() {
    for input in ["build.rs", "buildscript", MAPPINGS, MIGRATIONS] {
        println!("cargo::rerun-if-changed={input}");
    }
    if env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|architecture| architecture == "wasm32") {
        println!("cargo::rustc-link-arg-cdylib=-zstack-size={WASM_STACK_BYTES}");
    }
    for outcome in [
        generate("column_mappings.rs", column_mappings),
        generate("session_migrations.rs", session_migrations),
    ] {
        if let Err(complaint) = outcome {
            println!("cargo::error={}", complaint.replace('\n', " "));
        }
    }
}

fn generate(file: &str, source: fn() -> Result<String, String>) -> Result<(), String> {
    let directory = env::var("OUT_DIR").map_err(|error| format!("OUT_DIR: {error}"))?;
    fs::write(Path::new(&directory).join(file), source()?)
        .map_err(|error| format!("cannot write {file}: {error}"))
}

fn column_mappings() -> Result<String, String> {
    let text = fs::read_to_string(MAPPINGS).map_err(|error| format!("{MAPPINGS}: {error}"))?;
    let servers: BTreeMap<String, BTreeMap<String, String>> =
        toml::from_str(&text).map_err(|error| format!("{MAPPINGS}: {error}"))?;
    embedded::render_mappings(&servers).map_err(|complaint| format!("{MAPPINGS}: {complaint}"))
}

fn session_migrations() -> Result<String, String> {
    let unreadable = |error| format!("{MIGRATIONS}: {error}");
    let mut files = Vec::new();
    for entry in fs::read_dir(MIGRATIONS).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let sql = fs::read_to_string(entry.path())
            .map_err(|error| format!("{MIGRATIONS}/{name}: {error}"))?;
        files.push((name, sql));
    }
    embedded::render_migrations(files).map_err(|complaint| format!("{MIGRATIONS}: {complaint}"))
}
