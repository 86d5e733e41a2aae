// The field of the question.

import { useEffect, useRef } from "preact/hooks";
import { Failure } from "../shared/failure";
import { useStore } from "../shared/store";
import type { Desk } from "./desk";
import { forPerson } from "./for-person";
import { SendIcon } from "./icons";
import { COMPOSER_LINES, QUESTION_CHARACTERS } from "./limits";
import { deployment, effective, isReady, setup } from "./setup";

export function Composer({ desk }: { desk: Desk }) {
  const text = useStore(desk.draft);
  const busy = useStore(desk.busy);
  const unsent = useStore(desk.unsent);
  const state = useStore(desk.live.thread);
  const settings = useStore(deployment);
  const canAsk = settings !== null && isReady(effective(useStore(setup), desk.thread, state), state, settings);
  const field = useRef<HTMLTextAreaElement>(null);
  const isRunning = state !== null && state.next.length > 0 && state.pending === null;
  const canSend = canAsk && busy === null && !isRunning && text.trim() !== "";
  useEffect(() => {
    const element = field.current;
    if (element === null) return;
    element.rows = 1;
    const lineHeight = Number.parseFloat(getComputedStyle(element).lineHeight) || 20;
    element.rows = Math.max(1, Math.min(COMPOSER_LINES, Math.floor(element.scrollHeight / lineHeight)));
  }, [text]);
  const send = async () => {
    if (!canSend) return;
    const asked = text.trim();
    if ((await desk.ask(asked)) && desk.draft.get().trim() === asked) desk.draft.set("");
    // A person who moved on, for example to edit the statement, keeps the focus.
    const focused = document.activeElement;
    if (focused !== document.body && field.current?.form?.contains(focused) !== true) return;
    // The statement may arrive before the page knows that the question was accepted. Its card then
    // left the focus to the question.
    const card = document.querySelector<HTMLElement>(".statement.is-pending");
    if (card !== null && desk.draft.get() === "") card.focus();
    else field.current?.focus();
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {unsent !== null && (
        <Failure error={forPerson(unsent.error)}>
          <button type="button" class="small" onClick={() => void desk.ask(unsent.input).then((sent) => sent && desk.draft.get().trim() === unsent.input && desk.draft.set(""))}>Send again</button>
        </Failure>
      )}
      <div class="composer-line">
        <textarea
          id="question"
          ref={field}
          rows={1}
          aria-label="Question"
          placeholder={settings !== null && !canAsk ? "Say above which tables you ask" : "Ask about your tables"}
          maxLength={QUESTION_CHARACTERS}
          value={text}
          onInput={(event) => desk.draft.set(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            void send();
          }}
        />
        <button type="submit" class="primary icon-only" aria-label="Send" title="Send (Enter)" disabled={!canSend}><SendIcon /></button>
      </div>
      <p class="note composer-note">
        {isRunning ? "The agent is still working on the previous question." : state?.pending != null ? "A new question replaces the pending statement, which will not run." : "Enter sends, Shift with Enter begins a line."}
      </p>
    </form>
  );
}
