//! What a statement is, as a person is asked about it, and how its plan is read.

use sqlite3_parser::dialect::TokenType;

use crate::bound::Bound;
use crate::lex;
use crate::operations::{Explain, Kind, Role, unquote};

/// What a statement does, by its parsed kind and never by its first word.
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
    /// As it is told.
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
    /// What the statement does.
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
            _ => Action::Schema,
        }
    }

    /// Whether the statement may take stored values away: it deletes, overwrites, replaces or drops. Its text decides, so a table whose
    /// constraints replace rows is not seen.
    pub fn may_destroy(&self) -> bool {
        match self.action() {
            Action::Read => false,
            Action::Update | Action::Delete => true,
            Action::Insert => self.replaces() || self.has_token(TokenType::TK_UPDATE),
            Action::Schema => self.has_token(TokenType::TK_DROP),
        }
    }

    /// REPLACE and not the function of that name.
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

    /// The table that the statement drops.
    pub fn dropped_table(&self) -> Option<&str> {
        let facts = self.facts();
        if facts.kind != Kind::DropTable || facts.explain != Explain::No {
            return None;
        }
        let mut targets = facts.targets.iter();
        let target = targets.find(|target| target.role == Role::Definition)?;
        Some(target.name.as_str())
    }

    /// The table whose rows the statement writes anew in order to change its columns: ALTER TABLE … DROP COLUMN.
    pub fn rewritten_table(&self) -> Option<&str> {
        let facts = self.facts();
        let is_plain = facts.kind == Kind::AlterTable && facts.explain == Explain::No;
        if !is_plain || !self.has_token(TokenType::TK_DROP) {
            return None;
        }
        let table = facts.targets.first()?;
        Some(table.name.as_str())
    }

    /// EXPLAIN QUERY PLAN of the statement; of one that is a plan already, the statement itself.
    pub fn explained_plan(&self) -> Self {
        if self.facts().explain == Explain::QueryPlan {
            return self.clone();
        }
        self.query_plan()
    }

    /// Returns the names of the columns that it compares, each once, those compared for equality first.
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

    /// The table or view that a plan means by a name: one that the statement reads or writes under it. Nothing where a name means several.
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

    /// The relations that stand before this alias.
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
