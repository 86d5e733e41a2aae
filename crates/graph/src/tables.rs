//! The graph as two tables of a session: their columns, and their rows as JSON for the session's
//! object to insert.

use crate::kinds::Name;
use ::operation::arguments::{Arguments, OneOf, Word};
use ::operation::declaration::{Body, Effect, Route};
use base::names::check_name;
use base::{Error, Result};
use database::{Cursor as _, Database, EngineError, Statement};
use serde_json::json;

use crate::limits::{MAX_EXPORT_BYTES, PIECE_BYTES, TAKEN_ROWS};
use crate::{Graph, GraphError};

const NODES: &str = "SELECT json_array(id, label, type, data, x, y, created_at, updated_at) FROM nodes ORDER BY seq";
const NODE_COLUMNS: &[&str] = &[
    "id",
    "label",
    "type",
    "data",
    "x",
    "y",
    "created_at",
    "updated_at",
];
const NODE_SCHEMA: &str = "id TEXT PRIMARY KEY, label TEXT, type TEXT, data TEXT, x REAL, y REAL, created_at TEXT, updated_at TEXT";

const EDGES: &str = "SELECT json_array(id, source, target, label, type, data, created_at, updated_at) FROM edges ORDER BY seq";
const EDGE_COLUMNS: &[&str] = &[
    "id",
    "source",
    "target",
    "label",
    "type",
    "data",
    "created_at",
    "updated_at",
];
const EDGE_SCHEMA: &str = "id TEXT PRIMARY KEY, source TEXT, target TEXT, label TEXT, type TEXT, data TEXT, created_at TEXT, updated_at TEXT";

/// The treatment of existing tables with these names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// The request fails.
    Fails,
    /// They are dropped first.
    Dropped,
}

impl Word for Existing {
    const WORDS: &'static [(&'static str, Self)] =
        &[("create", Self::Fails), ("replace", Self::Dropped)];
}

::operation::operation! {
    /// Writes nodes and edges into two tables of a session.
    pub struct ExportToSession {
        /// Name of the session.
        "session" => session: Name,
        /// The table of the nodes.
        "nodesTable" => nodes_table: Name = "nodes".to_owned(),
        /// The table of the edges.
        "edgesTable" => edges_table: Name = "edges".to_owned(),
        /// With replace, tables with these names are dropped first.
        "mode" => mode: OneOf<Existing> = Existing::Fails,
    }
    name: "exportToSession",
    title: "Export the graph as tables",
    effect: Effect::REMOVES,
    output: "GraphAnswer",
    route: Route::write("exporttosession", "POST", path!("/export-to-session"), "Write the graph into tables of a session", Body::Request),
}

impl ExportToSession {
    /// Parses the arguments.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] that names the field.
    pub fn of_request(arguments: &str) -> Result<Self> {
        let request = Self::parse(arguments)?;
        check_name("session", &request.session)?;
        if request
            .nodes_table
            .eq_ignore_ascii_case(&request.edges_table)
        {
            return Err(Error::invalid("nodesTable and edgesTable must differ"));
        }
        Ok(request)
    }

    /// Returns the request to the session's object: a line that describes the tables, and lines of
    /// rows.
    ///
    /// # Errors
    /// [`GraphError::TooLarge`] for a graph beyond [`MAX_EXPORT_BYTES`], and errors of the engine.
    pub fn body<D: Database>(&self, graph: &Graph<'_, D>) -> Result<String> {
        let nodes = pieces(graph.db, NODES)?;
        let edges = pieces(graph.db, EDGES)?;
        let table = |name: &str, schema: &str, columns: &[&str], pieces: &[Piece]| {
            let counts: Vec<usize> = pieces.iter().map(|piece| piece.rows).collect();
            json!({ "name": name, "schema": schema, "columns": columns, "counts": counts })
        };
        let mut body = json!({
            "replace": self.mode == Existing::Dropped,
            "tables": [
                table(&self.nodes_table, NODE_SCHEMA, NODE_COLUMNS, &nodes),
                table(&self.edges_table, EDGE_SCHEMA, EDGE_COLUMNS, &edges),
            ],
        })
        .to_string();
        for piece in nodes.iter().chain(&edges) {
            body.push('\n');
            body.push_str(&piece.json);
            if body.len() > MAX_EXPORT_BYTES {
                return Err(GraphError::TooLarge {
                    what: "the graph as tables, in bytes",
                    size: body.len() as u64,
                    limit: MAX_EXPORT_BYTES as u64,
                }
                .into());
            }
        }
        Ok(body)
    }
}

/// Rows as a JSON list of lists.
struct Piece {
    json: String,
    rows: usize,
}

fn pieces<D: Database>(db: &D, sql: &'static str) -> Result<Vec<Piece>> {
    let mut cursor = db
        .open(Statement::Own(sql, &[]))
        .map_err(EngineError::own)?;
    let mut pieces = Vec::new();
    let mut bytes = 0_usize;
    loop {
        // A row has at most 2 MB, and a piece may exceed its limit by one row. With half of the
        // limit, it stays below that of the session.
        let taken = cursor
            .take_text(TAKEN_ROWS, PIECE_BYTES / 2, ",")
            .map_err(EngineError::own)?;
        bytes = bytes.saturating_add(taken.text.len());
        if taken.rows > 0 {
            pieces.push(Piece {
                json: format!("[{}]", taken.text),
                rows: taken.rows,
            });
        }
        if taken.done || bytes > MAX_EXPORT_BYTES {
            return Ok(pieces);
        }
    }
}
