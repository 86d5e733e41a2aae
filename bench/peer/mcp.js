// The peer of the MCP server: the official server library, used as in its README, with one tool
// that queries the JavaScript Durable Object.
//
// The library requires a new server for each request. Clients of older versions are served without
// a session, which is the library's default.

import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { z } from "zod";
import { SessionDatabase } from "./session.js";

/** The object of the other benchmarks, as a tool calls it. */
export class McpDatabase extends SessionDatabase {
  call(body) {
    return this.run(body);
  }
}

const SESSION = "bench";
const INPUT = z.object({ sql: z.string(), params: z.array(z.unknown()).optional() });
const OUTPUT = z.object({ session: z.string(), columns: z.array(z.string()), rows: z.array(z.array(z.unknown())), rowCount: z.number(), truncated: z.boolean() });

const object = (env) => env.SESSIONS.get(env.SESSIONS.idFromName(SESSION));

function serverOf(env) {
  const server = new McpServer({ name: "peer", version: "1.0.0" });
  const described = { title: "Query rows", description: "Rows of one SELECT (SQLite).", inputSchema: INPUT, outputSchema: OUTPUT, annotations: { readOnlyHint: true } };
  server.registerTool("db_query", described, async ({ sql, params }) => {
    const { columns, results, rowCount, truncated } = await object(env).call({ operation: "query", sql, params });
    const rows = results.map((row) => columns.map((column) => row[column]));
    const text = [columns, ...rows].map((cells) => cells.join(" | ")).join("\n");
    return { content: [{ type: "text", text }], structuredContent: { session: SESSION, columns, rows, rowCount, truncated } };
  });
  return server;
}

export default {
  fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === "/health") return Response.json({ success: true });
    if (pathname !== "/mcp") return object(env).fetch(request);
    return createMcpHandler(() => serverOf(env)).fetch(request);
  },
};
