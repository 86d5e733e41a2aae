//! Counts the rows of a statement's common table expressions and of the sub-queries in its FROM
//! clauses.
//!
//! A grouped or filtered sub-query has far fewer rows than it reads, and the bytecode does not show
//! how many. If the bound from the bytecode alone would refuse a statement, the cheap ones among
//! its sub-queries are run and counted, so that loops over their rows are bounded by real numbers.
//! A view is a sub-query of every statement that reads it, and so are the sub-queries in the text
//! of the view. The text of a sub-query runs after the WITH clause of its statement or view. A
//! statement with a WITH inside of brackets is not analysed, because its names could mean something
//! else there.
//!
//! The addresses in EXPLAIN QUERY PLAN show which part of the bytecode makes which sub-query. The
//! names in it only serve to find the sub-query in the statement or its views. If several
//! sub-queries have the same name, the largest count applies.

#![expect(
    clippy::disallowed_methods,
    reason = "counts the rows of a part of the statement"
)]

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use sqlite3_parser::dialect::TokenType;

use super::super::bytecode::opcode::Opcode;
use super::super::bytecode::program::Instruction;
use database::{Cell, Cursor as _, Database, Statement};
use sql_gate::bound::Bound;
use sql_gate::compose::quote_identifier;
use sql_gate::lex::{self, Token};
use sql_gate::operations::unquote;

/// The largest number of sub-queries of one statement that are counted; honest ones have at most
/// some dozens.
const MAX_COUNTED: usize = 60;

/// The name of a sub-query without a name. EXPLAIN QUERY PLAN adds a number to it.
const UNNAMED: &str = "(subquery";

/// A sub-query of the statement.
#[derive(Debug, Clone)]
pub struct SubQuery {
    /// Its name in EXPLAIN QUERY PLAN.
    name: String,
    /// The text after FROM with which it can be read.
    from: String,
    /// True if the text means the same on its own, so that it may be counted.
    stands_alone: bool,
    /// The WITH clause that comes before it.
    with: Option<Rc<str>>,
}

/// A view that a statement reads, directly or through others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    pub name: String,
    pub sql: String,
    /// The functions that it calls, in lower case.
    pub functions: Vec<String>,
}

/// The sub-queries of a statement, inner ones first.
#[derive(Debug, Default)]
pub struct SubQueries {
    list: Vec<SubQuery>,
    /// True if the text has a window function. A window function makes sub-queries of its own,
    /// which look like sub-queries without a name.
    has_windows: bool,
    /// The number of columns of each, if it was needed.
    columns: RefCell<HashMap<usize, Option<usize>>>,
}

/// A key in SQL: ` WHERE …` or nothing, and the expressions to group by.
pub struct KeyText {
    pub filter: String,
    pub group: String,
}

/// The count of a sub-query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CountedSubQuery {
    pub rows: f64,
    /// Its index among the statement's sub-queries.
    pub body: usize,
}

/// A sub-query in the bytecode.
#[derive(Debug, Clone, PartialEq)]
pub enum DerivedTable {
    /// The coroutine that starts at `start` hands out its rows.
    Coroutine {
        start: usize,
        measured: CountedSubQuery,
    },
    /// The table of this cursor holds its rows.
    Table {
        cursor: i64,
        measured: CountedSubQuery,
    },
}

impl SubQueries {
    /// Finds the sub-queries in the statement and in its views.
    pub fn of(bound: &Bound, views: &[View]) -> Self {
        let all = || {
            let mut all = Self::default();
            for View { name, sql, .. } in views {
                all.extend(find(sql)?);
                // The name of the schema distinguishes the view from a common table expression.
                all.list.push(SubQuery {
                    name: name.clone(),
                    from: format!("main.{}", quote_identifier(name)),
                    stands_alone: true,
                    with: None,
                });
            }
            all.extend(find(&bound.numbered_text()?)?);
            Some(all)
        };
        all().unwrap_or_default()
    }

    fn extend(&mut self, other: Self) {
        self.list.extend(other.list);
        self.has_windows |= other.has_windows;
    }

    pub fn len(&self) -> usize {
        self.list.len().min(MAX_COUNTED)
    }

    /// Returns the statement that reads one sub-query: `select`, in which `_codemode_rows` names
    /// the sub-query.
    fn reading(
        &self,
        bound: &Bound,
        body: usize,
        columns: &[String],
        select: &str,
    ) -> Option<Bound> {
        let body = self.list.get(body).filter(|body| body.stands_alone)?;
        let list = if columns.is_empty() {
            String::new()
        } else {
            format!("({})", columns.join(","))
        };
        let with = body.with.as_deref().unwrap_or("WITH");
        let comma = if body.with.is_some() { "," } else { "" };
        bound.part(format!(
            "{with}{comma} _codemode_rows{list} AS (SELECT * FROM {}\n) {select}",
            body.from
        ))
    }

    /// Returns the WITH clause for a statement that reads sub-queries, as `_codemode_rows` with
    /// their numbers and columns `c0`, `c1` and so on.
    pub fn with_rows<D: Database>(&self, db: &D, bound: &Bound, used: &[usize]) -> Option<String> {
        let mut bodies = used.iter().filter_map(|number| self.list.get(*number));
        let with = bodies.clone().find_map(|body| body.with.as_ref());
        // The names in one of them could mean something else after the WITH clause of another.
        let differs = |body: &SubQuery| {
            with.is_some() && body.with.as_ref() != with && !body.from.starts_with("main.")
        };
        if bodies.any(differs) {
            return None;
        }
        let mut parts: Vec<String> = with.iter().map(|with| with.to_string()).collect();
        for number in used {
            let body = self.list.get(*number).filter(|body| body.stands_alone)?;
            let names: Vec<String> = (0..self.columns(db, bound, *number)?)
                .map(|column| format!("c{column}"))
                .collect();
            parts.push(format!(
                "{}_codemode_rows{number}({}) AS (SELECT * FROM {}\n)",
                if parts.is_empty() { "WITH " } else { "" },
                names.join(","),
                body.from
            ));
        }
        Some(parts.join(", "))
    }

    /// Returns the statement that counts the rows of one sub-query.
    pub fn counting(&self, bound: &Bound, body: usize) -> Option<Bound> {
        self.reading(bound, body, &[], "SELECT count(*) FROM _codemode_rows")
    }

    /// Returns the number of columns of a sub-query.
    pub fn columns<D: Database>(&self, db: &D, bound: &Bound, body: usize) -> Option<usize> {
        if let Some(known) = self.columns.borrow().get(&body) {
            return *known;
        }
        let count = || {
            let select = "SELECT * FROM _codemode_rows LIMIT 0";
            let describe = self.reading(bound, body, &[], select)?;
            let cursor = db.open(Statement::Reviewed(describe.reviewed())).ok()?;
            Some(cursor.columns().len())
        };
        let found = count();
        self.columns.borrow_mut().insert(body, found);
        found
    }

    /// Returns the statement that finds the largest number of rows with the same key, which `key`
    /// makes from the names of the columns.
    pub fn counting_key<D: Database>(
        &self,
        db: &D,
        bound: &Bound,
        body: usize,
        key: impl Fn(&[String]) -> Option<KeyText>,
    ) -> Option<Bound> {
        let count = self.columns(db, bound, body)?;
        let names: Vec<String> = (0..count).map(|column| format!("c{column}")).collect();
        let KeyText { filter, group } = key(&names)?;
        let select = format!(
            "SELECT max(n) FROM (SELECT count(*) AS n FROM _codemode_rows{filter} GROUP BY {group})"
        );
        self.reading(bound, body, &names, &select)
    }

    /// Returns the statement that finds the longest value of a column, and the bytes of all its
    /// values.
    pub fn measuring<D: Database>(
        &self,
        db: &D,
        bound: &Bound,
        body: usize,
        column: i64,
    ) -> Option<Bound> {
        let count = self.columns(db, bound, body)?;
        let names: Vec<String> = (0..count).map(|column| format!("c{column}")).collect();
        let name = names.get(usize::try_from(column).ok()?)?;
        let length = format!(
            "CASE WHEN typeof({name}) IN ('text', 'blob') THEN octet_length({name}) ELSE 8 END"
        );
        let select = format!(
            "SELECT coalesce(max({length}), 0), coalesce(sum({length}), 0) FROM _codemode_rows"
        );
        self.reading(bound, body, &names, &select)
    }

    /// Returns true if the plan has a part for a sub-query with this name; any other sub-query is
    /// merged into a larger loop.
    pub fn is_planned(&self, body: usize, planned: &[(usize, String)]) -> bool {
        self.list
            .get(body)
            .is_some_and(|body| planned.iter().any(|(_, name)| self.is_named(body, name)))
    }

    /// Finds the counted sub-queries in the bytecode.
    pub fn locate(
        &self,
        program: &[Instruction],
        planned: &[(usize, String)],
        counted: &[Option<f64>],
    ) -> Vec<DerivedTable> {
        planned
            .iter()
            .filter_map(|(address, name)| {
                let measured = self.measured(name, counted)?;
                made_at(program, *address, measured)
            })
            .collect()
    }

    /// Returns the largest count among the sub-queries with this name, or `None` if one of them is
    /// not known.
    fn measured(&self, name: &str, counted: &[Option<f64>]) -> Option<CountedSubQuery> {
        let mut largest: Option<CountedSubQuery> = None;
        for (number, body) in self.list.iter().enumerate() {
            if !self.is_named(body, name) {
                continue;
            }
            let rows = counted.get(number).copied().flatten()?;
            if largest.is_none_or(|known| known.rows < rows) {
                largest = Some(CountedSubQuery { rows, body: number });
            }
        }
        largest
    }

    fn is_named(&self, body: &SubQuery, name: &str) -> bool {
        let is_unnamed = body.name == UNNAMED && name.starts_with(UNNAMED);
        body.name.eq_ignore_ascii_case(name) || (is_unnamed && !self.has_windows)
    }

    /// Returns true if no other sub-query has this name, so that its columns are known.
    pub fn is_single(&self, body: usize) -> bool {
        self.list.get(body).is_some_and(|wanted| {
            let same = |other: &&SubQuery| other.name.eq_ignore_ascii_case(&wanted.name);
            self.list.iter().filter(same).count() == 1
        })
    }
}

/// Returns the address and name of each sub-query in the plan. The number of a plan line is the
/// address of an instruction that EXPLAIN leaves out, so each line shifts the following addresses
/// by one; lines for instructions that EXPLAIN shows do not.
pub fn planned<D: Database>(
    db: &D,
    bound: &Bound,
    program: &[Instruction],
) -> Vec<(usize, String)> {
    let explained = bound.query_plan();
    let Ok(mut cursor) = db.open(Statement::Reviewed(explained.reviewed())) else {
        return Vec::new();
    };
    let mut lines: Vec<(usize, String)> = Vec::new();
    while let Ok(Some(row)) = cursor.next() {
        let id = row.first().map_or(0, Cell::as_count);
        let detail = row.get(3).and_then(Cell::as_text).unwrap_or_default();
        if let Ok(id) = usize::try_from(id) {
            lines.push((id, detail.to_owned()));
        }
    }
    lines.sort();
    let mut left_out = 0;
    let mut found = Vec::new();
    for (id, detail) in lines {
        let Some(address) = id.checked_sub(left_out) else {
            continue;
        };
        let kept = program
            .get(address)
            .is_some_and(|instruction| instruction.opcode == Opcode::Explain);
        if !kept {
            left_out += 1;
        }
        let name = ["MATERIALIZE ", "CO-ROUTINE "]
            .iter()
            .find_map(|word| detail.strip_prefix(word));
        if let Some(name) = name {
            found.push((address, name.to_owned()));
        }
    }
    found
}

/// Returns the coroutine or table that the sub-query whose code begins at an address makes.
fn made_at(
    program: &[Instruction],
    address: usize,
    measured: CountedSubQuery,
) -> Option<DerivedTable> {
    let starts = program.iter().any(|instruction| {
        instruction.opcode == Opcode::InitCoroutine
            && usize::try_from(instruction.p3) == Ok(address)
    });
    if starts {
        return Some(DerivedTable::Coroutine {
            start: address,
            measured,
        });
    }
    // A jump over the code comes before it, and perhaps an Once or the start of a subroutine.
    let end = (1..=3).find_map(|back| {
        let before = program.get(address.checked_sub(back)?)?;
        match before.opcode {
            Opcode::Goto | Opcode::Once => before.target().filter(|end| *end > address),
            _ => None,
        }
    })?;
    let inside = program.get(address..end)?;
    let opened = inside
        .iter()
        .filter(|instruction| instruction.opcode == Opcode::OpenEphemeral)
        .map(|instruction| instruction.p1);
    let is_read_outside = |cursor: &i64| {
        let reads = |instruction: &Instruction| {
            instruction.p1 == *cursor
                && matches!(
                    instruction.opcode,
                    Opcode::Rewind | Opcode::Column | Opcode::Last | Opcode::Rowid
                )
        };
        let duplicates = |instruction: &Instruction| {
            instruction.opcode == Opcode::OpenDup && instruction.p2 == *cursor
        };
        program.iter().enumerate().any(|(at, instruction)| {
            !(address..end).contains(&at) && (reads(instruction) || duplicates(instruction))
        })
    };
    let mut outside = opened.filter(is_read_outside);
    let cursor = outside.next()?;
    outside
        .next()
        .is_none()
        .then_some(DerivedTable::Table { cursor, measured })
}

fn find(text: &str) -> Option<SubQueries> {
    let tokens = lex::tokens(text).ok()?;
    let mut depth = 0_usize;
    let mut open: Vec<usize> = Vec::new();
    let mut with: Option<usize> = None;
    let mut with_end = None;
    let mut list: Vec<SubQuery> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenType::TK_WITH if depth > 0 => return None,
            TokenType::TK_WITH => {
                // A second WITH, after INSERT or in ON CONFLICT, would mean two scopes.
                if with.is_some() {
                    return None;
                }
                with = Some(index);
            }
            TokenType::TK_SELECT
            | TokenType::TK_VALUES
            | TokenType::TK_INSERT
            | TokenType::TK_REPLACE
            | TokenType::TK_UPDATE
            | TokenType::TK_DELETE
                if depth == 0 && with.is_some() && with_end.is_none() =>
            {
                with_end = Some(index);
            }
            TokenType::TK_LP => {
                open.push(index);
                depth += 1;
            }
            TokenType::TK_RP => {
                depth = depth.saturating_sub(1);
                let opened = open.pop()?;
                if let Some(mut body) = body_between(text, &tokens, opened, index) {
                    body.stands_alone = !(is_inside_of_select(text, &tokens, &open)
                        && tokens
                            .get(opened..index)?
                            .iter()
                            .any(|token| may_mean_a_value(token.text(text))));
                    list.push(body);
                }
            }
            _ => {}
        }
    }
    let with = match (with, with_end) {
        (Some(from), Some(to)) => {
            let start = tokens.get(from)?.start;
            let end = tokens.get(to.checked_sub(1)?)?.end;
            Some(text.get(start..end)?.to_owned())
        }
        _ => None,
    };
    let has_windows = tokens.iter().any(|token| token.kind == TokenType::TK_OVER);
    let with: Option<Rc<str>> = with.map(Into::into);
    for body in &mut list {
        body.with.clone_from(&with);
    }
    Some(SubQueries {
        list,
        has_windows,
        columns: RefCell::default(),
    })
}

/// Returns true if one of the open brackets holds a query whose names the sub-query could use. The
/// body of a common table expression cannot use any.
fn is_inside_of_select(text: &str, tokens: &[Token], open: &[usize]) -> bool {
    open.iter().any(|bracket| {
        let selects = tokens
            .get(bracket + 1)
            .is_some_and(|token| token.kind == TokenType::TK_SELECT);
        selects && cte_name(text, tokens, *bracket).is_none()
    })
}

/// Returns true for a name that is a value if no column has it: `true`, `false`, and text in double
/// quotes.
fn may_mean_a_value(written: &str) -> bool {
    written.eq_ignore_ascii_case("true")
        || written.eq_ignore_ascii_case("false")
        || written.starts_with('"')
}

/// Returns the sub-query between two brackets, if a plan may name it.
fn body_between(text: &str, tokens: &[Token], opened: usize, closed: usize) -> Option<SubQuery> {
    let first = tokens.get(opened + 1)?;
    if !matches!(first.kind, TokenType::TK_SELECT | TokenType::TK_VALUES) {
        return None;
    }
    let written = text
        .get(tokens.get(opened)?.start..tokens.get(closed)?.end)?
        .to_owned();
    if let Some(name) = cte_name(text, tokens, opened) {
        return Some(SubQuery {
            from: quote_identifier(&name),
            name,
            stands_alone: true,
            with: None,
        });
    }
    let kind = |at: usize| tokens.get(at).map(|token| token.kind);
    let at = closed + 1;
    let alias = match kind(at) {
        Some(TokenType::TK_AS) => Some(at + 1),
        Some(kind) if !goes_on(kind) => Some(at),
        _ => None,
    };
    let name = alias
        .and_then(|at| tokens.get(at))
        .map_or_else(|| UNNAMED.to_owned(), |token| unquote(token.text(text)));
    Some(SubQuery {
        name,
        from: written,
        stands_alone: true,
        with: None,
    })
}

/// Returns true if this token may follow a sub-query in FROM that has no name. Many other keywords
/// may be its name.
fn goes_on(kind: TokenType) -> bool {
    matches!(
        kind,
        TokenType::TK_RP
            | TokenType::TK_COMMA
            | TokenType::TK_JOIN
            | TokenType::TK_JOIN_KW
            | TokenType::TK_ON
            | TokenType::TK_USING
            | TokenType::TK_WHERE
            | TokenType::TK_GROUP
            | TokenType::TK_HAVING
            | TokenType::TK_ORDER
            | TokenType::TK_LIMIT
            | TokenType::TK_UNION
            | TokenType::TK_EXCEPT
            | TokenType::TK_INTERSECT
            | TokenType::TK_RETURNING
            | TokenType::TK_SEMI
    )
}

/// Returns the name of a common table expression: `name [(columns)] AS [[NOT] MATERIALIZED]` before
/// a bracket.
fn cte_name(text: &str, tokens: &[Token], opened: usize) -> Option<String> {
    let kind = |at: usize| tokens.get(at).map(|token| token.kind);
    let mut at = opened.checked_sub(1)?;
    if kind(at)? == TokenType::TK_MATERIALIZED {
        at = at.checked_sub(1)?;
        if kind(at)? == TokenType::TK_NOT {
            at = at.checked_sub(1)?;
        }
    }
    if kind(at)? != TokenType::TK_AS {
        return None;
    }
    at = at.checked_sub(1)?;
    if kind(at)? == TokenType::TK_RP {
        while kind(at)? != TokenType::TK_LP {
            at = at.checked_sub(1)?;
        }
        at = at.checked_sub(1)?;
    }
    Some(unquote(tokens.get(at)?.text(text)))
}
