//! One request inside the object: its task, its graph, and its line in the log.

use std::rc::Rc;

use super::super::addresses::{ACTOR_HEADER, CONVERSATION_HEADER, TENANT_HEADER};
use super::super::body::read_text;
use super::super::instance;
use super::super::object::{Kind, Object};
use super::super::received::IncomingRequest;
use super::super::storage::ObjectDatabase;
use super::super::telemetry::Record;
use super::Graph;
use crate::api::graph_request::{self, GraphRequest, RequestParts};
use crate::api::routes::{self, Entry, GraphTask, ServedBy, query_parameter};
use crate::config::Config;
use ::graph::Memory;
use base::{Error, Result};

/// One request.
pub struct Call {
    /// The query string.
    query: String,
    /// The route.
    pub entry: &'static Entry,
    /// The work that it requests.
    pub task: GraphTask,
    /// The tenant that owns the graph.
    pub tenant: String,
    /// The conversation's name.
    pub conversation: String,
    /// The author of the change.
    pub actor: String,
    /// The settings in force.
    pub config: Rc<Config>,
    /// The record for the log.
    pub record: Record,
    item: Option<String>,
    database: ObjectDatabase,
    memory: Rc<Memory>,
    started_ms: u64,
}

impl Call {
    /// Reads everything except the body.
    ///
    /// # Errors
    /// Those of [`Self::new`].
    pub fn read(received: &IncomingRequest, object: &Object<Graph>) -> Result<Self> {
        let named = |name: &str| {
            let value = received.header(name);
            value.ok_or_else(|| Error::internal(format!("a request without {name}")))
        };
        let names = (named(TENANT_HEADER)?, named(CONVERSATION_HEADER)?);
        let actor = received.header(ACTOR_HEADER);
        let address = received.address();
        let mut call = Self::new(
            object,
            names,
            received.method(),
            address.path,
            actor.as_deref(),
        )?;
        address.query.clone_into(&mut call.query);
        Ok(call)
    }

    /// Begins a request to a path without a query string. `names` are the tenant and the
    /// conversation, and `actor` is a header.
    ///
    /// # Errors
    /// Those of the route, the environment variables and the actor.
    pub fn new(
        object: &Object<Graph>,
        names: (String, String),
        method: &str,
        path: &str,
        actor: Option<&str>,
    ) -> Result<Self> {
        let (tenant, conversation) = names;
        let route = routes::route(method, path)?;
        let ServedBy::Graph(task) = route.entry.place else {
            return Err(Error::internal("the route is not one of a graph"));
        };
        let record = Record {
            kind: Graph::NAME,
            tenant: tenant.clone(),
            session: conversation.clone(),
            operation: route.entry.name.to_owned(),
            ..Record::default()
        };
        Ok(Self {
            query: String::new(),
            entry: route.entry,
            task,
            tenant,
            conversation,
            actor: graph_request::actor(actor)?,
            config: instance::config(&object.env)?,
            record,
            item: route.item,
            database: object.database(),
            memory: Rc::clone(&object.kind.memory),
            started_ms: instance::now_ms(),
        })
    }

    /// Returns a parameter of the query string.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a broken escape.
    pub fn parameter(&self, name: &str) -> Result<Option<String>> {
        query_parameter(&self.query, name)
    }

    /// Reads the whole body.
    ///
    /// # Errors
    /// As [`read_text`].
    pub async fn text(&mut self, received: &IncomingRequest) -> Result<String> {
        let text = read_text(received, self.limit_bytes()).await?;
        self.record.bytes_in = text.len() as u64;
        Ok(text)
    }

    /// Returns the limit of the body.
    pub fn limit_bytes(&self) -> u64 {
        self.entry.body.limit_bytes(&self.config)
    }

    /// Returns the operation that the request wants, given its body and the header `If-Match`.
    ///
    /// # Errors
    /// Those of the arguments, and internal for a request that is no operation.
    pub fn operation(&mut self, body: &str, if_match: Option<&str>) -> Result<GraphRequest> {
        match self.task {
            GraphTask::Operate => {
                let request = graph_request::by_name(body, if_match)?;
                self.record.operation = format!("{:?}", request.id);
                Ok(request)
            }
            GraphTask::Operation(id) => {
                let outside = RequestParts {
                    item: self.item.as_deref(),
                    query: &self.query,
                    parameters: self.entry.parameters,
                    if_match,
                };
                graph_request::of_route(id, &outside, body)
            }
            GraphTask::Import | GraphTask::Export | GraphTask::Events => Err(Error::internal(
                format!("{:?} is not an operation", self.task),
            )),
        }
    }

    /// Returns the graph as of now.
    pub fn graph(&self) -> ::graph::Graph<'_, ObjectDatabase> {
        ::graph::Graph {
            db: &self.database,
            settings: &self.config.graph,
            now_ms: instance::now_ms(),
            conversation: &self.conversation,
            actor: &self.actor,
            memory: &self.memory,
        }
    }

    /// Returns its database.
    pub fn database(&self) -> &ObjectDatabase {
        &self.database
    }

    /// Writes the log line.
    pub fn finish(&mut self, object: &Object<Graph>, code: &'static str, bytes_out: usize) {
        let mut record = std::mem::take(&mut self.record);
        record.bytes_out = bytes_out as u64;
        record.counters += self.database.spent();
        record.duration_ms = instance::now_ms().saturating_sub(self.started_ms);
        record.code = code;
        record.write(&object.env, self.config.operation_log);
    }
}
