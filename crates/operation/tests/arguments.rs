//! The types that [`operation::arguments!`] makes: their fields, their schema, and the values that
//! they parse.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops at its first surprise, and here a helper may, too"
)]

use base::Result;
use operation::arguments::{Arguments, OneOf, Raw, Shaped, Text, Texts, Whole, Word};
use operation::shape::{Definition, References, Shape, object};
use serde_json::json;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Order {
    Up,
    Down,
}

impl Word for Order {
    const WORDS: &'static [(&'static str, Self)] = &[("up", Self::Up), ("down", Self::Down)];
}

struct Anything;

impl Shaped for Anything {
    const SHAPE: Shape = Shape::Json(r#"{"type":["object","null"]}"#);
}

operation::arguments! {
    /// Some arguments.
    struct Asked<'a> {
        /// Name for people.
        "name" => name: Text<1, 20>,
        /// Items at most.
        "maxItems" => max_items: Whole<1, 100> = 10,
        /// The order.
        "order" => order: OneOf<Order> = Order::Down,
        "only" => only: Option<Texts>,
        /// True if it only counts.
        "preview" => preview: bool = false,
        /// Carried along.
        "data" => data: Option<Raw<Anything>>,
    }
}

fn read(text: &str) -> Result<Asked<'_>> {
    Asked::parse(text)
}

#[track_caller]
fn fails(text: &str) -> (String, Option<String>) {
    let error = read(text).unwrap_err();
    assert_eq!(error.code(), "INVALID_ARGUMENT");
    (error.to_string(), error.hint())
}

#[test]
fn fields_have_their_values_or_their_defaults() {
    let text = r#"{"name":"a","maxItems":100,"order":"up","only":["x"],"preview":true,"data":{"n":9007199254740993}}"#;
    let asked = read(text).unwrap();
    assert_eq!((asked.name.as_str(), asked.max_items), ("a", 100));
    assert_eq!((asked.order, asked.preview), (Order::Up, true));
    assert_eq!(asked.only, Some(vec!["x".to_owned()]));
    assert_eq!(asked.data.unwrap().get(), r#"{"n":9007199254740993}"#);
    let asked = read(r#"{"name":"a","order":null,"maxItems":null}"#).unwrap();
    assert_eq!(
        (asked.max_items, asked.order, asked.preview),
        (10, Order::Down, false)
    );
    assert!(asked.only.is_none() && asked.data.is_none());
}

#[test]
fn messages_name_the_field_and_the_values_that_it_has() {
    assert_eq!(fails("{}").0, "the field name is missing");
    assert_eq!(fails(r#"{"name":null}"#).0, "the field name is missing");
    assert_eq!(fails(r#"{"name":5}"#).0, "name must be a text");
    assert_eq!(
        fails(r#"{"name":"a","maxItems":0}"#).0,
        "maxItems must be a whole number from 1 to 100, not 0"
    );
    for wrong in ["1.5", "\"5\"", "-1", "1e3"] {
        let text = format!(r#"{{"name":"a","maxItems":{wrong}}}"#);
        assert_eq!(
            fails(&text).0,
            "maxItems must be a whole number from 1 to 100"
        );
    }
    assert_eq!(
        fails(r#"{"name":"a","order":"dwn"}"#),
        (
            "order cannot be \"dwn\"".to_owned(),
            Some("did you mean `down`?".to_owned())
        )
    );
    assert_eq!(
        fails(r#"{"name":"a","maxItem":5}"#),
        (
            "there is no field \"maxItem\"".to_owned(),
            Some("did you mean `maxItems`?".to_owned())
        )
    );
    assert!(fails("[]").0.starts_with("the arguments must be an object"));
    assert!(fails(r#"{"name":"a","name":"b"}"#).0.contains("name"));
    assert!(fails("{").0.starts_with("the arguments are not JSON"));
}

#[test]
fn the_schema_says_what_the_reader_takes() {
    assert_eq!(
        object(Asked::FIELDS, References::Kept).to_string(),
        json!({
            "type": "object", "required": ["name"], "additionalProperties": false,
            "properties": {
                "name": {"type": "string", "minLength": 1, "maxLength": 20, "description": "Name for people."},
                "maxItems": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10, "description": "Items at most."},
                "order": {"type": "string", "enum": ["up", "down"], "default": "down", "description": "The order."},
                "only": {"type": "array", "items": {"type": "string"}},
                "preview": {"type": "boolean", "default": false, "description": "True if it only counts."},
                "data": {"type": ["object", "null"], "description": "Carried along."},
            },
        })
        .to_string()
    );
}

#[test]
fn objects_with_a_name_are_referred_to_or_written_out() {
    static ASKED: Definition = Definition {
        name: "Asked",
        fields: Asked::FIELDS,
    };
    static ONE: Shape = Shape::Named(&ASKED);
    let field = operation::shape::Field {
        name: "items",
        words: " All of them.",
        shape: Shape::list(&ONE),
        required: false,
        names_objects: false,
        default: None,
    };
    assert_eq!(
        field.schema(References::Kept),
        json!({"type": "array", "items": {"$ref": "#/definitions/Asked"}, "description": "All of them."})
    );
    let inlined = field.schema(References::Inlined);
    assert_eq!(inlined["items"], object(Asked::FIELDS, References::Inlined));
    assert_eq!(
        field.shape.definition().map(|found| found.name),
        Some("Asked")
    );
}
