// 400 parallel writes: @modelcontextprotocol/server-memory, run as in its README, beside ours. It
// counts the confirmed entities that exist afterwards, and the time of all writes. This file also
// runs the analyses of NetworkX, another program that is not a Worker.

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

export const WRITES = 400;

const require = createRequire(import.meta.url);

/** Sends all writes at once; returns the milliseconds, and how many were confirmed. */
async function atOnce(write) {
  const start = performance.now();
  const confirmed = await Promise.all(Array.from({ length: WRITES }, (_, index) => write(index).then(() => 1, () => 0)));
  return { elapsed_ms: performance.now() - start, confirmed: confirmed.reduce((sum, one) => sum + one, 0) };
}

/** Writes to the memory server, and counts the entities in its file at the end. */
export async function writeToMemory() {
  const folder = mkdtempSync(join(tmpdir(), "codemode-memory-"));
  const file = join(folder, "memory.jsonl");
  const client = new Client({ name: "bench", version: "1.0.0" });
  try {
    const server = join(require.resolve("@modelcontextprotocol/server-memory/package.json"), "../dist/index.js");
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [server], env: { ...process.env, MEMORY_FILE_PATH: file } }));
    const outcome = await atOnce(async (index) => {
      const { isError } = await client.callTool({ name: "create_entities", arguments: { entities: [{ name: `e${index}`, entityType: "bench", observations: ["one"] }] } });
      if (isError) throw new Error("refused");
    });
    const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
    return { ...outcome, survived: new Set(lines.map((line) => JSON.parse(line).name)).size };
  } finally {
    await client.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes to our graph; `send` belongs to a Worker with as many connections as there are writes. */
export async function writeToGraph(send, path) {
  const outcome = await atOnce((index) => send("POST", `${path}/nodes`, Buffer.from(JSON.stringify({ id: `e${index}`, label: `e${index}`, type: "bench" }))));
  const { data } = JSON.parse(await send("GET", path));
  return { ...outcome, survived: data.nodeCount, versions: data.version };
}

/** Runs an analysis by NetworkX, in the Python that `scripts/setup bench` has made. */
export async function networkx(task, { nodes, edges }, iterations) {
  const script = join(import.meta.dirname, "graph_networkx.py");
  const running = promisify(execFile)(process.env.NETWORKX_PYTHON, [script], { maxBuffer: 1_000_000 });
  running.child.stdin.end(JSON.stringify({ task, iterations, nodes: nodes.map(({ id }) => id), edges: edges.map(({ source, target }) => [source, target]) }));
  const { stdout } = await running;
  return JSON.parse(stdout);
}
