// A reader of the pages of documents: their fenced blocks, and JSON without the values that differ
// from run to run.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const VOLATILE = new Set([
  ...["createdAt", "updatedAt", "durationMs", "atMs", "executionId", "endedAt", "rowsRead"],
  ...["databaseSize", "operations", "lastActivity", "expiresAt", "timestamp"],
]);
/** The name of a table that holds a result, which ends in a part of the run's id. */
const RESULT_TABLE = /^result_[0-9a-f]{8}$/;

export const read = (name) => readFile(join(ROOT, name), "utf8");

/**
 * Returns the fenced blocks of a page: language, status (the number after it, 200 without one),
 * text, line.
 */
export function blocks(page) {
  const found = [];
  let open;
  page.split("\n").forEach((line, index) => {
    if (!line.startsWith("```")) open?.lines.push(line);
    else if (open) {
      found.push({ ...open, text: open.lines.join("\n") });
      open = undefined;
    } else {
      const [language, status] = line.slice(3).split(" ");
      open = { language, status: Number(status ?? 200), lines: [], line: index + 1 };
    }
  });
  return found;
}

/**
 * Parses JSON and replaces the values that differ from run to run. A number that JavaScript writes
 * in another way, such as `2.0`, keeps its text.
 */
export function steady(text) {
  return JSON.parse(text, (key, value, context) => {
    if (VOLATILE.has(key)) return null;
    if (typeof value === "string" && RESULT_TABLE.test(value)) return "result_…";
    return typeof value !== "number" || String(value) === context.source ? value : `the number ${context.source}`;
  });
}

/**
 * Returns the fields of an object that another has, two levels deep: the response, and its error.
 */
export function shown(whole, part) {
  const pick = (from, like) => Object.fromEntries(Object.keys(like).map((name) => [name, from[name]]));
  const fields = pick(whole, part);
  if (part.error && fields.error) fields.error = pick(fields.error, part.error);
  return fields;
}
