//! Checks a value against a schema; both are walked together. If a part of the schema is unknown,
//! the value is not refused because of it, but a failure of another part still counts, also under
//! `not`, `oneOf` and `if`. Each step takes from a budget of work, and the depth of schemas within
//! schemas is limited: a schema that refers to itself without end is unknown.

use serde_json::Value;

use super::Issue;
use super::near::near;
use super::patterns::Patterns;
use super::references::References;
use super::verdict::{Fails, Fits, Unknown, Verdict};
use super::words::{self, Place};
use crate::limits::{
    MAX_ARGUMENT_ISSUES, MAX_EXPLAINED_ERRORS, MAX_SCHEMA_CHECK_DEPTH, MAX_SCHEMA_CHECK_WORK,
    SCHEMA_VISIT_WORK,
};

/// The kind of a problem. Problems of one of the first two kinds, found in several branches of a
/// choice, can become one problem with all their types or values.
#[derive(PartialEq)]
pub(super) enum Kind<'s> {
    /// The value must have one of these types.
    Type(Vec<&'s str>),
    /// The value must be one of these.
    Among(Vec<&'s Value>),
    /// A message, and suggestions.
    Said(String, Vec<String>),
}

/// A problem of a value.
pub(super) struct Finding<'s, 'v> {
    pub(super) path: String,
    /// The number of steps of the path.
    pub(super) level: usize,
    pub(super) got: &'v Value,
    pub(super) kind: Kind<'s>,
}

impl<'s, 'v> Finding<'s, 'v> {
    fn new(place: &Place<'_>, got: &'v Value, kind: Kind<'s>) -> Self {
        Self {
            path: place.text(),
            level: place.level(),
            got,
            kind,
        }
    }
}

/// The result of judging a value under a schema.
pub(super) struct Judged<'s, 'v> {
    pub(super) verdict: Verdict,
    /// For each entry or item of the value: the verdict on whether a subschema applies to it, which
    /// `unevaluatedProperties` and `unevaluatedItems` need.
    pub(super) seen: Vec<Verdict>,
    pub(super) findings: Vec<Finding<'s, 'v>>,
}

/// The difference between asking for a verdict and asking for its reasons.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Quiet,
    Explain,
}

/// One check of arguments. Functions return `None` when its budget of work is spent.
pub(super) struct Judge<'s> {
    pub(super) references: References<'s>,
    patterns: Patterns<'s>,
    mode: Mode,
    work_left: usize,
    /// The number of further levels of subschemas.
    depth_left: usize,
    explained_left: usize,
}

impl<'s> Judge<'s> {
    pub(super) fn new(document: &'s Value) -> Self {
        Self {
            references: References::new(document),
            patterns: Patterns::new(),
            mode: Mode::Explain,
            work_left: MAX_SCHEMA_CHECK_WORK,
            depth_left: MAX_SCHEMA_CHECK_DEPTH,
            explained_left: MAX_EXPLAINED_ERRORS,
        }
    }

    /// Returns the problems of arguments that fail for certain.
    pub(super) fn issues(mut self, schema: &'s Value, arguments: &Value) -> Option<Vec<Issue>> {
        let judged = self.judge(schema, arguments, &Place::Whole)?;
        let issues = judged.findings.iter().map(|finding| self.issue(finding));
        (judged.verdict == Fails).then(|| issues.collect())
    }

    /// Puts a problem into words, up to a limit for one check, because the branches of a schema can
    /// have thousands of problems.
    pub(super) fn issue(&mut self, finding: &Finding<'s, '_>) -> Issue {
        let got = words::value(finding.got);
        let (message, suggestions) = match &finding.kind {
            _ if self.explained_left == 0 => ("does not fit the schema".to_owned(), Vec::new()),
            Kind::Said(message, suggestions) => (message.clone(), suggestions.clone()),
            Kind::Type(names) => {
                let mut kinds = Vec::new();
                for kind in names.iter().filter_map(|name| words::kind(name)) {
                    if !kinds.iter().any(|known| known == kind) {
                        kinds.push(kind.to_owned());
                    }
                }
                let rewritten = words::rewritten(finding.got, names).into_iter();
                let message = format!("must be {}, not {got}", words::either(&kinds));
                (message, rewritten.collect())
            }
            Kind::Among(values) => {
                let shown = words::either(&words::first(values.iter(), |one| words::literal(one)));
                let one_of = if values.len() == 1 { "" } else { "one of " };
                let texts = values.iter().filter_map(|value| value.as_str());
                let near = finding.got.as_str().map(|text| self.near(text, texts));
                (
                    format!("must be {one_of}{shown}, not {got}"),
                    near.unwrap_or_default(),
                )
            }
        };
        self.explained_left = self.explained_left.saturating_sub(1);
        Issue::new(finding.path.clone(), message, suggestions)
    }

    fn near<'a>(&mut self, name: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
        let left = self.explained_left;
        self.explained_left = left.saturating_sub(1);
        match left {
            0 => Vec::new(),
            _ => near(name, names),
        }
    }

    pub(super) fn spend(&mut self, work: usize) -> Option<()> {
        self.work_left = self.work_left.checked_sub(work)?;
        Some(())
    }

    pub(super) fn matches(&mut self, pattern: &'s str, text: &str) -> Option<Verdict> {
        let work = self.patterns.work(pattern, text);
        self.spend(work)?;
        Some(self.patterns.matches(pattern, text))
    }

    /// Judges a value under a schema.
    pub(super) fn judge<'v>(
        &mut self,
        schema: &'s Value,
        value: &'v Value,
        place: &Place<'_>,
    ) -> Option<Judged<'s, 'v>> {
        let parts = match value {
            Value::Array(items) => items.len(),
            Value::Object(entries) => entries.len(),
            _ => 0,
        };
        self.spend(SCHEMA_VISIT_WORK + parts / 8)?;
        // `nullable` of OpenAPI allows null beside every other keyword.
        let is_null = value.is_null() && schema.get("nullable") == Some(&Value::Bool(true));
        let depth_left = self.depth_left;
        let mut frame = Frame {
            judge: self,
            schema,
            value,
            place,
            out: Judged {
                verdict: Fits,
                seen: vec![Fails; parts],
                findings: Vec::new(),
            },
        };
        match (schema, depth_left.checked_sub(1)) {
            (Value::Bool(true), _) => {}
            (Value::Bool(false), _) => frame.refuse("must not be given".to_owned()),
            (Value::Object(_), Some(below)) if !is_null => {
                frame.judge.depth_left = below;
                frame.all()?;
                frame.judge.depth_left = depth_left;
            }
            _ => frame.unknown(),
        }
        Some(frame.out)
    }
}

/// A value under the keywords of a schema, while it is judged.
pub(super) struct Frame<'f, 's, 'v> {
    pub(super) judge: &'f mut Judge<'s>,
    pub(super) schema: &'s Value,
    pub(super) value: &'v Value,
    pub(super) place: &'f Place<'f>,
    pub(super) out: Judged<'s, 'v>,
}

impl<'s, 'v> Frame<'_, 's, 'v> {
    pub(super) fn get(&self, keyword: &str) -> Option<&'s Value> {
        self.schema.get(keyword)
    }

    /// Returns the value of a keyword. One that cannot be read makes the verdict unknown.
    pub(super) fn read<T>(
        &mut self,
        keyword: &str,
        read: impl Fn(&'s Value) -> Option<T>,
    ) -> Option<T> {
        let found = read(self.get(keyword)?);
        if found.is_none() {
            self.unknown();
        }
        found
    }

    pub(super) fn and(&mut self, verdict: Verdict) {
        self.out.verdict = self.out.verdict.min(verdict);
    }

    /// Adds the entries that another schema knows, weighted by the verdict of that schema.
    pub(super) fn see(&mut self, others: &[Verdict], weight: Verdict) {
        let others = if weight == Fails { &[] } else { others };
        for (seen, other) in self.out.seen.iter_mut().zip(others) {
            *seen = weight.min(*other).max(*seen);
        }
    }

    pub(super) fn see_one(&mut self, number: usize, weight: Verdict) {
        if let Some(seen) = self.out.seen.get_mut(number) {
            *seen = weight.max(*seen);
        }
    }

    /// Adds a part that cannot be read: it may refuse the value, or know any entry of it.
    pub(super) fn unknown(&mut self) {
        self.and(Unknown);
        self.see(&vec![Fits; self.out.seen.len()], Unknown);
    }

    /// Refuses the value with a message about its path.
    pub(super) fn refuse(&mut self, message: String) {
        self.refuse_kind(Kind::Said(message, Vec::new()));
    }

    pub(super) fn refuse_kind(&mut self, kind: Kind<'s>) {
        self.and(Fails);
        if self.explains() {
            self.push(Finding::new(self.place, self.value, kind));
        }
    }

    /// Refuses a name in the value, and suggests the nearest of other names.
    pub(super) fn refuse_name<'a>(
        &mut self,
        name: &str,
        others: impl Iterator<Item = &'a str>,
        say: impl FnOnce(&str, Vec<String>) -> Kind<'s>,
    ) {
        self.and(Fails);
        if self.explains() {
            let place = Place::Name(self.place, name);
            let near = self.judge.near(name, others);
            self.push(Finding::new(&place, self.value, say(&place.text(), near)));
        }
    }

    /// Returns true if a further problem should be collected. One more than is listed is collected,
    /// which shows that there are more.
    pub(super) fn explains(&self) -> bool {
        self.judge.mode == Mode::Explain && self.out.findings.len() <= MAX_ARGUMENT_ISSUES
    }

    pub(super) fn push(&mut self, finding: Finding<'s, 'v>) {
        self.and(Fails);
        let known = self.out.findings.iter();
        let known = known.filter(|known| known.path == finding.path && known.kind == finding.kind);
        if self.explains() && known.count() == 0 {
            self.out.findings.push(finding);
        }
    }

    /// Checks a value against a subschema whose verdict is weighted.
    pub(super) fn apply(
        &mut self,
        schema: &'s Value,
        value: &'v Value,
        place: &Place<'_>,
        weight: Verdict,
    ) -> Option<Judged<'s, 'v>> {
        if weight != Fits || !self.explains() {
            let judged = self.test(schema, value)?;
            self.and(judged.verdict.max(!weight));
            return Some(judged);
        }
        let mut judged = self.judge.judge(schema, value, place)?;
        self.and(judged.verdict);
        for finding in judged.findings.drain(..) {
            self.push(finding);
        }
        Some(judged)
    }

    /// Checks the same value against a subschema.
    pub(super) fn same(&mut self, schema: &'s Value, weight: Verdict) -> Option<()> {
        let judged = self.apply(schema, self.value, self.place, weight)?;
        self.see(&judged.seen, judged.verdict.min(weight));
        Some(())
    }

    /// Checks a value against a subschema without effect on the verdict.
    pub(super) fn test<'t>(
        &mut self,
        schema: &'s Value,
        value: &'t Value,
    ) -> Option<Judged<'s, 't>> {
        let mode = std::mem::replace(&mut self.judge.mode, Mode::Quiet);
        let judged = self.judge.judge(schema, value, self.place)?;
        self.judge.mode = mode;
        Some(judged)
    }
}
