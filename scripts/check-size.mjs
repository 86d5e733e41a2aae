// Fails when the files that would be uploaded are larger, gzipped, than the budget.
// Usage: node scripts/check-size.mjs FOLDER

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

// Cloudflare takes 3 MB on its free plan and 10 MB with the Workers Paid plan, which the sandbox needs. A smaller Worker starts sooner. Knowledge graphs
// with their formats, analyses and layouts are some 400 KB of it, the database agent with its planner, its models and the tenant wall some 300 KB,
// code workspaces with their parser of Rust, their search and their edits some 550 KB: no request runs them that does not ask for them. `make size`
// prints each crate's part.
const budget_bytes = 3_350_000;

const folder = process.argv[2];
// wrangler adds a note for the reader and a source map; neither is uploaded as part of the Worker.
const uploaded = readdirSync(folder).filter((name) => name !== "README.md" && !name.endsWith(".map"));
if (!uploaded.some((name) => name.endsWith(".wasm"))) {
  console.error(`error: ${folder} holds no WebAssembly, so there is nothing to measure`);
  process.exit(1);
}

let total_bytes = 0;
for (const name of uploaded.sort()) {
  const content = readFileSync(join(folder, name));
  const gzipped_bytes = gzipSync(content, { level: 9 }).length;
  total_bytes += gzipped_bytes;
  console.log(`  ${name}: ${content.length} bytes, ${gzipped_bytes} gzipped`);
}
console.log(`bundle: ${total_bytes} bytes gzipped, budget ${budget_bytes}`);
if (total_bytes >= budget_bytes) {
  console.error(`error: the bundle is ${total_bytes - budget_bytes} bytes over its budget`);
  process.exit(1);
}
