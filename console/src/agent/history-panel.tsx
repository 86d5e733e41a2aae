// The panel History: a slider through the checkpoints. An earlier state is read-only until a person
// continues from it.

import { useEffect, useRef, useState } from "preact/hooks";
import { dateTime } from "../shared/format";
import { Failure } from "../shared/failure";
import { useLoaded } from "../shared/loading";
import { useStore } from "../shared/store";
import { news, showError } from "../shared/toast";
import type { Desk } from "./desk";
import { SLIDER_WAIT_MS } from "./limits";
import type { Checkpoint } from "./model";

/** The description of a checkpoint, by the step that made it and the next one. */
const WORDS: Readonly<Record<string, string>> = {
  "question writeQuery": "A question was asked",
  "writeQuery writeQuery": "A statement was written",
  writeQuery: "A reply without a statement",
  "humanApproval humanApproval": "A statement waits for a decision",
  "humanApproval executeQuery": "The statement was approved",
  humanApproval: "Nobody decided in time",
  "rejectedExecution writeQuery": "Rejected; another one is written",
  rejectedExecution: "Rejected",
  "executeQuery generateAnswer": "The statement ran",
  executeQuery: "The statement failed",
  generateAnswer: "The reply was written",
  fork: "A new branch began",
};

function inWords({ source, next }: Checkpoint): string {
  return WORDS[[source, ...next].join(" ")] ?? source;
}

export function HistoryPanel({ desk }: { desk: Desk }) {
  const state = useStore(desk.live.thread);
  const shown = useStore(desk.shown);
  const { data, error } = useLoaded(() => desk.client.history(), String(state?.checkpoint ?? 0));
  if (state === null) return <p class="note">Nothing was asked yet.</p>;
  if (error !== null) return <Failure error={error} />;
  if (data === null) return <p class="note" role="status">Loading the history…</p>;
  const all = [...data].reverse();
  const current = shown?.checkpoint ?? state.checkpoint;
  return (
    <>
      <Slider desk={desk} all={all} current={current} />
      <ol class="checkpoints">
        {data.map((one) => (
          <li key={one.checkpoint}>
            <button type="button" class="quiet" aria-current={one.checkpoint === current ? "true" : undefined} onClick={() => void look(desk, one.checkpoint)}>
              <span class="checkpoint-number">{one.checkpoint}</span>
              <span>{inWords(one)}<span class="note"><time dateTime={one.createdAt}>{dateTime(one.createdAt)}</time>{one.branch > 1 && ` · line ${one.branch}`}</span></span>
            </button>
          </li>
        ))}
      </ol>
    </>
  );
}

/** Shows an earlier state; the newest is the thread itself. */
async function look(desk: Desk, checkpoint: number): Promise<void> {
  if (checkpoint === desk.live.thread.get()?.checkpoint) return desk.shown.set(null);
  try {
    desk.shown.set(await desk.client.snapshot(checkpoint));
  } catch (thrown) {
    showError(thrown);
  }
}

function Slider({ desk, all, current }: { desk: Desk; all: readonly Checkpoint[]; current: number }) {
  const place = Math.max(0, all.findIndex(({ checkpoint }) => checkpoint === current));
  const [wanted, setWanted] = useState(place);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setWanted(place), [place, all.length]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const text = `Checkpoint ${wanted + 1} of ${all.length}`;
  return (
    <label class="field slider">
      <span>{text}</span>
      <input
        type="range"
        min={0}
        max={all.length - 1}
        step={1}
        value={wanted}
        aria-valuetext={`${text}: ${all[wanted] === undefined ? "" : inWords(all[wanted])}`}
        onInput={(event) => {
          const at = event.currentTarget.valueAsNumber;
          setWanted(at);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => {
            const chosen = all[at];
            if (chosen !== undefined) void look(desk, chosen.checkpoint);
          }, SLIDER_WAIT_MS);
        }}
      />
    </label>
  );
}

/** A banner that says that an earlier state is shown, with the way back. */
export function ShownBanner({ desk }: { desk: Desk }) {
  const shown = useStore(desk.shown);
  const state = useStore(desk.live.thread);
  if (shown === null) return null;
  const isRunning = state !== null && state.next.length > 0 && state.pending === null;
  const fork = async () => {
    try {
      await desk.client.fork(shown.checkpoint);
      desk.shown.set(null);
      await desk.live.open();
      news(`The conversation continues from checkpoint ${shown.checkpoint}.`);
    } catch (thrown) {
      showError(thrown);
    }
  };
  return (
    <div class="shown-banner" role="status">
      <p><strong>Checkpoint {shown.checkpoint}</strong>{shown.createdAt !== undefined && <> · <time dateTime={shown.createdAt}>{dateTime(shown.createdAt)}</time></>}. You look at an earlier state.</p>
      <div class="row wrap">
        <button type="button" class="small" disabled={isRunning} onClick={() => void fork()}>Go on from here</button>
        <button type="button" class="small primary" onClick={() => desk.shown.set(null)}>Back to now</button>
      </div>
    </div>
  );
}
