// Tests of a code workspace over HTTP: writing files, questions within a budget, approved edits,
// versions.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { after, before, describe, test } from "node:test";
import { CACHE, LIB, Workspace, archive } from "./code-client.mjs";
import { TOKENS, Worker } from "./harness.mjs";

describe("a code workspace", () => {
  let worker;
  before(async () => {
    worker = await Worker.start();
  });
  after(() => worker.stop());

  test("finds code for a question within its budget, by words and by vectors", async () => {
    const one = await new Workspace(worker).filled();
    for (const token_budget of [40, 200, 2_000]) {
      const found = await one.ok("request_code_context", { token_budget, hint: "where is a statement checked before it runs?" });
      const { parts, stats } = found.context;
      assert.equal(found.mode, "hybrid");
      assert.ok(stats.total_tokens <= token_budget, `${stats.total_tokens} of ${token_budget}`);
      const tokens = parts.reduce((sum, { text }) => sum + Math.ceil([...text].length / 4), 0);
      assert.equal(tokens, stats.total_tokens);
      if (token_budget >= 200) assert.equal(parts[0].canon_path, "crate::review");
    }
    const symbol = await one.ok("request_code_context", { token_budget: 1_000, hint: "StatementCache", explain: true });
    assert.equal(symbol.context.parts[0].canon_path, "crate::cache::StatementCache");
    assert.ok(symbol.hits[0].reasons.some(({ rule }) => rule === "definition"));
    const filtered = await one.ok("request_code_context", { token_budget: 1_000, hint: "statements", paths: ["src/cache.rs"] });
    assert.deepEqual([...new Set(filtered.context.parts.map(({ file_path }) => file_path))], ["src/cache.rs"]);
    // A request without a question uses the last one.
    assert.equal((await one.ok("request_code_context", { token_budget: 500 })).query, "statements");
  });

  test("a question without a budget or a hint says what to send", async () => {
    const one = await new Workspace(worker).filled();
    assert.match((await one.error("request_code_context", { hint: "x" }, 400, "INVALID_ARGUMENT")).hint, /2000/);
    assert.match((await one.error("request_code_context", { token_budget: 100 }, 400, "INVALID_ARGUMENT")).hint, /hint/);
    assert.match((await one.error("request_code_context", { token_budget: 100, hnt: "x" }, 400, "INVALID_ARGUMENT")).hint, /hint/);
    await one.error("request_code_context", { token_budget: 100, hint: "x", workspace: "other" }, 400, "INVALID_ARGUMENT");
    assert.match((await one.error("apply_cod_edit", {}, 400, "INVALID_ARGUMENT")).hint, /apply_code_edit/);
  });

  test("an edit is staged with its diff, applied once it is approved, and reverted", async () => {
    const one = await new Workspace(worker).filled();
    const edit = { mode: "canonical", file: "src/lib.rs", canon: "crate::review", node_type: "function", code: "/// Checks.\npub fn review(sql: &str) -> bool { !sql.is_empty() }" };
    const staged = await one.ok("apply_code_edit", { edits: [edit], requestId: "r1" });
    assert.deepEqual([staged.requestId, staged.staged, staged.applied, staged.files], ["r1", 1, 0, ["src/lib.rs"]]);
    assert.match(staged.preview, /^-pub fn review\(sql: &str\) -> Result/m);
    assert.match(staged.preview, /^\+pub fn review\(sql: &str\) -> bool/m);
    assert.equal(await one.text("src/lib.rs"), LIB);
    const applied = await one.ok("approve_proposal", { requestId: "r1" });
    assert.deepEqual([applied.ok, applied.applied], [true, 1]);
    assert.match(await one.text("src/lib.rs"), /-> bool/);
    const metadata = await one.ok("get_file_metadata", { file_path: "src/lib.rs" });
    assert.equal(metadata.file_hash, applied.results[0].new_file_hash);
    // The index is current at once.
    const found = await one.ok("request_code_context", { token_budget: 500, hint: "review" });
    assert.match(found.context.parts[0].text, /-> bool/);
    const reverted = await one.ok("revert_proposal", { requestId: "r1" });
    assert.equal(reverted.ok, true);
    assert.equal(await one.text("src/lib.rs"), LIB);
  });

  test("an edit that breaks the syntax, or of an item that there is not, is refused and names what there is", async () => {
    const one = await new Workspace(worker).filled();
    const edit = { mode: "canonical", file: "src/lib.rs", canon: "crate::review", node_type: "function", code: "pub fn review( {" };
    await one.error("apply_code_edit", { edits: [edit] }, 422, "SYNTAX_BROKEN");
    const missing = await one.error("apply_code_edit", { edits: [{ ...edit, canon: "crate::reviw", code: "fn x() {}" }] }, 404, "ITEM_NOT_FOUND");
    assert.match(missing.message, /No matching node found for canon=crate::reviw in file=src\/lib.rs/);
    assert.match(missing.hint, /crate::review/);
    assert.equal(await one.text("src/lib.rs"), LIB);
  });

  test("a splice takes either hash, and not that of another version", async () => {
    const one = await new Workspace(worker).filled();
    const { file_hash, tracking_hash } = await one.ok("get_file_metadata", { file_path: "src/cache.rs" });
    assert.notEqual(file_hash, tracking_hash);
    for (const expected_file_hash of [file_hash, tracking_hash]) {
      const staged = await one.ok("apply_code_edit", { edits: [{ file_path: "src/cache.rs", expected_file_hash, start_byte: 0, end_byte: 0, replacement: "// seen\n" }] });
      await one.ok("deny_proposal", { requestId: staged.requestId });
    }
    await one.ok("put_files", { files: [{ file_path: "src/cache.rs", text: `${CACHE}\npub fn more() {}\n` }] });
    await one.error("apply_code_edit", { edits: [{ file_path: "src/cache.rs", expected_file_hash: file_hash, start_byte: 0, end_byte: 0, replacement: "// x\n" }] }, 409, "CODE_CHANGED");
  });

  test("earlier versions are read by number and by time", async () => {
    const one = await new Workspace(worker).filled();
    const { version } = await one.send("").then(({ body }) => body);
    await one.ok("put_files", { files: [{ file_path: "src/cache.rs", text: "pub struct Renamed;\n" }] });
    assert.equal(await one.text("src/cache.rs", { asOf: version }), CACHE);
    assert.equal(await one.text("src/cache.rs", { asOf: new Date(Date.now() + 60_000).toISOString() }), "pub struct Renamed;\n");
    const past = await one.ok("request_code_context", { token_budget: 500, hint: "StatementCache", asOf: version });
    assert.equal(past.context.parts[0].canon_path, "crate::cache::StatementCache");
    assert.equal(past.context.parts[0].stale, true);
    await one.error("code_item_lookup", { item_name: "StatementCache" }, 404, "ITEM_NOT_FOUND");
    await one.error("read_file", { file_path: "src/lib.rs", asOf: 999 }, 404, "VERSION_NOT_KEPT");
  });

  test("files have addresses, come as archives, and go", async () => {
    const one = new Workspace(worker);
    const put = await one.send("/files/src/deep/mod.rs", { method: "PUT", body: "pub fn deep() {}\n" });
    assert.equal(put.status, 200, JSON.stringify(put.body));
    const files = [["./src/a.rs", "pub fn a() {}\n"], ["notes.txt", "some notes\n"]];
    for (const [body, headers] of [[archive(files), {}], [gzipSync(archive(files)), { "content-encoding": "gzip" }]]) {
      const { status, body: response } = await one.send("/files", { method: "POST", body, headers: { "content-type": "application/x-tar", ...headers } });
      assert.equal(status, 200, JSON.stringify(response));
    }
    const listed = await one.ok("list_files");
    assert.deepEqual(listed.files.map(({ file_path }) => file_path), ["notes.txt", "src/a.rs", "src/deep/mod.rs"]);
    const deleted = await one.send("/files/src/deep/mod.rs", { method: "DELETE" });
    assert.deepEqual(deleted.body.deleted, ["src/deep/mod.rs"]);
    assert.equal((await one.ok("get_file_metadata", { file_path: "src/deep/mod.rs" })).exists, false);
  });

  test("paths that leave the workspace, large files and damaged archives are refused, and nothing is written", async () => {
    const one = new Workspace(worker);
    for (const file_path of ["../up.rs", "/etc/passwd", "C:/x.rs", "a\\b.rs", "a//b.rs", ".git/hooks/post-checkout", "con"]) {
      await one.error("put_files", { files: [{ file_path: "src/lib.rs", text: "" }, { file_path, text: "x" }] }, 400, "INVALID_ARGUMENT");
    }
    const large = await one.send("/files/large.rs", { method: "PUT", body: "x".repeat(9 * 1024 * 1024) });
    assert.equal(large.status, 413, JSON.stringify(large.body));
    const bomb = await one.send("/files", { method: "POST", body: gzipSync(archive([["zeros.bin", "\0".repeat(9 * 1024 * 1024)]])), headers: { "content-type": "application/x-tar", "content-encoding": "gzip" } });
    assert.deepEqual([bomb.status, bomb.body.error.code], [400, "TOO_BIG"]);
    const damaged = await one.send("/files", { method: "POST", body: archive([["a.rs", "x".repeat(2_000)]]).subarray(0, 1_000), headers: { "content-type": "application/x-tar" } });
    assert.deepEqual([damaged.status, damaged.body.error.code], [400, "INVALID_BODY"]);
    const other = await one.send("/files", { method: "POST", body: "x", headers: { "content-type": "text/plain" } });
    assert.equal(other.status, 415);
    assert.equal((await one.send("")).body.files, 0);
  });

  test("text and expressions are searched, relations are followed, and a directory is compared", async () => {
    const one = await new Workspace(worker).filled();
    const literal = await one.ok("search_code", { pattern: "self.open" });
    assert.deepEqual(literal.matches.map(({ file_path }) => file_path), ["src/lib.rs"]);
    assert.ok((await one.ok("search_code", { pattern: "pub (fn|struct)", regex: true })).matches.length >= 4);
    await one.error("search_code", { pattern: "(", regex: true }, 400, "INVALID_ARGUMENT");
    const { outgoing } = await one.ok("code_item_edges", { canon: "crate", file_path: "src/lib.rs", node_kind: "module" });
    assert.ok(outgoing.some(({ kind, target }) => kind === "contains" && target === "crate::review"), JSON.stringify(outgoing));
    const { file_hash } = await one.ok("get_file_metadata", { file_path: "src/lib.rs" });
    const scanned = await one.ok("scan_for_change", { files: [{ file_path: "src/lib.rs", file_hash }, { file_path: "src/cache.rs", file_hash: randomUUID() }, { file_path: "new.rs", file_hash: randomUUID() }], complete: true });
    assert.deepEqual([scanned.added, scanned.changed, scanned.deleted.sort(), scanned.unchanged], [["new.rs"], ["src/cache.rs"], ["Cargo.toml", "README.md"], 1]);
    const { modules } = await one.ok("inspect", { module_path: "crate::cache" });
    assert.equal(modules[0].file_path, "src/cache.rs");
  });

  test("a workspace is listed once it is written, and deleted with all that it holds", async () => {
    const one = await new Workspace(worker).filled();
    const names = async () => (await (await worker.fetch("/api/code/workspaces?limit=1000")).json()).workspaces.map(({ workspace }) => workspace);
    const { until } = await import("../until.mjs");
    await until(async () => (await names()).includes(one.name));
    assert.equal((await one.send("", { method: "DELETE" })).status, 200);
    assert.ok(!(await names()).includes(one.name));
    assert.equal((await one.send("")).body.files, 0);
  });

  test("what was written is there after the Worker is killed", async () => {
    const one = await new Workspace(worker).filled();
    await one.ok("apply_code_edit", { edits: [{ mode: "insert_after", file: "src/lib.rs", canon: "crate::review", node_type: "function", code: "pub fn again() {}" }], requestId: "k" });
    await worker.kill();
    assert.equal((await one.ok("list_proposals", { status: "pending" })).proposals[0].requestId, "k");
    await one.ok("approve_proposal", { requestId: "k" });
    assert.match(await one.text("src/lib.rs"), /pub fn again\(\) \{\}/);
    const found = await one.ok("request_code_context", { token_budget: 500, hint: "StatementCache" });
    assert.equal(found.mode, "hybrid");
  });
});

test("workspaces of one name are one for each tenant", async () => {
  const worker = await Worker.start({ settings: { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme", [TOKENS.zeta]: "zeta" }) } });
  try {
    const of = (tenant) => new Workspace(worker, { name: "shared", headers: { authorization: `Bearer ${TOKENS[tenant]}` } });
    await of("acme").filled();
    assert.equal((await of("zeta").send("")).body.files, 0);
    await of("zeta").error("read_file", { file_path: "src/lib.rs" }, 404, "FILE_NOT_FOUND");
    assert.equal((await worker.fetch("/api/code/shared")).status, 401);
  } finally {
    await worker.stop();
  }
});
