// The dialog that imports a file: the whole file as one step, or nothing with the list of its
// errors.

import { useEffect, useRef, useState } from "preact/hooks";
import { toApiError, type ApiError } from "../shared/api";
import { Dialog } from "../shared/dialog";
import { Failure } from "../shared/failure";
import { counted, size } from "../shared/format";
import type { ImportOptions, Imported } from "./client";
import { IMPORT_BYTES, LISTED_ISSUES } from "./limits";
import type { ImportIssue } from "./model";
import type { Workbench } from "./workbench";

const FORMATS = ".json,.graphml,.xml,.csv,application/json,text/csv";

export function ImportDialog({ bench, first, onClose }: { bench: Workbench; first: File | null; onClose(): void }) {
  const [file, setFile] = useState(first);
  const [onConflict, setOnConflict] = useState<ImportOptions["onConflict"]>("error");
  const [mode, setMode] = useState<ImportOptions["mode"]>("merge");
  const [progress, setProgress] = useState<number | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const input = useRef<HTMLInputElement>(null);
  /**
   * The field also shows a file that was dropped, or that stays because the next choice was
   * cancelled, as if it was chosen there.
   */
  const choose = (chosen: File | null) => {
    setFile(chosen);
    if (chosen !== null && input.current !== null && input.current.files?.[0] !== chosen) {
      const transfer = new DataTransfer();
      transfer.items.add(chosen);
      input.current.files = transfer.files;
    }
  };
  useEffect(() => choose(first), [first]);
  const isTooLarge = file !== null && file.size > IMPORT_BYTES;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (file === null || isTooLarge) return;
    setError(null);
    setProgress(0);
    try {
      const options: ImportOptions = { onConflict, mode, onProgress: (sent, total) => setProgress(total === 0 ? 1 : sent / total) };
      const imported = await bench.client.importFile(file, options);
      await bench.live.reached(imported.version);
      bench.say([summary(imported), ...imported.notices.map((notice) => `${notice}.`)].join(" "));
      onClose();
      bench.canvas?.fit();
    } catch (thrown) {
      setError(toApiError(thrown));
    } finally {
      setProgress(null);
    }
  };
  return (
    <Dialog title="Import a file" onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <label class="field">
          <span>File (JSON of this page, node-link, Cytoscape, GraphML, or CSV of edges)</span>
          <input ref={input} type="file" accept={FORMATS} onChange={(event) => choose(event.currentTarget.files?.[0] ?? file)} />
        </label>
        {file !== null && <p class="note">{file.name}, {size(file.size)}</p>}
        {isTooLarge && <p class="fault" role="alert">The file is too large: {size(IMPORT_BYTES)} at most.</p>}
        <label class="field">
          <span>If an id exists already</span>
          <select value={onConflict} onChange={(event) => setOnConflict(event.currentTarget.value as ImportOptions["onConflict"])}>
            <option value="error">Import nothing</option>
            <option value="ignore">Keep what is there</option>
            <option value="replace">Replace it</option>
          </select>
        </label>
        <label class="check">
          <input type="checkbox" checked={mode === "replace"} onChange={(event) => setMode(event.currentTarget.checked ? "replace" : "merge")} /> Remove all that is in the graph first
        </label>
        {progress !== null && <progress value={progress} aria-label="Sent" />}
        {error !== null && <Refusal error={error} />}
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>Cancel</button>
          <button type="submit" class="primary" disabled={file === null || isTooLarge || progress !== null}>Import</button>
        </div>
      </form>
    </Dialog>
  );
}

function Refusal({ error }: { error: ApiError }) {
  const issues = Array.isArray(error.details["issues"]) ? (error.details["issues"] as unknown as ImportIssue[]) : [];
  const count = typeof error.details["issueCount"] === "number" ? error.details["issueCount"] : issues.length;
  return (
    <Failure error={error}>
      <ul class="issues">
        {issues.slice(0, LISTED_ISSUES).map(({ index, list, message, hint }, at) => (
          <li key={at}>
            {list !== undefined && index !== undefined && <code>{list}[{index}]</code>} {message}
            {hint !== undefined && <span class="hint">: {hint}</span>}
          </li>
        ))}
      </ul>
      {count > LISTED_ISSUES && <p>and {count - LISTED_ISSUES} more</p>}
    </Failure>
  );
}

function summary({ nodes, edges }: Imported): string {
  const updated = nodes.updated + edges.updated;
  const skipped = nodes.skipped + edges.skipped;
  return `Added ${counted(nodes.created, "node")} and ${counted(edges.created, "edge")}${updated > 0 ? `, ${updated} replaced` : ""}${skipped > 0 ? `, ${skipped} kept` : ""}.`;
}
