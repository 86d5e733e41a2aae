//! What a comparison turns both sides into before it compares them.

/// `SQLITE_AFF_MASK`, with the letters of TEXT and NUMERIC: what both sides are turned into before they are compared.
pub const AFFINITY: i64 = 0x47;
const AFFINITY_TEXT: i64 = 0x42;
const AFFINITY_NUMERIC: i64 = 0x43;

/// What an expression asks its comparison to turn both sides into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Affinity {
    /// It is no column.
    Nothing,
    /// A column that keeps what it is given.
    Blob,
    Text,
    Numeric,
    /// A column of a sub-query, of which it is not known.
    Unknown,
}

impl Affinity {
    /// That of a column by its declared type, as section 3.1 of SQLite's "Datatypes" has it.
    pub fn of_type(declared: &str) -> Self {
        let declared = declared.to_ascii_uppercase();
        let says = |words: &[&str]| words.iter().any(|word| declared.contains(word));
        if declared == "ANY" {
            // In a STRICT table it is none, in any other NUMERIC.
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

/// The signs that make both sides be compared with the affinity that the instruction has; `None` where that cannot be had. A sign takes
/// the affinity from its column.
pub fn signs(left: Affinity, right: Affinity, wanted: i64) -> Option<(&'static str, &'static str)> {
    let wanted = match wanted {
        AFFINITY_TEXT => Affinity::Text,
        wanted if wanted >= AFFINITY_NUMERIC => Affinity::Numeric,
        _ => return Some(("+", "+")),
    };
    if left == Affinity::Unknown || right == Affinity::Unknown {
        // One numeric column makes the comparison numeric, and signs in the statement can only have taken others away.
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

/// What SQLite turns both sides of a comparison into.
fn together(left: Affinity, right: Affinity) -> Affinity {
    match (left, right) {
        (Affinity::Nothing, other) | (other, Affinity::Nothing) => other,
        (Affinity::Numeric, _) | (_, Affinity::Numeric) => Affinity::Numeric,
        _ => Affinity::Blob,
    }
}
