//! The requests of people to a thread: questions and decisions. Each is stored before its function
//! returns; [`super::work_on`] does the work that follows.

use database::Database;
use serde_json::json;

use super::steps::read_preview;
use super::{Thread, World};
use crate::AgentError;
use crate::approval::{Approval, ApprovalReference, Status};
use crate::request::{Action, Claims, DecisionRequest, Question, Reference};
use crate::state::{Failure, Step};
use crate::store::{Head, InputLookup, Owner, Store};
use crate::turn::{Decision, Event, Verdict, advance};
use base::{Error, Result};

/// The result of storing a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredQuestion {
    /// The id of the last event before those of this question.
    pub after_event: u64,
    /// True if the question was stored before; it has then no further effect.
    pub is_repeated: bool,
}

/// Stores a question.
///
/// # Errors
/// [`AgentError::InputConflict`], [`AgentError::TurnInProgress`],
/// [`AgentError::ThreadOfOtherBusiness`] or [`AgentError::ThreadFull`].
pub fn ask<D: Database, W: World>(
    thread: Thread<'_, D, W>,
    owner: &Owner,
    question: &Question,
) -> Result<StoredQuestion> {
    let store = thread.store();
    let input_id = &question.values.input_id;
    if let InputLookup::Before { after_event } = store.seen(input_id, &question.text)? {
        return Ok(StoredQuestion {
            after_event,
            is_repeated: true,
        });
    }
    let head = store.head()?;
    let mut asked = question.values.clone();
    if let Some(head) = &head {
        let business = &mut asked.who.business_id;
        require_business(head, business.as_deref())?;
        business.clone_from(&head.values.who.business_id);
        expire_if_due(&thread, head)?;
    }
    let head = store.head()?;
    let before = head.as_ref().map(|head| (head.step, &head.values));
    let turned = crate::turn::ask(before, asked)?;
    let (_, after_event) = store.commit_input(head.as_ref(), &turned, owner, &question.text)?;
    thread.world.stored();
    Ok(StoredQuestion {
        after_event,
        is_repeated: false,
    })
}

/// Rejects a business other than the one of the thread's first question, because the messages hold
/// rows of that business. If the first question named no business, the thread belongs to none.
///
/// # Errors
/// [`AgentError::ThreadOfOtherBusiness`].
pub fn require_business(head: &Head, business: Option<&str>) -> Result<()> {
    match business {
        Some(business) if head.values.who.business_id.as_deref() != Some(business) => {
            Err(AgentError::ThreadOfOtherBusiness {
                given: business.to_owned(),
            }
            .into())
        }
        _ => Ok(()),
    }
}

/// Expires the pending approval if its time is over. Returns true if it did.
///
/// # Errors
/// Errors of the database.
pub fn expire<D: Database, W: World>(thread: Thread<'_, D, W>) -> Result<bool> {
    match thread.store().head()? {
        Some(head) => expire_if_due(&thread, &head),
        None => Ok(false),
    }
}

fn expire_if_due<D: Database, W: World>(thread: &Thread<'_, D, W>, head: &Head) -> Result<bool> {
    let waiting =
        head.values.approval.as_ref().filter(|approval| {
            head.step == Step::HumanApproval && approval.status == Status::Pending
        });
    let is_due = waiting.is_some_and(|approval| approval.expires_at_ms <= thread.world.now_ms());
    if is_due {
        thread.commit(head, Event::TimeOver)?;
    }
    Ok(is_due)
}

/// Stores a decision. Returns the id of the event before those that report the decision.
///
/// # Errors
/// A decision that is not valid is a conflict, and the error says why. If an edited statement does
/// not pass the gate, the error is that of the gate, and the approval stays pending.
pub async fn decide<D: Database, W: World>(
    thread: Thread<'_, D, W>,
    owner: &str,
    claims: &Claims,
    request: &DecisionRequest,
    fresh_key: impl FnOnce() -> Result<[u8; 32]>,
) -> Result<u64> {
    let store = thread.store();
    let head = store.require_head(thread.id)?;
    require_business(&head, claims.business_id.as_deref())?;
    if expire_if_due(&thread, &head)? {
        let approval = head.values.approval.as_ref();
        return Err(AgentError::ApprovalExpired {
            approval_id: approval
                .map(|approval| approval.approval_id.clone())
                .unwrap_or_default(),
            expired_at_ms: approval.map_or(0, |approval| approval.expires_at_ms),
        }
        .into());
    }
    let (approval_id, sha256) = named(&store, &head, owner, &request.reference, fresh_key)?;
    if request.action == Action::Undo {
        return ask_undo(thread, &head, approval_id).await;
    }
    // For an approval of an earlier question, the error says how that approval ended, and does not
    // mention the pending one.
    let is_current = head
        .values
        .approval
        .as_ref()
        .is_some_and(|approval| approval.approval_id == approval_id);
    if !is_current && let Some((status, _)) = store.approval(&approval_id)? {
        return Err(AgentError::AlreadyDecided {
            approval_id,
            status,
        }
        .into());
    }
    let decision = |verdict| Decision {
        approval_id: approval_id.clone(),
        sha256: sha256.clone(),
        person: request.person.clone(),
        verdict,
    };
    let verdict = match &request.action {
        Action::Approved => Verdict::Approved,
        Action::Rejected { reason, revise } => Verdict::Rejected {
            reason: reason.clone(),
            revise: *revise,
        },
        Action::Edited { sql } => {
            // A decision that is not valid is refused before the session checks the edited
            // statement.
            let named = ApprovalReference {
                approval_id: &approval_id,
                sha256: &sha256,
            };
            waiting(&head)?.require_decidable(&named, store.now_ms)?;
            let previewed = thread.ask_preview(&head.values, sql).await?;
            Verdict::Edited {
                sql: sql.clone(),
                preview: Box::new(previewed.map_err(refused)?),
                approval_id: thread.world.fresh_id(),
            }
        }
        Action::Undo => return Err(Error::internal("an undo was handled before")),
    };
    // Another person may have decided while the session checked the edited statement.
    let store = thread.store();
    let head = store.require_head(thread.id)?;
    let turned = advance(
        head.step,
        &head.values,
        Event::Decided(decision(verdict)),
        store.now_ms,
        thread.rules,
    )?;
    let after_event = store.last_event()?;
    store.commit(Some(&head), &turned)?;
    thread.world.stored();
    Ok(after_event)
}

/// Returns the id of the approval that a decision is about, and the hash of its statement.
fn named<D: Database>(
    store: &Store<'_, D>,
    head: &Head,
    owner: &str,
    reference: &Reference,
    fresh_key: impl FnOnce() -> Result<[u8; 32]>,
) -> Result<(String, String)> {
    match reference {
        Reference::Named {
            approval_id,
            sha256,
        } => Ok((approval_id.clone(), sha256.clone())),
        Reference::Token(token) => {
            let waiting = waiting(head)?;
            store.require_token(owner, waiting, token, fresh_key)?;
            Ok((waiting.approval_id.clone(), waiting.preview.sha256.clone()))
        }
    }
}

fn waiting(head: &Head) -> Result<&Approval> {
    let waiting = head.values.approval.as_ref();
    waiting
        .filter(|_| head.step == Step::HumanApproval)
        .ok_or_else(|| AgentError::NothingPending.into())
}

/// Converts the failure of another object into an error of this crate.
fn refused(failure: Failure) -> Error {
    Error::from(RefusedStatement(failure))
}

/// An edited statement that did not pass the checks, with the failure that the gate returned.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", .0.message)]
struct RefusedStatement(Failure);

impl base::Problem for RefusedStatement {
    fn code(&self) -> base::Code {
        let known = sql_gate::codes::ALL
            .iter()
            .chain(base::codes::ALL)
            .find(|code| code.name == self.0.code);
        known.copied().unwrap_or(base::codes::INVALID_ARGUMENT)
    }

    fn hint(&self) -> Option<String> {
        self.0.hint.clone()
    }
}

/// Asks for approval to undo a write.
async fn ask_undo<D: Database, W: World>(
    thread: Thread<'_, D, W>,
    head: &Head,
    approval_id: String,
) -> Result<u64> {
    if head.step != Step::End {
        return Err(AgentError::TurnInProgress {
            step: head.step.name(),
        }
        .into());
    }
    let nothing = |reason: String| Error::from(AgentError::NothingToTakeBack { reason });
    let Some((Status::Approved, target)) = thread.store().approval(&approval_id)? else {
        return Err(nothing(format!(
            "the thread has not run a statement with the approval {approval_id:?}"
        )));
    };
    let request = json!({ "do": "undoPreview", "approvalId": approval_id });
    let told = match thread.world.tables(&target, &request).await? {
        Ok(told) => told,
        Err(failure) => return Err(nothing(failure.message)),
    };
    if told.get("possible").and_then(serde_json::Value::as_bool) != Some(true) {
        let reason = told.get("reason").and_then(serde_json::Value::as_str);
        return Err(nothing(reason.unwrap_or("it cannot be undone").to_owned()));
    }
    let preview = read_preview(told)?;
    let after_event = thread.store().last_event()?;
    thread.commit(
        head,
        Event::UndoAsked {
            preview: Box::new(preview),
            undo_of: approval_id,
            approval_id: thread.world.fresh_id(),
        },
    )?;
    Ok(after_event)
}
