// The cost of the checks of a GraphQL response: 10 MB of generated records, with few nulls and with
// many, through POST /graphql/check.
//
//   node bench/graphql.mjs [--rounds 9] [--build build-bench]
//
// For comparison, the same bytes are sent to the same route with a first letter that makes them
// invalid JSON, so that they are refused as soon as they are read. On the host, without HTTP and
// WebAssembly: `cargo run --release --example graphql`.

import { performance } from "node:perf_hooks";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { atMost, median } from "./report.mjs";
import { modulesIn, prepareWorker } from "./workerd.mjs";

const ANSWER_BYTES = 10_000_000;
const TARGET_MS = 100;
const WARM_UP_ROUNDS = 2;
const CHECK = "/api/codemode/graphql/check";
const OURS = { binding: "CODEMODE_DB", className: "CodeModeDatabase" };
const SCHEMA = "type Query { targets(filter: String): [Target] } type Target { id: ID! sym: String name: String novelty: Float diseases: [Disease] } type Disease { name: String zscore: Float parent: Disease }";
const QUERY = "query($f: String) { targets(filter: $f) { id sym name novelty diseases { n: name zscore parent { name } } } }";

/** Makes records with nested lists, of which one in `every` has nulls. */
function records(every) {
  const targets = [];
  for (let bytes = 0, id = 0; bytes < ANSWER_BYTES; id += 1) {
    const diseases = Array.from({ length: 5 }, (_, at) => ({ n: `disease "${at}" of ${id}`, zscore: at + 0.25, parent: (id + at) % every === 0 ? null : { name: `disease ${at}` } }));
    const name = id % every === 0 ? null : `target number ${id}, with a description of some length`;
    targets.push({ id: `T${id}`, sym: `SYM${id}`, name, novelty: id / 1_000, diseases });
    bytes += JSON.stringify(targets.at(-1)).length + 1;
  }
  return targets;
}

const bodyOf = (every) => Buffer.from(JSON.stringify({ response: { data: { targets: records(every) } }, query: QUERY, schema: SCHEMA }));

/** Returns the milliseconds of each round, by name. */
export async function benchGraphql({ folder, rounds }) {
  console.error("measuring: checks of a GraphQL response of 10 MB");
  const prepared = prepareWorker({ ...OURS, modules: modulesIn(folder) });
  const process = await prepared.start();
  const bodies = { "few nulls": bodyOf(1_000), "many nulls": bodyOf(2) };
  const noJson = Buffer.from(bodies["few nulls"]);
  noJson[0] = "x".charCodeAt(0);
  const forms = [
    { name: "read, and refused as no JSON", run: () => process.send("POST", CHECK, noJson).then(() => "accepted", (error) => error.message), right: (message) => message.includes("returned 400") },
    ...Object.entries(bodies).map(([name, body]) => ({ name: `checked, ${name}`, run: () => process.send("POST", CHECK, body), right: (answer) => JSON.parse(answer).nullCount > 0 })),
  ];
  const times_ms = Object.fromEntries(forms.map(({ name }) => [name, []]));
  try {
    for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
      for (const { name, run, right } of forms) {
        const start = performance.now();
        const outcome = await run();
        const elapsed_ms = performance.now() - start;
        if (!right(outcome)) throw new Error(`${name}: ${String(outcome).slice(0, 500)}`);
        if (round >= 0) times_ms[name].push(elapsed_ms);
      }
    }
  } finally {
    await process.stop("SIGKILL");
    prepared.remove();
  }
  return { times_ms, verdicts: print(times_ms) };
}

function print(times_ms) {
  console.log("\ncheck of a GraphQL response of 10 MB against its query and schema");
  for (const [name, times] of Object.entries(times_ms)) {
    console.log(`  ${name.padEnd(50)} median ${median(times).toFixed(1).padStart(9)} ms   fastest ${Math.min(...times).toFixed(1).padStart(9)} ms`);
  }
  const [[, read], ...checked] = Object.entries(times_ms);
  const more = checked.map(([, times]) => median(times.map((time, round) => time - read[round])).toFixed(0));
  console.log(`  over reading alone, the check takes ${more.join(" and ")} ms`);
  return checked.map(([name, times]) => atMost(`10 MB ${name}, from the request to the response`, median(times), TARGET_MS, " ms"));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { values: options } = parseArgs({
    options: { rounds: { type: "string", default: "9" }, build: { type: "string", default: fileURLToPath(new URL("../build-bench", import.meta.url)) } },
  });
  await benchGraphql({ folder: options.build, rounds: Number(options.rounds) });
}
