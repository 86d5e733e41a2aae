//! The words of a question.

/// Returns the runs of letters and digits, in lower case.
pub(crate) fn of(text: &str) -> impl Iterator<Item = String> {
    text.split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}
