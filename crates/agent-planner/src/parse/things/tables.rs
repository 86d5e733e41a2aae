//! Tables that a question names: as its subject, as rows that the subject must have, or as the kind
//! of a value, as in `the KRAS gene`.

use super::*;

impl Parser<'_> {
    pub(crate) fn table(&mut self, found: Found<TableLink>) -> Step<bool> {
        let table = found.item.table;
        let word = self.links.shown(self.at, found.tokens);
        let plural = self
            .tokens()
            .get(self.at + found.tokens - 1)
            .is_some_and(|token| is_plural(&token.lower));
        if self.narrows_the_value(table) {
            self.at += found.tokens;
            return Ok(true);
        }
        let start = self.at;
        if self.follows_a_value(start) {
            self.subject_of_values(start);
        }
        self.at += found.tokens;
        if self.owns(table, plural)? {
            return Ok(true);
        }
        self.note(
            &word,
            format!("the table {}", self.links.catalog.table_name(table)),
        );
        let Some(subject) = self.draft.subject else {
            self.draft.subject = Some(found.item);
            self.draft.plural = plural;
            let of = ["of", "for", "the", "all", "our"];
            self.draft.headed =
                !self.draft.heads.is_empty() && !of.contains(&self.word_before(start));
            if let Some(scope) = self.draft.scopes.first_mut() {
                scope.table = Some(table);
                self.regrouped = self.joiner != Joiner::None && !scope.wishes.is_empty();
            }
            if !self.regrouped {
                self.joiner = Joiner::None;
            }
            self.apposition(table, &word)?;
            return Ok(true);
        };
        if self.apposition(table, &word)? {
            return Ok(true);
        }
        if table == subject.table || self.table_of(self.scope) == Some(table) {
            return match self.joiner {
                Joiner::None => Ok(true),
                Joiner::And | Joiner::Or => Err(Stop::cannot(format!("{word:?} comes twice"))),
            };
        }
        if self.negated && self.joiner == Joiner::None && !plural && self.is_after_not(start) {
            // `customers who did not order`: the name of the table is used as a verb.
            self.open(table, None, true, word)?;
            return Ok(true);
        }
        if self.joiner == Joiner::And && self.continues_demands()? {
            self.open(table, None, true, word)?;
            return Ok(true);
        }
        if self.joiner != Joiner::None || self.negated {
            self.at = start;
            return Err(Stop::cannot(format!(
                "it asks for {word:?} beside {:?}; ask one after the other",
                self.links.catalog.table_name(subject.table)
            )));
        }
        self.refuse_by(table, start, &word)?;
        // `who never borrowed a book`: the object of a verb is demanded as the verb is.
        let object = self
            .scope_of(self.scope)
            .is_some_and(|scope| scope.demanded);
        self.open(table, None, object, word)?;
        Ok(true)
    }

    pub(crate) fn is_after_not(&self, start: usize) -> bool {
        let before = self.word_before(start);
        ["not", "never"].contains(&before) || before.ends_with("n't")
    }

    /// Goes back to the scope of the first table of `with orders and reviews`.
    pub(crate) fn continues_demands(&mut self) -> Step<bool> {
        let Some(scope) = self.scope_of(self.scope) else {
            return Ok(false);
        };
        let (Some(outer), true, true) = (scope.outer, scope.demanded, scope.wishes.is_empty())
        else {
            return Ok(false);
        };
        let last = self.scope_of(outer).and_then(|scope| scope.wishes.last());
        let Some((Demand::Inner(_, count), negated)) =
            last.map(|wish| (&wish.demand, wish.negated))
        else {
            return Ok(false);
        };
        if negated || count.is_some() {
            return Err(Stop::cannot(
                "I do not see whether the condition before `and` holds for both; say it of each",
            ));
        }
        self.scope = outer;
        Ok(true)
    }

    /// Takes `first and last name`, and `names` of people whose table has both.
    pub(crate) fn both_names(&mut self) -> Step<bool> {
        let phrase =
            self.is_at(&["first", "and", "last"]) && matches!(self.word(3), "name" | "names");
        if phrase {
            for name in ["first name", "last name"] {
                let ids = self.links.columns_named(name);
                if ids.is_empty() {
                    return Err(self.unknown());
                }
                self.head(ColumnLink::new(ids, name, 1.0))?;
            }
            self.at += 4;
            return Ok(true);
        }
        let names = matches!(self.word(0), "name" | "names") && self.word(1) == "of";
        let after = 2 + usize::from(matches!(self.word(2), "the" | "all"));
        let Some(table) = self.links.table_at(self.at + after).filter(|_| names) else {
            return Ok(false);
        };
        if !self.labels(table.item.table)? {
            return Ok(false);
        }
        self.at += 1;
        Ok(true)
    }

    /// Asks for the names of the rows of a table, if they have two.
    pub(crate) fn labels(&mut self, table: usize) -> Step<bool> {
        let labels = self
            .links
            .catalog
            .table(table)
            .map(|view| view.labels.clone())
            .unwrap_or_default();
        if labels.len() < 2 {
            return Ok(false);
        }
        for column in labels {
            let link = ColumnLink::new(vec![ColumnId { table, column }], "name", 1.0);
            self.head(link)?;
        }
        Ok(true)
    }

    /// Takes `out of stock` and `in stock`.
    pub(crate) fn stock(&mut self) -> Step<bool> {
        let comparison = match () {
            () if self.is_at(&["out", "of", "stock"]) => Comparison::Equal,
            () if self.is_at(&["in", "stock"]) => Comparison::Greater,
            () => return Ok(false),
        };
        let Some(id) = self
            .table_of(self.scope)
            .and_then(|table| self.links.first_meaning(&["stock"], table))
        else {
            return Ok(false);
        };
        self.at += if comparison == Comparison::Equal {
            3
        } else {
            2
        };
        let link = ColumnLink::new(vec![id], "stock", 0.9);
        self.draft.confidence = self.draft.confidence.min(link.score);
        self.wish(
            self.scope,
            Demand::Column(link, Test::Number(comparison, 0.0)),
            "stock".to_owned(),
        )?;
        Ok(true)
    }

    /// Takes a name that says what the value before it is: `products from the Books category`, `the
    /// KRAS gene`.
    pub(crate) fn narrows_the_value(&mut self, table: usize) -> bool {
        let before = self.before();
        let Some(wish) = self
            .draft
            .scopes
            .iter_mut()
            .filter_map(|scope| scope.wishes.last_mut())
            .last()
        else {
            return false;
        };
        let Demand::Value(links) = &mut wish.demand else {
            return false;
        };
        let adjacent = wish.word.to_lowercase().ends_with(before) && !before.is_empty();
        let own: Vec<ValueLink> = links
            .iter()
            .filter(|link| link.column.table == table)
            .cloned()
            .collect();
        let subject = self
            .draft
            .subject
            .is_none_or(|subject| subject.table == table);
        if !adjacent || own.is_empty() || subject {
            return false;
        }
        *links = own;
        true
    }

    /// Takes a table before its own column: `order totals`, `patient names`. The question asks for
    /// the column, unless a condition follows.
    pub(crate) fn owns(&mut self, table: usize, plural: bool) -> Step<bool> {
        let exact = self.links.column_at(self.at, Some(table));
        if exact.is_none()
            && matches!(self.word(0), "name" | "names")
            && self.draft.subject.is_none()
            && self.labels(table)?
        {
            self.at += 1;
            self.draft.owner = Some(table);
            return Ok(true);
        }
        let Some(column) = exact.or_else(|| self.links.column_like(self.at, Some(table))) else {
            return Ok(false);
        };
        let mut ids = column.item.ids.iter();
        if ids.any(|id| self.links.catalog.truths(*id).is_some()) {
            return Ok(false);
        }
        let plural_noun = plural
            && self.draft.subject.is_none()
            && !is_possessive(self.links.tokens.get(self.at.saturating_sub(1)));
        let here = self.at;
        self.at += column.tokens;
        let tested = self.test(&column.item)?.is_some();
        self.at = here;
        if tested
            || plural_noun
            || self.draft.subject.is_some()
            || self.draft.intent == Intent::Exists
        {
            return Ok(false);
        }
        self.at += column.tokens;
        self.draft.owner = Some(table);
        if self.counts() && self.draft.heads.is_empty() && self.draft.aggregates.is_empty() {
            self.draft.distinct = true;
        }
        self.head(column.item)?;
        Ok(true)
    }
}
