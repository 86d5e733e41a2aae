//! Rules about names: a question that is a name asks for its definition.

use super::weights::Weights;
use crate::item::{Item, Role};
use crate::path::subject;
use crate::question::Question;
use crate::words::{Share, each_word, index_words};

/// Returns the bonus of a definition whose name is the question, as a multiple of the best score.
/// Of a path such as `task::JoinSet`, the last part is the name.
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

/// Returns the bonus of an item whose path ends with the path that is the question, as a multiple
/// of the best score: `Gate::open`, `<Gate as Door>::open`.
pub fn whole_path(question: &Question, item: &Item, weights: &Weights) -> f64 {
    if !question.is_symbol() {
        return 0.0;
    }
    let asked = path_names(question.text());
    if asked.len() > 1 && path_names(&item.canon_path).ends_with(&asked) {
        weights.whole_path * of_role(item, weights)
    } else {
        0.0
    }
}

/// Returns the names of a path without type arguments. For `<Gate as Door>` the name is `Gate`.
fn path_names(path: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut depth = 0_usize;
    // If a part of the path begins with a bracket, only the first name in it counts.
    let mut is_owner = false;
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut rest = path;
    let mut before = ':';
    while let Some(letter) = rest.chars().next() {
        let length = rest.find(|next| is_name(next) != is_name(letter));
        let (run, behind) = rest.split_at(length.unwrap_or(rest.len()));
        if is_name(letter) {
            let is_raw = run == "r" && behind.starts_with('#');
            if !is_raw && (depth == 0 || (depth == 1 && is_owner)) {
                names.push(run);
                is_owner = false;
            }
            before = 'a';
        } else {
            for sign in run.chars() {
                match sign {
                    '<' => {
                        is_owner = depth == 0 && before == ':';
                        depth += 1;
                    }
                    '>' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                before = sign;
            }
        }
        rest = behind;
    }
    names
}

/// Returns the bonus of a definition whose name is a word of the question, as a multiple of the
/// best score: `how MethodRouter dispatches`.
pub fn name_in_sentence(question: &Question, item: &Item, weights: &Weights) -> f64 {
    if question.is_symbol() || !question.names().contains(&item.name) {
        return 0.0;
    }
    weights.name_in_sentence * of_role(item, weights) * in_own_file(item, weights)
}

/// Returns the bonus of an item whose name has words of a sentence, as a multiple of the best
/// score: the share of the name's words. A name of one word counts half.
pub fn name_words(question: &Question, item: &Item, weights: &Weights) -> f64 {
    weights.name_words * share_of_words(question, &item.name)
}

/// Returns the bonus of an item whose documentation begins with words of the sentence, as a
/// multiple of the best score: the share of the sentence's words that its name and the first
/// sentence of its documentation have.
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

/// Returns the bonus of an item whose owner has words of a sentence, as a multiple of the best
/// score. The owner of a method is its type, that of a function its module.
pub fn owner_words(question: &Question, item: &Item, weights: &Weights) -> f64 {
    let owner = owner_of(&item.canon_path);
    weights.owner_words * share_of_words(question, owner)
}

/// Returns the part of a path before the name: `Gate` of `crate::Gate::open` and of
/// `package.Gate.open`.
fn owner_of(path: &str) -> &str {
    let mut parts = path.rsplit("::");
    match (parts.next(), parts.next()) {
        (_, Some(owner)) => owner,
        (Some(dotted), None) => dotted.rsplit('.').nth(1).unwrap_or_default(),
        (None, None) => "",
    }
}

/// Returns the share of a name's words that a sentence has; half of it for a name of one word.
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

/// Returns true if two names have the same letters and digits: `join_set` and `JoinSet`.
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

#[cfg(test)]
mod tests {
    use super::path_names;

    #[test]
    fn a_path_has_the_names_of_its_parts_alone() {
        for (path, names) in [
            ("Gate::open", &["Gate", "open"][..]),
            ("Shelf.open", &["Shelf", "open"]),
            (
                "crate::a::Vec2<f32, B<C>>::len",
                &["crate", "a", "Vec2", "len"],
            ),
            (
                "crate::<Circle as From<u16>>::from",
                &["crate", "Circle", "from"],
            ),
            ("<Vec2<f64> as Add>::add", &["Vec2", "add"]),
            ("crate::r#type", &["crate", "type"]),
            ("Gate::open()", &["Gate", "open"]),
            ("größe::Ä", &["größe", "Ä"]),
            ("<<<", &[]),
            (">>a", &["a"]),
            ("", &[]),
        ] {
            assert_eq!(path_names(path), names, "{path}");
        }
    }
}
