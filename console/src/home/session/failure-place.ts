// The place of a failure in the SQL, and the replacement that its hint suggests.

import type { ApiError } from "../../shared/api";
import { findName, offsetOf, quoteName, tokenAt, type Range } from "../../sql/sql-text";

/** The details that name a missing item. */
const NAMES = ["column", "table", "function"] as const;
const SUGGESTION = /did you mean `([^`]+)`\?/;

/** Returns the part of the text that the failure is about; null if it names no place. */
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

/** Returns the replacement that the hint suggests for that part. */
export function suggestionOf(error: ApiError): string | null {
  const suggested = SUGGESTION.exec(error.hint ?? "")?.[1];
  if (suggested === undefined) return null;
  return suggested.split(".").map(quoteName).join(".");
}
