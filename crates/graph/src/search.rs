//! Searches for nodes by words, by type, and by their data.

use crate::kinds::{Attribute, PageCursor, WantedType};
use crate::run::Operation;
use crate::tools;
use ::operation::arguments::{Text, Whole};
use ::operation::declaration::{Argument, Effect, Pages, Route, Tool};
use base::{Error, Result};
use database::{Bind, Cell, Database, DatabaseExt};
use serde_json::json;

use crate::limits::{
    BYTES_COMPARED_AT_ONCE, DEFAULT_FOUND_NODES, MAX_FOUND_NODES, MAX_PAGE_BYTES,
    MAX_SEARCHED_NODE_BYTES, MAX_SEARCHED_WORD_BYTES, SEARCHED_NODES_AT_A_TIME,
};
use crate::reading::cursor;
use crate::reading::state::{present_types, type_parameter};
use crate::reply::Fields;
use crate::store::columns::{coordinate, node_fields};
use crate::store::head::Head;
use crate::store::listed::listed;
use crate::store::read::{counts, each_line, leading_number};
use crate::store::words::{expression, words};
use crate::{Graph, Reply};

/// The condition that a node has one of the types `?1`, and the attribute `?2` or `?3` with the
/// text `?4` or the number `?5` as its value.
macro_rules! filter {
    () => {
        "(?1 IS NULL OR type IN (SELECT value FROM jsonb_each(?1))) AND (?2 IS NULL OR EXISTS (SELECT 1 FROM \
         (SELECT type, value FROM json_each(data, ?2) UNION ALL SELECT type, value FROM json_each(data, ?3)) AS a WHERE ?4 IS NULL \
         OR CASE a.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' WHEN 'null' THEN 'null' WHEN 'object' THEN NULL \
         WHEN 'array' THEN NULL ELSE CAST(a.value AS TEXT) END = ?4 OR (a.type IN ('integer', 'real') AND a.value = ?5)))"
    };
}

/// The nodes whose text contains each of the words `?7`, in the order of their creation.
const SCAN: &str = concat!(
    "SELECT CAST(seq AS TEXT) FROM nodes WHERE seq > ?6 AND seq <= ?8 AND ",
    filter!(),
    " AND NOT EXISTS (SELECT 1 FROM jsonb_each(?7) AS w WHERE instr(lower(label), w.value) = 0 AND instr(lower(type), w.value) = 0 \
     AND instr(lower(data), w.value) = 0) ORDER BY seq LIMIT ?9"
);
/// Of the first `?2` nodes after `?1`, the last one up to which the texts together have at most
/// `?3` bytes (the first one in any case), and the number of these bytes.
const WINDOW: &str = "SELECT max(seq), max(bytes) FROM (SELECT seq, row_number() OVER (ORDER BY seq) AS number, \
     sum(octet_length(data) + octet_length(label)) OVER (ORDER BY seq) AS bytes \
     FROM (SELECT seq, data, label FROM nodes WHERE seq > ?1 ORDER BY seq LIMIT ?2)) WHERE bytes <= ?3 OR number = 1";
/// The best nodes first. A word in the label counts most.
const MATCH: &str = concat!(
    "SELECT seq, rank FROM (SELECT n.seq, n.type, n.data, f.rank AS rank FROM \
     (SELECT rowid, bm25(_codemode_node_words, 10.0, 4.0, 1.0) AS rank FROM _codemode_node_words WHERE _codemode_node_words MATCH ?8) AS f \
     CROSS JOIN nodes AS n ON n.seq = f.rowid) WHERE (?6 IS NULL OR rank > ?6 OR (rank = ?6 AND seq > ?7)) AND ",
    filter!(),
    " ORDER BY rank, seq LIMIT ?9"
);
const NODES: &str = concat!(
    "SELECT ",
    node_fields!(),
    " || coalesce(',\"rank\":' || rank, '') || '}' FROM (SELECT n.*, j.value->>1 AS rank \
     FROM jsonb_each(?1) AS j CROSS JOIN nodes AS n ON n.seq = j.value->>0)"
);
/// The position at which the next page begins.
#[derive(Clone, Copy)]
enum After {
    /// After this node, in the order of creation.
    Seq(u64),
    /// After this rank and this node.
    Rank(f64, u64),
}

::operation::operation! {
    /// Nodes by words of label, type and data, best first; or all nodes with a type or an
    /// attribute.
    pub(crate) struct SearchNodes {
        /// The words; the last one may be the beginning of a word.
        "query" => query: Option<Text>,
        /// Only this type.
        "type" => kind: Option<WantedType>,
        /// A key of data; dots lead into objects.
        "attribute" => attribute: Option<Attribute>,
        /// The value of the attribute; without it, the attribute must only exist.
        "value" => value: Option<Text>,
        /// Nodes of one page at most.
        "limit" => limit: Whole<1, MAX_FOUND_NODES> = DEFAULT_FOUND_NODES,
        /// nextCursor of the previous page.
        "cursor" => cursor: Option<PageCursor>,
    }
    name: "searchNodes",
    title: "Search nodes",
    effect: Effect::READS,
    output: "NodesAnswer",
    route: Route::read("searchnodes", path!("/search"), "Nodes by words, type or attribute", &["q", "type", "attribute", "value", "limit", "cursor"]),
    tool: Tool::of_pages("Nodes by words of label, type and data, or with a value of an attribute of data.", &[Argument::new("query"), Argument::new("type"), Argument::new("attribute"), Argument::new("value"), Argument::new("limit"), Argument::new("cursor")], tools::PAGE, Pages::Nodes),
}

impl Operation<'_> for SearchNodes {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        if self.value.is_some() && self.attribute.is_none() {
            return Err(Error::invalid_with_hint(
                "value is given without attribute",
                "set attribute to the key of data that has the value",
            ));
        }
        search(graph, self)
    }
}

::operation::operation! {
    /// The nodes of one type.
    pub(crate) struct FilterByType {
        /// The type; case does not matter.
        "type" => kind: WantedType,
        /// Nodes of one page at most.
        "limit" => limit: Whole<1, MAX_FOUND_NODES> = DEFAULT_FOUND_NODES,
        /// nextCursor of the previous page.
        "cursor" => cursor: Option<PageCursor>,
    }
    name: "filterByType",
    title: "List nodes of a type",
    effect: Effect::READS,
    output: "NodesAnswer",
    tool: Tool::of_pages("All nodes of one type.", &[Argument::new("type"), Argument::new("limit"), Argument::new("cursor")], tools::PAGE, Pages::Nodes),
}

impl Operation<'_> for FilterByType {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        search(
            graph,
            SearchNodes {
                query: None,
                kind: Some(self.kind),
                attribute: None,
                value: None,
                limit: self.limit,
                cursor: self.cursor,
            },
        )
    }
}

fn search<D: Database>(graph: &Graph<'_, D>, search: SearchNodes) -> Result<Reply> {
    let binds = filter(graph.db, &search)?;
    let limit = search.limit;
    let query = search.query.unwrap_or_default();
    let words = words(&query);
    let after = match search.cursor {
        None => None,
        Some(text) if text.contains('.') => Some(cursor::parse(&text, |[bits, seq]: [u64; 2]| {
            Some(After::Rank(f64::from_bits(bits), seq))
        })?),
        Some(text) => Some(cursor::parse(&text, |[seq]: [u64; 1]| {
            Some(After::Seq(seq))
        })?),
    };
    let found = if words.is_empty() || words.iter().any(|word| is_unspaced(word)) {
        let seq = match after {
            Some(After::Seq(seq)) => seq,
            _ => 0,
        };
        // SQLite folds only the case of ASCII, so the words that it compares must be folded in the
        // same way.
        let words: Vec<String> = words.iter().map(|word| word.to_ascii_lowercase()).collect();
        let scanned = if query.trim().is_empty() || !words.is_empty() {
            words
        } else {
            vec![query.clone()]
        };
        scan(graph.db, &binds, &scanned, seq, limit)?
    } else {
        ranked(graph.db, binds, &expression(&words, " "), after, limit)?
    };
    reply(graph, found, limit)
}

/// A node that was found.
struct Hit {
    seq: u64,
    rank: Option<f64>,
}

impl Hit {
    fn cursor(&self) -> String {
        match self.rank {
            Some(rank) => format!("{}.{}", rank.to_bits(), self.seq),
            None => self.seq.to_string(),
        }
    }
}

/// The nodes that were found: one more than is listed if there are more.
struct Found {
    hits: Vec<Hit>,
    /// The last node that was read, if the limit of bytes ended the search.
    looked_up_to: Option<u64>,
}

/// Compares the texts of nodes with words, until there are enough hits or the limit of bytes is
/// reached.
fn scan<D: Database>(
    db: &D,
    filter: &[Bind],
    words: &[String],
    after: u64,
    limit: usize,
) -> Result<Found> {
    let mut left = MAX_SEARCHED_WORD_BYTES;
    let mut distinct: Vec<&str> = Vec::new();
    for word in words {
        let word = word.get(..word.floor_char_boundary(left)).unwrap_or(word);
        left = left.saturating_sub(word.len());
        if !word.is_empty() && !distinct.contains(&word) {
            distinct.push(word);
        }
    }
    let work = 1 + distinct.len() + (MAX_SEARCHED_WORD_BYTES - left) / BYTES_COMPARED_AT_ONCE;
    let mut bytes_left = (MAX_SEARCHED_NODE_BYTES / work) as u64;
    let words = Bind::Text(json!(distinct).to_string());
    let mut found = Found {
        hits: Vec::new(),
        looked_up_to: None,
    };
    let mut last = after;
    loop {
        let window = [last, SEARCHED_NODES_AT_A_TIME, bytes_left].map(Bind::number);
        let [end, bytes] = counts(db, WINDOW, &window)?;
        if end == 0 {
            return Ok(found);
        }
        let wanted = limit + 1 - found.hits.len();
        let mut binds = filter.to_vec();
        binds.extend([
            Bind::number(last),
            words.clone(),
            Bind::number(end),
            Bind::number(wanted as u64),
        ]);
        each_line(db, SCAN, &binds, |line| {
            let (seq, _) = leading_number(line)?;
            found.hits.push(Hit { seq, rank: None });
            Ok(())
        })?;
        if found.hits.len() > limit {
            return Ok(found);
        }
        last = end;
        bytes_left = bytes_left.saturating_sub(bytes);
        if bytes_left == 0 {
            found.looked_up_to = Some(last);
            return Ok(found);
        }
    }
}

/// Searches the index of words.
fn ranked<D: Database>(
    db: &D,
    mut binds: Vec<Bind>,
    expression: &str,
    after: Option<After>,
    limit: usize,
) -> Result<Found> {
    let (rank, seq) = match after {
        Some(After::Rank(rank, seq)) => (Bind::Real(rank), seq),
        _ => (Bind::Null, 0),
    };
    binds.extend([
        rank,
        Bind::number(seq),
        Bind::text(expression),
        Bind::number(limit as u64 + 1),
    ]);
    let rows = db.rows(MATCH, &binds)?.into_iter().map(|row| {
        let mut cells = row.into_iter();
        Hit {
            seq: cells.next().map_or(0, |cell| cell.as_count()),
            rank: match cells.next() {
                Some(Cell::Number(rank)) => Some(rank),
                _ => None,
            },
        }
    });
    Ok(Found {
        hits: rows.collect(),
        looked_up_to: None,
    })
}

fn reply<D: Database>(graph: &Graph<'_, D>, found: Found, limit: usize) -> Result<Reply> {
    let mut hits = found.hits;
    let more = hits.len() > limit;
    hits.truncate(limit);
    let push = |hit: &Hit, json: &mut String| {
        json.push_str(&json!([hit.seq, hit.rank]).to_string());
    };
    let nodes = listed(graph.db, NODES, &hits, push, &mut { MAX_PAGE_BYTES })?;
    let next = if more || nodes.is_cut {
        let last = hits.get(nodes.rows.saturating_sub(1));
        last.map(Hit::cursor)
    } else {
        found.looked_up_to.map(|seq| seq.to_string())
    };
    let fields = Fields::default()
        .raw("data", &format!("[{}]", nodes.text))
        .value("nextCursor", &next)
        .value("version", &Head::load(graph.db)?.version);
    Ok(Reply::read(fields))
}

/// Returns the first parameters of both statements, which are those of the filter.
fn filter<D: Database>(db: &D, search: &SearchNodes) -> Result<Vec<Bind>> {
    let kind = match &search.kind {
        None => Bind::Null,
        kind => type_parameter(&present_types(db)?, kind.as_ref()),
    };
    let (whole, path) = match &search.attribute {
        None => (Bind::Null, Bind::Null),
        Some(attribute) => attribute_paths(attribute)?,
    };
    let value = search.value.clone();
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

/// Returns an attribute as the path of a key and, if it has dots, as a path through objects.
pub(crate) fn attribute_paths(attribute: &str) -> Result<(Bind, Bind)> {
    // SQLite's paths cannot represent these characters in a key.
    if attribute.is_empty() || attribute.contains(['"', '\\', '\0']) {
        return Err(Error::invalid(
            "attribute must be a key of data: not empty, without quotation marks and backslashes",
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

/// Returns true if the script of a word has no blanks between words, so that the word may be part
/// of a longer run.
fn is_unspaced(word: &str) -> bool {
    word.chars().any(|character| {
        matches!(character,
            // Thai and Lao, Burmese, Khmer, Kana, Han and its extensions.
            '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
            | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
    })
}
