// The page of a thread without a question: the tables that it can ask about, example questions, and
// the writer of statements.

import { sessionAddress } from "../home/route";
import { Failure } from "../shared/failure";
import { counted } from "../shared/format";
import { useLoaded } from "../shared/loading";
import { useStore } from "../shared/store";
import { token } from "../shared/token";
import type { Desk } from "./desk";
import { examplesOf } from "./examples";
import { loadKnownTables, type KnownTable } from "./known-tables";
import { SHOWN_COLUMNS } from "./limits";
import { deployment, isReady, type Deployment, type Setup } from "./setup";

export function NewThread({ desk, setup }: { desk: Desk; setup: Setup }) {
  const settings = useStore(deployment);
  const { target, businessId } = setup;
  if (settings === null) return null;
  // Null asks about all rows; a business that the access token names is empty.
  const scope = settings.businessRequired === true || businessId !== "" ? businessId : null;
  return (
    <div class="welcome">
      <h2>Ask a question in plain words</h2>
      <p class="muted">The agent writes one SQL statement for it. You see what the statement would do, and nothing runs before you approve it.</p>
      {target !== null && target !== "persistent" && isReady(setup, null, settings) && <Tables desk={desk} session={target.session} businessId={scope} />}
      <Writer settings={settings} />
    </div>
  );
}

/** Shows the model that writes statements, or how to get one. */
function Writer({ settings: { model } }: { settings: Deployment }) {
  if (model === undefined) return null;
  if (model !== null) return <p class="note writer">The language model <strong>{model}</strong> writes the statements.</p>;
  return (
    <p class="note writer">
      No language model is configured, so the planner writes the statements: it understands counts, sums, averages, groups, filters and rankings. For questions in any words, the
      operator of this deployment sets <code>MODEL</code>.
    </p>
  );
}

interface TablesProps {
  desk: Desk;
  session: string;
  /**
   * The business whose rows alone are asked about; null for all rows, empty if the access token
   * names it.
   */
  businessId: string | null;
}

function Tables({ desk, session, businessId }: TablesProps) {
  const { data, error } = useLoaded(() => loadKnownTables(session, businessId), JSON.stringify([session, businessId, useStore(token)]));
  if (error !== null) return <Failure error={error} />;
  if (data === null) return <p class="working welcome-wait"><span class="dots" aria-hidden="true" />Looking at the tables…</p>;
  const { tables, hidden, more } = data;
  if (tables.length === 0 && hidden === 0) return <p>The session {session} has no tables yet. <a href={sessionAddress(session)}>Load a file into it</a> first.</p>;
  return (
    <>
      <Examples desk={desk} tables={tables} />
      <ul class="known-tables" aria-label="Tables that can be asked about">
        {tables.map((table) => <KnownTableView key={table.name} table={table} isScoped={businessId !== null} />)}
      </ul>
      {more > 0 && <p class="note">and {counted(more, "more table")}</p>}
      {hidden > 0 && <p class="note">{counted(hidden, "table")} cannot be asked about for one business: no column names the business of a row.</p>}
    </>
  );
}

function Examples({ desk, tables }: { desk: Desk; tables: readonly KnownTable[] }) {
  const busy = useStore(desk.busy);
  const examples = examplesOf(tables);
  if (examples.length === 0) return null;
  return (
    <div class="examples" role="group" aria-label="Example questions">
      {examples.map((text) => <button key={text} type="button" disabled={busy !== null} onClick={() => void desk.ask(text)}>{text}</button>)}
    </div>
  );
}

/**
 * Shows a table with its columns. Under a scope, the number of its rows includes those of others,
 * so it is left out.
 */
function KnownTableView({ table: { name, rows, hasMoreRows, columns }, isScoped }: { table: KnownTable; isScoped: boolean }) {
  const names = (columns ?? []).map((column) => column.name);
  return (
    <li>
      <strong>{name}</strong>
      {rows !== null && !isScoped && <span class="muted"> {hasMoreRows && "more than "}{counted(rows, "row")}</span>}
      <span class="known-columns">{names.slice(0, SHOWN_COLUMNS).join(", ")}{names.length > SHOWN_COLUMNS && ` and ${counted(names.length - SHOWN_COLUMNS, "more column")}`}</span>
    </li>
  );
}
