// Divides a stream of bytes into lines, each of which is one message of stdio.

import type { Readable } from "node:stream";

/**
 * The longest message: one of 10 MB fits with room to spare. The Worker takes 32 MiB by default,
 * and at most this.
 */
export const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;
const NEWLINE = 10;

/** A line, or the size of one that is too long to be kept. */
export type Line = { bytes: Buffer } | { tooLongBytes: number };

/**
 * Yields the lines of a stream that are not blank. The bytes of a line are joined only once, for
 * any number of pieces.
 */
export async function* linesOf(stream: Readable, maxBytes = MAX_MESSAGE_BYTES): AsyncGenerator<Line> {
  let pieces: Buffer[] = [];
  let size = 0;
  const take = (): Line | undefined => {
    const line: Line = size > maxBytes ? { tooLongBytes: size } : { bytes: Buffer.concat(pieces) };
    pieces = [];
    size = 0;
    return "bytes" in line && line.bytes.toString("latin1", 0, 64).trim() === "" && line.bytes.toString("utf8").trim() === "" ? undefined : line;
  };
  const keep = (piece: Buffer): void => {
    size += piece.length;
    if (size <= maxBytes) pieces.push(piece);
    else pieces = [];
  };
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, to));
      from = to + 1;
      const line = take();
      if (line !== undefined) yield line;
    }
    if (from < chunk.length) keep(chunk.subarray(from));
  }
  const last = take();
  if (last !== undefined) yield last;
}
