// The tables that a thread can ask about, with what is known of their columns.

import { firstRow } from "../home/requests";
import { loadSchema, type Table } from "../home/session/schema";
import { toApiError } from "../shared/api";
import { quoteName } from "../sql/sql-text";
import { FIGURED_COLUMNS, FIGURED_ROWS, SHOWN_TABLES } from "./limits";

/** Counts over the first rows of a table: they say what can be grouped and ranked. */
export interface Figures {
  rows: number;
  /** Different values of each column, in the order of the columns; none of columns beyond the first ones. */
  distinct: readonly number[];
}

export interface KnownTable extends Table {
  /** Null where they could not be counted. */
  figures: Figures | null;
}

export interface KnownTables {
  tables: readonly KnownTable[];
  /** Tables that no question for one business can read. */
  hidden: number;
  /** Tables that are not listed. */
  more: number;
}

/** Names of tables that hold results of earlier questions: no question is about them unless it names them. */
const RESULT = /^result_[0-9a-f]{8,}$/;
/** Requests at once: a browser has six connections to a host. */
const AT_ONCE = 4;
/** A scope whose business the access token names: tables without the column are found out, and no row is seen. */
const UNKNOWN_BUSINESS = "-";

/** Reads the tables of a session, the largest first. With a business, only those that a question for it can read. */
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

/** Returns the table with its figures; null where the scope refuses it. */
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
