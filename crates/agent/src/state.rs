//! The state of a thread: the step that comes next, and the values that the steps read and write.
//! Each checkpoint holds one [`Values`]. Messages have a table of their own, because copying the
//! conversation into each checkpoint would make storage grow with the square of its length.
//!
//! A field that is not set is `null` on the wire and in storage, so that a step can clear the value
//! that an earlier step wrote.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::approval::Approval;
pub use crate::author::Author;
use crate::limits::MAX_SUMMARY_CHARACTERS;
use base::text::cut;

/// The step of a thread that comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Step {
    /// The writer writes a statement for the question.
    WriteQuery,
    /// A person decides.
    HumanApproval,
    /// The session runs the approved statement.
    ExecuteQuery,
    /// The writer writes the reply.
    GenerateAnswer,
    /// The question is answered, rejected, expired or failed.
    End,
}

impl Step {
    /// Returns the name of the step on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::WriteQuery => "writeQuery",
            Self::HumanApproval => "humanApproval",
            Self::ExecuteQuery => "executeQuery",
            Self::GenerateAnswer => "generateAnswer",
            Self::End => "end",
        }
    }

    /// Returns true if the thread itself does this step; false if it waits for a person.
    pub fn is_running(self) -> bool {
        matches!(
            self,
            Self::WriteQuery | Self::ExecuteQuery | Self::GenerateAnswer
        )
    }
}

impl Step {
    /// Returns the names of the steps that come next, as a list, because clients of a graph expect
    /// one.
    pub fn next(self) -> Vec<&'static str> {
        if self == Self::End {
            Vec::new()
        } else {
            vec![self.name()]
        }
    }
}

/// The tables that the question is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Target {
    /// The tables of the session with this name.
    Session(String),
    /// The persistent tables of the tenant.
    Persistent,
}

/// The sender of a question.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sender {
    /// The id of the person.
    pub user_id: String,
    /// The profile that the person uses.
    pub profile_id: Option<String>,
    /// The business whose rows the statements see; `None` for all rows.
    pub business_id: Option<String>,
}

/// The explanation of a statement that a person edited: nobody has explained the new text.
pub const BY_A_PERSON: &str = "A person wrote this statement.";

/// A statement that was written for a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WrittenStatement {
    /// The statement.
    pub sql: String,
    /// The effect of the statement, in words.
    pub explanation: String,
    /// The author of the statement.
    pub author: Author,
}

/// A statement that was refused before a person saw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// The statement.
    pub sql: String,
    /// The reason of the refusal.
    pub error: Failure,
}

/// A failure as it is stored and sent to clients.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The stable code.
    pub code: String,
    /// The message for people.
    pub message: String,
    /// How to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Other fields of the error, such as the rows of a conflict.
    #[serde(flatten)]
    pub details: Map<String, Value>,
}

impl Failure {
    /// Returns the failure that describes an error.
    pub fn of(error: &base::Error) -> Self {
        Self {
            code: error.code().to_owned(),
            message: error.to_string(),
            hint: error.hint(),
            details: error.details(),
        }
    }

    /// Reads the field `error` of a response.
    pub fn from_json(error: &Value) -> Self {
        let text = |name: &str| error.get(name).and_then(Value::as_str).map(str::to_owned);
        Self {
            code: text("code").unwrap_or_else(|| "INTERNAL".to_owned()),
            message: text("message").unwrap_or_else(|| "the request failed".to_owned()),
            hint: text("hint"),
            details: error
                .as_object()
                .into_iter()
                .flatten()
                .filter(|(name, _)| !["code", "message", "hint"].contains(&name.as_str()))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        }
    }
}

/// The way in which a question ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// A statement ran, and the reply describes its result.
    Answered,
    /// No statement was needed.
    NoQuery,
    /// The tables do not have the data to answer the question.
    CannotAnswer,
    /// The question has several meanings, and the reply asks which of them is right.
    AskedBack,
    /// A person rejected the statement.
    Rejected,
    /// Nobody decided in time.
    Expired,
    /// A step failed; the field `error` says why.
    Failed,
}

/// Words of a reply that do not identify a choice.
const SILENT: &[&str] = &["the", "of", "please", "column", "one", "table"];

/// Words that mean yes.
const AGREEING: &[&str] = &["exactly", "ok", "okay", "right", "sure", "yeah", "yes"];

/// Ordinal numbers, by which a reply can name a choice.
const ORDINALS: &[&str] = &["first", "second", "third", "fourth", "fifth"];

/// A question that the agent asked back. The next message may answer it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AskedBack {
    /// The original question, which is incomplete.
    pub question: String,
    /// The meanings to choose from; empty as soon as one is chosen.
    pub choices: Vec<String>,
    /// The meanings that the person has chosen.
    pub chosen: Vec<String>,
}

impl AskedBack {
    /// Returns this question with the choice that a reply names, or `None` if it names none or
    /// is ambiguous. A reply can name a choice by all of its words in any order, by some words that
    /// occur in no other choice, by its number in the list, by `yes` if there is only one, or by
    /// another year if all choices are the same month of different years.
    pub fn completed_by(&self, reply: &str) -> Option<Self> {
        let words = |text: &str| -> Vec<String> {
            let words = crate::words::of(text);
            words
                .filter(|word| !SILENT.contains(&word.as_str()))
                .collect()
        };
        let said = words(reply);
        if said.is_empty() {
            return None;
        }
        let sorted = |text: &str| {
            let mut words = words(text);
            words.sort_unstable();
            words
        };
        let all = sorted(reply);
        let only = |fits: &dyn Fn(&String) -> bool| {
            let mut found = self.choices.iter().filter(|choice| fits(choice));
            found.next().filter(|_| found.next().is_none()).cloned()
        };
        let has_all = |choice: &String| {
            let words = words(choice);
            said.iter().all(|word| words.contains(word))
        };
        let agrees = said.iter().all(|word| AGREEING.contains(&word.as_str()));
        let choice = only(&|choice| sorted(choice) == all)
            .or_else(|| only(&has_all))
            .or_else(|| only(&|_| agrees));
        let choice = match (choice, self.at_place(&said)) {
            // `1` may be the number of the first choice, or a word of another choice.
            (Some(named), Some(placed)) if named != placed => return None,
            (named, placed) => named.or_else(|| self.of_year(&said)).or(placed),
        }?;
        let mut chosen = self.chosen.clone();
        chosen.push(choice);
        Some(Self {
            question: self.question.clone(),
            choices: Vec::new(),
            chosen,
        })
    }
}

impl AskedBack {
    /// Returns the choice with the given number: `second`, `2`, `2.`, `number 2`.
    fn at_place(&self, said: &[String]) -> Option<String> {
        let word = match said {
            [word] => word,
            [noun, word] if ["choice", "number", "option"].contains(&noun.as_str()) => word,
            _ => return None,
        };
        let ordinal = ORDINALS.iter().position(|ordinal| ordinal == word);
        let place = match ordinal {
            Some(place) => place,
            None => word.parse::<usize>().ok()?.checked_sub(1)?,
        };
        self.choices.get(place).cloned()
    }

    /// Returns a choice with another year than those offered: `1992` or `May 1992` if the choices
    /// are `May 2025` and `May 2024`.
    fn of_year(&self, said: &[String]) -> Option<String> {
        let is_year =
            |word: &str| word.len() == 4 && word.bytes().all(|digit| digit.is_ascii_digit());
        let mut stems = self.choices.iter().map(|choice| {
            let (stem, year) = choice.rsplit_once(' ')?;
            is_year(year).then_some(stem)
        });
        let stem = stems.next()??;
        let is_same = stems.all(|other| other == Some(stem));
        let year = match said {
            [year] => year,
            [month, year] if *month == stem.to_lowercase() => year,
            _ => return None,
        };
        (is_same && is_year(year)).then(|| format!("{stem} {year}"))
    }
}

/// The values of a thread at one checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Values {
    /// The question.
    pub question: String,
    /// The id that the sender gave the question.
    pub input_id: String,
    /// The sender of the question.
    #[serde(flatten)]
    pub who: Sender,
    /// The tables that the question is about.
    pub target: Target,
    /// The statement that the writer wrote.
    pub written_query: Option<WrittenStatement>,
    /// The earlier statements for this question, which were refused.
    pub attempts: Vec<Attempt>,
    /// The reason that a person gave for rejecting the previous statement.
    pub feedback: Option<String>,
    /// The approval of the statement: pending, or decided.
    pub approval: Option<Approval>,
    /// The fields of the session's response to the statement that ran.
    pub sql_result: Option<Value>,
    /// The reply.
    pub answer: Option<String>,
    /// A chart of the result, as a Vega-Lite specification without its data.
    pub chart: Option<Value>,
    /// How the question ended.
    pub outcome: Option<Outcome>,
    /// The failure that ended the question.
    pub error: Option<Failure>,
    /// The question that the agent asked back, with the meanings that were chosen.
    #[serde(default)]
    pub asked_back: Option<AskedBack>,
    /// The question that the agent asked back before this question, if this question names none of
    /// its choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<AskedBack>,
    /// The first question of the thread, cut to the length of a title.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
}

impl Values {
    /// Returns the values of a question before any step of it has run.
    pub fn asked(question: String, input_id: String, who: Sender, target: Target) -> Self {
        Self {
            title: cut(&question, MAX_SUMMARY_CHARACTERS),
            question,
            input_id,
            who,
            target,
            written_query: None,
            attempts: Vec::new(),
            feedback: None,
            approval: None,
            sql_result: None,
            answer: None,
            chart: None,
            outcome: None,
            error: None,
            asked_back: None,
            unanswered: None,
        }
    }
}

impl Values {
    /// Returns the question for the writer and the meanings that the person chose for it. After a
    /// completed question back, it is the original question.
    pub fn whole_question(&self) -> (&str, &[String]) {
        match &self.asked_back {
            Some(back) => (&back.question, &back.chosen),
            None => (&self.question, &[]),
        }
    }

    /// Returns the id of the message in which a writer replies without a statement.
    pub fn reply_id(&self) -> String {
        format!("reply-{}", self.input_id)
    }

    /// Returns the id of the message that describes the result of a statement.
    pub fn answer_id(&self) -> String {
        let approval = self.approval.as_ref();
        let of = approval.map_or(&self.input_id, |approval| &approval.approval_id);
        format!("answer-{of}")
    }
}

/// The newest checkpoint of a thread.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// The id of the checkpoint.
    pub checkpoint: u64,
    /// The branch that the checkpoint belongs to.
    pub branch: u64,
    /// The step that comes next.
    pub step: Step,
    /// The values at this checkpoint.
    pub values: Values,
}

impl Head {
    /// Returns the fields that a list of threads shows.
    pub fn summary(&self) -> Value {
        let values = &self.values;
        json!({
            "title": values.title, "question": cut(&values.question, MAX_SUMMARY_CHARACTERS), "next": self.step.next(),
            "outcome": values.outcome, "businessId": values.who.business_id,
        })
    }
}

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageKind {
    /// The agent.
    Ai,
    /// A person.
    Human,
    /// The product itself, for notes that neither the agent nor a person wrote.
    System,
}

impl MessageKind {
    /// Returns the name of the author on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ai => "ai",
            Self::Human => "human",
            Self::System => "system",
        }
    }
}

/// The prefix of the ids of messages that clients do not show.
pub const HIDDEN_PREFIX: &str = "do-not-render-";

/// A message that a step adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    /// The id of the message; if `None`, the store makes one.
    pub id: Option<String>,
    /// The author.
    pub kind: MessageKind,
    /// The text.
    pub content: String,
    /// True if clients do not show the message.
    pub is_hidden: bool,
}

impl NewMessage {
    /// Returns a message of the agent.
    pub fn ai(content: impl Into<String>) -> Self {
        Self {
            id: None,
            kind: MessageKind::Ai,
            content: content.into(),
            is_hidden: false,
        }
    }

    /// Returns a note of the product that clients do not show.
    pub fn hidden(content: impl Into<String>) -> Self {
        Self {
            id: None,
            kind: MessageKind::System,
            content: content.into(),
            is_hidden: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AskedBack;

    #[test]
    fn replies_name_a_choice_in_ordinary_words() {
        let dates = ["May 2025", "May 2024"].as_slice();
        let columns = ["element of cards", "weakness of cards"].as_slice();
        let sums = ["total amount", "average amount"].as_slice();
        let joins = ["artist of cards = name of artists"].as_slice();
        let mixed = ["orders.total", "May 2024"].as_slice();
        let numbers = ["price 2", "price 1"].as_slice();
        let groups = ["both women and children", "either women or children"].as_slice();
        let parts = [
            "left out are rows with all of this: drinks, price 2",
            "left out are rows with drinks, and price 2 is required",
        ]
        .as_slice();
        for (choices, reply, expected) in [
            (dates, "May 2024", Some("May 2024")),
            (dates, "May 1992", Some("May 1992")),
            (dates, "1992", Some("May 1992")),
            (dates, "may 1992 please", Some("May 1992")),
            (dates, "June 1992", None),
            (dates, "92", None),
            (mixed, "1992", None),
            (columns, "Element please", Some("element of cards")),
            (columns, "the weakness column", Some("weakness of cards")),
            (columns, "the second one", Some("weakness of cards")),
            (columns, "third", None),
            (columns, "1", Some("element of cards")),
            (columns, "2.", Some("weakness of cards")),
            (columns, "number 2", Some("weakness of cards")),
            (columns, "3", None),
            (columns, "0", None),
            (numbers, "1", None),
            (numbers, "2", None),
            (numbers, "first", Some("price 2")),
            (parts, "2", Some(parts[1])),
            (columns, "cards.element", Some("element of cards")),
            (columns, "element of cards", Some("element of cards")),
            (columns, "cards", None),
            (columns, "yes", None),
            (sums, "total", Some("total amount")),
            (sums, "the average please", Some("average amount")),
            (sums, "amount", None),
            (sums, "both", None),
            (joins, "yes", Some("artist of cards = name of artists")),
            (
                joins,
                "yes please",
                Some("artist of cards = name of artists"),
            ),
            (joins, "no", None),
            (groups, "both", Some(groups[0])),
            (groups, "either", Some(groups[1])),
            (groups, "either of them please", None),
            (groups, "both or either", None),
            (groups, "women", None),
            (parts, "all of this", Some(parts[0])),
            (parts, "price 2 is required", Some(parts[1])),
            (parts, "drinks", None),
            (columns, "please", None),
            (columns, "how many cards are there", None),
        ] {
            let back = AskedBack {
                question: "deaths in May".to_owned(),
                choices: choices.iter().map(|choice| (*choice).to_owned()).collect(),
                chosen: Vec::new(),
            };
            let completed = back.completed_by(reply);
            let chosen = completed.as_ref().and_then(|back| back.chosen.first());
            assert_eq!(chosen.map(String::as_str), expected, "{reply}");
        }
    }
}
