// The slider through the versions. An earlier version is read-only.

import { useEffect, useRef, useState } from "preact/hooks";
import { count } from "../shared/format";
import { useStore } from "../shared/store";
import type { Bench } from "./bench";
import { SLIDER_WAIT_MS } from "./limits";
import type { About } from "./model";

export function Versions({ bench, about: { version: newest, oldest } }: { bench: Bench; about: About }) {
  const asOf = useStore(bench.asOf);
  const current = asOf ?? newest;
  const [wanted, setWanted] = useState(current);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setWanted(current), [current]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <div class={asOf === null ? "versions" : "versions is-past"}>
      <label class="versions-field">
        <span>Version {count(wanted)} of {count(newest)}</span>
        <input
          type="range"
          min={oldest}
          max={newest}
          step={1}
          value={wanted}
          disabled={oldest >= newest}
          aria-valuetext={`Version ${wanted} of ${newest}`}
          onInput={(event) => {
            const version = event.currentTarget.valueAsNumber;
            setWanted(version);
            clearTimeout(timer.current);
            timer.current = setTimeout(() => bench.look(version), SLIDER_WAIT_MS);
          }}
        />
      </label>
      {asOf !== null && <button type="button" class="small primary" onClick={() => bench.look(newest)}>Back to now</button>}
    </div>
  );
}
