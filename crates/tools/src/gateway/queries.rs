//! Checks GraphQL documents against the schemas of their servers before they are sent.

use std::rc::Rc;
use tools_graphql::GraphqlError;

use serde_json::Value;
use serde_json::value::RawValue;

use super::{Deadline, Gateway};
use crate::catalog::{Catalog, KnownSchema};
use crate::content::data_of;
use crate::document::Document;
use crate::limits::{
    FAILED_SCHEMA_TTL_MS, INTROSPECTION_TIMEOUT_MS, MAX_REMEMBERED_SCHEMA_BYTES,
    TOOL_LIST_REFRESH_MS,
};
use crate::outcome::upstream;
use crate::server::Kind;
use crate::{Server, ToolError};
use base::{Error, Result};
use mcp::Tool;
use mcp::call::CallResult;
use net::transport::{Clock, Http};
use tools_graphql::{self, Schema};

/// A document to be sent, and its destination.
struct Query<'a> {
    server: &'a Server,
    catalog: &'a Catalog,
    tool: &'a Tool,
    document: &'a Document,
}

impl<H: Http, C: Clock> Gateway<'_, H, C> {
    /// Refuses a document that the schema of its server does not allow. Returns warnings about a
    /// document that it allows.
    ///
    /// # Errors
    /// [`GraphqlError::GraphqlInvalidQuery`]. A document that cannot be checked is sent unchanged.
    pub(super) async fn check_query(
        &self,
        server: &Server,
        catalog: &Catalog,
        tool: &Tool,
        raw: &RawValue,
        deadline: &Deadline,
    ) -> Result<Vec<String>> {
        if server.kind != Kind::Graphql {
            return Ok(Vec::new());
        }
        let Some(document) = Document::find(raw.get()) else {
            return Ok(Vec::new());
        };
        let query = Query {
            server,
            catalog,
            tool,
            document: &document,
        };
        let known = self.schema_after(&query, 0, deadline).await;
        let refusal = match judge(&document, known.schema.as_deref()) {
            Ok(warnings) => return Ok(warnings),
            Err(refusal) => refusal,
        };
        let age_ms = self.clock.now_ms().saturating_sub(known.asked_ms);
        if age_ms <= TOOL_LIST_REFRESH_MS {
            return Err(refusal);
        }
        // The server may have changed its schema since.
        let known = self
            .schema_after(&query, known.asked_ms + 1, deadline)
            .await;
        judge(&document, known.schema.as_deref())
    }

    /// Returns the schema, requested at this time or later.
    async fn schema_after(
        &self,
        query: &Query<'_>,
        since_ms: u64,
        deadline: &Deadline,
    ) -> KnownSchema {
        let (tool, others) = (&query.tool.name, &query.document.others);
        let known = || {
            let known = query.catalog.schema(tool, others);
            known.filter(|known| known.asked_ms >= since_ms && !self.is_stale(known))
        };
        if let Some(known) = known() {
            return known;
        }
        let listing = self
            .connections_to(query.server)
            .listing(&query.server.name);
        let _turn = listing.turn().await;
        if let Some(known) = known() {
            return known;
        }
        let mut found = KnownSchema {
            asked_ms: self.clock.now_ms(),
            ..KnownSchema::default()
        };
        match self.introspect(query, deadline).await {
            Ok((schema, bytes)) => {
                found.schema = Some(Rc::new(schema));
                found.bytes = bytes;
            }
            Err(problem) => {
                (self.warn)(&format!(
                    "{}.{tool}: its GraphQL schema is not available, so queries are sent without a check: {problem}",
                    query.server.name
                ));
                found.passing = is_passing(&problem);
            }
        }
        query.catalog.set_schema(tool, others, found.clone());
        self.catalogs.borrow().make_room_for_schemas();
        found
    }

    fn is_stale(&self, known: &KnownSchema) -> bool {
        let age_ms = self.clock.now_ms().saturating_sub(known.asked_ms);
        known.passing && age_ms > FAILED_SCHEMA_TTL_MS
    }

    /// Asks a tool for its schema, with the other arguments of the call, which may choose the
    /// schema.
    async fn introspect(&self, query: &Query<'_>, deadline: &Deadline) -> Result<(Schema, usize)> {
        let Query {
            server,
            catalog,
            tool,
            document,
        } = query;
        let mut question = document.others.clone();
        question.insert(
            document.name.clone(),
            tools_graphql::INTROSPECTION_QUERY.into(),
        );
        let question = RawValue::from_string(Value::Object(question).to_string())
            .map_err(|error| Error::internal(error.to_string()))?;
        let connection = self.connections_to(server).of(&server.name);
        connection.assume(catalog.era);
        let time_ms = deadline.left_ms(self.clock)?.min(INTROSPECTION_TIMEOUT_MS);
        let readable = Tool {
            read_only: true,
            ..(*tool).clone()
        };
        let failed = |failure| upstream(&server.name, failure, time_ms);
        let message = self
            .client(server, &connection, time_ms)
            .call_tool(&readable, &question, &[], &mut |_| {})
            .await
            .map_err(failed)?;
        let result = CallResult::read(&message).map_err(failed)?;
        if result.is_error == Some(true) {
            return Err(Error::invalid(
                "the tool refused the request for the schema",
            ));
        }
        let data = data_of(&result, Some(tool));
        if data.len() > MAX_REMEMBERED_SCHEMA_BYTES {
            return Err(Error::invalid(format!(
                "it has {} bytes, the limit is {MAX_REMEMBERED_SCHEMA_BYTES}",
                data.len()
            )));
        }
        Ok((Schema::from_introspection(&data)?, data.len()))
    }
}

/// Checks a document against a schema. Without a schema there are no issues.
fn judge(document: &Document, schema: Option<&Schema>) -> Result<Vec<String>> {
    let Some(schema) = schema else {
        return Ok(Vec::new());
    };
    let issues = tools_graphql::check_question(&document.question(), schema);
    // Errors come first; an unused variable or fragment alone is not refused.
    let Some(first) = issues
        .first()
        .filter(|issue| issue.severity == tools_graphql::Severity::Error)
    else {
        return Ok(issues.iter().map(in_words).collect());
    };
    Err(GraphqlError::GraphqlInvalidQuery {
        message: first.message.clone(),
        hint: first.hint.clone(),
        issues: issues.iter().map(tools_graphql::Issue::to_json).collect(),
    }
    .into())
}

/// Returns true if a server was not reached, which may change within a minute.
fn is_passing(problem: &Error) -> bool {
    matches!(
        problem.of(),
        Some(
            ToolError::UpstreamFailed { .. }
                | ToolError::UpstreamAuthFailed { .. }
                | ToolError::UpstreamTimeout { .. }
        )
    )
}

fn in_words(issue: &tools_graphql::Issue) -> String {
    match &issue.hint {
        Some(hint) => format!("{}: {hint}", issue.message),
        None => issue.message.clone(),
    }
}
