//! Conditions that a column has nothing: NULL, 0 in a column that counts something, or a text such
//! as `none`. A row of a table of amounts, such as `stock`, counts as absent if its amount is 0.

use super::*;
use crate::draft::Intent;

/// Words for tables whose rows are amounts. A row with the amount 0 may count as no row.
const AMOUNTS: Words = Words(
    "
     allowance balance budget capacity credit debt fund holding inventory level point reserve
     saving stock storage supply
    ",
);

impl Resolver<'_> {
    /// Returns the condition that a column has nothing: no value, 0 of what it counts, or a text
    /// for nothing: `without oscars`, `no airbags`.
    pub(crate) fn absent(&self, id: ColumnId) -> Condition {
        if let Some(truths) = self.catalog().truths(id) {
            let no = Condition::In(id, truths.no.clone());
            return Condition::Any(vec![Condition::Missing(id), no]);
        }
        let nothing = match self.catalog().holds(id) {
            Holds::Number
                if self.counts_itself(id)
                    || self.adds(id)
                    || self.is_extra(id)
                    || self.catalog().tells_by_number(id) =>
            {
                Condition::Number(id, Comparison::Equal, 0.0)
            }
            Holds::Flag => Condition::Number(id, Comparison::Equal, 0.0),
            Holds::Text => match self.nothing(id) {
                texts if texts.is_empty() => return Condition::Missing(id),
                texts => Condition::In(id, texts),
            },
            Holds::Number | Holds::Date(_) | Holds::Unknown => return Condition::Missing(id),
        };
        Condition::Any(vec![Condition::Missing(id), nothing])
    }

    /// Returns true if a column holds an extra amount that only some rows have, such as a tip.
    pub(crate) fn is_extra(&self, id: ColumnId) -> bool {
        self.catalog().says(id, &EXTRAS)
    }

    /// Returns the opposite condition: `have oscars`.
    pub(crate) fn has(&self, id: ColumnId) -> Condition {
        if self.catalog().truths(id).is_some() {
            return Condition::Flag(id);
        }
        let Condition::Any(any) = self.absent(id) else {
            return Condition::Present(id);
        };
        match any.as_slice() {
            [_, Condition::Number(id, ..)] if self.catalog().holds(*id) == Holds::Flag => {
                Condition::Flag(*id)
            }
            [_, Condition::Number(id, ..)] => Condition::Number(*id, Comparison::Greater, 0.0),
            _ => Condition::Not(Box::new(Condition::Any(any))),
        }
    }

    /// Returns true if 0 stands in a column of numbers and may say that there is nothing, or be a
    /// number as any other.
    pub(crate) fn may_be_nothing(&self, id: ColumnId) -> bool {
        let is_zero = |sample: &SampleValue| match sample {
            SampleValue::Integer(value) => *value == 0,
            SampleValue::Real(value) => *value == 0.0,
            SampleValue::Text(_) => false,
        };
        let view = self.catalog().column(id);
        let has_zero = view.is_some_and(|view| view.column.samples.iter().any(is_zero));
        let on_scale = self.catalog().says(id, &SCALES);
        let is_number = self.catalog().holds(id) == Holds::Number && !self.is_key(id);
        has_zero && is_number && !on_scale && matches!(self.absent(id), Condition::Missing(_))
    }

    /// Asks back whether 0 says that there is nothing: `students without a grant`.
    ///
    /// # Errors
    /// The question back.
    pub(crate) fn zero_or_none(&self, id: ColumnId, test: &Test) -> Step<Condition> {
        let shown = self.catalog().shown(id);
        let (known, more) = (
            Condition::Missing(id),
            Condition::Number(id, Comparison::Equal, 0.0),
        );
        let has = matches!(test, Test::Has);
        let ways = match has {
            true => [
                (format!("{shown} is more than 0"), true),
                (format!("{shown} is present, also as 0"), false),
            ],
            false => [
                (format!("{shown} is missing or 0"), true),
                (format!("{shown} is missing"), false),
            ],
        };
        let question = format!("does 0 in {shown} say that there is none?");
        let (_, zero) = self
            .catalog()
            .choose(question, &ways, |way| way.0.clone())?;
        Ok(match (has, zero) {
            (true, true) => Condition::Number(id, Comparison::Greater, 0.0),
            (true, false) => Condition::Present(id),
            (false, true) => Condition::Any(vec![known, more]),
            (false, false) => known,
        })
    }

    /// Returns the texts of a column that mean nothing. `NO` is not one of them, because it may be
    /// Norway.
    pub(crate) fn nothing(&self, id: ColumnId) -> Vec<String> {
        let says =
            |text: &&String| ["None", "none", "NONE", "No", "no", ""].contains(&text.as_str());
        let Some(view) = self.catalog().column(id) else {
            return Vec::new();
        };
        // Beside `yes` and `maybe`, `no` is an answer.
        let mut samples = view.column.samples.iter();
        let answers = samples
            .any(|sample| matches!(sample, SampleValue::Text(text) if truth(text) == Some(true)));
        let is_answer = |text: &String| answers && truth(text).is_some();
        let mut texts: Vec<String> = view.column.values.iter().filter(says).cloned().collect();
        texts.retain(|text| !is_answer(text));
        texts
    }

    /// Asks back for `products with no stock`, where rows of another table have the quantity: a row
    /// of 0 may be no stock.
    ///
    /// # Errors
    /// The question back, and a refusal where the rows are counted.
    pub(crate) fn amount_over_zero(
        &self,
        table: usize,
        conditions: &[Condition],
        is_counted: bool,
    ) -> Step<Option<Condition>> {
        let Some(amount) = self.amount_of(table) else {
            return Ok(None);
        };
        let is_said = |condition: &Condition| matches!(condition, Condition::Number(id, ..) | Condition::Between(id, ..) if *id == amount);
        if conditions.iter().any(is_said) {
            return Ok(None);
        }
        let (shown, name) = (
            self.catalog().shown(amount),
            self.catalog().table_name(table),
        );
        if is_counted {
            return Err(Stop::cannot(format!(
                "I do not see whether rows of {name} are counted, or {shown} is compared; name the column, or say `rows`"
            )));
        }
        let ways = [
            (format!("{shown} over 0"), true),
            (format!("rows of {name}, also with 0"), false),
        ];
        let question = format!("does a row of {name} count if its amount is 0?");
        let (_, is_over) = self
            .catalog()
            .choose(question, &ways, |way| way.0.clone())?;
        Ok(is_over.then_some(Condition::Number(amount, Comparison::Greater, 0.0)))
    }

    /// Returns the column of the amount, if the rows of a table are amounts: the quantity of
    /// `stock`.
    pub(crate) fn amount_of(&self, table: usize) -> Option<ColumnId> {
        let last = self.catalog().table(table)?.words.last()?;
        let is_number = |id: &ColumnId| {
            self.catalog().holds(*id) == Holds::Number
                && !self.is_key(*id)
                && !self.catalog().is_called_id(*id)
        };
        let numbers = self.catalog().ids(table).filter(is_number);
        let mut numbers = numbers.filter(|_| AMOUNTS.contains(last)).peekable();
        let first = numbers.peek().copied();
        numbers
            .find(|id| self.counts_itself(*id) || self.adds(*id))
            .or(first)
    }

    /// Asks back for `how many items` and `stock per shop`, which may be rows or the sum of their
    /// quantities.
    ///
    /// # Errors
    /// The question back, and a refusal if the sum is meant.
    pub(crate) fn refuse_quantities(&self, root: usize) -> Step<()> {
        let partial = self.draft.subject.is_some_and(|subject| subject.partial);
        let amount = self.draft.intent == Intent::List && !self.draft.plural;
        let quantity = self.quantity_of(root).filter(|_| partial || amount);
        let Some(id) = quantity.or_else(|| self.amount_of(root)) else {
            return Ok(());
        };
        let ways = [
            format!("number of rows of {}", self.catalog().table_name(root)),
            format!("total {}", self.catalog().shown(id)),
        ];
        let question = "are rows counted, or is a column added up?".to_owned();
        let chosen = self.catalog().choose(question, &ways, Clone::clone)?;
        match chosen.starts_with("number ") {
            true => Ok(()),
            false => Err(Stop::cannot(format!("ask for the {chosen} by its name"))),
        }
    }
}
