// A server of the modern protocol version whose responses to tools/call are the test's own, byte by
// byte. Its list is correct, unless the test sets another.

import { listen, readJson } from "../../demo/servers/mcp.mjs";

const TOOLS = [
  { name: "read", annotations: { readOnlyHint: true }, inputSchema: { type: "object" } },
  { name: "write", inputSchema: { type: "object" } },
];

/** Renders a result with these data. */
export const answerTo = (id, data) => JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", content: [{ type: "text", text: JSON.stringify(data) }] } });

/**
 * Starts a server.
 *
 * @param {({id, response, number}) => unknown} answer to the call of this number, from 1
 * @param {string} [tools] the JSON text of the list
 * @returns {Promise<{url: string, calls: object[], close: () => Promise<void>}>} `calls` has {tool,
 * at} of each call
 */
export async function startPlain(answer, tools = JSON.stringify(TOOLS)) {
  const calls = [];
  const server = await listen(async (request, response) => {
    const { id, method, params } = (await readJson(request)) ?? {};
    const json = (status, text) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(text);
    };
    if (method === "tools/list") return json(200, `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","ttlMs":3600000,"tools":${tools}}}`);
    if (method !== "tools/call") return json(404, JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } }));
    calls.push({ tool: params.name, at: performance.now() });
    return answer({ id, response, number: calls.length });
  });
  return { url: `${server.url}/mcp`, calls, close: server.close };
}
