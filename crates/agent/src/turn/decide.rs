//! The transitions that a person's decision causes.

use serde_json::json;

use super::transitions::Situation;
use super::{AuditRecord, Transition};
use crate::AgentError;
use crate::approval::{Approval, ApprovalReference, Preview, Status, Subject};
use crate::person::Person;
use crate::state::{
    Author, BY_A_PERSON, MessageKind, NewMessage, Outcome, Step, Values, WrittenStatement,
};
use base::{Error, Result};

/// A decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The id of the approval.
    pub approval_id: String,
    /// The SHA-256 hash of the statement that the person saw.
    pub sha256: String,
    /// The person who decides.
    pub person: Person,
    /// The verdict.
    pub verdict: Verdict,
}

/// The content of a decision.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// The statement may run.
    Approved,
    /// The statement must not run.
    Rejected {
        /// The reason, if the person gave one.
        reason: Option<String>,
        /// True if the writer shall write another statement.
        revise: bool,
    },
    /// The person replaced the statement by another one, which has passed every check.
    Edited {
        /// The text of the new statement.
        sql: String,
        /// The expected effect of the new statement.
        preview: Box<Preview>,
        /// The id of the new approval.
        approval_id: String,
    },
}

impl Situation<'_> {
    pub(super) fn decided(&self, decision: Decision) -> Result<Transition> {
        let approval = self.pending(&decision)?;
        match decision.verdict {
            Verdict::Approved => self.approved(approval, &decision.person),
            Verdict::Rejected { reason, revise } => {
                Ok(self.rejected(approval, decision.person.name, reason, revise))
            }
            Verdict::Edited {
                sql,
                preview,
                approval_id,
            } => self.edited(approval, decision.person.name, sql, *preview, approval_id),
        }
    }

    /// Returns the approval that the decision is about. If it was decided before, the error says
    /// how.
    fn pending(&self, decision: &Decision) -> Result<Approval> {
        let Some(approval) = &self.values.approval else {
            return Err(AgentError::NothingPending.into());
        };
        if self.step != Step::HumanApproval && approval.approval_id != decision.approval_id {
            return Err(AgentError::NothingPending.into());
        }
        let named = ApprovalReference {
            approval_id: &decision.approval_id,
            sha256: &decision.sha256,
        };
        approval.require_decidable(&named, self.now_ms)?;
        if self.step == Step::HumanApproval {
            Ok(approval.clone())
        } else {
            Err(AgentError::NothingPending.into())
        }
    }

    fn audited(approval: &Approval, person: &str, action: &str) -> AuditRecord {
        AuditRecord {
            kind: "decision",
            actor: person.to_owned(),
            body: json!({
                "approvalId": approval.approval_id, "action": action, "sql": approval.sql,
                "finalSql": approval.preview.final_sql, "sha256": approval.preview.sha256,
            }),
        }
    }

    fn approved(&self, mut approval: Approval, person: &Person) -> Result<Transition> {
        let is_enough = approval.approve(person)?;
        let person = &person.name;
        if is_enough {
            approval.status = Status::Approved;
        }
        let audit = Self::audited(&approval, person, "approved");
        let update = json!({
            "approvalId": approval.approval_id, "status": approval.status,
            "approvers": approval.approvers, "missing": approval.missing(),
        });
        let values = Values {
            approval: Some(approval),
            ..self.values.clone()
        };
        let next = if is_enough {
            Step::ExecuteQuery
        } else {
            Step::HumanApproval
        };
        let mut turned = self.turned(values, next, "humanApproval");
        turned.messages = vec![NewMessage::hidden(format!("approved by {person}"))];
        turned.audit = vec![audit];
        turned.updates = vec![("humanApproval", update)];
        Ok(turned)
    }

    fn rejected(
        &self,
        mut approval: Approval,
        person: String,
        reason: Option<String>,
        revise: bool,
    ) -> Transition {
        approval.status = Status::Rejected;
        let mut audit = Self::audited(&approval, &person, "rejected");
        if let Some(fields) = audit.body.as_object_mut() {
            fields.insert("reason".to_owned(), json!(reason));
            fields.insert("revise".to_owned(), revise.into());
        }
        let update = json!({
            "approvalId": approval.approval_id, "status": "rejected", "reason": reason, "revise": revise,
        });
        // The undo of a write is not a statement that a writer could write in another way.
        let revise = revise && approval.subject == Subject::Statement;
        let rejected_sql = approval.sql.clone();
        let mut values = Values {
            written_query: None,
            ..self.values.clone()
        };
        let mut messages = Vec::new();
        if let Some(reason) = &reason {
            messages.push(NewMessage {
                kind: MessageKind::Human,
                ..NewMessage::hidden(reason.clone())
            });
        }
        let mut turned = if revise {
            values.approval = None;
            values.attempts = Vec::new();
            values.feedback = Some(format!(
                "The person rejected this statement: {rejected_sql}\nReason: {}",
                reason.as_deref().unwrap_or("none given")
            ));
            self.turned(values, Step::WriteQuery, "rejectedExecution")
        } else {
            values.approval = Some(approval);
            values.outcome = Some(Outcome::Rejected);
            let text = "The statement was rejected and did not run. Ask another question, or rephrase this one.";
            values.answer = Some(text.to_owned());
            messages.push(NewMessage::ai(text));
            self.turned(values, Step::End, "rejectedExecution")
        };
        turned.messages = messages;
        turned.audit = vec![audit];
        turned.updates = vec![
            ("humanApproval", update),
            (
                "rejectedExecution",
                json!({ "writtenQuery": null, "answer": turned.values.answer }),
            ),
        ];
        turned
    }

    fn edited(
        &self,
        mut approval: Approval,
        person: String,
        sql: String,
        preview: Preview,
        approval_id: String,
    ) -> Result<Transition> {
        if approval.subject != Subject::Statement {
            return Err(Error::invalid_with_hint(
                "an undo has no statement to edit",
                "approve it, or reject it",
            ));
        }
        approval.status = Status::Edited;
        let mut audit = Self::audited(&approval, &person, "edited");
        if let Some(fields) = audit.body.as_object_mut() {
            fields.insert("editedSql".to_owned(), sql.as_str().into());
        }
        // The writer's explanation describes the previous statement.
        let explanation = BY_A_PERSON.to_owned();
        let values = Values {
            written_query: Some(WrittenStatement {
                sql: sql.clone(),
                explanation: explanation.clone(),
                author: Author::Person,
            }),
            ..self.values.clone()
        };
        let next = Approval {
            author: Some(Author::Person),
            edited_by: Some(person),
            ..self.approval(Subject::Statement, sql, explanation, preview, approval_id)
        };
        let mut turned = self.asking_a_person(values, next);
        turned.audit.insert(0, audit);
        turned.updates.insert(
            0,
            (
                "humanApproval",
                json!({ "approvalId": approval.approval_id, "status": "edited" }),
            ),
        );
        Ok(turned)
    }
}
