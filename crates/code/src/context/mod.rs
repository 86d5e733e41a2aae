//! `request_code_context`: the parts of a workspace that a question is about, within a budget of
//! tokens.

mod source;

use base::{CommonError, Error, Result};
use code_model::Head;
use code_model::kinds::AsOfArgument;
use code_model::retrieval as store;
use code_search::{Context, Filter, Mode, Question};
use database::Database;
use operation::arguments::Text;
use operation::declaration::Effect;
use serde_json::{Value, json};

use crate::kinds::{Crates, Kinds, Patterns, Tokens};
use crate::limits::{EMBEDDED_BY_A_QUESTION, MAX_HINT_BYTES};
use crate::vectors::{QuestionVector, Vectors};
use source::WorkspaceSource;

operation::operation! {
    /// The parts of the workspace that a question or a name is about, within a budget of tokens
    /// (characters / 4). The sum of all parts never exceeds it. `hint` is a question in plain
    /// words, or a symbol; without one the last question is used again.
    pub struct RequestCodeContext {
        /// The most tokens that all parts together may have: characters / 4.
        "token_budget" => token_budget: Tokens,
        /// The question, or a symbol such as `StatementCache::get`.
        "hint" => hint: Option<Text<0, MAX_HINT_BYTES>>,
        /// The workspace of the address; any other one is refused.
        "workspace" => workspace: Option<Text<0, 128>>,
        /// Only files of these paths.
        "paths" => paths: Option<Patterns>,
        /// Only items of these kinds.
        "kinds" => kinds: Option<Kinds>,
        /// Only files of these crates.
        "crates" => crates: Option<Crates>,
        /// True to explain how each score was computed.
        "explain" => explain: Option<bool>,
        /// The version, or the time in ISO 8601, whose state is read. Without it, the present state
        /// is read.
        "asOf" => as_of: Option<AsOfArgument>,
    }
    name: "request_code_context",
    title: "Find code for a question",
    effect: Effect::READS,
    output: "CodeContextAnswer",
    example: r##"{"token_budget":2000,"hint":"where is a statement checked before it runs?"}"##,
}

impl RequestCodeContext {
    /// Returns the question of this request, or that of the last request if this one has none.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] if it is for another workspace, or if there is no question.
    pub fn question(&self, workspace: &str, recent: Option<&str>) -> Result<String> {
        if let Some(named) = self
            .workspace
            .as_deref()
            .filter(|named| *named != workspace)
        {
            return Err(Error::invalid_with_hint(
                format!(
                    "the request's address belongs to the workspace {workspace:?}, but the field workspace names {named:?}"
                ),
                "leave the field workspace out, or use the address of the other workspace",
            ));
        }
        let own = self.hint.as_deref().filter(|hint| !hint.trim().is_empty());
        let Some(hint) = own.or(recent) else {
            return Err(Error::invalid_with_hint(
                "the field hint is missing, and this workspace has no earlier question to repeat",
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
        Ok(hint.to_owned())
    }
}

/// The response, and the question for the next request that has none.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The fields of the response.
    pub fields: Value,
    /// The question.
    pub hint: String,
}

/// Answers a question.
///
/// # Errors
/// An invalid argument, [`code_model::CodeError::VersionNotKept`], or an error of the engine.
pub fn answer<D: Database>(
    db: &D,
    vectors: &mut Vectors,
    workspace: &str,
    request: RequestCodeContext,
    recent: Option<&str>,
    asked: &QuestionVector,
) -> Result<Answer> {
    let hint = request.question(workspace, recent)?;
    let head = Head::load(db)?;
    let version = head.at(db, request.as_of.unwrap_or_default())?;
    let without_vectors = vectors.embed(db, EMBEDDED_BY_A_QUESTION)?;
    let (budget, explain) = (request.token_budget, request.explain);
    let chosen = chosen(db, version, request)?;
    let mut searched = WorkspaceSource {
        db,
        version,
        present: head.version,
        vectors,
        question: asked,
        chosen,
        allowed: None,
    };
    searched.look_up()?;
    let question = Question::read(&hint);
    let found = code_search::context(&mut searched, &question, &Filter::default(), budget)?;
    let explained = explain
        .unwrap_or(false)
        .then(|| explained(&mut searched, &found))
        .transpose()?;
    let left_out = vectors.left_out();
    let mut fields = serde_json::Map::new();
    for (name, value) in [
        ("ok", true.into()),
        ("query", hint.clone().into()),
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
    Ok(Answer {
        fields: fields.into(),
        hint,
    })
}

/// Returns the notice for a search that lacked a list or some vectors, if it did.
fn notice(
    mode: Mode,
    without_vectors: u64,
    left_out: u64,
    asked: &QuestionVector,
) -> Option<String> {
    match mode {
        Mode::Hybrid if left_out > 0 => Some(format!(
            "there are more vectors than the limit of the search: {left_out} items are found by their words only"
        )),
        Mode::Hybrid if without_vectors == 0 => None,
        Mode::Hybrid => Some(format!(
            "{without_vectors} items have no vector yet: they are found by their words alone"
        )),
        Mode::SparseOnly => Some(match asked {
            QuestionVector::Failed(reason) => {
                format!(
                    "the context was found by words only, because the embedding model failed: {reason}"
                )
            }
            QuestionVector::Here | QuestionVector::Made(_) => {
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

/// Returns the items that the filters of a request let through.
fn chosen<D: Database>(
    db: &D,
    version: u64,
    request: RequestCodeContext,
) -> Result<store::Selection> {
    let crates = request.crates.unwrap_or_default();
    let filter = store::Filter {
        paths: request.paths.unwrap_or_default(),
        kinds: request.kinds.unwrap_or_default(),
        // Cargo.toml writes a hyphen where Rust reads an underscore.
        crates: crates.iter().map(|name| name.replace('-', "_")).collect(),
    };
    store::choose(db, version, &filter)
}

/// Returns the hits with an explanation of their scores.
fn explained<D: Database>(searched: &mut WorkspaceSource<'_, D>, found: &Context) -> Result<Value> {
    use code_search::Source as _;
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
