//! Sessions as resources: their schema, and the rows of their tables in pages.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::backend::Backend;
use crate::limits::{LISTED_RESOURCES, RESOURCE_PAGE_ROWS};
use crate::results::tokens::estimate;
use crate::results::{self, ObjectResponse, at};
use crate::terms::Terms;
use base::names::check_name;
use base::{Error, Result, percent};
use mcp::server::{Cache, Fault, Outcome};
use sql_gate::compose::quote_identifier;

/// Tokens of the resource of a session with a name of maximum length.
const SESSION_TOKENS: usize = 300;
/// The scheme of our URIs.
const SCHEME: &str = "db://";

/// JSON text of the members of the result of `resources/templates/list`.
pub const TEMPLATES: &str = r#""resourceTemplates":[{"uriTemplate":"db://{session}/schema","name":"schema","title":"Schema of a session","description":"Tables of a session with their columns and numbers of rows","mimeType":"application/json"},{"uriTemplate":"db://{session}/tables/{table}{?offset,limit}","name":"table","title":"Rows of a table","description":"One page of the rows of a table; next is the URI of the next page","mimeType":"application/json"}]"#;

/// The target of a URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The session.
    pub session: String,
    /// The table; none for the schema.
    pub table: Option<String>,
    /// The number of rows before the page.
    pub offset: u64,
    /// The maximum number of rows on the page.
    pub limit: u64,
}

impl Place {
    /// Parses a URI; none if it is not one of ours.
    pub fn parse(uri: &str) -> Option<Self> {
        let rest = uri.strip_prefix(SCHEME)?;
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (session, path) = path.split_once('/')?;
        let session = percent::decode(session)?;
        check_name("session", &session).ok()?;
        let mut place = Self {
            session,
            table: None,
            offset: 0,
            limit: RESOURCE_PAGE_ROWS,
        };
        if path == "schema" && query.is_empty() {
            return Some(place);
        }
        let table = percent::decode(path.strip_prefix("tables/")?)?;
        place.table = Some(table).filter(|table| !table.is_empty());
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=')?;
            match name {
                "offset" => place.offset = value.parse().ok()?,
                "limit" => {
                    place.limit = value
                        .parse()
                        .ok()
                        .filter(|limit| (1..=10_000).contains(limit))?
                }
                _ => return None,
            }
        }
        place.table.is_some().then_some(place)
    }
}

fn schema_uri(session: &str) -> String {
    format!("{SCHEME}{session}/schema")
}

fn table_uri(session: &str, table: &str) -> String {
    format!("{SCHEME}{session}/tables/{}", percent::encode(table))
}

/// A page of the list while it is filled.
struct ResourcePage {
    resources: Vec<Value>,
    /// The tokens that remain.
    left: usize,
}

impl ResourcePage {
    /// Adds an entry if there is room; the first entry always fits.
    fn add(&mut self, resource: Value) -> bool {
        let cost = estimate(&resource.to_string());
        if cost > self.left && !self.resources.is_empty() {
            return false;
        }
        self.left = self.left.saturating_sub(cost);
        self.resources.push(resource);
        true
    }

    /// Adds the tables of a session, beginning with this number. Returns the number of the first
    /// table that does not fit.
    fn add_tables(&mut self, session: &str, tables: &[String], from: usize) -> Option<usize> {
        for (number, table) in tables.iter().enumerate().skip(from) {
            let resource = json!({
                "uri": table_uri(session, table), "name": format!("{session}/{table}"),
                "title": format!("Table {table}"), "mimeType": "application/json",
            });
            if !self.add(resource) {
                return Some(number);
            }
        }
        None
    }

    fn outcome(self, next: Option<String>) -> Outcome {
        let mut members = format!(r#""resources":{}"#, Value::from(self.resources));
        if let Some(next) = next {
            members.push_str(&format!(r#","nextCursor":{}"#, Value::from(next)));
        }
        Outcome::cached(members, Cache::NONE)
    }
}

/// The separator in a cursor between the name of a session, which cannot contain it, and the number
/// of the table with which the next page begins.
const IN_SESSION: char = '+';

/// Returns one page of the list: the schema of each session, and the tables of the caller's own
/// session.
///
/// # Errors
/// [`Fault`] for an invalid cursor.
pub async fn list(
    backend: &impl Backend,
    terms: &Terms,
    cursor: Option<&str>,
) -> std::result::Result<Outcome, Fault> {
    let mut listed = ResourcePage {
        resources: Vec::new(),
        left: terms.max_tokens.saturating_sub(FRAME_TOKENS),
    };
    // Some hosts send an empty cursor for the first page.
    let cursor = cursor.filter(|cursor| !cursor.is_empty());
    let within = cursor.and_then(|cursor| cursor.split_once(IN_SESSION));
    let mut after = cursor.map(str::to_owned);
    if let Some((session, number)) = within {
        let no_cursor = || Fault::params("there is no such cursor");
        let from = number.parse().map_err(|_| no_cursor())?;
        check_name("cursor", session).map_err(|_| no_cursor())?;
        let tables = table_names(backend, session).await?;
        if let Some(next) = listed.add_tables(session, &tables, from) {
            return Ok(listed.outcome(Some(format!("{session}{IN_SESSION}{next}"))));
        }
        after = Some(session.to_owned());
    }
    // Half of the room is for the sessions, whatever their names are.
    let sessions = (listed.left / 2 / SESSION_TOKENS).clamp(1, LISTED_RESOURCES);
    let body = backend.sessions(sessions, after.as_deref()).await?;
    let read: Value = serde_json::from_str(&body).unwrap_or_default();
    if at(&read, "success") != true {
        let message = at(at(&read, "error"), "message")
            .as_str()
            .unwrap_or("the sessions cannot be listed");
        return Err(Fault::params(message.to_owned()).with(at(&read, "error").clone()));
    }
    let names = at(&read, "sessions").as_array().into_iter().flatten();
    for name in names.filter_map(|session| at(session, "name").as_str()) {
        let schema = json!({
            "uri": schema_uri(name), "name": format!("{name}/schema"),
            "title": format!("Schema of session {name}"), "mimeType": "application/json",
        });
        if !listed.add(schema) {
            return Ok(listed.outcome(after));
        }
        after = Some(name.to_owned());
        if name == terms.session {
            let tables = table_names(backend, name).await?;
            if let Some(next) = listed.add_tables(name, &tables, 0) {
                return Ok(listed.outcome(Some(format!("{name}{IN_SESSION}{next}"))));
            }
        }
    }
    let next = at(&read, "nextCursor").as_str().map(str::to_owned);
    Ok(listed.outcome(next))
}

/// Returns the names of the tables of a session.
///
/// # Errors
/// If there is no response.
pub async fn table_names(backend: &impl Backend, session: &str) -> Result<Vec<String>> {
    let body = r#"{"operation":"getTables"}"#.to_owned();
    let said = backend.operate(session, body).await?;
    let read: Value = serde_json::from_str(&said).unwrap_or_default();
    let names = at(&read, "tables").as_array().into_iter().flatten();
    Ok(names
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect())
}

/// Reads a resource.
///
/// # Errors
/// [`Fault`] with the URI if there is no such resource.
pub async fn read(
    backend: &impl Backend,
    terms: &Terms,
    uri: &str,
) -> std::result::Result<Outcome, Fault> {
    let Some(place) = Place::parse(uri) else {
        return Err(not_found(uri, "there is no such resource"));
    };
    let text = match &place.table {
        None => schema(backend, terms, &place.session).await?,
        Some(table) => rows(backend, terms, &place, table, uri).await?,
    };
    let members = format!(
        r#""contents":[{{"uri":{},"mimeType":"application/json","text":{}}}]"#,
        Value::from(uri),
        Value::from(text)
    );
    Ok(Outcome::cached(members, Cache::NONE))
}

/// Returns the refusal of a resource that does not exist.
pub(crate) fn not_found(uri: &str, why: &str) -> Fault {
    Fault::params(format!("resource not found: {why}")).with(json!({ "uri": uri }))
}

/// Renders the tables with their columns and numbers of rows as JSON text.
async fn schema(backend: &impl Backend, terms: &Terms, session: &str) -> Result<String> {
    let metrics = r#"{"operation":"getMetrics"}"#.to_owned();
    let said = backend.operate(session, metrics).await?;
    let metrics: Value = serde_json::from_str(&said).unwrap_or_default();
    let mut tables = Vec::new();
    let mut left = terms.max_tokens.saturating_sub(FRAME_TOKENS);
    let counted = at(&metrics, "tables").as_object();
    for (name, rows) in counted.into_iter().flatten().take(LISTED_RESOURCES) {
        let body = json!({ "operation": "getColumns", "table": name }).to_string();
        let said = backend.operate(session, body).await?;
        let read: Value = serde_json::from_str(&said).unwrap_or_default();
        let table = json!({ "name": name, "rows": rows, "columns": at(&read, "columns"), "uri": table_uri(session, name) });
        let Some(rest) = left.checked_sub(escaped_tokens(&table)) else {
            break;
        };
        left = rest;
        tables.push(table);
    }
    let all = counted.map_or(0, serde_json::Map::len);
    let more = all.saturating_sub(tables.len());
    Ok(json!({ "session": session, "tables": tables, "moreTables": more }).to_string())
}

/// Tokens of the parts around the entries.
const FRAME_TOKENS: usize = 200;

/// Estimates the tokens of a value inside a JSON string, in which each quotation mark has a
/// backslash.
fn escaped_tokens(value: &Value) -> usize {
    let text = value.to_string();
    estimate(&text) + text.matches('"').count()
}

/// Renders a page of rows as JSON text.
async fn rows(
    backend: &impl Backend,
    terms: &Terms,
    place: &Place,
    table: &str,
    uri: &str,
) -> std::result::Result<String, Fault> {
    let body = json!({
        "operation": "query", "sql": format!("SELECT * FROM {}", quote_identifier(table)),
        "rowFormat": "array", "limit": place.limit, "offset": place.offset, "maxBytes": terms.result_bytes(),
    });
    let said = backend.operate(&place.session, body.to_string()).await?;
    let members = match ObjectResponse::read(&said) {
        ObjectResponse::Success(members) => members,
        ObjectResponse::Failure(error) => {
            let message = at(&error, "message")
                .as_str()
                .unwrap_or_default()
                .to_owned();
            return Err(not_found(uri, &message));
        }
    };
    let page = results::page(&members, terms.max_tokens, RESOURCE_PAGE_ROWS)
        .map_err(|error: Error| Fault::from(error))?;
    let mut text = format!(
        r#"{{"session":"{}","table":{},"offset":{},{}"#,
        place.session,
        Value::from(table),
        place.offset,
        page.members
    );
    if page.truncated {
        let next = format!(
            "{}?offset={}&limit={}",
            table_uri(&place.session, table),
            place.offset + page.rows,
            place.limit
        );
        text.push_str(&format!(r#","next":{}"#, Value::from(next)));
    }
    text.push('}');
    // Invalid JSON would be an error of ours, which the client should not have to find.
    match serde_json::from_str::<&RawValue>(&text) {
        Ok(_) => Ok(text),
        Err(error) => Err(Fault::from(Error::internal(error.to_string()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_leads_to_a_schema_or_to_a_page_of_a_table() {
        let place = Place::parse("db://films/schema").unwrap();
        assert_eq!((place.session.as_str(), place.table), ("films", None));
        let place = Place::parse("db://my%3Afilms/tables/two%20words?offset=5&limit=10").unwrap();
        assert_eq!(place.table.as_deref(), Some("two words"));
        assert_eq!(
            (place.session.as_str(), place.offset, place.limit),
            ("my:films", 5, 10)
        );
        assert_eq!(
            table_uri("films", "a/b é"),
            "db://films/tables/a%2Fb%20%C3%A9"
        );
        for uri in [
            "",
            "db://",
            "db://films",
            "db://films/",
            "db://films/other",
            "db://a b/schema",
            "db://../schema",
            "db://films/tables/",
            "db://films/tables/t?offset=-1",
            "db://films/tables/t?limit=0",
            "db://films/tables/t?page=2",
            "db://films/schema?x=1",
            "file:///etc/passwd",
            "db://films/tables/%zz",
        ] {
            assert_eq!(Place::parse(uri), None, "{uri}");
        }
    }
}
