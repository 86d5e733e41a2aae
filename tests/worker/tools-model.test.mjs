// Tests of tools from the view of a model that writes programs: correct declarations, usable
// results, slips that are explained, and the checks of GraphQL within a program.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { listen, readJson } from "../../demo/servers/mcp.mjs";
import { execute, failure, result } from "./program-client.mjs";
import { get, getText, startWorker } from "./tools-client.mjs";

const ANY = { type: "object" };
const READS = { readOnlyHint: true };
/** The mark of FastMCP for tools that return no object. */
const wrapped = (schema) => ({ type: "object", properties: { result: schema }, required: ["result"], "x-fastmcp-wrap-result": true });
const TOOLS = [
  { name: "say", description: "Answers with what it is given: a result of the protocol", inputSchema: { type: "object", properties: { result: { type: "string" } }, required: ["result"] } },
  { name: "count", description: "How many papers ClinVar cites", inputSchema: ANY, outputSchema: wrapped({ type: "integer" }) },
  { name: "titles", description: "Their titles", inputSchema: ANY, outputSchema: wrapped({ type: "array", items: { type: "string" } }) },
  { name: "keep", description: "Takes anything", inputSchema: { type: "object", properties: { given: {} } } },
  { name: "then", description: "Has a name that is taken", inputSchema: ANY },
].map((tool) => ({ annotations: READS, ...tool }));
const ANSWERS = {
  say: (given) => given.result,
  count: () => '{"content":[{"type":"text","text":"41"}],"structuredContent":{"result":41}}',
  titles: () => '{"content":[],"structuredContent":{"result":["one","two"]}}',
  keep: (given) => JSON.stringify({ content: [], structuredContent: { given } }),
  then: () => '{"content":[]}',
};

/**
 * Starts a server of the modern protocol version that returns the result in the arguments byte by
 * byte.
 */
async function startServer() {
  const seen = [];
  const { url, close } = await listen(async (request, response) => {
    const { id, method, params } = await readJson(request);
    seen.push(method);
    const given = method === "tools/list" ? `{"ttlMs":3600000,"cacheScope":"public","tools":${JSON.stringify(TOOLS)}}` : ANSWERS[params.name](params.arguments);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(`{"jsonrpc":"2.0","id":${id},"result":${given.replace("{", '{"resultType":"complete",')}}`);
  });
  return { url: `${url}/mcp`, seen, close };
}

let server, worker;
before(async () => {
  server = await startServer();
  worker = await startWorker({ MyPubs: { url: server.url, mappings: "entrez" }, papers: { url: server.url, kind: "graphql" } }, { settings: { MAX_REQUEST_BYTES: "200000" } });
});
after(() => Promise.all([worker?.stop(), server?.close()]));
const run = (code, more) => result(worker, randomUUID(), code, more);
/**
 * The beginning of a program: a tool's response with a text, with data, and with a failure of its
 * own.
 */
const SAYS = `
  const text = (text, more) => helpers.MyPubs.say({ result: JSON.stringify({ content: [{ type: "text", text }] }) }, more);
  const data = (value, more) => helpers.MyPubs.say({ result: JSON.stringify({ content: [], structuredContent: value }) }, more);
  const fail = (words, more) => helpers.MyPubs.say({ result: JSON.stringify({ content: words.map((text) => ({ type: "text", text })), isError: true }) }, more);
`;

describe("an answer that is a plain value", () => {
  test("calculates, compares and prints as what it is", async () => {
    const { result: seen, logs } = await execute(worker, randomUUID(), `
      const n = await helpers.MyPubs.count();
      const again = await helpers.MyPubs.count();
      return { sum: n + again, more: n > 5, less: n < 5, same: n == 41, text: \`\${n} papers\`, number: Number(n), most: Math.max(n, 7), data: n.data, ok: n.ok, keys: Object.keys(n), clone: structuredClone(n).data, n };`);
    const { meta, ...envelope } = seen.n;
    assert.equal(meta.tool, "count");
    assert.deepEqual({ ...seen, n: envelope }, {
      sum: 82, more: true, less: false, same: true, text: "41 papers", number: 41, most: 41, data: 41, ok: true, keys: ["ok", "data", "error", "meta"], clone: 41,
      n: { ok: true, data: 41, error: null },
    });
    assert.deepEqual(logs.map(({ level, text }) => [level, text]), [["warn", "[MyPubs.count] The result is a plain value: it is in result.data, and result itself is an object, which is always true."]]);
  });

  test("of false and null is in data", async () => {
    assert.deepEqual(await run(`${SAYS}
      const got = [];
      for (const value of [false, 0, -1.5]) { const { ok, data: inside } = await data(value); got.push([ok, inside]); }
      return got;`), [[true, false], [true, 0], [true, -1.5]]);
  });

  test("asked for in the envelope is told nothing about", async () => {
    const { logs } = await execute(worker, randomUUID(), 'return await helpers.MyPubs.count({}, { returnFormat: "envelope" })');
    assert.deepEqual(logs, []);
  });
});

describe("declarations", () => {
  test("say what a call gives, also where the server wraps it", async () => {
    const seen = await run(`
      const [titles, count] = [await helpers.describe("MyPubs", "titles"), await helpers.describe("MyPubs", "count")];
      return [titles.declaration, count.declaration, (await helpers.MyPubs.titles()).map((title) => title.toUpperCase())];`);
    assert.match(seen[0], /Promise<ToolResult<string\[\]>>;/);
    assert.match(seen[1], /Promise<ToolResult<number>>;/);
    assert.deepEqual(seen[2], ["ONE", "TWO"]);
  });

  test("of the session's own operations are those of the guidance", async () => {
    const seen = await run('const query = await helpers.describe("db", "query");\nconst find = await helpers.describe("schema", "findColumn");\nreturn [query.name, query.declaration, query.inputSchema.required, find.declaration]');
    assert.match(seen[1], /query\(sql: string, params\?: Value\[\]\): Promise<Rows>;/);
    assert.match(seen[3], /findColumn\(table: string/);
    assert.deepEqual([seen[0], seen[2]], ["query", ["sql"]]);
    const error = await failure(worker, randomUUID(), 'return await helpers.describe("db", "qurey")');
    assert.deepEqual([error.code, error.suggestions[0]], ["TOOL_NOT_FOUND", "query"]);
  });

  test("in the guidance explain GraphQL where a server answers it", async () => {
    const text = await getText(worker, "/api/codemode/prompt");
    for (const part of ["declare function safeGraphQLAccess", "declare function validateGraphQLData", "_graphqlValidation", "GRAPHQL_NULL_DATA", "type ToolResult<T>"]) assert.ok(text.includes(part), part);
    assert.match(text, /invoke\(tool: "then"[^\n]*\n(?: {2}.*\n)* {2}invoke\(tool: string/);
    const plain = await startWorker({ MyPubs: { url: server.url } });
    try {
      const without = await getText(plain, "/api/codemode/prompt");
      assert.ok(without.includes("type ToolResult<T>") && !without.includes("GraphQL"), without);
    } finally {
      await plain.stop();
    }
  });

  test("are found by names in mixed case", async () => {
    for (const query of ["clinvar", "ClinVar"]) assert.equal((await get(worker, `/api/codemode/tools?query=${query}`)).tools[0].name, "count");
  });

  test("misspelt options of a search do not pass in silence", async () => {
    for (const code of ['helpers.search("x", { max: 3 })', 'helpers.search({ query: "x", max: 3 })', 'helpers.MyPubs.searchTools("x", { max: 3 })']) {
      const error = await failure(worker, randomUUID(), `return await ${code}`);
      assert.deepEqual([error.code, error.message], ["INVALID_ARGUMENT", "there is no option max"]);
      assert.match(error.hint, /limit, offset/);
    }
    assert.deepEqual(await run('return (await helpers.search("titles", { limit: 1, offset: 0, server: "MyPubs" })).map(({ name }) => name)'), ["titles"]);
  });

  test("of columns are known under the server's name as it is written", async () => {
    assert.deepEqual(await run('return [SERVER_COLUMN_MAPPINGS.MyPubs.publication_date, SERVER_COLUMN_MAPPINGS.mypubs.publication_date, getSafeColumnName("MyPubs", "publication_date"), "graph" in SERVER_COLUMN_MAPPINGS]'), ["year", "year", "year", false]);
  });
});

describe("raw answers", () => {
  test("of a tool that failed are thrown where the program wants that", async () => {
    const error = await failure(worker, randomUUID(), `${SAYS}\nreturn await fail(["out of", "paper"], { raw: true, throwOnError: true })`);
    assert.deepEqual([error.code, error.name, error.message], ["UPSTREAM_TOOL_ERROR", "ToolError", "out of\npaper"]);
    const wordless = await failure(worker, randomUUID(), `${SAYS}\nreturn await fail([], { returnFormat: "raw", throwOnError: true })`);
    assert.match(wordless.message, /without a message/);
  });

  test("are given as they came otherwise", async () => {
    const seen = await run(`${SAYS}\nreturn [await fail(["out of paper"], { raw: true }), await data({ a: 1 }, { raw: true, throwOnError: true })]`);
    assert.deepEqual([seen[0].isError, seen[0].content[0].text, seen[1].structuredContent], [true, "out of paper", { a: 1 }]);
  });
});

describe("arguments", () => {
  test("that JSON lacks are refused with their whole path", async () => {
    for (const [given, message] of [
      ["{ list: [1, { deep: NaN }] }", "given.list[1].deep is NaN, which JSON does not have"],
      ["[undefined, () => 1]", "given[1] is a function, which JSON does not have"],
      ["new Date(NaN)", "given is an invalid Date, which JSON does not have"],
      ["{ at: [new Date(NaN)] }", "given.at[0] is an invalid Date, which JSON does not have"],
    ]) {
      const { error } = await run(`const { error } = await helpers.MyPubs.keep({ given: ${given} });\nreturn { error }`);
      assert.deepEqual([error.code, error.message], ["INVALID_ARGUMENT", message], given);
      assert.equal(typeof error.hint, "string");
    }
    const quiet = await execute(worker, randomUUID(), 'const given = safeGraphQLAccess({ none: null, list: [{ bad: NaN }] }, "s", "t");\nconst { error } = await helpers.MyPubs.keep({ given });\nreturn error.message');
    assert.equal(quiet.result, "given.list[0].bad is NaN, which JSON does not have");
    assert.ok(quiet.logs.every(({ text }) => !text.includes("[GraphQL]")), JSON.stringify(quiet.logs));
    assert.deepEqual(await run("return (await helpers.MyPubs.keep({ given: [new Date(0), null] })).given"), { given: ["1970-01-01T00:00:00.000Z", null] });
  });

  test("that refer to themselves are refused, and nothing is thrown", async () => {
    const { error } = await run("const given = {};\ngiven.self = given;\nconst { error } = await helpers.MyPubs.keep({ given });\nreturn { error }");
    assert.deepEqual([error.code, error.message], ["INVALID_ARGUMENT", "given.self is a circular reference"]);
  });

  test("an error of their own toJSON is the program's", async () => {
    const error = await failure(worker, randomUUID(), 'await helpers.MyPubs.keep({ given: { toJSON() { throw new TypeError("mine") } } })');
    assert.deepEqual([error.name, error.message], ["TypeError", "mine"]);
  });

  test("may name the tool by a text that another tool answered", async () => {
    assert.deepEqual(await run(`${SAYS}\nreturn await helpers.MyPubs.invoke(await text("titles"))`), ["one", "two"]);
    assert.deepEqual(await run(`${SAYS}\nreturn (await helpers.search(await text("titles"), { limit: 1 })).map(({ name }) => name)`), ["titles"]);
  });
});

test("JSON in a text that nests too deep for its readers stays a text", async () => {
  const seen = await run(`${SAYS}
    const nested = (levels) => '{"a":'.repeat(levels) + "9007199254740993" + "}".repeat(levels);
    const [deep, flat] = [await text(nested(3000)), await text(nested(100))];
    return [deep.ok, typeof deep.data, deep.length, typeof flat.data];`);
  assert.deepEqual(seen, [true, "string", 3000 * 6 + 16, "object"]);
});

describe("a slip with an answer", () => {
  const hint = async (code) => (await failure(worker, randomUUID(), SAYS + code)).hint;
  test("is explained by the form that the answer had", async () => {
    assert.match(await hint('const r = await helpers.MyPubs.invoke("say", { result: \'{"content":[{"type":"text","text":"a,b"}]}\' });\nreturn r.map((x) => x)'), /`r` came from helpers\.MyPubs\.invoke on line \d+: its result was a text$/);
    assert.match(await hint("const r = await helpers.MyPubs.keep({ given: 1 });\nreturn r.results.map((x) => x)"), /`r\.results` is undefined; .*: its result was an object with the key given$/);
    assert.match(await hint("const r = await helpers.MyPubs.titles();\nreturn r.items.length"), /: its result was a list$/);
    assert.match(await hint("const r = await helpers.MyPubs.count();\nreturn r.map((x) => x)"), /: its result was a plain value, which is returned as \{ok, data, error, meta\}$/);
    assert.match(await hint('const r = await helpers.MyPubs.say({ result: JSON.stringify({ content: [], structuredContent: Array.from({ length: 1001 }, () => ({ a: 1 })) }) });\nreturn r.map((x) => x)'), /: its result was large and is in tables, so the call returned \{staged: true, tables\}; \{stage: false\} returns the data$/);
    assert.match(await hint('const r = await helpers.MyPubs.say({ result: \'{"content":[],"isError":true}\' });\nreturn r.map((x) => x)'), /: it failed with UPSTREAM_TOOL_ERROR and returned \{ok: false, error\}, see the log: test `ok` first$/);
    assert.match(await hint("const r = await helpers.MyPubs.titles({}, { stge: 1 });\nreturn r.map((x) => x)"), /: a failed call returns \{ok: false, error\}, and the log gives the reason$/);
  });

  test("that takes it for the result of the protocol is told what it is", async () => {
    const told = await hint("const r = await helpers.MyPubs.keep({ given: 1 });\nreturn JSON.parse(r.content[0].text)");
    assert.match(told, /^`r\.content` is undefined; .* which returns the data itself and not the MCP result: its result was an object with the key given\. \{returnFormat: "raw"\} returns that result$/);
  });

  test("that parses data again is told that it is data", async () => {
    assert.match(await hint("return JSON.parse(await data({ a: 1 }))"), /already an object, not text: use it directly/);
  });
});

const NULLS = { data: { gene: null, drug: { name: "x" } }, errors: [{ message: "no such gene", path: ["gene"] }] };

describe("GraphQL in a program", () => {
  test("a failure that is thrown keeps what came and what the checks said", async () => {
    const code = "const got = await helpers.papers.say({ result: JSON.stringify({ content: [], structuredContent: input }) }, { throwOnError: true });\nreturn got";
    const seen = await run(`try { ${code} } catch (error) { return [error.name, error.code, error.nullFields, error.data, error._graphqlValidation.valid, Object.keys(error).includes("data"), Object.keys(error).includes("_graphqlValidation")] }`, { input: NULLS });
    assert.deepEqual(seen, ["ToolError", "GRAPHQL_NULL_DATA", ["gene"], NULLS.data, false, false, false]);
    const error = await failure(worker, randomUUID(), code, { input: NULLS });
    assert.deepEqual([error.code, error.data, error._graphqlValidation], ["GRAPHQL_NULL_DATA", undefined, undefined]);
  });

  test("validateGraphQLData explains any response, and calls no server", async () => {
    const before = server.seen.length;
    const answer = await execute(worker, randomUUID(), `
      const check = await validateGraphQLData({ data: input.data }, { query: '{ gene(symbol: "NOPE") { id } drug { name } }' });
      const good = await validateGraphQLData({ data: { gene: { id: 1 } } });
      const misspelt = await validateGraphQLData({ data: {} }, { query: "{ gnee }", schema: "type Query { gene: String }" });
      const text = await validateGraphQLData(JSON.stringify(input), "{ gene }");
      return [check, Object.keys(good).includes("success"), good.valid, misspelt.issues[0].hint, text.nullFields];`, { input: NULLS });
    assert.equal(answer.success, true, JSON.stringify(answer.error));
    const [check, ...rest] = answer.result;
    assert.deepEqual([check.valid, check.nullFields], [false, ["gene"]]);
    assert.match(JSON.stringify(check.issues), /NOPE/);
    assert.deepEqual(rest, [false, true, "did you mean `gene`? the fields of Query include gene", ["gene"]]);
    assert.equal(server.seen.length, before);
    assert.deepEqual(answer.calls.map(({ server: name, tool, ok }) => [name, tool, ok]), Array(4).fill(["helpers", "validateGraphQLData", true]));
  });

  test("validateGraphQLData refuses what it cannot check, under the bound of a request", async () => {
    for (const [code, wanted, words] of [
      ["validateGraphQLData()", "INVALID_ARGUMENT", /nothing to check/],
      ["validateGraphQLData({ data: {} }, { qurey: '{ a }' })", "INVALID_ARGUMENT", /qurey/],
      ["validateGraphQLData('{ no json')", "INVALID_BODY", /./],
      ["validateGraphQLData({ data: { text: 'x'.repeat(200_000) } })", "TOO_BIG", /200000 bytes/],
      ["__invokeDB('checkGraphql', {}, '{\"operation\":\"checkGraphql\"}').then((text) => { throw new DatabaseError(JSON.parse(text).error) })", "INVALID_ARGUMENT", /no request to check/],
    ]) {
      const error = await failure(worker, randomUUID(), `return await ${code}`);
      assert.equal(error.code, wanted, code);
      assert.match(error.message, words);
    }
  });

  test("a host without the check says so", async () => {
    const script = await getText(worker, "/api/codemode/helpers.js");
    const program = `(0, eval)(${JSON.stringify(script)});
      const caught = () => validateGraphQLData({ data: null }).catch(({ name, code, message, hint }) => [name, code, message, hint]);
      const seen = [await caught()];
      globalThis.__invokeDB = () => ({ success: false, error: { code: "UNKNOWN_OPERATION", message: "no such operation" } });
      seen.push(await caught());
      globalThis.__invokeDB = (operation, args, text) => { seen.push([operation, JSON.parse(text).request]); return { success: true, valid: false }; };
      seen.push(await validateGraphQLData({ data: null }, { query: "{ a }" }));
      process.stdout.write(JSON.stringify(seen));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--no-warnings", "--input-type=module", "--eval", program], { maxBuffer: 64 * 1024 * 1024 });
    const refused = ["DatabaseError", "UNKNOWN_OPERATION", "validateGraphQLData is not available: this host cannot check GraphQL", "POST /api/codemode/graphql/check does the same"];
    assert.deepEqual(JSON.parse(stdout), [refused, refused, ["checkGraphql", { query: "{ a }", response: { data: null } }], { valid: false }]);
  });
});
