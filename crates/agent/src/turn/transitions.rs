//! The transition of each event, except those of a decision.

use serde_json::{Value, json};

use super::{ApprovalRules, AuditRecord, Transition};
use crate::AgentError;
use crate::approval::{Approval, Preview, Status, Subject};
use crate::limits::MAX_WRITING_ATTEMPTS;
use crate::state::{
    AskedBack, Attempt, Author, Failure, NewMessage, Outcome, Step, Values, WrittenStatement,
};
use base::{Error, Result};

/// The state of a thread when an event happens.
pub(super) struct Situation<'a> {
    pub(super) step: Step,
    pub(super) values: &'a Values,
    pub(super) now_ms: u64,
    pub(super) rules: &'a ApprovalRules,
}

impl Situation<'_> {
    fn require(&self, step: Step) -> Result<()> {
        if self.step == step {
            Ok(())
        } else {
            Err(Error::internal(format!(
                "an event of {} while {} comes next",
                step.name(),
                self.step.name()
            )))
        }
    }

    pub(super) fn turned(&self, values: Values, step: Step, source: &'static str) -> Transition {
        Transition {
            values,
            step,
            source,
            messages: Vec::new(),
            updates: Vec::new(),
            audit: Vec::new(),
        }
    }

    fn agent(kind: &'static str, body: Value) -> AuditRecord {
        AuditRecord {
            kind,
            actor: "agent".to_owned(),
            body,
        }
    }

    /// Ends the question if its step always fails or always kills its object; otherwise the step
    /// would begin again for ever.
    pub(super) fn gave_up(&self, tries: u32, last: String) -> Result<Transition> {
        let failure = AgentError::StepFailed {
            step: self.step.name(),
            tries,
            last,
        };
        self.failed(self.step, Failure::of(&failure.into()))
    }

    pub(super) fn wrote(
        &self,
        sql: String,
        explanation: String,
        author: Author,
    ) -> Result<Transition> {
        self.require(Step::WriteQuery)?;
        let written = WrittenStatement {
            sql,
            explanation,
            author,
        };
        let update = json!({ "writtenQuery": written.sql, "explanation": written.explanation, "author": written.author });
        let mut turned = self.turned(
            Values {
                written_query: Some(written),
                ..self.values.clone()
            },
            Step::WriteQuery,
            "writeQuery",
        );
        turned.audit = vec![Self::agent("statement", update.clone())];
        turned.updates = vec![("writeQuery", update)];
        Ok(turned)
    }

    pub(super) fn replied(
        &self,
        text: String,
        outcome: Outcome,
        choices: Vec<String>,
    ) -> Result<Transition> {
        self.require(Step::WriteQuery)?;
        let mut update = json!({ "answer": text, "outcome": outcome });
        if let (Some(fields), false) = (update.as_object_mut(), choices.is_empty()) {
            fields.insert("choices".to_owned(), json!(choices));
        }
        let (question, chosen) = self.values.whole_question();
        let again = self.values.unanswered.as_ref();
        let again = again.filter(|back| outcome == Outcome::AskedBack && back.choices == choices);
        let asked_back = again.cloned().or_else(|| {
            (!choices.is_empty()).then(|| AskedBack {
                question: question.to_owned(),
                choices,
                chosen: chosen.to_vec(),
            })
        });
        let mut turned = self.turned(
            Values {
                written_query: None,
                answer: Some(text.clone()),
                outcome: Some(outcome),
                asked_back,
                ..self.values.clone()
            },
            Step::End,
            "writeQuery",
        );
        turned.messages = vec![NewMessage {
            id: Some(self.values.reply_id()),
            ..NewMessage::ai(text)
        }];
        turned.audit = vec![Self::agent("reply", update.clone())];
        turned.updates = vec![("writeQuery", update)];
        Ok(turned)
    }

    pub(super) fn previewed(&self, preview: Preview, approval_id: String) -> Result<Transition> {
        self.require(Step::WriteQuery)?;
        let Some(written) = &self.values.written_query else {
            return Err(Error::internal("a preview without a statement"));
        };
        let approval = Approval {
            author: Some(written.author),
            ..self.approval(
                Subject::Statement,
                written.sql.clone(),
                written.explanation.clone(),
                preview,
                approval_id,
            )
        };
        Ok(self.asking(self.values.clone(), approval))
    }

    pub(super) fn undo_asked(
        &self,
        preview: Preview,
        subject: Subject,
        approval_id: String,
    ) -> Result<Transition> {
        self.require(Step::End)?;
        let approval = self.approval(
            subject,
            preview.final_sql.clone(),
            "Undoes the change: every row gets its previous values back.".to_owned(),
            preview,
            approval_id,
        );
        let values = Values {
            sql_result: None,
            answer: None,
            chart: None,
            outcome: None,
            error: None,
            ..self.values.clone()
        };
        Ok(self.asking(values, approval))
    }

    pub(super) fn approval(
        &self,
        subject: Subject,
        sql: String,
        explanation: String,
        preview: Preview,
        approval_id: String,
    ) -> Approval {
        let only_reads = preview.only_reads();
        Approval {
            approval_id,
            status: Status::Pending,
            subject,
            sql,
            explanation,
            author: None,
            edited_by: None,
            created_at_ms: self.now_ms,
            expires_at_ms: self.now_ms.saturating_add(self.rules.approval_ttl_ms),
            required_approvers: if only_reads {
                1
            } else {
                self.rules.write_approvers.max(1)
            },
            approvers: Vec::new(),
            approver_identities: Vec::new(),
            preview,
        }
    }

    /// Asks a person for approval. A read that examines few rows is approved without a person if
    /// the deployment allows it.
    fn asking(&self, values: Values, approval: Approval) -> Transition {
        let is_cheap = |rows: f64| {
            let estimated = approval.preview.estimated_rows;
            approval.preview.only_reads()
                && approval.preview.cheap == Some(true)
                && estimated.is_some_and(|estimated| estimated <= rows)
        };
        if !self.rules.auto_approve_rows.is_some_and(is_cheap) {
            return self.asking_a_person(values, approval);
        }
        let approval = Approval {
            status: Status::AutoApproved,
            ..approval
        };
        let wire = approval.to_wire();
        let values = Values {
            approval: Some(approval),
            ..values
        };
        let mut turned = self.turned(values, Step::ExecuteQuery, "humanApproval");
        turned.audit = vec![Self::agent("autoApproved", wire.clone())];
        turned.updates = vec![("humanApproval", wire)];
        turned
    }

    /// Asks a person for approval.
    pub(super) fn asking_a_person(&self, values: Values, approval: Approval) -> Transition {
        let wire = approval.to_wire();
        let id = approval.approval_id.clone();
        let values = Values {
            approval: Some(approval),
            ..values
        };
        let mut turned = self.turned(values, Step::HumanApproval, "humanApproval");
        turned.audit = vec![Self::agent("approvalAsked", wire.clone())];
        // Clients of a graph recognise a waiting thread by an interrupt of this form.
        turned.updates = vec![("__interrupt__", json!([{ "id": id, "value": wire }]))];
        turned
    }

    pub(super) fn refused(&self, failure: Failure) -> Result<Transition> {
        self.require(Step::WriteQuery)?;
        let Some(written) = &self.values.written_query else {
            return Err(Error::internal("a refusal without a statement"));
        };
        let mut values = self.values.clone();
        values.attempts.push(Attempt {
            sql: written.sql.clone(),
            error: failure.clone(),
        });
        values.written_query = None;
        // The planner would write the same statement again.
        let is_last =
            values.attempts.len() >= MAX_WRITING_ATTEMPTS || written.author == Author::Planner;
        let update = json!({ "refused": { "sql": written.sql, "error": failure }, "attempt": values.attempts.len() });
        let mut turned = if is_last {
            let from = Situation {
                values: &values,
                ..*self
            };
            from.failed(Step::WriteQuery, failure)?
        } else {
            self.turned(values, Step::WriteQuery, "writeQuery")
        };
        turned
            .audit
            .insert(0, Self::agent("refused", update.clone()));
        turned.updates.insert(0, ("writeQuery", update));
        Ok(turned)
    }

    pub(super) fn failed(&self, step: Step, failure: Failure) -> Result<Transition> {
        self.require(step)?;
        let words = match step {
            Step::WriteQuery => "I could not write a query for this",
            Step::ExecuteQuery => "The statement failed",
            Step::HumanApproval | Step::GenerateAnswer | Step::End => "This failed",
        };
        let hint = failure
            .hint
            .as_ref()
            .map_or_else(String::new, |hint| format!(" ({hint})"));
        let text = format!("{words}: {}{hint}.", failure.message.trim_end_matches('.'));
        let update = json!({ "error": failure });
        let mut turned = self.turned(
            Values {
                answer: Some(text.clone()),
                outcome: Some(Outcome::Failed),
                error: Some(failure),
                ..self.values.clone()
            },
            Step::End,
            step.name(),
        );
        turned.messages = vec![NewMessage::ai(text)];
        turned.audit = vec![Self::agent(
            "failed",
            json!({ "step": step.name(), "error": update.get("error") }),
        )];
        turned.updates = vec![(step.name(), update)];
        Ok(turned)
    }

    pub(super) fn time_over(&self) -> Result<Transition> {
        self.require(Step::HumanApproval)?;
        let mut values = self.values.clone();
        let Some(approval) = &mut values.approval else {
            return Err(Error::internal(
                "a decision is awaited, but there is no approval",
            ));
        };
        approval.status = Status::Expired;
        let update = json!({ "approvalId": approval.approval_id, "status": "expired" });
        values.outcome = Some(Outcome::Expired);
        values.written_query = None;
        let mut turned = self.turned(values, Step::End, "humanApproval");
        turned.messages = vec![NewMessage::ai(
            "Nobody decided in time, so the statement did not run. Ask again if you still need the result.",
        )];
        turned.audit = vec![Self::agent("expired", update.clone())];
        turned.updates = vec![("humanApproval", update)];
        Ok(turned)
    }

    pub(super) fn ran(&self, result: Value) -> Result<Transition> {
        self.require(Step::ExecuteQuery)?;
        let mut audited = result.clone();
        if let Some(fields) = audited.as_object_mut() {
            // The audit records how many rows came back, but not their content.
            fields.remove("rows");
        }
        let update = json!({ "sqlResult": result });
        let mut turned = self.turned(
            Values {
                sql_result: Some(result),
                ..self.values.clone()
            },
            Step::GenerateAnswer,
            "executeQuery",
        );
        turned.audit = vec![Self::agent("execution", audited)];
        turned.updates = vec![("executeQuery", update)];
        Ok(turned)
    }

    pub(super) fn answered(&self, text: String, chart: Option<Value>) -> Result<Transition> {
        self.require(Step::GenerateAnswer)?;
        let update = json!({ "answer": text, "chart": chart });
        let mut turned = self.turned(
            Values {
                answer: Some(text.clone()),
                chart,
                outcome: Some(Outcome::Answered),
                ..self.values.clone()
            },
            Step::End,
            "generateAnswer",
        );
        turned.messages = vec![NewMessage {
            id: Some(self.values.answer_id()),
            ..NewMessage::ai(text)
        }];
        turned.audit = vec![Self::agent(
            "answer",
            json!({ "answer": update.get("answer") }),
        )];
        turned.updates = vec![("generateAnswer", update)];
        Ok(turned)
    }
}
