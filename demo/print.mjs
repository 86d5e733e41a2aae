// What a person sees: headings, calls, answers as small tables. Colours only on a terminal.

const DEFAULT_LINE_CHARACTERS = 120;
// A terminal may be narrower, and some say that they have no columns at all.
const LINE_CHARACTERS = Math.max(80, Math.min(process.stdout.columns || DEFAULT_LINE_CHARACTERS, 140));
const SHOWN_ROWS = 6;
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
/** Nothing is printed any more: a test runs the demo's questions as well, and wants their answers only. */
export const silence = () => void (silent = true);

const line = (text = "") => silent || process.stdout.write(`${text}\n`);

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

export function title(text) {
  line(bold(text));
}

export function heading(number, text) {
  line();
  line(bold(`${String(number).padStart(2)} ${text}`));
}

/** One line of explanation. */
export function note(text) {
  line(`${INDENT}${text}`);
}

/** A comparison that came out right. */
export function checked(text) {
  line(`${INDENT}${green("ok")} ${text}`);
}

/** A command as one would type it. */
export function command(text) {
  line(`${INDENT}${cyan(cut(`$ ${text}`, LINE_CHARACTERS - INDENT.length))}`);
}

/** A call: method, path and body in one line, and the SQL as it was written below it. */
export function call(method, path, body, sql) {
  const head = `${method} ${path}${body === "" ? "" : ` ${body}`}`;
  line(`${INDENT}${cyan(cut(head, LINE_CHARACTERS - INDENT.length))}`);
  for (const row of sql === undefined ? [] : sql.split("\n")) line(`${INDENT}${INDENT}${row}`.trimEnd());
}

/** The text of a program. */
export function code(text) {
  for (const row of text.split("\n")) line(`${INDENT}${dim("|")} ${row}`.trimEnd());
}

/** A line of a program, and a caret below the position. */
export function place(number, pointer) {
  const [row, caret] = pointer.split("\n");
  line(`${INDENT}${INDENT}line ${number}: ${row}`);
  line(`${INDENT}${INDENT}${" ".repeat(`line ${number}: `.length)}${caret}`);
}

/** An event, with the time at which it came. */
export function event(name, ms, data) {
  line(`${INDENT}${dim(`→ ${duration(ms).padStart(6)}`)} ${cut(`${name} ${data}`, LINE_CHARACTERS - INDENT.length - 9)}`);
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

/** The status of an answer, a word about it, and the time it took. */
export function answer(status, summary, ms) {
  line(`${INDENT}${dim(`→ ${status}, ${summary}, ${duration(ms)}`)}`);
}

/** The first rows, in aligned columns; columns that do not fit the line are counted instead. */
export function table(columns, rows) {
  const shown = rows.slice(0, SHOWN_ROWS);
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
  line(`${indent}${dim(render((index) => fitting[index].name) + (missing > 0 ? `  … ${plural(missing, "more column")}` : ""))}`.trimEnd());
  shown.forEach((_, row) => line(`${indent}${render((index) => fitting[index].cells[row])}`.trimEnd()));
  if (rows.length > shown.length) line(`${indent}${dim(`… ${plural(rows.length - shown.length, "more row")}`)}`);
}

function cell(value) {
  if (value === null || value === undefined) return "null";
  if (typeof value === "number" && !Number.isInteger(value)) return value.toFixed(2);
  if (typeof value === "number") return String(value);
  return cut(typeof value === "string" ? value : JSON.stringify(value), CELL_CHARACTERS);
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
