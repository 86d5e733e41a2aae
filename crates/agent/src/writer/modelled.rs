//! A language model as the writer. The maximum cost of a call is reserved before the call, and the
//! real cost is settled afterwards, also if the call fails.

use agent_models::accounting::{Budget, Prices};
use agent_models::{BadResponse, LanguageModel, Message, ModelError, ModelRequest, Structure};
use serde_json::Value;

use crate::prompt::{self, Prompt, WriteTask};
use crate::spending::{Reservation, ReservationOutcome, Settlement};
use crate::state::Values;
use crate::turn::WriterOutput;
use crate::{AgentError, written};
use base::time::iso8601;
use base::{Error, Result};

/// The name of the object that a model writes.
const STRUCTURE: &str = "statement";

/// Tokens of a statement with its explanation. The limit of a statement's text is higher, but no
/// model writes that much on purpose.
const STATEMENT_TOKENS: u32 = 4_000;

/// Tokens of a reply: a few sentences.
const REPLY_TOKENS: u32 = 1_000;

/// Characters of a date such as `2026-11-25`.
const DATE_CHARACTERS: usize = 10;

/// The port to the sums of a tenant's spending.
#[expect(
    async_fn_in_trait,
    reason = "one thread runs everything, so no caller needs to know whether a future may be sent"
)]
pub trait Ledger {
    /// Reserves the maximum cost of a call.
    ///
    /// # Errors
    /// An error if the ledger does not respond; then nothing may be spent.
    async fn reserve(&self, reservation: &Reservation) -> Result<ReservationOutcome>;

    /// Records the real cost. If that fails, the reservation stays, so that the sum is too high
    /// rather than too low.
    async fn settle(&self, settlement: &Settlement);

    /// Returns the time in milliseconds since 1970.
    fn now_ms(&self) -> u64;
}

/// A model as a writer, with its ledger and budget.
#[derive(Debug)]
pub struct ModelWriter<'a, M, L> {
    /// The model.
    pub model: &'a M,
    /// The ledger of the tenant.
    pub ledger: &'a L,
    /// The tenant's budget for a day; `None` if there is no limit.
    pub budget: Option<Budget>,
}

impl<M: LanguageModel, L: Ledger> ModelWriter<'_, M, L> {
    /// Writes a statement. If the response does not have the expected object, the model is asked
    /// once more and told the problem.
    ///
    /// # Errors
    /// [`agent_models::ModelError`], [`AgentError::BadWriting`].
    pub async fn write(
        &self,
        task: &WriteTask<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<WriterOutput> {
        let Prompt { system, user } = prompt::write(task);
        let structure = Structure::new(
            STRUCTURE,
            "the statement for the question, or the reply that needs none",
            prompt::written_schema(),
        )?
        .streaming("explanation")
        .or_words();
        let request = |messages| {
            let request = ModelRequest::new(&system, messages, STATEMENT_TOKENS)?;
            Ok::<_, Error>(request.structured(structure.clone()))
        };
        let first = vec![Message::user(&user)];
        let (problem, text) = match self.ask(&request(first)?, on_text).await? {
            ModelOutput::Object(object, text) => match written::parse(&object) {
                Ok(wrote) => return Ok(wrote),
                Err(problem) => (problem, text),
            },
            ModelOutput::Text(text) => match written::parse_words(&text) {
                Some(wrote) => return Ok(wrote),
                None => ("it is not a JSON object".to_owned(), text),
            },
        };
        let text = base::text::cut(&text, MAX_REPEATED_CHARACTERS);
        let again = vec![
            Message::user(&user),
            Message::assistant(if text.trim().is_empty() {
                "(nothing)"
            } else {
                &text
            }),
            Message::user(format!(
                "That cannot be used: {problem}. Respond with the JSON object alone."
            )),
        ];
        let problem = match self.ask(&request(again)?, &mut |_| {}).await? {
            ModelOutput::Object(object, _) => match written::parse(&object) {
                Ok(wrote) => return Ok(wrote),
                Err(problem) => problem,
            },
            ModelOutput::Text(text) => match written::parse_words(&text) {
                Some(wrote) => return Ok(wrote),
                None => "it is not a JSON object".to_owned(),
            },
        };
        Err(AgentError::BadWriting { problem }.into())
    }

    /// Describes the result of a statement.
    ///
    /// # Errors
    /// [`agent_models::ModelError`].
    pub async fn reply(
        &self,
        values: &Values,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Option<String>> {
        let Prompt { system, user } = prompt::told_result(values);
        let request = ModelRequest::new(&system, vec![Message::user(user)], REPLY_TOKENS)?;
        Ok(match self.ask(&request, on_text).await? {
            ModelOutput::Object(_, text) | ModelOutput::Text(text) => {
                Some(text.trim().to_owned()).filter(|text| !text.is_empty())
            }
        })
    }

    async fn ask(
        &self,
        request: &ModelRequest,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<ModelOutput> {
        let prices: Prices = self.model.describe().prices;
        let now_ms = self.ledger.now_ms();
        let day: String = iso8601(now_ms).chars().take(DATE_CHARACTERS).collect();
        let reserved = prices.reservation(request);
        if let Some(budget) = self.budget {
            let reservation = Reservation {
                day: day.clone(),
                microdollars: reserved,
                limit: budget.per_day,
            };
            let granted = self.ledger.reserve(&reservation).await?;
            if !granted.granted {
                budget.check(granted.spent, reserved, now_ms)?;
            }
        }
        let outcome = self.model.complete(request, on_text).await;
        let usage = match &outcome {
            Ok(completion) => completion.usage,
            Err(failure) => failure.usage,
        };
        let settlement = Settlement {
            day,
            reserved: if self.budget.is_some() { reserved } else { 0 },
            microdollars: prices.cost(&usage),
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
        };
        self.ledger.settle(&settlement).await;
        match outcome {
            Ok(completion) => Ok(match completion.object {
                Some(object) => ModelOutput::Object(Value::Object(object), completion.text),
                None => ModelOutput::Text(completion.text),
            }),
            // A response without an object is handled like one with a wrong object: the model is
            // told the problem.
            Err(failure) if lacks_object(&failure.error) => Ok(ModelOutput::Text(String::new())),
            Err(failure) => Err(failure.error.into()),
        }
    }
}

/// Returns true if the model responded, but not with the object that it was asked for.
fn lacks_object(error: &ModelError) -> bool {
    matches!(
        error,
        ModelError::BadAnswer {
            reason: BadResponse::NoObject | BadResponse::SeveralObjects | BadResponse::WrongShape,
            ..
        }
    )
}

/// Characters of an unusable response that are shown to the model again.
const MAX_REPEATED_CHARACTERS: usize = 4_000;

/// The response of a model.
enum ModelOutput {
    /// An object, and the text that contains it.
    Object(Value, String),
    /// A text without an object.
    Text(String),
}
