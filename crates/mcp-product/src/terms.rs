//! What holds for the requests of one caller to one endpoint.

use crate::Profile;

/// What holds for the requests of one caller to one endpoint.
#[derive(Debug, Clone)]
pub struct Terms {
    /// The part of the product that the URL names.
    pub profile: Profile,
    /// The session of a call that names none.
    pub session: String,
    /// Tokens of one result.
    pub max_tokens: usize,
    /// Whether somebody is asked before something is deleted.
    pub confirm: bool,
    /// Whether a model may decide a statement of the database agent where its client cannot ask its user.
    pub model_may_decide: bool,
}

impl Terms {
    /// Bytes of rows that are worth having: more never fit, even if each token held many letters.
    pub(crate) fn result_bytes(&self) -> usize {
        self.max_tokens.saturating_mul(2)
    }

    /// Bytes of a program's result that fit in any case, twice, beside its log.
    pub(crate) fn inline_bytes(&self) -> usize {
        self.max_tokens * 2 / 5
    }
}
