//! Clauses that describe other rows than the subject. In `pets whose owner has a dog` the clause is
//! about the owner, who must have a pet that is a dog. The pet that is listed need not be that dog.

use super::Parser;
use super::joints::{CLAUSES, PLACING};
use crate::catalog::ColumnId;
use crate::draft::{Demand, Joiner};
use crate::morphology::is_participle;
use crate::plan::{Step, Stop};
use crate::relations::{Via, Ways};

/// A clause about the rows of a scope.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clause {
    pub(super) scope: usize,
    says: Says,
}

/// The kinds of clauses.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Says {
    /// A property of the rows: `whose owner is`.
    Are,
    /// Something that the rows have: `whose owner has`.
    Have,
    /// Something that the rows have, or else a condition on the outer rows: `pets with an owner
    /// with` does not show which.
    Either,
}

impl Parser<'_> {
    /// Begins a clause such as `an owner who has`, or continues the current one; otherwise ends the
    /// current one.
    pub(super) fn begin_clause(&mut self, start: usize) {
        let word = |at: Option<usize>| {
            let token = at.and_then(|at| self.tokens().get(at));
            token.map_or("", |token| token.lower.as_str())
        };
        let scope = self.scope;
        let who = start == self.opened_at + 1 && word(start.checked_sub(1)) == "who";
        let demanded = self
            .scope_of(scope)
            .is_some_and(|scope| scope.demanded && scope.hop.is_none());
        let begins = |says| (scope != 0).then_some(Clause { scope, says });
        self.clause = match word(Some(start)) {
            "has" | "have" | "had" if who => begins(Says::Have),
            "has" | "have" | "had" => self.clause.map(|clause| Clause {
                says: Says::Have,
                ..clause
            }),
            "with" if demanded && start == self.opened_at => begins(Says::Either),
            _ => None,
        };
    }

    /// Begins the clause of `whose owner`.
    ///
    /// # Errors
    /// A question back for `whose orders are shipped` in a question that changes rows, because it
    /// is unclear whether one order or all of them must be shipped.
    pub(super) fn continue_clause(&mut self, start: usize) -> Step<()> {
        let whose = self
            .tokens()
            .get(start)
            .is_some_and(|token| token.lower == "whose");
        let outer = self.scope_of(self.scope).and_then(|scope| scope.outer);
        let is_role = outer.and_then(|outer| self.table_of(outer)) == self.table_of(self.scope);
        if !whose || self.scope == 0 || self.opened_at != self.at || is_role {
            return Ok(());
        }
        let scope = self.scope;
        self.clause = Some(Clause {
            scope,
            says: Says::Are,
        });
        let ends = outer
            .and_then(|outer| self.table_of(outer))
            .zip(self.table_of(scope));
        let one = ends.is_some_and(|(from, to)| self.relations.leads_up(from, to));
        if self.links.strict && !one {
            let name = self
                .table_of(scope)
                .map(|table| self.links.catalog.table_name(table));
            let name = name.unwrap_or_default();
            self.links.catalog.choose(
                format!("{name:?}: is it enough that one of these rows meets the condition? I cannot look for cases where all of them meet it"),
                &[()],
                |()| format!("one of {name} is enough"),
            )?;
        }
        Ok(())
    }

    /// Ends a clause where `and` begins one about other rows: `pets whose owner has a dog and are
    /// sick`, and not `… and is sick`.
    pub(super) fn end_clause(&mut self) {
        let says = match self.word(0) {
            "is" | "was" if self.draft.plural => Some(Says::Are),
            "has" if self.draft.plural => Some(Says::Have),
            word if CLAUSES.contains(word) => None,
            _ => return,
        };
        self.clause = self.clause.and_then(|clause| {
            Some(Clause {
                says: says?,
                ..clause
            })
        });
    }

    /// Returns true if `and` or `or` joins what is demanded here to rows of another table that are
    /// demanded: `with orders and with invoices`.
    pub(super) fn demands_again(&self) -> bool {
        let scope = self.scope_of(self.scope);
        let demanded = scope
            .is_some_and(|scope| scope.demanded && scope.hop.is_none() && scope.outer.is_some());
        demanded && self.joiner != Joiner::None && self.clause.is_none()
    }

    /// Finds the scopes around whose rows have rows of a table, the outermost first. In `customers
    /// with orders and with invoices`, the invoices are those of the customers, unless customers
    /// reach invoices only through orders.
    ///
    /// # Errors
    /// A question back where rows are changed and two tables have such rows.
    pub(super) fn said_beside(&self, table: usize, word: &str) -> Step<Vec<usize>> {
        let scopes = self.scopes();
        let passes = |from: usize, through: usize| {
            let paths = self.relations.paths(from, table);
            paths.is_empty()
                || paths.iter().any(|path| {
                    let mut ends = path.iter().filter_map(|hop| self.relations.ends(*hop));
                    through != table && ends.any(|(end, _)| end.table == through)
                })
        };
        let is_own = |at: &usize| {
            let Some(from) = scopes.get(*at).and_then(|scope| self.table_of(*scope)) else {
                return true;
            };
            let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
            let beside = beside.filter_map(|at| self.table_of(*scopes.get(at)?));
            beside.into_iter().all(|beside| !passes(from, beside))
        };
        let mut own: Vec<usize> = (0..scopes.len())
            .rev()
            .filter(is_own)
            .filter_map(|at| scopes.get(at).copied())
            .collect();
        // Rows that must be absent cannot have rows of another table.
        let lacked = self.lacks_rows();
        let asks = self.links.strict && self.joiner == Joiner::And && !lacked;
        if own.len() > 1 && asks {
            own = vec![self.of_which_rows(&own, word)?];
        }
        Ok(if own.is_empty() { scopes } else { own })
    }

    /// Returns to the rows whose table has the column after a second `with`: `players with a coach
    /// and with number 7`.
    ///
    /// # Errors
    /// A question back where rows of several tables have such a column.
    pub(super) fn column_beside(&mut self) -> Step<()> {
        if !self.demands_again() {
            return Ok(());
        }
        let has = |scope: &usize| {
            let table = self.table_of(*scope);
            table.is_some_and(|table| self.own_column_at(table).is_some())
        };
        let own: Vec<usize> = self.scopes().into_iter().filter(has).collect();
        if own.len() > 1 {
            self.scope = self.of_which_rows(&own, &self.links.shown(self.at, 1))?;
        }
        Ok(())
    }

    /// Goes back to the rows around those of a verb if things are counted over all of them:
    /// `customers who ordered more than 3 products`, in one order or in all of theirs.
    ///
    /// # Errors
    /// The question back.
    pub(super) fn counted_together(&mut self, table: usize, word: &str, start: usize) -> Step<()> {
        let open = self.scope_of(self.scope);
        let verb =
            open.is_some_and(|open| open.demanded && open.hop.is_none() && open.wishes.is_empty());
        let (Some(from), Some(outer)) =
            (self.table_of(self.scope), open.and_then(|open| open.outer))
        else {
            return Ok(());
        };
        let by_verb =
            self.opened_at == start && self.table_of_verb(self.word_before(start)) == Some(from);
        let ways = self.relations.ways(from, table, &Via::default());
        let many = matches!(ways, Ways::One(path) if path.iter().any(|hop| hop.down));
        let around = self.table_of(outer);
        if !verb || !by_verb || !many || around == Some(table) {
            return Ok(());
        }
        let name =
            |table: Option<usize>| table.map_or("", |table| self.links.catalog.table_name(table));
        let (one, all) = (name(Some(from)), name(around));
        let together = self.links.catalog.choose(
            format!("{word:?}: in one row of {one}, or in all rows that belong to one of {all}?"),
            &[true, false],
            |together| match together {
                true => format!("{word} in all of them together"),
                false => format!("{word} in one row of {one}"),
            },
        )?;
        self.scope = if together { outer } else { self.scope };
        Ok(())
    }

    /// Returns true if the rows of the present scope must be absent.
    fn lacks_rows(&self) -> bool {
        let outer = self.scope_of(self.scope).and_then(|scope| scope.outer);
        let wishes = outer.and_then(|outer| self.scope_of(outer));
        let wishes = wishes.map_or(&[][..], |scope| scope.wishes.as_slice());
        wishes.iter().any(|wish| {
            wish.negated && matches!(wish.demand, Demand::Inner(inner, _) if inner == self.scope)
        })
    }

    /// Returns to the rows whose table has the value after `and in` or `and named`: `players with a
    /// coach and in Rome`.
    ///
    /// # Errors
    /// A question back where rows of several tables have it.
    pub(super) fn value_beside(&mut self, tables: &[usize], word: &str) -> Step<()> {
        let first = self.tokens().get(self.joined_at);
        let begins = first.is_some_and(|token| {
            let word = token.lower.as_str();
            PLACING.contains(word) || CLAUSES.contains(word) || is_participle(word)
        });
        match begins {
            true => self.rows_beside(tables, word),
            false => Ok(()),
        }
    }

    /// Goes back to the rows of one of these tables, where what is said stands beside rows that are
    /// demanded.
    ///
    /// # Errors
    /// A question back where rows of several of them are around.
    pub(super) fn rows_beside(&mut self, tables: &[usize], word: &str) -> Step<()> {
        if !self.demands_again() {
            return Ok(());
        }
        let scopes = self.scopes().into_iter();
        let own: Vec<usize> = scopes
            .filter(|scope| {
                let table = self.table_of(*scope);
                table.is_some_and(|table| tables.contains(&table))
            })
            .collect();
        if own.len() > 1 {
            self.scope = self.of_which_rows(&own, word)?;
        }
        Ok(())
    }

    fn of_which_rows(&self, scopes: &[usize], word: &str) -> Step<usize> {
        let catalog = self.links.catalog;
        catalog.choose(
            format!("{word:?}: of which table is it said?"),
            scopes,
            |scope| {
                let name = self.table_of(*scope).map(|table| catalog.table_name(table));
                format!("{word} is said of {}", name.unwrap_or_default())
            },
        )
    }

    /// Refuses `pets whose owner is sick`, where only pets are sick, and asks back for `with an
    /// owner with a dog`.
    pub(super) fn require_said(&mut self, ids: &[ColumnId], word: &str) -> Step<()> {
        let clause = self.clause.filter(|clause| clause.scope == self.scope);
        let Some((clause, table)) =
            clause.and_then(|clause| Some((clause, self.table_of(clause.scope)?)))
        else {
            return Ok(());
        };
        let up = |id: &ColumnId| {
            let ways = self.relations.ways(table, id.table, &Via::default());
            id.table == table || !matches!(ways, Ways::One(path) if path.iter().any(|hop| hop.down))
        };
        if clause.says == Says::Have || ids.iter().any(up) {
            return Ok(());
        }
        let catalog = self.links.catalog;
        let outer = self.scope_of(clause.scope).and_then(|scope| scope.outer);
        let around = outer.and_then(|outer| self.table_of(outer));
        let around = around.filter(|around| ids.iter().any(|id| id.table == *around));
        match (clause.says, around) {
            (Says::Either, Some(around)) => {
                let question = format!("{word:?}: of which table is it said?");
                let said = catalog.choose(question, &[table, around], |table| {
                    format!("{word} is said of {}", catalog.table_name(*table))
                })?;
                self.clause = self.clause.filter(|_| said == table);
                Ok(())
            }
            (Says::Are, _) => Err(Stop::cannot(format!(
                "{word:?} is said of {}, which has no such column",
                catalog.table_name(table)
            ))),
            _ => Ok(()),
        }
    }
}
