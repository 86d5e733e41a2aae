//! The endpoints of sessions: databases, programs and tools of other servers.

use std::collections::BTreeMap;

use futures::StreamExt;
use futures::stream::{LocalBoxStream, select_all};

use crate::backend::{Backend, SessionChange};
use crate::product::{Product, Surface};
use crate::prompts::{self, Prompt};
use crate::resources::{self, Place};
use crate::terms::Terms;
use crate::tools::{self, Call};
use crate::{Profile, completion};
use mcp::server::ask::{Completion, PromptCall, ToolCall};
use mcp::server::{Change, Fault, Filter, Outcome, Request};

impl<B: Backend> Surface for Product<B, Terms> {
    const TEMPLATES: &'static str = resources::TEMPLATES;
    const PROMPTS: &'static [Prompt] = prompts::PROMPTS;

    fn capabilities(&self) -> &'static str {
        r#"{"tools":{},"resources":{"subscribe":true,"listChanged":true},"prompts":{},"completions":{},"logging":{}}"#
    }

    fn instructions(&self) -> String {
        let session = &self.terms.session;
        let ways = match self.terms.profile {
            Profile::Database | Profile::ReadOnly => {
                "Work in SQL with db_query; look at tables with db_get_tables and db_describe_table."
            }
            Profile::Full | Profile::Compact | Profile::Code => {
                "Prefer one program in program_run over many calls: it can query, call tools of other servers and keep their results in tables."
            }
        };
        format!(
            "A SQLite database for your work, kept between calls. Your session is \"{session}\"; every tool takes another as session. A session ends a day after its last use. {ways} Keep data in tables and return small results. Errors have a code and a hint: do what the hint says."
        )
    }

    fn tools(&self) -> String {
        tools::list(self.terms.profile)
    }

    async fn call(&self, request: &Request<'_>, asked: &ToolCall) -> Result<Outcome, Fault> {
        let context = Call {
            backend: &self.backend,
            terms: &self.terms,
            request,
        };
        tools::call(&context, asked).await
    }

    async fn resources(&self, cursor: Option<&str>) -> Result<Outcome, Fault> {
        resources::list(&self.backend, &self.terms, cursor).await
    }

    async fn read(&self, uri: &str) -> Result<Outcome, Fault> {
        resources::read(&self.backend, &self.terms, uri).await
    }

    async fn prompt(&self, asked: &PromptCall) -> Result<Outcome, Fault> {
        prompts::get(&self.backend, &self.terms, asked).await
    }

    async fn complete(&self, asked: &Completion) -> Result<Outcome, Fault> {
        completion::complete(&self.backend, &self.terms, asked).await
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

/// Returns the changes to report to a client that has subscribed to these resources of a session.
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
        // The schema resource of a session also has the numbers of rows.
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
