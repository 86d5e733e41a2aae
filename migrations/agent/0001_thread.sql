-- A chat thread. Times are milliseconds since 1970; texts of JSON are objects.

-- Where the thread is: its last checkpoint, in one row.
CREATE TABLE thread (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  head INTEGER NOT NULL,
  branch INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- How often the step that comes next has begun, and what kept it from its end.
  tries INTEGER NOT NULL DEFAULT 0,
  trouble TEXT
);

-- Whose it is, so that the alarm knows it too, in one row.
CREATE TABLE owner (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  tenant TEXT NOT NULL,
  thread TEXT NOT NULL
);

-- A line of checkpoints. A fork begins one behind a checkpoint of another.
CREATE TABLE branches (
  id INTEGER PRIMARY KEY,
  parent INTEGER,
  forked_at INTEGER
);

-- What the thread knew, and which step came next.
CREATE TABLE checkpoints (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  branch INTEGER NOT NULL,
  parent INTEGER,
  source TEXT NOT NULL,
  next TEXT NOT NULL,
  state TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX checkpoints_by_branch ON checkpoints (branch, id);

-- What was said, each with the checkpoint that it came with.
CREATE TABLE messages (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  branch INTEGER NOT NULL,
  checkpoint INTEGER NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  content TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX messages_by_branch ON messages (branch, checkpoint);

-- What readers of the stream are told. The number is the id of the event.
CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event TEXT NOT NULL,
  data TEXT NOT NULL
);

-- Questions by the ids that their senders gave, so that a retry finds the first run: the hash of the request, and the first event.
CREATE TABLE inputs (
  id TEXT PRIMARY KEY,
  digest BLOB NOT NULL,
  first_event INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- What happened, for those who have to answer for it. Rows are only added; each has the hash of the row before.
CREATE TABLE audit (
  sequence INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  actor TEXT NOT NULL,
  body TEXT NOT NULL,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL
);

-- What became of each approval, after the state has gone on.
CREATE TABLE approvals (
  id TEXT PRIMARY KEY,
  sha256 TEXT NOT NULL,
  status TEXT NOT NULL,
  decided_at INTEGER,
  target TEXT NOT NULL
) WITHOUT ROWID;

-- The key that approval tokens are signed with. It goes with the thread.
CREATE TABLE approval_key (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  key BLOB NOT NULL
);
