// Loads files into tables: dropped anywhere on the page, or chosen. A load takes all rows of a file
// or none.

import { useEffect, useRef, useState } from "preact/hooks";
import { isAbort, toApiError, upload, type ApiError } from "../../shared/api";
import { Dialog } from "../../shared/dialog";
import { Failure } from "../../shared/failure";
import { counted, size } from "../../shared/format";
import { news, showError } from "../../shared/toast";
import { DropHere, takeOver, useDrop } from "../dropped";
import { tablePath } from "../requests";
import { ACCEPTED, headersOf, importOf, type Import } from "./imports";

interface ImportProps {
  session: string;
  /** True if the dialog is open without a file. */
  open: boolean;
  /** The names that are taken. */
  tables: readonly string[];
  onClose(): void;
  onLoaded(table: string): void;
}

export function ImportFiles({ session, open, tables, onClose, onLoaded }: ImportProps) {
  const [waiting, setWaiting] = useState<readonly Import[]>(() => accepted(takeOver()));
  const over = useDrop((files) => setWaiting((before) => [...before, ...accepted(files)]));
  const [first] = waiting;
  const done = () => {
    setWaiting((before) => before.slice(1));
    onClose();
  };
  return (
    <>
      {over && <DropHere text="Drop to import" />}
      {first !== undefined && <LoadDialog key={`${first.file.name} ${waiting.length}`} session={session} file={first} tables={tables} onClose={done} onLoaded={onLoaded} />}
      {open && first === undefined && <PickDialog onClose={onClose} onFiles={(files) => setWaiting(accepted(files))} />}
    </>
  );
}

/** Returns the files that can be loaded, and shows an error for each of the others. */
function accepted(files: readonly File[]): Import[] {
  return files.flatMap((file) => {
    const found = importOf(file);
    if (found === null) showError(new Error(`${file.name} does not have the extension of a CSV, NDJSON or JSON file`));
    return found === null ? [] : [found];
  });
}

function PickDialog({ onClose, onFiles }: { onClose(): void; onFiles(files: readonly File[]): void }) {
  return (
    <Dialog title="Import" onClose={onClose}>
      <p>CSV, NDJSON or JSON, also packed with gzip (.gz). You can also drop a file anywhere on this page.</p>
      <form onSubmit={(event) => event.preventDefault()}>
        <label class="field">
          <span>Files</span>
          <input type="file" multiple accept={ACCEPTED} onChange={(event) => onFiles([...(event.currentTarget.files ?? [])])} />
        </label>
        <div class="dialog-actions"><button type="button" onClick={onClose}>Cancel</button></div>
      </form>
    </Dialog>
  );
}

interface LoadProps {
  session: string;
  file: Import;
  tables: readonly string[];
  onClose(): void;
  onLoaded(table: string): void;
}

interface Loaded {
  rowsWritten: number;
  notice?: string;
}

function LoadDialog({ session, file, tables, onClose, onLoaded }: LoadProps) {
  const [table, setTable] = useState(file.table);
  const [progress, setProgress] = useState<number | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const sending = useRef<AbortController | null>(null);
  useEffect(() => () => sending.current?.abort(), []);
  const exists = tables.some((name) => name.toLowerCase() === table.toLowerCase());
  const load = async () => {
    const controller = new AbortController();
    sending.current = controller;
    setProgress(0);
    setError(null);
    try {
      const path = `${tablePath(session, table)}/rows${exists ? "" : "?create=true"}`;
      const onProgress = (sent: number, total: number) => setProgress(total > 0 ? sent / total : 0);
      const { rowsWritten, notice } = await upload<Loaded>(path, file.file, { method: "PUT", headers: headersOf(file), signal: controller.signal, onProgress });
      news([`Loaded ${counted(rowsWritten, "row")} into ${table}.`, notice ?? ""].join(" ").trim());
      onLoaded(table);
      onClose();
    } catch (thrown) {
      setProgress(null);
      if (!isAbort(thrown)) setError(toApiError(thrown));
    }
  };
  const busy = progress !== null;
  return (
    <Dialog title="Import" onClose={onClose}>
      <p><strong>{file.file.name}</strong> <span class="muted">{size(file.file.size)}</span></p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void load();
        }}
      >
        <label class="field">
          <span>Table</span>
          <input required autofocus autocomplete="off" spellcheck={false} value={table} disabled={busy} onInput={(event) => setTable(event.currentTarget.value)} />
        </label>
        <p class="note">{exists ? "The rows are added to the table, which exists." : "A new table with the columns of the file."} All rows are loaded, or none.</p>
        {busy && <Progress share={progress} />}
        {error !== null && <Failure error={error}><p class="note">Nothing was loaded.</p></Failure>}
        <div class="dialog-actions">
          <button type="button" onClick={() => (busy ? sending.current?.abort() : onClose())}>Cancel</button>
          <button type="submit" class="primary" disabled={busy || table === ""}>Import</button>
        </div>
      </form>
    </Dialog>
  );
}

function Progress({ share }: { share: number }) {
  const text = share < 1 ? `Sent ${Math.floor(share * 100)} %` : "Sent; the rows are being loaded";
  return (
    <div class="progress">
      <progress aria-label="Import" value={share < 1 ? share : undefined} max={1} />
      <p class="note" role="status">{text}</p>
    </div>
  );
}
