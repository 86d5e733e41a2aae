//! Handlers of the index: it takes notes of objects, lists them, deletes all of them, and serves
//! the memory of the tenant.

use std::rc::Rc;

use futures::{StreamExt, stream};
use serde_json::{Value, json};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Request, Response};

use super::super::addresses::{
    BUSINESS_HEADER, MEMORY, NOTES, OBJECT_HOST, SESSION, SESSION_HEADER, TENANT_HEADER,
};
use super::super::bindings::{header_lines, send_to, thrown_text};
use super::super::body::read_text;
use super::super::object::{Kind, Object, OperationGuard};
use super::super::received::IncomingRequest;
use super::super::storage::ObjectDatabase;
use super::super::telemetry::Record;
use super::super::{instance, reply};
use super::Index;
use crate::api::envelope;
use crate::api::routes::{self, IndexTask, ServedBy, query_parameter};
use agent::memory::{self, Lookup};
use agent::request::BusinessRule;
use base::names::object_name;
use base::{Error, Result, percent};
use index::limits::{DELETED_AT_A_TIME, MAX_DELETED_OBJECTS};
use index::{Note, ObjectKind, Page};

/// The bytes of a note, or of a request of a thread. Names have at most 128 characters, a graph's
/// description is cut before it is sent, and questions and statements have limits.
const MAX_NOTE_BYTES: u64 = 1_048_576;

impl Object<Index> {
    /// Serves a request of the front Worker, or the note of an object.
    pub(super) async fn respond(self: Rc<Self>, request: Request) -> Result<Response, JsValue> {
        let _running = OperationGuard::start(&self);
        let outcome = self.outcome(request).await;
        match outcome {
            Ok(fields) => reply::json(&envelope::success(fields), 200),
            Err(error) => reply::failure(&error),
        }
    }

    async fn outcome(&self, request: Request) -> Result<Value> {
        let received = IncomingRequest::from_front(request)?;
        if received.is_to(NOTES) {
            self.take(&received).await
        } else if received.is_to(MEMORY) {
            self.serve_thread(&received).await
        } else {
            self.answer(&received).await
        }
    }

    async fn take(&self, received: &IncomingRequest) -> Result<Value> {
        let note = Note::parse(&read_text(received, MAX_NOTE_BYTES).await?)?;
        self.prepare().await?;
        index::take(&self.database(), &note)?;
        Ok(Value::Null)
    }

    async fn answer(&self, received: &IncomingRequest) -> Result<Value> {
        let started_ms = instance::now_ms();
        let address = received.address();
        let route = routes::route(received.method(), address.path)?;
        let ServedBy::Index(task) = route.entry.place else {
            return Err(Error::internal("the route is not one of the index"));
        };
        let tenant = received.header(TENANT_HEADER);
        let tenant = tenant.ok_or_else(|| Error::internal("a request without a tenant"))?;
        self.prepare().await?;
        let outcome = match task {
            IndexTask::List => self.list(address.query, None, index::sessions),
            IndexTask::ListGraphs => self.list(address.query, None, index::graphs),
            // A caller sees the questions of its own business only.
            IndexTask::ListThreads => {
                let listed = self.list(address.query, claimed(received), index::threads);
                listed.and_then(|listed| self.with_settings(listed))
            }
            IndexTask::ListWorkspaces => self.list(address.query, None, index::workspaces),
            IndexTask::SearchMemory | IndexTask::Pin | IndexTask::Forget => {
                self.memory(task, received, route.item.as_deref()).await
            }
            IndexTask::DeleteAll => self.delete_all(&tenant).await,
        };
        let record = Record {
            kind: Index::NAME,
            tenant,
            operation: route.entry.name.to_owned(),
            duration_ms: instance::now_ms().saturating_sub(started_ms),
            code: outcome.as_ref().map_or_else(Error::code, |_| "OK"),
            counters: self.database().spent(),
            ..Record::default()
        };
        record.write(&self.env, instance::config(&self.env)?.operation_log);
        outcome
    }

    /// Adds to a list of threads the settings that a page needs for a new one.
    fn with_settings(&self, mut listed: Value) -> Result<Value> {
        let config = instance::config(&self.env)?;
        let model = match &config.model {
            agent_models::Settings::Planner => Value::Null,
            agent_models::Settings::Hosted(hosted) => hosted.model.as_str().into(),
        };
        if let Some(fields) = listed.as_object_mut() {
            fields.insert("model".to_owned(), model);
            let required = config.business == BusinessRule::Required;
            fields.insert("businessRequired".to_owned(), required.into());
        }
        Ok(listed)
    }

    /// Serves the request of a thread.
    async fn serve_thread(&self, received: &IncomingRequest) -> Result<Value> {
        let request =
            agent::tenant::IndexRequest::parse(&read_text(received, MAX_NOTE_BYTES).await?)?;
        self.prepare().await?;
        let id = uuid::Uuid::new_v4().to_string();
        request.serve(&self.database(), &id, instance::now_ms())
    }

    /// Serves a request of a person to the memory.
    async fn memory(
        &self,
        task: IndexTask,
        received: &IncomingRequest,
        item: Option<&str>,
    ) -> Result<Value> {
        let query = received.address().query.to_owned();
        let claimed = claimed(received);
        let parameter = |name: &str| query_parameter(&query, name);
        let database = self.database();
        if task == IndexTask::SearchMemory {
            let lookup = Lookup::read(parameter, claimed.as_deref())?;
            return memory::search(&database, &lookup);
        }
        let business = memory::business_of(parameter("businessId")?, claimed.as_deref())?;
        let (id, business) = (item.unwrap_or_default(), business.as_deref());
        if task == IndexTask::Forget {
            memory::delete(&database, id, business)?;
        } else {
            let pinned = memory::read_pin(&read_text(received, MAX_NOTE_BYTES).await?)?;
            memory::pin(&database, id, business, pinned)?;
        }
        Ok(Value::Null)
    }

    fn list(
        &self,
        query: &str,
        business: Option<String>,
        listed: impl Fn(&ObjectDatabase, &Page, u64) -> Result<Value>,
    ) -> Result<Value> {
        let limit = query_parameter(query, "limit")?;
        let mut page = Page::from_parameters(limit.as_deref(), query_parameter(query, "cursor")?)?;
        page.business = business;
        let (database, now_ms) = (self.database(), instance::now_ms());
        index::sweep(&database, now_ms)?;
        listed(&database, &page, now_ms)
    }

    /// Deletes all sessions. Each session deletes itself; one that fails stays on the list.
    async fn delete_all(&self, tenant: &str) -> Result<Value> {
        let database = self.database();
        let names = index::names(
            &database,
            ObjectKind::Session,
            MAX_DELETED_OBJECTS,
            instance::now_ms(),
        )?;
        let outcomes: Vec<Result<()>> = stream::iter(&names)
            .map(|name| self.delete_session(tenant, name))
            .buffer_unordered(DELETED_AT_A_TIME)
            .collect()
            .await;
        let deleted = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        // If none could be deleted, the first error says more than a count.
        if deleted == 0
            && let Some(Err(error)) = outcomes.into_iter().next()
        {
            return Err(error);
        }
        let remaining = index::count(&database, ObjectKind::Session, instance::now_ms())?;
        Ok(json!({ "deleted": deleted, "remaining": remaining }))
    }

    async fn delete_session(&self, tenant: &str, name: &str) -> Result<()> {
        let stub = SESSION.stub(&self.env, &object_name(tenant, name))?;
        let url = format!("{OBJECT_HOST}/api/codemode/sessions/{name}");
        let headers = header_lines(&[(TENANT_HEADER, tenant), (SESSION_HEADER, name)]);
        let sent = send_to(&stub, "DELETE", &url, &headers, &JsValue::UNDEFINED);
        let failed = |thrown: JsValue| Error::internal(thrown_text(&thrown));
        let response = JsFuture::from(sent.map_err(failed)?)
            .await
            .map_err(failed)?;
        let status = response.unchecked_ref::<Response>().status();
        if status != 200 {
            return Err(Error::internal(format!(
                "the session {name} was not deleted: status {status}"
            )));
        }
        let note = Note::Deleted {
            kind: ObjectKind::Session,
            name: name.to_owned(),
        };
        index::take(&self.database(), &note)
    }
}

/// Returns the business that the access token names.
fn claimed(received: &IncomingRequest) -> Option<String> {
    let claim = received.header(BUSINESS_HEADER)?;
    percent::decode(&claim)
}
