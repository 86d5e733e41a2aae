// Tests of the bodies of a load, over HTTP in workerd: compressed, of another type, with another
// delimiter, nested.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { Worker } from "./harness.mjs";

describe("the body of a load", () => {
  let worker;
  before(async () => (worker = await Worker.start({ settings: { MAX_LOAD_BYTES: "5000000" } })));
  after(() => worker.stop());

  /** Loads into the table t; returns status and JSON. */
  async function put(session, body, headers = {}, query = "?create=true") {
    const response = await session.fetch(`/tables/t/rows${query}`, { method: "PUT", headers, body, duplex: "half" });
    return { status: response.status, ...(await response.json()) };
  }
  const rows = async (session, sql = "SELECT * FROM t") => (await session.query(sql, [], { rowFormat: "array" })).results;

  test("is unpacked where it is packed with gzip, of one member or several", async () => {
    const csv = { "content-type": "text/csv", "content-encoding": "gzip" };
    for (const [body, headers] of [
      [gzipSync("a;b\n1;x\n2;y\n"), csv],
      [Buffer.concat([gzipSync("a;b\n1;x\n"), gzipSync("2;y\n")]), { ...csv, "content-encoding": "GZIP" }],
      [gzipSync('[{"a":1,"b":"x"},{"a":2,"b":"y"}]'), { "content-type": "application/json", "content-encoding": "x-gzip" }],
      [gzipSync('{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n'), { "content-type": "application/x-ndjson", "content-encoding": "gzip" }],
    ]) {
      const session = worker.session();
      const loaded = await put(session, body, headers);
      assert.deepEqual([loaded.status, loaded.rowsWritten], [200, 2], JSON.stringify(loaded));
      assert.deepEqual(await rows(session), [[1, "x"], [2, "y"]]);
    }
    const session = worker.session();
    const large = gzipSync(`a,b\n${Array.from({ length: 200_000 }, (_, id) => `${id},row ${id}\n`).join("")}`);
    const loaded = await put(session, large, csv);
    assert.equal(loaded.rowsWritten, 200_000, JSON.stringify(loaded));
    assert.deepEqual(await rows(session, "SELECT count(*), sum(a) FROM t"), [[200_000, 19_999_900_000]]);
  });

  test("is stopped at the limit of what comes out, and rejected where it is damaged or packed otherwise", async () => {
    const session = worker.session();
    const headers = { "content-type": "text/csv", "content-encoding": "gzip" };
    const bomb = gzipSync(Buffer.concat([Buffer.from("a\n"), Buffer.alloc(200_000_000, "xxxxxxxxx\n")]));
    assert.ok(bomb.length < 1_000_000, `${bomb.length}`);
    const stopped = await put(session, bomb, headers);
    assert.deepEqual([stopped.status, stopped.error.code, stopped.error.limitBytes], [413, "PAYLOAD_TOO_LARGE", 5_000_000]);
    for (const body of ["a,b\n1,2\n", gzipSync("a\n1\n").subarray(0, 15)]) {
      const { status, error } = await put(session, body, headers);
      assert.deepEqual([status, error.code], [400, "INVALID_BODY"]);
    }
    const other = await put(session, "a\n1\n", { "content-type": "text/csv", "content-encoding": "br" });
    assert.deepEqual([other.status, other.error.code, other.error.accepted], [415, "UNSUPPORTED_MEDIA_TYPE", ["gzip", "identity"]]);
    assert.deepEqual((await session.ok("getTables")).tables, []);
    const query = await session.fetch("", { method: "POST", headers: { "content-encoding": "gzip" }, body: gzipSync('{"operation":"getTables"}') });
    assert.deepEqual([query.status, (await query.json()).error.code], [415, "UNSUPPORTED_MEDIA_TYPE"]);
  });

  test("is told apart without a type, and with what stands between the fields", async () => {
    for (const [body, headers, query] of [
      [Buffer.from("a;b\n1;x\n2;y\n"), {}, "?create=true"],
      [Buffer.from('{"results":[{"a":1,"b":"x"},{"a":2,"b":"y"}],"total":2}'), {}, "?create=true"],
      ["a|b\n1|x\n2|y\n", {}, "?create=true"],
      ["a\tb\n1\tx\n2\ty\n", { "content-type": "text/tab-separated-values" }, "?create=true"],
      ["a:b\n1:x\n2:y\n", { "content-type": "text/csv" }, "?create=true&delimiter=%3A"],
    ]) {
      const session = worker.session();
      const loaded = await put(session, body, headers, query);
      assert.equal(loaded.status, 200, JSON.stringify(loaded));
      assert.deepEqual(await rows(session), [[1, "x"], [2, "y"]]);
    }
    const session = worker.session();
    const stripped = await put(session, "a,b1,x2,y", { "content-type": "application/x-www-form-urlencoded" });
    assert.equal(stripped.status, 400);
    assert.match(stripped.error.hint, /--data-binary/);
    const page = await put(session, "<html></html>", { "content-type": "text/html" });
    assert.deepEqual([page.status, page.error.accepted.includes("text/csv")], [415, true]);
    const object = await put(session, '{"a":1}', { "content-type": "application/json" });
    assert.deepEqual([object.status, object.error.code], [400, "INVALID_BODY"]);
  });

  test("is decoded as the parameter encoding says, whose names are those of the platform", async () => {
    const headers = { "content-type": "text/csv" };
    const bytes = (hex) => Buffer.from(hex.replaceAll(" ", ""), "hex");
    // "名,n\n東京,1\n", "имя,n\nМосква,1\n", "n;x\nłódź;1,5\n", and UTF-16 without a mark.
    for (const [encoding, body, wanted] of [
      ["shift_jis", bytes("96bc 2c6e0a 938c8b9e 2c310a"), ["東京", 1]],
      ["Shift-JIS", bytes("96bc 2c6e0a 938c8b9e 2c310a"), ["東京", 1]],
      ["gb18030", bytes("c3fb 2c6e0a b6abbea9 2c310a"), ["东京", 1]],
      ["euc-kr", bytes("b8ed 2c6e0a bcadbfef 2c310a"), ["서울", 1]],
      ["windows-1251", bytes("e8ecff 2c6e0a cceef1eae2e0 2c310a"), ["Москва", 1]],
      ["koi8-r", bytes("c9cdd1 2c6e0a edcfd3cbd7c1 2c310a"), ["Москва", 1]],
      ["windows-1250", bytes("6e3b780a b3f3649f 3b312c350a"), ["łódź", 1.5]],
      ["utf-16le", Buffer.from("n,x\né,1\n", "utf16le"), ["é", 1]],
      ["utf-16be", Buffer.from("n,x\né,1\n", "utf16le").swap16(), ["é", 1]],
      ["latin1", Buffer.from("n,x\né,1\n", "latin1"), ["é", 1]],
      ["utf-8", Buffer.from("n,x\né,1\n"), ["é", 1]],
    ]) {
      const session = worker.session();
      const loaded = await put(session, body, headers, `?create=true&encoding=${encoding}`);
      assert.equal(loaded.status, 200, `${encoding}: ${JSON.stringify(loaded)}`);
      assert.deepEqual(await rows(session), [wanted], encoding);
    }
    const session = worker.session();
    // A character that is split between pieces of the body, and a compressed body.
    const long = Buffer.concat([Buffer.from("a,b\n"), ...Array.from({ length: 60_000 }, () => bytes("938c8b9e2c310a"))]);
    const packed = await put(session, gzipSync(long), { ...headers, "content-encoding": "gzip" }, "?create=true&encoding=shift_jis");
    assert.equal(packed.rowsWritten, 60_000, JSON.stringify(packed));
    assert.deepEqual(await rows(session, "SELECT a, count(*) FROM t GROUP BY a"), [["東京", 60_000]]);
    const json = await put(worker.session(), bytes("5b7b2261223a22938c8b9e227d5d"), { "content-type": "application/json" }, "?create=true&encoding=shift_jis");
    assert.equal(json.rowsWritten, 1, JSON.stringify(json));
    for (const [encoding, body, code] of [
      ["utf-9", Buffer.from("a\n1\n"), "INVALID_ARGUMENT"],
      ["shift_jis", bytes("610a 938c 8b0a"), "INVALID_BODY"],
      ["utf-8", bytes("610a ff0a"), "INVALID_BODY"],
    ]) {
      const refused = await put(worker.session(), body, headers, `?create=true&encoding=${encoding}`);
      assert.deepEqual([refused.status, refused.error?.code], [400, code], `${encoding}: ${JSON.stringify(refused)}`);
    }
    const unnamed = await put(worker.session(), bytes("96bc2c6e0a938c8b9e2c310a"), headers);
    assert.equal(unnamed.error?.code, "INVALID_BODY", JSON.stringify(unnamed));
    assert.match(unnamed.error.hint, /\?encoding=/);
  });

  test("becomes tables where it is nested and asked for", async () => {
    const session = worker.session();
    const body = JSON.stringify({ results: [{ id: 1, authors: [{ name: "Ada" }, { name: "Ben" }] }, { id: 2 }] });
    for (const headers of [{ "content-type": "application/json" }, {}]) {
      const loaded = await put(session, body, headers, "?stage=true");
      assert.equal(Object.keys(loaded)[1], "success");
      assert.deepEqual(loaded.tables.map(({ name }) => name), ["t", "t_authors"], JSON.stringify(loaded));
      assert.deepEqual(await rows(session, "SELECT t.id, count(a.name) FROM t LEFT JOIN t_authors AS a ON a.parent_row_id = t.row_id GROUP BY t.id"), [[1, 2], [2, 0]]);
    }
    await session.exec("CREATE TABLE mine (a)");
    const taken = await session.fetch("/tables/mine/rows?stage=true", { method: "PUT", headers: { "content-type": "application/json" }, body });
    assert.deepEqual([taken.status, (await taken.json()).error.code], [409, "ALREADY_EXISTS"]);
  });
});
