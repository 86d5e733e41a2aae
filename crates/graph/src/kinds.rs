//! The kinds of arguments of a graph's operations, in addition to those of every operation.

use ::operation::arguments::{
    Arguments, Item, Kind, Presence, Shaped, Text, Texts, meaning, plain,
};
use base::{Error, Result};
use operation::shape::{Definition, Shape};
use serde_json::Value as Json;
use serde_json::value::RawValue;

use crate::EXAMPLE_GRAPHS;
use crate::interchange::Format;
use crate::limits::{MAX_ID_BYTES, MAX_LABEL_BYTES, MAX_SEED, MAX_TYPE_BYTES};
use crate::model::{Data, Position, check_id, check_label, check_type};

/// The cursor from the previous page.
pub(crate) type PageCursor = Text<1, 512>;

/// The name of an attribute of data.
pub(crate) type Attribute = Text<1, 512>;

/// A type to search for.
pub(crate) type WantedType = Text<1, MAX_TYPE_BYTES>;

/// The name of a session, or of a table of it.
pub(crate) type Name = Text<1, { base::limits::MAX_NAME_CHARACTERS }>;

/// A version of the graph.
#[derive(Debug)]
pub(crate) struct Version;

impl Kind<'_> for Version {
    type Value = u64;
    const SHAPE: Shape = Shape::Whole { min: 0, max: None };

    fn read(field: &str, raw: &RawValue) -> Result<u64> {
        plain(field, raw, "a version, which is a whole number")
    }
}

/// The id of a node or an edge.
#[derive(Debug)]
pub(crate) struct Id;

impl Kind<'_> for Id {
    type Value = String;
    const SHAPE: Shape = Shape::Text {
        min: Some(1),
        max: Some(MAX_ID_BYTES),
    };

    fn read(field: &str, raw: &RawValue) -> Result<String> {
        let id: String = plain(field, raw, "a text")?;
        check_id(field, &id)?;
        Ok(id)
    }
}

/// The id of an existing node.
#[derive(Debug)]
pub(crate) struct NodeId;

impl Kind<'_> for NodeId {
    type Value = String;
    const SHAPE: Shape = <Id as Kind>::SHAPE;
    const NAMES_OBJECTS: bool = true;

    fn read(field: &str, raw: &RawValue) -> Result<String> {
        Id::read(field, raw)
    }
}

/// The ids of existing nodes.
#[derive(Debug)]
pub(crate) struct NodeIds;

impl Kind<'_> for NodeIds {
    type Value = Vec<String>;
    const SHAPE: Shape = <Texts as Kind>::SHAPE;
    const NAMES_OBJECTS: bool = true;

    fn read(field: &str, raw: &RawValue) -> Result<Vec<String>> {
        Texts::read(field, raw)
    }
}

/// The label of a node, or, if it may be empty, of an edge.
#[derive(Debug)]
pub(crate) struct Label<const MAY_BE_EMPTY: bool>;

impl<const MAY_BE_EMPTY: bool> Kind<'_> for Label<MAY_BE_EMPTY> {
    type Value = String;
    const SHAPE: Shape = Shape::Text {
        min: if MAY_BE_EMPTY { None } else { Some(1) },
        max: Some(MAX_LABEL_BYTES),
    };

    fn read(field: &str, raw: &RawValue) -> Result<String> {
        let label: String = plain(field, raw, "a text")?;
        check_label(&label, MAY_BE_EMPTY)?;
        Ok(label)
    }
}

/// The type of a node, or, if it may be empty, of an edge.
#[derive(Debug)]
pub(crate) struct Type<const MAY_BE_EMPTY: bool>;

impl<const MAY_BE_EMPTY: bool> Kind<'_> for Type<MAY_BE_EMPTY> {
    type Value = String;
    const SHAPE: Shape = Shape::Text {
        min: if MAY_BE_EMPTY { None } else { Some(1) },
        max: Some(MAX_TYPE_BYTES),
    };

    fn read(field: &str, raw: &RawValue) -> Result<String> {
        let kind: String = plain(field, raw, "a text")?;
        check_type(&kind, MAY_BE_EMPTY)?;
        Ok(kind)
    }
}

impl Kind<'_> for Data {
    type Value = Self;
    const SHAPE: Shape = Shape::Json(r#"{"type":"object"}"#);

    fn read(_field: &str, raw: &RawValue) -> Result<Self> {
        Self::new(raw)
    }
}

/// A change of `data` in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DataChange {
    /// No change.
    None,
    /// Data becomes an empty object.
    Reset,
    /// Data is merged with a patch.
    Merge(Data),
}

impl<'a> Presence<'a> for DataChange {
    type Value = Self;
    const SHAPE: Shape = Shape::Json(r#"{"type":["object","null"]}"#);
    const REQUIRED: bool = false;

    fn take(item: &Item<'a>, field: &str) -> Result<Self> {
        match item.get(field) {
            None => Ok(Self::None),
            Some(raw) if raw.get() == "null" => Ok(Self::Reset),
            Some(raw) => Data::new(raw).map(Self::Merge),
        }
    }
}

::operation::arguments! {
    /// A position in a request.
    pub(crate) struct Point {
        "x" => x: Coordinate,
        "y" => y: Coordinate,
    }
}

static POSITION: Definition = Definition {
    name: "Position",
    fields: Point::FIELDS,
};

impl<'a> Kind<'a> for Position {
    type Value = Self;
    const SHAPE: Shape = Shape::Named(&POSITION);

    fn read(field: &str, raw: &'a RawValue) -> Result<Self> {
        let Point { x, y } = Point::read(field, raw)?;
        Self::new(x, y)
    }
}

/// A coordinate of a position.
#[derive(Debug)]
pub(crate) struct Coordinate;

impl Kind<'_> for Coordinate {
    type Value = f64;
    const SHAPE: Shape = Shape::Json(r#"{"type":"number"}"#);

    fn read(field: &str, raw: &RawValue) -> Result<f64> {
        let must_be = || Error::invalid(format!("{field} must be a number"));
        if !matches!(raw.get().bytes().next(), Some(b'-' | b'0'..=b'9')) {
            return Err(must_be());
        }
        // serde_json may differ by one unit in the last digit; the standard library is exact.
        raw.get().parse().map_err(|_| must_be())
    }
}

/// The name of a format of files.
#[derive(Debug)]
pub(crate) struct FormatName;

impl Kind<'_> for FormatName {
    type Value = Format;
    const SHAPE: Shape = Shape::Word(|| Format::ALL.map(Format::name).to_vec());

    fn read(field: &str, raw: &RawValue) -> Result<Format> {
        let name: String = plain(field, raw, "a text")?;
        Format::from_name(&name)
    }

    fn show(format: &Format) -> Json {
        format.name().into()
    }
}

/// The name of an example graph, parsed to the text of that graph.
#[derive(Debug)]
pub(crate) struct Example;

impl Kind<'_> for Example {
    type Value = &'static str;
    const SHAPE: Shape = Shape::Word(|| EXAMPLE_GRAPHS.iter().map(|(name, _)| *name).collect());

    fn read(field: &str, raw: &RawValue) -> Result<&'static str> {
        let name: String = plain(field, raw, "a text")?;
        meaning(field, &name, EXAMPLE_GRAPHS)
    }
}

/// The seed of random numbers.
#[derive(Debug)]
pub(crate) struct Seed;

impl Kind<'_> for Seed {
    type Value = u64;
    const SHAPE: Shape = Shape::Whole {
        min: 0,
        max: Some(MAX_SEED),
    };

    fn read(field: &str, raw: &RawValue) -> Result<u64> {
        let wanted = format!("a whole number from 0 to {MAX_SEED}");
        match plain(field, raw, &wanted)? {
            seed if seed <= MAX_SEED => Ok(seed),
            seed => Err(Error::invalid(format!(
                "{field} must be {wanted}, not {seed}"
            ))),
        }
    }

    fn show(seed: &u64) -> Json {
        (*seed).into()
    }
}

/// The resolution of communities.
#[derive(Debug)]
pub(crate) struct Resolution;

/// The greatest resolution. With a greater one, each node is a community of its own in any graph
/// with weights of a usual size.
const MAX_RESOLUTION: u32 = 1_000;

impl Kind<'_> for Resolution {
    type Value = f64;
    const SHAPE: Shape = Shape::Number {
        above: 0,
        max: MAX_RESOLUTION,
    };

    fn read(field: &str, raw: &RawValue) -> Result<f64> {
        let resolution: f64 = plain(field, raw, "a number")?;
        if resolution > 0.0 && resolution <= f64::from(MAX_RESOLUTION) {
            return Ok(resolution);
        }
        Err(Error::invalid(format!(
            "{field} must be a number above 0 and at most {MAX_RESOLUTION}"
        )))
    }

    fn show(_resolution: &f64) -> Json {
        1.into()
    }
}

/// Defines a type with a JSON Schema, for [`operation::arguments::Raw`].
macro_rules! shaped {
    ($($(#[$meta:meta])* $name:ident = $schema:literal;)*) => { $(
        $(#[$meta])*
        #[derive(Debug)]
        pub(crate) struct $name;

        impl Shaped for $name {
            const SHAPE: Shape = Shape::Json($schema);
        }
    )* };
}

shaped! {
    /// Any value.
    Anything = "{}";
    /// The values of a statement's parameters.
    Parameters = r##"{"$ref":"#/definitions/Parameters"}"##;
    /// The columns that make nodes.
    NodeMappings = r##"{"anyOf":[{"$ref":"#/definitions/NodeMapping"},{"type":"array","items":{"$ref":"#/definitions/NodeMapping"}}]}"##;
    /// The columns that make edges.
    EdgeMappings = r##"{"anyOf":[{"$ref":"#/definitions/EdgeMapping"},{"type":"array","items":{"$ref":"#/definitions/EdgeMapping"}}]}"##;
    /// The most rows of a result.
    RowLimit = r#"{"type":["integer","null"],"minimum":0}"#;
    /// The form of a row.
    RowFormat = r#"{"enum":["object","array",null]}"#;
}
