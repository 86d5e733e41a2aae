//! Checks the types of columns and casts in a statement. A type with which SQLite would change
//! values is replaced, with a notice, or refused.

use sqlite3_parser::ast::{
    AlterTableBody, Cmd, ColumnConstraint, ColumnDefinition, CreateTableBody, Stmt,
};
use sqlite3_parser::dialect::TokenType;

use super::dialect;
use super::lex::{Token, split_at_commas};
use super::operations::unquote;
use super::splice::Splice;
use super::text::hinted_syntax_error;
use super::types::{self, CastMeaning, Meaning};
use base::Result;

/// The number of decimal digits of which a REAL keeps every one, for any number (IEEE 754).
const EXACT_DIGITS: u64 = 15;

/// The changes of the types in a statement.
#[derive(Debug, Default)]
pub(crate) struct Types {
    pub splices: Vec<Splice>,
    /// Notices for the caller about the types.
    pub notices: Vec<String>,
}

/// Judges the types of a statement.
///
/// # Errors
/// `SYNTAX_ERROR` with the fix, for a type that no type of SQLite can replace.
pub(crate) fn review(text: &str, tokens: &[Token], command: &Cmd<'_>) -> Result<Types> {
    let (Cmd::Stmt(statement) | Cmd::Explain(statement) | Cmd::ExplainQueryPlan(statement)) =
        command;
    let mut review = Review {
        text,
        found: Types::default(),
        replaced: Vec::new(),
        without_rowid: crate::bound::is_without_rowid(text),
    };
    review.casts(tokens)?;
    match statement {
        Stmt::CreateTable {
            body: CreateTableBody::ColumnsAndConstraints { columns, .. },
            ..
        } => {
            if let Some((pieces, is_strict)) = column_pieces(text, tokens)
                && !is_strict
            {
                for (piece, column) in pieces.into_iter().zip(columns.iter()) {
                    review.column(piece, column)?;
                }
            }
        }
        Stmt::AlterTable(_, AlterTableBody::AddColumn(column)) => {
            let add = tokens
                .iter()
                .position(|token| token.kind == TokenType::TK_ADD);
            let behind = add.and_then(|add| tokens.get(add + 1..));
            let behind = behind.unwrap_or_default();
            let piece = match behind.first().map(|token| token.kind) {
                Some(TokenType::TK_COLUMNKW) => behind.get(1..).unwrap_or_default(),
                _ => behind,
            };
            review.column(piece, column)?;
        }
        _ => {}
    }
    Ok(review.finish())
}

/// Returns the tokens of each part between the brackets of CREATE TABLE, and true if the table is
/// STRICT, where SQLite itself refuses unknown types.
fn column_pieces<'t>(text: &str, tokens: &'t [Token]) -> Option<(Vec<&'t [Token]>, bool)> {
    let opening = tokens
        .iter()
        .position(|token| token.kind == TokenType::TK_LP)?;
    let closing = tokens
        .iter()
        .rposition(|token| token.kind == TokenType::TK_RP)?;
    let options = tokens.get(closing + 1..)?;
    let is_strict = options
        .iter()
        .any(|token| token.text(text).eq_ignore_ascii_case("STRICT"));
    let inside = tokens.get(opening + 1..closing)?;
    Some((split_at_commas(inside).collect(), is_strict))
}

struct Review<'a> {
    text: &'a str,
    found: Types,
    /// `zip TEXT instead of STRING`
    replaced: Vec<String>,
    without_rowid: bool,
}

/// The words of a type, as they are written.
struct Written<'t> {
    /// The tokens of the words.
    words: &'t [Token],
    /// The numbers in the brackets after them.
    sizes: Vec<u64>,
    /// The byte after the brackets.
    end: usize,
}

impl Review<'_> {
    fn column(&mut self, piece: &[Token], column: &ColumnDefinition<'_>) -> Result<()> {
        let Some(declared) = &column.col_type else {
            return Ok(());
        };
        let Some(written) = self.written(piece.get(1..).unwrap_or_default(), declared.name) else {
            return Ok(());
        };
        let (words, is_array) = self.words(written.words);
        let name = unquote(column.col_name.0);
        let (Some(first), Some(last)) = (written.words.first(), written.words.last()) else {
            return Ok(());
        };
        let shown = self.text.get(first.start..written.end).unwrap_or_default();
        match types::meaning(&words, written.sizes.first().copied(), is_array) {
            Meaning::Same => {
                self.exactness(&name, shown, &words, &written.sizes);
                self.key(&name, shown, column);
            }
            Meaning::Instead("") if begins_a_clause(piece, self.text) => {
                let word = piece.first().map_or("", |token| token.text(self.text));
                let message = format!(
                    "{word} would be read as a column name and {shown} as its type, which no database has"
                );
                let at = piece.first().map_or(first.start, |token| token.start);
                let hint = dialect::syntax_hint(self.text, at)
                    .or_else(|| dialect::syntax_hint(self.text, first.start))
                    .unwrap_or(dialect::plain_definition_hint());
                return Err(hinted_syntax_error(self.text, at, message, hint));
            }
            Meaning::Instead(other) => {
                self.replaced.push(match other {
                    "" => format!("{name} without a type instead of {shown}"),
                    other => format!("{name} {other} instead of {shown}"),
                });
                self.found.splices.push(Splice {
                    start: first.start,
                    end: if other.is_empty() {
                        written.end
                    } else {
                        last.end
                    },
                    text: other.to_owned(),
                });
            }
            Meaning::Counter => {
                let message = format!("SQLite has no type {shown}");
                let hint = dialect::counter_hint();
                return Err(hinted_syntax_error(self.text, first.start, message, hint));
            }
            Meaning::Option => {
                let at = types::foreign_word(&words).unwrap_or_default();
                let token = written.words.get(at).unwrap_or(first);
                let message = format!("{} is not part of a type", token.text(self.text));
                let hint = match types::counts(token.text(self.text)) {
                    true => dialect::counter_hint(),
                    false => dialect::syntax_hint(self.text, token.start)
                        .unwrap_or(dialect::plain_type_hint()),
                };
                return Err(hinted_syntax_error(self.text, token.start, message, hint));
            }
        }
        Ok(())
    }

    /// Adds a notice if a type promises more digits than SQLite keeps.
    fn exactness(&mut self, name: &str, shown: &str, words: &[String], sizes: &[u64]) {
        const WHOLE: [&str; 8] = [
            "HUGEINT", "UHUGEINT", "UBIGINT", "UINT64", "INT128", "UINT128", "INT256", "UINT256",
        ];
        const DECIMAL: [&str; 5] = ["NUMERIC", "DECIMAL", "DEC", "NUMBER", "FIXED"];
        const LONG_DECIMAL: [&str; 4] = ["BIGNUMERIC", "BIGDECIMAL", "DECIMAL128", "DECIMAL256"];
        let joined = words.join(" ").to_ascii_uppercase();
        let has = |word: &str| words.iter().any(|one| one.eq_ignore_ascii_case(word));
        let is_wide = has("UNSIGNED") && (has("BIGINT") || has("BIG"));
        let is = |list: &[&str]| list.contains(&joined.as_str());
        let many = sizes.first().is_some_and(|digits| *digits > EXACT_DIGITS);
        if is_wide || is(&WHOLE) {
            self.found.notices.push(format!(
                "{name} {shown} stores whole numbers of up to 64 bits (signed) exactly and rounds larger ones: use TEXT to keep all digits"
            ));
        } else if is(&LONG_DECIMAL) || (is(&DECIMAL) && many) {
            self.found.notices.push(format!(
                "{name} {shown} stores numbers of up to {EXACT_DIGITS} digits exactly and rounds longer ones: use TEXT to keep all digits, or INTEGER for whole cents"
            ));
        }
    }

    /// Adds a notice if an integer key is not the one that SQLite counts.
    fn key(&mut self, name: &str, shown: &str, column: &ColumnDefinition<'_>) {
        let mut constraints = column.constraints.iter().map(|named| &named.constraint);
        let is_key = constraints
            .clone()
            .any(|constraint| matches!(constraint, ColumnConstraint::PrimaryKey { .. }));
        let is_given = constraints.any(|constraint| {
            matches!(
                constraint,
                ColumnConstraint::NotNull { .. } | ColumnConstraint::Default(_)
            )
        });
        let upper = shown.to_ascii_uppercase();
        if is_key && !is_given && upper != "INTEGER" && upper.contains("INT") && !self.without_rowid
        {
            self.found.notices.push(format!(
                "{name} {shown} PRIMARY KEY is not numbered automatically and accepts NULL: INTEGER PRIMARY KEY is numbered automatically"
            ));
        }
    }

    /// Checks the casts `CAST(x AS type)`: the grammar allows nothing but a type after that AS.
    fn casts(&mut self, tokens: &[Token]) -> Result<()> {
        for (at, token) in tokens.iter().enumerate() {
            let next = tokens.get(at + 1);
            if token.kind != TokenType::TK_CAST
                || next.is_none_or(|next| next.kind != TokenType::TK_LP)
            {
                continue;
            }
            if let Some(written) = cast_type(tokens.get(at + 1..).unwrap_or_default()) {
                self.cast(&self.with_sizes(written))?;
            }
        }
        Ok(())
    }

    fn cast(&mut self, written: &Written<'_>) -> Result<()> {
        let (words, is_array) = self.words(written.words);
        let (Some(first), Some(last)) = (written.words.first(), written.words.last()) else {
            return Ok(());
        };
        let shown = self.text.get(first.start..written.end).unwrap_or_default();
        match types::cast_meaning(&words, is_array) {
            CastMeaning::Same => self.cast_size(shown, &words, &written.sizes),
            CastMeaning::Instead(other) => {
                self.found.notices.push(format!(
                    "the cast to {shown} was changed to {other}, because SQLite would convert the value differently"
                ));
                self.found.splices.push(Splice {
                    start: first.start,
                    end: last.end,
                    text: other.to_owned(),
                });
            }
            CastMeaning::Other => {
                let word = words.first().map_or("", String::as_str);
                let message = format!("SQLite has no cast to {shown}");
                let hint = dialect::cast_hint(if is_array { "array" } else { word });
                return Err(hinted_syntax_error(self.text, first.start, message, hint));
            }
        }
        Ok(())
    }

    /// Adds a notice: a size neither cuts nor rounds, and a word for a truth value does not convert
    /// texts.
    fn cast_size(&mut self, shown: &str, words: &[String], sizes: &[u64]) {
        let base = words.first().map(|word| word.to_ascii_uppercase());
        let base = base.unwrap_or_default();
        let notice = if matches!(base.as_str(), "BOOLEAN" | "BOOL") {
            format!("the cast to {shown} makes a number: texts such as 'true' become 0")
        } else if sizes.is_empty() {
            return;
        } else if base.contains("CHAR") || base.contains("TEXT") {
            format!("the cast to {shown} does not cut the text: use substr(x, 1, n)")
        } else {
            format!("the cast to {shown} does not round: use round(x, n)")
        };
        self.found.notices.push(notice);
    }

    /// Returns the words as SQLite joins them, and true if brackets after them make an array type.
    fn words(&self, tokens: &[Token]) -> (Vec<String>, bool) {
        let mut words = Vec::new();
        let mut is_array = false;
        for (position, token) in tokens.iter().enumerate() {
            let text = token.text(self.text);
            let inner = text
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'));
            match inner {
                Some(inner) if position > 0 && inner.bytes().all(|byte| byte.is_ascii_digit()) => {
                    is_array = true;
                }
                _ => words.extend(unquote(text).split_whitespace().map(str::to_owned)),
            }
        }
        (words, is_array)
    }

    /// Returns the tokens at the beginning that make up the type name in the tree.
    fn written<'t>(&self, tokens: &'t [Token], name: &str) -> Option<Written<'t>> {
        let mut rest = name;
        let mut count = 0;
        while !rest.is_empty() {
            let token = tokens.get(count)?;
            rest = rest
                .strip_prefix(token.text(self.text))?
                .trim_start_matches(' ');
            count += 1;
        }
        Some(self.with_sizes((tokens.get(..count)?, tokens.get(count..)?)))
    }

    /// Reads `(10, 2)` after the words.
    fn with_sizes<'t>(&self, (words, behind): (&'t [Token], &'t [Token])) -> Written<'t> {
        let mut end = words.last().map_or(0, |token| token.end);
        let mut sizes = Vec::new();
        if behind
            .first()
            .is_some_and(|token| token.kind == TokenType::TK_LP)
        {
            for token in behind {
                end = token.end;
                sizes.extend(token.text(self.text).parse::<u64>().ok());
                if token.kind == TokenType::TK_RP {
                    break;
                }
            }
        }
        Written { words, sizes, end }
    }

    fn finish(mut self) -> Types {
        if !self.replaced.is_empty() {
            self.found.notices.insert(
                0,
                format!(
                    "some columns were declared with another type than written, so that SQLite keeps their values unchanged: {}",
                    self.replaced.join(", ")
                ),
            );
        }
        self.found
    }
}

/// Returns true if a part of a definition begins with a bare word that begins a clause in other
/// databases, and not a column: `LIKE other`.
fn begins_a_clause(piece: &[Token], text: &str) -> bool {
    const CLAUSES: [&str; 9] = [
        "LIKE",
        "KEY",
        "INDEX",
        "FULLTEXT",
        "SPATIAL",
        "PERIOD",
        "EXCLUDE",
        "PROJECTION",
        "PARTITION",
    ];
    let word = piece.first().map_or("", |token| token.text(text));
    CLAUSES
        .iter()
        .any(|clause| word.eq_ignore_ascii_case(clause))
}

/// Returns the words of the type in a cast, and the tokens after them. `tokens` begins with the
/// bracket of the cast.
fn cast_type(tokens: &[Token]) -> Option<(&[Token], &[Token])> {
    let mut depth = 0_usize;
    let mut start = None;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenType::TK_LP if start.is_some() => {
                return Some((tokens.get(start?..at)?, tokens.get(at..)?));
            }
            TokenType::TK_LP => depth += 1,
            TokenType::TK_RP if depth == 1 => {
                return Some((tokens.get(start?..at)?, tokens.get(at..)?));
            }
            TokenType::TK_RP => depth = depth.saturating_sub(1),
            TokenType::TK_AS if depth == 1 => start = Some(at + 1),
            _ => {}
        }
    }
    None
}
