//! How long a response may take: in all, until it begins, and between two pieces.

use std::future::Future;
use std::pin::pin;

use futures::future::{Either, select};
use net::transport::Clock;

use crate::error::{ModelError, Wait};
use crate::limits::{
    DEFAULT_MODEL_FIRST_BYTE_MS, DEFAULT_MODEL_STALL_MS, DEFAULT_MODEL_TIMEOUT_MS,
};

/// The times that a model is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For the response with its retries.
    pub timeout_ms: u64,
    /// Until the first byte of each attempt.
    pub first_byte_ms: u64,
    /// Between two pieces.
    pub stall_ms: u64,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            timeout_ms: DEFAULT_MODEL_TIMEOUT_MS,
            first_byte_ms: DEFAULT_MODEL_FIRST_BYTE_MS,
            stall_ms: DEFAULT_MODEL_STALL_MS,
        }
    }
}

/// The time of one response.
pub(crate) struct Time<'a, C> {
    clock: &'a C,
    patience: Patience,
    deadline_ms: u64,
    attempt_ms: u64,
}

impl<'a, C: Clock> Time<'a, C> {
    /// From now on.
    pub(crate) fn new(clock: &'a C, patience: Patience) -> Self {
        let now_ms = clock.now_ms();
        Self {
            clock,
            patience,
            deadline_ms: now_ms.saturating_add(patience.timeout_ms),
            attempt_ms: now_ms,
        }
    }

    /// The first byte of the next attempt is waited for from now on.
    pub(crate) fn begin_attempt(&mut self) {
        self.attempt_ms = self.clock.now_ms();
    }

    /// What is left of the whole.
    pub(crate) fn left_ms(&self) -> u64 {
        self.deadline_ms.saturating_sub(self.clock.now_ms())
    }

    /// Something that comes before or with the first byte.
    pub(crate) async fn first_byte<F: Future>(&self, work: F) -> Result<F::Output, ModelError> {
        let gone_ms = self.clock.now_ms().saturating_sub(self.attempt_ms);
        let left_ms = self.patience.first_byte_ms.saturating_sub(gone_ms);
        self.within(work, left_ms, Wait::FirstByte).await
    }

    /// The next piece.
    pub(crate) async fn next_byte<F: Future>(&self, work: F) -> Result<F::Output, ModelError> {
        self.within(work, self.patience.stall_ms, Wait::NextByte)
            .await
    }

    /// Something that may take all the time that is left.
    pub(crate) async fn whole<F: Future>(&self, work: F) -> Result<F::Output, ModelError> {
        self.within(work, u64::MAX, Wait::End).await
    }

    async fn within<F: Future>(
        &self,
        work: F,
        limit_ms: u64,
        waited_for: Wait,
    ) -> Result<F::Output, ModelError> {
        let left_ms = self.left_ms();
        let waited_for = if left_ms <= limit_ms {
            Wait::End
        } else {
            waited_for
        };
        // A body whose pieces are always there would never let the timer fire.
        if left_ms > 0
            && let Either::Left((output, _)) =
                select(pin!(work), pin!(self.clock.sleep(left_ms.min(limit_ms)))).await
        {
            return Ok(output);
        }
        // The work is dropped, which closes its connection.
        Err(ModelError::Timeout {
            waited_for,
            limit_ms: match waited_for {
                Wait::FirstByte => self.patience.first_byte_ms,
                Wait::NextByte => self.patience.stall_ms,
                Wait::End => self.patience.timeout_ms,
            },
        })
    }
}
