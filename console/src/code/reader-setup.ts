// The setup of a read-only text: CodeMirror without a way to write, with the colours of both
// themes. Its text is the document of the editor and never HTML. It lives in a shadow root, so its
// style sheets are constructed ones, which the Content-Security-Policy allows.

import { StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, lineNumbers } from "@codemirror/view";
import { colours } from "../sql/colours";
import { hiddenCharacters } from "../sql/hidden-characters";
import { parserOf } from "./grammar";

const look = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "13px" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { overflow: "auto", fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { padding: "8px 0", outline: "none" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--muted)", border: "0" },
  ".cm-wanted": { backgroundColor: "var(--accent-tint)" },
});

export interface ReaderOptions {
  parent: HTMLElement;
  root: ShadowRoot;
  text: string;
  /** The path, whose ending selects the language. */
  path: string;
  label: string;
  /** The number of the first line. */
  firstLine: number;
  /** The line that is marked and scrolled into view, in the same numbers. */
  line: number | null;
}

export function makeReader({ parent, root, text, path, label, firstLine, line }: ReaderOptions): EditorView {
  const parser = parserOf(path);
  const extensions: Extension[] = [
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    // Focusable, so that the keyboard can scroll it.
    EditorView.contentAttributes.of({ "aria-label": label, "aria-readonly": "true", tabindex: "0" }),
    lineNumbers({ formatNumber: (number) => String(number + firstLine - 1) }),
    syntaxHighlighting(colours),
    hiddenCharacters,
    look,
  ];
  if (parser !== null) extensions.push(StreamLanguage.define(parser));
  const state = EditorState.create({ doc: text, extensions });
  const wanted = line === null ? 0 : line - firstLine + 1;
  if (wanted < 1 || wanted > state.doc.lines) return new EditorView({ parent, root, state });
  const { from } = state.doc.line(wanted);
  const mark = EditorView.decorations.of(Decoration.set(Decoration.line({ class: "cm-wanted" }).range(from)));
  return new EditorView({
    parent,
    root,
    state: EditorState.create({ doc: text, extensions: [...extensions, mark] }),
    scrollTo: EditorView.scrollIntoView(from, { y: "center" }),
  });
}
