//! Mutation of SQL by tokens: words and bracketed groups are replaced, moved, repeated or dropped, so that much of the result parses.

use libfuzzer_sys::fuzzer_mutate;

/// Names, forms of names and clauses that attacks are made of.
const PIECES: [&str; 112] = [
    "session_state",
    "\"session_state\"",
    "[session_state]",
    "`session_state`",
    "'session_state'",
    "main.session_state",
    "SESSION_STATE",
    "execution_logs",
    "_codemode_migrations",
    "_codemode_meta",
    "_codemode_stage",
    "sqlite_sequence",
    "sqlite_schema",
    "sqlite_master",
    "users",
    "orders",
    "kv",
    "docs",
    "docs_data",
    "docs_content",
    "docs_config",
    "active_users",
    "json_each('[1]')",
    "pragma_table_info('users')",
    "pragma_foreign_keys",
    "main.",
    "temp.",
    "key",
    "value",
    "id",
    "name",
    "updated_at",
    "message",
    "rowid",
    "*",
    "1",
    "NULL",
    "'x'",
    "?1",
    ":a",
    "SELECT",
    "FROM",
    "WHERE",
    "DELETE FROM",
    "UPDATE",
    "SET",
    "INSERT INTO",
    "REPLACE INTO",
    "INSERT OR REPLACE INTO",
    "VALUES",
    "DEFAULT VALUES",
    "RETURNING *",
    "ON CONFLICT DO NOTHING",
    "ON CONFLICT(key) DO UPDATE SET value = 1",
    "WITH",
    "WITH RECURSIVE",
    "AS",
    "AS MATERIALIZED",
    "UNION ALL",
    "UNION",
    "EXCEPT",
    "INTERSECT",
    "CREATE TABLE",
    "CREATE TABLE IF NOT EXISTS",
    "CREATE VIEW",
    "CREATE INDEX",
    "CREATE UNIQUE INDEX",
    "CREATE VIRTUAL TABLE",
    "USING fts5",
    "content='session_state'",
    "c=execution_logs",
    "content=''",
    "DROP TABLE",
    "DROP TABLE IF EXISTS",
    "DROP INDEX",
    "DROP VIEW",
    "ALTER TABLE",
    "RENAME TO",
    "RENAME COLUMN",
    "ADD COLUMN",
    "DROP COLUMN",
    "REFERENCES",
    "FOREIGN KEY",
    "PRIMARY KEY",
    "CHECK",
    "DEFAULT",
    "GENERATED ALWAYS AS",
    "STRICT",
    "WITHOUT ROWID",
    "TEMP",
    "TRIGGER",
    "BEGIN",
    "END",
    "PRAGMA",
    "ATTACH",
    "EXPLAIN",
    "EXPLAIN QUERY PLAN",
    "JOIN",
    "LEFT JOIN",
    "ON",
    "IN",
    "EXISTS",
    "LIMIT",
    "OFFSET",
    "ORDER BY",
    "GROUP BY",
    "HAVING",
    "OVER",
    "WINDOW",
    ";",
    "--\n",
    "/**/",
];

/// libFuzzer's mutation for half of the seeds, ours for the others.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random(u64::from(seed) | 1 << 32);
    let text = data
        .get(..size)
        .and_then(|bytes| std::str::from_utf8(bytes).ok());
    let Some(text) = text.filter(|_| random.below(2) == 0) else {
        return fuzzer_mutate(data, size, max_size);
    };
    let mut tokens = tokens(text);
    for _ in 0..=random.below(3) {
        change(&mut tokens, &mut random);
    }
    let changed = tokens.concat();
    let length = changed.len();
    match data.get_mut(..length) {
        Some(room) if length <= max_size => {
            room.copy_from_slice(changed.as_bytes());
            length
        }
        _ => fuzzer_mutate(data, size, max_size),
    }
}

fn change(tokens: &mut Vec<String>, random: &mut Random) {
    if tokens.is_empty() {
        tokens.push("SELECT 1".to_owned());
    }
    let (at, other) = (random.below(tokens.len()), random.below(tokens.len()));
    let piece = format!(" {} ", PIECES[random.below(PIECES.len())]);
    match random.below(7) {
        0 => tokens[at] = piece,
        1 => tokens.insert(at, piece),
        2 => tokens.swap(at, other),
        3 => {
            tokens.remove(at);
        }
        4 => {
            let copy = tokens[other].clone();
            tokens.insert(at, format!(" {copy} "));
        }
        // A bracketed group, or one token, wrapped as a sub-query.
        5 => {
            let end = group_end(tokens, at);
            tokens.insert(end, ") ".to_owned());
            tokens.insert(at, " (SELECT ".to_owned());
        }
        // A group copied to another place.
        _ => {
            let group: Vec<String> = tokens[at..group_end(tokens, at)].to_vec();
            let place = other.min(tokens.len());
            tokens.splice(place..place, group);
        }
    }
}

/// Behind the bracket that closes the one at `start`, or behind the token at `start`.
fn group_end(tokens: &[String], start: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(start) {
        match token.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return index + 1;
        }
    }
    tokens.len()
}

/// Words, quoted pieces, runs of white space, and single other characters.
fn tokens(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |character: char| {
            character.is_alphanumeric() || character == '_' || !character.is_ascii()
        };
        let length = match first {
            '\'' | '"' | '`' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
            '[' => rest.find(']').map_or(rest.len(), |end| end + 1),
            _ if first.is_ascii_whitespace() => rest
                .find(|character: char| !character.is_ascii_whitespace())
                .unwrap_or(rest.len()),
            _ if is_word(first) => rest
                .find(|character| !is_word(character))
                .unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(length);
        found.push(token.to_owned());
        rest = behind;
    }
    found
}

/// A small generator: a seed always gives the same mutation.
struct Random(u64);

impl Random {
    /// A number from 0 to `bound` - 1.
    fn below(&mut self, bound: usize) -> usize {
        // splitmix64, Steele, Lea and Flood 2014.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound.max(1) as u64) as usize
    }
}
