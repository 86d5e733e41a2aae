// The mark of a line that is wider than the page: it is wrapped, and its length is shown, so that
// nobody takes its end for another line.

import { counted } from "../shared/format";

/** More characters than most screens can show in a line. */
const LONG_LINE_CHARACTERS = 160;

export function LineLength({ line }: { line: string }) {
  return line.length > LONG_LINE_CHARACTERS ? <span class="line-length">one line of {counted(line.length, "character")}</span> : null;
}
