//! A finding about a result or a query.

use serde_json::{Map, Value};

/// The effect of a finding on the use of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The result is unusable, or the query will be refused.
    Error,
    /// The data is usable except at this position.
    Warning,
}

impl Severity {
    /// Returns the name used in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// The kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// `data` is null.
    NullData,
    /// A field or an element of a list is null.
    NullField,
    /// The server reported an error.
    Error,
    /// A mutation returned an error inside its data.
    UserError,
    /// A field that the query selects is not in the response.
    MissingField,
    /// The schema does not allow the query.
    InvalidQuery,
    /// A part was not checked, and nothing is known about it.
    NotChecked,
}

impl Code {
    /// All codes, for the documents.
    pub const ALL: &'static [Self] = &[
        Self::NullData,
        Self::NullField,
        Self::Error,
        Self::UserError,
        Self::MissingField,
        Self::InvalidQuery,
        Self::NotChecked,
    ];

    /// Returns the name used in results.
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

/// The source of the reason of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// None: the hint lists the usual reasons.
    Unknown,
    /// The hint.
    Known,
    /// The message, which quotes the server.
    Told,
}

/// A position in the text of a query; line and column begin with 1, and the column counts
/// characters.
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
    /// The effect on the use of the data.
    pub severity: Severity,
    /// The kind of the finding.
    pub code: Code,
    /// The description.
    pub message: String,
    /// A hint on how to fix it.
    pub hint: Option<String>,
    /// The position in the result (`data.genes[3].name`, the first such position), or in the
    /// variables of a query (`variables.q.sym`).
    pub path: Option<String>,
    /// The number of nulls at positions like `path`.
    pub count: Option<u64>,
    /// The positions in the query.
    pub locations: Vec<Location>,
    /// `extensions.code` of a server's error.
    pub extension_code: Option<String>,
    /// Similar names that may have been intended, the nearest first.
    pub suggestions: Vec<String>,
    /// The source of the reason.
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

    /// Creates the warning that something was not checked, with the reason.
    pub(super) fn not_checked(message: impl Into<String>, hint: &str) -> Self {
        let mut issue = Self::new(Severity::Warning, Code::NotChecked, message.into());
        issue.hint = Some(hint.to_owned());
        issue
    }

    /// Returns the issue as JSON for results: `{severity, code, message, hint?, path?, count?,
    /// locations?, extensionCode?, suggestions?}`.
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
