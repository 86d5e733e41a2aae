// Every kind of data that the product stores on a disk: how to write it, and what this version and
// every later one must read.
//
// `write` runs when a fixture is made (stored-make.mjs), `read` on each fixture of the version
// `since` or a later one. The expected values are never changed after a release: a kind that is
// stored in another way is a new entry.

import assert from "node:assert/strict";

/**
 * The token of all requests in a fixture. It is in the file of environment variables that is part
 * of the fixture.
 */
export const TOKEN = "token-of-the-fixture-0123456789";
export const TENANT = "acme";

const SESSION = "films";
/** Their integers have more digits than a JavaScript number can hold. */
const FILMS = [
  { id: 1, title: "Solaris", year: 1972, rating: 8.1, poster: { $blob: "AAEC/w==" }, gross: "9007199254740993" },
  { id: 2, title: "Stalker ü タ", year: 1979, rating: null, poster: null, gross: "-9223372036854775808" },
];
/** The server whose result is staged while a fixture is made. */
export const SERVER = "archive";
const FILES = [{ name: "one.txt", bytes: 10 }, { name: "two.txt", bytes: 20 }];
export const TOOLS = [{ name: "list_files", description: "Lists files.", inputSchema: { type: "object" }, run: () => ({ content: [{ type: "text", text: JSON.stringify(FILES) }] }) }];

/** A client of the product over HTTP, as the tenant of the fixtures. */
export class Client {
  constructor(fetch) {
    this.fetchOf = fetch;
  }

  async send(method, path, body, headers = {}) {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const response = await this.fetchOf(path, { method, body: text, headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...headers } });
    return { status: response.status, text: await response.text(), headers: response.headers };
  }

  /** Returns the response of a request that must succeed. */
  async ok(method, path, body, headers) {
    const { status, text } = await this.send(method, path, body, headers);
    assert.ok(status === 200 || status === 201, `${method} ${path}: ${status} ${text}`);
    return JSON.parse(text);
  }

  session(fields) {
    return this.ok("POST", `/api/codemode/sessions/${SESSION}`, fields);
  }

  exec(sql, more) {
    return this.session({ operation: "exec", sql, ...more });
  }

  async rows(sql, more) {
    return (await this.session({ operation: "query", sql, ...more })).results;
  }

  code(fields) {
    return this.ok("POST", "/api/code/gatekeeper", fields);
  }

  /** Returns the events of a thread's request, read to their end. */
  async events(path, body) {
    const { status, text } = await this.send("POST", path, body);
    assert.equal(status, 200, text);
    return text;
  }
}

const LEGACY = "2025-11-25";
const MCP_TYPES = { accept: "application/json, text/event-stream" };
const INITIALIZE = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: "fixture", version: "1" } } };
const PERSISTENT = { target: "persistent" };
const RUST = "/// Checks a statement before it runs.\npub fn review(sql: &str) -> bool { !sql.is_empty() }\n";
const EDITED = "/// Checks.\npub fn review(sql: &str) -> bool { sql.len() > 1 }";
const QUESTION = "how many films are there?";
const EDITED_SQL = "SELECT count(*) AS number_of_films FROM films";

/**
 * The kinds, in the order in which they are written. `objects` names the class of Durable Object
 * whose database contains it.
 */
export const KINDS = [
  {
    name: "tables of a session, with a view, an index and a generated column, and each type of value",
    since: "0.1.0",
    objects: "CodeModeDatabase",
    async write(client) {
      await client.exec("CREATE TABLE films (id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER, rating REAL, poster BLOB, gross INTEGER, decade INTEGER AS (year / 10 * 10))");
      await client.exec("CREATE INDEX films_by_year ON films (year)");
      await client.exec("CREATE VIEW old_films AS SELECT title FROM films WHERE year < 1975");
      for (const film of FILMS) {
        await client.exec("INSERT INTO films (id, title, year, rating, poster, gross) VALUES (?, ?, ?, ?, ?, CAST(? AS INTEGER))", { params: Object.values(film) });
      }
    },
    async read(client) {
      assert.deepEqual(await client.rows("SELECT id, title, year, rating, poster, CAST(gross AS TEXT) AS gross FROM films ORDER BY id"), FILMS);
      assert.deepEqual(await client.rows("SELECT title FROM old_films"), [{ title: "Solaris" }]);
      await client.exec("UPDATE films SET year = 1980 WHERE id = 2");
      assert.deepEqual(await client.rows("SELECT decade FROM films ORDER BY id"), [{ decade: 1970 }, { decade: 1980 }]);
      assert.match(JSON.stringify(await client.rows("EXPLAIN QUERY PLAN SELECT * FROM films WHERE year = 1972")), /films_by_year/);
    },
  },
  {
    name: "full-text search",
    since: "0.1.0",
    objects: "CodeModeDatabase",
    async write(client) {
      await client.exec("CREATE VIRTUAL TABLE notes USING fts5(body, tokenize = 'porter unicode61')");
      await client.exec("INSERT INTO notes VALUES ('The ocean thinks.'), ('A zone and three men.')");
    },
    async read(client) {
      assert.deepEqual(await client.rows("SELECT body FROM notes WHERE notes MATCH 'thinking'"), [{ body: "The ocean thinks." }]);
      await client.exec("INSERT INTO notes VALUES ('Thoughts of a later version')");
      assert.equal((await client.rows("SELECT body FROM notes WHERE notes MATCH 'version OR ocean'")).length, 2);
    },
  },
  {
    name: "saved state",
    since: "0.1.0",
    objects: "CodeModeDatabase",
    write: (client) => client.session({ operation: "saveState", key: "progress", value: { step: 3, seen: ["Solaris"] } }),
    async read(client) {
      assert.deepEqual((await client.session({ operation: "getState", key: "progress" })).value, { step: 3, seen: ["Solaris"] });
    },
  },
  {
    name: "a loaded file",
    since: "0.1.0",
    objects: "CodeModeDatabase",
    write: (client) => client.ok("PUT", `/api/codemode/sessions/${SESSION}/tables/actors/rows?create=true`, "name,born\nDonatas,1924\nNatalya,1951\n", { "content-type": "text/csv" }),
    async read(client) {
      assert.deepEqual(await client.rows("SELECT name, born FROM actors ORDER BY born"), [{ name: "Donatas", born: 1924 }, { name: "Natalya", born: 1951 }]);
    },
  },
  {
    name: "a staged result of a tool",
    since: "0.1.0",
    objects: "CodeModeDatabase",
    write: (client) => client.ok("POST", "/api/codemode/proxy", { server: SERVER, tool: "list_files", args: {}, session: SESSION, stage: "files" }),
    async read(client) {
      const staged = await client.session({ operation: "queryStagedData", id: "files", sql: "SELECT name, bytes FROM files ORDER BY name" });
      assert.deepEqual(staged.results, FILES);
    },
  },
  {
    name: "the log of programs",
    since: "0.1.0",
    objects: "CodeModeDatabase",
    write: (client) => client.ok("POST", "/api/codemode/execute", { session: SESSION, code: "return (await helpers.db.query('SELECT count(*) AS n FROM films'))[0].n" }),
    async read(client) {
      const { executions } = await client.ok("GET", `/api/codemode/sessions/${SESSION}/executions`);
      assert.deepEqual(executions.map(({ outcome }) => outcome), ["OK"]);
    },
  },
  {
    name: "tables of D1",
    since: "0.1.0",
    async write(client) {
      await client.exec("CREATE TABLE kept (id INTEGER PRIMARY KEY, note TEXT)", PERSISTENT);
      await client.exec("INSERT INTO kept (note) VALUES ('for every session')", PERSISTENT);
    },
    async read(client) {
      assert.deepEqual(await client.rows("SELECT id, note FROM kept", PERSISTENT), [{ id: 1, note: "for every session" }]);
    },
  },
  {
    name: "a knowledge graph with its history",
    since: "0.1.0",
    objects: "KnowledgeGraph",
    async write(client) {
      await client.ok("POST", "/api/graph/people/nodes", { id: "a", label: "Andrei", type: "director", data: { born: 1932 } });
      await client.ok("POST", "/api/graph/people/nodes", { id: "b", label: "Solaris", type: "film" });
      await client.ok("POST", "/api/graph/people/edges", { id: "ab", source: "a", target: "b", label: "directed" });
      await client.ok("PUT", "/api/graph/people/nodes/a", { label: "Andrei T." });
    },
    async read(client) {
      const { data } = await client.ok("GET", "/api/graph/people/state?limit=100");
      assert.deepEqual(data.nodes.map(({ id, label, data: more }) => [id, label, more?.born]).sort(), [["a", "Andrei T.", 1932], ["b", "Solaris", undefined]]);
      assert.deepEqual(data.edges.map(({ id, label }) => [id, label]), [["ab", "directed"]]);
      assert.equal((await client.ok("GET", "/api/graph/people/history?limit=100")).data.length, 4);
      await client.ok("POST", "/api/graph/people/undo");
      assert.equal((await client.ok("GET", "/api/graph/people/nodes/a")).data.label, "Andrei");
    },
  },
  {
    name: "a thread of the agent, with its audit and the memory of the tenant",
    since: "0.1.0",
    objects: "AgentThread",
    async write(client) {
      const asked = { input: QUESTION, inputId: "i1", session: SESSION, userId: "ann" };
      await client.events("/api/agent/chat/messages", asked);
      for (const decision of [{ action: "edited", sql: EDITED_SQL }, { action: "approved" }]) {
        const { pending } = await client.ok("GET", "/api/agent/chat/state");
        await client.events("/api/agent/chat/resume", { approvalId: pending.approvalId, sha256: pending.sha256, userId: "ann", ...decision });
      }
    },
    async read(client) {
      const { values, pending } = await client.ok("GET", "/api/agent/chat/state");
      assert.equal(pending, null);
      assert.deepEqual(values.sqlResult.rows, [{ number_of_films: 2 }]);
      assert.equal(values.messages[0].content, QUESTION);
      const audit = await client.ok("GET", "/api/agent/chat/audit?limit=100");
      assert.ok(JSON.stringify(audit).includes("approved"), JSON.stringify(audit));
      const memory = await client.ok("GET", `/api/agent/memory?q=films&session=${SESSION}`);
      assert.ok(JSON.stringify(memory).includes(QUESTION), JSON.stringify(memory));
      await client.events("/api/agent/chat/messages", { input: QUESTION, inputId: "later", session: SESSION, userId: "ann" });
      assert.ok((await client.ok("GET", "/api/agent/chat/state")).pending.sql.length > 0);
    },
  },
  {
    name: "a code workspace with a version, a proposal and vectors",
    since: "0.1.0",
    objects: "CodeWorkspace",
    async write(client) {
      await client.code({ operation: "put_files", files: [{ file_path: "src/lib.rs", text: RUST }] });
      await client.code({ operation: "apply_code_edit", requestId: "r1", edits: [{ mode: "canonical", file: "src/lib.rs", canon: "crate::review", node_type: "function", code: EDITED }] });
    },
    async read(client) {
      assert.equal((await client.code({ operation: "read_file", file_path: "src/lib.rs" })).text, RUST);
      const found = await client.code({ operation: "request_code_context", token_budget: 500, hint: "where is a statement checked before it runs?" });
      assert.deepEqual([found.mode, found.context.parts[0].canon_path], ["hybrid", "crate::review"]);
      assert.equal((await client.code({ operation: "approve_proposal", requestId: "r1" })).applied, 1);
      assert.ok((await client.code({ operation: "read_file", file_path: "src/lib.rs" })).text.includes(EDITED));
    },
  },
  {
    name: "the lists of the tenant",
    since: "0.1.0",
    objects: "TenantIndex",
    // Each object adds itself to the index.
    write: async () => {},
    async read(client) {
      const { sessions } = await client.ok("GET", "/api/codemode/sessions");
      assert.deepEqual(sessions.map(({ name }) => name), [SESSION]);
    },
  },
  {
    name: "an MCP session",
    since: "0.1.0",
    objects: "McpSession",
    async write(client) {
      const { headers, text } = await client.send("POST", "/mcp", INITIALIZE, MCP_TYPES);
      assert.ok(text.includes(LEGACY), text);
      // The fixture keeps the id, in the session's own state.
      await client.session({ operation: "saveState", key: "mcp", value: headers.get("mcp-session-id") });
    },
    async read(client) {
      const { value } = await client.session({ operation: "getState", key: "mcp" });
      const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
      const { status, text } = await client.send("POST", "/mcp", list, { ...MCP_TYPES, "mcp-session-id": value, "mcp-protocol-version": LEGACY });
      // Its time to live was four hours, so both responses are right, depending on the day. An
      // unreadable database would give neither.
      assert.ok(status === 404 || (status === 200 && text.includes("db_query")), `${status} ${text}`);
    },
  },
];
