//! The independent second reading of a statement, by sqlparser with its SQLite dialect.
//!
//! Where sqlparser can read the text, the kind of statement and the names it changes must be what the deciding parser found; otherwise
//! one of the two was fooled and the statement is refused. Where it cannot, the deciding parser decides alone. Nothing that sqlparser
//! prints is ever run.
//!
//! For a read its tokens are enough: SQLite tells the kind of a statement by its first keyword, or by the first one behind the list of WITH,
//! so one statement that begins with SELECT can write nothing whatever follows. Anything else is parsed in full.

use sqlparser::ast::{
    AlterTableOperation, FromTable, ObjectName, ObjectNamePart, ObjectType, RenameTableNameKind,
    SetExpr, Statement, TableFactor, TableObject, TableWithJoins,
};
use sqlparser::dialect::SQLiteDialect;
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, Tokenizer};

use super::operations::{Kind, Operations, Role};
use super::policy::blocked;
use crate::error::Result;

/// sqlparser's own recursion limit: above our bracket bound it would only cost stack.
const RECURSION_LIMIT: usize = 50;

/// Refuses the statement if the second parser reads it as something else.
///
/// # Errors
/// `SQL_BLOCKED` with reason `parsers_disagree`.
pub(crate) fn check(sql: &str, facts: &Operations) -> Result<()> {
    let dialect = SQLiteDialect {};
    let Ok(tokens) = Tokenizer::new(&dialect, sql).tokenize() else {
        return Ok(());
    };
    let agreed = match (lead(&tokens), &facts.kind) {
        (Lead::Several, _) => false,
        (Lead::Read, kind) => *kind == Kind::Select,
        (Lead::Other, Kind::Select) => false,
        (Lead::Other, _) => parse_agrees(&dialect, tokens, facts),
    };
    if agreed {
        Ok(())
    } else {
        Err(blocked(
            "parsers_disagree",
            "two SQL parsers read this statement differently",
            "write names without unusual quoting, and one plain statement without vendor-specific syntax",
        ))
    }
}

/// What the tokens alone tell of a statement's kind.
enum Lead {
    Read,
    Other,
    /// A semicolon stands inside; those around the statement were taken off.
    Several,
}

fn lead(tokens: &[Token]) -> Lead {
    if tokens.contains(&Token::SemiColon) {
        return Lead::Several;
    }
    let mut depth = 0_usize;
    let mut behind_with = false;
    let mut words = tokens
        .iter()
        .filter(|token| !matches!(token, Token::Whitespace(_)))
        .peekable();
    while let Some(token) = words.next() {
        match token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            Token::Word(word) if depth == 0 && word.quote_style.is_none() => match word.keyword {
                Keyword::SELECT | Keyword::VALUES => return Lead::Read,
                Keyword::EXPLAIN | Keyword::QUERY | Keyword::PLAN if !behind_with => {}
                Keyword::WITH => behind_with = true,
                // `replace` may be the name of a common table expression.
                Keyword::REPLACE
                    if behind_with
                        && !words
                            .peek()
                            .is_some_and(|next| is_word(next, Keyword::INTO)) => {}
                Keyword::INSERT | Keyword::REPLACE | Keyword::UPDATE | Keyword::DELETE => {
                    return Lead::Other;
                }
                // Names, AS and MATERIALIZED of the list.
                _ if behind_with => {}
                _ => return Lead::Other,
            },
            _ => {}
        }
    }
    Lead::Other
}

fn is_word(token: &Token, keyword: Keyword) -> bool {
    matches!(token, Token::Word(word) if word.keyword == keyword)
}

fn parse_agrees(dialect: &SQLiteDialect, tokens: Vec<Token>, facts: &Operations) -> bool {
    let parsed = Parser::new(dialect)
        .with_recursion_limit(RECURSION_LIMIT)
        .with_tokens(tokens)
        .parse_statements();
    match parsed.as_deref() {
        Err(_) => true,
        Ok([statement]) => reading(statement).is_none_or(|theirs| theirs == our_reading(facts)),
        Ok(_) => false,
    }
}

/// What a reading amounts to: the kind, and the names changed, lower case and in order.
#[derive(PartialEq, Eq)]
struct Reading {
    kind: &'static str,
    names: Vec<String>,
}

fn our_reading(facts: &Operations) -> Reading {
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

/// The second parser's reading; `None` for statements that no profile allows and that the deciding parser refuses by kind.
fn reading(statement: &Statement) -> Option<Reading> {
    let (kind, names) = match statement {
        Statement::Query(query) => return query_body(&query.body),
        Statement::Insert(insert) => match &insert.table {
            TableObject::TableName(name) => ("insert", vec![last_part(name)]),
            _ => ("insert into something else", Vec::new()),
        },
        Statement::Update(update) => ("update", vec![table_name(&update.table)]),
        Statement::Delete(delete) => {
            let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) =
                &delete.from;
            (
                "delete",
                tables
                    .iter()
                    .map(table_name)
                    .chain(delete.tables.iter().map(last_part))
                    .collect(),
            )
        }
        Statement::CreateTable(create) => ("create table", vec![last_part(&create.name)]),
        Statement::CreateIndex(create) => (
            "create index",
            create
                .name
                .iter()
                .map(last_part)
                .chain([last_part(&create.table_name)])
                .collect(),
        ),
        Statement::CreateView(create) => ("create view", vec![last_part(&create.name)]),
        Statement::CreateVirtualTable { name, .. } => {
            ("create virtual table", vec![last_part(name)])
        }
        Statement::AlterTable(alter) => {
            let renamed = alter.operations.iter().filter_map(new_name);
            (
                "alter table",
                std::iter::once(last_part(&alter.name))
                    .chain(renamed)
                    .collect(),
            )
        }
        Statement::Drop {
            object_type, names, ..
        } => {
            let kind = match object_type {
                ObjectType::Table => "drop table",
                ObjectType::Index => "drop index",
                ObjectType::View => "drop view",
                _ => "drop something else",
            };
            (kind, names.iter().map(last_part).collect())
        }
        Statement::Explain { statement, .. } => return reading(statement),
        _ => return None,
    };
    Some(Reading { kind, names })
}

/// `WITH … INSERT` is a query to sqlparser whose body is the INSERT.
fn query_body(body: &SetExpr) -> Option<Reading> {
    match body {
        SetExpr::Insert(statement) | SetExpr::Update(statement) | SetExpr::Delete(statement) => {
            reading(statement)
        }
        SetExpr::Select(_)
        | SetExpr::Query(_)
        | SetExpr::SetOperation { .. }
        | SetExpr::Values(_) => Some(Reading {
            kind: "select",
            names: Vec::new(),
        }),
        _ => Some(Reading {
            kind: "something else",
            names: Vec::new(),
        }),
    }
}

fn new_name(operation: &AlterTableOperation) -> Option<String> {
    match operation {
        AlterTableOperation::RenameTable {
            table_name: RenameTableNameKind::As(name) | RenameTableNameKind::To(name),
        } => Some(last_part(name)),
        _ => None,
    }
}

fn table_name(table: &TableWithJoins) -> String {
    match &table.relation {
        TableFactor::Table { name, .. } => last_part(name),
        _ => String::new(),
    }
}

fn last_part(name: &ObjectName) -> String {
    match name.0.last() {
        Some(ObjectNamePart::Identifier(identifier)) => identifier.value.to_ascii_lowercase(),
        _ => String::new(),
    }
}
