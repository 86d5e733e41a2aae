// The questions of the demo. A program (demo/programs/) finds each result, and plain JavaScript computes it a second time from the files; the
// two must agree.

import assert from "node:assert/strict";
import { by, groups, mean, same, sameRows, sum } from "./data.mjs";
import { checked, count, duration, finding, note, plural } from "./print.mjs";
import { RECORDS } from "./tables.mjs";

const { movies, cars, gapminder, nations, airports, flights, delays } = RECORDS;

/** What a person calls a column, and the column that this is; null where several fit. */
const MEANINGS = [
  ["movies", "release_date", "Release Date"],
  ["movies", "film title", "Title"],
  ["movies", "imdb score", "IMDB Rating"],
  ["movies", "gross", null],
  ["cars", "mpg", "Miles_per_Gallon"],
  ["gapminder", "population", "pop"],
  ["gapminder", "nation", "country"],
];

/** Columns by meaning. */
export async function findColumns(session) {
  const meanings = MEANINGS.map(([table, meaning]) => [table, meaning]);
  const found = await session.run("columns.js", { meanings });
  assert.deepEqual(found, MEANINGS.map(([table, meaning, column]) => ({ table, meaning, column })), "columns by meaning");
  finding("as a reader would choose, and null where two fit");
  checked("each is the column that a reader would choose, and where two fit the answer is neither");
}

/** An aggregate over columns that the program has found by itself. */
export async function decades(session) {
  const least = 100;
  const rows = await session.run("decades.js", { least });
  const expected = groups(movies, (movie) => `${movie["Release Date"].slice(-4, -1)}0s`)
    .filter(([, list]) => list.length >= least)
    .map(([decade, list]) => ({
      decade,
      movies: list.length,
      rating: mean(list, (movie) => movie["IMDB Rating"]),
      best: Math.max(...list.map((movie) => movie["Worldwide Gross"])),
    }));
  sameRows(rows, expected.sort(by((row) => [row.decade])).reverse(), "movies by decade");
  finding(`as JavaScript computes it from ${plural(movies.length, "record")}`);
  checked(`the same as JavaScript computes from ${plural(movies.length, "record")} of movies.json`);
}

/** An aggregate over the largest table, in TypeScript. */
export async function delaysByHour(session) {
  const { hours, worst } = await session.run("delays.ts");
  const expected = groups(delays, (flight) => Math.trunc(flight.time)).map(([hour, list]) => ({
    hour,
    flights: list.length,
    mean_delay: mean(list, (flight) => flight.delay),
    hour_late: list.filter((flight) => flight.delay > 60).length,
    longest: list.reduce((most, flight) => Math.max(most, flight.distance), 0),
  }));
  expected.sort(by((row) => [-row.mean_delay, row.hour]));
  sameRows(hours, expected, "delays by hour");
  assert.equal(worst, `${expected[0].hour}:00, ${expected[0].mean_delay.toFixed(1)} minutes late on average`);
  finding(worst);
  checked(`the same as JavaScript computes from ${plural(delays.length, "record")} of flights-200k.json`);
}

/** A join on country names, and the names that the other table does not know. */
export async function nationsByRegion(session) {
  const { year, regions, strangers } = await session.run("regions.js");
  assert.equal(year, Math.max(...gapminder.map((row) => row.year)), "the last year");
  const nation = new Map(nations.map((row) => [row.country, row]));
  const joined = gapminder.filter((row) => row.year === year && nation.has(row.country)).map((row) => ({ ...row, ...nation.get(row.country) }));
  const expected = groups(joined, (row) => row.region).map(([region, list]) => ({
    region,
    countries: list.length,
    people: sum(list, (row) => row.pop),
    life: mean(list, (row) => row.life_expect),
    income: mean(list, (row) => row.income),
  }));
  sameRows(regions, expected.sort(by((row) => [-row.life])), "regions");
  const unknown = groups(gapminder, (row) => row.country).filter(([country]) => !nation.has(country));
  sameRows(strangers, unknown.map(([country]) => ({ without_partner: country })), "countries without a partner");
  finding(`${regions[0].region}, ${regions[0].life.toFixed(1)} years in ${year}`);
  checked("both the same as JavaScript joins gapminder.json and gapminder-health-income.csv");
}

/** One table joined twice with another, over an index made for it. */
export async function routesBetweenStates(session) {
  const most = 5;
  const rows = await session.run("routes.js", { most });
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
  sameRows(rows, expected.slice(0, most), "routes");
  finding(`${rows[0].from_state} and ${rows[0].to_state}, ${plural(rows[0].flights, "flight")}`);
  checked(`the same as JavaScript joins ${plural(flights.length, "flight")} and ${plural(airports.length, "airport")}`);
}

/** A window function: each row beside the one before it. */
export async function fallsOfLifeExpectancy(session) {
  const rows = await session.run("falls.js");
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
  finding(`${rows[0].country}, ${rows[0].before} to ${rows[0].life} years by ${rows[0].year}`);
  checked("the same as JavaScript finds by walking through the years of each country");
}

/** Full-text search: an index over the titles, and a query with its matches marked. */
export async function searchTitles(session) {
  const { indexed, found } = await session.run("search.js", { words: "star AND (trek OR wars)" });
  const known = movies.map((movie) => movie.Title).filter((title) => title !== null).map(String);
  assert.equal(indexed, known.length, "titles indexed");
  const words = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const wanted = known.filter((title) => words(title).includes("star") && ["trek", "wars"].some((word) => words(title).includes(word)));
  const marked = wanted.map((title) => ({ title: title.replaceAll(/\b(?:star|trek|wars)\b/gi, "[$&]") }));
  const inAnyOrder = (list) => list.map(({ title }) => ({ title })).sort(by(({ title }) => [title]));
  sameRows(inAnyOrder(found), inAnyOrder(marked), "titles found");
  finding(`${found.length} of ${plural(known.length, "title")}, ${found[0].title} first`);
  assert.ok(found.every(({ score }, index) => index === 0 || found[index - 1].score <= score), "the best match comes first");
  checked(`the same titles, with the same words marked, as JavaScript finds among ${plural(known.length, "title")}`);
}

/** A program as a model sends it: prose around, a code fence, and no return. */
export async function fenced(session) {
  const names = await session.run("fenced.md");
  const expected = cars.toSorted(by((car) => [-(car.Miles_per_Gallon ?? 0), car.Name])).slice(0, 3);
  assert.deepEqual(names, expected.map(({ Name }) => Name), "economical cars");
  finding(`prose around, no return, and it runs: ${names[0]}, …`);
  checked(`the three cars are the right ones, from ${names[0]} on`);
}

/** A statement that the gate refuses, and the way that its hint names. */
export async function blocked(session) {
  const error = await session.fail("forbidden.js");
  assert.deepEqual([error.code, error.reason, error.category], ["SQL_BLOCKED", "pragma", "tool"]);
  assert.match(error.hint, /pragma_table_info/, "the hint names the allowed way");
  const rows = await session.run("allowed.js");
  assert.deepEqual(rows.map(({ name }) => name), Object.keys(cars[0]), "the columns of cars");
  finding(`${error.code}; the way that its hint names works`);
  checked("the hint's way works");
}

/** A misspelt column: the error names the nearest one, which is put in its place. */
export async function misspelt(session) {
  const cylinders = 6;
  const error = await session.fail("misspelt.js", { cylinders });
  assert.equal(error.code, "NO_SUCH_COLUMN");
  assert.equal(error.line, 2, "the line of the call");
  const [meant] = error.suggestions;
  assert.ok(typeof error.sqlColumn === "string" && typeof meant === "string", "the error names the column and the nearest one");
  note(`so ${error.sqlColumn} becomes ${meant}, and the program is sent again:`);
  const rows = await session.run("misspelt.js", { cylinders }, (code) => code.replaceAll(error.sqlColumn, meant));
  const expected = groups(cars.filter((car) => car.Cylinders >= cylinders), (car) => car.Origin)
    .map(([Origin, list]) => ({ Origin, cars: list.length, strongest: Math.max(...list.map((car) => car.Horsepower)) }))
    .sort(by((row) => [row.Origin]));
  sameRows(rows, expected, "strongest cars");
  finding("its error names the line and the column that was meant");
  checked("the corrected program gives what JavaScript computes from cars.json");
}

/** A bracket that is missing: nothing runs, not even the line behind it. */
export async function unclosed(session) {
  const error = await session.fail("unclosed.txt");
  assert.deepEqual([error.code, error.category, error.line], ["COMPILE_ERROR", "compile", 1]);
  const { tables } = await session.ok("getMetrics");
  assert.equal(tables.cars, cars.length, "cars, which line 2 would have dropped");
  finding(`${error.code} in line ${error.line}; nothing ran, not even the DROP in line 2`);
  checked("the position is line 1, where the bracket is missing, and line 2 has dropped nothing");
}

/** A loop without an end. */
export async function endless(session) {
  const started = performance.now();
  const error = await session.fail("endless.js");
  assert.deepEqual([error.code, error.category], ["EXECUTION_LIMIT", "limit"]);
  assert.ok(error.line >= 2 && error.line <= 9, "a line of the program");
  finding(`${error.code} in line ${error.line}, stopped after ${duration(performance.now() - started)}`);
  checked("it was stopped, and the Worker serves the next step");
}

/** Any number of rows, one by one, and the events of the run while it goes on. */
export async function streamLateFlights(session) {
  const late = delays.filter((flight) => flight.delay > 15);
  const { result, events } = await session.live("stream.js", { minutes: 15, expected: late.length });
  same(result, { rows: late.length, miles: sum(late, (flight) => flight.distance) }, "late flights and their miles");
  const reports = events.filter(({ event }) => event === "progress").length;
  assert.equal(reports, Math.floor(late.length / 10_000), "progress events");
  assert.deepEqual([events[0].event, events.at(-1).event], ["started", "done"], "the first and the last event");
  finding(`${count(result.rows)} late flights, ${plural(reports, "report")} of progress`);
  checked(`${plural(result.rows, "late flight")}, as many as in flights-200k.json, told in ${plural(reports, "step")}`);
}

/** A result that is too large for a response: it is in a table, for the next program. */
export async function staged(session) {
  const reference = await session.run("staged.js");
  const late = flights.filter((flight) => flight.delay > 30);
  assert.equal(reference.rows, late.length, "rows of the table");
  assert.deepEqual(reference.columns, ["origin", "destination", "distance", "kilometres"]);
  assert.equal(reference.sample.length, 3, "the sample");
  const rows = await session.run("unstaged.js", { table: reference.table });
  const expected = groups(late, (flight) => flight.origin)
    .map(([origin, list]) => ({ origin, flights: list.length, longest: Math.max(...list.map((flight) => Math.round(flight.distance * 1.609344))) }))
    .sort(by((row) => [-row.flights, row.origin]));
  sameRows(rows, expected.slice(0, 3), "late flights by origin");
  await session.exec(`DROP TABLE ${reference.table}`);
  finding(`${plural(late.length, "record")} went to a table, and the next program counted them there`);
  checked(`all ${plural(late.length, "record")} were in the table, and the next program counted them as JavaScript does`);
}

const SLICE = 25;

/** The next slice of the work that goes on over several runs. Resolves with whether all is done. */
export async function slice(session) {
  const countries = groups(gapminder, (row) => row.country);
  const { from, done } = await session.run("slice.js", { slice: SLICE });
  assert.equal(from % SLICE, 0, "it goes on where the last run stopped");
  assert.equal(done, Math.min(from + SLICE, countries.length), "the position that was saved");
  if (done < countries.length) return false;
  const rows = await session.rows("SELECT country, life FROM medians ORDER BY country");
  const middle = (list) => list[Math.floor(list.length / 2)];
  const expected = countries.map(([country, list]) => ({ country, life: middle(list.map((row) => row.life_expect).sort((left, right) => left - right)) }));
  sameRows(rows, expected.sort(by((row) => [row.country])), "medians");
  finding(`medians of ${plural(rows.length, "country", "countries")} by ${Math.ceil(rows.length / SLICE)} runs, each from where the last one stopped`);
  checked(`${plural(rows.length, "country", "countries")} in slices of ${SLICE}, none twice and none left out, with the medians that JavaScript computes`);
  return true;
}
