// Tests of the command `codemode` as a process, with git on one side and workerd on the other.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { after, before, describe, test } from "node:test";
import { TOKENS, Worker } from "./harness.mjs";
import { until } from "../until.mjs";

/** The command that `scripts/build test` has made beside the Worker. */
const COMMAND = process.env.CODEMODE_COMMAND ?? join(process.env.CARGO_TARGET_DIR, "debug", "codemode");

const run = promisify(execFile);

const CARGO = '[package]\nname = "gatekeeper"\nversion = "0.1.0"\nedition = "2024"\n';
const LIB = "//! A gate.\n\n/// Checks a statement.\npub fn review(sql: &str) -> bool {\n    !sql.is_empty()\n}\n\npub fn other() -> u8 { 1 }\n";

describe("the command codemode", () => {
  let worker;
  let folder;
  const workspace = "of-the-command";

  before(async () => {
    worker = await Worker.start({ settings: { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme", [TOKENS.zeta]: "zeta" }) } });
    folder = await mkdtemp(join(tmpdir(), "codemode-command-"));
    await write("Cargo.toml", CARGO);
    await write("src/lib.rs", LIB);
    await write(".gitignore", "/target\n");
    await write("target/debug/large", "x".repeat(100_000));
    await write("picture.png", Buffer.from([0x89, 0x50, 0xff, 0xfe, 0]));
    await write("empty.txt", "");
    await chmod(join(folder, "src/lib.rs"), 0o755);
    await git("init", "--quiet");
    await git("add", "--all");
    await git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", "files");
  });
  after(async () => {
    await worker?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const write = async (path, content) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  };
  const onDisk = (path) => readFile(join(folder, path), "utf8");
  const git = async (...words) => (await run("git", words, { cwd: folder })).stdout;
  const changed = () => git("status", "--porcelain", "--untracked-files=all");
  const environment = (token = TOKENS.acme) => ({
    ...process.env,
    CODEMODE_URL: worker.url,
    CODEMODE_WORKSPACE: workspace,
    ...(token ? { CODEMODE_TOKEN: token } : {}),
  });

  /** Runs the command; returns its exit code and output. */
  const codemode = async (words, { token } = {}) => {
    try {
      const { stdout, stderr } = await run(COMMAND, words, { cwd: folder, env: environment(token) });
      return { code: 0, text: stdout + stderr };
    } catch (error) {
      return { code: error.code, text: error.stdout + error.stderr };
    }
  };
  const done = async (...words) => {
    const { code, text } = await codemode(words);
    assert.equal(code, 0, text);
    return text;
  };

  const call = async (operation, fields = {}) => {
    const response = await worker.fetch(`/api/code/${workspace}`, {
      method: "POST",
      body: JSON.stringify({ operation, ...fields }),
      headers: { "content-type": "application/json", authorization: `Bearer ${TOKENS.acme}` },
    });
    const body = await response.json();
    assert.equal(response.status, 200, JSON.stringify(body));
    return body;
  };
  const paths = async () => (await call("list_files")).files.map(({ file_path }) => file_path);

  test("a directory is sent, without what git ignores, and a second time nothing is", async () => {
    assert.match(await done("sync"), /^version \d+: 5 files sent, 0 deleted$/m);
    assert.deepEqual(await paths(), [".gitignore", "Cargo.toml", "empty.txt", "picture.png", "src/lib.rs"]);
    assert.match(await done("sync", folder), /: 0 files sent, 0 deleted$/m);
    assert.match(await done("status"), /directory and workspace are equal/);
    assert.equal(await changed(), "", "the command leaves nothing that git sees");
  });

  test("an approved edit is the only change that git sees, and its revert leaves none", async () => {
    const edit = { mode: "canonical", file: "src/lib.rs", canon: "crate::review", node_type: "function" };
    const code = "/// Checks a statement.\npub fn review(sql: &str) -> bool {\n    !sql.trim().is_empty()\n}";
    await call("apply_code_edit", { requestId: "trim-1", edits: [{ ...edit, code }] });
    assert.match(await done("status"), /^\? trim-1: waits for a decision: src\/lib\.rs$/m);
    assert.equal((await call("approve_proposal", { requestId: "trim-1" })).ok, true);

    const held = await codemode(["sync"]);
    assert.equal(held.code, 1);
    assert.match(held.text, /not sent: src\/lib\.rs has an approved edit that is not on disk: run codemode apply/);

    assert.equal(await done("apply"), "trim-1: wrote src/lib.rs\n");
    assert.equal(await onDisk("src/lib.rs"), LIB.replace("!sql.is_empty()", "!sql.trim().is_empty()"));
    assert.equal(await changed(), " M src/lib.rs\n");
    assert.equal((await stat(join(folder, "src/lib.rs"))).mode & 0o777, 0o755);
    assert.equal(await done("apply"), "nothing to write: the approved edits are on disk\n");
    assert.match(await done("sync"), /: 0 files sent, 0 deleted$/m);

    await call("revert_proposal", { requestId: "trim-1" });
    assert.equal(await done("apply", "trim-1"), "trim-1: already on disk\nrevert of trim-1: wrote src/lib.rs\n");
    assert.equal(await onDisk("src/lib.rs"), LIB);
    assert.equal(await changed(), "");
  });

  test("an edit is not written over a file that was changed", async () => {
    const edit = { mode: "canonical", file: "src/lib.rs", canon: "crate::other", node_type: "function", code: "pub fn other() -> u8 { 2 }" };
    await call("apply_code_edit", { requestId: "other-1", edits: [edit] });
    await call("approve_proposal", { requestId: "other-1" });
    await write("src/lib.rs", `${LIB}// Mine.\n`);
    const refused = await codemode(["apply"]);
    assert.equal(refused.code, 1);
    assert.match(refused.text, /other-1: not written: src\/lib\.rs does not have the content that the edit was applied to/);
    assert.equal(await onDisk("src/lib.rs"), `${LIB}// Mine.\n`);
    await write("src/lib.rs", LIB);
    assert.equal(await done("apply"), "other-1: wrote src/lib.rs\n");
    await call("revert_proposal", { requestId: "other-1" });
    await done("apply");
    assert.equal(await changed(), "");
  });

  test("a token that is unknown, and one of another tenant, reach nothing", async () => {
    const unknown = await codemode(["sync"], { token: "token-of-nobody-0123456789" });
    assert.equal(unknown.code, 4);
    assert.match(unknown.text, /UNAUTHORIZED/);
    const other = await codemode(["status"], { token: TOKENS.zeta });
    assert.match(other.text, /^A src\/lib\.rs$/m, "another tenant's workspace of this name is empty");
  });

  test("a watched directory sends what changes", async () => {
    const watching = spawn(COMMAND, ["sync", "--watch"], { cwd: folder, env: environment(), stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    for (const stream of [watching.stdout, watching.stderr]) stream.on("data", (piece) => (text += piece));
    try {
      await until(() => text.includes("watching ")).catch((error) => assert.fail(`${error.message}: ${text}`));
      await write("src/late.rs", "pub fn late() {}\n");
      await until(async () => (await paths()).includes("src/late.rs"));
      await write("src/late.rs", "pub fn later() {}\n");
      await until(async () => (await call("read_file", { file_path: "src/late.rs" })).text === "pub fn later() {}\n");
      await rm(join(folder, "src/late.rs"));
      await until(async () => !(await paths()).includes("src/late.rs"));
    } finally {
      watching.kill();
    }
  });
});
