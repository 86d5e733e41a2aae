//! The kinds of arguments that only a session's operations have.

use ::operation::arguments::{Item, Kind, Presence, Shaped, missing, plain};
use ::operation::shape::Shape;
use base::{Error, Result};
use serde_json::Value;
use serde_json::value::RawValue;
use sql_gate::limits::MAX_SQL_BYTES;
use sql_gate::{Parameters, RowShape};

use crate::exact_fractions::make_exact;
use crate::limits::MAX_STATE_KEY_CHARACTERS;
use crate::records::OnConflict;
use crate::scope::ScopeRequest;

/// One SQL statement.
#[derive(Debug)]
pub struct Sql;

impl<'a> Presence<'a> for Sql {
    type Value = String;
    const SHAPE: Shape = Shape::Text {
        min: None,
        max: Some(MAX_SQL_BYTES),
    };
    const REQUIRED: bool = true;

    fn take(item: &Item<'a>, field: &str) -> Result<String> {
        match item.get(field) {
            Some(raw) if raw.get() != "null" => plain(&item.name(field), raw, "a text"),
            _ => Err(Error::invalid_with_hint(
                missing(field).to_string(),
                "send {\"sql\": \"SELECT …\", \"params\": […]}",
            )),
        }
    }
}

/// The parameters of a statement.
#[derive(Debug)]
pub struct Params;

impl<'a> Presence<'a> for Params {
    type Value = Parameters;
    const SHAPE: Shape = Shape::Json(r##"{"$ref":"#/definitions/Parameters"}"##);
    const REQUIRED: bool = false;

    fn take(item: &Item<'a>, field: &str) -> Result<Parameters> {
        let Some(raw) = item.get(field) else {
            return Ok(Parameters::None);
        };
        let mut value: Value = plain(&item.name(field), raw, "a list or an object")?;
        make_exact(raw.get(), &mut value);
        Parameters::from_json(Some(value))
    }
}

/// A whole number that may be absent or null.
#[derive(Debug)]
pub struct Count<const MIN: u64>;

impl<'a, const MIN: u64> Presence<'a> for Count<MIN> {
    type Value = Option<u64>;
    const SHAPE: Shape = Shape::Json(if MIN == 0 {
        r#"{"type":["integer","null"],"minimum":0,"format":"uint64"}"#
    } else {
        r#"{"type":["integer","null"],"minimum":1,"format":"uint64"}"#
    });
    const REQUIRED: bool = false;

    fn take(item: &Item<'a>, field: &str) -> Result<Option<u64>> {
        let Some(raw) = item.get(field).filter(|raw| raw.get() != "null") else {
            return Ok(None);
        };
        let number = raw.get().parse().ok().filter(|number| *number >= MIN);
        number.map(Some).ok_or_else(|| {
            Error::invalid(format!(
                "the field {field} must be a whole number, {MIN} or more"
            ))
        })
    }
}

/// The form of a row.
#[derive(Debug)]
pub struct RowFormat;

impl<'a> Presence<'a> for RowFormat {
    type Value = RowShape;
    const SHAPE: Shape = Shape::Json(r#"{"enum":["object","array",null]}"#);
    const REQUIRED: bool = false;

    fn take(item: &Item<'a>, field: &str) -> Result<RowShape> {
        match item.get(field).map(RawValue::get) {
            None | Some("null" | r#""object""#) => Ok(RowShape::Object),
            Some(r#""array""#) => Ok(RowShape::Array),
            Some(_) => Err(Error::invalid(format!(
                "the field {field} must be \"object\" or \"array\""
            ))),
        }
    }
}

/// The scope of a statement.
#[derive(Debug)]
pub struct RequestScope;

impl<'a> Presence<'a> for RequestScope {
    type Value = Option<ScopeRequest>;
    const SHAPE: Shape = Shape::Json(r##"{"$ref":"#/definitions/Scope"}"##);
    const REQUIRED: bool = false;

    fn take(item: &Item<'a>, field: &str) -> Result<Option<ScopeRequest>> {
        ScopeRequest::parse(item.get(field).map(RawValue::get))
    }
}

/// Makes a field that is read before the operation is chosen.
macro_rules! targets {
    ($($(#[$meta:meta])* $name:ident $schema:literal;)*) => {$(
        $(#[$meta])*
        #[derive(Debug)]
        pub struct $name;

        impl<'a> Presence<'a> for $name {
            type Value = ();
            const SHAPE: Shape = Shape::Json($schema);
            const REQUIRED: bool = false;

            fn take(_item: &Item<'a>, _field: &str) -> Result<()> {
                Ok(())
            }
        }
    )*};
}

targets! {
    /// The database of an operation: the session's, or the tenant's.
    Target r##"{"$ref":"#/definitions/Target"}"##;
    /// The database of an operation that works on the session only.
    SessionTarget r##"{"$ref":"#/definitions/SessionTarget"}"##;
}

/// The records of an insertion.
#[derive(Debug)]
pub struct Records;

impl Shaped for Records {
    const SHAPE: Shape = Shape::list(&Shape::Json(r##"{"$ref":"#/definitions/Record"}"##));
}

/// The treatment of a record that violates a uniqueness constraint.
#[derive(Debug)]
pub struct Conflict;

impl Kind<'_> for Conflict {
    type Value = OnConflict;
    const SHAPE: Shape = Shape::Json(r##"{"$ref":"#/definitions/OnConflict"}"##);

    fn read(field: &str, raw: &RawValue) -> Result<OnConflict> {
        let word: String = plain(field, raw, "a text")?;
        OnConflict::parse(Some(&word))
    }
}

/// The key of a value.
#[derive(Debug)]
pub struct Key;

impl Kind<'_> for Key {
    type Value = String;
    const SHAPE: Shape = Shape::Pattern {
        min: 1,
        max: MAX_STATE_KEY_CHARACTERS,
        pattern: "^[^\\u0000]*$",
    };

    fn read(field: &str, raw: &RawValue) -> Result<String> {
        plain(field, raw, "a text")
    }
}

/// Any JSON value; it is required.
#[derive(Debug)]
pub struct AnyValue;

impl<'a> Presence<'a> for AnyValue {
    type Value = &'a RawValue;
    const SHAPE: Shape = Shape::Json("{}");
    const REQUIRED: bool = true;

    fn take(item: &Item<'a>, field: &str) -> Result<&'a RawValue> {
        item.get(field).ok_or_else(|| missing(field))
    }
}
