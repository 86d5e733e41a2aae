-- Several edges may have the same source, target, label and type: an edge is what its id says. SQLite takes a constraint out of a table only by
-- making the table again; every row keeps its `seq` and its `version`, so the past needs no change.
CREATE TABLE edges_with_parallels (
    id TEXT NOT NULL UNIQUE,
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    label TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    seq INTEGER PRIMARY KEY,
    version INTEGER NOT NULL
);
INSERT INTO edges_with_parallels (id, source, target, label, type, data, created_at, updated_at, seq, version)
SELECT id, source, target, label, type, data, created_at, updated_at, seq, version FROM edges ORDER BY seq;
DROP TABLE edges;
ALTER TABLE edges_with_parallels RENAME TO edges;
CREATE INDEX edges_between ON edges (source, target, label, type);
CREATE INDEX edges_target ON edges (target);
CREATE INDEX edges_version ON edges (version);
