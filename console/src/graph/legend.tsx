// The meaning of the colours in the canvas, if no panel shows it.

import { count } from "../shared/format";
import { useStore } from "../shared/store";
import { LEGEND_ROWS } from "./limits";
import { TypeMark } from "./type-mark";
import type { Workbench } from "./workbench";

/** The panel Explore has the types with their colours, and Analysis the communities. */
export function Legend({ bench }: { bench: Workbench }) {
  const { data } = useStore(bench.shown);
  const groups = useStore(bench.groups);
  const panel = useStore(bench.panel);
  useStore(bench.revision);
  if (data.nodes.size === 0) return null;
  if (groups !== null) {
    return panel === "analysis" ? null : <p class="legend">Colours show {groups.groups.length === 1 ? "1 community" : `${count(groups.groups.length)} communities`}</p>;
  }
  if (panel === "explore") return null;
  const types = data.typeCounts();
  return (
    <ul class="legend" aria-label="Colours of types">
      {types.slice(0, LEGEND_ROWS).map(({ key, name }) => (
        <li key={key}><TypeMark colour={bench.colours.of(name)} /> <span class="ellipsis">{name}</span></li>
      ))}
      {types.length > LEGEND_ROWS && <li class="note">{types.length - LEGEND_ROWS} more</li>}
    </ul>
  );
}
