//! What a person decides: a statement with all that it would do, and the rules of a decision.
//!
//! A decision names the approval and the SHA-256 of the final statement with its parameters, its tenant, its scope and the definitions that it
//! depends on, which the session computes and checks again when it runs the statement. So what was shown is what runs, or nothing runs.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::AgentError;
use crate::author::Author;
use crate::person::{Identity, Person, compared};
pub use crate::status::Status;
use base::Result;

/// What the session says a statement would do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    /// `read`, `insert`, `update`, `delete`, `schema` or `undo`.
    #[serde(default = "undo_kind")]
    pub kind: String,
    /// Whether it takes something away.
    #[serde(default)]
    pub destructive: bool,
    /// The tables, each with what is done to it.
    #[serde(default)]
    pub tables: Value,
    /// The statement that will run; empty for an undo, which restores rows.
    #[serde(default)]
    pub final_sql: String,
    /// Of that statement, its parameters and whose it is, in hexadecimal digits.
    pub sha256: String,
    /// How the engine will find the rows, in sentences.
    #[serde(default)]
    pub plan: Value,
    /// Rows that a read returns, or that a write changes, as far as they were counted.
    #[serde(default)]
    pub estimated_rows: Option<f64>,
    /// Whether its work is small; none where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cheap: Option<bool>,
    /// Rows that it changes, found out by running it and taking it back.
    #[serde(default)]
    pub affected_rows: Option<u64>,
    /// Some of those rows, before and after.
    #[serde(default)]
    pub sample: Value,
    /// Everything else that the session says.
    #[serde(flatten)]
    pub rest: serde_json::Map<String, Value>,
}

fn undo_kind() -> String {
    "undo".to_owned()
}

impl Preview {
    /// Whether the statement changes nothing.
    pub fn only_reads(&self) -> bool {
        self.kind == "read"
    }
}

/// What kind of thing is approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Subject {
    /// A statement.
    Statement,
    /// The undo of the write of this approval.
    UndoOf(String),
}

/// A statement that is to be decided, or was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Approval {
    /// Its id.
    pub approval_id: String,
    /// Where it stands.
    pub status: Status,
    /// What is approved.
    pub subject: Subject,
    /// The statement as it was written.
    pub sql: String,
    /// The explanation, in words of its author.
    pub explanation: String,
    /// The author; none for an undo, which nobody wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<Author>,
    /// The person who edited it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_by: Option<String>,
    /// What it would do.
    #[serde(flatten)]
    pub preview: Preview,
    /// When it was asked, in milliseconds since 1970.
    pub created_at_ms: u64,
    /// Until when it can be decided, in milliseconds since 1970.
    pub expires_at_ms: u64,
    /// How many persons must approve.
    pub required_approvers: usize,
    /// The people who have approved, by name.
    pub approvers: Vec<String>,
    /// The same, as they are compared; none of those who approved before there were identities.
    #[serde(default)]
    pub approver_identities: Vec<Identity>,
}

/// What names an approval in a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named<'a> {
    /// Its id.
    pub approval_id: &'a str,
    /// Of what was shown.
    pub sha256: &'a str,
}

impl Approval {
    /// Whether a decision of this approval counts now.
    ///
    /// # Errors
    /// [`AgentError::WrongApproval`], [`AgentError::AlreadyDecided`], [`AgentError::ApprovalExpired`] or [`AgentError::StatementChanged`].
    pub fn require_decidable(&self, named: &Named<'_>, now_ms: u64) -> Result<()> {
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

    /// Writes down that a person approves; whether that is enough.
    ///
    /// # Errors
    /// [`AgentError::AlreadyApproved`] for a person who has approved it before, and where several must approve [`Person::identity`]'s.
    pub fn approve(&mut self, person: &Person) -> Result<bool> {
        if self.required_approvers > 1 {
            let identity = person.identity()?;
            // Those who approved before there were identities are known by their names only.
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

    /// How many persons more must approve.
    pub fn missing(&self) -> usize {
        self.required_approvers.saturating_sub(self.approvers.len())
    }

    /// As clients see it.
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
