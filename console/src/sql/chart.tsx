// A result as a chart: bars, a line or dots, drawn as SVG.

import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { counted } from "../shared/format";
import type { Row } from "./values";
import { CHART_KINDS, choose, kindsOf, plot, type ChartKind, type Choice, type Plot, type Point } from "./chart-data";
import { numberScale, plainScale, timeScale, type Scale } from "./chart-scale";

interface ChartProps {
  columns: readonly string[];
  rows: readonly Row[];
}

export function ChartView({ columns, rows }: ChartProps) {
  const kinds = useMemo(() => kindsOf(columns, rows), [columns, rows]);
  const [choice, setChoice] = useState<Choice | null>(() => choose(columns, rows));
  useEffect(() => setChoice(choose(columns, rows)), [columns, rows]);
  if (choice === null) return <p class="empty">No column of this result has numbers to draw.</p>;
  // Until the effect has run, a choice may belong to the earlier result.
  if (choice.x >= columns.length || choice.y >= columns.length) return null;
  const options = columns.map((name, at) => ({ name, at }));
  const numbers = options.filter(({ at }) => kinds[at] === "number");
  return (
    <div class="chart">
      <div class="row wrap chart-choices">
        <label class="inline">Chart <select aria-label="Kind of chart" value={choice.kind} onChange={(event) => setChoice({ ...choice, kind: event.currentTarget.value as ChartKind })}>{CHART_KINDS.map((kind) => <option key={kind} value={kind}>{KIND_NAMES[kind]}</option>)}</select></label>
        <label class="inline">Across <select aria-label="Column across" value={choice.x} onChange={(event) => setChoice({ ...choice, x: Number(event.currentTarget.value) })}>{options.map(({ name, at }) => <option key={at} value={at}>{name}</option>)}</select></label>
        <label class="inline">Up <select aria-label="Column up" value={choice.y} onChange={(event) => setChoice({ ...choice, y: Number(event.currentTarget.value) })}>{numbers.map(({ name, at }) => <option key={at} value={at}>{name}</option>)}</select></label>
      </div>
      <Drawing plot={plot(rows, kinds, choice)} kind={choice.kind} x={columns[choice.x] ?? ""} y={columns[choice.y] ?? ""} />
    </div>
  );
}

/** Shows a chart with a given choice. */
export function ChosenChart({ columns, rows, choice }: ChartProps & { choice: Choice }) {
  const kinds = useMemo(() => kindsOf(columns, rows), [columns, rows]);
  return (
    <div class="chart">
      <Drawing plot={plot(rows, kinds, choice)} kind={choice.kind} x={columns[choice.x] ?? ""} y={columns[choice.y] ?? ""} />
    </div>
  );
}

const KIND_NAMES: Record<ChartKind, string> = { bar: "Bars", line: "Line", scatter: "Dots" };

/** The pixels around the drawing: room for the labels of the axes. */
const MARGIN = { top: 12, right: 16, bottom: 56, left: 64 };
const HEIGHT_PX = 340;
/** The room below which the label of a category is turned. */
const LEVEL_LABEL_PX = 72;
/** The room for each label of a category: turned texts need about a line each. */
const LABEL_EVERY_PX = 15;
const LABEL_CHARACTERS = 14;
/** The distance to the edge below which a label ends at its tick, so that all of it is visible. */
const HALF_LABEL_PX = 34;
/** The part of its room that a bar, or a group of them, takes. */
const BAR_SHARE = 0.76;
const DOT_PX = 3;
/** The number of series colours: `.series-0` and so on in sql.css. */
const SERIES_COLOURS = 8;
/** The number of dots above which they have no titles and are drawn as one path. */
const MOST_DOTS = 1_500;

interface DrawingProps {
  plot: Plot;
  kind: ChartKind;
  x: string;
  y: string;
}

function Drawing({ plot: drawn, kind, x, y }: DrawingProps) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(640);
  const id = useId();
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const watcher = new ResizeObserver(() => setWidth(Math.max(240, element.clientWidth)));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  const { points, categories, xKind, series, leftOut } = drawn;
  if (points.length === 0) return <p class="empty">No row has a value in both columns.</p>;

  const inner = { left: MARGIN.left, right: width - MARGIN.right, top: MARGIN.top, bottom: HEIGHT_PX - MARGIN.bottom };
  const vertical = numberScale(points.map((point) => point.y), kind === "bar");
  const horizontal = xKind === "time" ? timeScale(points.map((point) => point.x)) : kind === "line" ? plainScale(points.map((point) => point.x)) : numberScale(points.map((point) => point.x), false);
  const slot = (inner.right - inner.left) / Math.max(1, categories?.length ?? 1);
  const toX = (at: number) => (categories === null ? between(at, horizontal, inner.left, inner.right) : inner.left + (at + 0.5) * slot);
  const toY = (at: number) => between(at, vertical, inner.bottom, inner.top);
  const title = `${y} by ${x}`;
  const description = `${KIND_NAMES[kind]} of ${counted(points.length, "row")}. ${y} goes from ${vertical.label(lowest(points))} to ${vertical.label(highest(points))}.`;
  const labelOf = ({ x: at, series: of }: Point) => `${categories === null ? horizontal.label(at) : (categories[at] ?? "")}${series === null ? "" : `, ${series[of] ?? ""}`}`;
  const places = Array.from({ length: Math.max(1, series?.length ?? 1) }, (_, of) => of);
  const barWidth = (slot * BAR_SHARE) / places.length;

  return (
    <div ref={box} class="drawing">
      {series !== null && <ul class="legend">{series.map((name, of) => <li key={of}><span class={`swatch series-${of % SERIES_COLOURS}`} />{name}</li>)}</ul>}
      <svg viewBox={`0 0 ${width} ${HEIGHT_PX}`} width={width} height={HEIGHT_PX} role="img" aria-labelledby={`${id}-title ${id}-text`}>
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-text`}>{description}</desc>
        {vertical.ticks.map((tick) => (
          <g key={tick}>
            <line class="rule" x1={inner.left} x2={inner.right} y1={toY(tick)} y2={toY(tick)} />
            <text class="tick" x={inner.left - 8} y={toY(tick)} text-anchor="end" dominant-baseline="middle">{vertical.label(tick)}</text>
          </g>
        ))}
        {categories === null
          ? horizontal.ticks.map((tick) => <text key={tick} class="tick" x={toX(tick)} y={inner.bottom + 18} text-anchor={toX(tick) > width - HALF_LABEL_PX ? "end" : "middle"}>{horizontal.label(tick)}</text>)
          : <CategoryLabels categories={categories} slot={slot} toX={toX} bottom={inner.bottom} />}
        <text class="axis" x={(inner.left + inner.right) / 2} y={HEIGHT_PX - 4} text-anchor="middle">{x}</text>
        <text class="axis" text-anchor="middle" transform={`translate(14 ${(inner.top + inner.bottom) / 2}) rotate(-90)`}>{y}</text>
        {kind === "bar" && points.map((point) => {
          const [from, to] = [toY(Math.max(0, vertical.low)), toY(point.y)];
          return (
            <rect key={`${point.x} ${point.series}`} class={`bar series-${point.series % SERIES_COLOURS}`} x={toX(point.x) - (slot * BAR_SHARE) / 2 + point.series * barWidth} width={Math.max(1, barWidth)} y={Math.min(from, to)} height={Math.max(1, Math.abs(from - to))}>
              <title>{`${labelOf(point)}: ${point.y}`}</title>
            </rect>
          );
        })}
        {kind === "line" && places.map((of) => <path key={of} class={`line series-${of % SERIES_COLOURS}`} d={points.filter(({ series: own }) => own === of).map((point, at) => `${at === 0 ? "M" : "L"}${toX(point.x).toFixed(1)} ${toY(point.y).toFixed(1)}`).join("")} />)}
        {kind !== "bar" && <Dots points={points} toX={toX} toY={toY} labelOf={labelOf} small={kind === "line"} />}
      </svg>
      {leftOut > 0 && <p class="note">{counted(leftOut, "row")} left out: {categories !== null && categories.length < points.length + leftOut ? "the chart shows the first 60 with a value." : "a value is missing."}</p>}
    </div>
  );
}

interface DotsProps {
  points: Plot["points"];
  toX(at: number): number;
  toY(at: number): number;
  labelOf(point: Point): string;
  small: boolean;
}

function Dots({ points, toX, toY, labelOf, small }: DotsProps) {
  if (points.length > MOST_DOTS) {
    if (small) return null;
    return <path class="dots" d={points.map((point) => `M${toX(point.x).toFixed(1)} ${toY(point.y).toFixed(1)}h0`).join("")} />;
  }
  return (
    <>
      {points.map((point, at) => (
        <circle key={at} class={`dot series-${point.series % SERIES_COLOURS}`} cx={toX(point.x)} cy={toY(point.y)} r={small ? DOT_PX - 0.5 : DOT_PX}>
          <title>{`${labelOf(point)}: ${point.y}`}</title>
        </circle>
      ))}
    </>
  );
}

interface CategoryLabelsProps {
  categories: readonly string[];
  /** The pixels of one category. */
  slot: number;
  toX(at: number): number;
  bottom: number;
}

function CategoryLabels({ categories, slot, toX, bottom }: CategoryLabelsProps) {
  const every = Math.max(1, Math.ceil(LABEL_EVERY_PX / slot));
  const isLevel = slot >= LEVEL_LABEL_PX;
  return (
    <>
      {categories.map((name, at) => {
        if (at % every !== 0) return null;
        const text = name.length > LABEL_CHARACTERS ? `${name.slice(0, LABEL_CHARACTERS - 1)}…` : name;
        return isLevel
          ? <text key={at} class="tick" x={toX(at)} y={bottom + 18} text-anchor="middle">{text}</text>
          : <text key={at} class="tick" text-anchor="end" transform={`translate(${toX(at) + 4} ${bottom + 12}) rotate(-24)`}>{text}</text>;
      })}
    </>
  );
}

function between(value: number, { low, high }: Scale, from: number, to: number): number {
  return from + ((value - low) / (high - low || 1)) * (to - from);
}

function lowest(points: Plot["points"]): number {
  return points.reduce((least, { y }) => Math.min(least, y), Infinity);
}

function highest(points: Plot["points"]): number {
  return points.reduce((most, { y }) => Math.max(most, y), -Infinity);
}
