// One session: its tables, the editor, the result of a statement, and the list of runs.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isAbort, toApiError, type ApiError } from "../../shared/api";
import { confirm } from "../../shared/dialog";
import { Failure } from "../../shared/failure";
import { dateTime, relative, size } from "../../shared/format";
import { DownloadIcon, PlayIcon, StopIcon, TrashIcon } from "../../shared/icons";
import { useLoaded } from "../../shared/loading";
import { Shell } from "../../shared/shell";
import { useStore } from "../../shared/store";
import { news, showError } from "../../shared/toast";
import { token } from "../../shared/token";
import { visible } from "../../shared/visible";
import { deleteSession, run as runSql } from "../requests";
import { freshThreadAddress } from "../route";
import { draftOf, keepDraft } from "./draft";
import { Editor, type EditorHandle } from "../../sql/editor";
import { exportDump } from "./exports";
import { placeOf, suggestionOf } from "./failure-place";
import { ImportFiles } from "./import";
import { Results, type Ran } from "./results";
import { Runs } from "./runs";
import { loadSchema, type Schema, type Table } from "./schema";
import { quoteName, type Range } from "../../sql/sql-text";
import { Tables } from "./tables";

/** The rows of the query that a click on a table runs. */
const FIRST_ROWS = 100;
const NO_TABLES: readonly Table[] = [];
const KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘ Enter" : "Ctrl Enter";

/** A statement that failed, with its part of the editor's text and the wrong part of it. */
interface Failed {
  error: ApiError;
  place: Range | null;
}

export function SessionPage({ session }: { session: string }) {
  const schema = useLoaded(() => loadSchema(session), `${session} ${useStore(token) ?? ""}`);
  const [tab, setTab] = useState<"query" | "runs">("query");
  const [importing, setImporting] = useState(false);
  const show = useRef<((sql: string) => void) | null>(null);
  useEffect(() => {
    document.title = `${visible(session)} · Code Mode Database`;
  }, [session]);
  const tables = schema.data?.tables ?? NO_TABLES;
  const query = (table: Pick<Table, "name">) => {
    setTab("query");
    show.current?.(`SELECT * FROM ${quoteName(table.name)} LIMIT ${FIRST_ROWS}`);
  };
  return (
    <Shell crumbs={[{ text: session }]}>
      <div class="session">
        <SessionHead session={session} schema={schema.data} />
        <Tables session={session} tables={schema.data?.tables ?? null} error={schema.error} busy={schema.busy} onReload={schema.reload} onQuery={query} onImport={() => setImporting(true)} />
        <div class="work">
          <div class="tabs work-tabs" role="group" aria-label="Show">
            <button type="button" aria-pressed={tab === "query"} onClick={() => setTab("query")}>SQL</button>
            <button type="button" aria-pressed={tab === "runs"} onClick={() => setTab("runs")}>Runs</button>
          </div>
          <div class="work-query" hidden={tab !== "query"}>
            <Query session={session} tables={tables} onReady={(call) => (show.current = call)} onChanged={schema.reload} />
          </div>
          {tab === "runs" && <Runs session={session} />}
        </div>
      </div>
      <ImportFiles session={session} open={importing} tables={tables.map(({ name }) => name)} onClose={() => setImporting(false)} onLoaded={(name) => {
        schema.reload();
        query({ name });
      }} />
    </Shell>
  );
}

function SessionHead({ session, schema }: { session: string; schema: Schema | null }) {
  const remove = async () => {
    if (!(await confirm({ title: "Delete session", text: `Delete the session ${session} with all its tables? This cannot be undone.`, action: "Delete", danger: true }))) return;
    try {
      await deleteSession(session);
      news(`Deleted the session ${session}.`);
      location.hash = "";
    } catch (thrown) {
      showError(thrown);
    }
  };
  return (
    <div class="session-head">
      <h1>{session}</h1>
      {schema !== null && (
        <p class="muted">
          {size(schema.metrics.databaseSize)} · ends <time dateTime={schema.metrics.expiresAt} title={dateTime(schema.metrics.expiresAt)}>{relative(schema.metrics.expiresAt)}</time> unless it is used
        </p>
      )}
      <div class="row push">
        <button type="button" class="quiet small" title="Ask these tables in plain words" onClick={() => location.assign(freshThreadAddress(session))}>Ask</button>
        <button type="button" class="quiet small" onClick={() => exportDump(session).catch(showError)}><DownloadIcon /> Dump</button>
        <button type="button" class="quiet small" onClick={remove}><TrashIcon /> Delete</button>
      </div>
    </div>
  );
}

interface QueryProps {
  session: string;
  tables: readonly Table[];
  /** Passes a function that puts a statement into the editor and runs it. */
  onReady(show: (sql: string) => void): void;
  /** Called when a statement may have changed tables. */
  onChanged(): void;
}

function Query({ session, tables, onReady, onChanged }: QueryProps) {
  const [ran, setRan] = useState<Ran | null>(null);
  const [failed, setFailed] = useState<Failed | null>(null);
  const [running, setRunning] = useState<AbortController | null>(null);
  const editor = useRef<EditorHandle | null>(null);
  const draft = useMemo(() => draftOf(session), [session]);

  const run = async () => {
    const current = editor.current?.current() ?? null;
    if (current === null || running !== null) return;
    const controller = new AbortController();
    setRunning(controller);
    setFailed(null);
    editor.current?.mark(null);
    const startedMs = performance.now();
    try {
      const outcome = await runSql(session, current.sql, controller.signal);
      setRan({ sql: current.sql, outcome, durationMs: performance.now() - startedMs });
      if (outcome.rowsWritten > 0 || outcome.changes > 0) onChanged();
    } catch (thrown) {
      if (isAbort(thrown)) return;
      const error = toApiError(thrown);
      const inStatement = placeOf(error, current.sql);
      const place = inStatement === null ? null : { from: current.from + inStatement.from, to: current.from + inStatement.to };
      setFailed({ error, place });
      setRan(null);
      editor.current?.mark(place);
    } finally {
      setRunning(null);
    }
  };
  const latest = useRef(run);
  latest.current = run;

  return (
    <>
      <Editor
        text={draft}
        tables={tables}
        onReady={(handle) => {
          editor.current = handle;
          onReady((sql) => {
            handle.append(sql);
            void latest.current();
          });
        }}
        onRun={() => void run()}
        onChange={(text) => keepDraft(session, text)}
      />
      <div class="run-line">
        {running === null
          ? <button type="button" class="primary" onClick={run}><PlayIcon /> Run</button>
          : <button type="button" onClick={() => running.abort()}><StopIcon /> Stop waiting</button>}
        <span class="muted wide-only"><kbd>{KEYS}</kbd> runs the selection, or the statement at the cursor</span>
      </div>
      {failed !== null && <QueryFailure failed={failed} onApply={(place, text) => {
        editor.current?.replace(place, text);
        setFailed(null);
      }} />}
      {ran !== null && <Results session={session} ran={ran} />}
    </>
  );
}

function QueryFailure({ failed: { error, place }, onApply }: { failed: Failed; onApply(place: Range, text: string): void }) {
  const { line, column, pointer } = error.details;
  const suggestion = suggestionOf(error);
  return (
    <Failure error={error}>
      {typeof line === "number" && typeof column === "number" && <p class="muted">Line {line}, column {column} of the statement</p>}
      {typeof pointer === "string" && <pre class="pointer">{pointer}</pre>}
      {suggestion !== null && place !== null && <button type="button" class="small" onClick={() => onApply(place, suggestion)}>Use <code>{suggestion}</code></button>}
    </Failure>
  );
}
