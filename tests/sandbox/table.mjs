// The table of programs in cases/*.json and the exact comparison of a response with the expectation
// of a case.
//
// A case is {name, code, input?, timeoutMs?, setup?, expect, then?}. Programs are a text or a list
// of lines. `setup` are programs that run earlier in the same session, `then` is {code, result}: a
// program that runs after it. `pieces` instead of `code`, or of a log, are the parts of a long
// text, some of them {repeat: [text, times]}. `expect` is {success: true, result, truncated?} or
// {success: false, error}, and may have logs and calls:
//
//   error    each given field must be equal; messageContains and hintContains are parts of a text
//   logs     ["level text", …], all of them in order, also as {pieces, times}; a case without logs
//            must log nothing
//   calls    ["db.query", "db.query NO_SUCH_TABLE", …], all of them in order; unchecked if missing
//
// The name of a staged result's table is random: it is written `result_*` here, and `$table` in the
// code of `then`.

import { readFile, readdir } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";

const folder = new URL("cases/", import.meta.url);
/**
 * Names of the runtime's modules and text that is spliced into programs, which no response may
 * contain.
 */
const INTERNAL = /\b(?:runtime|prelude|guard|console|result|program|memory)\.js\b|\$\d+_[a-z]?|RpcTarget|WorkerEntrypoint|__wire\b/;

/** Parses JSON. Integers beyond 2^53 keep their digits, as BigInt. */
export function parseExact(text) {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === "number" && /^-?\d+$/.test(source) && !Number.isSafeInteger(value) ? BigInt(source) : value,
  );
}

const textOf = (program) => (Array.isArray(program) ? program.join("\n") : program);
const joined = (pieces) => pieces.map((piece) => (typeof piece === "string" ? piece : piece.repeat[0].repeat(piece.repeat[1]))).join("");

/** Reads all cases, with their programs as texts, and the name of their file as `group`. */
export async function readCases() {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
  const lists = await Promise.all(
    names.map(async (name) =>
      parseExact(await readFile(new URL(name, folder), "utf8")).map((one) => ({
        ...one,
        group: name.replace(".json", ""),
        code: one.pieces ? joined(one.pieces) : textOf(one.code),
        expect: { ...one.expect, logs: (one.expect.logs ?? []).flatMap((log) => (log.pieces ? Array(log.times).fill(joined(log.pieces)) : log)) },
        setup: (one.setup ?? []).map(textOf),
        ...(one.then ? { then: { ...one.then, code: textOf(one.then.code) } } : {}),
      })),
    ),
  );
  return lists.flat();
}

/**
 * Makes the body of `POST /api/codemode/execute`. Inputs may contain BigInts, which are written as
 * integers.
 */
export function requestOf(session, { code, input, timeoutMs, reuse }) {
  return JSON.stringify({ session, code, input, timeoutMs, reuse }, (_key, value) => (typeof value === "bigint" ? JSON.rawJSON(`${value}`) : value));
}

const logLine = ({ level, text }) => `${level} ${text}`;
const callLine = ({ server, tool, code }) => `${server}.${tool}${code ? ` ${code}` : ""}`;
const hideTable = (text) => text.replace(/\bresult_[0-9a-f]{8}\b/g, "result_*");

/**
 * Returns the differences between a response and the expectation of a case; an empty list if there
 * are none.
 */
export function complaints(expect, text) {
  const answer = parseExact(hideTable(text));
  const wrong = [];
  const same = (what, found, wanted) => {
    if (!isDeepStrictEqual(found, wanted)) wrong.push(`${what} is ${show(found)}, not ${show(wanted)}`);
  };
  same("success", answer.success, expect.success);
  if (expect.success) {
    same("result", answer.result, expect.result);
    same("truncated", answer.truncated, expect.truncated);
  } else {
    for (const [name, wanted] of Object.entries(expect.error)) {
      const part = /^(message|hint)Contains$/.exec(name)?.[1];
      if (!part) same(`error.${name}`, answer.error?.[name], wanted);
      else if (!answer.error?.[part]?.includes(wanted)) wrong.push(`error.${part} is ${show(answer.error?.[part])}, without ${show(wanted)}`);
    }
    same("result", answer.result, undefined);
  }
  same("logs", answer.logs?.map(logLine), expect.logs ?? []);
  if (expect.calls) same("calls", answer.calls?.map(callLine), expect.calls);
  if (!Number.isInteger(answer.durationMs) || !/^[0-9a-f-]{36}$/.test(answer.executionId ?? "")) wrong.push("durationMs or executionId is missing");
  const leaked = INTERNAL.exec(text);
  if (leaked) wrong.push(`the answer shows an internal: ${leaked[0]}`);
  return wrong;
}

function show(value) {
  const text = JSON.stringify(value, (_key, item) => (typeof item === "bigint" ? `${item}n` : item)) ?? "undefined";
  return text.length > 1500 ? `${text.slice(0, 1500)}…` : text;
}
