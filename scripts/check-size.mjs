// Fails if the files that would be uploaded are larger, gzipped, than the budget.
// Usage: node scripts/check-size.mjs FOLDER

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

// Cloudflare counts the uncompressed size since September 2026, and takes 64 MiB on all plans. The
// budgets are for the start, because a smaller Worker starts sooner. `make size` prints the size of
// each crate.
const BUDGETS = [
  { of: "front and sessions", has: (name) => !name.startsWith("objects"), bytes: 2_300_000 },
  // The module that is compiled when the first knowledge graph, agent or code workspace is
  // requested. A session's start does not compile it. 18,000 bytes of it are rules of November 2026
  // by which the planner asks back or refuses; layouts made for size (`s`) would save 20,000 bytes
  // and take a fifth longer.
  { of: "graphs, agents and code workspaces", has: (name) => name.startsWith("objects"), bytes: 2_690_000 },
];

const folder = process.argv[2];
// wrangler adds a note for the reader and a source map; neither is uploaded as part of the Worker.
const uploaded = readdirSync(folder).filter((name) => name !== "README.md" && !name.endsWith(".map"));
const sizes = uploaded.sort().map((name) => {
  const content = readFileSync(join(folder, name));
  return { name, bytes: content.length, gzipped: gzipSync(content, { level: 9 }).length };
});
for (const { name, bytes, gzipped } of sizes) console.log(`  ${name}: ${bytes} bytes, ${gzipped} gzipped`);
for (const { of, has, bytes: budget } of BUDGETS) {
  const own = sizes.filter(({ name }) => has(name));
  if (!own.some(({ name }) => name.endsWith(".wasm"))) {
    console.error(`error: ${folder} holds no WebAssembly of ${of}, so there is nothing to measure`);
    process.exit(1);
  }
  const total = own.reduce((sum, { gzipped }) => sum + gzipped, 0);
  console.log(`${of}: ${total} bytes gzipped, budget ${budget}`);
  if (total >= budget) {
    console.error(`error: ${of} is ${total - budget} bytes over its budget`);
    process.exitCode = 1;
  }
}
