//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Issues that the check of one GraphQL response lists; the rest are counted.
    pub const MAX_GRAPHQL_ISSUES: usize = 100;

    /// Names of null root fields that a check lists: a program that asks for many records under aliases asks for these again.
    pub const MAX_GRAPHQL_NULL_FIELDS: usize = 1_000;

    /// Responses of one list, as servers answer several queries at once, that a check looks at.
    pub const MAX_GRAPHQL_BATCH: usize = 1_000;

    /// Paths of nulls that a check tells apart, such as `data.genes[].name`. Data with names for keys could have millions.
    pub const MAX_GRAPHQL_NULL_PATHS: usize = 1_000;

    /// Characters of one text of a GraphQL check: a message of the server, a path, a call as it is quoted.
    pub const MAX_GRAPHQL_TEXT_CHARACTERS: usize = 300;

    /// Text of a GraphQL query that is read. A longer one is left to its server.
    pub const MAX_GRAPHQL_QUERY_BYTES: usize = 256 * 1024;

    /// Tokens of a GraphQL query that is read, blanks between them included: its tree takes some hundred bytes for each.
    pub const MAX_GRAPHQL_QUERY_TOKENS: usize = 20_000;

    /// Nesting of a GraphQL query or schema that is read. The tree is walked and dropped by recursion, on a wasm stack of 4 MiB.
    pub const MAX_GRAPHQL_DEPTH: usize = 100;

    /// Issues that are listed of one GraphQL query: for each, names are compared.
    pub const MAX_GRAPHQL_QUERY_ISSUES: usize = 20;

    /// Text of the response of an introspection: that of GitHub, one of the largest, has some 5 MB.
    pub const MAX_GRAPHQL_INTROSPECTION_BYTES: usize = 16 * 1024 * 1024;

    /// Text of a schema in the schema definition language: the parser keeps all of it as a tree.
    pub const MAX_GRAPHQL_SDL_BYTES: usize = 2 * 1024 * 1024;

    /// Tokens of such a text.
    pub const MAX_GRAPHQL_SDL_TOKENS: usize = 400_000;

    /// JSON objects in the response of an introspection, each a type, a field, an argument or a part of one: that of GitHub has about a third.
    pub const MAX_GRAPHQL_SCHEMA_MEMBERS: usize = 300_000;

    /// Arguments of a tool among which a GraphQL document is looked for, with its variables.
    pub const MAX_GRAPHQL_ARGUMENTS_BYTES: usize = 1024 * 1024;

    /// Bytes of data that are looked through for fields that the query selects, and for errors of mutations; a level below counts again.
    pub const MAX_GRAPHQL_PAYLOAD_BYTES: usize = 4 * 1024 * 1024;

    /// Elements of a list that are looked at for those fields: the others are like them.
    pub const MAX_GRAPHQL_PAYLOAD_ELEMENTS: usize = 3;

    /// Such fields and errors that are told.
    pub const MAX_GRAPHQL_PAYLOAD_ISSUES: usize = 10;
}
