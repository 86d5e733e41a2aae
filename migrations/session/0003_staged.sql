-- Answers of tools that were made into tables. The fingerprint is that of server, tool and arguments, or of the name asked for.
CREATE TABLE _codemode_staged (
  id TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  server TEXT NOT NULL,
  tool TEXT NOT NULL,
  mappings TEXT NOT NULL,
  base TEXT NOT NULL,
  staged_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Their tables, as they were made: one that has another definition by now is no longer staging's to drop.
CREATE TABLE _codemode_staged_tables (
  name TEXT PRIMARY KEY COLLATE NOCASE,
  id TEXT NOT NULL,
  position INTEGER NOT NULL,
  definition TEXT NOT NULL
) WITHOUT ROWID;
