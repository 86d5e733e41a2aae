//! Embeds the numbered files of `migrations/`, for the build script of the crate that they belong
//! to.

use std::path::Path;
use std::{env, fs};

use super::rules::render_migrations;

/// Embeds the migrations of a folder as `migrations.rs` of the crate that is built. A malformed
/// file stops the build with a message that names the file and the fix.
pub fn embed(folder: &str) {
    println!("cargo::rerun-if-changed={folder}");
    if let Err(complaint) = generate(folder) {
        println!("cargo::error={}", complaint.replace('\n', " "));
    }
}

fn generate(folder: &str) -> Result<(), String> {
    let source = render_migrations(files_of(folder)?)
        .map_err(|complaint| format!("{folder}: {complaint}"))?;
    let directory = env::var("OUT_DIR").map_err(|error| format!("OUT_DIR: {error}"))?;
    fs::write(Path::new(&directory).join("migrations.rs"), source)
        .map_err(|error| format!("cannot write migrations.rs: {error}"))
}

fn files_of(folder: &str) -> Result<Vec<(String, String)>, String> {
    let unreadable = |error| format!("{folder}: {error}");
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let sql = fs::read_to_string(entry.path())
            .map_err(|error| format!("{folder}/{name}: {error}"))?;
        files.push((name, sql));
    }
    Ok(files)
}
