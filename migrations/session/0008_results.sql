-- Tables that hold the whole results of approved reads, which end. A table whose definition is another now is a caller's.
-- made_at is milliseconds since 1970.
CREATE TABLE _codemode_results (
  name TEXT PRIMARY KEY COLLATE NOCASE,
  definition TEXT NOT NULL,
  made_at INTEGER NOT NULL
) WITHOUT ROWID;
