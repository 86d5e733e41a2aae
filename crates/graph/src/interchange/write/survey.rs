//! Decides which fields of data become attributes in a GraphML or CSV file: those that an import
//! would restore unchanged.
//!
//! A GraphML key has one type, and a CSV column is numeric only if all its fields are. So the
//! survey sees every row before the first is written. A field whose type differs between rows, that
//! contains objects or lists, or has characters that the format cannot represent stays in `data` in
//! all rows.

use std::collections::HashMap;

use base::formulas::Formulas;
use base::{Error, Result};

use super::graphml_keys::{EDGE_KEYS, Key, NODE_KEYS, OTHER_NAMES};
use super::renames::Renames;
use super::split::Split;
use super::xml_text::is_xml_text;
use super::{EdgeRow, NodeRow};
use crate::interchange::attributes::text_of;
use crate::interchange::{Format, csv, shown};
use crate::limits::MAX_FLAT_ATTRIBUTES;

impl Format {
    /// Returns true if a [`Survey`] must see all rows.
    pub fn needs_survey(self) -> bool {
        matches!(self, Self::GraphMl | Self::Csv)
    }

    /// Returns true if nodes and edges share one table of ids, so that no edge may have the id of a
    /// node.
    pub fn has_one_table(self) -> bool {
        self == Self::Cytoscape
    }
}

/// The attributes of a file, decided before it is written.
#[derive(Debug)]
pub struct Survey {
    format: Format,
    formulas: Formulas,
    nodes: Fields,
    edges: Fields,
    renames: Renames,
}

/// The fields of data, in the order of their first occurrence.
#[derive(Debug, Default)]
pub(super) struct Fields {
    names: Vec<String>,
    found: HashMap<String, Found>,
    /// True if a reader infers the type of a column from its texts.
    is_inferred: bool,
}

/// The type of a field's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueType {
    Boolean,
    /// Integers of 64 bits.
    Integer,
    Number,
    Text,
}

#[derive(Debug)]
struct Found {
    /// Its index among the names.
    index: usize,
    /// `None` if the values have no type in common, or one cannot be represented.
    value_type: Option<ValueType>,
    /// For texts: true if one of them is not a number, and if one is neither `true` nor `false`.
    some_no_number: bool,
    some_no_flag: bool,
}

impl Survey {
    /// Returns a survey that has seen no rows.
    pub fn new(format: Format) -> Self {
        Self {
            format,
            formulas: Formulas::Keep,
            nodes: Fields::default(),
            edges: Fields {
                is_inferred: format == Format::Csv,
                ..Fields::default()
            },
            renames: Renames::default(),
        }
    }

    /// Returns the survey with new ids for the edges that cannot keep theirs in the file.
    pub fn with_renames(self, renames: Renames) -> Self {
        Self { renames, ..self }
    }

    pub(super) fn renames(&self) -> &Renames {
        &self.renames
    }

    /// Returns the survey with a treatment of formulas in CSV.
    pub fn with_formulas(self, formulas: Formulas) -> Self {
        Self { formulas, ..self }
    }

    pub(super) fn formulas(&self) -> Formulas {
        self.formulas
    }

    pub(super) fn format(&self) -> Format {
        self.format
    }

    /// Records a node.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] for an id that the format cannot represent,
    /// [`base::CommonError::Internal`] for data that is not a JSON object.
    pub fn node(&mut self, node: &NodeRow<'_>) -> Result<()> {
        if self.format == Format::GraphMl {
            check_id(node.id)?;
            self.nodes
                .see(node.data, self.format, |name| is_key(NODE_KEYS, name))?;
        }
        Ok(())
    }

    /// Records an edge.
    ///
    /// # Errors
    /// As [`Survey::node`].
    pub fn edge(&mut self, edge: &EdgeRow<'_>) -> Result<()> {
        match self.format {
            Format::GraphMl => {
                for id in [edge.id, edge.source, edge.target] {
                    check_id(id)?;
                }
                self.edges
                    .see(edge.data, self.format, |name| is_key(EDGE_KEYS, name))
            }
            Format::Csv => self.edges.see(edge.data, self.format, csv::is_role),
            Format::Json | Format::NodeLink | Format::Cytoscape => Ok(()),
        }
    }

    /// Returns the fields of nodes.
    pub(super) fn nodes(&self) -> &Fields {
        &self.nodes
    }

    /// Returns the fields of edges.
    pub(super) fn edges(&self) -> &Fields {
        &self.edges
    }
}

fn is_key(keys: &[Key], name: &str) -> bool {
    OTHER_NAMES.contains(&name) || keys.iter().any(|key| key.name == name)
}

/// Rejects an id that XML cannot represent. It is not replaced by a similar one, because edges
/// would then have other ends.
fn check_id(id: &str) -> Result<()> {
    if is_xml_text(id) {
        return Ok(());
    }
    Err(Error::invalid_with_hint(
        format!(
            "the id {} contains characters that XML does not allow",
            shown(id)
        ),
        "export the graph as json",
    ))
}

impl Fields {
    fn see(&mut self, data: &str, format: Format, is_taken: impl Fn(&str) -> bool) -> Result<()> {
        let split = Split::parse(data, |_, _| true)?;
        for (name, value) in split.flat {
            let seen = See::new(format, value.get());
            match self.found.get_mut(&name) {
                Some(found) => found.add(seen),
                None if self.names.len() < MAX_FLAT_ATTRIBUTES => {
                    let mut found = Found::new(self.names.len(), seen);
                    if is_taken(&name) || !can_be_named(format, &name) {
                        found.value_type = None;
                    }
                    self.names.push(name.clone());
                    self.found.insert(name, found);
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Returns the fields that become attributes: index, name and type of each.
    pub(super) fn attributes(&self) -> impl Iterator<Item = (usize, &str, ValueType)> {
        self.names.iter().filter_map(|name| {
            let (index, value_type) = self.get(name)?;
            Some((index, name.as_str(), value_type))
        })
    }

    /// Returns the index and the type of a field, if it becomes an attribute.
    pub(super) fn get(&self, name: &str) -> Option<(usize, ValueType)> {
        let found = self.found.get(name)?;
        let value_type = found.value_type?;
        // A column of texts that all look like numbers would be read as numbers.
        let is_text = found.some_no_number && found.some_no_flag;
        let is_kept = value_type != ValueType::Text || is_text || !self.is_inferred;
        is_kept.then_some((found.index, value_type))
    }

    /// Returns the number of fields, including those that do not become attributes.
    pub(super) fn count(&self) -> usize {
        self.names.len()
    }
}

/// A visitor that records the type of one value.
struct See {
    value_type: Option<ValueType>,
    no_number: bool,
    no_flag: bool,
}

impl See {
    fn new(format: Format, json: &str) -> Self {
        let mut seen = Self {
            value_type: None,
            no_number: true,
            no_flag: true,
        };
        seen.value_type = match json.bytes().next() {
            Some(b't' | b'f') => Some(ValueType::Boolean),
            Some(b'-' | b'0'..=b'9') if json.parse::<i64>().is_ok() && json != "-0" => {
                Some(ValueType::Integer)
            }
            Some(b'-' | b'0'..=b'9') => Some(ValueType::Number),
            Some(b'"') => text_of(json).and_then(|text| {
                seen.no_number = !csv::is_number(&text);
                seen.no_flag = !csv::is_flag(&text);
                let fits = match format {
                    Format::Csv => !text.is_empty(),
                    Format::Json | Format::NodeLink | Format::Cytoscape | Format::GraphMl => {
                        is_xml_text(&text)
                    }
                };
                fits.then_some(ValueType::Text)
            }),
            _ => None,
        };
        seen
    }
}

impl Found {
    fn new(index: usize, seen: See) -> Self {
        Self {
            index,
            value_type: seen.value_type,
            some_no_number: seen.no_number,
            some_no_flag: seen.no_flag,
        }
    }

    fn add(&mut self, seen: See) {
        use ValueType::{Integer, Number};
        self.some_no_number |= seen.no_number;
        self.some_no_flag |= seen.no_flag;
        self.value_type = match (self.value_type, seen.value_type) {
            (Some(one), Some(other)) if one == other => Some(one),
            (Some(Integer | Number), Some(Integer | Number)) => Some(Number),
            _ => None,
        };
    }
}

/// Returns true if an attribute can have the name of a field, and a reader restores it unchanged.
fn can_be_named(format: Format, name: &str) -> bool {
    match format {
        Format::Csv => !name.is_empty() && name.trim() == name,
        Format::Json | Format::NodeLink | Format::Cytoscape | Format::GraphMl => is_xml_text(name),
    }
}
