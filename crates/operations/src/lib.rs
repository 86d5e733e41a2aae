//! Operations: the form in which an object declares its own, and the tables of those that are not declared beside their handlers yet.
//!
//! `operation!` makes the type of an operation's arguments and declares the operation; reading, JSON Schema, routes' parameters, tools,
//! helpers of programs and OpenAPI follow from it. The operations of a knowledge graph are declared so, in the crate `graph`, and those of a
//! code workspace, in the crates `code` and `workspace`.
//!
//! `operations.json` is the table of a session's operations; the build script checks it and makes constants of it. Adding one is an entry
//! there and a handler in the crate `session`.

pub mod arguments;
pub mod declaration;
pub mod shape;

include!(concat!(env!("OUT_DIR"), "/operations.rs"));

/// The servers that stand for the session.
pub const SERVERS: &[&str] = &["db", "schema"];

/// Whether a server is one of those that stand for the session.
pub fn is_own_server(name: &str) -> bool {
    SERVERS.contains(&name)
}

/// One operation of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// To be matched.
    pub id: Id,
    /// As it stands in `operation`.
    pub name: &'static str,
    /// Who answers it, of [`SERVERS`]: as `calls` names it, and as the proxy knows it.
    pub server: &'static str,
    /// The interface of the guidance that declares it.
    pub helper: &'static str,
    /// For people.
    pub title: &'static str,
    /// For models.
    pub description: &'static str,
    /// The method that programs call, in TypeScript, with the comment above it.
    pub declaration: &'static str,
    /// Whether it takes the target `persistent`.
    pub persistent: bool,
    /// It changes nothing.
    pub read_only: bool,
    /// It may take something away.
    pub destructive: bool,
    /// The second of two same requests changes nothing more.
    pub idempotent: bool,
    /// It reaches something outside the session.
    pub open_world: bool,
    /// The fields that a request may have, `operation` first.
    pub fields: &'static [&'static str],
    /// JSON Schema of the other fields. Its references name [`DEFINITIONS`].
    pub input: &'static str,
    /// The same without references, for whoever reads one schema alone.
    pub input_inlined: &'static str,
    /// The names of the schemas of its responses, as a JSON list.
    pub output: &'static str,
    /// Requests by name, as a JSON object.
    pub examples: &'static str,
}

/// The operation of a name.
pub fn find(name: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.name == name)
}

/// The operations of a server.
pub fn of_server(server: &str) -> impl Iterator<Item = &'static Operation> {
    OPERATIONS
        .iter()
        .filter(move |operation| operation.server == server)
}

/// Who answers an operation; the first of [`SERVERS`] for a name that is none.
pub fn server_of(name: &str) -> &'static str {
    find(name).map_or("db", |operation| operation.server)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_belongs_to_a_server_and_says_what_it_is() {
        for operation in OPERATIONS {
            let name = operation.name;
            assert!(SERVERS.contains(&operation.server), "{name}");
            assert!(
                !operation.title.is_empty() && !operation.description.is_empty(),
                "{name}"
            );
            assert!(
                operation.declaration.contains(&format!("{name}(")),
                "{name}"
            );
            assert!(!(operation.read_only && operation.destructive), "{name}");
            assert_eq!(find(name), Some(operation), "{name} stands there twice");
        }
    }
}
