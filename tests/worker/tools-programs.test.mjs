// Tests of servers from the view of a program: helpers.<server>, the shape of results, failures,
// discovery, and proxies that are safe to inspect.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { startPeer } from "../peers/peer.mjs";
import { until } from "../until.mjs";
import { execute, failure, result } from "./program-client.mjs";
import { startWorker } from "./tools-client.mjs";

let peer, worker;
before(async () => {
  peer = await startPeer();
  worker = await startWorker({ peer, "with-dash": peer });
});
after(() => Promise.all([worker?.stop(), peer?.close()]));
/** Runs a program in its own session and returns its result. */
const run = (code, more) => result(worker, randomUUID(), code, more);

describe("a result", () => {
  test("is the data itself: a list is a list", async () => {
    assert.deepEqual(
      await run(`
        const papers = await helpers.peer.big({ n: 3 });
        return [Array.isArray(papers), papers.length, papers.map(({ name }) => name), papers.filter(({ active }) => active).length, [...papers].length, papers.at(-1).id];`),
      [true, 3, ["record 1", "record 2", "record 3"], 1, 3, 3],
    );
  });

  test("carries ok, data, error and meta, which nobody sees who does not ask", async () => {
    const seen = await run(`
      const papers = await helpers.peer.big({ n: 2 });
      const one = await helpers.peer.echo({ message: "x" });
      return {
        ok: [papers.ok, one.ok], error: [papers.error ?? null, one.error ?? null],
        data: [papers.data.length, one.data.message], meta: [papers.meta.server, one.meta.tool, typeof one.meta.durationMs],
        keys: [Object.keys(papers), Object.keys(one), Object.entries(one), { ...one }],
        json: [JSON.stringify(one), JSON.stringify(papers)], loop: (() => { const names = []; for (const name in one) names.push(name); return names; })(),
        clone: structuredClone(one),
      };`);
    assert.deepEqual(seen.ok, [true, true]);
    assert.deepEqual(seen.error, [null, null]);
    assert.deepEqual(seen.data, [2, "x"]);
    assert.deepEqual(seen.meta, ["peer", "echo", "number"]);
    assert.deepEqual(seen.keys, [["0", "1"], ["message"], [["message", "x"]], { message: "x" }]);
    assert.deepEqual(JSON.parse(seen.json[0]), { message: "x" });
    assert.deepEqual(Object.keys(JSON.parse(seen.json[1])[0]), ["id", "name", "score", "active"]);
    assert.deepEqual([seen.loop, seen.clone], [["message"], { message: "x" }]);
  });

  test("keeps its own keys, whatever their names", async () => {
    const own = { ok: "mine", data: { data: 1 }, error: "none of yours", meta: [1], kept: true };
    assert.deepEqual(await run("const got = await helpers.peer.own_keys();\nreturn [got, got.ok, got.data, got.error, got.meta, JSON.stringify(got)]"), [own, own.ok, own.data, own.error, own.meta, JSON.stringify(own)]);
  });

  test("of text is a text, also where it could be read as a number or a word of JSON", async () => {
    assert.deepEqual(
      await run('const got = [];\nfor (const json of ["null", "true", "02134", "94103", "[]", "{}"]) { const { ok, data } = await helpers.peer.value({ json }); got.push([ok, data]); }\nreturn got'),
      ["null", "true", "02134", "94103", [], {}].map((value) => [true, value]),
    );
    assert.equal(await run("return await helpers.peer.text()"), "plain words, no JSON");
    assert.deepEqual(await run('const got = await helpers.peer.text();\nreturn [`${got}!`, got.toUpperCase(), got.split(" ").length, got + "", JSON.stringify({ got }), got.ok]'), [
      "plain words, no JSON!", "PLAIN WORDS, NO JSON", 4, "plain words, no JSON", '{"got":"plain words, no JSON"}', true,
    ]);
  });

  test("keeps integers that a number cannot hold", async () => {
    assert.deepEqual(await run('const got = await helpers.peer.value({ json: "{\\"id\\": 9007199254740993, \\"small\\": 5}" });\nreturn [String(got.id), typeof got.small]'), ["9007199254740993", "number"]);
  });

  test("does not change what objects are", async () => {
    const seen = await run(`
      const got = await helpers.peer.value({ json: '{"__proto__": {"polluted": true}, "constructor": 1, "then": 2, "toJSON": 3}' });
      return [({}).polluted ?? null, typeof {}.constructor, got.constructor, got.then, JSON.stringify(got)];`);
    assert.deepEqual(seen.slice(0, 4), [null, "function", 1, 2]);
  });

  test("in other forms: an envelope and the protocol's own", async () => {
    const [envelope, raw, failed] = await run(`
      return [
        await helpers.peer.invoke("echo", { message: "x" }, { returnFormat: "envelope" }),
        await helpers.peer.invoke("echo", { message: "x" }, { returnFormat: "raw" }),
        await helpers.peer.invoke("failing", {}, { returnFormat: "envelope" }),
      ];`);
    assert.deepEqual([Object.keys(envelope).slice(0, 2), envelope.ok, envelope.data, envelope.meta.server], [["ok", "data"], true, { message: "x" }, "peer"]);
    assert.deepEqual(raw.structuredContent, { message: "x" });
    assert.equal(raw.content[0].type, "text");
    assert.deepEqual([failed.ok, failed.error.code], [false, "UPSTREAM_TOOL_ERROR"]);
    assert.deepEqual((await run('return await helpers.peer.invoke("echo", { message: "x" }, { raw: true })')).structuredContent, { message: "x" });
  });

  test("of a method is that of invoke", async () => {
    assert.deepEqual(await run('return [await helpers.peer.add({ left: 1, right: 2 }), await helpers.peer.invoke("add", { left: 1, right: 2 })]'), [{ sum: 3 }, { sum: 3 }]);
  });
});

describe("a failure", () => {
  test("resolves to ok: false with the error", async () => {
    const seen = await run(`
      const got = [];
      for (const [tool, args] of [["failing", {}], ["add", { left: 1, rihgt: 2 }], ["ecko", {}]]) {
        const { ok, error, data } = await helpers.peer.invoke(tool, args);
        got.push({ ok, code: error.code, message: error.message, hint: error.hint ?? null, suggestions: error.suggestions ?? null, issues: error.issues?.length ?? 0, data: data ?? null });
      }
      return got;`);
    assert.deepEqual(seen.map(({ ok, code }) => [ok, code]), [[false, "UPSTREAM_TOOL_ERROR"], [false, "INVALID_ARGUMENTS"], [false, "TOOL_NOT_FOUND"]]);
    assert.match(seen[0].message, /out of paper/);
    assert.ok(seen[1].issues >= 2);
    assert.equal(seen[2].suggestions[0], "echo");
    assert.ok(seen.every(({ data }) => data === null));
  });

  test("rejects where the program wants it, with code and place", async () => {
    const error = await failure(worker, randomUUID(), 'const a = 1;\nawait helpers.peer.failing({}, { throwOnError: true });');
    assert.deepEqual([error.code, error.category, error.line], ["UPSTREAM_TOOL_ERROR", "tool", 2]);
    assert.deepEqual(await run('try { await helpers.peer.invoke("failing", {}, { throwOnError: true }) } catch (error) { return [error instanceof Error, error.code] }'), [true, "UPSTREAM_TOOL_ERROR"]);
  });

  test("of a method that no tool has names the nearest", async () => {
    const seen = await run('const got = await helpers.peer.ecko({ message: "x" });\nreturn [got.ok, got.error.code, got.error.suggestions[0]]');
    assert.deepEqual(seen, [false, "TOOL_NOT_FOUND", "echo"]);
  });

  test("of a server that nobody configured names the nearest", async () => {
    const error = await failure(worker, randomUUID(), 'return await helpers.pear.echo({ message: "x" })');
    assert.deepEqual([error.name, error.code], ["TypeError", "SERVER_NOT_FOUND"]);
    assert.match(error.hint, /did you mean `helpers\.peer`\?/);
  });

  test("is in the list of calls, and does not end the program", async () => {
    const answer = await execute(worker, randomUUID(), 'await helpers.peer.failing();\nawait helpers.peer.echo({ message: "x" });\nreturn 1');
    assert.equal(answer.result, 1);
    assert.deepEqual(answer.calls.map(({ server, tool, ok }) => [server, tool, ok]), [["peer", "failing", false], ["peer", "echo", true]]);
  });

  test("of a program that forgets about it says so", async () => {
    const error = await failure(worker, randomUUID(), 'const { data } = await helpers.peer.failing();\nreturn data.rows.length');
    assert.equal(error.line, 2, JSON.stringify(error));
    assert.match(error.hint, /ok: false/);
  });

  test("of arguments that are no object is told before the call", async () => {
    const before = peer.of("tools/call", "echo").length;
    const seen = await run('const got = [];\nfor (const args of ["x", 5, [1], () => 1]) { try { const one = await helpers.peer.echo(args); got.push(one.ok === false ? one.error.code : "called"); } catch (error) { got.push(error.code ?? error.name); } }\nreturn got');
    for (const code of seen) assert.match(code, /^INVALID_ARGUMENTS?$/, seen.join());
    assert.equal(peer.of("tools/call", "echo").length, before);
  });
});

describe("discovery", () => {
  test("listTools, searchTools, getToolSchema, search and describe", async () => {
    const seen = await run(`
      const tools = await helpers.peer.listTools();
      const found = await helpers.peer.searchTools("integers");
      const schema = await helpers.peer.getToolSchema("add");
      const all = await helpers.search("integers");
      const described = await helpers.describe("peer", "add");
      return { names: tools.map(({ name }) => name), found: found.map(({ name }) => name), schema, all: all.map(({ server, name }) => [server, name]), described };`);
    assert.deepEqual(seen.names, peer.tools.map(({ name }) => name));
    assert.equal(seen.found[0], "add");
    const { inputSchema } = peer.tools.find(({ name }) => name === "add");
    assert.deepEqual(seen.schema.inputSchema, inputSchema);
    assert.deepEqual(seen.all.filter(([, name]) => name === "add").map(([server]) => server).sort(), ["peer", "with-dash"]);
    assert.match(JSON.stringify(seen.described), /the first summand/);
  });

  test("of what is not there fails with the nearest name", async () => {
    const seen = await run(`
      const got = [];
      for (const ask of [() => helpers.peer.getToolSchema("ad"), () => helpers.describe("peer", "ad"), () => helpers.describe("per", "add")]) {
        try { const one = await ask(); got.push(one.error ? [one.error.code, one.error.suggestions[0]] : one); } catch (error) { got.push([error.code, error.suggestions[0]]); }
      }
      return got;`);
    assert.deepEqual(seen, [["TOOL_NOT_FOUND", "add"], ["TOOL_NOT_FOUND", "add"], ["SERVER_NOT_FOUND", "peer"]]);
  });

  test("lists nothing again", async () => {
    const before = peer.lists();
    await run('await helpers.peer.listTools();\nawait helpers.search("echo");\nreturn await helpers.peer.echo({ message: "x" })');
    assert.equal(peer.lists(), before);
  });
});

describe("looking at a server", () => {
  test("is no call: it is no promise, and prints", async () => {
    const before = peer.of("tools/call").length;
    const answer = await execute(
      worker,
      randomUUID(),
      `
      const awaited = await helpers.peer;
      const all = await Promise.all([helpers.peer, helpers]);
      console.log(helpers.peer);
      console.log("helpers", helpers, [helpers.peer]);
      console.log(\`\${typeof helpers.peer} \${String(helpers.peer).length > 0}\`);
      return {
        same: [awaited === helpers.peer, all[0] === helpers.peer],
        json: [typeof JSON.stringify(helpers), typeof JSON.stringify(helpers.peer), typeof JSON.stringify({ a: helpers.peer })],
        names: Object.keys(helpers).includes("peer"),
        has: ["peer" in helpers, "invoke" in helpers.peer],
        kinds: [typeof helpers.peer.echo, typeof helpers.peer.invoke, typeof helpers.peer.then, typeof helpers.peer.toJSON, typeof helpers.peer[Symbol.toPrimitive], typeof helpers.peer[Symbol.iterator]],
        tag: Object.prototype.toString.call(helpers.peer),
        instance: helpers.peer instanceof Promise,
      };`,
    );
    assert.equal(answer.success, true, JSON.stringify(answer.error));
    const { same, json, names, has, kinds, tag, instance } = answer.result;
    assert.deepEqual(same, [true, true]);
    assert.deepEqual(json, ["string", "string", "string"]);
    assert.deepEqual([names, ...has], [true, true, true]);
    assert.deepEqual(kinds, ["function", "function", "undefined", "function", "undefined", "undefined"]);
    assert.match(tag, /^\[object /);
    assert.equal(instance, false);
    assert.equal(answer.logs.length, 3);
    assert.deepEqual(answer.calls, [], "nothing was called");
    assert.equal(peer.of("tools/call").length, before);
  });

  test("returning it tells what is in it", async () => {
    assert.deepEqual(await run("return helpers.peer"), { server: "peer", tools: "await helpers.peer.listTools()" });
    const { helpers } = await run("return helpers");
    assert.deepEqual(helpers.filter((name) => ["db", "peer", "with-dash"].includes(name)).sort(), ["db", "peer", "with-dash"]);
  });

  test("tools with the names of methods and properties are reached by invoke", async () => {
    assert.deepEqual(await run('return [await helpers.peer.invoke("then", {}), await helpers.peer.invoke("constructor", {}), await helpers.peer.invoke("dash-and.dot", {})]'), [{ then: true }, { built: true }, { dashed: true }]);
    assert.deepEqual(await run('return await helpers.peer["dash-and.dot"]()'), { dashed: true });
    assert.deepEqual(await run('return await helpers["with-dash"].echo({ message: "x" })'), { message: "x" });
  });

  test("a program cannot put another thing in its place for the next", async () => {
    const session = randomUUID();
    const code = 'try { helpers.peer.echo = () => "mine"; helpers.peer = 5; } catch {}\nreturn 1';
    await result(worker, session, code);
    assert.deepEqual(await result(worker, session, 'return await helpers.peer.echo({ message: "x" })'), { message: "x" });
  });
});

describe("isolates", () => {
  test("that are kept call servers in each run, and nothing is left of the run before", async () => {
    const session = randomUUID();
    const code = 'const got = await helpers.peer.echo({ message: input });\ngot.left = globalThis.left ?? null;\nglobalThis.left = input;\nreturn got';
    const seen = [];
    for (const input of ["a", "b", "c"]) seen.push(await result(worker, session, code, { reuse: true, input }));
    assert.deepEqual(seen, [{ message: "a", left: null }, { message: "b", left: "a" }, { message: "c", left: "b" }]);
  });

  test("whose objects a program has bent still answer with what the server said", async () => {
    const seen = await run(`
      Object.prototype.ok = "bent";
      Array.prototype[Symbol.iterator] = function* () { yield "bent"; };
      JSON.parse = () => ({ message: "bent" });
      Promise.prototype.then = new Proxy(Promise.prototype.then, { apply: (target, self, given) => Reflect.apply(target, self, given) });
      const got = await helpers.peer.echo({ message: "straight" });
      const failed = await helpers.peer.failing();
      return { message: got.message, ok: got.ok, failed: failed.ok, code: failed.error.code };`);
    assert.deepEqual(seen, { message: "straight", ok: true, failed: false, code: "UPSTREAM_TOOL_ERROR" });
  });
});

describe("many calls", () => {
  test("at once are answered each with its own answer", async () => {
    const names = await run('const all = await Promise.all(Array.from({ length: 40 }, (_, index) => helpers.peer.echo({ message: "m" + index })));\nreturn all.map(({ message }) => message)');
    assert.deepEqual(names, Array.from({ length: 40 }, (_, index) => `m${index}`));
  });

  test("do not wait for each other: a fast one is answered while a slow one is open", async () => {
    const answer = execute(worker, randomUUID(), `
      const slow = helpers.peer.slow({ key: "race" }).then(() => "slow");
      const fast = helpers.peer.echo({ message: "fast" }).then(({ message }) => message);
      const first = await Promise.race([slow, fast]);
      await helpers.db.saveState("first", first);
      return [first, await helpers.peer.echo({ message: "release" }).then(() => slow)];`);
    // The slow call continues when the fast one, and the call after it, have their responses.
    await until(() => peer.of("tools/call", "echo").some(({ params, ended }) => ended && params.arguments.message === "release"));
    peer.state.release("race");
    assert.deepEqual((await answer).result, ["fast", "slow"]);
  });

  test("of the session and of servers go together", async () => {
    const rows = await run(`
      await helpers.db.createTable("got", "message TEXT");
      for (let index = 0; index < 5; index++) {
        const { message } = await helpers.peer.echo({ message: "m" + index });
        await helpers.db.batchInsert("got", [{ message }]);
      }
      return await helpers.db.query("SELECT count(*) AS n FROM got");`);
    assert.deepEqual(rows, [{ n: 5 }]);
  });
});
