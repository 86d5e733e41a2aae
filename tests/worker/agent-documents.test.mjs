// Tests that run the pages about the database agent in workerd: requests get the responses that
// docs/http-api/agent.md shows, and the programs of docs/agent.md do what the page says.
//
// Of a long response the page shows some fields, each of which must be equal. Ids, times, hashes of
// the audit and tokens differ from run to run, so an id in a request is replaced by the one that
// the response had at the same place of the page.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createParser } from "eventsource-parser";
import { until } from "../until.mjs";
import { Worker } from "./harness.mjs";
import { ROOT, blocks, read } from "./pages.mjs";

const API = "docs/http-api/agent.md";
const GUIDE = "docs/agent.md";
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const VOLATILE = new Set(["at", "atMs", "createdAt", "databaseSize", "expiresAt", "hash", "lastActivity", "rowsRead", "token", "usedAt"]);

/**
 * Returns the fields of a value that the page shows. `ids` learns the real id for each id on the
 * page. A hash counts as one, too, because it covers the random identity of the database.
 */
function alike(came, page, ids) {
  if (Array.isArray(page)) return Array.isArray(came) ? came.map((item, at) => (at < page.length ? alike(item, page[at], ids) : item)) : came;
  if (typeof page === "object" && page !== null) {
    if (typeof came !== "object" || came === null) return came;
    const fields = Object.entries(page).map(([name, value]) => {
      if (VOLATILE.has(name)) return [name, name in came ? value : undefined];
      if (name === "sha256") ids.set(value, came[name]);
      return [name, alike(came[name], value, ids)];
    });
    return Object.fromEntries(fields);
  }
  if (typeof page !== "string" || typeof came !== "string") return came;
  if (UUID.test(page) && UUID.test(came)) ids.set(page, came);
  return [...ids].reduce((text, [shown, actual]) => text.replaceAll(actual, shown), came);
}

/** Returns the events of a text, with their numbers. */
function events(text) {
  const found = [];
  const parser = createParser({ onEvent: ({ id, event, data }) => found.push({ id, event, data: JSON.parse(data) }) });
  // The last event of a page lacks its empty line.
  parser.feed(`${text.trimEnd()}\n\n`);
  return found;
}

function requestOf({ text }, ids) {
  const actual = [...ids].reduce((known, [shown, came]) => known.replaceAll(shown, came), text);
  const [head, body] = actual.split(/\n\n([^]*)/);
  const [first, ...headers] = head.split("\n");
  const [method, path] = first.split(" ");
  return { path, init: { method, headers: Object.fromEntries(headers.map((line) => line.split(": "))), body } };
}

/** Returns the status of a response, which follows the language of its block: `json 409`. */
const statusOf = (page, { line }) => Number(/^```\w+ (\d+)/.exec(page.split("\n")[line - 1])?.[1] ?? 200);

describe("the pages about the database agent", () => {
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker?.stop());

  test(`${API}: each request gets the response behind it`, async () => {
    const page = await read(API);
    const list = blocks(page);
    const ids = new Map();
    let examples = 0;
    for (const [at, block] of list.entries()) {
      if (block.language !== "http") continue;
      const { path, init } = requestOf(block, ids);
      const shown = list[at + 1];
      const place = `${API}, line ${block.line}`;
      const compare = async () => {
        const response = await worker.fetch(path, init);
        const text = await response.text();
        const parse = shown.language === "json" ? JSON.parse : events;
        const expected = parse(shown.text);
        return { status: response.status, expected, came: alike(parse(text), expected, ids), text };
      };
      let compared = await compare();
      // The note about a thread reaches the index of its tenant a moment later.
      if (path === "/api/agent/threads") await until(async () => (compared = await compare()).came.threads[0]?.next.length === 0);
      assert.deepEqual(compared.came, compared.expected, `${place}: ${compared.text}`);
      assert.equal(compared.status, statusOf(page, shown), `${place}: ${compared.text}`);
      examples += 1;
    }
    assert.ok(examples >= 20, `${examples} examples`);
  });

  test(`${API} has every route of the agent`, async () => {
    const page = await read(API);
    const { paths } = await (await worker.fetch("/api/openapi.json")).json();
    const lost = [];
    for (const [path, methods] of Object.entries(paths)) {
      if (!path.startsWith("/api/agent/")) continue;
      for (const method of Object.keys(methods).filter((name) => ["get", "post", "put", "delete"].includes(name))) {
        const request = new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "[^/\\s?]+")}(\\?\\S*)?$`, "m");
        if (!request.test(page)) lost.push(`${method} ${path}`);
      }
    }
    assert.deepEqual(lost, []);
  });

  test(`${GUIDE}: the client asks, approves and prints what the page shows; the audit that it leaves is verified by the page's function`, async () => {
    const page = blocks(await read(GUIDE));
    const textsOf = (language) => page.filter((block) => block.language === language).map(({ text }) => text);
    const [[client, verifier], [printed]] = [textsOf("js"), textsOf("text")];
    const session = worker.session("shop");
    await session.exec("CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, customer TEXT, total REAL, status TEXT, business_id TEXT)");
    await session.exec("INSERT OR IGNORE INTO orders VALUES (1, 'Ada', 40, 'open', 'acme'), (2, 'Ben', 25, 'paid', 'acme'), (4, 'Cleo', 99, 'open', 'zeta')");
    const folder = await mkdtemp(join(tmpdir(), "codemode-agent-page-"));
    try {
      await mkdir(join(folder, "node_modules"));
      await symlink(join(ROOT, "node_modules", "eventsource-parser"), join(folder, "node_modules", "eventsource-parser"));
      await writeFile(join(folder, "client.mjs"), client);
      await writeFile(join(folder, "verify.mjs"), verifier);
      const options = { cwd: folder, env: { PATH: process.env.PATH, NODE_NO_WARNINGS: "1", ORIGIN: worker.url } };
      const { stdout } = await promisify(execFile)(process.execPath, ["client.mjs"], options);
      const lines = (text) => text.trimEnd().split("\n").map((line) => line.trimEnd());
      assert.deepEqual(lines(stdout), lines(printed));
      const { records } = await (await worker.fetch("/api/agent/orders-1/audit?limit=200")).json();
      const { verify } = await import(pathToFileURL(join(folder, "verify.mjs")));
      assert.equal(verify(records), records.at(-1).hash);
      const forged = records.with(1, { ...records[1], body: records[1].body.replace("SELECT", "DELETE") });
      assert.throws(() => verify(forged), /record 2 was changed/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
