// The mark of a line that is longer than a page is wide: it goes on below, and its length is said, so that nobody takes its end for another line.

import { counted } from "../shared/format";

/** More characters than fit beside each other on most screens. */
const LONG_LINE_CHARACTERS = 160;

export function LineLength({ line }: { line: string }) {
  return line.length > LONG_LINE_CHARACTERS ? <span class="line-length">one line of {counted(line.length, "character")}</span> : null;
}
