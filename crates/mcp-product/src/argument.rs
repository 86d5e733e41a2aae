//! The arguments of tools, as data: what several tools share stands here once.

use serde_json::{Map, Value};

/// One argument of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    /// As it is called.
    pub name: &'static str,
    /// JSON text of the members of the schema of what the server takes, without braces. A list of tools shows [`crate::schema::for_hosts`] of it.
    pub schema: &'static str,
    /// For somebody who reads nothing else.
    pub says: &'static str,
}

impl Argument {
    /// The schema with the description.
    pub fn schema(&self) -> Value {
        let read = serde_json::from_str::<Map<String, Value>>(&format!("{{{}}}", self.schema));
        let mut schema = read.unwrap_or_default();
        schema.insert("description".to_owned(), self.says.into());
        Value::Object(schema)
    }
}

/// An argument of this schema.
pub const fn argument(name: &'static str, schema: &'static str, says: &'static str) -> Argument {
    Argument { name, schema, says }
}

/// A text, which is not empty.
pub const fn text(name: &'static str, says: &'static str) -> Argument {
    argument(name, r#""type":"string","minLength":1"#, says)
}

/// A whole number.
pub const fn whole(name: &'static str, says: &'static str) -> Argument {
    argument(name, r#""type":"integer","minimum":0"#, says)
}

/// An object.
pub const fn object(name: &'static str, says: &'static str) -> Argument {
    argument(name, r#""type":"object""#, says)
}

/// Any value.
pub const fn any(name: &'static str, says: &'static str) -> Argument {
    argument(name, "", says)
}

/// The session of a call, where the tool has one.
pub const SESSION: Argument = text(
    "session",
    "Name of the session, which is the database; leave out for your own",
);
/// The values of a statement.
pub const PARAMS: Argument = argument(
    "params",
    r#""anyOf":[{"type":"array","items":{"type":["string","number","boolean","null"]}},{"type":"object"}]"#,
    "Values of the ? in their order",
);
/// The database of a call.
pub const TARGET: Argument = argument(
    "target",
    r#""enum":["session","persistent"]"#,
    "persistent: the lasting tables that all sessions share; default session",
);
/// The proof that somebody agreed.
pub const CONFIRM: Argument = text(
    "confirm",
    "Leave out. Only if the error asks for it: ask the user, then send the text that it names",
);
/// What becomes of a row whose key exists.
pub const ON_CONFLICT: Argument = argument(
    "onConflict",
    r#""enum":["error","ignore","replace"]"#,
    "What happens to a row whose key exists; default error",
);
/// The thread of the agent.
pub const THREAD: Argument = text("thread", "thread that agent_ask returned");
