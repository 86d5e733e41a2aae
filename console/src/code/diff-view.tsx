// The preview of a proposal: its diff, line by line, or the future code.

import { useMemo } from "preact/hooks";
import { count } from "../shared/format";
import { LineLength } from "../sql/line-length";
import { type DiffLine, diffLines } from "./diff";
import { DIFF_LINES } from "./limits";

const SIGNS: Readonly<Record<DiffLine["kind"], string>> = { same: " ", old: "−", new: "+", head: "", note: "" };
const WORDS: Readonly<Record<DiffLine["kind"], string>> = { same: "", old: "Taken out: ", new: "Added: ", head: "", note: "" };

export function Preview({ text, mode, label }: { text: string; mode: string; label: string }) {
  const lines = useMemo(() => (mode === "diff" ? diffLines(text) : text.split("\n").map((line): DiffLine => ({ kind: "note", text: line }))), [text, mode]);
  const rest = lines.length - DIFF_LINES;
  return (
    // Focusable, so that the keyboard can scroll it.
    <div class="patch" role="region" aria-label={label} tabIndex={0}>
      <div class="patch-lines">
        {lines.slice(0, DIFF_LINES).map(({ kind, text: line }, at) => (
          <div key={at} class={`patch-line patch-${kind}`}>
            <span class="patch-sign" aria-hidden="true">{SIGNS[kind]}</span>
            <code>{WORDS[kind] !== "" && <span class="visually-hidden">{WORDS[kind]}</span>}{line}</code>
            <LineLength line={line} />
          </div>
        ))}
        {rest > 0 && <p class="note">{count(rest)} more lines are not shown.</p>}
      </div>
    </div>
  );
}
