//! Maps the columns of a query's result to fields of nodes and edges.
//!
//! A mapping is `{"nodes": {"id", "label", "type", "data", "x", "y"}, "edges": {"id", "source",
//! "target", "label", "type", "data"}}`, each an object or a list of objects. A value is the name
//! of a column, or `{"value": …}` for a constant; `data` is a list of columns, or an object of such
//! values. [`Mapping::parse`] parses it, [`Mapping::bind`] checks it against the columns of a
//! result, and [`Rows`] reads the rows.

mod rows;

use base::known::{self, Given};
use base::{CommonError, Error, Result, nearest};
use serde_json::value::RawValue;

use crate::interchange::{object, repeated};
use crate::limits::{MAX_MAPPINGS, MAX_SHOWN_CHARACTERS};

pub use rows::{MappedRows, Rows};

/// The fields of a mapping to nodes.
pub const NODE_FIELDS: &[&str] = &["id", "label", "type", "data", "x", "y"];

/// The fields of a mapping to edges.
pub const EDGE_FIELDS: &[&str] = &["id", "source", "target", "label", "type", "data"];

/// A mapping from the rows of a result, with columns by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapping {
    nodes: Vec<NodeMapping<Value>>,
    edges: Vec<EdgeMapping<Value>>,
}

/// The source of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    /// The column of this name.
    Column(String),
    /// A constant, as JSON.
    Constant(String),
}

/// The source of a field, in the columns of one result.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    /// The column at this index.
    Column(usize),
    /// A constant, as JSON.
    Constant(String),
}

/// A mapping from a row to a node.
#[derive(Debug, Clone, PartialEq)]
struct NodeMapping<V> {
    id: Option<V>,
    label: V,
    kind: Option<V>,
    x: Option<V>,
    y: Option<V>,
    data: Vec<(String, V)>,
}

/// A mapping from a row to an edge.
#[derive(Debug, Clone, PartialEq)]
struct EdgeMapping<V> {
    id: Option<V>,
    source: V,
    target: V,
    label: Option<V>,
    kind: Option<V>,
    data: Vec<(String, V)>,
}

impl Mapping {
    /// Parses a mapping. One of its two parts may be missing.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] that names the field, for an invalid or empty mapping.
    pub fn parse(nodes: Option<&RawValue>, edges: Option<&RawValue>) -> Result<Self> {
        let mapping = Self {
            nodes: each("nodes", nodes, NodeMapping::parse)?,
            edges: each("edges", edges, EdgeMapping::parse)?,
        };
        if mapping.nodes.is_empty() && mapping.edges.is_empty() {
            return Err(Error::invalid_with_hint(
                "the request maps no columns to nodes or edges",
                r#"name the columns: "nodes": {"label": "drug"}, or "edges": {"source": "drug", "target": "disease"}"#,
            ));
        }
        Ok(mapping)
    }

    /// Finds the columns of the mapping in a result. The rows of the result can then be read.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] for a column that the result does not have, with the
    /// nearest name.
    pub fn bind(&self, columns: &[&str]) -> Result<Rows> {
        let find = |field: &str, value: &Value| find(columns, field, value);
        let nodes = self.nodes.iter().map(|node| node.bind(&find));
        let edges = self.edges.iter().map(|edge| edge.bind(&find));
        Ok(Rows::new(
            columns.len(),
            nodes.collect::<Result<_>>()?,
            edges.collect::<Result<_>>()?,
        ))
    }
}

impl NodeMapping<Value> {
    fn parse(name: &str, raw: &RawValue) -> Result<Self> {
        let fields = Fields::parse(name, raw, NODE_FIELDS)?;
        let (x, y) = (fields.value("x")?, fields.value("y")?);
        if x.is_some() != y.is_some() {
            return Err(Error::invalid(format!(
                "{name} needs both x and y, or neither"
            )));
        }
        Ok(Self {
            id: fields.value("id")?,
            label: fields.required("label")?,
            kind: fields.value("type")?,
            x,
            y,
            data: fields.data()?,
        })
    }

    fn bind(&self, find: &impl Fn(&str, &Value) -> Result<Source>) -> Result<NodeMapping<Source>> {
        Ok(NodeMapping {
            id: bind(find, "id", self.id.as_ref())?,
            label: find("label", &self.label)?,
            kind: bind(find, "type", self.kind.as_ref())?,
            x: bind(find, "x", self.x.as_ref())?,
            y: bind(find, "y", self.y.as_ref())?,
            data: bind_data(find, &self.data)?,
        })
    }
}

impl EdgeMapping<Value> {
    fn parse(name: &str, raw: &RawValue) -> Result<Self> {
        let fields = Fields::parse(name, raw, EDGE_FIELDS)?;
        Ok(Self {
            id: fields.value("id")?,
            source: fields.required("source")?,
            target: fields.required("target")?,
            label: fields.value("label")?,
            kind: fields.value("type")?,
            data: fields.data()?,
        })
    }

    fn bind(&self, find: &impl Fn(&str, &Value) -> Result<Source>) -> Result<EdgeMapping<Source>> {
        Ok(EdgeMapping {
            id: bind(find, "id", self.id.as_ref())?,
            source: find("source", &self.source)?,
            target: find("target", &self.target)?,
            label: bind(find, "label", self.label.as_ref())?,
            kind: bind(find, "type", self.kind.as_ref())?,
            data: bind_data(find, &self.data)?,
        })
    }
}

fn bind(
    find: &impl Fn(&str, &Value) -> Result<Source>,
    field: &str,
    value: Option<&Value>,
) -> Result<Option<Source>> {
    value.map(|value| find(field, value)).transpose()
}

fn bind_data(
    find: &impl Fn(&str, &Value) -> Result<Source>,
    data: &[(String, Value)],
) -> Result<Vec<(String, Source)>> {
    data.iter()
        .map(|(name, value)| Ok((name.clone(), find("data", value)?)))
        .collect()
}

fn find(columns: &[&str], field: &str, value: &Value) -> Result<Source> {
    let name = match value {
        Value::Constant(json) => return Ok(Source::Constant(json.clone())),
        Value::Column(name) => name,
    };
    if let Some(index) = columns.iter().position(|column| column == name) {
        return Ok(Source::Column(index));
    }
    let hint = match nearest(name, columns.iter().copied()).first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!(
            "the columns are {}; a constant is written {{\"value\": …}}",
            columns.join(", ")
        ),
    };
    let name = base::text::cut(name, MAX_SHOWN_CHARACTERS);
    Err(Error::invalid_with_hint(
        format!("{field}: the result has no column {name:?}"),
        hint,
    ))
}

/// Returns the mappings of a list, or the only one.
fn each<T>(
    name: &str,
    raw: Option<&RawValue>,
    parse: impl Fn(&str, &RawValue) -> Result<T>,
) -> Result<Vec<T>> {
    let Some(raw) = raw.filter(|raw| raw.get() != "null") else {
        return Ok(Vec::new());
    };
    if !raw.get().starts_with('[') {
        return Ok(vec![parse(name, raw)?]);
    }
    let list: Vec<&RawValue> = serde_json::from_str(raw.get())
        .map_err(|error| Error::invalid(format!("{name} must be an object or a list: {error}")))?;
    if list.len() > MAX_MAPPINGS {
        return Err(Error::from(CommonError::TooBig {
            message: format!(
                "{name} has {} mappings, the limit is {MAX_MAPPINGS}",
                list.len()
            ),
            hint: "import the rest with another query".to_owned(),
        }));
    }
    let parsed = list.iter().enumerate();
    parsed
        .map(|(index, raw)| parse(&format!("{name}[{index}]"), raw))
        .collect()
}

/// The fields of one mapping.
struct Fields<'a> {
    name: &'a str,
    fields: Vec<(String, &'a RawValue)>,
}

impl<'a> Fields<'a> {
    fn parse(name: &'a str, raw: &'a RawValue, known: &[&str]) -> Result<Self> {
        let fields = object(name, raw)?;
        known::check(
            Given::Field,
            fields.iter().map(|(name, _)| name.as_str()),
            known,
        )?;
        Ok(Self { name, fields })
    }

    fn raw(&self, field: &str) -> Option<&'a RawValue> {
        let found = self.fields.iter().find(|(name, _)| name == field);
        found.map(|(_, raw)| *raw).filter(|raw| raw.get() != "null")
    }

    fn value(&self, field: &str) -> Result<Option<Value>> {
        self.raw(field)
            .map(|raw| value(&format!("{}.{field}", self.name), raw))
            .transpose()
    }

    fn required(&self, field: &str) -> Result<Value> {
        self.value(field)?
            .ok_or_else(|| Error::invalid(format!("the field {}.{field} is missing", self.name)))
    }

    /// Returns the mapping of `data`: columns under their own or under other names.
    fn data(&self) -> Result<Vec<(String, Value)>> {
        let Some(raw) = self.raw("data") else {
            return Ok(Vec::new());
        };
        let name = format!("{}.data", self.name);
        if raw.get().starts_with('{') {
            let fields = object(&name, raw)?.into_iter();
            return fields
                .map(|(field, raw)| {
                    let value = value(&format!("{name}.{field}"), raw)?;
                    Ok((field, value))
                })
                .collect();
        }
        let columns: Vec<String> = serde_json::from_str(raw.get()).map_err(|_| {
            Error::invalid_with_hint(
                format!("{name} must be a list of columns or an object"),
                r#"write "data": ["phase", "year"], or "data": {"phase": "trial_phase"}"#,
            )
        })?;
        if let Some(column) = repeated(columns.iter().map(String::as_str)) {
            return Err(Error::invalid(format!(
                "{name} names the column {column:?} twice"
            )));
        }
        let value = |column: String| (column.clone(), Value::Column(column));
        Ok(columns.into_iter().map(value).collect())
    }
}

fn value(name: &str, raw: &RawValue) -> Result<Value> {
    let invalid = || {
        Error::invalid_with_hint(
            format!("{name} must be the name of a column, or a constant"),
            r#"a constant is written {"value": "drug"}"#,
        )
    };
    match raw.get().bytes().next() {
        Some(b'"') => serde_json::from_str(raw.get())
            .map(Value::Column)
            .map_err(|_| invalid()),
        Some(b'{') => match object(name, raw)?.as_slice() {
            [(field, constant)] if field == "value" => {
                Ok(Value::Constant(constant.get().to_owned()))
            }
            _ => Err(invalid()),
        },
        _ => Err(invalid()),
    }
}
