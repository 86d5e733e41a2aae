// Tests in which real MCP clients drive the product: those of the AI SDK and of LangChain, also
// within an agent of each whose model is scripted. The table in `mcp-clients.mjs` lists the
// abilities of each client.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createMCPClient } from "@ai-sdk/mcp";
import { AIMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { generateText, isStepCount } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { createAgent } from "langchain";
import { Worker } from "./harness.mjs";
import { drive } from "./mcp-battery.mjs";
import { FRAMEWORK_CLIENTS } from "./mcp-clients.mjs";

drive(FRAMEWORK_CLIENTS);

/** The calls of the scripted models, one after the other, including an error and its correction. */
const STEPS = [
  ["program_run", { code: 'await helpers.db.createTable("films", "id INTEGER, title TEXT");\nreturn "written";' }],
  ["db_batch_insert", { table: "films", records: [{ id: 1, title: "Solaris" }, { id: 2, title: "Stalker" }] }],
  ["db_query", { sql: "SELECT titel FROM films ORDER BY id" }],
  ["db_query", { sql: "SELECT title FROM films ORDER BY id" }],
];

describe("an agent", () => {
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker.stop());

  test("of the AI SDK calls the tools, reads an error and corrects itself", async (context) => {
    const session = worker.session();
    const client = await createMCPClient({ transport: { type: "http", url: `${worker.url}/mcp?session=${session.name}` } });
    context.after(() => client.close());
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    const model = new MockLanguageModelV4({
      doGenerate: async ({ prompt }) => {
        const step = STEPS[prompt.filter(({ role }) => role === "tool").length];
        if (step === undefined) return { content: [{ type: "text", text: JSON.stringify(prompt.at(-1)) }], finishReason: { unified: "stop" }, usage, warnings: [] };
        const call = { type: "tool-call", toolCallId: `call-${prompt.length}`, toolName: step[0], input: JSON.stringify(step[1]) };
        return { content: [call], finishReason: { unified: "tool-calls" }, usage, warnings: [] };
      },
    });
    const { steps, text } = await generateText({ model, tools: await client.tools(), prompt: "Which films are there?", stopWhen: isStepCount(10) });
    const read = steps.map(({ content }) => JSON.stringify(content));
    assert.ok(read[2].includes("NO_SUCH_COLUMN") && read[2].includes("did you mean `title`?"), read[2]);
    assert.ok(text.includes("Solaris") && text.includes("Stalker"), text);
    assert.equal((await session.query("SELECT * FROM films")).rowCount, 2);
  });

  test("of LangChain calls the tools, reads an error and corrects itself", async (context) => {
    const session = worker.session();
    const client = new MultiServerMCPClient({ db: { transport: "http", url: `${worker.url}/mcp?session=${session.name}` } });
    context.after(() => client.close());
    const calls = STEPS.map(([name, args], index) => new AIMessage({ content: "", tool_calls: [{ id: `call-${index}`, name, args }] }));
    const model = [...calls, (messages) => new AIMessage(messages.at(-1).text)].reduce((scripted, next) => scripted.respond(next), fakeModel());
    const agent = createAgent({ model, tools: await client.getTools() });
    const { messages } = await agent.invoke({ messages: [{ role: "user", content: "Which films are there?" }] });
    const read = messages.filter(({ type }) => type === "tool").map(({ text }) => text);
    assert.ok(read[2].includes("NO_SUCH_COLUMN") && read[2].includes("did you mean `title`?"), read[2]);
    assert.ok(messages.at(-1).text.includes("Stalker"), messages.at(-1).text);
    assert.equal((await session.query("SELECT * FROM films")).rowCount, 2);
  });
});
