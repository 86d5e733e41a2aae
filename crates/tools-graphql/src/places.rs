//! The places of a result at which something is null, as a tree: places that differ in the indexes of lists alone are one.

use std::borrow::Cow;
use std::collections::HashMap;

use super::text::shorten;
use crate::limits::MAX_GRAPHQL_NULL_PATHS;

/// Longest key that is kept; longer ones are told apart by their beginnings.
pub(super) const KEPT_KEY_CHARACTERS: usize = 128;

/// A step of a path whose indexes are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Element,
}

/// Where a value stands in what holds it.
pub(super) enum At<'de> {
    Key(Cow<'de, str>),
    Index(usize),
}

/// One place.
#[derive(Default)]
pub(super) struct ResponsePosition {
    pub(super) parent: Option<usize>,
    pub(super) step: Option<Step>,
    pub(super) keys: HashMap<Box<str>, usize>,
    pub(super) element: Option<usize>,
    pub(super) nulls: u64,
    pub(super) first: String,
}

/// The place below another, which begins with its first null.
pub(super) fn child(
    places: &mut Vec<ResponsePosition>,
    parent: usize,
    at: &At<'_>,
) -> Option<usize> {
    let next = places.len();
    let above = places.get_mut(parent)?;
    let kept;
    let (known, step) = match at {
        At::Index(_) => (above.element, Step::Element),
        At::Key(key) => {
            // Nearly all keys are short: their bytes tell without counting.
            let key: &str = if key.len() <= KEPT_KEY_CHARACTERS {
                key
            } else {
                kept = shorten(key, KEPT_KEY_CHARACTERS);
                &kept
            };
            match above.keys.get(key) {
                Some(known) => (Some(*known), Step::Element),
                None => (None, Step::Key(key.to_owned())),
            }
        }
    };
    if known.is_some() {
        return known;
    }
    if next > MAX_GRAPHQL_NULL_PATHS {
        return None;
    }
    match &step {
        Step::Element => above.element = Some(next),
        Step::Key(key) => {
            above.keys.insert(key.as_str().into(), next);
        }
    }
    places.push(ResponsePosition {
        parent: Some(parent),
        step: Some(step),
        ..ResponsePosition::default()
    });
    Some(next)
}

/// The way from `data` to a place.
pub(super) fn steps(places: &[ResponsePosition], place: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut at = places.get(place);
    while let Some(place) = at {
        steps.extend(place.step.clone());
        at = place.parent.and_then(|parent| places.get(parent));
    }
    steps.reverse();
    steps
}
