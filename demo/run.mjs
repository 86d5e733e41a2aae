// make demo: real tables, loaded over HTTP and analysed by programs (demo/programs/), and servers of others (demo/servers/), asked by
// programs, in the Worker of `make run` or in one that the demo starts. The official MCP client asks one of those questions again, and its rows
// become a knowledge graph. Questions in plain words become statements that a person decides, and the project's own sources are searched and edited.
//
// Nine chapters of a screen each; VERBOSE=1 prints every request, program and response. PORT says where `make run` listens.
//
// The first difference between what the Worker says and what plain JavaScript computes ends the demo with a message and exit code 1. Ctrl-C
// cleans up too.

import { performance } from "node:perf_hooks";
import { chapters } from "./chapters.mjs";
import * as print from "./print.mjs";
import { Stage, findRunning } from "./stage.mjs";
import { TOTAL_ROWS } from "./tables.mjs";

// What the shell reports for a program that a signal ended.
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGPIPE: 141, SIGTERM: 143 };

const started = performance.now();
let stage;
let interrupted = false;
for (const [signal, code] of Object.entries(SIGNALS)) {
  process.on(signal, async () => {
    // The second one does not wait for workerd.
    if (interrupted) process.exit(code);
    interrupted = true;
    print.failure(`the demo was stopped by ${signal}`, []);
    await stage?.close();
    process.exit(code);
  });
}

let steps = 0;
let current = "";

/** One step: in the long form everything that it prints, in the short one a line and what the chapter shows of it. */
async function play({ heading, work, brief = heading, shows = [], most = Infinity }) {
  current = heading;
  steps += 1;
  if (print.verbose) {
    print.heading(steps, heading);
    return work(steps);
  }
  const begun = performance.now();
  print.record();
  let lines;
  try {
    await work(steps);
  } finally {
    lines = print.recording();
  }
  print.done(brief, lines.findLast(({ kind }) => kind === "finding")?.text ?? "", performance.now() - begun);
  print.show(lines, shows, most);
}

async function demo() {
  print.title(`Code Mode Database: ${print.count(TOTAL_ROWS)} real rows in one session, analysed by programs`);
  stage = new Stage(await findRunning());
  if (stage.unusable) print.note(`What listens on ${stage.unusable.origin} ${stage.unusable.reason}. So the demo starts a Worker of its own.`);
  const played = [];
  for (const chapter of chapters(stage)) {
    const [begun, before] = [performance.now(), steps];
    if (!print.verbose) print.chapter(played.length + 1, chapter.title, chapter.about);
    await chapter.begin?.();
    for (const step of chapter.steps) await play(step);
    played.push({ chapter: chapter.title, steps: steps - before, took: print.duration(performance.now() - begun) });
  }
  await stage.close();
  if (!print.verbose) print.overview(played);
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  print.summary(`${print.count(TOTAL_ROWS)} rows loaded, ${stage.runs} programs run, ${steps} steps, all as expected, in ${seconds} s`);
  const { text, commands } = stage.farewell();
  print.note(text);
  for (const command of commands) print.attempt(command);
  if (!print.verbose) print.note("VERBOSE=1 make demo prints every request, program and response.");
}

try {
  await demo();
} catch (error) {
  // The handler of the signal ends the process; what failed meanwhile failed because of it.
  if (interrupted) await new Promise(() => {});
  const reason = error instanceof Error ? error.message : String(error);
  const cause = error?.cause instanceof Error ? ` (${error.cause.message})` : "";
  const log = stage?.log ?? [];
  print.failure(`step ${steps}, ${current}: ${reason}${cause}`, log.length > 0 ? ["the Worker's last lines:", ...log] : []);
  process.exitCode = 1;
  await stage?.close();
}
