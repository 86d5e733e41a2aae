//! The meaning of other databases' types in SQLite, which accepts any word as a type and chooses
//! one of four conversions by the letters in it.
//!
//! Only names are judged here; [`super::typed`] finds them in a statement.

use std::borrow::Cow;

use sqlite3_parser::ast::{Expr, Literal, Type, TypeSize};

use super::operations::unquote;

/// The conversion of values that are stored in a column of a type (sqlite.org, "Datatypes In
/// SQLite", section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Affinity {
    Text,
    Numeric,
    Integer,
    Real,
    Blob,
}

/// The judgement of a type name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// It has the same meaning in SQLite as in its own database.
    Same,
    /// SQLite would change values, so this type replaces it. An empty text stands for no type,
    /// which keeps each value as it is.
    Instead(&'static str),
    /// It is not a type: the column numbers its rows by itself, as with SERIAL.
    Counter,
    /// A word in it is not part of a type: AUTO_INCREMENT.
    Option,
}

/// Types whose values are texts, or are written as texts.
const TEXTS: &str = "STRING UUID UNIQUEIDENTIFIER GUID ULID NAME SYSNAME XML XMLTYPE ENUM SET ENUM8 ENUM16 LOWCARDINALITY FIXEDSTRING ROWID UROWID \
     DATE DATE32 TIME TIMETZ TIME_NTZ INTERVAL JSON JSONB SUPER HSTORE ARRAY STRUCT MAP RECORD LIST TUPLE NESTED OBJECT UNION INET INET4 INET6 CIDR \
     IPV4 IPV6 MACADDR MACADDR8 POINT LINE LSEG BOX PATH POLYGON CIRCLE GEOMETRY GEOGRAPHY LINESTRING MULTIPOINT MULTILINESTRING MULTIPOLYGON \
     GEOMETRYCOLLECTION TSVECTOR TSQUERY INT4RANGE INT8RANGE NUMRANGE TSRANGE TSTZRANGE DATERANGE INT4MULTIRANGE INT8MULTIRANGE NUMMULTIRANGE \
     TSMULTIRANGE TSTZMULTIRANGE DATEMULTIRANGE LTREE LQUERY HIERARCHYID VECTOR HALFVEC SPARSEVEC VARBIT BITSTRING PG_LSN JSONPATH REGCLASS REGTYPE BFILE";

/// Types whose values are bytes.
const BYTES: &str =
    "BLOB TINYBLOB MEDIUMBLOB LONGBLOB BYTEA BINARY VARBINARY BYTES IMAGE RAW ROWVERSION";

/// Types whose values are numbers, or numbers as often as texts.
const NUMBERS: &str = "NUMERIC DECIMAL DEC NUMBER FIXED BIGNUMERIC BIGDECIMAL DECIMAL32 DECIMAL64 DECIMAL128 DECIMAL256 DECFLOAT MONEY SMALLMONEY \
     BOOLEAN BOOL LOGICAL BIT YEAR SIGNED UNSIGNED OID XID \
     DATETIME DATETIME2 DATETIMEOFFSET SMALLDATETIME DATETIME64 TIMESTAMP TIMESTAMPTZ TIMESTAMP_NTZ TIMESTAMP_LTZ TIMESTAMP_TZ TIMESTAMP_S TIMESTAMP_MS \
     TIMESTAMP_US TIMESTAMP_NS TIMESTAMPNTZ TIMESTAMPLTZ";

/// Types whose values have a fraction.
const FRACTIONS: &str = "REAL FLOAT FLOAT4 FLOAT8 FLOAT16 FLOAT32 FLOAT64 DOUBLE FLOATING BINARY_FLOAT BINARY_DOUBLE BFLOAT16";

/// Types of columns that number their rows by themselves in other databases.
const COUNTERS: &str = "SERIAL SERIAL2 SERIAL4 SERIAL8 SMALLSERIAL BIGSERIAL AUTONUMBER COUNTER";

/// Words after a type that make the column number its rows by itself.
const COUNTING_WORDS: &str = "AUTO_INCREMENT AUTOINCREMENT IDENTITY";

/// Words after the base word of a type that belong to the type.
const CONTINUATIONS: &str = "VARYING PRECISION UNSIGNED SIGNED ZEROFILL LARGE OBJECT BINARY BYTE CHAR ASCII UNICODE ARRAY WITH WITHOUT LOCAL TIME ZONE";

/// Types that may be followed by fields of time: `INTERVAL DAY TO SECOND`.
const OF_FIELDS: &str = "INTERVAL DATETIME";

/// Words before the base word of a type.
const PREFIXES: &str = "NATIONAL NATIVE UNSIGNED SIGNED LONG BIG TINY SMALL MEDIUM HUGE VARYING";

fn lists(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|known| known == word)
}

/// Returns the position of the first word that is not part of a type: one that counts, or any word
/// after a known type that does not belong to it.
pub(crate) fn foreign_word(words: &[String]) -> Option<usize> {
    let upper: Vec<String> = words.iter().map(|word| word.to_ascii_uppercase()).collect();
    let at = base_position(&upper);
    let base = upper.get(at)?;
    let is_known = wanted(base).is_some() && !lists(OF_FIELDS, base);
    let is_foreign =
        |word: &String| lists(COUNTING_WORDS, word) || (is_known && !lists(CONTINUATIONS, word));
    let behind = upper.get(at + 1..)?.iter().position(is_foreign)?;
    Some(at + 1 + behind)
}

/// Returns the position of the base word of a type, which decides its kind.
fn base_position(upper: &[String]) -> usize {
    let before = upper.iter().take_while(|word| lists(PREFIXES, word));
    // `UNSIGNED` on its own is a type.
    before.count().min(upper.len().saturating_sub(1))
}

/// Returns true if a word after the type makes it a list: `INTEGER ARRAY`.
fn is_array_by_word(upper: &[String]) -> bool {
    let behind = upper.get(base_position(upper) + 1..).unwrap_or_default();
    behind.iter().any(|word| word == "ARRAY")
}

/// Returns true if a word after a type makes the column count.
pub(crate) fn counts(word: &str) -> bool {
    lists(COUNTING_WORDS, &word.to_ascii_uppercase())
}

/// Judges the words of a type, unquoted; `size` is the first number after them.
pub(crate) fn meaning(words: &[String], size: Option<u64>, is_array: bool) -> Meaning {
    if foreign_word(words).is_some() {
        return Meaning::Option;
    }
    let upper: Vec<String> = words.iter().map(|word| word.to_ascii_uppercase()).collect();
    let at = base_position(&upper);
    let Some(base) = upper.get(at) else {
        return Meaning::Same;
    };
    if lists(COUNTERS, base) {
        return Meaning::Counter;
    }
    let varies = upper.get(at + 1).is_some_and(|word| word == "VARYING");
    let wanted = if is_array || is_array_by_word(&upper) {
        Some(Affinity::Text)
    } else if base == "BIT" && (varies || size.is_some_and(|size| size > 1)) {
        // Bits in a row are written as a text: 0101.
        Some(Affinity::Text)
    } else {
        wanted(base)
    };
    let is_read_as = affinity(&upper.join(" "));
    match wanted {
        Some(wanted) if wanted == is_read_as => Meaning::Same,
        Some(wanted) => Meaning::Instead(name_of(wanted)),
        None => Meaning::Instead(""),
    }
}

/// Returns the affinity that keeps the values of a type, or `None` for a word that is not a known
/// type.
fn wanted(base: &str) -> Option<Affinity> {
    let text_endings = ["CHAR", "CHAR2", "TEXT", "CLOB", "CHARACTER"];
    if lists(TEXTS, base) || text_endings.iter().any(|ending| base.ends_with(ending)) {
        Some(Affinity::Text)
    } else if lists(BYTES, base) {
        Some(Affinity::Blob)
    } else if lists(NUMBERS, base) {
        Some(Affinity::Numeric)
    } else if lists(FRACTIONS, base) {
        Some(Affinity::Real)
    } else if is_integer(base) {
        Some(Affinity::Integer)
    } else {
        None
    }
}

/// Returns true for `INT`, `UINT8`, `BIGINT`, `INTEGER`, `INT2`, …
fn is_integer(base: &str) -> bool {
    let bare = base.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let bare = bare.strip_prefix('U').unwrap_or(bare);
    let sizes = ["TINY", "SMALL", "MEDIUM", "BIG", "HUGE", "BYTE"];
    let bare = sizes
        .iter()
        .find_map(|size| bare.strip_prefix(size))
        .unwrap_or(bare);
    bare == "INT" || bare == "INTEGER"
}

/// Returns the affinity by SQLite's own rule, for a name in upper case.
fn affinity(name: &str) -> Affinity {
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if has(&["INT"]) {
        Affinity::Integer
    } else if has(&["CHAR", "CLOB", "TEXT"]) {
        Affinity::Text
    } else if name.is_empty() || has(&["BLOB"]) {
        Affinity::Blob
    } else if has(&["REAL", "FLOA", "DOUB"]) {
        Affinity::Real
    } else {
        Affinity::Numeric
    }
}

fn name_of(affinity: Affinity) -> &'static str {
    match affinity {
        Affinity::Text => "TEXT",
        Affinity::Numeric => "NUMERIC",
        Affinity::Integer => "INTEGER",
        Affinity::Real => "REAL",
        Affinity::Blob => "BLOB",
    }
}

/// The judgement of a cast to a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CastMeaning {
    Same,
    /// The same cast with this type name.
    Instead(&'static str),
    /// No cast does it.
    Other,
}

/// Types whose values are written as texts and result from a cast to TEXT.
const TEXT_CASTS: &str =
    "STRING UUID UNIQUEIDENTIFIER GUID ULID NAME SYSNAME INET CIDR MACADDR FIXEDSTRING";

/// Judges the type of a cast.
pub(crate) fn cast_meaning(words: &[String], is_array: bool) -> CastMeaning {
    let upper: Vec<String> = words.iter().map(|word| word.to_ascii_uppercase()).collect();
    let base = upper.first().cloned().unwrap_or_default();
    let is_array = is_array || is_array_by_word(&upper);
    let is_time = base.starts_with("TIMESTAMP") || base.contains("DATETIME") || base == "YEAR";
    if is_array || is_time {
        return CastMeaning::Other;
    }
    if lists("SIGNED UNSIGNED", &base) && words.len() == 1 {
        return CastMeaning::Instead("INTEGER");
    }
    match meaning(words, None, false) {
        Meaning::Same if lists(TEXTS, &base) => CastMeaning::Other,
        Meaning::Same => CastMeaning::Same,
        Meaning::Instead("TEXT") if !lists(TEXT_CASTS, &base) => CastMeaning::Other,
        Meaning::Instead("") | Meaning::Counter | Meaning::Option => CastMeaning::Other,
        Meaning::Instead(other) => CastMeaning::Instead(other),
    }
}

/// Returns the type with which a column is declared for a written type: its words, without a size.
pub(crate) fn declared(written: &Type<'_>) -> Cow<'static, str> {
    let words = words(written.name);
    let size = match &written.size {
        Some(
            TypeSize::MaxSize(Expr::Literal(Literal::Numeric(size)))
            | TypeSize::TypeSize(Expr::Literal(Literal::Numeric(size)), _),
        ) => size.parse().ok(),
        _ => None,
    };
    match meaning(
        &words,
        size,
        written.name.split('[').skip(1).any(closes_array),
    ) {
        Meaning::Instead(other) => Cow::Borrowed(other),
        Meaning::Same | Meaning::Counter | Meaning::Option => Cow::Owned(words.join(" ")),
    }
}

/// Returns the words of a type without quotes, up to its size and without the brackets of an array:
/// `INTEGER [3] []`.
pub(crate) fn words(written: &str) -> Vec<String> {
    let end = written.find('(').unwrap_or(written.len());
    let spaced = written.get(..end).unwrap_or_default().replace('[', " [");
    spaced
        .split_whitespace()
        .filter(|word| !word.strip_prefix('[').is_some_and(closes_array))
        .map(unquote)
        .collect()
}

/// Returns true if a text after `[` is the size of an array with its closing bracket.
fn closes_array(behind: &str) -> bool {
    behind
        .split_once(']')
        .is_some_and(|(size, _)| size.bytes().all(|byte| byte.is_ascii_digit()))
}
