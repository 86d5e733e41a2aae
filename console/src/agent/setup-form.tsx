// The form that says who asks, and about which tables.

import { useId, useState } from "preact/hooks";
import { useStore } from "../shared/store";
import type { Desk } from "./desk";
import { targetInWords } from "./model";
import { effective, keepSetup, setup } from "./setup";

/** One line of what is chosen, and the form behind it. It is open until somebody chose. */
export function SetupForm({ desk }: { desk: Desk }) {
  const state = useStore(desk.live.thread);
  const current = effective(useStore(setup), desk.thread, state);
  const [isOpen, setOpen] = useState(false);
  if (current.target === null || isOpen) return <Form desk={desk} onDone={() => setOpen(false)} canClose={current.target !== null} />;
  return (
    <div class="setup-line">
      <p>
        Asking the {targetInWords(current.target)}
        {current.businessId !== "" && <> for <strong>{current.businessId}</strong></>}
        {current.userId !== "" && <> as <strong>{current.userId}</strong></>}
      </p>
      <button type="button" class="quiet small" onClick={() => setOpen(true)}>Change</button>
    </div>
  );
}

function Form({ desk, onDone, canClose }: { desk: Desk; onDone(): void; canClose: boolean }) {
  const state = desk.live.thread.get();
  const first = desk.setup;
  const [kind, setKind] = useState<"session" | "persistent">(first.target === "persistent" ? "persistent" : "session");
  const [session, setSession] = useState(first.target !== null && first.target !== "persistent" ? first.target.session : "");
  const [businessId, setBusiness] = useState(first.businessId);
  const [userId, setUser] = useState(first.userId);
  const id = useId();
  const save = (event: Event) => {
    event.preventDefault();
    keepSetup({ thread: desk.thread, target: kind === "persistent" ? kind : { session: session.trim() }, businessId: businessId.trim(), userId: userId.trim() });
    onDone();
    document.querySelector<HTMLElement>("#question")?.focus();
  };
  return (
    <form class="setup" aria-labelledby={id} onSubmit={save}>
      <h2 id={id}>Who asks, and about which tables</h2>
      <fieldset>
        <legend>Tables</legend>
        <label class="choice"><input type="radio" name="tables" checked={kind === "session"} onChange={() => setKind("session")} /> Of a session</label>
        <label class="choice"><input type="radio" name="tables" checked={kind === "persistent"} onChange={() => setKind("persistent")} /> The persistent ones</label>
      </fieldset>
      <div class="setup-fields">
        {kind === "session" && (
          <label class="field"><span>Session</span><input required pattern="[A-Za-z0-9._:\-]{1,128}" title="1 to 128 of the characters A-Z a-z 0-9 . _ : -" autocomplete="off" autocapitalize="none" spellcheck={false} value={session} onInput={(event) => setSession(event.currentTarget.value)} /></label>
        )}
        <label class="field"><span>Business</span><input maxLength={128} autocomplete="off" autocapitalize="none" spellcheck={false} readOnly={state !== null} value={businessId} onInput={(event) => setBusiness(event.currentTarget.value)} /></label>
        <label class="field"><span>User</span><input maxLength={128} autocomplete="off" autocapitalize="none" spellcheck={false} value={userId} onInput={(event) => setUser(event.currentTarget.value)} /></label>
      </div>
      <p class="note">
        {state === null ? "Statements see the rows of the business only. " : "The business of a thread is that of its first question. "}
        Leave Business and User empty where your access token names them. All of this stays in this tab.
      </p>
      <div class="row">
        <button type="submit" class="primary">Use these</button>
        {canClose && <button type="button" onClick={onDone}>Cancel</button>}
      </div>
    </form>
  );
}
