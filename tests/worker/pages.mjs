// Reading the pages of documents: their fenced blocks, and JSON without what differs from run to run.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const VOLATILE = new Set(["createdAt", "updatedAt", "durationMs", "atMs", "executionId", "endedAt", "rowsRead"]);
/** The name of a table that holds a result ends in a part of the run's id. */
const RESULT_TABLE = /^result_[0-9a-f]{8}$/;

export const read = (name) => readFile(join(ROOT, name), "utf8");

/** The fenced blocks of a page: language, text, line. */
export function blocks(page) {
  const found = [];
  let open;
  page.split("\n").forEach((line, index) => {
    if (!line.startsWith("```")) open?.lines.push(line);
    else if (open) {
      found.push({ language: open.language, text: open.lines.join("\n"), line: open.line });
      open = undefined;
    } else open = { language: line.slice(3).split(" ")[0], lines: [], line: index + 1 };
  });
  return found;
}

/** JSON without what differs from run to run; integers that a number cannot hold stay digits. */
export function steady(text) {
  return JSON.parse(text, (key, value, context) => {
    if (VOLATILE.has(key)) return null;
    if (typeof value === "string" && RESULT_TABLE.test(value)) return "result_…";
    const exact = typeof value !== "number" || Number.isSafeInteger(value) || !/^-?\d+$/.test(context.source);
    return exact ? value : `${context.source}n`;
  });
}

/** Of an object the fields that another has, two levels deep: the response, and its error. */
export function shown(whole, part) {
  const pick = (from, like) => Object.fromEntries(Object.keys(like).map((name) => [name, from[name]]));
  const fields = pick(whole, part);
  if (part.error && fields.error) fields.error = pick(fields.error, part.error);
  return fields;
}
