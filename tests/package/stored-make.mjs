// Makes the fixture of a version: the folder of data that a package has written, with every kind of
// data in it.
// Usage: scripts/package test && scripts/with-env node tests/package/stored-make.mjs
//
// A fixture is made once, at the release of its version, and never again:
// tests/fixtures/data-VERSION.tgz then stays as that version wrote it.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "../../demo/servers/mcp.mjs";
import { Dev, MANIFEST, ROOT } from "./installed.mjs";
import { Client, KINDS, SERVER, TENANT, TOKEN, TOOLS } from "./stored-kinds.mjs";

const target = join(ROOT, "tests/fixtures", `data-${MANIFEST.version}.tgz`);
if (existsSync(target)) throw new Error(`${target} is there already; it is what version ${MANIFEST.version} has written`);
const folder = mkdtempSync(join(tmpdir(), "codemode-fixture-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const data = join(folder, "data");
mkdirSync(data);

const server = await serve({ name: SERVER, tools: TOOLS });
const variables = { API_TOKENS: JSON.stringify({ [TOKEN]: TENANT }), MCP_SERVERS: JSON.stringify([{ name: SERVER, url: server.url }]) };
writeFileSync(join(data, "settings.env"), Object.entries(variables).map(([name, value]) => `${name}=${value}\n`).join(""));
const dev = await Dev.start(data, { words: ["--port", "28771"] });
try {
  const client = new Client((path, init) => dev.fetch(path, init));
  for (const { name, write } of KINDS) {
    console.log(name);
    await write(client);
  }
} finally {
  await dev.stop();
  await server.close();
}
// Files that exist only while a server runs are removed. The rest stays as the server left it,
// including journals; a -shm is memory, which SQLite makes again.
for (const name of ["lock.sqlite", "server.json"]) rmSync(join(data, name), { force: true });
const words = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--exclude=*-shm", "-cf", "-", "-C", data, "."];
writeFileSync(target, execFileSync("gzip", ["-9n"], { input: execFileSync("tar", words, { maxBuffer: 1e9 }), maxBuffer: 1e9 }));
console.log(`${target}: ${statSync(target).size} bytes`);
