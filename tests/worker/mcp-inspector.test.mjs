// Tests in which `@modelcontextprotocol/inspector --cli` drives the product: each command is a
// process that connects, makes one request and ends.
//
// It lists, calls, reads and gets prompts, in both versions of the protocol. It cannot receive
// progress, cancel, be asked or subscribe.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { TOKENS, Worker } from "./harness.mjs";
import { confirmOf } from "./mcp-client.mjs";

const folder = dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json"));
const LAUNCHER = join(folder, "clients/launcher/build/index.js");
/** The exit code for a tool that returned an error. */
const TOOL_ERROR = 5;

let local;
let guarded;
let home;
before(async () => {
  const tokens = Object.fromEntries(Object.entries(TOKENS).map(([tenant, token]) => [token, tenant]));
  // It keeps files in the home folder of its user.
  home = await mkdtemp(join(tmpdir(), "codemode-inspector-"));
  [local, guarded] = await Promise.all([Worker.start(), Worker.start({ settings: { API_TOKENS: JSON.stringify(tokens) } })]);
});
after(async () => {
  await Promise.all([local?.stop(), guarded?.stop()]);
  await rm(home, { recursive: true, force: true });
});

/** Runs one command; returns its exit code, its result and its other output. */
function inspect(worker, name, negotiation, method, ...more) {
  const target = [`${worker.url}/mcp?session=${name}`, "--transport", "http", "--protocol-era", negotiation];
  const given = [LAUNCHER, "--cli", ...target, "--method", method, "--format", "json", ...more];
  return new Promise((resolve) => {
    execFile(process.execPath, given, { env: { ...process.env, HOME: home }, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, result: stdout ? JSON.parse(stdout).result : undefined, stderr });
    });
  });
}

const call = (worker, name, negotiation, tool, args, ...more) =>
  inspect(worker, name, negotiation, "tools/call", "--tool-name", tool, "--tool-args-json", JSON.stringify(args), ...more);

async function ok(running) {
  const { code, result, stderr } = await running;
  assert.equal(code, 0, stderr);
  return result;
}

for (const negotiation of ["legacy", "modern"]) {
  describe(`the inspector, ${negotiation}`, { concurrency: 2 }, () => {
    test("lists the tools, whose schemas have no portability error", async () => {
      const { code, result, stderr } = await inspect(local, randomUUID(), negotiation, "tools/list", "--strict");
      assert.equal(code, 0, stderr);
      assert.ok(result.tools.some(({ name }) => name === "program_run"));
    });

    test("connects with a token, and not without", async () => {
      const name = randomUUID();
      const header = ["--header", `Authorization: Bearer ${TOKENS.acme}`];
      const result = await ok(call(guarded, name, negotiation, "db_query", { sql: "SELECT 1" }, ...header));
      assert.equal(result.structuredContent.session, name);
      const { code, stderr } = await inspect(guarded, name, negotiation, "tools/list", "--stored-auth-only");
      assert.notEqual(code, 0);
      assert.ok(!stderr.includes(TOKENS.acme));
    });

    test("executes a program, pages through its table and reads it as a resource", async () => {
      const name = randomUUID();
      const code = `
        await helpers.db.createTable("films", "id INTEGER PRIMARY KEY");
        await helpers.db.batchInsert("films", [{ id: 1 }, { id: 2 }, { id: 3 }]);
        return "written";`;
      const ran = await ok(call(local, name, negotiation, "program_run", { code }));
      assert.equal(ran.structuredContent.result, "written");
      const query = { sql: "SELECT id FROM films ORDER BY id", limit: 2 };
      const first = (await ok(call(local, name, negotiation, "db_query", query))).structuredContent;
      const { structuredContent: last } = await ok(call(local, name, negotiation, "db_query", { ...query, cursor: first.nextCursor }));
      assert.deepEqual([first.rows, last.rows, last.truncated], [[[1], [2]], [[3]], false]);
      const { contents } = await ok(inspect(local, name, negotiation, "resources/read", "--uri", `db://${name}/tables/films?offset=1&limit=1`));
      assert.deepEqual(JSON.parse(contents[0].text).rows, [[2]]);
    });
  });
}

describe("the inspector, by default", { concurrency: 2 }, () => {
  test("names what it deletes", async () => {
    const session = local.session();
    await session.exec("CREATE TABLE films (id INTEGER)");
    const refused = await call(local, session.name, "legacy", "db_drop_table", { table: "films" });
    assert.equal(refused.code, TOOL_ERROR);
    assert.equal(refused.result.structuredContent.error.code, "CONFIRMATION_REQUIRED");
    const confirm = confirmOf(refused.result.structuredContent.error.hint);
    assert.equal((await ok(call(local, session.name, "legacy", "db_drop_table", { table: "films", confirm }))).structuredContent.dropped, true);
  });

  test("gets a prompt", async () => {
    const session = local.session();
    await session.exec("CREATE TABLE films (id INTEGER)");
    const args = ["--prompt-name", "analyse_data_set", "--prompt-args", "table=films", "question=How many?"];
    const { messages } = await ok(inspect(local, session.name, "legacy", "prompts/get", ...args));
    assert.ok(messages[0].content.text.includes("How many?"));
  });
});

test("a Worker that was killed serves the next command, with the tables of before", async () => {
  const session = local.session();
  await session.exec("CREATE TABLE films (id INTEGER)");
  await local.kill();
  for (const negotiation of ["legacy", "auto"]) {
    assert.deepEqual((await ok(call(local, session.name, negotiation, "db_get_tables", {}))).structuredContent.tables, ["films"]);
  }
});
