// Tests of values on the wire: a value is returned as it was sent, to the last digit.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Worker } from "./harness.mjs";

describe("values", () => {
  let worker, session;
  before(async () => {
    worker = await Worker.start();
    session = worker.session();
    await session.exec("CREATE TABLE v(i INTEGER, r REAL, t TEXT, b BLOB, x)");
  });
  after(() => worker.stop());

  /** Returns the text on the wire of one expression over one parameter, given as JSON text. */
  async function roundTrip(parameter, expression = "?1") {
    const body = `{"operation":"query","sql":"SELECT ${expression} AS v","params":[${parameter}],"rowFormat":"array"}`;
    const text = await (await session.fetch("", { method: "POST", body })).text();
    const match = /"results":\[\[(.*)\]\],"rowCount"/s.exec(text);
    assert.ok(match, text);
    return match[1];
  }

  for (const number of ["0", "-1", "9007199254740993", "9223372036854775807", "-9223372036854775808", "0.1", "-2.5e-300", "1.7976931348623157e+308"]) {
    test(`the number ${number} is exact both ways`, async () => {
      const answer = await roundTrip(number);
      if (/^-?\d+$/.test(number)) assert.equal(answer, number);
      else assert.equal(Number(answer), Number(number));
    });
  }

  test("integers bind as integers and reals as reals", async () => {
    assert.equal(await roundTrip("5", "typeof(?1)"), '"integer"');
    assert.equal(await roundTrip("5.0", "typeof(?1)"), '"real"');
    assert.equal(await roundTrip("9007199254740993", "?1 + 1"), "9007199254740994");
    await session.exec("INSERT INTO v(t) VALUES (?)", [5]);
    assert.deepEqual((await session.query("SELECT t FROM v WHERE t IS NOT NULL")).results, [{ t: "5" }]);
  });

  test("true and false bind 1 and 0, objects and arrays as JSON text", async () => {
    assert.equal(await roundTrip("true"), "1");
    assert.equal(await roundTrip("false"), "0");
    assert.equal(await roundTrip("null"), "null");
    assert.equal(JSON.parse(await roundTrip('{"a":[1,2]}')), '{"a":[1,2]}');
    assert.equal(await roundTrip("[1,2,3]", "(SELECT sum(value) FROM json_each(?1))"), "6");
  });

  test("blobs travel as base64", async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const blob = JSON.stringify({ $blob: bytes.toString("base64") });
    assert.deepEqual(JSON.parse(await roundTrip(blob)), { $blob: bytes.toString("base64") });
    assert.equal(await roundTrip(blob, "length(?1)"), "256");
    assert.equal(await roundTrip(blob, "typeof(?1)"), '"blob"');
    assert.deepEqual(JSON.parse(await roundTrip('{"$blob":""}')), { $blob: "" });
  });

  test("infinities have a form of their own", async () => {
    assert.deepEqual(JSON.parse(await roundTrip("1", "?1 * 9e999")), { $real: "Infinity" });
    assert.deepEqual(JSON.parse(await roundTrip("-1", "?1 * 9e999")), { $real: "-Infinity" });
  });

  for (const text of ["", "ü€😀", 'quotes " and \\ and \u0001', "line\nbreak\ttab", "a\u0000b", "\u2028", "{\"$blob\":\"x\"}"]) {
    test(`the text ${JSON.stringify(text)} comes back as it went`, async () => {
      const parameter = JSON.stringify(text);
      assert.equal(JSON.parse(await roundTrip(parameter)), text);
    });
  }

  test("text stored by one way is found by another", async () => {
    const records = [{ t: "ü \u0000 x", i: 9007199254740993n, r: 0.1, b: { $blob: "AAEC" } }];
    const body = JSON.stringify({ operation: "batchInsert", table: "v", records }, (_, value) => (typeof value === "bigint" ? Number(value) : value));
    const exact = body.replace("9007199254740992", "9007199254740993");
    assert.equal((await session.fetch("", { method: "POST", body: exact })).status, 200);
    const { results } = await session.query("SELECT i = 9007199254740993 AS exact, hex(b) AS b, r FROM v WHERE i IS NOT NULL");
    assert.deepEqual(results, [{ exact: 1, b: "000102", r: 0.1 }]);
  });

  test("more than 100 parameters work, by position", async () => {
    const values = Array.from({ length: 250 }, (_, n) => n);
    const marks = values.map(() => "?").join(",");
    const answer = await session.query(`SELECT sum(column1) AS s FROM (VALUES ${values.map(() => "(?)").join(",")})`, values);
    assert.equal(answer.results[0].s, (249 * 250) / 2);
    assert.equal((await session.query(`SELECT 249 IN (${marks}) AS found`, values)).results[0].found, 1);
  });

  test("a wrong number of parameters names both counts", async () => {
    const error = await session.error("query", { sql: "SELECT ?, ?", params: [1] });
    assert.deepEqual([error.status, error.code, error.expected, error.given], [400, "PARAMETER_COUNT", 2, 1]);
  });
});
