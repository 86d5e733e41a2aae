// The table for a file, and the way it is sent (docs/http-api/tables.md, "Load rows").

/** The content types, by the end of the file's name. */
const TYPES: readonly [RegExp, string][] = [
  [/\.(?:csv|tsv)$/i, "text/csv"],
  [/\.(?:ndjson|jsonl)$/i, "application/x-ndjson"],
  [/\.json$/i, "application/json"],
];
const GZIP = /\.gz$/i;
/** The files that the file picker offers. */
export const ACCEPTED = ".csv,.tsv,.ndjson,.jsonl,.json,.gz";

export interface Import {
  file: File;
  table: string;
  contentType: string;
  gzip: boolean;
}

/** Returns how a file would be sent; null if its name has no known ending. */
export function importOf(file: File): Import | null {
  const gzip = GZIP.test(file.name);
  const name = file.name.replace(GZIP, "");
  const type = TYPES.find(([end]) => end.test(name));
  if (type === undefined) return null;
  const [end, contentType] = type;
  return { file, table: tableName(name.replace(end, "")), contentType, gzip };
}

/** Returns the name without characters that SQL would have to quote. */
function tableName(stem: string): string {
  const plain = stem.normalize("NFC").replaceAll(/[^\p{L}\p{N}_]+/gu, "_").replaceAll(/^_+|_+$/g, "");
  const name = plain === "" ? "data" : plain;
  return /^\d/.test(name) || /^sqlite_/i.test(name) ? `t_${name}` : name;
}

/** Returns the headers of the upload. */
export function headersOf({ contentType, gzip }: Import): Record<string, string> {
  return gzip ? { "content-type": contentType, "content-encoding": "gzip" } : { "content-type": contentType };
}
