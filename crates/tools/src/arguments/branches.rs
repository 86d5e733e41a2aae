//! A value that fits no branch of `anyOf` or `oneOf`: which branch was meant, and if that cannot be said, all of them in short.

use boon::{ErrorKind, InstanceToken, Type, ValidationError};
use serde_json::Value;

use super::explain::Explainer;
use super::{Issue, words};
use crate::limits::{MAX_EXPLAINED_BRANCHES, MAX_SHOWN_BRANCHES};

/// A branch that was not taken.
struct Branch<'e, 's, 'v> {
    error: &'e ValidationError<'s, 'v>,
    issues: Vec<Issue>,
}

/// The issues of such an error; none where a branch has none of its own.
pub(super) fn issues(explainer: &Explainer<'_>, error: &ValidationError<'_, '_>) -> Vec<Issue> {
    let here = error.instance_location.tokens.as_slice();
    let mut branches = Vec::new();
    let mut types: Vec<Type> = Vec::new();
    for cause in error.causes.iter().take(MAX_EXPLAINED_BRANCHES) {
        let mut issues = Vec::new();
        explainer.collect(cause, &mut issues);
        if issues.is_empty() {
            return Vec::new();
        }
        match other_type(cause, here.len()) {
            Some(wanted) => {
                for kind in wanted {
                    if !types.contains(&kind) {
                        types.push(kind);
                    }
                }
            }
            None => branches.push(Branch {
                error: cause,
                issues,
            }),
        }
    }
    if branches.is_empty() {
        return vec![explainer.wrong_type(here, &types)];
    }
    if let Some(issue) = wrong_tag(explainer, &branches) {
        return vec![issue];
    }
    if branches.len() > 1 {
        let mut with_tag: Vec<bool> = branches
            .iter()
            .map(|branch| first_constant(branch.error, here.len() + 1).is_none())
            .collect();
        if with_tag.iter().filter(|fits| **fits).count() == 1 {
            let mut fits = with_tag.drain(..);
            branches.retain(|_| fits.next().unwrap_or(true));
        }
    }
    match branches.as_slice() {
        [only] => only.issues.clone(),
        several => vec![all_forms(here, several)],
    }
}

/// The types wanted where a branch asks for a value of another type altogether.
fn other_type(error: &ValidationError<'_, '_>, level: usize) -> Option<Vec<Type>> {
    match (&error.kind, error.causes.as_slice()) {
        (ErrorKind::Type { want, .. }, _) if error.instance_location.tokens.len() == level => {
            Some(want.iter().collect())
        }
        (ErrorKind::Reference { .. } | ErrorKind::Group, [only]) => other_type(only, level),
        _ => None,
    }
}

/// The first constant or enumeration that a branch missed, down to a level.
fn first_constant<'e, 's, 'v>(
    error: &'e ValidationError<'s, 'v>,
    level: usize,
) -> Option<(&'e [InstanceToken<'v>], Vec<&'s Value>)> {
    let tokens = error.instance_location.tokens.as_slice();
    if tokens.len() > level {
        return None;
    }
    match &error.kind {
        ErrorKind::Const { want } => Some((tokens, vec![*want])),
        ErrorKind::Enum { want } => Some((tokens, want.iter().collect())),
        ErrorKind::Group | ErrorKind::Reference { .. } | ErrorKind::AllOf => error
            .causes
            .iter()
            .find_map(|cause| first_constant(cause, level)),
        _ => None,
    }
}

/// All branches want another constant at the same place, as where `type` says which form it is: the constants of all of them.
fn wrong_tag(explainer: &Explainer<'_>, branches: &[Branch<'_, '_, '_>]) -> Option<Issue> {
    if branches.len() < 2 {
        return None;
    }
    let mut place: Option<(String, &[InstanceToken<'_>])> = None;
    let mut wanted: Vec<&Value> = Vec::new();
    for branch in branches {
        let level = branch.error.instance_location.tokens.len() + 1;
        let (tokens, constants) = first_constant(branch.error, level)?;
        let path = words::path(tokens);
        match &place {
            Some((known, _)) if *known != path => return None,
            Some(_) => {}
            None => place = Some((path, tokens)),
        }
        wanted.extend(constants);
    }
    let (_, tokens) = place?;
    Some(explainer.not_among(tokens, &wanted))
}

fn all_forms(here: &[InstanceToken<'_>], branches: &[Branch<'_, '_, '_>]) -> Issue {
    let mut forms: Vec<String> = branches
        .iter()
        .take(MAX_SHOWN_BRANCHES)
        .zip(1..)
        .map(|(branch, number)| {
            let first = branch
                .issues
                .first()
                .map(Issue::sentence)
                .unwrap_or_default();
            match branch.issues.len() {
                0 | 1 => format!("({number}) {first}"),
                count => format!("({number}) {first}, and {} more", count - 1),
            }
        })
        .collect();
    if branches.len() > MAX_SHOWN_BRANCHES {
        forms.push(format!("and {} more", branches.len() - MAX_SHOWN_BRANCHES));
    }
    let mut suggestions: Vec<String> = branches
        .iter()
        .flat_map(|branch| {
            branch
                .issues
                .iter()
                .flat_map(|issue| issue.suggestions.clone())
        })
        .collect();
    suggestions.dedup();
    suggestions.truncate(base::limits::MAX_SUGGESTIONS);
    Issue {
        path: words::path(here),
        message: format!(
            "must fit one of {} forms: {}",
            branches.len(),
            forms.join("; ")
        ),
        suggestions,
    }
}
