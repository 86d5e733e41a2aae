//! Files as resources: the list of files, page by page, and the text of each file.

use serde_json::{Map, Value, json};

use super::CodeProduct;
use super::backend::CodeBackend;
use super::given::{Done, Given, arguments_of};
use crate::limits::LIST_TTL_MS;
use crate::resources::not_found;
use crate::results::at;
use base::percent;
use mcp::server::{Cache, Fault, Outcome, Scope};
use serde_json::value::RawValue;

/// The scheme of the URIs of workspaces.
const SCHEME: &str = "code://";

/// The template of files.
pub(super) const TEMPLATE: &str = "code://{workspace}/{+path}";

/// The names of the template's parts.
pub(super) const TEMPLATE_PARTS: &[&str] = &["workspace", "path"];

/// JSON text of the members of the result of `resources/templates/list`.
pub(super) const TEMPLATES: &str = r#""resourceTemplates":[{"uriTemplate":"code://{workspace}/{+path}","name":"file","title":"File of the workspace","description":"Its text; _meta has next, the URI of what follows, where it does not fit"}]"#;

/// The member of `_meta` with the URI of the next part.
const META: &str = "codemode-database/code";

/// Returns the URI of a workspace.
pub fn uri_of(workspace: &str) -> String {
    format!("{SCHEME}{}", percent::encode(workspace))
}

/// The target of a URI.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// A page of the list, after a path.
    List(Option<String>),
    /// A file, from a byte position on.
    File(String, Option<u64>),
}

impl Place {
    /// Parses a URI of this workspace; none for another URI.
    fn parse(uri: &str, workspace: &str) -> Option<Self> {
        let rest = uri.strip_prefix(SCHEME)?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (name, path) = rest.split_once('/').unwrap_or((rest, ""));
        if percent::decode(name)? != workspace {
            return None;
        }
        let (key, value) = query.split_once('=').unwrap_or((query, ""));
        let value = percent::decode(value)?;
        let path = percent::decode(path)?;
        match (path.is_empty(), key) {
            (true, "") => Some(Self::List(None)),
            (true, "cursor") => Some(Self::List(Some(value))),
            (false, "") => Some(Self::File(path, None)),
            (false, "start_byte") => Some(Self::File(path, Some(value.parse().ok()?))),
            _ => None,
        }
    }

    /// Returns the operation that reads the target, with its arguments.
    fn call(&self) -> (&'static str, Value) {
        match self {
            Self::List(None) => ("list_files", json!({})),
            Self::List(Some(cursor)) => ("list_files", json!({ "cursor": cursor })),
            Self::File(path, None) => ("read_file", json!({ "file_path": path })),
            Self::File(path, Some(start)) => (
                "read_file",
                json!({ "file_path": path, "start_byte": start }),
            ),
        }
    }
}

/// Returns the URI of a file. Slashes are not escaped.
fn uri_of_file(workspace: &str, path: &str) -> String {
    let parts: Vec<String> = path.split('/').map(percent::encode).collect();
    format!("{}/{}", uri_of(workspace), parts.join("/"))
}

impl<B: CodeBackend> CodeProduct<B> {
    /// Returns the list of resources, which has one page.
    pub(super) fn list_resources(&self) -> Outcome {
        let workspace = &self.terms.workspace;
        let resources = json!([{
            "uri": uri_of(workspace), "name": "files",
            "title": format!("Files of {workspace}"),
            "description": "Path, size, language and hashes of each file, page by page", "mimeType": "application/json",
        }]);
        let cache = Cache {
            ttl_ms: LIST_TTL_MS,
            scope: Scope::Private,
        };
        Outcome::cached(format!(r#""resources":{resources}"#), cache)
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// [`Fault`] with the URI if there is no such resource.
    pub(super) async fn read_resource(&self, uri: &str) -> Result<Outcome, Fault> {
        let Some(place) = Place::parse(uri, &self.terms.workspace) else {
            return Err(not_found(uri, "there is no such resource"));
        };
        let (name, arguments) = place.call();
        let (operation, _) =
            code::find(name).ok_or_else(|| Fault::params(format!("{name} is not an operation")))?;
        let raw = RawValue::from_string(arguments.to_string())
            .map_err(|error| Fault::params(error.to_string()))?;
        let given = Given {
            operation,
            arguments: arguments_of(operation, &raw)?,
        };
        let members = match self.perform(&given).await? {
            Done::Shown { members, .. } => members,
            Done::Failure(error) => {
                let message = at(&error, "message").as_str().unwrap_or_default();
                return Err(not_found(uri, message));
            }
        };
        let read: Value = serde_json::from_str(&format!("{{{members}}}")).unwrap_or_default();
        let content = self.content(uri, &place, &read);
        Ok(Outcome::cached(
            format!(r#""contents":[{content}]"#),
            Cache::NONE,
        ))
    }

    fn content(&self, uri: &str, place: &Place, read: &Value) -> Value {
        let workspace = &self.terms.workspace;
        let (kind, text, next) = match place {
            Place::List(_) => {
                let cursor = at(read, "nextCursor").as_str();
                let next = cursor.map(|cursor| {
                    format!("{}?cursor={}", uri_of(workspace), percent::encode(cursor))
                });
                let files = at(read, "files").as_array().into_iter().flatten();
                let files: Vec<Value> = files.map(|file| self.listed(file)).collect();
                let text = json!({ "workspace": workspace, "version": at(read, "version"), "files": files, "next": next });
                ("application/json", text.to_string(), next)
            }
            Place::File(path, _) => {
                let end = at(read, "range").get(1).and_then(Value::as_u64);
                let next = end
                    .filter(|_| at(read, "truncated") == true)
                    .map(|end| format!("{}?start_byte={end}", uri_of_file(workspace, path)));
                let text = at(read, "text").as_str().unwrap_or_default();
                ("text/plain", text.to_owned(), next)
            }
        };
        let mut content = Map::new();
        content.insert("uri".to_owned(), uri.into());
        content.insert("mimeType".to_owned(), kind.into());
        content.insert("text".to_owned(), text.into());
        if let Some(next) = next {
            content.insert("_meta".to_owned(), json!({ META: { "next": next } }));
        }
        Value::Object(content)
    }

    /// Returns an entry of the list of files, with its URI.
    fn listed(&self, file: &Value) -> Value {
        let mut file = file.clone();
        let path = at(&file, "file_path").as_str().unwrap_or_default();
        let uri = uri_of_file(&self.terms.workspace, path);
        if let Some(fields) = file.as_object_mut() {
            fields.insert("uri".to_owned(), uri.into());
        }
        file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_leads_to_a_page_or_a_file_of_its_workspace() {
        let file = |path: &str, start| Some(Place::File(path.to_owned(), start));
        for (uri, place) in [
            ("code://w", Some(Place::List(None))),
            ("code://w/", Some(Place::List(None))),
            (
                "code://w?cursor=a%20b",
                Some(Place::List(Some("a b".to_owned()))),
            ),
            ("code://w/src/lib.rs", file("src/lib.rs", None)),
            ("code://w/a%20b.rs?start_byte=7", file("a b.rs", Some(7))),
            ("code://w/a.rs?start_byte=x", None),
            ("code://w/a.rs?limit=1", None),
            ("code://other/a.rs", None),
            ("graph://w", None),
            ("code://%zz", None),
        ] {
            assert_eq!(Place::parse(uri, "w"), place, "{uri}");
        }
        assert_eq!(uri_of_file("a:b", "src/é.rs"), "code://a%3Ab/src/%C3%A9.rs");
    }

    #[test]
    fn the_template_has_its_parts() {
        assert!(TEMPLATES.contains(&format!(r#""uriTemplate":"{TEMPLATE}""#)));
        for part in TEMPLATE_PARTS {
            assert!(TEMPLATE.contains(part));
        }
    }
}
