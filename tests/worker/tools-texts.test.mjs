// Tests of JSON and base64 in the result of a tool: the one becomes tables, the other blobs, and
// neither fills a model's context.

import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { listen, readJson } from "../../demo/servers/mcp.mjs";
import { result } from "./program-client.mjs";
import { answer, startWorker } from "./tools-client.mjs";

/** Returns bytes like those of a picture, the same each time. */
const bytes = (count) => Buffer.concat(Array.from({ length: Math.ceil(count / 32) }, (_, at) => createHash("sha256").update(`${at}`).digest())).subarray(0, count);
const PICTURE = bytes(9_000).toString("base64");
const LARGE = bytes(5_000_000);
const FILMS = [...Array(150).keys()].map((id) => ({ id, title: `film ${id}`, cast: [{ name: `actor ${id}` }] }));
const DNA = [...bytes(40_000)].map((byte) => "ACGT"[byte % 4]).join("").slice(0, 8_000);

const text = (value) => ({ content: [{ type: "text", text: value }] });
/** The result of each tool. */
const RESULTS = {
  // Like the official filesystem server.
  read_file: { ...text(JSON.stringify(FILMS)), structuredContent: { content: JSON.stringify(FILMS) } },
  read_short: { ...text("[1]"), structuredContent: { content: '[{"id":1}]' } },
  read_words: { ...text("x"), structuredContent: { content: `not JSON ${"word ".repeat(10_000)}` } },
  picture: { content: [{ type: "text", text: "here it is" }, { type: "image", data: PICTURE, mimeType: "image/png" }] },
  thumbnail: { content: [{ type: "image", data: bytes(60).toString("base64"), mimeType: "image/png" }] },
  photo: { content: [{ type: "image", data: LARGE.toString("base64"), mimeType: "image/jpeg" }] },
  record: { content: [], structuredContent: { id: 7, scan: `data:image/png;base64,${PICTURE}`, note: "n" } },
  sequence: { content: [], structuredContent: { id: 7, sequence: DNA } },
};

describe("what a tool returns as text", () => {
  let server, worker;
  before(async () => {
    server = await listen(async (request, response) => {
      const message = await readJson(request);
      const tools = Object.keys(RESULTS).map((name) => ({ name, inputSchema: { type: "object", properties: {} } }));
      const body = message.method === "tools/list" ? { ttlMs: 3_600_000, cacheScope: "public", tools } : RESULTS[message.params.name];
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { resultType: "complete", ...body } }));
    });
    worker = await startWorker({ files: { url: `${server.url}/mcp` } });
  });
  after(() => Promise.all([worker?.stop(), server?.close()]));
  const ask = (tool, more = {}) => answer(worker, "files", tool, {}, more);
  const rows = async (session, sql) => (await worker.session(session).query(sql, [], { rowFormat: "array" })).results;

  test("and is JSON in a field becomes the tables of that JSON", async () => {
    for (const more of [{}, { stage: true }, { stage: "films" }]) {
      const session = randomUUID();
      const { result, meta } = await ask("read_file", { session, ...more });
      assert.equal(result.staged, true, JSON.stringify(result).slice(0, 300));
      const [films, cast] = result.tables.map(({ name }) => name);
      assert.equal(result.tables[0].rows, 150);
      assert.deepEqual(await rows(session, `SELECT count(*), sum(f.id), min(c.name) FROM "${films}" AS f JOIN "${cast}" AS c ON c.parent_row_id = f.row_id`), [[150, 11175, "actor 0"]]);
      assert.match(meta.notice, /the text of content is JSON/);
    }
    const short = await ask("read_short", { session: randomUUID() });
    assert.deepEqual(short.result, { content: '[{"id":1}]' });
    const words = await ask("read_words", { session: randomUUID() });
    assert.deepEqual(words.result.tables[0].columns.map(({ name }) => name), ["row_id", "content"]);
    // A program gets the text that the tool's schema promises.
    const seen = await result(worker, randomUUID(), "return typeof (await helpers.files.read_file({})).content");
    assert.equal(seen, "string");
  });

  test("and is long base64 becomes a blob in a table", async () => {
    const session = randomUUID();
    const picture = await ask("picture", { session });
    assert.equal(picture.result.staged, true);
    assert.ok(JSON.stringify(picture).length < 3_000, "the picture is in the response");
    assert.match(picture.meta.notice, /9000 bytes/);
    const [{ name }] = picture.result.tables;
    assert.deepEqual(await rows(session, `SELECT type, mimeType, typeof(data), length(data) FROM "${name}" WHERE data IS NOT NULL`), [["image", "image/png", "blob", 9_000]]);
    const [[blob]] = await rows(session, `SELECT data FROM "${name}" WHERE data IS NOT NULL`);
    assert.equal(blob.$blob, PICTURE);
    const record = await ask("record", { session });
    assert.deepEqual(await rows(session, `SELECT id, length(scan), note FROM "${record.result.tables[0].name}"`), [[7, 9_000, "n"]]);
    const photo = await ask("photo", { session });
    const parts = photo.result.tables.find(({ name }) => name.endsWith("_parts"));
    assert.deepEqual(await rows(session, `SELECT sum(length(text)), typeof(max(text)) FROM "${parts.name}"`), [[5_000_000, "blob"]]);
  });

  test("and is short, asked for as it is, or only looks like base64 stays", async () => {
    const session = randomUUID();
    assert.equal((await ask("thumbnail", { session })).result[0].data.length, 80);
    assert.equal((await ask("picture", { session, stage: false })).result[1].data, PICTURE);
    assert.equal((await ask("picture", { session, returnFormat: "raw" })).result.content[1].data, PICTURE);
    assert.equal((await ask("sequence", { session })).result.sequence, DNA);
    const program = await result(worker, randomUUID(), "return (await helpers.files.picture({})).data[1].data.length");
    assert.equal(program, PICTURE.length);
  });

  test("and is long base64 is left out where there is no session, with the way to get it", async () => {
    const picture = await ask("picture");
    assert.deepEqual(picture.result[1], { type: "image", data: "(9000 bytes of base64 are left out here)", mimeType: "image/png" });
    assert.match(picture.meta.notice, /name a session .* stage: false/);
    assert.equal((await ask("picture", { stage: false })).result[1].data, PICTURE);
  });
});
