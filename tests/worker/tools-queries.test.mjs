// Tests of GraphQL tools with the properties of real ones: several schemas behind one server, other
// names for documents and variables, responses that are large and fail.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { createSchema, createYoga } from "graphql-yoga";
import { serve, structured } from "../../demo/servers/mcp.mjs";
import { until } from "../until.mjs";
import { execute } from "./program-client.mjs";
import { answer, call, get, refusal, startWorker } from "./tools-client.mjs";

/** Makes a GraphQL engine as a function. */
function engine(typeDefs, resolvers) {
  const yoga = createYoga({ schema: createSchema({ typeDefs, resolvers }), maskedErrors: false, logging: false, landingPage: false });
  return async (query, variables, operationName) => {
    const body = JSON.stringify({ query, variables, operationName });
    const response = await yoga.fetch("http://engine.invalid/graphql", { method: "POST", headers: { "content-type": "application/json", accept: "application/json" }, body });
    return structured(await response.json());
  };
}

const genes = engine(
  `directive @cascade on FIELD
   type Query { gene(id: ID!): Gene, first(top: Int): [Gene!]!, many(n: Int!): [Gene!]! }
   type Gene { id: ID!, name: String }`,
  {
    Query: {
      gene: (_, { id }) => (id === "NONE" ? null : { id, name: `gene ${id}` }),
      first: (_, { top = 5 }) => Array.from({ length: top }, (_, id) => ({ id })),
      many: (_, { n }) => Array.from({ length: n }, (_, id) => ({ id, name: "x".repeat(200) })),
    },
  },
);
const drugs = engine("type Query { drug(name: String!): Drug } type Drug { name: String }", { Query: { drug: (_, { name }) => ({ name }) } });

const TEXT = { type: "string" };
const OBJECT = { type: "object" };

describe("GraphQL tools as servers have them", () => {
  let peer, worker;
  before(async () => {
    const tool = (name, properties, run) => ({ name, description: name, inputSchema: { type: "object", properties }, run });
    peer = await serve({
      name: "graphs",
      era: "modern",
      tools: [
        tool("gene_query", { query: TEXT, variables: OBJECT }, ({ query, variables }) => genes(query, variables)),
        tool("drug_query", { query: TEXT, variables: OBJECT }, ({ query, variables }) => drugs(query, variables)),
        tool("either", { database: TEXT, query: TEXT }, ({ database, query }) => (database === "drugs" ? drugs : genes)(query)),
        tool("with_params", { query: TEXT, params: OBJECT }, ({ query, params }) => genes(query, params)),
        tool("with_operation", { query: TEXT, operation: TEXT }, ({ query, operation }) => genes(query, undefined, operation)),
        tool("under_another_name", { graphql_query: TEXT }, ({ graphql_query: query }) => genes(query)),
      ],
    });
    worker = await startWorker({ graphs: { url: peer.url, kind: "graphql" } });
  });
  after(() => Promise.all([worker?.stop(), peer?.close()]));

  test("each tool is held against its own schema", async () => {
    assert.deepEqual(await call(worker, "graphs", "gene_query", { query: '{ gene(id: "1") { name } }' }), { data: { gene: { name: "gene 1" } } });
    assert.deepEqual(await call(worker, "graphs", "drug_query", { query: '{ drug(name: "aspirin") { name } }' }), { data: { drug: { name: "aspirin" } } });
    const error = await refusal(worker, "graphs", "drug_query", { query: '{ gene(id: "1") { name } }' });
    assert.equal(error.code, "GRAPHQL_INVALID_QUERY");
  });

  test("an argument that chooses the database chooses the schema", async () => {
    assert.deepEqual(await call(worker, "graphs", "either", { database: "genes", query: '{ gene(id: "1") { id } }' }), { data: { gene: { id: "1" } } });
    assert.deepEqual(await call(worker, "graphs", "either", { database: "drugs", query: '{ drug(name: "x") { name } }' }), { data: { drug: { name: "x" } } });
    const error = await refusal(worker, "graphs", "either", { database: "drugs", query: '{ drg(name: "x") { name } }' });
    assert.equal(error.code, "GRAPHQL_INVALID_QUERY");
    assert.match(error.hint, /`drug`/);
  });

  test("variables and operation under other names are not missed", async () => {
    const args = { query: "query($id: ID!) { gene(id: $id) { id } }", params: { id: "7" } };
    assert.deepEqual(await call(worker, "graphs", "with_params", args), { data: { gene: { id: "7" } } });
    const two = { query: 'query A { gene(id: "1") { id } } query B { gene(id: "2") { id } }', operation: "B" };
    assert.deepEqual(await call(worker, "graphs", "with_operation", two), { data: { gene: { id: "2" } } });
  });

  test("a variable that has no value where all are known is refused before the call", async () => {
    const error = await refusal(worker, "graphs", "gene_query", { query: "query($id: ID!) { gene(id: $id) { id } }" });
    assert.equal(error.code, "GRAPHQL_INVALID_QUERY");
    assert.match(error.message, /\$id/);
  });

  test("a document under any name is checked, and explains the null", async () => {
    const misspelt = await refusal(worker, "graphs", "under_another_name", { graphql_query: '{ gne(id: "1") { id } }' });
    assert.equal(misspelt.code, "GRAPHQL_INVALID_QUERY");
    assert.match(misspelt.hint, /`gene`/);
    const nothing = await refusal(worker, "graphs", "under_another_name", { graphql_query: '{ gene(id: "NONE") { id } }' });
    assert.equal(nothing.code, "GRAPHQL_NULL_DATA");
    assert.match(JSON.stringify(nothing.details), /NONE/);
  });

  test("a directive that the server knows is no mistake", async () => {
    assert.deepEqual(await call(worker, "graphs", "gene_query", { query: '{ gene(id: "1") @cascade { id } }' }), { data: { gene: { id: "1" } } });
  });

  test("a value for a variable that the query does not declare is told, and the call goes on", async () => {
    const args = { query: "query($top: Int) { first(top: $top) { id } }", variables: { topp: 2 } };
    const { result, meta } = await answer(worker, "graphs", "gene_query", args);
    assert.equal(result.data.first.length, 5, "the default, not what was meant");
    assert.match(meta.notice, /topp/);
    const program = await execute(worker, randomUUID(), `return (await helpers.graphs.gene_query(${JSON.stringify(args)})).data.first.length`);
    assert.equal(program.result, 5);
    assert.match(program.logs.map(({ text }) => text).join("\n"), /topp/);
  });

  test("what needs no session leaves a line in the log too, without its arguments", async () => {
    const seen = worker.operations().length;
    await refusal(worker, "graphs", "gene_query", { query: '{ swordfish }' });
    await call(worker, "graphs", "drug_query", { query: '{ drug(name: "x") { name } }' });
    await get(worker, "/api/codemode/tools?query=drug");
    const lines = await until(() => {
      const lines = worker.operations().slice(seen);
      return lines.length >= 3 && lines;
    });
    assert.deepEqual(lines.map(({ tenant, session, operation, code }) => [tenant, session, operation, code]), [
      ["local", "", "proxy", "GRAPHQL_INVALID_QUERY"],
      ["local", "", "proxy", "OK"],
      ["local", "", "tools", "OK"],
    ]);
    assert.ok(lines[1].bytesIn > 10 && lines[1].bytesOut > 10, JSON.stringify(lines[1]));
    assert.ok(!JSON.stringify(lines).includes("swordfish"));
  });

  test("what came beside a null root is a program's, however large it is", async () => {
    const program = await execute(worker, randomUUID(), `
      const got = await helpers.graphs.gene_query({ query: '{ none: gene(id: "NONE") { id } many(n: 6000) { id name } }' });
      return [got.ok, got.error.code, got.data.many.length, JSON.stringify(got.error).length < 5000];`);
    assert.deepEqual(program.result, [false, "GRAPHQL_NULL_DATA", 6000, true]);
  });
});
