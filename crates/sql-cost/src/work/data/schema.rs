//! Looks up facts about tables, indexes and columns in the schema, by root page.

use super::Schema;
use super::affinity::Affinity;
use super::counts::Owner;
use super::statistics::{SchemaRows, Statistics};
use database::{Cell, Database};

impl<D: Database> Statistics<'_, D> {
    /// Returns the columns of an index with their collations, or `None` if one of them is an
    /// expression.
    pub fn index_columns(&self, index: &str, columns: usize) -> Option<Vec<(String, String)>> {
        let rows = self.of_schema(
            "SELECT name, coll FROM pragma_index_xinfo(?1) WHERE key = 1 ORDER BY seqno",
            &[index],
        )?;
        let names: Option<Vec<(String, String)>> = rows
            .iter()
            .take(columns)
            .map(|row| {
                let name = row.first()?.as_text()?.to_owned();
                Some((name, row.get(1)?.clone().into_text()))
            })
            .collect();
        names.filter(|names| names.len() == columns)
    }

    pub fn is_unique(&self, owner: &Owner, index: &str, columns: usize) -> bool {
        let found = self.of_schema(
            "SELECT count(*) FROM pragma_index_list(?1) AS l, pragma_index_xinfo(?2) AS x \
             WHERE l.name = ?2 AND l.\"unique\" = 1 AND x.key = 1",
            &[&owner.table, index],
        );
        let count = |rows: SchemaRows| Some(rows.first()?.first()?.as_count());
        let keys = found.and_then(count).unwrap_or(0);
        keys > 0 && keys <= columns as u64
    }
}

impl<D: Database> Schema for Statistics<'_, D> {
    // A table WITHOUT ROWID is also an index, and is listed as one.
    fn column_name(&self, page: i64, column: i64) -> Option<String> {
        const OF_SCHEMA: [&str; 5] = ["type", "name", "tbl_name", "rootpage", "sql"];
        let wanted = usize::try_from(column).ok()?;
        if page == 1 {
            return OF_SCHEMA.get(wanted).map(|name| (*name).to_owned());
        }
        let owner = self.owner(page)?;
        let columns = "SELECT name FROM pragma_index_xinfo(?1) ORDER BY seqno";
        let index = owner.index.as_ref().unwrap_or(&owner.table);
        let mut rows = self.of_schema(columns, &[index])?;
        if rows.is_empty() {
            rows = self.of_schema(
                "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden <> 2 ORDER BY cid",
                &[&owner.table],
            )?;
        }
        let name = rows.get(wanted)?.first()?;
        name.as_text().map(str::to_owned)
    }

    fn rowid_name(&self, page: i64) -> Option<String> {
        const NAMES: [&str; 3] = ["rowid", "_rowid_", "oid"];
        let table = self.table(page)?;
        let rows = self.of_schema("SELECT name FROM pragma_table_xinfo(?1)", &[&table])?;
        let taken = |name: &str| {
            rows.iter()
                .filter_map(|row| row.first().and_then(Cell::as_text))
                .any(|column| column.eq_ignore_ascii_case(name))
        };
        NAMES
            .into_iter()
            .find(|name| !taken(name))
            .map(str::to_owned)
    }

    fn key_columns(&self, page: i64, columns: usize) -> Option<Vec<(String, String)>> {
        let owner = self.owner(page)?;
        let index = owner.index.as_ref().unwrap_or(&owner.table);
        self.index_columns(index, columns)
    }

    fn is_ordered_by_rowid(&self, page: i64) -> bool {
        self.owner(page).is_some_and(|owner| owner.index.is_none())
            && self.key_columns(page, 1).is_none()
    }

    fn ascending_column(&self, page: i64, behind: usize) -> Option<(String, String)> {
        let owner = self.owner(page)?;
        let index = owner.index.as_ref().unwrap_or(&owner.table);
        let rows = self.of_schema(
            "SELECT \"desc\" FROM pragma_index_xinfo(?1) WHERE key = 1 ORDER BY seqno",
            &[index],
        )?;
        let descends = rows.get(behind)?.first()?.as_integer() != 0;
        (!descends)
            .then(|| self.index_columns(index, behind + 1)?.pop())
            .flatten()
    }

    fn affinity(&self, page: i64, column: i64) -> Affinity {
        let declared = self
            .column_name(page, column)
            .zip(self.table(page))
            .and_then(|(name, table)| {
                let found = self.of_schema(
                    "SELECT type FROM pragma_table_xinfo(?1) WHERE name = ?2",
                    &[&table, &name],
                );
                found?.first()?.first().cloned()
            });
        declared.map_or(Affinity::Unknown, |declared| {
            Affinity::of_type(&declared.into_text())
        })
    }

    fn is_never_null(&self, page: i64, column: i64) -> bool {
        let Some((name, table)) = self.column_name(page, column).zip(self.table(page)) else {
            return false;
        };
        let found = self.of_schema(
            "SELECT 1 FROM pragma_table_xinfo(?1) WHERE name = ?2 AND \"notnull\" = 1",
            &[&table, &name],
        );
        found.is_some_and(|rows| !rows.is_empty())
    }
}
