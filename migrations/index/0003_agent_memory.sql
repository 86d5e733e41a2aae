-- Questions and the statements that people approved for them, by business and by the tables that they are about. Times are milliseconds since 1970.
CREATE TABLE agent_memory (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  business TEXT NOT NULL,
  target TEXT NOT NULL,
  question TEXT NOT NULL,
  sql TEXT NOT NULL,
  explanation TEXT NOT NULL,
  uses INTEGER NOT NULL,
  pinned INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  UNIQUE (business, target, question, sql)
);
CREATE INDEX agent_memory_by_use ON agent_memory (pinned, used_at);

-- Their words, by the number of the pair.
CREATE VIRTUAL TABLE agent_memory_words USING fts5 (question, tokenize = 'porter unicode61');

-- What models cost, by day (UTC), in millionths of a dollar: spent, and reserved by calls that have not ended.
CREATE TABLE agent_spending (
  day TEXT PRIMARY KEY,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  microdollars INTEGER NOT NULL
) WITHOUT ROWID;
