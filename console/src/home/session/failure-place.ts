// Where in the SQL a failure is, and what its hint would have written instead.

import type { ApiError } from "../../shared/api";
import { findName, offsetOf, quoteName, tokenAt, type Range } from "../../sql/sql-text";

/** Details that name what was not found. */
const NAMES = ["column", "table", "function"] as const;
const SUGGESTION = /did you mean `([^`]+)`\?/;

/** The part of the text that the failure is about; null where it says no place. */
export function placeOf(error: ApiError, sql: string): Range | null {
  const { line, column } = error.details;
  if (typeof line === "number" && typeof column === "number") return tokenAt(sql, offsetOf(sql, line, column));
  for (const detail of NAMES) {
    const name = error.details[detail];
    const place = typeof name === "string" ? findName(sql, name) : null;
    if (place !== null) return place;
  }
  return null;
}

/** The replacement that the hint suggests for that part. */
export function suggestionOf(error: ApiError): string | null {
  const suggested = SUGGESTION.exec(error.hint ?? "")?.[1];
  if (suggested === undefined) return null;
  return suggested.split(".").map(quoteName).join(".");
}
