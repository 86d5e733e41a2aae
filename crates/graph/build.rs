//! Embeds the migrations of a graph's database, and the example graphs of `data/graphs/` after
//! checking them.

#[path = "../../buildscript/example_graphs.rs"]
mod example_graphs;
#[path = "../../buildscript/embed_migrations.rs"]
mod migrations;
#[path = "../../buildscript/migrations.rs"]
mod rules;

fn main() {
    for input in ["build.rs", "../../buildscript"] {
        println!("cargo::rerun-if-changed={input}");
    }
    migrations::embed("../../migrations/graph");
    example_graphs::embed("../../data/graphs");
}
