//! Handlers of the routes of a workspace. A handler collects the arguments, calls the domain, and
//! makes a response of the result.

use std::rc::Rc;

use base::{Error, Result};
use serde_json::{Value, json};
use web_sys::{Request, Response};

use super::super::addresses::ENCODING_HEADER;
use super::super::object::{Object, OperationGuard};
use super::super::received::IncomingRequest;
use super::super::{instance, reply};
use super::call::Call;
use super::{Code, listed};
use crate::api::envelope;
use crate::api::routes::CodeTask;
use ::code_model::limits::MAX_FILE_BYTES;
use ::code_model::{Changes, Head, Reply};
use base::time::iso8601;
use code::files::{self, RequestFiles};
use code::limits::{MAX_FILES_JSON_BYTES, MAX_UNPACKED_BYTES};
use code::operate;
use session::SessionError;
use session::bulk::Coding;

/// The media types of a body with files.
const JSON: &str = "application/json";
const TAR: &[&str] = &["application/x-tar", "application/tar"];

impl Object<Code> {
    /// Serves a request of the front Worker.
    pub(super) async fn respond(
        self: Rc<Self>,
        request: Request,
    ) -> Result<Response, wasm_bindgen::JsValue> {
        let _running = OperationGuard::start(&self);
        let received = match IncomingRequest::from_front(request) {
            Ok(received) => received,
            Err(error) => return reply::failure(&error),
        };
        let mut call = match Call::read(received, &self) {
            Ok(call) => call,
            Err(error) => return reply::failure(&error),
        };
        #[cfg(feature = "fault-injection")]
        super::super::faults::arm(call.query());
        let outcome = self.perform(&mut call).await.map(envelope::success);
        #[cfg(feature = "fault-injection")]
        super::super::statement_fault::disarm();
        if let Ok(text) = &outcome {
            call.record.bytes_out = text.len() as u64;
        }
        call.finish(&self, outcome.as_ref().map_or_else(Error::code, |_| "OK"));
        match outcome {
            Ok(text) => reply::json(&text, 200),
            Err(error) => reply::failure(&error),
        }
    }

    /// Returns the fields of the response.
    async fn perform(self: &Rc<Self>, call: &mut Call) -> Result<Value> {
        match call.task {
            CodeTask::Describe => {
                self.prepare().await?;
                describe(call)
            }
            CodeTask::Delete => {
                self.delete().await?;
                listed::remove(&self.env, &call.tenant, &call.workspace).await;
                Ok(Value::Null)
            }
            CodeTask::Operate => {
                let request = operate::Request::parse(&call.text().await?)?;
                call.record.operation = request.name.to_owned();
                self.prepare().await?;
                self.operate(call, &request).await
            }
            CodeTask::PutFiles => self.put_files(call).await,
            CodeTask::PutFile => {
                let bytes = call.bytes(MAX_FILE_BYTES as u64).await?;
                self.prepare().await?;
                let changes = files::one(call.path(), bytes, instance::now_ms())?;
                self.write(call, "put_files", &changes, &RequestFiles::default())
                    .await
            }
            CodeTask::DeleteFile => {
                self.prepare().await?;
                let changes = files::deleted(call.path())?;
                self.write(call, "delete_files", &changes, &RequestFiles::default())
                    .await
            }
        }
    }

    async fn operate(self: &Rc<Self>, call: &Call, request: &operate::Request) -> Result<Value> {
        let asked = self.ask(call, request).await?;
        let reply = {
            let mut memory = self.kind.memory.borrow_mut();
            let workspace = call.workspace();
            operate::dispatch(&workspace, &call.workspace, &mut memory, request, &asked)?
        };
        if reply.version.is_some() {
            self.embed(call).await;
        }
        Ok(self.told(call, reply))
    }

    async fn put_files(self: &Rc<Self>, call: &mut Call) -> Result<Value> {
        let content_type = call.header("content-type").unwrap_or_default();
        let content_type = content_type.split(';').next().unwrap_or_default();
        let content_type = content_type.trim().to_ascii_lowercase();
        let coding = Coding::from_content_encoding(call.header(ENCODING_HEADER).as_deref())?;
        if TAR.contains(&content_type.as_str()) {
            let body = call.bytes(MAX_UNPACKED_BYTES).await?;
            let arrived = files::from_tar(&body, coding == Coding::Gzip)?;
            drop(body);
            self.prepare().await?;
            return self
                .write(call, "put_files", &arrived.changes, &arrived)
                .await;
        }
        let is_json = content_type.is_empty() || content_type == JSON;
        if !is_json || coding != Coding::Identity {
            return Err(Error::from(SessionError::UnsupportedMediaType {
                message: format!("files cannot be sent as {content_type:?}"),
                hint: "send a list as application/json, or an archive as application/x-tar, which may be packed with gzip"
                    .to_owned(),
                accepted: &[JSON, "application/x-tar"],
            }));
        }
        let request = operate::Request {
            id: code::Id::PutFiles,
            name: "put_files",
            arguments: call.short_text(MAX_FILES_JSON_BYTES).await?,
        };
        self.prepare().await?;
        self.operate(call, &request).await
    }

    /// Writes files as one version.
    async fn write(
        self: &Rc<Self>,
        call: &Call,
        description: &str,
        changes: &Changes,
        arrived: &RequestFiles,
    ) -> Result<Value> {
        let committed = ::code_model::write_files(&call.workspace(), description, changes)?;
        let reply = files::reply(&committed, arrived);
        if reply.version.is_some() {
            self.embed(call).await;
        }
        Ok(self.told(call, reply))
    }

    fn told(self: &Rc<Self>, call: &Call, reply: Reply) -> Value {
        if reply.version.is_some() {
            listed::tell(self, call);
        }
        reply.fields
    }
}

fn describe(call: &Call) -> Result<Value> {
    let head = Head::load(call.database())?;
    Ok(json!({
        "ok": true,
        "workspace": call.workspace,
        "version": head.version,
        "oldest": head.floor,
        "files": head.files,
        "items": head.items,
        "bytes": head.bytes,
        "createdAt": head.created_at.map(iso8601),
        "updatedAt": head.updated_at.map(iso8601),
    }))
}
