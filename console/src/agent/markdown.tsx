// Replies for display. They are Markdown: paragraphs, lists, tables, code, and words in bold.
// Everything else stays text: a reply may contain text that strangers wrote into rows, so nothing
// in it becomes a link, an image or an element of its own.

import type { ComponentChild } from "preact";

export type Block =
  | { kind: "text"; text: string }
  | { kind: "heading"; text: string }
  | { kind: "code"; text: string }
  | { kind: "list"; ordered: boolean; items: readonly string[] }
  | { kind: "table"; columns: readonly string[]; rows: readonly (readonly string[])[] };

const FENCE = /^\s*```/;
const HEADING = /^#{1,6}\s+/;
const ITEM = /^\s*(?:[-*+]|(\d{1,3})[.)])\s+/;
const RULE = /^\s*\|?\s*:?-{3,}:?\s*(?:\|\s*:?-{3,}:?\s*)*\|?\s*$/;

/** Parses a text into blocks. */
export function blocksOf(text: string): Block[] {
  const lines = text.split(/\r?\n/);
  const blocks: Block[] = [];
  let at = 0;
  const take = (belongs: (line: string) => boolean) => {
    const start = at;
    while (at < lines.length && belongs(lines[at] ?? "")) at += 1;
    return lines.slice(start, at);
  };
  while (at < lines.length) {
    const line = lines[at] ?? "";
    if (line.trim() === "") at += 1;
    else if (FENCE.test(line)) {
      at += 1;
      blocks.push({ kind: "code", text: take((one) => !FENCE.test(one)).join("\n") });
      at += 1;
    } else if (line.includes("|") && RULE.test(lines[at + 1] ?? "")) {
      at += 2;
      blocks.push({ kind: "table", columns: cellsOf(line), rows: take((one) => one.includes("|")).map(cellsOf) });
    } else if (HEADING.test(line)) {
      at += 1;
      blocks.push({ kind: "heading", text: line.replace(HEADING, "") });
    } else if (ITEM.test(line)) {
      blocks.push({ kind: "list", ordered: ITEM.exec(line)?.[1] !== undefined, items: take((one) => ITEM.test(one)).map((one) => one.replace(ITEM, "")) });
    } else {
      at += 1;
      const more = take((one) => one.trim() !== "" && !FENCE.test(one) && !HEADING.test(one) && !ITEM.test(one) && !one.trimStart().startsWith("|"));
      blocks.push({ kind: "text", text: [line, ...more].join("\n") });
    }
  }
  return blocks;
}

/** Returns the cells of a line of a table: a bar after a backslash does not separate cells. */
function cellsOf(line: string): string[] {
  const cells = line.trim().match(/(?:\\.|[^|\\])*(?:\||$)/g) ?? [];
  const texts = cells.map((cell) => cell.replace(/\|$/, "").trim());
  // Bars at both ends, and the empty match at the end, make empty cells.
  if (line.trim().startsWith("|")) texts.shift();
  while (texts.length > 0 && texts.at(-1) === "") texts.pop();
  return texts;
}

/** Words in backticks are code, words in two stars bold; a backslash escapes a sign. */
const INLINE = /\\([\\`*_{}[\]()#+\-.!|<>])|`([^`]+)`|\*\*([^*]+)\*\*/g;

export function Inline({ text }: { text: string }) {
  const parts: ComponentChild[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    parts.push(text.slice(end, match.index));
    const [whole, sign, code, bold] = match;
    parts.push(sign ?? (code === undefined ? <strong key={match.index}>{bold}</strong> : <code key={match.index}>{code}</code>));
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return <>{parts}</>;
}

export function Blocks({ blocks }: { blocks: readonly Block[] }) {
  return <>{blocks.map((block, at) => <BlockView key={at} block={block} />)}</>;
}

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case "text":
      return <p><Inline text={block.text} /></p>;
    case "heading":
      return <p><strong><Inline text={block.text} /></strong></p>;
    case "code":
      return <pre class="sql"><code>{block.text}</code></pre>;
    case "list": {
      const items = block.items.map((item, at) => <li key={at}><Inline text={item} /></li>);
      return block.ordered ? <ol class="reply-list">{items}</ol> : <ul class="reply-list">{items}</ul>;
    }
    case "table":
      return (
        <div class="scroll" role="region" aria-label="Table of the reply" tabIndex={0}>
          <table class="plain">
            <thead><tr>{block.columns.map((name, at) => <th key={at} scope="col"><Inline text={name} /></th>)}</tr></thead>
            <tbody>{block.rows.map((row, at) => <tr key={at}>{block.columns.map((_, column) => <td key={column}><Inline text={row[column] ?? ""} /></td>)}</tr>)}</tbody>
          </table>
        </div>
      );
  }
}

/**
 * Lines of our own replies around a table: its length, and the place of the rest. The table that is
 * shown instead has both itself.
 */
const ABOUT_TABLE = /^(?:(?:more than )?\d+ rows?(?:, of which the first \d+ are shown)?:|The first \d+ of \d+ columns are shown\.|All rows are in the table .+\.)$/;

/**
 * The names of the planner's computed columns in our own replies, as `named` in the agent's reply
 * writes them.
 */
const IN_WORDS: readonly [RegExp, string][] = [[/^average of /, "average_"], [/^total of /, "total_"], [/^lowest /, "minimum_"], [/^highest /, "maximum_"], [/^(?:rows|different values)$/, "count"]];

/** Returns true if a reply uses this name for a column. */
function isCalled(written: string, column: string | undefined): boolean {
  const name = written.replaceAll(/\\(.)/g, "$1");
  return name === column || IN_WORDS.reduce((text, [words, part]) => text.replace(words, part), name).replaceAll(" ", "_") === column;
}

/** Returns the blocks of a reply without its rows, if those are shown as a table of their own. */
export function withoutRows(blocks: readonly Block[], columns: readonly string[]): Block[] {
  const isOfResult = (block: Block) => block.kind === "table" && block.columns.every((name, at) => isCalled(name, columns[at]));
  if (!blocks.some(isOfResult)) return [...blocks];
  const isAbout = (block: Block) => block.kind === "text" && block.text.split("\n").every((line) => ABOUT_TABLE.test(line));
  return blocks.filter((block) => !isOfResult(block) && !isAbout(block));
}
