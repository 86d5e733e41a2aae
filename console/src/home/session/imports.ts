// Which table a file becomes, and how it is sent (docs/http-api/tables.md, "Load rows").

/** Types by the end of the file's name. */
const TYPES: readonly [RegExp, string][] = [
  [/\.(?:csv|tsv)$/i, "text/csv"],
  [/\.(?:ndjson|jsonl)$/i, "application/x-ndjson"],
  [/\.json$/i, "application/json"],
];
const GZIP = /\.gz$/i;
/** What the file picker offers. */
export const ACCEPTED = ".csv,.tsv,.ndjson,.jsonl,.json,.gz";

export interface Import {
  file: File;
  table: string;
  contentType: string;
  gzip: boolean;
}

/** How a file would be sent; null where its name says no form that can be loaded. */
export function importOf(file: File): Import | null {
  const gzip = GZIP.test(file.name);
  const name = file.name.replace(GZIP, "");
  const type = TYPES.find(([end]) => end.test(name));
  if (type === undefined) return null;
  const [end, contentType] = type;
  return { file, table: tableName(name.replace(end, "")), contentType, gzip };
}

/** The name without what would have to be quoted in SQL. */
function tableName(stem: string): string {
  const plain = stem.normalize("NFC").replaceAll(/[^\p{L}\p{N}_]+/gu, "_").replaceAll(/^_+|_+$/g, "");
  const name = plain === "" ? "data" : plain;
  return /^\d/.test(name) || /^sqlite_/i.test(name) ? `t_${name}` : name;
}

/** The headers of the upload. */
export function headersOf({ contentType, gzip }: Import): Record<string, string> {
  return gzip ? { "content-type": contentType, "content-encoding": "gzip" } : { "content-type": contentType };
}
