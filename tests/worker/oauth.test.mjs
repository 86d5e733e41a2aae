// Tests of OAuth: access tokens of a real issuer, tokens that none would issue, hostile behaviour
// of an issuer, and the way clients find it.

import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:net";
import { after, before, describe, test } from "node:test";
import { auth, discoverOAuthProtectedResourceMetadata, extractWWWAuthenticateParams } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ClientCredentialsProvider } from "@modelcontextprotocol/sdk/client/auth-extensions.js";
import { SignJWT, UnsecuredJWT, exportJWK, exportSPKI, generateKeyPair } from "jose";
import { Issuer, brokenIssuer, keyPair } from "../peers/issuer.mjs";
import { TOKENS, Worker } from "./harness.mjs";

const SESSIONS = "/api/codemode/sessions";
const METADATA = "/.well-known/oauth-protected-resource";
const MCP_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Returns the response of a protected route to a token. */
async function list(worker, token, headers = {}) {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await worker.fetch(SESSIONS, { headers: { ...authorization, ...headers } });
  const body = await response.json();
  return { status: response.status, code: body.error?.code, message: body.error?.message, challenge: response.headers.get("www-authenticate"), body };
}

/** Checks that a token is refused as invalid, and that no part of it is repeated. */
async function isRefused(worker, token, message) {
  const { status, code, challenge, ...rest } = await list(worker, token);
  assert.deepEqual([status, code, rest.message], [401, "INVALID_TOKEN", message]);
  assert.ok(challenge.includes('error="invalid_token"') && challenge.includes(`error_description="${message}"`), challenge);
  assert.ok(token.length < 20 || !JSON.stringify(rest.body).includes(token));
}

describe("a Worker with an OAuth issuer", () => {
  let issuer;
  let worker;
  let resource;
  before(async () => {
    issuer = await Issuer.start();
    worker = await Worker.start({ settings: { OAUTH_ISSUER: issuer.url, API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme" }) } });
    resource = `${worker.url}/mcp`;
  });
  after(async () => {
    await worker?.stop();
    await issuer?.stop();
  });

  test("fetches the keys once for requests that come together", async () => {
    const token = await issuer.token("acme", resource);
    const before = issuer.count("/jwks");
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await list(worker, token)).status));
    assert.deepEqual(new Set(statuses), new Set([200]));
    assert.equal(issuer.count("/jwks") - before, 1);
  });

  test("serves the tenant that the token names, and keeps tenants apart", async () => {
    const [acme, zeta] = await Promise.all(["acme", "zeta"].map((client) => issuer.token(client, resource)));
    const of = (token) => worker.session("shared", { authorization: `Bearer ${token}` });
    await of(acme).exec("CREATE TABLE secrets (text TEXT)");
    assert.deepEqual((await of(acme).ok("getTables")).tables, ["secrets"]);
    assert.deepEqual((await of(zeta).ok("getTables")).tables, []);
    // The tenant of our own token and that of the access token are the same.
    assert.deepEqual((await worker.session("shared", { "x-codemode-token": TOKENS.acme }).ok("getTables")).tables, ["secrets"]);
  });

  test("accepts tokens for the endpoint and for the origin, not for others", async () => {
    for (const audience of [resource, worker.url, `${worker.url}/`]) {
      assert.equal((await list(worker, await issuer.token("acme", audience))).status, 200, audience);
    }
    assert.equal((await list(worker, await issuer.sign({ aud: ["https://other.example", resource] }))).status, 200);
    for (const audience of ["https://other.example/mcp", `${worker.url}/mcp/reader`, `${worker.url}/mcp/`, worker.url.replace("127.0.0.1", "127.0.0.1.evil.example")]) {
      await isRefused(worker, await issuer.token("acme", audience), "the access token is for another audience");
    }
    await isRefused(worker, await issuer.sign({}), "the access token is for another audience");
  });

  test("refuses tokens that the issuer did not sign like this", async () => {
    const aud = resource;
    const now = Math.floor(Date.now() / 1000);
    const stranger = await keyPair(issuer.key.kid);
    const valid = await issuer.token("acme", resource);
    const [header, payload, signature] = valid.split(".");
    const changed = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(payload, "base64url")), sub: "zeta" })).toString("base64url");
    const hs256 = async (secret) =>
      new SignJWT({ aud }).setProtectedHeader({ alg: "HS256", kid: issuer.key.kid }).setIssuer(issuer.url).setSubject("acme").setExpirationTime("5m").sign(secret);
    const none = new UnsecuredJWT({ aud }).setIssuer(issuer.url).setSubject("acme").setExpirationTime("5m").encode();
    for (const [token, message] of [
      [await issuer.sign({ aud, exp: now - 60 }), "the access token has expired"],
      [await issuer.sign({ aud, exp: undefined }), "the access token does not say when it expires"],
      [await issuer.sign({ aud, exp: "tomorrow" }), "the access token does not say when it expires"],
      [await issuer.sign({ aud, nbf: now + 600 }), "the access token is not valid yet"],
      [await issuer.sign({ aud, iss: "https://other.example" }), "the access token is from another issuer"],
      [await issuer.sign({ aud, iss: `${issuer.url}/` }), "the access token is from another issuer"],
      [await issuer.sign({ aud, iss: undefined }), "the access token is from another issuer"],
      [await issuer.sign({ aud }, { key: stranger }), "the signature of the access token is not valid"],
      [`${header}.${changed}.${signature}`, "the signature of the access token is not valid"],
      [none, "the access token is signed with an algorithm that is not accepted"],
      [await hs256(Buffer.from(await exportSPKI(issuer.key.publicKey))), "the access token is signed with an algorithm that is not accepted"],
      [await hs256(Buffer.from(JSON.stringify(issuer.key.jwk.n))), "the access token is signed with an algorithm that is not accepted"],
      [await issuer.sign({ aud }, { header: { typ: "logout+jwt" } }), "the token is a JWT, but not an access token"],
      [await issuer.sign({ aud, cnf: { jkt: "key" } }), "the access token is bound to a key, so it is not valid as a bearer token"],
      [`${header}.${payload}.`, "the signature of the access token is not valid"],
      ["eyJhbGciOiJSUzI1NiJ9.bm90IGpzb24.c2ln", "the access token is not a valid JWT"],
      ["eyJh.eyJh.eyJh", "the access token is not a valid JWT"],
      [`eyJh.${"a".repeat(17_000)}.c2ln`, "the access token is too long"],
      ["no-token-of-ours", "the token is not in API_TOKENS, and is not an access token in JWT format"],
    ]) {
      await isRefused(worker, token, message);
    }
    // Clocks differ a little.
    assert.equal((await list(worker, await issuer.sign({ aud, exp: now - 5, nbf: now + 5 }))).status, 200);
  });

  test("takes access tokens in the header of OAuth only", async () => {
    const token = await issuer.token("acme", resource);
    const { status, code } = await list(worker, undefined, { "x-codemode-token": token });
    assert.deepEqual([status, code], [401, "INVALID_TOKEN"]);
    assert.equal((await list(worker, token, { "x-codemode-token": "nonsense" })).status, 200);
    assert.equal((await worker.fetch(`${SESSIONS}?access_token=${token}`)).status, 401);
  });

  test("forbids a token whose claim names no tenant", async () => {
    for (const [sub, message] of [
      ["auth0|123", "the claim sub of the access token is not a usable tenant name"],
      ["a/b", "the claim sub of the access token is not a usable tenant name"],
      ["..", "the claim sub of the access token is not a usable tenant name"],
      ["", "the claim sub of the access token is not a usable tenant name"],
      [undefined, "the claim sub of the access token is missing"],
    ]) {
      const { status, code, challenge, ...rest } = await list(worker, await issuer.sign({ aud: resource, sub }));
      assert.deepEqual([status, code, rest.message, challenge], [403, "TENANT_CLAIM_UNUSABLE", message, null]);
    }
  });

  test("tells a client without a token whom to ask", async () => {
    const { status, code, challenge } = await list(worker);
    assert.deepEqual([status, code], [401, "UNAUTHORIZED"]);
    assert.equal(challenge, `Bearer resource_metadata="${worker.url}${METADATA}"`);
    for (const path of ["", "/mcp", "/mcp/reader"]) {
      const response = await worker.fetch(METADATA + path);
      assert.equal(response.status, 200);
      assert.match(response.headers.get("content-type"), /^application\/json/);
      assert.deepEqual(await response.json(), {
        resource: worker.url + path,
        authorization_servers: [issuer.url],
        bearer_methods_supported: ["header"],
        resource_name: "Code Mode Database",
      });
    }
    assert.equal((await worker.fetch(`${METADATA}/mcp`, { method: "HEAD" })).status, 200);
    assert.equal((await worker.fetch(`${METADATA}/other`)).status, 404);
  });

  test("lets any page read the metadata, and an allowed one the challenge", async () => {
    const origin = "https://host.example";
    const metadata = await worker.fetch(`${METADATA}/mcp`, { headers: { origin } });
    assert.deepEqual([metadata.status, metadata.headers.get("access-control-allow-origin")], [200, origin]);
    const preflight = await worker.fetch(`${METADATA}/mcp`, { method: "OPTIONS", headers: { origin, "access-control-request-method": "GET" } });
    assert.deepEqual([preflight.status, preflight.headers.get("access-control-allow-methods")], [204, "GET"]);
    assert.equal((await worker.fetch(SESSIONS, { headers: { origin } })).status, 403);
    const page = await worker.fetch(SESSIONS, { headers: { origin: "http://localhost:5173" } });
    assert.equal(page.status, 401);
    assert.match(page.headers.get("access-control-expose-headers"), /\bwww-authenticate\b/);
  });

  test("leads a client of the official SDK from the 401 to the issuer and back", async () => {
    const refused = await worker.fetch(SESSIONS);
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(refused);
    assert.equal(String(resourceMetadataUrl), worker.url + METADATA);
    const metadata = await discoverOAuthProtectedResourceMetadata(`${worker.url}/mcp`);
    assert.equal(metadata.resource, resource);
    for (const options of [{ resourceMetadataUrl }, {}]) {
      const provider = new ClientCredentialsProvider({ clientId: "acme", clientSecret: issuer.secret(), expectedIssuer: issuer.url });
      assert.equal(await auth(provider, { serverUrl: resource, scope, ...options }), "AUTHORIZED");
      const token = provider.tokens().access_token;
      assert.equal((await list(worker, token)).status, 200);
    }
  });

  test("serves MCP clients that log in by themselves, each tenant its own", async () => {
    const refused = await worker.fetch("/mcp", { method: "POST", headers: MCP_HEADERS, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
    assert.deepEqual([refused.status, (await refused.json()).error.data.code], [401, "UNAUTHORIZED"]);
    assert.equal(refused.headers.get("www-authenticate"), `Bearer resource_metadata="${worker.url}${METADATA}/mcp"`);
    const tables = [];
    for (const tenant of ["acme", "zeta"]) {
      const authProvider = new ClientCredentialsProvider({ clientId: tenant, clientSecret: issuer.secret(), expectedIssuer: issuer.url });
      const client = new Client({ name: "test", version: "1" });
      await client.connect(new StreamableHTTPClientTransport(new URL(resource), { authProvider }));
      await client.callTool({ name: "db_create_table", arguments: { session: "logged-in", name: `of_${tenant}`, schema: "a" } });
      const listed = await client.callTool({ name: "db_get_tables", arguments: { session: "logged-in" } });
      tables.push(listed.structuredContent.tables);
      await client.close();
    }
    assert.deepEqual(tables, [["of_acme"], ["of_zeta"]]);
    const foreign = await issuer.token("acme", "https://other.example/mcp");
    const response = await worker.fetch("/mcp", { method: "POST", headers: { ...MCP_HEADERS, authorization: `Bearer ${foreign}` }, body: "{}" });
    assert.equal(response.status, 401);
    assert.match(response.headers.get("www-authenticate"), /error="invalid_token"/);
  });

  test("says nothing of a token to the log, to programs or to other servers", async () => {
    const heard = [];
    const upstream = await brokenIssuer((request, response) => {
      heard.push(`${request.url} ${JSON.stringify(request.headers)}`);
      request.on("data", (piece) => heard.push(String(piece))).on("end", () => response.writeHead(404).end());
    });
    const MCP_SERVERS = JSON.stringify([{ name: "pubs", url: `${upstream.url}/mcp` }]);
    const own = await Worker.start({ settings: { OAUTH_ISSUER: issuer.url, MCP_SERVERS } });
    try {
      const token = await issuer.token("acme", `${own.url}/mcp`);
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const session = own.session(undefined, headers);
      await session.query("SELECT 1");
      await session.error("query", { sql: "SELECT nothing FROM nowhere" });
      const post = async (path, body) => (await own.fetch(path, { method: "POST", headers, body: JSON.stringify(body) })).text();
      heard.push(await post("/api/codemode/proxy", { server: "pubs", tool: "search", args: {}, session: session.name }));
      heard.push(await post("/api/codemode/execute", { session: session.name, code: "return Object.getOwnPropertyNames(globalThis)" }));
      assert.ok(heard.some((text) => text.startsWith("/mcp")), "the server was asked");
      heard.push(...issuer.requests);
      await own.operationsOf(session, 4);
      const [, payload, signature] = token.split(".");
      for (const text of [...own.logs, ...heard]) assert.ok(!text.includes(payload) && !text.includes(signature), text);
      assert.ok(own.operations().every((line) => line.tenant === "acme"));
    } finally {
      await own.stop();
      await upstream.stop();
    }
  });
});

describe("keys of the issuer", () => {
  let issuer;
  let worker;
  let resource;
  before(async () => {
    issuer = await Issuer.start();
    worker = await Worker.start({ settings: { OAUTH_ISSUER: issuer.url } });
    resource = `${worker.url}/mcp`;
  });
  after(async () => {
    await worker?.stop();
    await issuer?.stop();
  });

  test("without API_TOKENS a loopback host needs a token too", async () => {
    assert.deepEqual([(await list(worker)).status, (await list(worker)).code], [401, "UNAUTHORIZED"]);
    assert.equal((await list(worker, await issuer.token("acme", resource))).status, 200);
  });

  test("new keys are found at once, and made-up ones cannot make us ask", async () => {
    const old = await issuer.token("acme", resource);
    assert.equal((await list(worker, old)).status, 200);
    const [before, beganMs] = [issuer.count("/jwks"), Date.now()];
    await issuer.useKey(await keyPair("second"));
    const fresh = await issuer.token("acme", resource);
    assert.equal((await list(worker, fresh)).status, 200);
    assert.equal(issuer.count("/jwks") - before, 1);
    await isRefused(worker, old, "the access token is signed with a key that the issuer does not publish");
    await Promise.all(
      Array.from({ length: 20 }, async (_, number) => {
        const token = await issuer.sign({ aud: resource }, { key: issuer.key, header: { kid: `made-up-${number}` } });
        await isRefused(worker, token, "the access token is signed with a key that the issuer does not publish");
      }),
    );
    // One more in 30 s, in case the machine is that slow.
    assert.ok(issuer.count("/jwks") - before <= 1 + Math.floor((Date.now() - beganMs) / 30_000));
    assert.equal((await list(worker, fresh)).status, 200);
  });

  test("a token that names no key is tried with those of its kind", async () => {
    assert.equal((await list(worker, await issuer.sign({ aud: resource }, { header: { kid: undefined } }))).status, 200);
    const stranger = await keyPair("stranger");
    const token = await issuer.sign({ aud: resource }, { key: stranger, header: { kid: undefined } });
    await isRefused(worker, token, "the signature of the access token is not valid");
  });

  test("an issuer that goes away is no trouble while its keys are known", async () => {
    const token = await issuer.token("acme", resource);
    issuer.handle = (_request, response) => response.writeHead(500).end();
    assert.equal((await list(worker, token)).status, 200);
  });
});

describe("claims and scopes", () => {
  let issuer;
  let worker;
  before(async () => {
    const tenants = { acme: "team-a", zeta: 5 };
    issuer = await Issuer.start({
      clients: ["acme", "zeta", "nobody"],
      claims: ({ clientId }) => (clientId === "nobody" ? {} : { "https://example.com/tenant": tenants[clientId] }),
    });
    worker = await Worker.start({
      settings: {
        OAUTH_ISSUER: issuer.url, OAUTH_AUDIENCE: "https://db.example.com/mcp, api://db", OAUTH_TENANT_CLAIM: "https://example.com/tenant",
        OAUTH_SCOPES: "db:read db:write", OAUTH_JWKS_URL: `${issuer.url}/jwks`, ALLOWED_ORIGINS: "*",
      },
    });
  });
  after(async () => {
    await worker?.stop();
    await issuer?.stop();
  });

  test("a namespaced claim names the tenant, and the metadata of the issuer is not needed", async () => {
    const token = await issuer.token("acme", "https://db.example.com/mcp", "db:read db:write");
    const session = worker.session(undefined, { authorization: `Bearer ${token}` });
    await session.query("SELECT 1");
    const [line] = await worker.operationsOf(session, 1);
    assert.equal(line.tenant, "team-a");
    assert.equal(issuer.count("/.well-known"), 0);
    for (const client of ["zeta", "nobody"]) {
      const { status, code, body } = await list(worker, await issuer.token(client, "https://db.example.com/mcp", "db:read db:write"));
      assert.deepEqual([status, code, body.error.claim], [403, "TENANT_CLAIM_UNUSABLE", "https://example.com/tenant"]);
    }
  });

  test("OAUTH_AUDIENCE replaces the address of the resource", async () => {
    await isRefused(worker, await issuer.token("acme", `${worker.url}/mcp`, "db:read db:write"), "the access token is for another audience");
    assert.equal((await list(worker, await issuer.token("acme", "api://db", "db:read db:write"))).status, 200);
  });

  test("a token without the scopes is forbidden, and is told which it needs", async () => {
    const { status, code, challenge, body } = await list(worker, await issuer.token("acme", "api://db", "db:read"));
    assert.deepEqual([status, code, body.error.missing, body.error.required], [403, "INSUFFICIENT_SCOPE", ["db:write"], ["db:read", "db:write"]]);
    const metadata = `resource_metadata="${worker.url}${METADATA}", scope="db:read db:write"`;
    assert.equal(challenge, `Bearer ${metadata}, error="insufficient_scope", error_description="the access token lacks the scope db:write"`);
    assert.equal((await list(worker)).challenge, `Bearer ${metadata}`);
    const published = await (await worker.fetch(METADATA)).json();
    assert.deepEqual(published.scopes_supported, ["db:read", "db:write"]);
  });

  test("keys of other kinds verify, and one that is too short does not", async () => {
    const pairs = await Promise.all(
      ["ES256", "ES384", "EdDSA", "PS256", "RS512"].map(async (alg) => ({ alg, ...(await generateKeyPair(alg, { extractable: true })) })),
    );
    const short = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const keys = await Promise.all(pairs.map(async ({ alg, publicKey }) => ({ ...(await exportJWK(publicKey)), kid: alg })));
    keys.push({ ...short.publicKey.export({ format: "jwk" }), kid: "short" });
    const own = await brokenIssuer((_request, response) => response.end(JSON.stringify({ keys })));
    const other = await Worker.start({ settings: { OAUTH_ISSUER: issuer.url, OAUTH_AUDIENCE: "api://db", OAUTH_JWKS_URL: own.url } });
    try {
      for (const { alg, privateKey } of pairs) {
        for (const kid of [alg, undefined]) {
          const token = await issuer.sign({ aud: "api://db" }, { key: { privateKey }, header: { alg, kid } });
          const { status, message } = await list(other, token);
          assert.equal(status, 200, `${alg} ${kid}: ${message}`);
        }
      }
      const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
      const text = `${part({ alg: "RS256", kid: "short" })}.${part({ iss: issuer.url, sub: "acme", aud: "api://db", exp: 9_999_999_999 })}`;
      const signature = sign("RSA-SHA256", Buffer.from(text), short.privateKey).toString("base64url");
      await isRefused(other, `${text}.${signature}`, "the key that the access token is signed with cannot be used");
    } finally {
      await other.stop();
      await own.stop();
    }
  });
});

describe("an issuer that fails", () => {
  /** Returns the response of a Worker to a token of an issuer that behaves like this. */
  async function outcome(settings, url) {
    const worker = await Worker.start({ settings });
    const { privateKey } = await generateKeyPair("ES256");
    const claims = new SignJWT({ aud: `${worker.url}/mcp` }).setIssuer(url).setSubject("acme").setExpirationTime("5m");
    const token = await claims.setProtectedHeader({ alg: "ES256", kid: "a" }).sign(privateKey);
    try {
      const first = await list(worker, token);
      const second = await list(worker, token);
      assert.deepEqual([second.status, second.message], [first.status, first.message], "it is remembered for a moment");
      // A caller without a token still gets 401.
      assert.equal((await list(worker)).status, 401);
      return first;
    } finally {
      await worker.stop();
    }
  }

  /** Does the same for a server that responds with `handle`. */
  async function failing(handle) {
    const issuer = await brokenIssuer((request, response) => handle(request, response, issuer.url));
    try {
      return await outcome({ OAUTH_ISSUER: issuer.url }, issuer.url);
    } finally {
      await issuer.stop();
    }
  }

  const json = (response, value) => response.setHeader("content-type", "application/json").end(JSON.stringify(value));

  test("is told apart from a token that is invalid", async () => {
    const unused = createServer();
    await new Promise((resolve) => unused.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${unused.address().port}`;
    await new Promise((resolve) => unused.close(resolve));
    const { status, code, challenge } = await outcome({ OAUTH_ISSUER: url }, url);
    assert.deepEqual([status, code, challenge], [503, "ISSUER_UNAVAILABLE", null]);
  });

  test("by its status", async () => {
    const { status, code, message } = await failing((_request, response) => response.writeHead(500).end());
    assert.deepEqual([status, code], [503, "ISSUER_UNAVAILABLE"]);
    assert.match(message, /returned status 500/);
  });

  test("by silence", async () => {
    for (const silent of [() => {}, (_request, response) => response.writeHead(200).write("{")]) {
      const { status, code, message } = await failing(silent);
      assert.deepEqual([status, code, message], [503, "ISSUER_UNAVAILABLE", "the OAuth issuer did not respond within 5000 ms"]);
    }
  });

  test("by what it returns", async () => {
    const metadata = (fields) => (request, response, url) => json(response, { issuer: url, jwks_uri: `${url}/jwks`, ...fields });
    const keys = (value) => (request, response, url) => (request.url === "/jwks" ? value(response) : metadata({})(request, response, url));
    for (const [handle, message] of [
      [(_request, response) => response.writeHead(404).end(), /no usable metadata: .*oauth-authorization-server returned status 404; .*openid-configuration returned status 404$/],
      [(_request, response) => response.writeHead(302, { location: "https://other.example" }).end(), /returned status 302/],
      [(_request, response) => response.end("<html>"), /is not a JSON object/],
      [(_request, response) => response.end("[".repeat(100_000)), /is not a JSON object/],
      [(_request, response) => response.end("x".repeat(300_000)), /has more than 262144 bytes/],
      [metadata({ issuer: "https://other.example" }), /names the issuer "https:\/\/other.example"/],
      [metadata({ jwks_uri: undefined }), /has no jwks_uri/],
      [metadata({ jwks_uri: "ftp://a/keys" }), /a jwks_uri that is not a usable https address/],
      [keys((response) => json(response, { keys: {} })), /is not a key set/],
      [keys((response) => json(response, { keys: Array.from({ length: 101 }, () => ({})) })), /is not a key set/],
      [keys((response) => response.writeHead(404).end()), /returned status 404 and no keys/],
    ]) {
      const found = await failing(handle);
      assert.deepEqual([found.status, found.code], [502, "ISSUER_RESPONSE_INVALID"], String(message));
      assert.match(found.message, message);
    }
  });

  test("by keys that nobody can use, which is a key that is missing", async () => {
    for (const set of [{ keys: [] }, { keys: [{ kid: "a", kty: "oct", k: "c2VjcmV0" }] }, { keys: [{ kid: "a" }, { kid: 5, kty: [] }] }]) {
      const found = await failing((request, response, url) => json(response, request.url === "/jwks" ? set : { issuer: url, jwks_uri: `${url}/jwks` }));
      assert.deepEqual([found.status, found.code], [401, "INVALID_TOKEN"]);
    }
  });
});

describe("a Worker without an OAuth issuer", () => {
  test("has no metadata of one, and says Bearer only", async () => {
    const worker = await Worker.start({ settings: { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme" }) } });
    try {
      for (const path of ["", "/mcp", "/mcp/reader"]) {
        const response = await worker.fetch(METADATA + path);
        const { error } = await response.json();
        assert.deepEqual([response.status, error.code], [404, "NOT_FOUND"]);
        assert.match(error.hint, /OAUTH_ISSUER/);
      }
      const issuer = await keyPair("a");
      const jwt = await new SignJWT({}).setProtectedHeader({ alg: "RS256" }).sign(issuer.privateKey);
      for (const token of [undefined, "wrong", jwt]) {
        const { status, code, challenge } = await list(worker, token);
        assert.deepEqual([status, code, challenge], [401, "UNAUTHORIZED", "Bearer"]);
      }
    } finally {
      await worker.stop();
    }
  });

  test("is misconfigured where a variable of OAuth is not usable", async () => {
    for (const [settings, message] of [
      [{ OAUTH_ISSUER: "http://id.example.com" }, /OAUTH_ISSUER is not encrypted/],
      [{ OAUTH_SCOPES: "a" }, /OAUTH_SCOPES has no effect without OAUTH_ISSUER/],
    ]) {
      const worker = await Worker.start({ settings });
      try {
        const { status, code, ...rest } = await list(worker);
        assert.deepEqual([status, code], [500, "MISCONFIGURED"]);
        assert.match(rest.message, message);
      } finally {
        await worker.stop();
      }
    }
  });
});
