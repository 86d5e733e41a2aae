// Prints the time of `cargo test -p CRATE` for each crate after a change of its own code, as
// processor time and wall time: the wait of somebody who works in one crate.
//
//   node bench/crate-tests.mjs [--root FOLDER] [CRATE…]
//
// Each crate is tested once before, so that everything it depends on is built.

import { spawnSync } from "node:child_process";
import { readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values: options, positionals } = parseArgs({
  options: { root: { type: "string", default: fileURLToPath(new URL("..", import.meta.url)) } },
  allowPositionals: true,
});
const root = options.root;
const crates = readdirSync(join(root, "crates")).filter((name) => statSync(join(root, "crates", name)).isDirectory());

function nameOf(folder) {
  const found = spawnSync("cargo", ["metadata", "--no-deps", "--format-version=1"], { cwd: join(root, "crates", folder), encoding: "utf8", maxBuffer: 1 << 28 });
  return JSON.parse(found.stdout).packages.find(({ manifest_path: path }) => path.endsWith(join("crates", folder, "Cargo.toml"))).name;
}

/** Runs the tests of a crate; returns seconds of the processor, and of the wall. */
function run(name) {
  const ran = spawnSync("bash", ["-c", `TIMEFORMAT='%U %S %R'; time cargo test --locked -q -p ${name} > /dev/null 2> /dev/null || exit 1`], { cwd: root, encoding: "utf8" });
  const [user, system, wall] = ran.stderr.trim().split(" ").map(Number);
  return { "processor s": Math.round((user + system) * 10) / 10, "wall s": Math.round(wall * 10) / 10, passed: ran.status === 0 };
}

const rows = [];
for (const folder of positionals.length > 0 ? positionals : crates) {
  const name = nameOf(folder);
  run(name);
  const now = new Date();
  utimesSync(join(root, "crates", folder, "src", "lib.rs"), now, now);
  const row = { crate: folder, ...run(name) };
  rows.push(row);
  console.log(Object.values(row).join("\t"));
}
const total = rows.reduce((sum, row) => sum + row["processor s"], 0);
console.table([...rows, { crate: "all", "processor s": Math.round(total) }]);
