// A window function: each year of a country beside the one before it.
async () =>
  helpers.db.query(`
    WITH steps AS (
      SELECT country, year, life_expect AS life,
             lag(life_expect) OVER (PARTITION BY country ORDER BY year) AS before
      FROM gapminder
    )
    SELECT country, year, before, life, life - before AS change, rank() OVER (ORDER BY life - before) AS place
    FROM steps WHERE before IS NOT NULL ORDER BY change, country LIMIT 5`)
