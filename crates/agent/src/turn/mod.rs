//! The flow as a pure function: where a thread stands and what happened give where it stands then, and what is to be done.
//!
//! ```text
//! writeQuery ──▶ humanApproval ──▶ executeQuery ──▶ generateAnswer ──▶ end
//!     │ ▲              │ │
//!     │ └─ revise ─────┘ └─ rejected, expired, superseded ──▶ end
//!     └─ no query, cannot answer, ask back, refused three times ──▶ end
//! ```
//!
//! Nothing here touches a database or a clock: [`crate::store`] stores what comes out before anything is done, and [`work`] tells from what is
//! stored alone what is to be done next, so a thread whose object died goes on where it stood.

mod decide;
mod transitions;

use serde_json::{Value, json};

use crate::AgentError;
use crate::approval::{Preview, Status, Subject};
use crate::state::{Author, Failure, NewMessage, Outcome, Step, Values};
use base::Result;

pub use decide::{Decision, Verdict};

/// What a deployment decides about approvals, for one tenant.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// For how long a statement waits.
    pub approval_ttl_ms: u64,
    /// How many persons approve a write.
    pub write_approvers: usize,
    /// Statements that only read, and look at so many rows at most, run without a person; none where every statement is decided.
    pub auto_approve_rows: Option<f64>,
}

/// What a writer made of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrote {
    /// A statement.
    Query {
        /// The text.
        sql: String,
        /// What it does, in words.
        explanation: String,
        /// Who wrote it.
        author: Author,
    },
    /// A reply, because no statement is needed or possible.
    Reply {
        /// The words.
        text: String,
        /// Which of the three it is.
        outcome: Outcome,
        /// Of a question back the meanings to choose from.
        choices: Vec<String>,
    },
}

/// What happens to a thread.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A step began too often, and the last time this happened.
    GaveUp {
        /// How often it began.
        tries: u32,
        /// What happened last.
        last: String,
    },
    /// A writer has written.
    Wrote(Wrote),
    /// No writer could, for a reason that a further attempt does not mend.
    WritingFailed(Failure),
    /// The statement passed every check.
    Previewed {
        /// What it would do.
        preview: Box<Preview>,
        /// The id of the approval that is asked.
        approval_id: String,
    },
    /// The statement did not pass.
    Refused(Failure),
    /// A person decided.
    Decided(Decision),
    /// A person wants a write taken back.
    UndoAsked {
        /// What it would do.
        preview: Box<Preview>,
        /// The approval of the write.
        undo_of: String,
        /// The id of the approval that is asked.
        approval_id: String,
    },
    /// The time of an approval is over.
    TimeOver,
    /// The statement has run: the fields of the session's response.
    Ran(Value),
    /// The statement has not run, and will not.
    RunFailed(Failure),
    /// The reply is written.
    Answered {
        /// The words.
        text: String,
        /// A chart.
        chart: Option<Value>,
    },
}

/// What is to be done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// A statement is written.
    Write,
    /// The statement is checked, and what it would do found out.
    Preview,
    /// Somebody else has to do something.
    Wait,
    /// The statement runs.
    Run,
    /// The reply is written.
    Answer,
}

/// One record of the audit that a transition asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Audited {
    /// What happened: `question`, `statement`, `decision`, `execution` …
    pub kind: &'static str,
    /// Who did it.
    pub actor: String,
    /// The rest.
    pub body: Value,
}

/// What a transition gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Turned {
    /// What the thread knows then.
    pub values: Values,
    /// Where it stands then.
    pub step: Step,
    /// What made it, as the history names it.
    pub source: &'static str,
    /// What is said.
    pub messages: Vec<NewMessage>,
    /// What readers of the stream are told: each under the node that did it.
    pub updates: Vec<(&'static str, Value)>,
    /// What goes into the audit.
    pub audit: Vec<Audited>,
}

/// What is to be done next, from what is stored.
pub fn work(step: Step, values: &Values) -> Work {
    match step {
        Step::WriteQuery if values.written_query.is_some() => Work::Preview,
        Step::WriteQuery => Work::Write,
        Step::HumanApproval | Step::End => Work::Wait,
        Step::ExecuteQuery => Work::Run,
        Step::GenerateAnswer => Work::Answer,
    }
}

/// A question in a thread that stands at `before`, or in a new one. After a question back it may be the choice that completes it. What waits for a decision there is superseded, visibly.
///
/// # Errors
/// [`AgentError::TurnInProgress`].
pub fn ask(before: Option<(Step, &Values)>, mut asked: Values) -> Result<Turned> {
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
            audit.push(Audited {
                kind: "superseded",
                actor: asked.who.user_id.clone(),
                body: json!({ "approvalId": approval.approval_id, "by": asked.input_id }),
            });
        }
    }
    audit.push(Audited {
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
    Ok(Turned {
        values: asked,
        step: Step::WriteQuery,
        source: "question",
        messages: vec![message],
        updates,
        audit,
    })
}

/// What an event makes of a thread.
///
/// # Errors
/// Those of a decision that does not count; [`base::CommonError::Internal`] for an event that does not belong to the step.
pub fn advance(
    step: Step,
    values: &Values,
    event: Event,
    now_ms: u64,
    rules: &Rules,
) -> Result<Turned> {
    let from = transitions::From {
        step,
        values,
        now_ms,
        rules,
    };
    match event {
        Event::GaveUp { tries, last } => from.gave_up(tries, last),
        Event::Wrote(Wrote::Query {
            sql,
            explanation,
            author,
        }) => from.wrote(sql, explanation, author),
        Event::Wrote(Wrote::Reply {
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

/// What stands at the beginning of a line behind an earlier checkpoint. Nothing waits or runs there: a statement is decided in one line only.
pub fn forked(head: &crate::state::Head, values: &Values, checkpoint: u64, actor: &str) -> Turned {
    let mut values = values.clone();
    values.approval = None;
    let mut updates = Vec::new();
    let mut audit = Vec::new();
    if let (Step::HumanApproval, Some(approval)) = (head.step, &head.values.approval) {
        updates.push((
            "humanApproval",
            json!({ "approvalId": approval.approval_id, "status": "superseded" }),
        ));
        audit.push(Audited {
            kind: "superseded",
            actor: actor.to_owned(),
            body: json!({ "approvalId": approval.approval_id, "by": "fork" }),
        });
    }
    audit.push(Audited {
        kind: "fork",
        actor: actor.to_owned(),
        body: json!({ "checkpoint": checkpoint }),
    });
    Turned {
        values,
        step: Step::End,
        source: "fork",
        messages: Vec::new(),
        updates,
        audit,
    }
}

impl Turned {
    /// What became of an approval that waited before and stands here no longer.
    pub(crate) fn left_behind(&self) -> Status {
        match self.source {
            "rejectedExecution" => Status::Rejected,
            // Only an edit puts another approval in the place of one that waits.
            "humanApproval" => Status::Edited,
            _ => Status::Superseded,
        }
    }
}
