// Stacks with positions in the text that the user sent. They contain only frames of the program.
//
// Splices changed columns of the program, but never lines. The map has four numbers for each
// stretch of a line: the line, the start of the stretch in the prepared text and in the sent text
// (columns from 0), and 1 if the stretch was inserted.

/** @type {ArrayLike<number>} */
let stretches = [];

/** Sets the map of the program that runs next. */
export function setPlaces(map) {
  stretches = map;
}

/** Returns the column (from 1) in the sent text, or nothing for text that was not sent. */
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

/** Returns the text before the frames of a stack. */
export function headOf(error) {
  try {
    const name = `${error.name}`;
    const message = `${error.message}`;
    return message === "" ? name : `${name}: ${message}`;
  } catch {
    return "Error";
  }
}

/** Returns the text of a frame, or an empty text for a frame outside of the program. */
function frameOf(site) {
  if (site.getFileName() !== "program.js") return "";
  const line = site.getLineNumber();
  const column = columnAsSent(line, site.getColumnNumber());
  if (column === undefined) return "";
  const name = site.getFunctionName();
  const where = `program:${line}:${column}`;
  return `\n    at ${site.isAsync() ? "async " : ""}${name && name !== "default" ? `${name} (${where})` : where}`;
}

// A program cannot replace it: otherwise code that reads a stack, such as the report of the run,
// would call the replacement.
Object.defineProperty(Error, "prepareStackTrace", {
  value: (error, sites) => {
    let text = headOf(error);
    for (let at = 0; at < sites.length; at++) text += frameOf(sites[at]);
    return text;
  },
});
