-- Which objects a tenant has. Times are milliseconds since 1970; expires_at is NULL for objects that live until they are deleted.
CREATE TABLE objects (
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  last_use_at INTEGER NOT NULL,
  expires_at INTEGER,
  PRIMARY KEY (kind, name)
) WITHOUT ROWID;
