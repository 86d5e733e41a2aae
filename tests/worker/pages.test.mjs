// Tests of the responses that carry the console: headers, caching, and deployments without it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TOKENS, Worker } from "./harness.mjs";

let worker;
before(async () => {
  // Pages need no token, even if the API does.
  worker = await Worker.start({ settings: { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme" }) } });
});
after(() => worker?.stop());

/** Returns the addresses of the files that a page loads. */
async function loadedBy(path) {
  const text = await (await worker.fetch(path)).text();
  return [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address);
}

/** A page of each kind. */
const PAGES = ["/", "/graph/some%3Aconversation", "/agent/some%3Athread", "/code/some%3Aworkspace"];

test("each page comes without a token, with a policy that allows files of this deployment only", async () => {
  for (const path of PAGES) {
    const response = await worker.fetch(path);
    assert.equal(response.status, 200, path);
    assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(response.headers.get("cache-control"), "no-cache");
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    assert.equal(response.headers.get("referrer-policy"), "no-referrer");
    const policy = response.headers.get("content-security-policy").split("; ");
    for (const directive of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"]) {
      assert.ok(policy.includes(directive), directive);
    }
    const text = await response.text();
    assert.doesNotMatch(text, /<style|style=|<script(?![^>]* src=)|\son\w+=/, "nothing inline");
  }
});

test("what pages load is kept for good, and each page loads its own", async () => {
  const [home, graph, agent, code] = [await loadedBy("/"), await loadedBy("/graph/c"), await loadedBy("/agent/t"), await loadedBy("/code/w")];
  for (const address of new Set([...home, ...graph, ...agent, ...code])) {
    assert.match(address, /^\/assets\/[\w-]+-[A-Z0-9]{8}\.(?:js|css|svg)$/);
    const response = await worker.fetch(address);
    assert.equal(response.status, 200, address);
    assert.equal(response.headers.get("cache-control"), "public, max-age=31536000, immutable");
    assert.match(response.headers.get("content-type"), address.endsWith(".js") ? /^text\/javascript/ : address.endsWith(".css") ? /^text\/css/ : /^image\/svg\+xml/);
    await response.arrayBuffer();
  }
  const texts = async (addresses) => (await Promise.all(addresses.filter((address) => address.endsWith(".js")).map(async (address) => (await worker.fetch(address)).text()))).join("\n");
  assert.match(await texts(home), /cm-editor/);
  assert.doesNotMatch(await texts(graph), /cm-editor/);
  const scripts = (addresses) => addresses.filter((address) => address.endsWith(".js"));
  for (const [one, other] of [[home, graph], [home, agent], [graph, agent], [home, code], [graph, code], [agent, code]]) assert.notDeepEqual(scripts(one), scripts(other));
});

test("a page that has not changed is 304, and HEAD has no body", async () => {
  for (const path of PAGES) {
    const first = await worker.fetch(path);
    const again = await worker.fetch(path, { headers: { "if-none-match": first.headers.get("etag") } });
    assert.equal(again.status, 304, path);
    assert.equal(await again.text(), "");
    assert.equal(again.headers.get("content-security-policy"), first.headers.get("content-security-policy"));
    const head = await worker.fetch(path, { method: "HEAD" });
    assert.deepEqual([head.status, await head.text()], [200, ""], path);
  }
});

test("what a page shows needs a token in a header, and no address takes one", async () => {
  for (const path of ["/api/agent/t/state", "/api/agent/threads", "/api/agent/memory", "/api/code/w", "/api/code/workspaces", "/api/graph/c/state", "/api/codemode/sessions"]) {
    const anonymous = await worker.fetch(path);
    assert.equal(anonymous.status, 401, path);
    assert.ok(anonymous.headers.get("www-authenticate"), path);
    await anonymous.text();
    assert.equal((await worker.fetch(`${path}?token=${TOKENS.acme}`)).status, 401, path);
  }
  const authorization = `Bearer ${TOKENS.acme}`;
  assert.equal((await worker.fetch("/api/agent/threads", { headers: { authorization } })).status, 200);
  // A page contains no data, whatever its address is.
  for (const path of PAGES) assert.equal((await worker.fetch(`${path}?token=${TOKENS.acme}`)).status, 200, path);
});

test("other addresses lead to no file", async () => {
  for (const path of ["/index.html", "/graph.html", "/agent.html", "/code.html", "/assets", "/assets/", "/assets/none.js", "/assets/%2e%2e%2findex.html", "/graph", "/agent", "/agent/", "/agent/a/b", "/code", "/code/", "/code/a/b", "/favicon.ico"]) {
    const response = await worker.fetch(path);
    assert.equal(response.status, 404, path);
    assert.equal((await response.json()).error.code, "NOT_FOUND");
  }
  for (const path of PAGES) assert.equal((await worker.fetch(path, { method: "POST" })).status, 405, path);
});

test("pages ignore parameters that they do not know", async () => {
  for (const path of PAGES) {
    const plain = await (await worker.fetch(path)).text();
    for (const query of ["?utm_source=x", "?fbclid=1&gclid=2", "?session=x", "?a=1&a=2", "?%ZZ", "?"]) {
      const response = await worker.fetch(path + query);
      assert.equal(response.status, 200, path + query);
      assert.equal(await response.text(), plain, path + query);
    }
  }
  // A parameter of the API is part of the request.
  assert.equal((await worker.fetch("/api/openapi.json?utm_source=x")).status, 400);
});

/** The header that a browser sends when somebody opens an address. */
const NAVIGATION = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";

test("an address that is not there is a page for a browser, and JSON for others", async () => {
  for (const path of ["/nowhere", "/index.html", "/agent/", "/api/nowhere", "/nowhere?utm_source=x"]) {
    const page = await worker.fetch(path, { headers: { accept: NAVIGATION, "if-none-match": '"x"' } });
    assert.equal(page.status, 404, path);
    assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8", path);
    assert.match(page.headers.get("content-security-policy"), /default-src 'none'/);
    assert.match(await page.text(), /There is no page at this address/);
    const head = await worker.fetch(path, { method: "HEAD", headers: { accept: NAVIGATION } });
    assert.deepEqual([head.status, await head.text()], [404, ""], path);
    for (const accept of ["*/*", "application/json", "text/html;q=0, */*"]) {
      const other = await worker.fetch(path, { headers: { accept } });
      assert.equal(other.status, 404, `${path} ${accept}`);
      assert.equal((await other.json()).error.code, "NOT_FOUND", `${path} ${accept}`);
    }
  }
  assert.equal((await (await worker.fetch("/nowhere", { method: "POST", headers: { accept: NAVIGATION } })).json()).error.code, "NOT_FOUND");
  const missing = await (await worker.fetch("/nowhere", { headers: { accept: NAVIGATION } })).text();
  const loaded = [...missing.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, address]) => address);
  assert.ok(loaded.length >= 3, missing);
  for (const address of loaded) assert.equal((await worker.fetch(address)).status, 200, address);
});

test("a deployment without the files says so, and serves its API", async () => {
  const bare = await Worker.start({ pages: false });
  try {
    for (const path of ["/", "/graph/c", "/agent/t", "/code/w", "/assets/home-AAAAAAAA.js", "/api/openapi.json"]) {
      const response = await bare.fetch(path);
      assert.equal(response.status, 404);
      assert.equal((await response.json()).error.message, "this deployment has no static assets, which are the console and openapi.json");
    }
    assert.equal((await (await bare.fetch("/nowhere", { headers: { accept: NAVIGATION } })).json()).error.code, "NOT_FOUND");
    assert.equal((await bare.fetch("/health")).status, 200);
  } finally {
    await bare.stop();
  }
});
