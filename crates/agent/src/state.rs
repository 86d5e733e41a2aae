//! What a thread knows: the values that a step reads and writes, and where it stands. Each checkpoint holds one [`Values`]; the messages stand in
//! a table of their own, because a conversation that is copied into each checkpoint grows with its square.
//!
//! A field that is not set is `null` on the wire and in storage, so that a step can clear what an earlier one wrote.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::approval::Approval;
pub use crate::author::Author;
use crate::limits::MAX_SUMMARY_CHARACTERS;
use base::text::cut;

/// Where a thread stands: the step that comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Step {
    /// A statement is written for the question.
    WriteQuery,
    /// A person decides.
    HumanApproval,
    /// The approved statement runs.
    ExecuteQuery,
    /// The reply is written.
    GenerateAnswer,
    /// The question is answered, rejected, expired or failed.
    End,
}

impl Step {
    /// As the wire names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::WriteQuery => "writeQuery",
            Self::HumanApproval => "humanApproval",
            Self::ExecuteQuery => "executeQuery",
            Self::GenerateAnswer => "generateAnswer",
            Self::End => "end",
        }
    }

    /// Whether the thread itself has something to do.
    pub fn is_running(self) -> bool {
        matches!(
            self,
            Self::WriteQuery | Self::ExecuteQuery | Self::GenerateAnswer
        )
    }
}

impl Step {
    /// The steps that come next, as clients of a graph know them.
    pub fn next(self) -> Vec<&'static str> {
        if self == Self::End {
            Vec::new()
        } else {
            vec![self.name()]
        }
    }
}

/// Whose tables the question is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Target {
    /// Those of a session.
    Session(String),
    /// The persistent ones of the tenant.
    Persistent,
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Who {
    /// The person.
    pub user_id: String,
    /// The profile that the person uses.
    pub profile_id: Option<String>,
    /// The business whose rows the statements see; all rows where it is `None`.
    pub business_id: Option<String>,
}

/// The explanation of a statement that a person edited, which nobody explained.
pub const BY_A_PERSON: &str = "A person wrote this statement.";

/// A statement, as it was written for a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Written {
    /// The statement.
    pub sql: String,
    /// What it does, in words.
    pub explanation: String,
    /// Who wrote it.
    pub author: Author,
}

/// A statement that was refused before a person saw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// The statement.
    pub sql: String,
    /// Why.
    pub error: Failure,
}

/// A failure as it is stored and told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The stable code.
    pub code: String,
    /// What happened.
    pub message: String,
    /// How to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// What else the error has, such as the rows of a conflict.
    #[serde(flatten)]
    pub details: Map<String, Value>,
}

impl Failure {
    /// What an error tells.
    pub fn of(error: &base::Error) -> Self {
        Self {
            code: error.code().to_owned(),
            message: error.to_string(),
            hint: error.hint(),
            details: error.details(),
        }
    }

    /// Reads the `error` of a response.
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

/// How a question ended, or that it has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// A statement ran, and the reply tells its result.
    Answered,
    /// No statement was needed.
    NoQuery,
    /// These tables cannot answer it.
    CannotAnswer,
    /// The question has several meanings, and the reply asks which.
    AskedBack,
    /// A person rejected the statement.
    Rejected,
    /// Nobody decided in time.
    Expired,
    /// An error, which `error` tells.
    Failed,
}

/// Words of a reply that name nothing.
const SILENT: &[&str] = &["the", "of", "please", "column", "one", "table"];

/// Words that agree.
const AGREEING: &[&str] = &["exactly", "ok", "okay", "right", "sure", "yeah", "yes"];

/// Words for the place of a choice.
const ORDINALS: &[&str] = &["first", "second", "third", "fourth", "fifth"];

/// A question back, which the next message may complete.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AskedBack {
    /// The question that is to be completed.
    pub question: String,
    /// The meanings to choose from; none once one was chosen.
    pub choices: Vec<String>,
    /// The meanings that were chosen.
    pub chosen: Vec<String>,
}

impl AskedBack {
    /// The same question with the choice that a reply names: as a whole in any order of its words, by words of it that no other choice has, by its
    /// number in the list, by `yes` to the only one, or, where the choices are a month of several years, with another year.
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
            // `1` may be the first, or a word of another.
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
    /// The choice at a place: `second`, `2`, `2.`, `number 2`.
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

    /// `1992` or `May 1992` where `May 2025` and `May 2024` can be chosen.
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

/// What a thread knows at one point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Values {
    /// The question.
    pub question: String,
    /// The id that its sender gave it.
    pub input_id: String,
    /// Who asked.
    #[serde(flatten)]
    pub who: Who,
    /// Whose tables.
    pub target: Target,
    /// The statement.
    pub written_query: Option<Written>,
    /// What was refused before it.
    pub attempts: Vec<Attempt>,
    /// What a person said of the statement before it.
    pub feedback: Option<String>,
    /// The statement as it is to be decided.
    pub approval: Option<Approval>,
    /// What running it gave: the fields of the session's response.
    pub sql_result: Option<Value>,
    /// The reply.
    pub answer: Option<String>,
    /// A chart of the result, as a Vega-Lite specification without its data.
    pub chart: Option<Value>,
    /// How the question ended.
    pub outcome: Option<Outcome>,
    /// What failed.
    pub error: Option<Failure>,
    /// The question back, and what was chosen.
    #[serde(default)]
    pub asked_back: Option<AskedBack>,
    /// The question back before this question, which names none of its choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<AskedBack>,
    /// The first question of the thread, cut to the length of a title.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
}

impl Values {
    /// Those of a question that nobody has worked on.
    pub fn asked(question: String, input_id: String, who: Who, target: Target) -> Self {
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
    /// The question that a writer works on, and the meanings that were chosen of it: that of a question back, once it is completed.
    pub fn whole_question(&self) -> (&str, &[String]) {
        match &self.asked_back {
            Some(back) => (&back.question, &back.chosen),
            None => (&self.question, &[]),
        }
    }

    /// The id of the message in which a writer replies without a statement.
    pub fn reply_id(&self) -> String {
        format!("reply-{}", self.input_id)
    }

    /// The id of the message that tells the result of a statement.
    pub fn answer_id(&self) -> String {
        let approval = self.approval.as_ref();
        let of = approval.map_or(&self.input_id, |approval| &approval.approval_id);
        format!("answer-{of}")
    }
}

/// Where a thread stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// The checkpoint.
    pub checkpoint: u64,
    /// Its line.
    pub branch: u64,
    /// The step that comes next.
    pub step: Step,
    /// What the thread knows.
    pub values: Values,
}

impl Head {
    /// What a list of threads shows of it.
    pub fn summary(&self) -> Value {
        let values = &self.values;
        json!({
            "title": values.title, "question": cut(&values.question, MAX_SUMMARY_CHARACTERS), "next": self.step.next(),
            "outcome": values.outcome, "businessId": values.who.business_id,
        })
    }
}

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageKind {
    /// The agent.
    Ai,
    /// A person.
    Human,
    /// The product, of something that nobody said.
    System,
}

impl MessageKind {
    /// As the wire names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ai => "ai",
            Self::Human => "human",
            Self::System => "system",
        }
    }
}

/// Ids of messages that a client does not show begin with it.
pub const HIDDEN_PREFIX: &str = "do-not-render-";

/// A message that a step adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    /// Its id; one is made where there is none.
    pub id: Option<String>,
    /// Who says it.
    pub kind: MessageKind,
    /// What.
    pub content: String,
    /// Whether clients leave it out.
    pub is_hidden: bool,
}

impl NewMessage {
    /// What the agent says.
    pub fn ai(content: impl Into<String>) -> Self {
        Self {
            id: None,
            kind: MessageKind::Ai,
            content: content.into(),
            is_hidden: false,
        }
    }

    /// What the product notes beside the conversation.
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
