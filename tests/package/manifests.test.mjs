// Tests of the files by which registries and hosts find the package: server.json of the registry of
// MCP, and the plugin of Claude Code. Others define their formats; the tests compare their facts
// about this package.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { stated, version } from "../../scripts/release.mjs";
import { MANIFEST, ROOT, folderOf, run } from "./installed.mjs";

const json = (path) => JSON.parse(readFileSync(join(ROOT, path), "utf8"));

test("every file that names the version names the one of Cargo.toml", () => {
  const found = stated();
  assert.ok(found.length >= 10, JSON.stringify(found));
  assert.deepEqual(found.filter((one) => one.version !== version()), []);
});

test("release.mjs write changes the version in all of them", async (context) => {
  const folder = await folderOf(context);
  for (const file of ["Cargo.toml", "scripts/release.mjs", ...new Set(stated().map(({ file }) => file))]) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(ROOT, file), join(folder, file));
  }
  const manifest = (await readFile(join(folder, "Cargo.toml"), "utf8")).replace(/^version = "[^"]+"/m, 'version = "7.8.9"');
  await writeFile(join(folder, "Cargo.toml"), manifest);
  const { status, stderr } = spawnSync(process.execPath, [join(folder, "scripts/release.mjs"), "write"], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  assert.deepEqual([...new Set(stated(folder).map((one) => one.version))], ["7.8.9"]);
  assert.equal(JSON.parse(await readFile(join(folder, "template/package-lock.json"), "utf8")).packages["node_modules/codemode-database"].version, "7.8.9");
});

test("server.json names the package as npm has it, with arguments that its command has", async () => {
  const { name, description, packages, ...rest } = json("server.json");
  const [one] = packages;
  assert.deepEqual([packages.length, one.registryType, one.identifier, one.version, one.transport], [1, "npm", MANIFEST.name, MANIFEST.version, { type: "stdio" }]);
  assert.equal(rest.version, MANIFEST.version);
  // The registry accepts no longer description.
  assert.ok(description.length <= 100 && /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/.test(name));
  const { GITHUB_REPOSITORY: repository = "OWNER/REPOSITORY" } = process.env;
  assert.equal(MANIFEST.mcpName, name.replace("OWNER", repository.split("/")[0]));
  const [command, ...options] = one.packageArguments;
  assert.deepEqual(command, { type: "positional", value: "mcp" });
  const { stdout } = await run(["mcp", "--help"]);
  for (const option of options) assert.match(stdout, new RegExp(`^ +${option.name} <`, "m"), option.name);
  const profile = options.find((option) => option.name === "--profile");
  for (const choice of profile.choices) assert.match(stdout, new RegExp(`choices: [^)]*"${choice}"`));
});

test("the plugin of Claude Code starts what mcp add would enter, in its own version", async (context) => {
  const marketplace = json(".claude-plugin/marketplace.json");
  const [entry] = marketplace.plugins;
  const plugin = json(join(entry.source, ".claude-plugin/plugin.json"));
  assert.deepEqual([entry.name, entry.version, entry.description], [plugin.name, plugin.version, plugin.description]);
  const folder = await folderOf(context);
  const printed = await run(["mcp", "add", "json", "--print", "--from", `codemode-database@${MANIFEST.version}`], { cwd: folder });
  assert.deepEqual(json(join(entry.source, ".mcp.json")), JSON.parse(printed.stdout));
});
