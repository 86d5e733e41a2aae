// Tests of helpers.code in programs: the operations of a workspace with their errors, and tables of
// the session beside it.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { LIB, Workspace } from "./code-client.mjs";
import { TOKENS, Worker } from "./harness.mjs";
import { operationsOf } from "./operations.mjs";
import { execute, executions, failure, result } from "./program-client.mjs";

const OPERATIONS = operationsOf("CodeOperation").map(({ name }) => name);

let worker;
before(async () => (worker = await Worker.start()));
after(() => worker.stop());

const run = (code, more) => result(worker, randomUUID(), code, more);
const fail = (code, more) => failure(worker, randomUUID(), code, more);

describe("a program", () => {
  test("finds code, edits it and takes the edit back, as the program in the list of proposals", async () => {
    const one = await new Workspace(worker).filled();
    const value = await run(`
      const code = helpers.code(${JSON.stringify(one.name)});
      const { context } = await code.request_code_context({ token_budget: 500, hint: "StatementCache" });
      const { item } = await code.code_item_lookup({ canon: "crate::review" });
      const staged = await code.apply_code_edit({ requestId: "r", edits: [{ mode: "canonical", file: item.file_path, canon: item.canon, node_type: item.node_type, code: "pub fn review() {}" }] });
      const applied = await code.approve_proposal("r");
      const { text } = await code.read_file("src/lib.rs");
      const reverted = await code.revert_proposal({ requestId: "r" });
      return [context.parts[0].canon_path, staged.applied, applied.applied, text.includes("pub fn review() {}"), reverted.reverted];
    `);
    assert.deepEqual(value, ["crate::cache::StatementCache", 0, 1, true, 1]);
    assert.equal(await one.text("src/lib.rs"), LIB);
    assert.equal((await one.ok("list_proposals", { requestId: "r" })).proposals[0].actor, "program");
  });

  test("has each operation of the API by its name, with the same fields", async () => {
    assert.equal(OPERATIONS.length, 17);
    const one = await new Workspace(worker).filled();
    const told = await run(`
      const code = helpers.code(${JSON.stringify(one.name)});
      const told = {};
      for (const name of ${JSON.stringify(OPERATIONS)}) {
        try { await code[name]({ zzzz: 1 }); } catch ({ code, message }) { told[name] = [code, message.includes("zzzz")]; }
      }
      return told;
    `);
    assert.deepEqual(told, Object.fromEntries(OPERATIONS.map((name) => [name, ["INVALID_ARGUMENT", true]])));
  });

  test("gets of each operation what HTTP responds", async () => {
    const one = await new Workspace(worker).filled();
    const name = JSON.stringify(one.name);
    for (const [operation, fields] of [
      ["get_file_metadata", { file_path: "src/lib.rs" }], ["code_item_lookup", { item_name: "review" }], ["code_item_edges", { item_name: "StatementCache", node_kind: "struct" }],
      ["list_files", { path: "src" }], ["read_file", { file_path: "src/lib.rs", start_line: 1, end_line: 3 }], ["search_code", { pattern: "pub fn" }],
      ["scan_for_change", { files: [], complete: true }], ["inspect", {}], ["list_proposals", {}], ["request_code_context", { token_budget: 400, hint: "review" }],
    ]) {
      const { success: _, ...expected } = await one.ok(operation, fields);
      const { success: __, ...found } = await run(`return await helpers.code(${name}).${operation}(${JSON.stringify(fields)});`);
      assert.deepEqual(found, expected, operation);
    }
    const written = await run(`
      const code = helpers.code(${name});
      const put = await code.put_files({ files: [{ file_path: "a.bin", base64: "AP8=" }, { file_path: "b.rs", text: "pub fn b() {}\\n" }] });
      const staged = await code.apply_code_edit({ edits: [{ mode: "insert_after", file: "b.rs", canon: "b", node_type: "function", code: "pub fn c() {}" }], requestId: "c" }).catch((error) => error.code);
      const denied = await code.deny_proposal("none").catch((error) => error.code);
      const all = await code.approve_all();
      const deleted = await code.delete_files({ file_paths: ["a.bin"] });
      return [put.files.length, typeof staged, denied, all.ok, deleted.deleted];
    `);
    assert.deepEqual([written[0], written[2], written[3], written[4]], [2, "PROPOSAL_NOT_FOUND", true, ["a.bin"]]);
  });

  test("gets errors with code and hint, which it can catch", async () => {
    const one = await new Workspace(worker).filled();
    const caught = await run(`
      const code = helpers.code(${JSON.stringify(one.name)});
      const caught = [];
      for (const attempt of [
        () => code.read_file("none.rs"),
        () => code.search_code({ pattern: "x", pth: "src" }),
        () => code.list_proposals({ status: "aplied" }),
        () => code.code_item_lookup({ item_name: "reviw" }),
        () => code.put_files({ files: [{ file_path: "../up.rs", text: "" }] }),
      ]) { try { await attempt(); caught.push("none"); } catch ({ code, hint }) { caught.push([code, hint]); } }
      return caught;
    `);
    assert.deepEqual(caught.map(([code]) => code), ["FILE_NOT_FOUND", "INVALID_ARGUMENT", "INVALID_ARGUMENT", "ITEM_NOT_FOUND", "INVALID_ARGUMENT"]);
    assert.deepEqual([caught[1][1], caught[2][1]], ["did you mean `path`?", "did you mean `applied`?"]);
  });

  test("that names no usable workspace or method is told so", async () => {
    for (const code of ['await helpers.code("no name!").inspect()', "await helpers.code(5).inspect()", "await helpers.code().inspect()"]) {
      assert.equal((await fail(code)).code, "INVALID_ARGUMENT", code);
    }
    assert.match(JSON.stringify(await fail('await helpers.code("w").raed_file("x")')), /raed_file/);
  });

  test("puts what it finds into tables of its session", async () => {
    const one = await new Workspace(worker).filled();
    const rows = await run(`
      const { files } = await helpers.code(${JSON.stringify(one.name)}).list_files();
      await helpers.db.createTable("files", "path TEXT, bytes INTEGER");
      await helpers.db.batchInsert("files", files.map(({ file_path, byte_len }) => ({ path: file_path, bytes: byte_len })));
      return await helpers.db.query("SELECT count(*) AS n FROM files WHERE path LIKE 'src/%'");
    `);
    assert.equal(rows[0].n, 2);
  });

  test("is told of its calls, and the list of runs counts them", async () => {
    const [one, session] = [await new Workspace(worker).filled(), randomUUID()];
    const { calls } = await execute(worker, session, `const code = helpers.code(${JSON.stringify(one.name)}); await code.inspect(); try { await code.read_file("none.rs"); } catch {}`);
    assert.deepEqual(calls.map(({ server, tool, ok }) => [server, tool, ok]), [["code", "inspect", true], ["code", "read_file", false]]);
    const [last] = await executions(worker, session);
    assert.deepEqual([last.calls, last.outcome], [2, "OK"]);
  });

  test("reaches the workspaces of its tenant only", async () => {
    const secured = await Worker.start({ settings: { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme", [TOKENS.zeta]: "zeta" }) } });
    try {
      const as = (tenant) => ({ authorization: `Bearer ${TOKENS[tenant]}` });
      await new Workspace(secured, { name: "shared", headers: as("acme") }).filled();
      const code = 'return (await helpers.code("shared").list_files()).files.length;';
      assert.equal(await result(secured, "s", code, {}, as("zeta")), 0);
      assert.equal(await result(secured, "s", code, {}, as("acme")), 4);
    } finally {
      await secured.stop();
    }
  });
});
