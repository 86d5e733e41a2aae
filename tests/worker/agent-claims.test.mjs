// Tests of threads in a deployment whose access tokens name their holder and its business, so that
// the fields of a body do not count.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Issuer } from "../peers/issuer.mjs";
import { startModelServer } from "../peers/model-server.mjs";
import { until } from "../until.mjs";
import { Thread, films } from "./agent-client.mjs";
import { Worker } from "./harness.mjs";

const AUDIENCE = "api://db";
const CHANGE = "UPDATE films SET genre = 'play' WHERE genre = 'drama'";
const query = (sql) => ({ json: { outcome: "query", sql, explanation: "It does what was asked." } });

describe("threads with a claim for the business", () => {
  let issuer, models, worker, session;
  const headers = async (claims) => ({ authorization: `Bearer ${await issuer.sign({ aud: AUDIENCE, tenant: "acme", ...claims })}` });
  before(async () => {
    [issuer, models] = await Promise.all([Issuer.start(), startModelServer()]);
    worker = await Worker.start({
      settings: {
        OAUTH_ISSUER: issuer.url, OAUTH_AUDIENCE: AUDIENCE, OAUTH_TENANT_CLAIM: "tenant", OAUTH_BUSINESS_CLAIM: "business",
        AGENT: JSON.stringify({ requireApprovers: 2 }),
        MODEL: JSON.stringify({ provider: "openai", baseUrl: models.openai, model: "scripted-1" }), MODEL_API_KEY: "sk-of-tests-0123456789",
      },
    });
    session = await films(worker, await headers({ sub: "loader", business: "b1" }));
  });
  after(() => Promise.all([worker?.stop(), issuer?.stop(), models?.close()]));

  /** Makes a thread for a person of a business. */
  const threadOf = async (sub, business, more = {}) => new Thread(worker, { session, headers: await headers({ sub, business }), businessId: business, userId: sub, ...more });

  test("the business is the token's, and a body that says otherwise is refused", async () => {
    const thread = await threadOf("ann", "b1");
    await thread.error("/messages", thread.question("which films?", { businessId: "b2" }), 403, "OTHER_BUSINESS");
    models.add(query("SELECT title FROM films ORDER BY title"));
    await thread.ask("which films?", { businessId: undefined });
    const { values, pending } = await thread.state();
    assert.deepEqual([values.businessId, values.userId, pending.estimatedRows], ["b1", "ann", 3]);
  });

  test("a token without the claim, or with one that is no name, reaches nothing", async () => {
    for (const claims of [{ sub: "ann" }, { sub: "ann", business: "" }, { sub: "ann", business: ["b1"] }, { sub: "ann", business: "x".repeat(200) }]) {
      const response = await worker.fetch("/api/agent/threads", { headers: await headers(claims) });
      assert.notEqual(response.status, 200, JSON.stringify(claims));
      assert.equal((await response.json()).success, false);
    }
  });

  test("threads are listed for their own business alone", async () => {
    const thread = await threadOf("ann", "b1");
    models.add({ json: { outcome: "noQuery", sql: null, explanation: "Hello." } });
    await thread.ask("a question that is nobody else's business");
    const list = async (business) => {
      const response = await worker.fetch("/api/agent/threads?limit=1000", { headers: await headers({ sub: "x", business }) });
      return (await response.json()).threads.map(({ threadId }) => threadId);
    };
    await until(async () => (await list("b1")).includes(thread.name));
    assert.deepEqual(await list("b2"), []);
  });

  test("a thread of another business is closed, whatever is asked of it", async () => {
    const thread = await threadOf("ann", "b1");
    models.add(query(CHANGE));
    await thread.ask("make dramas plays");
    const { approvalId, sha256, token } = (await thread.state()).pending;
    const stranger = await threadOf("eve", "b2", { name: thread.name });
    for (const path of ["/state", "/history", "/history/1", "/audit", "/events"]) await stranger.error(path, undefined, 403, "OTHER_BUSINESS");
    await stranger.error("/messages", stranger.question("which films?"), 403, "OTHER_BUSINESS");
    await stranger.error("/fork", { checkpoint: 1 }, 403, "OTHER_BUSINESS");
    for (const named of [{ approvalId, sha256 }, { token }]) await stranger.error("/resume", { ...named, action: "approved", userId: "ann" }, 403, "OTHER_BUSINESS");
    const deletion = await stranger.fetch("", { method: "DELETE" });
    assert.deepEqual([deletion.status, (await deletion.json()).error.code], [403, "OTHER_BUSINESS"]);
    assert.equal((await thread.state()).pending.approvalId, approvalId);
  });

  test("two approvers are two subjects of tokens, and no two names of one", async () => {
    const ann = await threadOf("ann", "b1");
    models.add(query(CHANGE));
    await ann.ask("make dramas plays");
    const { approvalId, sha256 } = (await ann.state()).pending;
    const body = { approvalId, sha256, action: "approved" };
    await ann.events("/resume", { ...body, userId: "ann" });
    assert.equal((await ann.error("/resume", { ...body, userId: "ben" }, 409, "ALREADY_APPROVED")).missing, 1);
    assert.deepEqual((await ann.state()).pending.approvers, ["ann"]);
    const ben = await threadOf("ben", "b1", { name: ann.name });
    models.add({ text: "Done." });
    await ben.events("/resume", { ...body, userId: "ann" });
    const { values } = await ann.state();
    assert.deepEqual([values.approval.approvers, values.sqlResult.changes], [["ann", "ben"], 2]);
    const { records } = await ann.json("/audit?limit=200");
    assert.deepEqual(records.filter(({ kind }) => kind === "decision").map(({ actor }) => actor), ["ann", "ben"]);
  });

  test("the memory of another business is not found, pinned or deleted", async () => {
    const thread = await threadOf("ann", "b1");
    models.add(query("SELECT count(*) AS films FROM films"), { text: "Three." });
    await thread.ask("how many films are there?");
    await thread.decide("approved");
    const memory = async (sub, business, path = "", init = {}) => worker.fetch(`/api/agent/memory${path}`, { ...init, headers: await headers({ sub, business }) });
    const { pairs } = await (await memory("ann", "b1", "?q=how%20many%20films")).json();
    const [{ id }] = pairs;
    assert.deepEqual((await (await memory("eve", "b2")).json()).pairs, []);
    assert.equal((await memory("eve", "b2", "?businessId=b1")).status, 403);
    assert.equal((await memory("eve", "b2", `/${id}`, { method: "PUT", body: '{"pinned":true}' })).status, 404);
    assert.equal((await memory("eve", "b2", `/${id}`, { method: "DELETE" })).status, 404);
    assert.equal((await memory("ann", "b1", `/${id}`, { method: "DELETE" })).status, 200);
  });
});
