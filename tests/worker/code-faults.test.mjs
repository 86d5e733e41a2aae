// Tests of faults around a code workspace: it ends at each statement of an apply, the Worker is
// killed, agents edit one file at once, and callers send paths that no directory can have.

import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { after, before, describe, test } from "node:test";
import { CACHE, LIB, Workspace, archive } from "./code-client.mjs";
import { Worker } from "./harness.mjs";

const TAR = { "content-type": "application/x-tar" };
const GZIP = { ...TAR, "content-encoding": "gzip" };
/**
 * More statements than an apply runs; a test that fails for another reason than the fault ends
 * there.
 */
const MOST_STATEMENTS = 400;
/** The files of a large workspace. */
const MANY = 20_000;
/** The files of one archive, equal to MAX_REQUEST_FILES. */
const ARCHIVED = 2_000;

const json = { "content-type": "application/json" };
const replace = (file, canon, code) => ({ mode: "canonical", file, canon, node_type: "function", code });
const statusOf = async (one, requestId) => (await one.ok("list_proposals", { requestId })).proposals[0].status;

let worker;
before(async () => (worker = await Worker.start({ persistent: true })));
after(() => worker.stop());

const fresh = (name) => new Workspace(worker, name === undefined ? {} : { name });

describe("an apply", () => {
  test("that ends at any of its statements leaves the files and the proposal as they were", async () => {
    const one = await fresh().filled();
    const edits = [replace("src/lib.rs", "crate::review", "pub fn review() {}"), { mode: "insert_after", file: "src/cache.rs", canon: "crate::cache::StatementCache", node_type: "struct", code: "pub struct More;" }];
    await one.ok("apply_code_edit", { requestId: "r", edits });
    let ended = 0;
    for (; ; ended++) {
      assert.ok(ended < MOST_STATEMENTS, "it never succeeds");
      const { status, body } = await one.send(`?fault=statement&times=${ended}`, { method: "POST", headers: json, body: JSON.stringify({ operation: "approve_proposal", requestId: "r" }) });
      if (status === 200) {
        assert.deepEqual([body.ok, body.applied], [true, 2]);
        break;
      }
      assert.deepEqual([status, body.error.code], [500, "INTERNAL"], JSON.stringify(body));
      if ((await statusOf(one, "r")) === "applied") {
        // It had committed before it ended. Only the vectors, which are made after the commit, are
        // missing, and the next write makes them.
        break;
      }
      assert.deepEqual([await one.text("src/lib.rs"), await one.text("src/cache.rs"), await statusOf(one, "r")], [LIB, CACHE, "pending"], `statement ${ended}`);
    }
    assert.ok(ended > 20, `${ended} statements`);
    assert.match(await one.text("src/lib.rs"), /^pub fn review\(\) \{\}/m);
    assert.match(await one.text("src/cache.rs"), /^pub struct More;/m);
    const found = await one.ok("request_code_context", { token_budget: 500, hint: "More" });
    assert.ok(found.context.parts.some(({ canon_path }) => canon_path === "crate::cache::More"), JSON.stringify(found.context.parts.map(({ canon_path }) => canon_path)));
  });

  test("of a Worker that is killed is done in all of its files or in none", async () => {
    const one = fresh();
    const count = 24;
    const files = Array.from({ length: count }, (_, at) => [`src/a${at}.rs`, `src/b${at}.rs`]);
    await one.ok("put_files", { files: files.flat().map((file_path) => ({ file_path, text: "pub fn f() {}\n" })) });
    for (const [at, [a, b]] of files.entries()) {
      const edits = [a, b].map((file) => replace(file, `crate::${file.slice(4, -3)}::f`, "pub fn f() { g() }"));
      await one.ok("apply_code_edit", { requestId: `r${at}`, edits });
    }
    const waiting = new Set(files.keys());
    for (let kills = 0; waiting.size > 0; kills++) {
      let responses = 0;
      const killed = Promise.withResolvers();
      // It is killed each time some more calls have responded, so that others are in flight.
      const approve = async (at) => {
        const status = await one.call("approve_proposal", { requestId: `r${at}` }).then(({ status }) => status, () => 0);
        if (++responses === 2 + kills && kills < 4) worker.kill().then(killed.resolve, killed.reject);
        return status;
      };
      const all = await Promise.all([...waiting].map(approve));
      if (responses >= 2 + kills && kills < 4) await killed.promise;
      for (const [place, at] of [...waiting].entries()) {
        const [a, b] = await Promise.all(files[at].map((file) => one.text(file)));
        assert.equal(a, b, `r${at}: both files or none`);
        const isApplied = (await statusOf(one, `r${at}`)) === "applied";
        assert.equal(a.includes("g()"), isApplied, `r${at}`);
        if (all[place] === 200) assert.ok(isApplied, `r${at}: what was told is so`);
        if (isApplied) waiting.delete(at);
      }
      assert.ok(kills < 10);
    }
  });
});

describe("two agents", () => {
  test("who edit one item at once do not write over each other", async () => {
    const one = await fresh().filled();
    const ids = Array.from({ length: 6 }, (_, at) => `r${at}`);
    await Promise.all(ids.map((requestId, at) => one.ok("apply_code_edit", { requestId, edits: [replace("src/lib.rs", "crate::review", `pub fn review() -> usize { ${at} }`)] })));
    const replies = await Promise.all(ids.map((requestId) => one.call("approve_proposal", { requestId })));
    const applied = replies.filter(({ body }) => body.ok === true);
    assert.equal(applied.length, 1, JSON.stringify(replies.map(({ body }) => body)));
    const winner = applied[0].body.requestId;
    assert.match(await one.text("src/lib.rs"), new RegExp(`usize \\{ ${winner.slice(1)} \\}`));
    const statuses = await Promise.all(ids.map((requestId) => statusOf(one, requestId)));
    assert.deepEqual(statuses.toSorted(), ["applied", ...Array(5).fill("stale")]);
  });

  test("who edit items beside each other, or write the file meanwhile, lose nothing", async () => {
    const one = fresh();
    const names = Array.from({ length: 20 }, (_, at) => `f${at}`);
    await one.ok("put_files", { files: [{ file_path: "src/many.rs", text: names.map((name) => `pub fn ${name}() {}\n`).join("\n") }] });
    await Promise.all(names.map(async (name) => {
      await one.ok("apply_code_edit", { requestId: name, edits: [replace("src/many.rs", `crate::many::${name}`, `pub fn ${name}() -> &'static str { "${name}" }`)] });
      assert.equal((await one.ok("approve_proposal", { requestId: name })).ok, true);
    }));
    const text = await one.text("src/many.rs");
    for (const name of names) assert.ok(text.includes(`{ "${name}" }`), name);
    const { file_hash } = await one.ok("get_file_metadata", { file_path: "src/many.rs" });
    await one.ok("put_files", { files: [{ file_path: "src/many.rs", text: "pub fn other() {}\n" }] });
    await one.error("apply_code_edit", { edits: [{ file_path: "src/many.rs", expected_file_hash: file_hash, start_byte: 0, end_byte: 1, replacement: "x" }] }, 409, "CODE_CHANGED");
  });
});

describe("what is large", () => {
  test("a file of 5 MB is stored, searched and edited", async () => {
    const one = fresh();
    const line = (at) => `pub fn number_${at}() -> u64 { ${at} }\n`;
    const lines = [];
    for (let bytes = 0, at = 0; bytes < 5 * 1024 * 1024; at++) bytes += lines[lines.push(line(at)) - 1].length;
    const text = lines.join("");
    const put = await one.send("/files/src/large.rs", { method: "PUT", body: text });
    assert.equal(put.status, 200, JSON.stringify(put.body).slice(0, 500));
    assert.deepEqual([put.body.files[0].parsed, typeof put.body.files[0].reason], [false, "string"]);
    const metadata = await one.ok("get_file_metadata", { file_path: "src/large.rs" });
    assert.equal(metadata.byte_len, text.length);
    const last = lines.length - 1;
    assert.equal(await one.text("src/large.rs", { start_line: lines.length }), line(last));
    const { matches } = await one.ok("search_code", { pattern: `number_${last}(` });
    assert.deepEqual(matches.map(({ line }) => line), [lines.length]);
    const end = text.length;
    await one.ok("apply_code_edit", { requestId: "r", edits: [{ file_path: "src/large.rs", expected_file_hash: metadata.file_hash, start_byte: end, end_byte: end, replacement: "// the end\n" }] });
    assert.equal((await one.ok("approve_proposal", { requestId: "r" })).ok, true);
    assert.equal((await one.ok("get_file_metadata", { file_path: "src/large.rs" })).byte_len, end + "// the end\n".length);
  });

  test("20,000 files are listed page by page, compared and searched", async () => {
    const one = fresh();
    const path = (at) => `src/part_${String(at % 100).padStart(2, "0")}/file_${String(at).padStart(5, "0")}.txt`;
    for (let from = 0; from < MANY; from += ARCHIVED) {
      const files = Array.from({ length: ARCHIVED }, (_, at) => [path(from + at), `note ${from + at}\n`]);
      const { status, body } = await one.send("/files", { method: "POST", body: gzipSync(archive(files), { level: 1 }), headers: GZIP });
      assert.equal(status, 200, JSON.stringify(body).slice(0, 500));
    }
    assert.equal((await one.send("")).body.files, MANY);
    const seen = [];
    for (let cursor; ; ) {
      const page = await one.ok("list_files", { limit: 5_000, ...(cursor && { cursor }) });
      seen.push(...page.files);
      if ((cursor = page.nextCursor) === null) break;
    }
    assert.deepEqual(seen.map(({ file_path }) => file_path), Array.from({ length: MANY }, (_, at) => path(at)).toSorted());
    const { added, changed, deleted, unchanged } = await one.ok("scan_for_change", { complete: true, files: seen.slice(1).map(({ file_path, file_hash }) => ({ file_path, file_hash })) });
    assert.deepEqual([added, changed, deleted, unchanged], [[], [], [seen[0].file_path], MANY - 1]);
    const folder = await one.ok("list_files", { path: "src/part_07", limit: 5_000 });
    assert.equal(folder.files.length, MANY / 100);
    const { matches } = await one.ok("search_code", { pattern: "note 19999" });
    assert.deepEqual(matches.map(({ file_path }) => file_path), [path(19_999)]);
    const found = await one.ok("request_code_context", { token_budget: 200, hint: "note 1234" });
    assert.ok(found.context.parts.length > 0);
  });

  test("an archive that unpacks to more than it may is refused, packed or not, and nothing is written", async () => {
    const one = fresh();
    const zeros = "\0".repeat(8 * 1024 * 1024 - 1);
    const many = Array.from({ length: 5 }, (_, at) => [`zeros_${at}.bin`, zeros]);
    const nested = gzipSync(gzipSync(archive(many)));
    for (const [body, headers, code] of [
      [gzipSync(archive(many)), GZIP, "TOO_BIG"],
      [gzipSync(archive([["one.bin", "\0".repeat(64 * 1024 * 1024)]])), GZIP, "TOO_BIG"],
      [gzipSync(archive(Array.from({ length: ARCHIVED + 1 }, (_, at) => [`f${at}`, ""]))), GZIP, "TOO_BIG"],
      [nested, GZIP, "INVALID_BODY"],
      [nested, TAR, "INVALID_BODY"],
    ]) {
      assert.ok(body.length < 1024 * 1024, "a bomb is small");
      const { status, body: said } = await one.send("/files", { method: "POST", body, headers });
      assert.deepEqual([status, said.error?.code], [400, code], JSON.stringify(said).slice(0, 300));
    }
    const list = await one.send("/files", { method: "POST", headers: json, body: JSON.stringify({ files: [{ file_path: "a.txt", text: "x".repeat(33 * 1024 * 1024) }] }) });
    assert.deepEqual([list.status, list.body.error.code], [413, "PAYLOAD_TOO_LARGE"]);
    assert.equal((await one.send("")).body.files, 0);
  });
});

describe("a path", () => {
  test("that leaves the workspace or that a system cannot have is refused on every way, and nothing is written", async () => {
    const one = fresh();
    const hostile = [
      "..", "../up.rs", "src/../../up.rs", "./../up.rs", "/etc/passwd", "//server/share", "C:/x.rs", "c:\\x.rs", "src\\lib.rs", "\\\\server\\share", "a//b.rs", "a/./b.rs", "a/", "",
      "a\0b.rs", "a\nb.rs", "a\u0085b", ".git/config", "src/.git/hooks/post-checkout", ".GIT/config", "con", "src/NUL.txt", "com1.rs", "a".repeat(1_100), "a/".repeat(70) + "b",
    ];
    for (const file_path of hostile) {
      const { status, body } = await one.call("put_files", { files: [{ file_path: "src/lib.rs", text: "" }, { file_path, text: "x" }] });
      assert.deepEqual([status, body.error?.code], [400, "INVALID_ARGUMENT"], JSON.stringify([file_path, body]).slice(0, 300));
      const archived = await one.send("/files", { method: "POST", body: archive([["src/lib.rs", ""], [file_path.slice(0, 99), "x"]]), headers: TAR });
      // A name in an archive ends at NUL, and tar itself writes ./ before it.
      if (!/^(a\0b\.rs|a{1100}|(a\/){70}b)$/.test(file_path) && !["a/", ""].includes(file_path)) assert.equal(archived.status, 400, JSON.stringify([file_path, archived.body]).slice(0, 300));
      if (archived.status === 200) await one.send("", { method: "DELETE" });
      for (const [operation, fields] of [["read_file", { file_path }], ["get_file_metadata", { file_path }], ["delete_files", { file_paths: [file_path] }], ["apply_code_edit", { edits: [replace(file_path, "crate::x", "fn x() {}")] }]]) {
        const { status } = await one.call(operation, fields);
        assert.ok(status >= 400 && status < 500, `${operation} ${JSON.stringify(file_path)} ${status}`);
      }
      const scanned = await one.ok("scan_for_change", { files: [{ file_path, file_hash: "x" }] });
      assert.deepEqual([scanned.added, scanned.refused.length], [[], 1], JSON.stringify(file_path));
    }
    for (const address of ["%2e%2e/up.rs", "src/%2e%2e/%2e%2e/up.rs", "%2Fetc%2Fpasswd", "a%00b.rs", "a%5Cb.rs", "%ff%fe.rs", ".git/config"]) {
      const { status } = await one.send(`/files/${address}`, { method: "PUT", body: "x" });
      assert.ok(status >= 400 && status < 500, `${address} ${status}`);
    }
    assert.equal((await one.send("")).body.files, 0);
  });

  test("that some systems take for another one is stored, and told", async () => {
    const one = fresh();
    const names = ["src/Name.rs", "src/name.rs", "src/caf\u00e9.rs", "src/cafe\u0301.rs", "src/日本.rs", "src/🦀.rs"];
    const { files } = await one.ok("put_files", { files: names.map((file_path) => ({ file_path, text: `pub fn f() {} // ${file_path}\n` })) });
    const twins = Object.fromEntries(files.map(({ file_path, same_on_some_systems = [] }) => [file_path, same_on_some_systems]));
    assert.deepEqual([twins[names[0]], twins[names[1]], twins[names[4]]], [[names[1]], [names[0]], []], JSON.stringify(twins));
    assert.deepEqual([twins[names[2]], twins[names[3]]], [[names[3]], [names[2]]]);
    for (const file_path of names) {
      assert.match(await one.text(file_path), /^pub fn f/);
      assert.equal((await one.send(`/files/${file_path.split("/").map(encodeURIComponent).join("/")}`, { method: "DELETE" })).body.deleted[0], file_path);
    }
    assert.equal((await one.send("")).body.files, 0);
    const tarred = await one.send("/files", { method: "POST", body: archive([["a.rs", ""], ["A.rs", ""]]), headers: TAR });
    assert.deepEqual(tarred.body.files.map(({ same_on_some_systems }) => same_on_some_systems), [["A.rs"], ["a.rs"]]);
    const twice = await one.send("/files", { method: "POST", body: archive([["a.rs", "1"], ["a.rs", "2"]]), headers: TAR });
    assert.equal(twice.status, 400, JSON.stringify(twice.body));
  });
});

describe("a search", () => {
  // For each byte, the engine visits up to all states of the expression, and an unoptimised
  // WebAssembly build takes several times as long as the deployed one.
  test("with a large expression ends at its budget, and goes on in the line where it stopped", async () => {
    const one = fresh();
    const lines = `${"a".repeat(99)}\n`.repeat(5_000);
    await one.ok("put_files", { files: [{ file_path: "lines.txt", text: lines }, { file_path: "long.txt", text: "a".repeat(200_000) }, { file_path: "z.txt", text: "aab\n" }] });
    const matches = [];
    let pages = 0;
    for (let cursor; pages === 0 || cursor !== undefined; pages += 1) {
      assert.ok(pages < 20, "the search comes to no end");
      const before = performance.now();
      const page = await one.ok("search_code", { pattern: "(?:a?){100}b", regex: true, ...(cursor === undefined ? {} : { cursor }) });
      assert.ok(performance.now() - before < 30_000, `${performance.now() - before} ms`);
      matches.push(...page.matches);
      cursor = page.nextCursor ?? undefined;
    }
    assert.ok(pages > 1, `${pages} pages`);
    assert.deepEqual(matches.map(({ file_path, line }) => [file_path, line]), [["z.txt", 1]]);
    const { skippedLines, complete } = await one.ok("search_code", { pattern: "(?:a?){3000}b", regex: true, path: "long.txt" });
    assert.deepEqual([skippedLines, complete], [[{ file_path: "long.txt", line: 1, bytes: 200_000 }], true]);
  });
});
