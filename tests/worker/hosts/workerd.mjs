// workerd alone, with the configuration that the command of the package writes: nothing but the
// Worker serves requests. The options of a host are those of `Worker.start`.

import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { configure, makeStorage } from "../../../packages/codemode-database/src/engine/configuration.ts";
import { startWorkerd } from "../../../packages/codemode-database/src/engine/workerd.ts";
import { ROOT } from "../../package/tarball.mjs";
import { PRODUCT } from "./product.mjs";

const PROGRAM = createRequire(join(ROOT, "package.json"))("workerd").default;

/** Takes the place of Analytics Engine, whose points cannot be read: it receives the same call. */
const TELEMETRY = `
import { WorkerEntrypoint } from "cloudflare:workers";
export default class extends WorkerEntrypoint {
  writeDataPoint(point) { console.log(JSON.stringify({ point })); }
}`;

/**
 * Takes the place of Workers AI, which runs only on Cloudflare's network: it receives the same
 * call, and passes it to a server of the test.
 */
const AI = `
import { WorkerEntrypoint } from "cloudflare:workers";
export default class extends WorkerEntrypoint {
  async run(model, input) {
    const response = await fetch(this.env.AI_SERVER, { method: "POST", body: JSON.stringify({ model, input }) });
    if (!response.ok) throw new Error(await response.text());
    return input.stream ? response.body : response.json();
  }
}`;

/** Makes a Worker of the tests beside the product, as a service in the configuration of workerd. */
function service(name, code, bindings = {}) {
  const bound = Object.entries(bindings).map(([key, value]) => `(name = "${key}", text = ${JSON.stringify(value)})`);
  return `(name = "${name}", worker = (modules = [(name = "${name}.js", esModule = ${JSON.stringify(code)})], compatibilityDate = "2026-01-01", bindings = [${bound.join(", ")}]))`;
}

export class WorkerdHost {
  url;
  #folder = mkdtempSync(join(tmpdir(), "codemode-workerd-"));
  #log;
  #child;
  #closed;

  static async start(options) {
    const host = new WorkerdHost();
    host.#log = options.log;
    writeFileSync(join(host.#folder, "workerd.capnp"), configuration(options), { mode: 0o600 });
    try {
      await host.again();
    } catch (error) {
      await host.stop();
      throw error;
    }
    return host;
  }

  /** Starts workerd on the same storage, after `end`. */
  async again() {
    const { child, control } = startWorkerd(PROGRAM, join(this.#folder, "workerd.capnp"));
    this.#child = child;
    this.#closed = once(child, "close");
    const last = [];
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        last.splice(0, Math.max(0, last.length - 20), line);
        this.#log(messageOf(line));
      });
    }
    const listening = once(createInterface({ input: control }), "line").then(([line]) => JSON.parse(line));
    const found = await Promise.race([listening, this.#closed.then(() => undefined)]);
    if (found === undefined) throw new Error(`workerd ended before it listened: ${last.join("\n")}`);
    this.url = `http://127.0.0.1:${found.port}`;
  }

  /** Ends workerd without a chance to finish anything. */
  async end() {
    this.#child?.kill("SIGKILL");
    await this.#closed;
  }

  async stop() {
    await this.end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/**
 * Returns the text of a log message: workerd puts each message, with any number of lines, into a
 * JSON object.
 */
function messageOf(line) {
  try {
    return JSON.parse(line).message ?? line;
  } catch {
    return line;
  }
}

function configuration({ settings, storage, persistent, telemetry, loader, pages, assets, ai }) {
  const { facts, worker } = PRODUCT;
  const bindings = Object.fromEntries(Object.entries(facts.bindings).filter(([, { type }]) => !(type === "worker_loader" && !loader) && !(type === "assets" && !pages && assets === undefined)));
  if (persistent) bindings.CODEMODE_D1 = { type: "d1", database_id: "codemode-test" };
  const description = { ...facts, main: join(worker, "index.js"), bindings, assets: { ...facts.assets, directory: assets ?? PRODUCT.console } };
  makeStorage(storage);
  const { text, notes } = configure(description, { address: "127.0.0.1:0", storage, variables: settings, workersAi: "unused", command: "the tests" });
  if (notes.length > 0) throw new Error(notes.join("\n"));
  const services = [...(telemetry ? [service("telemetry", TELEMETRY)] : []), ...(ai ? [service("ai", AI, { AI_SERVER: ai })] : [])];
  const bound = [...(telemetry ? [`(name = "TELEMETRY", service = "telemetry")`] : []), ...(ai ? [`(name = "AI", service = "ai")`] : [])];
  return [
    ["const config :Workerd.Config = (", "const config :Workerd.Config = (\n  structuredLogging = true,"],
    ["  services = [", `  services = [${services.map((one) => `\n    ${one},`).join("")}`],
    ["  bindings = [(name = \"", `  bindings = [${bound.map((one) => `${one},\n    `).join("")}(name = "`],
  ].reduce((made, [from, to]) => {
    if (!made.includes(from)) throw new Error(`the configuration of workerd has no ${from}`);
    return made.replace(from, () => to);
  }, text);
}
