// Checks a release: its tag, Cargo.toml, the changelog and every file that names the version must
// agree. Prints the part of the changelog that is its text.
//
// Usage: node scripts/release.mjs check|notes vX.Y.Z [FOLDER OF THE CHECKOUT]
//        node scripts/release.mjs write       writes the version of Cargo.toml into the other files

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** Returns the version of the product. */
export function version(root = ROOT) {
  const found = /^\[workspace\.package\][^[]*?^version *= *"([^"]+)"/ms.exec(readFileSync(join(root, "Cargo.toml"), "utf8"));
  if (found === null) throw new Error("Cargo.toml has no version of the workspace");
  return found[1];
}

/**
 * The files of others' formats that must name the version of the product, each with an expression
 * whose group is the version. They cannot be derived on demand, because npm, Claude Code, Docker
 * and the registry of MCP read them in the repository.
 */
const STATED = [
  ["server.json", /"version": "([^"]+)"/g],
  [".claude-plugin/marketplace.json", /"version": "([^"]+)"/g],
  ["plugin/.claude-plugin/plugin.json", /"version": "([^"]+)"/g],
  ["plugin/.mcp.json", /codemode-database@([\d.]+)/g],
  ["template/package.json", /"codemode-database": "~([^"]+)"/g],
  ["template/package-lock.json", /"codemode-database": "~([^"]+)"/g],
  ["template/package-lock.json", /"node_modules\/codemode-database": \{\s+"version": "([^"]+)"/g],
  ["image/Dockerfile", /codemode-database[@-](\d[\d.]*\d)/g],
  ["docs/install.md", /codemode-database-(\d[\d.]*\d)\.tgz/g],
  ["docs/container.md", /codemode-database-(\d[\d.]*\d)\.tgz/g],
];

/** Returns the versions that the files name. */
export function stated(root = ROOT) {
  return STATED.flatMap(([file, expression]) => {
    const found = [...readFileSync(join(root, file), "utf8").matchAll(expression)].map(([, one]) => ({ file, version: one }));
    if (found.length === 0) throw new Error(`${file} names no version as scripts/release.mjs knows it`);
    return found;
  });
}

/** Writes the version of Cargo.toml into the files that name it. */
export function write(root = ROOT) {
  const wanted = version(root);
  for (const [file, expression] of STATED) {
    const path = join(root, file);
    writeFileSync(path, readFileSync(path, "utf8").replace(expression, (whole, one) => whole.replace(one, wanted)));
  }
}

/**
 * Returns the parts of the changelog, newest first: the version, the date or why there is none, and
 * the text.
 */
export function changelog(root = ROOT) {
  const parts = readFileSync(join(root, "CHANGELOG.md"), "utf8").split(/^## /m).slice(1);
  return parts.map((part) => {
    const end = part.indexOf("\n");
    const [, name, date] = /^(\S+)(?: - (\S+))?$/.exec(part.slice(0, end)) ?? [];
    if (name === undefined) throw new Error(`CHANGELOG.md has the heading "## ${part.slice(0, end)}", which is not a version with a date`);
    return { version: name, date, text: part.slice(end).trim() };
  });
}

/** Returns the part of the changelog about a version, without its heading. */
export function notes(wanted, root = ROOT) {
  const part = changelog(root).find((one) => one.version === wanted);
  if (part === undefined) throw new Error(`CHANGELOG.md has no heading "## ${wanted}"`);
  return part.text;
}

/** Checks that a tag may be released. */
export function check(tag, root = ROOT) {
  const [, wanted] = /^v(\d+\.\d+\.\d+)$/.exec(tag) ?? [];
  if (wanted === undefined) throw new Error(`the tag ${tag} is not of the form vX.Y.Z`);
  if (wanted !== version(root)) throw new Error(`the tag ${tag} is not the version ${version(root)} of Cargo.toml`);
  if (notes(wanted, root) === "") throw new Error(`CHANGELOG.md says nothing about ${wanted}`);
  const { date } = changelog(root).find((one) => one.version === wanted);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) throw new Error(`CHANGELOG.md has no date of ${wanted}: write "## ${wanted} - YYYY-MM-DD"`);
  const wrong = stated(root).filter((one) => one.version !== wanted);
  if (wrong.length > 0) throw new Error(`${[...new Set(wrong.map(({ file }) => file))].join(", ")} name another version: node scripts/release.mjs write`);
  // A patch release does not change the form of stored data.
  const fixture = `tests/fixtures/data-${wanted.replace(/\d+$/, "0")}.tgz`;
  if (!existsSync(join(root, fixture))) throw new Error(`${fixture} is absent: later versions are tested with it; tests/package/stored-make.mjs writes it`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [command, tag = "", root = ROOT] = process.argv.slice(2);
  try {
    if (command === "write") write();
    else if (command === "check" || command === "notes") {
      check(tag, root);
      if (command === "notes") console.log(notes(version(root), root));
    } else throw new Error(`scripts/release.mjs knows check, notes and write, not '${command}'`);
  } catch (error) {
    console.error(`error: ${error.message}`);
    process.exit(1);
  }
}
