// Numbers, sizes and times as people read them, in the language of the browser.

const NUMBER = new Intl.NumberFormat(undefined);
const DATE_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "long" });

const SIZE_UNITS = ["B", "KB", "MB", "GB"] as const;

/** `57,344` */
export function count(number: number): string {
  return NUMBER.format(number);
}

/** `3 rows`; `1 row` */
export function counted(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** `57.3 KB`, in powers of 1,000. */
export function size(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), SIZE_UNITS.length - 1);
  const scaled = bytes / 1000 ** power;
  const digits = power === 0 || scaled >= 100 ? 0 : 1;
  return `${new Intl.NumberFormat(undefined, { maximumFractionDigits: digits }).format(scaled)} ${SIZE_UNITS[power]}`;
}

/** The whole date and time. */
export function dateTime(time: string | number): string {
  return DATE_TIME.format(new Date(time));
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** `5 minutes ago`, `in 23 hours`. */
export function relative(time: string | number, nowMs: number = Date.now()): string {
  const distanceMs = new Date(time).getTime() - nowMs;
  for (const [unit, ms] of STEPS) if (Math.abs(distanceMs) >= ms) return RELATIVE.format(Math.trunc(distanceMs / ms), unit);
  return distanceMs > 0 ? "in less than a minute" : "just now";
}

/** `38 ms`, `1.2 s`. */
export function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 }).format(ms / 1_000)} s`;
}
