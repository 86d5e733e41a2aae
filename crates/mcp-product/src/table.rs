//! The tools, as data. Title, annotations and fields of a tool for an operation are those of the
//! table of operations; a test compares them.
//!
//! A name is `area_verb` or `area_verb_noun`. A list of tools is in the context of a model from the
//! beginning, so descriptions are short, and schemas leave out details that an error would report.
//! A test counts the tokens.

mod tools;

use operation::declaration::{Declaration, Effect};
use serde_json::{Map, Value};

use crate::Profile;
use crate::argument::{Argument, SESSION};

pub use tools::TOOLS;

/// The action of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolAction {
    /// Runs this operation of the session.
    Operation(&'static str),
    /// Runs a program.
    Execute,
    /// Searches the tools of the configured servers.
    Search,
    /// Describes a tool of a configured server.
    Describe,
    /// Calls a tool of a configured server.
    Call,
    /// Loads rows from a text or a staged result.
    Import,
    /// Deletes a session.
    DeleteSession,
    /// Asks the database agent.
    AskDatabase,
    /// Makes a decision in a thread of the agent.
    Decide,
    /// Returns a thread of the agent.
    GetThread,
    /// Explains a GraphQL response or query.
    GraphqlCheck,
}

/// The profiles that list a tool, in addition to the full one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// True for the compact profile.
    pub compact: bool,
    /// True for the read-only profile.
    pub read_only: bool,
    /// True for the database profile.
    pub database: bool,
    /// True for the profile of programs and tools.
    pub code: bool,
}

/// The hints about a tool for hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hints {
    /// True if it changes nothing.
    pub read_only: bool,
    /// True if it may delete or overwrite something.
    pub destructive: bool,
    /// True if the second of two identical calls has no further effect.
    pub idempotent: bool,
    /// True if it reaches something outside the session.
    pub open_world: bool,
}

impl Hints {
    /// Returns the hints for an effect on one of our objects.
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
    /// The name.
    pub name: &'static str,
    /// The action.
    pub does: ToolAction,
    /// The title for people; a tool for an operation has the operation's.
    title: &'static str,
    /// The description for models.
    pub description: &'static str,
    /// The arguments, without the session.
    pub arguments: &'static [Argument],
    /// The names of the required arguments.
    pub required: &'static [&'static str],
    /// JSON text of the properties of its structured content.
    pub output: &'static str,
    /// The hints for hosts; a tool for an operation has the operation's.
    hints: Hints,
    /// The profiles that list it.
    pub parts: Parts,
}

impl Tool {
    /// Returns the operation of the tool, if it has one.
    pub fn operation(&self) -> Option<&'static Declaration> {
        let ToolAction::Operation(name) = self.does else {
            return None;
        };
        session::find(name).map(|(_, operation)| operation)
    }

    /// Returns true if the tool works on a session.
    pub fn has_session(&self) -> bool {
        !matches!(
            self.does,
            ToolAction::Search
                | ToolAction::Describe
                | ToolAction::GraphqlCheck
                | ToolAction::Decide
                | ToolAction::GetThread
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

    /// Returns the schemas of all arguments that the server accepts, including the session.
    pub fn properties(&self) -> Map<String, Value> {
        let session = self.has_session().then_some(&SESSION);
        self.arguments
            .iter()
            .chain(session)
            .map(|argument| (argument.name.to_owned(), argument.schema()))
            .collect()
    }

    /// Returns the title for people.
    pub fn title(&self) -> &'static str {
        self.operation()
            .map_or(self.title, |operation| operation.title)
    }

    /// Returns the hints for hosts.
    pub fn hints(&self) -> Hints {
        self.operation()
            .map_or(self.hints, |operation| Hints::of_effect(operation.effect))
    }
}

/// Returns the tools of a profile.
pub fn listed(profile: Profile) -> impl Iterator<Item = &'static Tool> {
    TOOLS.iter().filter(move |tool| tool.is_part_of(profile))
}
