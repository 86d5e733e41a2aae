// Tests of the relay of make run, with a socket of the test in place of workerd: each connection
// has its own, with unchanged bytes.

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { Relay } from "../../packages/codemode-database/src/engine/relay.ts";
import { until } from "../until.mjs";

const FAREWELL = "HTTP/1.1 504 Gateway Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
const MIB = 1024 * 1024;

let folder;
let path;
let peer;
let relay;
let port;
/** The handler of the peer's connections, and its open connections. */
let serve;
const served = new Set();

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "codemode-relay-"));
  path = join(folder, "http");
  peer = createServer({ allowHalfOpen: true }, (socket) => {
    served.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => served.delete(socket));
    serve(socket);
  });
  // As many as workerd lets wait.
  peer.listen({ path, backlog: 4_096 });
  await once(peer, "listening");
});
beforeEach(() => start());

async function start(options) {
  relay?.close();
  relay = new Relay({ farewell: FAREWELL, ...options });
  port = await relay.listen("127.0.0.1", 0);
  relay.open(path);
}

after(async () => {
  relay.close();
  for (const socket of served) socket.destroy();
  peer.close();
  await rm(folder, { recursive: true });
});

/** A client; it records everything that it receives until the end, and the way it ends. */
function client({ reads = true } = {}) {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  const pieces = [];
  if (reads) socket.on("data", (piece) => pieces.push(piece));
  const ended = new Promise((settled) => {
    socket.once("error", ({ code }) => settled(code));
    socket.once("end", () => settled("end"));
  });
  return { socket, ended, received: () => Buffer.concat(pieces) };
}

const echo = (socket) => socket.pipe(socket);
const hash = (bytes) => createHash("sha256").update(bytes).digest("hex");

test("each connection gets its own bytes back, all and in order, whatever they are", async () => {
  serve = echo;
  await Promise.all(Array.from({ length: 40 }, async () => {
    const sent = randomBytes(300_000);
    const { socket, ended, received } = client();
    for (let at = 0; at < sent.length;) {
      const size = 1 + (sent[at] << 6);
      socket.write(sent.subarray(at, at + size));
      at += size;
    }
    socket.end();
    assert.equal(await ended, "end");
    assert.equal(hash(received()), hash(sent));
    socket.destroy();
  }));
  await until(() => served.size === 0);
});

test("a client that has sent all still receives, and one that is still sending receives the end", async () => {
  serve = (socket) => socket.resume().once("end", () => socket.end("late"));
  const one = client();
  one.socket.end("all");
  await one.ended;
  assert.equal(String(one.received()), "late");
  serve = (socket) => socket.once("data", () => socket.end("enough"));
  const other = client();
  other.socket.write("first");
  await until(() => String(other.received()) === "enough");
  assert.equal(await other.ended, "end");
  other.socket.end("more");
  await until(() => served.size === 0);
});

test("a client that never reads, and one that never sends, hold no more than the buffers of their sockets, and nobody else", async () => {
  const offered = 64 * MIB;
  const piece = Buffer.alloc(MIB / 4);
  // Writes as fast as the reader takes it.
  serve = (socket) => {
    socket.taken = 0;
    const offer = () => {
      while (socket.taken < offered) {
        socket.taken += piece.length;
        if (!socket.write(piece)) return socket.once("drain", offer);
      }
      socket.end();
    };
    offer();
  };
  const deaf = Array.from({ length: 20 }, () => client({ reads: false }));
  await until(() => served.size === deaf.length && [...served].every((socket) => socket.writableNeedDrain));
  const held = [...served];
  const reader = client();
  assert.equal(await reader.ended, "end");
  assert.equal(reader.received().length, offered);
  for (const socket of held) assert.ok(socket.taken < offered / 2, `${socket.taken} bytes were taken for a client that reads none`);
  serve = echo;
  const idle = Array.from({ length: 2_000 }, () => client());
  await until(() => served.size > idle.length);
  const active = client();
  active.socket.end("hello");
  await active.ended;
  assert.equal(String(active.received()), "hello");
  for (const { socket } of [...deaf, ...idle, reader, active]) socket.destroy();
  await until(() => served.size === 0);
});

test("connections wait while nobody is there, in any number that is allowed, and are closed beyond it", async () => {
  await start({ maxConnections: 100 });
  serve = echo;
  relay.hold();
  const waiting = Array.from({ length: 120 }, () => client());
  waiting.forEach(({ socket }) => socket.write("x"));
  let refused = 0;
  for (const { ended } of waiting) ended.then(() => (refused += 1));
  await until(() => refused >= 20);
  assert.equal(served.size, 0);
  relay.open(path);
  await until(() => waiting.filter(({ received }) => received().length === 1).length >= 100);
  assert.equal(refused, 20);
  for (const { socket } of waiting) socket.destroy();
  await until(() => served.size === 0);
});

test("a connection that nobody takes waits for the next Worker", async () => {
  serve = echo;
  relay.open(join(folder, "nobody"));
  const early = client();
  early.socket.end("early");
  const late = client();
  late.socket.end("late");
  relay.open(path);
  for (const [{ ended, received }, text] of [[early, "early"], [late, "late"]]) {
    await ended;
    assert.equal(String(received()), text);
  }
});

test("the end of the Worker is told only to whom nothing was sent, and breaks the other connections", async () => {
  serve = (socket) => socket.once("end", () => socket.destroy()).on("data", (piece) => String(piece).includes("speak") && socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"));
  const [silent, begun, half, again] = ["GET /silent HTTP/1.1\r\n\r\n", "GET /speak HTTP/1.1\r\n\r\n", "PUT /half HT", "GET /speak HTTP/1.1\r\n\r\n"].map((text) => {
    const made = client();
    made.socket.write(text);
    return made;
  });
  const unused = client();
  await until(() => served.size === 5 && begun.received().length > 0 && again.received().length > 0);
  again.socket.write("GET /silent HTTP/1.1\r\n\r\n");
  await until(() => relay.inProgress.filter(({ isAnswered }) => !isAnswered).length === 3);
  relay.abandon();
  assert.equal(await silent.ended, "end");
  assert.equal(String(silent.received()), FAREWELL);
  assert.equal(await half.ended, "end");
  assert.equal(String(half.received()), FAREWELL);
  for (const broken of [begun, again, unused]) assert.equal(await broken.ended, "ECONNRESET");
  assert.ok(String(begun.received()).endsWith("half"));
  await until(() => served.size === 0);
});

test("the last request of each connection has a name, without its headers", async () => {
  serve = (socket) => socket.on("data", (piece) => String(piece).includes("quick") && socket.write("HTTP/1.1 204 No Content\r\n\r\n"));
  const one = client();
  one.socket.write("GET /quick HTTP/1.1\r\nauthorization: Bearer secret\r\n\r\n");
  await until(() => one.received().length > 0);
  one.socket.write("POST /slow HTTP/1.1\r\nauthorization: Bearer secret\r\n\r\n{\"a\":");
  one.socket.write("1}");
  await until(() => relay.inProgress[0]?.excerpt.body === '{"a":1}');
  const [{ excerpt, isAnswered }] = relay.inProgress;
  assert.deepEqual([excerpt.line, isAnswered], ["POST /slow HTTP/1.1", false]);
  const moment = performance.now();
  one.socket.resetAndDestroy();
  await until(() => relay.inProgress[0]?.hasLeft);
  relay.provenAlive(moment);
  assert.equal(relay.inProgress.length, 1, "it ended later");
  relay.provenAlive(performance.now());
  assert.equal(relay.inProgress.length, 0);
  const other = client();
  other.socket.write("GET /left HTTP/1.1\r\n\r\n");
  await until(() => relay.inProgress.length === 1);
  other.socket.destroy();
  await until(() => relay.inProgress[0].hasLeft);
  assert.equal(relay.inProgress[0].excerpt.line, "GET /left HTTP/1.1");
});
