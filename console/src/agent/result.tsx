// The result of a statement: its rows as a table, and as a chart if the server made one.

import { useMemo } from "preact/hooks";
import { count, counted } from "../shared/format";
import { ChosenChart } from "../sql/chart";
import { Grid } from "../sql/grid";
import type { Row } from "../sql/values";
import type { Channel, SqlResult, VegaChart } from "./model";

/** Returns the columns of a result; without rows it may have none to show. */
export function columnsOf(result: SqlResult | null): readonly string[] {
  return result?.columns ?? Object.keys(result?.rows?.[0] ?? {});
}

export function ResultView({ result, chart }: { result: SqlResult; chart: VegaChart | null }) {
  const columns = useMemo(() => columnsOf(result), [result]);
  const rows: readonly Row[] = useMemo(() => (result.rows ?? []).map((row) => columns.map((name) => row[name] ?? null)), [result, columns]);
  const choice = useMemo(() => (chart === null ? null : choiceOf(chart, columns)), [chart, columns]);
  if (rows.length === 0) return null;
  return (
    <div class="result">
      <div class="result-head">
        <p class="note">{lengthOf(result, rows.length)}</p>
      </div>
      <div class={choice === null ? "result-body" : "result-body has-chart"}>
        <Grid columns={columns} rows={rows} label="Rows of the result" rounded />
        {choice !== null && <ChosenChart columns={columns} rows={rows} choice={choice} />}
      </div>
    </div>
  );
}

/** Returns the number of rows in words. */
function lengthOf({ truncated, resultTable }: SqlResult, shown: number) {
  if (truncated !== true) return counted(shown, "row");
  if (resultTable == null) return `More than ${counted(shown, "row")}; the first are shown`;
  const all = `${resultTable.complete ? "" : "More than "}${counted(resultTable.rows, "row")}`;
  return <>{all} in the table <code>{resultTable.name}</code>; the first {count(shown)} are shown</>;
}

/**
 * Converts the server's chart to the page's; null if it names a column that the result does not
 * have.
 */
function choiceOf({ mark, encoding }: VegaChart, columns: readonly string[]) {
  const place = (channel: Channel | undefined) => (channel === undefined ? -1 : columns.indexOf(channel.field.replaceAll(/\\(.)/g, "$1")));
  const [x, y, series] = [place(encoding.x), place(encoding.y), place(encoding.color)];
  if (x < 0 || y < 0 || (mark !== "bar" && mark !== "line")) return null;
  return { kind: mark, x, y, ...(series < 0 ? {} : { series }) } as const;
}
