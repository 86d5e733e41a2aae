// The tables of the npm package vega-datasets, as files and as records, and what plain JavaScript needs to compute the expected answers.

import assert from "node:assert/strict";
import { createReadStream, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = join(dirname(fileURLToPath(import.meta.resolve("vega-datasets"))), "..", "data");
// NDJSON leaves in pieces of this many rows.
const PIECE_ROWS = 1_000;
// SQLite adds fractions with a compensated sum and JavaScript here without: the last digits may differ, no more.
const RELATIVE_TOLERANCE = 1e-9;

/** The records of a JSON file. */
export const records = (file) => JSON.parse(readFileSync(join(FOLDER, file), "utf8"));

/** The bytes of a file, for a streamed load. */
export const fileStream = (file) => createReadStream(join(FOLDER, file));

/** Records as NDJSON, piece by piece. */
export async function* asNdjson(list) {
  for (let start = 0; start < list.length; start += PIECE_ROWS) {
    yield Buffer.from(list.slice(start, start + PIECE_ROWS).map((record) => `${JSON.stringify(record)}\n`).join(""));
  }
}

/** The records of a CSV file with a header; fields are texts, numbers are for the caller to make. */
export function csvRecords(file) {
  const [header, ...rows] = readFileSync(join(FOLDER, file), "utf8").trimEnd().split(/\r?\n/).map(csvFields);
  return rows.map((fields) => {
    assert.equal(fields.length, header.length, `number of fields in a row of ${file}`);
    return Object.fromEntries(header.map((name, index) => [name, fields[index]]));
  });
}

function csvFields(row) {
  return [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain);
}

/** Lists by key, in the order of first appearance. */
export const groups = (list, key) => [...Map.groupBy(list, key)];

export const sum = (list, value) => list.reduce((total, item) => total + value(item), 0);

/** The mean of the values that are not null, as SQL has it. */
export function mean(list, value) {
  const values = list.map(value).filter((number) => number !== null);
  return values.length === 0 ? null : sum(values, (number) => number) / values.length;
}

/** Compares by several keys, texts by code unit as SQLite does: `by((row) => [-row.flights, row.state])`. */
export const by = (keys) => (left, right) => {
  const [a, b] = [keys(left), keys(right)];
  const index = a.findIndex((value, position) => value !== b[position]);
  return index < 0 ? 0 : a[index] < b[index] ? -1 : 1;
};

/** Asserts that two lists of rows are the same: integers and texts exactly, fractions but for their last digits. */
export function sameRows(actual, expected, what) {
  assert.ok(expected.length > 0, `${what}: nothing is expected, which would prove nothing`);
  assert.equal(actual.length, expected.length, `${what}: number of rows`);
  expected.forEach((row, index) => {
    assert.deepEqual(Object.keys(actual[index]), Object.keys(row), `${what}: columns of row ${index + 1}`);
    for (const [name, value] of Object.entries(row)) same(actual[index][name], value, `${what}: ${name} of row ${index + 1}`);
  });
}

export function same(actual, expected, what) {
  if (typeof expected === "number" && typeof actual === "number" && !Number.isInteger(expected)) {
    const difference = Math.abs(actual - expected);
    assert.ok(difference <= RELATIVE_TOLERANCE * Math.abs(expected), `${what} is ${actual}, JavaScript computes ${expected}`);
    return;
  }
  assert.deepEqual(actual, expected, what);
}
