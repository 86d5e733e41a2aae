// Unique ids. `crypto.randomUUID` exists on secure connections only.

const BYTES = 16;

/** Returns 32 random hexadecimal digits. */
export function freshId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
