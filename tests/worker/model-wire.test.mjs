// Tests of the wire format of models, from both ends. The providers' own libraries send the prompts
// of tests/data/model/ to our scripted server, and their requests must equal the fixtures. So must
// those of our client, because crates/agent-models compares its requests with the same files. The
// streams of the server must equal the fixtures, too: the libraries read them, and so does our
// client, with any split into pieces.
//
// Our client uses version 2023-06-01 of Anthropic's API, which has a temperature. The last library
// for it is `@anthropic-ai/sdk-2023`; the newest uses 2026-10-21. The differences between the
// requests of both are listed here, and there may be no others.

import NewestAnthropic from "@anthropic-ai/sdk";
import Anthropic from "@anthropic-ai/sdk-2023";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
import { startModelServer } from "../peers/model-server.mjs";
import { until } from "../until.mjs";

const ROOT = join(import.meta.dirname, "../..");
const KEY = "sk-very-secret";
const fixture = (name) => JSON.parse(readFileSync(join(ROOT, `tests/data/model/${name}.json`), "utf8"));
const NAMES = ["openai-text", "openai-structured", "anthropic-text", "anthropic-structured"];

let models;
let openai;
let anthropic;
let newest;
// One server for each test, so that the rest of a script does not reach another test.
beforeEach(async () => {
  models = await startModelServer();
  // Retries would hide the effect of one request.
  openai = new OpenAI({ apiKey: KEY, baseURL: models.openai, maxRetries: 0 });
  anthropic = new Anthropic({ apiKey: KEY, authToken: null, baseURL: models.anthropic, maxRetries: 0 });
  newest = new NewestAnthropic({ apiKey: KEY, authToken: null, baseURL: models.anthropic, maxRetries: 0 });
});
afterEach(() => models.close());

const last = () => models.requests.at(-1);
const isOpenai = (name) => name.startsWith("openai");
/** The libraries have a separate method for streams, which adds `stream` itself. */
const withoutStream = ({ stream, ...body }) => (assert.equal(stream, true), body);

/**
 * Sends a body with the library of its provider, and returns the library's reading of the stream.
 */
async function ask(name, body, client = anthropic) {
  if (isOpenai(name)) {
    const completion = await openai.chat.completions.stream(body).finalChatCompletion();
    const [{ message, finish_reason }] = completion.choices;
    const { prompt_tokens: input, completion_tokens: output } = completion.usage;
    return { text: message.content, reason: finish_reason, usage: { input, output }, model: completion.model };
  }
  const message = await client.messages.stream(body).finalMessage();
  const [block] = message.content;
  const { input_tokens: input, output_tokens: output } = message.usage;
  return { text: block.type === "tool_use" ? JSON.stringify(block.input) : block.text, reason: message.stop_reason, usage: { input, output }, model: message.model };
}

function isExpected(came, expected) {
  assert.deepEqual(came.usage, expected.usage);
  assert.equal(came.model, expected.model);
  if (expected.object === undefined) assert.equal(came.text, expected.text);
  else assert.deepEqual(JSON.parse(came.text), expected.object);
}

describe("the libraries of the providers", () => {
  for (const name of NAMES) {
    test(`${name}: the request is that of the fixture, and the stream is read`, async () => {
      const { step, request, expected } = fixture(name);
      models.add(step);
      const came = await ask(name, withoutStream(request.body));
      const sent = last();
      assert.equal(sent.method, request.method);
      assert.equal(sent.path, request.path);
      assert.deepEqual(sent.body, request.body);
      for (const [header, value] of Object.entries(request.headers)) {
        // The accepted form of a response does not matter, because both servers decide by `stream`.
        if (header !== "accept") assert.equal(sent.headers[header], value, header);
      }
      isExpected(came, expected);
    });

    test(`${name}: the stream is that of the fixture`, async () => {
      const { step, request, stream } = fixture(name);
      models.add(step);
      const { path: _, ...init } = { ...request, body: JSON.stringify(request.body) };
      const response = await fetch(models.url + request.path, init);
      assert.match(response.headers.get("content-type"), /^text\/event-stream/);
      assert.equal(await response.text(), stream.join(""));
    });
  }

  for (const name of NAMES.filter((name) => !isOpenai(name))) {
    test(`${name}: the newest library differs in its version, the header of its key and the temperature`, async () => {
      const { step, request, expected } = fixture(name);
      const { temperature, ...body } = request.body;
      assert.equal(temperature, 0);
      models.add(step);
      isExpected(await ask(name, withoutStream(body), newest), expected);
      const { path, headers, body: sent } = last();
      assert.equal(path, request.path);
      assert.deepEqual(sent, body);
      assert.equal(headers["anthropic-version"], "2026-10-21");
      assert.deepEqual([headers.authorization, headers["x-api-key"]], [`Bearer ${KEY}`, undefined]);
    });
  }

  test("a structured response of OpenAI is asked for as its helper for schemas does", () => {
    const schema = z.object({ query: z.string().describe("One SELECT statement"), explanation: z.string() });
    const made = zodResponseFormat(schema, "write_query", { description: "A query with its explanation" });
    const { response_format: ours } = fixture("openai-structured").request.body;
    const { $schema: _, ...json } = made.json_schema.schema;
    assert.equal(made.type, ours.type);
    assert.deepEqual({ ...made.json_schema, schema: json }, ours.json_schema);
  });

  test("the bodies have the types that the libraries declare", (context) => {
    const folder = mkdtempSync(join(tmpdir(), "codemode-model-types-"));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    const declared = (name) => (isOpenai(name) ? "OpenAI.ChatCompletionCreateParamsStreaming" : "Anthropic.MessageCreateParamsStreaming");
    const imports = ['import OpenAI from "openai";', 'import Anthropic from "@anthropic-ai/sdk-2023";'];
    const check = (bodies) => {
      const lines = bodies.map(([name, body], index) => `export const body${index}: ${declared(name)} = ${JSON.stringify(body)};`);
      writeFileSync(join(folder, "bodies.ts"), [...imports, ...lines].join("\n"));
      const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom"];
      const { stdout } = spawnSync(join(ROOT, "node_modules/.bin/tsc"), [...options, "bodies.ts"], { cwd: folder, encoding: "utf8" });
      return stdout;
    };
    const bodies = NAMES.map((name) => [name, fixture(name).request.body]);
    assert.equal(check(bodies), "");
    // A misspelt field fails, so they are really checked.
    const misspelt = check(bodies.map(([name, body]) => [name, { ...body, messagez: [] }]));
    assert.equal(misspelt.match(/error TS2353: .*messagez/g)?.length, bodies.length, misspelt);
  });
});

describe("the scripted server", () => {
  const chat = { model: "m", messages: [{ role: "user", content: "Hi" }], max_tokens: 9 };

  test("responds whole where no stream is wanted", async () => {
    models.add({ text: "Hello" }, { json: { a: 1 } }, { text: "Hello" }, { json: { a: 1 } });
    assert.equal((await openai.chat.completions.create(chat)).choices[0].message.content, "Hello");
    assert.equal((await openai.chat.completions.create(chat)).choices[0].message.content, '{"a":1}');
    assert.equal((await anthropic.messages.create(chat)).content[0].text, "Hello");
    const tool = { name: "t", input_schema: { type: "object" } };
    const { content, stop_reason } = await anthropic.messages.create({ ...chat, tools: [tool], tool_choice: { type: "tool", name: "t" } });
    assert.deepEqual([content[0].name, content[0].input, stop_reason], ["t", { a: 1 }, "tool_use"]);
  });

  test("ends and refuses as the providers do", async () => {
    models.add({ text: "Hel", stop: "max_tokens" }, { text: "", stop: "filter" }, { refusal: "I will not." }, { text: "Hel", stop: "max_tokens" }, { refusal: "I will not." });
    const choice = async () => (await openai.chat.completions.stream(chat).finalChatCompletion()).choices[0];
    assert.equal((await choice()).finish_reason, "length");
    assert.equal((await choice()).finish_reason, "content_filter");
    assert.equal((await choice()).message.refusal, "I will not.");
    const reason = async () => (await anthropic.messages.stream(chat).finalMessage()).stop_reason;
    assert.equal(await reason(), "max_tokens");
    assert.equal(await reason(), "refusal");
  });

  test("fails in the shape of each provider", async () => {
    const error = { type: "rate_limit_error", message: "slow down" };
    models.add({ status: 429, retryAfter: 7, error }, { status: 429, retryAfter: 7, error }, { status: 529 }, { html: true, status: 502 });
    const failed = async (asked) => asked.then(assert.fail, (thrown) => thrown);
    const ofOpenai = await failed(openai.chat.completions.create(chat));
    assert.ok(ofOpenai instanceof OpenAI.RateLimitError);
    assert.deepEqual([ofOpenai.headers.get("retry-after"), ofOpenai.type], ["7", "rate_limit_error"]);
    const ofAnthropic = await failed(anthropic.messages.create(chat));
    assert.ok(ofAnthropic instanceof Anthropic.RateLimitError);
    assert.equal(ofAnthropic.error.error.message, "slow down");
    assert.equal((await failed(anthropic.messages.create(chat))).status, 529);
    assert.equal((await failed(openai.chat.completions.create(chat))).status, 502);
  });

  test("fails in the middle of a stream", async () => {
    const chunks = ["one ", "two ", "three"];
    const error = { type: "overloaded_error", message: "busy" };
    for (const [client, stream] of [
      [OpenAI, () => openai.chat.completions.stream(chat).finalChatCompletion()],
      [Anthropic, () => anthropic.messages.stream(chat).finalMessage()],
    ]) {
      models.add({ chunks, error, after: 1 }, { chunks, breakAfter: 2 }, { breakAfter: "head" });
      await assert.rejects(stream(), (thrown) => thrown instanceof client.APIError && /busy/.test(thrown.message));
      await assert.rejects(stream());
      await assert.rejects(stream(), client.APIConnectionError);
    }
  });

  test("stalls until its client goes away, and notices it", async () => {
    models.add({ chunks: ["one ", "two"], stall: true, after: 1 }, { stall: "head" });
    const stream = await openai.chat.completions.create({ ...chat, stream: true });
    let text = "";
    for await (const chunk of stream) {
      text += chunk.choices[0].delta.content;
      if (text !== "") break;
    }
    assert.equal(text, "one ");
    await until(() => last().closed);
    const leaving = new AbortController();
    const asked = anthropic.messages.create(chat, { signal: leaving.signal });
    const left = until(() => last().path === "/v1/messages").then(() => leaving.abort());
    await Promise.all([assert.rejects(asked, Anthropic.APIUserAbortError), left]);
    await until(() => last().closed);
  });

  test("sends as much as it is told, and anything at all", async () => {
    const HUGE = 1_000_003;
    models.add({ huge: HUGE }, { raw: { status: 418, headers: { "content-type": "text/plain" }, body: "tea" } }, ({ body }) => ({ text: body.model }));
    const { choices } = await openai.chat.completions.stream(chat).finalChatCompletion();
    assert.equal(choices[0].message.content.length, HUGE);
    await assert.rejects(openai.chat.completions.create(chat), { status: 418 });
    assert.equal((await openai.chat.completions.create(chat)).choices[0].message.content, "m");
  });

  test("says so when the script has no step left, or a path is not its own", async () => {
    assert.equal(models.left(), 0);
    await assert.rejects(openai.chat.completions.create(chat), /the script has no step left/);
    await assert.rejects(openai.embeddings.create({ model: "m", input: "a" }), /there is no POST \/v1\/embeddings/);
  });
});
