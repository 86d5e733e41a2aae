// The package as npm would install it: the tarball of `scripts/package`, unpacked beside the
// workerd that it depends on. Tests run the command as a process, with a PATH that has no compiler.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { until } from "../until.mjs";
import { processes } from "../worker/processes.mjs";
import { ROOT, tarballOf, unpack } from "./tarball.mjs";

export { ROOT };

/** The tarball. */
export const TARBALL = tarballOf();

const home = mkdtempSync(join(tmpdir(), "codemode-installed-"));
process.once("exit", () => rmSync(home, { recursive: true, force: true }));

/** Makes a folder with the package, and other packages of the repository, in its node_modules. */
export const install = (folder, others) => unpack(TARBALL, folder, others);

export const PACKAGE = install(home);
export const MANIFEST = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
export const CLI = join(PACKAGE, MANIFEST.bin["codemode-database"]);
/** This path has only Node, a shell and tar. */
const PATH = [dirname(process.execPath), "/usr/bin", "/bin"].join(":");

/** Returns the environment of a person who has Node and nothing of this repository. */
export function environment(more = {}) {
  const { HOME, TMPDIR, LANG, NODE_EXTRA_CA_CERTS } = process.env;
  const kept = Object.entries({ HOME, TMPDIR, LANG, NODE_EXTRA_CA_CERTS }).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(kept), PATH, ...more };
}

/** Runs a command to its end. */
export async function run(words, { cwd = home, env = {}, input = "" } = {}) {
  const child = spawn(process.execPath, [CLI, ...words], { cwd, env: environment(env), stdio: ["pipe", "pipe", "pipe"] });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (piece) => (texts[name] += piece));
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const code = await new Promise((ended) => child.once("close", ended));
  return { code, ...texts };
}

/** A folder that is removed after the test. */
export async function folderOf(context) {
  const folder = await mkdtemp(join(tmpdir(), "codemode-package-"));
  context.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** `codemode-database dev` as a process. */
export class Dev {
  lines = [];

  /**
   * Starts it. Resolves once it serves; with the state `waits` once it waits for another server,
   * with `either` once it does one of both.
   */
  static async start(data, { words = [], env = {}, cwd = home, state = "serves" } = {}) {
    const dev = new Dev();
    dev.child = spawn(process.execPath, [CLI, "dev", "--data", data, ...words], { cwd, env: environment(env), stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [dev.child.stdout, dev.child.stderr]) createInterface({ input: stream }).on("line", (line) => dev.lines.push(line));
    dev.ended = new Promise((ended) => dev.child.once("close", (code, signal) => ended(code ?? signal)));
    let hasEnded = false;
    dev.ended.then(() => (hasEnded = true));
    await until(() => {
      if (hasEnded) throw new Error(`dev ended: ${dev.text}`);
      const waits = dev.text.includes("takes over when that ends");
      return { serves: dev.origin, waits, either: dev.origin ?? waits }[state];
    });
    return dev;
  }

  get text() {
    return this.lines.join("\n");
  }

  get origin() {
    return /runs on (http:\/\/\S+) /.exec(this.text)?.[1];
  }

  fetch(path, init) {
    return fetch(this.origin + path, init);
  }

  /** Returns the response of an operation that must succeed. */
  async ok(session, fields) {
    const response = await this.fetch(`/api/codemode/sessions/${session}`, { method: "POST", body: JSON.stringify(fields) });
    const body = await response.json();
    if (body.success !== true) throw new Error(JSON.stringify(body));
    return body;
  }

  /** Returns the process ids of workerd and its guard. */
  descendants(name = "") {
    return processes(this.child.pid, name);
  }

  async stop(signal = "SIGINT") {
    this.child.kill(signal);
    return this.ended;
  }
}
