//! Chooses the hint for a text that SQLite cannot read, by the words at the position where SQLite
//! stopped reading.

use super::clauses::{CALLS, CASTS, LAST_SELECT, ORDER_OF_CLAUSES, RULES};
use super::pieces::{Kind, Piece, pieces};

/// The largest number of pieces of text before the error that are examined.
const PIECES_BEFORE: usize = 400;

/// Returns the hint for a syntax error at a byte offset, if the words around it belong to another
/// dialect.
pub(crate) fn hint(sql: &str, offset: usize) -> Option<&'static str> {
    let all = pieces(sql);
    let at = all
        .iter()
        .position(|piece| piece.end() > offset)
        .unwrap_or(all.len());
    by_cast(&all, at)
        .or_else(|| by_rule(&all, at))
        .or_else(|| by_call(&all, at))
        .or_else(|| by_order(&all, at))
}

/// Returns the hint for a column that does not exist. SQLite takes a word of another dialect for a
/// column wherever a column name is allowed.
pub(crate) fn column_hint(sql: &str, written: &str) -> Option<&'static str> {
    let all = pieces(sql);
    let word = |place: usize| all.get(place).is_some_and(|piece| piece.is(written));
    let after_word = (0..all.len())
        .filter(|place| word(*place))
        .take(PIECES_BEFORE)
        .find_map(|place| {
            RULES.iter().find_map(|(pattern, hint)| {
                let end = matched(pattern, &all, place)?;
                (end > place + 1).then_some(*hint)
            })
        });
    // In `t ANTI JOIN u`, SQLite reads ANTI as an alias of t.
    let join = || {
        let named = |pattern| (0..all.len()).any(|place| matched(pattern, &all, place).is_some());
        RULES
            .iter()
            .find(|(pattern, _)| pattern.ends_with(" JOIN") && named(pattern))
    };
    after_word.or_else(|| {
        written
            .contains('.')
            .then(join)
            .flatten()
            .map(|(_, hint)| *hint)
    })
}

/// The clauses of a SELECT in their order.
const CLAUSES: [&str; 7] = [
    "FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT",
];

/// Returns the hint for a clause in the wrong order, such as WHERE after ORDER BY.
fn by_order(all: &[Piece<'_>], at: usize) -> Option<&'static str> {
    let rank = |piece: &Piece<'_>| CLAUSES.iter().position(|clause| piece.is(clause));
    let is_compound = |piece: &Piece<'_>| {
        ["UNION", "EXCEPT", "INTERSECT"]
            .iter()
            .any(|word| piece.is(word))
    };
    let stopped = all.get(at)?;
    // After FROM, WHERE, GROUP BY and HAVING, the next SELECT may follow.
    let (stopped, hint) = if is_compound(stopped) {
        (CLAUSES.len() - 3, LAST_SELECT)
    } else {
        (rank(stopped)?, ORDER_OF_CLAUSES)
    };
    let mut depth = 0_usize;
    for place in (at.saturating_sub(PIECES_BEFORE)..at).rev() {
        let piece = all.get(place)?;
        match piece.text {
            ")" => depth += 1,
            "(" if depth == 0 => return None,
            "(" => depth -= 1,
            _ if depth > 0 => {}
            _ if piece.is("SELECT") => return None,
            _ if rank(piece).is_some_and(|known| known > stopped) => return Some(hint),
            _ => {}
        }
    }
    None
}

/// Returns the hint of the rule whose words are at the position where reading stopped, or end just
/// before it. The longest match is used, and the last one of several.
fn by_rule(all: &[Piece<'_>], at: usize) -> Option<&'static str> {
    let mut best: Option<((usize, usize), &'static str)> = None;
    for start in at.saturating_sub(PATTERN_PIECES)..=at {
        for (pattern, hint) in RULES {
            let Some(end) = matched(pattern, all, start) else {
                continue;
            };
            let rank = (end - start, start);
            if end >= at && best.is_none_or(|(known, _)| rank > known) {
                best = Some((rank, hint));
            }
        }
    }
    best.map(|(_, hint)| hint)
}

/// The number of pieces in the longest pattern.
const PATTERN_PIECES: usize = 8;

/// Returns the position after the pattern if the pattern matches at `start`.
///
/// A pattern is a list of items: a word or sign, several between `|`, or one of the classes `^`
/// (the beginning of the text), `$` (its end), `<text>`, `<number>`, `<name>`, `<bracket>` and
/// `<any>`; `<caret>` is the sign `^`.
fn matched(pattern: &str, all: &[Piece<'_>], start: usize) -> Option<usize> {
    let mut at = start;
    for item in pattern.split(' ') {
        match item {
            "^" if at == 0 => continue,
            "$" if at == all.len() => continue,
            "^" | "$" => return None,
            _ => {}
        }
        let piece = all.get(at)?;
        let fits = match item {
            "<any>" => true,
            "<caret>" => piece.is("^"),
            "<text>" => piece.kind == Kind::Text,
            "<number>" => piece.kind == Kind::Number,
            "<bracket>" => piece.kind == Kind::Bracket,
            "<name>" => matches!(piece.kind, Kind::Word | Kind::Name | Kind::Bracket),
            // The sign itself, which separates alternatives elsewhere.
            "|" | "||" => piece.is(item),
            words => words.split('|').any(|word| piece.is(word)),
        };
        if !fits {
            return None;
        }
        at += 1;
    }
    Some(at)
}

/// Returns the hint for the type in `x::type`.
fn by_cast(all: &[Piece<'_>], at: usize) -> Option<&'static str> {
    let sign = (at.saturating_sub(1)..=at)
        .find(|place| all.get(*place).is_some_and(|piece| piece.is("::")))?;
    Some(cast_hint(all.get(sign + 1).map_or("", |piece| piece.text)))
}

/// Returns the hint for a cast to a type of another database.
pub(crate) fn cast_hint(wanted: &str) -> &'static str {
    let wanted = wanted.to_ascii_lowercase();
    let wanted = match wanted.as_str() {
        time if time.starts_with("timestamp") || time.contains("datetime") => "timestamp",
        other => other,
    };
    CASTS
        .iter()
        .find(|(types, _)| types.split(' ').any(|known| known == wanted))
        .or(CASTS.first())
        .map_or("", |(_, hint)| *hint)
}

/// Returns the hint for a word inside a call that only takes expressions: `extract(year FROM x)`.
fn by_call(all: &[Piece<'_>], at: usize) -> Option<&'static str> {
    let stopped = all.get(at)?;
    let mut depth = 0_usize;
    for place in (at.saturating_sub(PIECES_BEFORE)..at).rev() {
        let piece = all.get(place)?;
        match piece.text {
            ")" => depth += 1,
            "(" if depth > 0 => depth -= 1,
            "(" => {
                let name = place.checked_sub(1).and_then(|before| all.get(before))?;
                return CALLS.iter().find_map(|(call, hint)| {
                    let (names, words) = call.split_once(" > ")?;
                    let named = names.split('|').any(|known| name.is(known));
                    let worded = words
                        .split('|')
                        .any(|word| word == "<any>" || stopped.is(word));
                    (named && worded).then_some(*hint)
                });
            }
            _ => {}
        }
    }
    None
}
