// The tables of a session with their columns, beside the editor.

import { useState } from "preact/hooks";
import { toApiError, type ApiError } from "../../shared/api";
import { confirm } from "../../shared/dialog";
import { Failure } from "../../shared/failure";
import { count } from "../../shared/format";
import { ChevronIcon, RefreshIcon, UploadIcon } from "../../shared/icons";
import { news, showError } from "../../shared/toast";
import { columns as loadColumns, dropTable, type Column } from "../requests";
import { exportTable, FORMS } from "./exports";
import { Menu } from "./menu";
import type { Table } from "./schema";

interface TablesProps {
  session: string;
  tables: readonly Table[] | null;
  error: ApiError | null;
  busy: boolean;
  onReload(): void;
  /** Puts a query of the table into the editor. */
  onQuery(table: Table): void;
  onImport(): void;
}

export function Tables({ session, tables, error, busy, onReload, onQuery, onImport }: TablesProps) {
  const drop = async (name: string) => {
    if (!(await confirm({ title: "Drop table", text: `Drop ${name} with all its rows? This cannot be undone.`, action: "Drop", danger: true }))) return;
    try {
      await dropTable(session, name);
      news(`Dropped ${name}.`);
      onReload();
    } catch (thrown) {
      showError(thrown);
    }
  };
  return (
    <section class="tables" aria-labelledby="tables">
      <div class="section-head">
        <h2 id="tables">Tables</h2>
        <button type="button" class="quiet icon-only small" aria-label="Reload the tables" title="Reload" disabled={busy} onClick={onReload}><RefreshIcon /></button>
        <button type="button" class="small push" onClick={onImport}><UploadIcon /> Import</button>
      </div>
      {error !== null && <Failure error={error} />}
      {tables?.length === 0 && <p class="empty">No tables yet. Drop a CSV, NDJSON or JSON file anywhere on this page.</p>}
      <ul>
        {tables?.map((table) => (
          <TableEntry key={table.name} session={session} table={table} onQuery={() => onQuery(table)} onDrop={() => void drop(table.name)} />
        ))}
      </ul>
    </section>
  );
}

interface EntryProps {
  session: string;
  table: Table;
  onQuery(): void;
  onDrop(): void;
}

function TableEntry({ session, table, onQuery, onDrop }: EntryProps) {
  const [open, setOpen] = useState(false);
  const [late, setLate] = useState<readonly Column[] | ApiError | null>(null);
  const { name, rows, hasMoreRows } = table;
  const shown = table.columns ?? late;
  const toggle = () => {
    setOpen(!open);
    if (!open && shown === null) loadColumns(session, name).then(setLate, (thrown: unknown) => setLate(toApiError(thrown)));
  };
  const exports = FORMS.map((form) => ({ text: `Export as ${form.toUpperCase()}`, run: () => void exportTable(session, name, form).catch(showError) }));
  return (
    <li class="table-entry">
      <div class="table-line">
        <button type="button" class="quiet icon-only small disclose" aria-expanded={open} aria-label={`Columns of ${name}`} onClick={toggle}><ChevronIcon /></button>
        <button type="button" class="quiet table-name" title={`Query ${name}`} onClick={onQuery}><span class="ellipsis">{name}</span></button>
        <span class="muted table-rows" title="Rows">{rows === null ? "view" : `${count(rows)}${hasMoreRows ? "+" : ""}`}</span>
        <Menu label={`Actions of ${name}`} items={[...exports, { text: rows === null ? "Drop view…" : "Drop table…", run: onDrop }]}>⋯</Menu>
      </div>
      {open && shown !== null && (Array.isArray(shown) ? <ColumnList columns={shown as readonly Column[]} /> : <Failure error={shown as ApiError} />)}
    </li>
  );
}

function ColumnList({ columns }: { columns: readonly Column[] }) {
  return (
    <ul class="columns">
      {columns.map(({ name, type, primaryKey, notNull }) => (
        <li key={name}>
          <span class="column-name">{name}</span>
          <span class="muted">{[type.toLowerCase(), primaryKey ? "key" : "", notNull ? "not null" : ""].filter((word) => word !== "").join(", ")}</span>
        </li>
      ))}
    </ul>
  );
}
