// Tests that no result takes more tokens than MCP_MAX_RESULT_TOKENS, counted with a real
// vocabulary, with any content.
//
// A result is what a host may show its model: the texts and the structured content. The texts here
// are those for which a count by letters is wrong: random letters, digits between blanks, scripts
// of two to four bytes for each character, control characters.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import { random } from "../random.mjs";
import { Worker } from "./harness.mjs";
import { Legacy, Modern } from "./mcp-client.mjs";

const vocabulary = new Tiktoken(o200k);
const count = (text) => vocabulary.encode(text, "all").length;

/** Returns the tokens of a result of any method. */
function tokens(result) {
  if (result.contents) return result.contents.reduce((sum, { text }) => sum + count(text), 0);
  if (result.content === undefined) return count(JSON.stringify(result));
  const texts = result.content.reduce((sum, { text }) => sum + count(text), 0);
  return texts + (result.structuredContent ? count(JSON.stringify(result.structuredContent)) : 0);
}

function among(characters, length, seed = 7) {
  const [{ one }, list] = [random(seed), [...characters]];
  return Array.from({ length }, () => one(list)).join("");
}

const range = (first, last) => Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)).join("");
const LOWER = range(0x61, 0x7a);
const UPPER = range(0x41, 0x5a);
const DIGITS = range(0x30, 0x39);

/** Texts by name, each some thousand characters long. */
const TEXTS = {
  prose: "The quick brown fox jumps over the lazy dog, and nobody minds. ".repeat(60),
  "random letters": among(LOWER, 4_000),
  capitals: among(UPPER, 4_000),
  "rare letters": among("qxzjkvw", 4_000),
  "a sequence of DNA": among("ACGT", 4_000),
  base64: among(LOWER + UPPER + DIGITS + "+/", 4_000),
  base32: among(UPPER + "234567", 4_000),
  hexadecimal: among(DIGITS + "abcdef", 4_000),
  digits: among(DIGITS, 4_000),
  "digits between blanks": "1 2 3 4 5 6 7 8 9 0 ".repeat(200),
  "letters between blanks": among("qzxvk", 2_000).split("").join(" "),
  CJK: among(range(0x4e00, 0x9fff), 2_000),
  "rare CJK": among(range(0x3400, 0x4dbf), 2_000),
  "CJK of four bytes": among(range(0x20000, 0x2a000), 1_000),
  emoji: among(range(0x1f300, 0x1faff), 1_000),
  Hangul: among(range(0xac00, 0xd7a3), 2_000),
  Cyrillic: among(range(0x400, 0x4ff), 2_000),
  Coptic: among(range(0x3e2, 0x3ef), 2_000),
  phonetic: among(range(0x250, 0x2af), 2_000),
  "combining marks": among(range(0x300, 0x36f), 2_000),
  Yi: among(range(0xa000, 0xa48c), 1_000),
  "private use": among(range(0xe000, 0xf8ff), 1_000),
  punctuation: among("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", 4_000),
  brackets: '[[{"a":[{}]}]],'.repeat(200),
  quotes: '"\\'.repeat(2_000),
  "control characters": among(range(1, 31), 2_000),
  "blanks and lines": " \t\n \n\n  ".repeat(400),
};

/**
 * The same with a full stop here and there, because the time that the vocabulary takes for a word
 * rises with the square of its length.
 */
const HOSTILE = Object.fromEntries(Object.entries(TEXTS).map(([name, text]) => [name, text.replace(/[^ ]{90}/gu, "$&.")]));

/**
 * Those with the most tokens for their length or kind, for tests with programs, whose runs take
 * time.
 */
const WORST = ["rare letters", "base64", "digits between blanks", "rare CJK", "Coptic", "control characters", "quotes"].map((name) => HOSTILE[name]);

/** Checks that a result is within the limit. */
function isWithin(result, limit, what) {
  const found = tokens(result);
  assert.ok(found <= limit, `${what}: ${found} tokens, more than ${limit}`);
  return found;
}

describe("with the default limit", () => {
  const LIMIT = 25_000;
  let worker;
  let client;
  before(async () => {
    worker = await Worker.start();
    client = new Modern(worker, { headers: { "x-codemode-session": "default-limit" } });
  });
  after(() => worker.stop());

  test("pages of hostile rows are within it, and hold what was asked for", async () => {
    for (const [name, text] of Object.entries(HOSTILE).filter(([, text]) => WORST.includes(text))) {
      const rows = Array.from({ length: 24 }, (_, id) => ({ id, text: id % 2 === 0 ? text : [...text].slice(id).join("") }));
      await client.ok("db_create_table", { name, schema: "id INTEGER PRIMARY KEY, text TEXT" });
      await client.ok("db_batch_insert", { table: name, records: rows });
      const result = await client.call("db_query", { sql: `SELECT * FROM "${name}" ORDER BY id` });
      isWithin(result, LIMIT, name);
      const { rows: shown, truncated } = result.structuredContent;
      assert.ok(shown.length > 0 && (truncated || shown.length === 24), name);
      assert.deepEqual(shown, rows.slice(0, shown.length).map(({ id, text: value }) => [id, value]), name);
    }
  });

  test("rows of many small values are within it", async () => {
    const columns = Array.from({ length: 20 }, (_, at) => `(i * ${at + 3}) % ${at % 2 ? 10 : 997} AS c${at}`).join(", ");
    const sql = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT ${columns} FROM n`;
    const result = await client.call("db_query", { sql, limit: 5_000 });
    isWithin(result, LIMIT, "small values");
    assert.ok(result.structuredContent.truncated && result.structuredContent.rowCount > 20);
  });

  test("a page of a client with a session is the same", async () => {
    const session = await Legacy.begin(worker);
    const args = { sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000) SELECT i % 7 AS a, i % 3 AS b FROM n", limit: 9_000 };
    const [one, other] = [await session.call("db_query", args), await client.call("db_query", args)];
    isWithin(one, LIMIT, "with a session");
    const { session: _one, ...of } = one.structuredContent;
    const { session: _other, ...same } = other.structuredContent;
    assert.deepEqual({ ...of, nextCursor: "" }, { ...same, nextCursor: "" });
  });
});

describe("with the lowest limit", () => {
  const LIMIT = 2_000;
  let worker;
  let client;
  before(async () => {
    worker = await Worker.start({ settings: { MCP_MAX_RESULT_TOKENS: String(LIMIT) } });
    client = new Modern(worker, { headers: { "x-codemode-session": "tokens" } });
  });
  after(() => worker.stop());

  /** Returns the result of a tool, which must be within the limit. */
  async function within(name, args, more) {
    const result = await client.call(name, args, more);
    isWithin(result, LIMIT, `${name} ${JSON.stringify(args).slice(0, 100)}`);
    return result;
  }

  test("a program's result is", async () => {
    for (const text of WORST) {
      for (const length of [250, 390, 4_000]) await within("program_run", { code: "return input", input: text.slice(0, length) });
    }
  });

  test("a program's error is", async () => {
    for (const text of WORST) {
      const result = await within("program_run", { code: "throw new Error(input.repeat(20))", input: text });
      assert.deepEqual([result.isError, result.structuredContent.error.code], [true, "UNCAUGHT_EXCEPTION"]);
    }
  });

  test("a program's log and list of calls are", async () => {
    for (const text of WORST) {
      const code = "for (let at = 0; at < 60; at++) { console.log(input.slice(0, 20 * at)); await helpers.db.query('SELECT ?', [at]); } return input.slice(0, 100);";
      const { structuredContent } = await within("program_run", { code, input: text });
      assert.ok((structuredContent.moreLogs ?? 0) + structuredContent.logs.length === 60);
    }
  });

  test("a page of rows is", async () => {
    for (const text of Object.values(HOSTILE)) {
      const result = await within("db_query", { sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) SELECT i, ? FROM n", params: [[...text].slice(0, 120).join("")] });
      assert.ok(result.structuredContent.truncated && result.structuredContent.rowCount > 0);
    }
  });

  test("the names of columns are, with rows and without", async () => {
    for (const text of [HOSTILE["rare letters"], HOSTILE["digits between blanks"], HOSTILE.Coptic]) {
      const columns = Array.from({ length: 30 }, (_, at) => `${at} AS "${text.slice(0, 300)}${at}"`).join(", ");
      for (const end of ["", " WHERE 0"]) {
        const result = await within("db_query", { sql: `SELECT ${columns}${end}` });
        assert.equal(result.structuredContent.error?.code, "RESULT_TOO_LARGE");
      }
    }
  });

  test("errors that repeat names are", async () => {
    for (const text of Object.values(HOSTILE)) {
      const name = text.repeat(4).replaceAll('"', "'");
      await within("db_query", { sql: `SELECT * FROM "${name}"` });
      await within("db_query", { sql: `SELECT "${name}".x` });
      await within("db_exec", { sql: `DROP TABLE "${name}"` });
      await within("db_describe_table", { table: name });
      await within("db_find_column", { table: name, semanticName: name });
      await within("db_get_state", { key: name });
      await within("db_batch_insert", { table: name, records: [{ [name]: 1 }] });
      await within("db_query", { sql: "SELECT 1", [name]: 1 });
      await within("db_query", { sql: "SELECT 1", cursor: name });
      await within("tools_call", { server: name, tool: name });
      await within("tools_describe", { server: "db", tool: name });
      await within("tools_search", { query: name.slice(0, 500) });
    }
  });

  test("rows that a write returns are, and a write that is done is no error", async () => {
    await client.ok("db_create_table", { name: "returned", schema: "a" });
    for (const text of Object.values(HOSTILE)) {
      const result = await within("db_exec", { sql: "INSERT INTO returned VALUES (?), (?) RETURNING a", params: [text, text] });
      assert.ok(!result.isError, `the rows were inserted: ${JSON.stringify(result.structuredContent)}`);
    }
    const { rows } = await client.ok("db_query", { sql: "SELECT count(*) FROM returned" });
    assert.deepEqual(rows, [[2 * Object.keys(HOSTILE).length]]);
  });

  test("stored values, explanations and tools of servers are", async () => {
    for (const text of Object.values(HOSTILE)) {
      await client.ok("db_save_state", { key: "k", value: [text, text] });
      await within("db_get_state", { key: "k" });
      const errors = Array.from({ length: 20 }, (_, at) => ({ message: `${at} ${text}`, path: [text, at] }));
      await within("graphql_check", { response: { data: null, errors } });
      await within("tools_call", { server: "db", tool: "query", args: { sql: "SELECT ? AS a", params: [text] } });
      await within("db_import", { table: "imported", text: JSON.stringify([{ [text.slice(0, 60)]: text }]) });
    }
    await within("tools_search", { limit: 200 });
    for (const tool of ["query", "batchInsert", "exec"]) await within("tools_describe", { server: "db", tool });
  });

  test("what a session holds is, as tools, resources and prompts", async () => {
    const code = `for (let at = 0; at < 120; at++) {
      const columns = Array.from({ length: 40 }, (_, column) => '"qzx 1 2 ' + column + '" TEXT');
      await helpers.db.createTable("vkq_1_2_" + at, columns.join(", "));
    }
    return 1;`;
    const session = "wide";
    await client.ok("program_run", { code, session });
    for (const tool of ["db_get_tables", "db_get_metrics"]) await within(tool, { session });
    await within("db_describe_table", { table: "vkq_1_2_1", session });
    await within("db_find_column", { table: "vkq_1_2_1", semanticName: "qzx", session });
    const more = { headers: { "x-codemode-session": session } };
    for (const uri of [`db://${session}/schema`, `db://${session}/tables/vkq_1_2_1`, `db://${session}/tables/sqlite_schema`]) {
      const came = await client.request("resources/read", { uri }, more);
      if (came.message.result) isWithin(came.message.result, LIMIT, uri);
    }
    const listed = new Set();
    for (let cursor; ; ) {
      const page = await client.result("resources/list", cursor ? { cursor } : {}, more);
      isWithin(page, LIMIT, "resources/list");
      for (const { uri } of page.resources) listed.add(uri);
      if ((cursor = page.nextCursor) === undefined) break;
    }
    assert.ok(listed.has(`db://${session}/schema`));
    const tables = [...listed].filter((uri) => uri.startsWith(`db://${session}/tables/vkq`));
    assert.equal(tables.length, 120, "every table is on one of the pages");
    const prompt = await client.result("prompts/get", { name: "analyse_data_set", arguments: { table: "vkq_1_2_1", question: "?" } }, more);
    isWithin(prompt, LIMIT, "prompts/get");
  });
});

describe("the lists of tools", () => {
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker.stop());

  test("are short enough to stand in every context", async () => {
    const client = new Modern(worker);
    const limits = { "/mcp": 4_500, "/mcp/compact": 1_200 };
    for (const [path, limit] of Object.entries(limits)) {
      const list = await client.result("tools/list", {}, { path });
      const session = await Legacy.begin(worker, { path });
      assert.deepEqual((await session.result("tools/list")).tools, list.tools);
      isWithin(list, limit, path);
    }
  });

  test("and the instructions take few tokens", async () => {
    const { instructions } = await new Modern(worker).result("server/discover");
    assert.ok(count(instructions) < 300);
  });
});
