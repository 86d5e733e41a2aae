//! Expressions and conditions.

use super::*;

impl Generator<'_> {
    pub(super) fn number(&mut self, depth: usize) -> String {
        let source = self.any_source();
        let column = source.numbers[self.random.index(source.numbers.len())].clone();
        let qualified = self.column(&source.alias, &column);
        if depth == 0 {
            return qualified;
        }
        match self.random.below(16) {
            0 => self.random.below(5).to_string(),
            1 => format!("{} + {}", self.number(depth - 1), self.number(depth - 1)),
            2 => format!("abs({qualified})"),
            3 => format!(
                "CASE WHEN {} THEN {} ELSE {qualified} END",
                self.condition(depth - 1),
                self.number(depth - 1)
            ),
            4 if self.depth < 3 => self.scalar(),
            5 => format!("coalesce({qualified}, {})", self.number(depth - 1)),
            6 => format!("length({})", self.text(depth - 1)),
            7 => format!("json_array_length({})", self.json()),
            8 => format!("({} ->> '$.a')", self.json()),
            _ => qualified,
        }
    }

    pub(super) fn column(&mut self, alias: &str, column: &str) -> String {
        let column = self.quoted(column);
        format!("{alias}.{column}")
    }

    pub(super) fn scalar(&mut self) -> String {
        let from = self.from();
        let text = format!(
            "(SELECT {} FROM {from}{})",
            self.aggregate(),
            self.condition_clause()
        );
        self.scopes.pop();
        text
    }

    pub(super) fn text(&mut self, depth: usize) -> String {
        let source = self.any_source();
        if source.texts.is_empty() {
            return self.random.pick(&["'a'", "'b'", "'{\"a\":2}'"]).to_owned();
        }
        let column = source.texts[self.random.index(source.texts.len())].clone();
        let qualified = self.column(&source.alias, &column);
        if depth == 0 {
            return qualified;
        }
        match self.random.below(9) {
            0 => format!("upper({qualified})"),
            1 => format!("{qualified} || {}", self.text(depth - 1)),
            2 => format!("json_extract({}, '$.a')", self.json()),
            3 => format!("substr({qualified}, 1, 2)"),
            _ => qualified,
        }
    }

    /// Returns a text that is JSON in every row of the tenant and not in those of others. The plan
    /// decides if the engine evaluates a bad one, so the tenant's own rows have none.
    pub(super) fn json(&mut self) -> String {
        let source = self.any_source();
        if source.texts.iter().any(|name| name == "note") {
            self.column(&source.alias, "note")
        } else {
            "'{\"a\":2}'".to_owned()
        }
    }

    pub(super) fn aggregate(&mut self) -> String {
        // The argument belongs to the query itself: with one of a surrounding query, the
        // aggregation would happen there.
        let sources = self.scopes.last().unwrap().clone();
        let source = &sources[self.random.index(sources.len())];
        let number = format!(
            "{}.{}",
            source.alias,
            source.numbers[self.random.index(source.numbers.len())]
        );
        match self.random.below(6) {
            0 => "count(*)".to_owned(),
            1 => format!("count(DISTINCT {number})"),
            2 => format!("max({number})"),
            3 => format!("min({number})"),
            4 => format!("count({number}) FILTER (WHERE {number} > 2)"),
            _ => format!("total({number} % 7)"),
        }
    }

    pub(super) fn condition_clause(&mut self) -> String {
        if self.random.chance(60) {
            format!(" WHERE {}", self.condition(2))
        } else {
            String::new()
        }
    }

    pub(super) fn condition(&mut self, depth: usize) -> String {
        let comparison = self
            .random
            .pick(&["=", "<", ">", "<>", "IS", "IS NOT", "<="]);
        if depth == 0 {
            return format!("{} {comparison} {}", self.number(0), self.random.below(5));
        }
        match self.random.below(20) {
            0 => format!(
                "{} AND {}",
                self.condition(depth - 1),
                self.condition(depth - 1)
            ),
            1 | 2 => format!(
                "({} OR {})",
                self.condition(depth - 1),
                self.condition(depth - 1)
            ),
            3 => format!("NOT ({})", self.condition(depth - 1)),
            4 => format!(
                "{} IN ({}, {})",
                self.number(0),
                self.random.below(5),
                self.number(0)
            ),
            5 if self.depth < 3 => format!("{} IN ({})", self.number(0), self.query(1, false)),
            6 if self.depth < 3 => {
                let from = self.from();
                let text = format!("EXISTS (SELECT 1 FROM {from}{})", self.condition_clause());
                self.scopes.pop();
                format!("{}{text}", self.random.pick(&["", "NOT "]))
            }
            7 => format!(
                "{} BETWEEN {} AND {}",
                self.number(1),
                self.random.below(3),
                self.random.below(6)
            ),
            8 => format!(
                "{} {} 'a%'",
                self.text(0),
                self.random.pick(&["LIKE", "NOT LIKE"])
            ),
            9 => format!("{} LIKE {}", self.text(0), self.text(0)),
            10 => format!("json_extract({}, '$.a') = 1", self.json()),
            11 => format!("{} > 'A' AND json_valid({})", self.text(0), self.text(0)),
            12 => {
                let note = self.json();
                format!("{note} > '' AND json_array_length({note}) > 0")
            }
            13 if self.depth < 3 => format!("{} = {}", self.number(0), self.scalar()),
            14 => format!(
                "{} {comparison} {} COLLATE NOCASE",
                self.text(1),
                self.text(1)
            ),
            15 => format!("{} IS NULL", self.text(1)),
            16 => format!(
                "({}, {}) = ({}, {})",
                self.number(0),
                self.number(0),
                self.number(0),
                self.random.below(3)
            ),
            17 => format!(
                "CASE WHEN {} = 'secret' THEN json('bad') ELSE 1 END",
                self.text(0)
            ),
            _ => format!("{} {comparison} {}", self.number(1), self.number(1)),
        }
    }
}
