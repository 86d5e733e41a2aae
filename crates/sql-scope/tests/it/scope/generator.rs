//! Random statements over the tables of the world.
//!
//! Statements whose result depends on the order or place of stored rows are not generated, because
//! it may differ with and without other rows: LIMIT without an order by a key, the value of a
//! column from an arbitrary row of a group, keys that the engine chooses, the choice among several
//! matching rows in UPDATE … FROM, and the rows that a sub-query in RETURNING reads from the table
//! that is being changed.

mod expressions;

mod changes;

use super::random::Random;

/// A table, or the result of a query in FROM: its columns of numbers, and those of texts.
#[derive(Clone)]
struct Source {
    alias: String,
    numbers: Vec<String>,
    texts: Vec<String>,
    /// A number that no two rows share.
    key: Option<String>,
}

struct Table {
    name: &'static str,
    numbers: &'static [&'static str],
    texts: &'static [&'static str],
    key: Option<&'static str>,
}

const TABLES: [Table; 5] = [
    Table {
        name: "customers",
        numbers: &["id", "score"],
        texts: &["name", "city", "note"],
        key: Some("id"),
    },
    Table {
        name: "orders",
        numbers: &["id", "customer_id", "ref", "qty"],
        texts: &["note"],
        key: Some("id"),
    },
    Table {
        name: "order\"lines",
        numbers: &["order_id", "line", "qty", "oid"],
        texts: &["note"],
        key: None,
    },
    Table {
        name: "Größe",
        numbers: &["id", "qty", "doubled"],
        texts: &["name", "note"],
        key: Some("id"),
    },
    Table {
        name: "countries",
        numbers: &["id", "score"],
        texts: &["name", "city"],
        key: Some("id"),
    },
];

pub struct Generator<'r> {
    random: &'r mut Random,
    /// Sources of the surrounding queries, outermost first.
    scopes: Vec<Vec<Source>>,
    /// Names of visible common table expressions, with the number of their columns.
    ctes: Vec<(String, usize)>,
    aliases: usize,
    depth: usize,
}

impl<'r> Generator<'r> {
    pub fn new(random: &'r mut Random) -> Self {
        Self {
            random,
            scopes: Vec::new(),
            ctes: Vec::new(),
            aliases: 0,
            depth: 0,
        }
    }

    /// Returns a statement.
    pub fn statement(mut self) -> String {
        let text = match self.random.below(10) {
            0..=5 => self.query(2, true),
            6 => self.insert(),
            7 | 8 => self.update(),
            _ => self.delete(),
        };
        self.dressed(&text)
    }

    /// Replaces some blanks with white space and comments; no literal or name of ours contains a
    /// blank.
    fn dressed(&mut self, text: &str) -> String {
        let mut dressed = String::new();
        for letter in text.chars() {
            if letter != ' ' || self.random.chance(93) {
                dressed.push(letter);
            } else {
                dressed.push_str(self.random.pick(&[
                    "\n",
                    "\t",
                    "/* ' \" */",
                    "--)\n",
                    " /*)*/ ",
                    "\r\n",
                    "--; x\n",
                ]));
            }
        }
        if self.random.chance(5) {
            dressed.push_str(self.random.pick(&[";", " -- end", "/* ) */", " ;-- x"]));
        }
        dressed
    }

    /// Returns a name in any of the quotes that SQLite accepts.
    fn quoted(&mut self, name: &str) -> String {
        let plain = name
            .chars()
            .all(|letter| letter.is_alphanumeric() || letter == '_');
        match self.random.below(20) {
            0 => format!("\"{}\"", name.replace('"', "\"\"")),
            1 => format!("`{name}`"),
            2 => format!("[{name}]"),
            3 if plain => name.to_ascii_uppercase(),
            _ if plain => name.to_owned(),
            _ => format!("\"{}\"", name.replace('"', "\"\"")),
        }
    }

    fn table_name(&mut self, name: &str) -> String {
        if self.random.chance(3) {
            format!("'{name}'")
        } else {
            self.quoted(name)
        }
    }

    fn alias(&mut self) -> String {
        self.aliases += 1;
        // Sometimes the alias is the name of another table.
        if self.random.chance(8) {
            let name = self
                .random
                .pick(&["orders", "customers", "business_id", "main", "temp"]);
            let is_used = self
                .scopes
                .iter()
                .flatten()
                .any(|source| source.alias.eq_ignore_ascii_case(name));
            if !is_used {
                return name.to_owned();
            }
        }
        format!("t{}", self.aliases)
    }

    /// Returns a SELECT whose columns are numbers; with `outer` it also has texts and an order.
    fn query(&mut self, width: usize, outer: bool) -> String {
        self.depth += 1;
        let ctes = self.ctes.len();
        let with = if self.random.chance(25) && self.depth < 4 {
            self.with()
        } else {
            String::new()
        };
        let text = if self.random.chance(12) && self.depth < 4 {
            let operator = self
                .random
                .pick(&["UNION ALL", "UNION", "EXCEPT", "INTERSECT"]);
            let (left, right) = (self.core(width, false), self.core(width, false));
            format!("{left} {operator} {right}")
        } else {
            self.core(width, outer)
        };
        self.ctes.truncate(ctes);
        self.depth -= 1;
        format!("{with}{text}")
    }

    fn with(&mut self) -> String {
        let mut parts = Vec::new();
        let recursive = self.random.chance(25);
        for _ in 0..=self.random.below(2) {
            let name = if self.random.chance(30) {
                self.random
                    .pick(&["orders", "customers", "countries", "Größe"])
                    .to_owned()
            } else {
                self.aliases += 1;
                format!("w{}", self.aliases)
            };
            if parts
                .iter()
                .any(|(known, _): &(String, String)| known.eq_ignore_ascii_case(&name))
            {
                continue;
            }
            let body = if recursive && self.random.chance(50) {
                format!("SELECT 1, 2 UNION ALL SELECT c0 + 1, c1 FROM {name} WHERE c0 < 4")
            } else {
                self.query(2, false)
            };
            let hint = self
                .random
                .pick(&["", "", "MATERIALIZED ", "NOT MATERIALIZED "]);
            parts.push((
                name.clone(),
                format!("{}(c0, c1) AS {hint}({body})", self.quoted(&name)),
            ));
            self.ctes.push((name, 2));
        }
        let bodies: Vec<String> = parts.into_iter().map(|(_, body)| body).collect();
        format!(
            "WITH {}{} ",
            if recursive { "RECURSIVE " } else { "" },
            bodies.join(", ")
        )
    }

    fn core(&mut self, width: usize, outer: bool) -> String {
        let from = self.from();
        let text = match self.random.below(10) {
            // Groups.
            0 | 1 => {
                let key = self.number(1);
                let mut columns = vec![key.clone()];
                while columns.len() < width {
                    columns.push(self.aggregate());
                }
                let having = if self.random.chance(40) {
                    format!(" HAVING {} > {}", self.aggregate(), self.random.below(4))
                } else {
                    String::new()
                };
                format!(
                    "SELECT {} FROM {from}{} GROUP BY {key}{having}",
                    columns.join(", "),
                    self.condition_clause()
                )
            }
            // A single row.
            2 => {
                let columns: Vec<String> = (0..width).map(|_| self.aggregate()).collect();
                format!(
                    "SELECT {} FROM {from}{}",
                    columns.join(", "),
                    self.condition_clause()
                )
            }
            // All columns.
            3 if outer => format!(
                "SELECT {} FROM {from}{}",
                self.star(),
                self.condition_clause()
            ),
            _ => self.rows(&from, width, outer),
        };
        self.scopes.pop();
        text
    }

    /// Returns a SELECT of rows without grouping.
    fn rows(&mut self, from: &str, width: usize, outer: bool) -> String {
        let columns: Vec<String> = (0..width)
            .map(|_| {
                if outer && self.random.chance(30) {
                    self.text(2)
                } else {
                    self.number(2)
                }
            })
            .collect();
        let distinct = if self.random.chance(15) && !outer {
            "DISTINCT "
        } else {
            ""
        };
        let window = match self.key() {
            Some(key) if outer && self.random.chance(10) => {
                format!(
                    ", sum({}) OVER (PARTITION BY {} ORDER BY {key})",
                    self.number(0),
                    self.number(0)
                )
            }
            _ => String::new(),
        };
        let end = match self.key() {
            Some(key)
                if self.random.chance(25)
                    && self.scopes.last().is_some_and(|sources| sources.len() == 1) =>
            {
                let limit = if self.random.chance(50) && distinct.is_empty() {
                    format!(
                        " LIMIT {} OFFSET {}",
                        self.random.below(5),
                        self.random.below(2)
                    )
                } else {
                    String::new()
                };
                if distinct.is_empty() {
                    format!(" ORDER BY {key}{}{limit}", self.random.pick(&["", " DESC"]))
                } else {
                    String::new()
                }
            }
            _ => String::new(),
        };
        // Inside of a compound, no clause may follow.
        let end = if outer { end } else { String::new() };
        format!(
            "SELECT {distinct}{}{window} FROM {from}{}{end}",
            columns.join(", "),
            self.condition_clause()
        )
    }

    fn star(&mut self) -> String {
        let sources = self.scopes.last().unwrap().clone();
        if self.random.chance(50) {
            "*".to_owned()
        } else {
            let source = &sources[self.random.index(sources.len())];
            format!("{}.*", source.alias)
        }
    }

    /// Opens the scope of a query.
    fn from(&mut self) -> String {
        let (text, source) = self.source();
        let mut sources = vec![source];
        let mut text = text;
        self.scopes.push(sources.clone());
        let joins = if self.depth > 2 { 1 } else { 3 };
        for _ in 0..self.random.below(joins) {
            self.scopes.pop();
            let (joined, source) = self.source();
            if sources
                .iter()
                .any(|known| known.alias.eq_ignore_ascii_case(&source.alias))
            {
                self.scopes.push(sources.clone());
                continue;
            }
            let left = format!("{}.{}", sources[0].alias, sources[0].numbers[0]);
            let right = format!(
                "{}.{}",
                source.alias,
                source.numbers[self.random.index(source.numbers.len())]
            );
            sources.push(source);
            self.scopes.push(sources.clone());
            let join = self.random.pick(&[
                "JOIN",
                "LEFT JOIN",
                "INNER JOIN",
                "CROSS JOIN",
                "RIGHT JOIN",
                "FULL JOIN",
            ]);
            let extra = if self.random.chance(20) {
                format!(" AND {}", self.condition(1))
            } else {
                String::new()
            };
            text = if self.random.chance(15) {
                format!("{text}, {joined}")
            } else {
                format!("{text} {join} {joined} ON {left} = {right}{extra}")
            };
        }
        text
    }

    fn source(&mut self) -> (String, Source) {
        match self.random.below(12) {
            0 if self.depth < 3 => {
                let alias = self.alias();
                let body = self.query(2, false);
                // The names of a query's columns are not certain, so a common table expression
                // names them.
                let source = Source {
                    alias: alias.clone(),
                    numbers: vec!["c0".to_owned(), "c1".to_owned()],
                    texts: Vec::new(),
                    key: None,
                };
                (
                    format!("(WITH q(c0, c1) AS ({body}) SELECT * FROM q) AS {alias}"),
                    source,
                )
            }
            1 if !self.ctes.is_empty() => {
                let (name, _) = self.ctes[self.random.index(self.ctes.len())].clone();
                let alias = self.alias();
                let source = Source {
                    alias: alias.clone(),
                    numbers: vec!["c0".to_owned(), "c1".to_owned()],
                    texts: Vec::new(),
                    key: None,
                };
                (format!("{} AS {alias}", self.quoted(&name)), source)
            }
            2 => {
                let alias = self.alias();
                let source = Source {
                    alias: alias.clone(),
                    numbers: vec!["value".to_owned(), "key".to_owned()],
                    texts: Vec::new(),
                    key: Some("key".to_owned()),
                };
                (format!("json_each('[1,2,3]') AS {alias}"), source)
            }
            _ => {
                let table = &TABLES[self.random.index(TABLES.len())];
                // A name that a common table expression hides means that expression.
                if self
                    .ctes
                    .iter()
                    .any(|(name, _)| name.eq_ignore_ascii_case(table.name))
                {
                    let alias = self.alias();
                    let source = Source {
                        alias: alias.clone(),
                        numbers: vec!["c0".to_owned(), "c1".to_owned()],
                        texts: Vec::new(),
                        key: None,
                    };
                    return (format!("{} {alias}", self.quoted(table.name)), source);
                }
                let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
                let with_alias = self.random.chance(70);
                let alias = if with_alias {
                    self.alias()
                } else {
                    format!("\"{}\"", table.name.replace('"', "\"\""))
                };
                let source = Source {
                    alias: alias.clone(),
                    numbers: owned(table.numbers),
                    texts: owned(table.texts),
                    key: table.key.map(str::to_owned),
                };
                let name = self.table_name(table.name);
                let text = if with_alias {
                    format!("{name} {}{alias}", self.random.pick(&["", "AS "]))
                } else {
                    name
                };
                (text, source)
            }
        }
    }

    /// Returns a column whose values are unique in the query, if the query reads one table.
    fn key(&mut self) -> Option<String> {
        let sources = self.scopes.last()?;
        let source = sources.first()?;
        (sources.len() == 1).then(|| {
            source
                .key
                .clone()
                .map(|key| format!("{}.{key}", source.alias))
        })?
    }

    fn any_source(&mut self) -> Source {
        // Mostly a source of the query itself, and sometimes one of a surrounding query.
        let level = if self.scopes.len() > 1 && self.random.chance(25) {
            self.random.index(self.scopes.len())
        } else {
            self.scopes.len() - 1
        };
        let sources = &self.scopes[level];
        let at = self.random.index(sources.len());
        self.scopes[level][at].clone()
    }
}
