// The difference of two texts, line by line: lines in both, in the first only, and in the second
// only.

import { DIFF_LINES } from "./limits";

export interface DiffLine {
  kind: "same" | "old" | "new";
  text: string;
}

/**
 * Returns the shortest way from one text to the other, by the longest common subsequence of their
 * lines.
 */
export function diffOf(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  if (old.length > DIFF_LINES || now.length > DIFF_LINES) return [...lines("old", old), ...lines("new", now)];
  const lengths = commonLengths(old, now);
  const found: DiffLine[] = [];
  let [at, to] = [0, 0];
  while (at < old.length || to < now.length) {
    const [one, other] = [old[at], now[to]];
    if (one !== undefined && one === other) {
      found.push({ kind: "same", text: one });
      at += 1;
      to += 1;
    } else if (one !== undefined && (other === undefined || (lengths[at + 1]?.[to] ?? 0) >= (lengths[at]?.[to + 1] ?? 0))) {
      found.push({ kind: "old", text: one });
      at += 1;
    } else {
      found.push({ kind: "new", text: other ?? "" });
      to += 1;
    }
  }
  return found;
}

function lines(kind: DiffLine["kind"], texts: readonly string[]): DiffLine[] {
  return texts.map((text) => ({ kind, text }));
}

/** Returns how many lines the rests after each pair of positions have in common. */
function commonLengths(old: readonly string[], now: readonly string[]): number[][] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  for (let at = old.length - 1; at >= 0; at -= 1) {
    for (let to = now.length - 1; to >= 0; to -= 1) {
      const row = lengths[at];
      if (row === undefined) continue;
      row[to] = old[at] === now[to] ? (lengths[at + 1]?.[to + 1] ?? 0) + 1 : Math.max(lengths[at + 1]?.[to] ?? 0, row[to + 1] ?? 0);
    }
  }
  return lengths;
}
