// Files of tables, results and sessions. They come from the server, which writes values exactly.
// The token is sent as a header, so a plain link does not work. A CSV is for a spreadsheet, which
// must run no formula of a stranger.

import { request } from "../../shared/api";
import { save } from "../../shared/save";
import { sessionPath, tablePath } from "../requests";

export type Form = "csv" | "ndjson" | "json";
export const FORMS: readonly Form[] = ["csv", "ndjson", "json"];

/** Exports all rows of a table or view. */
export async function exportTable(session: string, table: string, form: Form): Promise<void> {
  const response = await request(`${tablePath(session, table)}/rows?format=${form}${form === "csv" ? "&formulas=escape" : ""}`);
  save(await response.blob(), `${fileName(table)}.${form}`);
}

/** Exports the whole session as SQL text. */
export async function exportDump(session: string): Promise<void> {
  const response = await request(`${sessionPath(session)}/dump`);
  save(await response.blob(), `${fileName(session)}.sql`);
}

/**
 * Exports the rows of a query, which runs again: as CSV all of them, in the other forms as many as
 * one response has.
 */
export async function exportQuery(session: string, sql: string, form: Form): Promise<void> {
  if (form === "csv") {
    const response = await request(`${sessionPath(session)}/stream?format=csv&formulas=escape`, { method: "POST", body: { sql } });
    return save(await response.blob(), "query.csv");
  }
  const response = await request(`${sessionPath(session)}?format=ndjson`, { method: "POST", body: { operation: "query", sql } });
  const lines = await response.text();
  // A list of the same lines: no value is read and written again, so none changes.
  const content = form === "json" ? `[\n${lines.trimEnd().replaceAll("\n", ",\n")}\n]\n` : lines;
  save(new Blob([content], { type: form === "json" ? "application/json" : "application/x-ndjson" }), `query.${form}`);
}

function fileName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "_");
}
