// Tests of the container image without a container. The steps of the Dockerfile's first stage run
// in a folder; its output runs as a user without rights, by the entry script of the image, and the
// health check of the image queries it.

import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, globSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { until } from "../until.mjs";
import { MANIFEST, ROOT, TARBALL, environment, run } from "./installed.mjs";

const TOKEN = "0123456789abcdef0123456789abcdef";
const IMAGE = join(ROOT, "image");
/** The user of the image. A run of the tests without root uses its own user. */
const USER = process.getuid() === 0 ? { uid: 10001, gid: 10001 } : {};

/** The stages of the Dockerfile: their instructions, with continued lines joined. */
const STAGES = readFileSync(join(IMAGE, "Dockerfile"), "utf8").replace(/^#.*\n/gm, "").replace(/\\\n\s*/g, "").trim().split(/^(?=FROM )/m)
  .map((stage) => stage.trim().split("\n").filter((line) => line !== "").map((line) => [line.split(" ", 1)[0], line.slice(line.indexOf(" ") + 1)]));

let root;

before(async () => {
  root = await mkdtemp(join(tmpdir(), "codemode-image-"));
  chmodSync(root, 0o755);
});

after(() => rm(root, { recursive: true, force: true, maxRetries: 10 }));

/** Moves the paths of the image below the folder of the test. */
const below = (words) => words.replace(/(?<=^|\s)\/(?=build|server)/g, `${root}/`);

/** Runs the steps of a build stage. */
async function build(stage, packaged, context) {
  const env = environment();
  let cwd = root;
  for (const [instruction, words] of stage) {
    if (instruction === "FROM") continue;
    if (instruction === "ARG") env[words.split("=", 1)[0]] = packaged;
    else if (instruction === "WORKDIR") mkdirSync((cwd = below(words)), { recursive: true });
    else if (instruction === "COPY") {
      const [, mode, from, to] = /^(?:--chmod=(\d+) )?(.+) (\S+)$/.exec(below(words));
      for (const path of from.split(" ").flatMap((pattern) => globSync(pattern, { cwd: context }))) {
        const copy = join(to === "./" ? cwd : to, path);
        cpSync(join(context, path), copy);
        if (mode !== undefined) chmodSync(copy, Number.parseInt(mode, 8));
      }
    } else if (instruction === "RUN") {
      await new Promise((done, failed) => execFile("/bin/sh", ["-c", below(words)], { cwd, env }, (error, stdout, stderr) => (error ? failed(new Error(stdout + stderr)) : done())));
    } else throw new Error(`this test does not know ${instruction}`);
  }
}

/** Finds a port that is free now. */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

const start = (env) => spawn(join(root, "server/start"), [], { env: { PATH: process.env.PATH, ...env }, stdio: ["ignore", "pipe", "pipe"], ...USER });
const health = (port) => spawnSync(join(root, "server/health"), [], { env: { PATH: process.env.PATH, PORT: String(port) }, ...USER }).status;

test("its second stage runs as a user without rights, with a volume and a health check, and copies only what the first has made", () => {
  assert.equal(STAGES.length, 2);
  const [first, second] = STAGES;
  assert.deepEqual(first.filter(([name]) => name === "ARG"), [["ARG", `PACKAGE=codemode-database@${MANIFEST.version}`]]);
  const of = (name) => second.filter(([instruction]) => instruction === name).map(([, words]) => words);
  assert.deepEqual([of("USER"), of("VOLUME"), of("EXPOSE"), of("ENTRYPOINT"), of("COPY")], [["10001:10001"], ["/data"], ["8787"], ['["/server/start"]'], ["--from=build /server /server"]]);
  assert.match(of("HEALTHCHECK")[0], /CMD \["\/server\/health"\]$/);
  assert.match(of("RUN")[0], /ca-certificates .*install --directory --owner=10001 --group=10001 --mode=700 \/data$/);
  // Another user can be set, but nobody gets root by setting none.
  assert.ok(second.findIndex(([name]) => name === "USER") < second.findIndex(([name]) => name === "ENTRYPOINT"));
});

test("what the first stage makes serves with tokens only, keeps its data, and ends when it is told to", async (context) => {
  const files = join(root, "context");
  cpSync(IMAGE, files, { recursive: true });
  cpSync(TARBALL, join(files, basename(TARBALL)));
  await build(STAGES[0], `./${basename(TARBALL)}`, files);
  assert.equal(statSync(join(root, "server/codemode-server")).mode & 0o777, 0o755);

  const bare = start({});
  let said = "";
  bare.stderr.on("data", (piece) => (said += piece));
  assert.equal(await new Promise((ended) => bare.once("close", ended)), 64);
  assert.match(said, /^error: .*API_TOKENS or OAUTH_ISSUER must be set/);

  const data = join(root, "data");
  mkdirSync(data);
  if (USER.uid !== undefined) chownSync(data, USER.uid, USER.gid);
  const port = await freePort();
  const env = { API_TOKENS: JSON.stringify({ [TOKEN]: "team" }), PORT: String(port), DATA: data };
  assert.equal(health(port), 1);
  const ask = async (path, body, token = TOKEN) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers: { authorization: `Bearer ${token}` }, body: JSON.stringify(body) });
    return { status: response.status, ...(await response.json()) };
  };
  for (const round of [1, 2]) {
    const server = start(env);
    context.after(() => server.kill("SIGKILL"));
    let log = "";
    for (const stream of [server.stdout, server.stderr]) stream.on("data", (piece) => (log += piece));
    await until(() => {
      if (server.exitCode !== null) throw new Error(log);
      return health(port) === 0;
    });
    if (USER.uid !== undefined) assert.match(readFileSync(`/proc/${server.pid}/status`, "utf8"), /^Uid:\t10001\t10001\t10001\t10001$/m);
    assert.equal((await ask("/api/codemode/sessions/films", { operation: "query", sql: "SELECT 1" }, "other")).status, 401);
    if (round === 1) assert.equal((await ask("/api/codemode/sessions/films", { operation: "exec", sql: "CREATE TABLE films AS SELECT 'Solaris' AS title" })).success, true, log);
    const program = await ask("/api/codemode/execute", { session: "films", code: "return (await helpers.db.query('SELECT title FROM films'))[0].title" });
    assert.equal(program.result, "Solaris", JSON.stringify(program));
    const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: "text/html" } });
    assert.deepEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
    server.kill("SIGTERM");
    assert.equal(await new Promise((ended) => server.once("close", ended)), 0, log);
  }
});

test("compile touches no folder with files, and takes names of secrets only", async () => {
  const full = await run(["compile", IMAGE]);
  assert.match(full.stderr, /^error: .*image is not empty\n/);
  const unfit = await run(["compile", join(root, "other"), "--secret", "A=b"]);
  assert.match(unfit.stderr, /^error: A=b is not the name of a variable\n/);
});
