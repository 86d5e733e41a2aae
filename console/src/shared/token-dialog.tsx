// Asks for an access token if the deployment requires one. One dialog serves every request that
// waits for it.

import { useState } from "preact/hooks";
import type { ApiError } from "./api";
import { Dialog } from "./dialog";
import { createStore, useStore } from "./store";
import { setToken } from "./token";

const asked = createStore<{ error: ApiError; done(given: boolean): void } | null>(null);
let waiting: Promise<boolean> | null = null;

/** Asks for a token; returns true if the person entered one, which may still be wrong. */
export function askForToken(error: ApiError): Promise<boolean> {
  waiting ??= new Promise<boolean>((resolve) => {
    asked.set({
      error,
      done(given) {
        waiting = null;
        asked.set(null);
        resolve(given);
      },
    });
  });
  return waiting;
}

/** The place of the question; the shell has one. */
export function TokenQuestion() {
  const question = useStore(asked);
  const [text, setText] = useState("");
  if (question === null) return null;
  const { error, done } = question;
  return (
    <Dialog title="Access token" onClose={() => done(false)}>
      <p>
        <code class="error-code">{error.code}</code> {error.message}
      </p>
      {error.hint !== undefined && <p class="hint">{error.hint}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setToken(text.trim());
          setText("");
          done(true);
        }}
      >
        <label class="field">
          <span>Token</span>
          <input type="password" autocomplete="off" spellcheck={false} required autofocus value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <p class="note">The token stays in this tab until you close it. It is sent as a header only.</p>
        <div class="dialog-actions">
          <button type="button" onClick={() => done(false)}>Cancel</button>
          <button type="submit" class="primary" disabled={text.trim() === ""}>Continue</button>
        </div>
      </form>
    </Dialog>
  );
}
