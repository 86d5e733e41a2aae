//! The graph as a resource, page by page, and the web page that shows it.

use serde_json::{Value, json};

use super::backend::GraphBackend;
use super::product::GraphProduct;
use super::table::VIEWER;
use crate::limits::LIST_TTL_MS;
use crate::resources::not_found;
use crate::results::at;
use base::percent;
use graph::Id;
use mcp::server::{Cache, Fault, Outcome, Scope};
use operation::declaration::Pages;

/// The scheme of the URIs of graphs.
const SCHEME: &str = "graph://";

/// The media type of a web page for hosts (MCP Apps, version 2026-01-26).
pub const VIEWER_TYPE: &str = "text/html;profile=mcp-app";

/// The template of further pages.
pub const TEMPLATE: &str = "graph://{conversationId}{?type,cursor}";

/// The names of the template's parts.
pub const TEMPLATE_PARTS: &[&str] = &["conversationId", "type", "cursor"];

/// JSON text of the members of the result of `resources/templates/list`.
pub const TEMPLATES: &str = r#""resourceTemplates":[{"uriTemplate":"graph://{conversationId}{?type,cursor}","name":"graph","title":"Page of the graph","description":"Nodes and edges, nodes first; next is the URI of the next page","mimeType":"application/json"}]"#;

/// Returns the URI of the graph of a conversation.
pub fn uri_of(conversation: &str) -> String {
    format!("{SCHEME}{}", percent::encode(conversation))
}

/// The target of a URI: a part of the graph of a conversation.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The conversation.
    pub conversation: String,
    /// The type of the nodes.
    pub kind: Option<String>,
    /// The position at which the page begins.
    pub cursor: Option<String>,
}

impl Part {
    /// Parses a URI; none if it is not the URI of a graph.
    pub fn parse(uri: &str) -> Option<Self> {
        let rest = uri.strip_prefix(SCHEME)?;
        let (name, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut part = Self {
            // A host that parses the URI as a URL may add the slash.
            conversation: percent::decode(name.strip_suffix('/').unwrap_or(name))?,
            ..Self::default()
        };
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=')?;
            let value = Some(percent::decode(value)?).filter(|value| !value.is_empty());
            match name {
                "type" => part.kind = value,
                "cursor" => part.cursor = value,
                _ => return None,
            }
        }
        Some(part)
    }

    fn fields(&self) -> Vec<(String, String)> {
        let fields = [("type", &self.kind), ("cursor", &self.cursor)];
        fields
            .into_iter()
            .filter_map(|(name, value)| {
                let value = value.as_deref()?;
                Some((name.to_owned(), Value::from(value).to_string()))
            })
            .collect()
    }

    /// Returns the URI of the page that begins at a cursor.
    fn next(&self, cursor: &str) -> String {
        let kind = self.kind.as_deref().map_or_else(String::new, |kind| {
            format!("type={}&", percent::encode(kind))
        });
        format!(
            "{}?{kind}cursor={}",
            uri_of(&self.conversation),
            percent::encode(cursor)
        )
    }
}

impl<B: GraphBackend> GraphProduct<B> {
    /// Returns the list of resources, which has one page.
    pub(super) fn list_resources(&self) -> Outcome {
        let mut resources = vec![json!({
            "uri": uri_of(&self.terms.conversation), "name": "graph",
            "title": format!("Knowledge graph of {}", self.terms.conversation),
            "description": "Nodes and edges, page by page", "mimeType": "application/json",
        })];
        if self.backend.has_viewer() {
            resources.push(json!({
                "uri": VIEWER, "name": "graph-viewer", "title": "Viewer of the graph",
                "description": "Shows the graph, for hosts with MCP Apps", "mimeType": VIEWER_TYPE,
            }));
        }
        let members = format!(r#""resources":{}"#, Value::from(resources));
        Outcome::cached(members, private())
    }

    /// Returns true if changes of a URI are reported.
    pub(super) fn is_own(&self, uri: &str) -> bool {
        Part::parse(uri).is_some_and(|part| part.conversation == self.terms.conversation)
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// [`Fault`] with the URI if there is no such resource.
    pub(super) async fn read_resource(&self, uri: &str) -> Result<Outcome, Fault> {
        if uri == VIEWER {
            return self.read_viewer().await;
        }
        let part = Part::parse(uri).filter(|part| part.conversation == self.terms.conversation);
        let Some(part) = part else {
            return Err(not_found(uri, "there is no such resource"));
        };
        let read = self
            .page(
                Id::GetGraphState.declaration(),
                Pages::State,
                None,
                &part.fields(),
            )
            .await?;
        let (page, _) = read.map_err(|error| {
            let message = at(&error, "message").as_str().unwrap_or_default();
            not_found(uri, message)
        })?;
        let mut text = format!(
            r#"{{"graph":{},{}"#,
            Value::from(uri_of(&self.terms.conversation)),
            page.members()
        );
        if let Some(cursor) = page.member("nextCursor").as_str() {
            text.push_str(&format!(r#","next":{}"#, Value::from(part.next(cursor))));
        }
        text.push('}');
        let content = json!({ "uri": uri, "mimeType": "application/json", "text": text });
        Ok(Outcome::cached(
            format!(r#""contents":[{content}]"#),
            Cache::NONE,
        ))
    }

    async fn read_viewer(&self) -> Result<Outcome, Fault> {
        let Some(html) = self.backend.viewer().await? else {
            return Err(not_found(VIEWER, "the deployment has no pages"));
        };
        // The page loads nothing and talks only to its host: an empty policy is the strictest.
        let content = json!({
            "uri": VIEWER, "mimeType": VIEWER_TYPE, "text": html,
            "_meta": { "ui": { "csp": {}, "prefersBorder": true } },
        });
        Ok(Outcome::cached(
            format!(r#""contents":[{content}]"#),
            private(),
        ))
    }
}

fn private() -> Cache {
    Cache {
        ttl_ms: LIST_TTL_MS,
        scope: Scope::Private,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_leads_to_a_part_of_a_graph() {
        for (uri, conversation, kind, cursor) in [
            ("graph://c", "c", None, None),
            ("graph://c/", "c", None, None),
            (
                "graph://a%3Ab?type=a%20b&cursor=x%3D",
                "a:b",
                Some("a b"),
                Some("x="),
            ),
            ("graph://c?cursor=", "c", None, None),
        ] {
            let part = Part::parse(uri).unwrap();
            assert_eq!(
                (
                    part.conversation.as_str(),
                    part.kind.as_deref(),
                    part.cursor.as_deref()
                ),
                (conversation, kind, cursor)
            );
        }
        for uri in [
            "",
            "db://c",
            "graph://%zz",
            "graph://c?limit=1",
            "graph://c?type",
            "ui://graph/viewer",
        ] {
            assert_eq!(Part::parse(uri), None, "{uri}");
        }
        assert_eq!(uri_of("a:b"), "graph://a%3Ab");
        let part = Part::parse("graph://c?type=x%26y").unwrap();
        assert_eq!(
            Part::parse(&part.next("1/2")).unwrap().cursor.as_deref(),
            Some("1/2")
        );
        assert_eq!(
            Part::parse(&part.next("1/2")).unwrap().kind.as_deref(),
            Some("x&y")
        );
    }

    #[test]
    fn the_template_has_its_parts() {
        assert!(TEMPLATES.contains(&format!(r#""uriTemplate":"{TEMPLATE}""#)));
        for part in TEMPLATE_PARTS {
            assert!(TEMPLATE.contains(part));
        }
    }
}
