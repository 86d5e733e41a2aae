//! The operations of a workspace by their names: what a body asks, and what becomes of it.

use base::entries::Fields;
use base::{CommonError, Error, Result};
use code::{Reply, Workspace};
use database::Database;
use operations::code::Id;
use serde_json::value::RawValue;

use crate::arguments::Arguments;
use crate::context;
use crate::limits::EMBEDDED_BY_A_WRITE;
use crate::vectors::{Asked, Vectors};

/// An operation and its arguments, as the text of a JSON object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The operation.
    pub id: Id,
    /// As it is called.
    pub name: &'static str,
    /// Its arguments.
    pub arguments: String,
}

impl Request {
    /// Reads a body `{"operation": …}` with the arguments beside the name.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`] for what is no such object, [`CommonError::InvalidArgument`] for an operation that there is not.
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
            Error::invalid_with_hint("the field operation is missing, or no text", EXAMPLE)
        })?;
        let operation = operations::code::find(&name).ok_or_else(|| {
            let names = operations::code::NAMES;
            let near = base::nearest(&name, names.iter().copied());
            let hint = base::did_you_mean(&near)
                .unwrap_or_else(|| format!("the operations are {}", names.join(", ")));
            Error::invalid_with_hint(format!("no such operation: {name}"), hint)
        })?;
        Ok(Self {
            id: operation.id,
            name: operation.name,
            arguments,
        })
    }
}

const EXAMPLE: &str =
    r#"send an object such as {"operation":"request_code_context","token_budget":2000,"hint":"…"}"#;

/// What a workspace remembers between requests, as long as its object lives.
pub struct Memory {
    /// The vectors of its items.
    pub vectors: Vectors,
    /// The last question.
    pub recent: Option<String>,
}

/// Runs an operation of a workspace of this name. After one that wrote, the caller makes vectors ([`embed`]). `asked` is the vector of its question, if it has one.
///
/// # Errors
/// What its arguments lack, what it says of itself, and the engine's.
pub fn dispatch<D: Database>(
    workspace: &Workspace<'_, D>,
    name: &str,
    memory: &mut Memory,
    request: &Request,
    asked: &Asked,
) -> Result<Reply> {
    if request.id == Id::RequestCodeContext {
        let arguments = Arguments::parse(&request.arguments)?;
        let recent = memory.recent.as_deref();
        let answered = context::answer(
            workspace.db,
            &mut memory.vectors,
            name,
            &arguments,
            recent,
            asked,
        )?;
        memory.recent = Some(answered.hint);
        return Ok(Reply {
            fields: answered.fields,
            version: None,
        });
    }
    let operation = code::Operation::of(request.name)
        .ok_or_else(|| Error::internal(format!("{} has no handler", request.name)))?;
    code::dispatch(workspace, operation, &request.arguments)
}

/// Makes the vectors of what a write brought. What is over the bound comes with the next request.
///
/// # Errors
/// The engine's.
pub fn embed<D: Database>(db: &D, memory: &Memory) -> Result<u64> {
    memory.vectors.embed(db, EMBEDDED_BY_A_WRITE)
}

#[cfg(test)]
mod tests {
    use super::Request;
    use operations::code::Id;

    #[test]
    fn a_body_names_its_operation_anywhere() {
        let request = Request::parse(r#"{"path":"a","operation":"list_files","limit":3}"#).unwrap();
        assert_eq!(request.id, Id::ListFiles);
        assert_eq!(request.arguments, r#"{"path":"a","limit":3}"#);
    }

    #[test]
    fn every_operation_has_a_handler() {
        for operation in operations::code::OPERATIONS {
            let known = code::Operation::of(operation.name).is_some();
            assert_eq!(
                known,
                operation.id != Id::RequestCodeContext,
                "{}",
                operation.name
            );
        }
        for (name, _) in code::Operation::ALL {
            assert!(operations::code::find(name).is_some(), "{name}");
        }
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
