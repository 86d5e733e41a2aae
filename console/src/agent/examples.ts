// Example questions of real tables and columns, of kinds that the planner answers without a model.

import type { Column } from "../home/requests";
import type { Table } from "../home/session/schema";

const NUMBER = /INT|REAL|NUM|DEC|FLOA|DOUB/i;
const TEXT = /CHAR|TEXT|CLOB/i;
/** Columns that number or name rows, which nobody adds up or groups by. */
const KEY = /(?:^|_|[a-z](?=I))(?:id|key|uuid|code|zip|phone)s?$|^(?:year|month|day)$/i;
/** Columns whose values are different in nearly each row. */
const OWN = /name|title|mail|address|note|comment|description|url|date|time|text|_at$/i;
const MOST = 3;

/** A name as people say it. */
const said = (name: string) => name.replaceAll(/[_\s]+/g, " ").trim();

const measureOf = (columns: readonly Column[]) => columns.find(({ name, type, primaryKey }) => NUMBER.test(type) && !primaryKey && !KEY.test(name));
const groupOf = (columns: readonly Column[]) => columns.find(({ name, type, primaryKey }) => TEXT.test(type) && !primaryKey && !KEY.test(name) && !OWN.test(name));

/** Up to three questions, those that make a chart first. */
export function examplesOf(tables: readonly Table[]): string[] {
  const largest = tables.filter(({ columns }) => columns !== null).sort((one, other) => (other.rows ?? 0) - (one.rows ?? 0));
  const [table] = largest;
  if (table === undefined) return [];
  const columns = table.columns ?? [];
  const name = said(table.name);
  const [measure, group] = [measureOf(columns), groupOf(columns)];
  const found: string[] = [];
  if (group !== undefined) found.push(`How many ${name} per ${said(group.name)}?`);
  if (measure !== undefined && group !== undefined) found.push(`What is the average ${said(measure.name)} of ${name} per ${said(group.name)}?`);
  if (measure !== undefined) found.push(`Show the 5 ${name} with the highest ${said(measure.name)}`);
  found.push(`How many ${name} are there?`);
  return found.slice(0, MOST);
}
