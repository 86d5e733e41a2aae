// Tests of data of earlier versions: the packed product opens a folder of each version since the
// first, reads every kind of data in it, and continues to write it. Data of a newer version is
// refused with a message, both the whole folder and each single object.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { Dev, MANIFEST, ROOT, folderOf, run } from "./installed.mjs";
import { Client, KINDS } from "./stored-kinds.mjs";

const FIXTURES = join(ROOT, "tests/fixtures");
/** The largest fixture, because fixtures stay in the repository for ever. */
const MOST_BYTES = 150_000;
const NEWER = 999;
/** Sessions of a fixture must outlive the repository. */
const TIMES = { SESSION_TTL_SECONDS: "3155760000" };

const versions = readdirSync(FIXTURES).flatMap((name) => /^data-(\d+\.\d+\.\d+)\.tgz$/.exec(name)?.[1] ?? []);
const numbers = (version) => version.split(".").map(Number);
/** Returns true if a version is equal to another or later. */
function isSince(version, other) {
  const [one, two] = [numbers(version), numbers(other)];
  const index = one.findIndex((part, at) => part !== two[at]);
  return index === -1 || one[index] > two[index];
}

/** Unpacks a copy of the data of a version. */
async function dataOf(context, version) {
  const data = join(await folderOf(context), "data");
  mkdirSync(data);
  execFileSync("tar", ["-xzf", join(FIXTURES, `data-${version}.tgz`), "-C", data]);
  assert.equal(JSON.parse(readFileSync(join(data, "data.json"), "utf8")).version, version);
  return data;
}

async function served(context, data, port) {
  const dev = await Dev.start(data, { words: ["--port", port], env: TIMES });
  context.after(() => dev.stop("SIGKILL"));
  return { dev, client: new Client((path, init) => dev.fetch(path, init)) };
}

/** Returns the databases of a class of Durable Objects. */
function databases(data, className) {
  const folder = join(data, "v3/do", `codemode-database-${className}`);
  return readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)).map((name) => join(folder, name));
}

test("there is a fixture of the first version, and each is small", () => {
  assert.ok(versions.includes("0.1.0"), versions.join());
  for (const version of versions) assert.ok(statSync(join(FIXTURES, `data-${version}.tgz`)).size < MOST_BYTES, version);
});

for (const version of versions) {
  describe(`data of version ${version}`, () => {
    const kinds = KINDS.filter(({ since }) => isSince(version, since));

    test("opens with everything that was in it, and goes on", async (context) => {
      const data = await dataOf(context, version);
      const { dev, client } = await served(context, data, "28781");
      for (const { name, read } of kinds) await context.test(name, () => read(client));
      assert.equal(JSON.parse(readFileSync(join(data, "data.json"), "utf8")).version, MANIFEST.version);
      await dev.stop();
      // Data that is added to it is there at the next start.
      const { client: again } = await served(context, data, "28781");
      assert.equal((await again.rows("SELECT year FROM films WHERE id = 2"))[0].year, 1980);
    });

    test("is refused object by object where a newer version has migrated it", async (context) => {
      const data = await dataOf(context, version);
      const classes = [...new Set(kinds.flatMap(({ objects = [] }) => objects))];
      assert.deepEqual(classes.toSorted(), readdirSync(join(data, "v3/do")).map((name) => name.replace(/^codemode-database-/, "")).toSorted(), "each class has a kind");
      for (const file of classes.flatMap((name) => databases(data, name))) {
        const database = new DatabaseSync(file);
        database.prepare("INSERT INTO _codemode_migrations (version, name, applied_at) VALUES (?, 'of a newer version', 0)").run(NEWER);
        database.close();
      }
      const { client } = await served(context, data, "28782");
      for (const [className, method, path, body] of [
        ["CodeModeDatabase", "POST", "/api/codemode/sessions/films", { operation: "getTables" }],
        ["KnowledgeGraph", "GET", "/api/graph/people/state?limit=1"],
        ["AgentThread", "GET", "/api/agent/chat/state"],
        ["CodeWorkspace", "POST", "/api/code/gatekeeper", { operation: "list_files" }],
        ["TenantIndex", "GET", "/api/codemode/sessions"],
      ]) {
        const { status, text } = await client.send(method, path, body);
        assert.equal(status, 500, `${className}: ${text}`);
        const { code, message } = JSON.parse(text).error;
        assert.equal(code, "MISCONFIGURED", className);
        assert.match(message, /^the database has schema version 999, but this version of the product only knows versions up to \d+: deploy the newer version again$/, className);
      }
    });

    test("is refused as a whole where a newer minor version has written into it, and stays as it is", async (context) => {
      const data = await dataOf(context, version);
      const [major, minor] = numbers(MANIFEST.version);
      const newer = `${major}.${minor + 1}.0`;
      writeFileSync(join(data, "data.json"), `${JSON.stringify({ version: newer })}\n`);
      const before = readdirSync(data, { recursive: true }).sort().filter((name) => !name.startsWith("lock.sqlite"));
      const sentence = `the data in ${data} was written by version ${newer}, which is newer than this one, ${MANIFEST.version}`;
      const dev = await run(["dev", "--data", data]);
      assert.deepEqual([dev.code, dev.stderr], [1, `error: ${sentence}\n       run npx codemode-database@${newer}, or choose another folder with --data DIR\n`]);
      const mcp = await run(["mcp", "--data", data], { input: '{"jsonrpc":"2.0","id":1,"method":"ping"}\n' });
      assert.ok(mcp.stderr.includes(sentence), mcp.stderr);
      assert.ok(JSON.parse(mcp.stdout).error.message.startsWith(`${sentence}; run npx codemode-database@${newer}`), mcp.stdout);
      assert.deepEqual(readdirSync(data, { recursive: true }).sort().filter((name) => !name.startsWith("lock.sqlite")), before);
      assert.equal(existsSync(join(data, "server.json")), false);
    });
  });
}
