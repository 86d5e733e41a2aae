//! The independent second reading of a statement, from the tokens of sqlparser.
//!
//! A guard can be bypassed if it reads quotes or comments differently than the engine, and so
//! judges another statement. So a tokenizer by other authors reads the text as well. Its tokens
//! show the kind of the statement and the names directly after its verb. Both must be the same as
//! in the facts on which the policy decides; otherwise one of the two readers was fooled, and the
//! statement is refused.
//!
//! The parser of sqlparser is not part of the product: its tree would stop nothing that these
//! tokens let pass, and it refuses honest statements. The host tests and the fuzz target compare
//! its tree with the facts, by [`Reading`].

use std::any::TypeId;

use sqlparser::dialect::{Dialect, SQLiteDialect};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, Tokenizer};

use super::operations::{Kind, Operations, Role};
use super::policy::blocked;
use base::Result;

/// A short description of a statement for the comparison: its kind, and the names that it changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The kind in lower case, such as `create table`. Every statement that only reads is `select`.
    pub kind: &'static str,
    /// The names in lower case, without quotes and schema, in the order of the text.
    pub names: Vec<String>,
}

/// Refuses the statement if its tokens contradict the facts.
///
/// # Errors
/// `SQL_BLOCKED` with reason `parsers_disagree`.
pub(crate) fn check(sql: &str, facts: &Operations) -> Result<()> {
    if from_tokens(&tokens(sql)).as_ref() == Some(&from_facts(facts)) {
        Ok(())
    } else {
        Err(blocked(
            "parsers_disagree",
            "two tokenizers of SQL read this statement differently",
            "write names without unusual quoting, and one plain statement without vendor-specific syntax",
        ))
    }
}

/// Returns the tokens of the text. If sqlparser cannot read one, the tokens before it are enough if
/// they reach past the verb: it does not know all numbers and operators of SQLite.
fn tokens(sql: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(sql.len() / 4);
    // The error is ignored: an unreadable part shows as missing tokens.
    let _ = Tokenizer::new(&SqliteText, sql).tokenize_with_location_into_buf(&mut tokens);
    tokens.into_iter().map(|located| located.token).collect()
}

/// Returns the reading according to the facts from the first parser.
pub(super) fn from_facts(facts: &Operations) -> Reading {
    let kind = match &facts.kind {
        Kind::Select => "select",
        Kind::Insert => "insert",
        Kind::Update => "update",
        Kind::Delete => "delete",
        Kind::CreateTable => "create table",
        Kind::CreateIndex => "create index",
        Kind::CreateView => "create view",
        Kind::CreateVirtualTable { .. } => "create virtual table",
        Kind::AlterTable => "alter table",
        Kind::DropTable => "drop table",
        Kind::DropIndex => "drop index",
        Kind::DropView => "drop view",
        Kind::Other(keyword) => keyword,
    };
    let names = facts
        .targets
        .iter()
        .filter(|target| target.role != Role::Reference)
        .map(|target| target.name.to_ascii_lowercase())
        .collect();
    Reading { kind, names }
}

/// The dialect of SQLite for sqlparser's tokenizer. sqlparser's own dialect for SQLite names its
/// parser in a method, so that the whole parser would be linked, and it ends names before `$` and
/// before characters beyond U+FFFF, which SQLite does not.
#[derive(Debug)]
struct SqliteText;

impl Dialect for SqliteText {
    fn dialect(&self) -> TypeId {
        TypeId::of::<SQLiteDialect>()
    }

    fn is_delimited_identifier_start(&self, character: char) -> bool {
        matches!(character, '`' | '"' | '[')
    }

    fn is_identifier_start(&self, character: char) -> bool {
        character.is_ascii_alphabetic() || character == '_' || !character.is_ascii()
    }

    fn is_identifier_part(&self, character: char) -> bool {
        self.is_identifier_start(character) || character.is_ascii_digit() || character == '$'
    }

    fn supports_dollar_placeholder(&self) -> bool {
        true
    }
}

/// Returns the reading of the tokens, or `None` if they do not begin like a statement that changes
/// names, or contain more than one statement. The semicolons around the statement were removed
/// before.
fn from_tokens(tokens: &[Token]) -> Option<Reading> {
    if tokens.contains(&Token::SemiColon) {
        return None;
    }
    let mut rest = Rest { tokens };
    if rest.accept(&[Keyword::EXPLAIN]) {
        rest.accept(&[Keyword::QUERY, Keyword::PLAN]);
    }
    if rest.accept(&[Keyword::WITH]) {
        rest.skip_common_tables();
    }
    let (kind, name) = match keyword(rest.next()?) {
        Keyword::SELECT | Keyword::VALUES => {
            return Some(Reading {
                kind: "select",
                names: Vec::new(),
            });
        }
        Keyword::CREATE => return created(rest),
        Keyword::ALTER => return altered(rest),
        Keyword::DROP => return dropped(rest),
        Keyword::INSERT => {
            rest.skip_conflict_action();
            rest.require(Keyword::INTO)?;
            ("insert", rest.name()?)
        }
        Keyword::REPLACE => {
            rest.require(Keyword::INTO)?;
            ("insert", rest.name()?)
        }
        Keyword::UPDATE => {
            rest.skip_conflict_action();
            ("update", rest.name()?)
        }
        Keyword::DELETE => {
            rest.require(Keyword::FROM)?;
            ("delete", rest.name()?)
        }
        _ => return None,
    };
    Some(Reading {
        kind,
        names: vec![name],
    })
}

fn created(mut rest: Rest<'_>) -> Option<Reading> {
    let _ = rest.accept(&[Keyword::TEMP]) || rest.accept(&[Keyword::TEMPORARY]);
    let kind = match keyword(rest.next()?) {
        Keyword::TABLE => "create table",
        Keyword::VIEW => "create view",
        Keyword::INDEX => "create index",
        Keyword::UNIQUE => {
            rest.require(Keyword::INDEX)?;
            "create index"
        }
        Keyword::VIRTUAL => {
            rest.require(Keyword::TABLE)?;
            "create virtual table"
        }
        _ => return None,
    };
    rest.accept(&[Keyword::IF, Keyword::NOT, Keyword::EXISTS]);
    let mut names = vec![rest.name()?];
    if kind == "create index" {
        rest.require(Keyword::ON)?;
        names.push(rest.name()?);
    }
    Some(Reading { kind, names })
}

fn altered(mut rest: Rest<'_>) -> Option<Reading> {
    rest.require(Keyword::TABLE)?;
    let mut names = vec![rest.name()?];
    if rest.accept(&[Keyword::RENAME, Keyword::TO]) {
        names.push(rest.name()?);
    }
    Some(Reading {
        kind: "alter table",
        names,
    })
}

fn dropped(mut rest: Rest<'_>) -> Option<Reading> {
    let kind = match keyword(rest.next()?) {
        Keyword::TABLE => "drop table",
        Keyword::INDEX => "drop index",
        Keyword::VIEW => "drop view",
        _ => return None,
    };
    rest.accept(&[Keyword::IF, Keyword::EXISTS]);
    Some(Reading {
        kind,
        names: vec![rest.name()?],
    })
}

/// Returns the keyword of a token outside of quotes.
fn keyword(token: &Token) -> Keyword {
    match token {
        Token::Word(word) if word.quote_style.is_none() => word.keyword,
        _ => Keyword::NoKeyword,
    }
}

/// The tokens that have not been read.
#[derive(Clone, Copy)]
struct Rest<'t> {
    tokens: &'t [Token],
}

impl<'t> Rest<'t> {
    /// Returns the next token that is neither white space nor a comment.
    fn next(&mut self) -> Option<&'t Token> {
        loop {
            let (first, rest) = self.tokens.split_first()?;
            self.tokens = rest;
            if !matches!(first, Token::Whitespace(_)) {
                return Some(first);
            }
        }
    }

    /// Reads the keywords if all of them follow.
    fn accept(&mut self, keywords: &[Keyword]) -> bool {
        let mut ahead = *self;
        let follow = keywords
            .iter()
            .all(|wanted| ahead.next().is_some_and(|token| keyword(token) == *wanted));
        if follow {
            *self = ahead;
        }
        follow
    }

    fn require(&mut self, keyword: Keyword) -> Option<()> {
        self.accept(&[keyword]).then_some(())
    }

    /// Skips `OR REPLACE` and the like.
    fn skip_conflict_action(&mut self) {
        if self.accept(&[Keyword::OR]) {
            self.next();
        }
    }

    /// Moves to the verb after a list of WITH, if there is one.
    fn skip_common_tables(&mut self) {
        let mut depth = 0_usize;
        loop {
            let verb = *self;
            let Some(token) = self.next() else { return };
            match token {
                Token::LParen => depth += 1,
                Token::RParen => depth = depth.saturating_sub(1),
                token if depth == 0 => match keyword(token) {
                    Keyword::SELECT
                    | Keyword::VALUES
                    | Keyword::INSERT
                    | Keyword::UPDATE
                    | Keyword::DELETE => {
                        *self = verb;
                        return;
                    }
                    // REPLACE may also be the name of a common table expression.
                    Keyword::REPLACE if self.accept(&[Keyword::INTO]) => {
                        *self = verb;
                        return;
                    }
                    _ => {}
                },
                _ => {}
            }
        }
    }

    /// Reads a name, or its last part if a schema comes before it.
    fn name(&mut self) -> Option<String> {
        let mut written = identifier(self.next()?)?;
        let mut ahead = *self;
        if ahead.next() == Some(&Token::Period) {
            written = identifier(ahead.next()?)?;
            *self = ahead;
        }
        Some(written.to_ascii_lowercase())
    }
}

/// Returns the name in a token. SQLite accepts a text as a name where only a name is possible.
fn identifier(token: &Token) -> Option<&str> {
    match token {
        Token::Word(word) => Some(&word.value),
        Token::SingleQuotedString(text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Reading, from_tokens, tokens};

    fn check(sql: &str, kind: &'static str, names: &[&str]) {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(
            from_tokens(&tokens(sql)),
            Some(Reading { kind, names }),
            "{sql}"
        );
    }

    #[test]
    fn the_kind_and_the_names_follow_the_verb() {
        check("SELECT 1", "select", &[]);
        check("explain query plan values (1)", "select", &[]);
        check("INSERT OR IGNORE INTO T VALUES (1)", "insert", &["t"]);
        check("REPLACE INTO main.t VALUES (1)", "insert", &["t"]);
        check("UPDATE OR FAIL t AS x SET a = 1", "update", &["t"]);
        check("DELETE FROM t", "delete", &["t"]);
        check("CREATE TEMP TABLE t (a)", "create table", &["t"]);
        check("CREATE TABLE if (a)", "create table", &["if"]);
        check("CREATE TABLE IF NOT EXISTS t (a)", "create table", &["t"]);
        check("CREATE VIEW v AS SELECT 1", "create view", &["v"]);
        check(
            "CREATE UNIQUE INDEX i ON t (a)",
            "create index",
            &["i", "t"],
        );
        check(
            "CREATE VIRTUAL TABLE f USING fts5(a)",
            "create virtual table",
            &["f"],
        );
        check("ALTER TABLE t RENAME TO u", "alter table", &["t", "u"]);
        check("ALTER TABLE t RENAME a TO b", "alter table", &["t"]);
        check("DROP VIEW IF EXISTS v", "drop view", &["v"]);
    }

    #[test]
    fn a_word_of_another_product_is_a_name() {
        check(
            "CREATE INDEX concurrently ON papers(title)",
            "create index",
            &["concurrently", "papers"],
        );
        check("CREATE TABLE clone (a)", "create table", &["clone"]);
        check("DROP TABLE cascade", "drop table", &["cascade"]);
        check("DELETE FROM only", "delete", &["only"]);
        check(
            "ALTER TABLE only RENAME TO x",
            "alter table",
            &["only", "x"],
        );
    }

    #[test]
    fn quotes_and_comments_hide_no_verb() {
        check(
            "DELETE/* FROM a */FROM\n-- b\n\"c\"\"d\"",
            "delete",
            &["c\"d"],
        );
        check("INSERT INTO 'a;b' VALUES (';')", "insert", &["a;b"]);
        check("UPDATE [or] SET a = 1", "update", &["or"]);
        check("CREATE TABLE a$b (c)", "create table", &["a$b"]);
        check("DROP TABLE 😀", "drop table", &["😀"]);
        check(
            "WITH replace AS (SELECT ')'), \"delete\" AS (SELECT 2) INSERT INTO t SELECT 1",
            "insert",
            &["t"],
        );
        check(
            "WITH x AS (SELECT 1) REPLACE INTO t SELECT 1",
            "insert",
            &["t"],
        );
    }

    #[test]
    fn a_text_that_cannot_be_read_to_its_end_tells_its_kind_all_the_same() {
        check("UPDATE t SET a = b ._c", "update", &["t"]);
    }

    #[test]
    fn what_is_no_statement_or_several_tells_nothing() {
        for sql in [
            "",
            "DELETE t",
            "DROP t",
            "SELECT 1; DELETE FROM t",
            "INSERT INTO (a)",
        ] {
            assert_eq!(from_tokens(&tokens(sql)), None, "{sql}");
        }
    }
}
