async ({ cylinders }) => {
  const rows = await helpers.db.query(
    "SELECT Origin, count(*) AS cars, max(Horespower) AS strongest FROM cars WHERE Cylinders >= ? GROUP BY Origin ORDER BY Origin",
    [cylinders],
  );
  return rows;
}
