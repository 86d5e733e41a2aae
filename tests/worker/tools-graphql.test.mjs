// Tests of GraphQL behind MCP tools: responses that explain their nulls, queries checked against
// the schema before they are sent, and the same for any client.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { openGraphql, startTargets } from "../../demo/servers/targets.mjs";
import { startPeer } from "../peers/peer.mjs";
import { execute, result } from "./program-client.mjs";
import { answer, call, refusal, startWorker } from "./tools-client.mjs";

const TOOL = "graphql_query";

for (const era of ["modern", "legacy"]) {
  describe(`a GraphQL server of the ${era} era`, () => {
    let targets, worker;
    before(async () => {
      targets = await startTargets({ era });
      worker = await startWorker({ targets: { url: targets.url, kind: "graphql" } });
    });
    after(() => Promise.all([worker?.stop(), targets?.close()]));
    const asked = (part) => targets.calls.filter(({ method, params }) => method === "tools/call" && params.arguments.query?.includes(part)).length;
    const run = (code) => execute(worker, randomUUID(), code);

    test("a good answer is data, with its check", async () => {
      const { result: got, _graphqlValidation: check } = await answer(worker, "targets", TOOL, { query: '{ target(symbol: "EGFR") { symbol level } }' });
      assert.deepEqual(got, { data: { target: { symbol: "EGFR", level: "Tchem" } } });
      assert.deepEqual([check.valid, check.nullFields], [true, []]);
      const program = await run(`
        const got = await helpers.targets.${TOOL}({ query: '{ target(symbol: "EGFR") { symbol level } }' });
        return [got.ok, got.data.target.symbol, got._graphqlValidation.valid, Object.keys(got), JSON.stringify(got)];`);
      assert.deepEqual(program.result, [true, "EGFR", true, ["data"], '{"data":{"target":{"symbol":"EGFR","level":"Tchem"}}}']);
      assert.deepEqual(program.logs, []);
    });

    test("a null root field is an explanation, not data", async () => {
      const error = await refusal(worker, "targets", TOOL, { query: '{ target(symbol: "NOPE") { name } }' });
      assert.deepEqual([error.status, error.code, error.nullFields], [422, "GRAPHQL_NULL_DATA", ["target"]]);
      assert.match(error.message, /target/);
      assert.ok(error.details.some(({ code, message }) => code === "GRAPHQL_NULL_FIELD" && message.includes("target")), JSON.stringify(error.details));
      assert.match(JSON.stringify([error.hint, error.details]), /NOPE/, "the argument that matched nothing is quoted");
    });

    test("a program gets it as a failure, and a person the lines on the console", async () => {
      const program = await run(`
        const got = await helpers.targets.${TOOL}({ query: '{ target(symbol: "NOPE") { name } }' });
        return { ok: got.ok, code: got.error.code, nullFields: got.error.nullFields, details: got.error.details.length, valid: got._graphqlValidation.valid, data: got.data, keys: Object.keys(got).includes("data") };`);
      assert.deepEqual({ ...program.result, details: 0 }, { ok: false, code: "GRAPHQL_NULL_DATA", nullFields: ["target"], details: 0, valid: false, data: { target: null }, keys: false });
      assert.ok(program.result.details >= 1);
      const text = program.logs.map((line) => line.text).join("\n");
      assert.match(text, /\[GraphQL\] targets\.graphql_query: GraphQL field "target" is null\./);
      assert.match(text, /target/);
      assert.ok(program.logs.length >= 3, text);
      assert.ok(program.logs.every(({ level }) => ["warn", "error"].includes(level)), JSON.stringify(program.logs));
    });

    test("an alias and a variable are named as the query has them", async () => {
      const error = await refusal(worker, "targets", TOOL, {
        query: "query Find($wanted: String!) { first: target(symbol: $wanted) { ...T } } fragment T on Target { name }",
        variables: { wanted: "GHOST1" },
      });
      assert.deepEqual([error.code, error.nullFields], ["GRAPHQL_NULL_DATA", ["first"]]);
      assert.match(JSON.stringify(error), /GHOST1/);
      assert.match(JSON.stringify(error), /target/);
    });

    test("nulls deeper down are warnings with path and count, and the data stays usable", async () => {
      const { result: got, _graphqlValidation: check } = await answer(worker, "targets", TOOL, { query: "{ targets(top: 20) { symbol novelty diseases { score disease { mondo } } } }" });
      assert.equal(got.data.targets.length, 20);
      assert.equal(check.valid, true);
      const text = JSON.stringify(check);
      assert.match(text, /novelty/);
      assert.match(text, /score/);
      assert.ok(check.issues.length > 0 && check.issues.every(({ severity }) => severity !== "error"), text);
      const expected = got.data.targets.filter(({ novelty }) => novelty === null).length;
      const issue = check.issues.find(({ path, message }) => `${JSON.stringify(path)} ${message}`.includes("novelty"));
      assert.ok(JSON.stringify(issue).includes(String(expected)), `${expected} in ${JSON.stringify(issue)}`);
    });

    test("partial data with errors stays usable and says so", async () => {
      const { result: got, _graphqlValidation: check } = await answer(worker, "targets", TOOL, { query: '{ target(symbol: "ADRB1") { symbol expression { level } } }' });
      assert.deepEqual(got.data, { target: { symbol: "ADRB1", expression: null } });
      const issue = check.issues.find(({ code }) => code === "GRAPHQL_ERROR");
      assert.match(issue.message, /expression service has no result for ADRB1/);
      assert.match(JSON.stringify(issue.path), /expression/);
    });

    test("a misspelt field, argument or type is named with the nearest one before the call", async () => {
      for (const [query, wrong, right] of [
        ['{ target(symbol: "EGFR") { symbl } }', "symbl", "symbol"],
        ['{ tarqet(symbol: "EGFR") { symbol } }', "tarqet", "target"],
        ['{ target(symbl: "EGFR") { symbol } }', "symbl", "symbol"],
        ['{ target(symbol: "EGFR") { ligands(aproved: true) { id } } }', "aproved", "approved"],
        ["{ targets(filter: { levl: Tclin }) { symbol } }", "levl", "level"],
        ["{ targets(filter: { level: Tclim }) { symbol } }", "Tclim", "Tclin"],
      ]) {
        const error = await refusal(worker, "targets", TOOL, { query });
        assert.deepEqual([error.status, error.code], [400, "GRAPHQL_INVALID_QUERY"], query);
        const text = JSON.stringify(error.issues);
        assert.ok(text.includes(wrong) && text.includes(right), `${wrong} and ${right} in ${text}`);
        assert.equal(asked(query), 0, `${query} was not sent`);
      }
    });

    test("a missing required argument and a wrong type are named before the call", async () => {
      for (const [query, word] of [
        ["{ target { symbol } }", "symbol"],
        ["{ target(symbol: 5) { symbol } }", "symbol"],
        ['{ targets(top: "many") { symbol } }', "top"],
        ['{ target(symbol: "EGFR") }', "target"],
      ]) {
        const error = await refusal(worker, "targets", TOOL, { query });
        assert.equal(error.code, "GRAPHQL_INVALID_QUERY", query);
        assert.ok(JSON.stringify(error.issues).includes(word), `${word} in ${JSON.stringify(error.issues)}`);
        assert.equal(asked(query), 0);
      }
    });

    test("a program gets the misspelling explained, and a person a line on the console", async () => {
      const program = await run(`
        const got = await helpers.targets.${TOOL}({ query: '{ target(symbol: "EGFR") { symbl } }' });
        return [got.ok, got.error.code, JSON.stringify(got.error.issues)];`);
      assert.deepEqual(program.result.slice(0, 2), [false, "GRAPHQL_INVALID_QUERY"]);
      assert.match(program.result[2], /symbol/);
      const told = program.logs.find(({ text }) => text.includes("symbl"));
      assert.ok(told, JSON.stringify(program.logs));
      assert.match(told.text, /targets\.graphql_query\b.*symbl/);
    });

    test("the schema is asked for once", () => {
      assert.equal(asked("__schema"), 1);
    });

    test("safeGraphQLAccess tells each null once and gives null", async () => {
      const program = await run(`
        const got = await helpers.targets.${TOOL}({ query: "{ targets(top: 20) { symbol novelty diseases { score } } }" });
        const safe = safeGraphQLAccess(got.data, "targets", "${TOOL}");
        const novelties = [safe.targets[5].novelty, safe.targets[5].novelty, safe.targets[5].novelty];
        return {
          novelties, same: safe.targets === safe.targets, list: Array.isArray(safe.targets), length: safe.targets.length,
          names: safe.targets.map((target) => target.symbol).slice(0, 2), spread: [...safe.targets].length,
          json: JSON.stringify(safe) === JSON.stringify(got.data), clone: structuredClone(safe).targets.length,
        };`);
      assert.equal(program.success, true, JSON.stringify(program.error));
      assert.deepEqual(program.result, { novelties: [null, null, null], same: true, list: true, length: 20, names: ["ACE2", "ADRB1"], spread: 20, json: true, clone: 20 });
      const told = program.logs.filter(({ text }) => text.includes("targets[5].novelty"));
      assert.equal(told.length, 1, JSON.stringify(program.logs));
    });

    test("a list of GraphQL records is staged like any other", async () => {
      const session = worker.session();
      const receipt = await call(worker, "targets", TOOL, { query: "{ targets(top: 20) { symbol level ligands { id approved } } }" }, { session: session.name, stage: true });
      assert.equal(receipt.staged, true);
      const list = receipt.tables.find(({ rows }) => rows === 20);
      const { results } = await session.query(`SELECT level, count(*) AS n FROM "${list.name}" GROUP BY level ORDER BY level`);
      assert.deepEqual(results, ["Tbio", "Tchem", "Tclin", "Tdark"].map((level) => ({ level, n: 5 })));
    });
  });
}

describe("a server without kind", () => {
  test("whose answer looks like GraphQL is checked as well, without being asked for a schema", async () => {
    const peer = await startPeer();
    const worker = await startWorker({ peer });
    try {
      const error = await refusal(worker, "peer", "value", { json: '{"data":{"gene":null},"errors":[{"message":"no such gene","path":["gene"]}]}' });
      assert.deepEqual([error.code, error.nullFields], ["GRAPHQL_NULL_DATA", ["gene"]]);
      const none = await refusal(worker, "peer", "value", { json: '{"data":null,"errors":[{"message":"no"}]}' });
      assert.equal(none.code, "GRAPHQL_NULL_DATA");
      assert.deepEqual(await call(worker, "peer", "value", { json: '{"data":{"gene":null},"page":1}' }), { data: { gene: null }, page: 1 }, "no GraphQL answer");
      assert.equal(peer.of("tools/call").length, 3);
    } finally {
      await Promise.all([worker.stop(), peer.close()]);
    }
  });

  test("two tenants ask for a schema each", async () => {
    const targets = await startTargets();
    const tokens = { "token-one-0123456789": "one", "token-two-0123456789": "two" };
    const worker = await startWorker({ targets: { url: targets.url, kind: "graphql" } }, { settings: { API_TOKENS: JSON.stringify(tokens) } });
    try {
      for (const token of [...Object.keys(tokens), ...Object.keys(tokens)]) await call(worker, "targets", TOOL, { query: "{ targets { symbol } }" }, {}, { authorization: `Bearer ${token}` });
      assert.equal(targets.calls.filter(({ params }) => params?.arguments?.query?.includes("__schema")).length, 2);
    } finally {
      await Promise.all([worker.stop(), targets.close()]);
    }
  });
});

describe("POST /graphql/check", () => {
  let worker, introspection;
  before(async () => {
    worker = await startWorker({});
    introspection = await openGraphql()(INTROSPECTION);
  });
  after(() => worker?.stop());

  async function check(body, status = 200) {
    const response = await worker.fetch("/api/codemode/graphql/check", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    const text = await response.text();
    assert.equal(response.status, status, text);
    return JSON.parse(text);
  }
  const codes = ({ issues }) => issues.map(({ code }) => code);

  test("a good answer is valid", async () => {
    const checked = await check({ response: { data: { a: 1 } } });
    assert.deepEqual([checked.success, checked.valid, checked.issues, checked.nullFields], [true, true, [], []]);
  });

  test("data: null is an error", async () => {
    const checked = await check({ response: { data: null, errors: [{ message: "boom", path: ["a", 0, "b"], locations: [{ line: 1, column: 3 }], extensions: { code: "FORBIDDEN" } }] } });
    assert.equal(checked.valid, false);
    assert.ok(codes(checked).includes("GRAPHQL_NULL_DATA") && codes(checked).includes("GRAPHQL_ERROR"), JSON.stringify(checked));
    assert.match(JSON.stringify(checked.issues), /FORBIDDEN/);
    assert.match(JSON.stringify(checked.issues), /boom/);
  });

  test("several null root fields are all named, beside those that are not", async () => {
    const checked = await check({ response: { data: { a: null, b: 1, c: null } } });
    assert.deepEqual([checked.valid, checked.nullFields], [false, ["a", "c"]]);
    assert.deepEqual(checked.issues.map(({ severity, code, path }) => [severity, code, path]), [["error", "GRAPHQL_NULL_FIELD", "data.a"], ["error", "GRAPHQL_NULL_FIELD", "data.c"]]);
    assert.ok(checked.issues.every(({ message, hint }) => message.length > 10 && hint.length > 10));
  });

  test("a query is held against a schema that is given as SDL or as an introspection", async () => {
    for (const schema of ["type Query { target(symbol: String!): Target } type Target { symbol: String! name: String }", introspection]) {
      const checked = await check({ response: { data: { target: null } }, query: '{ target(symbol: "X") { nme } }', schema });
      assert.equal(checked.valid, false);
      const text = JSON.stringify(checked.issues);
      assert.ok(text.includes("nme") && text.includes("name"), text);
    }
  });

  test("the answer's text may be given as text", async () => {
    assert.equal((await check({ response: '{"data":{"a":null}}' })).valid, false);
  });

  test("what cannot be checked is refused", async () => {
    for (const body of [{}, { response: "no json" }, { response: 5, query: 7 }]) {
      const refused = await check(body, 400);
      assert.equal(refused.success, false);
    }
  });

  test("depth and number of issues are bounded", async () => {
    let deep = null;
    for (let level = 0; level < 400; level += 1) deep = { next: deep };
    assert.equal((await check({ response: { data: deep } })).success, true);
    const many = { data: { list: Array.from({ length: 5_000 }, (_, index) => ({ [`f${index}`]: null })) } };
    const checked = await check({ response: many });
    assert.deepEqual([checked.valid, checked.issues.length, checked.nullCount], [true, 100, 5_000]);
    assert.ok(checked.omittedIssues > 800, `${checked.omittedIssues} issues left out`);
  });
});

const INTROSPECTION = `query { __schema { queryType { name } mutationType { name } subscriptionType { name } types { ...T } directives { name locations args { ...I } } } }
fragment T on __Type { kind name description fields(includeDeprecated: true) { name args { ...I } type { ...R } isDeprecated deprecationReason } inputFields { ...I } interfaces { ...R } enumValues(includeDeprecated: true) { name isDeprecated deprecationReason } possibleTypes { ...R } }
fragment I on __InputValue { name type { ...R } defaultValue }
fragment R on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } }`;

test("a program's result of a null answer can be passed on and logged without harm", async () => {
  const targets = await startTargets();
  const worker = await startWorker({ targets: { url: targets.url, kind: "graphql" } });
  try {
    const got = await result(worker, randomUUID(), `const got = await helpers.targets.${TOOL}({ query: '{ target(symbol: "NOPE") { name } }' });\nconsole.log(got, got.error);\nreturn got`);
    assert.deepEqual([got.ok, got.error.code], [false, "GRAPHQL_NULL_DATA"]);
  } finally {
    await Promise.all([worker.stop(), targets.close()]);
  }
});
