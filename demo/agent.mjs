// Questions in plain words: a statement waits for a person, runs for one studio's rows, is edited, rejected, and cannot leave them.
//
// Each film belongs to its distributor, as rows of many businesses lie in one table. Plain JavaScript finds out what the rows of one of them say.

import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { by, records } from "./data.mjs";
import * as print from "./print.mjs";

const REQUEST_TIMEOUT_MS = 60_000;
const JSON_TYPE = { "content-type": "application/json" };
/** Whose rows the questions are about. */
const STUDIO = "Paramount Pictures";
const STRANGER = "Warner Bros.";
const PERSON = "a person";
const BEST = 3;
const POOR_RATING = 4;

const SCHEMA = "id INTEGER PRIMARY KEY, title TEXT, genre TEXT, gross INTEGER, rating REAL, business_id TEXT NOT NULL";
const films = records("movies.json")
  .filter(({ Distributor }) => Distributor !== null)
  .map((movie, index) => ({
    id: index + 1, title: String(movie.Title), genre: movie["Major Genre"], gross: movie["Worldwide Gross"], rating: movie["IMDB Rating"], business_id: movie.Distributor,
  }));
const filmsOf = (studio) => films.filter(({ business_id }) => business_id === studio);

/** One chat thread, in the Worker of a session. */
export class Thread {
  #session;
  #path;
  #inputs = 0;

  constructor(session, id) {
    this.#session = session;
    this.#path = `/api/agent/${id}`;
  }

  /** Asks for the studio; resolves with what the steps told. */
  async ask(input) {
    this.#inputs += 1;
    const question = { input, inputId: `question-${this.#inputs}`, session: this.#session.name, businessId: STUDIO, userId: PERSON };
    return this.#follow("/messages", question, { input });
  }

  /** Decides what waits; resolves with what the steps told. */
  async decide({ approvalId, sha256 }, action, more = {}) {
    return this.#follow("/resume", { approvalId, sha256, action, userId: PERSON, ...more }, { action, ...more });
  }

  async json(path) {
    const { response } = await this.#send("GET", path);
    const body = await response.json();
    assert.equal(response.status, 200, `${path} returned ${JSON.stringify(body)}`);
    return body;
  }

  /** Deletes the thread; one that is not there is none. */
  async delete() {
    const { response } = await this.#send("DELETE", "");
    assert.ok([200, 404].includes(response.status), `DELETE returned ${response.status}`);
  }

  /** Sends a request and reads its events to the end: the last update of each step, or the error. */
  async #follow(path, body, shown) {
    print.call("POST", this.#path + path, JSON.stringify(shown));
    const { response, started } = await this.#send("POST", path, body);
    if (response.status !== 200) {
      const { error } = await response.json();
      print.answer(response.status, error.code, performance.now() - started);
      return { status: response.status, error };
    }
    const updates = new Map();
    const parsed = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream({ onError: "terminate" }));
    for await (const { event, data } of parsed) {
      print.event(event, performance.now() - started, data);
      if (event === "updates") for (const [step, update] of Object.entries(JSON.parse(data))) updates.set(step, update);
    }
    return { status: response.status, updates };
  }

  async #send(method, path, body) {
    const started = performance.now();
    const init = { method, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), ...(body && { headers: JSON_TYPE, body: JSON.stringify(body) }) };
    return { response: await fetch(this.#session.origin + this.#path + path, init), started };
  }
}

/** The approval that waits, by what the steps told. */
const waitingIn = ({ updates }) => updates?.get("__interrupt__")?.[0].value;

/** Whether the agent of a Worker is as it is without configuration: the planner writes, and one person decides about the rows of a business. */
export async function isPlain(session, thread) {
  await thread.delete();
  await session.ok("createTable", { name: "probe", schema: "n INTEGER, business_id TEXT" });
  const asked = await thread.ask("how many rows of probe are there?");
  const waiting = waitingIn(asked);
  await session.delete();
  return asked.updates?.get("writeQuery")?.author === "planner" && waiting?.requiredApprovers === 1 && waiting.finalSql.includes('"business_id" = ?');
}

/** The films of all studios go into one table. */
export async function loadFilms(session, thread) {
  await thread.delete();
  await session.ok("createTable", { name: "films", schema: SCHEMA });
  const { rowsWritten } = await session.ok("batchInsert", { table: "films", records: films });
  assert.equal(rowsWritten, films.length, "films");
  const studios = new Set(films.map(({ business_id }) => business_id)).size;
  print.finding(`${print.plural(films.length, "film")} of ${print.plural(studios, "studio")} in one table`);
}

/** A question becomes a statement that waits. */
export async function ask(thread) {
  const waiting = waitingIn(await thread.ask("how many films are there per genre?"));
  assert.equal(waiting?.kind, "read", "a statement waits");
  assert.equal(waiting.requiredApprovers, 1, "for one person");
  assert.match(waiting.finalSql, /"business_id" = \?/, "the rows of one business");
  print.code(waiting.sql);
  print.note(`   ${waiting.explanation}`);
  const { next, values } = await thread.json("/state");
  assert.deepEqual([next, values.sqlResult], [["humanApproval"], null], "nothing ran");
  print.finding("a statement waits, nothing has run");
  print.checked("the statement waits for a person, and nothing has run");
  return waiting;
}

/** Approved, it runs and counts the films of the studio. */
export async function approve(thread, waiting) {
  const { updates } = await thread.decide(waiting, "approved");
  const { columns, rows } = updates.get("executeQuery").sqlResult;
  const counts = new Map(filmsOf(STUDIO).map(({ genre }) => [genre, 0]));
  for (const { genre } of filmsOf(STUDIO)) counts.set(genre, counts.get(genre) + 1);
  // Of two columns one has texts; which comes first is for the writer to say.
  const found = new Map(rows.map((row) => columns.map((name) => row[name]).sort((one, other) => (typeof one === "number") - (typeof other === "number"))));
  const sorted = (pairs) => [...pairs].toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1));
  assert.deepEqual(sorted(found), sorted(counts), "films by genre");
  print.table(columns, rows);
  const again = await thread.decide(waiting, "approved");
  assert.deepEqual([again.status, again.error?.code], [409, "ALREADY_DECIDED"], "a second click");
  print.finding(`${print.plural(filmsOf(STUDIO).length, "film")}, those of ${STUDIO} alone; a second click is 409`);
  print.checked("the counts are those of JavaScript over the films of one studio, and a second approval runs nothing");
}

/** A person changes the statement, and approves what waits then. */
export async function edit(thread) {
  const first = waitingIn(await thread.ask("which 10 films have the highest gross?"));
  const sql = `SELECT title, gross FROM films WHERE genre = 'Comedy' ORDER BY gross DESC LIMIT ${BEST}`;
  const edited = waitingIn(await thread.decide(first, "edited", { sql }));
  assert.notEqual(edited.approvalId, first.approvalId, "an approval of its own");
  print.code(sql);
  const ran = await thread.decide(edited, "approved");
  const { rows } = ran.updates.get("executeQuery").sqlResult;
  const comedies = filmsOf(STUDIO).filter(({ genre, gross }) => genre === "Comedy" && gross !== null);
  const best = comedies.toSorted(by(({ gross }) => [-gross])).slice(0, BEST);
  assert.deepEqual(rows, best.map(({ title, gross }) => ({ title, gross })), "the edited statement");
  print.table(["title", "gross"], rows);
  print.finding("judged and approved like the first");
  print.checked("the edited statement waited for its own approval, and returned what JavaScript finds");
}

/** A DELETE shows its rows, is rejected, and has changed nothing. */
export async function reject(session, thread) {
  const waiting = waitingIn(await thread.ask(`delete the films with a rating below ${POOR_RATING}`));
  const poor = filmsOf(STUDIO).filter(({ rating }) => rating !== null && rating < POOR_RATING);
  assert.deepEqual([waiting?.kind, waiting?.affectedRows], ["delete", poor.length], "the rows that it would delete");
  print.code(waiting.sql);
  print.table(["title", "rating"], waiting.sample.before.map(({ row }) => row));
  const { updates } = await thread.decide(waiting, "rejected", { reason: "they are ours all the same" });
  assert.equal(updates.get("humanApproval").status, "rejected");
  const { results } = await session.ok("query", { sql: "SELECT count(*) AS films FROM films" });
  assert.deepEqual(results, [{ films: films.length }], "no film is gone");
  print.finding(`it showed ${print.plural(poor.length, "row")}, and deleted none`);
  print.checked("the dry run found the rows that JavaScript finds, and none is gone");
}

/** What would read the rows of another studio is rejected, or finds none. */
export async function crossTenant(thread) {
  const waiting = waitingIn(await thread.ask("how many films are there?"));
  const blocked = await thread.decide(waiting, "edited", { sql: "SELECT * FROM main.films" });
  assert.deepEqual([blocked.status, blocked.error?.code], [403, "SQL_BLOCKED"], "a schema name");
  const sql = `SELECT count(*) AS films FROM films WHERE business_id = '${STRANGER}'`;
  const edited = waitingIn(await thread.decide(waiting, "edited", { sql }));
  const ran = await thread.decide(edited, "approved");
  assert.deepEqual(ran.updates.get("executeQuery").sqlResult.rows, [{ films: 0 }], "films of another studio");
  assert.ok(filmsOf(STRANGER).length > 0, "which has films");
  print.note(`   main.films: ${blocked.error.code}, ${blocked.error.message}`);
  print.finding(`main. is SQL_BLOCKED; of ${print.count(filmsOf(STRANGER).length)} films of ${STRANGER} none is seen`);
  print.checked("neither a schema name nor a condition reaches the rows of another studio");
}
