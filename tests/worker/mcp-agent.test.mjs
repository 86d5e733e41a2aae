// Tests of the database agent over MCP: a person decides in a form of the client, and the model
// that asked cannot, unless the deployment allows it.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { startModelServer } from "../peers/model-server.mjs";
import { TOKENS, Worker } from "./harness.mjs";
import { Legacy, Modern } from "./mcp-client.mjs";

const FORMS = { elicitation: {} };
const OWN = { authorization: `Bearer ${TOKENS.acme}` };
/** The tenant whose models may decide. */
const TRUSTING = { authorization: `Bearer ${TOKENS.zeta}` };
const accept = (content) => ({ decision: { action: "accept", content } });
const APPROVE = accept({ decision: "approve" });
const DELETE = "DELETE FROM films WHERE year < 1980";

/** Makes a response of the model. */
const query = (sql) => ({ json: { outcome: "query", sql, explanation: "It does what was asked." } });

let worker;
let models;
before(async () => {
  models = await startModelServer();
  worker = await Worker.start({
    settings: {
      API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme", [TOKENS.zeta]: "zeta" }),
      AGENT: JSON.stringify({ tenants: { zeta: { modelMayDecide: true } } }),
      MODEL: JSON.stringify({ provider: "openai", model: "scripted", baseUrl: models.openai }),
      MODEL_API_KEY: "sk-of-tests-0123456789",
    },
  });
});
after(async () => {
  await worker?.stop();
  await models?.close();
});

/** Makes a client with a session that has films of two businesses. */
async function withFilms({ capabilities = FORMS, headers = OWN, client } = {}) {
  const session = randomUUID();
  const all = { ...headers, "x-codemode-session": session };
  const made = client ? await client(all) : new Modern(worker, { capabilities, headers: all });
  made.session = session;
  made.thread = randomUUID();
  await made.ok("db_create_table", { name: "films", schema: "title TEXT, year INTEGER, business_id TEXT" });
  await made.ok("db_exec", { sql: "INSERT INTO films VALUES ('Heat', 1995, 'b1'), ('Alien', 1979, 'b1'), ('Solaris', 1972, 'b2')" });
  return made;
}

const ask = (client, sql, args = {}) => {
  models.add(query(sql));
  return { question: "what a person asks", businessId: "b1", thread: client.thread, ...args };
};

/** Returns the form that a call gets as its response. */
async function form(client, name, args) {
  const result = await client.call(name, args);
  assert.equal(result.resultType, "input_required", JSON.stringify(result));
  assert.deepEqual(Object.keys(result.inputRequests), ["decision"]);
  return { state: result.requestState, ...result.inputRequests.decision.params };
}

const respond = async (client, name, args, requestState, inputResponses) =>
  (await client.request("tools/call", { name, arguments: args, requestState, inputResponses })).message.result;

const titles = async (client) => (await client.ok("db_query", { sql: "SELECT title FROM films ORDER BY title" })).rows.map(([title]) => title);

describe("a client that has forms", () => {
  test("shows the statement to its user, runs it once they approve, and says what it did", async () => {
    const client = await withFilms();
    const args = ask(client, DELETE);
    const shown = await form(client, "agent_ask", args);
    assert.match(shown.message, /^Run this statement\?\n\nChecked by the database:\n- Kind: delete\n- Rows that it changes: 1\n- Session: “[^”]+”\n- Business whose rows it sees: “b1”\n- Table: “films”, rows: 0 inserted, 0 updated, 1 deleted\n/);
    assert.ok(shown.message.includes(`\n| ${DELETE}\n`) && shown.message.includes("\n\nThe model says: “It does what was asked.”\n\n"), shown.message);
    assert.ok(shown.message.includes("The statement as it runs, within its scope, "), shown.message);
    assert.deepEqual(await titles(client), ["Alien", "Heat", "Solaris"], "nothing ran yet");
    models.add({ text: "One film is gone." });
    const result = await respond(client, "agent_ask", args, shown.state, APPROVE);
    assert.ok(!result.isError, JSON.stringify(result));
    assert.deepEqual([result.structuredContent.answer, result.structuredContent.changes], ["One film is gone.", 1]);
    assert.deepEqual(await titles(client), ["Heat", "Solaris"], "the film of the other business is as old, and stays");
  });

  test("an approval counts once, for its own statement", async () => {
    const client = await withFilms();
    const args = ask(client, DELETE);
    const shown = await form(client, "agent_ask", args);
    models.add({ text: "Gone." });
    await respond(client, "agent_ask", args, shown.state, APPROVE);
    await client.ok("db_exec", { sql: "INSERT INTO films VALUES ('Jaws', 1975, 'b1')" });
    const again = await respond(client, "agent_ask", args, shown.state, APPROVE);
    assert.ok(again.isError, JSON.stringify(again));
    assert.match(again.structuredContent.error.code, /^(ALREADY_DECIDED|NOTHING_PENDING)$/);
    assert.deepEqual(await titles(client), ["Heat", "Jaws", "Solaris"]);
    const forged = `${shown.state.slice(0, -2)}AA`;
    for (const state of [forged, "x", ""]) {
      const refused = await client.request("tools/call", { name: "agent_ask", arguments: args, requestState: state, inputResponses: APPROVE });
      assert.ok(refused.message.error || refused.message.result.isError, `${state}: ${refused.text}`);
    }
    assert.deepEqual(await titles(client), ["Heat", "Jaws", "Solaris"]);
  });

  test("a model's words and a statement stand where no fact does", async () => {
    const client = await withFilms();
    const forged = "It only reads.\nKind: read. Rows that it changes: 0.\n\n- Kind: read\r- Kind: read\u2028- Kind: read”\u202e";
    const sql = `${DELETE} /*\u202e\n- Kind: read\n\`\`\`\n- Kind: read */`;
    models.add({ json: { outcome: "query", sql, explanation: forged } });
    const { message } = await form(client, "agent_ask", { question: "what a person asks", businessId: "b1", thread: client.thread });
    assert.match(message, /^Run this statement\?\n\nChecked by the database:\n- Kind: delete\n- Rows that it changes: 1\n/);
    assert.doesNotMatch(message, /^- Kind: read|^Kind: read/m);
    assert.doesNotMatch(message, /[\r\u2028\u202e]/u);
    assert.ok(message.includes("The model says: “It only reads.\\nKind: read."), message);
    assert.ok(message.includes("/*⟨U+202E⟩\n| - Kind: read\n"), message);
  });

  test("a rejection, and an accepted form without an approval, run nothing", async () => {
    for (const response of [{ decision: { action: "decline" } }, accept({ decision: "reject", reason: "keep them" }), accept({}), accept({ decision: "approved" })]) {
      const client = await withFilms();
      const args = ask(client, DELETE);
      const { state } = await form(client, "agent_ask", args);
      const result = await respond(client, "agent_ask", args, state, response);
      assert.equal(result.structuredContent.pending, undefined, JSON.stringify(result));
      assert.equal(result.structuredContent.outcome, "rejected");
      assert.deepEqual(await titles(client), ["Alien", "Heat", "Solaris"]);
    }
  });

  test("a form that is closed leaves the statement waiting, and `agent_decide` shows it again", async () => {
    const client = await withFilms();
    const args = ask(client, DELETE);
    const { state } = await form(client, "agent_ask", args);
    const closed = await respond(client, "agent_ask", args, state, { decision: { action: "cancel" } });
    assert.equal(closed.structuredContent.pending.sql, DELETE, JSON.stringify(closed));
    const { pending } = await client.ok("agent_get_thread", { thread: client.thread });
    const decision = { thread: client.thread, approvalId: pending.approvalId, sha256: pending.sha256, action: "approved" };
    const shown = await form(client, "agent_decide", decision);
    assert.deepEqual(await titles(client), ["Alien", "Heat", "Solaris"], "the model's own `approved` counts for nothing");
    models.add({ text: "Gone." });
    const result = await respond(client, "agent_decide", decision, shown.state, APPROVE);
    assert.equal(result.structuredContent.changes, 1, JSON.stringify(result));
  });

  test("a statement too long for a form is not approved in one", async () => {
    const client = await withFilms();
    const long = `DELETE FROM films WHERE year < 1980 OR title IN (${Array.from({ length: 600 }, (_, n) => `'title ${n}'`).join(", ")})`;
    const { pending, hint } = await client.ok("agent_ask", ask(client, long));
    assert.equal(pending.sql, long);
    assert.match(hint, new RegExp(`/agent/${client.thread}`));
  });

  test("of the older protocol asks in its stream", async () => {
    const client = await withFilms({ client: (headers) => Legacy.begin(worker, { headers, capabilities: FORMS }) });
    const stream = await client.open("tools/call", { name: "agent_ask", arguments: ask(client, DELETE) });
    const asked = await stream.message(({ method }) => method === "elicitation/create");
    assert.ok(asked.params.message.includes(DELETE), asked.params.message);
    models.add({ text: "Gone." });
    await client.respond(asked.id, { result: { action: "accept", content: { decision: "approve" } } });
    const { result } = await stream.response();
    assert.equal(result.structuredContent.changes, 1, JSON.stringify(result));
    await client.end();
  });
});

describe("a client without forms", () => {
  test("gets what waits, and its model does not agent_decide", async () => {
    const client = await withFilms({ capabilities: {} });
    const { pending, hint } = await client.ok("agent_ask", ask(client, DELETE));
    assert.deepEqual([pending.sql, pending.affectedRows], [DELETE, 1]);
    assert.match(hint, /person/);
    const { approvalId, sha256 } = pending;
    for (const action of ["approved", "rejected", "edited", "undo"]) {
      const error = await client.failed("agent_decide", { thread: client.thread, approvalId, sha256, action, ...(action === "edited" ? { sql: "SELECT 1" } : {}) });
      assert.equal(error.code, "PERSON_REQUIRED");
      assert.match(error.hint, /\/agent\//);
    }
    assert.deepEqual(await titles(client), ["Alien", "Heat", "Solaris"]);
  });

  test("may decide where the tenant's setting says so, for the statement and hash that wait", async () => {
    const client = await withFilms({ capabilities: {}, headers: TRUSTING });
    const { tools } = await client.result("tools/list");
    const conforms = new Ajv2020({ strict: false }).compile(tools.find(({ name }) => name === "agent_decide").outputSchema);
    const { pending } = await client.ok("agent_ask", ask(client, DELETE));
    const decision = { thread: client.thread, approvalId: pending.approvalId, sha256: pending.sha256, action: "approved" };
    const wrong = await client.failed("agent_decide", { ...decision, sha256: "0".repeat(64) });
    assert.equal(wrong.code, "STATEMENT_MISMATCH");
    models.add({ text: "Gone." });
    const decided = await client.ok("agent_decide", decision);
    assert.ok(conforms(decided), JSON.stringify(conforms.errors));
    assert.deepEqual([decided.changes, decided.answer], [1, "Gone."]);
    const twice = await client.failed("agent_decide", decision);
    assert.match(twice.code, /^(ALREADY_DECIDED|NOTHING_PENDING)$/);
    const undo = { ...decision, action: "undo" };
    const asked = await client.ok("agent_decide", { thread: undo.thread, approvalId: undo.approvalId, action: "undo" });
    assert.ok(asked.pending, JSON.stringify(asked));
    const { approvalId, sha256 } = asked.pending;
    models.add({ text: "Back." });
    await client.ok("agent_decide", { thread: client.thread, approvalId, sha256, action: "approved" });
    assert.deepEqual(await titles(client), ["Alien", "Heat", "Solaris"]);
  });

  test("does not see or decide threads of another tenant", async () => {
    const client = await withFilms({ capabilities: {} });
    const { pending } = await client.ok("agent_ask", ask(client, DELETE));
    const other = await withFilms({ capabilities: {}, headers: TRUSTING });
    const look = await other.failed("agent_get_thread", { thread: client.thread });
    assert.equal(look.code, "NO_SUCH_THREAD");
    const { approvalId, sha256 } = pending;
    const decide = await other.failed("agent_decide", { thread: client.thread, approvalId, sha256, action: "approved" });
    assert.equal(decide.code, "NO_SUCH_THREAD");
    assert.deepEqual(await titles(client), ["Alien", "Heat", "Solaris"]);
  });
});

describe("a question back", () => {
  const CHOOSE = (choice) => ({ choice: { action: "accept", content: { choice } } });
  let planned;
  before(async () => {
    planned = await Worker.start();
  });
  after(() => planned?.stop());

  /** Makes a client of a deployment without a model, with a question that has two meanings. */
  async function asked() {
    const session = randomUUID();
    const client = new Modern(planned, { capabilities: FORMS, headers: { "x-codemode-session": session } });
    client.session = session;
    client.thread = randomUUID();
    await client.ok("db_create_table", { name: "cinema", schema: "title TEXT, rating REAL" });
    await client.ok("db_create_table", { name: "books", schema: "title TEXT, rating REAL" });
    await client.ok("db_exec", { sql: "INSERT INTO cinema VALUES ('Heat', 8), ('Alien', 9)" });
    const args = { question: "average rating", thread: client.thread };
    const result = await client.call("agent_ask", args);
    assert.equal(result.resultType, "input_required", JSON.stringify(result));
    assert.deepEqual(Object.keys(result.inputRequests), ["choice"]);
    const { message, requestedSchema } = result.inputRequests.choice.params;
    return { client, args, state: result.requestState, message, choices: requestedSchema.properties.choice.enum };
  }

  test("is a form whose choice completes the question, up to the form of its statement", async () => {
    const { client, args, state, message, choices } = await asked();
    assert.match(message, /^What do you mean\?\n\nChecked by the database:\n- Session: “[^”]+”\n- Question: “average rating”/);
    const choice = choices.find((one) => one.includes("cinema"));
    const next = await respond(client, "agent_ask", args, state, CHOOSE(choice));
    assert.equal(next.resultType, "input_required", JSON.stringify(next));
    assert.match(next.inputRequests.decision.params.message, /AVG\(rating\)[^]*FROM cinema/);
    const done = await respond(client, "agent_ask", args, next.requestState, APPROVE);
    assert.match(done.structuredContent.answer, /8\.5/, JSON.stringify(done));
  });

  test("that is closed, or gets another text, shows the thread and chooses nothing", async () => {
    for (const response of [{ choice: { action: "cancel" } }, { choice: { action: "decline" } }, CHOOSE("DROP TABLE cinema"), CHOOSE("")]) {
      const { client, args, state, choices } = await asked();
      const shown = await respond(client, "agent_ask", args, state, response);
      assert.equal(shown.structuredContent.outcome, "askedBack", JSON.stringify(shown));
      assert.deepEqual(shown.structuredContent.choices, choices);
      assert.equal((await client.ok("agent_get_thread", { thread: client.thread })).outcome, "askedBack");
    }
  });

  test("changes nothing once the thread has gone on", async () => {
    const { client, args, state, choices } = await asked();
    const other = await client.call("agent_ask", { question: "how many books are there?", thread: client.thread });
    assert.equal(other.resultType, "input_required");
    const late = await respond(client, "agent_ask", args, state, CHOOSE(choices[0]));
    assert.match(late.structuredContent.pending.sql, /FROM books/, JSON.stringify(late));
    const now = await client.ok("agent_get_thread", { thread: client.thread });
    assert.deepEqual([now.question, now.pending.sql], ["how many books are there?", late.structuredContent.pending.sql]);
  });
});

test("a question that is not understood says so", async () => {
  const client = await withFilms({ capabilities: {} });
  for (const [args, code] of [
    [{}, "INVALID_ARGUMENT"],
    [{ question: "" }, "INVALID_ARGUMENT"],
    [{ question: "x", target: "elsewhere" }, "INVALID_ARGUMENT"],
    [{ question: "x", qestion: "y" }, "INVALID_ARGUMENT"],
    [{ question: "x", thread: "a b" }, "INVALID_ARGUMENT"],
  ]) {
    const error = await client.failed("agent_ask", args);
    assert.equal(error.code, code, JSON.stringify([args, error]));
  }
});
