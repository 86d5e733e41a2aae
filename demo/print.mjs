// What a person sees: headings, calls, responses as small tables. Colours only on a terminal.
//
// With VERBOSE=1 everything is printed as it happens. Without, each step is a line, and a chapter fits a screen: what the step printed is
// recorded, and the few parts of it that the chapter shows are printed after that line.

/** Whether everything is printed. */
export const verbose = !["", "0", undefined].includes(process.env.VERBOSE);

const DEFAULT_LINE_CHARACTERS = verbose ? 120 : 100;
const MOST_LINE_CHARACTERS = verbose ? 140 : 100;
// A terminal may be narrower, and some say that they have no columns at all.
const LINE_CHARACTERS = Math.max(80, Math.min(process.stdout.columns || DEFAULT_LINE_CHARACTERS, MOST_LINE_CHARACTERS));
const SHOWN_ROWS = verbose ? 6 : 7;
const CELL_CHARACTERS = 34;
const INDENT = "   ";

const coloured = process.stdout.isTTY === true && !process.env.NO_COLOR;
const style = (code) => (text) => (coloured ? `\u001b[${code}m${text}\u001b[0m` : text);
const bold = style(1);
const dim = style(2);
const green = style(32);
const red = style(31);
const cyan = style(36);

// Whoever reads the output may go away (`make demo | head`). Node reports that here and not as the signal, which run.mjs handles.
process.stdout.on("error", () => process.emit("SIGPIPE"));

let silent = false;
/** Nothing is printed any more: a test runs the demo's questions as well, and wants their results only. */
export const silence = () => void (silent = true);

/** What the step at hand has printed: {kind, text} for each line. */
let recorded;

/** Prints a line, or records it as one of this kind. */
function line(text = "", kind = "") {
  if (recorded !== undefined) recorded.push({ kind, text });
  else if (!silent) process.stdout.write(`${text}\n`);
}

/** `12,345` */
export const count = (number) => number.toLocaleString("en-US");

/** `1 row`, `2 rows` */
export const plural = (number, word, words = `${word}s`) => `${count(number)} ${number === 1 ? word : words}`;

/** `34 ms`, `1.2 s` */
export const duration = (ms) => (ms < 1_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1_000).toFixed(1)} s`);

/** The text in at most `characters`, with an ellipsis where something was cut. */
function cut(text, characters) {
  return text.length <= characters ? text : `${text.slice(0, Math.max(characters - 1, 1))}…`;
}

/** The text in rows of at most `characters`, broken between words; rows after the first are indented as the first is, and more. */
function wrapped(text, characters) {
  const indent = /^ */.exec(text)[0];
  const rows = [indent];
  for (const word of text.trimStart().split(" ")) {
    const row = rows.at(-1);
    if (row.trim() === "") rows[rows.length - 1] = row + word;
    else if (row.length + 1 + word.length <= characters) rows[rows.length - 1] = `${row} ${word}`;
    else rows.push(`${indent}  ${word}`);
  }
  return rows.map((row) => cut(row, characters));
}

export function title(text) {
  line(bold(text));
}

export function heading(number, text) {
  line();
  line(bold(`${String(number).padStart(2)} ${text}`));
}

/** From now on lines are recorded. */
export function record() {
  recorded = [];
}

/** What was recorded; lines are printed again. */
export function recording() {
  const lines = recorded ?? [];
  recorded = undefined;
  return lines;
}

/** A chapter, and in a sentence what it is about. */
export function chapter(number, text, about) {
  line();
  line(`${bold(`${number}  ${text}`)}`);
  line(dim(cut(`${INDENT}${about}`, LINE_CHARACTERS)));
}

/** A step that came out right: what it was, what it found, and the time it took. */
export function done(text, finding, ms) {
  const took = duration(ms);
  const room = LINE_CHARACTERS - INDENT.length - "ok ".length - took.length - 1;
  const mark = text.endsWith("?") ? "" : ":";
  const words = cut(finding === "" ? text : `${text}${mark} ${finding}`, room);
  line(`${INDENT}${green("ok")} ${words.padEnd(room)} ${dim(took)}`);
}

/** Recorded lines of these kinds, at most so many. */
export function show(lines, kinds, most) {
  for (const { text } of lines.filter(({ kind }) => kinds.includes(kind)).slice(0, most)) line(text);
}

/** What a step found, in a few words, for its line. */
export function finding(text) {
  if (recorded !== undefined) line(text, "finding");
}

/** One line of explanation. */
export function note(text) {
  for (const row of verbose ? [text] : wrapped(text, LINE_CHARACTERS - INDENT.length)) line(`${INDENT}${row}`, "note");
}

/** A comparison that came out right. */
export function checked(text) {
  line(`${INDENT}${green("ok")} ${text}`, "checked");
}

/** A command as one would type it. */
export function command(text) {
  line(`${INDENT}${cyan(cut(`$ ${text}`, LINE_CHARACTERS - INDENT.length))}`, "call");
}

/** A command to try, as it is: it may be copied. */
export function attempt(text) {
  line(`${INDENT}${cyan(text)}`);
}

/** A call: method, path and body in one line, and the SQL as it was written below it. */
export function call(method, path, body, sql) {
  const head = `${method} ${path}${body === "" ? "" : ` ${body}`}`;
  line(`${INDENT}${cyan(cut(head, LINE_CHARACTERS - INDENT.length))}`, "call");
  for (const row of sql === undefined ? [] : sql.split("\n")) line(`${INDENT}${INDENT}${row}`.trimEnd(), "call");
}

/** The text of a program. Of one that was sent before, the short form shows only what differs. */
export function code(text, before) {
  const known = verbose || before === undefined ? [] : before.split("\n");
  for (const [index, row] of text.split("\n").entries()) if (known[index] !== row) line(`${INDENT}${dim("|")} ${verbose ? row : cut(row, LINE_CHARACTERS - INDENT.length - 2)}`.trimEnd(), "code");
}

/** A line of a program, and a caret below the position. */
export function place(number, pointer) {
  const [row, caret] = pointer.split("\n");
  line(`${INDENT}${INDENT}line ${number}: ${row}`, "place");
  line(`${INDENT}${INDENT}${" ".repeat(`line ${number}: `.length)}${caret}`, "place");
}

/** An event, with the time at which it came. */
export function event(name, ms, data) {
  line(`${INDENT}${dim(`→ ${duration(ms).padStart(6)}`)} ${cut(`${name} ${data}`, LINE_CHARACTERS - INDENT.length - 9)}`, "event");
}

/** The result of a program: rows as a table, an object field by field. */
export function value(result, name = "") {
  const isRows = (list) => Array.isArray(list) && list.length > 0 && list.every((row) => typeof row === "object" && row !== null && !Array.isArray(row));
  const title = name === "" ? "" : `${name}: `;
  if (isRows(result)) {
    if (name !== "") note(`   ${title}`.trimEnd());
    table(Object.keys(result[0]), result);
  } else if (typeof result === "object" && result !== null && !Array.isArray(result) && name === "") {
    for (const [field, item] of Object.entries(result)) value(item, field);
  } else {
    note(`   ${title}${cut(JSON.stringify(result), LINE_CHARACTERS - 2 * INDENT.length - title.length)}`);
  }
}

/** The status of a result, a word about it, and the time it took. */
export function answer(status, summary, ms) {
  line(`${INDENT}${dim(`→ ${status}, ${summary}, ${duration(ms)}`)}`, "answer");
}

/** The first rows, in aligned columns; columns that do not fit the line are counted instead. */
export function table(columns, rows, most = SHOWN_ROWS) {
  const shown = rows.slice(0, most);
  const all = columns.map((name) => {
    const cells = shown.map((row) => cell(row[name]));
    const width = Math.max(name.length, ...cells.map((text) => text.length));
    return { name, cells, width, numeric: shown.some((row) => typeof row[name] === "number") };
  });
  let room = LINE_CHARACTERS - 2 * INDENT.length - "  …".length;
  const fitting = all.filter(({ width }) => (room -= width + 2) >= 0);
  const missing = all.length - fitting.length;
  const render = (text) => fitting.map(({ width, numeric }, index) => (numeric ? text(index).padStart(width) : text(index).padEnd(width))).join("  ");
  const indent = `${INDENT}${INDENT}`;
  line(`${indent}${dim(render((index) => fitting[index].name) + (missing > 0 ? `  … ${plural(missing, "more column")}` : ""))}`.trimEnd(), "table");
  shown.forEach((_, row) => line(`${indent}${render((index) => fitting[index].cells[row])}`.trimEnd(), "table"));
  if (rows.length > shown.length) line(`${indent}${dim(`… ${plural(rows.length - shown.length, "more row")}`)}`, "table");
}

function cell(value) {
  if (value === null || value === undefined) return "null";
  if (typeof value === "number" && !Number.isInteger(value)) return value.toFixed(2);
  if (typeof value === "number") return String(value);
  return cut(typeof value === "string" ? value : JSON.stringify(value), CELL_CHARACTERS);
}

/** The chapters with their steps and times. */
export function overview(played) {
  line();
  line(bold("Summary"));
  table(["chapter", "steps", "took"], played, played.length);
}

export function summary(text) {
  line();
  line(bold(green(text)));
}

/** What went wrong, on stderr. */
export function failure(text, details) {
  process.stderr.write(`\n${bold(red(text))}\n`);
  for (const row of details) process.stderr.write(`${INDENT}| ${row}\n`);
}

/** The fields of a JSON body in one line, long values abbreviated; `sql` stands below the line. */
export function abbreviated(fields) {
  const parts = Object.entries(fields).map(([name, value]) => {
    if (name === "sql") return '"sql":…';
    if (Array.isArray(value) && typeof value[0] === "object") return `"${name}":[${cut(JSON.stringify(value[0]), 40)}, … ${count(value.length)}]`;
    return `"${name}":${cut(JSON.stringify(value), 48)}`;
  });
  return `{${parts.join(",")}}`;
}
