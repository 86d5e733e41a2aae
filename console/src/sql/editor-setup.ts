// The setup of the SQL editor: CodeMirror with SQLite's words, completion from the schema, colours
// of both themes, and the mark of a failure.
//
// The editor lives in a shadow root, so its style sheets are constructed ones, which the
// Content-Security-Policy allows.

import { autocompletion, closeBrackets, closeBracketsKeymap, closeCompletion, completionKeymap, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { sql, SQLDialect, SQLite } from "@codemirror/lang-sql";
import { bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, Prec, StateEffect, StateField, type Extension } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, placeholder, type DecorationSet } from "@codemirror/view";
import { colours } from "./colours";
import { hiddenCharacters } from "./hidden-characters";
import { KEYWORDS } from "./keywords";
import { namedTables, quoteName, statementAt, type Range } from "./sql-text";

/** A table for completion. */
export interface KnownTable {
  name: string;
  columns: readonly { name: string; type: string }[] | null;
}

const look = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "13.5px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { minHeight: "108px", maxHeight: "38vh", overflow: "auto", fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { padding: "8px 0", caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--muted)", border: "0" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "var(--sunken)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--code-selection)" },
  ".cm-placeholder": { color: "var(--muted)" },
  ".cm-failure": { textDecoration: "underline wavy var(--danger) 1.5px", textUnderlineOffset: "4px", backgroundColor: "var(--danger-tint)" },
  ".cm-tooltip": { border: "1px solid var(--line)", borderRadius: "6px", backgroundColor: "var(--raised)", boxShadow: "0 6px 20px var(--shadow)", overflow: "hidden" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "13px", maxHeight: "15em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 10px", color: "var(--text)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { color: "inherit", opacity: "0.8", fontStyle: "normal", marginLeft: "1.5em" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-tint)", color: "inherit" },
});

/** Sets the mark of a failure, or removes it. */
export const markFailure = StateEffect.define<Range | null>();

const failureMark = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { docChanged, effects }) {
    for (const effect of effects) {
      if (!effect.is(markFailure)) continue;
      const range = effect.value;
      return range === null || range.from === range.to ? Decoration.none : Decoration.set(Decoration.mark({ class: "cm-failure" }).range(range.from, range.to));
    }
    // An edit corrects a failure, or moves it away from its mark.
    return docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/**
 * SQLite's words (sqlite.org/lang_keywords.html) and no others: CodeMirror's own list has those of
 * the standard, including `year`.
 */
const DIALECT = SQLDialect.define({
  ...SQLite.spec,
  keywords: KEYWORDS,
  types: "blob integer int numeric real text any",
  builtin: "",
});

/**
 * Replaces a selection by typed text without the browser's help. Chromium would give the typed text
 * the colour of the old text, by a `style` attribute, which the Content-Security-Policy forbids.
 */
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to, empty } = view.state.selection.main;
    const text = event.data;
    if (empty || event.inputType !== "insertText" || event.isComposing || text === null || view.state.readOnly) return false;
    const insert = () => view.state.update(view.state.replaceSelection(text), { userEvent: "input.type", scrollIntoView: true });
    if (!view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, insert))) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});

/**
 * Leaving the editor ends completion, even one that is still loading: its list would appear later
 * and cover the page.
 */
const endCompletionOnBlur = EditorView.domEventHandlers({
  blur(_, view) {
    // The editor may lose the focus while it is being updated.
    setTimeout(() => closeCompletion(view));
  },
});

/**
 * Completes tables, aliases and keywords by CodeMirror, and the columns of the tables in the
 * statement by this page.
 */
function language(tables: readonly KnownTable[]): Extension {
  const schema = Object.fromEntries(tables.map(({ name, columns }) => [quoteName(name), (columns ?? []).map((column) => quoteName(column.name))]));
  return [sql({ dialect: DIALECT, schema, upperCaseKeywords: true }), DIALECT.language.data.of({ autocomplete: (context: CompletionContext) => columnsFor(context, tables) })];
}

function columnsFor(context: CompletionContext, tables: readonly KnownTable[]): CompletionResult | null {
  const word = context.matchBefore(/["\p{L}\p{N}_]*/u);
  if (word === null || (word.from === word.to && !context.explicit)) return null;
  // After a dot only CodeMirror's own completion knows the table of the columns.
  if (context.state.sliceDoc(word.from - 1, word.from) === ".") return null;
  const text = context.state.doc.toString();
  const statement = statementAt(text, context.pos);
  const named = statement === null ? [] : namedTables(text.slice(statement.from, statement.to)).map((name) => name.toLowerCase());
  const options = tables.filter(({ name }) => named.includes(name.toLowerCase())).flatMap(({ name, columns }) =>
    (columns ?? []).map((column): Completion => ({ label: quoteName(column.name), type: "property", detail: `${column.type.toLowerCase()} ${name}`.trim(), boost: 1 })),
  );
  return options.length === 0 ? null : { from: word.from, options, validFor: /^["\p{L}\p{N}_]*$/u };
}

export interface EditorOptions {
  parent: HTMLElement;
  root: ShadowRoot;
  text: string;
  tables: readonly KnownTable[];
  onRun(): void;
  onChange(text: string): void;
}

/** Makes an editor, and a function that updates its schema. */
export function makeEditor({ parent, root, text, tables, onRun, onChange }: EditorOptions): { view: EditorView; learn(tables: readonly KnownTable[]): void } {
  const schema = new Compartment();
  const run = { key: "Mod-Enter", preventDefault: true, run: (target: EditorView) => (closeCompletion(target), onRun(), true) };
  const extensions: Extension = [
    Prec.highest(keymap.of([run])),
    lineNumbers(),
    history(),
    drawSelection(),
    highlightActiveLine(),
    bracketMatching(),
    closeBrackets(),
    // A shown completion can be accepted at once: after a pause, Enter would mean something else
    // for a moment.
    autocompletion({ icons: false, interactionDelay: 0 }),
    placeholder("SELECT …"),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": "SQL editor", spellcheck: "false", autocapitalize: "none" }),
    // Tab leaves the editor, so that the keyboard is not trapped in it.
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
    syntaxHighlighting(colours),
    hiddenCharacters,
    look,
    failureMark,
    typeOverSelection,
    endCompletionOnBlur,
    EditorView.updateListener.of(({ docChanged, state }) => docChanged && onChange(state.doc.toString())),
    schema.of(language(tables)),
  ];
  const view = new EditorView({ parent, root, state: EditorState.create({ doc: text, extensions }) });
  return { view, learn: (known) => view.dispatch({ effects: schema.reconfigure(language(known)) }) };
}
