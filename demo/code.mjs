// A code workspace of the project's own sources: a question finds the gate of SQL, and an edit is refused, corrected, approved and reverted.
//
// Plain JavaScript reads the same files and computes their hashes (a UUID of version 5 over the bytes; RFC 9562, section 5.5).

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import * as print from "./print.mjs";

const ROOT = resolve(fileURLToPath(import.meta.url), "../..");
const REQUEST_TIMEOUT_MS = 120_000;
/** The crates of the gate and of what asks it. */
const CRATES = ["base", "database", "session", "sql-gate", "sql-cost", "sql-scope"];
/** Bytes of text that one request takes along. */
const BATCH_BYTES = 1_000_000;
const GATE = { file: "crates/sql-gate/src/reviewed.rs", canon: "crate::reviewed::review", name: "review" };
const QUESTION = "where is SQL reviewed and blocked?";
const TOKENS = 2_000;
const CHECK = "    let text = text.trim_start_matches('\\u{200b}');\n";
/** The namespace of the hashes, which docs/code-workspace.md names. */
const NAMESPACE = "f7f4a9a0-1b1a-4b0e-9c1a-1a1a1a1a1a1a";

/** The files by path, as text. */
function sources() {
  const files = new Map();
  const add = (path) => files.set(path, readFileSync(join(ROOT, path), "utf8"));
  for (const crate of CRATES) {
    add(`crates/${crate}/Cargo.toml`);
    for (const entry of readdirSync(join(ROOT, "crates", crate, "src"), { recursive: true, withFileTypes: true })) {
      if (entry.isFile() && entry.name.endsWith(".rs")) add(join(entry.parentPath ?? entry.path, entry.name).slice(ROOT.length + 1));
    }
  }
  return files;
}

/** The hash of a file as the workspace computes it. */
function fileHash(text) {
  const bytes = createHash("sha1").update(Buffer.from(NAMESPACE.replaceAll("-", ""), "hex")).update(text).digest().subarray(0, 16);
  bytes[6] = (bytes[6] & 0x0f) | 0x50;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** One workspace, in the Worker of a session. */
export class Workspace {
  #session;
  #path;
  files = sources();

  constructor(session, name) {
    this.#session = session;
    this.#path = `/api/code/${name}`;
  }

  /** The response to an operation, with its status. */
  async call(operation, fields = {}, shown = fields) {
    print.call("POST", this.#path, print.abbreviated({ operation, ...shown }));
    const { status, body, took } = await this.#send("POST", { operation, ...fields });
    print.answer(status, body.error?.code ?? `${Object.keys(body).length} fields`, took);
    return { status, body };
  }

  /** The response to an operation, which must be a success. */
  async ok(operation, fields, shown) {
    const { status, body } = await this.call(operation, fields, shown);
    assert.ok(status === 200 && body.ok === true, `${operation} returned ${JSON.stringify(body).slice(0, 1_000)}`);
    return body;
  }

  /** Deletes the workspace; one that is not there is none. */
  async delete() {
    const { status } = await this.#send("DELETE");
    assert.ok([200, 404].includes(status), `DELETE returned ${status}`);
  }

  async #send(method, body) {
    const started = performance.now();
    const init = { method, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }) };
    const response = await fetch(this.#session.origin + this.#path, init);
    return { status: response.status, body: await response.json(), took: performance.now() - started };
  }
}

/** The sources go in: what is new there is sent, and then nothing is. */
export async function sync(workspace) {
  await workspace.delete();
  const known = [...workspace.files].map(([file_path, text]) => ({ file_path, file_hash: fileHash(text) }));
  const scan = () => workspace.ok("scan_for_change", { files: known, complete: true });
  const { added } = await scan();
  assert.equal(added.length, known.length, "all files are new");
  let batch = [], bytes = 0, items = 0;
  const send = async () => {
    const { files, itemsAdded } = await workspace.ok("put_files", { files: batch });
    for (const { file_path, parsed, file_hash } of files) assert.deepEqual([parsed, file_hash], [true, fileHash(workspace.files.get(file_path))], file_path);
    items += itemsAdded;
    [batch, bytes] = [[], 0];
  };
  for (const [file_path, text] of workspace.files) {
    batch.push({ file_path, text });
    bytes += text.length;
    if (bytes > BATCH_BYTES) await send();
  }
  await send();
  const again = await scan();
  assert.deepEqual([again.added, again.changed, again.deleted], [[], [], []], "nothing is left to send");
  const lines = [...workspace.files.values()].reduce((sum, text) => sum + text.split("\n").length - 1, 0);
  print.finding(`${print.plural(known.length, "file")}, ${print.plural(lines, "line")}, ${print.plural(items, "item")}`);
  print.checked("each file was parsed, and has the hash that JavaScript computes of it");
}

/** A question in plain words finds the gate, within a budget of tokens. */
export async function find(workspace) {
  const { context } = await workspace.ok("request_code_context", { hint: QUESTION, token_budget: TOKENS });
  const parts = context.parts.map(({ canon_path, file_path, lines, score }, index) => ({ rank: index + 1, item: canon_path, file: file_path, line: lines[0][0], score }));
  print.table(["rank", "item", "file", "line"], parts);
  const place = parts.find(({ item, file }) => item === GATE.canon && file === GATE.file);
  assert.ok(place, `the gate is not among ${parts.map(({ item }) => item).join(", ")}`);
  assert.equal(workspace.files.get(GATE.file).split("\n").slice(place.line - 1).find((line) => !line.startsWith("///")), signature(workspace), "its line");
  assert.ok(context.stats.total_tokens <= TOKENS, "the budget");
  print.finding(`${GATE.name} is number ${place.rank}; ${print.count(context.stats.total_tokens)} of ${print.count(TOKENS)} tokens`);
  print.checked("the item is the function that the file has at that line");
}

const signature = (workspace) => workspace.files.get(GATE.file).split("\n").find((line) => line.startsWith(`pub fn ${GATE.name}(`));

/** An edit that breaks the syntax is refused, with the place. */
export async function breakSyntax(workspace) {
  const { item } = await workspace.ok("code_item_lookup", { canon: GATE.canon, file_path: GATE.file });
  const edit = { mode: "canonical", file: GATE.file, canon: GATE.canon, node_type: "function" };
  const right = item.text.replace(`${signature(workspace)}\n`, `${signature(workspace)}\n${CHECK}`);
  assert.notEqual(right, item.text);
  const { status, body } = await workspace.call("apply_code_edit", { edits: [{ ...edit, code: right.slice(0, -1) }] });
  assert.deepEqual([status, body.error?.code], [422, "SYNTAX_BROKEN"], JSON.stringify(body));
  print.note(`   ${body.error.message}`);
  print.finding(`${body.error.code}, and nothing is staged`);
  const { pending } = await workspace.ok("list_proposals");
  assert.equal(pending, 0, "no proposal");
  print.checked("no proposal was made of it");
  return { ...edit, code: right };
}

/** Corrected, it waits with its diff, and is written once it is approved. */
export async function approve(workspace, edit) {
  const staged = await workspace.ok("apply_code_edit", { edits: [edit], requestId: "trim" });
  assert.deepEqual([staged.status, staged.files, staged.applied], ["pending", [GATE.file], 0]);
  const changed = staged.preview.split("\n").filter((line) => /^[-+](?![-+])/.test(line));
  print.code(changed.join("\n"));
  assert.deepEqual(changed, [`+${CHECK.trimEnd()}`], "the diff is the line");
  const { results } = await workspace.ok("approve_proposal", { requestId: "trim" });
  const before = workspace.files.get(GATE.file);
  const after = before.replace(`${signature(workspace)}\n`, `${signature(workspace)}\n${CHECK}`);
  assert.equal(results[0].new_file_hash, fileHash(after), "the hash of the edited file");
  const { context } = await workspace.ok("request_code_context", { hint: GATE.name, token_budget: TOKENS, paths: [GATE.file] });
  assert.ok(context.parts.some(({ text }) => text.includes(CHECK.trim())), "the index is current");
  print.finding("a diff of one line, approved; the next question finds it");
  print.checked("the file has the hash that JavaScript computes of the edited text");
}

/** The approved edit is taken back, byte for byte. */
export async function revert(workspace) {
  await workspace.ok("revert_proposal", { requestId: "trim" });
  const { text } = await workspace.ok("read_file", { file_path: GATE.file });
  assert.equal(text, workspace.files.get(GATE.file), "the file is as it was");
  const again = await workspace.call("revert_proposal", { requestId: "trim" });
  assert.notEqual(again.status, 200, "a second time");
  print.finding("the file has its bytes of before; a second time is an error");
  print.checked("the file is that of the disk, byte for byte");
}
