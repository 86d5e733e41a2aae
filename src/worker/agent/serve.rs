//! Handlers of the routes of a thread.

use std::rc::Rc;

use serde_json::{Value, json};
use wasm_bindgen::JsValue;
use web_sys::{Request, Response};

use super::super::instance::fresh_bytes;
use super::super::notes::send;
use super::super::object::{Object, OperationGuard};
use super::super::received::IncomingRequest;
use super::super::reply;
use super::Agent;
use super::call::Call;
use super::world::Platform;
use crate::api::envelope;
use crate::api::routes::AgentTask;
use ::agent::drive::{Thread, ask, decide, require_business};
use ::agent::request::{self, DecisionRequest, Question};
use ::agent::store::Owner;
use base::Result;
use base::names::object_name;
use index::{Note, ObjectKind};

/// The outcome of a request.
enum Outcome {
    Fields(Value),
    Events(Response),
}

impl Object<Agent> {
    /// Serves a request of the front Worker.
    pub(super) async fn respond(self: Rc<Self>, request: Request) -> Result<Response, JsValue> {
        let _running = OperationGuard::start(&self);
        let received = match IncomingRequest::from_front(request) {
            Ok(received) => received,
            Err(error) => return reply::failure(&error),
        };
        let mut call = match Call::read(received, &self) {
            Ok(call) => call,
            Err(error) => return reply::failure(&error),
        };
        let outcome = self.perform(&mut call).await;
        let code = outcome.as_ref().map_or_else(base::Error::code, |_| "OK");
        call.finish(&self, code);
        match outcome {
            Ok(Outcome::Fields(fields)) => reply::json(&envelope::success(fields), 200),
            Ok(Outcome::Events(response)) => Ok(response),
            Err(error) => reply::failure(&error),
        }
    }

    async fn perform(self: &Rc<Self>, call: &mut Call) -> Result<Outcome> {
        match call.task {
            AgentTask::Ask => self.ask(call).await,
            AgentTask::Resume => self.resume(call).await,
            AgentTask::Events
            | AgentTask::State
            | AgentTask::History
            | AgentTask::Checkpoint
            | AgentTask::Fork
            | AgentTask::Audit
            | AgentTask::Delete => {
                let body = if call.task == AgentTask::Fork {
                    call.text().await?
                } else {
                    String::new()
                };
                self.prepare().await?;
                let head = call.store().require_head(&call.thread)?;
                require_business(&head, call.claims.business_id.as_deref())?;
                self.show(call, &head, &body).await
            }
        }
    }

    async fn show(
        self: &Rc<Self>,
        call: &Call,
        head: &::agent::store::Head,
        body: &str,
    ) -> Result<Outcome> {
        let store = call.store();
        let fields = match call.task {
            AgentTask::State => {
                let mut state = store.state(head)?;
                self.add_token(call, head, &mut state)?;
                state
            }
            AgentTask::History => store.history(call.page()?)?,
            AgentTask::Checkpoint => store.state_at(call.checkpoint()?)?,
            AgentTask::Audit => store.audit(call.page()?)?,
            AgentTask::Fork => {
                let checkpoint = request::fork(body)?;
                let actor = call
                    .claims
                    .user_id
                    .as_deref()
                    .unwrap_or(&head.values.who.user_id);
                let head = store.fork(&call.thread, checkpoint, actor)?;
                self.kind.readers.rang();
                json!({ "checkpoint": head.checkpoint, "branch": head.branch, "forkedFrom": checkpoint })
            }
            AgentTask::Delete => {
                self.delete().await?;
                let note = Note::Deleted {
                    kind: ObjectKind::Thread,
                    name: call.thread.clone(),
                };
                send(&self.env, &call.tenant, &note).await;
                Value::Null
            }
            AgentTask::Events | AgentTask::Ask | AgentTask::Resume => {
                let event = call.last_event()?.unwrap_or(0);
                // If the object died during a step, any reader wakes it.
                self.drive(&call.tenant, &call.thread)?;
                return self.events(event).map(Outcome::Events);
            }
        };
        Ok(Outcome::Fields(fields))
    }

    /// Adds to a pending approval the token that decides it.
    fn add_token(&self, call: &Call, head: &::agent::store::Head, state: &mut Value) -> Result<()> {
        let Some(approval) = &head.values.approval else {
            return Ok(());
        };
        if let Some(pending) = state.get_mut("pending").and_then(Value::as_object_mut) {
            let owner = object_name(&call.tenant, &call.thread);
            let token = call.store().approval_token(&owner, approval, fresh_bytes)?;
            pending.insert("token".to_owned(), token.into());
        }
        Ok(())
    }

    async fn ask(self: &Rc<Self>, call: &mut Call) -> Result<Outcome> {
        let body = call.text().await?;
        let question = Question::parse(&body, &call.claims)?;
        let last_event = call.last_event()?;
        self.prepare().await?;
        let platform = Platform::new(self, &call.config, &call.tenant);
        let asked = ask(
            Thread {
                db: call.database(),
                world: &platform,
                id: &call.thread,
                rules: &call.config.agent.of(&call.tenant).rules,
            },
            &Owner {
                tenant: call.tenant.clone(),
                thread: call.thread.clone(),
            },
            &question,
        )?;
        self.drive(&call.tenant, &call.thread)?;
        let from = match last_event {
            Some(event) if asked.is_repeated => event.max(asked.after_event),
            _ => asked.after_event,
        };
        self.events(from).map(Outcome::Events)
    }

    async fn resume(self: &Rc<Self>, call: &mut Call) -> Result<Outcome> {
        let body = call.text().await?;
        let request = DecisionRequest::parse(&body, &call.claims)?;
        self.prepare().await?;
        let platform = Platform::new(self, &call.config, &call.tenant);
        let owner = object_name(&call.tenant, &call.thread);
        let after_event = decide(
            Thread {
                db: call.database(),
                world: &platform,
                id: &call.thread,
                rules: &call.config.agent.of(&call.tenant).rules,
            },
            &owner,
            &call.claims,
            &request,
            fresh_bytes,
        )
        .await?;
        self.drive(&call.tenant, &call.thread)?;
        self.events(after_event).map(Outcome::Events)
    }
}
