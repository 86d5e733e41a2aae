//! The keys by which results are grouped and sorted.

use super::Parser;
use crate::calendar;
use crate::catalog::{ColumnId, DateForm, Holds};
use crate::draft::{Aggregate, Demand, Group, Intent, Test};
use crate::lexicon::{Direction, Phrases, UNITS, of};
use crate::links::ColumnLink;
use crate::links::{Found, TableLink};
use crate::morphology::{is_participle, is_plural, lemma};
use crate::plan::{Step, Stop};
use crate::token::TokenKind;

impl Parser<'_> {
    /// Takes `per customer`, `by month`, `for each department`, `each year`.
    ///
    /// # Errors
    /// A word after it that is no group.
    pub(super) fn group(&mut self) -> Step<bool> {
        let start = self.at;
        let each = Phrases(
            "
             for each, for every, in each, in every, of each, of every, by each, per each, from
             each, to each, on each, with each, at each, grouped by, group by, broken down by,
             per, each, every, across
            ",
        );
        if self.is_at(&["per", "capita"]) && self.column_in_scope(false).is_none() {
            // A quotient of two columns, and no group.
            return Err(Stop::Unknown("per capita".to_owned()));
        }
        let certain = self.eat_phrase(&each);
        if !certain {
            let unit = calendar::unit(self.word(0)).filter(|_| self.word(0).ends_with("ly"));
            if let Some(unit) = unit {
                self.at += 1;
                let verb = self.verb.take();
                self.draft.groups.push(Group::Time(verb, unit));
                return Ok(true);
            }
            if !self.is_group_by() {
                return Ok(false);
            }
            self.at += 1;
        }
        self.skip(&[
            "the",
            "different",
            "our",
            "their",
            "its",
            "a",
            "single",
            "individual",
        ]);
        let named = self.at;
        if let Some(group) = self.group_here() {
            self.refuse_division(&group, named)?;
            if !certain && self.lists_by(&group)? {
                return Ok(true);
            }
            self.draft.groups.push(group);
            self.more_groups();
            self.grouped_dates()?;
            return Ok(true);
        }
        if certain
            && !self.word(0).is_empty()
            && !matches!(
                self.token(0).map(|token| token.kind),
                Some(crate::token::TokenKind::Number(_))
            )
        {
            return Err(self.unknown());
        }
        self.at = start;
        Ok(false)
    }

    /// Takes `by genre` of `list films by genre` as the order of the rows, if a person wants the
    /// rows and not their number.
    ///
    /// # Errors
    /// The question back.
    fn lists_by(&mut self, group: &Group) -> Step<bool> {
        let first = self.tokens().first().map(|token| token.lower.as_str());
        let lists = matches!(first, Some("list" | "show" | "display"));
        if !lists || self.draft.intent != Intent::List || !self.draft.aggregates.is_empty() {
            return Ok(false);
        }
        let catalog = self.links.catalog;
        let link = match group {
            Group::Column(link) => link.clone(),
            Group::Table(table) => {
                let view = catalog.table(*table);
                let label = view.and_then(|view| view.labels.first().copied());
                let Some(column) = label else {
                    return Ok(false);
                };
                let id = ColumnId {
                    table: *table,
                    column,
                };
                ColumnLink::new(vec![id], catalog.shown(id), 1.0)
            }
            Group::Time(..) => return Ok(false),
        };
        let word = link.word.clone();
        let rows = catalog.choose(
            format!("by {word:?}: are the rows listed in this order, or counted for each?"),
            &[true, false],
            |rows| match rows {
                true => format!("the rows, sorted by {word}"),
                false => format!("the number of rows for each {word}"),
            },
        )?;
        if rows {
            self.draft.sort.push((link, Direction::Least));
        }
        Ok(rows)
    }

    /// Refuses `average pay per hour`, where a column has the number of hours.
    ///
    /// # Errors
    /// The refusal.
    fn refuse_division(&self, group: &Group, named: usize) -> Step<()> {
        let Group::Column(link) = group else {
            return Ok(());
        };
        let tokens = self.tokens().get(..named).unwrap_or_default();
        let per = tokens.last().is_some_and(|token| token.lower == "per");
        let one = self.at > 0 && !is_plural(self.before());
        let counts = |id: &ColumnId| {
            let name = base::words::split(self.links.catalog.column_name(*id));
            let many = name.last().is_some_and(|word| is_plural(word));
            many && self.links.catalog.holds(*id) == Holds::Number
        };
        let divides = per && one && link.ids.iter().any(counts);
        match divides && !self.draft.aggregates.is_empty() {
            true => Err(Stop::cannot(format!(
                "one amount is not divided by another; say `by {}` for a group of each of its values",
                self.links
                    .catalog
                    .shown(*link.ids.first().ok_or_else(|| self.unknown())?)
            ))),
            false => Ok(()),
        }
    }

    /// Takes a range of dates after a group that is a date itself: `per birth year since 1990`.
    fn grouped_dates(&mut self) -> Step<()> {
        let Some(Group::Column(link)) = self.draft.groups.last() else {
            return Ok(());
        };
        let mut ids = link.ids.iter();
        let dated = ids.all(|id| matches!(self.links.catalog.holds(*id), Holds::Date(_)));
        let bounds = ["since", "after", "before", "until", "between", "from"];
        if !dated || !bounds.contains(&self.word(0)) {
            return Ok(());
        }
        let (link, start) = (link.clone(), self.at);
        let Some(test) = self.date_test(false)? else {
            self.at = start;
            return Ok(());
        };
        let (scope, word) = (
            self.column_scope(&link),
            self.links.shown(start, self.at - start),
        );
        self.wish(scope, Demand::Column(link, Test::Date(test)), word)
    }

    /// Returns true if a `by` here groups: something is counted or aggregated, and no participle
    /// stands before it.
    fn is_group_by(&self) -> bool {
        let participle = is_participle(self.before());
        let counted = self.draft.intent == Intent::Count
            || !self.draft.aggregates.is_empty()
            || self.is_counted_by();
        if self.word(0) != "by" || participle || !counted || self.draft.rank.is_some() {
            return false;
        }
        // `by authors from Japan` names the authors, and is no group.
        let table = self.links.table_at(self.at + 1);
        let ahead = 1 + table.as_ref().map_or(0, |found| found.tokens);
        let qualified = table.is_some()
            && [
                "from", "in", "with", "who", "whose", "that", "named", "called",
            ]
            .contains(&self.word(ahead));
        !qualified && self.links.value_at(self.at + 1).is_none()
    }

    /// Returns true if `by` counts the rows of each kind, because the question asks nothing else of
    /// them: `students by sex`.
    fn is_counted_by(&self) -> bool {
        let Some(table) = self.counted_table() else {
            return false;
        };
        let plain = self.draft.intent == Intent::List
            && self.draft.heads.is_empty()
            && self.draft.sort.is_empty()
            && self.draft.groups.is_empty();
        let ends = |at: usize| {
            self.tokens().get(at).is_none_or(|token| {
                token.kind == TokenKind::Sign
                    || ["and", "in", "most"].contains(&token.lower.as_str())
            })
        };
        let catalog = self.links.catalog;
        let is_kind = |id: &ColumnId| {
            let holds = catalog.holds(*id);
            id.table == table
                && !catalog.is_label(*id)
                && catalog.key(table) != Some(*id)
                && !catalog.is_name(*id)
                && matches!(
                    holds,
                    Holds::Text | Holds::Flag | Holds::Date(DateForm::Year)
                )
        };
        let column = self.links.column_at(self.at + 1, Some(table));
        let is_column = column.is_some_and(|found| {
            found.item.ids.iter().all(is_kind) && ends(self.at + 1 + found.tokens)
        });
        // `pets by owner`: each row has one of the other table.
        let one = |found: &Found<TableLink>| {
            let plural = is_plural(self.word(found.tokens));
            let is_up = self.relations.leads_up(table, found.item.table);
            is_up && !plural && ends(self.at + 1 + found.tokens)
        };
        plain
            && (is_column
                || self
                    .links
                    .table_at(self.at + 1)
                    .is_some_and(|found| one(&found)))
    }

    /// Returns the table whose rows are named directly before. The words are its name, or a value
    /// in the plural that says of what kind the rows are.
    fn counted_table(&self) -> Option<usize> {
        let before = self.at.checked_sub(1)?;
        let word = self.tokens().get(before)?.lower.as_str();
        if let Some(table) = self.table_of(0).filter(|_| self.scope == 0) {
            let named =
                self.links.table_at(before).is_some() || self.links.table_like(before).is_some();
            return named.then_some(table);
        }
        let wishes = &self.scope_of(0)?.wishes;
        let mut tables = Vec::new();
        for wish in wishes {
            if !wish.demand.names_kind() {
                return None;
            }
            tables.extend(wish.demand.tables());
        }
        let last = wishes.last()?.word.to_lowercase();
        tables.dedup();
        match tables.as_slice() {
            [only] if is_plural(word) && last.ends_with(word) => Some(*only),
            _ => None,
        }
    }

    fn group_here(&mut self) -> Option<Group> {
        // `arrived each year` is about the day of arrival, and not a column `year`, and `sales per
        // year` about the days of sales, and not the year of their cars.
        let own = self.table_of(0).or_else(|| self.table_of_heads());
        let far = self.column_in_scope(false).is_some_and(|found| {
            let mut ids = found.item.ids.iter();
            own.is_some() && ids.all(|id| Some(id.table) != own)
        });
        let happens = self.verb.is_some() || far && self.has_date(own);
        if let Some(unit) = calendar::unit(self.word(0))
            && (happens || self.column_in_scope(false).is_none())
        {
            self.at += 1;
            let verb = self.verb.take();
            return Some(Group::Time(verb, unit));
        }
        let table = self.links.table_at(self.at);
        let column = self.column_in_scope(false);
        let longer = column.as_ref().is_some_and(|column| {
            table.as_ref().is_none_or(|table| {
                column.tokens > table.tokens || !self.is_reached(table.item.table, &column.item)
            })
        });
        if let Some(found) = column.filter(|_| longer) {
            self.at += found.tokens;
            self.of_its_table(&found.item.ids);
            return Some(Group::Column(found.item));
        }
        if let Some(found) = table {
            self.at += found.tokens;
            // `per product category`: a column of the table.
            if let Some(column) = self.links.column_at(self.at, Some(found.item.table)) {
                self.at += column.tokens;
                return Some(Group::Column(column.item));
            }
            return Some(Group::Table(found.item.table));
        }
        // `per hour`, where a column counts hours, is a part of a date.
        let guess = || self.column_in_scope(true);
        let is_unit = of(UNITS, &lemma(self.word(0))).is_some();
        if let Some(found) = (!is_unit).then(guess).flatten() {
            self.draft.confidence = self.draft.confidence.min(found.item.score);
            self.at += found.tokens;
            self.of_its_table(&found.item.ids);
            return Some(Group::Column(found.item));
        }
        let found = self.links.table_like(self.at)?;
        self.draft.confidence = self.draft.confidence.min(found.item.score);
        self.at += found.tokens;
        Some(Group::Table(found.item.table))
    }

    /// Returns true if foreign keys lead from the grouped rows to a table, or if nothing is grouped
    /// yet. If the tables are joined by equal values only, a column of this name that the rows
    /// themselves have is the better reading.
    fn is_reached(&self, table: usize, column: &ColumnLink) -> bool {
        let subject = self.draft.subject.map(|subject| subject.table);
        let heads = self.draft.heads.iter().flat_map(|head| &head.ids);
        let from: Vec<usize> = subject
            .into_iter()
            .chain(heads.map(|id| id.table))
            .collect();
        let own = column.ids.iter().any(|id| from.contains(&id.table));
        let declared = own.then(|| self.relations.declared());
        let relations = declared.as_ref().unwrap_or(self.relations);
        let leads = |from: &usize| relations.connects(*from, table);
        from.is_empty() || from.iter().any(leads)
    }

    /// Takes `of absence` after `kind`, if `kind` is a column of that table: the words add nothing.
    fn of_its_table(&mut self, ids: &[crate::catalog::ColumnId]) {
        if !matches!(self.word(0), "of" | "for") {
            return;
        }
        if let Some(found) = self.links.table_at(self.at + 1)
            && ids.iter().any(|id| id.table == found.item.table)
        {
            self.at += 1 + found.tokens;
            if self.draft.subject.is_none() {
                self.draft.owner = Some(found.item.table);
            }
        }
    }

    /// Takes the second group of `per country and city`.
    fn more_groups(&mut self) {
        let start = self.at;
        if self.eat(&["and"]) {
            self.skip(&["per", "by", "each"]);
            if let Some(group) = self.group_here() {
                self.draft.groups.push(group);
                return;
            }
        }
        self.at = start;
    }

    /// Takes `sorted by price descending`.
    ///
    /// # Errors
    /// A word after it that is no column.
    pub(super) fn sort(&mut self) -> Step<bool> {
        let sorts = Phrases(
            "
             sorted by, ordered by, order by, sort by, ranked by, in order of, sort them by,
             alphabetically by
            ",
        );
        // `the largest order by amount`: the table.
        let is_table = self.draft.subject.is_none() && self.links.table_at(self.at).is_some();
        if is_table || !self.eat_phrase(&sorts) {
            return Ok(false);
        }
        loop {
            self.sort_key()?;
            let start = self.at;
            let more = self.eat(&["and", ",", "then"]);
            self.skip(&["and", "then", "by", "the", "their", "its"]);
            let last = self
                .draft
                .sort
                .last()
                .and_then(|(link, _)| link.ids.first());
            let table = self.table_of(0).or(last.map(|id| id.table));
            let column = table.and_then(|table| self.own_column_at(table));
            if !more || column.is_none() {
                self.at = start;
                return Ok(true);
            }
        }
    }

    /// Takes a column of `sorted by city and name`, with its direction.
    fn sort_key(&mut self) -> Step<()> {
        self.skip(&["the", "their", "its"]);
        let Some(found) = self.any_column() else {
            return Err(self.unknown());
        };
        self.at += found.tokens;
        self.skip(&["in", "from"]);
        let direction = match self.word(0) {
            "descending" | "desc" | "decreasing" => Direction::Most,
            "ascending" | "asc" | "increasing" => Direction::Least,
            "highest" | "largest" | "newest" => Direction::Most,
            _ => {
                self.draft.sort.push((found.item, Direction::Least));
                return Ok(());
            }
        };
        self.at += 1;
        self.skip(&["order", "first"]);
        if self.is_at(&["to", "lowest"])
            || self.is_at(&["to", "smallest"])
            || self.is_at(&["to", "oldest"])
        {
            self.at += 2;
        }
        self.draft.sort.push((found.item, direction));
        Ok(())
    }

    /// Takes `in percent` of a share: it is one.
    pub(super) fn percent(&mut self) -> bool {
        self.draft.intent == Intent::Share
            && self.eat_phrase(&Phrases(
                "in percent, in %, as percentage, as a percentage, as percent",
            ))
    }

    /// Takes `most first` behind groups: they are sorted by what is computed for them.
    pub(super) fn first_groups(&mut self) -> bool {
        let direction = match self.word(0) {
            "most" | "highest" | "largest" | "biggest" | "greatest" => Direction::Most,
            "least" | "fewest" | "lowest" | "smallest" => Direction::Least,
            _ => return false,
        };
        let found = self.word(1) == "first" && !self.draft.groups.is_empty();
        if found {
            self.draft.first = Some(direction);
            self.at += 2;
        }
        found
    }

    /// Takes `average`, `total`, `sum of`, `minimum`.
    ///
    /// # Errors
    /// An aggregate of counts.
    pub(super) fn aggregate(&mut self) -> Step<bool> {
        let nothing = self.draft.heads.is_empty()
            && self.draft.subject.is_none()
            && self.draft.aggregates.is_empty();
        if self.draft.intent == Intent::List
            && nothing
            && self.draft.rank.is_none()
            && self.eat_phrase(&Phrases("number of, count of"))
        {
            self.draft.intent = Intent::Count;
            return Ok(true);
        }
        let aggregate = match self.word(0) {
            "average" | "avg" | "mean" => Aggregate::Average,
            "sum" | "combined" | "summed" => Aggregate::Sum,
            "total" if self.total_adds_up() => Aggregate::Sum,
            "minimum" | "min" => Aggregate::Least,
            "maximum" | "max" => Aggregate::Most,
            _ => return Ok(false),
        };
        let total = self.word(0) == "total";
        if total && self.is_at(&["total", "number", "of"]) {
            self.at += 3;
            self.draft.intent = Intent::Count;
            return Ok(true);
        }
        // A column may be called `total` itself; then its name is left to be read.
        let own_name = total && self.is_column_itself();
        if own_name && self.links.strict {
            return Ok(false);
        }
        self.at += usize::from(!own_name);
        self.skip(&["of", "the", "all"]);
        if self.column_in_scope(false).is_none() {
            self.skip(&["value", "amount", "of", "the"]);
        }
        let counted = self.eat_phrase(&Phrases("number of, count of"));
        if counted && self.links.table_at(self.at).is_some() && self.column_in_scope(true).is_none()
        {
            return Err(Stop::cannot(
                "an aggregate of counts needs two steps; ask for the counts first",
            ));
        }
        self.draft.aggregates.push(aggregate);
        if !own_name && self.is_at(&["and"]) {
            return Ok(true);
        }
        self.aggregated()?;
        Ok(true)
    }

    /// Takes the column after an aggregate.
    fn aggregated(&mut self) -> Step<()> {
        // `total vacation days`: a value in front of the column.
        if let Some(value) = self.links.value_at(self.at)
            && self.column_in_scope(false).is_none()
            && self.links.column_at(self.at + value.tokens, None).is_some()
        {
            self.value(value)?;
        }
        let owner = self.links.table_at(self.at);
        let ahead = owner.as_ref().map_or(0, |found| found.tokens);
        let owned = owner.as_ref().and_then(|found| {
            let table = Some(found.item.table);
            let at = self.at + ahead;
            self.links
                .column_at(at, table)
                .or_else(|| self.links.column_like(at, table))
        });
        if let (Some(owner), Some(column)) = (&owner, owned) {
            self.at += ahead + column.tokens;
            self.draft.owner = Some(owner.item.table);
            return self.head(column.item);
        }
        if let Some(found) = self.any_column() {
            self.at += found.tokens;
            return self.head(found.item);
        }
        // `average sales` may be the average of their number.
        let one = !self.word(0).ends_with('s') && self.before() != "of";
        let adds = self.draft.aggregates.last() == Some(&Aggregate::Sum) || one;
        let owner = owner.filter(|_| adds);
        if let Some(id) = owner.and_then(|found| self.amount_of(found.item.table)) {
            return self.head(ColumnLink::new(
                vec![id],
                self.links.catalog.column_name(id),
                1.0,
            ));
        }
        // `total revenue of English movies` has its column; `average of the movies` has none.
        Err(self.unknown())
    }

    /// Returns the only column of a table that holds its amounts, where the table is named alone:
    /// `total expenses`.
    fn amount_of(&self, table: usize) -> Option<ColumnId> {
        let catalog = self.links.catalog;
        let amounts = |id: &ColumnId| {
            let view = catalog.column(*id);
            let called = view.is_some_and(|view| {
                let last = view.words.last().map(String::as_str);
                matches!(last, Some("amount" | "total"))
            });
            called && catalog.holds(*id) == Holds::Number
        };
        let mut ids = catalog.ids(table).filter(amounts);
        ids.next().filter(|_| ids.next().is_none())
    }

    /// Returns true if `total` is the word for a sum here, and not the name of a column whose value
    /// is asked for or compared.
    fn total_adds_up(&self) -> bool {
        if !self.is_column_itself() {
            return true;
        }
        let first = self.draft.heads.is_empty()
            && self.draft.aggregates.is_empty()
            && self.draft.rank.is_none();
        let after = self.word(1);
        let compares = [
            "above", "over", "under", "below", "between", "is", "more", "less", "greater", "at",
            "equal", "=", ">", "<",
        ];
        first && self.draft.subject.is_none() && !compares.contains(&after)
    }

    fn is_column_itself(&self) -> bool {
        self.links
            .column_at(self.at, self.draft.subject.map(|subject| subject.table))
            .is_some_and(|found| found.item.word.to_lowercase().starts_with("total"))
            && lemma(self.word(0)) == "total"
            && !self.longer_column_after()
    }

    /// Returns true for `total quantity` if both `total` and `quantity` are columns.
    fn longer_column_after(&self) -> bool {
        let one = self
            .links
            .column_at(self.at, None)
            .is_some_and(|found| found.tokens == 1);
        one && self.links.column_at(self.at + 1, None).is_some()
    }
}
