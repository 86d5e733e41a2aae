// JSON of the API without losing digits: integers that a JavaScript number cannot hold become
// `bigint`.

/** A JSON value of the API. */
export type Json = null | boolean | number | bigint | string | Json[] | { [name: string]: Json };

/**
 * Texts and numbers of a JSON text; the first branch matches whole texts, so that digits in them
 * stay unchanged.
 */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Numbers with fewer digits always fit into a JavaScript number. */
const LONG = /\d{16}/;
const LONG_INTEGER = /^-?\d{16,}$/;
/**
 * Marks an integer between the two passes. No server sends a name with this character, which is for
 * private use.
 */
const MARK = "\uE000integer";

/** Parses a JSON text. Throws `SyntaxError` as `JSON.parse` does. */
export function parseJson(text: string): Json {
  if (!LONG.test(text)) return JSON.parse(text) as Json;
  const marked = text.replace(TOKENS, (token) => (LONG_INTEGER.test(token) ? `{"${MARK}":"${token}"}` : token));
  return JSON.parse(marked, (_, value: unknown) => {
    if (typeof value !== "object" || value === null || !(MARK in value)) return value;
    const integer = BigInt(String(value[MARK]));
    // A JavaScript number can hold every signed integer of 54 bits.
    return BigInt.asIntN(54, integer) === integer ? Number(integer) : integer;
  }) as Json;
}

/** Renders a value as JSON; the reverse of `parseJson`. */
export function formatJson(value: unknown, indent?: number): string {
  const integers: string[] = [];
  const text = JSON.stringify(
    value,
    (_, part: unknown) => {
      if (typeof part !== "bigint") return part;
      integers.push(String(part));
      return `${MARK}${integers.length - 1}`;
    },
    indent,
  );
  return integers.length === 0 ? text : text.replace(new RegExp(`"${MARK}(\\d+)"`, "g"), (_, at: string) => integers[Number(at)] ?? "null");
}
