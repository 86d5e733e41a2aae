// Tests of the models that make the vectors of a code workspace: that of the Worker with its table
// or without it, and one of Workers AI, which may fail.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { after, describe, test } from "node:test";
import { Worker } from "./harness.mjs";

const DIMENSIONS = 384;
const BOTH = "hash-512+sign-384/1";
const HASH = "hash-512/1";
const REMOTE = "bge-small-en-v1.5-cls/1";

/** Makes functions, each with its own name. */
function functions(count, of = "wheel") {
  return Array.from({ length: count }, (_, index) => `/// Turns the ${of} number ${index}.\npub fn turn_${of}_${index}() {}\n`).join("");
}

/** Makes a workspace of a Worker. */
function workspace(worker, name = randomUUID()) {
  const path = `/api/code/${name}`;
  const json = async (response) => {
    const body = await response.json();
    assert.equal(response.status, 200, JSON.stringify(body));
    return body;
  };
  return {
    name,
    put: async (file, text) => json(await worker.fetch(`${path}/files/${file}`, { method: "PUT", body: text })),
    ask: async (hint, more) => {
      const body = JSON.stringify({ operation: "request_code_context", token_budget: 1_000, hint, ...more });
      return json(await worker.fetch(path, { method: "POST", body, headers: { "content-type": "application/json" } }));
    },
  };
}

describe("the table of vectors", () => {
  test("is read from the static assets", async () => {
    const worker = await Worker.start();
    try {
      const one = workspace(worker);
      await one.put("src/lib.rs", functions(3));
      const found = await one.ask("turn the wheel");
      assert.deepEqual([found.model, found.mode, found.withoutVectors, found.notice], [BOTH, "hybrid", 0, undefined]);
    } finally {
      await worker.stop();
    }
  });

  test("is missed without harm, and makes the vectors again once it is there", async () => {
    const bare = await Worker.start({ pages: false });
    const one = workspace(bare);
    await one.put("src/lib.rs", functions(3));
    const found = await one.ask("turn the wheel");
    assert.deepEqual([found.model, found.mode, found.withoutVectors], [HASH, "hybrid", 0]);
    await bare.stop({ keep: true });
    const worker = await Worker.start({ folder: bare.folder });
    try {
      const again = await workspace(worker, one.name).ask("turn the wheel");
      assert.deepEqual([again.model, again.mode, again.withoutVectors], [BOTH, "hybrid", 0]);
      assert.equal(again.context.parts[0].file_path, "src/lib.rs");
    } finally {
      await worker.stop();
    }
  });
});

/** Starts a server in place of Workers AI; it records the calls, and fails on request. */
async function startAi() {
  const ai = { calls: [], failure: undefined };
  const vector = (text) => {
    const values = new Array(DIMENSIONS).fill(0);
    for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
      let hash = 7;
      for (const character of word) hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
      values[hash % DIMENSIONS] += 1;
    }
    return values;
  };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const call = JSON.parse(body);
    ai.calls.push(call);
    if (ai.failure !== undefined) return response.writeHead(500).end(ai.failure);
    const data = ai.wrong ? [] : call.input.text.map(vector);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ shape: [data.length, DIMENSIONS], data, pooling: "cls" }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  ai.url = `http://127.0.0.1:${server.address().port}`;
  ai.close = () => new Promise((resolve) => server.close(resolve));
  return ai;
}

describe("a model of Workers AI", () => {
  const workers = [];
  const start = async (options) => {
    const worker = await Worker.start({ settings: { CODE_EMBEDDING: "workers-ai" }, ...options });
    workers.push(worker);
    return worker;
  };
  after(() => Promise.all(workers.map((worker) => worker.stop())));

  test("makes the vectors in batches when files are written, and that of a question", async () => {
    const ai = await startAi();
    const one = workspace(await start({ ai: ai.url }));
    await one.put("src/lib.rs", functions(250));
    assert.ok(ai.calls.every(({ model, input }) => model === "@cf/baai/bge-small-en-v1.5" && input.pooling === "cls" && input.text.length <= 100));
    assert.equal(ai.calls.reduce((sum, { input }) => sum + input.text.length, 0), 251);
    const written = ai.calls.length;
    const found = await one.ask("turn the wheel");
    assert.deepEqual([found.model, found.mode, found.withoutVectors], [REMOTE, "hybrid", 0]);
    assert.deepEqual(ai.calls.slice(written).map(({ input }) => input.text), [["turn the wheel"]]);
    // After an edit of one function, the others are not embedded again.
    await one.put("src/lib.rs", functions(250).replace("turn_wheel_7()", "turn_wheel_seven()"));
    assert.ok(ai.calls.slice(written + 1).flatMap(({ input }) => input.text).length <= 3);
    // A request without a question uses the last one.
    assert.equal((await one.ask(undefined)).query, "turn the wheel");
    await ai.close();
  });

  test("that fails costs no write, and questions are answered by words with the reason", async () => {
    const ai = await startAi();
    const one = workspace(await start({ ai: ai.url }));
    ai.failure = "the model is overloaded";
    const written = await one.put("src/lib.rs", functions(120));
    assert.equal(written.success, true);
    const found = await one.ask("turn wheel");
    assert.deepEqual([found.mode, found.withoutVectors], ["sparse_only", 121]);
    assert.match(found.notice, /the model is overloaded/);
    assert.equal(found.context.parts[0].file_path, "src/lib.rs");
    ai.failure = undefined;
    ai.wrong = true;
    assert.match((await one.ask("turn wheel")).notice, /0 vectors of 1 texts/);
    ai.wrong = false;
    const again = await one.ask("turn wheel");
    assert.deepEqual([again.mode, again.withoutVectors, again.model], ["hybrid", 0, REMOTE]);
    await ai.close();
  });

  test("without its binding leaves the words", async () => {
    const one = workspace(await start({}));
    await one.put("src/lib.rs", functions(2));
    const found = await one.ask("turn wheel");
    assert.equal(found.mode, "sparse_only");
    assert.match(found.notice, /no binding AI/);
  });
});
