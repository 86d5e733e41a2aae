//! The requests of callers: a question, a decision, a fork.

use serde_json::{Map, Value};

use crate::AgentError;
use crate::limits::{MAX_ID_CHARACTERS, MAX_QUESTION_BYTES, MAX_REASON_BYTES};
use crate::person::{IdentityEvidence, Person, compared};
use crate::state::{Sender, Target, Values};
use base::known::{self, Given};
use base::names::check_name;
use base::{CommonError, Error, Result};

/// The fields of a question.
const QUESTION_FIELDS: &[&str] = &[
    "input",
    "inputId",
    "session",
    "target",
    "businessId",
    "userId",
    "profileId",
];
/// The fields of a decision.
const DECISION_FIELDS: &[&str] = &[
    "approvalId",
    "sha256",
    "token",
    "action",
    "sql",
    "reason",
    "revise",
    "userId",
];

/// The questions that must name a business.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BusinessRule {
    /// Every question, because the deployment has scopes.
    Required,
    /// None: a question without a business is about all rows of the tables.
    #[default]
    Optional,
}

/// The facts about the caller that an access token proves, and the rule of the deployment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    /// The business, if the token names one.
    pub business_id: Option<String>,
    /// The person, if the token names one.
    pub user_id: Option<String>,
    /// The issuer whose access tokens the deployment accepts, also if this request came without a
    /// token.
    pub issuer: Option<String>,
    /// The rule of the deployment.
    pub rule: BusinessRule,
}

impl Claims {
    /// Returns the business of the token, or without one the business of the body. A body that
    /// names another business than the token is an error.
    fn business(&self, given: Option<String>) -> Result<Option<String>> {
        match (&self.business_id, given) {
            (Some(claimed), Some(given)) if *claimed != given => {
                Err(AgentError::OtherBusiness { given }.into())
            }
            (Some(claimed), _) => Ok(Some(claimed.clone())),
            (None, None) if self.rule == BusinessRule::Optional => Ok(None),
            (None, Some(given)) => Ok(Some(given)),
            (None, None) => Err(Error::invalid_with_hint(
                "the field businessId is missing",
                "name the business whose rows the statements may see",
            )),
        }
    }

    /// Returns the subject of the token as the person, or without one the name in the body.
    fn person(&self, given: Option<String>) -> Option<Person> {
        let known_by = match (&self.issuer, &self.user_id) {
            (None, None) => IdentityEvidence::Name,
            (Some(_), None) => IdentityEvidence::Nothing,
            (issuer, Some(_)) => IdentityEvidence::Subject {
                issuer: issuer.clone().unwrap_or_default(),
            },
        };
        let name = self.user_id.clone().or(given)?;
        Some(Person { name, known_by })
    }
}

/// A question.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The first values of the thread for this question.
    pub values: Values,
    /// The text that is compared to recognise a retry.
    pub text: String,
}

impl Question {
    /// Reads `{input, inputId, session | target, businessId?, userId, profileId?}`.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`], [`CommonError::InvalidArgument`], [`CommonError::TooBig`] or
    /// [`AgentError::OtherBusiness`].
    pub fn parse(body: &str, claims: &Claims) -> Result<Self> {
        let fields = Fields::parse(body, QUESTION_FIELDS)?;
        let input = fields.required("input")?;
        if input.trim().is_empty() {
            return Err(Error::invalid("the field input is empty"));
        }
        bounded("input", &input, MAX_QUESTION_BYTES)?;
        let input_id = id("inputId", fields.required("inputId")?)?;
        let target = match (fields.optional("session")?, fields.optional("target")?) {
            (Some(session), None) => {
                check_name("session", &session)?;
                Target::Session(session)
            }
            (None, Some(target)) if target == "persistent" => Target::Persistent,
            (None, Some(target)) => {
                return Err(Error::invalid_with_hint(
                    format!("there is no target {target:?}"),
                    "send \"target\":\"persistent\", or name a session",
                ));
            }
            (None, None) => {
                return Err(Error::invalid_with_hint(
                    "the field session is missing",
                    "name a session, or send \"target\":\"persistent\"",
                ));
            }
            (Some(_), Some(_)) => {
                return Err(Error::invalid_with_hint(
                    "the request has both session and target",
                    "leave one of the two out",
                ));
            }
        };
        let business = fields.optional("businessId")?;
        let business_id = claims.business(business)?;
        let business_id = business_id
            .map(|business| id("businessId", business))
            .transpose()?;
        let user = claims.person(fields.optional("userId")?);
        let user_id = id(
            "userId",
            user.ok_or_else(|| Error::invalid("the field userId is missing"))?
                .name,
        )?;
        let profile_id = fields
            .optional("profileId")?
            .map(|profile| id("profileId", profile))
            .transpose()?;
        let who = Sender {
            user_id,
            profile_id,
            business_id,
        };
        let values = Values::asked(input, input_id, who, target);
        // A retry is recognised by the fields that the caller sent, and not by fields that are
        // derived from them.
        let sent = Values {
            title: String::new(),
            ..values.clone()
        };
        let text = serde_json::to_string(&sent)
            .map_err(|error| Error::internal(format!("a question cannot be written: {error}")))?;
        Ok(Self { values, text })
    }
}

/// A person's decision about the pending approval, or about a write that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// The statement may run.
    Approved,
    /// The statement must not run.
    Rejected {
        /// The reason, if the person gave one.
        reason: Option<String>,
        /// True if the writer shall write another statement.
        revise: bool,
    },
    /// The person replaces the statement by another one.
    Edited {
        /// The text of the new statement.
        sql: String,
    },
    /// The person wants to undo a write that ran.
    Undo,
}

/// The reference of a decision to its approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// The id and the hash.
    Named {
        /// The id of the approval.
        approval_id: String,
        /// The hash of the final statement.
        sha256: String,
    },
    /// The approval token.
    Token(String),
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionRequest {
    /// The approval that it is about.
    pub reference: Reference,
    /// The decision.
    pub action: Action,
    /// The person who decides.
    pub person: Person,
}

impl DecisionRequest {
    /// Reads `{approvalId, sha256 | token, action, sql?, reason?, revise?, userId?}`.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`] or [`CommonError::InvalidArgument`].
    pub fn parse(body: &str, claims: &Claims) -> Result<Self> {
        let fields = Fields::parse(body, DECISION_FIELDS)?;
        let name = fields.required("action")?;
        let action = fields.action(&name)?;
        let named = (fields.optional("approvalId")?, fields.optional("sha256")?);
        let reference = match (fields.optional("token")?, named) {
            (Some(token), (None, None)) => Reference::Token(token),
            (Some(_), _) => {
                return Err(Error::invalid_with_hint(
                    "the decision has a token together with approvalId or sha256",
                    "send the token alone, or approvalId and sha256",
                ));
            }
            (None, (Some(approval_id), Some(sha256))) => Reference::Named {
                approval_id,
                sha256,
            },
            // An undo only names the write: its preview is shown and decided afterwards.
            (None, (Some(approval_id), None)) if action == Action::Undo => Reference::Named {
                approval_id,
                sha256: String::new(),
            },
            (None, (None, _)) => return Err(Error::invalid("the field approvalId is missing")),
            (None, (_, None)) => return Err(Error::invalid("the field sha256 is missing")),
        };
        let person = claims.person(fields.optional("userId")?);
        let person = person.ok_or_else(|| {
            Error::invalid_with_hint(
                "the field userId is missing",
                "send the id of the person who decides, for the audit",
            )
        })?;
        let name = id("userId", person.name)?;
        if compared(&name).is_empty() {
            return Err(Error::invalid("the field userId has no visible character"));
        }
        let person = Person { name, ..person };
        Ok(Self {
            reference,
            action,
            person,
        })
    }
}

/// Reads `{checkpoint}`.
///
/// # Errors
/// [`CommonError::InvalidBody`] or [`CommonError::InvalidArgument`].
pub fn fork(body: &str) -> Result<u64> {
    let fields = Fields::parse(body, &["checkpoint"])?;
    match fields.0.get("checkpoint") {
        None => Err(Error::invalid("the field checkpoint is missing")),
        Some(value) => value.as_u64().ok_or_else(|| {
            Error::invalid("the field checkpoint must be the number of a checkpoint")
        }),
    }
}

struct Fields(Map<String, Value>);

impl Fields {
    fn parse(body: &str, names: &[&str]) -> Result<Self> {
        let entries: base::entries::Fields<Value> =
            serde_json::from_str(body).map_err(|error| CommonError::InvalidBody {
                message: format!("the body is not a usable JSON object: {error}"),
                hint: Some(format!(
                    "send an object with the fields {}",
                    names.join(", ")
                )),
            })?;
        let fields: Map<String, Value> = entries.0.into_iter().collect();
        known::check(Given::Field, fields.keys().map(String::as_str), names)?;
        Ok(Self(fields))
    }

    fn optional(&self, name: &str) -> Result<Option<String>> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(Error::invalid(format!("the field {name} must be a text"))),
        }
    }

    fn required(&self, name: &str) -> Result<String> {
        self.optional(name)?
            .ok_or_else(|| Error::invalid(format!("the field {name} is missing")))
    }

    fn action(&self, name: &str) -> Result<Action> {
        let (sql, reason) = (self.optional("sql")?, self.optional("reason")?);
        let revise = match self.0.get("revise") {
            None | Some(Value::Null) => None,
            Some(Value::Bool(revise)) => Some(*revise),
            Some(_) => return Err(Error::invalid("the field revise must be true or false")),
        };
        let belongs = |field: &str, to: &str| {
            Error::invalid(format!("the field {field} belongs to the action {to}"))
        };
        if name != "edited" && sql.is_some() {
            return Err(belongs("sql", "edited"));
        }
        if name != "rejected" && (reason.is_some() || revise.is_some()) {
            let field = if reason.is_some() { "reason" } else { "revise" };
            return Err(belongs(field, "rejected"));
        }
        match name {
            "approved" => Ok(Action::Approved),
            "rejected" => {
                if let Some(reason) = &reason {
                    bounded("reason", reason, MAX_REASON_BYTES)?;
                }
                Ok(Action::Rejected {
                    reason,
                    revise: revise.unwrap_or(false),
                })
            }
            "edited" => Ok(Action::Edited {
                sql: sql.ok_or_else(|| Error::invalid("the field sql is missing"))?,
            }),
            "undo" => Ok(Action::Undo),
            _ => Err(Error::invalid_with_hint(
                format!("there is no action {name:?}"),
                "the actions are approved, rejected, edited and undo",
            )),
        }
    }
}

fn bounded(name: &str, text: &str, limit_bytes: usize) -> Result<()> {
    if text.len() <= limit_bytes {
        return Ok(());
    }
    Err(CommonError::TooBig {
        message: format!(
            "the field {name} has {} bytes, the limit is {limit_bytes}",
            text.len()
        ),
        hint: "say it in fewer words".to_owned(),
    }
    .into())
}

fn id(name: &str, text: String) -> Result<String> {
    let characters = text.chars().count();
    if characters == 0 || characters > MAX_ID_CHARACTERS || text.chars().any(char::is_control) {
        return Err(Error::invalid(format!(
            "the field {name} must be a text of 1 to {MAX_ID_CHARACTERS} characters without control characters"
        )));
    }
    Ok(text)
}
