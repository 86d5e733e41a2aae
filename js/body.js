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
