//! The lists of tools in the memory of an instance, each for one tenant and server. A lost list
//! costs one more request and nothing else.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use serde_json::{Map, Value, json};

use crate::limits::{
    MAX_REMEMBERED_PASSED_LISTS, MAX_REMEMBERED_SCHEMA_BYTES, MAX_REMEMBERED_SCHEMAS,
    MAX_REMEMBERED_TOOL_BYTES, MAX_REMEMBERED_TOOL_LISTS, MAX_TOOL_LIST_TTL_MS,
    MIN_TOOL_LIST_TTL_MS, TOOL_LIST_TTL_MS,
};
use base::Error;
use mcp::Era;
use mcp::Tool;
use mcp::listing::Listing;
use tools_graphql::Schema;

/// The tools of a server, as one tenant sees them.
pub struct Catalog {
    /// The tools in the server's order.
    pub tools: Vec<Tool>,
    /// The protocol version of the server.
    pub era: Option<Era>,
    /// The time at which they were listed.
    pub listed_ms: u64,
    expires_ms: u64,
    /// The approximate length of its schemas and descriptions as text.
    bytes: usize,
    /// The tools that have been called.
    called: RefCell<HashSet<String>>,
    /// GraphQL schemas, by the calls to which they apply.
    schemas: RefCell<HashMap<String, KnownSchema>>,
}

/// The result of a request for a GraphQL schema.
#[derive(Clone, Default)]
pub struct KnownSchema {
    /// The time of the request.
    pub asked_ms: u64,
    /// The schema, if the server returned it.
    pub schema: Option<Rc<Schema>>,
    /// The length of the text from which it was built.
    pub bytes: usize,
    /// True if another request may succeed soon, because the server was not reached.
    pub passing: bool,
}

/// Returns true if a name is that of a tool, written in snake case or camel case.
fn is_spelling(name: &str, tool: &str) -> bool {
    if !name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    {
        return false;
    }
    let words = words_of(tool);
    let snake = words.join("_");
    let camel: String = words
        .iter()
        .enumerate()
        .map(|(at, word)| {
            if at == 0 {
                word.clone()
            } else {
                capitalised(word)
            }
        })
        .collect();
    name == snake || name == camel
}

/// Splits a name into its words in lower case, at other characters than letters and digits and at
/// capitals: `list-issues`, `listIssues`.
fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut after_small = false;
    for character in name.chars() {
        let ends = !character.is_alphanumeric() || (character.is_uppercase() && after_small);
        if ends && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        after_small = character.is_lowercase() || character.is_numeric();
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

impl Catalog {
    /// Creates a catalog from a list that was received now.
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
            called: RefCell::default(),
            schemas: RefCell::default(),
        }
    }

    /// Returns the tool of a name: its own name, or its words as a JavaScript name if only one tool
    /// matches. `list-issues` is also `list_issues` and `listIssues`.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        let own = self.tools.iter().find(|tool| tool.name == name);
        own.or_else(|| {
            let mut meant = self
                .tools
                .iter()
                .filter(|tool| is_spelling(name, &tool.name));
            meant.next().filter(|_| meant.next().is_none())
        })
    }

    /// Records that a tool is called. Returns true the first time.
    pub fn is_first_call(&self, tool: &Tool) -> bool {
        self.called.borrow_mut().insert(tool.name.clone())
    }

    /// Returns the known schema for calls of a tool with these arguments beside the document.
    pub fn schema(&self, tool: &str, others: &Map<String, Value>) -> Option<KnownSchema> {
        let schemas = self.schemas.borrow();
        schemas.get(&schema_key(tool, others)).cloned()
    }

    /// Stores the result of a request for a schema. If there is no room, the oldest is deleted.
    pub fn set_schema(&self, tool: &str, others: &Map<String, Value>, known: KnownSchema) {
        let mut schemas = self.schemas.borrow_mut();
        let key = schema_key(tool, others);
        if schemas.len() >= MAX_REMEMBERED_SCHEMAS && !schemas.contains_key(&key) {
            let oldest = schemas
                .iter()
                .min_by_key(|(_, known)| known.asked_ms)
                .map(|(key, _)| key.clone());
            if let Some(oldest) = oldest {
                schemas.remove(&oldest);
            }
        }
        schemas.insert(key, known);
    }

    fn schema_bytes(&self) -> usize {
        let schemas = self.schemas.borrow();
        schemas.values().map(|known| known.bytes).sum()
    }

    fn oldest_schema_ms(&self) -> Option<u64> {
        let schemas = self.schemas.borrow();
        let held = schemas.values().filter(|known| known.bytes > 0);
        held.map(|known| known.asked_ms).min()
    }

    fn drop_schemas_of(&self, asked_ms: u64) {
        let mut schemas = self.schemas.borrow_mut();
        schemas.retain(|_, known| known.bytes == 0 || known.asked_ms != asked_ms);
    }
}

/// Returns the key of a schema. One server may have several GraphQL tools, and one tool several
/// databases.
fn schema_key(tool: &str, others: &Map<String, Value>) -> String {
    let mut entries: Vec<(&String, &Value)> = others.iter().collect();
    entries.sort_by_key(|(name, _)| *name);
    format!("{tool}\0{}", json!(entries))
}

fn bytes_of(tool: &Tool) -> usize {
    let schema = |schema: &serde_json::Value| schema.to_string().len();
    let output = tool.output_schema.as_ref().map_or(0, schema);
    tool.name.len() + tool.description.len() + schema(&tool.input_schema) + output
}

/// Tenant and server. A list that was fetched with a caller's header is only for that header: the
/// server is then a [`passed_key`].
type Key = (String, String);

/// The separator between the name of a server, which cannot contain it, and the digest of a header.
const SEPARATOR: char = '\0';

/// Returns the key of a server for callers who send it this header.
pub fn passed_key(server: &str, digest: &str) -> String {
    format!("{server}{SEPARATOR}{digest}")
}

fn is_passed(key: &Key) -> bool {
    key.1.contains(SEPARATOR)
}

/// Catalogs by tenant and server.
#[derive(Default)]
pub struct Catalogs {
    entries: HashMap<Key, Rc<Catalog>>,
    /// Recent failures of lists, with their time.
    failures: HashMap<Key, (u64, Error)>,
}

impl Catalogs {
    /// Returns the catalog, unless it has expired.
    pub fn get(&self, tenant: &str, server: &str, now_ms: u64) -> Option<Rc<Catalog>> {
        self.entries
            .get(&(tenant.to_owned(), server.to_owned()))
            .filter(|catalog| now_ms < catalog.expires_ms)
            .cloned()
    }

    /// Stores a catalog. If there is no room, the oldest are deleted.
    pub fn put(&mut self, tenant: &str, server: &str, catalog: Rc<Catalog>) {
        let key = (tenant.to_owned(), server.to_owned());
        self.entries.remove(&key);
        while is_passed(&key) && self.passed() >= MAX_REMEMBERED_PASSED_LISTS {
            let Some(oldest) = self.oldest(is_passed) else {
                break;
            };
            self.entries.remove(&oldest);
        }
        while self.entries.len() >= MAX_REMEMBERED_TOOL_LISTS
            || self.bytes() + catalog.bytes > MAX_REMEMBERED_TOOL_BYTES
        {
            let Some(oldest) = self.oldest(|_| true) else {
                break;
            };
            self.entries.remove(&oldest);
        }
        self.failures.remove(&key);
        self.entries.insert(key, catalog);
    }

    fn passed(&self) -> usize {
        self.entries.keys().filter(|key| is_passed(key)).count()
    }

    fn oldest(&self, counts: impl Fn(&Key) -> bool) -> Option<Key> {
        self.entries
            .iter()
            .filter(|(key, _)| counts(key))
            .min_by_key(|(_, catalog)| catalog.listed_ms)
            .map(|(key, _)| key.clone())
    }

    /// Deletes the oldest schemas until the others fit into the limit.
    pub fn make_room_for_schemas(&self) {
        while self.schema_bytes() > MAX_REMEMBERED_SCHEMA_BYTES {
            let oldest = self
                .entries
                .values()
                .filter_map(|catalog| Some((catalog.oldest_schema_ms()?, catalog)))
                .min_by_key(|(asked_ms, _)| *asked_ms);
            let Some((asked_ms, catalog)) = oldest else {
                return;
            };
            catalog.drop_schemas_of(asked_ms);
        }
    }

    fn schema_bytes(&self) -> usize {
        let catalogs = self.entries.values();
        catalogs.map(|catalog| catalog.schema_bytes()).sum()
    }

    fn bytes(&self) -> usize {
        self.entries.values().map(|catalog| catalog.bytes).sum()
    }

    /// Returns the error of a list that failed at this time or later and has not succeeded since.
    pub fn failure(&self, tenant: &str, server: &str, since_ms: u64) -> Option<Error> {
        let (failed_ms, error) = self.failures.get(&(tenant.to_owned(), server.to_owned()))?;
        (*failed_ms >= since_ms).then(|| error.clone())
    }

    /// Stores the failure of a list.
    pub fn put_failure(&mut self, tenant: &str, server: &str, now_ms: u64, error: Error) {
        if self.failures.len() >= MAX_REMEMBERED_TOOL_LISTS {
            self.failures.clear();
        }
        let key = (tenant.to_owned(), server.to_owned());
        self.failures.insert(key, (now_ms, error));
    }

    /// Deletes a catalog that is out of date.
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
    fn a_schema_is_for_one_tool_and_its_other_arguments() {
        let catalog = catalog(None, 1);
        let others = |value: Value| value.as_object().cloned().unwrap_or_default();
        let (human, mouse) = (
            others(json!({ "db": "human" })),
            others(json!({ "db": "mouse" })),
        );
        let at = |asked_ms| KnownSchema {
            asked_ms,
            ..KnownSchema::default()
        };
        catalog.set_schema("query", &human, at(5));
        assert!(catalog.schema("query", &human).is_some());
        assert!(catalog.schema("query", &mouse).is_none());
        assert!(catalog.schema("other_query", &human).is_none());
        for number in 0..MAX_REMEMBERED_SCHEMAS as u64 {
            catalog.set_schema(&format!("tool{number}"), &mouse, at(10 + number));
        }
        assert!(
            catalog.schema("query", &human).is_none(),
            "the oldest makes room"
        );
        assert_eq!(catalog.schemas.borrow().len(), MAX_REMEMBERED_SCHEMAS);
    }

    #[test]
    fn schemas_of_all_tenants_have_one_room() {
        let mut catalogs = Catalogs::default();
        let others = Map::new();
        for number in 0..20 {
            let catalog = catalog(None, 1);
            catalogs.put(&format!("tenant{number}"), "graph", Rc::clone(&catalog));
            let known = KnownSchema {
                asked_ms: number,
                bytes: MAX_REMEMBERED_SCHEMA_BYTES / 4,
                ..KnownSchema::default()
            };
            catalog.set_schema("query", &others, known);
            catalogs.make_room_for_schemas();
        }
        assert_eq!(catalogs.schema_bytes(), MAX_REMEMBERED_SCHEMA_BYTES);
        let of = |number: u64| {
            let catalog = catalogs.get(&format!("tenant{number}"), "graph", 1);
            catalog.unwrap().schema("query", &others)
        };
        assert!(of(15).is_none());
        assert!(of(16).is_some() && of(19).is_some());
    }

    #[test]
    fn lists_of_callers_headers_leave_room_for_the_others() {
        let mut catalogs = Catalogs::default();
        catalogs.put("acme", "pubs", catalog(None, 0));
        for number in 0..=MAX_REMEMBERED_PASSED_LISTS as u64 {
            let key = passed_key("pubs", &number.to_string());
            catalogs.put("acme", &key, catalog(None, number));
        }
        assert_eq!(catalogs.passed(), MAX_REMEMBERED_PASSED_LISTS);
        assert!(catalogs.get("acme", "pubs", 1).is_some());
        assert!(catalogs.get("acme", &passed_key("pubs", "0"), 1).is_none());
        assert!(catalogs.get("acme", &passed_key("pubs", "1"), 1).is_some());
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
