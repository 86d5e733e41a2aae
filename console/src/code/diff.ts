// A parser of unified diffs. The counts of each hunk tell which lines belong to a text, because a
// text may itself look like the head of a diff.

export interface DiffLine {
  kind: "same" | "old" | "new" | "head" | "note";
  text: string;
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const KINDS: Readonly<Record<string, DiffLine["kind"]>> = { " ": "same", "-": "old", "+": "new" };

export function diffLines(diff: string): DiffLine[] {
  let [old, now] = [0, 0];
  return diff.replace(/\n$/, "").split("\n").map((line): DiffLine => {
    const kind = KINDS[line.charAt(0)];
    const isInHunk = kind === "same" ? old > 0 && now > 0 : kind === "old" ? old > 0 : kind === "new" && now > 0;
    if (kind !== undefined && isInHunk) {
      if (kind !== "new") old -= 1;
      if (kind !== "old") now -= 1;
      return { kind, text: line.slice(1) };
    }
    // Some writers leave out the space of an empty line.
    if (line === "" && old > 0 && now > 0) {
      old -= 1;
      now -= 1;
      return { kind: "same", text: "" };
    }
    const hunk = HUNK.exec(line);
    if (hunk !== null) [old, now] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
    return { kind: hunk !== null || /^(?:---|\+\+\+) /.test(line) ? "head" : "note", text: line };
  });
}
