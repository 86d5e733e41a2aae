//! The null positions of a result, as a tree. Positions that differ only in list indexes are one
//! node.

use std::borrow::Cow;
use std::collections::HashMap;

use super::text::shorten;
use crate::limits::MAX_GRAPHQL_NULL_PATHS;

/// Longest key that is kept; longer keys are distinguished only by their beginning.
pub(super) const KEPT_KEY_CHARACTERS: usize = 128;

/// A step of a path without list indexes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Element,
}

/// The position of a value in its parent.
pub(super) enum At<'de> {
    Key(Cow<'de, str>),
    Index(usize),
}

/// A position in the result.
#[derive(Default)]
pub(super) struct ResponsePosition {
    pub(super) parent: Option<usize>,
    pub(super) step: Option<Step>,
    pub(super) keys: HashMap<Box<str>, usize>,
    pub(super) element: Option<usize>,
    pub(super) nulls: u64,
    pub(super) first: String,
}

/// Returns the position below another, and creates it if necessary, without nulls; `None` if there
/// are too many positions.
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
            // Nearly all keys are short in bytes, which makes counting characters unnecessary.
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

/// Returns the steps from `data` to a position.
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
