//! Conditions on dates.

use super::*;

impl Resolver<'_> {
    pub(crate) fn place_date(
        &self,
        verb: Option<&str>,
        test: DateTest,
        table: usize,
        word: &str,
    ) -> Step<Condition> {
        let by_verb = verb.and_then(|verb| date_column(self.links, verb, table));
        let id = match (by_verb, main_date(self.links, table)) {
            (Some(id), _) => id,
            (None, Some(Ok(id))) if self.says_when(id, table) => id,
            (None, Some(Ok(id))) if !is_of_people(self.links, table) => id,
            (None, Some(Ok(id))) => self.which_date(word, &[id])?,
            (None, Some(Err(dates))) => self.which_date(word, &dates)?,
            (None, None) => {
                return Err(Stop::cannot(format!(
                    "{} has no column with a date for {word:?}",
                    self.catalog().table_name(table)
                )));
            }
        };
        let Holds::Date(form) = self.catalog().holds(id) else {
            return Err(Stop::Unknown(word.to_owned()));
        };
        self.dates(id, form, test)
    }

    pub(crate) fn which_date(&self, word: &str, dates: &[ColumnId]) -> Step<ColumnId> {
        let question = date_question(word, dates.len());
        self.catalog()
            .choose(question, dates, |id| self.catalog().shown(*id))
    }

    /// Returns true if a date without a verb may be of this column: not the birth of anybody, nor
    /// an event in the life of a person.
    pub(crate) fn says_when(&self, id: ColumnId, table: usize) -> bool {
        !is_of_people(self.links, table) && !is_birth(self.links, id)
    }

    pub(crate) fn dates(&self, id: ColumnId, form: DateForm, test: DateTest) -> Step<Condition> {
        let span = match test {
            DateTest::Within(span)
            | DateTest::Before(span)
            | DateTest::After(span)
            | DateTest::From(span)
            | DateTest::UpTo(span)
            | DateTest::Yearly(span) => span,
        };
        let whole_years = span.from.iso().ends_with("-01-01") && span.to.iso().ends_with("-01-01");
        if form == DateForm::Year && !whole_years {
            return Err(Stop::cannot(format!(
                "{} has only years",
                self.catalog().shown(id)
            )));
        }
        Ok(Condition::Date(id, form, test))
    }
}

/// Returns the question back for a date without an event, with the number of dates to choose from.
pub(crate) fn date_question(word: &str, dates: usize) -> String {
    match dates {
        1 => format!("{word:?} does not say of which event it is the date; is this one meant?"),
        _ => format!("{word:?}: which date is meant?"),
    }
}
