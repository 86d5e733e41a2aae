// The tables and columns of a session, for the list beside the editor and for its completion.

import { columns, metrics, tables, type Column, type Metrics } from "../requests";

/**
 * The tables whose columns are fetched at the same time: a browser has six connections to a host.
 */
const AT_ONCE = 4;
/**
 * The tables whose columns are fetched in advance. For the others they are fetched when the table
 * is opened.
 */
const MOST_TABLES = 200;

export interface Table {
  name: string;
  /** The number of rows; views have none. */
  rows: number | null;
  /** True if there are more rows than were counted. */
  hasMoreRows: boolean;
  columns: readonly Column[] | null;
}

export interface Schema {
  tables: readonly Table[];
  metrics: Metrics;
}

/** Reads the whole schema. */
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
