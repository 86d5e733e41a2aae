//! A JSON object as an ordered list of entries; duplicates are kept. A map would sort them and
//! silently keep the last of two.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};

use crate::limits::{MAX_FIELDS, MAX_NAME_CHARACTERS};
use crate::text;

/// The keys and values of an object, including duplicates.
pub struct Entries<K, V>(pub Vec<(K, V)>);

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for Entries<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor(PhantomData))
    }
}

struct EntriesVisitor<K, V>(PhantomData<(K, V)>);

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for EntriesVisitor<K, V> {
    type Value = Entries<K, V>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Entries(entries))
    }
}

/// The fields of a request: few, without duplicates. Duplicates are rejected because the caller may
/// mean either of the two. Too many fields are rejected because millions of them would fill the
/// memory before the unknown ones are rejected.
pub struct Fields<V>(pub Vec<(String, V)>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Fields<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor(PhantomData))
    }
}

struct FieldsVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for FieldsVisitor<V> {
    type Value = Fields<V>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields: Vec<(String, V)> = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if fields.iter().any(|(known, _)| *known == name) {
                let name = text::first(&name, MAX_NAME_CHARACTERS);
                let problem = format!("duplicate field {name}");
                return Err(A::Error::custom(problem));
            }
            if fields.len() == MAX_FIELDS {
                let problem = format!("it has more than {MAX_FIELDS} fields");
                return Err(A::Error::custom(problem));
            }
            fields.push((name, map.next_value()?));
        }
        Ok(Fields(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_few_and_each_stands_once() {
        let read = |text: &str| serde_json::from_str::<Fields<u8>>(text).map(|fields| fields.0);
        let wanted = [("b", 1), ("a", 2)].map(|(key, value)| (key.to_owned(), value));
        assert_eq!(read(r#"{"b":1,"a":2}"#).unwrap(), wanted);
        let twice = read(r#"{"b":1,"\u0062":2}"#).unwrap_err().to_string();
        assert!(twice.contains("duplicate field b"), "{twice}");
        let many = |count: usize| {
            let fields: Vec<String> = (0..count)
                .map(|number| format!(r#""f{number}":1"#))
                .collect();
            read(&format!("{{{}}}", fields.join(",")))
        };
        assert_eq!(many(MAX_FIELDS).unwrap().len(), MAX_FIELDS);
        let error = many(MAX_FIELDS + 1).unwrap_err().to_string();
        assert!(error.contains("more than 64 fields"), "{error}");
    }

    #[test]
    fn entries_keep_their_order_and_repeats() {
        let entries: Entries<String, u8> = serde_json::from_str(r#"{"b":1,"a":2,"b":3}"#).unwrap();
        let wanted = [("b", 1), ("a", 2), ("b", 3)].map(|(key, value)| (key.to_owned(), value));
        assert_eq!(entries.0, wanted);
        assert!(serde_json::from_str::<Entries<String, u8>>("[]").is_err());
    }
}
