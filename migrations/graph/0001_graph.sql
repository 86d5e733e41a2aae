-- `nodes` and `edges` are the graph as it is; `version` is the step since when a row is so. What a row was from `version` up to, and not
-- including, `until` is in the tables of the past, so that each version of the graph is a range. `seq` is the order of creation and is never
-- used twice: a row that comes back has its old one.
CREATE TABLE nodes (
    id TEXT NOT NULL UNIQUE,
    label TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    x REAL NOT NULL,
    y REAL NOT NULL,
    pinned INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    seq INTEGER PRIMARY KEY,
    version INTEGER NOT NULL
);
CREATE INDEX nodes_type ON nodes (type);
CREATE INDEX nodes_label ON nodes (label COLLATE NOCASE);
CREATE INDEX nodes_version ON nodes (version);

CREATE TABLE edges (
    id TEXT NOT NULL UNIQUE,
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    label TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    seq INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    UNIQUE (source, target, label, type)
);
CREATE INDEX edges_target ON edges (target);
CREATE INDEX edges_version ON edges (version);

CREATE TABLE _codemode_past_nodes (
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    label TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    x REAL NOT NULL,
    y REAL NOT NULL,
    pinned INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    version INTEGER NOT NULL,
    until INTEGER NOT NULL
);
CREATE INDEX _codemode_past_nodes_seq ON _codemode_past_nodes (seq, until);
CREATE INDEX _codemode_past_nodes_version ON _codemode_past_nodes (version);
CREATE INDEX _codemode_past_nodes_until ON _codemode_past_nodes (until);

CREATE TABLE _codemode_past_edges (
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    label TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    version INTEGER NOT NULL,
    until INTEGER NOT NULL
);
CREATE INDEX _codemode_past_edges_seq ON _codemode_past_edges (seq, until);
CREATE INDEX _codemode_past_edges_version ON _codemode_past_edges (version);
CREATE INDEX _codemode_past_edges_until ON _codemode_past_edges (until);

-- The history. `state` is where a step that changed the graph stands: done, undone by the step `undone_by`, or dropped, which is undone for
-- good. `target` is the step that was undone or done again, or the version that came back. Counts of the graph are those after the step.
CREATE TABLE _codemode_steps (
    version INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    description TEXT NOT NULL,
    actor TEXT NOT NULL,
    created_at TEXT NOT NULL,
    target INTEGER,
    state TEXT NOT NULL,
    undone_by INTEGER,
    nodes_created INTEGER NOT NULL,
    nodes_updated INTEGER NOT NULL,
    nodes_deleted INTEGER NOT NULL,
    edges_created INTEGER NOT NULL,
    edges_updated INTEGER NOT NULL,
    edges_deleted INTEGER NOT NULL,
    node_count INTEGER NOT NULL,
    edge_count INTEGER NOT NULL,
    can_undo INTEGER NOT NULL,
    can_redo INTEGER NOT NULL
);
CREATE INDEX _codemode_steps_state ON _codemode_steps (state, version);

-- One row. `floor` is the oldest version that can be read; `past_rows` counts the rows of both tables of the past.
CREATE TABLE _codemode_graph (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    name TEXT,
    description TEXT NOT NULL,
    created_at TEXT,
    updated_at TEXT,
    version INTEGER NOT NULL,
    floor INTEGER NOT NULL,
    node_count INTEGER NOT NULL,
    edge_count INTEGER NOT NULL,
    next_node INTEGER NOT NULL,
    next_edge INTEGER NOT NULL,
    past_rows INTEGER NOT NULL
);
INSERT INTO _codemode_graph (one, description, version, floor, node_count, edge_count, next_node, next_edge, past_rows)
VALUES (1, '', 0, 0, 0, 0, 1, 1, 0);

-- How many nodes of each type there are.
CREATE TABLE _codemode_types (
    type TEXT PRIMARY KEY,
    nodes INTEGER NOT NULL
) WITHOUT ROWID;

-- The words of the nodes; a rowid is a `seq`. Signs such as emoji are words too.
CREATE VIRTUAL TABLE _codemode_node_words USING fts5 (
    label, type, data,
    content = '', contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co So'"
);
