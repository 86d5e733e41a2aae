async ({ words }) => {
  await helpers.db.exec("CREATE VIRTUAL TABLE titles USING fts5(title)");
  const { changes } = await helpers.db.exec(
    'INSERT INTO titles (rowid, title) SELECT rowid, "Title" FROM movies WHERE "Title" IS NOT NULL',
  );
  const found = await helpers.db.query(
    `SELECT highlight(titles, 0, '[', ']') AS title, bm25(titles) AS score
     FROM titles WHERE titles MATCH ? ORDER BY score, title LIMIT 20`,
    [words],
  );
  return { indexed: changes, found };
}
