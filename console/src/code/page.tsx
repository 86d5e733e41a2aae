// The page of one workspace: the version, the lists, and the open file or item beside them.

import { useEffect } from "preact/hooks";
import { Failure } from "../shared/failure";
import { counted, size } from "../shared/format";
import { RefreshIcon } from "../shared/icons";
import { useStore } from "../shared/store";
import { token } from "../shared/token";
import type { Bench, List } from "./bench";
import { FileView } from "./file-view";
import { Files } from "./files";
import { ItemView } from "./item-view";
import type { About } from "./model";
import { Proposals } from "./proposals";
import { Search } from "./search";
import { Versions } from "./versions";

const LISTS: readonly { list: List; text: string }[] = [
  { list: "files", text: "Files" },
  { list: "search", text: "Search" },
  { list: "proposals", text: "Proposals" },
];

export function CodePage({ bench }: { bench: Bench }) {
  const about = useStore(bench.about);
  const failed = useStore(bench.failed);
  const place = useStore(bench.place);
  const known = useStore(token);
  useEffect(() => bench.follow(), [bench]);
  useEffect(() => {
    void bench.reload();
  }, [bench, known]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.closest("input, textarea, select, dialog") !== null;
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      bench.list.set("search");
      // The list exists after the next rendering.
      requestAnimationFrame(() => document.querySelector<HTMLElement>("#search")?.focus());
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [bench]);
  return (
    <div class={place === null ? "code" : "code has-open"}>
      <h1 class="visually-hidden">Workspace {bench.workspace}</h1>
      {failed !== null && <Failure error={failed}><button type="button" onClick={() => void bench.reload()}>Load again</button></Failure>}
      {about !== null && <Ready bench={bench} about={about} />}
    </div>
  );
}

function Ready({ bench, about }: { bench: Bench; about: About }) {
  const list = useStore(bench.list);
  const asOf = useStore(bench.asOf);
  return (
    <>
      <div class="code-tools">
        <Versions bench={bench} about={about} />
        {asOf === null && <p class="note">{counted(about.files, "file")}, {counted(about.items, "item")}, {size(about.bytes)}</p>}
        <button type="button" class="quiet icon-only small" aria-label="Reload" title="Reload" onClick={() => void bench.reload()}><RefreshIcon /></button>
      </div>
      <div class="code-main">
        <section class={list === "proposals" ? "side is-wide" : "side"} aria-label="Lists">
          <div class="tabs" role="group" aria-label="Lists">
            {LISTS.map(({ list: one, text }) => <button key={one} type="button" aria-pressed={list === one} onClick={() => bench.list.set(one)}>{text}</button>)}
          </div>
          {/* A list that is not shown keeps what was searched and opened in it. */}
          <div class="side-body" hidden={list !== "files"}><Files bench={bench} /></div>
          <div class="side-body" hidden={list !== "search"}><Search bench={bench} /></div>
          {list === "proposals" && <div class="side-body"><Proposals bench={bench} /></div>}
        </section>
        <Open bench={bench} about={about} />
      </div>
    </>
  );
}

function Open({ bench, about }: { bench: Bench; about: About }) {
  const place = useStore(bench.place);
  const asOf = useStore(bench.asOf);
  const version = asOf ?? about.version;
  return (
    <section class="code-open" aria-label="What is open">
      {place === null && <p class="welcome">{about.files === 0 ? "This workspace has no files yet." : "Choose a file, or search."}</p>}
      {place !== null && <a class="back" href="#">Back to the lists</a>}
      {place?.kind === "file" && <FileView key={place.path} bench={bench} path={place.path} line={place.line} asOf={asOf} version={version} />}
      {place?.kind === "item" && <ItemView key={JSON.stringify(place.name)} bench={bench} name={place.name} asOf={asOf} version={version} />}
    </section>
  );
}
