// Serves the built Worker on this machine, supervised; scripts/run ends with it. PORT is the port,
// 0 for a free one.
//
//   serve.mjs [--config wrangler.toml] [--persist-to FOLDER]
//
// CODEMODE_PATIENCE_MS changes how long the Worker may be silent before it is started again.

import { parseArgs } from "node:util";
import { stopOnSignals } from "../packages/codemode-database/src/engine/signals.ts";
import { DEFAULT_PATIENCE_MS } from "../packages/codemode-database/src/engine/supervisor.ts";
import { LocalWorker, supervise } from "./local-worker.mjs";

const port = integer("PORT", 8787, 0, 65_535);
const supervisor = supervise({
  worker: new LocalWorker(folders()),
  patienceMs: integer("CODEMODE_PATIENCE_MS", DEFAULT_PATIENCE_MS, 1_000, 3_600_000),
  onLine: (line, stream) => process[stream].write(`${line}\n`),
  report: (text) => console.error(`==> ${text}`),
  onLost: () => process.exit(1),
});

const isInterrupted = stopOnSignals(() => supervisor.stop());

let origin;
try {
  origin = await supervisor.start(port);
} catch (error) {
  if (!isInterrupted()) {
    const taken = error.code === "EADDRINUSE" ? `port ${port} is in use; choose another: make run PORT=8788` : error.message;
    console.error(`error: ${taken}`);
    await supervisor.stop();
    process.exit(1);
  }
}

if (origin !== undefined) {
  console.log(`
Code Mode Database runs on ${origin} (stop it with Ctrl-C). Try, in another terminal:

  curl -s ${origin}/api/codemode/sessions/hello \\
    -H 'content-type: application/json' \\
    -d '{"operation":"query","sql":"SELECT 6 * 7 AS product"}'

and then: make demo
`);
}

/** Reads the arguments. */
function folders() {
  try {
    const { values } = parseArgs({ options: { config: { type: "string", short: "c", default: "wrangler.toml" }, "persist-to": { type: "string" } } });
    return { config: values.config, persistTo: values["persist-to"] };
  } catch (error) {
    console.error(`error: ${error.message}`);
    process.exit(2);
  }
}

/** Returns an environment variable that is a whole number within limits. */
function integer(name, otherwise, least, most) {
  const text = process.env[name];
  if (text === undefined || text === "") return otherwise;
  const number = Number(text);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  console.error(`error: ${name} is '${text}'; it must be a whole number from ${least} to ${most}`);
  process.exit(2);
}
