//! The expiry of a session, and how rarely its use is written.

use session::expiry::{AlarmAction, expires_at_ms, last_use_ms, on_alarm, resolution_ms, touch};

use super::{NOW_MS, database};

const DAY_SECONDS: u64 = 24 * 60 * 60;
const MINUTE_MS: u64 = 60 * 1000;

#[test]
fn a_use_says_whether_it_was_written() {
    let db = database();
    assert_eq!(touch(&db, NOW_MS, DAY_SECONDS), Ok(true));
    assert_eq!(touch(&db, NOW_MS + MINUTE_MS, DAY_SECONDS), Ok(false));
    assert_eq!(last_use_ms(&db), Ok(Some(NOW_MS)));
}

#[test]
fn the_time_of_last_use_is_written_once_in_five_minutes() {
    let db = database();
    let mut writes = 0;
    let mut recorded = None;
    for second in 0..3_600 {
        touch(&db, NOW_MS + second * 1000, DAY_SECONDS).unwrap();
        let now = last_use_ms(&db).unwrap();
        writes += u32::from(now != recorded);
        recorded = now;
    }
    assert_eq!(writes, 12);
}

#[test]
fn an_alarm_deletes_only_what_was_unused_for_its_time_to_live() {
    let used = Some(NOW_MS);
    let end_ms = expires_at_ms(NOW_MS, DAY_SECONDS);
    assert_eq!(
        on_alarm(used, end_ms - 1, DAY_SECONDS),
        AlarmAction::ReArm { at_ms: end_ms }
    );
    assert_eq!(on_alarm(used, end_ms, DAY_SECONDS), AlarmAction::Delete);
    assert_eq!(on_alarm(None, NOW_MS, DAY_SECONDS), AlarmAction::Delete);
}

#[test]
fn no_session_ends_before_its_time_to_live_whenever_it_was_used() {
    // A use just before the end of the resolution is not written; the session still lives a whole
    // day from then.
    let unwritten_use_ms = NOW_MS + resolution_ms(DAY_SECONDS) - 1;
    assert!(expires_at_ms(NOW_MS, DAY_SECONDS) > unwritten_use_ms + DAY_SECONDS * 1000);
}

#[test]
fn a_short_time_to_live_has_a_finer_resolution() {
    assert_eq!(resolution_ms(2), 200);
    assert_eq!(resolution_ms(DAY_SECONDS), 5 * MINUTE_MS);
    assert_eq!(expires_at_ms(u64::MAX, u64::MAX), u64::MAX);
}
