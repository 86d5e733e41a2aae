// The log of a session: programs with their outcome, loads and batches, newest first. The line of a
// program can be opened. If the deployment runs no programs, it shows the missing setting.

import { useState } from "preact/hooks";
import { Failure } from "../../shared/failure";
import { counted, dateTime, duration, relative } from "../../shared/format";
import { ChevronIcon, RefreshIcon } from "../../shared/icons";
import { useLoaded, usePages } from "../../shared/loading";
import { log, PAGE_ROWS, runsPrograms, type LogEntry } from "../requests";
import { RunOutput } from "./run-output";

export function Runs({ session }: { session: string }) {
  const { items, error, busy, hasMore, showMore, reload } = usePages(async (cursor) => {
    const offset = Number(cursor ?? 0);
    const { entries, more } = await log(session, offset);
    return { items: entries, nextCursor: more ? String(offset + PAGE_ROWS) : null };
  }, session);
  return (
    <section class="runs" aria-labelledby="runs">
      <div class="section-head">
        <h2 id="runs">Runs</h2>
        <button type="button" class="quiet icon-only small" aria-label="Reload the runs" title="Reload" disabled={busy} onClick={reload}><RefreshIcon /></button>
      </div>
      {error !== null && <Failure error={error} />}
      {/* A program that ran here says enough. */}
      {items !== null && items.every(({ run }) => run === null) && <MissingLoader session={session} />}
      {items?.length === 0 && <p class="empty">No program, load or batch ran in this session yet.</p>}
      {items !== null && items.length > 0 && (
        <table class="list">
          <thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col" class="wide-only">Id</th></tr></thead>
          <tbody>{items.map((entry) => <Entry key={entry.id} session={session} entry={entry} />)}</tbody>
        </table>
      )}
      {hasMore && <button type="button" class="more" disabled={busy} onClick={showMore}>Show older</button>}
    </section>
  );
}

/** The settings that enable programs, as in `wrangler.jsonc`. */
const PAID = `"worker_loaders": [{ "binding": "LOADER" }],
"limits": { "cpu_ms": 30000 },`;

/** Shows the setting that a deployment without a Worker Loader lacks. */
function MissingLoader({ session }: { session: string }) {
  const { data } = useLoaded(() => runsPrograms(session), session);
  if (data !== false) return null;
  return (
    <aside class="missing" aria-labelledby="missing">
      <h3 id="missing">Programs do not run in this deployment</h3>
      <p>It has no Worker Loader, which needs the Workers Paid plan of Cloudflare, so <code>execute</code> is 501 <code>SANDBOX_UNAVAILABLE</code>. Everything else works.</p>
      <p>With that plan, run <code>npx codemode-database deploy</code> without <code>--free</code>. A Worker with a configuration of its own needs two lines in <code>wrangler.jsonc</code>; the second ends a statement that nothing else stops:</p>
      <pre>{PAID}</pre>
      <p class="hint">Without it, programs run in a sandbox of yours with <a href="/api/codemode/helpers.js">these helpers</a>.</p>
    </aside>
  );
}

function Entry({ session, entry: { id, atMs, message, run } }: { session: string; entry: LogEntry }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <tr>
        <td><time dateTime={new Date(atMs).toISOString()} title={dateTime(atMs)}>{relative(atMs)}</time></td>
        <td class="anywhere">
          {run === null ? message : (
            <button type="button" class="quiet disclose run-line-button" aria-expanded={open} onClick={() => setOpen(!open)}>
              <ChevronIcon />
              <span><code class={run.outcome === "OK" ? "muted" : "error-code"}>{run.outcome}</code> Program, {duration(run.durationMs)}, {counted(run.calls, "call")}</span>
            </button>
          )}
        </td>
        <td class="wide-only">{run !== null && <code class="muted">{run.executionId}</code>}</td>
      </tr>
      {open && <tr class="run-output"><td colSpan={3}><RunOutput session={session} id={id} /></td></tr>}
    </>
  );
}
