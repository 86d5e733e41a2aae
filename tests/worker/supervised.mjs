// `make run` on the built Worker of the tests: scripts/serve.mjs with storage in a temporary folder
// and a short patience.

import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { builtConfiguration } from "../../scripts/built-config.mjs";
import { until } from "../until.mjs";
import { Session, build } from "./harness.mjs";
import { processes } from "./processes.mjs";

const SERVE = fileURLToPath(new URL("../../scripts/serve.mjs", import.meta.url));

export class Supervised {
  /** The lines of the terminal. */
  lines = [];

  static async start({ patienceMs = 3_000, settings = {}, secrets = "", storage, environment = {}, configuration = (text) => text } = {}) {
    const supervised = new Supervised();
    supervised.folder = await mkdtemp(join(tmpdir(), "codemode-supervised-"));
    await writeFile(join(supervised.folder, "wrangler.toml"), configuration(builtConfiguration(settings, build)));
    await writeFile(join(supervised.folder, ".dev.vars"), secrets);
    const kept = storage ?? join(supervised.folder, "storage");
    supervised.child = spawn(process.execPath, [SERVE, "--config", join(supervised.folder, "wrangler.toml"), "--persist-to", kept], {
      cwd: supervised.folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        PORT: "0",
        CODEMODE_PATIENCE_MS: String(patienceMs),
        ...environment,
      },
    });
    for (const stream of [supervised.child.stdout, supervised.child.stderr]) createInterface({ input: stream }).on("line", (line) => supervised.lines.push(line));
    supervised.ended = new Promise((ended) => supervised.child.once("close", (code, signal) => ended(code ?? signal)));
    let hasEnded = false;
    supervised.ended.then(() => (hasEnded = true));
    supervised.url = await until(() => {
      if (hasEnded) throw new Error(`serve.mjs ended: ${supervised.text}`);
      return /runs on (http:\/\/\S+) /.exec(supervised.text)?.[1];
    });
    return supervised;
  }

  get text() {
    return this.lines.join("\n");
  }

  get port() {
    return Number(new URL(this.url).port);
  }

  /** Returns how often the Worker was started again. */
  get restarts() {
    return this.lines.filter((line) => line.includes("the Worker responds again")).length;
  }

  fetch(path, init) {
    return fetch(this.url + path, init);
  }

  session(name = `s-${Math.random().toString(36).slice(2)}`, headers = {}) {
    return new Session(this, name, headers);
  }

  /** Returns the process ids of its descendants, of one name if that is given. */
  descendants(name = "") {
    return processes(this.child.pid, name);
  }

  /** Ends it as Ctrl-C does; resolves with its exit code. */
  async stop(signal = "SIGINT") {
    this.child.kill(signal);
    const code = await this.ended;
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
    return code;
  }

  /** Opens connections for a test to use by hand. */
  connect(count) {
    return Promise.all(Array.from({ length: count }, () => new Promise((connected, failed) => {
      const socket = connect(this.port, "127.0.0.1", () => connected(socket));
      socket.on("error", failed);
    })));
  }

  /** Sends a request unchanged; returns the bytes of the response until the connection ends. */
  raw(text) {
    return rawRequest(this.port, text);
  }
}

/**
 * Sends a text that no HTTP client would send over its own connection. With `ends`, nothing else
 * will follow.
 */
export function rawRequest(port, text, { ends = false } = {}) {
  return new Promise((settled, failed) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => (ends ? socket.end(text, "latin1") : socket.write(text, "latin1")));
    let received = "";
    socket.setEncoding("latin1");
    socket.on("data", (piece) => (received += piece));
    socket.on("error", ends ? () => {} : failed);
    socket.on("end", () => socket.end());
    socket.on("close", () => {
      const [head, body = ""] = received.split(/\r\n\r\n([\s\S]*)/, 2);
      const [line, ...headers] = head.split("\r\n");
      settled({ head, status: Number(line.split(" ")[1]), headers: new Headers(headers.map((header) => header.split(/: ?(.*)/, 2)).filter(([name]) => /^[!#-'*+.^_`|~\w-]+$/.test(name))), body });
    });
  });
}
