// Code workspaces: 100,000 lines of crates are indexed, one of their files is written again, and
// questions are answered.
//
//   scripts/with-env node bench/code.mjs [--rounds 21] [--build build-bench] [--lines 100000]
//
// The sources are those of the crates that this repository depends on, as cargo has them on this
// machine, in the order of their names. They arrive as tar archives, one for each crate. Questions
// are first sentences of documentation, spread over all files, with a budget of 2,000 tokens.
//
// The floor is SQLite inside Node: the same files as rows of a text index, without a parser, items,
// versions or vectors, and one query by BM25 for the words of a question.
//
// The targets apply to the milliseconds that the threads of workerd compute, which other work on
// the machine hardly affects; the elapsed times are printed beside them. The memory is the
// difference between the RAM of workerd after all of this and its RAM after the same with the
// smallest of the crates. So the code of the Worker does not count, but the peak of indexing does,
// because the memory of WebAssembly never shrinks.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { atMost, median, verdict } from "./report.mjs";
import { modulesIn, prepareWorker } from "./workerd.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "21" },
    lines: { type: "string", default: "100000" },
    build: { type: "string", default: fileURLToPath(new URL("../build-bench", import.meta.url)) },
  },
});
const ROUNDS = Number(options.rounds);
const LINES = Number(options.lines);
const OURS = { binding: "CODEMODE_DB", className: "CodeModeDatabase", others: { TENANT_INDEX: "TenantIndex", CODE_WORKSPACE: "CodeWorkspace" } };
const ASSETS = fileURLToPath(new URL("../build-console", import.meta.url));
const TARGETS = { index_ms: 20_000, reindex_ms: 100, context_ms: 50, memory_mb: 64 };
const QUESTIONS = 200;
const BUDGET = 2_000;
/** The approximate number of lines of the edited file. */
const EDITED_LINES = 500;
const PATH = "/api/code/bench";
const MB = 1_000_000;

/** Returns crates in the order of their names, up to this many lines of Rust. */
function sources() {
  const text = execFileSync("cargo", ["metadata", "--format-version", "1", "--offline"], { maxBuffer: 200 * MB, stdio: ["ignore", "pipe", "ignore"] });
  const packages = JSON.parse(text).packages.filter(({ source }) => source?.startsWith("registry"));
  packages.sort((one, other) => (one.manifest_path < other.manifest_path ? -1 : 1));
  const crates = [];
  let lines = 0;
  for (const { name, version, manifest_path } of packages) {
    if (lines >= LINES) break;
    const root = dirname(manifest_path);
    const files = rustFiles(join(root, "src")).map((path) => [`${name}-${version}${path.slice(root.length)}`, readFileSync(path)]);
    files.unshift([`${name}-${version}/Cargo.toml`, readFileSync(manifest_path)]);
    lines += files.reduce((sum, [, bytes]) => sum + lineCount(bytes), 0);
    crates.push({ name, files });
  }
  return { crates, lines };
}

function rustFiles(folder) {
  let entries = [];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? rustFiles(path) : entry.name.endsWith(".rs") ? [path] : [];
  });
}

function lineCount(bytes) {
  return bytes.toString("latin1").split("\n").length - 1;
}

/**
 * Makes a tar archive like tar; a path that is too long for a header gets its own (POSIX.1-2001,
 * pax).
 */
function archive(files) {
  const blocks = [];
  const entry = (name, type, bytes) => {
    const header = Buffer.alloc(512);
    header.write(name, 0, 100);
    header.write("0000644\0", 100);
    header.write("0000000\0", 108);
    header.write("0000000\0", 116);
    header.write(`${bytes.length.toString(8).padStart(11, "0")}\0`, 124);
    header.write("00000000000\0", 136);
    header.write("        ", 148);
    header.write(type, 156);
    header.write("ustar\0" + "00", 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    blocks.push(header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512));
  };
  for (const [name, bytes] of files) {
    if (name.length > 100) {
      const record = ` path=${name}\n`;
      let length = record.length + 2;
      while (String(length).length + record.length !== length) length += 1;
      entry("pax", "x", Buffer.from(`${length}${record}`));
    }
    entry(name, "0", bytes);
  }
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** Returns first sentences of documentation, evenly spread over all. */
function questions(crates) {
  const all = crates.flatMap(({ files }) => files.flatMap(([, bytes]) => [...bytes.toString().matchAll(/^\s*\/\/\/ ([A-Z][^.\n]{25,120})\.$/gm)].map(([, sentence]) => sentence)));
  const step = Math.max(1, Math.floor(all.length / QUESTIONS));
  return all.filter((_, index) => index % step === 0).slice(0, QUESTIONS);
}

/** Measures a piece of work: elapsed time, and time of the processor. */
async function timed(worker, work) {
  const [start, computed] = [performance.now(), worker.processorMs()];
  const outcome = await work();
  return { clock_ms: performance.now() - start, ms: worker.processorMs() - computed, outcome };
}

function percentile(values, percent) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)];
}

/** Returns a file with about this many lines, and versions of it, each with one more function. */
function edited(crates) {
  const files = crates.flatMap(({ files }) => files).filter(([path]) => path.endsWith(".rs"));
  const near = ([, bytes]) => Math.abs(lineCount(bytes) - EDITED_LINES);
  const [path, bytes] = files.toSorted((one, other) => near(one) - near(other))[0];
  return { path, lines: lineCount(bytes), text: (round) => Buffer.concat([bytes, Buffer.from(`\n/// Added in round ${round}.\npub fn added_in_round_${round}() -> usize {\n    ${round}\n}\n`)]) };
}

/** Writes crates to a workspace and asks questions. */
async function fill(worker, path, crates, asked) {
  const { send } = worker;
  const index = [];
  for (const { files } of crates) {
    const body = archive(files);
    index.push(await timed(worker, () => send("POST", `${path}/files`, body, "application/x-tar")));
  }
  const ask = (hint) => timed(worker, () => send("POST", path, Buffer.from(JSON.stringify({ operation: "request_code_context", token_budget: BUDGET, hint }))));
  const first = await ask(asked[0]);
  const context = [];
  for (const question of asked) context.push(await ask(question));
  return { index, first, context, ask };
}

async function measureOurs(worker, crates, asked, edit) {
  const smallest = crates.toSorted((one, other) => one.files.length - other.files.length)[0];
  await fill(worker, `${PATH}-small`, [smallest], asked);
  const before = worker.residentBytes();
  const { index, first, context, ask } = await fill(worker, PATH, crates, asked);
  const filled = worker.residentBytes();
  const described = JSON.parse(await worker.send("GET", PATH));
  const { mode, model, withoutVectors } = JSON.parse(first.outcome);
  const reindex = [];
  const after_edit = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    reindex.push(await timed(worker, () => worker.send("PUT", `${PATH}/files/${edit.path}`, edit.text(round), "application/octet-stream")));
    after_edit.push(await ask(`added in round ${round}`));
  }
  return { index, first, context, reindex, after_edit, memory_mb: (worker.residentBytes() - before) / MB, filled_mb: (filled - before) / MB, before_mb: before / MB, described, mode, model, withoutVectors };
}

/**
 * Measures how much more memory questions about all crates take than the same about the smallest,
 * in a process that has not indexed anything.
 */
async function measureReading(worker, asked) {
  const ask = async (path) => {
    for (const hint of asked) await worker.send("POST", path, Buffer.from(JSON.stringify({ operation: "request_code_context", token_budget: BUDGET, hint })));
    return worker.residentBytes();
  };
  const small = await ask(`${PATH}-small`);
  return ((await ask(PATH)) - small) / MB;
}

function measureFloor(crates, asked, edit) {
  const folder = mkdtempSync(join(tmpdir(), "codemode-floor-"));
  try {
    const database = new DatabaseSync(join(folder, "floor.sqlite"));
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE VIRTUAL TABLE files USING fts5 (path, body)");
    const insert = database.prepare("INSERT INTO files (path, body) VALUES (?, ?)");
    const write = (files) => {
      database.exec("BEGIN");
      for (const [path, bytes] of files) insert.run(path, bytes.toString());
      database.exec("COMMIT");
    };
    const start = performance.now();
    for (const { files } of crates) write(files);
    const index_ms = performance.now() - start;
    const select = database.prepare("SELECT path, snippet(files, 1, '', '', '', 64) AS text FROM files WHERE files MATCH ? ORDER BY bm25(files) LIMIT 10");
    const time = (work) => {
      const start = performance.now();
      work();
      return performance.now() - start;
    };
    const context_ms = asked.map((question) => time(() => select.all((question.match(/\w+/g) ?? []).map((word) => `"${word}"`).join(" OR "))));
    const { rowid } = database.prepare("SELECT rowid FROM files WHERE path = ?").get(edit.path);
    const update = database.prepare("UPDATE files SET body = ? WHERE rowid = ?");
    const reindex_ms = Array.from({ length: ROUNDS }, (_, round) => time(() => update.run(edit.text(round).toString(), rowid)));
    database.close();
    return { index_ms, context_ms, reindex_ms };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { crates, lines } = sources();
const asked = questions(crates);
const edit = edited(crates);
const files = crates.reduce((sum, { files: list }) => sum + list.length, 0);
console.log(`${crates.length} crates, ${files} files, ${lines} lines; ${asked.length} questions; the edited file has ${edit.lines} lines`);
const floor = measureFloor(crates, asked, edit);
const prepared = prepareWorker({ ...OURS, modules: modulesIn(options.build), assets: ASSETS });
let worker;
try {
  worker = await prepared.start();
  const ours = await measureOurs(worker, crates, asked, edit);
  console.log(`${ours.described.items} items, version ${ours.described.version}; ${ours.mode}, ${ours.model}, ${ours.withoutVectors} items without a vector at the first question`);
  const of = (times, field) => times.map((time) => time[field]);
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const row = (name, times, reduce, base) => {
    const [ms, clock_ms] = [reduce(of(times, "ms")), reduce(of(times, "clock_ms"))];
    console.log(`  ${name.padEnd(32)} ours ${ms.toFixed(1).padStart(9)} ms   on the clock ${clock_ms.toFixed(1).padStart(9)} ms   floor ${base === undefined ? "        -" : base.toFixed(1).padStart(9)} ms`);
    return ms;
  };
  const p95 = (values) => percentile(values, 95);
  const index_ms = row("all lines indexed", ours.index, sum, floor.index_ms);
  const reindex_ms = row("one edited file, median", ours.reindex, median, median(floor.reindex_ms));
  row("one edited file, 95 of 100", ours.reindex, p95, p95(floor.reindex_ms));
  row("first context", [ours.first], median);
  row("context, median", ours.context, median, median(floor.context_ms));
  const context_ms = row("context, 95 of 100", ours.context, p95, p95(floor.context_ms));
  row("context after an edit, median", ours.after_edit, median);
  console.log(`  memory: ${ours.before_mb.toFixed(0)} MB with the smallest crate, ${ours.filled_mb.toFixed(0)} MB more with all, ${ours.memory_mb.toFixed(0)} MB more in the end`);
  await worker.stop();
  worker = await prepared.start();
  console.log(`  memory of questions alone, after a restart: ${(await measureReading(worker, asked)).toFixed(0)} MB more than with the smallest crate`);
  const verdicts = [
    atMost(`${lines} lines indexed`, index_ms / 1_000, TARGETS.index_ms / 1_000, " s"),
    atMost("one edited file", reindex_ms, TARGETS.reindex_ms, " ms"),
    atMost("context, 95 of 100", context_ms, TARGETS.context_ms, " ms"),
    atMost("memory", ours.memory_mb, TARGETS.memory_mb, " MB"),
    verdict("every item has a vector", ours.withoutVectors === 0),
  ];
  if (verdicts.some(({ passed }) => !passed)) process.exitCode = 1;
} finally {
  await worker?.stop();
  prepared.remove();
}
