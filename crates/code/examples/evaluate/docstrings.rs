//! Questions taken from documentation: the first sentence of a function's documentation must find
//! the function.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use code_search::pack::pack;
use code_search::rules::is_secondary;
use code_search::vectors::Model;
use code_search::{Filter, Question, rank};

use crate::items::{Documentation, Entry, of_folder};
use crate::measure::Score;
use crate::python;
use crate::questions::{CANDIDATES, Way, models, ways};
use crate::store::{Asked, Store};

/// The most questions about one crate.
const QUESTIONS: usize = 25;
/// The fewest words of a sentence that is used as a question.
const LEAST_WORDS: usize = 4;
/// The fewest functions of a crate that is used.
const LEAST_FUNCTIONS: usize = 100;
/// The most crates that are used.
const CRATES: usize = 40;

/// The language of the sources.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Rust crates.
    Rust,
    /// Python packages from PyPI.
    Python,
}

impl Language {
    /// Returns the items of a folder without their documentation.
    fn entries(self, folder: &Path, name: &str) -> Vec<Entry> {
        match self {
            Self::Rust => of_folder(folder, name, Documentation::Removed),
            Self::Python => python::of_folder(folder, name),
        }
    }
}

/// A crate or package without documentation, and its questions: sentences with the row of the
/// function that each was taken from.
pub struct Crate {
    pub folder: PathBuf,
    pub store: Store,
    pub questions: Vec<(String, i64)>,
}

/// Returns every `every`-th crate or package of a folder that has enough functions, with questions
/// about it.
pub fn load(sources: &Path, language: Language, models: &[Model], every: usize) -> Vec<Crate> {
    let mut folders: Vec<_> = std::fs::read_dir(sources)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    let mut crates = Vec::new();
    let mut fit = 0_usize;
    for folder in folders {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let entries = language.entries(&folder, &name);
        let functions = entries
            .iter()
            .filter(|entry| is_function(&entry.item.node_kind));
        if functions.count() < LEAST_FUNCTIONS {
            continue;
        }
        let mut sentences: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
        for entry in &entries {
            let item = &entry.item;
            let Some(sentence) = entry
                .sentence
                .as_deref()
                .filter(|_| is_function(&item.node_kind))
            else {
                continue;
            };
            let is_test = is_secondary(&item.file_path) || item.canon_path.contains("::tests::");
            if sentence.split_whitespace().count() >= LEAST_WORDS && !is_test {
                sentences.entry(sentence).or_default().push(item.row);
            }
        }
        // A sentence that documents two functions does not identify either.
        let single: Vec<(String, i64)> = sentences
            .iter()
            .filter(|(_, rows)| rows.len() == 1)
            .map(|(sentence, rows)| ((*sentence).to_owned(), rows[0]))
            .collect();
        if single.len() < QUESTIONS {
            continue;
        }
        let step = single.len() / QUESTIONS;
        let questions = single
            .iter()
            .step_by(step.max(1))
            .take(QUESTIONS)
            .cloned()
            .collect();
        fit += 1;
        if !fit.is_multiple_of(every) {
            continue;
        }
        eprintln!(
            "{name}: {} items, {} sentences",
            entries.len(),
            single.len()
        );
        crates.push(Crate {
            folder,
            store: Store::new(entries, models),
            questions,
        });
        if crates.len() == CRATES {
            break;
        }
    }
    crates
}

pub fn is_function(kind: &str) -> bool {
    kind == "function" || kind == "method"
}

/// Returns the scores of the two halves: the crates at even indexes and those at odd indexes.
pub fn halves(crates: &mut [Crate], way: &Way) -> [Score; 2] {
    let mut scores = [Score::default(); 2];
    let filter = Filter {
        node_kinds: vec!["function".to_owned(), "method".to_owned()],
        ..Filter::default()
    };
    for (index, krate) in crates.iter_mut().enumerate() {
        krate.store.sparse = way.sparse;
        krate.store.dense = way.dense;
        for (sentence, wanted) in &krate.questions {
            let question = Question::read(sentence);
            let mut asked = Asked {
                store: &mut krate.store,
                question: sentence,
            };
            let Ok(ranking) = rank(&mut asked, &question, &filter, &way.weights, CANDIDATES);
            let place = ranking.hits.iter().position(|hit| hit.row == *wanted);
            let Ok(packed) = pack(
                &ranking.hits,
                &ranking.items,
                NonZeroU32::new(1_000).unwrap(),
                |item| code_search::Source::read(&mut asked, item),
            );
            let item = &krate.store.entries[*wanted as usize].item;
            let held = packed.parts.iter().any(|part| {
                part.file_path == item.file_path
                    && part
                        .ranges
                        .iter()
                        .any(|range| range.0 <= item.range.0 && item.range.0 < range.1)
            });
            scores[index % 2].add(&place.into_iter().collect::<Vec<_>>(), 1, held);
        }
    }
    scores
}

/// Prints the table of scores.
pub fn print(sources: &Path, language: Language) {
    let mut crates = load(sources, language, &models(), 1);
    let items: usize = crates.iter().map(|krate| krate.store.entries.len()).sum();
    let questions: usize = crates.iter().map(|krate| krate.questions.len()).sum();
    let what = match language {
        Language::Rust => "crates",
        Language::Python => "packages",
    };
    println!(
        "{} {what}, {items} items, {questions} questions",
        crates.len()
    );
    for way in ways() {
        let [even, odd] = halves(&mut crates, &way);
        let mut all = even;
        all.join(&odd);
        println!(
            "{}  halves {:.3} {:.3}",
            all.row(way.name),
            even.recall / even.count,
            odd.recall / odd.count
        );
    }
}
