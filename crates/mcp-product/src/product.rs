//! The product as a service of the protocol.

use std::borrow::Cow;
use std::collections::BTreeMap;

use futures::StreamExt;
use futures::stream::{LocalBoxStream, select_all};
use serde_json::{Value, json};

use crate::backend::{Backend, SessionChange};
use crate::limits::LIST_TTL_MS;
use crate::resources::{self, Place};
use crate::terms::Terms;
use crate::tools::{self, Call};
use crate::{Profile, completion, prompts};
use mcp::server::{
    Ask, Cache, Change, Description, Fault, Filter, Outcome, Request, Scope, Service,
};

/// What the server can do.
const CAPABILITIES: &str = r#"{"tools":{},"resources":{"subscribe":true,"listChanged":true},"prompts":{},"completions":{},"logging":{}}"#;

/// The product, for one caller at one endpoint.
pub struct Product<B> {
    /// Sessions and servers.
    pub backend: B,
    /// What was agreed on.
    pub terms: Terms,
}

impl<B: Backend> Service for Product<B> {
    fn description(&self) -> Description {
        described(CAPABILITIES, self.instructions())
    }

    fn header_schema(&self, _tool: &str) -> Option<Cow<'_, Value>> {
        None
    }

    async fn serve(&self, request: &Request<'_>) -> Result<Outcome, Fault> {
        let same_for_all = Cache {
            ttl_ms: LIST_TTL_MS,
            scope: Scope::Public,
        };
        match &request.ask {
            Ask::ListTools(cursor) => {
                one_page(cursor.as_deref())?;
                Ok(Outcome::cached(
                    tools::list(self.terms.profile),
                    same_for_all,
                ))
            }
            Ask::CallTool(asked) => {
                let context = Call {
                    backend: &self.backend,
                    terms: &self.terms,
                    request,
                };
                tools::call(&context, asked).await
            }
            Ask::ListResources(cursor) => {
                resources::list(&self.backend, &self.terms, cursor.as_deref()).await
            }
            Ask::ListTemplates(cursor) => {
                one_page(cursor.as_deref())?;
                Ok(Outcome::cached(resources::TEMPLATES, same_for_all))
            }
            Ask::ReadResource(uri) => resources::read(&self.backend, &self.terms, uri).await,
            Ask::ListPrompts(cursor) => {
                one_page(cursor.as_deref())?;
                Ok(Outcome::cached(
                    prompts::list(prompts::PROMPTS),
                    same_for_all,
                ))
            }
            Ask::GetPrompt(asked) => prompts::get(&self.backend, &self.terms, asked).await,
            Ask::Complete(asked) => completion::complete(&self.backend, &self.terms, asked).await,
        }
    }

    fn agreed(&self, filter: &Filter) -> Filter {
        Filter {
            resources: filter.resources,
            uris: filter
                .uris
                .iter()
                .filter(|uri| Place::parse(uri).is_some())
                .cloned()
                .collect(),
            ..Filter::default()
        }
    }

    async fn watch(&self, filter: &Filter) -> Result<LocalBoxStream<'static, Change>, Fault> {
        let mut watched: BTreeMap<String, Vec<(String, Option<String>)>> = BTreeMap::new();
        if filter.resources {
            watched.entry(self.terms.session.clone()).or_default();
        }
        for uri in &filter.uris {
            if let Some(Place { session, table, .. }) = Place::parse(uri) {
                let of_session = watched.entry(session).or_default();
                of_session.push((uri.clone(), table));
            }
        }
        let mut streams: Vec<LocalBoxStream<'static, Change>> = Vec::new();
        for (session, uris) in watched {
            let lists = filter.resources && session == self.terms.session;
            let changes = self.backend.watch(&session).await?;
            let told = changes
                .flat_map(move |change| futures::stream::iter(changes_of(&change, lists, &uris)));
            streams.push(told.boxed_local());
        }
        if streams.is_empty() {
            return Ok(futures::stream::pending().boxed_local());
        }
        Ok(select_all(streams).boxed_local())
    }
}

/// This server, with the capabilities and instructions of an endpoint.
pub(crate) fn described(capabilities: &'static str, instructions: String) -> Description {
    let info = json!({
        "name": "codemode-database",
        "title": "Code Mode Database",
        "version": env!("CARGO_PKG_VERSION"),
    });
    Description {
        info: info.to_string(),
        capabilities,
        instructions,
        cache: Cache {
            ttl_ms: LIST_TTL_MS,
            scope: Scope::Private,
        },
    }
}

/// What a change of a session means to whoever subscribed to these resources of it.
fn changes_of(
    change: &SessionChange,
    lists: bool,
    uris: &[(String, Option<String>)],
) -> Vec<Change> {
    let (schema, tables) = match change {
        SessionChange::Changed { schema, tables } => (*schema, tables.as_deref()),
        SessionChange::Deleted => (true, None),
    };
    let is_written = |table: &Option<String>| match table {
        // The schema of a session shows the numbers of rows, too.
        None => true,
        Some(table) => tables.is_none_or(|tables| {
            tables
                .iter()
                .any(|written| written.eq_ignore_ascii_case(table))
        }),
    };
    let updated = uris
        .iter()
        .filter(|(_, table)| is_written(table))
        .map(|(uri, _)| Change::Updated(uri.clone()));
    let listed = (schema && lists).then_some(Change::Resources);
    listed.into_iter().chain(updated).collect()
}

/// Lists that have one page have no cursor.
pub(crate) fn one_page(cursor: Option<&str>) -> Result<(), Fault> {
    match cursor {
        // Some hosts send an empty one for the first page.
        None | Some("") => Ok(()),
        Some(_) => Err(Fault::params(
            "there is no such cursor: this list has one page",
        )),
    }
}

impl<B> Product<B> {
    fn instructions(&self) -> String {
        let session = &self.terms.session;
        let ways = match self.terms.profile {
            Profile::Database | Profile::ReadOnly => {
                "Work in SQL with db_query; look at tables with db_get_tables and db_describe_table."
            }
            _ => {
                "Prefer one program in program_run over many calls: it can query, call tools of other servers and keep their results in tables."
            }
        };
        format!(
            "A SQLite database for your work, kept between calls. Your session is \"{session}\"; every tool takes another as session. A session ends a day after its last use. {ways} Keep data in tables and return small results. Errors have a code and a hint: do what the hint says."
        )
    }
}
