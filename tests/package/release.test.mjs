// Tests of a release: the tag, Cargo.toml and the changelog must agree, and the workflow's commands
// must be valid shell and name existing files.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { changelog, check, stated, version, write } from "../../scripts/release.mjs";
import { ROOT, folderOf } from "./installed.mjs";

/** Makes a checkout with only the files that a release reads, in version 1.2.3. */
async function checkout(context, changelogText) {
  const folder = await folderOf(context);
  for (const file of new Set(stated().map((one) => one.file))) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(ROOT, file), join(folder, file));
  }
  await writeFile(join(folder, "Cargo.toml"), '[workspace]\n\n[workspace.package]\nedition = "2024"\nversion = "1.2.3"\n\n[package]\nversion = "9.9.9"\n');
  await writeFile(join(folder, "CHANGELOG.md"), changelogText);
  write(folder);
  return folder;
}

test("a tag is released only if Cargo.toml, the changelog and all files name its version", async (context) => {
  const folder = await checkout(context, "# Changelog\n\n## Unreleased\n\n- later\n\n## 1.2.3 - 2026-12-01\n\nNew.\n\n### Added\n\n- one\n\n## 1.2.2 - 2026-11-01\n\n- old\n");
  assert.throws(() => check("v1.2.3", folder), /tests\/fixtures\/data-1\.2\.0\.tgz is absent/);
  await mkdir(join(folder, "tests/fixtures"), { recursive: true });
  await writeFile(join(folder, "tests/fixtures/data-1.2.0.tgz"), "");
  check("v1.2.3", folder);
  const printed = spawnSync(process.execPath, [join(ROOT, "scripts/release.mjs"), "notes", "v1.2.3", folder], { encoding: "utf8" });
  assert.deepEqual([printed.status, printed.stdout], [0, "New.\n\n### Added\n\n- one\n"]);
  for (const [tag, said] of [["1.2.3", /is not of the form vX\.Y\.Z/], ["v1.2.3-beta", /is not of the form vX\.Y\.Z/], ["v1.2.2", /is not the version 1\.2\.3/]]) assert.throws(() => check(tag, folder), said);
  await writeFile(join(folder, "server.json"), '{ "version": "1.2.4" }');
  assert.throws(() => check("v1.2.3", folder), /^Error: server\.json name another version: node scripts\/release\.mjs write/);
  for (const [text, said] of [
    ["# Changelog\n\n## 1.2.3 - 2026-12-01\n\n## 1.2.2 - 2026-11-01\n\n- old\n", /says nothing about 1\.2\.3/],
    ["# Changelog\n\n## Unreleased\n\n- later\n", /has no heading "## 1\.2\.3"/],
    ["# Changelog\n\n## 1.2.3 - unreleased\n\n- one\n", /has no date of 1\.2\.3/],
    ["# Changelog\n\n## 1.2.3\n\n- one\n", /has no date of 1\.2\.3/],
    ["# Changelog\n\n## 1.2.3 of today\n\n- one\n", /is not a version with a date/],
  ]) {
    await writeFile(join(folder, "CHANGELOG.md"), text);
    assert.throws(() => check("v1.2.3", folder), said);
  }
});

test("the changelog goes by version, newest first, and has the version of Cargo.toml", () => {
  const parts = changelog();
  assert.ok(parts.some((part) => part.version === version()), "a part about the version of Cargo.toml");
  const numbered = parts.filter((part) => part.version !== "Unreleased");
  assert.ok(parts.indexOf(numbered[0]) === parts.length - numbered.length, "Unreleased stands above all");
  for (const part of numbered) assert.match(`${part.version} ${part.date}`, /^\d+\.\d+\.\d+ (?:\d{4}-\d{2}-\d{2}|unreleased)$/);
  const sorted = numbered.toSorted((one, other) => other.version.localeCompare(one.version, "en", { numeric: true }));
  assert.deepEqual(numbered.map((part) => part.version), sorted.map((part) => part.version));
  // Only the newest version may lack a date, and only Unreleased may precede it.
  assert.ok(numbered.every((part, index) => index === 0 || part.date !== "unreleased"));
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
  // The job that builds has no right to publish.
  const [build, publish] = workflow.split(/^ {2}publish:$/m);
  // The text of the release is that part of the changelog, and the published files are the tested
  // ones.
  assert.match(build, /node scripts\/release\.mjs notes "\$GITHUB_REF_NAME" > build-package\/notes\.md/);
  assert.match(publish, /gh release create "\$GITHUB_REF_NAME" .*--notes-file notes\.md/);
  assert.ok(!/id-token|contents: write|secrets\./.test(build) && publish.includes("needs: build"));
});
