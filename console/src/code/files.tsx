// The list Files: the tree of a version, page by page.

import { useEffect, useMemo, useState } from "preact/hooks";
import { Failure } from "../shared/failure";
import { counted } from "../shared/format";
import { usePages } from "../shared/loading";
import { useStore } from "../shared/store";
import type { Bench } from "./bench";
import { FILTER_WAIT_MS, OPEN_FILES } from "./limits";
import { fileAddress } from "./place";
import { type Folder, nameOf, treeOf } from "./tree";

export function Files({ bench }: { bench: Bench }) {
  const asOf = useStore(bench.asOf);
  const about = useStore(bench.about);
  const [text, setText] = useState("");
  const [filter, setFilter] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setFilter(text.trim()), FILTER_WAIT_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const version = asOf ?? about?.version ?? 0;
  const { items, error, busy, hasMore, showMore } = usePages((cursor) => bench.client.files(filter, asOf, cursor), `${version} ${filter}`);
  const tree = useMemo(() => treeOf(items ?? []), [items]);
  return (
    <>
      <input type="search" aria-label="Filter by path" placeholder="Filter by path" autocomplete="off" spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      {error !== null && <Failure error={error} />}
      {items?.length === 0 && <p class="note">{filter === "" ? "This version has no files." : "No file has this in its path."}</p>}
      {items !== null && items.length > 0 && (
        <nav aria-label="Files">
          <Inside bench={bench} folder={tree} isOpen={filter !== "" || items.length <= OPEN_FILES} />
        </nav>
      )}
      {hasMore && <button type="button" class="small" disabled={busy} onClick={showMore}>Show more files</button>}
      {items !== null && hasMore && <p class="note">{counted(items.length, "file")} so far</p>}
    </>
  );
}

interface FolderProps {
  bench: Bench;
  folder: Folder;
  isOpen: boolean;
}

function Inside({ bench, folder, isOpen }: FolderProps) {
  const place = useStore(bench.place);
  const open = place?.kind === "file" ? place.path : null;
  return (
    <ul class="tree">
      {folder.folders.map((one) => <li key={one.path}><OneFolder bench={bench} folder={one} isOpen={isOpen} /></li>)}
      {folder.files.map(({ file_path, parsed, reason }) => (
        <li key={file_path}>
          <a href={fileAddress(file_path)} title={parsed ? file_path : `${file_path} · ${reason ?? "not parsed"}`} aria-current={open === file_path ? "true" : undefined}>{nameOf(file_path)}</a>
        </li>
      ))}
    </ul>
  );
}

/** The content of a closed folder is not on the page. */
function OneFolder({ bench, folder, isOpen }: FolderProps) {
  const [shown, setShown] = useState(isOpen);
  useEffect(() => setShown(isOpen), [isOpen]);
  return (
    <details open={shown} onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>{folder.name}</summary>
      {shown && <Inside bench={bench} folder={folder} isOpen={isOpen} />}
    </details>
  );
}
