//! Parses nodes and edges as callers write them in JSON, one by one. An item that cannot be used
//! becomes an [`Issue`] and the next items are parsed as well, so that one error lists all issues.

use base::{CommonError, Error, Result};
use operation::arguments::{Arguments, Text};
use serde_json::value::RawValue;

use crate::error::{GraphError, Issue, ItemList};
use crate::kinds::{Id, Label, NodeId, Type};
use crate::limits::{MAX_ITEMS, MAX_LISTED_ISSUES};
use crate::list_items::ListItems;
use crate::model::{Data, EdgeDraft, NodeDraft, Position};

::operation::arguments! {
    /// A new node in a list.
    pub(crate) struct NodeInput {
        "id" => id: Option<Id>,
        "customId" => custom_id: Option<Id>,
        "canonicalId" => canonical_id: Option<Id>,
        /// Name for people.
        "label" => label: Label<false>,
        /// gene, protein, disease, drug, pathway, other, or any other word.
        "type" => kind: Option<Type<false>>,
        /// Its data.
        "data" => data: Option<Data>,
        "position" => position: Option<Position>,
        "pinned" => pinned: Option<bool>,
        /// Ignored, so that a node that was read can be sent.
        "createdAt" => created_at: Option<Text>,
        /// Ignored.
        "updatedAt" => updated_at: Option<Text>,
    }
}

::operation::arguments! {
    /// A new edge in a list.
    pub(crate) struct EdgeInput {
        "id" => id: Option<Id>,
        "source" => source: NodeId,
        "target" => target: NodeId,
        /// Name for people; may be empty.
        "label" => label: Option<Label<true>>,
        /// Type; may be empty.
        "type" => kind: Option<Type<true>>,
        /// Its data.
        "data" => data: Option<Data>,
        /// Ignored, so that an edge that was read can be sent.
        "createdAt" => created_at: Option<Text>,
        /// Ignored.
        "updatedAt" => updated_at: Option<Text>,
    }
}

/// The issues found so far: the first ones are kept, all are counted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Issues {
    first: Vec<Issue>,
    count: usize,
    mixed: bool,
    first_error: Option<Error>,
}

impl Issues {
    /// Adds an issue.
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

    /// Adds the issue of an item that failed with this error.
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

    /// Checks a request that is a single item and not a list.
    ///
    /// # Errors
    /// The error of that item.
    pub fn check_one(self) -> Result<()> {
        match self.first_error {
            Some(error) => Err(error),
            None => self.check(),
        }
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the number of issues.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Checks that there are no issues.
    ///
    /// # Errors
    /// [`GraphError::InvalidItems`] with all issues if there are any.
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

/// Returns the items of a JSON list, each as its own text.
///
/// # Errors
/// [`CommonError::InvalidArgument`] if the value is not a list, [`CommonError::TooBig`] for too
/// many items.
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

/// Parses nodes, and adds their issues to `issues`.
pub fn nodes(items: &[&RawValue], issues: &mut Issues) -> Vec<NodeDraft> {
    read(ItemList::Nodes, items, issues, node)
}

/// Parses edges, and adds their issues to `issues`.
pub fn edges(items: &[&RawValue], issues: &mut Issues) -> Vec<EdgeDraft> {
    read(ItemList::Edges, items, issues, edge)
}

/// Parses items one by one.
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

/// Parses one node.
///
/// # Errors
/// [`CommonError::InvalidArgument`] that names the field.
pub fn node(raw: &RawValue) -> Result<NodeDraft> {
    let node = NodeInput::read("a node", raw)?;
    let ids = [
        ("id", node.id),
        ("customId", node.custom_id),
        ("canonicalId", node.canonical_id),
    ];
    Ok(NodeDraft {
        id: one_id(ids)?,
        label: node.label,
        kind: node.kind.unwrap_or_default(),
        data: node.data,
        position: node.position,
        pinned: node.pinned,
    })
}

/// Parses one edge.
///
/// # Errors
/// [`CommonError::InvalidArgument`] that names the field.
pub fn edge(raw: &RawValue) -> Result<EdgeDraft> {
    let edge = EdgeInput::read("an edge", raw)?;
    Ok(EdgeDraft {
        id: edge.id,
        source: edge.source,
        target: edge.target,
        label: edge.label.unwrap_or_default(),
        kind: edge.kind.unwrap_or_default(),
        data: edge.data,
    })
}

/// Returns the id that the present fields agree on.
///
/// # Errors
/// [`CommonError::InvalidArgument`] for two different ids.
pub(crate) fn one_id<const N: usize>(
    fields: [(&'static str, Option<String>); N],
) -> Result<Option<String>> {
    let mut found: Option<(&str, String)> = None;
    for (field, id) in fields {
        let Some(id) = id else { continue };
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
