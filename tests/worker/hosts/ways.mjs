// In which ways `make test` starts the product, and which files of tests/worker run in each.
//
// All of them, and those of tests/browser, run on workerd alone: it is what `dev` and `mcp` use, it starts fastest, and it can be killed. The other
// two differ from it in what stands before the Worker, in how its modules are joined and in how its bindings are made, and in nothing behind them;
// so the files below run in these ways as well, one for each such thing.

const CONTRACT = ["contract.test.mjs", "every kind of request and response, as data"];
const PAGES = ["pages.test.mjs", "static assets, their types and headers"];
const PERSISTENT = ["persistent.test.mjs", "the binding of D1, and tokens of several tenants"];
const STREAMS = ["streams.test.mjs", "bodies that are read and written piece by piece"];
const PROGRAMS = ["programs-helpers.test.mjs", "the binding of the Worker Loader, and calls from an isolate back into the Worker"];
const GRAPH = ["graph-items.test.mjs", "the second WebAssembly module, which is imported when it is needed, and every id in a URL"];
const MCP = ["mcp-clients.test.mjs", "the official MCP clients: streams of events, sessions and cancellation"];

/** The files of each way beside workerd alone, with what they show there. */
export const WAYS = {
  wrangler: [CONTRACT, PAGES, PERSISTENT, STREAMS, PROGRAMS, GRAPH, MCP],
  library: [CONTRACT, PAGES, PERSISTENT, STREAMS, PROGRAMS, GRAPH, MCP],
};
