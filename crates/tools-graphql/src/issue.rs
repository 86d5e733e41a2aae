//! One finding about a result or a query.

use serde_json::{Map, Value};

/// What a finding means for who wants to use the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The result is not usable, or the query will be refused.
    Error,
    /// The data is usable, except there.
    Warning,
}

impl Severity {
    /// As it stands in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// `data` is null.
    NullData,
    /// A field or an element of a list is null.
    NullField,
    /// The server reported an error.
    Error,
    /// A mutation returned an error within its data.
    UserError,
    /// A field that the query selects is not in the response.
    MissingField,
    /// The query is not one that the schema allows.
    InvalidQuery,
    /// Something was not looked at, and nothing is known of it.
    NotChecked,
}

impl Code {
    /// All of them, for the documents.
    pub const ALL: &'static [Self] = &[
        Self::NullData,
        Self::NullField,
        Self::Error,
        Self::UserError,
        Self::MissingField,
        Self::InvalidQuery,
        Self::NotChecked,
    ];

    /// As it stands in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::NullData => "GRAPHQL_NULL_DATA",
            Self::NullField => "GRAPHQL_NULL_FIELD",
            Self::Error => "GRAPHQL_ERROR",
            Self::UserError => "GRAPHQL_USER_ERROR",
            Self::MissingField => "GRAPHQL_MISSING_FIELD",
            Self::InvalidQuery => "GRAPHQL_INVALID_QUERY",
            Self::NotChecked => "GRAPHQL_NOT_CHECKED",
        }
    }
}

/// Where the reason of a finding stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// Nowhere: the hint has the usual ones.
    Unknown,
    /// In the hint.
    Known,
    /// In the message, in the words of the server.
    Told,
}

/// A place in the text of a query, both from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    /// The line.
    pub line: u64,
    /// The column.
    pub column: u64,
}

impl Location {
    fn to_json(self) -> Value {
        serde_json::json!({ "line": self.line, "column": self.column })
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Issue {
    /// Whether the result is usable all the same.
    pub severity: Severity,
    /// What was found.
    pub code: Code,
    /// In words.
    pub message: String,
    /// How to fix it.
    pub hint: Option<String>,
    /// Where in the result (`data.genes[3].name`, the first such place), or in the variables of a query (`variables.q.sym`).
    pub path: Option<String>,
    /// Nulls at places like `path`.
    pub count: Option<u64>,
    /// Where in the query.
    pub locations: Vec<Location>,
    /// `extensions.code` of an error of the server.
    pub extension_code: Option<String>,
    /// Names that may have been meant, the nearest first.
    pub suggestions: Vec<String>,
    /// Who says why.
    pub(super) reason: Reason,
}

impl Issue {
    pub(super) fn new(severity: Severity, code: Code, message: String) -> Self {
        Self {
            severity,
            code,
            message,
            hint: None,
            path: None,
            count: None,
            locations: Vec::new(),
            extension_code: None,
            suggestions: Vec::new(),
            reason: Reason::Unknown,
        }
    }

    /// What was not looked at, and why.
    pub(super) fn not_checked(message: impl Into<String>, hint: &str) -> Self {
        let mut issue = Self::new(Severity::Warning, Code::NotChecked, message.into());
        issue.hint = Some(hint.to_owned());
        issue
    }

    /// As it stands in results: `{severity, code, message, hint?, path?, count?, locations?, extensionCode?, suggestions?}`.
    pub fn to_json(&self) -> Value {
        let mut fields = Map::new();
        let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
        put("severity", self.severity.name().into());
        put("code", self.code.name().into());
        put("message", self.message.as_str().into());
        if let Some(hint) = &self.hint {
            put("hint", hint.as_str().into());
        }
        if let Some(path) = &self.path {
            put("path", path.as_str().into());
        }
        if let Some(count) = self.count {
            put("count", count.into());
        }
        if !self.locations.is_empty() {
            let places: Vec<Value> = self.locations.iter().map(|place| place.to_json()).collect();
            put("locations", places.into());
        }
        if let Some(code) = &self.extension_code {
            put("extensionCode", code.as_str().into());
        }
        if !self.suggestions.is_empty() {
            put("suggestions", self.suggestions.clone().into());
        }
        Value::Object(fields)
    }
}
