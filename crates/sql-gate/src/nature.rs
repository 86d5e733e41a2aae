//! Describes a statement for a person who is asked to approve it: its action, and the tables behind
//! the names in its query plan.

use sqlite3_parser::dialect::TokenType;

use crate::bound::Bound;
use crate::lex;
use crate::operations::{Explain, Kind, Role, unquote};

/// The action of a statement, from its parsed kind and never from its first word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It changes nothing.
    Read,
    /// INSERT and REPLACE.
    Insert,
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
    /// CREATE, ALTER and DROP.
    Schema,
}

impl Action {
    /// Returns the name that users see.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Insert => "insert",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Schema => "schema",
        }
    }
}

impl Bound {
    /// Returns the action of the statement.
    pub fn action(&self) -> Action {
        let facts = self.facts();
        if facts.explain != Explain::No {
            return Action::Read;
        }
        match facts.kind {
            Kind::Select => Action::Read,
            Kind::Insert => Action::Insert,
            Kind::Update => Action::Update,
            Kind::Delete => Action::Delete,
            Kind::CreateTable
            | Kind::CreateIndex
            | Kind::CreateView
            | Kind::CreateVirtualTable { .. }
            | Kind::AlterTable
            | Kind::DropTable
            | Kind::DropIndex
            | Kind::DropView
            | Kind::Other(_) => Action::Schema,
        }
    }

    /// Returns true if the statement may remove stored values: it deletes, overwrites, replaces or
    /// drops. Only its text is considered, so a table whose constraints replace rows is not
    /// detected.
    pub fn may_destroy(&self) -> bool {
        match self.action() {
            Action::Read => false,
            Action::Update | Action::Delete => true,
            Action::Insert => self.replaces() || self.has_token(TokenType::TK_UPDATE),
            Action::Schema => self.has_token(TokenType::TK_DROP),
        }
    }

    /// Returns true if the statement contains REPLACE that is not a call of the function.
    fn replaces(&self) -> bool {
        let tokens = lex::tokens(self.statement()).unwrap_or_default();
        let behind = tokens.iter().skip(1).map(Some).chain([None]);
        tokens.iter().zip(behind).any(|(token, next)| {
            token.kind == TokenType::TK_REPLACE
                && next.is_none_or(|next| next.kind != TokenType::TK_LP)
        })
    }

    fn has_token(&self, kind: TokenType) -> bool {
        let tokens = lex::tokens(self.statement()).unwrap_or_default();
        tokens.iter().any(|token| token.kind == kind)
    }

    /// Returns the table that the statement drops.
    pub fn dropped_table(&self) -> Option<&str> {
        let facts = self.facts();
        if facts.kind != Kind::DropTable || facts.explain != Explain::No {
            return None;
        }
        let mut targets = facts.targets.iter();
        let target = targets.find(|target| target.role == Role::Definition)?;
        Some(target.name.as_str())
    }

    /// Returns the table whose rows the statement rewrites to change its columns: ALTER TABLE …
    /// DROP COLUMN.
    pub fn rewritten_table(&self) -> Option<&str> {
        let facts = self.facts();
        let is_plain = facts.kind == Kind::AlterTable && facts.explain == Explain::No;
        if !is_plain || !self.has_token(TokenType::TK_DROP) {
            return None;
        }
        let table = facts.targets.first()?;
        Some(table.name.as_str())
    }

    /// Returns EXPLAIN QUERY PLAN of the statement, or the statement itself if it is one already.
    pub fn explained_plan(&self) -> Self {
        if self.facts().explain == Explain::QueryPlan {
            return self.clone();
        }
        self.query_plan()
    }

    /// Returns the names of the columns that it compares, each once, those compared for equality
    /// first.
    pub fn compared_columns(&self) -> Vec<&str> {
        let all = &self.facts().compared_columns;
        let (equal, ordered): (Vec<_>, Vec<_>) = all.iter().partition(|column| column.is_equality);
        let mut names: Vec<&str> = Vec::new();
        for column in equal.into_iter().chain(ordered) {
            if !names.contains(&column.name.as_str()) {
                names.push(&column.name);
            }
        }
        names
    }

    /// Returns the table or view that a name in a plan means: one that the statement reads or
    /// writes under that name. Returns `None` if a name means several.
    pub fn relation_named(&self, name: &str) -> Option<String> {
        let facts = self.facts();
        let known = |text: &str| {
            let relations = facts.relations.iter().filter(|relation| !relation.called);
            let mut names = relations
                .map(|relation| relation.name.as_str())
                .chain(facts.written_table.as_deref());
            names
                .find(|known| known.eq_ignore_ascii_case(text))
                .map(str::to_owned)
        };
        let mut meant = self.aliased(name, &known);
        meant.extend(known(name));
        let first = meant.first()?.clone();
        let same = |other: &String| other.eq_ignore_ascii_case(&first);
        meant.iter().all(same).then_some(first)
    }

    /// Returns the relations that come directly before this alias.
    fn aliased(&self, alias: &str, known: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
        let statement = self.statement();
        let tokens = lex::tokens(statement).unwrap_or_default();
        let named = |token: &lex::Token| unquote(token.text(statement));
        let mut found = Vec::new();
        let mut before: Option<&lex::Token> = None;
        for token in &tokens {
            if token.kind == TokenType::TK_AS {
                continue;
            }
            if named(token).eq_ignore_ascii_case(alias)
                && let Some(relation) = before.and_then(|before| known(&named(before)))
            {
                found.push(relation);
            }
            before = Some(token);
        }
        found
    }
}
