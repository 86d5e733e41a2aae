// Tests that the validation of MCP messages finds errors in them, in each version.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MODERN, VERSIONS, validateNotification, validateResponse, validateServerRequest } from "./mcp-schema.mjs";

const OLDER = VERSIONS.filter((version) => version !== MODERN);

const response = (result) => ({ jsonrpc: "2.0", id: 1, result });
const notification = (method, params) => ({ jsonrpc: "2.0", method, params });
const refusal = (code, data) => ({ jsonrpc: "2.0", id: 1, error: { code, message: "no", ...(data && { data }) } });
const content = [{ type: "text", text: "a" }];

/** Checks that the case passes and that none of its changes does. */
function check(validate, good, wrong) {
  validate(good);
  for (const change of wrong) assert.throws(() => validate({ ...good, ...change }), Error, JSON.stringify(change));
}

for (const version of VERSIONS) {
  const more = version === MODERN ? { resultType: "complete" } : {};

  test(`${version}: a result is the one of its method`, () => {
    check((message) => validateResponse(version, "tools/call", message), response({ ...more, content, isError: true }), [
      { result: { ...more } },
      { result: { ...more, content: [{ type: "text" }] } },
      { result: { ...more, content: [{ type: "image", data: "!", mimeType: "image/png" }] } },
      { result: { ...more, content, isError: "yes" } },
      { id: 1.5 },
      { jsonrpc: "1.0" },
      { result: undefined },
    ]);
    assert.throws(() => validateResponse(version, "tools/list", response({ ...more, content })));
    assert.throws(() => validateResponse(version, "tools/none", response({ ...more })), /no method tools\/none/);
  });

  test(`${version}: an error has a code and a message`, () => {
    check((message) => validateResponse(version, "tools/call", message), refusal(-32602), [
      { error: { code: "x", message: "no" } },
      { error: { code: -32602 } },
      { result: {} },
    ]);
  });

  test(`${version}: a notification is the one of its method`, () => {
    const good = notification("notifications/progress", { progressToken: "t", progress: 1, total: 2 });
    check((message) => validateNotification(version, message), good, [
      { params: { progress: 1 } },
      { params: { progressToken: "t", progress: "1" } },
      { method: "notifications/none" },
      { method: "tools/call" },
      { id: 1 },
    ]);
    validateNotification(version, notification("notifications/tools/list_changed"));
    validateNotification(version, notification("notifications/message", { level: "info", data: { a: 1 } }));
    assert.throws(() => validateNotification(version, notification("notifications/message", { level: "loud", data: 1 })));
    assert.throws(() => validateNotification(version, notification("notifications/initialized")));
  });
}

test("a result of the stateless version says what it is", () => {
  const call = (result) => validateResponse(MODERN, "tools/call", response(result));
  const ask = { method: "elicitation/create", params: { message: "?", requestedSchema: { type: "object", properties: { a: { type: "string" } } } } };
  call({ resultType: "input_required", inputRequests: { a: ask }, requestState: "s" });
  assert.throws(() => call({ content }), /resultType/);
  assert.throws(() => call({ resultType: "other", content }), /resultType/);
  assert.throws(() => call({ resultType: "input_required", inputRequests: { a: { method: "tools/call", params: {} } } }));
  const asking = response({ resultType: "input_required", requestState: "s" });
  assert.throws(() => validateResponse(MODERN, "tools/list", asking), /resultType/);
});

test("a list of the stateless version says for how long it holds", () => {
  const list = { resultType: "complete", tools: [], ttlMs: 0, cacheScope: "private" };
  validateResponse(MODERN, "tools/list", response(list));
  for (const field of ["ttlMs", "cacheScope", "tools"]) {
    assert.throws(() => validateResponse(MODERN, "tools/list", response({ ...list, [field]: undefined })), Error, field);
  }
});

test("an error of the stateless version has the data of its code", () => {
  const check = (code, data) => validateResponse(MODERN, "tools/call", refusal(code, data));
  check(-32021, { requiredCapabilities: { sampling: {} } });
  assert.throws(() => check(-32021, { requiredCapabilities: ["sampling"] }));
  assert.throws(() => check(-32021));
  check(-32022, { supported: [MODERN], requested: "1" });
  assert.throws(() => check(-32022, { supported: MODERN, requested: "1" }));
  check(-32020);
});

test("methods of one kind of version are none of the other", () => {
  for (const version of OLDER) {
    validateResponse(version, "ping", response({}));
    assert.throws(() => validateResponse(version, "server/discover", response({})), /no method/);
    const subscribed = notification("notifications/subscriptions/acknowledged", { notifications: {} });
    assert.throws(() => validateNotification(version, subscribed), /no notification/);
  }
  assert.throws(() => validateResponse(MODERN, "ping", response({ resultType: "complete" })), /no method/);
  const subscribed = notification("notifications/subscriptions/acknowledged", { notifications: { toolsListChanged: true } });
  validateNotification(MODERN, subscribed);
});

test("only sessions have requests to their clients", () => {
  const request = { jsonrpc: "2.0", id: "s-1", method: "sampling/createMessage" };
  const params = { messages: [{ role: "user", content: content[0] }], maxTokens: 5 };
  for (const version of OLDER) {
    check((message) => validateServerRequest(version, message), { ...request, params }, [
      { params: { messages: [] } },
      { id: undefined },
      { method: "tools/call" },
    ]);
  }
  assert.throws(() => validateServerRequest(MODERN, { ...request, params }), /no request/);
});

test("a version without a schema is named", () => {
  assert.throws(() => validateNotification("2024-11-05", notification("notifications/message")), /2024-11-05/);
});
