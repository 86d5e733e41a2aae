//! Random statements that write: with every source of rows, conflicts, triggers, cascades and full
//! text.

use super::names::{Relation, Scope};
use super::select::Generator;

impl Generator<'_> {
    /// Returns an INSERT, UPDATE or DELETE.
    pub fn write(&mut self) -> String {
        match self.random.below(12) {
            0..=3 => self.insert(),
            4..=6 => self.update(),
            7..=9 => self.delete(),
            10 => self.cascade(),
            _ => self.full_text(),
        }
    }

    fn returning(&mut self, columns: &str) -> String {
        if self.random.chance(25) {
            format!(" RETURNING {columns}")
        } else {
            String::new()
        }
    }

    fn insert(&mut self) -> String {
        let with = self.common_tables();
        let conflict = *self.random.pick(&["", "", " OR IGNORE", " OR REPLACE"]);
        let (target, columns) = *self.random.pick(&[
            ("b", "x, y"),
            ("plain", "x, y"),
            ("log", "x, s"),
            ("without", "p, q"),
            ("a", "x, s"),
            ("own", "x, s"),
            ("strange", "x, \"a=?\""),
        ]);
        let rows = self.query(&Scope::new(), 2);
        if conflict.is_empty() && self.random.chance(25) {
            let upsert = match target {
                "own" => " ON CONFLICT (s) DO UPDATE SET x = excluded.x + 1",
                "without" => " ON CONFLICT (p, q) DO UPDATE SET x = q",
                _ => " ON CONFLICT DO NOTHING",
            };
            let rows = format!("SELECT * FROM ({rows}) WHERE true");
            return format!("{with}INSERT INTO {target} ({columns}) {rows}{upsert}");
        }
        let returning = self.returning("*");
        format!("{with}INSERT{conflict} INTO {target} ({columns}) {rows}{returning}")
    }

    fn target(&mut self) -> Relation {
        let (name, columns, rowid) = self
            .random
            .pick(&[
                ("a", &["id", "x", "y", "s"][..], true),
                ("b", &["x", "y", "s"][..], true),
                ("plain", &["x", "y", "s"][..], true),
                ("own", &["rowid", "x"][..], false),
                ("without", &["x", "y", "q"][..], false),
                ("strange", &["\"a=?\"", "x"][..], true),
                ("log", &["x", "s"][..], true),
            ])
            .to_owned();
        Relation {
            alias: name.to_owned(),
            columns: columns.iter().map(|&column| column.to_owned()).collect(),
            rowid,
        }
    }

    fn update(&mut self) -> String {
        let target = self.target();
        let column = target
            .columns
            .iter()
            .find(|column| column.contains('x') || column.contains('='))
            .cloned()
            .unwrap_or_default();
        let table = target.alias.clone();
        let scope = vec![target];
        let (from, scope) = if self.random.chance(40) {
            self.from(&scope, 2)
        } else {
            (String::new(), scope)
        };
        let value = self.expression(&scope, 1);
        let condition = self.predicate(&scope, 0);
        let returning = self.returning("1, 2");
        format!("UPDATE {table} SET {column} = {value}{from} WHERE {condition}{returning}")
    }

    fn delete(&mut self) -> String {
        let target = self.target();
        let table = target.alias.clone();
        let condition = self.predicate(&vec![target], 0);
        let returning = self.returning("*");
        match self.random.below(8) {
            0 => format!("DELETE FROM {table}{returning}"),
            _ => format!("DELETE FROM {table} WHERE {condition}{returning}"),
        }
    }

    fn cascade(&mut self) -> String {
        let number = self.random.below(9) + 1;
        match self.random.below(4) {
            0 => "DELETE FROM parent".to_owned(),
            1 => format!("DELETE FROM parent WHERE id <= {number}"),
            2 => format!("UPDATE parent SET x = x + 1000 WHERE id < {number}"),
            _ => {
                format!("DELETE FROM child WHERE parent_id IN (SELECT x FROM b WHERE y < {number})")
            }
        }
    }

    fn full_text(&mut self) -> String {
        let number = self.random.below(6);
        match self.random.below(4) {
            0 => format!("INSERT INTO words SELECT s, 'from a' FROM a WHERE x > {number}"),
            1 => format!("DELETE FROM words WHERE words MATCH 'w{number}'"),
            2 => format!(
                "UPDATE words SET title = 'w9' WHERE words MATCH 'two' AND rowid > {number}"
            ),
            _ => format!(
                "INSERT INTO log SELECT rank, title FROM words WHERE words MATCH 'w{number} OR one' ORDER BY rank LIMIT 5"
            ),
        }
    }
}
