-- Columns that loads have made as TEXT: an object of their names, with 1 where most of the fields are numbers or dates.
CREATE TABLE _codemode_loaded (
  name TEXT PRIMARY KEY COLLATE NOCASE,
  columns TEXT NOT NULL
) WITHOUT ROWID;
