//! Over schemas at random, no question makes the planner panic, and every statement that it writes
//! compiles and runs on SQLite.

use crate::support;

use agent_planner::{Day, Plan, plan};
use rusqlite::Connection;

/// Schemas, and questions to each of them.
const SCHEMAS: u64 = 80;
const QUESTIONS: usize = 80;

/// Numbers at random, the same in each run (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

const TABLES: &[&str] = &[
    "orders",
    "order",
    "customers",
    "select",
    "two words",
    "a\"b",
    "größe",
    "People",
    "order_items",
    "group",
    "movie_genres",
    "1st",
    "Loan",
    "data",
    "x'y",
    "sensor-readings",
    "Größen",
    "table",
];
const COLUMNS: &[&str] = &[
    "name",
    "first_name",
    "last_name",
    "title",
    "price",
    "total",
    "created_at",
    "birth_date",
    "order",
    "group",
    "is_active",
    "kind",
    "status",
    "year",
    "quantity",
    "country",
    "select",
    "with space",
    "quo\"te",
    "emoji🙂",
    "rating",
    "weight_kg",
    "from",
    "email",
    "pub_year",
    "manager_id",
];
const TYPES: &[&str] = &["TEXT", "INTEGER", "REAL", "", "DATE", "BOOLEAN", "BLOB"];
const VALUES: &[&str] = &[
    "NULL",
    "'Oslo'",
    "'O''Hara'",
    "'New York'",
    "'2024-05-01'",
    "'2024-05-01 10:00'",
    "1",
    "0",
    "2019",
    "4.5",
    "-3",
    "1700000000",
    "1700000000000",
    "'in'",
    "'%_\\'",
    "x'00ff'",
    "''",
    "'a\"b'",
    "'Phase 3'",
    "1e300",
];
const WORDS: &[&str] = &[
    "how",
    "many",
    "show",
    "list",
    "which",
    "what",
    "is",
    "are",
    "the",
    "of",
    "in",
    "by",
    "per",
    "each",
    "for",
    "with",
    "without",
    "no",
    "not",
    "and",
    "or",
    "more",
    "than",
    "less",
    "at",
    "least",
    "between",
    "top",
    "5",
    "3",
    "most",
    "least",
    "highest",
    "lowest",
    "average",
    "total",
    "sum",
    "minimum",
    "number",
    "count",
    "percentage",
    "compare",
    "difference",
    "before",
    "after",
    "since",
    "2024",
    "last",
    "month",
    "30",
    "days",
    "this",
    "year",
    "who",
    "when",
    "has",
    "have",
    "different",
    "sorted",
    "descending",
    "Oslo",
    "'Oslo'",
    "\"O'Hara\"",
    "New",
    "York",
    "newest",
    "oldest",
    "missing",
    "starts",
    "ends",
    "contains",
    "never",
    "ordered",
    "born",
    "created",
    "cheaper",
    "longer",
    "k",
    "million",
    "$",
    "%",
    ",",
    "?",
    "(",
    ")",
    "=",
    ">",
    "<=",
    "delete",
    "set",
    "to",
    "update",
    "duplicate",
    "once",
    "all",
    "any",
    "there",
    "do",
    "does",
    "that",
    "1e9",
    "99999999999999",
    "0",
    "monthly",
    "quarter",
    "Q1",
    "first",
    "customer",
    "dr",
    ".",
    "kg",
    "both",
    "but",
];
const SHAPES: &[&str] = &[
    "how many T are there",
    "how many T per C",
    "list T with C over 3",
    "T without C",
    "top 3 T by C",
    "which T has the most T",
    "average C of T",
    "average C per T",
    "number of T per T",
    "T with more than 2 T",
    "T without T",
    "C of T",
    "T in 2024",
    "T per month",
    "T where C is 'Oslo'",
    "percentage of T with C",
    "T sorted by C descending",
    "different C of T",
    "which C has the most T",
    "T created last year",
    "T whose C contains '%'",
    "oldest T",
    "delete all T with C over 3",
    "set the C of T 7 to 5",
    "minimum and maximum C of T",
    "is there any T with C",
    "T from Oslo or New York",
    "how many different C do T have",
    "compare the average C of Oslo and New York",
    "T not in Oslo",
    "duplicate C of T",
    "T that are not Phase 3",
    "highest C per year",
    "T with the highest average C",
    "T ordered by Oslo in 2024",
    "how many T does each T have",
];

fn quoted(name: &str) -> String {
    support::quoted(name)
}

fn distinct<'a>(dice: &mut Dice, from: &[&'a str], count: usize) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for _ in 0..count * 4 {
        let next = dice.pick(from);
        let twice = found.iter().any(|known| known.eq_ignore_ascii_case(next));
        if !twice && found.len() < count {
            found.push(next);
        }
    }
    found
}

/// Tables with columns, keys and rows at random, and the names of both.
fn database(dice: &mut Dice) -> (Connection, Vec<String>, Vec<String>) {
    let connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch("PRAGMA foreign_keys = OFF")
        .unwrap();
    let count = 1 + dice.below(5);
    let tables = distinct(dice, TABLES, count);
    let mut columns = Vec::new();
    for (place, table) in tables.iter().enumerate() {
        let mut parts = vec!["id INTEGER PRIMARY KEY".to_owned()];
        if dice.below(6) == 0 {
            parts.clear();
        }
        let width = 1 + dice.below(6);
        let mut names: Vec<String> = Vec::new();
        for column in distinct(dice, COLUMNS, width) {
            let not_null = ["", "", " NOT NULL"][dice.below(3)];
            parts.push(format!("{} {}{not_null}", quoted(column), dice.pick(TYPES)));
            names.push(column.to_owned());
        }
        for other in tables.iter().take(place) {
            let part = match dice.below(3) {
                0 => format!(
                    "{} INTEGER REFERENCES {}(id)",
                    quoted(&format!("{other}_id")),
                    quoted(other)
                ),
                1 => format!(
                    "{} INTEGER",
                    quoted(&format!("{}_id", other.trim_end_matches('s')))
                ),
                _ => continue,
            };
            let column = part.split(' ').next().map(str::to_lowercase);
            if parts
                .iter()
                .all(|known| known.split(' ').next().map(str::to_lowercase) != column)
            {
                parts.push(part);
            }
        }
        let sql = format!("CREATE TABLE {} ({})", quoted(table), parts.join(", "));
        connection.execute_batch(&sql).unwrap();
        for _ in 0..dice.below(6) {
            let values: Vec<&str> = names.iter().map(|_| dice.pick(VALUES)).collect();
            let listed: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            let insert = format!(
                "INSERT OR IGNORE INTO {} ({}) VALUES ({})",
                quoted(table),
                listed.join(", "),
                values.join(", ")
            );
            connection.execute_batch(&insert).unwrap();
        }
        columns.extend(names);
    }
    (
        connection,
        tables.iter().map(|&table| table.to_owned()).collect(),
        columns,
    )
}

fn question(dice: &mut Dice, tables: &[String], columns: &[String]) -> String {
    let spoken = |name: &str| name.replace('_', " ");
    if dice.below(2) == 0 {
        let mut words = Vec::new();
        for word in dice.pick(SHAPES).split(' ') {
            words.push(match word {
                "T" => spoken(&tables[dice.below(tables.len())]),
                "C" => spoken(&columns[dice.below(columns.len())]),
                other => other.to_owned(),
            });
            if dice.below(12) == 0 {
                words.push(dice.pick(WORDS).to_owned());
            }
        }
        return words.join(" ");
    }
    let length = 1 + dice.below(14);
    let words: Vec<String> = (0..length)
        .map(|_| match dice.below(4) {
            0 => spoken(&tables[dice.below(tables.len())]),
            1 => spoken(&columns[dice.below(columns.len())]),
            _ => dice.pick(WORDS).to_owned(),
        })
        .collect();
    words.join(" ")
}

#[test]
fn every_statement_compiles_and_runs() {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let today = Day::parse("2025-06-15").unwrap();
    let (mut planned, mut asked) = (0, 0);
    for _ in 0..SCHEMAS {
        let (connection, tables, columns) = database(&mut dice);
        let schema = support::schema_of(&connection);
        for _ in 0..QUESTIONS {
            asked += 1;
            let question = question(&mut dice, &tables, &columns);
            let schema = support::learned(&connection, &schema, &question);
            let first = plan(&question, &schema, today);
            assert_eq!(first, plan(&question, &schema, today), "{question}");
            let Plan::Query {
                sql,
                explanation,
                confidence,
            } = first
            else {
                continue;
            };
            planned += 1;
            assert!(
                (0.0..=1.0).contains(&confidence) && explanation.ends_with('.'),
                "{question}"
            );
            let changes = sql.starts_with("DELETE ") || sql.starts_with("UPDATE ");
            assert!(!changes || sql.contains(" WHERE "), "{question}: {sql}");
            let run = match changes {
                true => connection.prepare(&sql).map(|_| ()),
                false => support::rows_of(&connection, &sql).map(|_| ()),
            };
            assert!(run.is_ok(), "{question}\n{sql}\n{run:?}");
        }
    }
    println!("{planned} statements of {asked} questions");
    assert!(planned * 20 > asked, "{planned} of {asked} say something");
}

#[test]
fn no_text_makes_the_planner_panic() {
    let mut dice = Dice(7);
    let today = Day::parse("2025-06-15").unwrap();
    let (connection, _, _) = database(&mut dice);
    let schema = support::schema_of(&connection);
    let letters: Vec<char> = "aZ0 _-'\"“”;:,.?!()%$€<>=≤\\/\t\n\0é🙂中'’`{}[]*&^~|#@+"
        .chars()
        .collect();
    for _ in 0..3_000 {
        let length = dice.below(60);
        let text: String = (0..length)
            .map(|_| letters[dice.below(letters.len())])
            .collect();
        if let Plan::Query { sql, .. } = plan(&text, &schema, today) {
            assert!(connection.prepare(&sql).is_ok(), "{text:?}: {sql}");
        }
    }
    for long in ["a", "orders and ", "'", "in 2024 ", "🙂", "top 5 ", "not "] {
        let _ = plan(&long.repeat(400), &schema, today);
    }
}
