//! The steps that the thread itself does, one after the other until it waits for a person.

use database::Database;
use serde_json::{Value, json};

use super::{Thread, Token, World, Writer};
use crate::approval::{Preview, Status, Subject};
use crate::chart;
use crate::evidence;
use crate::limits::{
    MAX_ANSWER_BYTES, MAX_KEPT_UNDO_BYTES, MAX_PROMPT_MESSAGES, MAX_STATE_ROWS, MAX_STEP_TRIES,
    MAX_TOLD_SCHEMA_BYTES, MAX_TOLD_TABLES,
};
use crate::memory::{self, Pair};
use crate::prompt::WriteTask;
use crate::reply::{self, RunResult};
use crate::state::{Author, Failure, Target, Values};
use crate::store::Head;
use crate::turn::{Event, Work, advance, work};
use crate::writer::planned;
use base::text::cut;
use base::time::iso8601;
use base::{Error, Result};

/// Characters of a date, as `2026-11-25`.
const DATE_CHARACTERS: usize = 10;

/// Does the next work of a thread until there is none.
///
/// # Errors
/// The errors of the platform or the database that prevented a step for now. The state of the
/// thread has not changed, and the next call tries the step again.
pub async fn work_on<D: Database, W: World>(thread: Thread<'_, D, W>) -> Result<()> {
    loop {
        let Some(head) = thread.store().head()? else {
            return Ok(());
        };
        let next = work(head.step, &head.values);
        if next == Work::Wait {
            return Ok(());
        }
        let (tries, trouble) = thread.store().begin()?;
        let outcome = if tries > MAX_STEP_TRIES {
            Ok(Event::GaveUp {
                tries: MAX_STEP_TRIES,
                last: trouble
                    .unwrap_or_else(|| "the object stopped before the end of the step".to_owned()),
            })
        } else {
            thread.step(next, &head).await
        };
        if !thread.world.is_current() {
            return Ok(());
        }
        let event = match outcome {
            Ok(event) => event,
            Err(error) => {
                thread.store().note_trouble(&error.to_string())?;
                return Err(error);
            }
        };
        thread.commit(&head, event)?;
        if next == Work::Answer {
            thread.remember(&head.values).await;
        }
    }
}

impl<D: Database, W: World> Thread<'_, D, W> {
    /// Applies an event and stores the transition, if the thread is still at the same checkpoint.
    pub(super) fn commit(&self, head: &Head, event: Event) -> Result<()> {
        let store = self.store();
        if store.head()?.as_ref().map(|now| now.checkpoint) != Some(head.checkpoint) {
            return Err(Error::internal(
                "the thread changed while a step was running",
            ));
        }
        let turned = advance(head.step, &head.values, event, store.now_ms, self.rules)?;
        store.commit(Some(head), &turned)?;
        self.world.stored();
        Ok(())
    }

    async fn step(&self, next: Work, head: &Head) -> Result<Event> {
        let values = &head.values;
        match next {
            Work::Write => self.write(head).await,
            Work::Preview => self.preview(values).await,
            Work::Run => self.run(values).await,
            Work::Answer => Ok(self.answer(values).await),
            Work::Wait => Err(Error::internal("the step has no work")),
        }
    }

    /// Adds the scope of the question's business to a request for the tables.
    pub(super) fn scoped(values: &Values, mut request: Value) -> Value {
        if let (Some(fields), Some(business)) = (request.as_object_mut(), &values.who.business_id) {
            fields.insert("scope".to_owned(), json!({ "value": business }));
        }
        request
    }

    async fn write(&self, head: &Head) -> Result<Event> {
        let values = &head.values;
        let request = json!({ "do": "schema", "maxTables": MAX_TOLD_TABLES, "maxBytes": MAX_TOLD_SCHEMA_BYTES });
        let asked = self
            .world
            .tables(&values.target, &Self::scoped(values, request))
            .await?;
        let mut schema = match asked {
            Ok(schema) => schema,
            Err(failure) => return Ok(Event::WritingFailed(failure)),
        };
        self.look_up(values, &mut schema).await?;
        let examples = self.world.resembling(values).await;
        let mut messages =
            self.store()
                .messages(head.branch, head.checkpoint, MAX_PROMPT_MESSAGES * 2)?;
        messages.retain(|message| {
            message.get("id").and_then(Value::as_str) != Some(values.input_id.as_str())
        });
        let task = WriteTask {
            values,
            schema: &schema,
            examples: &examples,
            messages: &messages,
            today: cut_date(self.world.now_ms()),
        };
        let id = values.reply_id();
        let mut offset = 0;
        let mut on_text = |text: &str| {
            self.world.tell(Token {
                message: &id,
                node: "writeQuery",
                offset,
                text,
            });
            offset += text.chars().count();
        };
        match self.world.writer().write(&task, &mut on_text).await {
            Ok(wrote) => Ok(Event::Wrote(wrote)),
            Err(error) => Ok(Event::WritingFailed(Failure::of(&error))),
        }
    }

    /// Looks up the texts of the question, and then the nearest values of the names that no value
    /// equals.
    async fn look_up(&self, values: &Values, schema: &mut Value) -> Result<()> {
        let (question, _) = values.whole_question();
        evidence::hide_results(schema, question);
        let mut asked = agent_planner::lookup(question, &planned::schema(schema));
        let mut near = Vec::new();
        for _ in 0..2 {
            let Some(request) = evidence::request(&asked, &near) else {
                break;
            };
            let request = Self::scoped(values, request);
            // A question can be planned without evidence, too: its columns are then listed as
            // unread.
            let told = self.world.tables(&values.target, &request).await?.ok();
            evidence::add(schema, &asked, told);
            near = agent_planner::unclear(question, &planned::schema(schema));
            asked.texts.clear();
            asked.joins.clear();
        }
        Ok(())
    }

    /// Asks the session for the expected effect of a statement.
    pub(super) async fn ask_preview(
        &self,
        values: &Values,
        sql: &str,
    ) -> Result<Result<Preview, Failure>> {
        let request = Self::scoped(values, json!({ "do": "preview", "sql": sql }));
        let asked = self.world.tables(&values.target, &request).await?;
        asked.map_or_else(
            |failure| Ok(Err(failure)),
            |told| read_preview(told).map(Ok),
        )
    }

    async fn preview(&self, values: &Values) -> Result<Event> {
        let sql = values
            .written_query
            .as_ref()
            .map_or("", |written| &written.sql);
        Ok(match self.ask_preview(values, sql).await? {
            Ok(preview) => Event::Previewed {
                preview: Box::new(preview),
                approval_id: self.world.fresh_id(),
            },
            Err(failure) => Event::Refused(failure),
        })
    }

    async fn run(&self, values: &Values) -> Result<Event> {
        let Some(approval) = &values.approval else {
            return Err(Error::internal(
                "a statement without an approval cannot run",
            ));
        };
        let is_approved = matches!(approval.status, Status::Approved | Status::AutoApproved);
        if !is_approved {
            return Err(Error::internal(
                "a statement that nobody approved cannot run",
            ));
        }
        let (id, sha256) = (&approval.approval_id, &approval.preview.sha256);
        let (target, request) = match &approval.subject {
            Subject::Statement => (
                values.target.clone(),
                Self::scoped(
                    values,
                    json!({
                        "do": "run", "approvalId": id, "sha256": sha256, "sql": approval.sql,
                        "maxRows": MAX_STATE_ROWS, "keepUndoBytes": MAX_KEPT_UNDO_BYTES,
                    }),
                ),
            ),
            Subject::UndoOf(write) => (
                self.target_of(write, &values.target)?,
                json!({ "do": "undo", "approvalId": write, "undoApprovalId": id, "sha256": sha256 }),
            ),
        };
        Ok(match self.world.tables(&target, &request).await? {
            Ok(result) => Event::Ran(result),
            Err(failure) => Event::RunFailed(failure),
        })
    }

    /// Returns the target of an earlier write of this thread.
    pub(super) fn target_of(&self, approval_id: &str, otherwise: &Target) -> Result<Target> {
        let known = self.store().approval(approval_id)?;
        Ok(known.map_or_else(|| otherwise.clone(), |(_, target)| target))
    }

    /// Writes the reply. If the writer fails, our own code writes it, so that the result is not
    /// lost.
    async fn answer(&self, values: &Values) -> Event {
        let ran = values
            .sql_result
            .as_ref()
            .map_or_else(RunResult::default, RunResult::read);
        let chart = chart::of(&ran.columns, &ran.rows).filter(|_| !ran.truncated);
        let id = values.answer_id();
        let mut offset = 0;
        let mut on_text = |text: &str| {
            self.world.tell(Token {
                message: &id,
                node: "generateAnswer",
                offset,
                text,
            });
            offset += text.chars().count();
        };
        let is_undo = values
            .approval
            .as_ref()
            .is_some_and(|approval| approval.subject != Subject::Statement);
        let written = if is_undo {
            Ok(None)
        } else {
            self.world.writer().reply(values, &mut on_text).await
        };
        let text = match written {
            Ok(Some(text)) => cut(&text, MAX_ANSWER_BYTES),
            Ok(None) => reply::plain(values),
            Err(error) => format!(
                "{}\n\n(The model could not describe the result: {error}.)",
                reply::plain(values)
            ),
        };
        Event::Answered { text, chart }
    }

    /// Stores the question and its approved statement in the memory, as an example for similar
    /// questions.
    async fn remember(&self, values: &Values) {
        let (Some(approval), Some(written)) = (&values.approval, &values.written_query) else {
            return;
        };
        let by_a_person = approval.status == Status::Approved && written.author != Author::Planner;
        if !by_a_person || approval.subject != Subject::Statement {
            return;
        }
        let pair = Pair {
            business: memory::owner_of(&values.who),
            target: values.target.clone(),
            question: values.question.clone(),
            sql: written.sql.clone(),
            explanation: written.explanation.clone(),
        };
        self.world.remember(&pair).await;
    }
}

fn cut_date(now_ms: u64) -> String {
    iso8601(now_ms).chars().take(DATE_CHARACTERS).collect()
}

/// Parses the session's response to a preview.
pub(super) fn read_preview(told: Value) -> Result<Preview> {
    serde_json::from_value(told)
        .map_err(|error| Error::internal(format!("a preview cannot be read: {error}")))
}
