//! The columns of nodes and edges, and their JSON, as fragments of SQL.
//!
//! The fragments are macros because our SQL is constant: `concat!` joins them at compile time.

/// The columns of a node besides `seq` and `version`.
macro_rules! node_columns {
    () => {
        "id, label, type, data, x, y, pinned, created_at, updated_at"
    };
}

/// The columns of an edge besides `seq` and `version`.
macro_rules! edge_columns {
    () => {
        "id, source, target, label, type, data, created_at, updated_at"
    };
}

/// A coordinate as JSON: the shortest of three forms that represents the number exactly.
macro_rules! coordinate {
    ($column:literal) => {
        concat!(
            "CASE WHEN ",
            $column,
            " = CAST(",
            $column,
            " AS INTEGER) THEN CAST(",
            $column,
            " AS INTEGER) \
             WHEN CAST(printf('%!.15g', ",
            $column,
            ") AS REAL) = ",
            $column,
            " THEN printf('%!.15g', ",
            $column,
            ") \
             ELSE printf('%!.17g', ",
            $column,
            ") END"
        )
    };
}

/// The fields of a node as JSON text, without the closing brace.
macro_rules! node_fields {
    () => {
        concat!(
            "'{\"id\":' || json_quote(id) || ',\"label\":' || json_quote(label) || ',\"type\":' || json_quote(type) \
             || ',\"data\":' || data || ',\"position\":{\"x\":' || ", coordinate!("x"), " || ',\"y\":' || ", coordinate!("y"),
            " || '}' || CASE WHEN pinned THEN ',\"pinned\":true' ELSE '' END \
             || ',\"createdAt\":\"' || created_at || '\",\"updatedAt\":\"' || updated_at || '\"'"
        )
    };
}

/// A node as JSON text.
macro_rules! node_json {
    () => {
        concat!(node_fields!(), " || '}'")
    };
}

/// An edge as JSON text.
macro_rules! edge_json {
    () => {
        "'{\"id\":' || json_quote(id) || ',\"source\":' || json_quote(source) || ',\"target\":' || json_quote(target) \
         || ',\"label\":' || json_quote(label) || ',\"type\":' || json_quote(type) || ',\"data\":' || data \
         || ',\"createdAt\":\"' || created_at || '\",\"updatedAt\":\"' || updated_at || '\"}'"
    };
}

pub(crate) use {coordinate, edge_columns, edge_json, node_columns, node_fields, node_json};
