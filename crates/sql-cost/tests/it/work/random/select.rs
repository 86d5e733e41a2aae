//! Random queries: FROM with every join, grouping, windows, compounds, common table expressions,
//! recursion.

use super::super::analytic::random::Random;
use super::names::{Relation, Scope, Source, alias};

/// The depth to which queries nest.
const MAX_NESTING: usize = 3;
/// The number of relations in one statement from which only leaves are made.
const MAX_RELATIONS: usize = 6;

const AGGREGATES: [&str; 8] = [
    "count",
    "sum",
    "min",
    "max",
    "avg",
    "total",
    "group_concat",
    "json_group_array",
];

/// A generator of one statement.
pub struct Generator<'a> {
    /// The source of random choices.
    pub random: &'a mut Random,
    /// Bound values.
    pub parameters: Vec<serde_json::Value>,
    /// The relations that FROM may name: tables, views, and the common table expressions above.
    pub sources: Vec<Source>,
    relations: usize,
    nesting: usize,
    /// True if values may be bound; a view has none.
    binds: bool,
}

impl<'a> Generator<'a> {
    /// Makes a generator for one statement.
    pub fn new(random: &'a mut Random, sources: Vec<Source>) -> Self {
        Self {
            random,
            parameters: Vec::new(),
            sources,
            relations: 0,
            nesting: 0,
            binds: true,
        }
    }

    /// Returns a `CREATE VIEW`, and the relation that FROM may name afterwards. It may be a view of
    /// a view.
    pub fn view(&mut self, name: &str) -> (String, Source) {
        self.binds = false;
        let columns = self.random.between(1, 3) as usize;
        let names: Vec<String> = (1..=columns).map(|number| format!("c{number}")).collect();
        let with = self.common_tables();
        let body = self.query(&Scope::new(), columns);
        let text = format!("CREATE VIEW {name} ({}) AS {with}{body}", names.join(", "));
        let source = Source {
            name: name.to_owned(),
            columns: names,
            rowid: false,
        };
        (text, source)
    }

    /// Returns a bound value, or the same value as a literal if nothing can be bound.
    pub fn value(&mut self, value: serde_json::Value) -> String {
        if !self.binds {
            return match value {
                serde_json::Value::String(text) => format!("'{text}'"),
                other => other.to_string(),
            };
        }
        self.parameters.push(value);
        format!("?{}", self.parameters.len())
    }

    /// Returns a SELECT statement.
    pub fn statement(&mut self) -> String {
        let columns = self.random.between(1, 4) as usize;
        let with = self.common_tables();
        format!("{with}{}", self.query(&Scope::new(), columns))
    }

    /// Returns true if another query may be nested in this one.
    pub fn may_nest(&self) -> bool {
        self.nesting < MAX_NESTING && self.relations < MAX_RELATIONS
    }

    /// Returns a query of some columns, named `c1`, `c2`…; it may use relations outside.
    pub fn query(&mut self, outer: &Scope, columns: usize) -> String {
        self.nesting += 1;
        let mut text = self.core(outer, columns);
        let compound = self.random.chance(14);
        if compound {
            for _ in 0..self.random.between(1, 2) {
                let operator = *self
                    .random
                    .pick(&["UNION ALL", "UNION", "EXCEPT", "INTERSECT"]);
                text = format!("{text} {operator} {}", self.core(outer, columns));
            }
        }
        if self.random.chance(40) {
            let terms: Vec<String> = (1..=columns)
                .rev()
                .take(self.random.between(1, 2) as usize)
                .map(|column| {
                    let direction = *self.random.pick(&["", " DESC", " ASC NULLS LAST"]);
                    format!("{column}{direction}")
                })
                .collect();
            text = format!("{text} ORDER BY {}", terms.join(", "));
        }
        if self.random.chance(30) {
            let limit = match self.random.below(5) {
                0 => "-1".to_owned(),
                1 => "(SELECT 3)".to_owned(),
                2 => {
                    let count = self.random.below(9);
                    self.value(serde_json::json!(count))
                }
                _ => self.random.below(12).to_string(),
            };
            let offset = match self.random.below(3) {
                0 => format!(" OFFSET {}", self.random.below(8)),
                _ => String::new(),
            };
            text = format!("{text} LIMIT {limit}{offset}");
        }
        self.nesting -= 1;
        text
    }

    fn core(&mut self, outer: &Scope, columns: usize) -> String {
        if self.random.chance(2) {
            let row = self.items(columns, Self::literal);
            return format!("SELECT {row}");
        }
        let most = if self.relations == 0 { 3 } else { 2 };
        let (from, scope) = self.from(outer, most);
        let condition = if self.random.chance(70) {
            format!(" WHERE {}", self.conjunction(&scope))
        } else {
            String::new()
        };
        match self.random.below(10) {
            0..=2 => self.grouped(&scope, columns, &format!("{from}{condition}")),
            3 | 4 => self.windowed(&scope, columns, &format!("{from}{condition}")),
            _ => {
                let distinct = if self.random.chance(20) {
                    "DISTINCT "
                } else {
                    ""
                };
                let items = self.items(columns, |this| this.expression(&scope, 1));
                format!("SELECT {distinct}{items}{from}{condition}")
            }
        }
    }

    fn items(&mut self, columns: usize, mut item: impl FnMut(&mut Self) -> String) -> String {
        let items: Vec<String> = (1..=columns)
            .map(|number| format!("{} AS c{number}", item(self)))
            .collect();
        items.join(", ")
    }

    fn conjunction(&mut self, scope: &Scope) -> String {
        let terms: Vec<String> = (0..self.random.between(1, 3))
            .map(|_| self.predicate(scope, 1))
            .collect();
        terms.join(" AND ")
    }

    fn aggregate(&mut self, scope: &Scope) -> String {
        let name = *self.random.pick(&AGGREGATES);
        let distinct = if self.random.chance(20) {
            "DISTINCT "
        } else {
            ""
        };
        let filter = if self.random.chance(12) {
            format!(" FILTER (WHERE {})", self.predicate(scope, 2))
        } else {
            String::new()
        };
        let order = if self.random.chance(8) && distinct.is_empty() {
            format!(" ORDER BY {}", self.column(scope))
        } else {
            String::new()
        };
        format!(
            "{name}({distinct}{}{order}){filter}",
            self.expression(scope, 2)
        )
    }

    fn grouped(&mut self, scope: &Scope, columns: usize, rest: &str) -> String {
        let keys: Vec<String> = (0..self.random.below(3))
            .map(|_| self.expression(scope, 2))
            .collect();
        let items = self.items(columns, |this| {
            if !keys.is_empty() && this.random.chance(40) {
                this.random.pick(&keys).clone()
            } else {
                this.aggregate(scope)
            }
        });
        let group = if keys.is_empty() {
            String::new()
        } else {
            format!(" GROUP BY {}", keys.join(", "))
        };
        let having = if !keys.is_empty() && self.random.chance(30) {
            format!(" HAVING count(*) > {}", self.random.below(3))
        } else {
            String::new()
        };
        format!("SELECT {items}{rest}{group}{having}")
    }

    fn windowed(&mut self, scope: &Scope, columns: usize, rest: &str) -> String {
        let items = self.items(columns, |this| {
            if this.random.chance(25) {
                this.column(scope)
            } else {
                this.window(scope)
            }
        });
        format!("SELECT {items}{rest}")
    }

    fn window(&mut self, scope: &Scope) -> String {
        let value = self.column(scope);
        let (function, framed) = match self.random.below(16) {
            0 => ("row_number()".to_owned(), false),
            1 => ("rank()".to_owned(), false),
            2 => ("dense_rank()".to_owned(), false),
            3 => ("percent_rank()".to_owned(), false),
            4 => ("cume_dist()".to_owned(), false),
            5 => ("ntile(3)".to_owned(), false),
            6 => (format!("lag({value}, 2)"), false),
            7 => (format!("lead({value})"), false),
            8 => (format!("first_value({value})"), true),
            9 => (format!("last_value({value})"), true),
            10 => (format!("nth_value({value}, 2)"), true),
            _ => (format!("{}({value})", self.random.pick(&AGGREGATES)), true),
        };
        let partition = if self.random.chance(45) {
            format!("PARTITION BY {} ", self.column(scope))
        } else {
            String::new()
        };
        let order = self.random.chance(80);
        let terms = if order { self.random.between(1, 2) } else { 0 };
        let sorted: Vec<String> = (0..terms).map(|_| self.column(scope)).collect();
        let order = if sorted.is_empty() {
            String::new()
        } else {
            format!("ORDER BY {} ", sorted.join(", "))
        };
        let frame = if framed && self.random.chance(65) {
            self.frame(sorted.len())
        } else {
            String::new()
        };
        format!("{function} OVER ({partition}{order}{frame})")
    }

    fn frame(&mut self, terms: usize) -> String {
        let unit = *match terms {
            0 => self.random.pick(&["ROWS"]),
            1 => self.random.pick(&["ROWS", "RANGE", "GROUPS"]),
            _ => self.random.pick(&["ROWS", "GROUPS"]),
        };
        let number = self.random.below(5);
        let begin = match self.random.below(4) {
            0 | 1 => "UNBOUNDED PRECEDING".to_owned(),
            2 => format!("{number} PRECEDING"),
            _ => "CURRENT ROW".to_owned(),
        };
        let end = match self.random.below(4) {
            0 | 1 => "UNBOUNDED FOLLOWING".to_owned(),
            2 => format!("{number} FOLLOWING"),
            _ => "CURRENT ROW".to_owned(),
        };
        let exclude = *self.random.pick(&[
            "",
            "",
            " EXCLUDE CURRENT ROW",
            " EXCLUDE GROUP",
            " EXCLUDE TIES",
            " EXCLUDE NO OTHERS",
        ]);
        format!("{unit} BETWEEN {begin} AND {end}{exclude}")
    }

    /// Returns ` FROM …`, and the scope inside: the relations of this FROM, then those outside.
    pub fn from(&mut self, outer: &Scope, most: i64) -> (String, Scope) {
        let count = if self.relations >= MAX_RELATIONS {
            1
        } else {
            self.random.between(1, most)
        };
        let mut inner: Scope = Vec::new();
        let mut text = String::from(" FROM ");
        for nth in 0..count {
            let (source, relation) = self.source(outer, &inner);
            if nth > 0 {
                text += &self.join(&source, &relation, &inner);
            } else {
                text += &source;
            }
            inner.push(relation);
        }
        inner.extend(outer.iter().cloned());
        (text, inner)
    }

    /// Returns one relation of FROM. JSON functions may use the relations to the left.
    fn source(&mut self, outer: &Scope, left: &Scope) -> (String, Relation) {
        self.relations += 1;
        let alias = alias(self.random, self.relations);
        let choice = self.random.below(20);
        let (text, columns, rowid) = match choice {
            0 | 1 if self.may_nest() => {
                let columns = self.random.between(1, 3) as usize;
                let names = (1..=columns).map(|number| format!("c{number}")).collect();
                // A sub-query in FROM cannot use its neighbours.
                (
                    format!("({})", self.query(&Scope::new(), columns)),
                    names,
                    false,
                )
            }
            2 | 3 => {
                let visible = if left.is_empty() { outer } else { left };
                let list = match left
                    .iter()
                    .find(|relation| relation.columns.iter().any(|column| column == "j"))
                {
                    Some(relation) if self.random.chance(60) => format!("{}.j", relation.alias),
                    _ => self.json_list(visible),
                };
                let function =
                    *self
                        .random
                        .pick(&["json_each", "json_each", "json_tree", "jsonb_each"]);
                let columns = ["key", "value", "type"].map(str::to_owned).to_vec();
                (format!("{function}({list})"), columns, false)
            }
            4 => {
                let rows: Vec<String> = (0..self.random.between(1, 6))
                    .map(|_| format!("({}, {})", self.literal(), self.literal()))
                    .collect();
                let columns = ["column1", "column2"].map(str::to_owned).to_vec();
                (format!("(VALUES {})", rows.join(", ")), columns, false)
            }
            _ => {
                let source = self.random.pick(&self.sources).clone();
                (source.name, source.columns, source.rowid)
            }
        };
        let relation = Relation {
            alias: alias.clone(),
            columns,
            rowid,
        };
        (format!("{text} AS {alias}"), relation)
    }

    fn join(&mut self, source: &str, relation: &Relation, left: &Scope) -> String {
        let both = |column: &str| {
            let has = |relation: &Relation| relation.columns.iter().any(|name| name == column);
            has(relation) && left.iter().filter(|relation| has(relation)).count() == 1
        };
        if both("x") && self.random.chance(20) {
            let kind =
                *self
                    .random
                    .pick(&["JOIN", "LEFT JOIN", "INNER JOIN", "RIGHT JOIN", "FULL JOIN"]);
            return format!(" {kind} {source} USING (x)");
        }
        match self.random.below(14) {
            0 => return format!(" NATURAL JOIN {source}"),
            1 => return format!(", {source}"),
            2 => return format!(" NATURAL LEFT JOIN {source}"),
            _ => {}
        }
        let kind = *self.random.pick(&[
            "JOIN",
            "JOIN",
            "INNER JOIN",
            "LEFT JOIN",
            "LEFT JOIN",
            "CROSS JOIN",
            "RIGHT JOIN",
            "FULL JOIN",
        ]);
        let other = self.random.pick(left).clone();
        let mut condition = format!(
            "{}.{} = {}.{}",
            relation.alias,
            self.random.pick(&relation.columns),
            other.alias,
            self.random.pick(&other.columns)
        );
        if self.random.chance(25) {
            let mut scope = vec![relation.clone()];
            scope.extend(left.iter().cloned());
            let term = self.predicate(&scope, 2);
            let operator = *self.random.pick(&["AND", "AND", "OR"]);
            condition = format!("{condition} {operator} {term}");
        }
        format!(" {kind} {source} ON {condition}")
    }

    /// Returns `WITH …` or an empty text. Its definitions can be named afterwards.
    pub fn common_tables(&mut self) -> String {
        if !self.random.chance(40) {
            return String::new();
        }
        let mut definitions = Vec::new();
        for number in 0..self.random.between(1, 3) {
            let name = match self.random.below(6) {
                0 => format!("\"CONSTANT ROWS {number}\""),
                1 => format!("\"cte{number} (a=?)\""),
                _ => format!("cte{number}"),
            };
            if self.random.chance(35) {
                definitions.push(self.recursive(&name));
            } else {
                let columns = self.random.between(1, 3) as usize;
                let kind = *self
                    .random
                    .pick(&["", "", "MATERIALIZED ", "NOT MATERIALIZED "]);
                let body = self.query(&Scope::new(), columns);
                definitions.push(format!("{name} AS {kind}({body})"));
                let columns = (1..=columns).map(|number| format!("c{number}")).collect();
                let rowid = false;
                // It is added twice, so that it is often used more than once.
                let source = Source {
                    name,
                    columns,
                    rowid,
                };
                self.sources
                    .extend([source.clone(), source.clone(), source]);
            }
        }
        format!("WITH RECURSIVE {} ", definitions.join(", "))
    }

    fn recursive(&mut self, name: &str) -> String {
        let union = *self.random.pick(&["UNION ALL", "UNION ALL", "UNION"]);
        let depth = self.random.between(2, 6);
        let table = *self.random.pick(&["a", "b", "plain", "v_group", "child"]);
        let step = match self.random.below(6) {
            0 => format!(
                "SELECT n + 1, t.x FROM {name} r JOIN {table} t ON t.x = r.m WHERE n < {}",
                depth.min(3)
            ),
            1 => format!(
                "SELECT n + 1, t.x FROM {name} r, {table} t WHERE t.x = r.n AND n < {}",
                depth.min(3)
            ),
            2 => format!(
                "SELECT n + 1, (SELECT max(x) FROM {table} t WHERE t.x <= r.m) FROM {name} r WHERE n < {depth}"
            ),
            3 => format!("SELECT n + 1, m * 2 FROM {name} WHERE n < {depth} ORDER BY 2 DESC"),
            4 => format!(
                "SELECT n + 1, j.value FROM {name} r, json_each('[1,2,3]') j WHERE n < {}",
                depth.min(4)
            ),
            _ => format!("SELECT n + 1, m + n FROM {name} WHERE n < {}", depth * 10),
        };
        let limit = match self.random.below(4) {
            0 => format!(" LIMIT {}", self.random.between(1, 200)),
            1 => format!(
                " LIMIT {} OFFSET {}",
                self.random.between(1, 50),
                self.random.below(5)
            ),
            _ => String::new(),
        };
        let first = *self.random.pick(&[
            "SELECT 1, 0",
            "SELECT 0, x FROM b",
            "VALUES (1, 2), (2, 3)",
            "SELECT 1, x FROM parent WHERE id < 4",
        ]);
        let columns = ["n", "m"].map(str::to_owned).to_vec();
        let rowid = false;
        let source = Source {
            name: name.to_owned(),
            columns,
            rowid,
        };
        self.sources.extend([source.clone(), source]);
        format!("{name}(n, m) AS ({first} {union} {step}{limit})")
    }
}
