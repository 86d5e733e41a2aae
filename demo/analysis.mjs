// The questions of the demo. Each is asked over HTTP and computed a second time in plain JavaScript from the files; the two must agree.

import assert from "node:assert/strict";
import { by, groups, mean, same, sameRows, sum } from "./data.mjs";
import { checked, note, plural } from "./print.mjs";
import { RECORDS } from "./tables.mjs";

const { movies, cars, gapminder, nations, airports, flights, delays } = RECORDS;

/** What a person calls a column, and the column that this is; null where several fit and guessing would be wrong. */
const MEANINGS = [
  ["movies", "release_date", "Release Date"],
  ["movies", "film title", "Title"],
  ["movies", "imdb score", "IMDB Rating"],
  ["movies", "gross", null],
  ["cars", "mpg", "Miles_per_Gallon"],
  ["gapminder", "population", "pop"],
  ["gapminder", "nation", "country"],
];

/** Columns by meaning. Resolves with those found, by their semantic name. */
export async function findColumns(session) {
  const found = {};
  for (const [table, semanticName, expected] of MEANINGS) {
    const { column, alternatives } = await session.ok("findColumn", { table, semanticName });
    assert.equal(column, expected, `the column of ${table} that means ${semanticName}`);
    found[semanticName] = column;
    if (expected === null) {
      const fitting = Object.keys(RECORDS[table][0]).filter((name) => name.toLowerCase().includes(semanticName));
      assert.deepEqual(alternatives.map(({ name }) => name).sort(), fitting.sort(), `alternatives for ${semanticName}`);
    }
  }
  checked("each is the column that a reader would choose, and where two fit the answer is neither");
  return found;
}

/** An aggregate over a column that findColumn has named. */
export async function decades(session, { release_date: released, "imdb score": rating }) {
  const rows = await session.rows(
    `
    SELECT substr("${released}", -4, 3) || '0s' AS decade, count(*) AS movies, avg("${rating}") AS rating,
           max("Worldwide Gross") AS best
    FROM movies GROUP BY decade HAVING count(*) >= ? ORDER BY decade DESC`,
    [100],
  );
  const expected = groups(movies, (movie) => `${movie["Release Date"].slice(-4, -1)}0s`)
    .filter(([, list]) => list.length >= 100)
    .map(([decade, list]) => ({
      decade,
      movies: list.length,
      rating: mean(list, (movie) => movie["IMDB Rating"]),
      best: Math.max(...list.map((movie) => movie["Worldwide Gross"])),
    }));
  sameRows(rows, expected.sort(by((row) => [row.decade])).reverse(), "movies by decade");
  checked(`the same as JavaScript computes from ${plural(movies.length, "record")} of movies.json`);
}

/** An aggregate over the largest table. */
export async function delaysByHour(session) {
  const rows = await session.rows(`
    SELECT CAST(time AS INTEGER) AS hour, count(*) AS flights, avg(delay) AS mean_delay, sum(delay > 60) AS hour_late,
           max(distance) AS longest
    FROM delays GROUP BY hour ORDER BY mean_delay DESC, hour`);
  const expected = groups(delays, (flight) => Math.trunc(flight.time)).map(([hour, list]) => ({
    hour,
    flights: list.length,
    mean_delay: mean(list, (flight) => flight.delay),
    hour_late: list.filter((flight) => flight.delay > 60).length,
    longest: list.reduce((most, flight) => Math.max(most, flight.distance), 0),
  }));
  sameRows(rows, expected.sort(by((row) => [-row.mean_delay, row.hour])), "delays by hour");
  checked(`the same as JavaScript computes from ${plural(delays.length, "record")} of flights-200k.json`);
}

/** A join on country names, and the names that the other table does not know. */
export async function nationsByRegion(session) {
  const year = Math.max(...gapminder.map((row) => row.year));
  const rows = await session.rows(
    `
    SELECT n.region, count(*) AS countries, sum(g.pop) AS people, avg(g.life_expect) AS life,
           avg(n.income) AS income
    FROM gapminder AS g JOIN nations AS n ON n.country = g.country
    WHERE g.year = ? GROUP BY n.region ORDER BY life DESC`,
    [year],
  );
  const nation = new Map(nations.map((row) => [row.country, row]));
  const joined = gapminder.filter((row) => row.year === year && nation.has(row.country)).map((row) => ({ ...row, ...nation.get(row.country) }));
  const expected = groups(joined, (row) => row.region).map(([region, list]) => ({
    region,
    countries: list.length,
    people: sum(list, (row) => row.pop),
    life: mean(list, (row) => row.life_expect),
    income: mean(list, (row) => row.income),
  }));
  sameRows(rows, expected.sort(by((row) => [-row.life])), "regions");

  const unmatched = await session.rows(`
    SELECT DISTINCT g.country AS without_partner
    FROM gapminder AS g LEFT JOIN nations AS n USING (country) WHERE n.country IS NULL`);
  const strangers = groups(gapminder, (row) => row.country).filter(([country]) => !nation.has(country));
  sameRows(unmatched, strangers.map(([country]) => ({ without_partner: country })), "countries without a partner");
  checked("both the same as JavaScript joins gapminder.json and gapminder-health-income.csv");
}

/** One table joined twice with another, over an index made for it. */
export async function routesBetweenStates(session) {
  await session.exec("CREATE UNIQUE INDEX airports_by_code ON airports (iata)");
  const rows = await session.rows(`
    SELECT a.state AS from_state, b.state AS to_state, count(*) AS flights, avg(f.delay) AS mean_delay,
           sum(f.distance) AS miles
    FROM flights AS f
    JOIN airports AS a ON a.iata = f.origin
    JOIN airports AS b ON b.iata = f.destination
    WHERE a.state <> b.state
    GROUP BY a.state, b.state ORDER BY flights DESC, from_state, to_state LIMIT 5`);
  const state = new Map(airports.map((airport) => [airport.iata, airport.state]));
  const between = flights.map((flight) => ({ ...flight, from: state.get(flight.origin), to: state.get(flight.destination) }));
  const expected = groups(between.filter(({ from, to }) => from !== undefined && to !== undefined && from !== to), ({ from, to }) => `${from} ${to}`)
    .map(([, list]) => ({
      from_state: list[0].from,
      to_state: list[0].to,
      flights: list.length,
      mean_delay: mean(list, (flight) => flight.delay),
      miles: sum(list, (flight) => flight.distance),
    }))
    .sort(by((row) => [-row.flights, row.from_state, row.to_state]));
  sameRows(rows, expected.slice(0, 5), "routes");
  checked(`the same as JavaScript joins ${plural(flights.length, "flight")} and ${plural(airports.length, "airport")}`);
}

/** A window function: each row beside the one before it. */
export async function fallsOfLifeExpectancy(session) {
  const rows = await session.rows(`
    WITH steps AS (
      SELECT country, year, life_expect AS life,
             lag(life_expect) OVER (PARTITION BY country ORDER BY year) AS before
      FROM gapminder
    )
    SELECT country, year, before, life, life - before AS change, rank() OVER (ORDER BY life - before) AS place
    FROM steps WHERE before IS NOT NULL ORDER BY change, country LIMIT 5`);
  const changes = groups(gapminder, (row) => row.country).flatMap(([country, list]) => {
    const inOrder = list.toSorted(by((row) => [row.year]));
    return inOrder.slice(1).map((row, index) => {
      const before = inOrder[index].life_expect;
      return { country, year: row.year, before, life: row.life_expect, change: row.life_expect - before };
    });
  });
  changes.sort(by((row) => [row.change, row.country]));
  const expected = changes.slice(0, 5).map((row) => ({ ...row, place: 1 + changes.filter((other) => other.change < row.change).length }));
  sameRows(rows, expected, "falls");
  checked("the same as JavaScript finds by walking through the years of each country");
}

/** Full-text search: an index over the titles, and a query with its matches marked. */
export async function searchTitles(session) {
  await session.exec("CREATE VIRTUAL TABLE titles USING fts5(title)");
  const filled = await session.exec(
    'INSERT INTO titles (rowid, title) SELECT rowid, "Title" FROM movies WHERE "Title" IS NOT NULL',
  );
  const known = movies.map((movie) => movie.Title).filter((title) => title !== null).map(String);
  assert.equal(filled.changes, known.length, "titles indexed");
  const rows = await session.rows(
    `
    SELECT highlight(titles, 0, '[', ']') AS title, bm25(titles) AS score
    FROM titles WHERE titles MATCH ? ORDER BY score, title`,
    ["star AND (trek OR wars)"],
  );
  const words = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const wanted = known.filter((title) => words(title).includes("star") && ["trek", "wars"].some((word) => words(title).includes(word)));
  const marked = wanted.map((title) => ({ title: title.replaceAll(/\b(?:star|trek|wars)\b/gi, "[$&]") }));
  const inAnyOrder = (list) => list.map(({ title }) => ({ title })).sort(by(({ title }) => [title]));
  sameRows(inAnyOrder(rows), inAnyOrder(marked), "titles found");
  assert.ok(rows.every(({ score }, index) => index === 0 || rows[index - 1].score <= score), "the best match comes first");
  checked(`the same titles, with the same words marked, as JavaScript finds among ${plural(known.length, "title")}`);
}

/** A statement that the gate refuses, and the way that its hint names. */
export async function blocked(session) {
  const pragma = await session.refused("query", { sql: "PRAGMA table_info(cars)" });
  assert.equal(pragma.code, "SQL_BLOCKED");
  assert.equal(pragma.reason, "pragma");
  assert.match(pragma.hint, /pragma_table_info/, "the hint names the allowed way");
  const rows = await session.rows("SELECT name, type FROM pragma_table_info('cars')");
  assert.deepEqual(rows.map(({ name }) => name), Object.keys(cars[0]), "the columns of cars");

  const two = await session.refused("exec", { sql: "SELECT count(*) FROM cars; DROP TABLE cars" });
  assert.equal(two.code, "SQL_BLOCKED");
  assert.equal(two.reason, "multiple_statements");
  assert.ok(two.hint.length > 0, "a hint");
  const [{ n }] = await session.rows("SELECT count(*) AS n FROM cars");
  assert.equal(n, cars.length, "cars after the refused DROP");
  checked("the hint's way works, and the table is unharmed");
}

/** A misspelt column: the error names the nearest one, which is put in its place. */
export async function misspelt(session) {
  const sql = [
    "SELECT Origin, count(*) AS cars, max(Horespower) AS strongest",
    "FROM cars WHERE Cylinders >= ? GROUP BY Origin ORDER BY Origin",
  ].join("\n");
  const params = [6];
  const error = await session.refused("query", { sql, params });
  assert.equal(error.code, "NO_SUCH_COLUMN");
  const [cure] = error.suggestions;
  assert.ok(typeof error.column === "string" && typeof cure === "string", "the error names the column and the nearest one");
  note(`so ${error.column} becomes ${cure}, and the statement is sent again:`);
  const rows = await session.rows(sql.replaceAll(error.column, cure), params);
  const expected = groups(cars.filter((car) => car.Cylinders >= 6), (car) => car.Origin)
    .map(([Origin, list]) => ({ Origin, cars: list.length, strongest: Math.max(...list.map((car) => car.Horsepower)) }))
    .sort(by((row) => [row.Origin]));
  sameRows(rows, expected, "strongest cars");
  checked("the cured statement gives what JavaScript computes from cars.json");
}

/** SQL as a model writes it: prose around, a code fence, a comment and a semicolon. */
export async function fenced(session) {
  const answer = await session.ok("query", {
    sql: [
      "Sure! This query finds the most economical cars:", "", "```sql",
      "SELECT Name, Miles_per_Gallon FROM cars ORDER BY Miles_per_Gallon DESC, Name LIMIT 3; -- top three", "```",
    ].join("\n"),
  });
  assert.equal(typeof answer.notice, "string", "the answer says what was done");
  note(`   notice: ${answer.notice}`);
  const expected = cars.toSorted(by((car) => [-(car.Miles_per_Gallon ?? 0), car.Name])).slice(0, 3);
  sameRows(answer.results, expected.map(({ Name, Miles_per_Gallon }) => ({ Name, Miles_per_Gallon })), "economical cars");
  checked(`the three cars are the right ones, from ${answer.results[0].Name} on`);
}

/** A result of any length, row by row. */
export async function streamLateFlights(session) {
  let miles = 0;
  const rows = await session.stream("SELECT delay, distance FROM delays WHERE delay > 15", ([, distance]) => (miles += distance));
  const late = delays.filter((flight) => flight.delay > 15);
  same([rows, miles], [late.length, sum(late, (flight) => flight.distance)], "late flights and their miles");
  checked(`${plural(rows, "late flight")} arrived, as many as in flights-200k.json`);
}
