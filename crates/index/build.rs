//! Embeds the migrations for the databases of indexes.

#[path = "../../buildscript/embed_migrations.rs"]
mod migrations;
#[path = "../../buildscript/migrations.rs"]
mod rules;

fn main() {
    for input in ["build.rs", "../../buildscript"] {
        println!("cargo::rerun-if-changed={input}");
    }
    migrations::embed("../../migrations/index");
}
