// Fails if a package of package-lock.json has a licence that is not on the list, as deny.toml does
// for crates.
// Usage: node scripts/check-licences.mjs [package-lock.json]
//
// The build puts one npm package into the Worker (jose), and some into the pages of the console;
// the others are for building and testing.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** Exactly the licences in use, all permissive; a new one needs a decision. */
const ALLOWED = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "CC0-1.0", "ISC", "MIT"];

/** The packages that may have another licence as well, and the reasons. */
const EXCEPTIONS = [
  // Shared libraries that miniflare's optional image binding would load. Nothing here uses that
  // binding or links with them.
  { packages: /^@img\/sharp-(?:libvips-[\w-]+|wasm32|win32-[\w-]+)$/, licence: "LGPL-3.0-or-later" },
  // The bundler of the inspector's pages would load it. The tests run the inspector's command,
  // which has no pages.
  { packages: /^lightningcss(?:-[\w-]+)?$/, licence: "MPL-2.0" },
  // Tests load it into a page to look for barriers; the console is built without it.
  { packages: /^axe-core$/, licence: "MPL-2.0" },
  // Its README says MIT; the package has no file LICENSE. A benchmark runs it.
  { packages: /^@modelcontextprotocol\/server-memory$/, licence: "SEE LICENSE IN LICENSE" },
  // Its file names Apache-2.0, and MIT for earlier contributions.
  { packages: /^@modelcontextprotocol\/inspector$/, licence: "SEE LICENSE IN LICENSE" },
  // In the public domain. The SDK of a model's API loads it for webhooks; only tests run that SDK.
  { packages: /^fast-sha256$/, licence: "Unlicense" },
];

/**
 * Returns true if an SPDX expression can be met with the allowed licences: one side of `OR`, both
 * of `AND`. `AND` binds closer.
 *
 * @param {string} expression
 * @param {(licence: string) => boolean} isAllowed
 */
export function isMet(expression, isAllowed) {
  const words = expression.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  const operand = () => {
    const word = words[at++];
    if (word !== "(") return word !== undefined && !["AND", "OR", "WITH", ")"].includes(word) && isAllowed(word);
    const inner = either();
    return words[at++] === ")" && inner;
  };
  const both = () => {
    let met = operand();
    while (words[at] === "AND") {
      at += 1;
      met = operand() && met;
    }
    return met;
  };
  const either = () => {
    let met = both();
    while (words[at] === "OR") {
      at += 1;
      met = both() || met;
    }
    return met;
  };
  const met = either();
  // A remaining part, such as a WITH and its exception, is not on the list.
  return met && at === words.length;
}

/**
 * Returns the licence that a package names: in the lock file, or in the package itself if npm did
 * not write it there.
 */
function licenceOf(folder, path, entry) {
  if (typeof entry.license === "string") return entry.license;
  try {
    const { license } = JSON.parse(readFileSync(join(folder, path, "package.json"), "utf8"));
    return typeof license === "string" ? license : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the packages of a lock file whose licence is not allowed, a line for each. */
export function refused(lockFile) {
  const { packages } = JSON.parse(readFileSync(lockFile, "utf8"));
  const lines = [];
  for (const [path, entry] of Object.entries(packages)) {
    // The project itself.
    if (path === "") continue;
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const licence = licenceOf(dirname(lockFile), path, entry);
    const isException = (text) => EXCEPTIONS.some((exception) => exception.packages.test(name) && exception.licence === text);
    const isAllowed = (word) => ALLOWED.includes(word) || isException(word);
    if (licence === undefined || !(isException(licence) || isMet(licence, isAllowed))) lines.push(`${name} ${entry.version}: ${licence ?? "names no licence"}`);
  }
  return lines;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const lines = refused(process.argv[2] ?? "package-lock.json");
  for (const line of lines) console.error(`error: ${line}`);
  if (lines.length > 0) {
    console.error(`allowed are ${ALLOWED.join(", ")}; scripts/check-licences.mjs has the list`);
    process.exit(1);
  }
}
