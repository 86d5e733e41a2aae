// The SQL editor as a component. Its text is its own; the page reads and changes it through
// `EditorHandle`.

import { useEffect, useRef } from "preact/hooks";
import type { EditorView } from "@codemirror/view";
import { makeEditor, markFailure, type KnownTable } from "./editor-setup";
import { statementAt, statements, type Range } from "./sql-text";

export interface EditorHandle {
  /** The text that a run would send: the selection, or the statement at the cursor. */
  current(): (Range & { sql: string }) | null;
  /** Underlines a part; null removes the line. */
  mark(range: Range | null): void;
  /** Replaces a part and takes the focus. */
  replace(range: Range, text: string): void;
  /** Replaces everything, or adds a statement after the last one. */
  append(statement: string): void;
  focus(): void;
}

interface EditorProps {
  text: string;
  tables: readonly KnownTable[];
  onReady(handle: EditorHandle): void;
  onRun(): void;
  onChange(text: string): void;
}

export function Editor({ text, tables, onReady, onRun, onChange }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<ReturnType<typeof makeEditor> | null>(null);
  // The editor is made once; it calls the functions of the last rendering.
  const calls = useRef({ onRun, onChange });
  calls.current = { onRun, onChange };
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const parent = root.appendChild(document.createElement("div"));
    const made = makeEditor({ parent, root, text, tables, onRun: () => calls.current.onRun(), onChange: (changed) => calls.current.onChange(changed) });
    editor.current = made;
    onReady(handleOf(made.view));
    return () => {
      made.view.destroy();
      parent.remove();
      editor.current = null;
    };
  }, []);
  useEffect(() => editor.current?.learn(tables), [tables]);
  return <div ref={host} class="editor" />;
}

function handleOf(view: EditorView): EditorHandle {
  const whole = () => view.state.doc.toString();
  return {
    current() {
      const { from, to, head } = view.state.selection.main;
      const range = from === to ? statementAt(whole(), head) : { from, to };
      return range === null ? null : { ...range, sql: whole().slice(range.from, range.to) };
    },
    mark: (range) => view.dispatch({ effects: markFailure.of(range) }),
    replace({ from, to }, text) {
      view.dispatch({ changes: { from, to, insert: text }, selection: { anchor: from + text.length } });
      view.focus();
    },
    append(statement) {
      const text = whole();
      const last = statements(text).at(-1);
      const kept = last === undefined ? "" : `${text.slice(0, last.to)};\n\n`;
      view.dispatch({ changes: { from: 0, to: text.length, insert: kept + statement }, selection: { anchor: kept.length + statement.length }, scrollIntoView: true });
      view.focus();
    },
    focus: () => view.focus(),
  };
}
