//! The shape of a result: the keys at each place, and the kinds of values. One pass over the text
//! finds it, before anything is written.
//!
//! A [`Node`] is a place, regardless of the number of records: `results[].authors[].name` is one
//! node. The number of nodes is bounded; keys beyond the bound remain in the JSON of the object
//! that has them.

use std::collections::{HashMap, HashSet};

use super::value::kinds_of_scalar;
use crate::json_reader::{Form, Reader, decode};
use crate::limits::{MAX_STAGED_DEPTH, MAX_STAGED_KEYS, MAX_STAGED_PLACES};
use crate::records::Kinds;

/// The number of similar records that an object must have to be read as a list of records by key.
const KEYED_RECORDS: usize = 3;

/// The number of record keys that are compared to find duplicates.
const KEYS_COMPARED: usize = 200_000;

/// The number of a node.
pub(super) type Id = usize;

/// The node of the result itself.
pub(super) const ROOT: Id = 0;

/// The values that a result has at one place.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// The key that leads here; empty for rows.
    pub(super) key: String,
    /// The object or list that contains this place.
    pub(super) parent: Option<Id>,
    /// True if each value here is a separate row: the result, or the elements of a list.
    pub(super) row: bool,
    /// The places of an object's keys, in the order in which they first occurred.
    pub(super) keys: Vec<Id>,
    /// The place of the elements, if there is a list of records here.
    pub(super) element: Option<Id>,
    /// For elements: their number.
    pub(super) rows: u64,
    /// For elements: records of an object, under their own keys.
    pub(super) keyed: bool,
    /// True if objects and lists here are kept as JSON.
    pub(super) folded: bool,
    /// True if the key is stored in a JSON object with others that have no column.
    pub(super) spilled: bool,
    /// For a row: some keys have no place.
    pub(super) more_keys: bool,
    /// True if some object here has a duplicate key.
    pub(super) repeats: bool,
    /// The kinds of the values that are neither records nor lists of records.
    kinds: Kinds,
    /// True if there is such a value.
    own: bool,
    /// True if there is an empty object or list.
    empties: bool,
    by_key: HashMap<String, Id>,
    /// The number of the object in which the key last occurred.
    seen_in: u64,
}

impl Node {
    /// Returns true if no object or list here has content.
    pub(super) fn is_plain(&self) -> bool {
        self.keys.is_empty() && self.element.is_none()
    }

    /// Returns true if values of this place have a column.
    pub(super) fn has_column(&self) -> bool {
        self.own || self.folded || self.is_plain()
    }

    /// Returns the kinds of values in the column.
    pub(super) fn kinds(&self) -> Kinds {
        let mut kinds = self.kinds;
        if self.folded || (self.empties && self.is_plain()) {
            kinds.add(Kinds::TEXT);
        }
        kinds
    }
}

/// The part of the result in which an object occurs: around the rows, or in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Answer,
    Row,
}

/// All places of a result.
#[derive(Debug)]
pub(super) struct Shape {
    nodes: Vec<Node>,
    objects: u64,
    nowhere: Node,
}

impl Shape {
    /// Reads a checked JSON text.
    pub(super) fn read(text: &str) -> Self {
        let root = Node {
            row: true,
            ..Node::default()
        };
        let mut shape = Self {
            nodes: vec![root],
            objects: 0,
            nowhere: Node::default(),
        };
        let mut reader = Reader::new(text);
        if reader.form() == Form::Array {
            // The elements of a result that is a list are rows, whatever they are.
            shape.list(ROOT, &mut reader, 1);
        } else {
            shape.value(ROOT, &mut reader, 0, Within::Answer);
        }
        shape
    }

    /// Returns a node.
    pub(super) fn node(&self, id: Id) -> &Node {
        self.nodes.get(id).unwrap_or(&self.nowhere)
    }

    /// Returns the number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Changes a node.
    pub(super) fn change(&mut self, id: Id, change: impl FnOnce(&mut Node)) {
        if let Some(node) = self.nodes.get_mut(id) {
            change(node);
        }
    }

    /// Returns the place of a key. `position` is the number of keys before it in the object: most
    /// records have the same keys in the same order.
    pub(super) fn child(&self, id: Id, position: usize, key: &str) -> Option<Id> {
        let node = self.node(id);
        match node.keys.get(position) {
            Some(&child) if self.node(child).key == key => Some(child),
            _ => node.by_key.get(key).copied(),
        }
    }

    fn value(&mut self, id: Id, reader: &mut Reader<'_>, depth: usize, within: Within) {
        if self.node(id).folded {
            reader.value();
            return;
        }
        match reader.form() {
            Form::Null => {
                reader.value();
            }
            Form::Scalar => self.own(id, kinds_of_scalar(reader.value())),
            Form::Object if reader.is_marked() => self.own(id, kinds_of_scalar(reader.value())),
            Form::Object | Form::Array if reader.is_empty() => {
                reader.value();
                self.change(id, |node| node.empties = true);
            }
            Form::Array if !reader.has_records() => {
                reader.value();
                self.own(id, Kinds::TEXT);
            }
            _ if depth >= MAX_STAGED_DEPTH => {
                reader.value();
                self.change(id, |node| node.folded = true);
            }
            Form::Object => self.object(id, reader, depth + 1, within),
            Form::Array => self.list(id, reader, depth + 1),
        }
    }

    fn own(&mut self, id: Id, kinds: Kinds) {
        self.change(id, |node| {
            node.own = true;
            node.kinds.add(kinds);
        });
    }

    fn object(&mut self, id: Id, reader: &mut Reader<'_>, depth: usize, within: Within) {
        let keyed = within == Within::Answer && (self.is_keyed(id) || has_keyed_records(reader));
        let element = if keyed { self.element(id) } else { None };
        if let Some(element) = element {
            self.change(element, |node| node.keyed = true);
        }
        self.objects += 1;
        let object = self.objects;
        let mut rows = HashSet::new();
        let mut position = 0;
        reader.enter();
        while let Some(key) = reader.key() {
            if let Some(element) = element
                && reader.is_record()
            {
                // Duplicates beyond this number are not found, and then both records become rows. A
                // result with more rows is refused anyway, unless the deployment allows more.
                if rows.len() < KEYS_COMPARED && !rows.insert(decode(key)) {
                    self.change(id, |node| node.repeats = true);
                }
                self.row(element, reader, depth);
                continue;
            }
            match self.key(id, position, &decode(key)) {
                Some(child) => {
                    self.note(id, child, object);
                    self.value(child, reader, depth, within);
                }
                None => {
                    reader.value();
                }
            }
            position += 1;
        }
    }

    fn list(&mut self, id: Id, reader: &mut Reader<'_>, depth: usize) {
        let Some(element) = self.element(id) else {
            reader.value();
            self.change(id, |node| node.folded = true);
            return;
        };
        reader.enter();
        while reader.element() {
            self.row(element, reader, depth);
        }
    }

    fn row(&mut self, element: Id, reader: &mut Reader<'_>, depth: usize) {
        self.change(element, |node| node.rows += 1);
        if reader.form() == Form::Array {
            // A list in a list is a value.
            reader.value();
            self.own(element, Kinds::TEXT);
        } else {
            self.value(element, reader, depth, Within::Row);
        }
    }

    /// Returns true if records of an object here are rows.
    pub(super) fn is_keyed(&self, id: Id) -> bool {
        let element = self.node(id).element;
        element.is_some_and(|element| self.node(element).keyed)
    }

    /// Records that an object has a key.
    fn note(&mut self, id: Id, child: Id, object: u64) {
        if self.node(child).seen_in == object {
            self.change(id, |node| node.repeats = true);
        }
        self.change(child, |node| node.seen_in = object);
    }

    /// Returns the place of a key, and makes it if needed; `None` if there are too many places.
    fn key(&mut self, id: Id, position: usize, key: &str) -> Option<Id> {
        if let Some(child) = self.child(id, position, key) {
            return Some(child);
        }
        if self.node(id).keys.len() >= MAX_STAGED_KEYS || self.nodes.len() >= MAX_STAGED_PLACES {
            self.change(id, |node| {
                if node.row {
                    node.more_keys = true;
                } else {
                    node.folded = true;
                }
            });
            return None;
        }
        let child = self.push(Node {
            key: key.to_owned(),
            parent: Some(id),
            ..Node::default()
        });
        self.change(id, |node| {
            node.keys.push(child);
            node.by_key.insert(key.to_owned(), child);
        });
        Some(child)
    }

    /// Returns the place of the elements of a list here, and makes it if needed.
    fn element(&mut self, id: Id) -> Option<Id> {
        if let Some(element) = self.node(id).element {
            return Some(element);
        }
        if self.nodes.len() >= MAX_STAGED_PLACES {
            return None;
        }
        let element = self.push(Node {
            parent: Some(id),
            row: true,
            ..Node::default()
        });
        self.change(id, |node| node.element = Some(element));
        Some(element)
    }

    fn push(&mut self, node: Node) -> Id {
        self.nodes.push(node);
        self.nodes.len() - 1
    }
}

/// Returns true if most values of the next object are records with similar keys: then it is a list
/// of them, by key. Does not move the reader.
fn has_keyed_records(reader: &Reader<'_>) -> bool {
    let mut ahead = reader.clone();
    let (mut records, mut others, mut keys) = (0_usize, 0_usize, 0_usize);
    let mut different = HashSet::new();
    ahead.enter();
    while ahead.key().is_some() {
        if !ahead.is_record() {
            others += 1;
            ahead.value();
            continue;
        }
        records += 1;
        ahead.enter();
        while let Some(key) = ahead.key() {
            keys += 1;
            if different.len() < MAX_STAGED_KEYS {
                different.insert(key);
            }
            ahead.value();
        }
    }
    // On average a record has at least half of all keys.
    records >= KEYED_RECORDS && records > others && different.len() * records <= 2 * keys
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyed(text: &str) -> bool {
        has_keyed_records(&Reader::new(text))
    }

    #[test]
    fn an_object_of_like_records_is_a_list_of_them() {
        assert!(keyed(
            r#"{"uids":["1","2","3"],"1":{"id":1,"t":"a"},"2":{"id":2,"t":"b"},"3":{"id":3}}"#
        ));
        assert!(!keyed(r#"{"a":{"x":1},"b":{"y":1},"c":{"z":1}}"#));
        assert!(!keyed(r#"{"a":{"x":1},"b":{"x":1}}"#));
        assert!(!keyed(r#"{"a":{},"b":{},"c":[],"d":1,"e":2,"f":3}"#));
    }

    #[test]
    fn places_are_bounded_and_what_is_beyond_them_is_marked() {
        let wide: Vec<String> = (0..MAX_STAGED_KEYS + 1)
            .map(|number| format!("\"k{number}\":{number}"))
            .collect();
        let wide = format!("{{{}}}", wide.join(","));
        let shape = Shape::read(&format!("[{wide},{{\"inner\":{wide}}}]"));
        let row = shape.node(ROOT).element.unwrap();
        assert!(shape.node(row).more_keys);
        assert_eq!(shape.node(row).keys.len(), MAX_STAGED_KEYS);

        let shape = Shape::read(&format!("[{{\"inner\":{wide}}}]"));
        let row = shape.node(ROOT).element.unwrap();
        let inner = shape.child(row, 0, "inner").unwrap();
        assert!(shape.node(inner).folded && !shape.node(row).more_keys);

        let deep = "{\"a\":".repeat(200) + "1" + &"}".repeat(200);
        assert!(Shape::read(&deep).nodes.len() <= MAX_STAGED_DEPTH + 1);
    }

    #[test]
    fn a_key_that_stands_twice_is_noted() {
        for (text, repeats) in [
            (r#"{"a":1,"b":2}"#, false),
            (r#"{"a":1,"a":2}"#, true),
            (r#"{"a":1,"\u0061":2}"#, true),
            (r#"{"1":{"a":1},"2":{"a":1},"3":{"a":1},"1":{"a":2}}"#, true),
        ] {
            assert_eq!(Shape::read(text).node(ROOT).repeats, repeats, "{text}");
        }
    }
}
