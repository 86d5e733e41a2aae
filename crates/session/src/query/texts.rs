//! The notice of a statement that reads a TEXT column of a load as if it held numbers.

use std::collections::BTreeSet;

use base::Result;
use base::quoted::printed;
use database::Database;
use serde_json::Value;
use sql::catalog;
use sql::{Bound, Manner, NumericUse, Parameters, Reviewed};

use crate::Session;
use crate::loaded::{self, TextColumns};

/// Characters shown of a name.
const NAME_CHARACTERS: usize = 64;

/// Columns that a notice names.
const NAMED: usize = 5;

impl<D: Database> Session<'_, D> {
    /// What a statement reads as numbers although a load has made it TEXT. Where no load has, this is one look at a cache.
    pub(crate) fn texts_as_numbers(
        &self,
        reviewed: &Reviewed,
        bound: &Bound,
        parameters: &Parameters,
    ) -> Result<Option<String>> {
        let loaded = self.cache.loaded(|| loaded::text_columns(self.db))?;
        if loaded.is_empty() {
            return Ok(None);
        }
        let relations: Vec<String> = bound
            .relations()
            .chain(bound.written_table())
            .map(str::to_ascii_lowercase)
            .filter(|relation| loaded.contains_key(relation))
            .collect();
        if relations.is_empty() {
            return Ok(None);
        }
        let uses = self.cache.numeric_uses(reviewed.statement());
        let mut found = BTreeSet::new();
        for used in uses.iter().filter(|used| is_number(&used.how, parameters)) {
            if let Some((table, effect)) = effect(used, &relations, &loaded)
                && found.len() < NAMED
                && self.is_text(table, &used.column)?
            {
                found.insert(sentence(&used.column, table, effect));
            }
        }
        let all: Vec<String> = found.into_iter().collect();
        Ok((!all.is_empty()).then(|| all.join(" ")))
    }

    /// Whether a column is TEXT still: the table may be another one by now.
    fn is_text(&self, table: &str, column: &str) -> Result<bool> {
        let columns = catalog::columns(self.db, table)?;
        Ok(columns
            .iter()
            .any(|known| known.name.eq_ignore_ascii_case(column) && known.declared_type == "TEXT"))
    }
}

/// Whether a comparison is one with a number.
fn is_number(how: &Manner, parameters: &Parameters) -> bool {
    let Manner::ComparedWith(number, name) = how else {
        return true;
    };
    let value = match parameters {
        Parameters::None => None,
        Parameters::Positional(values) => number.checked_sub(1).and_then(|index| values.get(index)),
        Parameters::Named(values) => values
            .get(name.get(1..).unwrap_or_default())
            .or_else(|| values.get(name)),
    };
    matches!(value, Some(Value::Number(_)))
}

/// The table of a column that is read as numbers, and what comes of that.
fn effect<'r>(
    used: &NumericUse,
    relations: &'r [String],
    loaded: &TextColumns,
) -> Option<(&'r str, &'static str)> {
    let column = used.column.to_ascii_lowercase();
    let may_be_of = |relation: &String| match &used.qualifier {
        None => true,
        Some(qualifier) => {
            qualifier.name.eq_ignore_ascii_case(relation)
                || qualifier
                    .alias_of
                    .iter()
                    .any(|table| table.eq_ignore_ascii_case(relation))
        }
    };
    let (table, is_suspicious) = relations
        .iter()
        .filter(|relation| may_be_of(relation))
        .find_map(|relation| Some((relation, *loaded.get(relation)?.get(&column)?)))?;
    let effect = match &used.how {
        // Texts and ISO dates have an order of their own.
        Manner::Ordered if !is_suspicious => return None,
        Manner::Ordered => "its fields are ordered as texts, so that 9 comes after 40",
        Manner::Added => "a field that is no number is added up as the number it begins with, or 0",
        Manner::Compared | Manner::ComparedWith(..) => {
            "comparing it with a number compares texts, so that 9 is more than 40"
        }
    };
    Some((table, effect))
}

fn sentence(column: &str, table: &str, effect: &str) -> String {
    let (column, table) = (
        printed(column, NAME_CHARACTERS),
        printed(table, NAME_CHARACTERS),
    );
    format!(
        "The column {column} of {table} is TEXT since its load: {effect}. Load the file again with ?null=, ?decimal= or ?dates= that fits it, or write CAST({column} AS REAL)."
    )
}
