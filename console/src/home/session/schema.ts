// The tables and columns of a session, for the list beside the editor and for its completion.

import { columns, metrics, tables, type Column, type Metrics } from "../requests";

/** Tables whose columns are fetched at once: a browser has six connections to a host. */
const AT_ONCE = 4;
/** Tables whose columns are fetched without being asked for. Of further ones they come when the table is opened. */
const MOST_TABLES = 200;

export interface Table {
  name: string;
  /** Views have no count. */
  rows: number | null;
  /** Whether there are more rows than were counted. */
  hasMoreRows: boolean;
  columns: readonly Column[] | null;
}

export interface Schema {
  tables: readonly Table[];
  metrics: Metrics;
}

/** Reads all of it. */
export async function loadSchema(session: string): Promise<Schema> {
  const [names, figures] = await Promise.all([tables(session), metrics(session)]);
  const described = new Map<string, readonly Column[]>();
  const waiting = names.slice(0, MOST_TABLES);
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) described.set(name, await columns(session, name));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const known = names.map((name) => ({
    name,
    rows: figures.tables[name] ?? null,
    hasMoreRows: figures.tablesWithMoreRows?.includes(name) ?? false,
    columns: described.get(name) ?? null,
  }));
  return { tables: known, metrics: figures };
}
