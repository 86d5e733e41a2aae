//! The settings of the requests of one caller to one endpoint.

use crate::Profile;

/// The settings of the requests of one caller to one endpoint.
#[derive(Debug, Clone)]
pub struct Terms {
    /// The profile that the URL names.
    pub profile: Profile,
    /// The session of a call that names none.
    pub session: String,
    /// The limit of a result in tokens.
    pub max_tokens: usize,
    /// True if deletions must be confirmed.
    pub confirm: bool,
    /// True if a model may decide about a statement of the database agent if its client cannot ask
    /// its user.
    pub model_may_decide: bool,
}

impl Terms {
    /// Returns the number of bytes of rows to request. More would not fit, even if each token had
    /// many letters, because a result contains each row twice.
    pub(crate) fn result_bytes(&self) -> usize {
        self.max_tokens.saturating_mul(2)
    }

    /// Returns the number of bytes up to which a program's result always fits into a tool result.
    /// The tool result contains it twice, and also contains the log.
    pub(crate) fn inline_bytes(&self) -> usize {
        self.max_tokens * 2 / 5
    }
}
