//! The tools, as data. Title, annotations and the fields of an operation's tool are those of the table of operations; a test compares them.
//!
//! A name is `area_verb` or `area_verb_noun`. A list of tools stands in the context of a model before it has done anything, so descriptions are short, and
//! schemas leave out what an error would tell as well. A test counts the tokens.

mod tools;

use operation::declaration::{Declaration, Effect};
use serde_json::{Map, Value};

use crate::Profile;
use crate::argument::{Argument, SESSION};

pub use tools::TOOLS;

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// This operation of the session.
    Operation(&'static str),
    /// Runs a program.
    Execute,
    /// Searches the tools of the configured servers.
    Search,
    /// Describes one of them.
    Describe,
    /// Calls one of them.
    Call,
    /// Loads rows from a text or a staged result.
    Import,
    /// Deletes a session.
    DeleteSession,
    /// Asks the database agent.
    AskDatabase,
    /// Decides what waits in a thread of it.
    Decide,
    /// Looks at a thread of it.
    GetThread,
    /// Explains a GraphQL response or query.
    GraphqlCheck,
}

/// Which profiles beside the whole list a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// The fewest tokens.
    pub compact: bool,
    /// What changes nothing.
    pub read_only: bool,
    /// The session database.
    pub database: bool,
    /// Programs and tools.
    pub code: bool,
}

/// What hosts may assume of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// It may take something away.
    pub destructive: bool,
    /// The second of two same calls changes nothing more.
    pub idempotent: bool,
    /// It reaches something outside the session.
    pub open_world: bool,
}

impl Hints {
    /// Those of an effect on an object of ours.
    pub fn of_effect(effect: Effect) -> Self {
        Self {
            read_only: effect.read_only,
            destructive: effect.destructive,
            idempotent: effect.idempotent,
            open_world: false,
        }
    }
}

/// One tool.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// As it is called.
    pub name: &'static str,
    /// What it does.
    pub does: Does,
    /// For people; of an operation, the operation's.
    title: &'static str,
    /// For models.
    pub description: &'static str,
    /// Its arguments, but for the session.
    pub arguments: &'static [Argument],
    /// The arguments that must be there.
    pub required: &'static [&'static str],
    /// JSON text of the properties of its structured content.
    pub output: &'static str,
    /// What hosts may assume; of an operation, the operation's.
    hints: Hints,
    /// Where it is listed.
    pub parts: Parts,
}

impl Tool {
    /// The operation that it stands for.
    pub fn operation(&self) -> Option<&'static Declaration> {
        match self.does {
            Does::Operation(name) => session::find(name).map(|(_, operation)| operation),
            _ => None,
        }
    }

    /// Whether it works on a session.
    pub fn has_session(&self) -> bool {
        !matches!(
            self.does,
            Does::Search | Does::Describe | Does::GraphqlCheck | Does::Decide | Does::GetThread
        )
    }

    fn is_part_of(&self, profile: Profile) -> bool {
        match profile {
            Profile::Full => true,
            Profile::Compact => self.parts.compact,
            Profile::ReadOnly => self.parts.read_only,
            Profile::Database => self.parts.database,
            Profile::Code => self.parts.code,
        }
    }

    /// The schemas of what the server takes as its arguments, the session among them.
    pub fn properties(&self) -> Map<String, Value> {
        let session = self.has_session().then_some(&SESSION);
        self.arguments
            .iter()
            .chain(session)
            .map(|argument| (argument.name.to_owned(), argument.schema()))
            .collect()
    }

    /// For people.
    pub fn title(&self) -> &'static str {
        self.operation()
            .map_or(self.title, |operation| operation.title)
    }

    /// What hosts may assume.
    pub fn hints(&self) -> Hints {
        self.operation()
            .map_or(self.hints, |operation| Hints::of_effect(operation.effect))
    }
}

/// The tools of a profile.
pub fn listed(profile: Profile) -> impl Iterator<Item = &'static Tool> {
    TOOLS.iter().filter(move |tool| tool.is_part_of(profile))
}
