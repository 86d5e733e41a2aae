//! Imports the rows of a session's query: the arguments of the request, and a reader of the stream
//! that the session's object sends (a line with the columns, a line for each row, a line that ends
//! it).

use crate::kinds::{EdgeMappings, Name, NodeMappings, Parameters, Version};
use crate::{telling, tools};
use ::operation::arguments::{Arguments, OneOf, Raw, Text};
use ::operation::declaration::{Argument, Body, Effect, Route, Tool};
use base::names::check_name;
use base::{CommonError, Error, Result};
use database::Database;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::limits::{MAX_IMPORT_BYTES, MAX_ROW_BYTES};
use crate::mapping::{MappedRows, Mapping, Rows};
use crate::operations::import::{Import, Matching, import_as};
use crate::{Graph, Mode, OnConflict, Reply};

::operation::operation! {
    /// Makes nodes and edges from the rows of a query on a session's tables, as one step.
    pub(crate) struct ImportFromQuery<'a> {
        /// Name of the session.
        "session" => session: Name,
        /// A SELECT on its tables.
        "sql" => sql: Text<1, 100_000>,
        "params" => params: Option<Raw<Parameters>>,
        /// The columns that make nodes. Several mappings make several nodes from each row.
        "nodes" => nodes: Option<Raw<NodeMappings>>,
        /// The columns that make edges.
        "edges" => edges: Option<Raw<EdgeMappings>>,
        /// Handling of an id that exists.
        "onConflict" => on_conflict: OneOf<OnConflict> = OnConflict::Ignore,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "importFromQuery",
    title: "Import rows as a graph",
    effect: Effect::WRITES,
    output: "ImportAnswer",
    route: Route::write("importfromquery", "POST", path!("/import-from-query"), "Make nodes and edges from a session's rows", Body::Request),
    tool: Tool::new("Makes nodes and edges of the rows of a SELECT on a session database. nodes {id?, label, type?, data?} and edges {id?, source, target, label?, type?, data?}, or lists of them, name columns; {\"value\": …} is a constant.", &[Argument::new("session"), Argument::new("sql"), Argument::new("params").shown(r#"{"type":["array","object"],"items":{"type":["string","number","boolean","null"]}}"#), Argument::new("nodes").shown(r#"{"type":["array","object"],"items":{"type":"object"}}"#), Argument::new("edges").shown(r#"{"type":["array","object"],"items":{"type":"object"}}"#), Argument::new("onConflict").shown(r#"{"enum":["ignore","error","replace"]}"#)], tools::IMPORTED, telling::imported).shown(),
}

/// The parsed arguments of `importFromQuery`.
#[derive(Debug)]
pub struct RowsRequest {
    /// The session whose tables are read.
    pub session: String,
    /// The request to the session's object: the statement with its parameters.
    pub body: String,
    mapping: Mapping,
    on_conflict: OnConflict,
    if_version: Option<u64>,
}

impl RowsRequest {
    /// Parses the arguments.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] that names the field.
    pub fn parse(arguments: &str) -> Result<Self> {
        let ImportFromQuery {
            session,
            sql,
            params,
            nodes,
            edges,
            on_conflict,
            if_version,
        } = ImportFromQuery::parse(arguments)?;
        check_name("session", &session)?;
        let params = params.map_or("null", RawValue::get);
        Ok(Self {
            session,
            body: format!(r#"{{"sql":{},"params":{params}}}"#, json!(sql)),
            mapping: Mapping::parse(nodes, edges)?,
            on_conflict,
            if_version,
        })
    }

    /// Returns a reader of the rows.
    pub fn reader(&self) -> RowsReader<'_> {
        RowsReader {
            mapping: &self.mapping,
            rows: None,
            line: Vec::new(),
            read_bytes: 0,
            end: None,
        }
    }

    /// Imports the nodes and edges that were made from the rows, as one step.
    ///
    /// # Errors
    /// Errors of an import.
    pub fn import<D: Database>(self, graph: &Graph<'_, D>, mapped: MappedRows) -> Result<Reply> {
        let reply = import_as(
            graph,
            &mapped.drafts,
            Import {
                on_conflict: self.on_conflict,
                mode: Mode::Merge,
                matching: Matching::Rows,
                if_version: self.if_version,
            },
            None,
        )?;
        let notices: Vec<String> = differing(mapped.differing_rows).into_iter().collect();
        Ok(reply.with_fields(&json!({
            "rows": mapped.rows,
            "skippedNodes": mapped.skipped_nodes,
            "skippedEdges": mapped.skipped_edges,
            "notices": notices,
        })))
    }
}

/// Returns the notice about rows whose data was not imported.
fn differing(rows: usize) -> Option<String> {
    let rows = match rows {
        0 => return None,
        1 => "1 row names".to_owned(),
        rows => format!("{rows} rows name"),
    };
    Some(format!(
        "{rows} the same edge as an earlier row, but with other data, and this data was dropped: map the id of edges to make one edge per row"
    ))
}

/// The end of a stream of rows.
#[derive(Debug)]
enum End {
    /// After its last row.
    Done,
    /// With this failure, as the session reported it.
    Failed(Value),
}

/// A reader of a stream of rows, piece by piece.
#[derive(Debug)]
pub struct RowsReader<'a> {
    mapping: &'a Mapping,
    rows: Option<Rows>,
    line: Vec<u8>,
    read_bytes: usize,
    end: Option<End>,
}

#[derive(Deserialize)]
struct Columns {
    columns: Vec<String>,
}

impl RowsReader<'_> {
    /// Reads the next piece.
    ///
    /// # Errors
    /// [`CommonError::TooBig`] beyond the limits of an import, and the errors of a row.
    pub fn feed(&mut self, piece: &[u8]) -> Result<()> {
        self.read_bytes = self.read_bytes.saturating_add(piece.len());
        if self.read_bytes > MAX_IMPORT_BYTES {
            return Err(Error::from(CommonError::TooBig {
                message: format!("the rows have more than {MAX_IMPORT_BYTES} bytes"),
                hint: "select fewer rows or columns, or import in several calls".to_owned(),
            }));
        }
        let mut rest = piece;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (head, tail) = rest.split_at(end);
            self.line.extend_from_slice(head);
            let line = std::mem::take(&mut self.line);
            self.take(&line)?;
            rest = tail.get(1..).unwrap_or_default();
        }
        self.line.extend_from_slice(rest);
        if self.line.len() > MAX_ROW_BYTES {
            return Err(Error::internal("a row of the session is too long"));
        }
        Ok(())
    }

    fn take(&mut self, line: &[u8]) -> Result<()> {
        let text = std::str::from_utf8(line)
            .map_err(|_| Error::internal("a row of the session is not UTF-8"))?;
        if text.trim().is_empty() {
            return Ok(());
        }
        if text.starts_with('[') {
            let rows = self.rows.as_mut();
            return rows.ok_or_else(unreadable)?.row(text);
        }
        let told: Value = serde_json::from_str(text).map_err(|_| unreadable())?;
        if let Some(error) = told.get("error") {
            self.end = Some(End::Failed(error.clone()));
        } else if told.get("done").is_some() {
            self.end = Some(End::Done);
        } else {
            let columns: Columns = serde_json::from_value(told).map_err(|_| unreadable())?;
            let names: Vec<&str> = columns.columns.iter().map(String::as_str).collect();
            self.rows = Some(self.mapping.bind(&names)?);
        }
        Ok(())
    }

    /// Returns the nodes and edges that were made from the rows, or the failure that the session
    /// reported.
    ///
    /// # Errors
    /// [`CommonError::Internal`] for a stream that ended too early, and the errors of nodes and
    /// edges.
    pub fn finish(mut self) -> Result<std::result::Result<MappedRows, Value>> {
        let line = std::mem::take(&mut self.line);
        self.take(&line)?;
        match self.end {
            Some(End::Failed(error)) => Ok(Err(error)),
            Some(End::Done) => self.rows.ok_or_else(unreadable)?.finish().map(Ok),
            None => Err(Error::internal(
                "the session stopped before the last row; nothing was imported",
            )),
        }
    }
}

fn unreadable() -> Error {
    Error::internal("the rows of the session cannot be read")
}
