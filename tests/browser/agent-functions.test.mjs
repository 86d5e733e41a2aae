// Tests, without a browser, of the functions of a thread's page: replies, differences, the order of
// a conversation, the hash chain of the audit.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const sources = join(dirname(fileURLToPath(import.meta.url)), "../../console/src");

/** Bundles a module of the console and returns its exports. */
async function load(path) {
  const { outputFiles } = await build({ entryPoints: [join(sources, path)], bundle: true, write: false, format: "esm", platform: "browser", jsx: "automatic", jsxImportSource: "preact", logLevel: "error" });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

const [markdown, diff, record, conversation, audit, countdown] = await Promise.all(["agent/markdown.tsx", "agent/diff.ts", "agent/record.ts", "agent/conversation.ts", "agent/audit.ts", "agent/countdown.tsx"].map(load));

test("a reply is read as paragraphs, lists, tables and code, and as nothing else", () => {
  const text = "Two rows:\n\n| a\\|b | c |\n| --- | --- |\n| 1 \\<i> |  |\n| x | y |\n\n# Heads\n- one\n- two\n1. first\n\n```sql\nSELECT '| x |'\n```\n<img src=x>\nstays text";
  assert.deepEqual(markdown.blocksOf(text), [
    { kind: "text", text: "Two rows:" },
    { kind: "table", columns: ["a\\|b", "c"], rows: [["1 \\<i>"], ["x", "y"]] },
    { kind: "heading", text: "Heads" },
    { kind: "list", ordered: false, items: ["one", "two", "first"] },
    { kind: "code", text: "SELECT '| x |'" },
    { kind: "text", text: "<img src=x>\nstays text" },
  ]);
  for (const odd of ["", "|", "| a |\n", "```", "---", "a | b\n- | -", "| a |\n| --- |"]) assert.doesNotThrow(() => markdown.blocksOf(odd), odd);
  assert.deepEqual(markdown.blocksOf("| a |\n| --- |"), [{ kind: "table", columns: ["a"], rows: [] }]);
});

test("the table of a reply goes where its rows are shown, with the words about its length", () => {
  const blocks = markdown.blocksOf("The films:\n\n52 rows, of which the first 10 are shown:\n\n| city | orders |\n| --- | --- |\n| Oslo | 3 |\n\nThe first 2 of 3 columns are shown.\nAll rows are in the table t.");
  assert.deepEqual(markdown.withoutRows(blocks, ["city", "orders", "more"]), [{ kind: "text", text: "The films:" }]);
  assert.equal(markdown.withoutRows(blocks, ["town", "orders"]).length, 4);
  // The planner gives columns names in words.
  const words = markdown.blocksOf("2 rows:\n\n| city | average of life exp | rows | lowest a\\_b |\n| --- | --- | --- | --- |\n| Oslo | 3 | 2 | 1 |");
  assert.deepEqual(markdown.withoutRows(words, ["city", "average_life_exp", "count", "minimum_a_b"]), []);
  assert.equal(markdown.withoutRows(words, ["city", "life_exp", "count", "minimum_a_b"]).length, 2);
});

test("two statements are compared line by line", () => {
  const shown = (before, after) => diff.diffOf(before, after).map(({ kind, text }) => `${{ same: " ", old: "-", new: "+" }[kind]}${text}`);
  assert.deepEqual(shown("a\nb\nc", "a\nx\nc\nd"), [" a", "-b", "+x", " c", "+d"]);
  assert.deepEqual(shown("a", "a"), [" a"]);
  assert.deepEqual(shown("", "a"), ["-", "+a"]);
  assert.deepEqual(shown("a\nb", "b\na"), ["-a", " b", "+a"]);
  const long = Array.from({ length: 601 }, (_, at) => String(at)).join("\n");
  assert.equal(shown(long, long).length, 1202);
});

const approval = (id, more = {}) => ({ approvalId: id, status: "pending", sql: `SELECT ${id}`, explanation: id, kind: "read", sha256: id, createdAt: "2026-01-01T00:00:01.000Z", expiresAt: "2026-01-02T00:00:00.000Z", requiredApprovers: 1, approvers: [], undoOf: null, ...more });
const events = (...list) => list.map(([event, data], at) => ({ id: at + 1, event, data }));
const start = (id) => ["updates", { __start__: { messages: [{ id, type: "human", content: id }] } }];
const interrupt = (value) => ["updates", { __interrupt__: [{ id: value.approvalId, value }] }];
const end = (checkpoint) => ["end", { next: [], outcome: null, checkpoint }];

test("events tell each question's statements, with what was decided and what came of them", () => {
  const records = record.recordsOf(
    events(
      start("q1"),
      ["updates", { writeQuery: { refused: { sql: "SELECT x", error: { code: "NO_SUCH_COLUMN", message: "m" } }, attempt: 1 } }],
      ["updates", { writeQuery: { writtenQuery: "SELECT a1", explanation: "a1", author: "model" } }],
      interrupt(approval("a1")),
      end(3),
      ["updates", { humanApproval: { approvalId: "a1", status: "edited" } }],
      interrupt(approval("a2")),
      end(4),
      ["updates", { humanApproval: { approvalId: "a2", status: "approved", approvers: ["ada"], missing: 0 } }],
      ["updates", { executeQuery: { sqlResult: { rows: [{ n: 1 }] } } }],
      ["updates", { generateAnswer: { answer: "one", chart: { mark: "bar" } } }],
      end(7),
      start("q2"),
      interrupt(approval("a3")),
      end(9),
      start("q3"),
      ["updates", { humanApproval: { approvalId: "a3", status: "superseded" } }],
    ),
    null,
  );
  const [first, second, third] = ["q1", "q2", "q3"].map((id) => records.get(id));
  assert.deepEqual(first.refused.map(({ error }) => error.code), ["NO_SUCH_COLUMN"]);
  assert.deepEqual(first.cards.map((card) => [card.approval.status, card.author, card.before]), [["edited", "model", null], ["approved", "person", "SELECT a1"]]);
  assert.deepEqual([first.cards[1].result, first.cards[1].chart, first.cards[1].approval.approvers], [{ rows: [{ n: 1 }] }, { mark: "bar" }, ["ada"]]);
  assert.deepEqual(second.cards.map((card) => card.approval.status), ["superseded"]);
  assert.deepEqual(third.cards, []);
});

test("behind a fork only the events of its own line count", () => {
  const list = events(start("q1"), interrupt(approval("a1")), end(2), ["updates", { humanApproval: { approvalId: "a1", status: "rejected", reason: "no" } }], end(3), end(4), start("q2"));
  const rejected = record.recordsOf(list, new Set([1, 2, 3, 4]));
  assert.equal(rejected.get("q1").cards[0].approval.status, "rejected");
  const forked = record.recordsOf(list, new Set([1, 2, 4]));
  assert.deepEqual([forked.get("q1").cards[0].approval.status, forked.get("q1").cards[0].reason, forked.has("q2")], ["pending", null, true]);
});

test("a state says what dropped events would have said", () => {
  const values = { inputId: "q1", attempts: [], approval: approval("a1", { status: "approved" }), sqlResult: { rows: [] }, chart: null };
  const records = record.withValues(new Map(), values);
  assert.deepEqual(records.get("q1").cards.map(({ approval: { status }, result }) => [status, result]), [["approved", { rows: [] }]]);
  assert.equal(record.withValues(records, values).get("q1").cards.length, 1);
});

test("a conversation has its statements before what was said after them, and no hidden messages", () => {
  const records = record.withValues(new Map(), { inputId: "q1", attempts: [], approval: approval("a1"), sqlResult: null, chart: null });
  const messages = [
    { id: "q1", type: "human", content: "?", createdAt: "2026-01-01T00:00:00.000Z" },
    { id: "do-not-render-1", type: "system", content: "hidden", createdAt: "2026-01-01T00:00:00.500Z" },
    { id: "answer-a1", type: "ai", content: "!", createdAt: "2026-01-01T00:00:01.000Z" },
  ];
  const [turn, ...more] = conversation.turnsOf(messages, records);
  assert.deepEqual([turn.question.id, more], ["q1", []]);
  assert.deepEqual(turn.entries.map((entry) => (entry.kind === "card" ? "card" : [entry.message.id, entry.card?.approval.approvalId])), ["card", ["answer-a1", "a1"]]);
});

/** Makes a record with its hash, as the server does. */
function hashed(previousHash, sequence, { kind, actor, body }) {
  const atMs = 1_700_000_000_000 + sequence;
  const hash = createHash("sha256");
  for (const part of [previousHash, String(sequence), String(atMs), kind, actor, body]) {
    const bytes = Buffer.from(part);
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(bytes.length));
    hash.update(length).update(bytes);
  }
  return { sequence, at: new Date(atMs).toISOString(), atMs, kind, actor, body, previousHash, hash: hash.digest("hex") };
}

test("the chain of the audit holds, and breaks where a record was changed, taken out or put in another order", async () => {
  const records = [];
  for (const [at, body] of ['{"question":"ä → ü"}', "{}", '{"n":9007199254740993}'].entries()) records.push(hashed(records.at(-1)?.hash ?? "0".repeat(64), at + 1, { kind: "question", actor: "ada", body }));
  assert.deepEqual(await audit.verify(records), { kind: "verified", records: 3 });
  assert.deepEqual(await audit.verify([]), { kind: "verified", records: 0 });
  const [first, second, third] = records;
  for (const [changed, sequence] of [
    [[first, { ...second, body: "{ }" }, third], 2],
    [[first, { ...second, actor: "bo" }, third], 2],
    [[first, third], 2],
    [[second, first, third], 1],
    [[first, second, hashed(first.hash, 3, third)], 3],
  ]) assert.deepEqual(await audit.verify(changed), { kind: "broken", sequence });
});

test("the time that is left is told in words", () => {
  for (const [ms, words] of [[28_740_000, "7 h 59 min"], [90_000_000, "1 day 1 h"], [600_000, "10 min"], [599_000, "9 min 59 s"], [61_000, "1 min 01 s"], [9_500, "9 s"], [0, "0 s"]]) assert.equal(countdown.timeInWords(ms), words);
});
