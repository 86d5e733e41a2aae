//! The list of a workspace's operations, and their dispatch. The type of an operation's arguments
//! declares everything else about it, beside its handler, in the crate `code-model` or in
//! [`context`].

use base::entries::Fields;
use base::{CommonError, Error, Result};
use code_model::{
    ApplyCodeEdit, ApproveAll, ApproveProposal, CodeItemEdges, CodeItemLookup, DeleteFiles,
    DenyProposal, GetFileMetadata, Inspect, ListFiles, ListProposals, Operation, PutFiles,
    ReadFile, Reply, RevertProposal, ScanForChange, SearchCode, Workspace,
};
use database::Database;
use operation::arguments::Arguments;
use operation::shape::{self, Field, References};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::context::{self, RequestCodeContext};
use crate::limits::EMBEDDED_BY_A_WRITE;
use crate::vectors::{QuestionVector, Vectors};

/// The name of the server under which programs call these operations.
pub const SERVER: &str = "code";

/// The JSON text of the objects that schemas and responses refer to, by name.
pub const DEFINITIONS: &str = include_str!("definitions.json");

/// Returns the schema of an argument without references.
pub fn inlined(field: &Field) -> Value {
    shape::inlined(&field.schema(References::Kept), &definitions())
}

/// Returns the schema of an operation's arguments without references.
pub fn input(operation: Id) -> Value {
    shape::inlined(&operation.declaration().input(), &definitions())
}

fn definitions() -> Value {
    serde_json::from_str(DEFINITIONS).unwrap_or_default()
}

/// Defines the list of operations.
macro_rules! operations {
    ($($way:ident $name:ident,)*) => {
        operation::list! { $($name,)* }

        /// Runs an operation. Returns `None` for `request_code_context`, because it needs more than
        /// the workspace.
        ///
        /// # Errors
        /// Errors of its arguments, of the operation, and of the engine.
        pub fn run<D: Database>(
            workspace: &Workspace<'_, D>,
            operation: Id,
            arguments: &str,
        ) -> Option<Result<Reply>> {
            match operation {
                $(Id::$name => operations!(@$way $name, workspace, arguments),)*
            }
        }
    };
    (@itself $name:ident, $workspace:ident, $arguments:ident) => {
        Some($name::parse($arguments).and_then(|arguments| arguments.run($workspace)))
    };
    (@staging $name:ident, $workspace:ident, $arguments:ident) => {
        Some(code_model::apply_code_edit($workspace, $arguments))
    };
    (@asking $name:ident, $workspace:ident, $arguments:ident) => {
        None
    };
}

operations! {
    asking RequestCodeContext,
    staging ApplyCodeEdit,
    itself ApproveProposal,
    itself ApproveAll,
    itself DenyProposal,
    itself RevertProposal,
    itself ListProposals,
    itself GetFileMetadata,
    itself CodeItemLookup,
    itself CodeItemEdges,
    itself ListFiles,
    itself ReadFile,
    itself SearchCode,
    itself ScanForChange,
    itself Inspect,
    itself PutFiles,
    itself DeleteFiles,
}

/// An operation with its arguments as the text of a JSON object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The operation.
    pub id: Id,
    /// The name by which the request calls it.
    pub name: &'static str,
    /// Its arguments.
    pub arguments: String,
}

impl Request {
    /// Parses a body `{"operation": …}` that has the arguments beside the name.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`] if the body is not such an object,
    /// [`CommonError::InvalidArgument`] for an unknown operation.
    pub fn parse(body: &str) -> Result<Self> {
        let fields: Fields<Box<RawValue>> =
            serde_json::from_str(body).map_err(|error| CommonError::InvalidBody {
                message: format!("the body is not a usable JSON object: {error}"),
                hint: Some(EXAMPLE.to_owned()),
            })?;
        let mut name: Option<String> = None;
        let mut arguments = String::from("{");
        for (field, value) in &fields.0 {
            if field == "operation" {
                name = serde_json::from_str(value.get()).ok();
                continue;
            }
            if arguments.len() > 1 {
                arguments.push(',');
            }
            arguments.push_str(&serde_json::Value::from(field.as_str()).to_string());
            arguments.push(':');
            arguments.push_str(value.get());
        }
        arguments.push('}');
        let name = name.ok_or_else(|| {
            Error::invalid_with_hint("the field operation is missing, or is not a text", EXAMPLE)
        })?;
        let (id, declared) = find(&name).ok_or_else(|| {
            let near = base::nearest(&name, NAMES.iter().copied());
            let hint = base::did_you_mean(&near)
                .unwrap_or_else(|| format!("the operations are {}", NAMES.join(", ")));
            Error::invalid_with_hint(format!("no such operation: {name}"), hint)
        })?;
        Ok(Self {
            id,
            name: declared.name,
            arguments,
        })
    }
}

const EXAMPLE: &str =
    r#"send an object such as {"operation":"request_code_context","token_budget":2000,"hint":"…"}"#;

/// The state that a workspace keeps in memory between requests, while its object lives.
pub struct Memory {
    /// The vectors of its items.
    pub vectors: Vectors,
    /// The last question.
    pub recent: Option<String>,
}

/// Runs an operation of a workspace with this name. After one that wrote, the caller computes
/// vectors ([`embed`]). `asked` is the vector of its question, if it has one.
///
/// # Errors
/// Errors of its arguments, of the operation, and of the engine.
pub fn dispatch<D: Database>(
    workspace: &Workspace<'_, D>,
    name: &str,
    memory: &mut Memory,
    request: &Request,
    asked: &QuestionVector,
) -> Result<Reply> {
    if let Some(reply) = run(workspace, request.id, &request.arguments) {
        return reply;
    }
    let question = RequestCodeContext::parse(&request.arguments)?;
    let recent = memory.recent.as_deref();
    let vectors = &mut memory.vectors;
    let answered = context::answer(workspace.db, vectors, name, question, recent, asked)?;
    memory.recent = Some(answered.hint);
    Ok(Reply {
        fields: answered.fields,
        version: None,
    })
}

/// Computes the vectors of the items that a write added, up to a bound. The next requests compute
/// the others.
///
/// # Errors
/// Errors of the engine.
pub fn embed<D: Database>(db: &D, memory: &Memory) -> Result<u64> {
    memory.vectors.embed(db, EMBEDDED_BY_A_WRITE)
}

#[cfg(test)]
mod tests {
    use super::{Id, Request};

    #[test]
    fn a_body_names_its_operation_anywhere() {
        let request = Request::parse(r#"{"path":"a","operation":"list_files","limit":3}"#).unwrap();
        assert_eq!(request.id, Id::ListFiles);
        assert_eq!(request.arguments, r#"{"path":"a","limit":3}"#);
    }

    #[test]
    fn a_misspelt_operation_has_a_suggestion() {
        let error = Request::parse(r#"{"operation":"aply_code_edit"}"#).unwrap_err();
        assert_eq!(error.hint().unwrap(), "did you mean `apply_code_edit`?");
        assert!(Request::parse("{}").is_err());
        assert!(Request::parse("[]").is_err());
        assert!(Request::parse(r#"{"operation":"inspect","operation":"inspect"}"#).is_err());
    }
}
