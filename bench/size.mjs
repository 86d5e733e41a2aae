// The size that each crate adds to the bundle: functions, bytes of code, and bytes of that code
// gzipped by itself.
//
//   node bench/size.mjs [--build build-bench] [--rows 40]
//
// A function belongs to the first crate in its name that is not Rust's own library:
// `Vec<sql::Fact>::push` belongs to sql. The reduction by wasm-opt afterwards (a tenth of the
// bytes, nothing gzipped) is not included. Gzipped by itself a crate is a little larger than its
// share of the whole.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { bundleSize, modulesIn } from "./workerd.mjs";

const CUSTOM_SECTION = 0;
const IMPORT_SECTION = 2;
const CODE_SECTION = 10;
const DATA_SECTION = 11;
const FUNCTION_NAMES = 1;
const STANDARD = new Set(["core", "alloc", "std", "dlmalloc", "__rustc"]);

/** Reads the parts of a WebAssembly module one after the other. */
class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  byte() {
    return this.bytes[this.at++];
  }

  /** Reads an unsigned number in LEB128. */
  number() {
    for (let value = 0, weight = 1; ; weight *= 128) {
      const byte = this.byte();
      value += (byte & 127) * weight;
      if (byte < 128) return value;
    }
  }

  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  text() {
    return this.take(this.number()).toString("utf8");
  }

  /** Yields once for each part of a list that begins with its length. */
  *list() {
    for (let left = this.number(); left > 0; left -= 1) yield;
  }
}

/** Returns how many of the imports are functions; they are numbered before those of the module. */
function importedFunctions(reader) {
  let functions = 0;
  for (const _ of reader.list()) {
    reader.text();
    reader.text();
    const kind = reader.byte();
    if (kind === 0) functions += 1;
    // The type of a table or a memory has limits, of one or two numbers; that of a global or a tag
    // has a byte before one more.
    if (kind === 1 || kind === 3 || kind === 4) reader.byte();
    if (kind === 1 || kind === 2) {
      const hasMaximum = reader.byte() & 1;
      reader.number();
      if (hasMaximum) reader.number();
    } else if (kind === 3) {
      reader.byte();
    } else {
      reader.number();
    }
  }
  return functions;
}

/** Returns the names of functions by their number. */
function functionNames(reader) {
  const names = new Map();
  while (reader.at < reader.bytes.length) {
    const kind = reader.byte();
    const part = new Reader(reader.take(reader.number()));
    if (kind !== FUNCTION_NAMES) continue;
    for (const _ of part.list()) names.set(part.number(), part.text());
  }
  return names;
}

/** Returns the functions of a module as `{name, code}`, and its data. */
function partsOf(module) {
  const reader = new Reader(module);
  reader.take(8);
  let [imported, names, data] = [0, new Map(), Buffer.alloc(0)];
  const codes = [];
  while (reader.at < module.length) {
    const kind = reader.byte();
    const section = new Reader(reader.take(reader.number()));
    if (kind === IMPORT_SECTION) imported = importedFunctions(section);
    if (kind === CODE_SECTION) for (const _ of section.list()) codes.push(section.take(section.number()));
    if (kind === DATA_SECTION) data = section.bytes;
    if (kind === CUSTOM_SECTION && section.text() === "name") names = functionNames(section);
  }
  return { functions: codes.map((code, index) => ({ name: names.get(imported + index) ?? "", code })), data };
}

/** Returns the crate that a function is counted for. */
function crateOf(name) {
  const crates = [...name.matchAll(/(?<![\w:])([a-z_]\w*)(?:\[[0-9a-f]+\])?::/g)].map(([, crate]) => crate);
  const crate = crates.find((crate) => !STANDARD.has(crate));
  if (crate !== undefined) return crate;
  return crates.length > 0 || name.startsWith("__r") ? "Rust's library" : "glue to JavaScript";
}

const { values: options } = parseArgs({
  options: { build: { type: "string", default: fileURLToPath(new URL("../build-bench", import.meta.url)) }, rows: { type: "string", default: "40" } },
});
const modules = readdirSync(join(options.build, ".named")).map((name) => partsOf(readFileSync(join(options.build, ".named", name))));
const functions = modules.flatMap(({ functions }) => functions);
const data = Buffer.concat(modules.map(({ data }) => data));
const gzipped = (parts) => gzipSync(Buffer.concat(parts), { level: 9 }).length;
const rows = [...Map.groupBy(functions, ({ name }) => crateOf(name))].map(([crate, own]) => {
  const codes = own.map(({ code }) => code);
  return { crate, functions: own.length, bytes: codes.reduce((sum, code) => sum + code.length, 0), gzipped: gzipped(codes) };
});
rows.sort((a, b) => b.gzipped - a.gzipped);
const shown = Number(options.rows);
const rest = rows.slice(shown);
const sum = (field) => rest.reduce((total, row) => total + row[field], 0);
const table = rows.slice(0, shown);
if (rest.length > 0) table.push({ crate: `${rest.length} smaller ones`, functions: sum("functions"), bytes: sum("bytes"), gzipped: sum("gzipped") });
table.push({ crate: "data: texts and tables of all", functions: 0, bytes: data.length, gzipped: gzipped([data]) });
const column = (number) => number.toLocaleString("en-US").padStart(10);
console.log(`${"crate".padEnd(32)}${"functions".padStart(10)}${"bytes".padStart(10)}${"gzipped".padStart(10)}`);
for (const row of table) console.log(`${row.crate.padEnd(32)}${column(row.functions)}${column(row.bytes)}${column(row.gzipped)}`);
const { raw_bytes, gzipped_bytes } = bundleSize(modulesIn(options.build));
console.log(`\nthe bundle as deployed: ${column(raw_bytes).trim()} bytes, ${column(gzipped_bytes).trim()} gzipped`);
