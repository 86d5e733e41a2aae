//! The state machine of a thread, as a pure function: (step, event) → (next step, work).
//!
//! ```text
//! writeQuery ──▶ humanApproval ──▶ executeQuery ──▶ generateAnswer ──▶ end
//!     │ ▲              │ │
//!     │ └─ revise ─────┘ └─ rejected, expired, superseded ──▶ end
//!     └─ no query, cannot answer, ask back, refused three times ──▶ end
//! ```
//!
//! Nothing here uses a database or a clock. [`crate::store`] stores each transition before the work
//! that it asks for begins. [`work`] derives the next work from the stored state alone, so a thread
//! whose object died continues from its last checkpoint.

mod decide;
mod transitions;

use serde_json::{Value, json};

use crate::AgentError;
use crate::approval::{Preview, Status, Subject};
use crate::state::{Author, Failure, NewMessage, Outcome, Step, Values};
use base::Result;

pub use decide::{Decision, Verdict};

/// The rules of a deployment about approvals, for one tenant.
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalRules {
    /// Milliseconds for which a statement waits for a decision.
    pub approval_ttl_ms: u64,
    /// The number of persons who must approve a write.
    pub write_approvers: usize,
    /// A read that examines at most this number of rows runs without a decision; if `None`, a
    /// person decides on every statement.
    pub auto_approve_rows: Option<f64>,
}

/// The output of a writer for a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriterOutput {
    /// A statement.
    Query {
        /// The text of the statement.
        sql: String,
        /// The effect of the statement, in words.
        explanation: String,
        /// The author of the statement.
        author: Author,
    },
    /// A reply, because no statement is needed or possible.
    Reply {
        /// The text of the reply.
        text: String,
        /// `NoQuery`, `CannotAnswer` or `AskedBack`.
        outcome: Outcome,
        /// The meanings to choose from, if the outcome is `AskedBack`.
        choices: Vec<String>,
    },
}

/// An event that moves a thread to its next state.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A step began more often than is allowed and never finished.
    GaveUp {
        /// The number of times that the step began.
        tries: u32,
        /// The description of the last failure.
        last: String,
    },
    /// The writer has written a statement or a reply.
    Wrote(WriterOutput),
    /// The writer failed for a reason that another attempt would not change.
    WritingFailed(Failure),
    /// The statement passed every check.
    Previewed {
        /// The expected effect of the statement.
        preview: Box<Preview>,
        /// The id of the new approval.
        approval_id: String,
    },
    /// The statement did not pass the checks.
    Refused(Failure),
    /// A person decided.
    Decided(Decision),
    /// A person asks to undo a write.
    UndoAsked {
        /// The expected effect of the undo.
        preview: Box<Preview>,
        /// The id of the approval under which the write ran.
        undo_of: String,
        /// The id of the new approval.
        approval_id: String,
    },
    /// The pending approval has expired.
    TimeOver,
    /// The statement has run. The value has the fields of the session's response.
    Ran(Value),
    /// The statement did not run and will not run.
    RunFailed(Failure),
    /// The reply is written.
    Answered {
        /// The text of the reply.
        text: String,
        /// A chart of the result, if its shape allows one.
        chart: Option<Value>,
    },
}

/// The next work of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Write a statement.
    Write,
    /// Check the statement and preview its effect.
    Preview,
    /// No work: only a person can continue.
    Wait,
    /// Run the statement.
    Run,
    /// Write the reply.
    Answer,
}

/// An audit record that a transition adds.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditRecord {
    /// The kind of event: `question`, `statement`, `decision`, `execution` …
    pub kind: &'static str,
    /// The id of the person, or the name of the part of the product, that acted.
    pub actor: String,
    /// The other fields of the record.
    pub body: Value,
}

/// The result of a transition.
#[derive(Debug, Clone, PartialEq)]
pub struct Transition {
    /// The new values of the thread.
    pub values: Values,
    /// The new step of the thread.
    pub step: Step,
    /// The cause of the transition, as the history names it.
    pub source: &'static str,
    /// The messages that the transition adds.
    pub messages: Vec<NewMessage>,
    /// The updates for readers of the stream, each with the name of the node that produced it.
    pub updates: Vec<(&'static str, Value)>,
    /// The records that the transition adds to the audit.
    pub audit: Vec<AuditRecord>,
}

/// Returns the next work, derived from the stored state alone.
pub fn work(step: Step, values: &Values) -> Work {
    match step {
        Step::WriteQuery if values.written_query.is_some() => Work::Preview,
        Step::WriteQuery => Work::Write,
        Step::HumanApproval | Step::End => Work::Wait,
        Step::ExecuteQuery => Work::Run,
        Step::GenerateAnswer => Work::Answer,
    }
}

/// Starts a question in the thread whose step and values are `before`, or in a new thread. If the
/// agent had asked back, the question may be the choice that completes the earlier question. A
/// pending approval becomes superseded, and the stream and the audit say so.
///
/// # Errors
/// [`AgentError::TurnInProgress`].
pub fn ask(before: Option<(Step, &Values)>, mut asked: Values) -> Result<Transition> {
    let mut updates = Vec::new();
    let mut audit = Vec::new();
    if let Some((step, values)) = before {
        if step.is_running() {
            return Err(AgentError::TurnInProgress { step: step.name() }.into());
        }
        if !values.title.is_empty() {
            asked.title.clone_from(&values.title);
        }
        if let (Step::End, Some(Outcome::AskedBack), Some(back)) =
            (step, values.outcome, &values.asked_back)
        {
            asked.asked_back = back.completed_by(&asked.question);
            if asked.asked_back.is_none() {
                asked.unanswered = Some(back.clone());
            }
        }
        if let (Step::HumanApproval, Some(approval)) = (step, &values.approval) {
            updates.push((
                "humanApproval",
                json!({ "approvalId": approval.approval_id, "status": "superseded" }),
            ));
            audit.push(AuditRecord {
                kind: "superseded",
                actor: asked.who.user_id.clone(),
                body: json!({ "approvalId": approval.approval_id, "by": asked.input_id }),
            });
        }
    }
    audit.push(AuditRecord {
        kind: "question",
        actor: asked.who.user_id.clone(),
        body: json!({
            "question": asked.question, "inputId": asked.input_id, "target": asked.target,
            "businessId": asked.who.business_id, "profileId": asked.who.profile_id,
        }),
    });
    let message = NewMessage {
        id: Some(asked.input_id.clone()),
        kind: crate::state::MessageKind::Human,
        content: asked.question.clone(),
        is_hidden: false,
    };
    Ok(Transition {
        values: asked,
        step: Step::WriteQuery,
        source: "question",
        messages: vec![message],
        updates,
        audit,
    })
}

/// Applies an event to a thread and returns the transition.
///
/// # Errors
/// The errors of a decision that is not valid; [`base::CommonError::Internal`] for an event that
/// does not fit the step.
pub fn advance(
    step: Step,
    values: &Values,
    event: Event,
    now_ms: u64,
    rules: &ApprovalRules,
) -> Result<Transition> {
    let from = transitions::Situation {
        step,
        values,
        now_ms,
        rules,
    };
    match event {
        Event::GaveUp { tries, last } => from.gave_up(tries, last),
        Event::Wrote(WriterOutput::Query {
            sql,
            explanation,
            author,
        }) => from.wrote(sql, explanation, author),
        Event::Wrote(WriterOutput::Reply {
            text,
            outcome,
            choices,
        }) => from.replied(text, outcome, choices),
        Event::WritingFailed(failure) => from.failed(Step::WriteQuery, failure),
        Event::Previewed {
            preview,
            approval_id,
        } => from.previewed(*preview, approval_id),
        Event::Refused(failure) => from.refused(failure),
        Event::Decided(decision) => from.decided(decision),
        Event::UndoAsked {
            preview,
            undo_of,
            approval_id,
        } => from.undo_asked(*preview, Subject::UndoOf(undo_of), approval_id),
        Event::TimeOver => from.time_over(),
        Event::Ran(result) => from.ran(result),
        Event::RunFailed(failure) => from.failed(Step::ExecuteQuery, failure),
        Event::Answered { text, chart } => from.answered(text, chart),
    }
}

/// Returns the first state of a branch that starts at an earlier checkpoint. It has no pending
/// approval and no running step, because a statement is decided in one branch only.
pub fn forked(
    head: &crate::state::Head,
    values: &Values,
    checkpoint: u64,
    actor: &str,
) -> Transition {
    let mut values = values.clone();
    values.approval = None;
    let mut updates = Vec::new();
    let mut audit = Vec::new();
    if let (Step::HumanApproval, Some(approval)) = (head.step, &head.values.approval) {
        updates.push((
            "humanApproval",
            json!({ "approvalId": approval.approval_id, "status": "superseded" }),
        ));
        audit.push(AuditRecord {
            kind: "superseded",
            actor: actor.to_owned(),
            body: json!({ "approvalId": approval.approval_id, "by": "fork" }),
        });
    }
    audit.push(AuditRecord {
        kind: "fork",
        actor: actor.to_owned(),
        body: json!({ "checkpoint": checkpoint }),
    });
    Transition {
        values,
        step: Step::End,
        source: "fork",
        messages: Vec::new(),
        updates,
        audit,
    }
}

impl Transition {
    /// Returns the final status of the approval that was pending before this transition and is not
    /// part of the new state.
    pub(crate) fn left_behind(&self) -> Status {
        match self.source {
            "rejectedExecution" => Status::Rejected,
            // Only an edit replaces a pending approval by another approval.
            "humanApproval" => Status::Edited,
            _ => Status::Superseded,
        }
    }
}
