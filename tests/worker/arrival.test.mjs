// Tests of a request's origin, with headers that no client would send: names that resolve to this
// machine, pages of others, and the headers that the browser gets.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { builtConfiguration } from "../../scripts/built-config.mjs";
import { TOKENS, Worker, build } from "./harness.mjs";
import { rawRequest } from "./supervised.mjs";

const WRANGLER = fileURLToPath(new URL("bin/wrangler.js", import.meta.resolve("wrangler/package.json")));

const DUMP = "/api/codemode/sessions/mine/dump";

/** Sends a GET with these header lines, over its own connection. */
function get(worker, path, ...lines) {
  return rawRequest(Number(new URL(worker.url).port), [`GET ${path} HTTP/1.1`, ...lines, "Connection: close", "", ""].join("\r\n"));
}

describe("a Worker without tokens", () => {
  let worker;
  before(async () => (worker = await Worker.start({ settings: { QUERY_TIMEOUT_MS: "2000", ALLOWED_ORIGINS: "https://app.example.com" } })));
  after(() => worker.stop());

  test("serves loopback hosts only, by URL and by Host header", async () => {
    for (const lines of [
      ["Host: evil.com"],
      // Miniflare would replace the URL by this one.
      ["Host: evil.com", "MF-Original-URL: http://127.0.0.1:8787/api/codemode/sessions/mine/dump"],
      ["Host: evil.com", "MF-Original-URL: http://localhost/api/codemode/sessions/mine/dump"],
      ["Host: evil.com", "X-Forwarded-Host: 127.0.0.1"],
      ["Host: 127.0.0.1", "X-Forwarded-Host: evil.com"],
      ["Host: 127.0.0.1", "X-Forwarded-Host: 127.0.0.1", "X-Forwarded-Host: evil.com"],
      ["Host: 127.0.0.1", "Forwarded: host=evil.com"],
      ["Host: localhost.evil.com"],
      ["Host: 127.0.0.1.nip.io"],
      ["Host: localhost."],
      ["Host: 127.0.0.1."],
      ["Host: 0.0.0.0"],
      ["Host: [::ffff:127.0.0.1]"],
    ]) {
      const { status, body } = await get(worker, DUMP, ...lines);
      assert.deepEqual([status, JSON.parse(body).error?.code], [401, "UNAUTHORIZED"], lines.join(", "));
    }
    for (const host of ["localhost", "LOCALHOST:1", "127.0.0.1:8787", "127.1.2.3", "[::1]", "[0:0:0:0:0:0:0:1]:80"]) {
      assert.equal((await get(worker, DUMP, `Host: ${host}`)).status, 200, host);
    }
    assert.equal((await get(worker, DUMP, "Host: 127.0.0.1", "MF-Original-URL: http://evil.com/api/codemode/sessions/mine/dump")).status, 200);
  });

  test("never serves a request with several hosts, or none", async () => {
    for (const lines of [["Host: evil.com", "Host: 127.0.0.1"], ["Host: 127.0.0.1", "Host: evil.com"], ["Host: 127.0.0.1, evil.com"], ["Host: "], ["X: y"]]) {
      const { status, body } = await get(worker, DUMP, ...lines);
      assert.ok(status >= 400 && !body.includes("BEGIN"), `${lines}: ${status} ${body}`);
    }
  });

  test("serves no page of another origin that does not say which it is", async () => {
    for (const [lines, status] of [
      [["Sec-Fetch-Site: cross-site"], 401],
      [["Sec-Fetch-Site: same-site"], 401],
      [["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"], 401],
      [["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"], 401],
      [["Sec-Fetch-Site: somewhere"], 401],
      [["Sec-Fetch-Site: none"], 200],
      [["Sec-Fetch-Site: same-origin"], 200],
      [["Sec-Fetch-Site: same-site", "Origin: http://localhost:5173"], 200],
      [["Sec-Fetch-Site: cross-site", "Origin: https://app.example.com"], 200],
      [["Sec-Fetch-Site: cross-site", "Origin: https://evil.example.com"], 403],
    ]) {
      assert.equal((await get(worker, DUMP, "Host: 127.0.0.1", ...lines)).status, status, lines.join(", "));
    }
    // Public routes may be read by any page.
    assert.equal((await get(worker, "/health", "Host: evil.com", "Sec-Fetch-Site: cross-site")).status, 200);
  });

  test("takes an Origin that is not one origin for none that it allows", async () => {
    for (const lines of [
      ["Origin: null"],
      ["Origin: http://localhost:5173, http://evil.com"],
      ["Origin: http://localhost:5173,http://localhost:5173"],
      ["Origin: http://localhost:5173", "Origin: http://evil.com"],
      ["Origin: https://app.example.com, https://evil.com"],
      ["Origin: http://localhost:evil.com"],
      ["Origin: http://localhost/evil"],
      ["Origin: http://evil.com@localhost"],
      ["Origin: localhost"],
    ]) {
      const { status, body, headers } = await get(worker, DUMP, "Host: 127.0.0.1", ...lines);
      assert.deepEqual([status, JSON.parse(body).error.code, headers.get("access-control-allow-origin")], [403, "ORIGIN_NOT_ALLOWED", null], lines.join(", "));
    }
  });

  test("says nosniff with whatever it sends", async () => {
    const session = worker.session("mine");
    await session.exec("CREATE TABLE t(a)");
    await session.exec("INSERT INTO t VALUES ('<script>')");
    const post = (body, headers = {}) => ({ method: "POST", body: JSON.stringify(body), headers });
    const execute = { session: "mine", code: "return 1" };
    const { path } = session;
    for (const [what, status, url, init] of [
      ["health", 200, "/health"],
      ["document", 200, "/api/openapi.json"],
      ["script", 200, "/api/codemode/helpers.js"],
      ["guidance", 200, "/api/codemode/prompt"],
      ["guidance of a session", 200, "/api/codemode/prompt?session=mine"],
      ["operation", 200, path, post({ operation: "getTables" })],
      ["metrics", 200, path],
      ["stream", 200, `${path}/stream`, post({ sql: "SELECT a FROM t" })],
      ["export", 200, `${path}/tables/t/rows?format=ndjson`],
      ["export", 200, `${path}/tables/t/rows?format=csv`],
      ["export", 200, `${path}/tables/t/rows?format=json`],
      ["dump", 200, `${path}/dump`],
      ["program", 200, "/api/codemode/execute", post(execute)],
      ["events", 200, "/api/codemode/execute", post(execute, { accept: "text/event-stream" })],
      ["preflight", 204, path, { method: "OPTIONS", headers: { origin: "http://localhost:5173" } }],
      ["preflight of nothing", 404, "/nothing", { method: "OPTIONS" }],
      ["syntax error", 400, path, post({ operation: "query", sql: "SELEC" })],
      ["origin", 403, path, { headers: { origin: "https://evil.example.com" } }],
      ["no route", 404, "/nothing"],
      ["no explorer", 404, "/cdn-cgi/explorer/"],
      ["method", 405, path, { method: "PATCH" }],
      ["time", 504, `${path}?fault=hang`],
      ["trap", 500, `${path}?fault=panic`],
      ["head", 200, path, { method: "HEAD" }],
      ["head of what is sent", 405, `${path}/stream`, { method: "HEAD" }],
    ]) {
      const response = await worker.fetch(url, init);
      await response.arrayBuffer();
      assert.deepEqual([response.status, response.headers.get("x-content-type-options")], [status, "nosniff"], `${what}: ${url}`);
    }
  });

  test("has no session called . or .., in any spelling", async () => {
    for (const name of [".", ".."]) {
      for (const [path, body] of [
        ["/api/codemode/execute", { session: name, code: "return 1" }],
        ["/api/codemode/proxy", { session: name, server: "db", tool: "query", args: { sql: "SELECT 1" } }],
      ]) {
        const response = await worker.fetch(path, { method: "POST", body: JSON.stringify(body) });
        assert.deepEqual([response.status, (await response.json()).error.code], [400, "INVALID_ARGUMENT"], `${path} ${name}`);
      }
      const prompt = await worker.fetch(`/api/codemode/prompt?session=${encodeURIComponent(name)}`);
      assert.equal(prompt.status, 400);
    }
    // The platform removes these steps from the path, so the rest names no session; and a doubly
    // escaped name is no name.
    for (const path of ["..", ".", "%2e%2e", "%2E", ".%2e", "../../sessions/..", "%252e%252e"]) {
      const { status } = await get(worker, `/api/codemode/sessions/${path}`, "Host: 127.0.0.1");
      assert.ok([400, 404].includes(status), `${path}: ${status}`);
    }
  });
});

describe("a Worker with tokens", () => {
  let worker;
  const tokens = Object.fromEntries(Object.entries(TOKENS).map(([tenant, token]) => [token, tenant]));
  before(async () => (worker = await Worker.start({ settings: { API_TOKENS: JSON.stringify(tokens), ALLOWED_ORIGINS: "*" } })));
  after(() => worker.stop());

  test("serves any host and any page that has one", async () => {
    const token = `Authorization: Bearer ${TOKENS.acme}`;
    for (const lines of [["Host: db.example.com"], ["Host: db.example.com", "Sec-Fetch-Site: cross-site", "Origin: https://any.example.org"], ["Host: x", "X-Forwarded-Host: y"]]) {
      assert.equal((await get(worker, DUMP, ...lines, token)).status, 200, lines.join(", "));
      assert.equal((await get(worker, DUMP, ...lines)).status, 401, lines.join(", "));
    }
    for (const origin of ["null", "https://a.example, https://b.example"]) {
      assert.equal((await get(worker, DUMP, "Host: db.example.com", token, `Origin: ${origin}`)).status, 403, origin);
    }
  });
});

/** Returns the response of `wrangler dev` itself to a path, with an environment. */
async function underWrangler(environment, path) {
  const folder = await mkdtemp(join(tmpdir(), "codemode-wrangler-"));
  await writeFile(join(folder, "wrangler.toml"), builtConfiguration({}, build));
  const child = spawn(process.execPath, [WRANGLER, "dev", "--config", join(folder, "wrangler.toml"), "--local", "--ip", "127.0.0.1", "--port", "0", "--inspector-port", "0"], {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, WRANGLER_REGISTRY_PATH: join(folder, "registry"), WRANGLER_LOG_PATH: join(folder, "logs"), ...environment },
  });
  const ended = new Promise((done) => child.once("close", done));
  try {
    const url = await new Promise((found, failed) => {
      ended.then(() => failed(new Error("wrangler dev ended")));
      createInterface({ input: child.stdout }).on("line", (line) => {
        const ready = /Ready on (http:\/\/\S+)/.exec(line);
        if (ready) found(ready[1]);
      });
    });
    const response = await fetch(url + path);
    return { status: response.status, text: await response.text() };
  } finally {
    process.kill(-child.pid, "SIGKILL");
    await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

test("the Local Explorer of wrangler is gone with the environment of the scripts, and there without", async () => {
  const script = await readFile(new URL("../../scripts/setup-node.sh", import.meta.url), "utf8");
  const [, exported] = /'export (X_LOCAL_EXPLORER=[^']*)'/.exec(script);
  const environment = Object.fromEntries(exported.split(" ").map((word) => word.split("=")));
  for (const path of ["/cdn-cgi/explorer/", "/cdn-cgi/explorer/api/d1/database"]) {
    const off = await underWrangler(environment, path);
    assert.deepEqual([off.status, JSON.parse(off.text).error.code], [404, "NOT_FOUND"], path);
  }
  const on = await underWrangler({ X_LOCAL_EXPLORER: "true" }, "/cdn-cgi/explorer/");
  assert.deepEqual([on.status, on.text.includes("Local Explorer")], [200, true]);
});
