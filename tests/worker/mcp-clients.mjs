// Real MCP clients behind one interface, so that the same checks drive each of them. The connection
// of a client lacks the methods that the client does not support.
//
// | client | version of MCP | progress, log | cancel | elicit | subscribe | prompts, completion | a cut stream | a killed Worker |
// | --- | --- | --- | --- | --- | --- | --- | --- | --- |
// | @modelcontextprotocol/sdk 1.32 | 2025-11-25 | yes | yes | yes | yes | yes | resumed | same session |
// | @modelcontextprotocol/client 2.4, auto and pinned | 2026-07-28 | yes | yes | yes | yes | yes | call again | call again |
// | the same, restricted to the older version | 2025-11-25 | yes | yes | yes | yes | yes | resumed | same session |
// | @ai-sdk/mcp 2.0 | 2026-07-28 | no | yes | yes | no | yes | call again | call again |
// | the same, without discovery | 2025-11-25 | no | no: not sent | yes | no | yes | no: keeps waiting | same session |
// | @langchain/mcp-adapters 1.1 | 2025-11-25 | yes | yes | no | yes | no | resumed | same session |
// | Python mcp 2.3, auto and pinned | 2026-07-28 | yes | yes | yes | yes | yes | call again | call again |
// | the same, mode legacy | 2025-11-25 | yes | yes | yes | yes | yes | resumed | same session |
// | Python mcp 1.30 | 2025-11-25 | yes | no: not sent | yes | yes | yes | resumed | same session |
// | @modelcontextprotocol/inspector 2.12 --cli | both | no | no | no | no | prompts | | connects again |
//
// All of them connect with and without a token, list tools, execute a program, query its tables,
// page, read resources, and name the object of a deletion in `confirm`. The inspector reads no list
// of resources here. Both TypeScript SDKs also end their session.
//
// `mcp-battery.mjs` has the checks, and `mcp-clients-killed.test.mjs` those of cut connections and
// killed Workers. The inspector is a command and has its own file, `mcp-inspector.test.mjs`;
// `mcp_client.py` is the Python half.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect, createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ElicitationRequestSchema, createMCPClient } from "@ai-sdk/mcp";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, LoggingMessageNotificationSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const INFO = { name: "codemode-tests", version: "1.0.0" };
/** The older version that all older clients speak. */
export const OLDER = "2025-11-25";
export const MODERN = "2026-07-28";

const bearer = (token) => (token === undefined ? {} : { authorization: `Bearer ${token}` });
const silent = () => {};

/** Returns the common part of every client's result of a call. */
function called({ isError = false, structuredContent, content }) {
  const text = content.filter(({ type }) => type === "text").map((part) => part.text);
  return { isError, structured: structuredContent, text: text.join("\n") };
}

/** Makes the methods that the clients of both TypeScript SDKs share. */
function ofSdk(client, call) {
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (name, args, { onProgress, signal } = {}) => called(await call({ name, arguments: args }, { onprogress: onProgress, signal })),
    resources: async () => (await client.listResources()).resources,
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    read: async (uri) => (await client.readResource({ uri })).contents[0].text,
    prompts: async () => (await client.listPrompts()).prompts,
    prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages[0].content.text,
    complete: async (ref, name, value, known = {}) =>
      (await client.complete({ ref, argument: { name, value }, context: { arguments: known } })).completion.values,
  };
}

/** The methods of older clients of the TypeScript SDKs that use the transport's session. */
const ofOlderSdk = (client, transport) => ({
  subscribe: (uri) => client.subscribeResource({ uri }),
  sessionId: () => transport.sessionId,
  end: () => transport.terminateSession(),
  setLevel: (level) => client.setLoggingLevel(level),
});

const overHttp = (Transport) => ({ url, token }) => new Transport(new URL(url), { requestInit: { headers: bearer(token) } });

/** @modelcontextprotocol/sdk over the transport that `reach` makes. */
export const ofSdkPackage = (name, reach = overHttp(StreamableHTTPClientTransport)) => ({
  name,
  version: OLDER,
  async connect({ url, token, onElicit, onLog = silent, onUpdated = silent }) {
    const client = new Client(INFO, { capabilities: onElicit ? { elicitation: {} } : {} });
    if (onElicit) client.setRequestHandler(ElicitRequestSchema, ({ params }) => onElicit(params));
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => onLog(params.data));
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => onUpdated(params.uri));
    const transport = reach({ url, token });
    await client.connect(transport);
    return {
      protocol: transport.protocolVersion,
      ...ofSdk(client, (params, options) => client.callTool(params, undefined, options)),
      ...ofOlderSdk(client, transport),
      close: () => client.close(),
    };
  },
});

const sdk = ofSdkPackage("@modelcontextprotocol/sdk");

/** @modelcontextprotocol/client, which negotiates in several ways. */
export const ofModernPackage = (name, version, options, reach = overHttp(ModernTransport)) => ({
  name: `@modelcontextprotocol/client, ${name}`,
  version,
  async connect({ url, token, onElicit, onLog, onUpdated = silent }) {
    const client = new ModernClient(INFO, { capabilities: onElicit ? { elicitation: {} } : {}, ...options });
    if (onElicit) client.setRequestHandler("elicitation/create", ({ params }) => onElicit(params));
    client.setNotificationHandler("notifications/message", ({ params }) => onLog?.(params.data));
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => onUpdated(params.uri));
    const transport = reach({ url, token });
    await client.connect(transport);
    const isModern = version === MODERN;
    // The stateless version has no log level for a connection; each request sets its own.
    const level = onLog && isModern ? { _meta: { "io.modelcontextprotocol/logLevel": "info" } } : {};
    return {
      protocol: client.getNegotiatedProtocolVersion(),
      ...ofSdk(client, (params, more) => client.callTool({ ...params, ...level }, more)),
      ...(isModern ? { subscribe: (uri) => client.listen({ resourceSubscriptions: [uri] }) } : ofOlderSdk(client, transport)),
      close: () => client.close(),
    };
  },
});

const aiSdk = (name, version, options) => ({
  name: `@ai-sdk/mcp, ${name}`,
  version,
  async connect({ url, token, onElicit }) {
    let id;
    const client = await createMCPClient({
      transport: { type: "http", url, headers: bearer(token), onSessionIdChange: (changed) => (id = changed) },
      capabilities: onElicit ? { elicitation: {} } : {},
      ...options,
    });
    if (onElicit) client.onElicitationRequest(ElicitationRequestSchema, ({ params }) => onElicit(params));
    return {
      protocol: client.initializeResult.protocolVersion,
      tools: async () => (await client.listTools()).tools,
      call: async (name, args, { signal } = {}) => called(await client.callTool({ name, arguments: args, options: { signal } })),
      resources: async () => (await client.listResources()).resources,
      templates: async () => (await client.listResourceTemplates()).resourceTemplates,
      read: async (uri) => (await client.readResource({ uri })).contents[0].text,
      prompts: async () => (await client.listPrompts()).prompts,
      prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages[0].content.text,
      complete: async (ref, name, value, known = {}) =>
        (await client.complete({ ref, argument: { name, value }, context: { arguments: known } })).completion.values,
      ...(version === MODERN ? {} : { sessionId: () => id }),
      close: () => client.close(),
    };
  },
});

const langchain = {
  name: "@langchain/mcp-adapters",
  version: OLDER,
  async connect({ url, token, onLog = silent, onUpdated = silent }) {
    // LangChain reports progress to the connection, not to the call; only the name of the tool
    // identifies the call.
    const listeners = new Map();
    const client = new MultiServerMCPClient({
      mcpServers: { db: { transport: "http", url, headers: bearer(token), automaticSSEFallback: false } },
      onProgress: (progress, source) => listeners.get(source.name)?.(progress),
      onMessage: ({ data }) => onLog(data),
      onResourcesUpdated: ({ uri }) => onUpdated(uri),
      throwOnLoadError: true,
      onConnectionError: "throw",
    });
    const tools = await client.getTools();
    const inner = await client.getClient("db");
    return {
      protocol: inner.transport.protocolVersion,
      tools: async () => tools.map(({ name, description, schema }) => ({ name, description, inputSchema: schema })),
      async call(name, args, { onProgress, signal } = {}) {
        listeners.set(name, onProgress);
        const tool = tools.find((known) => known.name === name);
        try {
          return langchainResult(await tool.invoke({ type: "tool_call", id: "1", name, args }, { signal }));
        } catch (error) {
          // It throws for a tool's error result and for a failed request alike; only the message
          // distinguishes them.
          if (!error.message.includes("returned an error: ")) throw error;
          return { isError: true, text: error.message };
        }
      },
      resources: async () => (await client.listResources()).db,
      templates: async () => (await client.listResourceTemplates()).db,
      read: async (uri) => (await client.readResource("db", uri))[0].text,
      subscribe: (uri) => inner.subscribeResource({ uri }),
      setLevel: (level) => client.setLoggingLevel(level),
      sessionId: () => inner.transport.sessionId,
      close: () => client.close(),
    };
  },
};

function langchainResult({ content, artifact }) {
  const parts = typeof content === "string" ? [{ text: content }] : [content].flat();
  const structured = artifact.find(({ type }) => type === "mcp_structured_content");
  return { isError: false, structured: structured.data, text: parts.map(({ text }) => text).join("\n") };
}

/** The Python package: `mcp_client.py`, one process for all connections. */
const python = (name, version, program, mode, more = {}) => ({
  name: `Python mcp, ${name}`,
  version,
  ...more,
  async connect({ url, token, onElicit, onLog, onUpdated = silent }) {
    const peer = Lines.of(program).connection({ onElicit, onLog: onLog ?? silent, onUpdated });
    const { protocol } = await peer.ask("connect", { url, headers: bearer(token), mode, elicits: Boolean(onElicit), logs: Boolean(onLog) });
    return {
      protocol,
      tools: () => peer.ask("tools"),
      call: async (tool, args, options = {}) => called(await peer.ask("call", { tool, arguments: args }, options)),
      resources: () => peer.ask("resources"),
      templates: () => peer.ask("templates"),
      read: (uri) => peer.ask("read", { uri }),
      prompts: () => peer.ask("prompts"),
      prompt: (prompt, args) => peer.ask("prompt", { prompt, arguments: args }),
      complete: (ref, argument, value, known = {}) => peer.ask("complete", { ref, argument, value, known }),
      subscribe: (uri) => peer.ask("subscribe", { uri }),
      ...(version === MODERN ? {} : { sessionId: () => peer.ask("session_id"), setLevel: (level) => peer.ask("set_level", { level }) }),
      close: () => peer.ask("close"),
    };
  },
});

/** A process that takes requests and returns responses, a line of JSON each. */
class Lines {
  static #started = new Map();

  /** Returns the process of a Python, started once. */
  static of(program) {
    const path = process.env[program];
    if (!existsSync(path ?? "")) throw new Error(`${program} names no Python: run this with scripts/with-env, after scripts/setup test`);
    if (!this.#started.has(program)) this.#started.set(program, new Lines(path));
    return this.#started.get(program);
  }

  static stop() {
    for (const lines of this.#started.values()) lines.child.stdin.end();
  }

  constructor(path) {
    this.child = spawn(path, [fileURLToPath(new URL("mcp_client.py", import.meta.url))], { stdio: ["pipe", "pipe", "pipe"] });
    this.waiting = new Map();
    this.listeners = [];
    this.next = 1;
    this.said = "";
    this.child.stderr.on("data", (data) => (this.said = `${this.said}${data}`.slice(-4_000)));
    const heard = {
      progress: ({ of, ...progress }) => this.waiting.get(of)?.onProgress?.(progress),
      log: ({ on, data }) => this.listeners[on].onLog(data),
      updated: ({ on, uri }) => this.listeners[on].onUpdated(uri),
      elicit: async ({ on, id, params }) => this.write({ do: "elicited", of: id, result: await this.listeners[on].onElicit(params) }),
      result: ({ of, result }) => this.settle(of, ({ resolve }) => resolve(result)),
      error: ({ of, error }) => this.settle(of, ({ reject }) => reject(new Error(error))),
    };
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      const message = JSON.parse(line);
      void heard[message.event](message);
    });
    this.child.stdin.on("error", silent);
    this.child.once("exit", (code) => {
      this.ended = new Error(`the Python client ended with ${code}: ${this.said}`);
      for (const { reject } of this.waiting.values()) reject(this.ended);
      this.waiting.clear();
    });
  }

  connection(listener) {
    const on = this.listeners.push(listener) - 1;
    return { ask: (what, fields, options) => this.ask(on, what, fields, options) };
  }

  settle(id, how) {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (waiting) how(waiting);
  }

  write(message) {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  ask(on, what, fields = {}, { onProgress, signal } = {}) {
    const id = this.next++;
    if (this.ended) return Promise.reject(this.ended);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, onProgress });
      signal?.addEventListener("abort", () => this.write({ do: "cancel", on, of: id }));
      this.write({ do: what, on, id, progress: Boolean(onProgress), ...fields });
    });
  }
}

/** Ends the processes of clients, after the last test. */
export const stopClients = () => Lines.stop();

export const olderOnly = { supportedProtocolVersions: [OLDER] };

export const TYPESCRIPT_CLIENTS = [
  sdk,
  ofModernPackage("auto", MODERN, { versionNegotiation: { mode: "auto" } }),
  ofModernPackage("pinned to 2026-07-28", MODERN, { versionNegotiation: { mode: { pin: MODERN } } }),
  ofModernPackage("restricted to 2025-11-25", OLDER, olderOnly),
];

export const FRAMEWORK_CLIENTS = [
  aiSdk("with discovery", MODERN, {}),
  // It does not tell the server that it has stopped waiting.
  { ...aiSdk("without discovery", OLDER, { protocolVersionDiscovery: false }), cannotCancel: true },
  langchain,
];

export const PYTHON_CLIENTS = [
  python("2.x auto", MODERN, "MCP_PYTHON", "auto"),
  python("2.x pinned to 2026-07-28", MODERN, "MCP_PYTHON", MODERN),
  python("2.x legacy", OLDER, "MCP_PYTHON", "legacy"),
  // A cancelled task stops waiting; only 2.x tells the server.
  python("1.x", OLDER, "MCP_PYTHON_1", "legacy", { cannotCancel: true }),
];

/**
 * A fixed address in front of a Worker, whose port changes when it is started again. It can cut
 * connections and hold new ones back.
 */
export class Door {
  static async open(worker) {
    const door = new Door();
    door.pairs = new Set();
    door.shut = undefined;
    door.server = createServer((client) => {
      client.on("error", silent);
      const pass = () => {
        if (client.destroyed) return;
        const { hostname, port } = new URL(worker.url);
        const inner = connect(Number(port), hostname);
        const end = () => {
          door.pairs.delete(end);
          client.destroy();
          inner.destroy();
        };
        door.pairs.add(end);
        for (const socket of [client, inner]) socket.on("error", end).on("close", end);
        client.pipe(inner).pipe(client);
      };
      if (door.shut) void door.shut.then(pass);
      else pass();
    });
    door.server.listen(0, "127.0.0.1");
    await once(door.server, "listening");
    door.url = `http://127.0.0.1:${door.server.address().port}`;
    return door;
  }

  /** Cuts every connection; new ones wait until `work` is done. */
  async shutDuring(work) {
    let open;
    this.shut = new Promise((resolve) => (open = resolve));
    for (const end of this.pairs) end();
    try {
      return await work();
    } finally {
      this.shut = undefined;
      open();
    }
  }

  close() {
    for (const end of this.pairs) end();
    this.server.close();
  }
}
