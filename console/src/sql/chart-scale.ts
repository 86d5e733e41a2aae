// Axes: the positions of values on them, and the labelled ticks.

import { numbers } from "../shared/format";

/** An axis from its lowest to its highest value. */
export interface Scale {
  low: number;
  high: number;
  ticks: readonly number[];
  /** The text of a tick. */
  label(tick: number): string;
}

/** The approximate number of ticks of an axis. */
const TICKS = 6;
/** The shortest step that is accepted, as a part of the step that makes this many ticks. */
const SHORTEST = 0.75;
const DAY_MS = 86_400_000;
/** The steps of a time axis: a second to a thousand years. Months and years are calendar steps. */
const TIME_STEPS_MS = [1, 5, 15, 30, 60, 300, 900, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800].map((seconds) => seconds * 1_000);
const MONTH_STEPS = [1, 3, 6, 12, 24, 60, 120, 240, 600, 1_200, 2_400, 6_000, 12_000];

/**
 * Makes an axis of numbers whose ticks are 1, 2 or 5 times a power of ten apart. With `fromZero` it
 * begins or ends there, as bars need.
 */
export function numberScale(values: readonly number[], fromZero: boolean): Scale {
  const [least, most] = extent(values);
  const from = fromZero ? Math.min(0, least) : least;
  const to = fromZero ? Math.max(0, most) : most;
  const span = to > from ? to - from : Math.abs(to) || 1;
  const rough = span / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  // A step a little shorter than the calculated one is better than one twice as long.
  const step = power * ([1, 2, 5].find((factor) => factor * power >= SHORTEST * rough) ?? 10);
  const low = Math.floor(from / step) * step;
  const count = Math.max(1, Math.round((Math.ceil(to / step) * step - low) / step));
  const ticks = Array.from({ length: count + 1 }, (_, at) => low + at * step);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const isLarge = Math.max(Math.abs(from), Math.abs(to)) >= 1e6;
  const label = numbers(isLarge ? { notation: "compact", maximumSignificantDigits: 4 } : { minimumFractionDigits: Math.min(digits, 20), maximumFractionDigits: Math.min(digits, 20), useGrouping: "min2" });
  return { low, high: ticks.at(-1) ?? to, ticks, label };
}

/** Makes an axis of years or of other whole numbers that are no amounts: no grouping, no margin. */
export function plainScale(values: readonly number[]): Scale {
  const { ticks, ...scale } = numberScale(values, false);
  const [low, high] = extent(values);
  return { ...scale, low, high: high > low ? high : low + 1, ticks: ticks.filter((tick) => tick >= low && tick <= high), label: String };
}

/**
 * Makes an axis of times, in milliseconds since 1970, with ticks at whole seconds, days, months or
 * years (UTC).
 */
export function timeScale(values: readonly number[]): Scale {
  const [least, most] = extent(values);
  const high = most > least ? most : least + DAY_MS;
  const rough = (high - least) / TICKS;
  const step = TIME_STEPS_MS.find((ms) => ms >= rough);
  const ticks = step === undefined ? monthTicks(least, high, rough) : evenTicks(least, high, step);
  return { low: least, high, ticks, label: (tick) => timeLabel(tick, high - least) };
}

function evenTicks(low: number, high: number, step: number): number[] {
  const first = Math.ceil(low / step) * step;
  return Array.from({ length: Math.max(0, Math.floor((high - first) / step) + 1) }, (_, at) => first + at * step);
}

function monthTicks(low: number, high: number, rough: number): number[] {
  const months = MONTH_STEPS.find((count) => count * 30 * DAY_MS >= rough) ?? 12_000;
  const start = new Date(low);
  const first = Math.ceil((start.getUTCFullYear() * 12 + start.getUTCMonth()) / months) * months;
  const ticks: number[] = [];
  for (let month = first; ticks.length < 4 * TICKS; month += months) {
    const at = Date.UTC(0, month);
    // Date.UTC takes the years 0 to 99 for those of the twentieth century.
    const tick = new Date(at).setUTCFullYear(Math.floor(month / 12), month % 12, 1);
    if (tick > high) break;
    if (tick >= low) ticks.push(tick);
  }
  return ticks;
}

function timeLabel(ms: number, span: number): string {
  const text = new Date(ms).toISOString();
  if (span > 6 * 365 * DAY_MS) return text.slice(0, 4);
  if (span > 180 * DAY_MS) return text.slice(0, 7);
  return span > 3 * DAY_MS ? text.slice(0, 10) : text.slice(11, 19);
}

/**
 * Returns the least and the most of many values. `Math.min(...values)` takes some 100,000 at most.
 */
function extent(values: readonly number[]): [number, number] {
  const least = values.reduce((found, value) => Math.min(found, value), Infinity);
  const most = values.reduce((found, value) => Math.max(found, value), -Infinity);
  return least <= most ? [least, most] : [0, 1];
}
