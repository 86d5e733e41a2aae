// Numbers, sizes and times for people, in the language of the browser.

/**
 * Returns the text with plain blanks. Pages show other blanks by their numbers, and Intl writes
 * those between digits and before "AM".
 */
function plain(text: string): string {
  return text.replace(/\p{Z}/gu, " ").replace(/\p{Cf}/gu, "");
}

/** Returns a function that writes numbers with these options. */
export function numbers(options: Intl.NumberFormatOptions): (number: number) => string {
  const format = new Intl.NumberFormat(undefined, options);
  return (number) => plain(format.format(number));
}

const DATE_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "long" });
const ONE_DIGIT = numbers({ maximumFractionDigits: 1 });
const NO_DIGITS = numbers({ maximumFractionDigits: 0 });

const SIZE_UNITS = ["B", "KB", "MB", "GB"] as const;

/** Renders a count such as `57,344`. */
export const count = numbers({});

/** Renders a count with its noun, such as `3 rows` or `1 row`. */
export function counted(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** Renders a size such as `57.3 KB`, in powers of 1,000. */
export function size(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), SIZE_UNITS.length - 1);
  const scaled = bytes / 1000 ** power;
  return `${(power === 0 || scaled >= 100 ? NO_DIGITS : ONE_DIGIT)(scaled)} ${SIZE_UNITS[power]}`;
}

/** Renders the whole date and time. */
export function dateTime(time: string | number): string {
  return plain(DATE_TIME.format(new Date(time)));
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** Renders a distance such as `5 minutes ago` or `in 23 hours`. */
export function relative(time: string | number, nowMs: number = Date.now()): string {
  const distanceMs = new Date(time).getTime() - nowMs;
  for (const [unit, ms] of STEPS) if (Math.abs(distanceMs) >= ms) return plain(RELATIVE.format(Math.trunc(distanceMs / ms), unit));
  return distanceMs > 0 ? "in less than a minute" : "just now";
}

/** Renders a duration such as `38 ms` or `1.2 s`. */
export function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${ONE_DIGIT(ms / 1_000)} s`;
}
