//! The binding of Workers AI, as an `Ai` of the crate `agent-models`.

use js_sys::{JSON, Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::ReadableStream;

use super::super::bindings::{BodyReader, detach, open_body, read_some, thrown_text};
use super::super::instance;
use agent_models::workers_ai::{Ai, AiResponse};
use net::transport::{Body, Broken};

/// The bytes of one read of a stream.
const READ_BYTES: u32 = 64 * 1024;

/// The name of the binding in `wrangler.toml`.
const BINDING: &str = "AI";

#[wasm_bindgen]
extern "C" {
    /// `env.AI`.
    #[derive(Clone)]
    type Binding;

    /// Runs a model. The result is a stream of events if the input requests one, else a value.
    #[wasm_bindgen(method, catch)]
    fn run(this: &Binding, model: &str, input: &JsValue) -> Result<Promise, JsValue>;
}

/// The binding.
pub struct PlatformAi(Binding);

impl PlatformAi {
    /// Returns the binding, if the deployment has one.
    pub fn new(env: &JsValue) -> Option<Self> {
        let binding = instance::binding(env, BINDING)?;
        Some(Self(binding.unchecked_into()))
    }
}

impl Ai for PlatformAi {
    type Body = AiBody;

    async fn run(&self, model: &str, input: String) -> Result<AiResponse<AiBody>, String> {
        let failed = |thrown: JsValue| thrown_text(&thrown);
        let input = JSON::parse(&input).map_err(failed)?;
        let promise = self.0.run(model, &input).map_err(failed)?;
        let response = JsFuture::from(promise).await.map_err(failed)?;
        if let Some(stream) = response.dyn_ref::<ReadableStream>() {
            let reader = open_body(stream).map_err(failed)?;
            return Ok(AiResponse::Stream(AiBody(Some(reader))));
        }
        let text = JSON::stringify(&response).map_err(failed)?;
        Ok(AiResponse::Whole(text.into()))
    }
}

/// A stream of events. The model stops when it is dropped.
pub struct AiBody(Option<BodyReader>);

impl Body for AiBody {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Broken> {
        let Some(reader) = &self.0 else {
            return Ok(None);
        };
        let broken = |_: JsValue| Broken::Off("the stream of the model broke off".to_owned());
        let piece = JsFuture::from(read_some(reader, READ_BYTES))
            .await
            .map_err(broken)?;
        match piece.dyn_ref::<Uint8Array>() {
            Some(piece) => Ok(Some(piece.to_vec())),
            None => {
                self.0 = None;
                Ok(None)
            }
        }
    }
}

impl Drop for AiBody {
    fn drop(&mut self) {
        if let Some(reader) = self.0.take() {
            detach(reader.cancel());
        }
    }
}
