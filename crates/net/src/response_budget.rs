//! The memory budget for responses that an instance is reading, shared between tenants.
//!
//! The budget counts the bytes of unfinished responses, except the first part of each response, so
//! that small responses always have room. A tenant may hold up to four times as many bytes as are
//! still free. A single tenant can therefore read the largest allowed response; the next tenant
//! gets a part of the rest, and so on: no tenant can take everything.

use std::collections::HashMap;

use crate::limits::{MAX_UPSTREAM_READING_BYTES, UNCOUNTED_ANSWER_BYTES};

/// Bytes that a tenant may hold for each byte that is still free. If no other tenant holds bytes,
/// it gets four fifths of the budget, and a part is always left for another tenant.
const HELD_FOR_EACH_LEFT: usize = 4;

/// The bytes held, by tenant.
#[derive(Debug, Default)]
pub struct ResponseBudget {
    all_bytes: usize,
    by_tenant: HashMap<String, usize>,
}

/// The error that there is no room for more bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoRoom;

impl ResponseBudget {
    /// Records that a response holds `now` bytes, after `before` bytes.
    ///
    /// # Errors
    /// [`NoRoom`] if the additional bytes do not fit; then nothing has changed.
    pub fn hold(&mut self, tenant: &str, before: usize, now: usize) -> Result<(), NoRoom> {
        let (before, now) = (counted(before), counted(now));
        let others = self.all_bytes.saturating_sub(before);
        let held = self.by_tenant.get(tenant).copied().unwrap_or(0);
        let held = held.saturating_sub(before).saturating_add(now);
        if now > before {
            let left = MAX_UPSTREAM_READING_BYTES.saturating_sub(others.saturating_add(now));
            if held > left.saturating_mul(HELD_FOR_EACH_LEFT) {
                return Err(NoRoom);
            }
        }
        self.all_bytes = others.saturating_add(now);
        if held == 0 {
            self.by_tenant.remove(tenant);
        } else if let Some(known) = self.by_tenant.get_mut(tenant) {
            *known = held;
        } else {
            self.by_tenant.insert(tenant.to_owned(), held);
        }
        Ok(())
    }
}

fn counted(bytes: usize) -> usize {
    bytes.saturating_sub(UNCOUNTED_ANSWER_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::MAX_UPSTREAM_ANSWER_BYTES;

    const MIB: usize = 1024 * 1024;

    #[test]
    fn whoever_is_alone_may_read_the_largest_answer() {
        let mut readings = ResponseBudget::default();
        assert_eq!(readings.hold("a", 0, MAX_UPSTREAM_ANSWER_BYTES), Ok(()));
        assert_eq!(readings.hold("a", 0, 8 * MIB), Err(NoRoom));
    }

    #[test]
    fn nobody_takes_all_however_many_there_are() {
        let mut readings = ResponseBudget::default();
        let mut taken = Vec::new();
        for tenant in ["a", "b", "c", "d"] {
            let mut held = 0;
            while readings.hold(tenant, held, held + 64 * 1024).is_ok() {
                held += 64 * 1024;
            }
            taken.push(held);
        }
        let [first, second, third, fourth] = taken[..] else {
            panic!()
        };
        assert!(first >= 32 * MIB && second >= 6 * MIB, "{taken:?}");
        assert!(third >= MIB && fourth > UNCOUNTED_ANSWER_BYTES, "{taken:?}");
        assert!(readings.all_bytes <= MAX_UPSTREAM_READING_BYTES);
    }

    #[test]
    fn a_small_answer_finds_room_whatever_others_hold() {
        let mut readings = ResponseBudget::default();
        assert_eq!(readings.hold("a", 0, 32 * MIB), Ok(()));
        for tenant in ["a", "b"] {
            for _ in 0..100 {
                assert_eq!(readings.hold(tenant, 0, UNCOUNTED_ANSWER_BYTES), Ok(()));
            }
        }
    }

    #[test]
    fn what_is_given_back_is_there_again() {
        let mut readings = ResponseBudget::default();
        assert_eq!(readings.hold("a", 0, 20 * MIB), Ok(()));
        assert_eq!(readings.hold("a", 0, 20 * MIB), Err(NoRoom));
        assert_eq!(readings.hold("a", 20 * MIB, 0), Ok(()));
        assert_eq!(readings.hold("a", 0, 20 * MIB), Ok(()));
        assert_eq!(readings.hold("a", 20 * MIB, 5), Ok(()));
        assert!(readings.by_tenant.is_empty() && readings.all_bytes == 0);
    }
}
