// Prints the structure of the Rust code, one row for each crate: lines, tests, and modules that use
// each other in a circle.
//
//   node bench/house.mjs [--root FOLDER] [--circles]     with the names of the modules in circles
//
// Production lines are lines of code without blank lines, comments and tests. A circle is a set of
// modules that all reach each other by `crate::` or `super::`, so a reader cannot begin with a
// module that depends on no other of the set.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({
  options: {
    root: { type: "string", default: fileURLToPath(new URL("..", import.meta.url)) },
    circles: { type: "boolean", default: false },
  },
});

/** The longest file that the style allows, in lines. */
const LONGEST_FILE = 600;

function files(folder) {
  let names;
  try {
    names = readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  return names.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "target" ? [] : files(path);
    return entry.name.endsWith(".rs") ? [path] : [];
  });
}

/** Returns a file's text without the tests at its end; empty for a file of tests. */
function production(path) {
  if (/(^|[/\\])tests(\.rs$|[/\\])/.test(path)) return "";
  return readFileSync(path, "utf8").split(/^#\[cfg\(test\)\]\n(?:#\[[^\n]*\n)*(?:pub(?:\([a-z]+\))? )?mod \w+ \{/m)[0];
}

const isCode = (line) => line.trim() !== "" && !line.trim().startsWith("//");

/** Returns the module of a file, as its path from the crate's root. */
function moduleOf(source, path) {
  const parts = relative(source, path).replace(/\.rs$/, "").split(sep);
  if (["mod", "lib", "main"].includes(parts.at(-1))) parts.pop();
  return parts;
}

/** Returns the modules that a module uses, each as the longest known path. */
function uses(module, text, known) {
  const found = new Set();
  const add = (parts) => {
    for (let length = parts.length; length > 0; length--) {
      const name = parts.slice(0, length).join("::");
      if (!known.has(name)) continue;
      found.add(name);
      return;
    }
  };
  const code = text.replace(/\/\/[^\n]*/g, "");
  for (const [, root, supers, path] of code.matchAll(/\b(crate|super((?:::super)*))::((?:[a-z_]\w*(?:::)?)+)/g)) {
    const base = root === "crate" ? [] : module.slice(0, module.length - 1 - (supers?.match(/super/g)?.length ?? 0));
    add([...base, ...path.split("::").filter(Boolean)]);
  }
  return found;
}

/** Returns the circles of modules, found by Tarjan's algorithm. */
function inCircles(graph) {
  const [index, low, stack, onStack] = [new Map(), new Map(), [], new Set()];
  const circles = [];
  const visit = (node) => {
    index.set(node, index.size);
    low.set(node, index.get(node));
    stack.push(node);
    onStack.add(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) {
        visit(next);
        low.set(node, Math.min(low.get(node), low.get(next)));
      } else if (onStack.has(next)) low.set(node, Math.min(low.get(node), index.get(next)));
    }
    if (low.get(node) !== index.get(node)) return;
    const members = [];
    for (let last; last !== node; ) {
      last = stack.pop();
      onStack.delete(last);
      members.push(last);
    }
    if (members.length > 1) circles.push(members);
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return circles;
}

function row(name, folder) {
  const sources = files(join(folder, "src"));
  const tests = [...files(join(folder, "tests")).filter((path) => !path.includes("mcp-conformance")), ...sources];
  const modules = new Map(sources.map((path) => [moduleOf(join(folder, "src"), path), production(path)]));
  const known = new Set([...modules.keys()].map((parts) => parts.join("::")));
  const graph = new Map();
  for (const [parts, text] of modules) {
    const own = parts.join("::");
    // Uses between a mod.rs and the files in its folder do not count: it declares them, and they
    // use its items.
    graph.set(own, [...uses(parts, text, known)].filter((used) => used !== own && !used.startsWith(`${own}::`) && !own.startsWith(`${used}::`)));
  }
  const circles = inCircles(graph);
  if (options.circles) for (const circle of circles) console.log(`${name}: ${circle.join(" ")}`);
  const lengths = [...new Set(tests)].map((path) => readFileSync(path, "utf8").split("\n").length - 1);
  return {
    crate: name,
    "production lines": [...modules.values()].join("\n").split("\n").filter(isCode).length,
    tests: tests.reduce((sum, path) => sum + (readFileSync(path, "utf8").match(/^\s*#\[test\]$/gm)?.length ?? 0), 0),
    "modules in circles": circles.flat().length,
    [`files over ${LONGEST_FILE}`]: lengths.filter((length) => length > LONGEST_FILE).length,
  };
}

const root = options.root;
const crates = readdirSync(join(root, "crates")).filter((name) => statSync(join(root, "crates", name)).isDirectory());
const rows = [...crates.map((name) => row(name, join(root, "crates", name))), row("(the Worker)", root)];
const total = { crate: "all" };
for (const column of Object.keys(rows[0]).slice(1)) total[column] = rows.reduce((sum, row) => sum + row[column], 0);
console.table([...rows, total]);
