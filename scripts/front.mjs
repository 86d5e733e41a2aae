// The HTTP server in front of the local Worker: what `make run` and `make demo` listen with.
//
// It passes requests and responses on as they come, bodies unread and piece by piece, and knows which are in progress: when the Worker is
// silent, that list names who silenced it. While there is no Worker to ask, requests wait at the gate; those that were in progress when one
// ended get a 504, or a broken connection where the response had begun.
//
// It leaves out what only concerns wrangler and Miniflare: headers `MF-…`, which override the URL that the Worker sees, and the paths of
// their own tools. Both response without a token.

import { Agent, createServer, request as httpRequest } from "node:http";

/** workerd takes as much. */
const MAX_HEADER_BYTES = 64 * 1024;
/** Idle connections to workerd are closed before workerd does so after 5 s: a request must not meet a connection that is being closed. */
const IDLE_TO_WORKER_MS = 2_000;
/** Clients may keep a connection for the next request as long as this. */
const IDLE_FROM_CLIENT_MS = 60_000;
/** How long the headers of a request may take. Bodies may take as long as they like. */
const HEADERS_MS = 60_000;
/** Bytes of a body that are remembered, to name the request by. */
const REMEMBERED_BYTES = 2_048;

const HOP_BY_HOP = new Set(["connection", "expect", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"]);
/** Paths of wrangler and Miniflare: the Local Explorer, triggers of handlers, live reload. The product has none of these. */
const TOOL_PATHS = /^\/+(?:cdn-cgi|__cf_local)(?:\/|$)/;

/** A request that was passed on. */
class Passage {
  constructor(request) {
    this.method = request.method;
    this.path = request.url;
    this.began = performance.now();
    this.body = [];
    this.bodyBytes = 0;
    /** When its client went away without the response, which stops nothing in the Worker. */
    this.left = undefined;
  }

  remember(piece) {
    // A copy: a part of a piece would keep the whole of it.
    if (this.bodyBytes < REMEMBERED_BYTES) this.body.push(Buffer.from(piece.subarray(0, REMEMBERED_BYTES - this.bodyBytes)));
    this.bodyBytes += piece.length;
  }

  /** The beginning of the body as text. */
  get excerpt() {
    return Buffer.concat(this.body).toString("utf8");
  }
}

export class Front {
  #server;
  #agent;
  #target;
  #gate = closedGate();
  #passages = new Set();
  /** Ends every request in progress at the Worker that was. */
  #generation = new AbortController();
  #silenceMs;

  /** `silenceMs` is what a 504 says that it waited. */
  constructor({ silenceMs }) {
    this.#silenceMs = silenceMs;
    // Node's own refusal of a request without Host would lack our headers.
    const options = { maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 0, headersTimeout: HEADERS_MS, keepAliveTimeout: IDLE_FROM_CLIENT_MS, requireHostHeader: false };
    this.#server = createServer(options, (request, response) => this.#take(request, response, false));
    this.#server.on("checkContinue", (request, response) => this.#take(request, response, true));
    this.#server.on("checkExpectation", (request, response) => this.#take(request, response, false));
    this.#server.on("clientError", refuseUnreadable);
  }

  /** Listens; resolves with the port. */
  listen(host, port) {
    return new Promise((listening, failed) => {
      this.#server.once("error", failed);
      this.#server.listen({ host, port }, () => listening(this.#server.address().port));
    });
  }

  /** Requests go to this `{host, port}` from now on. */
  open(target) {
    if (target !== this.#target) {
      this.#target = target;
      this.#agent = new Agent({ keepAlive: true, timeout: IDLE_TO_WORKER_MS });
    }
    this.#gate.open();
  }

  /** Requests that come from now on wait. */
  hold() {
    if (this.#gate.isOpen) this.#gate = closedGate();
  }

  /** The Worker is gone: whoever waits for it hears so. */
  abandon() {
    this.hold();
    this.#target = undefined;
    this.#passages.clear();
    this.#agent?.destroy();
    this.#generation.abort();
    this.#generation = new AbortController();
  }

  /** The requests that may be at work in the Worker. */
  get inProgress() {
    return [...this.#passages];
  }

  /** The Worker has responded to something that was sent at `moment`: what clients left before is over, or at least not in its way. */
  provenAlive(moment) {
    for (const passage of this.#passages) if (passage.left < moment) this.#passages.delete(passage);
  }

  async close() {
    this.#server.close();
    this.abandon();
    this.#server.closeAllConnections();
  }

  async #take(request, response, asksFirst) {
    response.setHeader("x-content-type-options", "nosniff");
    // A broken connection is an end like others; nobody is left to hear of it.
    request.on("error", () => {});
    response.on("error", () => {});
    const refusal = refuse(request);
    if (refusal) return answer(request, response, ...refusal);
    await Promise.race([this.#gate.passed, new Promise((gone) => response.once("close", gone))]);
    if (response.destroyed) return;
    this.#pass(request, response, asksFirst);
  }

  #pass(request, response, asksFirst) {
    const passage = new Passage(request);
    this.#passages.add(passage);
    const { signal } = this.#generation;
    const outgoing = httpRequest({
      ...this.#target, agent: this.#agent, method: request.method, path: request.url, headers: headersToWorker(request, asksFirst),
    });
    const abandoned = () => {
      outgoing.destroy();
      this.#failed(request, response);
    };
    signal.addEventListener("abort", abandoned, { once: true });
    let isContinued = !asksFirst;
    let isAnswered = false;
    outgoing.on("continue", () => {
      isContinued = true;
      response.writeContinue();
    });
    outgoing.on("response", (incoming) => {
      isAnswered = true;
      // Nobody knows whether a client that was not told to go on will send its body.
      if (!isContinued) response.shouldKeepAlive = false;
      passOn(incoming, response);
    });
    // Once there is a response, its own end counts: the Worker may close the connection while the client still sends.
    outgoing.on("error", () => isAnswered || this.#failed(request, response));
    // What the client still sends is taken off the connection, so that it gets to read the response.
    outgoing.on("close", () => request.unpipe(outgoing).resume());
    response.on("close", () => {
      signal.removeEventListener("abort", abandoned);
      if (response.writableFinished) {
        this.#passages.delete(passage);
        if (!request.complete) outgoing.destroy();
        return;
      }
      passage.left = performance.now();
      outgoing.destroy();
    });
    request.on("data", (piece) => passage.remember(piece));
    request.pipe(outgoing);
  }

  /** Says that the Worker has not responded, where that can still be said. */
  #failed(request, response) {
    if (response.writableEnded || response.destroyed) return;
    if (response.headersSent) {
      response.destroy();
      return;
    }
    answer(request, response, 504, {
      code: "QUERY_TIMEOUT",
      message: "the local Worker ended while this request was in progress, and is started again",
      hint: "what was committed is kept: look up whether this request was done before you repeat it; the terminal of make run says which request stopped the Worker",
      timeoutMs: this.#silenceMs,
    });
  }
}

/** A promise that waits until the gate opens. */
function closedGate() {
  const gate = { isOpen: false };
  gate.passed = new Promise((open) => {
    gate.open = () => {
      gate.isOpen = true;
      open();
    };
  });
  return gate;
}

/** Why a request is not for the Worker: status and error. */
function refuse(request) {
  const hosts = request.rawHeaders.filter((_, index) => index % 2 === 0 && request.rawHeaders[index].toLowerCase() === "host");
  if (hosts.length !== 1) return [400, { code: "INVALID_ARGUMENT", message: `the request has ${hosts.length} Host headers`, hint: "send one" }];
  const path = request.url.split(/[?#]/, 1)[0];
  // Every URL parser takes such segments out, so the Worker would see another path than was sent.
  if (path.split(/[/\\]/).some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) {
    return [400, { code: "INVALID_ARGUMENT", message: "the path has a segment . or .., which no name can be", hint: "choose another name" }];
  }
  if (TOOL_PATHS.test(normalized(request.url))) {
    const message = `no such route: ${request.method} ${path}`;
    return [404, { code: "NOT_FOUND", message, hint: "GET /api/openapi.json lists every route" }];
  }
  return undefined;
}

/** The path as the Worker's side will read it. */
function normalized(url) {
  try {
    return new URL(url, "http://front").pathname;
  } catch {
    // workerd refuses it, too.
    return url;
  }
}

function answer(request, response, status, error) {
  const text = JSON.stringify({ success: false, error });
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", "content-length": Buffer.byteLength(text) });
  response.end(request.method === "HEAD" ? undefined : text);
  request.resume();
}

/** A request that is not HTTP as Node reads it. */
function refuseUnreadable(error, socket) {
  if (!socket.writable) return;
  const [status, reason] = error.code === "HPE_HEADER_OVERFLOW" ? [431, "Request Header Fields Too Large"] : [400, "Bad Request"];
  socket.end(`HTTP/1.1 ${status} ${reason}\r\nx-content-type-options: nosniff\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
}

/** The headers of a request as the Worker gets them: all but those of this connection and Miniflare's own. */
function headersToWorker(request, asksFirst) {
  const named = (request.headers.connection ?? "").toLowerCase().split(",").map((name) => name.trim());
  const headers = [];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at].toLowerCase();
    const isOfConnection = HOP_BY_HOP.has(name) || (named.includes(name) && name !== "host");
    if (!isOfConnection && !name.startsWith("mf-")) headers.push(request.rawHeaders[at], request.rawHeaders[at + 1]);
  }
  if (asksFirst) headers.push("Expect", "100-continue");
  if (request.headers["transfer-encoding"] !== undefined) headers.push("Transfer-Encoding", "chunked");
  else if (request.headers["content-length"] === undefined && ["POST", "PUT", "PATCH"].includes(request.method)) headers.push("Content-Length", "0");
  return headers;
}

/** Passes a response on as it comes. */
function passOn(incoming, response) {
  const headers = [];
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    const name = incoming.rawHeaders[at].toLowerCase();
    if (!HOP_BY_HOP.has(name)) headers.push(incoming.rawHeaders[at], incoming.rawHeaders[at + 1]);
  }
  const isSaid = incoming.headers["x-content-type-options"] !== undefined;
  response.removeHeader("x-content-type-options");
  if (!isSaid) headers.push("x-content-type-options", "nosniff");
  response.writeHead(incoming.statusCode, incoming.statusMessage, headers);
  // Events and streams say that they have begun before there is anything to say.
  response.flushHeaders();
  // A response that breaks off must not look complete.
  incoming.on("error", () => response.destroy());
  incoming.on("aborted", () => response.destroy());
  incoming.pipe(response);
}
