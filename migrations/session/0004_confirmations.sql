-- The key that this session signs confirmations with, in one row. It goes with the session, and every confirmation with it.
CREATE TABLE _codemode_confirmation_key (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  key BLOB NOT NULL
);

-- Confirmations that were redeemed, until they expire: each works once. Times are milliseconds since 1970.
CREATE TABLE _codemode_confirmations (
  nonce BLOB PRIMARY KEY,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
