//! Nodes and edges as callers write them in JSON, read one by one: each that cannot be used is an [`Issue`], and the others are read all the same,
//! so that one error can list them all.

use base::entries::Fields;
use base::known::{self, Given};
use base::{CommonError, Error, Result};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::{GraphError, Issue, ItemList};
use crate::limits::{MAX_ITEMS, MAX_LISTED_ISSUES};
use crate::list_items::ListItems;
use crate::model::{Data, EdgeDraft, NodeDraft, Position, check_id, check_label, check_type};

/// The fields of a node.
pub const NODE_FIELDS: &[&str] = &[
    "id",
    "customId",
    "canonicalId",
    "label",
    "type",
    "data",
    "position",
    "pinned",
    "createdAt",
    "updatedAt",
];

/// The fields of an edge.
pub const EDGE_FIELDS: &[&str] = &[
    "id",
    "source",
    "target",
    "label",
    "type",
    "data",
    "createdAt",
    "updatedAt",
];

/// Issues as they are found: the first are kept, all are counted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Issues {
    first: Vec<Issue>,
    count: usize,
    mixed: bool,
    first_error: Option<Error>,
}

impl Issues {
    /// One more.
    pub fn add(&mut self, issue: Issue) {
        self.count += 1;
        if self.first.len() < MAX_LISTED_ISSUES {
            self.first.push(issue);
        } else if self
            .first
            .first()
            .is_some_and(|first| first.code != issue.code)
        {
            self.mixed = true;
        }
    }

    /// An item that failed with this error.
    pub fn add_error(&mut self, list: ItemList, index: usize, error: &Error) {
        if self.is_empty() {
            self.first_error = Some(error.clone());
        }
        self.add(Issue {
            list,
            index,
            code: error.problem_code(),
            message: error.to_string(),
            hint: error.hint(),
        });
    }

    /// The issue of a request that is one item and no list, as its own error.
    ///
    /// # Errors
    /// The first error that was added.
    pub fn check_one(self) -> Result<()> {
        match self.first_error {
            Some(error) => Err(error),
            None => self.check(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// All of them as one error.
    ///
    /// # Errors
    /// [`GraphError::InvalidItems`] if there is one.
    pub fn check(self) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        Err(Error::from(GraphError::InvalidItems {
            issues: self.first,
            count: self.count,
            mixed: self.mixed,
        }))
    }
}

/// The items of a JSON list, each as its own text.
///
/// # Errors
/// [`CommonError::InvalidArgument`] for what is no list, [`CommonError::TooBig`] for too many.
pub fn items(list: ItemList, raw: &RawValue) -> Result<Vec<&RawValue>> {
    let ListItems(items) = serde_json::from_str(raw.get())
        .map_err(|_| Error::invalid(format!("{} must be a list", list.name())))?;
    if items.len() > MAX_ITEMS {
        return Err(Error::from(CommonError::TooBig {
            message: format!("{} has more than {MAX_ITEMS} items", list.name()),
            hint: "send several requests".to_owned(),
        }));
    }
    Ok(items)
}

/// Reads nodes; what is wrong with some goes to `issues`.
pub fn nodes(items: &[&RawValue], issues: &mut Issues) -> Vec<NodeDraft> {
    read(ItemList::Nodes, items, issues, node)
}

/// Reads edges; what is wrong with some goes to `issues`.
pub fn edges(items: &[&RawValue], issues: &mut Issues) -> Vec<EdgeDraft> {
    read(ItemList::Edges, items, issues, edge)
}

/// Reads items one by one.
pub(crate) fn read<T>(
    list: ItemList,
    items: &[&RawValue],
    issues: &mut Issues,
    one: impl Fn(&RawValue) -> Result<T>,
) -> Vec<T> {
    let mut drafts = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        match one(item) {
            Ok(draft) => drafts.push(draft),
            Err(error) => issues.add_error(list, index, &error),
        }
    }
    drafts
}

/// Reads one node.
///
/// # Errors
/// [`CommonError::InvalidArgument`] naming the field.
pub fn node(raw: &RawValue) -> Result<NodeDraft> {
    node_of(&Item::parse("a node", raw, NODE_FIELDS)?)
}

/// The node that the fields of an item or a request make.
///
/// # Errors
/// [`CommonError::InvalidArgument`] naming the field.
pub fn node_of(item: &Item<'_>) -> Result<NodeDraft> {
    let id = item.one_of(&["id", "customId", "canonicalId"])?;
    let label = item.text("label")?.ok_or_else(|| missing("label"))?;
    check_label(&label, false)?;
    let kind = item.text("type")?;
    if let Some(kind) = &kind {
        check_type(kind, false)?;
    }
    Ok(NodeDraft {
        id,
        label,
        kind: kind.unwrap_or_default(),
        data: item.data()?,
        position: item.position()?,
        pinned: item.flag("pinned")?,
    })
}

/// Reads one edge.
///
/// # Errors
/// [`CommonError::InvalidArgument`] naming the field.
pub fn edge(raw: &RawValue) -> Result<EdgeDraft> {
    edge_of(&Item::parse("an edge", raw, EDGE_FIELDS)?)
}

/// The edge that the fields of an item or a request make.
///
/// # Errors
/// [`CommonError::InvalidArgument`] naming the field.
pub fn edge_of(item: &Item<'_>) -> Result<EdgeDraft> {
    let id = item.one_of(&["id"])?;
    let end = |field: &'static str| -> Result<String> {
        let id = item.text(field)?.ok_or_else(|| missing(field))?;
        check_id(field, &id)?;
        Ok(id)
    };
    let (source, target) = (end("source")?, end("target")?);
    let label = item.text("label")?.unwrap_or_default();
    check_label(&label, true)?;
    let kind = item.text("type")?.unwrap_or_default();
    check_type(&kind, true)?;
    Ok(EdgeDraft {
        id,
        source,
        target,
        label,
        kind,
        data: item.data()?,
    })
}

/// The fields of one item. A field that is null is one that is not there.
pub struct Item<'a>(Vec<(String, &'a RawValue)>);

impl<'a> Item<'a> {
    /// Reads an object that has no other fields than these.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] for anything else, with the nearest field.
    pub fn parse(what: &str, raw: &'a RawValue, fields: &[&str]) -> Result<Self> {
        let item: Fields<&RawValue> = serde_json::from_str(raw.get())
            .map_err(|error| Error::invalid(format!("{what} must be an object: {error}")))?;
        known::check(
            Given::Field,
            item.0.iter().map(|(name, _)| name.as_str()),
            fields,
        )?;
        Ok(Self(item.0))
    }

    /// The JSON text of a field.
    pub fn raw(&self, field: &str) -> Option<&'a RawValue> {
        self.0
            .iter()
            .find(|(name, raw)| name == field && raw.get() != "null")
            .map(|(_, raw)| *raw)
    }

    /// Whether a field is there and null.
    pub fn is_null(&self, field: &str) -> bool {
        self.0
            .iter()
            .any(|(name, raw)| name == field && raw.get() == "null")
    }

    /// Reads a field; none where it is not there or null.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] for anything but what is wanted.
    pub fn read<T: Deserialize<'a>>(&self, field: &str, wanted: &str) -> Result<Option<T>> {
        self.raw(field)
            .map(|raw| serde_json::from_str(raw.get()))
            .transpose()
            .map_err(|_| Error::invalid(format!("{field} must be {wanted}")))
    }

    /// A text.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] for anything else.
    pub fn text(&self, field: &str) -> Result<Option<String>> {
        self.read(field, "a text")
    }

    /// A truth value.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] for anything else.
    pub fn flag(&self, field: &str) -> Result<Option<bool>> {
        self.read(field, "true or false")
    }

    /// The id, of which there is one at most under these names.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] for two that differ, or one that is none.
    pub fn one_of(&self, fields: &[&'static str]) -> Result<Option<String>> {
        let mut found: Option<(&str, String)> = None;
        for field in fields {
            let Some(id) = self.text(field)? else {
                continue;
            };
            check_id(field, &id)?;
            match &found {
                Some((other, known)) if *known != id => {
                    return Err(Error::invalid(format!(
                        "{other} and {field} name different ids"
                    )));
                }
                _ => found = Some((field, id)),
            }
        }
        Ok(found.map(|(_, id)| id))
    }

    /// What the item carries.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] for what is no object, or too large.
    pub fn data(&self) -> Result<Option<Data>> {
        self.raw("data").map(Data::new).transpose()
    }

    /// Where the item stands.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] for what is no position.
    pub fn position(&self) -> Result<Option<Position>> {
        let Some(raw) = self.raw("position") else {
            return Ok(None);
        };
        let fields = Item::parse("position", raw, &["x", "y"])?;
        let number = |field: &'static str| -> Result<f64> {
            let raw: &RawValue = fields
                .read(field, "a number")?
                .ok_or_else(|| missing(field))?;
            // serde_json may be one unit in the last digit off; the standard library is exact.
            raw.get()
                .parse()
                .map_err(|_| Error::invalid(format!("{field} must be a number")))
        };
        Position::new(number("x")?, number("y")?).map(Some)
    }
}

/// The error of a field that must be there.
pub(crate) fn missing(field: &str) -> Error {
    Error::invalid(format!("the field {field} is missing"))
}
