// Reads a request body in large pieces.
//
// A default reader of workerd returns the bytes as they arrived, often 4 KiB, and each piece costs
// a turn of the event loop and a call into WebAssembly. A byte reader fills a buffer of our size
// instead.

/**
 * Opens a reader of the stream, which fills a buffer of our size.
 *
 * @param {ReadableStream} stream
 * @returns {ReadableStreamBYOBReader}
 */
export function openBody(stream) {
  return stream.getReader({ mode: "byob" });
}

/**
 * Reads the next piece, at most `size` bytes, or null at the end of a complete body. Rejects if the
 * client went away before the end.
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
 * Reads the next piece as soon as any bytes have arrived, at most `size` bytes; null at the end.
 *
 * @param {ReadableStreamBYOBReader} reader
 * @param {number} size
 * @returns {Promise<Uint8Array | null>}
 */
export async function readSome(reader, size) {
  const { value, done } = await reader.read(new Uint8Array(size));
  return value && value.byteLength > 0 ? value : done ? null : new Uint8Array(0);
}

// A client that is still sending when its response arrives, and then finds the connection closed,
// reports the closed connection and never reads the response. So the unread rest of a long body is
// read and discarded before the response is sent; nginx calls this a lingering close. The platform
// does it for the first 64 KiB.

/** The largest rest that the platform discards itself. */
const SMALL_BYTES = 64 * 1024;

/** The most bytes that are discarded; no plan of Cloudflare takes longer bodies by default. */
const MOST_BYTES = 500_000_000;

/** The longest time that a client may take to send a body that is discarded. */
const MOST_MS = 10_000;

/** The silence after which a client counts as no longer sending. */
const QUIET_MS = 3_000;

/** The bytes that are sent on to an object at once. */
const PIECE_BYTES = 256 * 1024;

/** The requests whose bodies are being sent on to an object. */
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

/**
 * A body that is being sent to an object. It can be stopped and then emptied; a pipe that is
 * stopped would cancel its source.
 */
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
   * Sends the body on. Settles once everything is sent, the client or the object has given up, or
   * the flow is stopped.
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
 * Returns the body of a request, to send on to an object. The part that the object does not read
 * can still be discarded here.
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
 * Returns the result of `reading`, or `done` once that takes too long.
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
 * Reads a body to its end, or to the limit of bytes or time.
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
 * Reads and discards the unread rest of a request.
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
    // A client that asks before sending a body waits for the permission, and reading the body would
    // grant it.
    await empty(request.body.getReader({ mode: "byob" }));
  }
}
