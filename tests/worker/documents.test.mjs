// Tests that run the examples of the documents in workerd: a page shows the response that the
// Worker gives.
//
// In README.md and docs/programs.md a block of js or ts is a program, and the block of JSON after
// it shows fields of its response; each field that is shown must be equal. Blocks of http, blocks
// of JSON with an operation, and `$ curl` lines of README.md are requests, and the status and the
// whole response must equal the block after them. Times and ids, which differ from run to run, are
// left out. The tutorials have their own test.
//
// In docs/servers.md and docs/staging.md a block of js calls a server `pubs`. A comment after a
// statement gives its value: JSON, `throws a …`, or `tables …`; every other comment is for people.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { glob, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { createParser } from "eventsource-parser";
import { serve, text as answerText } from "../../demo/servers/mcp.mjs";
import { commands, curl } from "./console.mjs";
import { Worker } from "./harness.mjs";
import { ROOT, blocks, read, shown, steady } from "./pages.mjs";
import { execute } from "./program-client.mjs";
import { refusal, startWorker } from "./tools-client.mjs";

const EXECUTE = "/api/codemode/execute";
/** The longest time that a program may take. */
const PATIENT_MS = 300_000;
/**
 * The pages with requests, in an order in which one may use the tables of another. agent.md has its
 * own test.
 */
const PAGES = ["docs/values.md", "docs/sql-policy.md", "docs/http-api.md", "docs/http-api/tables.md"];
for (const page of (await readdir(join(ROOT, "docs/http-api"))).sort()) {
  if (page !== "agent.md" && page !== "tables.md") PAGES.push(`docs/http-api/${page}`);
}

/** Parses events, and removes the values that differ from run to run from their data. */
function steadyEvents(text) {
  const events = [];
  const parser = createParser({ onEvent: ({ event, data }) => events.push({ event, data: steady(data) }), onError: (error) => assert.fail(error) });
  // The last event of a document lacks its empty line.
  parser.feed(`${text.trimEnd()}\n\n`);
  return events;
}

/** Parses a block of http into method, path, headers and body. */
function parseRequest({ text }) {
  const [head, body] = text.split(/\n\n([^]*)/);
  const [first, ...headers] = head.split("\n");
  const [method, path] = first.split(" ");
  return { path, init: { method, headers: Object.fromEntries(headers.map((line) => line.split(": "))), body } };
}

/**
 * Returns the request of a block of JSON that is an operation of a session; undefined for another
 * block.
 */
function operation({ language, text }, page) {
  if (language !== "json" || !text.includes('"operation"')) return undefined;
  return { path: `/api/codemode/sessions/${basename(page, ".md")}`, init: { method: "POST", body: text } };
}

/**
 * Replaces line ends by line feeds, and removes milliseconds since 1970, which have thirteen
 * digits.
 */
const withoutTimes = (text) => text.replaceAll("\r\n", "\n").replace(/\b\d{13}\b/g, "TIME").trimEnd();

describe("the examples of the documents", () => {
  let worker;
  let sent = 0;
  before(async () => (worker = await Worker.start()));
  after(() => worker?.stop());

  const ask = async ({ path, init }) => (await worker.fetch(path, init)).text();

  test("docs/programs.md", async () => {
    let examples = 0;
    const [...list] = blocks(await read("docs/programs.md"));
    for (let at = 0; at < list.length; at++) {
      const block = list[at];
      const place = `docs/programs.md, line ${block.line}`;
      if (block.language === "js" || block.language === "ts") {
        const expected = steady(list[++at].text);
        // An endless loop reaches its limit of work, on a slow machine too.
        const body = JSON.stringify({ session: "documents", code: block.text, timeoutMs: PATIENT_MS });
        const text = await ask({ path: EXECUTE, init: { method: "POST", body } });
        assert.deepEqual(shown(steady(text), expected), expected, `${place}: ${text}`);
        examples += 1;
      } else if (block.language === "http") {
        const response = list[++at];
        const text = await ask(parseRequest(block));
        const compared = response.language === "json" ? steady : steadyEvents;
        assert.deepEqual(compared(text), compared(response.text), `${place}: ${text}`);
        examples += 1;
      }
    }
    assert.ok(examples >= 12, `${examples} examples`);
  });

  for (const page of PAGES) {
    test(`${page}: requests`, async () => {
      const list = blocks(await read(page));
      for (let at = 0; at < list.length; at++) {
        const block = list[at];
        const request = block.language === "http" ? parseRequest(block) : operation(block, page);
        if (!request) continue;
        const expected = list[++at];
        const response = await worker.fetch(request.path, request.init);
        const text = await response.text();
        const place = `${page}, line ${block.line}: ${text}`;
        assert.equal(response.status, expected.status, place);
        const compared = expected.language === "json" ? steady : withoutTimes;
        assert.deepEqual(compared(text), compared(expected.text), place);
        sent += 1;
      }
    });
  }
  test("the pages have many requests", () => assert.ok(sent > 80, `${sent} requests`));

  test("README.md: commands and programs", async () => {
    const variables = new Map();
    let programs = 0;
    const list = blocks(await read("README.md"));
    for (const [at, block] of list.entries()) {
      const place = `README.md, line ${block.line}`;
      if (block.language === "js") {
        const expected = steady(list[at + 1].text);
        const text = await ask({ path: EXECUTE, init: { method: "POST", body: JSON.stringify({ session: "seattle", code: block.text }) } });
        assert.deepEqual(shown(steady(text), expected), expected, `${place}: ${text}`);
        programs += 1;
      } else if (block.language === "console") {
        for (const { words, output, line } of commands(block, variables).filter(({ words: [name] }) => name === "curl")) {
          const text = await ask(await curl(words, ROOT));
          assert.deepEqual(steady(text), steady(output), `README.md, line ${line}: ${text}`);
        }
      }
    }
    assert.ok(programs >= 2, "README.md runs a program that succeeds and one that fails");
  });

  test("docs/own-sandbox.md: the example for Node reaches a session, and memory without one", async () => {
    const [example, output] = blocks(await read("docs/own-sandbox.md")).filter(({ language }) => language === "js" || language === "text");
    const folder = await mkdtemp(join(tmpdir(), "codemode-documents-"));
    try {
      await writeFile(join(folder, "helpers.js"), await ask({ path: "/api/codemode/helpers.js", init: {} }));
      await writeFile(join(folder, "program.mjs"), example.text);
      const run = async (origin) => {
        const options = { cwd: folder, env: { PATH: process.env.PATH, NODE_NO_WARNINGS: "1", ORIGIN: origin } };
        return (await promisify(execFile)(process.execPath, ["program.mjs"], options)).stdout;
      };
      const printed = `${await run(worker.url)}${await run("")}`;
      assert.equal(printed.trim(), output.text.trim());
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

test("the files that the documents name are there", async () => {
  const documents = await Array.fromAsync(glob("docs/**/*.md", { cwd: ROOT }));
  const pages = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", ...documents];
  const lost = [];
  let found = 0;
  for (const page of pages) {
    for (const [, path] of (await read(page)).matchAll(/`((?:bench|data|demo|docs|fuzz|js|migrations|scripts|src|tests)\/[\w./*-]*)`/g)) {
      const [file] = await Array.fromAsync(glob(path.replace(/\/$/, ""), { cwd: ROOT }));
      if (file === undefined) lost.push(`${page}: ${path}`);
      else found += 1;
    }
  }
  assert.deepEqual(lost, []);
  assert.ok(found > 50, `${found} files`);
});

/** A statement followed by a comment that a test can compare with its value. */
const CLAIM = /^(.*?);\s+\/\/ (.*)$/;

/** Returns the value of a statement in its comment; undefined if the comment is for people. */
function claimed(comment) {
  const thrown = /^throws a (\w+)/.exec(comment);
  if (thrown) return { throws: thrown[1] };
  const tables = /^tables (.*?)(, …)?$/.exec(comment);
  if (tables) return { tables: tables[1].split(", ") };
  try {
    return { value: JSON.parse(comment) };
  } catch {
    return undefined;
  }
}

/** The code that finds the value of a statement, by the form of the claim. */
const OBSERVE = {
  value: (statement) => `seen.push({ value: ${statement} });`,
  tables: (statement) => `seen.push({ tables: (${statement}).tables.map(({ name }) => name) });`,
  throws: (statement) => `try { ${statement}; seen.push({ throws: "nothing" }) } catch (thrown) { seen.push({ throws: thrown.name }) }`,
};

/**
 * Returns a block as a program that returns the values of its statements, and the values in its
 * comments.
 */
function claims(block) {
  const expected = [];
  const lines = block.split("\n").map((line) => {
    const [, statement, comment] = CLAIM.exec(line) ?? [];
    const claim = comment && claimed(comment);
    if (!claim) return line;
    expected.push(claim);
    return OBSERVE[Object.keys(claim)[0]](statement);
  });
  return { code: `const seen = [];\n${lines.join("\n")}\nreturn seen;`, expected };
}

/** Returns the names in the first column of the table with this head. */
function namesOf(page, head) {
  const rows = page.split("\n").slice(page.split("\n").findIndex((line) => line.startsWith(`| ${head} |`)) + 2);
  return rows.slice(0, rows.findIndex((line) => !line.startsWith("|"))).map((line) => /^\| `([^`]+)`/.exec(line)[1]);
}

describe("the pages about tools", () => {
  let pubs, worker;
  before(async () => {
    const [example] = blocks(await read("docs/staging.md")).filter(({ language }) => language === "json");
    const properties = { query: { type: "string" }, term: { type: "string" }, limit: { type: "integer" } };
    const search = { name: "search", description: "Finds publications", annotations: { readOnlyHint: true }, inputSchema: { type: "object", properties, additionalProperties: false }, run: () => answerText(example.text) };
    pubs = await serve({ name: "pubs", tools: [search] });
    worker = await startWorker({ pubs });
  });
  after(() => Promise.all([worker?.stop(), pubs?.close()]));

  for (const page of ["servers", "staging"]) {
    test(`docs/${page}.md: the programs do what their comments say`, async () => {
      let compared = 0;
      for (const { text, line } of blocks(await read(`docs/${page}.md`)).filter(({ language }) => language === "js")) {
        const { code, expected } = claims(text);
        const run = await execute(worker, `${page}-${line}`, code);
        assert.equal(run.success, true, `docs/${page}.md, line ${line}: ${JSON.stringify(run.error)}`);
        assert.equal(run.result.length, expected.length);
        for (const [at, claim] of expected.entries()) {
          const seen = run.result[at];
          // The page names only the first tables.
          if (claim.tables) assert.deepEqual(claim.tables.filter((name) => !seen.tables.includes(name)), [], `docs/${page}.md, line ${line}: ${seen.tables}`);
          else assert.deepEqual(seen, claim, `docs/${page}.md, line ${line}`);
        }
        compared += expected.length;
      }
      assert.ok(compared >= 2, `${compared} statements with their values`);
    });
  }

  test("docs/servers.md lists the options that a call has", async () => {
    const run = await execute(worker, "options", "return (await helpers.pubs.search({}, { nope: 1 })).error.hint");
    assert.deepEqual(namesOf(await read("docs/servers.md"), "option").sort(), /the options are (.*)$/.exec(run.result)[1].split(", ").sort());
  });

  test("docs/servers.md lists the fields of a server in MCP_SERVERS", async () => {
    const wrong = await Worker.start({ settings: { MCP_SERVERS: JSON.stringify([{ name: "pubs", url: pubs.url, nope: 1 }]) } });
    try {
      const { message, hint } = await refusal(wrong, "pubs", "search");
      const known = [...`${message} ${hint}`.matchAll(/`(\w+)`/g)].map(([, name]) => name).filter((name) => name !== "nope");
      assert.deepEqual(namesOf(await read("docs/servers.md"), "field").sort(), known.sort());
    } finally {
      await wrong.stop();
    }
  });
});
