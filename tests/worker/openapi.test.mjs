// Tests of the description of the routes: it is valid OpenAPI 3.1, its examples work, and the
// Worker returns nothing that it does not list.
//
// schemathesis makes requests from the description, good and bad ones, and compares each response
// with it: no 5xx, no status, type or shape that is not described. It runs with a fixed seed and
// without a memory of earlier runs, so a failure is repeatable.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { access, constants, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, describe, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Thread } from "./agent-client.mjs";
import { archive } from "./code-client.mjs";
import { TOKENS, Worker } from "./harness.mjs";

const HOOKS = fileURLToPath(new URL("../openapi/hooks.py", import.meta.url));
/** The requests for each operation of the description. */
const EXAMPLES = 40;
/**
 * The limit after which a run that hangs is ended. A run takes less than a minute, on a busy
 * machine several.
 */
const LIMIT_MS = 540_000;
/**
 * Streams that end only when their reader goes away, which schemathesis does not do.
 * graph-events.test.mjs reads them.
 */
const ENDLESS = ["/api/graph/{conversationId}/events"];
const CHECKS = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance"];
const UNDECIDED = "total-2";
const TOKEN = `Bearer ${TOKENS.acme}`;

/** Runs a program to its end; returns its output, both streams in one. */
function run(program, args, options) {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"], timeout: LIMIT_MS });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
    child.on("error", fail);
    child.on("close", (code, signal) => done({ code, signal, output }));
  });
}

/** Returns the path of schemathesis, which scripts/setup installs for the tests. */
async function schemathesis() {
  const program = process.env.SCHEMATHESIS_BIN;
  assert.ok(program, "SCHEMATHESIS_BIN is not set; run the tests with `make test`, which installs schemathesis and says where it is");
  await access(program, constants.X_OK).catch(() => assert.fail(`there is no program ${program}; \`make test\` installs it`));
  return program;
}

// The engine of JSON Schema that the validator brings along.
const fromValidator = createRequire(import.meta.resolve("@seriousme/openapi-schema-validator"));
const { Ajv2020 } = fromValidator("ajv/dist/2020.js");
const addFormats = fromValidator("ajv-formats");

/**
 * Makes a function that returns the problems of a JSON response of the operation at `pointer`, by
 * the schemas of the description; null if there are none.
 */
function checker(document) {
  const engine = addFormats(new Ajv2020({ strict: false, allErrors: true }));
  engine.addSchema(document, "description");
  return (pointer, status, body) => {
    const check = engine.getSchema(`description#${pointer}/responses/${status}/content/application~1json/schema`);
    return check(body) ? null : JSON.stringify(check.errors);
  };
}

/** Returns the pointer to an operation. */
const pointer = (pattern, method) => `/paths/${encodeURIComponent(pattern.replaceAll("/", "~1"))}/${method}`;

/** Bodies that are no text, for which the description has no examples. */
const BINARY = { "application/x-tar": { archive: { value: archive([["src/added.rs", "pub fn added() {}\n"]]) } } };

/** Yields every example of the description as a request. `pair` is a pair of the memory. */
function* examples(document, pair) {
  const value = (parameter) => encodeURIComponent(parameter.example);
  const { session, table, profile, conversationId, id, threadId, workspace, path: file } = document.components.parameters;
  for (const [pattern, item] of Object.entries(document.paths)) {
    const path = pattern.replace("{session}", value(session)).replace("{table}", value(table)).replace("{profile}", value(profile))
      .replace("{conversationId}", value(conversationId)).replace("/nodes/{id}", `/nodes/${value(id)}`).replace("/edges/{id}", "/edges/edge-1")
      .replace("{threadId}", value(threadId)).replace("/memory/{id}", `/memory/${pair}`)
      .replace("{workspace}", value(workspace)).replace("{path}", file.example);
    for (const [method, { operationId, requestBody }] of Object.entries(item)) {
      for (const [type, { examples }] of Object.entries(requestBody?.content ?? {})) {
        const written = examples ?? BINARY[type];
        assert.ok(written, `${operationId} has no example of ${type}`);
        for (const [name, { value }] of Object.entries(written)) {
          const body = typeof value === "string" || Buffer.isBuffer(value) ? value : JSON.stringify(value);
          const init = { method: method.toUpperCase(), headers: { "content-type": type }, body };
          yield { name: `${operationId} ${type} ${name}`, operationId, path, pointer: pointer(pattern, method), init };
        }
      }
    }
  }
}

/** Starts a program that calls a tool of its caller; returns the ids of the call. */
async function waitingCall(worker, session) {
  const body = JSON.stringify({ session, code: "return helpers.host.forecast()", hostTools: [{ name: "forecast" }] });
  const response = await worker.fetch("/api/codemode/execute", { method: "POST", body, headers: { authorization: TOKEN, "content-type": "application/json", accept: "text/event-stream" } });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  // The stream stays open, because its end would end the run.
  for (;;) {
    const { value, done } = await reader.read();
    assert.ok(!done, text);
    text += value;
    const found = /^event: host_call\ndata: (.*)$/m.exec(text);
    if (found === null) continue;
    const { executionId, call } = JSON.parse(found[1]);
    return { executionId, call };
  }
}

describe("the description of the routes", () => {
  let worker;
  let document;
  let thread;
  before(async () => {
    const settings = { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme", [TOKENS.zeta]: "zeta" }) };
    worker = await Worker.start({ settings, persistent: true });
    document = await (await worker.fetch("/api/openapi.json")).json();
    const session = worker.session(document.components.parameters.session.example, { authorization: TOKEN });
    await session.exec("CREATE TABLE movies (id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER)");
    await session.exec("INSERT INTO movies (title, year) VALUES ('Metropolis', 1927)");
    const graph = `/api/graph/${document.components.parameters.conversationId.example}`;
    // The ids in examples that no earlier example has added.
    const nodes = ["CHEBI:1", "PRKAA1", "NCBIGene:3630", "NCBIGene:3952", "UniProtKB:P04637"].map((id) => ({ id, label: id }));
    const edges = [{ id: "edge-1", source: "CHEBI:1", target: "PRKAA1", label: "activates" }];
    const filled = await worker.fetch(`${graph}/import`, { method: "POST", headers: { authorization: TOKEN }, body: JSON.stringify({ nodes, edges }) });
    assert.equal(filled.status, 200, await filled.text());
    // A workspace with the items in its examples: a function, and a proposal that nobody has
    // decided.
    const code = async (body) => {
      const path = `/api/code/${document.components.parameters.workspace.example}`;
      const response = await worker.fetch(path, { method: "POST", headers: { authorization: TOKEN, "content-type": "application/json" }, body: JSON.stringify(body) });
      assert.equal(response.status, 200, await response.text());
    };
    const returns = (name, number) => `pub fn ${name}() -> u32 {\n    ${number}\n}\n`;
    await code({ operation: "put_files", files: [{ file_path: "src/lib.rs", text: returns("total", 41) }, { file_path: "src/other.rs", text: returns("rest", 1) }] });
    await code({ operation: "apply_code_edit", requestId: UNDECIDED, edits: [{ mode: "canonical", file: "src/other.rs", canon: "crate::other::rest", node_type: "function", code: returns("rest", 2) }] });
    // A thread in which a person wrote the approved statement, which is therefore remembered.
    const films = worker.session("films", { authorization: TOKEN });
    await films.exec("CREATE TABLE films (id INTEGER PRIMARY KEY, title TEXT NOT NULL, genre TEXT, business_id TEXT)");
    await films.exec("INSERT INTO films (title, genre, business_id) VALUES ('Alien', 'horror', 'b1'), ('Heat', 'crime', 'b1'), ('Other', 'crime', 'b2')");
    thread = new Thread(worker, { name: document.components.parameters.threadId.example, session: films, headers: { authorization: TOKEN } });
    await thread.ask("how many films are there?");
    await thread.decide("edited", { sql: "SELECT count(*) AS films FROM films" });
    await thread.decide("approved");
  });
  after(() => worker?.stop());

  test("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    assert.ok(valid, JSON.stringify(errors, null, 2));
    assert.equal(validator.version, "3.1");
  });

  test("has an example of each request, and each is answered as described", async () => {
    // schemathesis accepts an example that is refused, if the refusal is described.
    const complaint = checker(document);
    const { pairs } = await (await worker.fetch("/api/agent/memory?session=films", { headers: { authorization: TOKEN } })).json();
    let checked = 0;
    for (const { name, operationId, path, pointer, init } of examples(document, pairs[0].id)) {
      // The pending approval has another name and hash each time.
      if (operationId === "resume") {
        const { approvalId, sha256 } = (await thread.state()).pending;
        init.body = JSON.stringify({ ...JSON.parse(init.body), approvalId, sha256 });
      }
      if (operationId === "respondToHostCall") init.body = JSON.stringify({ ...JSON.parse(init.body), ...(await waitingCall(worker, document.components.parameters.session.example)) });
      // A proposal can be decided once only.
      if (init.body.includes('"deny_proposal"')) init.body = JSON.stringify({ ...JSON.parse(init.body), requestId: UNDECIDED });
      const response = await worker.fetch(path, { ...init, headers: { ...init.headers, authorization: TOKEN } });
      const text = await response.text();
      assert.ok(response.ok, `${name}: ${response.status} ${text}`);
      if (!response.headers.get("content-type").startsWith("application/json")) continue;
      assert.equal(complaint(pointer, response.status, JSON.parse(text)), null, `${name}: ${text}`);
      checked += 1;
    }
    assert.ok(checked >= 20, `${checked} examples`);
  });

  test("describes each route that is only read, and the errors of the others", async () => {
    const complaint = checker(document);
    const { session, table, profile } = document.components.parameters;
    const path = (pattern) => pattern.replace("{session}", session.example).replace("{table}", table.example).replace("{profile}", profile.example);
    const rows = "/api/codemode/sessions/{session}/tables/{table}/rows";
    const operate = "/api/codemode/sessions/{session}";
    const execute = "/api/codemode/execute";
    const executions = "/api/codemode/sessions/{session}/executions";
    const post = (fields) => ({ method: "POST", body: JSON.stringify(fields) });
    const requests = [
      ["/health", "", {}, 200],
      ["/api/openapi.json", "", {}, 200],
      ["/.well-known/oauth-protected-resource/mcp", "", {}, 404],
      ["/.well-known/oauth-protected-resource/mcp/{profile}", "?x=1", {}, 400],
      [operate, "", {}, 200],
      [rows, "?format=json", {}, 200],
      [rows, "?format=xml", {}, 400],
      [rows, "?create=true", { method: "PUT", headers: { "content-type": "text/csv" }, body: "a\n1\n" }, 409],
      [rows, "", { method: "PUT", headers: { "content-type": "text/html" }, body: "a" }, 415],
      [operate, "", { headers: { authorization: "Bearer wrong" } }, 401],
      [operate, "", { headers: { origin: "https://elsewhere.example" } }, 403],
      [operate, "", post({ operation: "exec", sql: "PRAGMA user_version" }), 403],
      [operate, "", post({ operation: "query", sql: "SELECT nme FROM movies" }), 400],
      [operate, "", post({ operation: "query", sql: "SELECT title FRM movies" }), 400],
      [operate, "", post({ operation: "query", sql: "SELECT ?" }), 400],
      [operate, "", post({ operation: "qery" }), 400],
      [operate, "", post({ operation: "getColumns", table: "movie" }), 404],
      [operate, "", post({ operation: "exec", sql: "INSERT INTO movies (title) VALUES (NULL)" }), 409],
      [operate, "", { method: "POST", body: "x".repeat(40_000_000) }, 413],
      [executions, "?limit=5", {}, 200],
      [executions, "?limit=0", {}, 400],
      ["/api/codemode/prompt", "?session=a%20b", {}, 400],
      [execute, "", post({ session: "programs-1" }), 400],
      [execute, "", post({ session: "programs-1", code: "1", timeoutMs: 0 }), 400],
      [execute, "", post([]), 400],
      [execute, "", post({ session: "programs-1", code: "await 0; throw new Error('no', { cause: new DatabaseError({ code: 'X' }) })" }), 200],
      [execute, "", post({ session: "programs-1", code: "await helpers.db.query('SELEC')" }), 200],
      [execute, "", post({ session: "programs-1", code: "for (let n = 0; n < 300; n++) console.log(n)" }), 200],
    ];
    for (const [pattern, query, init, status] of requests) {
      const response = await worker.fetch(path(pattern) + query, { ...init, headers: { authorization: TOKEN, ...init.headers } });
      const text = await response.text();
      const name = `${init.method ?? "GET"} ${path(pattern)}${query} ${String(init.body).slice(0, 80)}: ${text.slice(0, 1000)}`;
      assert.equal(response.status, status, name);
      assert.equal(complaint(pointer(pattern, (init.method ?? "GET").toLowerCase()), status, JSON.parse(text)), null, name);
    }
  });

  test("describes the answers that are no JSON by their types", async () => {
    const program = { method: "POST", headers: { accept: "text/event-stream" }, body: JSON.stringify({ session: "programs-1", code: "1" }) };
    const requests = [["/api/codemode/execute", program], ["/api/codemode/prompt", {}], ["/api/codemode/helpers.js", {}]];
    for (const [path, init] of requests) {
      const response = await worker.fetch(path, { ...init, headers: { authorization: TOKEN, ...init.headers } });
      assert.equal(response.status, 200, path);
      await response.text();
      const type = response.headers.get("content-type").split(";")[0];
      const { content } = document.paths[path][(init.method ?? "GET").toLowerCase()].responses[200];
      assert.notEqual(type, "application/json", path);
      assert.ok(type in content, `${path} answers ${type}`);
    }
  });

  test("describes what a deployment without a Worker Loader answers", async () => {
    const bare = await Worker.start({ loader: false });
    try {
      const init = { method: "POST", body: JSON.stringify({ session: "programs-1", code: "1" }) };
      const response = await bare.fetch("/api/codemode/execute", init);
      const body = await response.json();
      assert.equal(response.status, 501, JSON.stringify(body));
      assert.equal(checker(document)(pointer("/api/codemode/execute", "post"), 501, body), null, JSON.stringify(body));
      assert.equal((await bare.fetch("/api/codemode/helpers.js")).status, 200);
    } finally {
      await bare.stop();
    }
  });

  test("holds for whatever schemathesis thinks of", async () => {
    const program = await schemathesis();
    const folder = await mkdtemp(join(tmpdir(), "codemode-schemathesis-"));
    try {
      // From a file, because schemathesis does not test the route that it reads the description
      // from.
      const paths = { ...document.paths };
      for (const path of ENDLESS) assert.ok(delete paths[path] && document.paths[path], path);
      await writeFile(join(folder, "openapi.json"), JSON.stringify({ ...document, paths }));
      const { code, signal, output } = await run(
        program,
        [
          "run", "openapi.json", "--url", worker.url,
          "--header", `authorization: ${TOKEN}`,
          "--checks", CHECKS.join(","),
          "--max-examples", String(EXAMPLES),
          "--seed", "1",
          "--generation-database", "none",
          // The time to make a request depends on the machine.
          "--suppress-health-check", "too_slow",
          "--request-timeout", "40",
          "--warnings", "off",
          "--no-color",
        ],
        { cwd: folder, env: { ...process.env, SCHEMATHESIS_HOOKS: HOOKS, PYTHONDONTWRITEBYTECODE: "1" } },
      );
      assert.equal(code, 0, `schemathesis ended with ${signal ?? code}\n${output}`);
      const operations = Object.values(paths).flatMap((item) => Object.keys(item).filter((key) => key !== "parameters")).length;
      assert.match(output, new RegExp(`Tested: +${operations}\\b`), output);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
