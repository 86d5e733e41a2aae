//! Requests about approved statements: `{"do": …}` with the fields of each kind.

use base::{Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sql_gate::Parameters;

use super::scope::Scope;
use crate::exact_fractions::make_exact;
use crate::fields::Fields;
use crate::limits::{
    LOOKUP_COLUMNS, LOOKUP_JOINS, LOOKUP_NEAR_TEXTS, LOOKUP_TEXTS, MAX_APPROVAL_ID_CHARACTERS,
    MAX_SCHEMA_JSON_BYTES, MAX_SCHEMA_TABLES, MAX_UNDO_BYTES,
};

/// A request.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Describes the tables.
    Schema(SchemaRequest),
    /// Looks up texts among the values of columns.
    Lookup(LookupRequest),
    /// Previews a statement.
    Preview(StatementRequest),
    /// Runs a statement that was approved.
    Run(RunRequest),
    /// Previews an undo.
    UndoPreview {
        /// The approval of the statement.
        approval_id: String,
    },
    /// Undoes a statement.
    Undo(UndoRequest),
}

/// The requested part of the schema.
#[derive(Debug, Clone, PartialEq)]
pub struct SchemaRequest {
    /// The tenant whose rows are visible.
    pub scope: Option<Scope>,
    /// The maximum number of tables.
    pub max_tables: usize,
    /// The approximate maximum size of the tables, in bytes of JSON.
    pub max_bytes: usize,
}

/// A request to look up texts. Beyond the limits, the first ones in each list are used.
#[derive(Debug, Clone, PartialEq)]
pub struct LookupRequest {
    /// The tenant whose rows are visible.
    pub scope: Option<Scope>,
    /// The columns, the most important first.
    pub columns: Vec<ColumnPlace>,
    /// Texts that a value may be equal to.
    pub texts: Vec<String>,
    /// Texts that a value may be similar to.
    pub near: Vec<String>,
    /// Pairs of columns whose values are compared.
    pub joins: Vec<JoinPlace>,
}

/// A column whose values are searched.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnPlace {
    /// The table, as declared.
    pub table: String,
    /// The column, as declared.
    pub column: String,
}

/// Two columns whose values are compared, because rows may be joined by them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct JoinPlace {
    /// The column that may refer.
    pub child: ColumnPlace,
    /// The column that it may refer to.
    pub parent: ColumnPlace,
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StatementRequest {
    /// The caller's text.
    pub sql: String,
    /// Its parameters.
    pub parameters: Parameters,
    /// The tenant whose rows are visible.
    pub scope: Option<Scope>,
}

/// An approved statement to run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRequest {
    /// The id of the approval, under which the statement runs once.
    pub approval_id: String,
    /// The hash that was approved.
    pub sha256: String,
    /// The statement.
    pub statement: StatementRequest,
    /// The maximum number of rows in the response; a longer result becomes a table.
    pub max_rows: u64,
    /// The maximum size of the images that are kept for an undo, in bytes.
    pub keep_undo_bytes: u64,
}

/// An approved undo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoRequest {
    /// The approval of the statement.
    pub approval_id: String,
    /// The id of the approval of the undo, under which the undo runs once.
    pub undo_approval_id: String,
    /// The hash that was approved.
    pub sha256: String,
}

const KINDS: &str = "schema, lookup, preview, run, undoPreview or undo";

impl Request {
    /// Reads a body.
    ///
    /// # Errors
    /// `INVALID_BODY` for a text that is not a JSON object, `INVALID_ARGUMENT` for a field that is
    /// missing, unknown or invalid.
    pub fn parse(body: &str) -> Result<Self> {
        let fields = Fields::parse(body)?;
        let kind = fields.string("do")?;
        let only = |names: &[&str]| {
            let names: Vec<&str> = ["do"].iter().chain(names).copied().collect();
            fields.only(&names)
        };
        Ok(match kind.as_ref() {
            "schema" => {
                only(&["scope", "maxTables", "maxBytes"])?;
                Self::Schema(SchemaRequest {
                    scope: optional(&fields, "scope")?,
                    max_tables: fields.read::<usize>("maxTables")?.min(MAX_SCHEMA_TABLES),
                    max_bytes: fields.read::<usize>("maxBytes")?.min(MAX_SCHEMA_JSON_BYTES),
                })
            }
            "lookup" => {
                only(&["scope", "columns", "texts", "near", "joins"])?;
                let mut columns: Vec<ColumnPlace> = fields.read("columns")?;
                let mut texts: Vec<String> = fields.read("texts")?;
                let mut near: Vec<String> = fields.read("near")?;
                let mut joins: Vec<JoinPlace> = optional(&fields, "joins")?.unwrap_or_default();
                columns.truncate(LOOKUP_COLUMNS);
                joins.truncate(LOOKUP_JOINS);
                texts.truncate(LOOKUP_TEXTS);
                near.truncate(LOOKUP_NEAR_TEXTS);
                Self::Lookup(LookupRequest {
                    scope: optional(&fields, "scope")?,
                    columns,
                    texts,
                    near,
                    joins,
                })
            }
            "preview" => {
                only(&["sql", "params", "scope"])?;
                Self::Preview(StatementRequest::of(&fields)?)
            }
            "run" => {
                only(&[
                    "approvalId",
                    "sha256",
                    "sql",
                    "params",
                    "scope",
                    "maxRows",
                    "keepUndoBytes",
                ])?;
                Self::Run(RunRequest {
                    approval_id: approval_id(&fields, "approvalId")?,
                    sha256: fields.string("sha256")?.into_owned(),
                    statement: StatementRequest::of(&fields)?,
                    max_rows: fields.read("maxRows")?,
                    keep_undo_bytes: fields.read::<u64>("keepUndoBytes")?.min(MAX_UNDO_BYTES),
                })
            }
            "undoPreview" => {
                only(&["approvalId"])?;
                Self::UndoPreview {
                    approval_id: approval_id(&fields, "approvalId")?,
                }
            }
            "undo" => {
                only(&["approvalId", "undoApprovalId", "sha256"])?;
                Self::Undo(UndoRequest {
                    approval_id: approval_id(&fields, "approvalId")?,
                    undo_approval_id: approval_id(&fields, "undoApprovalId")?,
                    sha256: fields.string("sha256")?.into_owned(),
                })
            }
            other => {
                return Err(Error::invalid_with_hint(
                    format!("the field do cannot be {other:?}"),
                    format!("it must be {KINDS}"),
                ));
            }
        })
    }
}

impl StatementRequest {
    /// Reads `sql`, `params` and `scope`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT`.
    pub(crate) fn of(fields: &Fields<'_>) -> Result<Self> {
        Ok(Self {
            sql: fields.string("sql")?.into_owned(),
            parameters: parameters(fields)?,
            scope: optional(fields, "scope")?,
        })
    }
}

fn parameters(fields: &Fields<'_>) -> Result<Parameters> {
    let mut value = optional(fields, "params")?;
    if let (Some(value), Some(json)) = (&mut value, fields.optional("params")) {
        make_exact(json, value);
    }
    Parameters::from_json(value)
}

/// Returns a field that may be absent or null.
fn optional<T: DeserializeOwned>(fields: &Fields<'_>, name: &str) -> Result<Option<T>> {
    let Some(json) = fields.optional(name) else {
        return Ok(None);
    };
    serde_json::from_str(json)
        .map_err(|error| Error::invalid(format!("the field {name} is invalid: {error}")))
}

fn approval_id(fields: &Fields<'_>, name: &str) -> Result<String> {
    let id = fields.string(name)?;
    let length = id.chars().count();
    if length == 0 || length > MAX_APPROVAL_ID_CHARACTERS || id.contains('\0') {
        return Err(Error::invalid(format!(
            "the field {name} must have 1 to {MAX_APPROVAL_ID_CHARACTERS} characters"
        )));
    }
    Ok(id.into_owned())
}
