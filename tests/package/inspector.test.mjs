// Tests in which `@modelcontextprotocol/inspector --cli` drives the product over stdio. Each of its
// commands starts the command of the package, which starts a server or uses the one of the folder.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { CLI, environment, folderOf } from "./installed.mjs";

const LAUNCHER = join(dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json")), "clients/launcher/build/index.js");

test("the inspector lists and calls tools over stdio, in both versions of the protocol", async (context) => {
  const folder = await folderOf(context);
  const inspect = (negotiation, ...words) => new Promise((settled) => {
    const given = [LAUNCHER, "--cli", "--transport", "stdio", "--protocol-era", negotiation, "--format", "json", ...words, "--", process.execPath, CLI, "mcp", "--data", join(folder, "data"), "--session", "inspected"];
    execFile(process.execPath, given, { env: environment({ HOME: folder }), maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => settled({ code: error?.code ?? 0, stdout, stderr }));
  });
  const result = ({ code, stdout, stderr }) => {
    assert.equal(code, 0, stderr + stdout);
    return JSON.parse(stdout).result;
  };
  for (const negotiation of ["legacy", "modern"]) {
    const { tools } = result(await inspect(negotiation, "--method", "tools/list"));
    assert.ok(tools.some(({ name }) => name === "program_run"));
    const made = await inspect(negotiation, "--method", "tools/call", "--tool-name", "db_create_table", "--tool-args-json", JSON.stringify({ name: negotiation, schema: "id INTEGER" }));
    assert.equal(result(made).structuredContent.session, "inspected");
  }
  // Each process used the data of the earlier ones.
  const listed = await inspect("modern", "--method", "tools/call", "--tool-name", "db_get_tables", "--tool-args-json", "{}");
  assert.deepEqual(result(listed).structuredContent.tables.toSorted(), ["legacy", "modern"]);
});
