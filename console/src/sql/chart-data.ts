// The chartable data of a result: the kinds of its columns, a sensible first choice, and the points
// of a choice.

import { numberOf, shortText, type Row, type Value } from "./values";

export type ChartKind = "bar" | "line" | "scatter";
export const CHART_KINDS: readonly ChartKind[] = ["bar", "line", "scatter"];

/**
 * The kind of a column: `time` has texts that are dates, `number` has numbers, `text` anything
 * else.
 */
export type ColumnKind = "number" | "time" | "text";

export interface Choice {
  kind: ChartKind;
  /** The columns, by position. */
  x: number;
  y: number;
  /** A column of names, each with its own bars or line. */
  series?: number;
}

/** A point: `x` is a number, a time in milliseconds, or the position of a category. */
export interface Point {
  x: number;
  y: number;
  /** The position of its series; 0 if there is only one. */
  series: number;
}

export interface Plot {
  points: readonly Point[];
  /** The kind of the x axis. */
  xKind: ColumnKind;
  /** The names of the categories, if the axis has them. */
  categories: readonly string[] | null;
  /** The names of the series, if the rows are split. */
  series: readonly string[] | null;
  /**
   * The number of rows that the chart leaves out, because a value is missing or there are too many
   * categories.
   */
  leftOut: number;
}

/** The most bars that can still be distinguished. */
export const MOST_CATEGORIES = 60;
/** The rows that determine the kind of a column. */
const SAMPLE_ROWS = 500;
/** The share of a column's values that determines its kind. */
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

/** Chooses the first chart of a result; null if no column has numbers. */
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

/** Returns true if a column has each value once and in order, as a series has. */
function isOrdered(rows: readonly Row[], column: number): boolean {
  const places = rows.map((row) => coordinate(row[column] ?? null));
  return places.every((place, at) => at === 0 || (place ?? -Infinity) > (places[at - 1] ?? -Infinity));
}

function distinct(rows: readonly Row[], column: number): number {
  return new Set(rows.map((row) => shortText(row[column] ?? null))).size;
}

/** Returns a number or a date as a number. */
function coordinate(value: Value): number | null {
  if (typeof value !== "string") return numberOf(value);
  if (!DATE.test(value)) return null;
  const withZone = value.length > 10 && !/(?:Z|[+-]\d{2}:?\d{2})$/.test(value) ? `${value.replace(" ", "T")}Z` : value;
  const ms = Date.parse(withZone);
  return Number.isNaN(ms) ? null : ms;
}

/**
 * Makes the points of a choice. Bars, and lines over texts, have categories; lines are drawn in the
 * order of x.
 */
export function plot(rows: readonly Row[], kinds: readonly ColumnKind[], { kind, x, y, series }: Choice): Plot {
  const xKind = kind === "bar" ? "text" : (kinds[x] ?? "text");
  const names: string[] = [];
  const seriesOf = (row: Row) => (series === undefined ? 0 : placeIn(names, shortText(row[series] ?? null)));
  const drawn = xKind === "text" ? plotCategories(rows, x, y, seriesOf, series !== undefined) : plotPlaces(rows, x, y, seriesOf);
  if (xKind !== "text" && kind === "line") drawn.points.sort((one, other) => one.x - other.x);
  return { ...drawn, xKind, series: series === undefined ? null : names, leftOut: rows.length - drawn.points.length };
}

/** Returns the position of a name in a list; a new name is added at its end. */
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

/** With series, the rows of one name share a position; otherwise each row has its own. */
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
