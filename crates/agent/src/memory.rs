//! The memory of a tenant: earlier questions with the statements that a person approved, separate
//! for each business and set of tables. People can search it, pin good pairs and delete bad ones. A
//! writer sees the pairs that resemble the question.
//!
//! It is in the database of the tenant's index, whose migrations create its tables. Resemblance is
//! BM25 over the words of the question (FTS5).

use database::{Bind, Cell, Database, DatabaseExt};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::AgentError;
use crate::limits::{
    DEFAULT_THREAD_PAGE_ITEMS, MAX_EXAMPLES, MAX_MEMORY_SEARCH_WORDS, MAX_REMEMBERED_PAIRS,
    MAX_THREAD_PAGE_ITEMS,
};
use crate::state::{Sender, Target};
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

/// A question with the statement that a person approved for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pair {
    /// The business that the pair belongs to, as [`owner_of`] returns it.
    pub business: String,
    /// The tables that the question was about.
    pub target: Target,
    /// The question.
    pub question: String,
    /// The approved statement.
    pub sql: String,
    /// The effect of the statement, in words.
    pub explanation: String,
}

/// Returns the business whose pairs a question may see. Questions about all rows use the empty
/// name, which no business has.
pub fn owner_of(who: &Sender) -> String {
    who.business_id.clone().unwrap_or_default()
}

/// A pair as a writer sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// The question.
    pub question: String,
    /// The approved statement.
    pub sql: String,
    /// The effect of the statement, in words.
    pub explanation: String,
}

/// Returns the text by which targets are stored and compared.
pub fn target_key(target: &Target) -> String {
    match target {
        Target::Session(name) => format!("session:{name}"),
        Target::Persistent => "persistent".to_owned(),
    }
}

/// Stores a pair, or counts another use of it. Over the limit it deletes the pairs that were unused
/// for longest, pinned ones last.
///
/// # Errors
/// Errors of the database.
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

/// Returns the pairs that resemble a question most, best first.
///
/// # Errors
/// Errors of the database.
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

/// Returns an FTS5 query that finds any of the words of a text, or `None` if it has no words. Each
/// word is in quotes, so that FTS5 does not read it as an operator.
fn match_query(text: &str) -> Option<String> {
    let terms: Vec<String> = words::of(text)
        .take(MAX_MEMORY_SEARCH_WORDS)
        .map(|word| format!("\"{word}\""))
        .collect();
    (!terms.is_empty()).then(|| terms.join(" OR "))
}

/// A person's search in the memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lookup {
    /// The words to search for; `None` lists all pairs, newest first.
    pub words: Option<String>,
    /// Only pairs of this business.
    pub business: Option<String>,
    /// Only pairs about these tables.
    pub target: Option<Target>,
    /// The maximum number of pairs.
    pub limit: Option<usize>,
    /// The number of the last pair on the previous page; only used without words.
    pub cursor: Option<u64>,
}

impl Lookup {
    /// Reads the parameters of a request. `claimed` is the business of the access token; if there
    /// is one, it decides.
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
                    "the parameters must name one set of tables: a session, or the target persistent",
                    "send session, or target=persistent, or neither",
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

/// Returns the business that a request is about: the one of the access token if it names one.
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

/// Returns the pairs that match a search.
///
/// # Errors
/// Errors of the database.
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

/// Pins or unpins a pair. A pinned pair is not forgotten and comes first among the examples.
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
