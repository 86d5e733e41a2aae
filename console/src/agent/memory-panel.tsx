// The panel Memory: earlier questions with the statements that people approved for them. A writer
// gets those that resemble a question.

import { useEffect, useState } from "preact/hooks";
import { confirm } from "../shared/dialog";
import { Failure } from "../shared/failure";
import { counted, dateTime } from "../shared/format";
import { TrashIcon } from "../shared/icons";
import { usePages } from "../shared/loading";
import { useStore } from "../shared/store";
import { showError } from "../shared/toast";
import { SqlView } from "../sql/sql-view";
import { deletePair, pairs, pin } from "./client";
import type { Desk } from "./desk";
import { SEARCH_WAIT_MS } from "./limits";
import { targetInWords, type Pair } from "./model";
import { effective, setup } from "./setup";

export function MemoryPanel({ desk }: { desk: Desk }) {
  const state = useStore(desk.live.thread);
  const { target, businessId } = effective(useStore(setup), desk.thread, state);
  const [text, setText] = useState("");
  const [words, setWords] = useState("");
  const [onlyThese, setOnlyThese] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setWords(text.trim()), SEARCH_WAIT_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const lookup = { words, businessId, target: onlyThese ? target : null };
  // A reply may have made a new pair.
  const found = usePages((cursor) => pairs(lookup, cursor), JSON.stringify([lookup, state?.values.outcome ?? null, state?.checkpoint ?? 0]));
  const change = (work: Promise<void>) => void work.then(found.reload, showError);
  const remove = async (pair: Pair) => {
    if (await confirm({ title: "Delete from the memory", text: `Delete the statement for “${pair.question}”? The model will not see it again.`, action: "Delete", danger: true })) change(deletePair(pair.id));
  };
  return (
    <>
      <label class="field"><span>Search</span><input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
      {target !== null && <label class="choice"><input type="checkbox" checked={onlyThese} onChange={(event) => setOnlyThese(event.currentTarget.checked)} /> Only those of the {targetInWords(target)}</label>}
      {found.error !== null && <Failure error={found.error} />}
      {found.items?.length === 0 && <p class="note">{words === "" ? "Nothing yet. Statements of a language model or of a person appear here after they were approved and have run." : "No question has these words."}</p>}
      <ul class="pairs">
        {found.items?.map((pair) => <PairView key={pair.id} desk={desk} pair={pair} onPin={() => change(pin(pair.id, !pair.pinned))} onDelete={() => void remove(pair)} />)}
      </ul>
      {found.hasMore && <button type="button" disabled={found.busy} onClick={found.showMore}>Show more</button>}
    </>
  );
}

interface PairProps {
  desk: Desk;
  pair: Pair;
  onPin(): void;
  onDelete(): void;
}

function PairView({ desk, pair: { question, sql, explanation, uses, pinned, usedAt, session }, onPin, onDelete }: PairProps) {
  const ask = () => {
    desk.draft.set(question);
    document.querySelector<HTMLElement>("#question")?.focus();
  };
  return (
    <li class={pinned ? "pair is-pinned" : "pair"}>
      <p><strong>{question}</strong></p>
      <details>
        <summary>{counted(uses, "use")}, last <time dateTime={usedAt}>{dateTime(usedAt)}</time></summary>
        <p class="note">{explanation}{session !== null && ` Session ${session}.`}</p>
        <SqlView sql={sql} />
      </details>
      <div class="row wrap">
        <button type="button" class="small" aria-pressed={pinned} aria-label={`${pinned ? "Unpin" : "Pin"}: ${question}`} onClick={onPin}>{pinned ? "Unpin" : "Pin"}</button>
        <button type="button" class="small quiet" aria-label={`Ask this: ${question}`} onClick={ask}>Ask this</button>
        <button type="button" class="small quiet icon-only" aria-label={`Delete: ${question}`} title="Delete" onClick={onDelete}><TrashIcon /></button>
      </div>
    </li>
  );
}
