//! Clauses about rows that another row refers to: `pets whose owner has a dog` says of the owner that one of the owner's pets is a dog.

use super::Parser;
use super::joints::CLAUSES;
use crate::catalog::ColumnId;
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
    /// How rows are: `whose owner is`.
    Are,
    /// What rows have: `whose owner has`.
    Have,
    /// What they have, or how the rows around them are: `with an owner with`.
    Either,
}

impl Parser<'_> {
    /// Begins the clause of `an owner who has`, and ends one where the next begins.
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
    pub(super) fn continue_clause(&mut self, start: usize) {
        let whose = self
            .tokens()
            .get(start)
            .is_some_and(|token| token.lower == "whose");
        let outer = self.scope_of(self.scope).and_then(|scope| scope.outer);
        let is_role = outer.and_then(|outer| self.table_of(outer)) == self.table_of(self.scope);
        if whose && self.scope != 0 && self.opened_at == self.at && !is_role {
            let scope = self.scope;
            self.clause = Some(Clause {
                scope,
                says: Says::Are,
            });
        }
    }

    /// Ends a clause where `and` begins one about other rows: `pets whose owner has a dog and are sick`, and not `… and is sick`.
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

    /// Refuses `pets whose owner is sick`, where only pets are sick, and asks back for `with an owner with a dog`.
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
