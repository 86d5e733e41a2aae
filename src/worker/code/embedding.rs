//! Makes the vectors of a workspace with a model: the one in the Worker with its table, which is a
//! static asset, or one of Workers AI.
//!
//! An instance fetches the table when it first needs vectors, and shares it among its objects. If
//! the deployment has no such asset, the model works without a table. If the asset or the remote
//! model fails, no vectors are made for now, searches use words alone, and their responses give the
//! reason. A write is committed before its vectors are made, so it never depends on them.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use futures::future::{Either, select};
use js_sys::{ArrayBuffer, Uint8Array};
use serde::Deserialize;
use serde_json::json;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;
use worker::Delay;

use super::super::agent::ai::PlatformAi;
use super::super::bindings::{Stub, header_lines, send_to, thrown_text};
use super::super::instance;
use super::super::object::Object;
use super::Code;
use super::call::Call;
use crate::config::CodeEmbedding;
use crate::limits::{
    REMOTE_EMBEDDING_BATCHES_OF_QUESTION, REMOTE_EMBEDDING_BATCHES_OF_WRITE, REMOTE_EMBEDDING_MS,
    REMOTE_EMBEDDING_TEXT_BYTES, REMOTE_EMBEDDING_TEXTS,
};
use agent_models::workers_ai::{Ai as _, AiResponse};
use base::Result;
use code::context::RequestCodeContext;
use code::operate;
use code::vectors::{Embedding, QuestionVector, Vectors};
use code_search::limits::MAX_VECTORS;
use code_search::vectors::{Model, SignTable};
use operation::arguments::Arguments as _;

/// The binding of the static assets.
const ASSETS: &str = "ASSETS";

/// The files of the table among the static assets. The host has no meaning.
const TOKENS: &str = "https://assets/code-vectors/sign384_tokens.txt";
const SIGNS: &str = "https://assets/code-vectors/sign384_top20k.bin";

/// The HTTP statuses of a file that exists, and of one that does not.
const OK: u16 = 200;
const NOT_FOUND: u16 = 404;

/// The model of Workers AI. Its vectors have 384 values, and it reads at most 512 tokens of a text.
const REMOTE_MODEL: &str = "@cf/baai/bge-small-en-v1.5";

/// The name of that model's vectors in an index. The name includes the pooling, because another
/// pooling makes other vectors.
const REMOTE: Embedding = Embedding::Remote {
    name: "bge-small-en-v1.5-cls/1",
    dimensions: 384,
};

thread_local! {
    /// The table, for all objects of the instance.
    static TABLE: RefCell<Option<SignTable>> = const { RefCell::new(None) };
}

/// An object's knowledge of its model.
#[derive(Default)]
pub struct State {
    /// True if the deployment is known to have no table.
    has_no_table: Cell<bool>,
    /// True while a remote model makes vectors of items.
    is_running: Cell<bool>,
}

/// Returns an empty set of vectors.
pub fn none_yet() -> Vectors {
    let most = usize::try_from(MAX_VECTORS).unwrap_or(usize::MAX);
    Vectors::new(Embedding::Here(Model::Hash), most)
}

impl Object<Code> {
    /// Chooses the model. Returns the reason if it cannot be used now.
    async fn choose_model(&self, call: &Call) -> Option<String> {
        if call.config.code_embedding == CodeEmbedding::WorkersAi {
            self.kind.memory.borrow_mut().vectors.change(REMOTE);
            return instance::binding(&self.env, "AI")
                .is_none()
                .then(|| "the deployment has no binding AI".to_owned());
        }
        if self.kind.embedding.has_no_table.get() {
            return None;
        }
        let (embedding, failure) = match table(&self.env).await {
            Ok(Some(table)) => (Embedding::Here(Model::Both(table)), None),
            Ok(None) => {
                self.kind.embedding.has_no_table.set(true);
                (Embedding::Here(Model::Hash), None)
            }
            // Vectors of another model would have to be made again as soon as the table can be
            // fetched.
            Err(reason) => (
                Embedding::Remote {
                    name: "hash-512+sign-384/1",
                    dimensions: 896,
                },
                Some(reason),
            ),
        };
        self.kind.memory.borrow_mut().vectors.change(embedding);
        failure
    }

    /// Returns the vector of a request's question, and makes vectors of some items that have none
    /// yet.
    pub(super) async fn ask(
        &self,
        call: &Call,
        request: &operate::Request,
    ) -> Result<QuestionVector> {
        if request.id != code::Id::RequestCodeContext {
            return Ok(QuestionVector::Here);
        }
        if let Some(reason) = self.choose_model(call).await {
            return Ok(QuestionVector::Failed(reason));
        }
        if call.config.code_embedding == CodeEmbedding::Embedded {
            return Ok(QuestionVector::Here);
        }
        let recent = self.kind.memory.borrow().recent.clone();
        let question = RequestCodeContext::parse(&request.arguments)?;
        let hint = question.question(&call.workspace, recent.as_deref())?;
        let mut made = match run(&self.env, &[hint]).await {
            Ok(made) => made,
            Err(reason) => return Ok(QuestionVector::Failed(reason)),
        };
        // A failure is visible in the response, which has the number of items without a vector.
        let _ = self
            .embed_remotely(call, REMOTE_EMBEDDING_BATCHES_OF_QUESTION)
            .await;
        Ok(made.pop().map_or_else(
            || QuestionVector::Failed("the model returned no vector for the question".to_owned()),
            QuestionVector::Made,
        ))
    }

    /// Makes the vectors of a committed write. Later requests make the vectors that fail here.
    pub(super) async fn embed(&self, call: &Call) {
        let failed = match (self.choose_model(call).await, call.config.code_embedding) {
            (Some(reason), _) => Err(reason),
            (None, CodeEmbedding::Embedded) => {
                operate::embed(call.database(), &self.kind.memory.borrow())
                    .map(drop)
                    .map_err(|error| error.to_string())
            }
            (None, CodeEmbedding::WorkersAi) => {
                self.embed_remotely(call, REMOTE_EMBEDDING_BATCHES_OF_WRITE)
                    .await
            }
        };
        if let Err(reason) = failed {
            let text = format!("vectors of {} were not made: {reason}", call.workspace);
            web_sys::console::warn_1(&JsValue::from_str(&text));
        }
    }

    /// Requests vectors of items from the remote model, at most `batches` calls.
    async fn embed_remotely(&self, call: &Call, batches: usize) -> std::result::Result<(), String> {
        // Two requests would embed the same items.
        if self.kind.embedding.is_running.replace(true) {
            return Ok(());
        }
        let _running = EmbeddingGuard(&self.kind.embedding.is_running);
        for _ in 0..batches {
            let pending = self
                .kind
                .memory
                .borrow()
                .vectors
                .pending(call.database(), REMOTE_EMBEDDING_TEXTS);
            let pending = pending.map_err(|error| error.to_string())?;
            if pending.is_empty() {
                break;
            }
            let (items, texts): (Vec<u64>, Vec<String>) = pending.into_iter().unzip();
            let made = run(&self.env, &texts).await?;
            let made: Vec<(u64, Vec<f32>)> = items.into_iter().zip(made).collect();
            let saved = self
                .kind
                .memory
                .borrow()
                .vectors
                .save(call.database(), &made);
            saved.map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

/// Marks the remote model as no longer running when it is dropped, also if the request is aborted.
struct EmbeddingGuard<'a>(&'a Cell<bool>);

impl Drop for EmbeddingGuard<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

/// Returns the table, or `None` if the deployment has none.
async fn table(env: &JsValue) -> std::result::Result<Option<SignTable>, String> {
    if let Some(table) = TABLE.with_borrow(Clone::clone) {
        return Ok(Some(table));
    }
    let Some(binding) = instance::binding(env, ASSETS) else {
        return Ok(None);
    };
    let stub = binding.unchecked_ref::<Stub>();
    let (Some(tokens), Some(signs)) = (asset(stub, TOKENS).await?, asset(stub, SIGNS).await?)
    else {
        return Ok(None);
    };
    let table = SignTable::from_files(tokens, signs).map_err(|error| error.to_string())?;
    TABLE.set(Some(table.clone()));
    Ok(Some(table))
}

async fn asset(binding: &Stub, url: &str) -> std::result::Result<Option<Vec<u8>>, String> {
    let failed = |thrown: JsValue| {
        format!(
            "the table of vectors cannot be read: {}",
            thrown_text(&thrown)
        )
    };
    let sent = send_to(binding, "GET", url, &header_lines(&[]), &JsValue::UNDEFINED);
    let response = JsFuture::from(sent.map_err(failed)?).await;
    let response: Response = response.and_then(JsCast::dyn_into).map_err(failed)?;
    match response.status() {
        OK => {
            let bytes = JsFuture::from(response.array_buffer().map_err(failed)?).await;
            let bytes: ArrayBuffer = bytes.and_then(JsCast::dyn_into).map_err(failed)?;
            Ok(Some(Uint8Array::new(&bytes).to_vec()))
        }
        NOT_FOUND => Ok(None),
        status => Err(format!(
            "the table of vectors cannot be read: status {status}"
        )),
    }
}

/// The fields of an embedding model's response that are read.
#[derive(Deserialize)]
struct Embedded {
    data: Vec<Vec<f32>>,
}

/// Returns the remote model's vectors of texts, in their order.
async fn run(env: &JsValue, texts: &[String]) -> std::result::Result<Vec<Vec<f32>>, String> {
    let ai = PlatformAi::new(env).ok_or_else(|| "the deployment has no binding AI".to_owned())?;
    let cut: Vec<&str> = texts
        .iter()
        .map(|text| {
            text.get(..text.floor_char_boundary(REMOTE_EMBEDDING_TEXT_BYTES))
                .unwrap_or(text)
        })
        .collect();
    let input = json!({ "text": cut, "pooling": "cls" }).to_string();
    let response = Box::pin(ai.run(REMOTE_MODEL, input));
    let patience = Delay::from(Duration::from_millis(REMOTE_EMBEDDING_MS));
    let response = match select(response, patience).await {
        Either::Left((response, _)) => response?,
        Either::Right(_) => {
            return Err(format!("the model took more than {REMOTE_EMBEDDING_MS} ms"));
        }
    };
    let AiResponse::Whole(text) = response else {
        return Err("the model returned a stream".to_owned());
    };
    let embedded: Embedded = serde_json::from_str(&text)
        .map_err(|error| format!("the response of the model cannot be read: {error}"))?;
    if embedded.data.len() == texts.len() {
        Ok(embedded.data)
    } else {
        Err(format!(
            "the model made {} vectors of {} texts",
            embedded.data.len(),
            texts.len()
        ))
    }
}
