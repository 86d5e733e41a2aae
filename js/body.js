// Reads a request body in large pieces.
//
// A default reader of workerd hands out what arrived, often 4 KiB, and each piece costs a turn of the event loop and a call into
// WebAssembly. A byte reader fills a buffer of our size instead.

/**
 * @param {ReadableStream} stream
 * @returns {ReadableStreamBYOBReader}
 */
export function openBody(stream) {
  return stream.getReader({ mode: "byob" });
}

/**
 * The next piece, at most `size` bytes, or null at the end of a complete body.
 * Rejects when the client went away before the end.
 *
 * @param {ReadableStreamBYOBReader} reader
 * @param {number} size
 * @returns {Promise<Uint8Array | null>}
 */
export async function readBody(reader, size) {
  const { value, done } = await reader.readAtLeast(size, new Uint8Array(size));
  return value && value.byteLength > 0 ? value : done ? null : new Uint8Array(0);
}

/**
 * The same, as soon as anything has arrived.
 *
 * @param {ReadableStreamBYOBReader} reader
 * @param {number} size
 * @returns {Promise<Uint8Array | null>}
 */
export async function readSome(reader, size) {
  const { value, done } = await reader.read(new Uint8Array(size));
  return value && value.byteLength > 0 ? value : done ? null : new Uint8Array(0);
}

// A client that is still sending when its response comes, and then finds the connection closed, reports the closed connection and never
// reads the response. So what nobody needed of a long body is taken off the connection before the response goes out; nginx calls the same a
// lingering close. The platform does it for the first 64 KiB.

/** Rests up to this size are the platform's. */
const SMALL_BYTES = 64 * 1024;

/** What is taken off at most: no plan of Cloudflare's takes longer bodies unasked. */
const MOST_BYTES = 500_000_000;

/** How long a client may take to send what nobody wants. */
const MOST_MS = 10_000;

/** After so much silence it is not sending any more. */
const QUIET_MS = 3_000;

/** Bytes that are sent on to an object at once. */
const PIECE_BYTES = 256 * 1024;

/** Requests whose bodies flow on to an object. */
const flowing = new WeakMap();

/** @param {Request} request */
function announced(request) {
  const length = request.headers.get("content-length");
  return length === null ? undefined : Number(length);
}

/** @param {Request} request */
function isShort(request) {
  const length = announced(request);
  return length !== undefined && length <= SMALL_BYTES;
}

/** A body on its way to an object, which may be stopped and emptied: a pipe that is stopped takes its source with it. */
class Flow {
  /** @param {Request & {body: ReadableStream}} request */
  constructor(request) {
    const length = announced(request);
    const through = length !== undefined && Number.isSafeInteger(length) ? new FixedLengthStream(length) : new IdentityTransformStream();
    this.readable = through.readable;
    this.reader = request.body.getReader({ mode: "byob" });
    const { promise, resolve } = Promise.withResolvers();
    /** @type {Promise<undefined>} */
    this.stopped = promise;
    this.stop = () => resolve(undefined);
    /** @type {Promise<ReadableStreamReadResult<Uint8Array>> | undefined} */
    this.pending = undefined;
    this.done = this.run(through.writable.getWriter());
  }

  /**
   * Settles once everything is sent on, the client or the object has given up, or the flow is stopped.
   *
   * @param {WritableStreamDefaultWriter} writer
   */
  async run(writer) {
    try {
      for (let buffer = new ArrayBuffer(PIECE_BYTES); ; ) {
        const reading = this.reader.readAtLeast(PIECE_BYTES, new Uint8Array(buffer));
        const piece = await Promise.race([reading, this.stopped]);
        if (!piece) {
          this.pending = reading;
          throw new Error("the response came before the end of the body");
        }
        if (piece.value && piece.value.byteLength > 0) await Promise.race([writer.write(piece.value), this.stopped]);
        if (piece.done) return await Promise.race([writer.close(), this.stopped]);
        buffer = new ArrayBuffer(PIECE_BYTES);
      }
    } catch (error) {
      writer.abort(error).catch(() => {});
    }
  }
}

/**
 * The body of a request, to send on to an object. What the object leaves of it can still be discarded here.
 *
 * @param {Request} request
 * @returns {ReadableStream | undefined}
 */
export function passBody(request) {
  if (!request.body || isShort(request)) return request.body ?? undefined;
  const flow = new Flow(/** @type {Request & {body: ReadableStream}} */ (request));
  flowing.set(request, flow);
  return flow.readable;
}

/**
 * What `reading` gives, or that it is done once that takes too long.
 *
 * @param {Promise<ReadableStreamReadResult<Uint8Array>>} reading
 * @param {number} waitMs
 * @returns {Promise<ReadableStreamReadResult<Uint8Array>>}
 */
async function unlessQuiet(reading, waitMs) {
  /** @type {number | null} */
  let timer = null;
  const quiet = new Promise((resolve) => {
    timer = setTimeout(resolve, waitMs, { done: true });
  });
  try {
    return await Promise.race([reading, quiet]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Reads a body to its end, or as far as bytes and time last.
 *
 * @param {ReadableStreamBYOBReader} reader
 * @param {Promise<ReadableStreamReadResult<Uint8Array>>} [pending]
 */
async function empty(reader, pending) {
  const endMs = Date.now() + MOST_MS;
  let next = pending;
  try {
    for (let taken = 0; taken < MOST_BYTES; next = undefined) {
      const waitMs = Math.min(QUIET_MS, endMs - Date.now());
      if (waitMs <= 0) return;
      const { value, done } = await unlessQuiet(next ?? reader.read(new Uint8Array(SMALL_BYTES)), waitMs);
      if (done) return;
      taken += value.byteLength;
    }
  } catch {
    // The client went away.
  }
}

/**
 * Takes off the connection what nobody read of a request.
 *
 * @param {Request} request
 */
export async function discardRest(request) {
  if (!request.body || isShort(request)) return;
  const flow = flowing.get(request);
  if (flow) {
    flow.stop();
    await flow.done;
    await empty(flow.reader, flow.pending);
  } else if (!request.body.locked && (request.bodyUsed || !request.headers.has("expect"))) {
    // Who asks before sending a body, waits with it for a response: reading would be the response that it may.
    await empty(request.body.getReader({ mode: "byob" }));
  }
}
