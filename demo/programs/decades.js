async ({ least }) => {
  const released = await dbSchema.findColumn("movies", "release_date");
  const rating = await dbSchema.findColumn("movies", "imdb score");
  console.log("columns:", [released, rating]);
  return await helpers.db.query(
    `SELECT substr("${released}", -4, 3) || '0s' AS decade, count(*) AS movies, avg("${rating}") AS rating,
            max("Worldwide Gross") AS best
     FROM movies GROUP BY decade HAVING count(*) >= ? ORDER BY decade DESC`,
    [least],
  );
}
