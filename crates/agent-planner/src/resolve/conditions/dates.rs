//! Conditions on dates, and the choice of the column that has the date.

use super::*;

impl Resolver<'_> {
    /// Returns the column of a table that a date in the question is about, and the form in which
    /// the column stores dates.
    ///
    /// # Errors
    /// A question back, and a refusal if there is no date.
    pub(crate) fn date_of(
        &self,
        verb: Option<&str>,
        table: usize,
        word: &str,
    ) -> Step<(ColumnId, DateForm)> {
        let by_verb = verb.and_then(|verb| date_column(self.links, verb, table));
        let id = match (by_verb, main_date(self.links, table)) {
            (Some(id), _) => id,
            // The date may be an event in the life of the person, so the planner asks back.
            (None, Some(Ok(id))) if is_of_people(self.links, table) => {
                self.which_date(word, &[id])?
            }
            (None, Some(Ok(id))) => match self.date_of_state(table, id) {
                Some(other) => self.which_date(word, &[other, id])?,
                None => id,
            },
            (None, Some(Err(dates))) => self.which_date(word, &dates)?,
            (None, None) => {
                return Err(Stop::cannot(format!(
                    "{} has no column with a date for {word:?}",
                    self.catalog().table_name(table)
                )));
            }
        };
        match self.catalog().holds(id) {
            Holds::Date(form) => Ok((id, form)),
            Holds::Text | Holds::Number | Holds::Flag | Holds::Unknown => {
                Err(Stop::Unknown(word.to_owned()))
            }
        }
    }

    /// Returns the date of the state that the question names, if it is another one: `returned_on` for
    /// `returned loans in June`.
    fn date_of_state(&self, table: usize, id: ColumnId) -> Option<ColumnId> {
        let wishes = self.draft.scopes.iter().flat_map(|scope| &scope.wishes);
        let mut dates = wishes.filter_map(|wish| {
            let links = wish.demand.value()?;
            let own = links.iter().any(|link| link.column.table == table);
            let word = wish.word.to_lowercase();
            date_column(self.links, &word, table).filter(|_| own)
        });
        dates.find(|date| *date != id)
    }

    pub(crate) fn which_date(&self, word: &str, dates: &[ColumnId]) -> Step<ColumnId> {
        let question = date_question(word, dates.len());
        self.catalog()
            .choose(question, dates, |id| self.catalog().shown(*id))
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
