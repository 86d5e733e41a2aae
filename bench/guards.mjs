// The cost of the guards of crates/program/src: the same programs with and without them, in Node's
// V8 and in workerd.
//
// The goals apply to workerd, where programs run; Node's older V8 is for comparison. Loops of
// arithmetic with a number of rounds that is known when they are prepared are charged as a whole,
// so the empty counting loop costs nothing; the one with an unknown limit shows the plain check.
// Each call begins a new count, as each run of a program does.
//
// Each program has a function that works up to a few milliseconds. Both forms run in turn, many
// rounds, and the best round of each counts, because other work on the machine only ever adds time.
// The compiler of an engine makes different decisions from one process to the next, so several
// processes are started and their median counts. The guards use the real
// crates/sandbox/src/runtime/guard.js for their budget.
//
//   node bench/guards.mjs [--rounds N] [--processes N] [--only NAME] [--engine node|workerd]

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "30" }, processes: { type: "string", default: "3" }, only: { type: "string" }, engine: { type: "string" } },
});
const ROUNDS = Number(options.rounds);

/** A seeded generator, so that all rounds and engines see the same data. */
const DATA = `
let seed = 42;
const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
const regions = ["north", "south", "east", "west"];
const records = Array.from({ length: 4000 }, (_, i) => ({
  id: i, region: regions[Math.floor(random() * 4)], amount: Math.round(random() * 100000) / 100, name: "customer " + Math.floor(random() * 900),
}));`;

/**
 * The programs: name, goal (the most that guards may add, in percent; null for information only),
 * setup, and body of the function that is timed.
 */
const PROGRAMS = [
  ["parse JSON lines", 10, "", `
    const lines = records.map((record) => JSON.stringify(record)).join("\\n");
    let total = 0;
    for (const line of lines.split("\\n")) { const record = JSON.parse(line); if (record.amount > 100) total += record.amount; }
    return total;`],
  ["parse CSV", 10, `const csv = ["id,region,amount,name", ...records.map((r) => r.id + "," + r.region + "," + r.amount + ',"' + r.name + '"')].join("\\n");`, `
    const rows = []; let row = [], field = "", quoted = false;
    for (let i = 0; i < csv.length; i++) {
      const c = csv[i];
      if (quoted) { if (c === '"') quoted = false; else field += c; }
      else if (c === '"') quoted = true;
      else if (c === ",") { row.push(field); field = ""; }
      else if (c === "\\n") { row.push(field); rows.push(row); row = []; field = ""; }
      else field += c;
    }
    return rows.length;`],
  ["split CSV", 10, `const csv = records.map((r) => [r.id, r.region, r.amount, r.name].join(",")).join("\\n");`, `
    return csv.split("\\n").map((line) => { const [id, region, amount, name] = line.split(","); return { id: Number(id), region, amount: parseFloat(amount), name: name.trim() }; }).length;`],
  ["sort by a comparator", 10, "", `return [...records].sort((a, b) => a.region.localeCompare(b.region) || b.amount - a.amount)[0].id;`],
  ["sort numbers", 10, "", `return records.map((r) => r.amount).sort((a, b) => a - b)[10];`],
  ["group with an object", 10, "", `
    const groups = {};
    for (const record of records) { const key = record.region + ":" + (record.id % 50); (groups[key] ??= []).push(record.amount); }
    return Object.entries(groups).map(([key, amounts]) => ({ key, n: amounts.length, sum: amounts.reduce((a, b) => a + b, 0) })).length;`],
  ["group with a Map", 10, "", `
    const groups = new Map();
    for (const r of records) { const g = groups.get(r.name) ?? { n: 0, sum: 0, max: -Infinity }; g.n++; g.sum += r.amount; if (r.amount > g.max) g.max = r.amount; groups.set(r.name, g); }
    return [...groups].filter(([, g]) => g.n > 3).length;`],
  ["reduce to totals", 10, "", `return Object.keys(records.reduce((sums, r) => { sums[r.region] = (sums[r.region] || 0) + r.amount; return sums; }, {})).length;`],
  ["build a string", 10, "", `
    let html = "<table>";
    for (const r of records) html += "<tr><td>" + r.id + "</td><td>" + r.name.toUpperCase() + "</td><td>" + r.amount.toFixed(2) + "</td></tr>";
    return (html + "</table>").length;`],
  ["build with templates and join", 10, "", "return records.map((r) => `${r.id};${r.region};${r.name};${r.amount.toFixed(1)}`).join('\\n').length;"],
  ["map, filter, reduce", 10, "", `return records.filter((r) => r.amount > 250).map((r) => ({ ...r, tax: r.amount * 0.2 })).reduce((sum, r) => sum + r.tax, 0);`],
  ["join two lists", 10, `const names = new Map(records.map((r) => [r.name, r.id]));`, `
    const joined = [];
    for (const r of records) { const id = names.get(r.name); if (id !== undefined && id !== r.id) joined.push({ ...r, twin: id }); }
    return joined.length;`],
  ["count words with a pattern", 10, `const text = records.map((r) => r.name + " of the " + r.region + ".").join(" ");`, `
    const counts = {};
    for (const [word] of text.matchAll(/[a-z]+/g)) counts[word] = (counts[word] ?? 0) + 1;
    return Object.keys(counts).length;`],
  ["moving average", null, "", `
    const out = [];
    for (let i = 0; i < records.length; i++) { let sum = 0; for (let j = Math.max(0, i - 6); j <= i; j++) sum += records[j].amount; out.push(sum / 7); }
    return out[100];`],
  ["multiply matrices", null, `const n = 60, a = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => i + j));`, `
    const c = [];
    for (let i = 0; i < n; i++) { c[i] = []; for (let j = 0; j < n; j++) { let s = 0; for (let k = 0; k < n; k++) s += a[i][k] * a[k][j]; c[i][j] = s; } }
    return c[5][5];`],
  ["recursive fib", null, `const fib = (n) => n < 2 ? n : fib(n - 1) + fib(n - 2);`, `return fib(20);`],
  ["empty counting loop", 60, "", `let n = 0; for (let i = 0; i < 3e6; i++) {} return n;`],
  ["empty loop, bound not known", null, "const bound = records.length * 750;", `for (let i = 0; i < bound; i++) {}`],
  ["counting loop with a sum", null, "", `let n = 0; for (let i = 0; i < 3e6; i++) n += i; return n;`],
];

function prepare(folder) {
  const chosen = PROGRAMS.filter(([name]) => options.only === undefined || name === options.only);
  return chosen.map(([name, goal, setup, body], index) => {
    const file = join(folder, `program${index}.txt`);
    writeFileSync(file, `${DATA}\n${setup}\nreturn () => {${body}\n};\n`);
    const forms = ["on", "off"].map((guards) => {
      const module = `program${index}-${guards}.js`;
      const text = execFileSync("cargo", ["run", "--quiet", "--example", "prepare", "--", "--guards", guards, file], { cwd: root, encoding: "utf8" });
      writeFileSync(join(folder, module), text);
      return module;
    });
    return { name, goal, forms };
  });
}

/**
 * Runs in this process: Node's part is for comparison only, so one compiler suffices for all of its
 * rounds.
 */
async function timeInNode(folder, programs) {
  const { begin } = await import(pathToFileURL(join(folder, "runtime.js")));
  const results = [];
  for (const program of programs) {
    const runs = [];
    for (const form of program.forms) {
      begin(1e15, 1e9);
      runs.push(await (await import(pathToFileURL(join(folder, form)))).default({}));
    }
    const time = async (which, calls) => {
      const run = runs[which];
      const start = performance.now();
      for (let call = 0; call < calls; call++) {
        begin(1e15, 1e9);
        run();
      }
      return performance.now() - start;
    };
    results.push(await compare(time));
  }
  return results;
}

/**
 * Runs in a new process. The clock of a Worker does not advance while it computes, so whole
 * requests are timed.
 */
async function timeInWorkerd(folder, programs) {
  const { prepareWorker } = await import("./workerd.mjs");
  const forms = programs.flatMap(({ forms }) => forms);
  const entry = `import { begin } from "./runtime.js";
${forms.map((form, index) => `import p${index} from "./${form}";`).join("\n")}
const programs = { ${forms.map((form, index) => `"${form}": p${index}`).join(", ")} };
const ready = {};
export default { async fetch(request) {
  const { searchParams } = new URL(request.url);
  const name = searchParams.get("form");
  begin(1e15, 1e9);
  const run = (ready[name] ??= await programs[name]({}));
  for (let call = Number(searchParams.get("calls")); call > 0; call--) {
    begin(1e15, 1e9);
    run();
  }
  return new Response("done");
} };`;
  const modules = ["runtime.js", ...forms].map((name) => ({ name, content: readFileSync(join(folder, name)) }));
  const worker = prepareWorker({ modules: [{ name: "index.js", content: Buffer.from(entry) }, ...modules] });
  const process = await worker.start();
  const results = [];
  try {
    for (const program of programs) {
      const time = async (which, calls) => {
        const start = performance.now();
        await process.send("GET", `/?form=${program.forms[which]}&calls=${calls}`);
        return performance.now() - start;
      };
      results.push(await compare(time));
    }
    return results;
  } finally {
    await process.stop();
    worker.remove();
  }
}

/**
 * Returns the milliseconds of a call with and without guards: it runs both forms in turn and takes
 * the best round of each.
 */
async function compare(time) {
  let calls = 1;
  while ((await time(1, calls)) < 25 && calls < 4096) calls *= 2;
  for (let warm = 0; warm < 3; warm++) for (const which of [0, 1]) await time(which, calls);
  const best = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round++) {
    for (const which of round % 2 === 0 ? [0, 1] : [1, 0]) best[which] = Math.min(best[which], await time(which, calls));
  }
  return best.map((ms) => ms / calls);
}

let missed = 0;

/** Prints the median of the processes. */
function report(engine, programs, processes) {
  programs.forEach(({ name, goal: ofWorkerd }, index) => {
    const goal = engine === "workerd" ? ofWorkerd : null;
    const sorted = processes.map((results) => results[index]).sort((a, b) => a[0] / a[1] - b[0] / b[1]);
    const [withGuards, without] = sorted[sorted.length >> 1];
    const added = (withGuards / without - 1) * 100;
    const verdict = goal === null ? "for information" : added <= goal ? `within ${goal} %` : `MISSES ${goal} %`;
    missed += Number(goal !== null && added > goal);
    const percent = `${added >= 0 ? "+" : ""}${added.toFixed(1)} %`;
    console.log(`${engine.padEnd(8)} ${name.padEnd(30)} ${withGuards.toFixed(3).padStart(7)} ms, without guards ${without.toFixed(3).padStart(7)} ms: ${percent.padStart(8)}  ${verdict}`);
  });
}

async function measure(engine, time) {
  if (options.engine !== undefined && options.engine !== engine) return;
  const processes = [];
  for (let count = 0; count < Number(options.processes); count++) processes.push(await time(folder, programs));
  report(engine, programs, processes);
}

const folder = mkdtempSync(join(tmpdir(), "codemode-guards-"));
let programs;
try {
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(join(folder, "runtime.js"), readFileSync(join(root, "crates/sandbox/src/runtime/guard.js")));
  programs = prepare(folder);
  await measure("node", timeInNode);
  await measure("workerd", timeInWorkerd);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = missed > 0 ? 1 : 0;
