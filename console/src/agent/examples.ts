// Example questions about real tables and columns, of kinds that the planner answers without a
// model. A question that could be refused is not offered: one with names that are words of
// questions themselves, or that have several meanings.

import type { Column } from "../home/requests";
import type { KnownTable } from "./known-tables";
import { MOST_GROUPS } from "./limits";

const NUMBER = /INT|REAL|NUM|DEC|FLOA|DOUB/i;
const TEXT = /CHAR|TEXT|CLOB/i;
/** Columns that number or name rows, which nobody adds up or groups by. */
const KEY = /(?:^|[_\s])(?:id|key|uuid|code|zip|phone)s?$|^(?:year|month|day)$/i;
const CAMEL_KEY = /[a-z](?:Id|ID|Key|Code)$/;
/** Columns with a different value in nearly each row. */
const OWN = /name|title|mail|address|note|comment|description|url|date|time|text|_at$/i;
/** Names of words, with digits only after the first letter. */
const PLAIN = /^\p{L}[\p{L}\p{M}\p{N}]*(?: [\p{L}\p{M}\p{N}]+)*$/u;
/** Names that are one word of a question although they have several parts. */
const JOINED = /^\p{L}[\p{L}\p{M}\p{N}]*(?:_[\p{L}\p{M}\p{N}]+)+$/u;
/** Words of the question language, which a question would misread as part of a name. */
const SPOKEN = new Set(
  (
    "a above across active after ago all also an and annual annually any april are as at august average avg be been before being below best between biggest both bottom but by can cheap cheapest " +
    "cited coldest combined compare contain containing contains costliest could count current daily day days december decrease deleted did difference different distinct do does due each earliest earn " +
    "earned eight eighteen eleven equal ever every except excluding expensive exist exists fastest february fewer fewest fifteen fifty first five for forty four from gain get give good greater greatest had has " +
    "have having heaviest high higher highest hottest hour hours how hundred i if in including increase individual into is it its january july june lacking largest last late latest least less lightest like list long longest low lower lowest made " +
    "make march max maximum may mean median min minimum minute missing money month monthly months more most much my never new newest next nine no not november null number october of old oldest on one only or order " +
    "ordered other our out over own paid per percent percentage place please plus pragma previous priced priciest proportion quarter quarterly rank ranked rate rated recent row rows same second sell september seven share short shortest show since single six slowest " +
    "smallest sold sort sorted spend spent sum summed tallest ten than that the their them then there these they thirty this those thousand three to today tomorrow top total twelve twenty two under unique unknown until " +
    "update us value values versus vs was we week weekly weeks were what when where whether which who whom whose why will with within without worst would year yearly years yes yesterday yet you young youngest your zero"
  ).split(" "),
);
const MOST = 3;

/** Returns a name in the form for a question; null if the question could be misread. */
function said(name: string): string | null {
  const words = name.replaceAll(/[_\s]+/g, " ").trim();
  const isSpoken = words.toLowerCase().split(" ").some((word) => SPOKEN.has(word) || /^\d/.test(word));
  if (PLAIN.test(words) && !isSpoken) return words;
  return JOINED.test(name) ? name : null;
}

/**
 * A column with its name in the form for a question, and its number of different values; null if
 * that is not known.
 */
interface Usable extends Column {
  said: string;
  distinct: number | null;
}

/** Returns the columns that a question can name besides its table. */
function usable({ columns, figures }: KnownTable, table: string): Usable[] {
  const found: Usable[] = [];
  for (const [at, column] of (columns ?? []).entries()) {
    const words = said(column.name);
    // A column with the name of its table would be taken for the table.
    if (words === null || isAlike(words, table) || column.primaryKey || KEY.test(column.name) || CAMEL_KEY.test(column.name)) continue;
    found.push({ ...column, said: words, distinct: figures?.distinct[at] ?? null });
  }
  return found;
}

/** Returns true if two names are equal except for singular and plural. */
function isAlike(one: string, other: string): boolean {
  const [first, second] = [one, other].map((name) => name.toLowerCase().replaceAll(/(?:es|s)\b/g, ""));
  return first === second;
}

/**
 * Returns a column whose values make a few groups. If the values were not counted, its name must
 * not suggest a different value in each row.
 */
function groupOf(columns: readonly Usable[], rows: number): Usable | undefined {
  const makesGroups = ({ distinct }: Usable) => distinct !== null && distinct >= 2 && distinct <= MOST_GROUPS && distinct * 2 <= rows;
  const texts = columns.filter(({ type }) => TEXT.test(type));
  return texts.find(makesGroups) ?? texts.find(({ name, distinct }) => (distinct === null || (distinct >= 2 && distinct < rows)) && !OWN.test(name));
}

/** Returns a column of amounts: with more than two values, so that it is not a yes and a no. */
function measureOf(columns: readonly Usable[]): Usable | undefined {
  return columns.find(({ type, distinct }) => NUMBER.test(type) && (distinct === null || distinct > 2));
}

/** Returns the questions about one table, those that make a chart first. */
function questionsOf(table: KnownTable): string[] {
  const name = said(table.name);
  if (name === null) return [];
  const columns = usable(table, name);
  const [measure, group] = [measureOf(columns), groupOf(columns, table.figures?.rows ?? 0)];
  const found: string[] = [];
  if (group !== undefined) found.push(`How many ${name} per ${group.said}?`);
  if (measure !== undefined && group !== undefined) found.push(`What is the average ${measure.said} of ${name} per ${group.said}?`);
  if (measure !== undefined) found.push(`Show the 5 ${name} with the highest ${measure.said}`);
  found.push(`How many ${name} are there?`);
  return found.slice(0, MOST);
}

/** Returns up to three questions, those about the first table with groups first. */
export function examplesOf(tables: readonly KnownTable[]): string[] {
  const found = tables.map(questionsOf).filter((questions) => questions.length > 0);
  const [most] = [...found].sort((one, other) => other.length - one.length);
  if (most === undefined) return [];
  const others = found.filter((questions) => questions !== most).map(([question]) => question ?? "");
  return [...most, ...others].slice(0, MOST);
}
