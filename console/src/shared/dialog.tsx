// Dialogs: a component for those with a form, and `confirm` for a yes or no. All are the browser's
// own modal `<dialog>`: it keeps the focus inside, closes on Escape, and returns the focus.

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { createStore, useStore } from "./store";

interface DialogProps {
  title: string;
  /** Called when the person closes it, by Escape too. */
  onClose(): void;
  children: ComponentChildren;
  /** True for a dialog with room for tables. */
  wide?: boolean;
}

/** A modal dialog, open as long as it is rendered. */
export function Dialog({ title, onClose, children, wide = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const label = useId();
  // Before the next painting, and before the dialog leaves the page, so that the next key already
  // reaches the dialog, or the element that had the focus.
  useLayoutEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? "dialog dialog-wide" : "dialog"}
      aria-labelledby={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={label}>{title}</h2>
      {children}
    </dialog>
  );
}

interface Question {
  title: string;
  text: string;
  /** The text of the button, a verb: "Delete". */
  action: string;
  /** True if it cannot be undone. */
  danger?: boolean;
}

const asked = createStore<(Question & { answer(yes: boolean): void }) | null>(null);

/** Asks a yes-or-no question; returns false if the person closes the dialog. */
export function confirm(question: Question): Promise<boolean> {
  asked.get()?.answer(false);
  return new Promise((resolve) => {
    asked.set({
      ...question,
      answer(yes) {
        asked.set(null);
        resolve(yes);
      },
    });
  });
}

/** The place of `confirm`'s questions; the shell has one. */
export function Confirmations() {
  const question = useStore(asked);
  if (question === null) return null;
  return (
    <Dialog title={question.title} onClose={() => question.answer(false)}>
      <p>{question.text}</p>
      <div class="dialog-actions">
        <button type="button" onClick={() => question.answer(false)}>Cancel</button>
        <button type="button" class={question.danger === true ? "danger" : "primary"} onClick={() => question.answer(true)}>{question.action}</button>
      </div>
    </Dialog>
  );
}
