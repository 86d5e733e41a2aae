// Tests of servers that deviate from the protocol as real ones do: the call succeeds, or the error
// contains the server's message.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ODD, startOdd } from "../peers/odd.mjs";
import { answer, call, get, refusal, startWorker } from "./tools-client.mjs";

/** Returns a server's name in the settings. */
const named = (odd) => `odd${ODD.indexOf(odd)}`;

describe("odd servers", () => {
  const servers = {};
  let worker;
  before(async () => {
    for (const odd of ODD) servers[named(odd)] = await startOdd(odd);
    worker = await startWorker(servers);
  });
  after(async () => {
    await worker?.stop();
    await Promise.all(Object.values(servers).map(({ close }) => close()));
  });

  const seen = (odd, method) => servers[named(odd)].seen.filter((one) => one.method === method);
  const tools = async (odd) => (await get(worker, `/api/codemode/proxy?server=${named(odd)}`)).tools.map(({ name }) => name);
  const session = (odd) => ({ session: named(odd) });

  for (const [odd, versions] of [
    ["refuses the version with data", ["2025-11-25", "2025-03-26"]],
    ["refuses the version in words", ["2025-11-25", "2025-06-18"]],
    ["refuses the version as a text", ["2025-11-25", "2024-11-05"]],
  ]) {
    test(`a server that ${odd} is asked once more`, async () => {
      const { tool } = await call(worker, named(odd), "read", {}, session(odd));
      assert.equal(tool, "read");
      const asked = seen(odd, "initialize").map(({ version }) => version);
      assert.deepEqual(asked.slice(0, 2), versions);
      assert.equal(new Set(asked).size, 2, "no third version is tried");
    });
  }

  for (const [odd, times] of [["refuses every version", 2], ["names no version", 1]]) {
    test(`a server that ${odd} fails with its words`, async () => {
      const error = await refusal(worker, named(odd), "read");
      assert.equal(error.code, "UPSTREAM_FAILED");
      assert.match(error.message, /Unsupported protocol version/);
      assert.equal(seen(odd, "initialize").length, times);
    });
  }

  for (const odd of ODD.filter((name) => name.startsWith("loses the session"))) {
    test(`a server that ${odd} gets another one`, async () => {
      const read = () => call(worker, named(odd), "read", {}, session(odd));
      const first = await read();
      // A read is repeated at once.
      const second = await read();
      const third = await read();
      assert.notEqual(second.session, first.session);
      assert.equal(third.session, second.session);
    });
  }

  for (const odd of ["an empty cursor at the end", "an empty cursor that is refused", "an empty cursor that is a page", "a cursor of null"]) {
    test(`${odd} loses no tool`, async () => assert.deepEqual(await tools(odd), ["read", "write"]));
  }

  for (const odd of ["tools of null", "no tools at all"]) {
    test(`${odd} is an empty list`, async () => {
      assert.deepEqual(await tools(odd), []);
      const error = await refusal(worker, named(odd), "read");
      assert.deepEqual([error.code, error.hint], ["TOOL_NOT_FOUND", `the server ${named(odd)} has no tools at all`]);
    });
  }

  test("the error of a handshake is the handshake's", async () => {
    const refused = await refusal(worker, named("a handshake that is refused"), "read");
    assert.match(refused.message, /this licence has ended/);
    assert.deepEqual(refused.data, { licence: "L-1" });
    assert.match((await refusal(worker, named("a handshake that is refused with a status"), "read")).message, /the tenant header is missing/);
  });

  test("the data of an error reaches its caller, over HTTP and in a program", async () => {
    const data = { field: "page", max: "9007199254740993", hint: ["1", "2"] };
    const odd = named("an error with data");
    const error = await refusal(worker, odd, "read");
    assert.deepEqual([error.code, error.reason, error.data], ["UPSTREAM_FAILED", "refused", data]);
    const text = await refusal(worker, named("an error with data that is a text"), "read");
    assert.equal(text.data, "because");
    const response = await worker.fetch("/api/codemode/execute", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ session: "odd", code: `return (await helpers.${odd}.read({})).error.data` }),
    });
    assert.deepEqual((await response.json()).result, data);
  });

  test("the list is complete", async () => {
    const { result } = await answer(worker, named("a cursor of null"), "write");
    assert.equal(result.tool, "write");
  });
});
