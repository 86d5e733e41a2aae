// One slice of the work in each run; the state says where the last one stopped. SQLite has no median, so the program computes it.
async ({ slice }) => {
  const from = (await helpers.db.getState("position")) ?? 0;
  await helpers.db.exec("CREATE TABLE IF NOT EXISTS medians (country TEXT PRIMARY KEY, life REAL)");
  const rows = await helpers.db.query(
    `SELECT country, life_expect AS life FROM gapminder
     WHERE country IN (SELECT DISTINCT country FROM gapminder ORDER BY country LIMIT ? OFFSET ?)
     ORDER BY country, life`,
    [slice, from],
  );
  const records = [...Map.groupBy(rows, (row) => row.country)].map(([country, list]) => ({
    country,
    life: list[Math.floor(list.length / 2)].life,
  }));
  // A run that ends between these two lines is done again by the next one.
  await helpers.db.batchInsert("medians", records, { onConflict: "replace" });
  await helpers.db.saveState("position", from + records.length);
  return { from, done: from + records.length };
}
