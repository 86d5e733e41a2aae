async ({ most }) => {
  await helpers.db.exec("CREATE UNIQUE INDEX IF NOT EXISTS airports_by_code ON airports (iata)");
  return await helpers.db.query(
    `SELECT a.state AS from_state, b.state AS to_state, count(*) AS flights, avg(f.delay) AS mean_delay,
            sum(f.distance) AS miles
     FROM flights AS f
     JOIN airports AS a ON a.iata = f.origin
     JOIN airports AS b ON b.iata = f.destination
     WHERE a.state <> b.state
     GROUP BY a.state, b.state ORDER BY flights DESC, from_state, to_state LIMIT ?`,
    [most],
  );
}
