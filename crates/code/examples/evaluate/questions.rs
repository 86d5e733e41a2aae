//! Questions about the files of three repositories.

use std::num::NonZeroU32;
use std::path::Path;

use code_search::pack::pack;
use code_search::rules::Weights;
use code_search::vectors::{Model, SignTable};
use code_search::{Filter, Question, rank};
use serde_json::Value;

use crate::items::{Documentation, of_folder};
use crate::measure::Score;
use crate::rivals;
use crate::store::{Asked, Sparse, Store};

/// One question with the files that answer it.
pub struct Asking {
    pub query: String,
    pub relevant: Vec<String>,
    pub category: String,
}

/// A repository with its questions.
pub struct Repository {
    pub name: String,
    pub questions: Vec<Asking>,
    pub store: Store,
}

/// A way to search.
#[derive(Clone, Copy)]
pub struct Way {
    pub name: &'static str,
    pub sparse: Sparse,
    pub dense: Option<usize>,
    pub weights: Weights,
}

/// Weights under which no rule changes a score.
pub const NO_RULES: Weights = Weights {
    rank_constant: Weights::USED.rank_constant,
    dense_of_sentence: Weights::USED.dense_of_sentence,
    dense_of_symbol: Weights::USED.dense_of_symbol,
    definition: 0.0,
    whole_path: 0.0,
    name_in_sentence: 0.0,
    definition_in_own_file: 1.0,
    reexport: 0.0,
    name_words: 0.0,
    summary: 0.0,
    owner_words: 0.0,
    file_name: 0.0,
    path: 0.0,
    coherence: 0.0,
    secondary: 1.0,
    further_hit: 1.0,
};

/// The weights of the columns of the text index: name, path, body.
pub const COLUMNS: [f64; 3] = code_search::words::COLUMN_WEIGHTS;

/// The number of candidates of each list: as many as for a budget of 4,000 tokens.
pub const CANDIDATES: usize = 100;

/// Returns the models that are compared.
pub fn models() -> Vec<Model> {
    let table = SignTable::embedded().unwrap();
    vec![Model::Hash, Model::Table(table.clone()), Model::Both(table)]
}

/// Returns the ways of searching that are compared.
pub fn ways() -> Vec<Way> {
    let way = |name, sparse, dense, weights| Way {
        name,
        sparse,
        dense,
        weights,
    };
    let body = Sparse::Words([0.0, 0.0, 1.0]);
    let words = Sparse::Words(COLUMNS);
    vec![
        way("BM25 of the plain text", Sparse::Plain, None, NO_RULES),
        way("BM25 of our words of the body", body, None, NO_RULES),
        way("BM25 of names, paths and bodies", words, None, NO_RULES),
        way("… and rules", words, None, Weights::USED),
        way("hash alone", Sparse::No, Some(0), NO_RULES),
        way("table alone", Sparse::No, Some(1), NO_RULES),
        way("hash and table", Sparse::No, Some(2), NO_RULES),
        way("BM25, hash", words, Some(0), NO_RULES),
        way("BM25, table", words, Some(1), NO_RULES),
        way("BM25, hash and table", words, Some(2), NO_RULES),
        way("BM25, hash, rules", words, Some(0), Weights::USED),
        way("BM25, table, rules", words, Some(1), Weights::USED),
        way("BM25, hash and table, rules", words, Some(2), Weights::USED),
    ]
}

/// Reads the questions and indexes the repositories.
pub fn load(questions: &Path, sources: &Path, models: &[Model]) -> Vec<Repository> {
    let mut repositories = Vec::new();
    let mut files: Vec<_> = std::fs::read_dir(questions)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let list: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let texts = |value: &Value| {
            value
                .as_array()
                .unwrap()
                .iter()
                .map(|text| text.as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        let questions = list.as_array().unwrap().iter().map(|entry| Asking {
            query: entry["query"].as_str().unwrap().to_owned(),
            relevant: texts(&entry["relevant"])
                .into_iter()
                .chain(texts(&entry["secondary"]))
                .collect(),
            category: entry["category"].as_str().unwrap().to_owned(),
        });
        let questions = questions.collect();
        let store = Store::new(
            of_folder(&sources.join(&name), &name, Documentation::Kept),
            models,
        );
        repositories.push(Repository {
            name,
            questions,
            store,
        });
    }
    repositories
}

/// Returns the scores of the two halves of the questions: those at even indexes, and those at odd
/// indexes.
pub fn halves(repositories: &mut [Repository], way: &Way) -> [Score; 2] {
    let mut scores = [Score::default(); 2];
    for repository in repositories {
        repository.store.sparse = way.sparse;
        repository.store.dense = way.dense;
        for (index, asking) in repository.questions.iter().enumerate() {
            one(&mut repository.store, asking, way, &mut scores[index % 2]);
        }
    }
    scores
}

fn one(store: &mut Store, asking: &Asking, way: &Way, score: &mut Score) {
    let question = Question::read(&asking.query);
    let mut asked = Asked {
        store,
        question: &asking.query,
    };
    let Ok(ranking) = rank(
        &mut asked,
        &question,
        &Filter::default(),
        &way.weights,
        CANDIDATES,
    );
    let mut files: Vec<&str> = Vec::new();
    for hit in &ranking.hits {
        let path = ranking.items[&hit.row].file_path.as_str();
        if !files.contains(&path) {
            files.push(path);
        }
    }
    // A context of 1,000 tokens needs only a quarter of the candidates; here it is packed from the
    // same list.
    let Ok(packed) = pack(
        &ranking.hits,
        &ranking.items,
        NonZeroU32::new(1_000).unwrap(),
        |item| code_search::Source::read(&mut asked, item),
    );
    let held = packed
        .parts
        .iter()
        .any(|part| asking.relevant.contains(&part.file_path));
    let places: Vec<usize> = asking
        .relevant
        .iter()
        .filter_map(|path| files.iter().position(|file| file == path))
        .collect();
    score.add(&places, asking.relevant.len(), held);
    if std::env::var_os("EVALUATE_SHOW").is_some()
        && way.name == "BM25, hash and table, rules"
        && places.iter().all(|place| *place > 0)
    {
        println!(
            "{} [{}] {places:?} wanted {:?}",
            asking.query, asking.category, asking.relevant
        );
        for hit in ranking.hits.iter().take(5) {
            let item = &ranking.items[&hit.row];
            println!(
                "    {:.4} {} {} {:?}",
                hit.score,
                item.file_path,
                item.canon_path,
                hit.reasons
                    .iter()
                    .map(|reason| (reason.rule, reason.effect))
                    .collect::<Vec<_>>()
            );
        }
    }
}

/// Prints the table of scores.
pub fn print(questions: &Path, sources: &Path) {
    let mut repositories = load(questions, sources, &models());
    for repository in &repositories {
        println!(
            "{}: {} items, {} questions",
            repository.name,
            repository.store.entries.len(),
            repository.questions.len()
        );
    }
    for way in ways() {
        let [even, odd] = halves(&mut repositories, &way);
        let mut all = even;
        all.join(&odd);
        println!(
            "{}  halves {:.3} {:.3}",
            all.row(way.name),
            even.ndcg / even.count,
            odd.ndcg / odd.count
        );
    }
    let mut score = Score::default();
    for repository in &repositories {
        let root = sources.join(&repository.name);
        for asking in &repository.questions {
            let Some(files) = rivals::ripgrep(&root, &asking.query) else {
                return println!("rg is not installed");
            };
            let places: Vec<usize> = asking
                .relevant
                .iter()
                .filter_map(|path| files.iter().position(|file| file == path))
                .collect();
            score.add(&places, asking.relevant.len(), false);
        }
    }
    println!("{}", score.row_of_list("ripgrep, files by count of lines"));
}
