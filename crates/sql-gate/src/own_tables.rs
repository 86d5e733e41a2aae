//! Shows a caller's statement the schema without the tables of the product, the platform and the
//! engine.
//!
//! Each `sqlite_schema` and `pragma_table_list` becomes a sub-query with a condition, and a
//! computed argument of a pragma function gets a condition, too. So a join of the schema with
//! `pragma_table_info(name)` never asks the engine about a hidden table. The position of a relation
//! in the text is not guessed: each candidate token is replaced by a unique name, the text is
//! parsed again, and the tree shows which of these names are relations.

use sqlite3_parser::Bump;
use sqlite3_parser::dialect::TokenType;

use super::lex::{Token, split_at_commas};
use super::operations::{Operations, Place, Relation, unquote};
use super::policy::{
    HIDDEN_PREFIXES, READABLE_OWN_TABLES, SCHEMA_TABLES, TABLE_FUNCTIONS, blocked,
    require_readable_name,
};
use super::splice::{self, Splice};
use super::{collect, parse};
use base::{Error, Result};

/// The function that lists tables; the other functions describe one table.
const TABLE_LIST: &str = "pragma_table_list";

/// The prefix of the names of indexes that the engine makes for a table. The name of the table
/// follows.
const AUTOMATIC_INDEX: &str = "sqlite_autoindex_";

/// Names of the rowid.
const ROWID_NAMES: [&str; 3] = ["rowid", "_rowid_", "oid"];

/// Returns the splices that hide the tables of the product, the platform and the engine.
///
/// # Errors
/// `SQL_BLOCKED` for a name that means something else in the statement, and for a table that may
/// not be read.
pub(crate) fn hide(text: &str, tokens: &[Token], facts: &Operations) -> Result<Vec<Splice>> {
    if !facts
        .relations
        .iter()
        .any(|relation| is_watched(&relation.name))
    {
        return Ok(Vec::new());
    }
    if let Some(cte) = facts.ctes.iter().find(|cte| is_watched(&cte.name)) {
        return Err(blocked(
            "internal_name",
            &format!("{} is a table of the engine", cte.name),
            "give the common table expression another name",
        ));
    }
    let hiding = Hiding { text, tokens };
    let mut splices = Vec::new();
    for (relation, at) in hiding.places(facts)? {
        hiding.relation(relation, at, &mut splices)?;
    }
    Ok(splices)
}

fn is_watched(name: &str) -> bool {
    let folded = name.to_ascii_lowercase();
    SCHEMA_TABLES.contains(&folded.as_str()) || is_pragma(&folded)
}

fn is_pragma(folded: &str) -> bool {
    folded.starts_with("pragma_") && TABLE_FUNCTIONS.contains(&folded)
}

struct Hiding<'a> {
    text: &'a str,
    tokens: &'a [Token],
}

impl Hiding<'_> {
    /// Returns the watched relations, each with the position of its token.
    fn places<'f>(&self, facts: &'f Operations) -> Result<Vec<(&'f Relation, usize)>> {
        let candidates: Vec<usize> = (0..self.tokens.len())
            .filter(|at| is_watched(&self.name(*at)))
            .collect();
        let marked = candidates.iter().enumerate().filter_map(|(number, at)| {
            let token = self.tokens.get(*at)?;
            Some(Splice {
                start: token.start,
                end: token.end,
                text: marker(number),
            })
        });
        let marked = splice::apply(self.text, marked.collect());
        let arena = Bump::new();
        let command = parse::parse(&arena, &marked).map_err(|_| unclear())?;
        let relations = collect::collect(&command).relations;
        if relations.len() != facts.relations.len() {
            return Err(unclear());
        }
        let mut found = Vec::new();
        for (relation, marked) in facts.relations.iter().zip(&relations) {
            let number = candidates
                .iter()
                .enumerate()
                .find(|(number, _)| marker(*number) == marked.name);
            match number {
                Some((_, at)) => found.push((relation, *at)),
                None if is_watched(&relation.name) => return Err(unclear()),
                None => {}
            }
        }
        Ok(found)
    }

    /// Returns the name that a token may be, or an empty text if it is not a name.
    fn name(&self, at: usize) -> String {
        match self.tokens.get(at) {
            Some(token) if matches!(token.kind, TokenType::TK_ID | TokenType::TK_STRING) => {
                unquote(token.text(self.text))
            }
            _ => String::new(),
        }
    }

    fn relation(&self, relation: &Relation, at: usize, splices: &mut Vec<Splice>) -> Result<()> {
        let folded = relation.name.to_ascii_lowercase();
        if is_pragma(&folded) {
            return self.function(relation, &folded, at, splices);
        }
        let rowids: String = (0..self.tokens.len())
            .map(|at| self.name(at).to_ascii_lowercase())
            .filter_map(|name| ROWID_NAMES.into_iter().find(|rowid| *rowid == name))
            .collect::<std::collections::BTreeSet<_>>()
            .iter()
            .map(|name| format!(", rowid AS {name}"))
            .collect();
        let own: Vec<String> = HIDDEN_PREFIXES
            .iter()
            .filter(|prefix| !AUTOMATIC_INDEX.starts_with(**prefix))
            .map(|prefix| format!("lower(name) NOT GLOB '{prefix}*'"))
            .collect();
        let query = format!(
            "SELECT type, name, tbl_name, rootpage, sql{rowids} FROM main.sqlite_schema WHERE {} AND {}",
            is_shown("lower(tbl_name)"),
            own.join(" AND ")
        );
        self.replace(relation, at, at, &query, splices)
    }

    /// Replaces a relation, which ends with the token `last`, by a query.
    fn replace(
        &self,
        relation: &Relation,
        at: usize,
        last: usize,
        query: &str,
        splices: &mut Vec<Splice>,
    ) -> Result<()> {
        let with_schema = if relation.schema.is_some() { 2 } else { 0 };
        let first = at
            .checked_sub(with_schema)
            .and_then(|at| self.tokens.get(at));
        let (Some(first), Some(name), Some(last)) =
            (first, self.tokens.get(at), self.tokens.get(last))
        else {
            return Err(unclear());
        };
        let alias = match relation.place {
            Place::Plain => format!(" AS {}", name.text(self.text)),
            Place::Aliased | Place::In => String::new(),
        };
        splices.push(Splice {
            start: first.start,
            end: last.end,
            text: format!("({query}){alias}"),
        });
        Ok(())
    }

    fn function(
        &self,
        relation: &Relation,
        folded: &str,
        at: usize,
        splices: &mut Vec<Splice>,
    ) -> Result<()> {
        let arguments = self.arguments(at, relation.called)?;
        let is_list = folded == TABLE_LIST;
        if relation.place == Place::In || (arguments.is_empty() && !is_list) {
            return Err(blocked(
                "pragma",
                &format!("{folded} must be used in FROM, with the name of a table"),
                &format!(
                    "write FROM {folded}('table'), or FROM sqlite_schema AS t, {folded}(t.name) AS c"
                ),
            ));
        }
        let Some(first) = arguments.first().copied() else {
            let last = if relation.called { at + 2 } else { at };
            let query = format!(
                "SELECT * FROM pragma_table_list WHERE {}",
                is_shown("lower(name)")
            );
            return self.replace(relation, at, last, &query, splices);
        };
        if let [token] = first
            && token.kind == TokenType::TK_STRING
        {
            let name = unquote(token.text(self.text));
            let folded = name.to_ascii_lowercase();
            let of_table = folded.strip_prefix(AUTOMATIC_INDEX).unwrap_or(&folded);
            require_readable_name(of_table)?;
            let own = READABLE_OWN_TABLES.iter().find(|own| {
                // The number of an automatic index follows the name.
                of_table == **own || of_table.starts_with(&format!("{own}_")) && of_table != folded
            });
            return match own {
                None => Ok(()),
                Some(own) => Err(blocked(
                    "internal_table",
                    &format!("{own} belongs to the session"),
                    "name a table of your own",
                )),
            };
        }
        let (Some(start), Some(end)) = (first.first(), first.last()) else {
            return Err(unclear());
        };
        splices.extend(self.checked(start, end, first));
        Ok(())
    }

    /// Returns the splices around a computed argument: if it is not a name that may be read, it
    /// becomes an empty name. Without any name, the engine would list everything.
    fn checked(&self, start: &Token, end: &Token, argument: &[Token]) -> [Splice; 2] {
        let is_column = matches!(argument.len(), 1 | 3)
            && argument
                .iter()
                .all(|token| matches!(token.kind, TokenType::TK_ID | TokenType::TK_DOT));
        let column = self.text.get(start.start..end.end).unwrap_or_default();
        let name = if is_column { column } else { "v" };
        let mut condition = is_shown(&format!("replace(lower({name}), '{AUTOMATIC_INDEX}', '')"));
        for own in READABLE_OWN_TABLES {
            let index = format!(" AND lower({name}) NOT GLOB '{AUTOMATIC_INDEX}{own}_[0-9]*'");
            condition.push_str(&index);
        }
        // A column may be written twice; any other expression is computed once.
        let (before, behind) = match is_column {
            true => (format!("CASE WHEN {condition} THEN "), " ELSE '' END"),
            false => (
                format!("(SELECT CASE WHEN {condition} THEN v ELSE '' END FROM (SELECT "),
                " AS v))",
            ),
        };
        [
            Splice::insert(start.start, before),
            Splice::insert(end.end, behind),
        ]
    }

    /// Returns the tokens of each argument after the name.
    fn arguments(&self, at: usize, called: bool) -> Result<Vec<&[Token]>> {
        if !called {
            return Ok(Vec::new());
        }
        let behind = self.tokens.get(at + 1..).unwrap_or_default();
        let mut depth = 0_usize;
        let closing = behind.iter().position(|token| {
            match token.kind {
                TokenType::TK_LP => depth += 1,
                TokenType::TK_RP => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        });
        let inside = closing.and_then(|closing| behind.get(1..closing));
        let inside = inside.ok_or_else(unclear)?;
        if inside.is_empty() {
            return Ok(Vec::new());
        }
        Ok(split_at_commas(inside).collect())
    }
}

/// Returns a name that no statement contains, because the gate refuses it.
fn marker(number: usize) -> String {
    format!("_codemode_place_{number}")
}

/// Returns the condition that a name in lower case is not that of a table that only the product
/// uses.
fn is_readable(name: &str) -> String {
    let prefixes = HIDDEN_PREFIXES.iter();
    let conditions: Vec<String> = prefixes
        .map(|prefix| format!("{name} NOT GLOB '{prefix}*'"))
        .collect();
    conditions.join(" AND ")
}

/// Returns the condition that a listing shows a table with this name.
fn is_shown(name: &str) -> String {
    let own: Vec<String> = READABLE_OWN_TABLES
        .iter()
        .map(|table| format!("'{table}'"))
        .collect();
    format!(
        "{} AND {name} NOT IN ({})",
        is_readable(name),
        own.join(", ")
    )
}

fn unclear() -> Error {
    blocked(
        "ambiguous_text",
        "the tables of the statement could not be determined with certainty",
        "read sqlite_schema and pragma functions in FROM and JOIN",
    )
}
