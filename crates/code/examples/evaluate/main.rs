//! How well code is found: NDCG, recall and the share of contexts that hold what was asked for,
//! beside BM25 alone and other programs.
//!
//! `bench/retrieval.mjs` fetches the sources and calls it. By hand:
//!
//! `cargo run --profile measure -p code --example evaluate -- rust QUESTIONS SOURCES`: questions
//! about files. QUESTIONS is a folder of `NAME.json`, each a list of `{query, relevant: [path],
//! secondary: [path], category}`, and SOURCES one of folders `NAME`. `… -- docstrings LANGUAGE
//! SOURCES`: the first sentence of a function's documentation finds the function, of which the
//! documentation is removed. SOURCES is a folder of crates if LANGUAGE is `rust`, of packages of
//! PyPI if it is `python`. `… -- speed SOURCES`: how long words, vectors and the search take. `… --
//! others CRATES FOLDER`: what ripgrep finds of the docstrings; the crates without documentation,
//! and the questions with the lines of their functions, are written to FOLDER for further programs.
//! `tune` instead of `rust` searches for the weights of the rules on one half of the questions.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a measurement stops at the first surprise"
)]

mod docstrings;
mod items;
mod measure;
mod others;
mod python;
mod questions;
mod rarity;
mod rivals;
mod speed;
mod store;
mod tune;

use std::path::Path;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["rust", questions, sources] => questions::print(Path::new(questions), Path::new(sources)),
        ["docstrings", "rust", sources] => {
            docstrings::print(Path::new(sources), docstrings::Language::Rust)
        }
        ["docstrings", "python", sources] => {
            docstrings::print(Path::new(sources), docstrings::Language::Python)
        }
        ["tune", questions, sources, crates] => {
            tune::print(Path::new(questions), Path::new(sources), Path::new(crates))
        }
        ["rarity", sources, asked, file] => {
            rarity::write(Path::new(sources), Path::new(asked), Path::new(file))
        }
        ["others", sources, folder] => others::print(Path::new(sources), Path::new(folder)),
        ["speed", sources] => speed::print(Path::new(sources)),
        _ => eprintln!(
            "rust QUESTIONS SOURCES, docstrings rust CRATES, docstrings python PACKAGES, others CRATES FOLDER, tune QUESTIONS SOURCES CRATES, or speed CRATES"
        ),
    }
}
