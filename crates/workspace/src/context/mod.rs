//! `request_code_context`: the parts of a workspace that a question is about, within a budget of tokens.

mod source;

use std::num::NonZeroU32;

use base::{CommonError, Error, Result};
use code::model::ItemKind;
use code::project::PathPattern;
use code::retrieval as store;
use code::{AsOf, Head};
use database::Database;
use retrieval::{Context, Filter, Mode, Question};
use serde_json::{Value, json};

use crate::arguments::Arguments;
use crate::limits::{
    EMBEDDED_BY_A_QUESTION, MAX_CONTEXT_TOKENS, MAX_FILTER_ENTRIES, MAX_HINT_BYTES,
};
use crate::vectors::{Asked, Vectors};
use source::Searched;

/// The names of the arguments.
const FIELDS: &[&str] = &[
    "token_budget",
    "hint",
    "workspace",
    "paths",
    "kinds",
    "crates",
    "explain",
    "asOf",
];

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Request {
    budget: NonZeroU32,
    hint: String,
    paths: Vec<PathPattern>,
    kinds: Vec<ItemKind>,
    crates: Vec<String>,
    explain: bool,
    as_of: AsOf,
}

impl Request {
    fn read(arguments: &Arguments, workspace: &str, recent: Option<&str>) -> Result<Self> {
        arguments.only(FIELDS)?;
        arguments.require_workspace(workspace)?;
        let budget = arguments
            .number("token_budget", 0, u64::from(MAX_CONTEXT_TOKENS))?
            .unwrap_or(0);
        let budget = u32::try_from(budget).ok().and_then(NonZeroU32::new);
        let Some(budget) = budget else {
            return Err(Error::invalid_with_hint(
                "token_budget is missing or 0",
                format!(
                    "send the tokens that the context may have, 1 to {MAX_CONTEXT_TOKENS}; 2000 is a good beginning"
                ),
            ));
        };
        let hint = arguments
            .text("hint")?
            .filter(|hint| !hint.trim().is_empty());
        let hint = hint.or_else(|| recent.map(str::to_owned));
        let Some(hint) = hint else {
            return Err(Error::invalid_with_hint(
                "there is no hint, and nothing was asked of this workspace before",
                "send hint: a question in plain words, or the name of an item",
            ));
        };
        if hint.len() > MAX_HINT_BYTES {
            return Err(Error::from(CommonError::TooBig {
                message: format!(
                    "the hint has {} bytes, the limit is {MAX_HINT_BYTES}",
                    hint.len()
                ),
                hint: "send the question, and leave out the text around it".to_owned(),
            }));
        }
        let kinds = arguments.texts("kinds", MAX_FILTER_ENTRIES)?;
        Ok(Self {
            budget,
            hint,
            paths: arguments
                .texts("paths", MAX_FILTER_ENTRIES)?
                .iter()
                .map(|path| PathPattern::parse(path))
                .collect::<Result<_>>()?,
            kinds: kinds
                .iter()
                .map(|kind| crate::arguments::kind(kind))
                .collect::<Result<_>>()?,
            crates: arguments.texts("crates", MAX_FILTER_ENTRIES)?,
            explain: arguments.flag("explain")?.unwrap_or(false),
            as_of: arguments.as_of()?,
        })
    }
}

/// What was found, and the question for the next request without one.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The fields of the response.
    pub fields: Value,
    /// The question.
    pub hint: String,
}

/// The question that a request asks, or that of the last one where it has none: what a remote model makes a vector of.
///
/// # Errors
/// What the arguments lack.
pub fn hint(arguments: &Arguments, workspace: &str, recent: Option<&str>) -> Result<String> {
    Ok(Request::read(arguments, workspace, recent)?.hint)
}

/// Answers a question.
///
/// # Errors
/// What the arguments lack, [`code::CodeError::VersionNotKept`], or the engine's.
pub fn answer<D: Database>(
    db: &D,
    vectors: &mut Vectors,
    workspace: &str,
    arguments: &Arguments,
    recent: Option<&str>,
    asked: &Asked,
) -> Result<Answered> {
    let request = Request::read(arguments, workspace, recent)?;
    let head = Head::load(db)?;
    let version = head.at(db, request.as_of)?;
    let without_vectors = vectors.embed(db, EMBEDDED_BY_A_QUESTION)?;
    let chosen = chosen(db, version, &request)?;
    let mut searched = Searched {
        db,
        version,
        present: head.version,
        vectors,
        question: asked,
        chosen,
        allowed: None,
    };
    searched.look_up()?;
    let question = Question::read(&request.hint);
    let found = retrieval::context(&mut searched, &question, &Filter::default(), request.budget)?;
    let explained = request
        .explain
        .then(|| explained(&mut searched, &found))
        .transpose()?;
    let left_out = vectors.left_out();
    let mut fields = serde_json::Map::new();
    for (name, value) in [
        ("ok", true.into()),
        ("query", request.hint.clone().into()),
        ("top_k", found.top_k.into()),
        ("version", version.into()),
        ("mode", json!(found.mode)),
        ("model", vectors.model_name().into()),
        (
            "withoutVectors",
            without_vectors.saturating_add(left_out).into(),
        ),
        ("context", json!(found.packed)),
    ] {
        fields.insert(name.to_owned(), value);
    }
    if let Some(notice) = notice(found.mode, without_vectors, left_out, asked) {
        fields.insert("notice".to_owned(), notice.into());
    }
    if let Some(explained) = explained {
        fields.insert("hits".to_owned(), explained);
    }
    Ok(Answered {
        fields: fields.into(),
        hint: request.hint,
    })
}

/// What a list lacked.
fn notice(mode: Mode, without_vectors: u64, left_out: u64, asked: &Asked) -> Option<String> {
    match mode {
        Mode::Hybrid if left_out > 0 => Some(format!(
            "there are more items than vectors are searched: {left_out} of them are found by their words alone"
        )),
        Mode::Hybrid if without_vectors == 0 => None,
        Mode::Hybrid => Some(format!(
            "{without_vectors} items have no vector yet: they are found by their words alone"
        )),
        Mode::SparseOnly => Some(match asked {
            Asked::Failed(reason) => {
                format!(
                    "the context is found by words alone, because the model of vectors failed: {reason}"
                )
            }
            Asked::Here | Asked::Made(_) => {
                "there are no vectors: the context is found by words alone".to_owned()
            }
        }),
        Mode::DenseOnly => Some(
            "no word of the question can be looked up: the context is found by vectors alone"
                .to_owned(),
        ),
        Mode::NamesOnly => Some("the workspace has nothing that can be searched".to_owned()),
    }
}

/// What the filters of a request let through.
fn chosen<D: Database>(db: &D, version: u64, request: &Request) -> Result<store::Chosen> {
    // Cargo.toml writes a hyphen where Rust reads an underscore.
    let crates = request.crates.iter().map(|name| name.replace('-', "_"));
    let filter = store::Filter {
        paths: request.paths.clone(),
        kinds: request.kinds.clone(),
        crates: crates.collect(),
    };
    store::choose(db, version, &filter)
}

/// The hits with how their scores came about.
fn explained<D: Database>(searched: &mut Searched<'_, D>, found: &Context) -> Result<Value> {
    use retrieval::Source as _;
    let rows: Vec<i64> = found.hits.iter().map(|hit| hit.row).collect();
    let items = searched.items(&rows)?;
    let hits = found.hits.iter().filter_map(|hit| {
        let item = items.iter().find(|item| item.row == hit.row)?;
        Some(json!({
            "id": item.id,
            "file_path": item.file_path,
            "canon_path": item.canon_path,
            "node_kind": item.node_kind,
            "lines": [item.lines.0, item.lines.1],
            "score": hit.score,
            "modality": hit.modality,
            "sparseRank": hit.sparse_rank,
            "denseRank": hit.dense_rank,
            "reasons": hit.reasons,
        }))
    });
    Ok(Value::Array(hits.collect()))
}
