// The peer of the database agent: the graph of shared questions and approvals in LangGraph JS,
// behind its own HTTP server.
//
//   node bench/peer/langgraph.mjs --model URL --database FILE [--state FILE] [--die]
//
// The state, its reducers, the five nodes, the interrupt and the tenant's condition in the prompt
// are those of a typical service with LangGraph; a client gets the stream modes `updates` and
// `messages`. The checkpointer is LangGraph's MemorySaver; with --state its maps are also in a
// file, so that another process can continue. With --die the process ends right after the statement
// of executeQuery, before the step is saved.
//
//   POST /ID/stream {input, inputId, businessId, userId} or {action} -> events
//   POST /ID/continue, /ID/fork {checkpoint} -> events
//   GET /ID/state, /ID/history
//   GET /ID/begun -> how often each node began in this process

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { deserialize, serialize } from "node:v8";
import { Worker } from "node:worker_threads";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { Annotation, Command, END, MemorySaver, START, StateGraph, interrupt } from "@langchain/langgraph";
import OpenAI from "openai";

const { values: options } = parseArgs({
  options: { model: { type: "string" }, database: { type: "string" }, state: { type: "string" }, die: { type: "boolean", default: false } },
});

/** A model behind OpenAI's protocol, through OpenAI's own library. */
class ScriptedModel extends BaseChatModel {
  client = new OpenAI({ apiKey: "sk-of-benchmarks-0123456789", baseURL: options.model, maxRetries: 0 });

  _llmType() {
    return "scripted";
  }

  async _generate(messages, given, manager) {
    let whole;
    for await (const chunk of this._streamResponseChunks(messages, given, manager)) whole = whole === undefined ? chunk : whole.concat(chunk);
    return { generations: [{ text: whole.text, message: new AIMessage(whole.text) }] };
  }

  async *_streamResponseChunks(messages, _given, manager) {
    const roles = { human: "user", ai: "assistant", system: "system" };
    const sent = messages.map((message) => ({ role: roles[message.getType()], content: message.text }));
    const stream = await this.client.chat.completions.create({ model: "scripted-1", messages: sent, stream: true });
    for await (const { choices } of stream) {
      const text = choices[0]?.delta.content ?? "";
      if (text === "") continue;
      yield new ChatGenerationChunk({ text, message: new AIMessageChunk({ content: text }) });
      await manager?.handleLLMNewToken(text);
    }
  }
}

/** A MemorySaver that writes its maps to a file after each change. */
class FileSaver extends MemorySaver {
  constructor(file) {
    super();
    this.file = file;
    if (existsSync(file)) {
      const { storage, writes } = deserialize(readFileSync(file));
      Object.assign(this.storage, storage);
      Object.assign(this.writes, writes);
    }
  }

  async put(...given) {
    const config = await super.put(...given);
    this.save();
    return config;
  }

  async putWrites(...given) {
    await super.putWrites(...given);
    this.save();
  }

  save() {
    writeFileSync(`${this.file}.next`, serialize({ storage: { ...this.storage }, writes: { ...this.writes } }));
    renameSync(`${this.file}.next`, this.file);
  }
}

/** The values of a thread: the reducers keep an earlier value if a node returns an empty one. */
const kept = () => Annotation({ default: () => "", reducer: (earlier, later) => later || earlier });
const State = Annotation.Root({
  messages: Annotation({ default: () => [], reducer: (earlier, later) => earlier.concat(later) }),
  writtenQuery: kept(),
  sqlResult: kept(),
  question: kept(),
  userId: kept(),
  businessId: kept(),
});

/**
 * The driver of the database: another thread, so that a statement is awaited as with a database
 * server.
 */
const DRIVER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { DatabaseSync } = require("node:sqlite");
  const database = new DatabaseSync(workerData, { timeout: 5000 });
  parentPort.on("message", ({ id, sql }) => {
    try {
      const statement = database.prepare(sql);
      parentPort.postMessage({ id, result: statement.columns().length > 0 ? statement.all() : statement.run() });
    } catch (error) {
      parentPort.postMessage({ id, failure: error.message });
    }
  });`;
const driver = new Worker(DRIVER, { eval: true, workerData: options.database, execArgv: ["--no-warnings"] });
const running = new Map();
driver.on("message", ({ id, ...outcome }) => {
  running.get(id)(outcome);
  running.delete(id);
});
let statements = 0;
const run = (sql) =>
  new Promise((resolve) => {
    running.set((statements += 1), resolve);
    driver.postMessage({ id: statements, sql });
  });
const model = new ScriptedModel({});
/** The number of times that each node of a thread began. */
const begun = new Map();
const begin = (node, { configurable }) => {
  const name = `${configurable.thread_id} ${node}`;
  begun.set(name, (begun.get(name) ?? 0) + 1);
};

async function tables() {
  const { result } = await run("SELECT sql FROM sqlite_schema WHERE type = 'table'");
  return result.map(({ sql }) => sql).join(";\n");
}

async function writeQuery({ question, businessId }, config) {
  begin("writeQuery", config);
  const rules = `Write one SQLite statement as JSON {sql, explanation}. Always include business_id = '${businessId}' in the WHERE clause for all tables.\n${await tables()}`;
  const written = await model.invoke([new SystemMessage(rules), new HumanMessage(question)], config);
  const { sql, explanation } = JSON.parse(written.text);
  return { writtenQuery: sql, messages: [new AIMessage(`${explanation}\n${sql}`)] };
}

function humanApproval({ question, writtenQuery }, config) {
  begin("humanApproval", config);
  const { action } = interrupt({ question, query: writtenQuery });
  return new Command({ goto: action === "approved" ? "executeQuery" : "rejectedExecution", update: { messages: [new HumanMessage(action)] } });
}

async function executeQuery({ writtenQuery }, config) {
  begin("executeQuery", config);
  const { result, failure } = await run(writtenQuery);
  if (failure !== undefined) throw new Error(failure);
  if (options.die) process.kill(process.pid, "SIGKILL");
  return { sqlResult: JSON.stringify(result) };
}

async function generateAnswer({ question, writtenQuery, sqlResult }, config) {
  begin("generateAnswer", config);
  const answer = await model.invoke([new HumanMessage(`Question: ${question}\nSQL Query: ${writtenQuery}\nSQL Result: ${sqlResult}`)], config);
  return { messages: [new AIMessage(answer.text)] };
}

function rejectedExecution(_, config) {
  begin("rejectedExecution", config);
  return { messages: [new AIMessage("The query was rejected.")], writtenQuery: "", sqlResult: "", question: "" };
}

const saver = options.state === undefined ? new MemorySaver() : new FileSaver(options.state);
const graph = new StateGraph(State)
  .addNode("writeQuery", writeQuery)
  .addNode("humanApproval", humanApproval, { ends: ["executeQuery", "rejectedExecution"] })
  .addNode("executeQuery", executeQuery)
  .addNode("generateAnswer", generateAnswer)
  .addNode("rejectedExecution", rejectedExecution)
  .addEdge(START, "writeQuery")
  .addEdge("writeQuery", "humanApproval")
  .addEdge("executeQuery", "generateAnswer")
  .addEdge("generateAnswer", END)
  .addEdge("rejectedExecution", END)
  .compile({ checkpointer: saver });

const configOf = (thread, checkpoint) => ({ configurable: { thread_id: thread, ...(checkpoint && { checkpoint_id: checkpoint }) } });

/**
 * Returns the input that a service passes to the graph: a decision resumes the interrupt, a
 * question is new input.
 */
function inputOf({ action, sql, input, inputId, businessId, userId }) {
  if (action !== undefined) return new Command({ resume: { action, sql } });
  return { messages: [new HumanMessage({ content: input, id: inputId })], question: input, businessId, userId };
}

async function stream(response, input, config) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  try {
    for await (const [mode, payload] of await graph.stream(input, { ...config, streamMode: ["updates", "messages"] })) {
      response.write(`event: ${mode}\ndata: ${JSON.stringify(payload)}\n\n`);
    }
  } catch (error) {
    response.write(`event: error\ndata: ${JSON.stringify({ message: error.message })}\n\n`);
  }
  response.end();
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return parts.length === 0 ? {} : JSON.parse(Buffer.concat(parts).toString());
}

async function answer(request, response) {
  const [, thread, task] = request.url.split("/");
  const body = await bodyOf(request);
  const json = (value) => response.end(JSON.stringify(value));
  if (task === "stream") return await stream(response, inputOf(body), configOf(thread));
  if (task === "continue") return await stream(response, null, configOf(thread));
  if (task === "fork") return await stream(response, null, configOf(thread, body.checkpoint));
  if (task === "state") return json(await graph.getState(configOf(thread)));
  if (task === "begun") return json(Object.fromEntries([...begun].filter(([name]) => name.startsWith(`${thread} `)).map(([name, count]) => [name.split(" ")[1], count])));
  const snapshots = [];
  for await (const snapshot of graph.getStateHistory(configOf(thread))) snapshots.push(snapshot);
  return json(snapshots);
}

const server = createServer((request, response) => void answer(request, response));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
