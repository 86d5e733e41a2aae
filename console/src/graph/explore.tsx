// The panel Explore: search on the server, types and labels with their counts, each with a switch
// to hide it.

import { useEffect, useRef, useState } from "preact/hooks";
import { isAbort } from "../shared/api";
import { counted } from "../shared/format";
import { showError } from "../shared/toast";
import { useStore } from "../shared/store";
import { FilterList } from "./filter-list";
import { SearchIcon } from "./icons";
import { SEARCH_WAIT_MS } from "./limits";
import { TypeMark } from "./type-mark";
import type { Workbench } from "./workbench";

export function Explore({ bench }: { bench: Workbench }) {
  const { data } = useStore(bench.shown);
  const filters = useStore(bench.filters);
  const groups = useStore(bench.groups);
  useStore(bench.revision);
  const hidden = [...filters.nodes].filter((id) => data.nodes.has(id)).length;
  return (
    <>
      <Search bench={bench} />
      <FilterList title="Types" counts={data.typeCounts()} hidden={filters.types} set={(keys) => bench.setFilter("types", keys)} colourOf={groups === null ? (name) => bench.colours.of(name) : undefined} />
      <FilterList title="Edges by label" counts={data.labelCounts()} hidden={filters.labels} set={(keys) => bench.setFilter("labels", keys)} />
      {hidden > 0 && (
        <p class="panel-line">
          {counted(hidden, "node")} hidden <button type="button" class="small" onClick={() => bench.setFilter("nodes", [])}>Show</button>
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
        <input ref={field} type="search" placeholder="Search nodes" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <kbd>/</kbd>
      </label>
      <p class="visually-hidden" role="status">{query === "" ? "" : `${counted(matches.length, "node")} found${more ? ", and there are more" : ""}`}</p>
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

/** Selects a result; while an edge is drawn, it is the target. */
function choose(bench: Workbench, id: string): void {
  if (bench.connecting.get() !== null) bench.connectTo(id);
  else bench.goTo({ kind: "node", id });
}
