// The panel Analysis: sizes by centrality, colours by community, the found path, and figures of the
// structure.

import { useState } from "preact/hooks";
import { count, counted, numbers } from "../shared/format";
import { CloseIcon } from "../shared/icons";
import { formatJson, type Json } from "../shared/json";
import { useStore } from "../shared/store";
import { colourByCommunity, findPath, sizeByCentrality } from "./analysis";
import { labelOf } from "./card-parts";
import { communityColour } from "./colours";
import { MEASURES, type Measure } from "./model";
import { TypeMark } from "./type-mark";
import type { Workbench } from "./workbench";

const NAMES: Readonly<Record<Measure, string>> = {
  degree: "Degree", betweenness: "Betweenness", closeness: "Closeness", harmonic: "Harmonic closeness", eigenvector: "Eigenvector", pagerank: "PageRank",
};

/** The communities that the legend lists; further ones repeat the colours. */
const LISTED_GROUPS = 12;
/** The digits beyond which two scores look the same. */
const DIGITS = 4;

const rounded = numbers({ maximumSignificantDigits: DIGITS });

export function AnalysisPanel({ bench }: { bench: Workbench }) {
  return (
    <>
      <Centrality bench={bench} />
      <Communities bench={bench} />
      <PathFinder bench={bench} />
      <Structure bench={bench} />
    </>
  );
}

function Centrality({ bench }: { bench: Workbench }) {
  const sizes = useStore(bench.sizes);
  return (
    <section>
      <label class="field">
        <span>Size by</span>
        <select value={sizes?.measure ?? ""} onChange={(event) => void sizeByCentrality(bench, event.currentTarget.value === "" ? null : (event.currentTarget.value as Measure))}>
          <option value="">One size</option>
          {MEASURES.map((measure) => <option key={measure} value={measure}>{NAMES[measure]}</option>)}
        </select>
      </label>
      {sizes !== null && (
        <>
          <Age bench={bench} version={sizes.version} again={() => sizeByCentrality(bench, sizes.measure)} />
          {sizes.sampled && <p class="note">Estimated from a sample of the nodes.</p>}
          <ol class="ranking">
            {sizes.top.map(({ id, label, score }) => (
              <li key={id}>
                <button type="button" class="quiet small" onClick={() => bench.goTo({ kind: "node", id })}>{label}</button>
                <span class="filter-count">{rounded(score)}</span>
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

function Communities({ bench }: { bench: Workbench }) {
  const groups = useStore(bench.groups);
  return (
    <section>
      <label class="check">
        <input type="checkbox" checked={groups !== null} onChange={(event) => void colourByCommunity(bench, event.currentTarget.checked)} /> Colour by community
      </label>
      {groups !== null && (
        <>
          <Age bench={bench} version={groups.version} again={() => colourByCommunity(bench, true)} />
          <p class="note">{groups.groups.length === 1 ? "1 community" : `${count(groups.groups.length)} communities`}, modularity {rounded(groups.modularity)}</p>
          <ul class="ranking">
            {groups.groups.slice(0, LISTED_GROUPS).map(({ size, first }, index) => (
              <li key={index}>
                <span class="ranking-name"><TypeMark colour={communityColour(index)} /> {size === 1 ? first : `${first} and ${size - 1} more`}</span>
                <span class="filter-count">{count(size)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Age({ bench, version, again }: { bench: Workbench; version: number; again(): Promise<void> }) {
  const now = useStore(bench.live.metadata).version;
  if (now === version) return null;
  return <p class="note">As of version {version}. <button type="button" class="quiet small" onClick={() => void again()}>Compute again</button></p>;
}

function PathFinder({ bench }: { bench: Workbench }) {
  const { nodes } = useStore(bench.selected);
  const { data, version } = useStore(bench.shown);
  const path = useStore(bench.path);
  const [from, to] = nodes;
  return (
    <section>
      <h3>Path</h3>
      {path === null ? (
        nodes.length === 2 && from !== undefined && to !== undefined ? (
          <button type="button" disabled={version !== null} onClick={() => void findPath(bench, from, to)}>From {labelOf(data, from)} to {labelOf(data, to)}</button>
        ) : (
          <p class="note">Select two nodes (Shift and click, or Space in the graph) to find the shortest path between them.</p>
        )
      ) : (
        <>
          <p class="panel-line">
            {counted(path.length, "edge")} <button type="button" class="quiet icon-only small" aria-label="Clear the path" onClick={() => bench.path.set(null)}><CloseIcon /></button>
          </p>
          <ol class="path">
            {path.labels.map((label, index) => <li key={index}>{label}</li>)}
          </ol>
        </>
      )}
    </section>
  );
}

function Structure({ bench }: { bench: Workbench }) {
  const [numbers, setNumbers] = useState<{ version: number; rows: readonly (readonly [string, string])[] } | null>(null);
  const compute = async () => {
    const { version } = bench.live.metadata.get();
    const result = await bench.run(() => bench.client.structure(), "Computing the structure…");
    if (result !== undefined) setNumbers({ version, rows: rowsOf(result.data) });
  };
  return (
    <section>
      <h3>Structure</h3>
      {numbers === null ? (
        <button type="button" onClick={() => void compute()}>Compute</button>
      ) : (
        <>
          <Age bench={bench} version={numbers.version} again={compute} />
          <dl class="numbers">
            {numbers.rows.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </section>
  );
}

/** Renders the values of the analysis in words: the length of a list, the values of an object. */
function rowsOf(values: Record<string, Json>, prefix = ""): [string, string][] {
  return Object.entries(values).flatMap(([name, value]): [string, string][] => {
    const words = `${prefix}${name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase()}`;
    if (value === null) return [[words, "none"]];
    if (typeof value === "number") return [[words, Number.isInteger(value) ? count(value) : rounded(value)]];
    if (typeof value === "boolean") return [[words, value ? "yes" : "no"]];
    if (typeof value === "string") return [[words, value]];
    if (Array.isArray(value)) return [[words, `${value.length} listed`]];
    return typeof value === "bigint" ? [[words, formatJson(value)]] : prefix === "" ? rowsOf(value, `${words}: `) : [];
  });
}
