// Tests of the ways to reach a Worker of make run: one port of the whole tree of processes, a
// socket that no other user may open, and only the host names of this machine. A client that causes
// a failure learns nothing about the machine.

import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "./harness.mjs";
import { listeningPorts } from "./processes.mjs";
import { Supervised, rawRequest } from "./supervised.mjs";

const ROOT = resolve(fileURLToPath(import.meta.url), "../../..");
const SECRET = "nobody-elses-row";
const DUMP = "/api/codemode/sessions/ports/dump";

let worker;
let pids;
before(async () => {
  worker = await Supervised.start({ patienceMs: 120_000 });
  const session = worker.session("ports");
  await session.exec("CREATE TABLE t(a)");
  await session.exec("INSERT INTO t VALUES (?)", [SECRET]);
  // The objects of other classes and an isolate of the loader run as well.
  await worker.fetch("/api/codemode/execute", { method: "POST", body: JSON.stringify({ session: "ports", code: "return 1" }) });
  pids = [worker.child.pid, ...(await worker.descendants())];
});
after(() => worker.stop());

test("the tree of processes has one port, and gives no data to a host of somebody else on it", async () => {
  const ports = await listeningPorts(pids);
  assert.deepEqual(ports, [worker.port]);
  const own = `http://127.0.0.1:${worker.port}${DUMP}`;
  for (const port of ports) {
    for (const [target, ...lines] of [
      [DUMP, "Host: evil.com"],
      [DUMP, `Host: evil.com:${port}`],
      [DUMP, "Host: evil.com", `MF-Original-URL: ${own}`],
      [DUMP, "Host: evil.com", `mf-original-url: ${own}`, "MF-Proxy-Shared-Secret: x", "MF-Original-Hostname: 127.0.0.1"],
      [DUMP, "Host: evil.com", "MF-Route-Override: codemode-database", "MF-CF-Blob: {}", "MF-Op: x"],
      [DUMP, "Host: evil.com", "Connection: host", `MF-Original-URL: ${own}`],
      [DUMP, "Host: evil.com", "X-Forwarded-Host: 127.0.0.1"],
      [DUMP, "Host: evil.com", "Forwarded: host=127.0.0.1"],
      [DUMP, "Host: evil.com", "X-Original-URL: http://127.0.0.1/", "X-Rewrite-URL: /", "X-Host: 127.0.0.1"],
      [own, "Host: evil.com"],
      [`http://evil.com:${port}${DUMP}`, "Host: evil.com"],
      [DUMP, "Host: evil.com", "Host: 127.0.0.1"],
      [DUMP, "Host: 127.0.0.1", "Host: evil.com"],
      [DUMP, "Host: 127.0.0.1, evil.com"],
      [DUMP, "Host: 127.0.0.1\x00.evil.com"],
      [DUMP, "Host: 127.0.0.1@evil.com"],
      [DUMP, "Host: evil.com#127.0.0.1"],
      [DUMP, "Host: 127.0.0.1:80@evil.com"],
      [DUMP, "Host: 127.0.0.1/evil.com"],
      [DUMP, "Host: localhost."],
      [DUMP, "Host: 0.0.0.0"],
      [DUMP, "Host: "],
      [DUMP, "X: no host"],
      [DUMP, "Host: 127.0.0.1", "X-Forwarded-Host: evil.com"],
      [DUMP, "Host: 127.0.0.1", "Sec-Fetch-Site: cross-site"],
      ["/cdn-cgi/explorer/", "Host: 127.0.0.1"],
      ["/cdn-cgi/mf/scheduled", "Host: 127.0.0.1"],
      ["/__cf_local/x", "Host: 127.0.0.1"],
      ["/json/list", "Host: 127.0.0.1"],
    ]) {
      const { status, body } = await rawRequest(port, `GET ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\nConnection: close\r\n\r\n`);
      assert.ok(status >= 400 && !body.includes(SECRET), `${port} ${target} ${lines}: ${status} ${body}`);
    }
  }
  // The Worker itself returns it, so the requests above prove something.
  const { status, body } = await rawRequest(worker.port, `GET ${DUMP} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
  assert.equal(status, 200);
  assert.ok(body.includes(SECRET));
});

test("workerd listens where nobody but this user gets in", async () => {
  const [workerd] = await worker.descendants("workerd");
  const words = (await readFile(`/proc/${workerd}/cmdline`, "utf8")).split("\0");
  const configuration = words.find((word) => word.endsWith(".capnp"));
  const socket = /address = "unix:([^"]+)"/.exec(await readFile(configuration, "utf8"))[1];
  assert.equal(dirname(socket), dirname(configuration));
  assert.equal((await stat(dirname(socket))).mode & 0o077, 0);
  // The file contains secrets.
  assert.equal((await stat(configuration)).mode & 0o077, 0);
});

test("a client that makes something fail sees no stack, no path and no source", async () => {
  const told = new RegExp([ROOT, build, tmpdir(), "node_modules", "\\n\\s+at ", "\\.mjs", "\\.c\\+\\+", "\\.rs:", "file:", "wasm-function"].map((text) => text.replaceAll("/", "\\/")).join("|"));
  for (const text of [
    "GET /__test/panic HTTP/1.1\r\nHost: 127.0.0.1\r\n",
    "GET /__test/overflow HTTP/1.1\r\nHost: 127.0.0.1\r\n",
    `GET ${DUMP}?fault=panic HTTP/1.1\r\nHost: 127.0.0.1\r\n`,
    "GET / HTTP/1.1\r\nHost: [\r\n",
    "GET / HTTP/1.1\r\nHost: a b\r\n",
    "GET / HTTP/1.1\r\nHost: 127.0.0.1:99999\r\n",
    "GET / HTTP/1.1\r\nHost: \x80\r\n",
    "GET //[ HTTP/1.1\r\nHost: 127.0.0.1\r\n",
    "GET http://[ HTTP/1.1\r\nHost: 127.0.0.1\r\n",
    "GET http:// HTTP/1.1\r\nHost: 127.0.0.1\r\n",
    "CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n",
    "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n",
    "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nMF-CF-Blob: {\r\nCF-Blob: {\r\n",
    "POST /api/codemode/sessions/ports HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
    "NOT HTTP at all\r\n",
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    `GET /${"x".repeat(200_000)} HTTP/1.1\r\nHost: 127.0.0.1\r\n`,
    `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n${"X: y\r\n".repeat(20_000)}`,
  ]) {
    const { head, body } = await rawRequest(worker.port, `${text}Connection: close\r\n\r\n`, { ends: true });
    assert.ok(!told.test(`${head}\n${body}`), `${JSON.stringify(text.slice(0, 80))}: ${head} ${body}`);
  }
});

test("an idle crowd and a client that never reads keep nobody from being served", async () => {
  const session = worker.session("crowd");
  await session.exec("CREATE TABLE t(a)");
  await session.exec("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM r LIMIT 100000) INSERT INTO t SELECT hex(randomblob(100)) FROM r");
  const sockets = await worker.connect(1_500);
  const deaf = await worker.connect(10);
  for (const socket of deaf) socket.write(`GET ${session.path}/tables/t/rows?format=ndjson HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  for (let turn = 0; turn < 20; turn += 1) assert.equal((await session.query("SELECT count(*) AS n FROM t")).results[0].n, 100_000);
  for (const socket of [...sockets, ...deaf]) socket.destroy();
  assert.equal((await worker.fetch("/health")).status, 200);
});
