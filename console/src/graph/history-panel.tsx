// The panel History: a slider through the versions, and the list of steps. An old version is
// read-only until a person restores it.

import { useEffect, useRef, useState } from "preact/hooks";
import { dateTime } from "../shared/format";
import { showError } from "../shared/toast";
import { useStore } from "../shared/store";
import { SLIDER_WAIT_MS } from "./limits";
import type { Step } from "./model";
import { closeVersion, openVersion, restoreVersion } from "./versions";
import type { Workbench } from "./workbench";

const ACTORS: Readonly<Record<string, string>> = { person: "a person", api: "the API", program: "a program", mcp: "a model" };

const actorOf = (actor: string) => (Object.hasOwn(ACTORS, actor) ? ACTORS[actor] : actor);

export function HistoryPanel({ bench }: { bench: Workbench }) {
  const steps = useStore(bench.live.steps);
  const { version: newest } = useStore(bench.live.metadata);
  const { version: shown } = useStore(bench.shown);
  const current = shown ?? newest;
  const hasOlder = useStore(bench.live.olderSteps) !== null;
  const [isLoading, setLoading] = useState(false);
  const showOlder = async () => {
    setLoading(true);
    await bench.live.loadOlderSteps().catch(showError);
    setLoading(false);
  };
  if (newest === 0) return <p class="note panel-line">There are no steps yet.</p>;
  return (
    <>
      <Slider bench={bench} current={current} newest={newest} />
      <ol class="steps">
        {steps.map((step) => (
          <li key={step.version} class={step.undone ? "is-undone" : undefined}>
            <button type="button" class="quiet" aria-current={step.version === current ? "true" : undefined} onClick={() => void openVersion(bench, step.version)}>
              <span class="steps-version">{step.version}</span>
              <span class="steps-words">{step.description}{step.undone && <span class="note"> (undone)</span>}</span>
              <StepNote step={step} />
            </button>
          </li>
        ))}
      </ol>
      {hasOlder && <button type="button" class="small" disabled={isLoading} onClick={() => void showOlder()}>Show older steps</button>}
    </>
  );
}

function StepNote({ step }: { step: Step }) {
  return <span class="note steps-note"><time dateTime={step.createdAt}>{dateTime(step.createdAt)}</time> · {actorOf(step.actor)}</span>;
}

function Slider({ bench, current, newest }: { bench: Workbench; current: number; newest: number }) {
  const oldest = useStore(bench.live.oldestVersion);
  const [wanted, setWanted] = useState(current);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setWanted(current), [current]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <div class="slider">
      <label class="field">
        <span>Version {wanted} of {newest}</span>
        <input
          type="range"
          min={oldest}
          max={newest}
          step={1}
          value={wanted}
          aria-valuetext={`Version ${wanted} of ${newest}`}
          onInput={(event) => {
            const version = event.currentTarget.valueAsNumber;
            setWanted(version);
            clearTimeout(timer.current);
            timer.current = setTimeout(() => void openVersion(bench, version), SLIDER_WAIT_MS);
          }}
        />
      </label>
    </div>
  );
}

/** A banner that says that an old version is shown, with the way back. */
export function VersionBanner({ bench }: { bench: Workbench }) {
  const { version, step } = useStore(bench.shown);
  const { canUndo } = useStore(bench.live.metadata);
  if (version === null) return null;
  return (
    <div class="banner" role="status">
      <p>
        <strong>Version {version}</strong>
        {step === undefined ? version === 0 && " · the empty graph" : <> · {step.description} · <time dateTime={step.createdAt}>{dateTime(step.createdAt)}</time> · {actorOf(step.actor)}</>}
      </p>
      <div class="row">
        {(canUndo || version > 0) && <button type="button" class="small" onClick={() => void restoreVersion(bench, version)}>Restore this version</button>}
        <button type="button" class="small primary" onClick={() => closeVersion(bench)}>Back to now</button>
      </div>
    </div>
  );
}
