//! One request inside the object: its task, its arguments, and its line in the log.

use std::rc::Rc;

use super::super::addresses::{BUSINESS_HEADER, TENANT_HEADER, THREAD_HEADER, USER_HEADER};
use super::super::body::read_text;
use super::super::instance;
use super::super::object::{Kind, Object};
use super::super::received::IncomingRequest;
use super::super::storage::ObjectDatabase;
use super::super::telemetry::Record;
use super::Agent;
use crate::api::routes::{self, AgentTask, Entry, ServedBy, query_parameter};
use crate::config::Config;
use ::agent::request::Claims;
use ::agent::store::{Page, Store};
use base::{Error, Result, percent};

/// One request.
pub struct Call {
    received: IncomingRequest,
    query: String,
    entry: &'static Entry,
    /// The work that it requests.
    pub task: AgentTask,
    /// The tenant that owns the thread.
    pub tenant: String,
    /// The thread's id.
    pub thread: String,
    /// The claims of the access token.
    pub claims: Claims,
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
    pub fn read(received: IncomingRequest, object: &Object<Agent>) -> Result<Self> {
        let address = received.address();
        let route = routes::route(received.method(), address.path)?;
        let ServedBy::Agent(task) = route.entry.place else {
            return Err(Error::internal("the route is not one of a thread"));
        };
        let named = |name: &str| {
            let value = received.header(name);
            value.ok_or_else(|| Error::internal(format!("a request without {name}")))
        };
        let claim = |name: &str| {
            let value = received.header(name);
            value
                .map(|value| {
                    percent::decode(&value)
                        .ok_or_else(|| Error::internal(format!("{name} cannot be read")))
                })
                .transpose()
        };
        let (tenant, thread) = (named(TENANT_HEADER)?, named(THREAD_HEADER)?);
        let record = Record {
            kind: Agent::NAME,
            tenant: tenant.clone(),
            session: thread.clone(),
            operation: route.entry.name.to_owned(),
            ..Record::default()
        };
        let config = instance::config(&object.env)?;
        let issuer = config.oauth.as_ref().map(|oauth| oauth.issuer.clone());
        Ok(Self {
            claims: Claims {
                business_id: claim(BUSINESS_HEADER)?,
                user_id: claim(USER_HEADER)?,
                issuer,
                rule: config.business,
            },
            query: address.query.to_owned(),
            entry: route.entry,
            task,
            tenant,
            thread,
            config,
            record,
            item: route.item,
            database: object.database(),
            started_ms: instance::now_ms(),
            received,
        })
    }

    /// Reads the whole body.
    ///
    /// # Errors
    /// As [`read_text`].
    pub async fn text(&mut self) -> Result<String> {
        let text = read_text(&self.received, self.entry.body.limit_bytes(&self.config)).await?;
        self.record.bytes_in = text.len() as u64;
        Ok(text)
    }

    /// Returns a parameter of the query string.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] for a broken escape.
    pub fn parameter(&self, name: &str) -> Result<Option<String>> {
        query_parameter(&self.query, name)
    }

    /// Returns the requested page of a list.
    ///
    /// # Errors
    /// As [`Page::from_parameters`].
    pub fn page(&self) -> Result<Page> {
        let (limit, cursor) = (self.parameter("limit")?, self.parameter("cursor")?);
        Page::from_parameters(limit.as_deref(), cursor.as_deref())
    }

    /// Returns the checkpoint that the path names.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`].
    pub fn checkpoint(&self) -> Result<u64> {
        let item = self.item.as_deref().unwrap_or_default();
        item.parse()
            .map_err(|_| Error::invalid(format!("{item:?} is not the number of a checkpoint")))
    }

    /// Returns the last event that a reader has, after which it resumes.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] for an event that is no number.
    pub fn last_event(&self) -> Result<Option<u64>> {
        let given = match self.parameter("after")? {
            Some(after) => Some(after),
            None => self.received.header("last-event-id"),
        };
        given
            .map(|text| {
                text.parse().map_err(|_| {
                    Error::invalid_with_hint(
                        format!("{text:?} is not the id of an event"),
                        "send the id of the last event that was read, or none",
                    )
                })
            })
            .transpose()
    }

    /// Returns the thread as of now.
    pub fn store(&self) -> Store<'_, ObjectDatabase> {
        Store {
            db: &self.database,
            now_ms: instance::now_ms(),
        }
    }

    /// Returns its database.
    pub fn database(&self) -> &ObjectDatabase {
        &self.database
    }

    /// Writes the log line.
    pub fn finish(&mut self, object: &Object<Agent>, code: &'static str) {
        let mut record = std::mem::take(&mut self.record);
        record.counters += self.database.spent();
        record.duration_ms = instance::now_ms().saturating_sub(self.started_ms);
        record.code = code;
        record.write(&object.env, self.config.operation_log);
    }
}
