// Starts a Worker in its own workerd process and sends requests to it.
//
// The process is the one that Miniflare and wrangler would start, without Miniflare's own router in
// front: that router costs every request the same time and would make all ratios look closer to 1
// than they are. Durable Objects are on disk.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const COMPATIBILITY_DATE = "2026-11-17";
// The time after which a workerd that does not listen has failed.
const START_TIMEOUT_MS = 30_000;
// The time after which a workerd that was asked to end is killed.
const STOP_TIMEOUT_MS = 10_000;
// Longer than any request: the longest statement of the benchmarks has 600 s.
const REQUEST_TIMEOUT_MS = 660_000;
// Room for a configuration with its modules.
const COMPILED_BYTES = 100_000_000;
const TEXT_CONFIG = "config.capnp";
const BINARY_CONFIG = "config.bin";

// The workerd that comes with the installed Miniflare.
const require = createRequire(import.meta.url);
const workerdBinary = createRequire(require.resolve("miniflare"))("workerd").default;

// A benchmark that fails or is interrupted must not leave a workerd or a folder.
const children = new Set();
const folders = new Set();
process.once("exit", () => {
  children.forEach((child) => child.kill("SIGKILL"));
  folders.forEach(removeFolder);
});
["SIGINT", "SIGTERM"].forEach((signal) => process.once(signal, () => process.exit(1)));

function removeFolder(folder) {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}

/** Returns the modules that would be uploaded, entry first: `{name, content}`. */
export function modulesIn(folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith(".js") || name.endsWith(".wasm"));
  names.sort((a, b) => Number(b === "index.js") - Number(a === "index.js"));
  return names.map((name) => ({ name, content: readFileSync(join(folder, name)) }));
}

/** Returns the bytes of the bundle, plain and gzipped. */
export function bundleSize(modules) {
  return {
    raw_bytes: modules.reduce((sum, { content }) => sum + content.length, 0),
    gzipped_bytes: modules.reduce((sum, { content }) => sum + gzipSync(content, { level: 9 }).length, 0),
  };
}

/**
 * Bundles a module of ours with the npm packages that it imports into the one module of a Worker.
 */
export async function bundled(file) {
  const { outputFiles } = await build({
    entryPoints: [file],
    write: false,
    bundle: true,
    format: "esm",
    external: ["cloudflare:*", "node:*"],
    conditions: ["workerd", "worker", "import"],
    logLevel: "error",
  });
  return [{ name: "index.js", content: Buffer.from(outputFiles[0].contents) }];
}

/**
 * Ours writes a log line for each operation by default. The peer writes none, so ours is measured
 * without. `others` are further classes of objects by binding, `assets` is a folder of static
 * assets.
 */
function workerdConfig({ modules, binding, className, others = {}, loader = false, settings = {}, assets }) {
  const embedded = modules.map(({ name }) => `(name = "${name}", ${name.endsWith(".wasm") ? "wasm" : "esModule"} = embed "${name}")`);
  // A JSON string is also a valid text of Cap'n Proto.
  const texts = Object.entries({ OPERATION_LOG: "off", ...settings }).map(([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`);
  const classes = Object.entries({ [binding]: className, ...others });
  const namespaces = classes.map(([, name]) => `(className = "${name}", uniqueKey = "bench-${name}", enableSql = true)`);
  const bindings = classes.map(([name, of]) => `(name = "${name}", durableObjectNamespace = "${of}")`);
  const objects = className === undefined ? "" : `
  durableObjectNamespaces = [${namespaces.join(", ")}],
  durableObjectStorage = (localDisk = "objects"),
  bindings = [${bindings.join(", ")}, ${texts.join(", ")}${loader ? ', (name = "LOADER", workerLoader = ())' : ""}${assets ? ', (name = "ASSETS", service = "assets")' : ""}],`;
  // The servers that a Worker calls are on this machine; by default, workerd reaches public
  // addresses only.
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "objects", disk = (path = "objects", writable = true)),
${assets ? `    (name = "assets", disk = (path = ${JSON.stringify(assets)})),\n` : ""}    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [${embedded.join(", ")}],
  compatibilityDate = "${COMPATIBILITY_DATE}",${objects}
);
`;
}

/**
 * Writes a Worker to disk, to be started any number of times: `{modules, binding, className,
 * others, loader, settings, assets}`. With `binary`, workerd reads the text of the configuration
 * once here, and not at every start.
 */
export function prepareWorker(worker, { binary = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "codemode-bench-"));
  folders.add(folder);
  mkdirSync(join(folder, "objects"));
  for (const { name, content } of worker.modules) {
    writeFileSync(join(folder, name), content);
  }
  writeFileSync(join(folder, TEXT_CONFIG), workerdConfig(worker));
  if (binary) {
    const options = { cwd: folder, maxBuffer: COMPILED_BYTES, timeout: START_TIMEOUT_MS, stdio: ["ignore", "pipe", "pipe"] };
    writeFileSync(join(folder, BINARY_CONFIG), execFileSync(workerdBinary, ["compile", "--config-only", TEXT_CONFIG], options));
  }
  const file = binary ? ["--binary", BINARY_CONFIG] : [TEXT_CONFIG];
  return {
    folder,
    start: (connections) => startWorkerd(folder, [...file, ...(worker.loader ? ["--experimental"] : [])], connections),
    remove: () => removeFolder(folder),
  };
}

/** The Worker Loader is a beta, which workerd enables by a flag. */
async function startWorkerd(folder, options, connections = 1) {
  const started = performance.now();
  const child = spawn(workerdBinary, ["serve", "--control-fd=3", ...options], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    complaints = (complaints + text).slice(-4_000);
  });
  children.add(child);
  const exited = new Promise((resolve) => child.once("exit", resolve)).then(() => children.delete(child));
  const port = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`workerd did not listen: ${complaints}`)), START_TIMEOUT_MS);
    let events = "";
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`workerd ended before it listened: ${complaints}`)));
    child.stdio[3].setEncoding("utf8").on("data", (text) => {
      events += text;
      const listening = /"event":"listen".*?"port":(\d+)/.exec(events);
      if (listening) {
        clearTimeout(timer);
        resolve(Number(listening[1]));
      }
    });
  });
  const agent = new Agent({ keepAlive: true, maxSockets: connections, noDelay: true, timeout: REQUEST_TIMEOUT_MS });
  return {
    started,
    url: `http://127.0.0.1:${port}`,
    send: (method, path, body, contentType, more) => send(agent, port, method, path, body, contentType, more),
    residentBytes: () => residentBytes(child.pid),
    processorMs: () => processorMs(child.pid),
    stop: async (signal) => {
      agent.destroy();
      child.kill(signal);
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

/**
 * Sends one request over a kept connection. The response's bytes are read completely, but not
 * parsed, because that is the caller's time.
 */
function send(agent, port, method, path, body, contentType = "application/json", more = {}) {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? more : { "content-type": contentType, "content-length": body.length, ...more };
    const outgoing = httpRequest({ agent, host: "127.0.0.1", port, method, path, headers }, (incoming) => {
      const parts = [];
      incoming.on("data", (part) => parts.push(part));
      incoming.on("error", reject);
      incoming.on("end", () => {
        const answer = Buffer.concat(parts);
        if (incoming.statusCode === 200 || incoming.statusCode === 201) {
          resolve(answer);
        } else {
          reject(new Error(`${method} ${path} returned ${incoming.statusCode}: ${answer.toString("utf8", 0, 500)}`));
        }
      });
    });
    outgoing.on("error", reject);
    outgoing.on("timeout", () => outgoing.destroy(new Error(`${method} ${path} had no response in time`)));
    outgoing.end(body);
  });
}

/** Returns the memory of a process in RAM; undefined if the system has no /proc. */
function residentBytes(pid) {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024;
  } catch {
    return undefined;
  }
}

/**
 * Returns the milliseconds that all threads of a process have computed so far, which other
 * processes of the machine hardly affect; the elapsed time if the system has no /proc.
 */
function processorMs(pid) {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8"));
    return threads.reduce((sum, text) => sum + Number(text.split(" ")[0]), 0) / 1e6;
  } catch {
    return performance.now();
  }
}
