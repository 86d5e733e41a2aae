// Rows as a table that renders only the visible ones: 10,000 rows scroll as well as ten. One cell
// has the cursor: arrows, Home, End, Page Up and Page Down move it, Enter or a double click shows
// its whole value, Ctrl or Cmd with C copies it.

import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Dialog } from "../shared/dialog";
import { showError } from "../shared/toast";
import { lookOf, roundedText, shortText, wholeText, type Row, type Value } from "./values";

/** The height of a row in pixels; `.grid td` has the same height. */
const ROW_PX = 28;
/**
 * The rows that are rendered above and below the visible ones, so that a scroll by keyboard shows
 * no gap.
 */
const SPARE_ROWS = 12;
/** The rows that determine the width of a column. */
const SAMPLE_ROWS = 200;
const PADDING_PX = 24;
const NARROWEST_PX = 64;
const WIDEST_PX = 340;
/** The size of the letters of `.grid`, in pixels. */
const LETTER_PX = 13;

interface GridProps {
  columns: readonly string[];
  rows: readonly Row[];
  /** The name of the rows, for screen readers. */
  label: string;
  /** True if numbers are rounded; the view of one value has it whole. */
  rounded?: boolean;
}

interface Place {
  row: number;
  column: number;
}

export function Grid({ columns, rows, label, rounded = false }: GridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const [view, setView] = useState({ top: 0, height: 0 });
  const [cursor, setCursor] = useState<Place>({ row: 0, column: 0 });
  const [opened, setOpened] = useState<Place | null>(null);
  const shown = rounded ? roundedText : shortText;
  const widths = useMemo(() => columns.map((name, at) => widthOf(name, rows, at, shown)), [columns, rows, shown]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const watcher = new ResizeObserver(measure);
    watcher.observe(element);
    measure();
    return () => watcher.disconnect();
  }, []);
  useEffect(() => {
    setCursor({ row: 0, column: 0 });
    scroller.current?.scrollTo({ top: 0, left: 0 });
  }, [rows]);

  const first = Math.max(0, Math.floor(view.top / ROW_PX) - SPARE_ROWS);
  const end = Math.min(rows.length, Math.ceil((view.top + view.height) / ROW_PX) + SPARE_ROWS);

  const move = (to: Place) => {
    const place = { row: clamp(to.row, rows.length), column: clamp(to.column, columns.length) };
    setCursor(place);
    bringIntoView(scroller.current, place, widths);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const value = rows[cursor.row]?.[cursor.column];
    if ((event.ctrlKey || event.metaKey) && event.key === "c" && value !== undefined && String(getSelection()) === "") {
      navigator.clipboard.writeText(wholeText(value)).catch(showError);
    } else if (event.key === "Enter") setOpened(cursor);
    else {
      const page = Math.max(1, Math.floor(view.height / ROW_PX) - 2);
      const to = moved(cursor, event, page, rows.length, columns.length);
      if (to === null) return;
      move(to);
    }
    event.preventDefault();
  };

  const openedValue = opened === null ? undefined : rows[opened.row]?.[opened.column];
  return (
    <>
      <div ref={scroller} class="grid-scroll" onScroll={(event) => setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })}>
        <table
          class="grid"
          role="grid"
          aria-label={label}
          aria-rowcount={rows.length + 1}
          aria-colcount={columns.length}
          aria-activedescendant={`${id}-${cursor.row}-${cursor.column}`}
          tabIndex={0}
          style={{ minWidth: `${widths.reduce((sum, width) => sum + width, 0)}px` }}
          onKeyDown={onKeyDown}
        >
          <colgroup>{widths.map((width, at) => <col key={at} style={at === widths.length - 1 ? {} : { width: `${width}px` }} />)}</colgroup>
          <thead>
            <tr aria-rowindex={1}>{columns.map((name, at) => <th key={at} scope="col" title={name} class={isNumber(rows, at) ? "number" : ""}>{name}</th>)}</tr>
          </thead>
          <tbody>
            {first > 0 && <tr aria-hidden="true" class="spacer" style={{ height: `${first * ROW_PX}px` }} />}
            {rows.slice(first, end).map((row, index) => (
              <tr key={first + index} aria-rowindex={first + index + 2}>
                {columns.map((_, column) => {
                  const value = row[column] ?? null;
                  const isHere = cursor.row === first + index && cursor.column === column;
                  return (
                    <td
                      key={column}
                      id={`${id}-${first + index}-${column}`}
                      class={`${lookOf(value)}${isHere ? " here" : ""}`}
                      aria-selected={isHere}
                      onMouseDown={() => setCursor({ row: first + index, column })}
                      onDblClick={() => setOpened({ row: first + index, column })}
                    >
                      {shown(value)}
                    </td>
                  );
                })}
              </tr>
            ))}
            {end < rows.length && <tr aria-hidden="true" class="spacer" style={{ height: `${(rows.length - end) * ROW_PX}px` }} />}
          </tbody>
        </table>
      </div>
      {opened !== null && openedValue !== undefined && (
        <ValueDialog title={`${columns[opened.column] ?? ""}, row ${opened.row + 1}`} value={openedValue} onClose={() => setOpened(null)} />
      )}
    </>
  );
}

function ValueDialog({ title, value, onClose }: { title: string; value: Value; onClose(): void }) {
  const text = wholeText(value);
  return (
    <Dialog title={title} onClose={onClose} wide>
      <pre class="whole-value" tabIndex={0}>{text}</pre>
      <div class="dialog-actions">
        <button type="button" onClick={() => navigator.clipboard.writeText(text).then(onClose, showError)}>Copy</button>
        <button type="button" class="primary" autofocus onClick={onClose}>Close</button>
      </div>
    </Dialog>
  );
}

function widthOf(name: string, rows: readonly Row[], column: number, shown: (value: Value) => string): number {
  const longest = rows.slice(0, SAMPLE_ROWS).reduce((found, row) => {
    const text = shown(row[column] ?? null);
    return text.length > found.length ? text : found;
  }, "");
  const text = Math.max(textWidth(name, 500), textWidth(longest, 400));
  return Math.ceil(Math.min(WIDEST_PX, Math.max(NARROWEST_PX, text + PADDING_PX)));
}

let measuring: CanvasRenderingContext2D | null = null;

/** Returns the width of a text in the table, in pixels. */
function textWidth(text: string, weight: number): number {
  measuring ??= document.createElement("canvas").getContext("2d");
  if (measuring === null) return WIDEST_PX;
  measuring.font = `${weight} ${LETTER_PX}px ${getComputedStyle(document.body).fontFamily}`;
  return measuring.measureText(text).width;
}

/** Returns true if a column is aligned to the right because its first value is a number. */
function isNumber(rows: readonly Row[], column: number): boolean {
  const value = rows.find((row) => row[column] !== null)?.[column];
  return value !== undefined && lookOf(value) === "number";
}

function clamp(at: number, length: number): number {
  return Math.max(0, Math.min(at, length - 1));
}

function moved({ row, column }: Place, { key, ctrlKey, metaKey }: KeyboardEvent, page: number, rows: number, columns: number): Place | null {
  const far = ctrlKey || metaKey;
  switch (key) {
    case "ArrowUp":
      return { row: far ? 0 : row - 1, column };
    case "ArrowDown":
      return { row: far ? rows : row + 1, column };
    case "ArrowLeft":
      return { row, column: far ? 0 : column - 1 };
    case "ArrowRight":
      return { row, column: far ? columns : column + 1 };
    case "Home":
      return { row: far ? 0 : row, column: 0 };
    case "End":
      return { row: far ? rows : row, column: columns };
    case "PageUp":
      return { row: row - page, column };
    case "PageDown":
      return { row: row + page, column };
    default:
      return null;
  }
}

/** Scrolls to a cell. The head covers the rows, so a row is visible only below it. */
function bringIntoView(element: HTMLElement | null, { row, column }: Place, widths: readonly number[]): void {
  if (element === null) return;
  const [top, bottom] = [row * ROW_PX, (row + 2) * ROW_PX];
  const left = widths.slice(0, column).reduce((sum, width) => sum + width, 0);
  const right = left + (widths[column] ?? 0);
  if (top < element.scrollTop) element.scrollTop = top;
  else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
  if (left < element.scrollLeft) element.scrollLeft = left;
  else if (right > element.scrollLeft + element.clientWidth) element.scrollLeft = right - element.clientWidth;
}
