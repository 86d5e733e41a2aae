//! The first rows in an order: by a column, by an aggregate, or by the number of rows of another
//! table that belong to each row.

use super::Resolver;
use super::amounts::none_of;
use super::joining::along;
use super::results::aggregate_name;
use crate::ask::{Ask, Condition, Expression, Named, Related};
use crate::catalog::{ColumnId, Holds};
use crate::draft::{Aggregate, Intent, Measure, Rank};
use crate::lexicon::{Direction, MONEY, Words};
use crate::limits::DEFAULT_RANKING_ROWS;
use crate::links::{ColumnLink, Links};
use crate::moments::{begins, date_column, dates_row, is_birth, is_of_people, main_date, measures};
use crate::morphology::is_plural;
use crate::plan::{Step, Stop};
use crate::relations::{Hop, Via};

/// Words in the names of columns whose values are added up if a row has many of them.
const ADDITIVE: Words = Words(
    "
     amount total revenue sale sales quantity qty cost profit gross spending spend payment
     turnover income earning freight
    ",
);

/// Words in the names of columns that hold a size.
const SIZES: Words = Words("population area size capacity inhabitant surface volume");

/// Words in the names of columns whose order has no meaning.
const COORDINATES: Words = Words("latitude longitude lat lon lng long");

impl Resolver<'_> {
    /// Resolves a ranking of rows, or of the values of a column.
    pub(super) fn ranking(&self, root: usize) -> Step<Ask> {
        let Some(rank) = &self.draft.rank else {
            return Err(Stop::cannot("there is no ranking"));
        };
        let plain = self.draft.intent == Intent::List
            && self.draft.sort.is_empty()
            && self.draft.aggregates.is_empty();
        if !plain {
            return Err(Stop::cannot(
                "a ranking beside a count or an aggregate needs two steps",
            ));
        }
        let chosen;
        let measure = match &rank.measure {
            Some(measure) => measure,
            None => {
                let id = self.which_measure(root)?;
                chosen = Measure::Column(None, self.link_of(id));
                &chosen
            }
        };
        if !self.draft.groups.is_empty() {
            return self.ranked_within(rank, measure, root);
        }
        // `name of the heaviest dog`, `hottest day`: a row is ranked, and one column of it is
        // shown.
        let of_rows = matches!(measure, Measure::Meanings(_) | Measure::Date(_))
            && (!self.wishes().is_empty() || self.catalog().tables.len() == 1);
        let mut ask = match (self.draft.subject, self.draft.heads.as_slice()) {
            (None, [_]) if of_rows => self.ranked_rows(rank, measure, root)?,
            (None, [head]) => self.ranked_values(rank, measure, head, root)?,
            (Some(_), [head]) if *measure == Measure::Frequency => {
                self.ranked_values(rank, measure, head, root)?
            }
            (Some(_), _) | (None, []) => self.ranked_rows(rank, measure, root)?,
            _ => {
                return Err(Stop::cannot(
                    "the question does not say of what it wants the first",
                ));
            }
        };
        // If only values are shown, equal ones are shown once.
        let is_value = matches!((ask.select.as_slice(), ask.order.as_slice()), ([(value, _)], [(key, _)]) if value == key);
        ask.ties = ask.limit == Some(1) && !is_value;
        Ok(ask)
    }

    /// Returns the column that a superlative alone ranks by. If the word asks for a size, it is the
    /// column that holds one.
    ///
    /// # Errors
    /// A question back, else a refusal if the table has no numbers.
    fn which_measure(&self, root: usize) -> Step<ColumnId> {
        let number = |id: &ColumnId| {
            self.catalog().holds(*id) == Holds::Number
                && !self.is_key(*id)
                && !self.catalog().is_called_id(*id)
                && !self.catalog().says(*id, &COORDINATES)
        };
        let mut columns: Vec<ColumnId> = self.catalog().ids(root).filter(number).collect();
        if self.draft.sized {
            let sizes: Vec<ColumnId> = columns
                .iter()
                .copied()
                .filter(|id| self.catalog().says(*id, &SIZES))
                .collect();
            if let [only] = sizes.as_slice() {
                return Ok(*only);
            }
            columns = if sizes.is_empty() { columns } else { sizes };
        }
        if columns.is_empty() {
            let name = self.catalog().table_name(root);
            return Err(Stop::cannot(format!(
                "{name} has no column of numbers to rank by"
            )));
        }
        let shown = |id: &ColumnId| self.catalog().shown(*id);
        self.catalog()
            .choose("by what are they ranked?".to_owned(), &columns, shown)
    }

    fn link_of(&self, id: ColumnId) -> ColumnLink {
        ColumnLink::new(vec![id], self.catalog().column_name(id), 0.9)
    }

    fn rows_of(&self, rank: &Rank, plural: bool) -> u64 {
        let default = if plural { DEFAULT_RANKING_ROWS } else { 1 };
        rank.rows.or(self.draft.rows).unwrap_or(default)
    }

    /// Plans a ranking of values: `which city has the most patients`, `top 3 salaries`.
    fn ranked_values(
        &self,
        rank: &Rank,
        measure: &Measure,
        head: &ColumnLink,
        root: usize,
    ) -> Step<Ask> {
        let last = head.word.rsplit(' ').next().unwrap_or_default();
        let limit = Some(self.rows_of(rank, is_plural(&last.to_lowercase())));
        let (base, by) = match measure {
            Measure::Column(None, link) if link == head => {
                let mut ask = self.values_of(rank, head, root)?;
                ask.limit = limit;
                return Ok(ask);
            }
            Measure::Frequency => (root, None),
            Measure::Rows(table) => (*table, None),
            Measure::Column(aggregate, link) => {
                let id = self.column(link, root)?;
                let end = Aggregate::at_end(rank.direction);
                let by = match aggregate {
                    Some(aggregate) => Some((*aggregate, id)),
                    None if rank.is_by => Some((self.added_up(id)?, id)),
                    None if self.draft.most => self.most_of(id, head, end)?,
                    None if self.is_shared(head, id) && (self.adds(id) || self.is_size(id)) => {
                        Some((self.one_or_all(id, end)?, id))
                    }
                    None => Some((end, id)),
                };
                if let Some((aggregate, id)) = by {
                    self.require_measure(aggregate, id)?;
                }
                (id.table, by)
            }
            Measure::Meanings(_) | Measure::Date(_) => {
                return Err(Stop::cannot(format!(
                    "the question does not say of which table {:?} is",
                    head.word
                )));
            }
        };
        let (path, id) = self.upward(base, head)?;
        self.refuse_year_of_others(&path, id, base)?;
        if let Some((entity, way)) = self.entity_of_key(id, base, &head.word) {
            return self.ranked_entities(rank, entity, way, by, limit);
        }
        let scope = rank.scope.and_then(|scope| self.draft.scopes.get(scope));
        let described = scope.is_some_and(|scope| !scope.wishes.is_empty());
        let some = !path.is_empty() || described || !self.wishes().is_empty();
        if by.is_none() && rank.direction == Direction::Least && some {
            return Err(none_of(&head.word));
        }
        let mut ask = Ask::new(base);
        // Conditions of the subject are on the table of the column.
        let own = self.conditions(0, id.table)?;
        ask.conditions = own
            .into_iter()
            .map(|condition| along(path.clone(), condition))
            .collect();
        if let Some(scope) = rank.scope {
            ask.conditions.extend(self.conditions(scope, base)?);
        }
        ask.conditions
            .push(along(path.clone(), Condition::Present(id)));
        let key = Expression::Column(path, id);
        let measured = match by {
            None => (Expression::Rows, Some("count".to_owned())),
            Some((aggregate, column)) => {
                let name = aggregate_name(aggregate, self.catalog().column_name(column));
                (
                    Expression::Aggregate(aggregate, Vec::new(), column),
                    Some(name),
                )
            }
        };
        ask.order = vec![
            (measured.0.clone(), rank.direction),
            (key.clone(), Direction::Least),
        ];
        ask.select = vec![(key.clone(), None), measured];
        ask.group = vec![key];
        ask.limit = limit;
        Ok(ask)
    }

    /// Refuses `which year had the most sales`, where the year is that of the cars that were sold.
    fn refuse_year_of_others(&self, path: &[Hop], id: ColumnId, base: usize) -> Step<()> {
        let view = self.catalog().column(id);
        let is_year = view.is_some_and(|view| view.words == ["year"]);
        match is_year && !path.is_empty() && main_date(self.links, base).is_some() {
            true => Err(Stop::cannot(format!(
                "{} has dates of its own beside {}; ask for the number `per year, most first`",
                self.catalog().table_name(base),
                self.catalog().shown(id)
            ))),
            false => Ok(()),
        }
    }

    /// Plans a ranking of the rows that a foreign key refers to: `which director has the most
    /// movies`.
    fn ranked_entities(
        &self,
        rank: &Rank,
        entity: usize,
        path: Vec<Hop>,
        by: Option<(Aggregate, ColumnId)>,
        limit: Option<u64>,
    ) -> Step<Ask> {
        let base = path
            .first()
            .and_then(|hop| self.relations.ends(*hop))
            .map(|(arrived, _)| arrived.table);
        let mut conditions = Vec::new();
        if let Some(base) = base {
            conditions = self.conditions(0, base)?;
            if let Some(scope) = rank.scope {
                conditions.extend(self.conditions(scope, base)?);
            }
        }
        let (measured, name) = match by {
            Some((aggregate, id)) if Some(id.table) == base => (
                Some((aggregate, id)),
                aggregate_name(aggregate, self.catalog().column_name(id)),
            ),
            Some(_) => return Err(Stop::cannot("what it ranks by belongs to another table")),
            None => (None, "count".to_owned()),
        };
        let mut ask = Ask::new(entity);
        ask.conditions.extend(self.only_of_role(&path));
        let related = Related {
            path,
            conditions,
            count: None,
        };
        let by = Expression::Related(related, measured);
        if let Expression::Related(related, _) = &by {
            ask.select = self.told_apart(entity, &related.path);
        }
        ask.select.push((by.clone(), Some(name)));
        ask.order = vec![(by, rank.direction)];
        ask.order.extend(self.by_key(entity));
        ask.limit = limit;
        Ok(ask)
    }

    /// Plans a list of the highest or lowest values themselves: `top 3 salaries`.
    fn values_of(&self, rank: &Rank, head: &ColumnLink, root: usize) -> Step<Ask> {
        let (path, id) = self.upward(root, head)?;
        self.require_measure(Aggregate::Most, id)?;
        let key = Expression::Column(path, id);
        let mut ask = Ask::new(root);
        ask.conditions = self.conditions(0, root)?;
        if id.table == root {
            ask.conditions.push(Condition::Present(id));
        }
        ask.select = vec![(key.clone(), None)];
        ask.order = vec![(key, rank.direction)];
        Ok(ask)
    }

    fn ranked_rows(&self, rank: &Rank, measure: &Measure, root: usize) -> Step<Ask> {
        let mut ask = Ask::new(root);
        ask.conditions = self.conditions(0, root)?;
        let (by, name) = self.measure(rank, measure, root)?;
        self.select_rows(&mut ask, root)?;
        if self.draft.heads.is_empty() {
            self.show_first(&mut ask, &by);
        }
        ask.distinct = false;
        if let Expression::Column(path, id) = &by {
            ask.conditions
                .push(along(path.clone(), Condition::Present(*id)));
        }
        if !matches!(&by, Expression::Column(path, _) if path.is_empty()) {
            ask.select.push((by.clone(), name));
        }
        // The oldest have the earliest date, and the greatest age.
        let is_age = matches!((measure, &by), (Measure::Date(_), Expression::Column(_, id)) if self.catalog().holds(*id) == Holds::Number);
        let direction = match is_age {
            true => rank.direction.reverse(),
            false => rank.direction,
        };
        ask.order = vec![(by, direction)];
        ask.order.extend(self.by_key(root));
        let many = self.draft.subject.is_none() && self.draft.names_many();
        // `which products have the lowest price` are all that have it.
        let one = matches!(measure, Measure::Column(..)) && !rank.is_by && rank.measure.is_some();
        ask.limit = Some(self.rows_of(rank, (self.draft.plural || many) && !one));
        Ok(ask)
    }

    /// Plans the first rows of each group: `heaviest pet per kind`.
    fn ranked_within(&self, rank: &Rank, measure: &Measure, root: usize) -> Step<Ask> {
        let two_steps = || Stop::cannot("a ranking of groups within groups needs two steps");
        if self.draft.subject.is_none() && !self.draft.heads.is_empty() {
            return Err(two_steps());
        }
        let mut ask = self.ranked_rows(rank, measure, root)?;
        let is_column = |(key, _): &(Expression, _)| matches!(key, Expression::Column(..));
        if !ask.order.first().is_some_and(is_column) {
            return Err(two_steps());
        }
        let mut groups = Ask::new(root);
        for group in &self.draft.groups {
            self.add_group(&mut groups, group, root)?;
        }
        let own = |(key, mut called): Named| {
            if let Expression::Column(path, id) = &key
                && !path.is_empty()
            {
                called = Some(self.name_of_other(*id));
            }
            (key, called)
        };
        let shown = |(key, _): &(Expression, _)| !ask.select.iter().any(|(known, _)| known == key);
        let mut select: Vec<_> = groups.select.into_iter().filter(shown).map(own).collect();
        select.append(&mut ask.select);
        ask.select = select;
        ask.within = groups.group;
        ask.limit = Some(rank.rows.or(self.draft.rows).unwrap_or(1));
        ask.ties = true;
        Ok(ask)
    }

    /// Puts the names of rows and what they are ranked by in front of their other columns.
    fn show_first(&self, ask: &mut Ask, by: &Expression) {
        let is_own = |id| self.is_label(id) || self.is_key(id);
        let names = |shown: &Expression| {
            let Expression::Column(path, id) = shown else {
                return false;
            };
            path.is_empty() && is_own(*id) || shown != by && self.catalog().is_name(*id)
        };
        ask.select.sort_by_key(|(shown, _)| match names(shown) {
            true => 0,
            false if shown == by => 1,
            false => 2,
        });
    }

    /// Returns the measure that rows are ranked by.
    fn measure(&self, rank: &Rank, measure: &Measure, root: usize) -> Step<Named> {
        match measure {
            Measure::Meanings(meanings) if *meanings == MONEY => {
                let says = |id: &ColumnId| {
                    let view = self.catalog().column(*id);
                    view.is_some_and(|view| {
                        view.words.iter().any(|word| MONEY.contains(&word.as_str()))
                    })
                };
                let ids = self
                    .catalog()
                    .ids(root)
                    .filter(says)
                    .filter(|id| self.catalog().holds(*id) == Holds::Number);
                let link = ColumnLink::new(ids.collect(), "money", 0.9);
                let id = self.column(&link, root)?;
                Ok((Expression::Column(Vec::new(), id), None))
            }
            Measure::Meanings(meanings) => {
                let ids = measures(self.links, meanings, root);
                match ids.as_slice() {
                    [id] => Ok((Expression::Column(Vec::new(), *id), None)),
                    [_, ..] => {
                        let id = self.catalog().choose(
                            "by what are they ranked?".to_owned(),
                            &ids,
                            |id| self.catalog().shown(*id),
                        )?;
                        Ok((Expression::Column(Vec::new(), id), None))
                    }
                    [] => Err(Stop::cannot(format!(
                        "{} has no column for what the question ranks by",
                        self.catalog().table_name(root)
                    ))),
                }
            }
            Measure::Date(word) => {
                let id = self.ranked_date(word.as_deref(), root)?;
                Ok((Expression::Column(Vec::new(), id), None))
            }
            Measure::Column(aggregate, link) => self.measured_column(rank, *aggregate, link, root),
            Measure::Rows(table) => {
                let related = self.related(rank, root, *table)?;
                let name = format!("{}_count", self.catalog().table_name(*table).to_lowercase());
                Ok((Expression::Related(related, None), Some(name)))
            }
            Measure::Frequency => {
                let id = self.which_measure(root)?;
                Ok((Expression::Column(Vec::new(), id), None))
            }
        }
    }

    fn related(&self, rank: &Rank, root: usize, table: usize) -> Step<Related> {
        let path = self.way(root, table, &Via::default())?;
        if path.first().is_none_or(|hop| !hop.down) {
            return Err(Stop::cannot(format!(
                "each row of {} has one row of {} at most",
                self.catalog().table_name(root),
                self.catalog().table_name(table)
            )));
        }
        if matches!(rank.measure, Some(Measure::Rows(_))) {
            self.require_rows(root, &path)?;
        }
        let conditions = match rank.scope {
            Some(scope) => self.conditions(scope, table)?,
            None => Vec::new(),
        };
        Ok(Related {
            path,
            conditions,
            count: None,
        })
    }

    fn measured_column(
        &self,
        rank: &Rank,
        aggregate: Option<Aggregate>,
        link: &ColumnLink,
        root: usize,
    ) -> Step<Named> {
        let id = self.column(link, root)?;
        let column = self.catalog().column_name(id);
        if id.table == root {
            if aggregate.is_some() {
                return Err(Stop::cannot(format!(
                    "each row has one value of {}",
                    self.catalog().shown(id)
                )));
            }
            self.require_measure(Aggregate::Most, id)?;
            return Ok((Expression::Column(Vec::new(), id), None));
        }
        let adds = rank.is_by && aggregate.is_none() && self.way_up(root, id.table)?.is_none();
        let added = adds.then(|| self.added_up(id)).transpose()?;
        if let Some(aggregate) = aggregate.or(added) {
            self.require_measure(aggregate, id)?;
            let related = self.related(rank, root, id.table)?;
            let name = aggregate_name(aggregate, column);
            return Ok((
                Expression::Related(related, Some((aggregate, id))),
                Some(name),
            ));
        }
        match self.way_up(root, id.table)? {
            Some(path) => Ok((Expression::Column(path, id), Some(column.to_lowercase()))),
            None => {
                let aggregate = self.which_of_many(id)?;
                let related = self.related(rank, root, id.table)?;
                let name = aggregate_name(aggregate, column);
                Ok((
                    Expression::Related(related, Some((aggregate, id))),
                    Some(name),
                ))
            }
        }
    }

    /// Returns the aggregate for a column whose values are added up: `top 3 customers by amount`.
    ///
    /// # Errors
    /// A question back for a column whose values may be averaged as well.
    fn added_up(&self, id: ColumnId) -> Step<Aggregate> {
        match self.adds(id) {
            true => Ok(Aggregate::Sum),
            false => self.which_of_many(id),
        }
    }

    /// Returns true if the values of a column are amounts, of which there may be none.
    pub(super) fn adds(&self, id: ColumnId) -> bool {
        self.catalog().says(id, &ADDITIVE)
    }

    /// Returns true if the values of a column are sizes, of which a group may have more than one of
    /// its rows.
    pub(super) fn is_size(&self, id: ColumnId) -> bool {
        self.catalog().says(id, &SIZES)
    }

    fn which_of_many(&self, id: ColumnId) -> Step<Aggregate> {
        let ways = [
            ("total", Aggregate::Sum),
            ("average", Aggregate::Average),
            ("highest", Aggregate::Most),
        ];
        self.which_decides(id, &ways)
    }

    /// Returns true if a date is one of birth, and not of death.
    fn is_born(&self, id: ColumnId) -> bool {
        is_birth(self.links, id) && !self.catalog().says(id, &Words("death died dod"))
    }

    /// Returns true if a column of numbers is called `age`.
    fn is_age(&self, id: ColumnId) -> bool {
        let view = self.catalog().column(id);
        self.catalog().holds(id) == Holds::Number
            && view.is_some_and(|view| view.words.last().is_some_and(|last| last == "age"))
    }

    /// Returns the date that `newest`, `oldest` or `most recently hired` ranks by.
    fn ranked_date(&self, word: Option<&str>, root: usize) -> Step<ColumnId> {
        let word = word.unwrap_or("latest");
        if let Some(id) = date_column(self.links, word, root) {
            return Ok(id);
        }
        let dates: Vec<ColumnId> = self
            .catalog()
            .ids(root)
            .filter(|id| matches!(self.catalog().holds(*id), Holds::Date(_)))
            .collect();
        if word == "oldest" || word == "youngest" {
            let ages = self.catalog().ids(root).filter(|id| self.is_age(*id));
            if let [age] = ages.collect::<Vec<_>>().as_slice()
                && !dates.iter().any(|id| self.is_born(*id))
            {
                return Ok(*age);
            }
            let births: Vec<ColumnId> = dates
                .iter()
                .copied()
                .filter(|id| is_birth(self.links, *id))
                .collect();
            match births.as_slice() {
                [one] => return Ok(*one),
                _ if is_of_people(self.links, root) => return self.which_date(word, &dates),
                _ => {}
            }
        }
        if let [only] = dates.as_slice()
            && ["latest", "earliest"].contains(&word)
            && dates_row(self.links, *only)
        {
            return Ok(*only);
        }
        let rest: Vec<ColumnId> = dates
            .into_iter()
            .filter(|id| !is_birth(self.links, *id))
            .collect();
        // An age is computed from a beginning, and `latest` means a date of the row itself.
        let tells: fn(&Links<'_>, ColumnId) -> bool = match word {
            "oldest" | "youngest" => begins,
            _ => dates_row,
        };
        if let [one] = rest.as_slice()
            && !tells(self.links, *one)
        {
            return self.which_date(word, &rest);
        }
        match (rest.as_slice(), main_date(self.links, root)) {
            ([one], _) => Ok(*one),
            (_, Some(Ok(id))) if !is_birth(self.links, id) => Ok(id),
            ([], _) => Err(Stop::cannot(format!(
                "{} has no date for {word:?}",
                self.catalog().table_name(root)
            ))),
            _ => self.which_date(word, &rest),
        }
    }
}
