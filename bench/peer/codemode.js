// The peer for programs: @cloudflare/codemode, used as in its README, over a JavaScript Durable
// Object with SQLite.
//
// POST /execute {session, code, input?, timeoutMs?} runs the program with tools under `codemode`.
// The package's own `prelude` option makes `helpers.db` and `dbSchema` from them, so that it can
// run the same programs as ours. The response is the return value of execute(), or `threw`.

import { DynamicWorkerExecutor } from "@cloudflare/codemode";
import { RequestError } from "./guard.js";
import { SessionDatabase } from "./session.js";

/** The object of the other benchmarks with further operations for programs. */
export class ProgramDatabase extends SessionDatabase {
  call(body) {
    return this.run(body);
  }

  run(body) {
    switch (body.operation) {
      case "createTable":
        return this.exec(`CREATE TABLE "${body.name}" (${body.schema})`);
      case "saveState":
        this.sql.exec("CREATE TABLE IF NOT EXISTS session_state (key TEXT PRIMARY KEY, value TEXT)");
        this.sql.exec("INSERT OR REPLACE INTO session_state VALUES (?, ?)", body.key, JSON.stringify(body.value ?? null));
        return {};
      case "getState":
        this.sql.exec("CREATE TABLE IF NOT EXISTS session_state (key TEXT PRIMARY KEY, value TEXT)");
        return { value: JSON.parse(this.sql.exec("SELECT value FROM session_state WHERE key = ?", body.key).toArray()[0]?.value ?? "null") };
      case "getTables":
        return { tables: this.sql.exec("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '_cf*' AND name <> 'session_state'").toArray().map(({ name }) => name) };
      case "nothing":
        throw new RequestError("INVALID_ARGUMENT", "nothing needs no object");
      default:
        return super.run(body);
    }
  }
}

const OPERATIONS = ["exec", "query", "batchInsert", "createTable", "saveState", "getState", "getTables"];

const prelude = (input) => `
const input = ${input};
const helpers = { db: {
  query: async (sql, params) => { const answer = await codemode.query({ sql, params }); return Object.assign(answer.results, { columns: answer.columns, truncated: answer.truncated, rowCount: answer.rowCount }); },
  exec: (sql, params) => codemode.exec({ sql, params }),
  batchInsert: (table, records) => codemode.batchInsert({ table, records }),
  createTable: (name, schema) => codemode.createTable({ name, schema }),
  saveState: (key, value) => codemode.saveState({ key, value }),
  getState: async (key) => (await codemode.getState({ key })).value,
} };
const dbSchema = { getTables: async () => (await codemode.getTables({})).tables };
`;

async function execute({ session, code, input = null, timeoutMs = 30_000 }, env) {
  const object = env.PROGRAMS.get(env.PROGRAMS.idFromName(session));
  const fns = Object.fromEntries(OPERATIONS.map((operation) => [operation, (args) => object.call({ ...args, operation })]));
  // The least that a call can cost with this peer.
  fns.nothing = async () => ({ results: [] });
  const executor = new DynamicWorkerExecutor({ loader: env.LOADER, timeout: timeoutMs });
  try {
    return await executor.execute(code, [{ name: "codemode", fns, prelude: prelude(JSON.stringify(input)) }]);
  } catch (error) {
    return { threw: String(error) };
  }
}

/** Writes integers and bytes as ours does, so that results can be compared. */
function wire(_key, value) {
  if (typeof value === "bigint") return JSON.rawJSON(`${value}`);
  if (value instanceof Uint8Array) return { $blob: value.toBase64?.() ?? btoa(String.fromCharCode(...value)) };
  return value;
}

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === "/health") return Response.json({ success: true });
    const answer = await execute(await request.json(), env);
    try {
      return new Response(JSON.stringify(answer, wire));
    } catch (error) {
      return Response.json({ threw: `the result is not JSON: ${error}`, logs: answer.logs });
    }
  },
};
