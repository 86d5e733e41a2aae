//! The arguments of tools, as data. Arguments that several tools share are defined here once.

use serde_json::{Map, Value};

/// One argument of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    /// The name of the argument.
    pub name: &'static str,
    /// JSON text of the members of the schema that the server accepts, without braces. For a list
    /// of tools, [`crate::schema::for_hosts`] converts it.
    pub schema: &'static str,
    /// The description, for a reader who reads nothing else.
    pub says: &'static str,
}

impl Argument {
    /// Returns the schema with the description.
    pub fn schema(&self) -> Value {
        let read = serde_json::from_str::<Map<String, Value>>(&format!("{{{}}}", self.schema));
        let mut schema = read.unwrap_or_default();
        schema.insert("description".to_owned(), self.says.into());
        Value::Object(schema)
    }
}

/// Creates an argument with this schema.
pub const fn argument(name: &'static str, schema: &'static str, says: &'static str) -> Argument {
    Argument { name, schema, says }
}

/// Creates an argument that is a string and not empty.
pub const fn text(name: &'static str, says: &'static str) -> Argument {
    argument(name, r#""type":"string","minLength":1"#, says)
}

/// Creates an argument that is an integer from 0 on.
pub const fn whole(name: &'static str, says: &'static str) -> Argument {
    argument(name, r#""type":"integer","minimum":0"#, says)
}

/// Creates an argument that is an object.
pub const fn object(name: &'static str, says: &'static str) -> Argument {
    argument(name, r#""type":"object""#, says)
}

/// Creates an argument of any type.
pub const fn any(name: &'static str, says: &'static str) -> Argument {
    argument(name, "", says)
}

/// The session of a call, if the tool has one.
pub const SESSION: Argument = text(
    "session",
    "Name of the session, which is the database; leave out for your own",
);
/// The values of a statement's placeholders.
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
/// The confirmation of a deletion.
pub const CONFIRM: Argument = text(
    "confirm",
    "Leave out. Only if the error asks for it: ask the user, then send the text that it names",
);
/// The handling of a row whose key exists.
pub const ON_CONFLICT: Argument = argument(
    "onConflict",
    r#""enum":["error","ignore","replace"]"#,
    "What happens to a row whose key exists; default error",
);
/// The thread of the database agent.
pub const THREAD: Argument = text("thread", "thread that agent_ask returned");
