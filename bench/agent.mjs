// The database agent beside a graph of the same steps in LangGraph JS (bench/peer/langgraph.mjs),
// on the same script of questions and decisions.
//
//   node bench/agent.mjs [--build build-bench] [--rounds 25] [--only TITLE] [--markdown]
//
// Both are processes on this machine with an HTTP server, each with its own scripted model. A row
// is an observation on both sides: the same, or different with its reason, which is checked against
// the observation. A difference without a true reason is a fault, and the command fails. It also
// fails if a row is missing in docs/agent-beside-langgraph.md; --markdown prints the rows for that
// page. The times are those of a question and its approval, in turn on both sides; LangGraph's
// MemorySaver keeps nothing on disk, which is an advantage for it.

import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SCENARIOS, query } from "./agent/scenarios.mjs";
import { Ours, Theirs } from "./agent/sides.mjs";
import { ratioOf, summary } from "./report.mjs";

const { values: options } = parseArgs({
  options: {
    build: { type: "string", default: fileURLToPath(new URL("../build-bench", import.meta.url)) },
    rounds: { type: "string", default: "25" },
    only: { type: "string" },
    markdown: { type: "boolean", default: false },
  },
});
const WARM_UP_ROUNDS = 3;
const { version } = JSON.parse(readFileSync(new URL("../node_modules/@langchain/langgraph/package.json", import.meta.url), "utf8"));

/** The page that lists the rows. */
const PAGE = new URL("../docs/agent-beside-langgraph.md", import.meta.url);

const shown = (value) => (value === true ? "yes" : value === false ? "no" : String(value).replaceAll("\n", " "));
const cell = (text) => text.replaceAll("|", "\\|");
const asMarkdown = ({ name, ours, theirs, verdict }) => `| ${cell(name)} | \`${cell(shown(ours))}\` | \`${cell(shown(theirs))}\` | ${cell(verdict.replace("on purpose: ", ""))} |`;

/** Returns the verdict of a row: the same, the reason of the difference, or a fault. */
function judged([key, name, why, holds], { ours, theirs }) {
  const row = { name, ours: ours[key], theirs: theirs[key] };
  if (JSON.stringify(row.ours) === JSON.stringify(row.theirs)) return { ...row, verdict: "same", fault: why !== undefined };
  const isMeant = why !== undefined && holds(row.ours, row.theirs);
  return { ...row, verdict: isMeant ? `on purpose: ${why}` : "NOT AS IT IS MEANT", fault: !isMeant };
}

function print(title, rows) {
  if (options.markdown) {
    console.log(`\n### ${title[0].toUpperCase()}${title.slice(1)}\n\n| | ours | LangGraph | |\n| --- | --- | --- | --- |`);
    for (const row of rows) console.log(asMarkdown(row));
    return;
  }
  console.log(`\n${title}`);
  for (const { name, ours, theirs, verdict } of rows) {
    console.log(`  ${name}: ${verdict}`);
    if (verdict === "same") console.log(`    both       ${shown(ours)}`);
    else console.log(`    ours       ${shown(ours)}\n    LangGraph  ${shown(theirs)}`);
  }
}

async function compareAll() {
  const sides = { theirs: await Theirs.start(), ours: await Ours.start(options.build) };
  const rows = [];
  try {
    for (const scenario of SCENARIOS.filter(({ title }) => options.only === undefined || title.includes(options.only))) {
      console.error(`comparing: ${scenario.title}`);
      const observed = { ours: await scenario.run(sides.ours), theirs: await scenario.run(sides.theirs) };
      const judgedRows = scenario.rows.map((row) => judged(row, observed));
      print(scenario.title, judgedRows);
      rows.push(...judgedRows);
    }
  } finally {
    await sides.ours.stop();
    await sides.theirs.stop();
  }
  return rows;
}

/** Runs a question, its approval and its answer. */
async function turn(side, thread) {
  side.models.add(query("SELECT genre, count(*) AS films FROM films GROUP BY genre"), { text: "Two genres." });
  const start = performance.now();
  await side.ask(thread, "films by genre?");
  await side.decide(thread, "approved");
  return performance.now() - start;
}

async function compareTimes() {
  console.error("measuring: a question and its approval");
  const sides = { ours: await Ours.start(options.build), "LangGraph, in memory": await Theirs.start(), "LangGraph, in a file": await Theirs.start() };
  await sides["LangGraph, in memory"].kill();
  await sides["LangGraph, in memory"].restart({ durable: false });
  const times_ms = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  try {
    for (let round = -WARM_UP_ROUNDS; round < Number(options.rounds); round += 1) {
      for (const [name, side] of Object.entries(sides)) {
        const elapsed_ms = await turn(side, `turn${round}`);
        if (round >= 0) times_ms[name].push(elapsed_ms);
      }
    }
  } finally {
    for (const side of Object.values(sides)) await side.stop();
  }
  console.log(options.markdown ? "\n### Time of a question and its approval\n\n| | median | fastest | ours / this |\n| --- | --- | --- | --- |" : "\na question and its approval");
  for (const [name, times] of Object.entries(times_ms)) {
    const { median, fastest } = summary(times);
    const cells = [name, `${median.toFixed(1)} ms`, `${fastest.toFixed(1)} ms`, ratioOf(times_ms.ours, times).toFixed(2)];
    console.log(options.markdown ? `| ${cells.join(" | ")} |` : `  ${cells[0].padEnd(24)} median ${cells[1].padStart(9)}   fastest ${cells[2].padStart(9)}   ours / this ${cells[3]}`);
  }
}

/** Returns the rows that the page lacks, or has with other observations. */
function missing(rows) {
  const page = readFileSync(PAGE, "utf8");
  return rows.filter((row) => !page.includes(asMarkdown(row)));
}

console.log(`@langchain/langgraph ${version}, Node ${process.version}`);
const rows = await compareAll();
const faults = rows.filter(({ fault }) => fault);
const same = rows.filter(({ verdict }) => verdict === "same").length;
console.log(`\n${rows.length} rows: ${same} the same, ${rows.length - same - faults.length} differ on purpose, ${faults.length} are not as they are meant`);
const unwritten = options.markdown ? [] : missing(rows);
for (const { name } of unwritten) console.log(`docs/agent-beside-langgraph.md does not have this row as it was observed: ${name}`);
if (options.only === undefined) await compareTimes();
process.exitCode = faults.length + unwritten.length > 0 ? 1 : 0;
