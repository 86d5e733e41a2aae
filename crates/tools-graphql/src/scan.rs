//! Reads a result once, as a stream, and keeps only the facts that a check needs.
//!
//! No part of the data is held. The path of the current value is a stack of keys borrowed from the
//! text. Only the positions of nulls are stored, and positions that differ only in list indexes are
//! stored as one. The work is linear in the text, the memory is limited by
//! `MAX_GRAPHQL_NULL_PATHS`, and the recursion by `MAX_GRAPHQL_DEPTH`: deeper values are skipped
//! without recursion.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::places::{self, At, KEPT_KEY_CHARACTERS, ResponsePosition, Step};
use super::text::{push_index, push_key, shorten};
use crate::limits::{MAX_GRAPHQL_DEPTH, MAX_GRAPHQL_NULL_FIELDS, MAX_GRAPHQL_TEXT_CHARACTERS};

/// Visitor methods for scalars, which are ignored.
macro_rules! scalars {
    () => {
        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("any JSON value")
        }

        fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
            Ok(())
        }

        fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
            Ok(())
        }

        fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
            Ok(())
        }

        fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
            Ok(())
        }

        fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
            Ok(())
        }
    };
}

/// The value of `data`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Data {
    /// There is no `data`.
    #[default]
    Absent,
    Null,
    /// An object of root fields.
    Object,
    /// A value that GraphQL does not allow.
    Other,
}

/// Nulls at positions that differ only in list indexes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Null {
    pub(super) steps: Vec<Step>,
    /// The first of the positions, as text.
    pub(super) first: String,
    pub(super) count: u64,
}

/// The facts about a result.
#[derive(Default)]
pub(super) struct Facts<'de> {
    pub(super) data: Data,
    pub(super) errors: Option<&'de RawValue>,
    /// The number of root fields that are not null.
    pub(super) root_values: u64,
    /// The first root fields that are null.
    pub(super) root_nulls: Vec<String>,
    pub(super) root_null_count: u64,
    /// Nulls below the root, in the order of the text.
    pub(super) nulls: Vec<Null>,
    /// The number of all these nulls, including those beyond the limit.
    pub(super) null_count: u64,
    /// The number of nulls at positions beyond the limit.
    pub(super) unplaced: u64,
    /// The number of lists and objects that nest too deep to be checked.
    pub(super) unread: u64,
}

/// Reads a text.
///
/// # Errors
///
/// The error of serde_json for a text that is not JSON.
pub(super) fn scan(text: &str) -> serde_json::Result<Facts<'_>> {
    let mut scan = Scan::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Response(&mut scan).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(scan.finish())
}

#[derive(Default)]
struct Scan<'de> {
    facts: Facts<'de>,
    stack: Vec<Frame<'de>>,
    places: Vec<ResponsePosition>,
    /// The positions that have nulls, in order.
    found: Vec<usize>,
    /// Root fields that have been null, and whether they still are: the last of duplicate keys
    /// counts. Long keys are not recorded.
    roots: HashMap<Box<str>, bool>,
}

struct Frame<'de> {
    at: At<'de>,
    /// The position, which is looked up when a null is found below, and kept while the key stays.
    place: Option<usize>,
}

impl<'de> Scan<'de> {
    fn null(&mut self) {
        if let [
            Frame {
                at: At::Key(key), ..
            },
        ] = self.stack.as_slice()
        {
            let kept = self.facts.root_nulls.len() < MAX_GRAPHQL_NULL_FIELDS;
            let short = key.len() <= KEPT_KEY_CHARACTERS;
            match self.roots.get_mut(key.as_ref()) {
                Some(is_null) => *is_null = true,
                None if kept => {
                    let name = shorten(key, KEPT_KEY_CHARACTERS);
                    if short {
                        self.roots.insert(name.as_str().into(), true);
                    }
                    self.facts.root_nulls.push(name);
                }
                None => {}
            }
            self.facts.root_null_count += 1;
            return;
        }
        self.facts.null_count += 1;
        let Some(place) = self.place() else {
            self.facts.unplaced += 1;
            return;
        };
        let known = self.places.get(place).is_some_and(|place| place.nulls > 0);
        let first = if known { String::new() } else { self.path() };
        if let Some(place) = self.places.get_mut(place) {
            place.nulls += 1;
            if !known {
                place.first = first;
            }
        }
        if !known {
            self.found.push(place);
        }
    }

    /// Discards the null of a root field whose key occurs again. Returns true if the field was
    /// null.
    fn forget(&mut self, key: &str) -> bool {
        let Some(is_null) = self.roots.get_mut(key) else {
            return false;
        };
        let was_null = std::mem::take(is_null);
        self.facts.root_null_count -= u64::from(was_null);
        was_null
    }

    /// Returns the position of the current value; none if there are too many positions.
    fn place(&mut self) -> Option<usize> {
        if self.places.is_empty() {
            self.places.push(ResponsePosition::default());
        }
        let known = self.stack.iter().rposition(|frame| frame.place.is_some());
        let mut parent = match known {
            Some(depth) => self.stack.get(depth)?.place?,
            None => 0,
        };
        let from = known.map_or(0, |depth| depth + 1);
        for frame in self.stack.get_mut(from..)? {
            parent = places::child(&mut self.places, parent, &frame.at)?;
            frame.place = Some(parent);
        }
        Some(parent)
    }

    /// Returns the current path as text of limited length.
    fn path(&self) -> String {
        let mut path = "data".to_owned();
        for frame in &self.stack {
            match &frame.at {
                At::Key(key) => push_key(&mut path, key),
                At::Index(index) => push_index(&mut path, *index),
            }
            if path.len() > 4 * MAX_GRAPHQL_TEXT_CHARACTERS {
                break;
            }
        }
        shorten(&path, MAX_GRAPHQL_TEXT_CHARACTERS)
    }

    fn finish(mut self) -> Facts<'de> {
        let roots = &self.roots;
        let is_null = |name: &String| roots.get(name.as_str()).is_none_or(|is_null| *is_null);
        self.facts.root_nulls.retain(is_null);
        for place in &self.found {
            let all = places::steps(&self.places, *place);
            if let Some(place) = self.places.get_mut(*place) {
                self.facts.nulls.push(Null {
                    steps: all,
                    first: std::mem::take(&mut place.first),
                    count: place.nulls,
                });
            }
        }
        self.facts
    }
}

/// The whole result.
struct Response<'a, 'de>(&'a mut Scan<'de>);

impl<'de> DeserializeSeed<'de> for Response<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Response<'_, 'de> {
    type Value = ();

    scalars!();

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Key)? {
            match key.as_ref() {
                "data" => {
                    // The last of duplicate keys counts, as for JSON.parse.
                    let errors = self.0.facts.errors;
                    *self.0 = Scan::default();
                    self.0.facts.errors = errors;
                    map.next_value_seed(Root(&mut *self.0))?;
                }
                "errors" => self.0.facts.errors = Some(map.next_value()?),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// The value of `data`.
struct Root<'a, 'de>(&'a mut Scan<'de>);

impl<'de> DeserializeSeed<'de> for Root<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0.facts.data = Data::Other;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Root<'_, 'de> {
    type Value = ();

    scalars!();

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.0.facts.data = Data::Null;
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<(), A::Error> {
        Below(self.0).visit_seq(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.0.facts.data = Data::Object;
        let fields = Below(&mut *self.0).entries(map)?;
        self.0.facts.root_values = fields.saturating_sub(self.0.facts.root_null_count);
        Ok(())
    }
}

/// Any value inside `data`.
struct Below<'a, 'de>(&'a mut Scan<'de>);

impl<'de> Below<'_, 'de> {
    fn entries<A: MapAccess<'de>>(self, mut map: A) -> Result<u64, A::Error> {
        let depth = self.0.stack.len();
        let mut entries: u64 = 0;
        while let Some(key) = map.next_key_seed(Key)? {
            if depth == 0 && self.0.forget(&key) {
                entries -= 1;
            }
            let frame = Frame {
                at: At::Key(key),
                place: None,
            };
            self.0.stack.truncate(depth);
            self.0.stack.push(frame);
            entries += 1;
            map.next_value_seed(Below(&mut *self.0))?;
        }
        self.0.stack.truncate(depth);
        Ok(entries)
    }
}

impl<'de> DeserializeSeed<'de> for Below<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.0.stack.len() >= MAX_GRAPHQL_DEPTH {
            return deserializer.deserialize_any(Beyond(self.0));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Below<'_, 'de> {
    type Value = ();

    scalars!();

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.0.null();
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let depth = self.0.stack.len();
        self.0.stack.push(Frame {
            at: At::Index(0),
            place: None,
        });
        let mut index = 0;
        while list.next_element_seed(Below(&mut *self.0))?.is_some() {
            index += 1;
            self.0.stack.truncate(depth + 1);
            if let Some(frame) = self.0.stack.last_mut() {
                frame.at = At::Index(index);
            }
        }
        self.0.stack.truncate(depth);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.entries(map).map(|_| ())
    }
}

/// A value at the deepest level that is checked; its parts are skipped without recursion.
struct Beyond<'a, 'de>(&'a mut Scan<'de>);

impl<'de> Visitor<'de> for Beyond<'_, 'de> {
    type Value = ();

    scalars!();

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.0.null();
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut unread = false;
        while list.next_element::<IgnoredAny>()?.is_some() {
            unread = true;
        }
        self.0.facts.unread += u64::from(unread);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut unread = false;
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            unread = true;
        }
        self.0.facts.unread += u64::from(unread);
        Ok(())
    }
}

/// A key, borrowed from the text unless it has escapes.
pub(super) struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, str>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_borrowed_str<E: Error>(self, key: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::MAX_GRAPHQL_NULL_PATHS;

    fn nulls(text: &str) -> Vec<String> {
        let facts = scan(text).unwrap();
        facts
            .nulls
            .iter()
            .map(|null| format!("{} x{}", null.first, null.count))
            .collect()
    }

    #[test]
    fn places_that_differ_in_indexes_alone_are_one() {
        let text = r#"{"data":{"genes":[{"name":"a","drugs":[]},{"name":null,"drugs":[null,{"id":null}]},{"name":null}]}}"#;
        assert_eq!(
            nulls(text),
            [
                "data.genes[1].name x2",
                "data.genes[1].drugs[0] x1",
                "data.genes[1].drugs[1].id x1"
            ]
        );
        let facts = scan(text).unwrap();
        let key = |name: &str| Step::Key(name.to_owned());
        assert_eq!(
            facts.nulls[2].steps,
            [
                key("genes"),
                Step::Element,
                key("drugs"),
                Step::Element,
                key("id")
            ]
        );
        assert_eq!(facts.null_count, 4);
    }

    #[test]
    fn root_fields_are_counted_apart() {
        let facts = scan(r#"{"data":{"a":null,"b":1,"c":{"d":null}},"errors":[]}"#).unwrap();
        assert_eq!(facts.root_nulls, ["a"]);
        assert_eq!((facts.root_values, facts.root_null_count), (2, 1));
        assert_eq!(facts.data, Data::Object);
        assert_eq!(facts.errors.map(RawValue::get), Some("[]"));
    }

    #[test]
    fn of_a_repeated_data_the_last_counts() {
        let facts = scan(r#"{"data":{"a":null},"data":{"b":[null]}}"#).unwrap();
        assert!(facts.root_nulls.is_empty());
        assert_eq!(facts.nulls[0].first, "data.b[0]");
    }

    #[test]
    fn what_data_is_shows() {
        let check =
            |text: &str, expected: Data| assert_eq!(scan(text).unwrap().data, expected, "{text}");
        check("{}", Data::Absent);
        check("[null]", Data::Absent);
        check("null", Data::Absent);
        check(r#"{"data":null}"#, Data::Null);
        check(r#"{"data":{}}"#, Data::Object);
        check(r#"{"data":[1,null]}"#, Data::Other);
        check(r#"{"data":"text"}"#, Data::Other);
        check(r#"{"da\u0074a":1.5e3}"#, Data::Other);
    }

    #[test]
    fn a_million_names_for_keys_stay_within_the_limit() {
        let keys: Vec<String> = (0..20_000)
            .map(|at| format!(r#""key{at}":{{"x":null}}"#))
            .collect();
        let text = format!(r#"{{"data":{{"map":{{{}}}}}}}"#, keys.join(","));
        let facts = scan(&text).unwrap();
        assert_eq!(facts.null_count, 20_000);
        assert!(facts.nulls.len() <= MAX_GRAPHQL_NULL_PATHS);
        assert!(facts.nulls.len() > MAX_GRAPHQL_NULL_PATHS / 3);
    }
}
