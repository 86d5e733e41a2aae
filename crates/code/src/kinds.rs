//! The kinds of arguments of `request_code_context`, in addition to those of every operation.

use std::num::NonZeroU32;

use base::{Error, Result, nearest};
use code_model::kinds::Path;
use code_model::model::ItemKind;
use code_model::project::PathPattern;
use operation::arguments::{Item, Kind, Presence, Text, plain};
use operation::shape::Shape;
use serde_json::value::RawValue;

use crate::limits::{MAX_CONTEXT_TOKENS, MAX_FILTER_ENTRIES};

/// The token budget of a context.
#[derive(Debug)]
pub struct Tokens;

impl<'a> Presence<'a> for Tokens {
    type Value = NonZeroU32;
    const SHAPE: Shape = Shape::Whole {
        min: 1,
        max: Some(MAX_CONTEXT_TOKENS as u64),
    };
    const REQUIRED: bool = true;

    fn take(item: &Item<'a>, field: &str) -> Result<NonZeroU32> {
        let given = item.get(field).map_or("null", RawValue::get);
        if matches!(given, "null" | "0") {
            return Err(Error::invalid_with_hint(
                format!("{field} is missing or 0"),
                format!(
                    "send the most tokens that the context may have, 1 to {MAX_CONTEXT_TOKENS}; 2000 is a good start"
                ),
            ));
        }
        let number = given.parse().ok();
        let number = number.filter(|number: &NonZeroU32| number.get() <= MAX_CONTEXT_TOKENS);
        number.ok_or_else(|| {
            let shown = base::text::first(given, base::limits::MAX_NAME_CHARACTERS);
            Error::invalid(format!(
                "{field} must be a whole number from 1 to {MAX_CONTEXT_TOKENS}, not {shown}"
            ))
        })
    }
}

/// Defines a kind of argument: a list of texts, each of which is parsed to a value.
macro_rules! filters {
    ($(#[$meta:meta])* $name:ident, $of:ty, $item:expr, $read:expr) => {
        $(#[$meta])*
        #[derive(Debug)]
        pub struct $name;

        impl Kind<'_> for $name {
            type Value = Vec<$of>;
            const SHAPE: Shape = Shape::List {
                item: &$item,
                min: None,
                max: Some(MAX_FILTER_ENTRIES),
            };

            fn read(field: &str, raw: &RawValue) -> Result<Vec<$of>> {
                let texts: Vec<String> = plain(field, raw, "a list of texts")?;
                if texts.len() > MAX_FILTER_ENTRIES {
                    return Err(Error::invalid(format!(
                        "{field} has {} entries, the limit is {MAX_FILTER_ENTRIES}",
                        texts.len()
                    )));
                }
                texts.into_iter().map($read).collect()
            }
        }
    };
}

filters!(
    /// Paths, or patterns of paths.
    Patterns,
    PathPattern,
    Shape::Described("A file, a folder, or a pattern with * and ?.", &<Path as Kind>::SHAPE),
    |path| PathPattern::parse(&path)
);
filters!(
    /// Kinds of items, including sections of files.
    Kinds,
    ItemKind,
    Shape::Word(|| ItemKind::ALL.iter().map(|kind| kind.word()).collect()),
    |word| kind(&word)
);
filters!(
    /// The names of crates.
    Crates,
    String,
    Shape::Described("The name in Cargo.toml.", &<Text<1, 128> as Kind>::SHAPE),
    Ok
);

fn kind(word: &str) -> Result<ItemKind> {
    ItemKind::of(word).ok_or_else(|| {
        let words = ItemKind::ALL.iter().map(|kind| kind.word());
        let near = nearest(word, words.clone());
        let hint = base::did_you_mean(&near)
            .unwrap_or_else(|| format!("the kinds are {}", words.collect::<Vec<_>>().join(", ")));
        Error::invalid_with_hint(format!("Unsupported node_type: {word}"), hint)
    })
}
