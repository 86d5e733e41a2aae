//! Searches for the weights of the rules on one half of the questions, and prints the scores of
//! both halves.

use std::path::Path;

use code_search::rules::Weights;
use code_search::vectors::{Model, SignTable};

use crate::docstrings::{self, Crate};
use crate::questions::{self, COLUMNS, Repository, Way};
use crate::store::Sparse;

/// The number of rounds in which each weight is tried.
const TURNS: usize = 1;

/// One crate of this many is used.
const EVERY: usize = 1;

/// The name of a weight, the weight, and the values that are tried.
type Knob = (&'static str, fn(&mut Way) -> &mut f64, &'static [f64]);

const KNOBS: &[Knob] = &[
    (
        "rank constant",
        |way| &mut way.weights.rank_constant,
        &[3.0, 6.0, 10.0, 20.0, 40.0, 60.0],
    ),
    (
        "dense share of a sentence",
        |way| &mut way.weights.dense_of_sentence,
        &[0.3, 0.4, 0.5, 0.6, 0.7],
    ),
    (
        "column of names",
        |way| column(way, 0),
        &[2.0, 3.0, 4.0, 6.0],
    ),
    (
        "column of paths",
        |way| column(way, 1),
        &[0.5, 1.0, 1.5, 2.0],
    ),
    (
        "definition",
        |way| &mut way.weights.definition,
        &[1.0, 2.0, 3.0, 4.0],
    ),
    (
        "name in sentence",
        |way| &mut way.weights.name_in_sentence,
        &[0.0, 0.5, 1.0, 1.5, 2.0],
    ),
    (
        "definition in own file",
        |way| &mut way.weights.definition_in_own_file,
        &[1.0, 1.5, 2.0],
    ),
    (
        "reexport",
        |way| &mut way.weights.reexport,
        &[0.0, 0.3, 0.6],
    ),
    (
        "name words",
        |way| &mut way.weights.name_words,
        &[0.0, 0.3, 0.6, 1.0, 1.5],
    ),
    (
        "summary",
        |way| &mut way.weights.summary,
        &[0.0, 0.3, 0.5, 0.8],
    ),
    (
        "owner words",
        |way| &mut way.weights.owner_words,
        &[0.0, 0.1, 0.2, 0.4],
    ),
    (
        "file name",
        |way| &mut way.weights.file_name,
        &[0.0, 0.25, 0.5, 0.75, 1.0, 1.5],
    ),
    ("path", |way| &mut way.weights.path, &[0.0, 0.25, 0.5, 1.0]),
    (
        "coherence",
        |way| &mut way.weights.coherence,
        &[0.0, 0.1, 0.2, 0.4, 0.8],
    ),
    (
        "secondary",
        |way| &mut way.weights.secondary,
        &[0.1, 0.3, 0.6, 1.0],
    ),
    (
        "further hit",
        |way| &mut way.weights.further_hit,
        &[0.5, 0.7, 0.85, 1.0],
    ),
];

fn column(way: &mut Way, index: usize) -> &mut f64 {
    match &mut way.sparse {
        Sparse::Words(columns) => &mut columns[index],
        Sparse::Plain | Sparse::No => &mut way.weights.path,
    }
}

/// Returns the means that tuning maximizes, for each half: NDCG of files, recall of functions, and
/// the share of contexts that contain the function.
fn reached(repositories: &mut [Repository], crates: &mut [Crate], way: &Way) -> [[f64; 3]; 2] {
    let files = questions::halves(repositories, way);
    let functions = docstrings::halves(crates, way);
    [0, 1].map(|half: usize| {
        [
            files[half].ndcg / files[half].count,
            functions[half].recall / functions[half].count,
            functions[half].held / functions[half].count,
        ]
    })
}

fn value([ndcg, recall, held]: [f64; 3]) -> f64 {
    ndcg / 2.0 + recall + held / 2.0
}

/// Prints each step of the search.
pub fn print(questions: &Path, sources: &Path, crates: &Path) {
    let both = [Model::Both(SignTable::embedded().unwrap())];
    let mut repositories = questions::load(questions, sources, &both);
    let mut crates = docstrings::load(crates, docstrings::Language::Rust, &both, EVERY);
    let mut way = Way {
        name: "tuned",
        sparse: Sparse::Words(COLUMNS),
        dense: Some(0),
        weights: Weights::USED,
    };
    let mut best = reached(&mut repositories, &mut crates, &way);
    println!("{best:.3?}");
    for turn in 0..TURNS {
        for (name, knob, values) in KNOBS {
            for candidate in *values {
                let mut tried = way;
                *knob(&mut tried) = *candidate;
                let now = reached(&mut repositories, &mut crates, &tried);
                println!("turn {turn} {name} {candidate}: {now:.3?}");
                if value(now[0]) > value(best[0]) + 1e-9 {
                    best = now;
                    way = tried;
                }
            }
        }
        println!("{:?} {best:.3?}", way.weights);
    }
}
