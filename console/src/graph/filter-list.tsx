// A list of types or labels with their counts, each with a switch to hide it: the legend of the
// types, and the labels of edges.

import { useState } from "preact/hooks";
import { count as number } from "../shared/format";
import type { Count } from "./graph-data";
import { FILTER_ROWS } from "./limits";
import { TypeMark } from "./type-mark";

interface FilterListProps {
  title: string;
  counts: readonly Count[];
  /** The hidden keys. */
  hidden: ReadonlySet<string>;
  /** Hides these and shows all others. */
  set(hidden: readonly string[]): void;
  colourOf?: ((name: string) => string) | undefined;
}

export function FilterList({ title, counts, hidden, set, colourOf }: FilterListProps) {
  const [all, setAll] = useState(false);
  if (counts.length === 0) return null;
  const rows = all ? counts : counts.slice(0, FILTER_ROWS);
  const anyHidden = counts.some(({ key }) => hidden.has(key));
  const toggle = (key: string) => set(hidden.has(key) ? [...hidden].filter((one) => one !== key) : [...hidden, key]);
  return (
    <section class="filter" aria-label={title}>
      <div class="filter-head">
        <h3>{title}</h3>
        <button type="button" class="quiet small" aria-label={`${anyHidden ? "Show all" : "Hide all"}: ${title}`} onClick={() => set(anyHidden ? [] : counts.map(({ key }) => key))}>{anyHidden ? "Show all" : "Hide all"}</button>
      </div>
      <ul>
        {rows.map(({ key, name, count }) => (
          <li key={key} class={hidden.has(key) ? "is-hidden" : undefined}>
            <label>
              <input type="checkbox" checked={!hidden.has(key)} onChange={() => toggle(key)} />
              {colourOf !== undefined && <TypeMark colour={colourOf(name)} />}
              <span class="filter-name">{name === "" ? "no label" : name}</span>
              <span class="filter-count">{number(count)}</span>
            </label>
            {counts.length > 1 && (
              <button type="button" class="quiet small" aria-label={`Show only ${name === "" ? "edges without label" : name}`} onClick={() => set(counts.filter((one) => one.key !== key).map((one) => one.key))}>only</button>
            )}
          </li>
        ))}
      </ul>
      {counts.length > rows.length && <button type="button" class="quiet small" onClick={() => setAll(true)}>Show all {counts.length}</button>}
    </section>
  );
}
