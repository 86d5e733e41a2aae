//! The approval of a statement: the statement with its expected effect, and the rules by which a
//! person decides on it.
//!
//! A decision names the approval and a SHA-256 hash. The hash covers the final statement with its
//! parameters, its tenant, its scope and the definitions that it depends on. The session computes
//! it and checks it again before it runs the statement, so only the statement that the person saw
//! can run.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::AgentError;
use crate::author::Author;
use crate::person::{Identity, Person, compared};
pub use crate::status::Status;
use base::Result;

/// The expected effect of a statement, as the session reports it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    /// `read`, `insert`, `update`, `delete`, `schema` or `undo`.
    #[serde(default = "undo_kind")]
    pub kind: String,
    /// True if the statement removes data or definitions.
    #[serde(default)]
    pub destructive: bool,
    /// The tables, each with the kind of access.
    #[serde(default)]
    pub tables: Value,
    /// The statement that will run; empty for an undo, which restores rows.
    #[serde(default)]
    pub final_sql: String,
    /// The SHA-256 hash of that statement, its parameters and its owner, in hexadecimal digits.
    pub sha256: String,
    /// The query plan of the engine, in sentences.
    #[serde(default)]
    pub plan: Value,
    /// The rows that a read returns or a write changes, as far as the session counted them.
    #[serde(default)]
    pub estimated_rows: Option<f64>,
    /// True if the statement needs little work; `None` if the session does not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cheap: Option<bool>,
    /// The rows that the statement changes; the session runs it and rolls it back to find out.
    #[serde(default)]
    pub affected_rows: Option<u64>,
    /// Some of those rows, before and after.
    #[serde(default)]
    pub sample: Value,
    /// All other fields of the session's response.
    #[serde(flatten)]
    pub rest: serde_json::Map<String, Value>,
}

fn undo_kind() -> String {
    "undo".to_owned()
}

impl Preview {
    /// Returns true if the statement changes nothing.
    pub fn only_reads(&self) -> bool {
        self.kind == "read"
    }
}

/// The kind of change that is approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Subject {
    /// A statement.
    Statement,
    /// The undo of the write that ran under the approval with this id.
    UndoOf(String),
}

/// A statement with its decision, or one that waits for a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Approval {
    /// Its id.
    pub approval_id: String,
    /// The status of the approval.
    pub status: Status,
    /// The kind of change that is approved.
    pub subject: Subject,
    /// The statement as it was written.
    pub sql: String,
    /// The explanation, in the words of the author.
    pub explanation: String,
    /// The author; `None` for an undo, which has no author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<Author>,
    /// The person who edited the statement, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_by: Option<String>,
    /// The expected effect of the statement.
    #[serde(flatten)]
    pub preview: Preview,
    /// The time of the request, in milliseconds since 1970.
    pub created_at_ms: u64,
    /// The end of the time for a decision, in milliseconds since 1970.
    pub expires_at_ms: u64,
    /// The number of persons who must approve.
    pub required_approvers: usize,
    /// The people who have approved, by name.
    pub approvers: Vec<String>,
    /// The identities of those people. People who approved before identities were stored have none.
    #[serde(default)]
    pub approver_identities: Vec<Identity>,
}

/// The reference of a decision to its approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalReference<'a> {
    /// The id of the approval.
    pub approval_id: &'a str,
    /// The SHA-256 hash of the statement that the person saw.
    pub sha256: &'a str,
}

impl Approval {
    /// Checks that a decision on this approval is valid now.
    ///
    /// # Errors
    /// [`AgentError::WrongApproval`], [`AgentError::AlreadyDecided`],
    /// [`AgentError::ApprovalExpired`] or [`AgentError::StatementChanged`].
    pub fn require_decidable(&self, named: &ApprovalReference<'_>, now_ms: u64) -> Result<()> {
        if self.approval_id != named.approval_id {
            return Err(AgentError::WrongApproval {
                given: named.approval_id.to_owned(),
                pending: (self.status == Status::Pending).then(|| self.approval_id.clone()),
            }
            .into());
        }
        if self.status != Status::Pending {
            return Err(AgentError::AlreadyDecided {
                approval_id: self.approval_id.clone(),
                status: self.status,
            }
            .into());
        }
        if now_ms >= self.expires_at_ms {
            return Err(AgentError::ApprovalExpired {
                approval_id: self.approval_id.clone(),
                expired_at_ms: self.expires_at_ms,
            }
            .into());
        }
        if !self.preview.sha256.eq_ignore_ascii_case(named.sha256) {
            return Err(AgentError::StatementChanged {
                given: named.sha256.to_owned(),
                pending: self.preview.sha256.clone(),
            }
            .into());
        }
        Ok(())
    }

    /// Records that a person approves. Returns true if enough people have approved now.
    ///
    /// # Errors
    /// [`AgentError::AlreadyApproved`] for a person who has approved it before, and if several must
    /// approve, the errors of [`Person::identity`].
    pub fn approve(&mut self, person: &Person) -> Result<bool> {
        if self.required_approvers > 1 {
            let identity = person.identity()?;
            // People who approved before identities were stored are known only by their names.
            let unidentified = self
                .approvers
                .len()
                .saturating_sub(self.approver_identities.len());
            let mut unidentified = self.approvers.iter().take(unidentified);
            let name = compared(&person.name);
            if self.approver_identities.contains(&identity)
                || unidentified.any(|known| compared(known) == name)
            {
                return Err(AgentError::AlreadyApproved {
                    person: person.name.clone(),
                    missing: self.missing(),
                }
                .into());
            }
            self.approver_identities.push(identity);
        }
        self.approvers.push(person.name.clone());
        Ok(self.missing() == 0)
    }

    /// Returns the number of approvals that are still missing.
    pub fn missing(&self) -> usize {
        self.required_approvers.saturating_sub(self.approvers.len())
    }

    /// Returns the approval as clients see it.
    pub fn to_wire(&self) -> Value {
        let mut wire = serde_json::to_value(self).unwrap_or_default();
        if let Some(fields) = wire.as_object_mut() {
            for (stored, shown) in [("createdAtMs", "createdAt"), ("expiresAtMs", "expiresAt")] {
                if let Some(ms) = fields.remove(stored).and_then(|ms| ms.as_u64()) {
                    fields.insert(shown.to_owned(), base::time::iso8601(ms).into());
                }
            }
            let undo_of = match &self.subject {
                Subject::Statement => Value::Null,
                Subject::UndoOf(id) => id.as_str().into(),
            };
            fields.remove("subject");
            fields.remove("approverIdentities");
            fields.insert("undoOf".to_owned(), undo_of);
        }
        wire
    }
}
