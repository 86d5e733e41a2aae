// The changes of an edit, line by line.

import { useMemo } from "preact/hooks";
import { LineLength } from "../sql/line-length";
import { Coloured } from "../sql/sql-view";
import { diffOf, type DiffLine } from "./diff";

const SIGNS: Readonly<Record<DiffLine["kind"], string>> = { same: " ", old: "−", new: "+" };
const WORDS: Readonly<Record<DiffLine["kind"], string>> = { same: "", old: "Taken out: ", new: "Added: " };

export function DiffView({ before, after }: { before: string; after: string }) {
  const lines = useMemo(() => diffOf(before, after), [before, after]);
  return (
    <div class="sql diff" role="group" aria-label="Changes of the statement">
      {lines.map(({ kind, text }, at) => (
        <div key={at} class={`diff-line diff-${kind}`}>
          <span class="diff-sign" aria-hidden="true">{SIGNS[kind]}</span>
          <code>{WORDS[kind] !== "" && <span class="visually-hidden">{WORDS[kind]}</span>}<Coloured sql={text} /></code>
          <LineLength line={text} />
        </div>
      ))}
    </div>
  );
}
