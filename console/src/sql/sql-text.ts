// A reader of SQL text without a parser: the ends of statements, and the places of names.

/** Part of a text, by UTF-16 offsets. */
export interface Range {
  from: number;
  to: number;
}

/** Comments, texts, names in any of SQLite's quotes, words, numbers, and single characters. */
const TOKENS = /--[^\n]*|\/\*[^]*?(?:\*\/|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|`(?:[^`]|``)*(?:`|$)|\[[^\]]*(?:\]|$)|[\p{L}_\u0080-\uFFFF][\p{L}\p{N}_$\u0080-\uFFFF]*|\d[\w.]*|\S/gu;
const COMMENT = /^(?:--|\/\*)/;
const NAME = /^["`[\p{L}_\u0080-\uFFFF]/u;
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/**
 * Names that SQLite reads as something else unless they are quoted, at places where a name may be.
 */
const KEYWORDS = new Set(
  "add all alter and as between by case check collate commit constraint create default delete distinct drop else escape except exists foreign from group having in index insert intersect into is isnull join limit not notnull null on or order primary references select set table then to transaction union unique update using values when where with".split(" "),
);

export interface Token extends Range {
  text: string;
}

export function tokens(text: string): Token[] {
  return [...text.matchAll(TOKENS)].map((match) => ({ text: match[0], from: match.index, to: match.index + match[0].length }));
}

/**
 * Returns the statements of a text, without the semicolons between them. Those in the body of a
 * trigger end nothing.
 */
export function statements(text: string): Range[] {
  const found: Range[] = [];
  let words: string[] = [];
  let current = null as Range | null;
  for (const token of tokens(text)) {
    if (COMMENT.test(token.text)) continue;
    if (token.text === ";" && !isInTrigger(words)) {
      if (current !== null) found.push(current);
      current = null;
      words = [];
      continue;
    }
    current = { from: current?.from ?? token.from, to: token.to };
    words.push(token.text.toLowerCase());
  }
  if (current !== null) found.push(current);
  return found;
}

function isInTrigger(words: readonly string[]): boolean {
  return words[0] === "create" && words.slice(1, 3).includes("trigger") && words.includes("begin") && words.at(-1) !== "end";
}

/** Returns the statement at a place, or the one before it. */
export function statementAt(text: string, place: number): Range | null {
  const all = statements(text);
  return all.find(({ to }) => place <= to) ?? all.at(-1) ?? null;
}

/** Returns the offset of a line and a column of an error: both from 1, columns in characters. */
export function offsetOf(text: string, line: number, column: number): number {
  const lines = text.split("\n").slice(0, line);
  const before = lines.slice(0, -1).reduce((length, one) => length + one.length + 1, 0);
  const inLine = [...(lines.at(-1) ?? "")].slice(0, column - 1).join("");
  return Math.min(before + inLine.length, text.length);
}

/** Returns the word or the character at an offset. */
export function tokenAt(text: string, offset: number): Range {
  const token = tokens(text).find(({ to }) => offset < to);
  return token ?? { from: Math.max(0, text.length - 1), to: text.length };
}

/**
 * Returns the first place of a name, with its qualifier if it has one (`m.title`); names in texts
 * and comments do not count.
 */
export function findName(text: string, name: string): Range | null {
  const wanted = name.split(".").map((part) => part.toLowerCase());
  const all = tokens(text).filter((token) => !COMMENT.test(token.text));
  for (let at = 0; at < all.length; at += 1) {
    const range = nameFrom(all, at, wanted);
    if (range !== null) return range;
  }
  return null;
}

function nameFrom(all: readonly Token[], start: number, wanted: readonly string[]): Range | null {
  let at = start;
  for (const [index, part] of wanted.entries()) {
    if (index > 0 && all[at++]?.text !== ".") return null;
    const token = all[at++];
    if (token === undefined || !NAME.test(token.text) || unquoted(token.text).toLowerCase() !== part) return null;
  }
  const [first, last] = [all[start], all[at - 1]];
  return first === undefined || last === undefined ? null : { from: first.from, to: last.to };
}

function unquoted(text: string): string {
  const quote = text[0];
  if (quote === "[") return text.slice(1, -1);
  return quote === '"' || quote === "`" ? text.slice(1, -1).replaceAll(quote + quote, quote) : text;
}

/** Quotes a name for SQL if necessary. */
export function quoteName(name: string): string {
  return PLAIN_NAME.test(name) && !KEYWORDS.has(name.toLowerCase()) ? name : `"${name.replaceAll('"', '""')}"`;
}

/**
 * Returns the names in FROM, JOIN, INTO and UPDATE of a statement, the tables that its columns may
 * belong to.
 */
export function namedTables(text: string): string[] {
  const all = tokens(text).filter((token) => !COMMENT.test(token.text));
  return all.flatMap(({ text: word }, at) => {
    const next = all[at + 1];
    const leads = /^(?:from|join|into|update)$/i.test(word) || (word === "," && next !== undefined && NAME.test(next.text));
    return leads && next !== undefined && NAME.test(next.text) ? [unquoted(next.text)] : [];
  });
}
