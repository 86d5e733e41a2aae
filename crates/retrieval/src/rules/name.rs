//! Rules on names: who looks for a name wants its definition.

use super::weights::Weights;
use crate::item::{Item, Role};
use crate::path::subject;
use crate::question::Question;
use crate::words::{Share, each_word, index_words};

/// What a definition gets if the question is its name, in best scores: `JoinSet`, or `task::JoinSet`, of which the last part is the name.
pub fn definition(question: &Question, item: &Item, weights: &Weights) -> f64 {
    if !question.is_symbol() {
        return 0.0;
    }
    match question.names().last() {
        Some(name) if item.name == *name => {
            weights.definition * of_role(item, weights) * in_own_file(item, weights)
        }
        _ => 0.0,
    }
}

/// What a definition gets if its name stands inside the question, in best scores: `how MethodRouter dispatches`.
pub fn name_in_sentence(question: &Question, item: &Item, weights: &Weights) -> f64 {
    if question.is_symbol() || !question.names().contains(&item.name) {
        return 0.0;
    }
    weights.name_in_sentence * of_role(item, weights) * in_own_file(item, weights)
}

/// What an item gets whose name has words of a sentence, in best scores: the share of the name's words. A name of one word says less.
pub fn name_words(question: &Question, item: &Item, weights: &Weights) -> f64 {
    weights.name_words * share_of_words(question, &item.name)
}

/// What an item gets whose documentation begins with what a sentence asks, in best scores: the share of the sentence's words that its first sentence
/// and its name have.
pub fn summary(question: &Question, item: &Item, weights: &Weights) -> f64 {
    if question.is_symbol() || item.summary.is_empty() || question.terms().is_empty() {
        return 0.0;
    }
    let words = index_words(&item.summary);
    let name = index_words(&item.name);
    let of_item: Vec<&str> = words.split(' ').chain(name.split(' ')).collect();
    let terms = question.terms();
    let found = terms.iter().filter(|term| of_item.contains(&term.as_str()));
    weights.summary * found.count() as f64 / terms.len() as f64
}

/// What an item gets whose owner has words of a sentence, in best scores: the type of a method, the module of a function.
pub fn owner_words(question: &Question, item: &Item, weights: &Weights) -> f64 {
    let owner = item.canon_path.rsplit("::").nth(1).unwrap_or_default();
    weights.owner_words * share_of_words(question, owner)
}

/// The share of a name's words that a sentence has; half of it for a name of one word.
fn share_of_words(question: &Question, name: &str) -> f64 {
    if question.is_symbol() {
        return 0.0;
    }
    let (mut found, mut all) = (0.0, 0.0);
    each_word(name, &mut |word, share| {
        if share == Share::Part {
            all += 1.0;
            found += f64::from(u8::from(question.terms().iter().any(|term| term == word)));
        }
    });
    found / f64::max(all, 2.0)
}

fn of_role(item: &Item, weights: &Weights) -> f64 {
    match item.role {
        Role::Definition => 1.0,
        Role::Reexport => weights.reexport,
        Role::Extension | Role::Text => 0.0,
    }
}

fn in_own_file(item: &Item, weights: &Weights) -> f64 {
    if same_letters(subject(&item.file_path), &item.name) {
        weights.definition_in_own_file
    } else {
        1.0
    }
}

/// Whether two names have the same letters and digits: `join_set` and `JoinSet`.
fn same_letters(left: &str, right: &str) -> bool {
    let letters = |text: &str| -> String {
        text.chars()
            .filter(|character| character.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    let left = letters(left);
    !left.is_empty() && left == letters(right)
}
