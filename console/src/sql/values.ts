// Values of rows as text: exact, and never as HTML.

import { size } from "../shared/format";

/** A value of a row in the form of docs/values.md. */
export type Value = null | number | bigint | string | { $blob: string } | { $real: string };
export type Row = readonly Value[];

/** The appearance of a value in a table. */
export type Look = "null" | "number" | "text" | "blob";

const INFINITIES: Record<string, string> = { Infinity: "∞", "-Infinity": "−∞" };
/** The bytes of a blob that the table shows. */
const SHOWN_BYTES = 8;
/** The characters of a text that the table shows; the view of one value has the rest. */
const SHOWN_CHARACTERS = 300;

export function lookOf(value: Value): Look {
  if (value === null) return "null";
  if (typeof value === "string") return "text";
  return typeof value === "object" && "$blob" in value ? "blob" : "number";
}

/** Renders a value in one line for a table. */
export function shortText(value: Value): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return value.slice(0, SHOWN_CHARACTERS).replaceAll(/[\r\n\t]+/g, " ");
  if (typeof value !== "object") return String(value);
  if ("$real" in value) return INFINITIES[value.$real] ?? value.$real;
  const bytes = bytesOf(value.$blob);
  const more = bytes.length > SHOWN_BYTES ? "…" : "";
  return `x'${hex(bytes.subarray(0, SHOWN_BYTES))}${more}' ${size(bytes.length)}`;
}

/** The decimals of a rounded number, and the significant digits of one below 1. */
const DECIMALS = 2;
const SIGNIFICANT = 3;

/** Does the same with numbers rounded like in the agent's own replies: `12.35`, `0.0123`. */
export function roundedText(value: Value): string {
  if (typeof value !== "number" || Number.isInteger(value) || !Number.isFinite(value)) return shortText(value);
  const size = Math.abs(value);
  if (size < 1e-9 || size >= 1e15) return shortText(value);
  return String(Number(size >= 1 ? value.toFixed(DECIMALS) : value.toPrecision(SIGNIFICANT)));
}

/** Renders the whole value, for the view of one value and the clipboard. */
export function wholeText(value: Value): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return value;
  if (typeof value !== "object") return String(value);
  return "$real" in value ? value.$real : `x'${hex(bytesOf(value.$blob))}'`;
}

/** Returns the number that a chart draws; null if there is none. */
export function numberOf(value: Value | undefined): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  return typeof value === "bigint" ? Number(value) : null;
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
