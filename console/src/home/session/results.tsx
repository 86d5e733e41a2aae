// The result of a statement: its rows as a table or a chart, with their export; or its changes.

import { useState } from "preact/hooks";
import { count, counted, duration } from "../../shared/format";
import { showError } from "../../shared/toast";
import { MOST_ROWS, type Outcome } from "../requests";
import { ChartView } from "../../sql/chart";
import { exportQuery, FORMS } from "./exports";
import { Grid } from "../../sql/grid";
import { ExportMenu } from "./menu";

export interface Ran {
  sql: string;
  outcome: Outcome;
  durationMs: number;
}

type View = "table" | "chart";
const VIEWS: readonly { value: View; label: string }[] = [
  { value: "table", label: "Table" },
  { value: "chart", label: "Chart" },
];

export function Results({ session, ran }: { session: string; ran: Ran }) {
  const [view, setView] = useState<View>("table");
  const { outcome, sql, durationMs } = ran;
  const { columns, results } = outcome;
  const hasRows = columns !== undefined && results !== undefined;
  const onlyReads = outcome.changes === 0 && outcome.rowsWritten === 0;
  return (
    <section class="results" aria-label="Result">
      <div class="results-head">
        <p role="status">
          {hasRows ? summary(outcome) : changed(outcome)} <span class="muted">in {duration(durationMs)}</span>
        </p>
        {hasRows && results.length > 0 && (
          <div class="row">
            <div class="tabs" role="group" aria-label="Show the result as">
              {VIEWS.map(({ value, label }) => <button key={value} type="button" class="small" aria-pressed={view === value} onClick={() => setView(value)}>{label}</button>)}
            </div>
            {onlyReads && (
              <ExportMenu
                label="Export the result"
                items={FORMS.map((form) => ({
                  text: outcome.truncated === true ? `${form.toUpperCase()}, ${form === "csv" ? "all rows" : `first ${count(MOST_ROWS)} rows`}` : form.toUpperCase(),
                  run: () => exportQuery(session, sql, form).catch(showError),
                }))}
              />
            )}
          </div>
        )}
      </div>
      {outcome.notice !== undefined && <p class="note">{outcome.notice}</p>}
      {hasRows && results.length > 0 && (view === "table" ? <Grid columns={columns} rows={results} label="Rows of the result" /> : <ChartView columns={columns} rows={results} />)}
      {hasRows && results.length === 0 && <p class="muted">Columns: {columns.join(", ")}</p>}
    </section>
  );
}

function summary({ results, truncated, changes }: Outcome): string {
  const rows = counted(results?.length ?? 0, "row");
  const written = changes > 0 ? `, ${count(changes)} changed` : "";
  return truncated === true ? `The first ${rows}${written}; there are more` : `${rows}${written}`;
}

function changed({ changes, rowsWritten }: Outcome): string {
  return changes === 0 && rowsWritten > 0 ? "Done" : `${counted(changes, "row")} changed`;
}
