//! Rules about files: the words of the path, and the other hits in the same file.

use std::collections::BTreeMap;

use super::weights::Weights;
use crate::path::{subject, telling_parts};
use crate::question::Question;
use crate::words::{index_words, path_words};

/// Folders and parts of file names whose code a question is usually not about.
const SECONDARY: &[&str] = &[
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "compat",
    "example",
    "examples",
    "fixture",
    "fixtures",
    "legacy",
    "mock",
    "mocks",
    "spec",
    "test",
    "testing",
    "tests",
    "vendor",
];

/// Returns the bonus of a file whose name has words of the question, as a multiple of the best
/// score: the share of the name's words that occur in the question.
pub fn file_name(question: &Question, path: &str, weights: &Weights) -> f64 {
    let subject = index_words(subject(path));
    let whole = subject.rsplit(' ').next().unwrap_or_default();
    if question.terms().iter().any(|term| term == whole) {
        return weights.file_name;
    }
    weights.file_name * share(subject.split(' '), question.terms())
}

/// Returns the bonus of a path that has words of the question, as a multiple of the best score: the
/// share of the question's words that occur in the path.
pub fn path(question: &Question, path: &str, weights: &Weights) -> f64 {
    let words = path_words(path);
    let of_path: Vec<String> = words.split(' ').map(str::to_owned).collect();
    weights.path * share(question.terms().iter().map(String::as_str), &of_path)
}

/// Returns the share of `words` that `others` contains.
fn share<'a>(words: impl Iterator<Item = &'a str>, others: &[String]) -> f64 {
    let (mut found, mut all) = (0.0, 0.0);
    for word in words.filter(|word| !word.is_empty()) {
        all += 1.0;
        if others.iter().any(|other| other == word) {
            found += 1.0;
        }
    }
    if all > 0.0 { found / all } else { 0.0 }
}

/// Returns the sum of the scores of each file's hits.
pub fn sums<'a>(hits: impl Iterator<Item = (&'a str, f64)>) -> BTreeMap<&'a str, f64> {
    let mut sums = BTreeMap::new();
    for (path, score) in hits {
        *sums.entry(path).or_insert(0.0) += score;
    }
    sums
}

/// Returns true if a path belongs to tests, examples, benchmarks or a compatibility layer.
#[must_use]
pub fn is_secondary(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    telling_parts(path).any(is_secondary_part) || name.split(['.', '-']).any(is_secondary_part)
}

/// Returns true if a code path contains a module of tests, as `queue::tests::waits` does.
pub fn is_inside_tests(canon_path: &str) -> bool {
    canon_path
        .split([':', '.'])
        .any(|part| part == "tests" || part == "test" || part.starts_with("test_"))
}

fn is_secondary_part(part: &str) -> bool {
    part.split('_').any(|word| {
        SECONDARY
            .binary_search(&word.to_ascii_lowercase().as_str())
            .is_ok()
    })
}

/// Returns true if the question itself mentions tests, examples, benchmarks or the like.
pub fn asks_for_secondary(question: &Question) -> bool {
    question
        .text()
        .split(|character: char| !character.is_alphanumeric())
        .any(is_secondary_part)
}

#[cfg(test)]
mod tests {
    use super::{SECONDARY, is_secondary};

    #[test]
    fn the_list_is_sorted() {
        assert!(SECONDARY.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn tests_and_examples_are_told_by_their_path() {
        for path in [
            "tests/it/main.rs",
            "src/queue_tests.rs",
            "web/app.test.ts",
            "examples/chat/src/main.rs",
            "src/compat.rs",
        ] {
            assert!(is_secondary(path), "{path}");
        }
        for path in ["src/latest.rs", "src/contest/mod.rs", "src/inspect.rs"] {
            assert!(!is_secondary(path), "{path}");
        }
    }
}
