-- What a session keeps for its owner: readable through SQL, written only by the product.
CREATE TABLE session_state (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE execution_logs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  timestamp INTEGER NOT NULL,
  message TEXT NOT NULL
);

-- Figures about the session itself, such as the time of its last use. Times are milliseconds since 1970.
CREATE TABLE _codemode_meta (
  key TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) WITHOUT ROWID;

-- Pieces of loads that are still arriving, as the JSON text that will be inserted.
CREATE TABLE _codemode_stage (
  load_id INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  chunk TEXT NOT NULL,
  PRIMARY KEY (load_id, sequence)
);
