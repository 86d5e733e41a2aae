// Tests of the first screen of the README for a person who has nothing but Node. Its blocks run
// unchanged, with an empty home, an empty npm cache, and a registry that has the package.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { serveTarball } from "../../scripts/local-registry.mjs";
import { until } from "../until.mjs";
import { processes } from "../worker/processes.mjs";
import { ROOT, TARBALL, environment, folderOf } from "./installed.mjs";

const README = readFileSync(join(ROOT, "README.md"), "utf8");
/** The text that a person sees at first: everything before the first heading after the title. */
const FIRST = README.slice(0, README.indexOf("\n## "));
const [serve, add] = [...FIRST.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block);

test("it begins with dev, one line for a host, one question and one picture", () => {
  assert.match(serve, /^npx codemode-database dev(?: +#.*)?\n$/);
  assert.match(add, /^npx codemode-database mcp add [\w-]+\n$/);
  assert.equal([...FIRST.matchAll(/^> .*\?$/gm)].length, 1, "one question");
  const [[, picture], ...more] = [...FIRST.matchAll(/!\[[^\]]+\]\(([^)]+\.png)\)/g)];
  assert.deepEqual(more, []);
  assert.ok(statSync(join(ROOT, picture)).size < 150_000);
  assert.ok(FIRST.indexOf(serve) < FIRST.indexOf(add) && FIRST.indexOf(add) < FIRST.indexOf("\n> ") && FIRST.indexOf("\n> ") < FIRST.indexOf(picture));
  // The first response needs nothing after it.
  assert.ok(README.indexOf("## From source") > README.indexOf("## What you get"));
});

test("its blocks serve and connect a host, with nothing on the machine but Node", async (context) => {
  const home = await folderOf(context);
  const registry = await serveTarball(TARBALL);
  context.after(() => registry.stop());
  const env = environment({ HOME: home, npm_config_cache: join(home, ".npm"), npm_config_registry: registry.origin, npm_config_update_notifier: "false" });
  const dev = spawn("/bin/sh", ["-c", serve], { cwd: home, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let output = "";
  for (const stream of [dev.stdout, dev.stderr]) stream.on("data", (piece) => (output += piece));
  context.after(async () => {
    process.kill(-dev.pid, "SIGINT");
    await until(async () => (await processes(dev.pid, "")).length === 0);
  });
  const origin = await until(() => {
    if (dev.exitCode !== null) throw new Error(output);
    return /runs on (http:\/\/\S+) /.exec(output)?.[1];
  });
  // The command prints the next thing to try; it runs unchanged.
  const [tried] = /curl -s [^]*?}'/.exec(output);
  const { stdout } = await promisify(execFile)("/bin/sh", ["-c", tried]);
  assert.deepEqual(JSON.parse(stdout).results, [{ product: 42 }], stdout);

  await promisify(execFile)("/bin/sh", ["-c", add], { cwd: home, env });
  const { command, args } = JSON.parse(readFileSync(join(home, ".config/Claude/claude_desktop_config.json"), "utf8")).mcpServers.codemode;
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command, args, env, cwd: home }));
  try {
    const { tools } = await client.listTools();
    assert.ok(tools.length > 3);
    const page = await fetch(`${origin}/`, { headers: { accept: "text/html" } });
    assert.equal(page.status, 200);
  } finally {
    await client.close();
  }
});
