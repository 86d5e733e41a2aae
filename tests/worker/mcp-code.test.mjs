// Tests of the endpoint of a code workspace, `/mcp/code/{workspace}`: the official clients of both
// protocol versions find code, propose edits that their users approve in a form, and get results
// that fit. Every message of the raw clients is validated with the published schemas.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import { CACHE, LIB, Workspace } from "./code-client.mjs";
import { TOKENS, Worker } from "./harness.mjs";
import { Legacy, Modern } from "./mcp-client.mjs";
import { TYPESCRIPT_CLIENTS } from "./mcp-clients.mjs";
import { operationsOf } from "./operations.mjs";

const OPERATIONS = operationsOf("CodeOperation");
/** The tools that change nothing. */
const READING = ["request_code_context", "list_proposals", "get_file_metadata", "code_item_lookup", "code_item_edges", "list_files", "read_file", "search_code", "scan_for_change", "inspect"];
/** The tools that change something without removing anything. */
const ADDING = ["apply_code_edit", "deny_proposal"];
/**
 * The most tokens of the list of tools, which is in the context of a model before it has done
 * anything.
 */
const LIST_TOKENS = 4_500;
const FORMS = { elicitation: {} };
const OWN = { authorization: `Bearer ${TOKENS.acme}` };
/** The tenant whose models may decide. */
const TRUSTING = { authorization: `Bearer ${TOKENS.zeta}` };
const EDIT = { mode: "canonical", file: "src/lib.rs", canon: "crate::review", node_type: "function", code: "/// Checks.\npub fn review(sql: &str) -> bool { !sql.is_empty() }" };
const MORE = { mode: "insert_after", file: "src/cache.rs", canon: "crate::cache::StatementCache", node_type: "struct", code: "pub struct More;" };
const APPROVE = { decision: { action: "accept", content: { decision: "approve" } } };

const vocabulary = new Tiktoken(o200k);
const count = (text) => vocabulary.encode(text, "all").length;
/** Returns the tokens of a result that a host may show its model. */
const tokens = ({ content, structuredContent }) => content.reduce((sum, { text }) => sum + count(text), 0) + count(JSON.stringify(structuredContent));
const textOf = ({ content }) => content.map(({ text }) => text).join("\n");
const endpoint = (name, query = "") => `/mcp/code/${encodeURIComponent(name)}${query}`;

let worker;
before(async () => {
  worker = await Worker.start({
    settings: {
      API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme", [TOKENS.zeta]: "zeta" }),
      AGENT: JSON.stringify({ tenants: { zeta: { modelMayDecide: true } } }),
    },
  });
});
after(() => worker.stop());

const workspace = (headers = OWN, name = `chat:${randomUUID()}`) => new Workspace(worker, { name, headers }).filled();
const modern = ({ name, headers }, { query, ...more } = {}) => new Modern(worker, { path: endpoint(name, query), headers, ...more });
const legacy = ({ name, headers }, { query, ...more } = {}) => Legacy.begin(worker, { path: endpoint(name, query), headers, ...more });
const statusOf = async (one, requestId) => (await one.ok("list_proposals", { requestId })).proposals[0].status;

/** Returns the form that a call gets as its response. */
async function form(client, name, args, more) {
  const result = await client.call(name, args, more);
  assert.equal(result.resultType, "input_required", JSON.stringify(result));
  assert.deepEqual(Object.keys(result.inputRequests), ["decision"]);
  return { state: result.requestState, ...result.inputRequests.decision.params };
}

/** Repeats a call with the response of the user. */
const respond = async (client, name, args, requestState, inputResponses = APPROVE) => (await client.request("tools/call", { name, arguments: args, requestState, inputResponses })).message;

for (const client of TYPESCRIPT_CLIENTS) {
  describe(client.name, () => {
    const open = async (context, { name }, options = {}) => {
      const connection = await client.connect({ url: worker.url + endpoint(name), token: TOKENS.acme, ...options });
      context.after(() => connection.close());
      return connection;
    };

    test("finds code, proposes an edit, and its user approves it", async (context) => {
      const one = await workspace();
      const shown = [];
      const connection = await open(context, one, { onElicit: ({ message }) => (shown.push(message), { action: "accept", content: { decision: "approve" } }) });
      assert.equal(connection.protocol, client.version);
      const found = await connection.call("request_code_context", { token_budget: 1_000, hint: "StatementCache" });
      assert.equal(found.structured.context.parts[0].canon_path, "crate::cache::StatementCache");
      assert.match(found.text, /src\/cache\.rs:\d+-\d+ crate::cache::StatementCache .*\n```\n/);
      const staged = await connection.call("apply_code_edit", { edits: [EDIT], requestId: "r1" });
      assert.match(staged.text, /^Proposal r1 with 1 edit of 1 file\. Nothing is written before it is approved\./);
      assert.equal(await one.text("src/lib.rs"), LIB);
      const applied = await connection.call("approve_proposal", { requestId: "r1" });
      assert.ok(!applied.isError, applied.text);
      assert.match(applied.text, /^Applied the proposal r1: version \d+\./);
      assert.match(shown[0], /^Apply this proposal\?\n\nChecked by the workspace:\n- Workspace: “chat:[^]*\n\nProposal: “r1”\n\nProposed by: “mcp”\n[^]*^\| \+pub fn review\(sql: &str\) -> bool/m);
      assert.match(await one.text("src/lib.rs"), /-> bool/);
      const reverted = await connection.call("revert_proposal", { requestId: "r1" });
      assert.ok(!reverted.isError && shown[1].startsWith("Revert this proposal?") && shown[1].includes("Proposal: “r1”"), reverted.text);
      assert.equal(await one.text("src/lib.rs"), LIB);
    });

    test("has a user who says no", async (context) => {
      const one = await workspace();
      const connection = await open(context, one, { onElicit: () => ({ action: "accept", content: { decision: "deny", reason: "too short" } }) });
      await connection.call("apply_code_edit", { edits: [EDIT], requestId: "r1" });
      const denied = await connection.call("approve_proposal", { requestId: "r1" });
      assert.ok(denied.isError && denied.structured.error.code === "CONFIRMATION_DECLINED", denied.text);
      const { proposals } = await one.ok("list_proposals", { requestId: "r1" });
      assert.deepEqual([proposals[0].status, proposals[0].reason], ["denied", "too short"]);
      const kept = await connection.call("delete_files", { file_paths: ["src/lib.rs"] });
      assert.equal(kept.structured.error.code, "CONFIRMATION_DECLINED", kept.text);
      assert.equal(await one.text("src/lib.rs"), LIB);
    });

    test("reads files as resources and completes their paths", async (context) => {
      const one = await workspace();
      const connection = await open(context, one);
      const [{ uri }] = await connection.resources();
      const page = JSON.parse(await connection.read(uri));
      assert.deepEqual(page.files.map(({ file_path }) => file_path), ["Cargo.toml", "README.md", "src/cache.rs", "src/lib.rs"]);
      assert.equal(await connection.read(page.files[3].uri), LIB);
      const [{ uriTemplate }] = await connection.templates();
      assert.deepEqual(await connection.complete({ type: "ref/resource", uri: uriTemplate }, "path", "src/c"), ["src/cache.rs"]);
      assert.match(await connection.prompt("explain_code", { question: "StatementCache" }), /crate::cache::StatementCache/);
    });
  });
}

describe("the list of tools", () => {
  test("is the table of operations, in both protocol versions, and short", async () => {
    const one = await workspace();
    const list = await modern(one).result("tools/list");
    assert.deepEqual((await (await legacy(one)).result("tools/list")).tools, list.tools);
    assert.deepEqual(list.tools.map(({ name, title, description }) => [name, title, description]), OPERATIONS.map(({ name, title, description }) => [name, title, description]));
    for (const [index, { inputSchema, annotations }] of list.tools.entries()) {
      const { name, input } = OPERATIONS[index];
      assert.deepEqual(Object.keys(inputSchema.properties), Object.keys(input.properties).filter((field) => field !== "workspace"), name);
      assert.deepEqual(inputSchema.required ?? [], input.required, name);
      const reads = READING.includes(name);
      assert.equal(annotations?.readOnlyHint ?? false, reads, name);
      if (!reads) assert.equal(annotations?.destructiveHint ?? true, !ADDING.includes(name), name);
    }
    const found = count(JSON.stringify(list));
    assert.ok(found < LIST_TOKENS, `${found} tokens`);
    const { tools } = await new Modern(worker, { headers: OWN }).result("tools/list");
    assert.deepEqual(tools.filter(({ name }) => OPERATIONS.some((operation) => operation.name === name)), []);
  });

  test("of an address that reads only has what writes nothing", async () => {
    const one = await workspace();
    const reader = modern(one, { query: "?readonly=true" });
    const { tools } = await reader.result("tools/list");
    assert.deepEqual(tools.map(({ name }) => name), READING);
    const { message } = await reader.request("tools/call", { name: "put_files", arguments: { files: [] } });
    assert.match(message.error.message, /Unknown tool: put_files writes, but this endpoint only reads/);
    const near = await modern(one).request("tools/call", { name: "read_fil", arguments: {} });
    assert.match(near.message.error.message, /did you mean `read_file`\?/);
  });
});

describe("a result", () => {
  test("of each tool has the fields of the operation over HTTP, and names the workspace", async () => {
    for (const open of [modern, legacy]) {
      const one = await workspace();
      const { file_hash } = await one.ok("get_file_metadata", { file_path: "src/lib.rs" });
      await one.ok("apply_code_edit", { edits: [EDIT], requestId: "r1" });
      const client = await open(one);
      const ajv = new Ajv2020({ strict: false });
      const conforms = Object.fromEntries((await client.result("tools/list")).tools.map(({ name, outputSchema }) => [name, ajv.compile(outputSchema)]));
      for (const [tool, args] of [
        ["request_code_context", { token_budget: 500, hint: "StatementCache" }],
        ["list_proposals", {}], ["list_proposals", { requestId: "r1" }],
        ["get_file_metadata", { file_path: "src/lib.rs" }], ["get_file_metadata", { file_path: "none.rs" }],
        ["code_item_lookup", { item_name: "review" }], ["code_item_edges", { canon: "crate", file_path: "src/lib.rs", node_kind: "module" }],
        ["list_files", { path: "src" }], ["read_file", { file_path: "src/lib.rs", start_line: 2, end_line: 4 }],
        ["search_code", { pattern: "pub (fn|struct)", regex: true }], ["scan_for_change", { files: [{ file_path: "src/lib.rs", file_hash }] }],
        ["inspect", {}], ["inspect", { file_path: "src/lib.rs" }],
      ]) {
        const { success, ...fields } = await one.ok(tool, args);
        const { workspace: named, ...own } = await client.ok(tool, args);
        assert.deepEqual([named, own], [one.name, fields], tool);
        assert.ok(conforms[tool]({ workspace: named, ...own }), `${tool}: ${JSON.stringify(conforms[tool].errors)}`);
        assert.ok(!conforms[tool](own), "the workspace is always there");
        const slip = await client.failed(tool, { ...args, zzzz: 1 });
        assert.equal(slip.code, "INVALID_ARGUMENT", tool);
      }
      assert.equal((await client.failed("read_file", { file_path: "none.rs" })).code, "FILE_NOT_FOUND");
      const missing = await client.call("code_item_lookup", { item_name: "reviw", file_path: "src/lib.rs", node_kind: "function" });
      assert.match(textOf(missing), /^ITEM_NOT_FOUND: No matching node found[^]*crate::review/);
      const slip = await client.failed("search_code", { patern: "x" });
      assert.equal(slip.hint, "did you mean `pattern`?");
    }
  });

  test("is one that fits, and pages and ranges have everything once", async () => {
    const small = await Worker.start({ settings: { MCP_MAX_RESULT_TOKENS: "4000" } });
    try {
      const one = new Workspace(small);
      const source = (module) => Array.from({ length: 60 }, (_, at) => `/// Counts the words of paragraph ${at}.\npub fn count_words_${module}_${at}(text: &str) -> usize {\n    text.split_whitespace().count() + ${at}\n}\n`).join("\n");
      const files = Array.from({ length: 120 }, (_, at) => ({ file_path: `src/module_${String(at).padStart(3, "0")}.rs`, text: at < 10 ? source(at) : `pub fn f${at}() {}\n` }));
      await one.ok("put_files", { files });
      const client = new Modern(small, { path: endpoint(one.name) });
      const fits = async (tool, args) => {
        const result = await client.call(tool, args);
        assert.ok(!result.isError, `${tool}: ${textOf(result)}`);
        assert.ok(tokens(result) <= 4_000, `${tool}: ${tokens(result)} tokens`);
        return result.structuredContent;
      };
      const found = await fits("request_code_context", { token_budget: 20_000, hint: "count the words of a paragraph" });
      assert.ok(found.truncated && found.context.parts.flatMap(({ ranges }) => ranges).length > 3, JSON.stringify(found.context.stats));
      assert.ok(found.context.stats.total_tokens <= found.token_budget);
      const pages = async (tool, args, list, key) => {
        const seen = [];
        for (let cursor; ; ) {
          const page = await fits(tool, { ...args, ...(cursor && { cursor }) });
          seen.push(...page[list].map(key));
          if ((cursor = page.nextCursor) === null) return seen;
        }
      };
      assert.deepEqual(await pages("list_files", { limit: 5_000 }, "files", ({ file_path }) => file_path), files.map(({ file_path }) => file_path));
      const matched = await pages("search_code", { pattern: "pub fn f", limit: 1_000 }, "matches", ({ file_path }) => file_path);
      assert.deepEqual(matched, files.slice(10).map(({ file_path }) => file_path));
      let text = "";
      for (let start_byte = 0; ; ) {
        const part = await fits("read_file", { file_path: files[3].file_path, start_byte });
        text += part.text;
        if (!part.truncated) break;
        assert.ok(part.text.endsWith("\n"));
        start_byte = part.next_byte;
      }
      assert.equal(text, files[3].text);
      for (let at = 0; at < 5; at++) await fits("apply_code_edit", { requestId: `r${at}`, edits: [{ file_path: files[at].file_path, expected_file_hash: (await one.ok("get_file_metadata", { file_path: files[at].file_path })).file_hash, start_byte: 0, end_byte: 0, replacement: "// more\n".repeat(400) }] });
      const listed = await pages("list_proposals", { preview: true }, "proposals", ({ requestId }) => requestId);
      assert.deepEqual(listed, ["r4", "r3", "r2", "r1", "r0"]);
      for (const [tool, args] of [["code_item_edges", { canon: "crate::module_001", file_path: files[1].file_path, node_kind: "module" }], ["inspect", { file_path: files[1].file_path }], ["scan_for_change", { files: [], complete: true }], ["code_item_lookup", { canon: "crate::module_001", file_path: files[1].file_path, node_kind: "module" }]]) await fits(tool, args);
      const uri = `code://${one.name}/${files[3].file_path}`;
      const [first] = (await client.result("resources/read", { uri })).contents;
      const [second] = (await client.result("resources/read", { uri: first._meta["codemode-database/code"].next })).contents;
      assert.ok(files[3].text.startsWith(first.text + second.text) && second.text.length > 0);
    } finally {
      await small.stop();
    }
  });
});

describe("a decision", () => {
  test("is not that of a model whose client has no form, unless the deployment lets it", async () => {
    const one = await workspace();
    for (const client of [modern(one), await legacy(one)]) {
      await client.ok("apply_code_edit", { edits: [EDIT], requestId: "r1" });
      for (const [tool, args] of [["approve_proposal", { requestId: "r1" }], ["approve_all", {}], ["put_files", { files: [{ file_path: "src/lib.rs", text: "" }] }], ["delete_files", { file_paths: ["src/lib.rs"] }]]) {
        const error = await client.failed(tool, args);
        assert.equal(error.code, "PERSON_REQUIRED", tool);
        assert.match(error.hint, new RegExp(`/code/${one.name}`));
      }
    }
    assert.equal(await one.text("src/lib.rs"), LIB);
    // A decision that does not fit the proposal's state is an error at once, because somebody may
    // decide it before the call would.
    const early = await modern(one).failed("revert_proposal", { requestId: "r1" });
    assert.deepEqual([early.code, early.status, early.message], ["PROPOSAL_DECIDED", "pending", 'the proposal "r1" is pending: it cannot be reverted']);
    await one.ok("approve_proposal", { requestId: "r1" });
    const late = await modern(one).failed("approve_proposal", { requestId: "r1" });
    assert.deepEqual([late.code, late.status], ["PROPOSAL_DECIDED", "applied"]);
    assert.equal((await modern(one).failed("revert_proposal", { requestId: "r1" })).code, "PERSON_REQUIRED");
    // Writing a new file removes nothing.
    await modern(one).ok("put_files", { files: [{ file_path: "src/new.rs", text: "pub fn fresh() {}\n" }] });
    assert.equal((await modern(one).failed("approve_proposal", { requestId: "none" })).code, "PROPOSAL_NOT_FOUND");
    const trusted = await workspace(TRUSTING);
    const client = modern(trusted);
    await client.ok("apply_code_edit", { edits: [EDIT], requestId: "r1" });
    assert.equal((await client.ok("approve_all")).applied, 1);
    await client.ok("revert_proposal", { requestId: "r1" });
    await client.ok("delete_files", { file_paths: ["src/lib.rs"] });
  });

  test("is asked for whatever MCP_CONFIRM says, and not made up where files cannot be compared", async () => {
    const bold = await Worker.start({ settings: { MCP_CONFIRM: "off" } });
    try {
      const one = await new Workspace(bold).filled();
      const client = new Modern(bold, { path: endpoint(one.name) });
      const program = async (call) => (await new Modern(bold).call("program_run", { code: `const code = helpers.code(${JSON.stringify(one.name)});\ntry { return ${call}; } catch (error) { return error.code; }` })).structuredContent.result;
      const overwrite = { files: [{ file_path: "./src/lib.rs", text: "" }] };
      for (const [tool, args] of [["put_files", overwrite], ["delete_files", { file_paths: ["src/lib.rs"] }]]) {
        assert.equal((await client.failed(tool, args)).code, "PERSON_REQUIRED", tool);
        assert.equal(await program(`await code.${tool}(${JSON.stringify(args)})`), "PERSON_REQUIRED", tool);
      }
      // A comparison that fails is no permission.
      const broken = { files: [{ file_path: 1, text: "" }, ...overwrite.files] };
      assert.equal(await program(`await code.put_files(${JSON.stringify(broken)})`), "INVALID_ARGUMENT");
      assert.equal(await one.text("src/lib.rs"), LIB);
      const asking = new Modern(bold, { path: endpoint(one.name), capabilities: FORMS });
      const { message, state } = await form(asking, "put_files", overwrite);
      assert.match(message, /^Overwrite this file\?\n\n[^]*^- File: “src\/lib\.rs”$/m);
      assert.ok(!(await respond(asking, "put_files", overwrite, state)).result.isError);
      assert.equal(await one.text("src/lib.rs"), "");
      assert.deepEqual(await client.ok("approve_all").then(({ ok, applied, proposals }) => [ok, applied, proposals]), [true, 0, []]);
    } finally {
      await bold.stop();
    }
  });

  test("is made on what goes as well as on what comes, whatever the author asked to see", async () => {
    const one = await workspace();
    const client = modern(one, { capabilities: FORMS });
    const staged = await client.ok("apply_code_edit", { edits: [EDIT], requestId: "r1", preview_mode: "codeblock" });
    assert.match(staged.preview, /^src\/lib\.rs, line \d+\n```rust\n/);
    const { message } = await form(client, "approve_proposal", { requestId: "r1" });
    assert.match(message, /^\| -pub fn review/m);
    assert.match(message, /^\| \+pub fn review\(sql: &str\) -> bool/m);
  });

  test("counts once, for the call and the content that was shown", async () => {
    const one = await workspace();
    const client = modern(one, { capabilities: FORMS });
    await client.ok("apply_code_edit", { edits: [EDIT], requestId: "r1" });
    await client.ok("apply_code_edit", { edits: [MORE], requestId: "r2" });
    const { state, message, requestedSchema } = await form(client, "approve_proposal", { requestId: "r1" });
    assert.match(message, /^\| \+pub fn review\(sql: &str\) -> bool/m);
    assert.deepEqual(requestedSchema.properties.decision.enum, ["approve", "deny"]);
    for (const [tool, args, used] of [["approve_proposal", { requestId: "r2" }, state], ["approve_all", {}, state], ["delete_files", { file_paths: ["src/lib.rs"] }, state], ["approve_proposal", { requestId: "r1" }, `${state}0`], ["approve_proposal", { requestId: "r1" }, "v1.9.9.9"]]) {
      const came = await respond(client, tool, args, used);
      assert.ok(came.error || came.result.isError, `${tool} ${JSON.stringify(came)}`);
    }
    assert.deepEqual([await statusOf(one, "r1"), await statusOf(one, "r2")], ["pending", "pending"]);
    // Nobody has seen the proposals that were added since.
    const all = await form(client, "approve_all", {});
    await client.ok("apply_code_edit", { edits: [{ ...MORE, code: "pub struct Later;" }], requestId: "r3" });
    assert.ok((await respond(client, "approve_all", {}, all.state)).error);
    assert.equal(await statusOf(one, "r1"), "pending");
    const again = await form(client, "approve_all", {});
    assert.ok(again.message.includes("pub struct Later;") && again.message.indexOf("Proposal: “r1”") < again.message.indexOf("Proposal: “r3”"));
    const { result } = await respond(client, "approve_all", {}, again.state);
    assert.deepEqual([result.structuredContent.ok, result.structuredContent.applied, result.structuredContent.proposals.length], [true, 3, 3], JSON.stringify(result));
    assert.deepEqual([await statusOf(one, "r1"), await statusOf(one, "r3")], ["applied", "applied"]);
    const overwrite = { files: [{ file_path: "src/cache.rs", text: CACHE }] };
    const asked = await form(client, "put_files", overwrite);
    assert.match(asked.message, /^Overwrite this file\?\n\n[^]*^- File: “src\/cache\.rs”$/m);
    assert.ok((await respond(client, "put_files", { files: [{ file_path: "src/cache.rs", text: "" }] }, asked.state)).error, "other content");
    assert.ok(!(await respond(client, "put_files", overwrite, asked.state)).result.isError);
    assert.ok((await respond(client, "put_files", overwrite, asked.state)).error, "twice");
    assert.equal(await one.text("src/cache.rs"), CACHE);
  });

  test("on what a form has no room for is made on the page", async () => {
    const one = await workspace();
    const client = modern(one, { capabilities: FORMS });
    await client.ok("apply_code_edit", { edits: [{ ...MORE, code: Array.from({ length: 900 }, (_, at) => `pub struct Number${at};`).join("\n") }], requestId: "long" });
    const error = await client.failed("approve_proposal", { requestId: "long" });
    assert.deepEqual([error.code, await statusOf(one, "long")], ["PERSON_REQUIRED", "pending"]);
  });

  test("that hides what it shows with control characters is seen", async () => {
    const one = await workspace();
    const client = modern(one, { capabilities: FORMS });
    await client.ok("apply_code_edit", { edits: [{ ...MORE, code: "// \u202e tirw\npub struct Seen;" }], requestId: "bidi" });
    const { message } = await form(client, "approve_proposal", { requestId: "bidi" });
    assert.ok(message.includes("⟨U+202E⟩") && !message.includes("\u202e"));
  });

  test("is closed without one, and the proposal waits", async () => {
    const one = await workspace();
    const client = modern(one, { capabilities: FORMS });
    await client.ok("apply_code_edit", { edits: [EDIT], requestId: "r1" });
    const { state } = await form(client, "approve_proposal", { requestId: "r1" });
    const { result } = await respond(client, "approve_proposal", { requestId: "r1" }, state, { decision: { action: "cancel" } });
    assert.equal(result.structuredContent.error.code, "CONFIRMATION_DECLINED");
    assert.equal(await statusOf(one, "r1"), "pending");
  });

  test("is not made by a program of an MCP client either", async () => {
    const one = await workspace();
    await one.ok("apply_code_edit", { edits: [EDIT], requestId: "r1" });
    const run = async (headers, name, code) => (await new Modern(worker, { headers }).call("program_run", { code: `const code = helpers.code(${JSON.stringify(name)});\n${code}` })).structuredContent;
    const attempts = `
      const codes = [];
      for (const attempt of [() => code.approve_proposal("r1"), () => code.approve_all(), () => code.revert_proposal("r1"), () => code.delete_files({ file_paths: ["src/lib.rs"] }), () => code.put_files({ files: [{ file_path: "src/lib.rs", text: "" }] }), () => code.put_files({ files: [{ file_path: "src/new.rs", text: "" }] }), () => code.read_file("src/lib.rs")]) {
        try { await attempt(); codes.push("OK"); } catch (error) { codes.push(error.code); }
      }
      return codes;`;
    const { result } = await run(OWN, one.name, attempts);
    assert.deepEqual(result, [...Array(5).fill("PERSON_REQUIRED"), "OK", "OK"]);
    assert.deepEqual([await one.text("src/lib.rs"), await statusOf(one, "r1")], [LIB, "pending"]);
    const trusted = await workspace(TRUSTING);
    await trusted.ok("apply_code_edit", { edits: [EDIT], requestId: "r1" });
    assert.deepEqual((await run(TRUSTING, trusted.name, 'return (await code.approve_proposal("r1")).applied;')).result, 1);
  });
});

describe("a workspace", () => {
  test("is one of a tenant, and a session of a client belongs to its endpoint", async () => {
    const one = await workspace();
    const other = modern({ name: one.name, headers: TRUSTING });
    assert.equal((await other.ok("list_files")).fileCount, 0);
    assert.equal((await modern({ name: one.name, headers: { authorization: "Bearer wrong" } }).error("tools/list")).status, 401);
    const session = await legacy(one);
    assert.equal((await session.request("tools/list", {}, { path: endpoint("two") })).status, 404);
    assert.equal((await session.request("tools/list", {}, { path: endpoint(one.name, "?readonly=true") })).status, 404);
    assert.equal((await session.request("tools/list", {}, { path: "/mcp" })).status, 404);
    assert.equal((await modern({ name: "a b", headers: OWN }).error("tools/list")).status, 400);
    const { message } = await modern(one).request("resources/read", { uri: "code://other/src/lib.rs" });
    assert.equal(message.error.code, -32602);
  });

  test("is edited by two agents at once, and no edit is lost or written over another", async () => {
    const one = await workspace(TRUSTING);
    const clients = [modern(one), modern(one)];
    const code = (who) => `/// Checks.\npub fn review(sql: &str) -> bool { sql.len() > ${who} }`;
    await Promise.all(clients.map((client, who) => client.ok("apply_code_edit", { edits: [{ ...EDIT, code: code(who) }], requestId: `same-${who}` })));
    await Promise.all(clients.map((client, who) => client.ok("apply_code_edit", { edits: [{ ...MORE, code: `pub struct Of${who};` }], requestId: `beside-${who}` })));
    const results = await Promise.all(clients.flatMap((client, who) => [`same-${who}`, `beside-${who}`].map((requestId) => client.call("approve_proposal", { requestId }))));
    const applied = results.filter(({ structuredContent }) => structuredContent.ok === true).map(({ structuredContent }) => structuredContent.requestId).sort();
    assert.equal(applied.filter((id) => id.startsWith("same-")).length, 1, JSON.stringify(applied));
    assert.deepEqual(applied.filter((id) => id.startsWith("beside-")), ["beside-0", "beside-1"]);
    const text = await one.text("src/cache.rs");
    assert.ok(text.includes("pub struct Of0;") && text.includes("pub struct Of1;"), text);
  });
});
