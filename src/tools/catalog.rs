//! The lists of tools that an instance remembers, each for one tenant and server. Losing them costs a request, nothing else.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::Tool;
use super::arguments::Checker;
use crate::error::Error;
use crate::graphql::Schema;
use crate::limits::{
    MAX_REMEMBERED_TOOL_BYTES, MAX_REMEMBERED_TOOL_LISTS, MAX_TOOL_LIST_TTL_MS,
    MIN_TOOL_LIST_TTL_MS, TOOL_LIST_TTL_MS,
};
use crate::mcp::Era;
use crate::mcp::listing::Listing;

/// The tools of a server as one tenant sees them.
pub struct Catalog {
    /// In the server's order.
    pub tools: Vec<Tool>,
    /// How the server is spoken to.
    pub era: Option<Era>,
    /// When they were listed.
    pub listed_ms: u64,
    expires_ms: u64,
    /// Of its schemas and descriptions as text, about.
    bytes: usize,
    /// Schemas of tools that have been called, made ready.
    checkers: RefCell<HashMap<String, Rc<Checker>>>,
    /// Its GraphQL schema: not asked for, or the answer, which may be that there is none.
    schema: RefCell<Option<Option<Rc<Schema>>>>,
}

impl Catalog {
    /// From a list that came now.
    pub fn new(listing: Listing, era: Option<Era>, now_ms: u64) -> Self {
        let ttl_ms = listing
            .ttl_ms
            .unwrap_or(TOOL_LIST_TTL_MS)
            .clamp(MIN_TOOL_LIST_TTL_MS, MAX_TOOL_LIST_TTL_MS);
        let bytes = listing.tools.iter().map(bytes_of).sum();
        Self {
            bytes,
            tools: listing.tools,
            era,
            listed_ms: now_ms,
            expires_ms: now_ms.saturating_add(ttl_ms),
            checkers: RefCell::default(),
            schema: RefCell::default(),
        }
    }

    /// The tool of a name.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// What holds arguments against the schema of one of its tools.
    pub fn checker(&self, tool: &Tool) -> Rc<Checker> {
        let mut checkers = self.checkers.borrow_mut();
        let checker = checkers
            .entry(tool.name.clone())
            .or_insert_with(|| Rc::new(Checker::new(&tool.input_schema)));
        Rc::clone(checker)
    }

    /// The schema, where it has been asked for.
    pub fn schema(&self) -> Option<Option<Rc<Schema>>> {
        self.schema.borrow().clone()
    }

    /// Remembers what came of asking.
    pub fn set_schema(&self, schema: Option<Rc<Schema>>) {
        *self.schema.borrow_mut() = Some(schema);
    }
}

fn bytes_of(tool: &Tool) -> usize {
    let schema = |schema: &serde_json::Value| schema.to_string().len();
    let output = tool.output_schema.as_ref().map_or(0, schema);
    tool.name.len() + tool.description.len() + schema(&tool.input_schema) + output
}

/// Catalogs by tenant and server.
#[derive(Default)]
pub struct Catalogs {
    entries: HashMap<(String, String), Rc<Catalog>>,
    /// Lists that failed lately, and when.
    failures: HashMap<(String, String), (u64, Error)>,
}

impl Catalogs {
    /// The catalog, unless it is too old.
    pub fn get(&self, tenant: &str, server: &str, now_ms: u64) -> Option<Rc<Catalog>> {
        self.entries
            .get(&(tenant.to_owned(), server.to_owned()))
            .filter(|catalog| now_ms < catalog.expires_ms)
            .cloned()
    }

    /// Remembers a catalog; the oldest makes room where there is none.
    pub fn put(&mut self, tenant: &str, server: &str, catalog: Rc<Catalog>) {
        let key = (tenant.to_owned(), server.to_owned());
        self.entries.remove(&key);
        while self.entries.len() >= MAX_REMEMBERED_TOOL_LISTS
            || self.bytes() + catalog.bytes > MAX_REMEMBERED_TOOL_BYTES
        {
            let oldest = self
                .entries
                .iter()
                .min_by_key(|(_, catalog)| catalog.listed_ms)
                .map(|(key, _)| key.clone());
            let Some(oldest) = oldest else {
                break;
            };
            self.entries.remove(&oldest);
        }
        self.failures.remove(&key);
        self.entries.insert(key, catalog);
    }

    fn bytes(&self) -> usize {
        self.entries.values().map(|catalog| catalog.bytes).sum()
    }

    /// How listing failed, if it did so at this time or later and has not succeeded since.
    pub fn failure(&self, tenant: &str, server: &str, since_ms: u64) -> Option<Error> {
        let (failed_ms, error) = self.failures.get(&(tenant.to_owned(), server.to_owned()))?;
        (*failed_ms >= since_ms).then(|| error.clone())
    }

    /// Remembers that listing failed.
    pub fn put_failure(&mut self, tenant: &str, server: &str, now_ms: u64, error: Error) {
        if self.failures.len() >= MAX_REMEMBERED_TOOL_LISTS {
            self.failures.clear();
        }
        let key = (tenant.to_owned(), server.to_owned());
        self.failures.insert(key, (now_ms, error));
    }

    /// Forgets a catalog that has turned out wrong.
    pub fn forget(&mut self, tenant: &str, server: &str) {
        self.entries.remove(&(tenant.to_owned(), server.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalog(ttl_ms: Option<u64>, now_ms: u64) -> Rc<Catalog> {
        let listing = Listing {
            ttl_ms,
            ..Listing::default()
        };
        Rc::new(Catalog::new(listing, None, now_ms))
    }

    #[test]
    fn a_catalog_holds_as_long_as_its_server_says_within_bounds() {
        let mut catalogs = Catalogs::default();
        catalogs.put("acme", "pubs", catalog(Some(50_000), 1_000));
        assert!(catalogs.get("acme", "pubs", 50_999).is_some());
        assert!(catalogs.get("acme", "pubs", 51_000).is_none());
        catalogs.put("acme", "pubs", catalog(Some(0), 1_000));
        assert!(
            catalogs
                .get("acme", "pubs", 999 + MIN_TOOL_LIST_TTL_MS)
                .is_some()
        );
        catalogs.put("acme", "pubs", catalog(Some(u64::MAX), 1_000));
        assert!(
            catalogs
                .get("acme", "pubs", 1_000 + MAX_TOOL_LIST_TTL_MS)
                .is_none()
        );
        catalogs.put("acme", "pubs", catalog(None, 1_000));
        assert!(
            catalogs
                .get("acme", "pubs", 999 + TOOL_LIST_TTL_MS)
                .is_some()
        );
    }

    #[test]
    fn tenants_have_their_own() {
        let mut catalogs = Catalogs::default();
        catalogs.put("acme", "pubs", catalog(None, 1));
        assert!(catalogs.get("zeta", "pubs", 1).is_none());
        catalogs.forget("acme", "pubs");
        assert!(catalogs.get("acme", "pubs", 1).is_none());
    }

    #[test]
    fn a_failure_is_remembered_until_a_list_comes() {
        let mut catalogs = Catalogs::default();
        catalogs.put_failure("acme", "pubs", 5_000, Error::invalid("down"));
        assert!(catalogs.failure("acme", "pubs", 5_000).is_some());
        assert!(catalogs.failure("acme", "pubs", 5_001).is_none());
        assert!(catalogs.failure("zeta", "pubs", 0).is_none());
        catalogs.put("acme", "pubs", catalog(None, 6_000));
        assert!(catalogs.failure("acme", "pubs", 0).is_none());
    }

    #[test]
    fn the_oldest_makes_room() {
        let mut catalogs = Catalogs::default();
        for number in 0..=MAX_REMEMBERED_TOOL_LISTS as u64 {
            catalogs.put("acme", &format!("s{number}"), catalog(None, number));
        }
        assert_eq!(catalogs.entries.len(), MAX_REMEMBERED_TOOL_LISTS);
        assert!(catalogs.get("acme", "s0", 1).is_none());
        assert!(catalogs.get("acme", "s1", 1).is_some());
    }
}
