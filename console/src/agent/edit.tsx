// The form that replaces a pending statement. The editor is loaded when it is needed, because it is
// larger than the rest of the page.

import { useEffect, useRef, useState } from "preact/hooks";
import { showError } from "../shared/toast";
import type { EditorHandle } from "../sql/editor";
import type { KnownTable } from "../sql/editor-setup";
import { DiffView } from "./diff-view";
import type { Approval } from "./model";

type EditorModule = typeof import("../sql/editor");

interface EditProps {
  approval: Approval;
  isBusy: boolean;
  onCancel(): void;
  onSend(sql: string): void;
}

export function Edit({ approval, isBusy, onCancel, onSend }: EditProps) {
  const [loaded, setLoaded] = useState<EditorModule | null>(null);
  const [text, setText] = useState(approval.sql);
  const [tables] = useState<readonly KnownTable[]>(() => (approval.tables ?? []).map(({ name }) => ({ name, columns: null })));
  const block = useRef<HTMLDivElement>(null);
  useEffect(() => {
    import("../sql/editor").then(setLoaded, showError);
  }, []);
  const isChanged = text.trim() !== "" && text !== approval.sql;
  const send = () => {
    if (isChanged && !isBusy) onSend(text);
  };
  const ready = (handle: EditorHandle) => handle.focus();
  useEffect(() => block.current?.scrollIntoView({ block: "nearest" }), [loaded, isChanged]);
  return (
    <div class="edit" ref={block}>
      {loaded === null ? <p class="muted" role="status">Loading the editor…</p> : <loaded.Editor text={text} tables={tables} onReady={ready} onRun={send} onChange={setText} />}
      {isChanged && (
        <>
          <h4>What you change</h4>
          <DiffView before={approval.sql} after={text} />
        </>
      )}
      <p class="note">The edited statement is checked like the first one, and waits for a decision of its own.</p>
      <div class="row wrap">
        <button type="button" class="primary" disabled={!isChanged || isBusy} onClick={send}>Check the edited statement</button>
        <button type="button" onClick={onCancel}>Cancel</button>
      </div>
    </div>
  );
}
