// The checkout's wrangler.toml for a Worker that is built already: without its build, so that no
// edit replaces it while it is used.

import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/**
 * Returns the text of a wrangler.toml that may be in any folder.
 *
 * @param {Record<string, string>} settings variables of the Worker
 * @param {string} [folder] the folder of the built Worker, if not the one in wrangler.toml
 */
export function builtConfiguration(settings, folder) {
  const text = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  const entry = /^main *= *"([^"]+)"$/m;
  const build = /^\[build\]\n(?:[^[\n].*\n|\n)*/m;
  if (!entry.test(text) || !build.test(text)) throw new Error("wrangler.toml has no main or no [build] as scripts/built-config.mjs knows them");
  // A JSON string is a string of TOML as well.
  const variables = Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`);
  const assets = /^(\[assets\]\ndirectory *= *)"([^"]+)"$/m;
  if (!assets.test(text)) throw new Error("wrangler.toml has no [assets] as scripts/built-config.mjs knows it");
  const main = (path) => (folder === undefined ? join(ROOT, path) : join(folder, "index.js"));
  const built = text.replace(build, "").replace(entry, (_, path) => `main = ${JSON.stringify(main(path))}`)
    .replace(assets, (_, key, path) => `${key}${JSON.stringify(join(ROOT, path))}`);
  return variables.length === 0 ? built : `${built}\n[vars]\n${variables.join("")}`;
}
