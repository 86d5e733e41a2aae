//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Issues that the check of one GraphQL response lists; the others are only counted.
    pub const MAX_GRAPHQL_ISSUES: usize = 100;

    /// Names of null root fields that a check lists. The limit is high because a program that
    /// requested many records under aliases needs these names to repeat the query for them.
    pub const MAX_GRAPHQL_NULL_FIELDS: usize = 1_000;

    /// Responses that are checked in one list. Servers return such a list for several queries that
    /// were sent together.
    pub const MAX_GRAPHQL_BATCH: usize = 1_000;

    /// Different paths of nulls in a check, such as `data.genes[].name`. Data with names as keys
    /// may have millions.
    pub const MAX_GRAPHQL_NULL_PATHS: usize = 1_000;

    /// Characters of one text in a GraphQL check: a message of the server, a path, a quoted call.
    pub const MAX_GRAPHQL_TEXT_CHARACTERS: usize = 300;

    /// Bytes of a GraphQL query that is read. Longer queries are only checked by the server.
    pub const MAX_GRAPHQL_QUERY_BYTES: usize = 256 * 1024;

    /// Tokens of a GraphQL query that is read, including blanks: the syntax tree takes some hundred
    /// bytes for each.
    pub const MAX_GRAPHQL_QUERY_TOKENS: usize = 20_000;

    /// Nesting of a GraphQL query or schema that is read. Recursive functions visit and drop the
    /// syntax tree, on a wasm stack of 4 MiB.
    pub const MAX_GRAPHQL_DEPTH: usize = 100;

    /// Issues that are listed for one GraphQL query: for each issue, a name is compared with those
    /// of the schema.
    pub const MAX_GRAPHQL_QUERY_ISSUES: usize = 20;

    /// Bytes of the response of an introspection: that of GitHub, one of the largest, has about 5
    /// MB.
    pub const MAX_GRAPHQL_INTROSPECTION_BYTES: usize = 16 * 1024 * 1024;

    /// Bytes of a schema in the schema definition language: the parser keeps all of it as a syntax
    /// tree.
    pub const MAX_GRAPHQL_SDL_BYTES: usize = 2 * 1024 * 1024;

    /// Tokens of a schema in the schema definition language.
    pub const MAX_GRAPHQL_SDL_TOKENS: usize = 400_000;

    /// JSON objects in the response of an introspection, each a type, a field, an argument or a
    /// part of one: that of GitHub has about a third of this number.
    pub const MAX_GRAPHQL_SCHEMA_MEMBERS: usize = 300_000;

    /// Bytes of a tool's arguments among which a GraphQL document and its variables are searched.
    pub const MAX_GRAPHQL_ARGUMENTS_BYTES: usize = 1024 * 1024;

    /// Bytes of data that are searched for missing fields and for errors of mutations; each nested
    /// level counts again.
    pub const MAX_GRAPHQL_PAYLOAD_BYTES: usize = 4 * 1024 * 1024;

    /// Elements of a list that are searched for missing fields: the others are similar.
    pub const MAX_GRAPHQL_PAYLOAD_ELEMENTS: usize = 3;

    /// Missing fields and errors of mutations that are reported.
    pub const MAX_GRAPHQL_PAYLOAD_ISSUES: usize = 10;
}
