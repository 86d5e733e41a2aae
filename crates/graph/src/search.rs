//! Finds nodes: by words, by type, by what their data has.

use base::{Error, Result};
use database::{Bind, Cell, Database, DatabaseExt};
use serde_json::json;
use serde_json::value::RawValue;

use crate::arguments::Arguments;
use crate::limits::{DEFAULT_FOUND_NODES, MAX_FOUND_NODES};
use crate::reading::cursor;
use crate::reading::state::{present_types, type_parameter};
use crate::reply::Fields;
use crate::store::columns::{coordinate, node_fields, node_json};
use crate::store::head::Head;
use crate::store::words::{expression, words};
use crate::{Graph, Reply};

/// Whether a node has the types of `?1` and the attribute of `?2` and `?3`, whose value is the text `?4` or the number `?5`.
macro_rules! filter {
    () => {
        "(?1 IS NULL OR type IN (SELECT value FROM jsonb_each(?1))) AND (?2 IS NULL OR EXISTS (SELECT 1 FROM \
         (SELECT type, value FROM json_each(data, ?2) UNION ALL SELECT type, value FROM json_each(data, ?3)) AS a WHERE ?4 IS NULL \
         OR CASE a.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' WHEN 'null' THEN 'null' WHEN 'object' THEN NULL \
         WHEN 'array' THEN NULL ELSE CAST(a.value AS TEXT) END = ?4 OR (a.type IN ('integer', 'real') AND a.value = ?5)))"
    };
}

/// Nodes in the order of their creation that have each of the words of `?7` somewhere in their text.
const SCAN: &str = concat!(
    "SELECT seq, NULL, ",
    node_json!(),
    " FROM nodes WHERE seq > ?6 AND ",
    filter!(),
    " AND NOT EXISTS (SELECT 1 FROM jsonb_each(?7) AS w WHERE instr(lower(label), w.value) = 0 AND instr(lower(type), w.value) = 0 \
     AND instr(lower(data), w.value) = 0) ORDER BY seq LIMIT ?8"
);
/// The best nodes first. A word in the label counts most.
const MATCH: &str = concat!(
    "SELECT seq, rank, ",
    node_fields!(),
    " || ',\"rank\":' || rank || '}' FROM (SELECT n.*, f.rank AS rank FROM \
     (SELECT rowid, bm25(_codemode_node_words, 10.0, 4.0, 1.0) AS rank FROM _codemode_node_words WHERE _codemode_node_words MATCH ?8) AS f \
     CROSS JOIN nodes AS n ON n.seq = f.rowid) WHERE (?6 IS NULL OR rank > ?6 OR (rank = ?6 AND seq > ?7)) AND ",
    filter!(),
    " ORDER BY rank, seq LIMIT ?9"
);
/// Where the next page begins.
#[derive(Clone, Copy)]
enum After {
    /// Behind this node, in the order of creation.
    Seq(u64),
    /// Behind this rank, as its bits, and this node.
    Rank(f64, u64),
}

pub(crate) fn search_nodes<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    const FIELDS: &[&str] = &["query", "type", "attribute", "value", "limit", "cursor"];
    let arguments = Arguments::parse(arguments, FIELDS)?;
    if arguments.0.raw("value").is_some() && arguments.0.raw("attribute").is_none() {
        return Err(Error::invalid_with_hint(
            "value is what an attribute is",
            "name the attribute too",
        ));
    }
    search(graph, &arguments)
}

pub(crate) fn filter_by_type<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let arguments = Arguments::parse(arguments, &["type", "limit", "cursor"])?;
    if arguments.0.raw("type").is_none() {
        return Err(crate::drafts::missing("type"));
    }
    search(graph, &arguments)
}

fn search<D: Database>(graph: &Graph<'_, D>, arguments: &Arguments<'_>) -> Result<Reply> {
    let limit = arguments.number("limit", 1..=MAX_FOUND_NODES, DEFAULT_FOUND_NODES)?;
    let query = arguments.0.text("query")?.unwrap_or_default();
    let words = words(&query);
    let after = match arguments.0.text("cursor")? {
        None => None,
        Some(text) if text.contains('.') => Some(cursor::parse(&text, |[bits, seq]: [u64; 2]| {
            Some(After::Rank(f64::from_bits(bits), seq))
        })?),
        Some(text) => Some(cursor::parse(&text, |[seq]: [u64; 1]| {
            Some(After::Seq(seq))
        })?),
    };
    let mut binds = filter(graph.db, arguments)?;
    let size = Bind::number(limit as u64 + 1);
    let rows = if words.is_empty() || words.iter().any(|word| is_unspaced(word)) {
        let seq = match after {
            Some(After::Seq(seq)) => seq,
            _ => 0,
        };
        // SQLite folds the case of ASCII alone, and so must the words that are compared with what it folds.
        let words: Vec<String> = words.iter().map(|word| word.to_ascii_lowercase()).collect();
        let scanned = if query.trim().is_empty() || !words.is_empty() {
            words
        } else {
            vec![query.clone()]
        };
        binds.extend([
            Bind::number(seq),
            Bind::Text(json!(scanned).to_string()),
            size,
        ]);
        graph.db.rows(SCAN, &binds)?
    } else {
        let (rank, seq) = match after {
            Some(After::Rank(rank, seq)) => (Bind::Real(rank), seq),
            _ => (Bind::Null, 0),
        };
        binds.extend([
            rank,
            Bind::number(seq),
            Bind::Text(expression(&words, " ")),
            size,
        ]);
        graph.db.rows(MATCH, &binds)?
    };
    reply(rows, limit, Head::load(graph.db)?.version)
}

fn reply(rows: Vec<Vec<Cell>>, limit: usize, version: u64) -> Result<Reply> {
    let more = rows.len() > limit;
    let mut nodes = Vec::with_capacity(rows.len());
    let mut next = None;
    for row in rows.into_iter().take(limit) {
        let mut cells = row.into_iter();
        let mut cell = || cells.next().unwrap_or(Cell::Null);
        let seq = cell().as_count();
        next = Some(match cell() {
            Cell::Number(rank) => format!("{}.{seq}", rank.to_bits()),
            _ => seq.to_string(),
        });
        let node = RawValue::from_string(cell().into_text());
        nodes.push(node.map_err(|error| Error::internal(format!("a node: {error}")))?);
    }
    let fields = Fields::default()
        .value("data", &nodes)
        .value("nextCursor", &next.filter(|_| more))
        .value("version", &version);
    Ok(Reply::read(fields))
}

/// The first parameters of both statements.
fn filter<D: Database>(db: &D, arguments: &Arguments<'_>) -> Result<Vec<Bind>> {
    let kind = match arguments.0.text("type")? {
        None => Bind::Null,
        kind => type_parameter(&present_types(db)?, kind.as_ref()),
    };
    let (whole, path) = match arguments.0.text("attribute")? {
        None => (Bind::Null, Bind::Null),
        Some(attribute) => attribute_paths(&attribute)?,
    };
    let value = arguments.0.text("value")?;
    let number = value.as_deref().and_then(|value| value.parse::<f64>().ok());
    let number = number.filter(|number| number.is_finite());
    Ok(vec![
        kind,
        whole,
        path,
        value.map_or(Bind::Null, Bind::Text),
        number.map_or(Bind::Null, Bind::Real),
    ])
}

/// An attribute as the path of a key, and, where it has dots, as a path through objects.
pub(crate) fn attribute_paths(attribute: &str) -> Result<(Bind, Bind)> {
    // SQLite's paths have no way to write these in a key.
    if attribute.is_empty() || attribute.contains(['"', '\\', '\0']) {
        return Err(Error::invalid(
            "an attribute is a key of data, without quotation marks and backslashes",
        ));
    }
    let whole = format!("$.\"{attribute}\"");
    if !attribute.contains('.') {
        return Ok((Bind::Text(whole), Bind::Null));
    }
    let keys: Vec<String> = attribute
        .split('.')
        .map(|key| format!("\"{key}\""))
        .collect();
    Ok((
        Bind::Text(whole),
        Bind::Text(format!("$.{}", keys.join("."))),
    ))
}

/// Whether a word is of a script that puts no blanks between words, so that what is looked for may stand within a longer one.
fn is_unspaced(word: &str) -> bool {
    word.chars().any(|character| {
        matches!(character,
            // Thai and Lao, Burmese, Khmer, Kana, Han and its extensions.
            '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
            | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
    })
}
