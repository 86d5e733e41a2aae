// Ids that nobody else has. `crypto.randomUUID` is there on secure connections only.

const BYTES = 16;

/** 32 hexadecimal digits. */
export function freshId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
