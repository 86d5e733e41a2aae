//! Choices: a value that fits no form of `anyOf` or `oneOf` gets the issues of the form that was
//! probably intended, or, if that is unclear, one issue that sums up those of all forms.

use serde_json::Value;

use super::Issue;
use super::judge::{Finding, Frame, Kind};
use super::verdict::{Fails, Fits, Unknown};
use crate::limits::{MAX_EXPLAINED_BRANCHES, MAX_SHOWN_BRANCHES};
use base::limits::MAX_SUGGESTIONS;

impl<'s, 'v> Frame<'_, 's, 'v> {
    /// Checks `anyOf` or `oneOf`.
    pub(super) fn choice(&mut self, keyword: &str, forms: &'s [Value]) -> Option<()> {
        let mut fitting = Vec::new();
        let mut has_unknown = false;
        for (form, number) in forms.iter().zip(1_usize..) {
            let judged = self.test(form, self.value)?;
            has_unknown |= judged.verdict == Unknown;
            fitting.extend((judged.verdict == Fits).then_some(number));
            self.see(&judged.seen, judged.verdict);
        }
        match (keyword, fitting.as_slice()) {
            ("oneOf", [one, other, ..]) => {
                let forms = format!("the forms {one} and {other} of the schema");
                self.refuse(format!("must fit only one form, but fits {forms}"));
            }
            ("anyOf", [_, ..]) => {}
            (_, [_] | []) if has_unknown => self.and(Unknown),
            (_, []) if !self.explains() => self.and(Fails),
            // Issues are collected only now, because most choices fit.
            (_, []) => {
                let mut branches = Vec::new();
                for form in forms.iter().take(MAX_EXPLAINED_BRANCHES) {
                    branches.push(self.judge.judge(form, self.value, self.place)?.findings);
                }
                self.explain(branches);
            }
            (_, [_, ..]) => {}
        }
        Some(())
    }

    fn explain(&mut self, mut branches: Vec<Vec<Finding<'s, 'v>>>) {
        let level = self.place.level();
        let mut types = Vec::new();
        branches.retain(|findings| match findings.as_slice() {
            [only] if only.level == level => match &only.kind {
                Kind::Type(names) => {
                    types.extend(names.iter().copied());
                    false
                }
                Kind::Among(_) | Kind::Said(..) => true,
            },
            _ => true,
        });
        if branches.is_empty() {
            return self.refuse_kind(Kind::Type(types));
        }
        // A field whose value distinguishes the forms, as `type` often does.
        let is_tag = |finding: &&Finding<'_, '_>| {
            finding.level <= level + 1 && matches!(finding.kind, Kind::Among(_))
        };
        let tags = branches.iter().map(|findings| findings.iter().find(is_tag));
        let tags: Vec<Option<&Finding<'s, 'v>>> = tags.collect();
        let is_same = |tag: &Option<&Finding<'_, '_>>, first: &Finding<'_, '_>| {
            tag.is_some_and(|tag| tag.path == first.path)
        };
        if let [Some(first), _, ..] = tags.as_slice()
            && tags.iter().all(|tag| is_same(tag, first))
        {
            let values = tags.iter().flatten().flat_map(|tag| match &tag.kind {
                Kind::Among(values) => values.as_slice(),
                Kind::Type(_) | Kind::Said(..) => &[],
            });
            let kind = Kind::Among(values.copied().collect());
            let path = first.path.clone();
            let (level, got) = (first.level, first.got);
            return self.push(Finding {
                path,
                level,
                got,
                kind,
            });
        }
        if tags.iter().filter(|tag| tag.is_none()).count() == 1 {
            branches.retain(|findings| !findings.iter().any(|finding| is_tag(&finding)));
        }
        match branches.as_mut_slice() {
            [only] => only.drain(..).for_each(|finding| self.push(finding)),
            several => {
                let said = self.all_forms(several);
                self.refuse_kind(said);
            }
        }
    }

    fn all_forms(&mut self, branches: &[Vec<Finding<'s, 'v>>]) -> Kind<'s> {
        let mut forms = Vec::new();
        let mut suggestions = Vec::new();
        for (findings, number) in branches.iter().take(MAX_SHOWN_BRANCHES).zip(1..) {
            let issues = findings.iter().map(|finding| self.judge.issue(finding));
            let issues: Vec<Issue> = issues.collect();
            let first = issues.first().map(Issue::sentence).unwrap_or_default();
            forms.push(match issues.len() {
                0 | 1 => format!("({number}) {first}"),
                count => format!("({number}) {first}, and {} more", count - 1),
            });
            suggestions.extend(issues.into_iter().flat_map(|issue| issue.suggestions));
        }
        let count = branches.len();
        if count > MAX_SHOWN_BRANCHES {
            forms.push(format!("and {} more", count - MAX_SHOWN_BRANCHES));
        }
        suggestions.dedup();
        suggestions.truncate(MAX_SUGGESTIONS);
        let message = format!("must fit one of {count} forms: {}", forms.join("; "));
        Kind::Said(message, suggestions)
    }
}
