//! The phrases of notices: counts with their nouns and verbs, and lists of fields.

use base::quoted::printed;

/// The number of characters that a notice shows of a field.
pub(super) const SHOWN_CHARACTERS: usize = 40;

/// Returns a count with its noun.
pub(super) fn counted(count: u64, what: &str) -> String {
    if count == 1 {
        format!("1 {what}")
    } else {
        format!("{count} {what}s")
    }
}

/// Returns a count with its noun and “was” or “were”.
pub(super) fn were(count: u64, what: &str) -> String {
    let verb = if count == 1 { "was" } else { "were" };
    format!("{} {verb}", counted(count, what))
}

/// Returns “1 of 3 fields is” and the like.
pub(super) fn are(count: u64, of: u64) -> String {
    let verb = if count == 1 { "is" } else { "are" };
    format!("{count} of {} {verb}", counted(of, "field"))
}

/// Returns a count of fields that lost something.
pub(super) fn have_lost(count: u64) -> String {
    format!("{} lost", counted(count, "field"))
}

/// Returns “not a number”, or “not numbers” for another count than one.
pub(super) fn no_number(count: u64) -> &'static str {
    if count == 1 {
        "not a number"
    } else {
        "not numbers"
    }
}

/// Returns “1 of 3 fields has” and the like.
pub(super) fn have(count: u64, of: u64) -> String {
    let verb = if count == 1 { "has" } else { "have" };
    format!("{count} of {} {verb}", counted(of, "field"))
}

/// Returns a list of fields in quotation marks.
pub(super) fn list(fields: &[&str]) -> String {
    let shown = fields.iter().map(|field| {
        let printed = printed(field, SHOWN_CHARACTERS);
        if printed.starts_with('“') {
            printed
        } else {
            format!("“{printed}”")
        }
    });
    shown.collect::<Vec<_>>().join(", ")
}
