//! The kinds of arguments of a workspace's operations, in addition to those of every operation.

use base::{Error, Result};
use operation::arguments::{Arguments, Item, Kind, Presence, Text, plain};
use operation::shape::Shape;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::AsOf;
use crate::edit::no_edits;
use crate::limits::{MAX_EDITS, MAX_SCANNED_FILES, MAX_WRITTEN_FILES};
use crate::model::{ItemKind, Language};
use crate::store::rows::OPEN;

/// The characters of a path in schemas: the longest path, with the root of the workspace before it.
const GIVEN_PATH_CHARACTERS: usize = 1_200;

/// The path of a file, or a pattern of paths.
pub type Path = Text<1, GIVEN_PATH_CHARACTERS>;

/// Characters of a word that an error shows.
pub(crate) const SHOWN_CHARACTERS: usize = 40;

/// The version, or the time, to which a request refers.
#[derive(Debug)]
pub struct AsOfArgument;

impl Kind<'_> for AsOfArgument {
    type Value = AsOf;
    const SHAPE: Shape = Shape::Json(
        r#"{"oneOf":[{"type":"string","minLength":1,"maxLength":40},{"type":"integer","minimum":0}]}"#,
    );

    fn read(field: &str, raw: &RawValue) -> Result<AsOf> {
        let wrong = || {
            Error::invalid(format!(
                "{field} must be a version, or a time such as 2026-11-25T12:00:00Z"
            ))
        };
        match plain(
            field,
            raw,
            "a version, or a time such as 2026-11-25T12:00:00Z",
        )? {
            Value::Number(number) => {
                let version = number.as_u64().filter(|version| *version <= OPEN);
                version.map(AsOf::Version).ok_or_else(wrong)
            }
            Value::String(text) => match text.parse() {
                Ok(version) => Ok(AsOf::Version(version)),
                Err(_) => base::time::from_iso8601(&text)
                    .map(AsOf::Time)
                    .ok_or_else(wrong),
            },
            _ => Err(wrong()),
        }
    }
}

/// The kind of an item.
#[derive(Debug)]
pub struct KindName;

fn kind_words() -> Vec<&'static str> {
    let kinds = ItemKind::ALL.iter();
    let kinds = kinds.filter(|kind| **kind != ItemKind::Chunk);
    kinds.map(|kind| kind.word()).collect()
}

impl Kind<'_> for KindName {
    type Value = ItemKind;
    const SHAPE: Shape = Shape::Word(kind_words);

    fn read(field: &str, raw: &RawValue) -> Result<ItemKind> {
        let word: String = plain(field, raw, "a text")?;
        let found = ItemKind::of(&word).filter(|kind| *kind != ItemKind::Chunk);
        found.ok_or_else(|| {
            let shown = base::text::cut(&word, SHOWN_CHARACTERS);
            let words = kind_words();
            let near = base::nearest(&word, words.iter().copied());
            let hint = base::did_you_mean(&near)
                .unwrap_or_else(|| format!("the kinds are {}", words.join(", ")));
            Error::invalid_with_hint(format!("Unsupported node_type: {shown}"), hint)
        })
    }
}

/// The name of a language.
#[derive(Debug)]
pub struct LanguageName;

fn languages() -> Vec<(&'static str, Language)> {
    let languages = Language::ALL.iter();
    languages
        .map(|language| (language.word(), *language))
        .collect()
}

impl Kind<'_> for LanguageName {
    type Value = Language;
    const SHAPE: Shape = Shape::Word(|| Language::ALL.iter().map(|known| known.word()).collect());

    fn read(field: &str, raw: &RawValue) -> Result<Language> {
        let word: String = plain(field, raw, "a text")?;
        operation::arguments::meaning(field, &word, &languages())
    }
}

/// A number from 0 to 1.
#[derive(Debug)]
pub struct Share;

impl Kind<'_> for Share {
    type Value = f64;
    const SHAPE: Shape = Shape::Json(r#"{"type":"number","minimum":0,"maximum":1}"#);

    fn read(field: &str, raw: &RawValue) -> Result<f64> {
        let wanted = "a number from 0 to 1";
        let share: f64 = plain(field, raw, wanted)?;
        match (0.0..=1.0).contains(&share) {
            true => Ok(share),
            false => Err(Error::invalid(format!("{field} must be {wanted}"))),
        }
    }
}

/// A time in milliseconds since 1970.
#[derive(Debug)]
pub struct Milliseconds;

impl Kind<'_> for Milliseconds {
    type Value = u64;
    const SHAPE: Shape = Shape::Whole { min: 0, max: None };

    fn read(field: &str, raw: &RawValue) -> Result<u64> {
        let wanted = format!("a whole number from 0 to {OPEN}");
        match plain(field, raw, &wanted)? {
            number if number <= OPEN => Ok(number),
            _ => Err(Error::invalid(format!("{field} must be {wanted}"))),
        }
    }
}

/// A list of edits, each as its own text.
#[derive(Debug)]
pub struct Edits;

impl<'a> Presence<'a> for Edits {
    type Value = Vec<&'a RawValue>;
    const SHAPE: Shape = Shape::List {
        item: &Shape::Json(r##"{"$ref":"#/definitions/CodeEdit"}"##),
        min: Some(1),
        max: Some(MAX_EDITS),
    };
    const REQUIRED: bool = true;

    fn take(item: &Item<'a>, field: &str) -> Result<Vec<&'a RawValue>> {
        match item.get(field) {
            Some(raw) if raw.get() != "null" => plain(field, raw, "a list"),
            _ => Err(no_edits()),
        }
    }
}

operation::arguments! {
    /// A file with its content.
    pub(crate) struct WrittenFile {
        /// The file.
        "file_path" => file_path: Path,
        /// The whole content.
        "text" => text: Option<Text>,
        /// The whole content, instead of text, if it is not UTF-8.
        "base64" => base64: Option<Text>,
        /// The time of its last change, in milliseconds since 1970.
        "modified_ms" => modified_ms: Option<Milliseconds>,
    }
}

operation::arguments! {
    /// A file with the hash of its content.
    pub(crate) struct ScannedFile {
        /// The file.
        "file_path" => file_path: Path,
        /// The hash of its bytes.
        "file_hash" => file_hash: Text<1, 64>,
    }
}

/// Defines a kind for a list of objects, each as its own text. Together they may have as many bytes
/// as a request.
macro_rules! objects {
    ($(#[$meta:meta])* $name:ident, $item:ty, $most:expr) => {
        $(#[$meta])*
        #[derive(Debug)]
        pub struct $name;

        impl<'a> Kind<'a> for $name {
            type Value = Vec<&'a RawValue>;
            const SHAPE: Shape = Shape::List {
                item: &Shape::Object(<$item as Arguments>::FIELDS),
                min: None,
                max: Some($most),
            };

            fn read(field: &str, raw: &'a RawValue) -> Result<Vec<&'a RawValue>> {
                plain(field, raw, "a list")
            }
        }
    };
}

objects!(
    /// Files with their content.
    WrittenFiles, WrittenFile, MAX_WRITTEN_FILES
);
objects!(
    /// Files with the hashes of their content.
    ScannedFiles, ScannedFile, MAX_SCANNED_FILES
);

/// The paths of files.
#[derive(Debug)]
pub struct FilePaths;

impl Kind<'_> for FilePaths {
    type Value = Vec<String>;
    const SHAPE: Shape = Shape::List {
        item: &Shape::Described("A file.", &<Path as Kind>::SHAPE),
        min: None,
        max: Some(MAX_WRITTEN_FILES),
    };

    fn read(field: &str, raw: &RawValue) -> Result<Vec<String>> {
        plain(field, raw, "a list of texts")
    }
}
