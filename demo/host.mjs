// The Worker as an MCP server: what a host does with it, done by the official client library.
//
// The question is that of the chapter about servers of others, through `/mcp`, and its result must be the same.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { INPUT, checkJoined } from "./evidence.mjs";
import * as print from "./print.mjs";

const REQUEST_TIMEOUT_MS = 60_000;

/** A connection to the Worker, as a host has one. `questions` are what the user of the host was asked. */
export class Host {
  #client = new Client({ name: "make-demo", version: "1.0.0" }, { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } });
  questions = [];
  /** Programs that were sent. */
  runs = 0;

  constructor() {
    this.#client.setRequestHandler("elicitation/create", ({ params }) => {
      this.questions.push(params.message);
      print.note(`   the user is asked: ${params.message}`);
      return { action: "accept", content: { confirm: true } };
    });
  }

  /** Connects to the Worker of a session, whose name is in the address. */
  async connect(session) {
    const address = `${session.origin}/mcp?session=${session.name}`;
    print.call("connect to", address, "");
    await this.#client.connect(new StreamableHTTPClientTransport(new URL(address)));
    return { version: this.#client.getNegotiatedProtocolVersion(), server: this.#client.getServerVersion(), instructions: this.#client.getInstructions() };
  }

  async tools() {
    const { tools } = await this.#client.listTools();
    print.note(`   tools/list: ${tools.map(({ name }) => name).join(", ")}`);
    return tools;
  }

  /** What a tool returns: `structuredContent`, which must say what the text says. */
  async call(name, input) {
    print.call("tools/call", name, print.abbreviated(input));
    const begun = performance.now();
    const { content, structuredContent, isError } = await this.#client.callTool({ name, arguments: input }, { timeout: REQUEST_TIMEOUT_MS });
    const [{ text }] = content;
    assert.ok(!isError, `${name} failed: ${text}`);
    print.answer("result", `${print.count(text.length)} characters of text`, performance.now() - begun);
    return { ...structuredContent, text };
  }

  close() {
    return this.#client.close();
  }
}

/** Connects, and looks at what the server is. */
export async function connect(host, session) {
  const { version, server, instructions } = await host.connect(session);
  assert.equal(server.name, "codemode-database", "the name of the server");
  assert.ok(instructions.includes(`"${session.name}"`), `the instructions name the session: ${instructions}`);
  const names = (await host.tools()).map(({ name }) => name);
  for (const name of ["program_run", "db_query", "db_drop_table"]) assert.ok(names.includes(name), name);
  print.finding(`${print.plural(names.length, "tool")}, protocol version ${version}`);
  print.checked("client and server agree on a protocol version, and the instructions name the session");
}

/** The program of the question, sent as the host of a model sends it. */
export async function askQuestion(host, session) {
  const code = readFileSync(new URL("programs/evidence.js", import.meta.url), "utf8").trimEnd();
  print.code(code);
  host.runs += 1;
  const { result, session: used, text } = await host.call("program_run", { code, input: INPUT });
  print.value(result);
  assert.equal(used, session.name, "the session of the call");
  checkJoined(result);
  print.finding(`the same, in ${print.count(text.length)} characters`);
  print.checked("the result through /mcp is that of POST /api/codemode/execute, and of JavaScript");
}

/** Rows in pages: a result of more rows goes on with a cursor. */
export async function readPages(host) {
  const { tables } = await host.call("db_get_tables", {});
  const [paper] = tables.filter((name) => /^pubs_list(_\w+)?$/.test(name) && !name.endsWith("authors"));
  const sql = `SELECT pmid, title, year FROM ${paper ?? tables[0]} LIMIT 500`;
  const first = await host.call("db_query", { sql });
  assert.deepEqual([first.rowCount, first.truncated], [200, true], "the first page");
  let rows = first.rowCount;
  for (let cursor = first.nextCursor; cursor !== undefined; ) {
    const page = await host.call("db_query", { sql, cursor });
    rows += page.rowCount;
    cursor = page.nextCursor;
  }
  assert.equal(rows, 500, "rows of all pages");
  print.finding(`${print.plural(rows, "row")} in pages of 200, each below the limit of tokens`);
  print.checked("a cursor leads from page to page");
}

/** A tool that deletes something asks the user of the host first. */
export async function dropTable(host) {
  await host.call("db_create_table", { name: "draft", schema: "note TEXT" });
  const { dropped } = await host.call("db_drop_table", { table: "draft" });
  assert.equal(dropped, true, "the table is dropped");
  const [question] = host.questions;
  assert.match(question ?? "", /draft/, "the user was asked");
  print.finding("the host asks its user, who agrees");
  print.checked("the table was dropped after the user had agreed");
}
