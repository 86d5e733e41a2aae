//! What was asked before, and which statement a person approved for it: a memory of the tenant, kept apart by business and by tables. People can
//! search it, pin what is good and delete what is not. A writer is shown the pairs that resemble the question.
//!
//! It lies in the database of the tenant's index, whose migrations make its tables. Resemblance is BM25 over the words of the question (FTS5).

use database::{Bind, Cell, Database, DatabaseExt};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::AgentError;
use crate::limits::{
    DEFAULT_THREAD_PAGE_ITEMS, MAX_EXAMPLES, MAX_MEMORY_SEARCH_WORDS, MAX_REMEMBERED_PAIRS,
    MAX_THREAD_PAGE_ITEMS,
};
use crate::state::{Target, Who};
use crate::words;
use base::time::iso8601;
use base::{Error, Result};

const REMEMBER: &str = "INSERT INTO agent_memory (id, business, target, question, sql, explanation, uses, pinned, created_at, used_at) \
     VALUES (?, ?, ?, ?, ?, ?, 1, 0, ?, ?) \
     ON CONFLICT (business, target, question, sql) DO UPDATE SET uses = uses + 1, used_at = excluded.used_at, explanation = excluded.explanation \
     RETURNING number, uses";
const ADD_WORDS: &str = "INSERT INTO agent_memory_words (rowid, question) VALUES (?, ?)";
const OLDEST: &str =
    "SELECT number FROM agent_memory ORDER BY pinned DESC, used_at DESC LIMIT -1 OFFSET ?";
const FIND: &str = "SELECT number FROM agent_memory WHERE id = ? AND (? IS NULL OR business = ?)";
const DELETE: &str = "DELETE FROM agent_memory WHERE number = ?";
const DELETE_WORDS: &str = "DELETE FROM agent_memory_words WHERE rowid = ?";
const RESEMBLING: &str = "SELECT m.question, m.sql, m.explanation FROM agent_memory_words w JOIN agent_memory m ON m.number = w.rowid \
     WHERE agent_memory_words MATCH ? AND m.business = ? AND m.target = ? ORDER BY m.pinned DESC, bm25(agent_memory_words) LIMIT ?";
const SEARCH: &str = "SELECT m.id, m.business, m.target, m.question, m.sql, m.explanation, m.uses, m.pinned, m.created_at, m.used_at, m.number \
     FROM agent_memory_words w JOIN agent_memory m ON m.number = w.rowid \
     WHERE agent_memory_words MATCH ? AND (? IS NULL OR m.business = ?) AND (? IS NULL OR m.target = ?) \
     ORDER BY bm25(agent_memory_words), m.number LIMIT ?";
const LIST: &str = "SELECT id, business, target, question, sql, explanation, uses, pinned, created_at, used_at, number FROM agent_memory \
     WHERE number < ? AND (? IS NULL OR business = ?) AND (? IS NULL OR target = ?) ORDER BY number DESC LIMIT ?";
const PIN: &str = "UPDATE agent_memory SET pinned = ? WHERE id = ? AND (? IS NULL OR business = ?)";
const CHANGES: &str = "SELECT changes()";

/// A pair that a person approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pair {
    /// The business whose pair it is, as [`owner_of`] writes it.
    pub business: String,
    /// About which tables.
    pub target: Target,
    /// What was asked.
    pub question: String,
    /// What was approved.
    pub sql: String,
    /// What it does, in words.
    pub explanation: String,
}

/// Returns the business whose pairs a question may see. Questions about all rows share those of the empty name, which no business has.
pub fn owner_of(who: &Who) -> String {
    who.business_id.clone().unwrap_or_default()
}

/// What a thread shows a writer of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// What was asked.
    pub question: String,
    /// What was approved.
    pub sql: String,
    /// What it does, in words.
    pub explanation: String,
}

/// As targets are stored and compared.
pub fn target_key(target: &Target) -> String {
    match target {
        Target::Session(name) => format!("session:{name}"),
        Target::Persistent => "persistent".to_owned(),
    }
}

/// Writes down a pair, or that it was used again.
///
/// # Errors
/// The engine's.
pub fn remember<D: Database>(db: &D, pair: &Pair, id: &str, now_ms: u64) -> Result<()> {
    let binds = [
        Bind::text(id),
        Bind::text(&pair.business),
        Bind::text(target_key(&pair.target)),
        Bind::text(&pair.question),
        Bind::text(&pair.sql),
        Bind::text(&pair.explanation),
        Bind::number(now_ms),
        Bind::number(now_ms),
    ];
    db.transaction(&mut || {
        let rows = db.rows(REMEMBER, &binds)?;
        let count = |at: usize| {
            let cell = rows.first().and_then(|row| row.get(at));
            cell.map_or(0, Cell::as_count)
        };
        if count(1) == 1 {
            let words = [Bind::number(count(0)), Bind::text(&pair.question)];
            db.run(ADD_WORDS, &words)?;
        }
        for row in db.rows(OLDEST, &[Bind::number(MAX_REMEMBERED_PAIRS)])? {
            remove(db, row.first().map_or(0, Cell::as_count))?;
        }
        Ok(())
    })
}

/// The pairs that resemble a question most, best first.
///
/// # Errors
/// The engine's.
pub fn resembling<D: Database>(
    db: &D,
    business: &str,
    target: &Target,
    question: &str,
) -> Result<Vec<Example>> {
    let Some(query) = match_query(question) else {
        return Ok(Vec::new());
    };
    let binds = [
        Bind::text(query),
        Bind::text(business),
        Bind::text(target_key(target)),
        Bind::number(MAX_EXAMPLES as u64),
    ];
    let text = |cell: Option<&Cell>| cell.and_then(Cell::as_text).unwrap_or_default().to_owned();
    Ok(db
        .rows(RESEMBLING, &binds)?
        .iter()
        .map(|row| Example {
            question: text(row.first()),
            sql: text(row.get(1)),
            explanation: text(row.get(2)),
        })
        .collect())
}

/// The words of a text as an FTS5 query that finds any of them. Each stands in quotes, so that none is an operator.
fn match_query(text: &str) -> Option<String> {
    let terms: Vec<String> = words::of(text)
        .take(MAX_MEMORY_SEARCH_WORDS)
        .map(|word| format!("\"{word}\""))
        .collect();
    (!terms.is_empty()).then(|| terms.join(" OR "))
}

/// What a person looks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lookup {
    /// Words; none for all pairs, newest first.
    pub words: Option<String>,
    /// Only pairs of this business.
    pub business: Option<String>,
    /// Only pairs about these tables.
    pub target: Option<Target>,
    /// Pairs at most.
    pub limit: Option<usize>,
    /// The number that the page before ended with; only without words.
    pub cursor: Option<u64>,
}

impl Lookup {
    /// Reads the parameters of a request. `claimed` is the business of the access token, which counts where there is one.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`], or [`AgentError::OtherBusiness`].
    pub fn read(
        parameter: impl Fn(&str) -> Result<Option<String>>,
        claimed: Option<&str>,
    ) -> Result<Self> {
        let page = crate::store::Page::from_parameters(
            parameter("limit")?.as_deref(),
            parameter("cursor")?.as_deref(),
        )?;
        let target = match (parameter("session")?, parameter("target")?.as_deref()) {
            (Some(session), None) => Some(Target::Session(session)),
            (None, Some("persistent")) => Some(Target::Persistent),
            (None, None) => None,
            _ => {
                return Err(Error::invalid_with_hint(
                    "session and target name no one set of tables",
                    "send session, or target=persistent, or none of them",
                ));
            }
        };
        Ok(Self {
            words: parameter("q")?.filter(|words| !words.trim().is_empty()),
            business: business_of(parameter("businessId")?, claimed)?,
            target,
            limit: Some(page.limit),
            cursor: page.cursor,
        })
    }
}

/// The business whose pairs a request is about: the access token's where it has one.
///
/// # Errors
/// [`AgentError::OtherBusiness`].
pub fn business_of(given: Option<String>, claimed: Option<&str>) -> Result<Option<String>> {
    match (given, claimed) {
        (Some(given), Some(claimed)) if given != claimed => {
            Err(AgentError::OtherBusiness { given }.into())
        }
        (given, claimed) => Ok(claimed.map(str::to_owned).or(given)),
    }
}

/// Reads `{pinned}`.
///
/// # Errors
/// [`base::CommonError::InvalidBody`].
pub fn read_pin(body: &str) -> Result<bool> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Body {
        pinned: bool,
    }
    let body: Body = serde_json::from_str(body).map_err(|error| {
        Error::body(format!(
            "the body must be {{\"pinned\":true}} or false: {error}"
        ))
    })?;
    Ok(body.pinned)
}

/// The pairs that a person looks for.
///
/// # Errors
/// The engine's.
pub fn search<D: Database>(db: &D, lookup: &Lookup) -> Result<Value> {
    let limit = lookup
        .limit
        .unwrap_or(DEFAULT_THREAD_PAGE_ITEMS)
        .min(MAX_THREAD_PAGE_ITEMS);
    let optional = |text: Option<String>| text.map_or(Bind::Null, Bind::text);
    let business = || optional(lookup.business.clone());
    let target = || optional(lookup.target.as_ref().map(target_key));
    let wanted = Bind::number(limit as u64 + 1);
    let mut rows = match &lookup.words {
        Some(words) => match match_query(words) {
            None => Vec::new(),
            Some(query) => {
                let binds = [
                    Bind::text(query),
                    business(),
                    business(),
                    target(),
                    target(),
                    wanted,
                ];
                db.rows(SEARCH, &binds)?
            }
        },
        None => {
            let before = lookup.cursor.unwrap_or(i64::MAX as u64);
            let binds = [
                Bind::number(before),
                business(),
                business(),
                target(),
                target(),
                wanted,
            ];
            db.rows(LIST, &binds)?
        }
    };
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    let next = (has_more && lookup.words.is_none())
        .then(|| rows.last().and_then(|row| row.get(10)).map(Cell::as_count))
        .flatten();
    let pairs: Vec<Value> = rows.iter().map(|row| shown(row)).collect();
    Ok(json!({ "pairs": pairs, "nextCursor": next.map(|next| next.to_string()) }))
}

fn shown(row: &[Cell]) -> Value {
    let text = |at: usize| row.get(at).and_then(Cell::as_text).unwrap_or_default();
    let count = |at: usize| row.get(at).map_or(0, Cell::as_count);
    let target = text(2);
    json!({
        "id": text(0), "businessId": Some(text(1)).filter(|business| !business.is_empty()),
        "session": target.strip_prefix("session:"),
        "target": (target == "persistent").then_some("persistent"),
        "question": text(3), "sql": text(4), "explanation": text(5),
        "uses": count(6), "pinned": count(7) == 1,
        "createdAt": iso8601(count(8)), "usedAt": iso8601(count(9)),
    })
}

/// Pins a pair, so that it is not forgotten and comes first, or takes the pin off.
///
/// # Errors
/// [`AgentError::NoSuchPair`].
pub fn pin<D: Database>(db: &D, id: &str, business: Option<&str>, pinned: bool) -> Result<()> {
    let business = || business.map_or(Bind::Null, Bind::text);
    let binds = [
        Bind::number(u64::from(pinned)),
        Bind::text(id),
        business(),
        business(),
    ];
    db.run(PIN, &binds)?;
    match db.cell(CHANGES, &[])? {
        Some(changes) if changes.as_count() > 0 => Ok(()),
        _ => Err(no_such_pair(id)),
    }
}

/// Deletes a pair.
///
/// # Errors
/// [`AgentError::NoSuchPair`].
pub fn delete<D: Database>(db: &D, id: &str, business: Option<&str>) -> Result<()> {
    let business = || business.map_or(Bind::Null, Bind::text);
    let found = db.cell(FIND, &[Bind::text(id), business(), business()])?;
    let Some(number) = found else {
        return Err(no_such_pair(id));
    };
    db.transaction(&mut || remove(db, number.as_count()))
}

fn remove<D: Database>(db: &D, number: u64) -> Result<()> {
    db.run(DELETE, &[Bind::number(number)])?;
    db.run(DELETE_WORDS, &[Bind::number(number)])?;
    Ok(())
}

fn no_such_pair(id: &str) -> Error {
    Error::from(AgentError::NoSuchPair { id: id.to_owned() })
}
