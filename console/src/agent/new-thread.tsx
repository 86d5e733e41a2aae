// The page of a thread in which nothing was asked: the tables that it can ask about, example questions, and who answers.

import { Failure } from "../shared/failure";
import { counted } from "../shared/format";
import { useLoaded } from "../shared/loading";
import { useStore } from "../shared/store";
import { token } from "../shared/token";
import { loadSchema, type Table } from "../home/session/schema";
import type { Desk } from "./desk";
import { examplesOf } from "./examples";
import { SHOWN_TABLES } from "./limits";
import { deployment } from "./setup";

/** Names of tables that hold results of earlier questions. */
const RESULT = /^result_[0-9a-f]{8,}$/;

export function NewThread({ desk, session }: { desk: Desk; session: string | null }) {
  return (
    <div class="welcome">
      <h2>Ask a question in plain words</h2>
      <p class="muted">The agent writes one SQL statement for it. You see what the statement would do, and nothing runs before you approve it.</p>
      <Writer />
      {session !== null && <Tables desk={desk} session={session} />}
    </div>
  );
}

/** The model that answers, or the way to one. */
function Writer() {
  const { model } = useStore(deployment);
  if (model === undefined) return null;
  if (model !== null) return <p class="note">The language model <strong>{model}</strong> writes the statements.</p>;
  return (
    <p class="note">
      No language model is configured: a planner writes the statements. It understands counts, sums, averages, groups, filters and rankings. With the setting <code>MODEL</code> a language model answers, freely worded questions too.
    </p>
  );
}

function Tables({ desk, session }: { desk: Desk; session: string }) {
  const { data, error } = useLoaded(() => loadSchema(session), `${session} ${useStore(token) ?? ""}`);
  if (error !== null) return <Failure error={error} />;
  if (data === null) return null;
  const tables = data.tables.filter(({ name }) => !RESULT.test(name));
  if (tables.length === 0) return <p class="note">The session {session} has no tables yet. <a href={`/#/sessions/${encodeURIComponent(session)}`}>Load a file into it</a> first.</p>;
  return (
    <>
      <Examples desk={desk} tables={tables} />
      <ul class="known-tables" aria-label="Tables that can be asked about">
        {tables.slice(0, SHOWN_TABLES).map((table) => <KnownTable key={table.name} table={table} />)}
      </ul>
      {tables.length > SHOWN_TABLES && <p class="note">and {counted(tables.length - SHOWN_TABLES, "more table")}</p>}
    </>
  );
}

function Examples({ desk, tables }: { desk: Desk; tables: readonly Table[] }) {
  const busy = useStore(desk.busy);
  const examples = examplesOf(tables);
  if (examples.length === 0) return null;
  return (
    <div class="examples" role="group" aria-label="Example questions">
      {examples.map((text) => <button key={text} type="button" disabled={busy !== null} onClick={() => void desk.ask(text)}>{text}</button>)}
    </div>
  );
}

function KnownTable({ table: { name, rows, hasMoreRows, columns } }: { table: Table }) {
  return (
    <li>
      <strong>{name}</strong>
      {rows !== null && <span class="muted"> {hasMoreRows && "more than "}{counted(rows, "row")}</span>}
      {columns !== null && <span class="known-columns">{columns.map((column) => column.name).join(", ")}</span>}
    </li>
  );
}
