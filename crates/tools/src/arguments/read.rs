//! Arguments as text, made a value. What two readers of JSON would read differently is an issue with its place: a name that is given twice,
//! of which the check would see the last one and the server perhaps the first, and a number that is too large to be held.

use std::cell::RefCell;
use std::fmt;

use boon::InstanceToken;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::{Issue, words};
use crate::limits::MAX_ARGUMENT_ISSUES;
use session::limits::MAX_JSON_DEPTH;

/// The value of a JSON text.
///
/// # Errors
/// The issues of names that stand there twice, or the one of what cannot be read.
pub fn read(text: &str) -> Result<Value, Vec<Issue>> {
    let reader = Reader::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = reader
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value))
        .map_err(|error| vec![reader.unreadable(&error)])?;
    let repeated = reader.repeated.into_inner();
    if repeated.is_empty() {
        Ok(value)
    } else {
        Err(repeated)
    }
}

/// Where the reading is, and what was found on the way.
#[derive(Default)]
struct Reader {
    /// Not taken back where reading fails, so it says where.
    path: RefCell<Vec<InstanceToken<'static>>>,
    repeated: RefCell<Vec<Issue>>,
}

impl Reader {
    fn unreadable(&self, error: &serde_json::Error) -> Issue {
        let message = error.to_string();
        if message.starts_with("number out of range") {
            return Issue {
                path: words::path(&self.path.borrow()),
                message: "must be a number that can be held, and is too large".to_owned(),
                suggestions: Vec::new(),
            };
        }
        if message.starts_with("recursion limit") {
            return Issue::whole(format!("must not nest deeper than {MAX_JSON_DEPTH} levels"));
        }
        Issue::whole(format!("cannot be read: {message}"))
    }

    fn repeats(&self) {
        let mut repeated = self.repeated.borrow_mut();
        if repeated.len() < MAX_ARGUMENT_ISSUES {
            repeated.push(Issue {
                path: words::path(&self.path.borrow()),
                message: "must not be given twice".to_owned(),
                suggestions: Vec::new(),
            });
        }
    }
}

impl<'de> DeserializeSeed<'de> for &Reader {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &Reader {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        loop {
            self.path
                .borrow_mut()
                .push(InstanceToken::Item(items.len()));
            let Some(item) = sequence.next_element_seed(self)? else {
                self.path.borrow_mut().pop();
                return Ok(Value::Array(items));
            };
            self.path.borrow_mut().pop();
            items.push(item);
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            self.path
                .borrow_mut()
                .push(InstanceToken::Prop(name.clone().into()));
            if entries.contains_key(&name) {
                self.repeats();
            }
            let value = map.next_value_seed(self)?;
            entries.insert(name, value);
            self.path.borrow_mut().pop();
        }
        Ok(Value::Object(entries))
    }
}
