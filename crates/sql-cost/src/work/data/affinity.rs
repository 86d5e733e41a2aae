//! The type to which a comparison converts both sides before it compares them.

/// `SQLITE_AFF_MASK`, with the letters of TEXT and NUMERIC: the type to which both sides are
/// converted before they are compared.
pub const AFFINITY: i64 = 0x47;
const AFFINITY_TEXT: i64 = 0x42;
const AFFINITY_NUMERIC: i64 = 0x43;

/// The affinity of an expression: the type to which a comparison with it converts both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Affinity {
    /// The expression is not a column.
    Nothing,
    /// A column that stores values as they are given.
    Blob,
    Text,
    Numeric,
    /// A column of a sub-query, whose affinity is not known.
    Unknown,
}

impl Affinity {
    /// Returns the affinity of a column with this declared type, as described in section 3.1 of
    /// SQLite's "Datatypes".
    pub fn of_type(declared: &str) -> Self {
        let declared = declared.to_ascii_uppercase();
        let says = |words: &[&str]| words.iter().any(|word| declared.contains(word));
        if declared == "ANY" {
            // A column of type ANY has no affinity in a STRICT table, and NUMERIC in any other.
            Self::Unknown
        } else if says(&["INT"]) {
            Self::Numeric
        } else if says(&["CHAR", "CLOB", "TEXT"]) {
            Self::Text
        } else if declared.is_empty() || says(&["BLOB"]) {
            Self::Blob
        } else {
            Self::Numeric
        }
    }
}

/// Returns the `+` signs to write before the two sides so that a comparison uses the affinity of
/// the instruction, or `None` if that is not possible. A sign removes the affinity of its column.
pub fn signs(left: Affinity, right: Affinity, wanted: i64) -> Option<(&'static str, &'static str)> {
    let wanted = match wanted {
        AFFINITY_TEXT => Affinity::Text,
        wanted if wanted >= AFFINITY_NUMERIC => Affinity::Numeric,
        _ => return Some(("+", "+")),
    };
    if left == Affinity::Unknown || right == Affinity::Unknown {
        // One numeric column makes the comparison numeric, and signs in the statement can only have
        // removed other affinities.
        return (wanted == Affinity::Numeric).then_some(("", ""));
    }
    [
        (left, right, ("", "")),
        (left, Affinity::Nothing, ("", "+")),
        (Affinity::Nothing, right, ("+", "")),
    ]
    .into_iter()
    .find(|(left, right, _)| together(*left, *right) == wanted)
    .map(|(_, _, signs)| signs)
}

/// Returns the affinity that SQLite applies to both sides of a comparison.
fn together(left: Affinity, right: Affinity) -> Affinity {
    match (left, right) {
        (Affinity::Nothing, other) | (other, Affinity::Nothing) => other,
        (Affinity::Numeric, _) | (_, Affinity::Numeric) => Affinity::Numeric,
        _ => Affinity::Blob,
    }
}
