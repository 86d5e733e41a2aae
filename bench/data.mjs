// The rows that every competitor loads and reads: four columns, about 100 bytes of JSON for each
// row, always the same.

export const CREATE_COLUMNS = "(id INTEGER PRIMARY KEY, name TEXT, score REAL, note TEXT)";
export const COLUMNS = ["id", "name", "score", "note"];

const NOTES = ["plain text", 'text with "quotes"', "naïve café — non-ASCII", "a longer note, as people write them when there is something to say"];

export function makeRecords(count) {
  return Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    name: `name of row ${index + 1}`,
    score: (index * 1.37) % 1_000,
    note: NOTES[index % NOTES.length],
  }));
}

/** Returns a sum over the rows that every response must reproduce. */
export function checksum(records) {
  return records.reduce((sum, { id, name, score, note }) => sum + id + name.length + score + note.length, 0);
}
