//! One request inside the object: its task, its workspace, and its line in the log.

use std::rc::Rc;

use super::super::addresses::{ACTOR_HEADER, TENANT_HEADER, WORKSPACE_HEADER};
use super::super::body::{read_bytes, read_text};
use super::super::instance;
use super::super::object::{Kind, Object};
use super::super::received::IncomingRequest;
use super::super::storage::ObjectDatabase;
use super::super::telemetry::Record;
use super::Code;
use crate::api::graph_request;
use crate::api::routes::{self, CodeTask, Entry, ServedBy};
use crate::config::Config;
use base::{Error, Result};
use code_search::words::index_words;

/// One request.
pub struct Call {
    received: IncomingRequest,
    entry: &'static Entry,
    /// The work that it requests.
    pub task: CodeTask,
    /// The tenant that owns the workspace.
    pub tenant: String,
    /// The workspace's name.
    pub workspace: String,
    /// The author of a change.
    actor: String,
    /// The settings in force.
    pub config: Rc<Config>,
    /// The record for the log.
    pub record: Record,
    item: Option<String>,
    database: ObjectDatabase,
    started_ms: u64,
}

impl Call {
    /// Reads everything except the body.
    ///
    /// # Errors
    /// Those of the route, the environment variables and the headers.
    pub fn read(received: IncomingRequest, object: &Object<Code>) -> Result<Self> {
        let address = received.address();
        let route = routes::route(received.method(), address.path)?;
        let ServedBy::Code(task) = route.entry.place else {
            return Err(Error::internal("the route is not one of a workspace"));
        };
        let named = |name: &str| {
            let value = received.header(name);
            value.ok_or_else(|| Error::internal(format!("a request without {name}")))
        };
        let (tenant, workspace) = (named(TENANT_HEADER)?, named(WORKSPACE_HEADER)?);
        let actor = graph_request::actor(received.header(ACTOR_HEADER).as_deref())?;
        let record = Record {
            kind: Code::NAME,
            tenant: tenant.clone(),
            session: workspace.clone(),
            operation: route.entry.name.to_owned(),
            ..Record::default()
        };
        Ok(Self {
            entry: route.entry,
            task,
            tenant,
            workspace,
            actor,
            config: instance::config(&object.env)?,
            record,
            item: route.item,
            database: object.database(),
            started_ms: instance::now_ms(),
            received,
        })
    }

    /// Returns the query string, which only test builds use.
    #[cfg(feature = "fault-injection")]
    pub fn query(&self) -> &str {
        self.received.address().query
    }

    /// Returns a header.
    pub fn header(&self, name: &str) -> Option<String> {
        self.received.header(name)
    }

    /// Returns the path of the file in the URL.
    pub fn path(&self) -> &str {
        self.item.as_deref().unwrap_or_default()
    }

    /// Reads the whole body as text.
    ///
    /// # Errors
    /// As [`read_text`].
    pub async fn text(&mut self) -> Result<String> {
        self.short_text(u64::MAX).await
    }

    /// Reads the whole body as text, of at most `most` bytes.
    ///
    /// # Errors
    /// As [`read_text`].
    pub async fn short_text(&mut self, most: u64) -> Result<String> {
        let limit_bytes = self.entry.body.limit_bytes(&self.config).min(most);
        let text = read_text(&self.received, limit_bytes).await?;
        self.record.bytes_in = text.len() as u64;
        Ok(text)
    }

    /// Reads the whole body, of at most `most` bytes.
    ///
    /// # Errors
    /// As [`read_bytes`].
    pub async fn bytes(&mut self, most: u64) -> Result<Vec<u8>> {
        let limit_bytes = self.entry.body.limit_bytes(&self.config).min(most);
        let bytes = read_bytes(&self.received, limit_bytes).await?;
        self.record.bytes_in = bytes.len() as u64;
        Ok(bytes)
    }

    /// Returns the workspace as of now.
    pub fn workspace(&self) -> ::code_model::Workspace<'_, ObjectDatabase> {
        ::code_model::Workspace {
            db: &self.database,
            settings: &self.config.code,
            now_ms: instance::now_ms(),
            actor: &self.actor,
            words: &index_words,
        }
    }

    /// Returns its database.
    pub fn database(&self) -> &ObjectDatabase {
        &self.database
    }

    /// Writes the log line.
    pub fn finish(&mut self, object: &Object<Code>, code: &'static str) {
        let mut record = std::mem::take(&mut self.record);
        record.counters += self.database.spent();
        record.duration_ms = instance::now_ms().saturating_sub(self.started_ms);
        record.code = code;
        record.write(&object.env, self.config.operation_log);
    }
}
