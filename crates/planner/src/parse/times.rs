//! Dates of a question, and what happened then.

use super::Parser;
use crate::calendar::{self, Dated};
use crate::catalog::{ColumnId, DateForm, Holds};
use crate::day::Span;
use crate::draft::{DateTest, Demand};
use crate::morphology::stems;
use crate::plan::{Step, Stop};

/// Prepositions in front of a date within which something happened.
const WITHIN: &[&str] = &["in", "during", "on", "from", "of", "for", "at", "within", "over", "throughout", "for"];

impl Parser<'_> {
    /// Takes a date with its preposition.
    ///
    /// # Errors
    /// A month without a year, and a date that two tables may have.
    pub(super) fn date(&mut self) -> Step<bool> {
        let start = self.at;
        let Some(test) = self.date_test()? else {
            self.at = start;
            return Ok(false);
        };
        let words = self.links.shown(start, self.at - start);
        self.push_date(test, words)?;
        Ok(true)
    }

    /// Takes a date with its preposition, whatever it belongs to.
    pub(super) fn date_test(&mut self) -> Step<Option<DateTest>> {
        let start = self.at;
        if let Some(test) = self.date_range() {
            return Ok(Some(test));
        }
        self.at = start;
        let bound: Option<fn(Span) -> DateTest> = match self.word(0) {
            "before" | "until" | "till" => Some(match self.word(0) {
                "before" => DateTest::Before,
                _ => DateTest::UpTo,
            }),
            "after" => Some(DateTest::After),
            "since" => Some(DateTest::From),
            _ => None,
        };
        let longer: Option<fn(Span) -> DateTest> = match () {
            () if self.is_at(&["prior", "to"]) || self.is_at(&["earlier", "than"]) => Some(DateTest::Before),
            () if self.is_at(&["later", "than"]) => Some(DateTest::After),
            () if self.is_at(&["up", "to"]) => Some(DateTest::UpTo),
            () => None,
        };
        if let Some(make) = bound.or(longer) {
            self.at += if bound.is_some() { 1 } else { 2 };
            let Some(dated) = self.dated() else {
                self.refuse_month()?;
                return Ok(None);
            };
            self.at += dated.tokens;
            return Ok(Some(make(dated.span)));
        }
        let preposition = WITHIN.contains(&self.word(0));
        // `in the last 30 days` and `orders last month` alike.
        self.at += usize::from(preposition);
        let Some(dated) = self.dated() else {
            if preposition {
                self.refuse_month()?;
            }
            return Ok(None);
        };
        if dated.bare_year && !preposition && self.verb.is_none() {
            return Ok(None);
        }
        self.at += dated.tokens;
        Ok(Some(self.open_ended(dated.span)))
    }

    /// `in 2023 or later`.
    fn open_ended(&mut self, span: Span) -> DateTest {
        let later: &[&[&str]] = &[&["or", "later"], &["or", "after"], &["and", "later"], &["and", "after"], &["or", "newer"], &["onwards"], &["onward"], &["and", "onwards"]];
        let earlier: &[&[&str]] = &[&["or", "earlier"], &["or", "before"], &["and", "earlier"], &["or", "older"]];
        if self.eat_phrase(later) {
            return DateTest::From(span);
        }
        match self.eat_phrase(earlier) {
            true => DateTest::UpTo(span),
            false => DateTest::Within(span),
        }
    }

    /// `between A and B`, `from A to B`.
    fn date_range(&mut self) -> Option<DateTest> {
        let (begins, ends): (&[&str], &[&str]) = (&["between", "from"], &["and", "to", "until", "till"]);
        self.eat(begins).then_some(())?;
        let first = self.dated()?;
        self.at += first.tokens;
        self.eat(ends).then_some(())?;
        let second = self.dated()?;
        self.at += second.tokens;
        (first.span.from <= second.span.from).then_some(DateTest::Within(Span {
            from: first.span.from,
            to: second.span.to,
        }))
    }

    pub(super) fn dated(&self) -> Option<Dated> {
        calendar::dated(self.tokens().get(self.at..)?, self.today)
    }

    fn refuse_month(&self) -> Step<()> {
        let Some(token) = self.token(0).filter(|token| calendar::is_month(token)) else {
            return Ok(());
        };
        let year = self.today.year();
        Err(Stop::ask(
            format!("{} of which year?", token.shown()),
            (year - 2..=year).rev().map(|year| format!("{} {year}", token.shown())).collect(),
        ))
    }

    /// Whether a date stands so many tokens ahead.
    pub(super) fn date_follows(&self, ahead: usize) -> bool {
        let words = ["before", "after", "since", "between", "until", "prior", "earlier", "later"];
        let preposition = WITHIN.contains(&self.word(ahead)) || words.contains(&self.word(ahead));
        let at = self.at + ahead + usize::from(preposition) + usize::from(matches!(self.word(ahead), "prior" | "earlier" | "later"));
        self.tokens().get(at..).is_some_and(|rest| {
            calendar::dated(rest, self.today).is_some()
                || preposition && rest.first().is_some_and(calendar::is_month)
        })
    }

    fn push_date(&mut self, test: DateTest, words: String) -> Step<()> {
        let scopes = self.scopes();
        let mut dated = scopes.iter().copied().filter(|scope| self.has_date(self.table_of(*scope)));
        let scope = dated.next().unwrap_or(0);
        let outer = dated.next();
        let verb = self.verb.take();
        let named = verb.as_deref().and_then(|verb| {
            scopes
                .iter()
                .copied()
                .find(|scope| self.table_of(*scope).is_some_and(|table| self.date_of(verb, table).is_some()))
        });
        let demanded = self.scope_of(scope).is_some_and(|scope| scope.demanded);
        if named.is_none()
            && !demanded
            && let Some(outer) = outer
        {
            let name = |scope: usize| self.table_of(scope).map_or("", |table| self.links.catalog.table_name(table)).to_owned();
            return Err(Stop::ask(
                format!("{words:?}: the date of which table?"),
                vec![name(scope), name(outer)],
            ));
        }
        self.wish(named.unwrap_or(scope), Demand::Date(verb, test), words)
    }

    /// The column of a table that says when something happened: `hired` is `hire_date`, `published` is `pub_year`.
    pub(super) fn date_of(&self, verb: &str, table: usize) -> Option<ColumnId> {
        date_column(self.links, verb, table)
    }
}

/// The column of a table that says when something happened.
pub(crate) fn date_column(links: &crate::links::Links<'_>, verb: &str, table: usize) -> Option<ColumnId> {
    let is_date = |id: &ColumnId| matches!(links.catalog.holds(*id), Holds::Date(_));
    let by_stem = || {
        let mut found = links.catalog.ids(table).filter(is_date).filter(|id| {
            links.catalog.column(*id).is_some_and(|view| {
                view.words.first().is_some_and(|first| {
                    first == verb || stems(verb).iter().any(|stem| stem == first)
                })
            })
        });
        let first = found.next();
        first.filter(|_| found.next().is_none())
    };
    // Verbs whose dates have the name of something else.
    let named: &[&str] = match verb {
        "signed" | "registered" | "joined" => &["signup date", "registration date", "join date", "creation date"],
        "added" => &["creation date"],
        "purchased" | "bought" => &["purchase date", "order date"],
        "borrowed" | "lent" => &["loan date", "rental date"],
        "launched" => &["launch date", "release date"],
        "finished" | "ended" => &["end date", "completion date"],
        "shot" | "aired" => &["release date"],
        _ => &[],
    };
    let phrases = [format!("{verb} date"), format!("{verb} year"), format!("{verb} at")];
    by_stem()
        .or_else(|| {
            phrases.iter().find_map(|phrase| {
                links.first_meaning(&[phrase], table).filter(is_date).filter(|id| says(links, *id, verb))
            })
        })
        .or_else(|| links.first_meaning(named, table).filter(is_date))
}

/// Whether the name of a column has a word beside those that every date has; `created_at` does not answer for `hired`.
fn says(links: &crate::links::Links<'_>, id: ColumnId, verb: &str) -> bool {
    let general = ["date", "year", "at", "on", "time", "timestamp"];
    links.catalog.column(id).is_some_and(|view| {
        let special: Vec<&String> = view.words.iter().filter(|word| !general.contains(&word.as_str())).collect();
        // A bare `date` or `year` is the date of whatever happens to the row, but not of its birth or death.
        !special.is_empty() || !["born", "died", "due"].contains(&verb)
    })
}

/// The date of a row that happens: the only one of its table, or the one that is named after the table or after nothing.
pub(crate) fn main_date(links: &crate::links::Links<'_>, table: usize) -> Option<Result<ColumnId, Vec<ColumnId>>> {
    let dates: Vec<ColumnId> = links
        .catalog
        .ids(table)
        .filter(|id| matches!(links.catalog.holds(*id), Holds::Date(_)))
        .collect();
    let view = links.catalog.table(table)?;
    let rest = |id: &ColumnId| -> Vec<String> {
        let general = ["date", "at", "on", "time", "timestamp", "datetime", "ts", "day"];
        links.catalog.column(*id).map_or_else(Vec::new, |column| {
            column.words.iter().filter(|word| !general.contains(&word.as_str())).cloned().collect()
        })
    };
    match dates.as_slice() {
        [] => None,
        [one] => Some(Ok(*one)),
        _ => {
            let own: Vec<ColumnId> = dates
                .iter()
                .copied()
                .filter(|id| rest(id) == view.words || rest(id).is_empty())
                .collect();
            match own.as_slice() {
                [one] => Some(Ok(*one)),
                _ => Some(Err(dates)),
            }
        }
    }
}

/// Whether the column has the number of a year.
pub(crate) fn is_year(links: &crate::links::Links<'_>, id: ColumnId) -> bool {
    links.catalog.holds(id) == Holds::Date(DateForm::Year)
}
