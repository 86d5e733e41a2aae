-- One client of the Model Context Protocol with a session. Times are milliseconds since 1970.
CREATE TABLE session (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  profile TEXT NOT NULL,
  version TEXT NOT NULL,
  capabilities TEXT NOT NULL,
  client TEXT NOT NULL,
  log_level TEXT,
  used_at INTEGER NOT NULL,
  next_stream INTEGER NOT NULL,
  event_bytes INTEGER NOT NULL
);
-- Resources whose changes the client wants to hear of.
CREATE TABLE subscriptions (uri TEXT PRIMARY KEY) WITHOUT ROWID;
-- Its streams: the number of the last event, whether it is kept or not, and the JSON text of the id of the request that it responds to,
-- until the response is among the events.
CREATE TABLE streams (stream INTEGER PRIMARY KEY, last_number INTEGER NOT NULL, unanswered TEXT);
-- What was sent over its streams, the oldest first: a client whose connection broke takes a stream up again behind the last event it has.
CREATE TABLE events (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  stream INTEGER NOT NULL,
  number INTEGER NOT NULL,
  data TEXT NOT NULL
);
CREATE UNIQUE INDEX events_of_stream ON events (stream, number);
