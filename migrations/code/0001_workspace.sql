-- Rows have a range of versions: `valid_from` is the version that wrote a row, `valid_to` the one that ended it, or 9007199254740991 (2^53 - 1) for
-- a row that stands. Version `v` of the workspace is every row with `valid_from <= v AND valid_to > v`. Times are milliseconds since 1970.

-- One row. `floor` is the oldest version that can be read; `past_bytes` are the bytes of files that ended and can still be read. Numbers of files,
-- contents and items are never used twice: vectors name items by them.
CREATE TABLE code_workspace (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    created_at INTEGER,
    updated_at INTEGER,
    version INTEGER NOT NULL,
    floor INTEGER NOT NULL,
    file_count INTEGER NOT NULL,
    item_count INTEGER NOT NULL,
    byte_count INTEGER NOT NULL,
    past_bytes INTEGER NOT NULL,
    next_file INTEGER NOT NULL,
    next_content INTEGER NOT NULL,
    next_item INTEGER NOT NULL
);
INSERT INTO code_workspace (one, version, floor, file_count, item_count, byte_count, past_bytes, next_file, next_content, next_item)
VALUES (1, 0, 0, 0, 0, 0, 0, 1, 1, 1);

-- One row for each write. `ended_bytes` are the bytes of the files that it ended.
CREATE TABLE code_versions (
    version INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    description TEXT NOT NULL,
    actor TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    files_written INTEGER NOT NULL,
    files_deleted INTEGER NOT NULL,
    items_added INTEGER NOT NULL,
    items_ended INTEGER NOT NULL,
    ended_bytes INTEGER NOT NULL
);
CREATE INDEX code_versions_time ON code_versions (created_at);

-- The bytes of files, in pieces because a value has a limit. Rows of code_files with the same bytes share them.
CREATE TABLE code_content (
    content INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    bytes BLOB NOT NULL
);
CREATE UNIQUE INDEX code_content_piece ON code_content (content, sequence);

-- `folded` is the path without differences of case and of Unicode's forms. `reason` says why a file is not parsed.
CREATE TABLE code_files (
    file INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    folded TEXT NOT NULL,
    content INTEGER NOT NULL,
    language TEXT NOT NULL,
    byte_len INTEGER NOT NULL,
    line_count INTEGER NOT NULL,
    modified_ms INTEGER NOT NULL,
    file_hash TEXT NOT NULL,
    tracking_hash TEXT NOT NULL,
    parsed INTEGER NOT NULL,
    reason TEXT,
    crate_name TEXT NOT NULL,
    namespace TEXT NOT NULL,
    module_path TEXT NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_to INTEGER NOT NULL
);
CREATE INDEX code_files_path ON code_files (path, valid_to);
CREATE INDEX code_files_folded ON code_files (folded, valid_to);
CREATE INDEX code_files_cargo ON code_files (valid_to) WHERE language = 'cargo';
CREATE INDEX code_files_content ON code_files (content);
CREATE INDEX code_files_from ON code_files (valid_from);
CREATE INDEX code_files_to ON code_files (valid_to);

-- What an item is. Where it stands is in code_places, so that an item that only moved keeps its row, and with it its words and vectors. `id`
-- survives edits; `own_hash` is over the tokens of the item without those of the items in it. `declares` is the file that a `mod name;` names.
CREATE TABLE code_items (
    item INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    path TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    module_path TEXT NOT NULL,
    canon TEXT NOT NULL,
    parent_id TEXT,
    visibility TEXT NOT NULL,
    docstring TEXT NOT NULL,
    signature TEXT NOT NULL,
    cfgs TEXT NOT NULL,
    declares TEXT,
    searchable INTEGER NOT NULL,
    own_hash TEXT NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_to INTEGER NOT NULL
);
CREATE INDEX code_items_id ON code_items (id, valid_to);
CREATE INDEX code_items_path ON code_items (path, valid_to);
CREATE INDEX code_items_canon ON code_items (canon, valid_to);
CREATE INDEX code_items_name ON code_items (name, valid_to);
CREATE INDEX code_items_parent ON code_items (parent_id, valid_to);
CREATE INDEX code_items_declared ON code_items (valid_to) WHERE declares IS NOT NULL;
CREATE INDEX code_items_from ON code_items (valid_from);
CREATE INDEX code_items_to ON code_items (valid_to);

-- Where the items of a row of code_files stand in it. `text_hash` is over the bytes of the item.
CREATE TABLE code_places (
    file INTEGER NOT NULL,
    item INTEGER NOT NULL,
    position INTEGER NOT NULL,
    start_byte INTEGER NOT NULL,
    end_byte INTEGER NOT NULL,
    first_line INTEGER NOT NULL,
    last_line INTEGER NOT NULL,
    tracking_hash TEXT NOT NULL,
    text_hash INTEGER NOT NULL,
    PRIMARY KEY (file, item)
) WITHOUT ROWID;

-- What an item names, as far as its file tells: `form` says whether `target` is a canonical path or a bare name. What stands there is looked up
-- when somebody asks, so an edge is right whichever file arrived first. `alias` is the path under which an import makes its target known. That an item contains another is in code_items.parent_id.
CREATE TABLE code_edges (
    edge INTEGER PRIMARY KEY,
    source INTEGER NOT NULL,
    path TEXT NOT NULL,
    kind TEXT NOT NULL,
    form TEXT NOT NULL,
    target TEXT NOT NULL,
    alias TEXT,
    valid_from INTEGER NOT NULL,
    valid_to INTEGER NOT NULL
);
CREATE INDEX code_edges_path ON code_edges (path, valid_to);
CREATE INDEX code_edges_target ON code_edges (target, valid_to);
CREATE INDEX code_edges_alias ON code_edges (alias, valid_to) WHERE alias IS NOT NULL;
CREATE INDEX code_edges_to ON code_edges (valid_to);

-- The words of searchable items, past ones too; a rowid is code_items.item.
CREATE VIRTUAL TABLE code_words USING fts5 (
    name, path, body,
    content = '', contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 0 tokenchars '_'"
);

-- Vectors of items in blocks, because a query reads all of them: `items` are the numbers of items, 8 bytes each, little endian, and `vectors`
-- their vectors in the same order, of `bytes_each` bytes.
CREATE TABLE code_vectors (
    block INTEGER PRIMARY KEY,
    model TEXT NOT NULL,
    bytes_each INTEGER NOT NULL,
    vector_count INTEGER NOT NULL,
    items BLOB NOT NULL,
    vectors BLOB NOT NULL
);
CREATE INDEX code_vectors_model ON code_vectors (model, vector_count);

-- Texts that others keep with the workspace, such as the mean of its vectors.
CREATE TABLE code_state (
    key TEXT PRIMARY KEY,
    value BLOB NOT NULL
) WITHOUT ROWID;

-- Edits that wait for a decision, and what became of them. `request_hash` tells a repeated request from another one with the same id.
CREATE TABLE code_proposals (
    proposal INTEGER PRIMARY KEY,
    request_id TEXT NOT NULL UNIQUE,
    request_hash TEXT NOT NULL,
    status TEXT NOT NULL,
    actor TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    decided_at INTEGER,
    base_version INTEGER NOT NULL,
    applied_version INTEGER,
    reverted_version INTEGER,
    confidence REAL,
    auto_confirmed INTEGER NOT NULL,
    staged INTEGER NOT NULL,
    preview_mode TEXT NOT NULL,
    preview TEXT NOT NULL,
    warnings TEXT NOT NULL,
    reason TEXT
);
CREATE INDEX code_proposals_status ON code_proposals (status, proposal);

CREATE TABLE code_proposal_files (
    proposal INTEGER NOT NULL,
    path TEXT NOT NULL,
    file_hash TEXT NOT NULL,
    tracking_hash TEXT NOT NULL,
    before_content INTEGER,
    new_file_hash TEXT,
    error TEXT,
    PRIMARY KEY (proposal, path)
) WITHOUT ROWID;
CREATE INDEX code_proposal_files_path ON code_proposal_files (path);

-- `item_id` and `item_hash` say of which item a range is, so that it is found again after the file changed around it.
CREATE TABLE code_proposal_edits (
    proposal INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    path TEXT NOT NULL,
    mode TEXT NOT NULL,
    start_byte INTEGER NOT NULL,
    end_byte INTEGER NOT NULL,
    item_id TEXT,
    item_hash TEXT,
    replacement TEXT NOT NULL,
    PRIMARY KEY (proposal, sequence)
);
