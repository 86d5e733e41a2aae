// Tests that one request in is one request out, however a client frames it: hostile bytes over raw
// connections to make run, while other clients request their own rows.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { random } from "../random.mjs";
import { TOKENS } from "./harness.mjs";
import { Supervised } from "./supervised.mjs";

const SEEDS = 300;
/** The hostile connections at the same time, and the clients beside them. */
const ATTACKERS = 8;
const VICTIMS = 6;
/**
 * The other clients' requests that are served before a hostile connection is closed. Some servers
 * discard the data of a half-closed connection.
 */
const TURNS = 3;
/** A text that only the victims send and may receive. */
const SECRET = "row-of-acme";

let worker;
before(async () => {
  const tokens = Object.fromEntries(Object.entries(TOKENS).map(([tenant, token]) => [token, tenant]));
  worker = await Supervised.start({ patienceMs: 120_000, secrets: `API_TOKENS=${JSON.stringify(tokens)}\n` });
});
after(() => worker.stop());

/**
 * Sends pieces one after the other, leaves the connection open while others are served, and
 * resolves with everything that is received.
 */
function exchange(pieces) {
  return new Promise((settled) => {
    let received = "";
    const socket = connect({ port: worker.port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    socket.setEncoding("latin1").on("data", (piece) => (received += piece));
    socket.on("error", () => {});
    socket.on("end", () => socket.destroy());
    socket.on("close", () => settled(received));
    const send = (at) => (at < pieces.length ? socket.write(pieces[at], "latin1", () => setImmediate(send, at + 1)) : end());
    const end = async () => {
      for (let turn = 0; turn < TURNS; turn += 1) await (await worker.fetch("/health")).text();
      socket.end();
    };
    send(0);
  });
}

const zeta = `Host: 127.0.0.1\r\nAuthorization: Bearer ${TOKENS.zeta}\r\n`;
const json = (value) => JSON.stringify(value);

/** Makes a correctly framed request that creates a table. */
function making(table, headers = zeta) {
  const body = json({ operation: "exec", sql: `CREATE TABLE ${table}(a)` });
  return `POST /api/codemode/sessions/framing HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** Makes a request whose response contains a word. */
function telling(word) {
  const body = json({ operation: "query", sql: `SELECT '${word}' AS word` });
  return `POST /api/codemode/sessions/framing HTTP/1.1\r\n${zeta}Content-Length: ${body.length}\r\n\r\n${body}`;
}

const chunked = (body, { extension = "", end = "\r\n", trailers = "" } = {}) => `${body.length.toString(16)}${extension}${end}${body}${end}0${end}${trailers}${end}`;

const sessionOf = (tenant) => worker.session("framing", { authorization: `Bearer ${TOKENS[tenant]}` });

async function tables(tenant) {
  return (await sessionOf(tenant).ok("getTables")).tables;
}

test("what is the body of a request is no request, and what follows it is one", async () => {
  const cases = [];
  const add = (name, bytes, executes) => cases.push({ name, bytes, executes });
  for (const method of ["GET", "HEAD", "DELETE", "OPTIONS", "POST", "PUT"]) {
    for (const connection of ["", "Connection: content-length\r\n", "Connection: keep-alive, Content-Length, transfer-encoding\r\n", "Connection: host\r\n", "Connection: content-length\r\nConnection: x\r\n"]) {
      add(`${method} ${connection}`, (inner) => `${method} /health HTTP/1.1\r\n${zeta}${connection}Content-Length: ${inner.length}\r\n\r\n${inner}`, false);
      add(`${method} chunked ${connection}`, (inner) => `${method} /health HTTP/1.1\r\n${zeta}${connection}Transfer-Encoding: chunked\r\n\r\n${chunked(inner)}`, false);
    }
    add(`${method} pipelined`, (inner) => `${method} /health HTTP/1.1\r\n${zeta}\r\n${inner}`, true);
  }
  for (const [name, head, body] of [
    ["extension", "Transfer-Encoding: chunked", (inner) => chunked(inner, { extension: ";a=b" })],
    ["quoted extension", "Transfer-Encoding: chunked", (inner) => chunked(inner, { extension: ';a="\\"b"' })],
    ["trailers", "Transfer-Encoding: chunked", (inner) => chunked(inner, { trailers: "Content-Length: 5\r\nTransfer-Encoding: x\r\n" })],
    ["in chunks of a byte", "Transfer-Encoding: chunked", (inner) => [...inner].map((byte) => `1\r\n${byte}\r\n`).join("") + "0\r\n\r\n"],
    ["chunked beats length", "Content-Length: 3\r\nTransfer-Encoding: chunked", chunked],
    ["length behind chunked", "Transfer-Encoding: chunked\r\nContent-Length: 3", chunked],
    ["letters of another case", "tRANSFER-eNCODING: Chunked", chunked],
    ["expects to be asked", (inner) => `Expect: 100-continue\r\nContent-Length: ${inner.length}`, (inner) => inner],
    ["upgrade", (inner) => `Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: ${inner.length}`, (inner) => inner],
    ["length twice, alike", (inner) => `Content-Length: ${inner.length}\r\nContent-Length: ${inner.length}`, (inner) => inner],
    ["lengths that differ", (inner) => `Content-Length: ${inner.length}\r\nContent-Length: 0`, (inner) => inner],
    ["lengths that differ, the other way", (inner) => `Content-Length: 0\r\nContent-Length: ${inner.length}`, (inner) => inner],
    ["list of lengths", (inner) => `Content-Length: 0, ${inner.length}`, (inner) => inner],
    ["length with a sign", (inner) => `Content-Length: +${inner.length}`, (inner) => inner],
    ["length that overflows", () => "Content-Length: 18446744073709551616", (inner) => inner],
    ["negative length", () => "Content-Length: -1", (inner) => inner],
    ["blank in front of the colon", () => "Content-Length : 0", (inner) => inner],
    ["folded line", () => "X: y\r\n Content-Length: 0", (inner) => inner],
    ["folded encoding", () => "Transfer-Encoding:\r\n chunked", (inner) => `0\r\n\r\n${inner}`],
    ["unknown encoding", () => "Transfer-Encoding: xchunked", (inner) => `0\r\n\r\n${inner}`],
    ["encoding that ends otherwise", () => "Transfer-Encoding: chunked, identity", (inner) => `0\r\n\r\n${inner}`],
    ["size that overflows", "Transfer-Encoding: chunked", (inner) => `10000000000000000\r\n\r\n0\r\n\r\n${inner}`],
    ["size with a prefix", "Transfer-Encoding: chunked", (inner) => `0x0\r\n\r\n${inner}`],
    ["size with a sign", "Transfer-Encoding: chunked", (inner) => `-0\r\n\r\n${inner}`],
    ["chunk that is longer than it says", "Transfer-Encoding: chunked", (inner) => `1\r\nab\r\n0\r\n\r\n${inner}`],
    ["a zero byte in a header", () => "X: \0\r\nContent-Length: 0", (inner) => inner],
    ["a bare CR in a header", () => "X: y\rContent-Length: 0", (inner) => inner],
    ["host twice", () => "Host: evil.com\r\nContent-Length: 0", (inner) => `x${inner}`],
  ]) {
    add(name, (inner) => `POST /health HTTP/1.1\r\n${zeta}${typeof head === "function" ? head(inner) : head}\r\n\r\n${body(inner)}`, false);
  }
  add("HTTP/1.0", (inner) => `POST /health HTTP/1.0\r\n${zeta}Content-Length: ${inner.length}\r\n\r\n${inner}`, false);
  add("absolute form", (inner) => `POST http://127.0.0.1/health HTTP/1.1\r\n${zeta}Content-Length: ${inner.length}\r\n\r\n${inner}`, false);
  add("lines that end in LF", (inner) => `POST /health HTTP/1.1\n${zeta.replaceAll("\r", "")}Content-Length: ${inner.length}\n\n${inner}`, false);
  add("nobody's body", (inner) => `POST /health HTTP/1.1\r\n${zeta}Content-Length: 2\r\n\r\n{}${inner}`, true);
  add("empty lines in front", (inner) => `\r\n\r\n${inner}`, true);
  await sessionOf("zeta").exec("CREATE TABLE present(a)");
  await Promise.all(cases.map(({ bytes }, index) => exchange([bytes(making(`smuggled_${index}`))])));
  const there = await tables("zeta");
  for (const [index, { name, executes }] of cases.entries()) {
    assert.equal(there.includes(`smuggled_${index}`), executes, name);
  }
});

test("requests behind one another on a connection get their responses in order, however the bytes are cut", async () => {
  const words = Array.from({ length: 20 }, (_, index) => `word-${index}`);
  const bytes = words.map(telling).join("");
  for (const size of [1, 7, 100, bytes.length]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.slice(index * size, (index + 1) * size));
    assert.deepEqual((await exchange(pieces)).match(/word-\d+/g), words, `pieces of ${size} bytes`);
  }
});

/** Makes the bytes of a hostile connection, in pieces. It has no token of the victims. */
function hostile(seed) {
  const { below, one } = random(seed);
  // One in four is a usual request whose body is a request as well, with a header for which a proxy
  // might drop the length.
  if (below(4) === 0) {
    const inner = one([telling("SMUGGLED"), telling("SMUGGLED"), making(`fuzzed_${seed}`), making(`fuzzed_${seed}`, "Host: 127.0.0.1\r\n")]);
    const connection = one(["content-length", "Content-Length", "close, content-length", "keep-alive,content-length", "transfer-encoding, content-length"]);
    return [`${one(["GET", "HEAD", "DELETE", "POST"])} /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: ${connection}\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`];
  }
  const inner = one([making(`fuzzed_${seed}`, "Host: 127.0.0.1\r\n"), making(`fuzzed_${seed}`), `GET /api/codemode/sessions/framing/dump HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Ignore: `,
    `POST /api/codemode/sessions/framing HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 900\r\n\r\n{"operation":"exec","sql":"CREATE TABLE fuzzed_${seed}(a)","x":"`, "0\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"]);
  const length = one([inner.length, inner.length + 3, Math.max(0, inner.length - 3), 0]);
  const headers = [
    `Content-Length: ${length}`, `Content-Length: ${length}`, `Content-Length: +${length}`, `Content-Length: ${length}, ${length}`, `Content-Length: 0${length}`, `Content-Length: 0x${length.toString(16)}`, "Content-Length: 18446744073709551617",
    `Content-Length : ${length}`, `Content-Length:\t${length}`, `X: y\r\n Content-Length: ${length}`, "Transfer-Encoding: chunked", "Transfer-Encoding: chunked", "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked, identity",
    "Transfer-Encoding: identity", "Transfer-Encoding:\tchunked", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: \x0bchunked", "Transfer_Encoding: chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
    "Connection: content-length", "Connection: transfer-encoding", "Connection: host, authorization, content-length", "Connection: keep-alive", "Connection: close", "Connection: upgrade\r\nUpgrade: h2c", "Connection: Upgrade\r\nUpgrade: websocket",
    "Proxy-Connection: keep-alive", "Keep-Alive: timeout=1000", "Expect: 100-continue", "Expect: x", "TE: trailers", "Trailer: content-length", "Host: evil.com", "Host: 127.0.0.1", "Content-Encoding: gzip", "X: \x80\xff", "X: a\rb", "MF-Original-URL: http://127.0.0.1/api/codemode/sessions/framing/dump",
    "X-Forwarded-Host: 127.0.0.1", "X-HTTP-Method-Override: DELETE",
  ];
  // Half of them are framed correctly, but with superfluous headers.
  const [framing, body] = below(2) === 0
    ? one([[[`Content-Length: ${inner.length}`], inner], [["Transfer-Encoding: chunked"], chunked(inner)]])
    : [[], one([inner, inner, chunked(inner), chunked(inner, { extension: ";x=y" }), chunked(inner, { end: "\n" }), chunked(inner, { trailers: "Content-Length: 1\r\n" }), `ffffffffffffffff1\r\n${inner}\r\n0\r\n\r\n`, `0\r\n\r\n${inner}`, `${length.toString(16)}\r\n${inner}`, ""])];
  const named = `Connection: ${Array.from({ length: 1 + below(3) }, () => one(["content-length", "content-length", "content-length", "transfer-encoding", "transfer-encoding", "host", "authorization", "keep-alive", "expect", "x"])).join(", ")}`;
  const chosen = [...framing, ...(below(2) === 0 ? [named] : []), ...Array.from({ length: below(framing.length === 0 ? 4 : 2) }, () => one(headers))];
  const target = below(3) > 0 ? "/health" : one(["/api/codemode/sessions/framing", "http://127.0.0.1/health", "http://evil.com/health", "*", "127.0.0.1:80", "//evil.com/health", "/health#x", "/\x80", ""]);
  const line = `${one(["GET", "GET", "GET", "GET", "HEAD", "DELETE", "DELETE", "POST", "PUT", "OPTIONS", "CONNECT", "PATCH", "get"])} ${target} ${one(["HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/0.9"])}`;
  const end = one(["\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\n"]);
  let bytes = [line, one(["Host: 127.0.0.1", "Host: 127.0.0.1", "Host: evil.com", "X: none"]), ...chosen, "", body].join(end);
  if (below(4) === 0) bytes = bytes.slice(0, below(bytes.length));
  if (below(4) === 0) bytes += bytes;
  const cut = below(bytes.length + 1);
  return one([[bytes], [bytes.slice(0, cut), bytes.slice(cut)]]).filter((piece) => piece !== "");
}

test("no connection gets anything of another one, and nothing without a token has an effect", async () => {
  const session = sessionOf("acme");
  await session.exec("CREATE TABLE own(a)");
  let isOver = false;
  let asked = 0;
  const victim = async (client) => {
    for (let turn = 0; !isOver; turn += 1) {
      const tag = `${SECRET}-${client}-${turn}`;
      const { status, body } = await session.call("query", { sql: "SELECT ? AS tag", params: [tag] });
      assert.deepEqual([status, body.results], [200, [{ tag }]]);
      asked += 1;
    }
  };
  const seeds = Array.from({ length: SEEDS }, (_, seed) => seed);
  const attacker = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const received = await exchange(hostile(seed));
      assert.ok(!received.includes(SECRET) && !received.includes("own"), `seed ${seed}: ${received}`);
    }
  };
  const victims = Array.from({ length: VICTIMS }, (_, client) => victim(client));
  const attackers = Promise.all(Array.from({ length: ATTACKERS }, attacker)).finally(() => (isOver = true));
  await Promise.all([attackers, ...victims]);
  assert.ok(asked > VICTIMS);
  assert.deepEqual(await tables("acme"), ["own"]);
});
