//! Imports and exports of whole graphs as files: the format of a file, the treatment of the
//! existing content, and the text of an export.

use crate::kinds::{Anything, FormatName, Version};
use crate::run::Operation;
use crate::{telling, tools};
use ::operation::arguments::{OneOf, Raw, Word, meaning};
use ::operation::declaration::{Argument, Effect, Tool};
use std::collections::HashSet;

use base::formulas::Formulas;
use base::{Error, Result};
use database::{Bind, Database};
use serde_json::json;

use crate::interchange::{
    self, EdgeRow, FileContent, Format, NodeRow, NodesWriter, Renames, Survey,
};
use crate::limits::MAX_EXPORT_BYTES;
use crate::reply::Fields;
use crate::store::find;
use crate::store::read::each_line;
use crate::{
    Graph, GraphError, ItemList, Mode, OnConflict, Reply, edges_after, import, nodes_after,
};

/// The most nodes and edges of an export: an edge of Cytoscape JSON has some 80 bytes besides its
/// texts.
const MAX_EXPORTED_ITEMS: u64 = MAX_EXPORT_BYTES as u64 / 64;
const SHARED_IDS: &str =
    "SELECT e.id FROM edges AS e CROSS JOIN nodes AS n ON n.id = e.id ORDER BY e.seq LIMIT ?";

/// A file to import, with its options.
#[derive(Debug)]
pub struct FileImport {
    format: Format,
    content: FileContent,
    on_conflict: OnConflict,
    mode: Mode,
    if_version: Option<u64>,
}

/// The options of a request whose body is a file.
#[derive(Debug, Clone, Copy, Default)]
pub struct FileOptions<'a> {
    /// The header `Content-Type`.
    pub content_type: Option<&'a str>,
    /// The name of the format.
    pub format: Option<&'a str>,
    /// Handling of an id that exists.
    pub on_conflict: Option<&'a str>,
    /// The treatment of the graph's present content.
    pub mode: Option<&'a str>,
    /// The version that the graph must have.
    pub if_version: Option<u64>,
}

impl FileImport {
    /// Parses a file that is the body of a request.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] for an unknown option, and the errors of the file.
    pub fn of_body(options: &FileOptions<'_>, content: &str) -> Result<Self> {
        let format = options.format.map(Format::from_name).transpose()?;
        let (format, content) = read(format, options.content_type, content)?;
        Ok(Self {
            format,
            content,
            on_conflict: word("onConflict", options.on_conflict, OnConflict::Error)?,
            mode: word("mode", options.mode, Mode::Merge)?,
            if_version: options.if_version,
        })
    }

    fn of_arguments(arguments: ImportGraph<'_>) -> Result<Self> {
        let raw = arguments.content.get();
        let text: Option<String> = serde_json::from_str(raw).ok();
        let content = text.as_deref().unwrap_or(raw);
        let (format, content) = read(arguments.format, None, content)?;
        Ok(Self {
            format,
            content,
            on_conflict: arguments.on_conflict,
            mode: arguments.mode,
            if_version: arguments.if_version,
        })
    }

    /// Imports the file as one step.
    ///
    /// # Errors
    /// Errors of [`import`].
    pub fn run<D: Database>(mut self, graph: &Graph<'_, D>) -> Result<Reply> {
        if !self.format.lists_nodes() && self.mode == Mode::Merge {
            self.without_known_nodes(graph.db)?;
        }
        let reply = import(
            graph,
            &self.content.drafts,
            self.on_conflict,
            self.mode,
            self.if_version,
            None,
        )?;
        Ok(reply.with_fields(&json!({
            "format": self.format.name(),
            "notices": self.content.notices,
        })))
    }

    /// Removes the nodes that exist already. A file of edges names only the ends of its edges, so
    /// it must not change these nodes.
    fn without_known_nodes<D: Database>(&mut self, db: &D) -> Result<()> {
        let ids = self
            .content
            .drafts
            .nodes
            .iter()
            .map(|node| node.id.as_deref());
        let known = find::seqs_of(db, ItemList::Nodes, ids.map(Option::unwrap_or_default))?;
        let known: HashSet<usize> = known.into_keys().collect();
        let mut index = 0;
        self.content.drafts.nodes.retain(|_| {
            index += 1;
            !known.contains(&(index - 1))
        });
        Ok(())
    }
}

fn read(
    format: Option<Format>,
    content_type: Option<&str>,
    content: &str,
) -> Result<(Format, FileContent)> {
    let format = match format {
        Some(format) => format,
        None => interchange::detect(content_type, content)?,
    };
    Ok((format, interchange::read_file(format, content)?))
}

fn word<T: Word>(field: &str, given: Option<&str>, default: T) -> Result<T> {
    given.map_or(Ok(default), |given| meaning(field, given, T::WORDS))
}

::operation::operation! {
    /// Imports nodes and edges in JSON, node-link JSON, Cytoscape JSON, GraphML or CSV of edges,
    /// all or nothing, as one step.
    pub(crate) struct ImportGraph<'a> {
        /// The text of the file, or its JSON.
        "content" => content: Raw<Anything>,
        /// The format. Without it, the format is detected.
        "format" => format: Option<FormatName>,
        /// Handling of an id that exists.
        "onConflict" => on_conflict: OneOf<OnConflict> = OnConflict::Error,
        /// replace first removes what the graph has.
        "mode" => mode: OneOf<Mode> = Mode::Merge,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "importGraph",
    title: "Import a graph",
    effect: Effect::REMOVES,
    output: "ImportAnswer",
    tool: Tool::new("nodes and edges; or graph: node-link or Cytoscape JSON, or the text of GraphML or of a CSV of edges. mode replace removes the present content first.", &[Argument::new("content").named("nodes").shown(r#"{"type":"array","items":{"type":"object"}}"#), Argument::new("content").named("edges").shown(r#"{"type":"array","items":{"type":"object"}}"#), Argument::new("content").named("graph").shown(r#"{"type":["string","object"]}"#), Argument::new("format"), Argument::new("onConflict"), Argument::new("mode")], tools::IMPORTED, telling::imported).named("importFromJSON").shown(),
}

impl<'a> Operation<'a> for ImportGraph<'a> {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        FileImport::of_arguments(self)?.run(graph)
    }
}

::operation::operation! {
    /// The whole graph as one text.
    pub(crate) struct ExportGraph {
        /// The format.
        "format" => format: FormatName = Format::Json,
    }
    name: "exportGraph",
    title: "Export the graph",
    effect: Effect::READS,
    output: "GraphAnswer",
}

impl Operation<'_> for ExportGraph {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let format = self.format;
        let fields = Fields::default()
            .value("format", &format.name())
            .value("content", &export(graph, format, Formulas::Keep)?);
        Ok(Reply::read(fields))
    }
}

/// Returns the whole graph as one text.
///
/// # Errors
/// [`GraphError::TooLarge`] if the text would exceed [`MAX_EXPORT_BYTES`],
/// [`base::CommonError::InvalidArgument`] for an id that the format cannot represent, and errors of
/// the engine.
pub fn export<D: Database>(
    graph: &Graph<'_, D>,
    format: Format,
    formulas: Formulas,
) -> Result<String> {
    let mut survey = Survey::new(format).with_formulas(formulas);
    if format.has_one_table() {
        survey = survey.with_renames(renames(graph.db)?);
    }
    if format.needs_survey() {
        each_node(graph.db, |node| survey.node(node))?;
        each_edge(graph.db, |edge| survey.edge(edge))?;
    }
    let mut text = String::new();
    let mut nodes = NodesWriter::begin(survey, &mut text);
    each_node(graph.db, |node| {
        nodes.node(node, &mut text)?;
        check_size(&text)
    })?;
    let mut edges = nodes.edges(&mut text);
    each_edge(graph.db, |edge| {
        edges.edge(edge, &mut text)?;
        check_size(&text)
    })?;
    edges.finish(&mut text);
    Ok(text)
}

/// Returns new ids for the edges that have the id of a node. An export with more of them than
/// [`MAX_EXPORTED_ITEMS`] is too large.
fn renames<D: Database>(db: &D) -> Result<Renames> {
    let mut shared = Vec::new();
    each_line(db, SHARED_IDS, &[Bind::number(MAX_EXPORTED_ITEMS)], |id| {
        shared.push(id.to_owned());
        Ok(())
    })?;
    Renames::new(shared, |id| {
        let taken = |list| Ok::<_, Error>(find::seq_of(db, list, id)?.is_some());
        Ok(taken(ItemList::Nodes)? || taken(ItemList::Edges)?)
    })
}

fn each_node<D: Database>(db: &D, mut work: impl FnMut(&NodeRow<'_>) -> Result<()>) -> Result<()> {
    let mut after = 0;
    loop {
        let nodes = nodes_after(db, after)?;
        let Some(last) = nodes.last() else {
            return Ok(());
        };
        after = last.seq;
        for node in &nodes {
            work(&NodeRow {
                id: &node.id,
                label: &node.label,
                kind: &node.kind,
                data: &node.data,
                x: node.position.x,
                y: node.position.y,
                pinned: node.pinned,
                created_at: &node.created_at,
                updated_at: &node.updated_at,
            })?;
        }
    }
}

fn each_edge<D: Database>(db: &D, mut work: impl FnMut(&EdgeRow<'_>) -> Result<()>) -> Result<()> {
    let mut after = 0;
    loop {
        let edges = edges_after(db, after)?;
        let Some(last) = edges.last() else {
            return Ok(());
        };
        after = last.seq;
        for edge in &edges {
            work(&EdgeRow {
                id: &edge.id,
                source: &edge.source,
                target: &edge.target,
                label: &edge.label,
                kind: &edge.kind,
                data: &edge.data,
                created_at: &edge.created_at,
                updated_at: &edge.updated_at,
            })?;
        }
    }
}

fn check_size(text: &str) -> Result<()> {
    if text.len() <= MAX_EXPORT_BYTES {
        return Ok(());
    }
    Err(GraphError::TooLarge {
        what: "the export, in bytes",
        size: text.len() as u64,
        limit: MAX_EXPORT_BYTES as u64,
    }
    .into())
}
