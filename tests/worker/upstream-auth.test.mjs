// Tests of access tokens for servers that require them, and of headers that callers pass through,
// against servers that check both.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startAuthorization, startPersonal, startProtected } from "../peers/authorization.mjs";
import { until } from "../until.mjs";
import { TOKENS } from "./harness.mjs";
import { EXECUTE, events, execute, executions, post, result } from "./program-client.mjs";
import { PROXY, answer, call, get, getText, refusal, send, startWorker } from "./tools-client.mjs";

const SECRET = "s3cr3t-of-the-client-of-trials";
const ALICE = "alice-0123456789-abcdef";
const BOB = "bob-0123456789-abcdef";
const as = (value, server = "mine") => ({ [`x-codemode-auth-${server}`]: `Bearer ${value}` });
const ERAS = ["legacy", "modern"];

/** Returns all files that a Worker has stored, as one text of bytes. */
async function stored(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name), "latin1"));
  return (await Promise.all(files)).join("\n");
}

/**
 * Checks that the Worker's storage, its log and the data of a session contain none of the texts.
 */
async function holdsNone(worker, session, secrets, headers = {}) {
  await executions(worker, session, headers);
  const dump = await (await worker.fetch(`/api/codemode/sessions/${session}/dump`, { headers })).text();
  const metrics = await (await worker.fetch(`/api/codemode/sessions/${session}`, { headers })).text();
  const texts = { dump, metrics, logs: worker.logs.join("\n"), files: await stored(worker.folder) };
  for (const [name, text] of Object.entries(texts)) {
    assert.ok(text.length > 0, `${name} are not empty`);
    for (const secret of secrets) assert.ok(!text.includes(secret), `${name} have a secret`);
  }
}

describe("client credentials", () => {
  for (const era of ERAS) {
    describe(`for a server that is ${era}`, () => {
      let authorization, peer, worker;
      before(async () => {
        authorization = await startAuthorization({ secret: SECRET });
        peer = await startProtected(authorization, { era });
        const auth = { type: "client_credentials", clientId: "us", clientSecret: "$TRIALS_SECRET", tokenUrl: authorization.tokenUrl, scope: "read" };
        worker = await startWorker({ trials: { url: peer.url, auth } }, { settings: { TRIALS_SECRET: SECRET } });
      });
      after(() => Promise.all([worker?.stop(), peer?.close(), authorization?.close()]));
      const issued = () => authorization.issued.length;

      test("a token is fetched once for 20 calls that come together", async () => {
        const calls = Array.from({ length: 20 }, (_, number) => call(worker, "trials", "write", { value: `w${number}` }, number % 2 ? { session: `s${number}` } : {}));
        await Promise.all(calls);
        assert.equal(peer.runs.length, 20);
        assert.deepEqual(authorization.issued.map(({ resource, scope, method }) => [resource, scope, method]), [[peer.url, "read", "basic"]]);
        assert.equal(await result(worker, randomUUID(), 'return (await helpers.trials.write({ value: "program" })).wrote'), "program");
        assert.equal(issued(), 1);
      });

      test("a token that the server says back is redacted", async () => {
        assert.deepEqual(await call(worker, "trials", "said"), { authorization: "Bearer [secret]" });
      });

      test("a token that was revoked is replaced, and nothing is done twice", async () => {
        const before = issued();
        const runs = peer.runs.length;
        authorization.revoke();
        await Promise.all(["a", "b", "c"].map((value) => call(worker, "trials", "write", { value })));
        assert.equal(issued(), before + 1);
        assert.equal(peer.runs.length, runs + 3);
      });

      test("a token that expires is replaced", async () => {
        authorization.revoke();
        // Long enough on a busy machine between the last use of a token and its end.
        authorization.state.expiresIn = 5;
        await call(worker, "trials", "said");
        const before = issued();
        authorization.state.expiresIn = 3_600;
        const refused = () => peer.calls.filter(({ status }) => status === 401).length;
        const refusedBefore = refused();
        await until(async () => {
          await call(worker, "trials", "said");
          return issued() > before;
        });
        assert.equal(issued(), before + 1);
        assert.equal(refused(), refusedBefore, "it was replaced before the server refused it");
      });

      test("a server that refuses every token is asked twice, and no more tokens are fetched", async () => {
        peer.state.refusesAll = true;
        const before = issued();
        const [first] = await Promise.all(Array.from({ length: 3 }, () => refusal(worker, "trials", "write", { value: "never" })));
        assert.deepEqual([first.status, first.code, first.reason, first.upstreamStatus], [502, "UPSTREAM_FAILED", "unauthorized", 401]);
        assert.ok(!first.text.includes("issued-"), first.text);
        await refusal(worker, "trials", "write", { value: "never" });
        assert.ok(issued() <= before + 2, `${issued() - before} tokens`);
        assert.ok(!peer.runs.includes("never"));
        peer.state.refusesAll = false;
      });

      test("nothing stored, logged or told has the secret or a token", async () => {
        const session = randomUUID();
        await answer(worker, "trials", "said", {}, { session, stage: true });
        await execute(worker, session, "console.log(await helpers.trials.said({})); return await helpers.trials.said({}, { returnFormat: 'raw' })");
        await holdsNone(worker, session, [SECRET, "issued-", Buffer.from(`us:${SECRET}`).toString("base64")]);
      });
    });
  }

  test("a wrong secret is a clear failure, which everybody shares", async () => {
    const authorization = await startAuthorization({ secret: SECRET });
    const peer = await startProtected(authorization);
    const auth = { type: "client_credentials", clientId: "us", clientSecret: "$WRONG", tokenUrl: authorization.tokenUrl, authMethod: "post" };
    const worker = await startWorker({ trials: { url: peer.url, auth } }, { settings: { WRONG: "wrong-secret-0123" } });
    try {
      const errors = await Promise.all(Array.from({ length: 5 }, () => refusal(worker, "trials", "write", { value: "x" })));
      for (const error of errors) {
        assert.deepEqual([error.status, error.code, error.server, error.step, error.upstreamStatus], [502, "UPSTREAM_AUTH_FAILED", "trials", "token", 401]);
        assert.equal(error.message, "trials: the request for the access token was rejected with status 401, invalid_client");
        assert.match(error.hint, /clientSecret/);
        assert.ok(!error.text.includes("wrong-secret"), error.text);
      }
      assert.equal(authorization.asked.length, 1);
      assert.equal(peer.calls.length, 0);
      const run = await execute(worker, randomUUID(), 'const got = await helpers.trials.write({ value: "x" });\nreturn [got.ok, got.error.code, got.error.server]');
      assert.deepEqual(run.result, [false, "UPSTREAM_AUTH_FAILED", "trials"]);
      const { unavailable } = await get(worker, "/api/codemode/tools");
      assert.equal(unavailable[0].error.code, "UPSTREAM_AUTH_FAILED");
      assert.ok(!worker.logs.join("\n").includes("wrong-secret"));
    } finally {
      await Promise.all([worker.stop(), peer.close(), authorization.close()]);
    }
  });

  for (const era of ERAS) {
    test(`the token endpoint of a server that is ${era} is discovered from its 401`, async () => {
      const authorization = await startAuthorization({ secret: SECRET });
      const peer = await startProtected(authorization, { era });
      const auth = { type: "client_credentials", clientId: "us", clientSecret: "$TRIALS_SECRET", issuer: authorization.url };
      const other = { ...auth, issuer: "https://other.example" };
      const worker = await startWorker({ trials: { url: peer.url, auth }, misled: { url: peer.url, auth: other } }, { settings: { TRIALS_SECRET: SECRET } });
      try {
        assert.deepEqual(await call(worker, "trials", "write", { value: "found" }), { wrote: "found" });
        assert.deepEqual(authorization.asked, ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration", "/token"]);
        assert.deepEqual(authorization.issued.map(({ resource, scope, method }) => [resource, scope, method]), [[peer.url, "read write", "post"]]);
        await call(worker, "trials", "write", { value: "again" });
        assert.equal(authorization.asked.length, 3);
        const error = await refusal(worker, "misled", "write", { value: "x" });
        assert.deepEqual([error.code, error.step], ["UPSTREAM_AUTH_FAILED", "resource_metadata"]);
        assert.equal(authorization.asked.length, 3, "the secret went nowhere");
      } finally {
        await Promise.all([worker.stop(), peer.close(), authorization.close()]);
      }
    });
  }
});

describe("headers that a caller passes through", () => {
  for (const era of ERAS) {
    describe(`to a server that is ${era}`, () => {
      let mine, other, worker;
      before(async () => {
        mine = await startPersonal({ era });
        other = await startPersonal({ era });
        worker = await startWorker({ mine: { url: mine.url, passThrough: "authorization" }, other: { url: other.url } });
      });
      after(() => Promise.all([worker?.stop(), mine?.close(), other?.close()]));

      test("they go to that server alone, from the proxy and from a program", async () => {
        const session = randomUUID();
        for (const more of [{}, { session }]) {
          assert.deepEqual(await call(worker, "mine", "whoami", {}, more, as(ALICE)), { caller: "alice", value: "Bearer [secret]" });
          assert.deepEqual(await call(worker, "other", "whoami", {}, more, as(ALICE)), { caller: "nobody", value: null });
          assert.deepEqual(await call(worker, "mine", "whoami", {}, more), { caller: "nobody", value: null });
        }
        const code = `const [mine, other] = await Promise.all([helpers.mine.whoami({}), helpers.other.whoami({})]);
          return [mine.caller, mine.value, other.caller, (await helpers.mine.listTools()).length, Object.keys(globalThis).join()]`;
        const [caller, value, others, tools] = await result(worker, session, code, {}, as(ALICE));
        assert.deepEqual([caller, value, others, tools], ["alice", "Bearer [secret]", "nobody", 2]);
        assert.equal((await result(worker, session, "return await helpers.mine.whoami({})")).caller, "nobody", "the next run has nothing of it");
      });

      test("a live run has it until its end", async () => {
        const code = "const first = await helpers.mine.whoami({}); progress('one'); const second = await helpers.mine.whoami({}); return [first.caller, second.caller]";
        const all = [];
        for await (const one of events(await post(worker, { session: randomUUID(), code }, { accept: "text/event-stream", ...as(BOB) }))) if (one.event) all.push(one);
        assert.deepEqual(all.find(({ event }) => event === "result").data.result, ["bob", "bob"]);
        assert.ok(!JSON.stringify(all).includes(BOB));
      });

      test("lists, searches and guidance are those of the caller", async () => {
        for (const [headers, caller] of [[as(ALICE), "alice"], [as(BOB), "bob"], [{}, "nobody"], [as(ALICE), "alice"]]) {
          const names = (tools) => tools.filter(({ server }) => (server ?? "mine") === "mine").map(({ name }) => name);
          assert.deepEqual(names((await get(worker, `${PROXY}?server=mine`, headers)).tools), ["whoami", `only_${caller}`]);
          assert.deepEqual(names((await get(worker, "/api/codemode/tools?limit=200&server=mine", headers)).tools).sort(), [`only_${caller}`, "whoami"]);
          for (const path of ["/api/codemode/prompt", `/api/codemode/prompt?session=${randomUUID()}`]) {
            const text = await getText(worker, path, headers);
            for (const name of ["alice", "bob"]) assert.equal(text.includes(`only_${name}`), name === caller, `${path} for ${caller}`);
          }
        }
      });

      test("two callers of one session at the same time never share a session or a list", async () => {
        const session = randomUUID();
        const code = `const got = await Promise.all([1, 2, 3, 4].map(() => helpers.mine.whoami({})));
          const own = (await helpers.mine.listTools()).map(({ name }) => name).find((name) => name.startsWith("only_"));
          return [...got.map(({ caller }) => caller), own, (await helpers.mine.invoke(own, {})).caller]`;
        const run = async (headers, caller) => {
          const [a, b, c, d, own, last] = await result(worker, session, code, {}, headers);
          assert.deepEqual([a, b, c, d, own, last], [caller, caller, caller, caller, `only_${caller}`, caller]);
        };
        const proxied = async (headers, caller) => assert.equal((await call(worker, "mine", "whoami", {}, { session }, headers)).caller, caller);
        const rounds = [0, 1, 2].flatMap(() => [run(as(ALICE), "alice"), run(as(BOB), "bob"), run({}, "nobody"), proxied(as(ALICE), "alice"), proxied(as(BOB), "bob")]);
        await Promise.all(rounds);
        assert.equal((await refusal(worker, "mine", "only_alice", {}, { session }, as(BOB))).code, "TOOL_NOT_FOUND");
        assert.deepEqual(mine.breaches, []);
      });

      test("sessions that were opened with it end with the request", async () => {
        await call(worker, "mine", "whoami", {}, {}, as(ALICE));
        await until(() => [...mine.open.values()].every((owner) => owner === "nobody"));
        assert.ok(era === "modern" || mine.seen.some(({ caller, method }) => caller === "alice" && method === "DELETE"));
      });

      test("nothing stored, logged or told has it", async () => {
        const session = randomUUID();
        await answer(worker, "mine", "whoami", {}, { session, stage: true }, as(ALICE));
        await execute(worker, session, "console.log(await helpers.mine.whoami({})); return await helpers.mine.whoami({}, { returnFormat: 'raw' })", {}, as(ALICE));
        await refusal(worker, "mine", "nothing", {}, { session }, as(ALICE));
        await holdsNone(worker, session, [ALICE, BOB]);
      });
    });
  }

  describe("that cannot be passed", () => {
    let peer, worker;
    const tokens = Object.fromEntries(Object.entries(TOKENS).map(([tenant, token]) => [token, tenant]));
    const acme = { authorization: `Bearer ${TOKENS.acme}` };
    before(async () => {
      peer = await startPersonal({ era: "modern", header: "x-user" });
      worker = await startWorker(
        { Mine: { url: peer.url, passThrough: "X-User" }, plain: { url: peer.url }, of_zeta: { url: peer.url, passThrough: "x-user", tenants: ["zeta"] } },
        { settings: { API_TOKENS: JSON.stringify(tokens), ALLOWED_ORIGINS: "https://app.example.com" } },
      );
    });
    after(() => Promise.all([worker?.stop(), peer?.close()]));

    test("a name in any case is that of the server, and the token of the Worker stays here", async () => {
      assert.deepEqual(await call(worker, "Mine", "whoami", {}, {}, { ...acme, "X-Codemode-Auth-MINE": "alice-0123456789" }), { caller: "alice", value: "[secret]" });
      assert.ok(!JSON.stringify(peer.seen).includes(TOKENS.acme));
    });

    for (const [name, hint] of [
      ["x-codemode-auth-mien", "did you mean `x-codemode-auth-mine`?"],
      ["x-codemode-auth-plain", "leave the header out, or ask the operator to set passThrough for the server in MCP_SERVERS"],
      ["x-codemode-auth-of_zeta", "the headers are x-codemode-auth-mine"],
    ]) {
      test(`${name} is refused on every route that may call servers`, async () => {
        const headers = { ...acme, [name]: ALICE };
        const body = JSON.stringify({ server: "Mine", tool: "whoami", args: {}, session: "s", code: "return 1" });
        const before = peer.seen.length;
        for (const [path, init] of [
          [PROXY, { method: "POST", body }],
          [EXECUTE, { method: "POST", body }],
          [`${PROXY}?server=Mine`, {}],
          ["/api/codemode/tools", {}],
          ["/api/codemode/prompt", {}],
        ]) {
          const response = await worker.fetch(path, { ...init, headers });
          const { error } = await response.json();
          assert.deepEqual([response.status, error.code, error.hint], [400, "INVALID_ARGUMENT", hint], path);
          assert.ok(!JSON.stringify(error).includes(ALICE));
        }
        assert.equal(peer.seen.length, before);
      });
    }

    test("a page may send it", async () => {
      const headers = { origin: "https://app.example.com", "access-control-request-method": "POST", "access-control-request-headers": "content-type,x-codemode-auth-mine" };
      const response = await worker.fetch(PROXY, { method: "OPTIONS", headers });
      assert.equal(response.status, 204);
      assert.match(response.headers.get("access-control-allow-headers"), /(^|, )x-codemode-auth-mine(,|$)/);
    });

    test("a request from outside cannot pose as what the front passes on", async () => {
      const forged = JSON.stringify([["x-codemode-auth-mine", "mallory-0123456789"]]);
      const { body } = await send(worker, { server: "Mine", tool: "whoami", args: {}, session: "s" }, { ...acme, "x-codemode-auth": forged });
      assert.equal(body.result.caller, "nobody");
    });
  });
});
