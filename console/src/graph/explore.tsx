// The panel Explore: search on the server, types and labels with their counts, each to hide and to show.

import { useEffect, useRef, useState } from "preact/hooks";
import { isAbort } from "../shared/api";
import { showError } from "../shared/toast";
import { useStore } from "../shared/store";
import type { Count } from "./graph-data";
import { SearchIcon } from "./icons";
import { FILTER_ROWS, SEARCH_WAIT_MS } from "./limits";
import { TypeMark } from "./type-mark";
import type { Filters, Workbench } from "./workbench";

export function Explore({ bench }: { bench: Workbench }) {
  const { data } = useStore(bench.shown);
  const filters = useStore(bench.filters);
  const groups = useStore(bench.groups);
  useStore(bench.revision);
  const hidden = [...filters.nodes].filter((id) => data.nodes.has(id)).length;
  return (
    <>
      <Search bench={bench} />
      <FilterList bench={bench} title="Types" filter="types" counts={data.typeCounts()} colourOf={groups === null ? (name) => bench.colours.of(name) : undefined} />
      <FilterList bench={bench} title="Edges by label" filter="labels" counts={data.labelCounts()} />
      {hidden > 0 && (
        <p class="panel-line">
          {hidden === 1 ? "1 node is hidden." : `${hidden} nodes are hidden.`} <button type="button" class="small" onClick={() => bench.setFilter("nodes", [])}>Show</button>
        </p>
      )}
    </>
  );
}

function Search({ bench }: { bench: Workbench }) {
  const [text, setText] = useState("");
  const [more, setMore] = useState(false);
  const matches = useStore(bench.matches);
  const asked = useStore(bench.searchAsked);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (asked > 0) field.current?.focus();
  }, [asked]);
  useEffect(() => () => bench.matches.set([]), [bench]);
  const query = text.trim();
  useEffect(() => {
    if (query === "") return bench.matches.set([]);
    const searching = new AbortController();
    const search = async () => {
      try {
        const found = await bench.client.search(query, searching.signal);
        if (searching.signal.aborted) return;
        bench.matches.set(found.data);
        setMore(found.nextCursor !== null);
      } catch (thrown) {
        if (!isAbort(thrown)) showError(thrown);
      }
    };
    const timer = setTimeout(() => void search(), SEARCH_WAIT_MS);
    return () => {
      clearTimeout(timer);
      searching.abort();
    };
  }, [query]);
  const first = matches[0];
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (first !== undefined) choose(bench, first.id);
      }}
    >
      <label class="search-field">
        <SearchIcon />
        <span class="visually-hidden">Search nodes</span>
        <input ref={field} type="search" placeholder="Search labels, types and data" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <kbd>/</kbd>
      </label>
      <p class="visually-hidden" role="status">{query === "" ? "" : `${matches.length}${more ? " or more" : ""} nodes found`}</p>
      {query !== "" && (
        <ul class="results">
          {matches.map(({ id, label, type }) => (
            <li key={id}>
              <button type="button" class="quiet" onClick={() => choose(bench, id)}>
                <TypeMark colour={bench.colours.of(type)} />
                <span class="results-label">{label}</span>
                <span class="note">{type}</span>
              </button>
            </li>
          ))}
          {matches.length === 0 && <li class="note panel-line">Nothing found.</li>}
          {more && <li class="note panel-line">More nodes match; type more words.</li>}
        </ul>
      )}
    </form>
  );
}

/** A result is the target while an edge is drawn. */
function choose(bench: Workbench, id: string): void {
  if (bench.connecting.get() !== null) bench.connectTo(id);
  else bench.goTo({ kind: "node", id });
}

interface FilterListProps {
  bench: Workbench;
  title: string;
  filter: keyof Filters;
  counts: readonly Count[];
  colourOf?: ((name: string) => string) | undefined;
}

function FilterList({ bench, title, filter, counts, colourOf }: FilterListProps) {
  const hidden = useStore(bench.filters)[filter];
  const [all, setAll] = useState(false);
  if (counts.length === 0) return null;
  const rows = all ? counts : counts.slice(0, FILTER_ROWS);
  const anyHidden = counts.some(({ key }) => hidden.has(key));
  return (
    <fieldset class="filter">
      <legend>{title}</legend>
      <button type="button" class="quiet small filter-all" onClick={() => bench.setFilter(filter, anyHidden ? [] : counts.map(({ key }) => key))}>{anyHidden ? "Show all" : "Hide all"}</button>
      <ul>
        {rows.map(({ key, name, count }) => (
          <li key={key} class={hidden.has(key) ? "is-hidden" : undefined}>
            <label>
              <input type="checkbox" checked={!hidden.has(key)} onChange={() => bench.toggle(filter, key)} />
              {colourOf !== undefined && <TypeMark colour={colourOf(name)} />}
              <span class="filter-name">{name === "" ? "no label" : name}</span>
              <span class="filter-count">{count.toLocaleString("en")}</span>
            </label>
            {counts.length > 1 && (
              <button type="button" class="quiet small" aria-label={`Show only ${name === "" ? "edges without label" : name}`} onClick={() => bench.setFilter(filter, counts.filter((one) => one.key !== key).map((one) => one.key))}>only</button>
            )}
          </li>
        ))}
      </ul>
      {counts.length > rows.length && <button type="button" class="quiet small" onClick={() => setAll(true)}>Show all {counts.length}</button>}
    </fieldset>
  );
}
