// Short messages at the edge of the page. News disappears by itself; an error stays until it is
// closed.

import { toApiError, isAbort } from "./api";
import { CloseIcon } from "./icons";
import { createStore, useStore } from "./store";

/** The time that news stays: enough to read twenty words. */
const NEWS_MS = 6_000;
/** The most messages at once; more would hide the page. */
const MOST = 4;

interface Toast {
  id: number;
  kind: "news" | "error";
  text: string;
  hint: string | undefined;
  code: string | undefined;
}

const toasts = createStore<readonly Toast[]>([]);
let lastId = 0;

function show(toast: Omit<Toast, "id">): number {
  lastId += 1;
  toasts.set([...toasts.get(), { ...toast, id: lastId }].slice(-MOST));
  return lastId;
}

function close(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

/** Shows a news message. */
export function news(text: string): void {
  const id = show({ kind: "news", text, hint: undefined, code: undefined });
  setTimeout(() => close(id), NEWS_MS);
}

/** Shows a failure, unless the person cancelled. */
export function showError(thrown: unknown): void {
  if (isAbort(thrown)) return;
  const { message, hint, code } = toApiError(thrown);
  show({ kind: "error", text: message, hint, code });
}

/** The place of messages; the shell has one. */
export function Toasts() {
  const shown = useStore(toasts);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map(({ id, kind, text, hint, code }) => (
        <div key={id} class={`toast toast-${kind}`}>
          <div class="toast-text">
            {code !== undefined && <code class="error-code">{code}</code>} {text}
            {hint !== undefined && <div class="hint">{hint}</div>}
          </div>
          <button type="button" class="quiet icon-only" aria-label="Close message" onClick={() => close(id)}><CloseIcon /></button>
        </div>
      ))}
    </div>
  );
}
