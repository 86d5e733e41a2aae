// Stacks that speak of the program as it was sent: only its own frames, each at the line and column that the user wrote.
//
// What was spliced into the program moved its columns, never its lines. The map has four numbers for each stretch of a line: the line, where
// the stretch begins in the prepared text and in the text that was sent (columns from 0), and 1 where all of it was spliced in.

/** @type {ArrayLike<number>} */
let stretches = [];

/** Takes the map of the program that runs next. */
export function setPlaces(map) {
  stretches = map;
}

/** The column (from 1) as it was sent; nothing where no text was sent. */
function columnAsSent(line, column) {
  const wanted = column - 1;
  let low = 0;
  let high = stretches.length / 4;
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = middle * 4;
    const before = stretches[at] < line || (stretches[at] === line && stretches[at + 1] <= wanted);
    if (before) low = middle + 1;
    else high = middle;
  }
  const at = (low - 1) * 4;
  if (low === 0 || stretches[at] !== line) return line === 1 ? undefined : column;
  return stretches[at + 3] === 1 ? stretches[at + 2] + 1 : stretches[at + 2] + wanted - stretches[at + 1] + 1;
}

/** What stands before the frames of a stack. */
export function headOf(error) {
  try {
    const name = `${error.name}`;
    const message = `${error.message}`;
    return message === "" ? name : `${name}: ${message}`;
  } catch {
    return "Error";
  }
}

/** Whether the site lies in the program; what is ours stays ours. */
function frameOf(site) {
  if (site.getFileName() !== "program.js") return "";
  const line = site.getLineNumber();
  const column = columnAsSent(line, site.getColumnNumber());
  if (column === undefined) return "";
  const name = site.getFunctionName();
  const where = `program:${line}:${column}`;
  return `\n    at ${site.isAsync() ? "async " : ""}${name && name !== "default" ? `${name} (${where})` : where}`;
}

// A program cannot put another in its place: whatever reads a stack would run it, the report of the run as well.
Object.defineProperty(Error, "prepareStackTrace", {
  value: (error, sites) => {
    let text = headOf(error);
    for (let at = 0; at < sites.length; at++) text += frameOf(sites[at]);
    return text;
  },
});
