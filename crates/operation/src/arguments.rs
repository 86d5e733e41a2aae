//! Defines the type of an operation's arguments. Each field declares the values that it accepts;
//! the parser, the JSON Schema and the list of fields are derived from these declarations.
//!
//! The macro `arguments!` defines such a type. A field that is null counts as absent.

use std::borrow::Cow;

use base::entries::Fields;
use base::known::{self, Given};
use base::{Error, Result};
use serde::Deserialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;

use crate::shape::{Field, Shape};

/// The fields of a JSON object, each as its text.
#[derive(Debug)]
pub struct Item<'a> {
    fields: Vec<(String, &'a RawValue)>,
    /// Words that messages put before the name of a field, in addition to `within`.
    before: &'static str,
    /// The path of the object, which messages put before the name of a field: `files[0].`, or
    /// empty.
    within: String,
}

impl<'a> Item<'a> {
    /// Parses an object that has no other fields than these.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] for anything else, with the nearest field.
    pub fn parse(what: &str, raw: &'a RawValue, fields: &[Field]) -> Result<Self> {
        let item: Fields<&RawValue> = serde_json::from_str(raw.get())
            .map_err(|error| Error::invalid(format!("{what} must be an object: {error}")))?;
        let item = Self::of(item.0);
        item.check(fields)?;
        Ok(item)
    }

    /// Rejects unknown fields.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] with the nearest field.
    pub fn check(&self, fields: &[Field]) -> Result<()> {
        let is_known = |name: &str| fields.iter().any(|field| field.name == name);
        let unknown = self.fields.iter().find(|(name, _)| !is_known(name));
        unknown.map_or(Ok(()), |(name, _)| {
            let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
            Err(known::unknown(Given::Field, name, &names, ""))
        })
    }

    /// Wraps the fields of an object without duplicates.
    pub const fn of(fields: Vec<(String, &'a RawValue)>) -> Self {
        Self {
            fields,
            before: "",
            within: String::new(),
        }
    }

    /// Sets words before the name of a field in messages about its value.
    #[must_use]
    pub fn after(self, before: &'static str) -> Self {
        Self { before, ..self }
    }

    /// Takes a field out and returns its JSON text.
    pub fn take(&mut self, field: &str) -> Option<&'a RawValue> {
        let place = self.fields.iter().position(|(name, _)| name == field)?;
        Some(self.fields.remove(place).1)
    }

    /// Sets the place of the object within the arguments, for messages.
    #[must_use]
    pub fn within(self, place: &str) -> Self {
        let within = format!("{place}.");
        Self { within, ..self }
    }

    /// Returns the name of a field in messages.
    pub fn name<'n>(&self, field: &'n str) -> Cow<'n, str> {
        if self.before.is_empty() && self.within.is_empty() {
            return Cow::Borrowed(field);
        }
        Cow::Owned(format!("{}{}{field}", self.before, self.within))
    }

    /// Returns the JSON text of a field, `null` included.
    pub fn get(&self, field: &str) -> Option<&'a RawValue> {
        let found = self.fields.iter().find(|(name, _)| name == field);
        found.map(|(_, raw)| *raw)
    }
}

/// A type whose values are arguments, or an object within them.
pub trait Arguments<'a>: Sized {
    /// Its fields.
    const FIELDS: &'static [Field];

    /// Parses the fields of an object that has no others.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] naming the field.
    fn of_item(item: &Item<'a>) -> Result<Self>;

    /// Parses a JSON object.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] naming the field. `what` is the name of the object in
    /// a message.
    fn read(what: &str, raw: &'a RawValue) -> Result<Self> {
        Self::of_item(&Item::parse(what, raw, Self::FIELDS)?)
    }

    /// Parses the fields of an object, and rejects others.
    ///
    /// # Errors
    /// The errors of [`Arguments::read`].
    fn of_only(item: &Item<'a>) -> Result<Self> {
        item.check(Self::FIELDS)?;
        Self::of_item(item)
    }

    /// Parses an object at a place within the arguments, such as `files[0]`.
    ///
    /// # Errors
    /// The errors of [`Arguments::read`]; messages name the place.
    fn read_at(place: &str, raw: &'a RawValue) -> Result<Self> {
        Self::of_item(&Item::parse(place, raw, Self::FIELDS)?.within(place))
    }

    /// Parses the text of a JSON object.
    ///
    /// # Errors
    /// The errors of [`Arguments::read`].
    fn parse(text: &'a str) -> Result<Self> {
        let raw: &RawValue = serde_json::from_str(text)
            .map_err(|error| Error::invalid(format!("the arguments are not JSON: {error}")))?;
        Self::read("the arguments", raw)
    }
}

/// A kind of value that a field may have.
pub trait Kind<'a> {
    /// The value itself.
    type Value;

    /// Its JSON.
    const SHAPE: Shape;

    /// True if it is the id of an object, or a list of such ids.
    const NAMES_OBJECTS: bool = false;

    /// Parses the value.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] naming the field.
    fn read(field: &str, raw: &'a RawValue) -> Result<Self::Value>;

    /// Returns the JSON of a default.
    fn show(_value: &Self::Value) -> Json {
        Json::Null
    }
}

/// The presence of a field: required or optional.
pub trait Presence<'a> {
    /// The value, or an option of it.
    type Value;

    /// Its JSON.
    const SHAPE: Shape;

    /// True if the field is required.
    const REQUIRED: bool;

    /// True if it is the id of an object, or a list of such ids.
    const NAMES_OBJECTS: bool = false;

    /// Takes a field of an object.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] naming the field.
    fn take(item: &Item<'a>, field: &str) -> Result<Self::Value>;
}

impl<'a, K: Kind<'a>> Presence<'a> for K {
    type Value = K::Value;
    const SHAPE: Shape = K::SHAPE;
    const REQUIRED: bool = true;
    const NAMES_OBJECTS: bool = K::NAMES_OBJECTS;

    fn take(item: &Item<'a>, field: &str) -> Result<Self::Value> {
        optional::<K>(item, field)?.ok_or_else(|| missing(&format!("{}{field}", item.within)))
    }
}

/// A value that may be null or left out. Its schema allows both.
#[derive(Debug)]
pub struct OrNull<K>(std::marker::PhantomData<K>);

impl<'a, K: Kind<'a>> Presence<'a> for OrNull<K> {
    type Value = Option<K::Value>;
    const SHAPE: Shape = Shape::OrNull(&K::SHAPE);
    const REQUIRED: bool = false;
    const NAMES_OBJECTS: bool = K::NAMES_OBJECTS;

    fn take(item: &Item<'a>, field: &str) -> Result<Self::Value> {
        optional::<K>(item, field)
    }
}

impl<'a, K: Kind<'a>> Presence<'a> for Option<K> {
    type Value = Option<K::Value>;
    const SHAPE: Shape = K::SHAPE;
    const REQUIRED: bool = false;
    const NAMES_OBJECTS: bool = K::NAMES_OBJECTS;

    fn take(item: &Item<'a>, field: &str) -> Result<Self::Value> {
        optional::<K>(item, field)
    }
}

/// Takes a field that may be left out.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] naming the field.
pub fn optional<'a, K: Kind<'a>>(item: &Item<'a>, field: &str) -> Result<Option<K::Value>> {
    let raw = item.get(field).filter(|raw| raw.get() != "null");
    raw.map(|raw| K::read(&item.name(field), raw)).transpose()
}

/// Returns the error for a missing field.
pub fn missing(field: &str) -> Error {
    Error::invalid(format!("the field {field} is missing"))
}

/// Parses a value of a type that needs nothing but its JSON.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`]: the field must be `wanted`.
pub fn plain<'a, T: Deserialize<'a>>(field: &str, raw: &'a RawValue, wanted: &str) -> Result<T> {
    serde_json::from_str(raw.get()).map_err(|_| Error::invalid(format!("{field} must be {wanted}")))
}

/// A text. The bounds are only for the schema, and the user of the value checks them; 0 means no
/// bound.
#[derive(Debug)]
pub struct Text<const MIN: usize = 0, const MAX: usize = 0>;

impl<'a, const MIN: usize, const MAX: usize> Kind<'a> for Text<MIN, MAX> {
    type Value = String;
    const SHAPE: Shape = Shape::Text {
        min: if MIN == 0 { None } else { Some(MIN) },
        max: if MAX == 0 { None } else { Some(MAX) },
    };

    fn read(field: &str, raw: &'a RawValue) -> Result<String> {
        plain(field, raw, "a text")
    }

    fn show(text: &String) -> Json {
        text.as_str().into()
    }
}

/// A whole number within bounds.
#[derive(Debug)]
pub struct Whole<const MIN: usize, const MAX: usize, T = usize>(std::marker::PhantomData<T>);

impl<'a, const MIN: usize, const MAX: usize, T> Kind<'a> for Whole<MIN, MAX, T>
where
    T: Copy + TryFrom<usize> + Into<Json>,
{
    type Value = T;
    const SHAPE: Shape = Shape::Whole {
        min: MIN as u64,
        max: Some(MAX as u64),
    };

    fn read(field: &str, raw: &'a RawValue) -> Result<T> {
        let wanted = format!("a whole number from {MIN} to {MAX}");
        let number: usize = plain(field, raw, &wanted)?;
        let inside = (MIN..=MAX).contains(&number);
        let value = inside.then(|| T::try_from(number).ok()).flatten();
        value.ok_or_else(|| Error::invalid(format!("{field} must be {wanted}, not {number}")))
    }

    fn show(value: &T) -> Json {
        (*value).into()
    }
}

/// A whole number that is not less than a bound.
#[derive(Debug)]
pub struct AtLeast<const MIN: usize>;

impl<'a, const MIN: usize> Kind<'a> for AtLeast<MIN> {
    type Value = usize;
    const SHAPE: Shape = Shape::Whole {
        min: MIN as u64,
        max: None,
    };

    fn read(field: &str, raw: &'a RawValue) -> Result<usize> {
        let wanted = format!("a whole number of at least {MIN}");
        let number: u64 = plain(field, raw, &wanted)?;
        // A number beyond the size of memory is equivalent to the largest.
        match usize::try_from(number).unwrap_or(usize::MAX) {
            number if number >= MIN => Ok(number),
            _ => Err(Error::invalid(format!(
                "{field} must be {wanted}, not {number}"
            ))),
        }
    }
}

impl<'a> Kind<'a> for bool {
    type Value = Self;
    const SHAPE: Shape = Shape::Flag;

    fn read(field: &str, raw: &'a RawValue) -> Result<Self> {
        plain(field, raw, "true or false")
    }

    fn show(value: &Self) -> Json {
        (*value).into()
    }
}

/// A value whose JSON text is passed on unchanged. Its schema has the shape of `S`.
#[derive(Debug)]
pub struct Raw<S>(std::marker::PhantomData<S>);

/// A shape as a type.
pub trait Shaped {
    /// The shape.
    const SHAPE: Shape;
}

impl<'a, S: Shaped> Kind<'a> for Raw<S> {
    type Value = &'a RawValue;
    const SHAPE: Shape = S::SHAPE;

    fn read(_field: &str, raw: &'a RawValue) -> Result<&'a RawValue> {
        Ok(raw)
    }
}

/// A list of texts.
#[derive(Debug)]
pub struct Texts;

impl<'a> Kind<'a> for Texts {
    type Value = Vec<String>;
    const SHAPE: Shape = Shape::list(&Shape::TEXT);

    fn read(field: &str, raw: &'a RawValue) -> Result<Vec<String>> {
        plain(field, raw, "a list of texts")
    }
}

/// A type whose values are named by words.
pub trait Word: Copy + PartialEq + 'static {
    /// Each word with its meaning.
    const WORDS: &'static [(&'static str, Self)];
}

/// One of the words of a type.
#[derive(Debug)]
pub struct OneOf<T>(std::marker::PhantomData<T>);

impl<'a, T: Word> Kind<'a> for OneOf<T> {
    type Value = T;
    const SHAPE: Shape = Shape::Word(|| T::WORDS.iter().map(|(word, _)| *word).collect());

    fn read(field: &str, raw: &'a RawValue) -> Result<T> {
        let given: String = plain(field, raw, "a text")?;
        meaning(field, &given, T::WORDS)
    }

    fn show(value: &T) -> Json {
        let known = T::WORDS.iter().find(|(_, meaning)| meaning == value);
        known.map_or(Json::Null, |(word, _)| (*word).into())
    }
}

/// Returns the meaning of a word.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] with the nearest word, or with all of them.
pub fn meaning<T: Copy>(field: &str, given: &str, words: &[(&str, T)]) -> Result<T> {
    let found = words.iter().find(|(word, _)| *word == given);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let shown = base::text::first(given, base::limits::MAX_NAME_CHARACTERS);
        Error::invalid_with_hint(
            format!("{field} cannot be {shown:?}"),
            match base::nearest(given, names.iter().copied()).first() {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it must be one of {}", names.join(", ")),
            },
        )
    })
}

/// Makes a type of arguments.
///
/// ```
/// operation::arguments! {
///     /// A page of something.
///     struct Page {
///         /// Items of one page at most.
///         "limit" => limit: operation::arguments::Whole<1, 100> = 10,
///         /// nextCursor of the previous page.
///         "cursor" => cursor: Option<operation::arguments::Text>,
///     }
/// }
/// ```
///
/// A field is required unless it has a default or is an `Option`. Its comment describes it to
/// callers.
#[macro_export]
macro_rules! arguments {
    ( $(#[$meta:meta])* $vis:vis struct $name:ident { $($fields:tt)* } ) => {
        $crate::arguments!(@make [$(#[$meta])* $vis] $name ['a] ['static] [] $($fields)*);
    };
    ( $(#[$meta:meta])* $vis:vis struct $name:ident<$life:lifetime> { $($fields:tt)* } ) => {
        $crate::arguments!(@make [$(#[$meta])* $vis] $name [$life] [$life] [<$life>] $($fields)*);
    };
    (
        @make [$(#[$meta:meta])* $vis:vis] $name:ident [$read:lifetime] [$held:lifetime] [$($generics:tt)*]
        $( $(#[doc = $words:literal])* $wire:literal => $field:ident : $kind:ty $(= $default:expr)? ),* $(,)?
    ) => {
        $(#[$meta])*
        #[derive(Debug)]
        $vis struct $name $($generics)* {
            $( $(#[doc = $words])* pub $field: <$kind as $crate::arguments::Presence<$held>>::Value, )*
        }

        impl<$read> $crate::arguments::Arguments<$read> for $name $($generics)* {
            const FIELDS: &'static [$crate::shape::Field] = &[
                $( $crate::shape::Field {
                    name: $wire,
                    words: concat!($($words),*),
                    shape: <$kind as $crate::arguments::Presence<'static>>::SHAPE,
                    names_objects: <$kind as $crate::arguments::Presence<'static>>::NAMES_OBJECTS,
                    required: $crate::arguments!(@required $kind $(, $default)?),
                    default: $crate::arguments!(@default $kind $(, $default)?),
                } ),*
            ];

            fn of_item(item: &$crate::arguments::Item<$read>) -> ::base::Result<Self> {
                let _ = item;
                Ok(Self {
                    $( $field: $crate::arguments!(@take $read, item, $wire, $kind $(, $default)?), )*
                })
            }
        }
    };
    (@required $kind:ty) => { <$kind as $crate::arguments::Presence<'static>>::REQUIRED };
    (@required $kind:ty, $default:expr) => { false };
    (@default $kind:ty) => { None };
    (@default $kind:ty, $default:expr) => {
        Some(|| <$kind as $crate::arguments::Kind<'static>>::show(&$default))
    };
    (@take $read:lifetime, $item:ident, $wire:literal, $kind:ty) => {
        <$kind as $crate::arguments::Presence<$read>>::take($item, $wire)?
    };
    (@take $read:lifetime, $item:ident, $wire:literal, $kind:ty, $default:expr) => {
        $crate::arguments::optional::<$kind>($item, $wire)?.unwrap_or($default)
    };
}
