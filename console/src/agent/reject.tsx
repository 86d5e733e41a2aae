// The form of the button Reject.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { REASON_CHARACTERS } from "./limits";

interface RejectProps {
  /** True if another statement can be written. */
  canRevise: boolean;
  isBusy: boolean;
  onCancel(): void;
  onSend(reason: string, revise: boolean): void;
}

export function Reject({ canRevise, isBusy, onCancel, onSend }: RejectProps) {
  const [reason, setReason] = useState("");
  const [revise, setRevise] = useState(canRevise);
  const field = useRef<HTMLTextAreaElement>(null);
  // Before the next painting, because a key may be pressed right after it.
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.form?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <form
      class="reject"
      onSubmit={(event) => {
        event.preventDefault();
        onSend(reason.trim(), revise);
      }}
    >
      <label class="field"><span>Reason</span><textarea ref={field} rows={2} maxLength={REASON_CHARACTERS} value={reason} onInput={(event) => setReason(event.currentTarget.value)} /></label>
      {canRevise && <label class="choice"><input type="checkbox" checked={revise} onChange={(event) => setRevise(event.currentTarget.checked)} /> Write another statement</label>}
      <div class="row wrap">
        <button type="submit" class="danger" disabled={isBusy}>{revise ? "Reject and write another one" : "Reject"}</button>
        <button type="button" onClick={onCancel}>Cancel</button>
      </div>
    </form>
  );
}
