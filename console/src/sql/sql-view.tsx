// SQL for display: a text with the colours of the editor, without an editor.

import { KEYWORDS } from "./keywords";
import { tokens } from "./sql-text";

const WORDS = new Set(KEYWORDS.split(" "));

function lookOf(text: string): string | null {
  if (text.startsWith("--") || text.startsWith("/*")) return "sql-comment";
  if (text.startsWith("'")) return "sql-text";
  if (/^\d/.test(text)) return "sql-number";
  return WORDS.has(text.toLowerCase()) ? "sql-keyword" : null;
}

/** Renders the text with its words coloured and otherwise unchanged. */
export function Coloured({ sql }: { sql: string }) {
  let end = 0;
  const parts = tokens(sql).flatMap(({ text, from, to }) => {
    const before = sql.slice(end, from);
    const look = lookOf(text);
    end = to;
    return [before, look === null ? text : <span key={from} class={look}>{text}</span>];
  });
  return <>{parts}{sql.slice(end)}</>;
}

/** A statement in a frame. */
export function SqlView({ sql }: { sql: string }) {
  return <pre class="sql"><code><Coloured sql={sql} /></code></pre>;
}
