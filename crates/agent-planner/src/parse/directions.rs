//! The prepositions `from` and `to` before a value, and columns whose names contain one of these
//! directions.

use super::Parser;
use crate::accounted::PREPOSITIONS;
use crate::catalog::ColumnId;
use crate::draft::{Demand, Test};
use crate::lexicon::Words;
use crate::limits::MAX_PHRASE_WORDS;
use crate::links::{ColumnLink, ValueLink};
use crate::morphology::is_participle;
use crate::plan::{Step, Stop};
use crate::relations::Relations;

/// A direction: from the value of a column, or to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    From,
    To,
}

/// Words in the names of columns that hold the origin of something.
const ORIGINS: Words = Words(
    "
     from origin source src sender departure start old caller payer giver
    ",
);

/// Words in the names of columns that hold its destination.
const TARGETS: Words = Words(
    "
     to destination dest dst target receiver recipient addressee arrival end new callee payee
    ",
);

/// Words that stand between the ends of a range.
const UP_TO: &[&str] = &["to", "till", "until", "through", "thru"];

impl Parser<'_> {
    /// Keeps only values of columns whose names do not contradict the preposition: `to_city`
    /// contradicts `from Rome`. If the value belongs to a table to which a foreign key of this
    /// direction refers, such as `from_airport_id`, takes it as a condition on that key.
    ///
    /// # Errors
    /// A refusal if only columns of the other direction have the value.
    pub(super) fn directed(&mut self, links: &mut Vec<ValueLink>, tokens: usize) -> Step<bool> {
        let Some((direction, preposition)) = self.direction(self.at) else {
            return Ok(false);
        };
        let word = self.links.shown(self.at, tokens);
        let table = self.table_of(self.value_scope(links));
        let says = |id: ColumnId| self.says_direction(id);
        let (kept, opposite): (Vec<ValueLink>, Vec<ValueLink>) = links
            .drain(..)
            .partition(|link| says(link.column).is_none_or(|said| said == direction));
        *links = kept;
        let lost = opposite.iter().find(|link| {
            let same = links
                .iter()
                .any(|kept| kept.column.table == link.column.table);
            links.is_empty() || !same && Some(link.column.table) == table
        });
        if let Some(lost) = lost {
            return Err(self.against(&word, preposition, lost.column));
        }
        let Some(table) = table else {
            return Ok(false);
        };
        let referred = |id: &ColumnId| {
            let key = self.relations.key_of(*id);
            let edge = key.and_then(|key| self.relations.edges.get(key));
            edge.is_some_and(|edge| {
                edge.parent.table != table
                    && links
                        .iter()
                        .any(|link| link.column.table == edge.parent.table)
            })
        };
        let own = links.iter().any(|link| link.column.table == table);
        let keys = self.links.catalog.ids(table).filter(referred);
        let keys: Vec<ColumnId> = keys.filter(|_| !own).collect();
        let matching = keys
            .iter()
            .copied()
            .filter(|id| says(*id) == Some(direction));
        let matching: Vec<ColumnId> = matching.collect();
        if let [key] = matching.as_slice() {
            self.at += tokens;
            let link = ColumnLink::new(vec![*key], word.clone(), 1.0);
            let scope = self.column_scope(&link);
            self.wish(
                scope,
                Demand::Column(link, Test::Known(std::mem::take(links))),
                word,
            )?;
            return Ok(true);
        }
        if let Some(other) = self
            .directed_elsewhere(links, direction, table)
            .filter(|_| matching.is_empty())
        {
            return Err(Stop::cannot(format!(
                "{word:?} stands behind {preposition:?}, and may be said of {}; name the column that is meant",
                self.links.catalog.shown(other)
            )));
        }
        match keys
            .first()
            .filter(|_| keys.iter().all(|id| says(*id).is_some()))
        {
            Some(key) if matching.is_empty() => Err(self.against(&word, preposition, *key)),
            _ => Ok(false),
        }
    }

    /// Returns the key of the direction of other rows that the question names: `transfers of
    /// injured players to the Lions`, where players have a team as well.
    fn directed_elsewhere(
        &self,
        links: &[ValueLink],
        direction: Direction,
        table: usize,
    ) -> Option<ColumnId> {
        let scopes = self.draft.scopes.iter();
        let named = scopes.flat_map(|scope| {
            let wishes = scope.wishes.iter();
            let tables = wishes.flat_map(|wish| wish.demand.tables());
            tables.chain(scope.table)
        });
        let mut ids = named
            .filter(|named| *named != table)
            .flat_map(|named| self.links.catalog.ids(named));
        ids.find(|id| {
            let key = self.relations.key_of(*id);
            let edge = key.and_then(|key| self.relations.edges.get(key));
            let parent = edge.map(|edge| edge.parent.table);
            let mut tables = links.iter().map(|link| link.column.table);
            self.says_direction(*id) == Some(direction) && tables.any(|table| Some(table) == parent)
        })
    }

    /// Returns why a value of a column is not meant by a preposition.
    fn against(&self, word: &str, preposition: &str, column: ColumnId) -> Stop {
        Stop::cannot(format!(
            "{word:?} comes after {preposition:?}, but I find it only through {}, which means the opposite direction; name the column that you mean",
            self.links.catalog.shown(column)
        ))
    }

    /// Returns the direction that a column's name says.
    fn says_direction(&self, id: ColumnId) -> Option<Direction> {
        let words = &self.links.catalog.column(id)?.words;
        match (has_direction(words, "from"), has_direction(words, "to")) {
            (true, false) => Some(Direction::From),
            (false, true) => Some(Direction::To),
            _ => None,
        }
    }

    /// Finds the direction of the value at a position, and the word for it. Other values of a list
    /// may stand between: `from Bern or Rome`.
    fn direction(&self, value: usize) -> Option<(Direction, &'static str)> {
        let mut before = self.tokens().iter().enumerate().take(value).rev();
        let (at, token) = before.find(|(_, token)| {
            token.is_word() && (PREPOSITIONS.contains(&token.lower) || token.lower == "into")
        })?;
        let found = match token.lower.as_str() {
            "from" => (Direction::From, "from"),
            "to" => (Direction::To, "to"),
            "into" => (Direction::To, "into"),
            "by" => {
                let verb = before.next().map_or("", |(_, token)| token.lower.as_str());
                let gives = ["sent", "mailed", "posted", "written", "shipped"].contains(&verb);
                match () {
                    () if verb == "received" => (Direction::To, "received by"),
                    () if gives || !is_participle(verb) => (Direction::From, "by"),
                    () => return None,
                }
            }
            _ => return None,
        };
        let mut place = at + 1;
        while place < value {
            let token = self.tokens().get(place)?;
            let joins = ["and", "or", ",", "the", "either", "both"].contains(&token.lower.as_str());
            place += match self.links.value_at(place) {
                Some(found) => found.tokens,
                None if joins => 1,
                None => return None,
            };
        }
        Some(found)
    }

    /// Refuses `A1 to B1`, where both are values of one column: the planner does not know which
    /// values lie between them.
    ///
    /// # Errors
    /// A refusal that names the column.
    pub(super) fn refuse_ranges(&self) -> Step<()> {
        for (at, token) in self.tokens().iter().enumerate() {
            let next = self.tokens().get(at + 1);
            let dots = token.lower == "." && next.is_some_and(|next| next.lower == ".");
            if !dots && !UP_TO.contains(&token.lower.as_str()) {
                continue;
            }
            if let Some(column) = self.range_around(at, at + 1 + usize::from(dots)) {
                return Err(Stop::cannot(format!(
                    "{:?} stands between two values of {}, and I do not know which lie between them; name each of them, with `or`",
                    token.text,
                    self.links.catalog.shown(column)
                )));
            }
        }
        Ok(())
    }

    /// Finds the column that has both the value before a word and the value after it, unless the
    /// two are the origin and the destination of something.
    fn range_around(&self, end: usize, behind: usize) -> Option<ColumnId> {
        let starts = end.saturating_sub(MAX_PHRASE_WORDS)..end;
        let (start, first) = starts
            .filter_map(|at| Some((at, self.links.value_at(at)?)))
            .find(|(at, found)| at + found.tokens == end)?;
        // `seat A1 to seat A3`
        let named = self.links.column_at(behind, None);
        let named = named.map_or(behind, |found| behind + found.tokens);
        let last = self.links.value_at(behind);
        let last = last.or_else(|| self.links.value_at(named))?;
        let to = |at: usize| {
            self.direction(at)
                .is_some_and(|(said, _)| said == Direction::To)
        };
        let of_keys = |column: ColumnId| {
            let mut edges = self.relations.edges.iter();
            edges.any(|edge| {
                edge.parent.table == column.table && self.says_direction(edge.child).is_some()
            })
        };
        let same = |link: &&ValueLink| {
            let directed = self.says_direction(link.column).is_some() || of_keys(link.column);
            (!directed || to(start)) && last.item.iter().any(|other| other.column == link.column)
        };
        first.item.iter().find(same).map(|link| link.column)
    }

    /// Refuses a condition after the last row of a chain if its table is reached only back through
    /// the rows around: in `loans of books by Ada to readers from Rome`, the readers may be those
    /// of the loans.
    ///
    /// # Errors
    /// A refusal that names the words and both tables.
    pub(super) fn refuse_way_back(&self, scope: usize, to: &[usize], word: &str) -> Step<()> {
        let outer = self.scope_of(scope).and_then(|scope| scope.outer);
        let around = outer.and_then(|outer| self.table_of(outer));
        let (Some(from), Some(around)) = (self.table_of(scope), around) else {
            return Ok(());
        };
        let back = |to: &usize| leads_through(self.relations, from, *to, around);
        match !to.contains(&from) && to.iter().any(back) {
            true => Err(Stop::cannot(format!(
                "{word:?} may be said of {} or of {}; ask with one of them alone",
                self.links.catalog.table_name(from),
                self.links.catalog.table_name(around)
            ))),
            false => Ok(()),
        }
    }
}

/// Returns true if the words of a column's name say the direction of a preposition: `origin_city`
/// that of `from`.
pub(crate) fn has_direction(words: &[String], preposition: &str) -> bool {
    let known = match preposition {
        "from" => ORIGINS,
        "to" | "into" => TARGETS,
        _ => return false,
    };
    known.has_one_of(words)
}

/// Returns true if a way from one table to another first goes down to the rows of a third.
fn leads_through(relations: &Relations, from: usize, to: usize, through: usize) -> bool {
    relations.paths(from, to).iter().any(|path| {
        let first = path.first().filter(|hop| hop.down && path.len() > 1);
        let end = first.and_then(|hop| relations.ends(*hop));
        end.is_some_and(|(end, _)| end.table == through)
    })
}
