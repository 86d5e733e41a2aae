// Some of the rows that a statement would change, before and after, with the differences marked.

import { lookOf, shortText, type Value } from "../sql/values";
import type { Approval, SampleRow } from "./model";

/** Both sides of one change; an inserted row has no first, a deleted one no second. */
interface Change {
  before: SampleRow | null;
  after: SampleRow | null;
}

interface TableChanges {
  table: string;
  columns: readonly string[];
  changes: readonly Change[];
}

function changesOf({ before, after }: NonNullable<Approval["sample"]>): TableChanges[] {
  const changes = new Map<string, Change>();
  const keyOf = ({ table, change }: SampleRow, side: string, at: number) => (change === undefined ? `${table} ${side} ${at}` : String(change));
  before.forEach((row, at) => changes.set(keyOf(row, "before", at), { before: row, after: null }));
  after.forEach((row, at) => {
    const key = keyOf(row, "after", at);
    changes.set(key, { before: changes.get(key)?.before ?? null, after: row });
  });
  const tables = new Map<string, Change[]>();
  for (const change of changes.values()) {
    const table = (change.before ?? change.after)?.table ?? "";
    tables.set(table, [...(tables.get(table) ?? []), change]);
  }
  return [...tables].map(([table, own]) => ({
    table,
    columns: [...new Set(own.flatMap((change) => [change.before, change.after].flatMap((row) => (row === null ? [] : Object.keys(row.row)))))],
    changes: own,
  }));
}

export function Sample({ approval: { sample, affectedRows } }: { approval: Approval }) {
  if (sample == null || sample.before.length + sample.after.length === 0) return null;
  const tables = changesOf(sample);
  const shown = tables.reduce((sum, { changes }) => sum + changes.length, 0);
  return (
    <div class="sample">
      <h4>Rows before and after{typeof affectedRows === "number" && affectedRows > shown ? `, ${shown} of ${affectedRows}` : ""}</h4>
      {tables.map((one) => <ChangedTable key={one.table} {...one} />)}
    </div>
  );
}

function ChangedTable({ table, columns, changes }: TableChanges) {
  return (
    <div class="scroll" role="region" aria-label={`Rows of ${table} before and after`} tabIndex={0}>
      <table class="plain sample-table">
        <thead>
          <tr><th scope="col"><code>{table}</code></th>{columns.map((name) => <th key={name} scope="col">{name}</th>)}</tr>
        </thead>
        {changes.map(({ before, after }, at) => (
          <tbody key={at}>
            {before !== null && <Side name={after === null ? "deleted" : "before"} side="before" columns={columns} row={before} other={after} />}
            {after !== null && <Side name={before === null ? "inserted" : "after"} side="after" columns={columns} row={after} other={before} />}
          </tbody>
        ))}
      </table>
    </div>
  );
}

interface SideProps {
  name: string;
  side: "before" | "after";
  columns: readonly string[];
  row: SampleRow;
  other: SampleRow | null;
}

function Side({ name, side, columns, row, other }: SideProps) {
  return (
    <tr class={`side-${name}`}>
      <th scope="row">{name}</th>
      {columns.map((column) => {
        const value = row.row[column] ?? null;
        const text = `${shortText(value)}${row.cut?.includes(column) === true ? "…" : ""}`;
        const isChanged = other === null || !isSame(value, other.row[column] ?? null);
        return <td key={column} class={`${lookOf(value)}${isChanged ? " is-changed" : ""}`}>{isChanged ? (side === "before" ? <del>{text}</del> : <ins>{text}</ins>) : text}</td>;
      })}
    </tr>
  );
}

function isSame(one: Value, other: Value): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  return JSON.stringify(one) === JSON.stringify(other);
}
