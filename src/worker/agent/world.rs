//! What the domain needs of the platform: the tables of sessions, the memory of the tenant, the writer, time and readers.

use std::rc::Rc;

use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use super::super::addresses::{
    APPROVED, INDEX, MEMORY, SESSION, SESSION_HEADER, TENANT_HEADER,
};
use super::super::bindings::{header_lines, send_to, thrown_text};
use super::super::object::{Class, Object};
use super::super::instance;
use super::Agent;
use crate::config::Config;
use ::agent::drive::{Token, World};
use ::agent::memory::{Example, Pair};
use ::agent::state::{Failure, Target, Values};
use ::agent::tenant::Request;
use ::agent::writer::Writers;
use base::names::object_name;
use base::{Error, Result};

/// The session in whose object persistent tables are reached: D1 belongs to the tenant, and some object must ask it.
const PERSISTENT_SESSION: &str = "agent-persistent";

/// The platform, as one thread has it.
pub struct Platform {
    object: Rc<Object<Agent>>,
    generation: u64,
    tenant: String,
    writer: Writers,
}

impl Platform {
    /// For a tenant.
    pub fn new(object: &Rc<Object<Agent>>, _config: &Rc<Config>, tenant: &str) -> Self {
        Self {
            object: Rc::clone(object),
            generation: object.generation(),
            tenant: tenant.to_owned(),
            writer: Writers::planner(),
        }
    }

    async fn ask(
        &self,
        class: &Class,
        name: &str,
        url: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Result<Value> {
        let failed = |thrown: JsValue| {
            Error::internal(format!(
                "{} did not respond: {}",
                class.in_words,
                thrown_text(&thrown)
            ))
        };
        let stub = class.stub(&self.object.env, name)?;
        let body = JsValue::from_str(body);
        let sent =
            send_to(&stub, "POST", url, &header_lines(headers), &body).map_err(failed)?;
        let response: Response = JsFuture::from(sent)
            .await
            .and_then(JsCast::dyn_into)
            .map_err(failed)?;
        let text = JsFuture::from(response.text().map_err(failed)?)
            .await
            .map_err(failed)?;
        serde_json::from_str(&text.as_string().unwrap_or_default()).map_err(|_| {
            Error::internal(format!(
                "{} responded what cannot be read, with status {}",
                class.in_words,
                response.status()
            ))
        })
    }

    async fn ask_tenant(&self, request: &Request) -> Result<Value> {
        let headers = [(TENANT_HEADER, self.tenant.as_str())];
        self.ask(&INDEX, &self.tenant, MEMORY, &headers, &request.to_json())
            .await
    }
}

/// Takes `success` off a response: its fields, or what was refused. A fault of ours is neither: whether it was done is not known then.
fn told(mut response: Value) -> Result<Result<Value, Failure>> {
    let fields = response.as_object_mut();
    let fields =
        fields.ok_or_else(|| Error::internal("the response of an object is no JSON object"))?;
    if fields.remove("success") == Some(Value::Bool(true)) {
        return Ok(Ok(response));
    }
    let failure = Failure::from_json(fields.get("error").unwrap_or(&Value::Null));
    if failure.code == base::codes::INTERNAL.name {
        return Err(Error::internal(failure.message));
    }
    Ok(Err(failure))
}

impl World for Platform {
    type Writer = Writers;

    async fn tables(&self, target: &Target, request: &Value) -> Result<Result<Value, Failure>> {
        let mut request = request.clone();
        let session = match target {
            Target::Session(name) => name.as_str(),
            Target::Persistent => {
                if let Some(fields) = request.as_object_mut() {
                    fields.insert("target".to_owned(), "persistent".into());
                }
                PERSISTENT_SESSION
            }
        };
        let headers = [
            (TENANT_HEADER, self.tenant.as_str()),
            (SESSION_HEADER, session),
        ];
        let name = object_name(&self.tenant, session);
        let response = self
            .ask(&SESSION, &name, APPROVED, &headers, &request.to_string())
            .await?;
        told(response)
    }

    async fn resembling(&self, values: &Values) -> Vec<Example> {
        let request = Request::Resembling {
            business: values.who.business_id.clone(),
            target: values.target.clone(),
            question: values.question.clone(),
        };
        // Without examples a statement can be written, too.
        let response = self.ask_tenant(&request).await.unwrap_or_default();
        let examples = response.get("examples").cloned().unwrap_or_default();
        serde_json::from_value(examples).unwrap_or_default()
    }

    async fn remember(&self, pair: &Pair) {
        if let Err(error) = self.ask_tenant(&Request::Remember(pair.clone())).await {
            let words = format!("an approved statement was not remembered: {error}");
            web_sys::console::warn_1(&words.into());
        }
    }

    fn writer(&self) -> &Writers {
        &self.writer
    }

    fn now_ms(&self) -> u64 {
        instance::now_ms()
    }

    fn fresh_id(&self) -> String {
        uuid::Uuid::new_v4().to_string()
    }

    fn tell(&self, token: Token<'_>) {
        self.object.kind.readers.tell(token);
    }

    fn stored(&self) {
        self.object.kind.readers.rang();
    }

    fn is_current(&self) -> bool {
        self.object.generation() == self.generation
    }
}
