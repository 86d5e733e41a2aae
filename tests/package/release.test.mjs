// A release: the tag, Cargo.toml and the changelog must agree, and the workflow's commands are valid shell that name files which exist.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { check, notes } from "../../scripts/release.mjs";
import { ROOT, folderOf } from "./installed.mjs";

test("a tag is released only if Cargo.toml and the changelog name its version", async (context) => {
  const folder = await folderOf(context);
  await writeFile(join(folder, "Cargo.toml"), '[workspace]\n\n[workspace.package]\nedition = "2024"\nversion = "1.2.3"\n\n[package]\nversion = "9.9.9"\n');
  await writeFile(join(folder, "CHANGELOG.md"), "# Changelog\n\n## Unreleased\n\n- later\n\n## 1.2.3\n\nNew.\n\n- one\n\n## 1.2.2\n\n- old\n");
  assert.throws(() => check("v1.2.3", folder), /tests\/fixtures\/data-1\.2\.0\.tgz is absent/);
  await mkdir(join(folder, "tests/fixtures"), { recursive: true });
  await writeFile(join(folder, "tests/fixtures/data-1.2.0.tgz"), "");
  check("v1.2.3", folder);
  assert.equal(notes("1.2.3", folder), "New.\n\n- one");
  for (const [tag, said] of [["1.2.3", /is no vX\.Y\.Z/], ["v1.2.3-beta", /is no vX\.Y\.Z/], ["v1.2.2", /is not the version 1\.2\.3/]]) assert.throws(() => check(tag, folder), said);
  await writeFile(join(folder, "CHANGELOG.md"), "# Changelog\n\n## 1.2.3\n\n## 1.2.2\n\n- old\n");
  assert.throws(() => check("v1.2.3", folder), /says nothing about 1\.2\.3/);
  await writeFile(join(folder, "CHANGELOG.md"), "# Changelog\n\n## Unreleased\n\n- later\n");
  assert.throws(() => check("v1.2.3", folder), /has no heading "## 1\.2\.3"/);
});

test("the commands of the workflow are valid, and the files that they name exist", () => {
  const workflow = readFileSync(join(ROOT, ".github/workflows/release.yml"), "utf8");
  const commands = [...workflow.matchAll(/^( +)(?:- )?run: (?:\|\n((?:\1 {2,}.*\n)+)|(.+)$)/gm)].map(([, , block, line]) => block ?? line);
  assert.ok(commands.length >= 6, `${commands.length} commands`);
  for (const command of commands) {
    const { status, stderr } = spawnSync("bash", ["-n"], { input: command, encoding: "utf8" });
    assert.equal(status, 0, `${command}: ${stderr}`);
    for (const [name] of command.matchAll(/(?:scripts|\.ci)\/[\w.-]+/g)) assert.ok(existsSync(join(ROOT, name)), name);
  }
  assert.ok(workflow.includes("id-token: write") && workflow.includes("npm publish --provenance"));
  // Whoever builds has no right to publish.
  const [build, publish] = workflow.split(/^ {2}publish:$/m);
  assert.ok(!/id-token|contents: write|secrets\./.test(build) && publish.includes("needs: build"));
});
