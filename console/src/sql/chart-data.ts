// What of a result can be drawn: the kinds of its columns, a sensible first choice, and the points of a choice.

import { numberOf, shortText, type Row, type Value } from "./values";

export type ChartKind = "bar" | "line" | "scatter";
export const CHART_KINDS: readonly ChartKind[] = ["bar", "line", "scatter"];

/** `time` is a text that is a date, `number` has numbers, `text` anything else. */
export type ColumnKind = "number" | "time" | "text";

export interface Choice {
  kind: ChartKind;
  /** Columns by position. */
  x: number;
  y: number;
  /** A column of names: each gets bars or a line of its own. */
  series?: number;
}

/** Where a point lies: `x` is a number, a time in milliseconds, or the position of a category. */
export interface Point {
  x: number;
  y: number;
  /** Position of its series; 0 where there is one only. */
  series: number;
}

export interface Plot {
  points: readonly Point[];
  /** The kind of the x axis. */
  xKind: ColumnKind;
  /** Names of the categories, where the axis has them. */
  categories: readonly string[] | null;
  /** Names of the series, where the rows are split. */
  series: readonly string[] | null;
  /** Rows that the chart leaves out, because a value is missing or the categories are too many. */
  leftOut: number;
}

/** Bars that can still be told from each other. */
export const MOST_CATEGORIES = 60;
/** Rows that tell what a column is. */
const SAMPLE_ROWS = 500;
/** A column is of a kind when so many of its values are. */
const SHARE = 0.9;
const DATE = /^\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?)?$/;
/** Columns that name rather than measure. */
const IDENTIFIER = /(?:^|_)(?:id|key|rowid)$/i;
const YEAR = /(?:^|_)(?:year|jahr)$/i;

export function kindsOf(columns: readonly string[], rows: readonly Row[]): ColumnKind[] {
  return columns.map((_, at) => {
    const values = rows.slice(0, SAMPLE_ROWS).map((row) => row[at] ?? null).filter((value) => value !== null);
    const share = (test: (value: Value) => boolean) => values.length > 0 && values.filter(test).length >= SHARE * values.length;
    if (share((value) => numberOf(value) !== null)) return "number";
    return share((value) => typeof value === "string" && DATE.test(value)) ? "time" : "text";
  });
}

/** The first chart of a result; null where no column has numbers. */
export function choose(columns: readonly string[], rows: readonly Row[]): Choice | null {
  const kinds = kindsOf(columns, rows);
  const positions = columns.map((_, at) => at);
  const named = (at: number) => columns[at] ?? "";
  const numbers = positions.filter((at) => kinds[at] === "number");
  const measures = numbers.filter((at) => !IDENTIFIER.test(named(at)) && !YEAR.test(named(at)));
  const y = measures[0] ?? numbers.at(-1);
  if (y === undefined || rows.length === 0) return null;

  const time = positions.find((at) => at !== y && (kinds[at] === "time" || (kinds[at] === "number" && YEAR.test(named(at)))));
  if (time !== undefined && isOrdered(rows, time)) return { kind: "line", x: time, y };
  const category = positions.find((at) => kinds[at] === "text" && distinct(rows, at) <= MOST_CATEGORIES);
  if (category !== undefined) return { kind: "bar", x: category, y };
  if (time !== undefined) return { kind: "line", x: time, y };
  const other = measures.find((at) => at !== y) ?? numbers.find((at) => at !== y);
  if (other !== undefined) return { kind: "scatter", x: y, y: other };
  const text = positions.find((at) => at !== y);
  return { kind: "bar", x: text ?? y, y };
}

/** Whether a column has each value once and in order, as a series has. */
function isOrdered(rows: readonly Row[], column: number): boolean {
  const places = rows.map((row) => coordinate(row[column] ?? null));
  return places.every((place, at) => at === 0 || (place ?? -Infinity) > (places[at - 1] ?? -Infinity));
}

function distinct(rows: readonly Row[], column: number): number {
  return new Set(rows.map((row) => shortText(row[column] ?? null))).size;
}

/** A number or a date as a number. */
function coordinate(value: Value): number | null {
  if (typeof value !== "string") return numberOf(value);
  if (!DATE.test(value)) return null;
  const withZone = value.length > 10 && !/(?:Z|[+-]\d{2}:?\d{2})$/.test(value) ? `${value.replace(" ", "T")}Z` : value;
  const ms = Date.parse(withZone);
  return Number.isNaN(ms) ? null : ms;
}

/** The points of a choice. Bars, and lines over texts, have categories; lines are drawn in the order of x. */
export function plot(rows: readonly Row[], kinds: readonly ColumnKind[], { kind, x, y, series }: Choice): Plot {
  const xKind = kind === "bar" ? "text" : (kinds[x] ?? "text");
  const names: string[] = [];
  const seriesOf = (row: Row) => (series === undefined ? 0 : placeIn(names, shortText(row[series] ?? null)));
  const drawn = xKind === "text" ? plotCategories(rows, x, y, seriesOf, series !== undefined) : plotPlaces(rows, x, y, seriesOf);
  if (xKind !== "text" && kind === "line") drawn.points.sort((one, other) => one.x - other.x);
  return { ...drawn, xKind, series: series === undefined ? null : names, leftOut: rows.length - drawn.points.length };
}

/** Where a name stands in a list; a new one goes to its end. */
function placeIn(names: string[], name: string): number {
  const known = names.indexOf(name);
  return known === -1 ? names.push(name) - 1 : known;
}

interface Drawn {
  points: Point[];
  categories: string[] | null;
}

function plotPlaces(rows: readonly Row[], x: number, y: number, seriesOf: (row: Row) => number): Drawn {
  const points = rows.flatMap((row) => {
    const [at, height] = [coordinate(row[x] ?? null), numberOf(row[y])];
    return at === null || height === null ? [] : [{ x: at, y: height, series: seriesOf(row) }];
  });
  return { points, categories: null };
}

/** With series the rows of one name share its place; otherwise each row has a place of its own. */
function plotCategories(rows: readonly Row[], x: number, y: number, seriesOf: (row: Row) => number, isSplit: boolean): Drawn {
  const categories: string[] = [];
  const points: Point[] = [];
  for (const row of rows) {
    const height = numberOf(row[y]);
    const name = shortText(row[x] ?? null);
    const isNew = !isSplit || !categories.includes(name);
    if (height === null || (isNew && categories.length === MOST_CATEGORIES)) continue;
    const at = isNew ? categories.push(name) - 1 : categories.indexOf(name);
    points.push({ x: at, y: height, series: seriesOf(row) });
  }
  return { points, categories };
}
