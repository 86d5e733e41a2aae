//! The platform for the domain of threads: the tables of sessions, the memory of the tenant, the
//! writer, time and readers.

use std::rc::Rc;

use serde_json::Value;

use super::super::addresses::{APPROVED, INDEX, MEMORY, SESSION, SESSION_HEADER, TENANT_HEADER};
use super::super::d1::Remote;
use super::super::instance;
use super::super::object::Object;
use super::Agent;
use super::asking::ask;
use super::writer::PlatformWriter;
use crate::config::Config;
use ::agent::drive::{Token, World};
use ::agent::memory::{self, Example, Pair};
use ::agent::state::{Failure, Target, Values};
use ::agent::tenant::IndexRequest;
use base::names::object_name;
use base::{Error, Result};
use session::approved;
use session::persistent::{self, Persistent};

/// The platform for one thread.
pub struct Platform {
    object: Rc<Object<Agent>>,
    generation: u64,
    tenant: String,
    config: Rc<Config>,
    writer: PlatformWriter,
}

impl Platform {
    /// Makes the platform for a tenant.
    pub fn new(object: &Rc<Object<Agent>>, config: &Rc<Config>, tenant: &str) -> Self {
        Self {
            object: Rc::clone(object),
            generation: object.generation(),
            tenant: tenant.to_owned(),
            config: Rc::clone(config),
            writer: PlatformWriter::new(&object.env, config, tenant),
        }
    }

    /// Sends a request to the tenant's tables in the database that all tenants share.
    async fn persistent_tables(&self, request: &Value) -> Result<Result<Value, Failure>> {
        let served = async {
            let remote = Remote::of(&self.object.env)?;
            let request = approved::Request::parse(&request.to_string())?;
            let settings = &self.config.session;
            let tables = Persistent::new(&remote, &self.tenant, settings, instance::now_ms());
            persistent::approved::serve(&tables, &self.tenant, &request).await
        };
        match served.await {
            Ok(text) => serde_json::from_str(&text)
                .map(Ok)
                .map_err(|error| Error::internal(format!("a response cannot be read: {error}"))),
            Err(error) => refused(error),
        }
    }

    async fn ask_tenant(&self, request: &IndexRequest) -> Result<Value> {
        let headers = [(TENANT_HEADER, self.tenant.as_str())];
        ask(
            &self.object.env,
            &INDEX,
            &self.tenant,
            MEMORY,
            &headers,
            &request.to_json(),
        )
        .await
    }
}

/// Returns a failure for the person to see. An internal error, or a database that did not finish,
/// is an error instead, because it is then unknown whether the request took effect.
fn refused<T>(error: Error) -> Result<Result<T, Failure>> {
    let is_unknown = [base::codes::INTERNAL.name, database::codes::BUSY.name];
    if is_unknown.contains(&error.code()) {
        return Err(error);
    }
    Ok(Err(Failure::of(&error)))
}

/// Removes `success` from a response and returns its fields, or the failure. An internal error is
/// neither, because it is then unknown whether the request took effect.
fn told(mut response: Value) -> Result<Result<Value, Failure>> {
    let fields = response.as_object_mut();
    let fields =
        fields.ok_or_else(|| Error::internal("the response of an object is not a JSON object"))?;
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
    type Writer = PlatformWriter;

    async fn tables(&self, target: &Target, request: &Value) -> Result<Result<Value, Failure>> {
        let mut request = request.clone();
        if let Some(scope) = request.get_mut("scope").and_then(Value::as_object_mut) {
            let settings = &self.config.session;
            scope.insert("column".to_owned(), settings.tenant_column.as_str().into());
            scope.insert("readable".to_owned(), settings.global_tables.clone().into());
        }
        let session = match target {
            Target::Session(name) => name.as_str(),
            Target::Persistent => return self.persistent_tables(&request).await,
        };
        let headers = [
            (TENANT_HEADER, self.tenant.as_str()),
            (SESSION_HEADER, session),
        ];
        let name = object_name(&self.tenant, session);
        let response = ask(
            &self.object.env,
            &SESSION,
            &name,
            APPROVED,
            &headers,
            &request.to_string(),
        )
        .await?;
        told(response)
    }

    async fn resembling(&self, values: &Values) -> Vec<Example> {
        let request = IndexRequest::Resembling {
            business: memory::owner_of(&values.who),
            target: values.target.clone(),
            question: values.question.clone(),
        };
        // A statement can be written without examples, too.
        let response = self.ask_tenant(&request).await.unwrap_or_default();
        let examples = response.get("examples").cloned().unwrap_or_default();
        serde_json::from_value(examples).unwrap_or_default()
    }

    async fn remember(&self, pair: &Pair) {
        if let Err(error) = self.ask_tenant(&IndexRequest::Remember(pair.clone())).await {
            let words = format!("an approved statement was not remembered: {error}");
            web_sys::console::warn_1(&words.into());
        }
    }

    fn writer(&self) -> &PlatformWriter {
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
