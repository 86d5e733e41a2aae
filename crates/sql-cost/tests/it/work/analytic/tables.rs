//! The tables in their three variants.

/// The keys and indexes that a database has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Primary keys and secondary indexes.
    Indexed,
    /// Primary keys only.
    Keys,
    /// Plain tables with only their hidden rowid.
    Bare,
}

impl Variant {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Indexed, Self::Keys, Self::Bare];

    /// Returns its name in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Indexed => "indexed",
            Self::Keys => "keys",
            Self::Bare => "bare",
        }
    }
}

/// One table.
#[derive(Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// The names and types of its columns.
    pub columns: &'static str,
    /// The columns of the primary key.
    pub key: &'static str,
    /// The columns of each secondary index.
    pub indexes: &'static [&'static str],
}

impl Table {
    /// Returns the statement that makes the table.
    pub fn create(&self, variant: Variant) -> String {
        match variant {
            Variant::Bare => format!("CREATE TABLE {} ({})", self.name, self.columns),
            Variant::Keys | Variant::Indexed => format!(
                "CREATE TABLE {} ({}, PRIMARY KEY ({}))",
                self.name, self.columns, self.key
            ),
        }
    }

    /// Returns the statements that make its secondary indexes.
    pub fn create_indexes(&self, variant: Variant) -> Vec<String> {
        let wanted = match variant {
            Variant::Indexed => self.indexes,
            Variant::Keys | Variant::Bare => &[],
        };
        let index = |columns: &&str| {
            let suffix = columns.replace(", ", "_");
            format!("CREATE INDEX {0}_{suffix} ON {0} ({columns})", self.name)
        };
        wanted.iter().map(index).collect()
    }

    /// Returns the number of its columns.
    pub fn width(&self) -> usize {
        self.columns.split(", ").count()
    }
}

/// A trading company and the visits to its site.
pub const TABLES: [Table; 9] = [
    Table {
        name: "region",
        columns: "id INTEGER, name TEXT",
        key: "id",
        indexes: &[],
    },
    Table {
        name: "nation",
        columns: "id INTEGER, region_id INTEGER, name TEXT",
        key: "id",
        indexes: &["region_id"],
    },
    Table {
        name: "customer",
        columns: "id INTEGER, nation_id INTEGER, name TEXT, segment TEXT, balance REAL, phone TEXT, joined_on TEXT",
        key: "id",
        indexes: &["nation_id"],
    },
    Table {
        name: "supplier",
        columns: "id INTEGER, nation_id INTEGER, name TEXT, rating INTEGER, balance REAL, note TEXT",
        key: "id",
        indexes: &["nation_id"],
    },
    Table {
        name: "part",
        columns: "id INTEGER, name TEXT, brand TEXT, kind TEXT, size INTEGER, container TEXT, retail REAL",
        key: "id",
        indexes: &["brand"],
    },
    Table {
        name: "partsupp",
        columns: "part_id INTEGER, supplier_id INTEGER, available INTEGER, cost REAL",
        key: "part_id, supplier_id",
        indexes: &["supplier_id"],
    },
    Table {
        name: "orders",
        columns: "id INTEGER, customer_id INTEGER, state TEXT, total REAL, ordered_on TEXT, priority TEXT, clerk TEXT, comment TEXT, tags TEXT",
        key: "id",
        indexes: &["customer_id", "ordered_on"],
    },
    Table {
        name: "lineitem",
        columns: "order_id INTEGER, line INTEGER, part_id INTEGER, supplier_id INTEGER, quantity INTEGER, price REAL, discount REAL, tax REAL, return_flag TEXT, state TEXT, shipped_on TEXT, committed_on TEXT, received_on TEXT, mode TEXT",
        key: "order_id, line",
        indexes: &["part_id, supplier_id", "supplier_id", "shipped_on"],
    },
    Table {
        name: "hits",
        columns: "id INTEGER, user_id INTEGER, session_id INTEGER, counter_id INTEGER, seen_at TEXT, day TEXT, region_id INTEGER, url TEXT, referrer TEXT, title TEXT, phrase TEXT, engine INTEGER, system TEXT, browser TEXT, device TEXT, is_mobile INTEGER, is_refresh INTEGER, is_link INTEGER, width INTEGER, height INTEGER, duration INTEGER, ad_id INTEGER, source INTEGER, client INTEGER, language TEXT, settings TEXT",
        key: "id",
        indexes: &["user_id, seen_at", "session_id", "day", "counter_id, day"],
    },
];
