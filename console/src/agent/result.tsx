// What a statement returned: its rows as a table, and as a chart where the server found one.

import { useMemo, useState } from "preact/hooks";
import { counted } from "../shared/format";
import { ChosenChart } from "../sql/chart";
import { Grid } from "../sql/grid";
import type { Row } from "../sql/values";
import type { Channel, SqlResult, VegaChart } from "./model";

type View = "table" | "chart";
const VIEWS: readonly { value: View; label: string }[] = [
  { value: "table", label: "Table" },
  { value: "chart", label: "Chart" },
];

/** The columns of a result; without rows it has none to show. */
export function columnsOf(result: SqlResult | null): readonly string[] {
  return result?.columns ?? Object.keys(result?.rows?.[0] ?? {});
}

export function ResultView({ result, chart }: { result: SqlResult; chart: VegaChart | null }) {
  const [view, setView] = useState<View>("table");
  const columns = useMemo(() => columnsOf(result), [result]);
  const rows: readonly Row[] = useMemo(() => (result.rows ?? []).map((row) => columns.map((name) => row[name] ?? null)), [result, columns]);
  const choice = useMemo(() => (chart === null ? null : choiceOf(chart, columns)), [chart, columns]);
  if (rows.length === 0) return null;
  return (
    <div class="result">
      <div class="result-head">
        <p class="note">{result.truncated === true ? `The first ${counted(rows.length, "row")}` : counted(rows.length, "row")}{result.resultTable != null && <>; the table <code>{result.resultTable.name}</code> has {result.resultTable.complete ? "all" : "the first"} {counted(result.resultTable.rows, "row")}</>}</p>
        {choice !== null && (
          <div class="tabs" role="group" aria-label="Show the result as">
            {VIEWS.map(({ value, label }) => <button key={value} type="button" class="small" aria-pressed={view === value} onClick={() => setView(value)}>{label}</button>)}
          </div>
        )}
      </div>
      {view === "chart" && choice !== null ? <ChosenChart columns={columns} rows={rows} choice={choice} /> : <Grid columns={columns} rows={rows} label="Rows of the result" />}
    </div>
  );
}

/** The server's chart as the page draws charts; null where it names what the result does not have. */
function choiceOf({ mark, encoding }: VegaChart, columns: readonly string[]) {
  const place = (channel: Channel | undefined) => (channel === undefined ? -1 : columns.indexOf(channel.field.replaceAll(/\\(.)/g, "$1")));
  const [x, y, series] = [place(encoding.x), place(encoding.y), place(encoding.color)];
  if (x < 0 || y < 0 || (mark !== "bar" && mark !== "line")) return null;
  return { kind: mark, x, y, ...(series < 0 ? {} : { series }) } as const;
}
