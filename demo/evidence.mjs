// The questions of the demo to servers of others (demo/servers/): publications, clinical trials, and drug targets in GraphQL.
//
// As everywhere in the demo, plain JavaScript computes a second time what a program returns, here from the servers' own records.

import assert from "node:assert/strict";
import { by, groups, sameRows } from "./data.mjs";
import { checked, count, finding, note, plural } from "./print.mjs";
import { publications, startPublications } from "./servers/publications.mjs";
import { startTargets } from "./servers/targets.mjs";
import { startTrials, trials } from "./servers/trials.mjs";

// What a model may have to read of the response to the question about both servers.
const MOST_RESPONSE_BYTES = 2_048;
const TOKEN = "a-secret-that-only-the-worker-sends";

/** The servers that the questions go to, with a tool of each. */
export const SERVERS = { pubs: "list", trials: "list", targets: "graphql_query" };

/** Starts the servers; resolves with what the Worker needs to know, and `stop`. */
export async function startServers() {
  const [pubs, studies, targets] = await Promise.all([startPublications({ token: TOKEN }), startTrials(), startTargets()]);
  const servers = [
    { name: "pubs", url: pubs.url, headers: { authorization: "Bearer $PUBS_TOKEN" }, mappings: "entrez" },
    { name: "trials", url: studies.url, mappings: "clinicaltrials" },
    { name: "targets", url: targets.url, kind: "graphql" },
  ];
  return {
    servers,
    settings: { MCP_SERVERS: JSON.stringify(servers) },
    secrets: { PUBS_TOKEN: TOKEN },
    queries: () => targets.calls.filter(({ method, params }) => method === "tools/call" && !params.arguments.query.includes("__schema")).length,
    stop: () => Promise.all([pubs.close(), studies.close(), targets.close()]),
  };
}

/** Which tools are there for a question? */
export async function searchTools(session) {
  const tools = await session.tools("publications by year");
  assert.deepEqual([tools[0].server, ["list", "search"].includes(tools[0].name)], ["pubs", true], "the best tool");
  finding(`${plural(tools.length, "tool")}, ${tools[0].server}.${tools[0].name} first`);
  checked("the first one is a tool of the publications server");
}

/** What the program of the question gets. */
export const INPUT = { since: 2015, most: 5 };

/** The result of the program of the question must be what JavaScript computes from the servers' records. */
export function checkJoined({ fetched, published, rows }) {
  assert.equal(published, "year", "the column of the publication date");
  assert.deepEqual(fetched, { papers: publications.length, studies: trials.length }, "records of both servers");
  const paper = new Map(publications.map((record) => [record.pmid, record]));
  const links = trials
    .filter(({ status, phase }) => status === "COMPLETED" && phase === "PHASE3")
    .flatMap(({ nct_id, conditions, related_pmids }) => related_pmids.map((pmid) => ({ nct_id, condition: conditions[0], ...paper.get(pmid) })))
    .filter(({ year }) => year >= INPUT.since);
  const expected = groups(links, ({ condition }) => condition)
    .map(([condition, list]) => ({
      condition,
      trials: new Set(list.map(({ nct_id }) => nct_id)).size,
      papers: new Set(list.map(({ pmid }) => pmid)).size,
      most_cited: Math.max(...list.map(({ citation_count }) => citation_count)),
    }))
    .sort(by((row) => [-row.papers, row.condition]));
  sameRows(rows, expected.slice(0, INPUT.most), "conditions");
}

/** One program asks both servers; their results become tables and are joined in SQL. */
export async function joinServers(session) {
  checkJoined(await session.run("evidence.js", INPUT));
  const raw = Buffer.byteLength(JSON.stringify(publications)) + Buffer.byteLength(JSON.stringify(trials));
  note(`   the servers sent ${count(raw)} bytes, the whole response to the program has ${count(session.responseBytes)}`);
  assert.ok(session.responseBytes < MOST_RESPONSE_BYTES, `the response has ${session.responseBytes} bytes`);
  finding(`${count(raw)} bytes came, ${count(session.responseBytes)} go to the model`);
  checked(`the same as JavaScript computes from ${plural(publications.length, "publication")} and ${plural(trials.length, "trial")}, in less than 2 KB`);
  checked("findColumn knew that this server calls the publication date year");
}

/** A single call, without a program: a large result comes back as a reference to its tables. */
export async function resultReference(session) {
  const got = await session.callTool("pubs", "list", { year_from: 2020, limit: 5_000 });
  const expected = publications.filter(({ year }) => year >= 2020);
  assert.equal(got.staged, true, "it was staged");
  for (const { name, rows, columns } of got.tables) note(`   ${name}, ${plural(rows, "row")}: ${columns.map((column) => column.name).join(", ")}`);
  assert.equal(got.tables[0].rows, expected.length, "rows of the first table");
  const authors = got.tables.find(({ name }) => name.endsWith("authors"));
  const [first] = await session.rows(`SELECT count(*) AS authors, count(DISTINCT affiliation_country) AS countries FROM ${authors.name}`);
  const all = expected.flatMap((record) => record.authors);
  assert.deepEqual(first, { authors: all.length, countries: new Set(all.map(({ affiliation }) => affiliation.country)).size }, "authors");
  finding(`${plural(expected.length, "publication")} and ${plural(all.length, "author")} in tables, and a reference to them`);
  checked(`${plural(expected.length, "publication")} and ${plural(all.length, "author")} are in tables, as the server sent them`);
}

/**
 * A misspelt field of a GraphQL query: it is explained before anything is sent, and put right.
 *
 * @param {{queries(): number}} [servers] those that were started here, which count what they are sent
 */
export async function misspeltQuery(session, servers) {
  const before = servers?.queries();
  const wrong = await session.run("target.js", { symbol: "DRD2" });
  assert.deepEqual([wrong.ok, wrong.error.code], [false, "GRAPHQL_INVALID_QUERY"], "the query is refused");
  const [issue] = wrong.error.issues;
  assert.match(issue.message, /symbl/, "the issue names the field");
  const [meant] = issue.suggestions;
  assert.equal(meant, "symbol", "the nearest field");
  assert.equal(servers?.queries(), before, "nothing was sent");
  note(`so symbl becomes ${meant}, and the program is sent again:`);
  const corrected = (code) => code.replace("symbl", meant);
  const { data } = await session.run("target.js", { symbol: "DRD2" }, corrected);
  assert.equal(data.target.symbol, "DRD2", "the target");
  checked("the misspelling was explained from the server's schema, before the call; the corrected query finds the target");
  const none = await session.run("target.js", { symbol: "DRD22" }, corrected);
  assert.deepEqual([none.ok, none.error.code, none.error.nullFields], [false, "GRAPHQL_NULL_DATA", ["target"]], "nothing was found");
  finding("explained before it is sent, and one that finds nothing after");
  checked("a symbol that nothing is known about is explained as well, and is no null that a program stumbles over");
}
