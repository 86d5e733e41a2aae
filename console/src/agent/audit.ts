// The hash chain of the audit, computed again in the browser. crates/agent/src/store/audit.rs
// defines the hashed data.

import type { AuditRecord } from "./model";

const GENESIS = "0".repeat(64);
/** The bytes of the length before each part, big-endian. */
const LENGTH_BYTES = 8;

export type Verdict = { kind: "verified"; records: number } | { kind: "broken"; sequence: number } | { kind: "unavailable" };

/** Checks that each record has the hash of its content and of the record before it. */
export async function verify(records: readonly AuditRecord[]): Promise<Verdict> {
  // Browsers have Web Cryptography only on a secure connection.
  if (globalThis.crypto?.subtle === undefined) return { kind: "unavailable" };
  let previous = GENESIS;
  for (const [at, record] of records.entries()) {
    const isNext = record.sequence === at + 1 && record.previousHash === previous;
    if (!isNext || (await hashOf(record)) !== record.hash) return { kind: "broken", sequence: at + 1 };
    previous = record.hash;
  }
  return { kind: "verified", records: records.length };
}

async function hashOf({ previousHash, sequence, atMs, kind, actor, body }: AuditRecord): Promise<string> {
  const encoder = new TextEncoder();
  const parts = [previousHash, String(sequence), String(atMs), kind, actor, body].map((part) => encoder.encode(part));
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + LENGTH_BYTES + part.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const part of parts) {
    view.setBigUint64(at, BigInt(part.length));
    bytes.set(part, at + LENGTH_BYTES);
    at += LENGTH_BYTES + part.length;
  }
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
