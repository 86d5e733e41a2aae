// Two sources, joined on the name of the country; and the names that only one of them knows.
async () => {
  const [{ year }] = await helpers.db.query("SELECT max(year) AS year FROM gapminder");
  const regions = await helpers.db.query(
    `SELECT n.region, count(*) AS countries, sum(g.pop) AS people, avg(g.life_expect) AS life, avg(n.income) AS income
     FROM gapminder AS g JOIN nations AS n ON n.country = g.country
     WHERE g.year = ? GROUP BY n.region ORDER BY life DESC`,
    [year],
  );
  const strangers = await helpers.db.query(
    `SELECT DISTINCT g.country AS without_partner
     FROM gapminder AS g LEFT JOIN nations AS n USING (country) WHERE n.country IS NULL`,
  );
  return { year, regions, strangers };
}
