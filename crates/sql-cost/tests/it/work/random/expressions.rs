//! Random expressions and predicates over the relations in scope.

use super::names::Scope;
use super::select::Generator;

/// The depth to which expressions nest.
const MAX_DEPTH: usize = 3;

impl Generator<'_> {
    /// Returns a column of a relation in scope, most often of an inner one, or a literal if there
    /// is none.
    pub fn column(&mut self, scope: &Scope) -> String {
        if scope.is_empty() {
            return self.literal();
        }
        let at = self.random.skewed(scope.len() as u64, 1.5) as usize;
        let relation = &scope[at];
        if relation.rowid && self.random.chance(6) {
            return format!("{}.rowid", relation.alias);
        }
        let column = self.random.pick(&relation.columns);
        format!("{}.{column}", relation.alias)
    }

    /// Returns a constant.
    pub fn literal(&mut self) -> String {
        match self.random.below(12) {
            0 => "NULL".to_owned(),
            1 => format!("'w{}'", self.random.below(6)),
            2 => "2.5".to_owned(),
            3 => {
                let value = self.random.below(8);
                self.value(serde_json::json!(value))
            }
            4 => {
                let text = format!("w{}", self.random.below(6));
                self.value(serde_json::json!(text))
            }
            _ => self.random.below(9).to_string(),
        }
    }

    /// Returns any expression.
    pub fn expression(&mut self, scope: &Scope, depth: usize) -> String {
        if depth >= MAX_DEPTH {
            return self.column(scope);
        }
        let depth = depth + 1;
        match self.random.below(22) {
            0 => self.literal(),
            1 | 2 => {
                let operator = *self.random.pick(&["+", "-", "*", "%", "||", "&"]);
                format!(
                    "({} {operator} {})",
                    self.expression(scope, depth),
                    self.expression(scope, depth)
                )
            }
            3 => format!("abs({})", self.column(scope)),
            4 => format!("length({})", self.expression(scope, depth)),
            5 => format!(
                "coalesce({}, {})",
                self.column(scope),
                self.expression(scope, depth)
            ),
            6 => format!(
                "CASE WHEN {} THEN {} ELSE {} END",
                self.predicate(scope, depth),
                self.expression(scope, depth),
                self.expression(scope, depth)
            ),
            7 => format!("substr({}, 1, 2)", self.column(scope)),
            8 => format!(
                "max({}, {})",
                self.column(scope),
                self.expression(scope, depth)
            ),
            9 => format!("CAST({} AS TEXT)", self.column(scope)),
            10 => format!("json_array({}, {})", self.column(scope), self.column(scope)),
            11 if self.may_nest() => self.scalar(scope),
            12 => format!("{} + 0", self.column(scope)),
            13 => format!("likely({})", self.column(scope)),
            _ => self.column(scope),
        }
    }

    /// Returns a sub-query of one value.
    fn scalar(&mut self, scope: &Scope) -> String {
        if self.random.chance(50) {
            let aggregate = *self.random.pick(&["count", "max", "min", "sum", "total"]);
            let (from, inner) = self.from(scope, 2);
            let value = self.column(&inner);
            let condition = self.predicate(&inner, 1);
            return format!("(SELECT {aggregate}({value}){from} WHERE {condition})");
        }
        format!("({})", self.query(scope, 1))
    }

    /// Returns an expression that is true or false.
    pub fn predicate(&mut self, scope: &Scope, depth: usize) -> String {
        if depth >= MAX_DEPTH {
            return format!("{} = {}", self.column(scope), self.literal());
        }
        let depth = depth + 1;
        match self.random.below(32) {
            0..=4 => format!("{} = {}", self.column(scope), self.column(scope)),
            5..=8 => format!("{} = {}", self.column(scope), self.literal()),
            9 | 10 => {
                let operator = *self
                    .random
                    .pick(&["<", ">", "<=", ">=", "<>", "IS", "IS NOT"]);
                format!(
                    "{} {operator} {}",
                    self.column(scope),
                    self.expression(scope, depth)
                )
            }
            11 => format!(
                "{} BETWEEN {} AND {}",
                self.column(scope),
                self.literal(),
                self.expression(scope, depth)
            ),
            12 | 13 => {
                let items: Vec<String> = (0..self.random.between(1, 5))
                    .map(|_| self.literal())
                    .collect();
                let not = self.maybe_not();
                format!("{} {not}IN ({})", self.column(scope), items.join(", "))
            }
            14 | 15 if self.may_nest() => {
                let not = self.maybe_not();
                let list = self.query(scope, 1);
                format!("{} {not}IN ({list})", self.column(scope))
            }
            16 | 17 if self.may_nest() => {
                let not = self.maybe_not();
                format!("{not}EXISTS ({})", self.query(scope, 1))
            }
            18..=20 => format!(
                "({} OR {})",
                self.predicate(scope, depth),
                self.predicate(scope, depth)
            ),
            21 => format!(
                "({} AND {})",
                self.predicate(scope, depth),
                self.predicate(scope, depth)
            ),
            22 => format!("NOT ({})", self.predicate(scope, depth)),
            23 => format!("{} IS NOT NULL", self.column(scope)),
            24 => format!("{} LIKE '%{}%'", self.column(scope), self.random.below(6)),
            25 if self.may_nest() => {
                let pair = self.query(scope, 2);
                format!(
                    "({}, {}) IN ({pair})",
                    self.column(scope),
                    self.column(scope)
                )
            }
            26 => format!(
                "({}, {}) > ({}, {})",
                self.column(scope),
                self.column(scope),
                self.literal(),
                self.literal()
            ),
            27 => self.or_over_columns(scope),
            28 => format!(
                "{} IN (SELECT value FROM json_each({}))",
                self.column(scope),
                self.json_list(scope)
            ),
            _ => format!("{} = {}", self.column(scope), self.expression(scope, depth)),
        }
    }

    /// Returns OR terms over several columns of one relation, which may use several indexes.
    fn or_over_columns(&mut self, scope: &Scope) -> String {
        let Some(relation) = scope.first() else {
            return "1".to_owned();
        };
        let alias = relation.alias.clone();
        let columns = relation.columns.clone();
        let terms: Vec<String> = columns
            .iter()
            .take(self.random.between(2, 3) as usize)
            .map(|column| format!("{alias}.{column} = {}", self.expression(scope, 2)))
            .collect();
        format!("({})", terms.join(" OR "))
    }

    /// Returns a JSON list: literal, bound, stored, or computed.
    pub fn json_list(&mut self, scope: &Scope) -> String {
        let items: Vec<String> = (0..self.random.below(12))
            .map(|_| self.random.below(9).to_string())
            .collect();
        let text = format!("[{}]", items.join(","));
        match self.random.below(6) {
            0 => self.value(serde_json::json!(text)),
            1 => format!("json_array({}, {})", self.column(scope), self.column(scope)),
            2 => "(SELECT json_group_array(x) FROM b)".to_owned(),
            3 => format!("'[' || {} || ',7,8,9]'", self.column(scope)),
            4 => "(SELECT j FROM a WHERE j IS NOT NULL ORDER BY length(j) DESC LIMIT 1)".to_owned(),
            _ => format!("'{text}'"),
        }
    }

    /// Returns `NOT ` or an empty text.
    pub fn maybe_not(&mut self) -> &'static str {
        if self.random.chance(35) { "NOT " } else { "" }
    }
}
