//! Names for tables and columns: valid without quotes, of bounded length, and unique.

use base::text;
use std::collections::HashSet;

use crate::limits::MAX_STAGED_NAME_CHARACTERS;

/// Keys under which servers return their only list.
const LIST_KEYS: &[&str] = &[
    "content",
    "data",
    "docs",
    "documents",
    "edges",
    "elements",
    "entries",
    "hits",
    "items",
    "list",
    "nodes",
    "objects",
    "output",
    "records",
    "response",
    "result",
    "results",
    "rows",
    "value",
    "values",
];

/// Keys of paging details that servers return with a list: the next page, the total.
const PAGE_KEYS: &[&str] = &[
    "apiversion",
    "count",
    "cursor",
    "endcursor",
    "hasmore",
    "hasnextpage",
    "haspreviouspage",
    "istruncated",
    "limit",
    "message",
    "next",
    "nextcursor",
    "nextpage",
    "nextpagetoken",
    "offset",
    "page",
    "pages",
    "pagesize",
    "perpage",
    "prev",
    "previous",
    "query",
    "retmax",
    "retstart",
    "size",
    "skip",
    "source",
    "start",
    "startcursor",
    "status",
    "success",
    "timedout",
    "timestamp",
    "took",
    "total",
    "totalcount",
    "totalpages",
    "totalresults",
    "truncated",
    "version",
];

/// Words that SQLite reads as keywords in the place of a name.
const KEYWORDS: &[&str] = &[
    "add",
    "all",
    "alter",
    "and",
    "as",
    "autoincrement",
    "between",
    "case",
    "cast",
    "check",
    "collate",
    "commit",
    "constraint",
    "create",
    "current_date",
    "current_time",
    "current_timestamp",
    "default",
    "deferrable",
    "delete",
    "distinct",
    "drop",
    "else",
    "escape",
    "except",
    "exists",
    "foreign",
    "from",
    "group",
    "having",
    "in",
    "index",
    "insert",
    "intersect",
    "into",
    "is",
    "isnull",
    "join",
    "limit",
    "not",
    "nothing",
    "notnull",
    "null",
    "on",
    "or",
    "order",
    "primary",
    "raise",
    "references",
    "returning",
    "select",
    "set",
    "table",
    "then",
    "to",
    "transaction",
    "union",
    "unique",
    "update",
    "using",
    "values",
    "when",
    "where",
];

/// Returns true if a key is one under which servers return their only list.
pub(super) fn is_list_key(key: &str) -> bool {
    LIST_KEYS
        .iter()
        .any(|known| known.eq_ignore_ascii_case(key))
}

/// Returns true if a key holds paging details of a list.
pub(super) fn is_page_key(key: &str) -> bool {
    let folded: String = key
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    PAGE_KEYS.contains(&folded.as_str())
}

/// Returns the name of a column for the keys that lead to it. If it is too long, the first keys are
/// left out.
pub(super) fn column(path: &[&str]) -> String {
    let mended: Vec<String> = path.iter().map(|key| mend(key)).collect();
    let fits = |from: usize| {
        let rest = mended.get(from..).unwrap_or_default();
        let name = rest
            .iter()
            .filter(|part| !part.is_empty())
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("_");
        (name.chars().count() <= MAX_STAGED_NAME_CHARACTERS || from + 1 >= mended.len())
            .then_some(name)
    };
    let name = (0..mended.len().max(1)).find_map(fits).unwrap_or_default();
    usable(&cut(&name), "value")
}

/// Returns a part of a table name: in lower case, with underscores between words.
pub(super) fn table_part(text: &str) -> String {
    cut(&mend(&snake(text)))
}

/// Returns the table name for a server's tool, or the requested name; `staged_…` if the rule for
/// new names refuses it.
pub(super) fn table(parts: &[&str]) -> String {
    let mut words: Vec<String> = Vec::new();
    for part in parts
        .iter()
        .map(|part| table_part(part))
        .filter(|part| !part.is_empty())
    {
        // `pharos` and `pharos_query` are `pharos_query`.
        if let Some(last) = words.last()
            && (part == *last || part.starts_with(&format!("{last}_")))
        {
            words.pop();
        }
        words.push(part);
    }
    let name = usable(&cut(&words.join("_")), "answer");
    if sql_gate::require_new_name(&name).is_err() {
        return cut(&format!("staged_{}", name.trim_start_matches('_')));
    }
    name
}

/// Returns the name, or if it is taken, the first free one with `_2`, `_3`, … at its end, ignoring
/// case. Adds it to `taken`.
pub(super) fn unique(name: &str, taken: &mut HashSet<String>) -> String {
    let free = |name: &String| !taken.contains(&name.to_ascii_lowercase());
    let numbered = (2..=taken.len() + 2).map(|number| format!("{name}_{number}"));
    let found = std::iter::once(name.to_owned()).chain(numbered).find(free);
    let name = found.unwrap_or_else(|| name.to_owned());
    taken.insert(name.to_ascii_lowercase());
    name
}

/// Keeps letters, digits and underscores, and replaces everything between them by one underscore.
fn mend(text: &str) -> String {
    let mut mended = String::new();
    let mut gap = false;
    for letter in text.chars() {
        if letter.is_alphanumeric() || letter == '_' {
            if std::mem::take(&mut gap) && !mended.is_empty() && !mended.ends_with('_') {
                mended.push('_');
            }
            mended.push(letter);
        } else {
            gap = true;
        }
    }
    mended
}

/// Returns a name that SQL accepts without quotes; `empty` if the name is empty.
fn usable(name: &str, empty: &str) -> String {
    match name.chars().next() {
        None => empty.to_owned(),
        Some(first) if first.is_numeric() => format!("_{name}"),
        _ if KEYWORDS.iter().any(|word| word.eq_ignore_ascii_case(name)) => format!("{name}_"),
        _ => name.to_owned(),
    }
}

/// Converts `meshTerms` into `mesh_terms`.
fn snake(text: &str) -> String {
    let mut words = String::new();
    let mut lower = false;
    for letter in text.chars() {
        if lower && letter.is_uppercase() {
            words.push('_');
        }
        lower = letter.is_lowercase() || letter.is_numeric();
        words.extend(letter.to_lowercase());
    }
    words
}

fn cut(name: &str) -> String {
    text::first(name, MAX_STAGED_NAME_CHARACTERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_are_identifiers_keep_their_spelling_and_others_are_mended() {
        for (path, expected) in [
            (&["pmid"][..], "pmid"),
            (&["firstAuthor", "lastName"], "firstAuthor_lastName"),
            (&["first name"], "first_name"),
            (&["@id"], "id"),
            (&["a-b.c"], "a_b_c"),
            (&["_id"], "_id"),
            (&["5'UTR"], "_5_UTR"),
            (&["größe"], "größe"),
            (&["年"], "年"),
            (&["order"], "order_"),
            (&["a", "order"], "a_order"),
            (&["\"; DROP TABLE x; --"], "DROP_TABLE_x"),
            (&[""], "value"),
            (&["🙂"], "value"),
            (&["a", ""], "a"),
        ] {
            assert_eq!(column(path), expected, "{path:?}");
        }
    }

    #[test]
    fn long_names_lose_their_first_keys_and_then_their_end() {
        let long = "x".repeat(60);
        assert_eq!(column(&[&long, "module", "name"]), "module_name");
        assert_eq!(
            column(&[&"é".repeat(200)]).chars().count(),
            MAX_STAGED_NAME_CHARACTERS
        );
    }

    #[test]
    fn tables_are_called_after_server_and_tool() {
        for (parts, expected) in [
            (&["pubs", "search"][..], "pubs_search"),
            (&["pharos", "pharos_graphql_query"], "pharos_graphql_query"),
            (
                &["Clinical Trials", "getStudies"],
                "clinical_trials_get_studies",
            ),
            (&["My papers"], "my_papers"),
            (&["table"], "table_"),
            (&["_codemode_stage"], "staged_codemode_stage"),
            (&["sqlite", "schema"], "staged_sqlite_schema"),
            (&["execution_logs"], "staged_execution_logs"),
            (&["json_tree"], "staged_json_tree"),
            (&["JSON", "each"], "staged_json_each"),
            (&["pragma", "table info"], "staged_pragma_table_info"),
            (&["pragma"], "staged_pragma"),
            (&["sqlite"], "staged_sqlite"),
            (&["", "?"], "answer"),
        ] {
            assert_eq!(table(parts), expected, "{parts:?}");
        }
    }

    #[test]
    fn a_name_stands_once_whatever_its_case() {
        let mut taken = HashSet::new();
        let names: Vec<String> = ["id", "ID", "Id", "id_2"]
            .iter()
            .map(|name| unique(name, &mut taken))
            .collect();
        assert_eq!(names, ["id", "ID_2", "Id_3", "id_2_2"]);
    }
}
