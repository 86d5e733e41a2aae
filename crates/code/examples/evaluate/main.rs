//! Measures how well code is found: NDCG, recall and the share of contexts that contain the
//! expected item, compared with BM25 alone and with other programs.
//!
//! `bench/retrieval.mjs` fetches the sources and runs this program. To run it by hand:
//!
//! `cargo run --profile measure -p code --example evaluate -- rust QUESTIONS SOURCES` asks
//! questions about files. QUESTIONS is a folder of `NAME.json`, each a list of `{query, relevant:
//! [path], secondary: [path], category}`, and SOURCES is a folder with one folder for each `NAME`.
//!
//! `… -- docstrings LANGUAGE SOURCES` searches for a function with the first sentence of its
//! documentation, which is removed from the indexed text. SOURCES is a folder of crates if LANGUAGE
//! is `rust`, and of PyPI packages if it is `python`.
//!
//! `… -- speed SOURCES` measures how long words, vectors and the search take.
//!
//! `… -- others CRATES FOLDER` prints how many of the functions ripgrep finds. It also writes the
//! crates without documentation, and the questions with the lines of their functions, to FOLDER,
//! for use with further programs.
//!
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
