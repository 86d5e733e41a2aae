//! The issuer's keys in the memory of an instance, and the rules for fetching them again.
//!
//! This module does not fetch anything itself: [`KeyMemory::next`] returns the next step of a
//! request that needs keys, and [`KeyMemory::settle`] takes the outcome of a fetch. At most one
//! request fetches at a time. A request may end unnoticed in the middle of its fetch. Therefore the
//! other requests wait only as long as a fetch may take; then one of them fetches the keys itself.

use std::rc::Rc;

use base::{Error, Result};

use super::limits::{
    ISSUER_KEYS_LIFETIME_MS, ISSUER_KEYS_OUTAGE_MS, ISSUER_RETRY_MS, ISSUER_TIMEOUT_MS,
    UNKNOWN_KEY_FETCH_MS,
};

/// Time after which a fetch in progress counts as abandoned. It is one second longer than the
/// timeout, after which the fetching request itself gives up if it still exists.
pub(super) const ABANDONED_FETCH_MS: u64 = ISSUER_TIMEOUT_MS + 1_000;

/// A key set that was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Keys {
    /// The key set as JSON text.
    pub(super) text: Rc<str>,
    /// The number of the fetch that returned the keys.
    pub(super) generation: u64,
    fetched_ms: u64,
}

/// The keys that a request needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Any usable keys.
    Keys,
    /// Keys of a later generation than this one, which lacks the key of a token.
    Later(u64),
}

/// The next step of a request that needs keys.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    /// Use these keys.
    Use(Keys),
    /// Fetch the keys, then call [`KeyMemory::settle`].
    Fetch,
    /// Ask again in a moment.
    Wait,
    /// Give up: there are no later keys.
    NoLater,
    /// Give up: the keys could not be fetched.
    Fail(Error),
}

/// The keys, and the state of the fetches.
#[derive(Debug, Default)]
pub struct KeyMemory {
    keys: Option<Keys>,
    generation: u64,
    /// The time at which the fetch in progress counts as abandoned.
    fetching_until_ms: Option<u64>,
    failed: Option<(Error, u64)>,
    /// The time of the last fetch that was caused by a token with an unknown key.
    unknown_ms: Option<u64>,
}

impl KeyMemory {
    /// Returns the next step of a request that needs keys.
    pub(super) fn next(&mut self, need: Need, now_ms: u64) -> Step {
        let held = self.keys.clone();
        let age_ms = |keys: &Keys| now_ms.saturating_sub(keys.fetched_ms);
        let usable = match need {
            Need::Keys => held.filter(|keys| age_ms(keys) < ISSUER_KEYS_OUTAGE_MS),
            Need::Later(than) => held.filter(|keys| keys.generation > than),
        };
        if let Some(keys) = &usable
            && age_ms(keys) < ISSUER_KEYS_LIFETIME_MS
        {
            return Step::Use(keys.clone());
        }
        let passed = |since_ms: u64| now_ms.saturating_sub(since_ms);
        let is_fetching = self.fetching_until_ms.is_some_and(|until| now_ms < until);
        let failed = self
            .failed
            .as_ref()
            .filter(|(_, at_ms)| passed(*at_ms) < ISSUER_RETRY_MS);
        match (usable, failed) {
            (Some(keys), _) if is_fetching => return Step::Use(keys),
            (Some(keys), Some(_)) => return Step::Use(keys),
            (None, _) if is_fetching => return Step::Wait,
            (None, Some((error, _))) => return Step::Fail(error.clone()),
            _ => {}
        }
        if need != Need::Keys {
            let recently = self
                .unknown_ms
                .is_some_and(|at_ms| passed(at_ms) < UNKNOWN_KEY_FETCH_MS);
            if recently {
                return Step::NoLater;
            }
            self.unknown_ms = Some(now_ms);
        }
        self.fetching_until_ms = Some(now_ms.saturating_add(ABANDONED_FETCH_MS));
        Step::Fetch
    }

    /// Stores the outcome of a fetch.
    pub(super) fn settle(&mut self, outcome: Result<String>, now_ms: u64) {
        self.fetching_until_ms = None;
        match outcome {
            Ok(text) => {
                self.generation += 1;
                self.failed = None;
                self.keys = Some(Keys {
                    text: text.into(),
                    generation: self.generation,
                    fetched_ms: now_ms,
                });
            }
            Err(error) => self.failed = Some((error, now_ms)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: u64 = 1_000_000;

    fn failure() -> Error {
        Error::internal("down")
    }

    fn with_keys() -> KeyMemory {
        let mut memory = KeyMemory::default();
        assert_eq!(memory.next(Need::Keys, NOW_MS), Step::Fetch);
        memory.settle(Ok("{}".to_owned()), NOW_MS);
        memory
    }

    #[track_caller]
    fn uses(memory: &mut KeyMemory, need: Need, now_ms: u64) -> u64 {
        match memory.next(need, now_ms) {
            Step::Use(keys) => keys.generation,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn one_request_fetches_and_the_others_wait() {
        let mut memory = KeyMemory::default();
        assert_eq!(memory.next(Need::Keys, NOW_MS), Step::Fetch);
        assert_eq!(memory.next(Need::Keys, NOW_MS), Step::Wait);
        memory.settle(Ok("{}".to_owned()), NOW_MS + 5);
        assert_eq!(uses(&mut memory, Need::Keys, NOW_MS + 5), 1);
        assert_eq!(
            uses(&mut memory, Need::Keys, NOW_MS + ISSUER_KEYS_LIFETIME_MS),
            1
        );
    }

    #[test]
    fn a_fetch_whose_request_ended_is_taken_over() {
        let mut memory = KeyMemory::default();
        assert_eq!(memory.next(Need::Keys, NOW_MS), Step::Fetch);
        let late_ms = NOW_MS + ABANDONED_FETCH_MS;
        assert_eq!(memory.next(Need::Keys, late_ms - 1), Step::Wait);
        assert_eq!(memory.next(Need::Keys, late_ms), Step::Fetch);
        assert_eq!(memory.next(Need::Keys, late_ms), Step::Wait);
    }

    #[test]
    fn after_a_failure_nobody_asks_for_a_while() {
        let mut memory = KeyMemory::default();
        assert_eq!(memory.next(Need::Keys, NOW_MS), Step::Fetch);
        memory.settle(Err(failure()), NOW_MS);
        for need in [Need::Keys, Need::Later(0)] {
            let step = memory.next(need, NOW_MS + ISSUER_RETRY_MS - 1);
            assert_eq!(step, Step::Fail(failure()));
        }
        let step = memory.next(Need::Keys, NOW_MS + ISSUER_RETRY_MS);
        assert_eq!(step, Step::Fetch);
    }

    #[test]
    fn old_keys_serve_while_they_are_fetched_again_and_while_that_fails() {
        let mut memory = with_keys();
        let old_ms = NOW_MS + ISSUER_KEYS_LIFETIME_MS;
        assert_eq!(memory.next(Need::Keys, old_ms), Step::Fetch);
        assert_eq!(uses(&mut memory, Need::Keys, old_ms), 1);
        memory.settle(Err(failure()), old_ms);
        assert_eq!(uses(&mut memory, Need::Keys, old_ms + 1), 1);
        assert_eq!(
            memory.next(Need::Keys, old_ms + ISSUER_RETRY_MS),
            Step::Fetch
        );
        memory.settle(Err(failure()), old_ms + ISSUER_RETRY_MS);

        let too_old_ms = NOW_MS + ISSUER_KEYS_OUTAGE_MS;
        assert_eq!(memory.next(Need::Keys, too_old_ms), Step::Fetch);
        memory.settle(Err(failure()), too_old_ms);
        assert_eq!(
            memory.next(Need::Keys, too_old_ms),
            Step::Fail(failure()),
            "an hour is enough"
        );
    }

    #[test]
    fn an_unknown_key_is_looked_for_at_once_and_then_not_for_a_while() {
        let mut memory = with_keys();
        assert_eq!(memory.next(Need::Later(1), NOW_MS), Step::Fetch);
        memory.settle(Ok("{}".to_owned()), NOW_MS);
        assert_eq!(uses(&mut memory, Need::Later(1), NOW_MS), 2);
        assert_eq!(memory.next(Need::Later(2), NOW_MS), Step::NoLater);
        let later_ms = NOW_MS + UNKNOWN_KEY_FETCH_MS;
        assert_eq!(memory.next(Need::Later(2), later_ms - 1), Step::NoLater);
        assert_eq!(memory.next(Need::Later(2), later_ms), Step::Fetch);
        assert_eq!(memory.next(Need::Later(2), later_ms), Step::Wait);
        assert_eq!(uses(&mut memory, Need::Keys, later_ms), 2);
    }

    #[test]
    fn an_unknown_key_while_the_issuer_is_down_is_no_verdict() {
        let mut memory = with_keys();
        assert_eq!(memory.next(Need::Later(1), NOW_MS), Step::Fetch);
        memory.settle(Err(failure()), NOW_MS);
        assert_eq!(
            memory.next(Need::Later(1), NOW_MS + 1),
            Step::Fail(failure())
        );
        assert_eq!(uses(&mut memory, Need::Keys, NOW_MS + 1), 1);
    }

    #[test]
    fn a_clock_that_goes_back_stops_nothing() {
        let mut memory = with_keys();
        assert_eq!(uses(&mut memory, Need::Keys, 0), 1);
        memory.settle(Err(failure()), NOW_MS);
        assert_eq!(uses(&mut memory, Need::Keys, 0), 1);
    }
}
