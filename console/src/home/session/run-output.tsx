// The stored data of one run: its failure, and the end of its console output.

import { Failure, Marked } from "../../shared/failure";
import { counted, duration } from "../../shared/format";
import { useLoaded } from "../../shared/loading";
import { runDetails, type RunDetails } from "../requests";

export function RunOutput({ session, id }: { session: string; id: number }) {
  const { data, error } = useLoaded(() => runDetails(session, id), `${session} ${id}`);
  if (error !== null) return <Failure error={error} />;
  if (data === null) return <p class="muted" role="status">Reading what the program wrote…</p>;
  return (
    <>
      {data.error !== undefined && <RunFailure error={data.error} />}
      <Console details={data} />
    </>
  );
}

function RunFailure({ error: { code, name, message, hint, line, column } }: { error: NonNullable<RunDetails["error"]> }) {
  return (
    <div class="failure">
      <p><code class="error-code">{code}</code> {name !== undefined && `${name}: `}<Marked text={message ?? ""} /></p>
      {line !== undefined && <p class="muted">Line {line}{column !== undefined && `, column ${column}`} of the program</p>}
      {hint !== undefined && <p class="hint"><Marked text={hint} /></p>}
    </div>
  );
}

function Console({ details: { logs, logsLeftOut } }: { details: RunDetails }) {
  if (logs === undefined) return <p class="muted">What this program wrote to its console was not kept.</p>;
  if (logs.length === 0) return <p class="muted">The program wrote nothing to its console.</p>;
  return (
    <>
      {logsLeftOut !== undefined && <p class="muted">{counted(logsLeftOut, "earlier line")} not kept</p>}
      <ol class="console-lines" aria-label="Console of the program" tabIndex={0}>
        {logs.map(({ level, text, atMs }, at) => (
          <li key={at} data-level={level}>
            <span class="muted">{duration(atMs)}</span> <span class="console-level">{level}</span> <span class="console-text">{text}</span>
          </li>
        ))}
      </ol>
    </>
  );
}
