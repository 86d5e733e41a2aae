//! The selected values: rows, counts, aggregates, a share, whether there is a row, and when
//! something happened.

use super::joining::along;
use super::{Resolver, subject_of};
use crate::ask::{Ask, Condition, Expression, Named, Shape};
use crate::catalog::{ColumnId, DateForm, Holds};
use crate::draft::{Aggregate, Comparison, Demand, Intent, Joiner, Stand, Test, Wish};
use crate::lexicon::Direction;
use crate::limits::MAX_LISTED_COLUMNS;
use crate::links::ColumnLink;
use crate::moments::{date_column, main_date};
use crate::morphology::{is_plural, lemma};
use crate::plan::{Step, Stop};
use crate::relations::{Hop, Via};

impl Resolver<'_> {
    /// Resolves `how many …`.
    pub(super) fn count(&self, root: usize) -> Step<Ask> {
        self.refuse_sort()?;
        self.refuse_both(root)?;
        self.refuse_amounts()?;
        let mut ask = Ask::new(root);
        ask.conditions = self.conditions(0, root)?;
        if let Some(pieces) = self.pieces_sold(&ask)? {
            return Ok(pieces);
        }
        ask.select = vec![self.counted(root)?];
        if let Some((comparison, number)) = self.draft.asked {
            if !matches!(ask.select.as_slice(), [(Expression::Rows, _)]) {
                return Err(Stop::cannot(
                    "it compares a number of different values; ask how many there are",
                ));
            }
            let found = Expression::Counted(comparison, number);
            ask.select.insert(0, (found, Some("found".to_owned())));
        }
        self.note_together(&mut ask);
        Ok(ask)
    }

    /// Decides what is counted: rows, different values of a text, or the sum of a column that holds
    /// counts.
    pub(super) fn counted(&self, root: usize) -> Step<Named> {
        let name = || Some("count".to_owned());
        match self.draft.heads.as_slice() {
            [] => {
                self.refuse_quantities(root)?;
                Ok((Expression::Rows, name()))
            }
            [head] => {
                let (path, id) = self.upward(root, head)?;
                let holds = self.catalog().holds(id);
                if holds == Holds::Number && !self.is_key(id) && !self.draft.distinct {
                    if !self.counts_itself(id) {
                        return Err(Stop::cannot(format!(
                            "{} is no count that adds up",
                            self.catalog().shown(id)
                        )));
                    }
                    let name = format!("total_{}", self.catalog().column_name(id).to_lowercase());
                    return Ok((Expression::Aggregate(Aggregate::Sum, path, id), Some(name)));
                }
                Ok((Expression::Distinct(path, id), name()))
            }
            _ => Err(Stop::cannot(
                "it counts two things at once; ask one after the other",
            )),
        }
    }

    /// Returns true if a column holds numbers of things, and no prices or ages: `pages`, `days`,
    /// `quantity`.
    pub(super) fn counts_itself(&self, id: ColumnId) -> bool {
        let name = base::words::split(self.catalog().column_name(id));
        let last = name.last().map_or("", String::as_str);
        is_plural(last) || ["count", "quantity", "qty", "stock", "enrollment"].contains(&last)
    }

    pub(super) fn quantity_of(&self, table: usize) -> Option<ColumnId> {
        let is_quantity = |id: &ColumnId| {
            self.catalog().column(*id).is_some_and(|view| {
                view.words
                    .iter()
                    .any(|word| word == "quantity" || word == "qty")
            })
        };
        self.catalog().ids(table).find(is_quantity)
    }

    fn refuse_sort(&self) -> Step<()> {
        if self.draft.sort.is_empty() && self.draft.rows.is_none() {
            return Ok(());
        }
        Err(Stop::cannot(
            "the question sorts or limits a list, but it does not ask for a list",
        ))
    }

    /// Returns a column of the table, or of the rows that its foreign keys lead up to.
    pub(super) fn upward(&self, root: usize, link: &ColumnLink) -> Step<(Vec<Hop>, ColumnId)> {
        let id = self.column(link, root)?;
        match self.way_up(root, id.table)? {
            Some(path) => Ok((path, id)),
            None => Err(Stop::cannot(format!(
                "each row of {} has many values of {}, and I do not see whether you ask for each row or for all rows together; say `per`, or leave {} out",
                self.catalog().table_name(root),
                self.catalog().shown(id),
                self.catalog().table_name(root)
            ))),
        }
    }

    /// Plans a list of rows, or aggregates of all of them.
    pub(super) fn list(&self, root: usize) -> Step<Ask> {
        if self.draft.repeated {
            return self.repeated(root);
        }
        if !self.draft.aggregates.is_empty() {
            self.refuse_sort()?;
            if let Some(ask) = self.of_named_row(root)? {
                return Ok(ask);
            }
            let mut ask = Ask::new(root);
            ask.select = self.aggregated(root)?;
            ask.conditions = self.conditions(0, root)?;
            self.note_together(&mut ask);
            let part = |condition: &Condition| matches!(condition, Condition::Related(related) if related.path.iter().any(|hop| hop.down));
            if self.draft.intent == Intent::Amount && ask.conditions.iter().any(part) {
                return Err(Stop::cannot(
                    "I do not see whether you want the whole amount of each row, or only the part that belongs to what the question names",
                ));
            }
            return Ok(ask);
        }
        if self.draft.intent == Intent::Amount && !self.names_a_row() {
            return Err(Stop::cannot(
                "`how much` is known of one row only; say `total` or `average` and the column",
            ));
        }
        if let Some(ask) = self.values_with_many()? {
            return Ok(ask);
        }
        self.refuse_both(root)?;
        let mut ask = Ask::new(root);
        ask.conditions = self.conditions(0, root)?;
        self.select_rows(&mut ask, root)?;
        self.refuse_repeating(&ask)?;
        self.refuse_rows_of_others(&ask)?;
        for (place, (link, direction)) in self.draft.sort.iter().enumerate() {
            let (path, id) = self.upward(root, link)?;
            let key = Expression::Column(path, id);
            if ask.distinct && !ask.select.iter().any(|(shown, _)| *shown == key) {
                return Err(Stop::cannot(format!(
                    "each value is shown once, and may have several rows, of which I do not see whose {} it is sorted by",
                    self.catalog().shown(id)
                )));
            }
            ask.order.insert(place, (key, *direction));
        }
        if !ask.distinct {
            ask.order.extend(self.by_key(root));
        }
        ask.limit = self.draft.rows;
        Ok(ask)
    }

    /// Plans an aggregate over the rows that belong to the one row that is named: `lowest value of
    /// sensor T-02`.
    fn of_named_row(&self, root: usize) -> Step<Option<Ask>> {
        let [head] = self.draft.heads.as_slice() else {
            return Ok(None);
        };
        let id = self.column(head, root)?;
        if id.table == root || !self.names_a_row() {
            return Ok(None);
        }
        let down = self.way(root, id.table, &Via::default())?;
        if !down.iter().all(|hop| hop.down) {
            return Ok(None);
        }
        let Some(up) = self.way_up(id.table, root)? else {
            return Ok(None);
        };
        let mut ask = Ask::new(id.table);
        ask.select = self.aggregated(id.table)?;
        let dated = main_date(self.links, id.table).is_some();
        let is_date = |wish: &Wish| dated && matches!(wish.demand, Demand::Date(None, _));
        let (dates, rest): (Vec<Wish>, Vec<Wish>) =
            self.wishes().iter().cloned().partition(is_date);
        let own = self.place_all(&rest, 0, root)?.into_iter();
        ask.conditions = own.map(|condition| along(up.clone(), condition)).collect();
        ask.conditions.extend(self.place_all(&dates, 0, id.table)?);
        Ok(Some(ask))
    }

    /// Plans a list of values that several rows have: `duplicate emails of customers`.
    fn repeated(&self, root: usize) -> Step<Ask> {
        self.refuse_sort()?;
        let plain = self.draft.aggregates.is_empty() && !self.draft.distinct;
        if self.draft.heads.is_empty() || !plain {
            return Err(Stop::cannot(
                "the question does not say of which column it wants the repeated values",
            ));
        }
        let mut ask = Ask::new(root);
        ask.conditions = self.conditions(0, root)?;
        for head in &self.draft.heads {
            let (path, id) = self.upward(root, head)?;
            if path.is_empty() {
                ask.conditions.push(Condition::Present(id));
            }
            let key = Expression::Column(path, id);
            ask.select.push((key.clone(), None));
            ask.order.push((key.clone(), Direction::Least));
            ask.group.push(key);
        }
        ask.select
            .push((Expression::Rows, Some("count".to_owned())));
        ask.having = Some((Comparison::Greater, 1.0));
        Ok(ask)
    }

    /// Returns the order that makes a list the same each time.
    pub(super) fn by_key(&self, root: usize) -> Option<(Expression, Direction)> {
        let key = self.catalog().key(root)?;
        Some((Expression::Column(Vec::new(), key), Direction::Least))
    }

    pub(super) fn wishes(&self) -> &[Wish] {
        self.draft
            .scopes
            .first()
            .map(|scope| scope.wishes.as_slice())
            .unwrap_or_default()
    }

    fn names_a_row(&self) -> bool {
        let mut wishes = self.wishes().iter();
        wishes.any(|wish| wish.demand.names_row(|id| self.is_label(id)))
    }

    /// Selects the columns that the question names, otherwise those of the table.
    pub(super) fn select_rows(&self, ask: &mut Ask, root: usize) -> Step<()> {
        let mut seen = Vec::new();
        for head in &self.draft.heads {
            for shown in self.shown_columns(root, head)? {
                if !seen.contains(&shown) {
                    seen.push(shown);
                }
            }
        }
        if let [(path, id)] = seen.as_slice()
            && (self.draft.distinct || self.lists_values(*id))
        {
            ask.distinct = true;
            ask.conditions
                .push(along(path.clone(), Condition::Present(*id)));
            if self.nothing(*id).iter().any(String::is_empty) {
                let blank = Condition::In(*id, vec![String::new()]);
                ask.conditions.push(along(path.clone(), blank.negate()));
            }
            ask.order
                .push((Expression::Column(path.clone(), *id), Direction::Least));
        } else if !seen.is_empty()
            && (self.draft.distinct
                || self.asks_for_values() && seen.iter().all(|(_, id)| self.lists_values(*id)))
        {
            ask.distinct = true;
        }
        if let [id] = self.roles().as_slice() {
            ask.distinct = true;
            ask.conditions.push(Condition::Present(*id));
        }
        let listed = matches!(seen.as_slice(), [(_, id)] if self.lists_values(*id));
        if !listed {
            self.show_what_differs(&mut seen, root);
        }
        if seen.is_empty() {
            seen = self
                .catalog()
                .ids(root)
                .take(MAX_LISTED_COLUMNS)
                .map(|id| (Vec::new(), id))
                .collect();
        }
        ask.select = seen
            .into_iter()
            .map(|(path, id)| {
                let name = (!path.is_empty()).then(|| self.name_of_other(id));
                (Expression::Column(path, id), name)
            })
            .collect();
        Ok(())
    }

    /// Returns the name that a column of another table has in the result.
    pub(super) fn name_of_other(&self, id: ColumnId) -> String {
        let table = self.catalog().table_name(id.table);
        format!("{table}_{}", self.catalog().column_name(id)).to_lowercase()
    }

    /// Adds the column in which the rows differ, and the year if it tells them apart: `life
    /// expectancy of Norway and Sweden`.
    fn show_what_differs(&self, seen: &mut Vec<(Vec<Hop>, ColumnId)>, root: usize) {
        if seen.is_empty() || self.draft.distinct || self.draft.rank.is_some() {
            return;
        }
        let mut named: Vec<ColumnId> = Vec::new();
        let mut texts = 0;
        for wish in self.wishes().iter().filter(|wish| !wish.negated) {
            if let Demand::Value(links) = &wish.demand {
                let mut own = links.iter().map(|link| link.column);
                named.extend(own.find(|id| id.table == root && !named.contains(id)));
                texts += 1;
            }
        }
        let [name] = named.as_slice() else {
            return;
        };
        let number = |(_, id): &(Vec<Hop>, ColumnId)| self.catalog().holds(*id) == Holds::Number;
        let shown = |id: ColumnId| seen.iter().any(|(_, known)| *known == id);
        let mut beside = Vec::new();
        if texts > 1 && !shown(*name) {
            beside.push((Vec::new(), *name));
        }
        let mut years = self
            .catalog()
            .ids(root)
            .filter(|id| self.catalog().holds(*id) == Holds::Date(DateForm::Year));
        let is_year = |id: &ColumnId| {
            let view = self.catalog().column(*id);
            view.is_some_and(|view| view.words == ["year"])
        };
        let year = years.next().filter(|_| years.next().is_none());
        let year = year.filter(is_year);
        if let Some(year) = year
            && !self.is_label(*name)
            && seen.iter().all(number)
            && !shown(year)
        {
            beside.push((Vec::new(), year));
        }
        seen.splice(0..0, beside);
    }

    /// Returns the columns to show for a column that is asked for. A foreign key is shown as the
    /// name of the row that it refers to.
    fn shown_columns(&self, root: usize, head: &ColumnLink) -> Step<Vec<(Vec<Hop>, ColumnId)>> {
        let (path, id) = self.upward(root, head)?;
        let own = self.relations.own_key_of(id);
        let edge = self.relations.key_of(id).or(own);
        let parent = edge.and_then(|edge| Some((edge, self.relations.edges.get(edge)?.parent)));
        if let Some((edge, parent)) = parent
            && !head.word.to_lowercase().ends_with("id")
        {
            let mut further = path.clone();
            further.push(Hop { edge, down: false });
            let labels = self.catalog().table(parent.table);
            let found: Vec<_> = labels
                .map(|view| view.labels.as_slice())
                .unwrap_or_default()
                .iter()
                .map(|column| {
                    let id = ColumnId {
                        table: parent.table,
                        column: *column,
                    };
                    (further.clone(), id)
                })
                .collect();
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(vec![(path, id)])
    }

    /// Returns true if a list of this column alone is a list of its different values: a text that
    /// few values stand in and that names no row.
    pub(super) fn lists_values(&self, id: ColumnId) -> bool {
        let few = self
            .catalog()
            .column(id)
            .is_some_and(|view| view.column.few_values);
        let holds = self.catalog().holds(id);
        let kinds = few && holds == Holds::Text
            || self.asks_for_values() && matches!(holds, Holds::Text | Holds::Date(DateForm::Year));
        let names = self.is_label(id) || self.catalog().is_name(id) && !self.names_others(id);
        kinds && !names && !self.is_key(id) && !self.names_a_row()
    }

    /// Returns true if a column names other things than the rows of its table, and the question
    /// asks for these: `customers`, where orders have a `customer_name`. The `names` of pets may be
    /// in a column `animal_name`.
    fn names_others(&self, id: ColumnId) -> bool {
        let heads = self.draft.heads.iter();
        let mut words = heads
            .filter(|head| head.ids.contains(&id))
            .map(|head| head.word.as_str());
        words
            .any(|word| !["name", "title", "label"].contains(&lemma(&word.to_lowercase()).as_str()))
    }

    /// Returns true if the question asks for different values, and not for the value of each row:
    /// `which countries are in Oceania`.
    pub(super) fn asks_for_values(&self) -> bool {
        self.draft.owner.is_none() && (self.draft.subject.is_none() || self.draft.headed)
    }

    /// Returns the aggregates that the question names, each with its column.
    pub(super) fn aggregated(&self, root: usize) -> Step<Vec<Named>> {
        self.aggregated_by(&self.draft.aggregates, root)
    }

    pub(super) fn aggregated_by(&self, aggregates: &[Aggregate], root: usize) -> Step<Vec<Named>> {
        let heads = &self.draft.heads;
        let pairs: Vec<(Aggregate, &ColumnLink)> = match heads.as_slice() {
            [head] => aggregates
                .iter()
                .map(|aggregate| (*aggregate, head))
                .collect(),
            heads if heads.len() == aggregates.len() => {
                aggregates.iter().copied().zip(heads).collect()
            }
            _ => {
                return Err(Stop::cannot(
                    "it does not say which aggregate is of which column",
                ));
            }
        };
        let mut selected = Vec::new();
        for (aggregate, head) in pairs {
            let (path, id) = self.upward(root, head)?;
            self.require_measure(aggregate, id)?;
            let name = aggregate_name(aggregate, self.catalog().column_name(id));
            selected.push((Expression::Aggregate(aggregate, path, id), Some(name)));
        }
        Ok(selected)
    }

    pub(super) fn require_measure(&self, aggregate: Aggregate, id: ColumnId) -> Step<()> {
        match aggregate {
            Aggregate::Sum => self.require_number(id, "a sum"),
            Aggregate::Average => self.require_number(id, "an average"),
            Aggregate::Least | Aggregate::Most => match self.catalog().holds(id) {
                Holds::Date(_) => Ok(()),
                Holds::Text | Holds::Number | Holds::Flag | Holds::Unknown => {
                    self.require_number(id, "a least or greatest")
                }
            },
        }
    }

    fn is_plain(&self) -> bool {
        self.draft.heads.is_empty()
            && self.draft.aggregates.is_empty()
            && self.draft.groups.is_empty()
            && self.draft.rank.is_none()
    }

    /// Plans `is there …`.
    pub(super) fn existence(&self, root: usize) -> Step<Ask> {
        if self.draft.rows.is_some() && self.draft.sort.is_empty() && self.is_plain() {
            // `are there two dogs`: how many there are says so, and more.
            let mut ask = Ask::new(root);
            ask.conditions = self.conditions(0, root)?;
            ask.select = vec![self.counted(root)?];
            return Ok(ask);
        }
        self.refuse_sort()?;
        if !self.is_plain() {
            return Err(Stop::cannot(
                "`is there` asks for a row, and the question names something else besides",
            ));
        }
        let is_second = |wish: &Wish| wish.stand == Stand::Noun && wish.joiner == Joiner::And;
        if self.names_both() || self.wishes().iter().any(is_second) {
            return Err(Stop::cannot(
                "it asks for two things at once; ask for one after the other",
            ));
        }
        let mut ask = Ask::new(root);
        ask.conditions = self.conditions(0, root)?;
        let over_zero = self.amount_over_zero(root, &ask.conditions, false)?;
        ask.conditions.extend(over_zero);
        ask.shape = Shape::Exists;
        Ok(ask)
    }

    /// Plans `what percentage of …`.
    pub(super) fn share(&self, root: usize) -> Step<Ask> {
        self.refuse_sort()?;
        let wishes = self.wishes();
        let of_kinds = wishes.is_empty() && self.draft.heads.len() == 1;
        if of_kinds || !self.draft.groups.is_empty() {
            return self.shares(root);
        }
        // `percentage of women survived`: `survived` is the condition on the part.
        let predicate = match wishes {
            [.., before, last] if before.bare && last.joiner == Joiner::None => {
                matches!(last.demand, Demand::Column(_, Test::Flag)).then(|| wishes.len() - 1)
            }
            _ => None,
        };
        let said = self.draft.base.or(predicate);
        let base = said.unwrap_or(0);
        let (base, part) = wishes.split_at_checked(base).unwrap_or((wishes, &[]));
        let part = self.place_all(part, 0, root)?;
        if !self.is_plain() || part.is_empty() {
            return Err(Stop::cannot(
                "the question does not say which part of the rows it means",
            ));
        }
        if said.is_none() && part.len() > 1 {
            return Err(Stop::cannot(SHARE_OF_WHAT));
        }
        let mut ask = Ask::new(root);
        ask.conditions = self.place_all(base, 0, root)?;
        ask.select = vec![(Expression::Share(part), Some("percentage".to_owned()))];
        self.note_together(&mut ask);
        Ok(ask)
    }

    /// Plans `when was … published`.
    pub(super) fn moment(&self) -> Step<Ask> {
        let values: Vec<usize> = self
            .draft
            .scopes
            .iter()
            .flat_map(|scope| &scope.wishes)
            .filter_map(|wish| wish.demand.value())
            .flatten()
            .map(|link| link.column.table)
            .collect();
        let root = match (self.draft.subject, values.as_slice()) {
            (None, [one, rest @ ..]) if rest.iter().all(|table| table == one) => *one,
            _ => subject_of(self.links, self.relations, self.draft)?,
        };
        let verb = self
            .draft
            .absorbed
            .iter()
            .find(|(ids, _)| ids.is_empty())
            .map(|(_, verb)| verb);
        let Some(id) = verb.and_then(|verb| date_column(self.links, verb, root)) else {
            return Err(Stop::cannot(format!(
                "{} has no date for what the question asks",
                self.catalog().table_name(root)
            )));
        };
        let mut ask = Ask::new(root);
        ask.conditions = self.conditions(0, root)?;
        if !self.is_plain() || ask.conditions.is_empty() {
            return Err(Stop::cannot("`when` is known of named rows only"));
        }
        ask.select = vec![(Expression::Column(Vec::new(), id), None)];
        ask.order.extend(self.by_key(root));
        Ok(ask)
    }
}

/// Why a share of rows with several conditions is refused.
pub(super) const SHARE_OF_WHAT: &str = "I do not see which conditions describe the whole, and which describe the share of it; say `what percentage of … are …`";

/// Returns an aggregate over the rows that belong to a row of another table.
pub(super) fn measured(expression: Expression) -> Step<Option<(Aggregate, ColumnId)>> {
    if expression == Expression::Rows {
        return Ok(None);
    }
    if let Expression::Aggregate(aggregate, path, id) = expression
        && path.is_empty()
    {
        return Ok(Some((aggregate, id)));
    }
    Err(Stop::cannot(
        "it counts values for each row of a table, which needs two steps",
    ))
}

/// Returns the name of an aggregate in the result.
pub(super) fn aggregate_name(aggregate: Aggregate, column: &str) -> String {
    let word = match aggregate {
        Aggregate::Sum => "total",
        Aggregate::Average => "average",
        Aggregate::Least => "minimum",
        Aggregate::Most => "maximum",
    };
    let column = column.to_lowercase();
    match column.starts_with(word) {
        true => column,
        false => format!("{word}_{column}"),
    }
}
