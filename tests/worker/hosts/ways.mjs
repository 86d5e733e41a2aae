// The ways in which `make test` starts the product, and the files of tests/worker that run in each.
//
// All files, and those of tests/browser, run on workerd alone: `dev` and `mcp` use it, it starts
// fastest, and it can be killed. The other two ways differ in the programs before the Worker, in
// the bundling of its modules and in its bindings, and in nothing else; so the files below run in
// these ways as well, one for each such difference.

const CONTRACT = ["contract.test.mjs", "every kind of request and response, as data"];
const PAGES = ["pages.test.mjs", "static assets, their types and headers"];
const PERSISTENT = ["persistent.test.mjs", "the binding of D1, and tokens of several tenants"];
const STREAMS = ["streams.test.mjs", "bodies that are read and written piece by piece"];
const PROGRAMS = ["programs-helpers.test.mjs", "the binding of the Worker Loader, and calls from an isolate back into the Worker"];
const GRAPH = ["graph-items.test.mjs", "the second WebAssembly module, which is imported when it is needed, and every id in a URL"];
const MCP = ["mcp-clients.test.mjs", "the official MCP clients: streams of events, sessions and cancellation"];

/** The files of each way besides workerd alone, with the difference that each covers. */
export const WAYS = {
  wrangler: [CONTRACT, PAGES, PERSISTENT, STREAMS, PROGRAMS, GRAPH, MCP],
  library: [CONTRACT, PAGES, PERSISTENT, STREAMS, PROGRAMS, GRAPH, MCP],
};
