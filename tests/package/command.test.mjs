// Tests of the commands that write files, of the tarball itself, and of the check of an
// installation.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { Dev, MANIFEST, PACKAGE, ROOT, TARBALL, folderOf, install, run } from "./installed.mjs";

const json = async (path) => JSON.parse(await readFile(path, "utf8"));
const inPackage = (path) => readFileSync(join(PACKAGE, path), "utf8");
const WRANGLER_ENV = { PATH: `${dirname(process.execPath)}:${join(ROOT, "node_modules/.bin")}:/usr/bin:/bin`, WRANGLER_SEND_METRICS: "false", HOME: process.env.HOME };

test("the tarball has the Worker, the console, the command, settings and notices, and depends on one exact workerd", async () => {
  const version = /^\[workspace\.package\][^[]*?^version *= *"([^"]+)"/ms.exec(readFileSync(join(ROOT, "Cargo.toml"), "utf8"))[1];
  assert.equal(MANIFEST.version, version);
  const { workerd, ...others } = MANIFEST.dependencies;
  assert.deepEqual([workerd, others], [JSON.parse(readFileSync(join(ROOT, "node_modules/workerd/package.json"), "utf8")).version, {}]);
  const files = execFileSync("tar", ["-tzf", TARBALL], { encoding: "utf8" }).trim().split("\n").map((name) => name.replace(/^package\//, ""));
  for (const name of ["package.json", "cli.js", "command.js", "facts.json", "wrangler.json", "workers-ai.js", "worker/index.js", "worker/main_bg.wasm", "worker/objects_bg.wasm", "console/index.html", "library/index.js", "library/index.d.ts", "README.md", "LICENSE-MIT", "LICENSE-APACHE", "NOTICES.txt"]) assert.ok(files.includes(name), name);
  assert.ok(!files.some((name) => /(?:^|\/)\.|node_modules|\.map$/.test(name)), "nothing that is not the product's");
  assert.ok(!/import[^;]*from *"\.\/objects_bg\.wasm"/.test(inPackage("worker/objects.js")), "the second WebAssembly module is lazy");
  assert.match(inPackage("cli.js"), /^#!\/usr\/bin\/env node\n/);
  assert.ok(statSync(join(PACKAGE, "cli.js")).mode & 0o100);
});

test("the notices name each crate and npm package inside, with a licence", () => {
  const text = inPackage("NOTICES.txt");
  for (const name of ["crate serde_json", "crate sqlparser", "crate worker", "crate wasm-bindgen", "npm package jose", "npm package preact", "npm package cytoscape", "npm package commander", "npm package eventsource-parser"]) assert.match(text, new RegExp(`^${name} \\d[^:]*: \\S`, "m"), name);
  const own = readdirSync(new URL("../../crates", import.meta.url));
  const names = new Set([...own, "codemode-database", "proptest", "rusqlite", "worker-macros", "serde_derive"]);
  const strangers = text.split("\n").filter((line) => names.has(/^crate (\S+) /.exec(line)?.[1]));
  assert.deepEqual(strangers, [], "crates of this project, of its tests and of its build");
  assert.match(text, /Permission is hereby granted, free of charge/);
});

test("help names every command, and what is wrong is an error with a way out", async () => {
  const { stdout } = await run(["--help"]);
  for (const name of ["dev", "mcp", "init", "deploy", "compile", "doctor"]) assert.match(stdout, new RegExp(`^  ${name} `, "m"));
  assert.equal((await run(["--version"])).stdout, `${MANIFEST.version}\n`);
  for (const [words, said] of [
    [["serve"], /unknown command 'serve'/],
    [["dev", "--port", "80a"], /--port <number>' argument '80a' is invalid\. It must be a whole number from 1 to 65535\./],
    [["mcp", "--url", "db.example.com"], /^error: --url db\.example\.com is not an address\n +write it as https:\/\/HOST/],
    [["mcp", "--url", "https://db.example.com", "--data", "x"], /cannot be used with/],
    [["mcp", "add", "notepad"], /^error: there is no host notepad\n +hosts are claude, claude-desktop/],
    [["mcp", "--profile", "tiny"], /Allowed choices are compact, readonly, database, code/],
  ]) {
    const { code, stderr, stdout: printed } = await run(words);
    assert.deepEqual([code, printed], [1, ""], words.join(" "));
    assert.match(stderr, said);
  }
});

test("mcp add enters the server beside others, changes its own entry, and leaves files alone that it cannot read", async (context) => {
  const folder = await folderOf(context);
  const env = { HOME: folder, XDG_CONFIG_HOME: join(folder, "config") };
  const desktop = join(folder, "config", "Claude", "claude_desktop_config.json");
  const added = await run(["mcp", "add", "claude-desktop", "--session", "research"], { env, cwd: folder });
  assert.equal(added.stdout, `added the server codemode in ${desktop}; start Claude Desktop again\n`);
  assert.deepEqual(await json(desktop), { mcpServers: { codemode: { command: "npx", args: ["-y", "codemode-database", "mcp", "--session", "research"] } } });
  await writeFile(desktop, JSON.stringify({ theme: "dark", mcpServers: { other: { command: "other" }, codemode: { command: "old" } } }));
  const changed = await run(["mcp", "add", "claude-desktop", "--url", "https://db.example.com", "--token", "secret", "--from", TARBALL], { env, cwd: folder });
  assert.match(changed.stdout, /^changed the server codemode/);
  assert.deepEqual(await json(desktop), {
    theme: "dark",
    mcpServers: { other: { command: "other" }, codemode: { command: "npx", args: ["-y", `file:${TARBALL}`, "mcp", "--url", "https://db.example.com"], env: { CODEMODE_TOKEN: "secret" } } },
  });
  for (const [host, path, key] of [["cursor", ".cursor/mcp.json", "mcpServers"], ["vscode", ".vscode/mcp.json", "servers"], ["claude", ".mcp.json", "mcpServers"], ["windsurf", ".codeium/windsurf/mcp_config.json", "mcpServers"], ["gemini", ".gemini/settings.json", "mcpServers"]]) {
    assert.equal((await run(["mcp", "add", host, "--name", "db"], { env, cwd: folder })).code, 0);
    const entry = (await json(join(folder, path)))[key].db;
    assert.deepEqual([entry.command, entry.args], ["npx", ["-y", "codemode-database", "mcp"]], host);
  }
  await writeFile(desktop, "{ // a comment\n}");
  const refused = await run(["mcp", "add", "claude-desktop"], { env, cwd: folder });
  assert.match(refused.stderr, /is not plain JSON, so it was not changed\n +run the command again with --print/);
  assert.equal(await readFile(desktop, "utf8"), "{ // a comment\n}");
  const printed = await run(["mcp", "add", "json", "--data", "here"], { env, cwd: folder });
  assert.deepEqual(JSON.parse(printed.stdout).mcpServers.codemode.args, ["-y", "codemode-database", "mcp", "--data", join(folder, "here")]);
});

test("deploy makes from an empty folder what would be uploaded, and for the Free plan without what that rejects", async (context) => {
  for (const [words, has] of [[[], true], [["--free"], false]]) {
    const folder = await folderOf(context);
    const { code, stdout, stderr } = await run(["deploy", "--dry-run", ...words], { cwd: folder, env: WRANGLER_ENV });
    assert.equal(code, 0, stdout + stderr);
    for (const name of ["CODEMODE_DB", "TENANT_INDEX", "AGENT_THREAD", "CODE_WORKSPACE", "KNOWLEDGE_GRAPH", "MCP_SESSION", "ASSETS"]) assert.ok(stdout.includes(name), name);
    assert.equal(stdout.includes("LOADER"), has);
    const settings = await json(join(folder, ".codemode/wrangler.json"));
    assert.deepEqual(["limits" in settings, "worker_loaders" in settings], [has, has]);
    assert.equal(stderr.includes("without programs"), !has);
    const uploaded = await readdir(join(folder, ".codemode/uploaded"));
    assert.ok(["index.js", "main_bg.wasm", "objects.js", "objects_bg.wasm"].every((name) => uploaded.includes(name)), uploaded.join(" "));
    assert.equal(readFileSync(join(folder, ".codemode/uploaded/main_bg.wasm")).equals(readFileSync(join(PACKAGE, "worker/main_bg.wasm"))), true);
  }
});

test("deploy merges the user's settings over those of the package, with comments and trailing commas", async (context) => {
  const folder = await folderOf(context);
  await writeFile(join(folder, "wrangler.jsonc"), `{
    // mine
    "name": "my-db", /* and */ "vars": { "MAX_RESULT_ROWS": "5", "NOTE": "a // b, ]", },
    "d1_databases": [{ "binding": "CODEMODE_D1", "database_name": "my", "database_id": "4c36c0f1-0000-4000-8000-000000000000" }],
    "durable_objects": { "bindings": [{ "name": "MINE", "class_name": "Mine", "script_name": "other" }] },
  }`);
  const { code, stdout, stderr } = await run(["deploy", "--dry-run", "--name", "other-name"], { cwd: folder, env: WRANGLER_ENV });
  assert.equal(code, 0, stdout + stderr);
  const settings = await json(join(folder, ".codemode/wrangler.json"));
  assert.deepEqual([settings.name, settings.vars, settings.d1_databases.length, settings.worker_loaders.length], ["other-name", { MAX_RESULT_ROWS: "5", NOTE: "a // b, ]" }, 1, 1]);
  assert.deepEqual(settings.durable_objects.bindings.map(({ name }) => name).toSorted(), ["AGENT_THREAD", "CODEMODE_DB", "CODE_WORKSPACE", "KNOWLEDGE_GRAPH", "MCP_SESSION", "MINE", "TENANT_INDEX"]);
  for (const [file, said] of [["wrangler.toml", /wrangler\.toml is not read by this command\n +write its settings into wrangler\.jsonc/], ["wrangler.json", /wrangler\.json cannot be read: /]]) {
    const other = await folderOf(context);
    await writeFile(join(other, file), "name = 1");
    assert.match((await run(["deploy", "--dry-run"], { cwd: other, env: WRANGLER_ENV })).stderr, said);
  }
});

test("doctor says what is there and what is missing", async (context) => {
  const folder = await folderOf(context);
  const data = join(folder, "data");
  const fresh = await run(["doctor", "--data", data], { cwd: folder });
  assert.equal(fresh.code, 0, fresh.stdout);
  assert.match(fresh.stdout, /^ok {4}workerd: \d/m);
  assert.match(fresh.stdout, /^ok {4}data: none yet; /m);
  assert.match(fresh.stdout, /^note {2}wrangler: not installed; deploy fetches wrangler@/m);
  assert.ok(!existsSync(data), "looking makes nothing");
  const dev = await Dev.start(data, { words: ["--port", "28991"] });
  context.after(() => dev.stop("SIGKILL"));
  const running = await run(["doctor", "--data", data, "--url", dev.origin], { cwd: folder });
  assert.match(running.stdout, new RegExp(`^ok {4}server: process ${dev.child.pid} at ${dev.origin}, version ${MANIFEST.version}$`, "m"));
  assert.match(running.stdout, /^ok {4}programs at .*: run$/m);
  await dev.stop();
  await writeFile(join(data, "data.json"), '{"version":"99.0.0"}');
  await writeFile(join(data, "settings.env"), "nothing\n");
  await writeFile(join(folder, "wrangler.jsonc"), '{"main": "src/index.ts", "durable_objects": {"bindings": [{"name": "CODEMODE_DB", "class_name": "CodeModeDatabase"}]}}');
  const faulty = await run(["doctor", "--data", data], { cwd: folder });
  assert.equal(faulty.code, 1);
  assert.match(faulty.stdout, /^FAULT data: .* was written by the newer version 99\.0\.0, .*npx codemode-database@99\.0\.0$/m);
  assert.match(faulty.stdout, /^FAULT settings: line 1 of .* is not a setting/m);
  assert.match(faulty.stdout, /^FAULT settings of wrangler: .* lacks the binding TENANT_INDEX, .*a migration for CodeModeDatabase/m);
});

test("init makes a project whose settings have all that this version needs, and touches no folder with files", async (context) => {
  const folder = await folderOf(context);
  const made = await run(["init", "My Database", "--from", TARBALL], { cwd: folder });
  assert.match(made.stdout, /\n {2}cd My Database\n {2}npm install\n {2}npm run dev\n$/);
  const project = join(folder, "My Database");
  const manifest = await json(join(project, "package.json"));
  assert.deepEqual([manifest.name, manifest.dependencies], ["my-database", { "codemode-database": `file:${TARBALL}` }]);
  install(project);
  const deployed = await run(["deploy", "--dry-run"], { cwd: project, env: WRANGLER_ENV });
  assert.equal(deployed.code, 0, deployed.stdout + deployed.stderr);
  assert.equal((await json(join(project, ".codemode/wrangler.json"))).name, "my-database");
  await mkdir(join(folder, "full"));
  await writeFile(join(folder, "full", "notes.txt"), "");
  const refused = await run(["init", "full"], { cwd: folder });
  assert.match(refused.stderr, /^error: .*full is not empty\n/);
  assert.deepEqual(readdirSync(join(folder, "full")), ["notes.txt"]);
});
