// The description of the routes: it is valid OpenAPI 3.1, its examples work, and the Worker answers nothing that it does not list.
//
// schemathesis makes up requests from the description, good and bad ones, and compares each answer with it: no 5xx, no status, type or
// shape that is not described. It runs with a fixed seed and without a memory of earlier runs, so a failure comes again.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { access, constants, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, describe, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { TOKENS, Worker } from "./harness.mjs";

const HOOKS = fileURLToPath(new URL("../openapi/hooks.py", import.meta.url));
/** Requests made up for each operation of the description. */
const EXAMPLES = 40;
/** Nothing is left running when schemathesis hangs. */
const LIMIT_MS = 180_000;
const CHECKS = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance"];
const TOKEN = `Bearer ${TOKENS.acme}`;

/** Runs a program to its end; its output, both streams in one. */
function run(program, args, options) {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"], timeout: LIMIT_MS });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
    child.on("error", fail);
    child.on("close", (code, signal) => done({ code, signal, output }));
  });
}

/** schemathesis, which scripts/setup installs for the tests. */
async function schemathesis() {
  const program = process.env.SCHEMATHESIS_BIN;
  assert.ok(program, "SCHEMATHESIS_BIN is not set; run the tests with `make test`, which installs schemathesis and says where it is");
  await access(program, constants.X_OK).catch(() => assert.fail(`there is no program ${program}; \`make test\` installs it`));
  return program;
}

/** Every example of the description as a request. */
function* examples(document) {
  const value = (parameter) => encodeURIComponent(parameter.example);
  const { session, table } = document.components.parameters;
  for (const [pattern, item] of Object.entries(document.paths)) {
    const path = pattern.replace("{session}", value(session)).replace("{table}", value(table));
    for (const [method, { operationId, requestBody }] of Object.entries(item)) {
      for (const [type, { examples }] of Object.entries(requestBody?.content ?? {})) {
        assert.ok(examples, `${operationId} has no example of ${type}`);
        for (const [name, { value }] of Object.entries(examples)) {
          const body = typeof value === "string" ? value : JSON.stringify(value);
          yield { name: `${operationId} ${type} ${name}`, path, init: { method: method.toUpperCase(), headers: { "content-type": type }, body } };
        }
      }
    }
  }
}

describe("the description of the routes", () => {
  let worker;
  let document;
  before(async () => {
    const settings = { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme", [TOKENS.zeta]: "zeta" }) };
    worker = await Worker.start({ settings, persistent: true });
    document = await (await worker.fetch("/api/openapi.json")).json();
    const session = worker.session(document.components.parameters.session.example, { authorization: TOKEN });
    await session.exec("CREATE TABLE movies (id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER)");
    await session.exec("INSERT INTO movies (title, year) VALUES ('Metropolis', 1927)");
  });
  after(() => worker?.stop());

  test("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    assert.ok(valid, JSON.stringify(errors, null, 2));
    assert.equal(validator.version, "3.1");
  });

  test("has an example of each request, and each of them succeeds", async () => {
    let sent = 0;
    for (const { name, path, init } of examples(document)) {
      const response = await worker.fetch(path, { ...init, headers: { ...init.headers, authorization: TOKEN } });
      assert.equal(response.status, 200, `${name}: ${await response.text()}`);
      sent += 1;
    }
    assert.ok(sent >= 20, `${sent} examples`);
  });

  test("holds for whatever schemathesis thinks of", async () => {
    const program = await schemathesis();
    // It keeps files of its own in the folder where it runs.
    const folder = await mkdtemp(join(tmpdir(), "codemode-schemathesis-"));
    try {
      const { code, signal, output } = await run(
        program,
        [
          "run", `${worker.url}/api/openapi.json`,
          "--header", `authorization: ${TOKEN}`,
          "--checks", CHECKS.join(","),
          "--max-examples", String(EXAMPLES),
          "--seed", "1",
          "--generation-deterministic",
          "--generation-database", "none",
          "--request-timeout", "40",
          "--warnings", "off",
          "--no-color",
        ],
        { cwd: folder, env: { ...process.env, SCHEMATHESIS_HOOKS: HOOKS, PYTHONDONTWRITEBYTECODE: "1" } },
      );
      assert.equal(code, 0, `schemathesis ended with ${signal ?? code}\n${output}`);
      const operations = Object.values(document.paths).flatMap((item) => Object.keys(item).filter((key) => key !== "parameters")).length;
      assert.match(output, new RegExp(`Tested: +${operations}\\b`), output);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
