// The JSON merge patch (RFC 7396) between two values of `data`, which is what the API takes for a
// change.

import { formatJson, type Json } from "../shared/json";
import type { Data } from "./model";

/** A value that a merge patch cannot express: `null` removes its key. */
export class NullValue extends Error {
  override name = "NullValue";

  constructor(readonly path: string) {
    super(`${path} is null, and a change cannot set null: it would remove the key`);
  }
}

/** Returns the patch that turns one value into the other. @throws NullValue */
export function mergePatch(before: Data, after: Data, path = ""): Data {
  const patch: Data = {};
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) patch[key] = null;
  for (const [key, value] of Object.entries(after)) {
    const old = before[key];
    if (Object.hasOwn(before, key) && formatJson(old) === formatJson(value)) continue;
    const place = path === "" ? key : `${path}.${key}`;
    if (value === null) throw new NullValue(place);
    if (isObject(value)) patch[key] = mergePatch(old !== undefined && isObject(old) ? old : {}, value, place);
    else patch[key] = value;
  }
  return patch;
}

export function isObject(value: Json): value is Data {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
