// The tables that a thread can ask about, with the known facts about their columns.

import { firstRow } from "../home/requests";
import { loadSchema, type Table } from "../home/session/schema";
import { toApiError } from "../shared/api";
import { quoteName } from "../sql/sql-text";
import { FIGURED_COLUMNS, FIGURED_ROWS, SHOWN_TABLES } from "./limits";

/** Counts over the first rows of a table, which show the columns to group and rank by. */
export interface Figures {
  rows: number;
  /**
   * The different values of each column, in the order of the columns; only for the first columns.
   */
  distinct: readonly number[];
}

export interface KnownTable extends Table {
  /** Null if they could not be counted. */
  figures: Figures | null;
}

export interface KnownTables {
  tables: readonly KnownTable[];
  /** The number of tables that no question for one business can read. */
  hidden: number;
  /** The number of tables that are not listed. */
  more: number;
}

/** The names of tables with results of earlier questions, which questions use only by name. */
const RESULT = /^result_[0-9a-f]{8,}$/;
/** The requests at the same time: a browser has six connections to a host. */
const AT_ONCE = 4;
/**
 * The scope for a business that the access token names: tables without the column are detected, and
 * no row is visible.
 */
const UNKNOWN_BUSINESS = "-";

/**
 * Reads the tables of a session, the largest first. With a business, only those that a question for
 * it can read.
 */
export async function loadKnownTables(session: string, businessId: string | null): Promise<KnownTables> {
  const { tables } = await loadSchema(session);
  const own = tables.filter(({ name, rows, columns }) => rows !== null && columns !== null && !RESULT.test(name));
  const largest = own.sort((one, other) => (other.rows ?? 0) - (one.rows ?? 0));
  const shown = largest.slice(0, SHOWN_TABLES);
  const found = new Map<string, KnownTable>();
  const waiting = [...shown];
  const work = async () => {
    for (let table = waiting.shift(); table !== undefined; table = waiting.shift()) {
      const known = await figured(session, table, businessId);
      if (known !== null) found.set(table.name, known);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const known = shown.flatMap(({ name }) => found.get(name) ?? []);
  return { tables: known, hidden: shown.length - known.length, more: largest.length - shown.length };
}

/** Returns the table with its figures; null if the scope refuses it. */
async function figured(session: string, table: Table, businessId: string | null): Promise<KnownTable | null> {
  const names = (table.columns ?? []).slice(0, FIGURED_COLUMNS).map(({ name }) => quoteName(name));
  const counts = ["count(*)", ...names.map((name) => `count(DISTINCT ${name})`)].join(", ");
  const sql = `SELECT ${counts} FROM (SELECT ${names.join(", ")} FROM ${quoteName(table.name)} LIMIT ${FIGURED_ROWS})`;
  try {
    const [rows, ...distinct] = await firstRow(session, sql, businessId === "" ? UNKNOWN_BUSINESS : businessId);
    return { ...table, figures: businessId === "" ? null : { rows: Number(rows), distinct: distinct.map(Number) } };
  } catch (thrown) {
    return toApiError(thrown).code === "SQL_BLOCKED" && businessId !== null ? null : { ...table, figures: null };
  }
}
