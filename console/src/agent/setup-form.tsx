// The form that sets the person who asks, and the tables.

import { useId, useState } from "preact/hooks";
import { recentSessions } from "../home/requests";
import { NAME_PATTERN, NAME_RULE } from "../home/route";
import { useLoaded } from "../shared/loading";
import { useStore } from "../shared/store";
import { token } from "../shared/token";
import type { Desk } from "./desk";
import { targetInWords, type Target } from "./model";
import { deployment, effective, isReady, keepSetup, NOBODY, setup } from "./setup";

/**
 * Shows a line with the choices, and the form when it is opened. It is open as long as something is
 * missing.
 */
export function SetupForm({ desk }: { desk: Desk }) {
  const state = useStore(desk.live.thread);
  const settings = useStore(deployment);
  const current = effective(useStore(setup), desk.thread, state);
  const isLoading = useStore(desk.live.state).kind === "loading";
  const [isOpen, setOpen] = useState(false);
  if (isLoading || settings === null) return null;
  const isComplete = isReady(current, state, settings);
  if (!isComplete || isOpen || current.target === null) return <Form desk={desk} onDone={() => setOpen(false)} canClose={isComplete} />;
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

/** The other values in the list of tables. They contain blanks, which names of sessions do not. */
const PERSISTENT = "the persistent tables";
const OTHER = "another session";

function choiceOf(target: Target | null): string | null {
  return target === null ? null : target === "persistent" ? PERSISTENT : target.session;
}

function Form({ desk, onDone, canClose }: { desk: Desk; onDone(): void; canClose: boolean }) {
  const first = desk.setup;
  const known = useStore(token);
  const sessions = useLoaded(recentSessions, known ?? "");
  const names = (sessions.data ?? []).map(({ name }) => name);
  const linked = choiceOf(first.target);
  const listed = linked === null || linked === PERSISTENT || names.includes(linked) ? names : [linked, ...names];
  const [chosen, setChosen] = useState(linked);
  const [typed, setTyped] = useState("");
  const [businessId, setBusiness] = useState(first.businessId);
  const [userId, setUser] = useState(first.userId);
  const id = useId();
  const choice = chosen ?? listed[0] ?? OTHER;
  const save = (event: Event) => {
    event.preventDefault();
    const target = choice === PERSISTENT ? "persistent" : { session: choice === OTHER ? typed.trim() : choice };
    const business = businessId.trim();
    keepSetup({ thread: desk.thread, target, businessId: business, userId: userId.trim() || NOBODY, isBusinessOfToken: known !== null && business === "" });
    onDone();
    document.querySelector<HTMLElement>("#question")?.focus();
  };
  if (sessions.data === null && sessions.error === null) return null;
  return (
    <form class="setup" aria-labelledby={id} onSubmit={save}>
      <h2 id={id}>Who asks, and about which tables</h2>
      <div class="setup-fields">
        <label class="field">
          <span>Session</span>
          <select value={choice} onChange={(event) => setChosen(event.currentTarget.value)}>
            {listed.map((name) => <option key={name} value={name}>{name}</option>)}
            <option value={OTHER}>Another session…</option>
            <option value={PERSISTENT}>The persistent tables</option>
          </select>
        </label>
        {choice === OTHER && (
          <label class="field"><span>Session</span><input required pattern={NAME_PATTERN} title={NAME_RULE} autocomplete="off" autocapitalize="none" spellcheck={false} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} /></label>
        )}
        <label class="field"><span>Your name</span><input maxLength={128} autocomplete="off" autocapitalize="none" spellcheck={false} value={userId} onInput={(event) => setUser(event.currentTarget.value)} /></label>
      </div>
      {listed.length === 0 && sessions.data !== null && <p class="note">There are no sessions yet. <a href="/">Begin one</a> and load a file into it.</p>}
      <Business desk={desk} value={businessId} canBeEmpty={known !== null} onInput={setBusiness} />
      <div class="row">
        <button type="submit" class="primary">Use these</button>
        {canClose && <button type="button" onClick={onDone}>Cancel</button>}
      </div>
    </form>
  );
}

interface BusinessProps {
  desk: Desk;
  value: string;
  /** True if an access token may name it instead. */
  canBeEmpty: boolean;
  onInput(value: string): void;
}

/**
 * Shows the field of the business: open if one is required or chosen, else folded away. A thread
 * keeps that of its first question.
 */
function Business({ desk, value, canBeEmpty, onInput }: BusinessProps) {
  const state = useStore(desk.live.thread);
  const { businessRequired } = useStore(deployment) ?? {};
  const [wasChosen] = useState(value !== "");
  if (state !== null) {
    if (state.values.businessId === null) return null;
    return <p class="note">The thread sees the rows of <strong>{state.values.businessId}</strong> only, as its first question did.</p>;
  }
  const isRequired = businessRequired === true;
  const field = (
    <>
      <label class="field"><span>Business</span><input required={isRequired && !canBeEmpty} maxLength={128} autocomplete="off" autocapitalize="none" spellcheck={false} value={value} onInput={(event) => onInput(event.currentTarget.value)} /></label>
      <p class="note">
        Statements see the rows of this business only, by the column that names the business of a row.
        {isRequired && canBeEmpty && " Leave it empty if your access token names it."}
      </p>
    </>
  );
  if (isRequired || wasChosen) return field;
  return (
    <details class="setup-more">
      <summary>Only rows of one business</summary>
      <div class="past-body">{field}</div>
    </details>
  );
}
