//! Statements that change rows.

use super::*;

impl Generator<'_> {
    /// Returns a table that may be written, and the name that qualifies its columns.
    pub(super) fn target(&mut self) -> (&'static Table, String, String) {
        let table = &TABLES[self.random.index(4)];
        let name = self.table_name(table.name);
        if self.random.chance(30) {
            let alias = format!("x{}", self.aliases);
            (table, format!("{name} AS {alias}"), alias)
        } else {
            (
                table,
                name,
                format!("\"{}\"", table.name.replace('"', "\"\"")),
            )
        }
    }

    pub(super) fn written_source(table: &Table, alias: &str) -> Source {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Source {
            alias: alias.to_owned(),
            numbers: owned(table.numbers),
            texts: owned(table.texts),
            key: table.key.map(str::to_owned),
        }
    }

    pub(super) fn settable(&mut self, table: &Table) -> (String, bool) {
        match (table.name, self.random.below(3)) {
            ("customers", 0) => ("score".to_owned(), true),
            ("customers", 1) => ("city".to_owned(), false),
            ("orders", 0) => ("ref".to_owned(), true),
            (_, 0 | 1) if table.name != "customers" => ("qty".to_owned(), true),
            _ => ("note".to_owned(), false),
        }
    }

    pub(super) fn assignment(&mut self, table: &Table) -> String {
        let (column, is_number) = self.settable(table);
        let value = if is_number {
            self.number(2)
        } else {
            self.text(2)
        };
        format!("{} = {value}", self.quoted(&column))
    }

    /// Returns a RETURNING clause. In SQLite, the rows that a sub-query reads there from the
    /// written table are undefined, so it reads another one.
    pub(super) fn returning(&mut self, table: &Table) -> String {
        let other = if table.name == "orders" {
            "customers"
        } else {
            "orders"
        };
        match self.random.below(4) {
            0 => " RETURNING *".to_owned(),
            1 => format!(
                " RETURNING {}, (SELECT count(*) FROM {other})",
                self.number(0)
            ),
            _ => String::new(),
        }
    }

    pub(super) fn update(&mut self) -> String {
        let with = if self.random.chance(20) {
            self.with()
        } else {
            String::new()
        };
        let (table, name, alias) = self.target();
        self.scopes.push(vec![Self::written_source(table, &alias)]);
        let set = self.assignment(table);
        let set = if self.random.chance(20) && !set.contains("qty") {
            format!("{set}, qty = 3")
        } else {
            set
        };
        let set = if table.name == "customers" {
            set.replace(", qty = 3", "")
        } else {
            set
        };
        let or = self.random.pick(&["", "", "", "OR IGNORE ", "OR ABORT "]);
        let returning = self.returning(table);
        let from = if self.random.chance(20) && or.is_empty() {
            // Each row has one matching row, by its key.
            let other = &TABLES[self.random.pick(&[&0_usize, &1, &3, &4]).to_owned()];
            let key = format!("{alias}.{}", table.numbers[0]);
            let source = self.quoted(other.name);
            let hidden = self
                .ctes
                .iter()
                .any(|(name, _)| name.eq_ignore_ascii_case(other.name));
            (!hidden).then(|| format!(" FROM {source} AS f WHERE f.id = {key}"))
        } else {
            None
        };
        let clause = match from {
            Some(from) => format!("{from} AND {}", self.condition(1)),
            None => self.condition_clause(),
        };
        self.scopes.pop();
        // The order of updates decides which row conflicts with which.
        let or = if set.contains("ref") { "" } else { or };
        format!("{with}UPDATE {or}{name} SET {set}{clause}{returning}")
    }

    pub(super) fn delete(&mut self) -> String {
        let with = if self.random.chance(20) {
            self.with()
        } else {
            String::new()
        };
        let (table, name, alias) = self.target();
        self.scopes.push(vec![Self::written_source(table, &alias)]);
        let clause = self.condition_clause();
        let returning = self.returning(table);
        self.scopes.pop();
        format!("{with}DELETE FROM {name}{clause}{returning}")
    }

    pub(super) fn insert(&mut self) -> String {
        let with = if self.random.chance(20) {
            self.with()
        } else {
            String::new()
        };
        let (table, name, alias) = self.target();
        let (columns, upsert_key) = match table.name {
            "customers" => ("id, score", "(id)"),
            "orders" => ("id, ref", "(business_id, ref)"),
            "Größe" => ("id, qty", "(id)"),
            _ => ("order_id, line", "(business_id, order_id, line)"),
        };
        // Keys in the tenant's own range, some of them taken.
        let rows: Vec<String> = (0..=self.random.below(3))
            .map(|row| {
                format!(
                    "({}, {})",
                    3 + row * 4 + self.random.below(3),
                    self.random.below(20)
                )
            })
            .collect();
        let source = match self.random.below(4) {
            0 => format!(
                "SELECT 500 + {}, count(*) FROM orders",
                self.random.below(3)
            ),
            1 if table.name != "order\"lines" => {
                let hidden = self
                    .ctes
                    .iter()
                    .any(|(name, _)| name.eq_ignore_ascii_case("orders"));
                if hidden {
                    "VALUES (901, 1)".to_owned()
                } else {
                    "SELECT id + 300, id + 300 FROM orders WHERE qty > 2".to_owned()
                }
            }
            _ => format!("VALUES {}", rows.join(", ")),
        };
        let parsed = source.starts_with("SELECT") && !source.contains("WHERE");
        let source = if parsed {
            format!("{source} WHERE true")
        } else {
            source
        };
        self.scopes.push(vec![Self::written_source(table, &alias)]);
        let or = self.random.pick(&["", "", "", "OR IGNORE "]);
        let upsert = match self.random.below(4) {
            0 => format!(" ON CONFLICT {upsert_key} DO NOTHING"),
            1 => {
                let column = if table.name == "customers" {
                    "score"
                } else {
                    "qty"
                };
                let condition = if self.random.chance(40) {
                    format!(" WHERE {}", self.condition(1))
                } else {
                    String::new()
                };
                format!(
                    " ON CONFLICT {upsert_key} DO UPDATE SET {column} = {}{condition}",
                    self.number(1)
                )
            }
            2 => " ON CONFLICT DO NOTHING".to_owned(),
            _ => String::new(),
        };
        let returning = self.returning(table);
        self.scopes.pop();
        format!("{with}INSERT {or}INTO {name} ({columns}) {source}{upsert}{returning}")
    }
}
