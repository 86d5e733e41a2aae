// The remaining time for a decision.

import { useEffect, useState } from "preact/hooks";
import { dateTime } from "../shared/format";
import { SECONDS_BELOW_MS } from "./limits";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Returns the milliseconds until a time, updated each second; 0 after it. */
export function useTimeLeft(until: string): number {
  const left = () => Math.max(0, Date.parse(until) - Date.now());
  const [ms, setMs] = useState(left);
  useEffect(() => {
    setMs(left());
    const timer = setInterval(() => setMs(left()), SECOND_MS);
    return () => clearInterval(timer);
  }, [until]);
  return ms;
}

/** Renders a time such as `2 days 3 h`, `7 h 59 min`, `9 min 05 s`. */
export function timeInWords(ms: number): string {
  const whole = (unit: number) => Math.floor(ms / unit);
  if (ms >= DAY_MS) return `${whole(DAY_MS)} ${whole(DAY_MS) === 1 ? "day" : "days"} ${Math.floor((ms % DAY_MS) / HOUR_MS)} h`;
  if (ms >= HOUR_MS) return `${whole(HOUR_MS)} h ${Math.floor((ms % HOUR_MS) / MINUTE_MS)} min`;
  if (ms >= SECONDS_BELOW_MS) return `${whole(MINUTE_MS)} min`;
  const seconds = String(Math.floor((ms % MINUTE_MS) / SECOND_MS));
  return ms >= MINUTE_MS ? `${whole(MINUTE_MS)} min ${seconds.padStart(2, "0")} s` : `${seconds} s`;
}

export function Countdown({ expiresAt }: { expiresAt: string }) {
  const ms = useTimeLeft(expiresAt);
  return (
    <span class={ms < SECONDS_BELOW_MS ? "countdown is-short" : "countdown"} role="timer">
      {ms === 0 ? "The time to decide is over" : <>Decide within <time dateTime={expiresAt} title={dateTime(expiresAt)}>{timeInWords(ms)}</time></>}
    </span>
  );
}
