// What a release needs to know: whether its tag, Cargo.toml, the changelog and the fixture of its data agree, and the part of the changelog that is its text.
// Usage: node scripts/release.mjs check|notes vX.Y.Z [FOLDER OF THE CHECKOUT]

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** The version of the product. */
export function version(root = ROOT) {
  const found = /^\[workspace\.package\][^[]*?^version *= *"([^"]+)"/ms.exec(readFileSync(join(root, "Cargo.toml"), "utf8"));
  if (found === null) throw new Error("Cargo.toml has no version of the workspace");
  return found[1];
}

/** The part of the changelog about a version, without its heading. */
export function notes(wanted, root = ROOT) {
  const parts = readFileSync(join(root, "CHANGELOG.md"), "utf8").split(/^## /m).slice(1);
  const part = parts.find((text) => text.split(/\s/, 1)[0] === wanted);
  if (part === undefined) throw new Error(`CHANGELOG.md has no heading "## ${wanted}"`);
  return part.slice(part.indexOf("\n")).trim();
}

/** Checks that a tag may be released. */
export function check(tag, root = ROOT) {
  const [, wanted] = /^v(\d+\.\d+\.\d+)$/.exec(tag) ?? [];
  if (wanted === undefined) throw new Error(`the tag ${tag} is no vX.Y.Z`);
  if (wanted !== version(root)) throw new Error(`the tag ${tag} is not the version ${version(root)} of Cargo.toml`);
  if (notes(wanted, root) === "") throw new Error(`CHANGELOG.md says nothing about ${wanted}`);
  // A patch release stores nothing in another way.
  const fixture = `tests/fixtures/data-${wanted.replace(/\d+$/, "0")}.tgz`;
  if (!existsSync(join(root, fixture))) throw new Error(`${fixture} is absent: later versions are tested with it; tests/package/stored-make.mjs writes it`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [command, tag = "", root = ROOT] = process.argv.slice(2);
  try {
    check(tag, root);
    if (command === "notes") console.log(notes(version(root), root));
    else if (command !== "check") throw new Error(`scripts/release.mjs knows check and notes, not '${command}'`);
  } catch (error) {
    console.error(`error: ${error.message}`);
    process.exit(1);
  }
}
