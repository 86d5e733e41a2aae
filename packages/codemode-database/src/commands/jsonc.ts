// JSON with comments and trailing commas, as settings of wrangler are written.

/** Parses JSON with comments and trailing commas. */
export function parseJsonc(text: string): unknown {
  return JSON.parse(withoutExtras(text)) as unknown;
}

/**
 * A string, a comment of either kind, or a comma before a bracket that closes, with comments
 * between them.
 */
const TOKENS = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\/|,(?=(?:\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*[}\]])/g;

function withoutExtras(text: string): string {
  return text.replace(TOKENS, (token) => (token.startsWith('"') ? token : " "));
}
