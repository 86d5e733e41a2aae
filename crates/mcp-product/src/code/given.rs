//! A call of a tool: its parsed arguments, and its outcome.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::tools::Arguments;
use base::Result;
use code::Id;

/// A parsed call.
pub(super) struct Given {
    pub operation: Id,
    pub arguments: Arguments,
}

impl Given {
    /// Returns the body of the request to the object.
    pub fn body(&self) -> String {
        self.arguments.body(
            &format!(r#""operation":"{}""#, self.operation.declaration().name),
            &[],
        )
    }

    /// Returns the body with another value for an argument.
    pub fn body_with(&self, name: &str, value: u64) -> String {
        let first = format!(
            r#""operation":"{}","{name}":{value}"#,
            self.operation.declaration().name
        );
        self.arguments.body(&first, &[name])
    }
}

/// The outcome of a call.
pub(super) enum Done {
    /// A success: its text, and JSON of its members.
    Shown { text: String, members: String },
    /// The error of the object.
    Failure(Value),
}

/// Parses the arguments of a call. The object itself reports missing arguments, with an example.
pub(super) fn arguments_of(operation: Id, arguments: &RawValue) -> Result<Arguments> {
    let fields = operation.declaration().fields.iter();
    let properties = fields.map(|field| (field.name.to_owned(), code::inlined(field)));
    Arguments::parse(
        operation.declaration().name,
        &properties.collect(),
        &[],
        arguments,
    )
}
