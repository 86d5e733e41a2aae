//! Embeds the migrations of the session databases.

#[path = "../../buildscript/embed_migrations.rs"]
mod migrations;
#[path = "../../buildscript/migrations.rs"]
mod rules;

fn main() {
    for input in ["build.rs", "../../buildscript"] {
        println!("cargo::rerun-if-changed={input}");
    }
    migrations::embed("../../migrations/mcp_session");
}
