// Tests, without a browser, of the functions of the console's pages: JSON, SQL text, charts, names
// of tables. The sources are bundled as for the page.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
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

const [json, sql, data, scale, imports, api, place, sse, shown] = await Promise.all(
  ["shared/json.ts", "sql/sql-text.ts", "sql/chart-data.ts", "sql/chart-scale.ts", "home/session/imports.ts", "shared/api.ts", "home/session/failure-place.ts", "shared/sse.ts", "shared/visible.ts"].map(load),
);

test("JSON keeps every digit of an integer, in both directions", () => {
  for (const text of [
    '{"a":9223372036854775807,"b":[-9007199254740993],"c":"12345678901234567890"}',
    '["\\"1234567890123456789",1234567890123456789]',
    '{"1234567890123456789":[{"deep":18446744073709551615}],"\\\\":"\\\\"}',
    "9007199254740993",
  ]) {
    assert.equal(json.formatJson(json.parseJson(text)), text);
  }
  assert.equal(json.parseJson("[9007199254740991]")[0], 9007199254740991);
  assert.equal(json.parseJson("[0.12345678901234567890]")[0], 0.12345678901234568);
  assert.equal(json.parseJson("[1.5e3,12345678901234567890e2]")[1], 12345678901234567890e2);
  assert.throws(() => json.parseJson("[1234567890123456789"), SyntaxError);
  assert.equal(json.formatJson({ a: 1n }, 2), '{\n  "a": 1\n}');
});

test("characters that are not seen have their numbers, as in terminals and forms", async () => {
  const examples = JSON.parse(await readFile(join(sources, "../../tests/data/quoted.json"), "utf8"));
  assert(examples.length > 40);
  for (const { text, visible } of examples) {
    // A page keeps line breaks and tabs; a line of a terminal does not.
    assert.equal(shown.visible(text).replaceAll("\n", "⟨U+000A⟩").replaceAll("\t", "⟨U+0009⟩"), visible, JSON.stringify(text));
    assert.equal(shown.visible(shown.visible(text)), shown.visible(text));
  }
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const character = String.fromCodePoint(code);
    const isHidden = /[\p{C}\p{Z}\p{Variation_Selector}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u.test(character) && !" \n\t".includes(character);
    if (isHidden) assert.equal(shown.visible(`a${character}b`), `a⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩b`);
  }
  for (const text of ["", "plain", "line\n\ttab", "Ärger, naïve, 東京, עברית, Tiếng Việt", "é"]) assert.equal(shown.visible(text), text);
});

test("statements end at semicolons, and at those alone that SQLite sees", () => {
  const texts = (text) => sql.statements(text).map(({ from, to }) => text.slice(from, to));
  assert.deepEqual(texts("SELECT 1; SELECT 2"), ["SELECT 1", "SELECT 2"]);
  assert.deepEqual(texts("-- a; b\nSELECT ';', \"a;b\", `c;d`, [e;f] /* ; */ ; ; "), ["SELECT ';', \"a;b\", `c;d`, [e;f]"]);
  assert.deepEqual(texts("SELECT 'it''s; here'"), ["SELECT 'it''s; here'"]);
  assert.deepEqual(texts("CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; SELECT 1; END; SELECT 2"), ["CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; SELECT 1; END", "SELECT 2"]);
  assert.deepEqual(texts("SELECT 'not closed; "), ["SELECT 'not closed; "]);
  assert.deepEqual(texts(" ;; -- nothing"), []);
  const text = "SELECT 1;\n\nSELECT 2;\n";
  for (const [at, wanted] of [[0, "SELECT 1"], [8, "SELECT 1"], [9, "SELECT 2"], [text.length, "SELECT 2"]]) {
    const found = sql.statementAt(text, at);
    assert.equal(text.slice(found.from, found.to), wanted, `at ${at}`);
  }
});

test("names are found where they stand as names", () => {
  const found = (text, name) => {
    const range = sql.findName(text, name);
    return range && text.slice(0, range.from) + "«" + text.slice(range.from, range.to) + "»" + text.slice(range.to);
  };
  assert.equal(found("SELECT 'a', -- a\n A FROM t", "a"), "SELECT 'a', -- a\n «A» FROM t");
  assert.equal(found('SELECT "a" FROM t', "a"), 'SELECT «"a"» FROM t');
  assert.equal(found("SELECT n.a, m . a FROM m", "m.a"), "SELECT n.a, «m . a» FROM m");
  assert.equal(found("SELECT größe FROM t", "größe"), "SELECT «größe» FROM t");
  assert.equal(found("SELECT 1", "a"), null);
  assert.deepEqual(sql.namedTables('SELECT * FROM a, "b c" JOIN main.d ON e WHERE x IN (SELECT 1 FROM f)'), ["a", "b c", "main", "f"]);
  for (const [name, wanted] of [["title", "title"], ["Order", '"Order"'], ["two words", '"two words"'], ['a"b', '"a""b"'], ["1a", '"1a"'], ["größe", '"größe"']]) assert.equal(sql.quoteName(name), wanted);
});

test("a failure is placed by line and column in characters, or by the name it misses", () => {
  const error = (details, hint) => new api.ApiError(400, "X", "", hint, details);
  const at = (failure, text) => {
    const range = place.placeOf(failure, text);
    return range && text.slice(range.from, range.to);
  };
  assert.equal(at(error({ line: 2, column: 3 }), "SELECT 1 +\n  FROM movies"), "FROM");
  assert.equal(at(error({ line: 1, column: 12 }), "SELECT '😀' FORM t"), "FORM");
  assert.equal(at(error({ line: 1, column: 99 }), "SELECT ("), "(");
  assert.equal(at(error({ column: "m.titel" }), "SELECT m.titel FROM m"), "m.titel");
  assert.equal(at(error({ table: "x" }), "SELECT 1"), null);
  assert.equal(place.suggestionOf(error({}, "did you mean `m.order`?")), 'm."order"');
  assert.equal(place.suggestionOf(error({}, "use another")), null);
});

test("a chart begins with columns that say something", () => {
  const { choose, kindsOf, plot } = data;
  const rows = (count, make) => Array.from({ length: count }, (_, at) => make(at));
  const check = (columns, all, wanted) => assert.deepEqual(choose(columns, all), wanted, columns.join());
  check(["id", "name", "amount"], [[1, "a", 5], [2, "b", 6]], { kind: "bar", x: 1, y: 2 });
  check(["day", "amount"], [["2026-01-01", 5], ["2026-01-02", 6]], { kind: "line", x: 0, y: 1 });
  check(["year", "films"], [[1999, 5], [2000, 6]], { kind: "line", x: 0, y: 1 });
  check(["height", "weight"], [[1.8, 80], [1.7, 60]], { kind: "scatter", x: 0, y: 1 });
  check(["name", "amount"], rows(200, (at) => [`n${at}`, at]), { kind: "bar", x: 0, y: 1 });
  check(["name"], [["a"]], null);
  check(["n"], [], null);
  check(["n"], [[5n], [null]], { kind: "bar", x: 0, y: 0 });
  assert.deepEqual(kindsOf(["a", "b", "c"], [[1, "2026-01-01 10:00", "x"], [null, null, null], [{ $real: "Infinity" }, "2026-01-02T10:00:00Z", 5]]), ["text", "time", "text"]);

  const many = rows(100, (at) => [`n${at}`, at % 2 === 0 ? at : null]);
  const bars = plot(many, kindsOf(["name", "n"], many), { kind: "bar", x: 0, y: 1 });
  assert.deepEqual([bars.points.length, bars.categories.length, bars.leftOut], [50, 50, 50]);
  const line = plot([["2026-01-02", 2], ["2026-01-01", 1], ["no date", 3]], ["time", "number"], { kind: "line", x: 0, y: 1 });
  assert.deepEqual(line.points.map(({ y }) => y), [1, 2]);
  assert.equal(line.leftOut, 1);
});

test("axes have round ticks within their ends, whatever the values", () => {
  const { numberScale, plainScale, timeScale } = scale;
  assert.deepEqual(numberScale([0, 97], false).ticks, [0, 20, 40, 60, 80, 100]);
  assert.deepEqual(numberScale([5, 97], true).ticks[0], 0);
  assert.deepEqual(numberScale([-3, -1], true).ticks.at(-1), 0);
  for (const values of [[0, 0], [1e300, -1e300], [1e-300, 2e-300], [5, 5], [], [0.1, 0.3], [1e15, 1e15 + 1], [-5, 5]]) {
    for (const make of [numberScale, plainScale, timeScale]) {
      // Numbers beyond the range of a date are no dates.
      if (make === timeScale && values.some((value) => Math.abs(value) > 8e15)) continue;
      const { low, high, ticks, label } = make(values, true);
      assert.ok(low < high && Number.isFinite(low) && Number.isFinite(high), `${make.name} ${values}`);
      assert.ok(ticks.length <= 40, `${make.name} ${values}: ${ticks.length}`);
      for (const tick of ticks) assert.ok(label(tick).length > 0);
    }
  }
  const years = timeScale([Date.UTC(1999, 3), Date.UTC(2026, 2)]);
  assert.ok(years.ticks.map(years.label).every((text) => /^\d{4}$/.test(text)) && years.ticks.length > 3, years.ticks.map(years.label).join());
  const days = timeScale([Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 9)]);
  assert.ok(days.ticks.map(days.label).includes("2026-01-05"));
});

test("a file becomes a table with a plain name, or is refused by its name", () => {
  const { importOf, headersOf } = imports;
  const file = (name) => importOf({ name });
  for (const [name, table, type] of [
    ["Films 2026.csv", "Films_2026", "text/csv"],
    ["2026.CSV", "t_2026", "text/csv"],
    ["a.b-c.ndjson", "a_b_c", "application/x-ndjson"],
    ["größe.jsonl", "größe", "application/x-ndjson"],
    ["---.json", "data", "application/json"],
    ["sqlite_x.tsv", "t_sqlite_x", "text/csv"],
    ["x.csv.gz", "x", "text/csv"],
  ]) {
    const { table: found, contentType } = file(name);
    assert.deepEqual([found, contentType], [table, type], name);
  }
  assert.equal(headersOf(file("x.csv.gz"))["content-encoding"], "gzip");
  for (const name of ["x.gz", "x", "x.xlsx", ".png"]) assert.equal(file(name), null, name);
});

test("an event stream goes on behind its last event, and ends where the server refuses", async () => {
  const seen = [];
  const responses = [
    (response) => response.writeHead(200, { "content-type": "text/event-stream" }).end("retry: 1\n\nid: 7\nevent: change\ndata: {\"a\":1}\ndata: 2\n\nid: 8\ndata: cut off"),
    (response) => response.writeHead(503).end(),
    (response) => response.writeHead(200, { "content-type": "text/event-stream" }).end("\uFEFF: comment\r\n\r\nid: 9\r\ndata: ä\r\n\r\n"),
    (response) => response.writeHead(403, { "content-type": "application/json" }).end('{"success":false,"error":{"code":"ORIGIN_NOT_ALLOWED","message":"no"}}'),
  ];
  const server = createServer((request, response) => {
    seen.push(request.headers["last-event-id"]);
    responses.shift()(response);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const events = [];
  try {
    const error = await new Promise((failed) => {
      sse.openEvents(`http://127.0.0.1:${server.address().port}/events`, {
        lastEventId: "5",
        onEvent: (event) => events.push(event),
        onState: (state) => state.kind === "failed" && failed(state.error),
      });
    });
    assert.equal(error.code, "ORIGIN_NOT_ALLOWED");
  } finally {
    server.close();
  }
  assert.deepEqual(seen, ["5", "7", "7", "9"]);
  assert.deepEqual(events, [{ event: "change", data: '{"a":1}\n2', id: "7" }, { event: "message", data: "ä", id: "9" }]);
});
