// The page of one thread: the conversation, the question, and the panels beside it.

import type { ComponentChild } from "preact";
import { useEffect } from "preact/hooks";
import { confirm } from "../shared/dialog";
import { Failure } from "../shared/failure";
import { CloseIcon, TrashIcon } from "../shared/icons";
import { useStore } from "../shared/store";
import { showError } from "../shared/toast";
import { token } from "../shared/token";
import { visible } from "../shared/visible";
import { AuditPanel } from "./audit-panel";
import { Composer } from "./composer";
import type { Desk, Panel } from "./desk";
import { HistoryPanel, ShownBanner } from "./history-panel";
import { HistoryIcon, MemoryIcon, ShieldIcon } from "./icons";
import type { Link } from "./live";
import { MemoryPanel } from "./memory-panel";
import type { State } from "./model";
import { loadDeployment } from "./setup";
import { Announcements, Talk } from "./talk";

const PANELS: readonly { panel: Panel; text: string; icon: ComponentChild }[] = [
  { panel: "history", text: "History", icon: <HistoryIcon /> },
  { panel: "audit", text: "Audit", icon: <ShieldIcon /> },
  { panel: "memory", text: "Memory", icon: <MemoryIcon /> },
];

const LINKS: Readonly<Record<Link, string>> = { connecting: "Connecting…", live: "Live", broken: "Connection lost; trying again…", failed: "Not live" };

/** Returns the first question of the thread, because nobody needs its id. */
export function titleOf(state: State | null): string {
  return state === null ? "New question" : state.values.title || state.values.question;
}

export function AgentPage({ desk }: { desk: Desk }) {
  const state = useStore(desk.live.state);
  const shown = useStore(desk.shown);
  const panel = useStore(desk.panel);
  const known = useStore(token);
  useEffect(() => {
    void loadDeployment();
    void desk.live.open();
    return () => desk.live.close();
  }, [desk, known]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.closest("input, textarea, select, .editor, dialog") !== null;
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      document.querySelector<HTMLElement>("#question")?.focus();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  const title = titleOf(useStore(desk.live.thread));
  useEffect(() => {
    document.title = `${visible(title)} · Questions · Code Mode Database`;
  }, [title]);
  return (
    <div class="agent">
      <h1 class="visually-hidden">{title}</h1>
      <section class="agent-main" aria-label="Thread">
        <Announcements desk={desk} />
        <Tools desk={desk} />
        <ShownBanner desk={desk} />
        {state.kind === "failed" || state.kind === "deleted" ? <Ended desk={desk} /> : <Talk desk={desk} />}
        {shown === null && state.kind !== "failed" && state.kind !== "deleted" && <Composer desk={desk} />}
      </section>
      {panel !== null && <SidePanel desk={desk} panel={panel} />}
    </div>
  );
}

function Tools({ desk }: { desk: Desk }) {
  const panel = useStore(desk.panel);
  const link = useStore(desk.live.link);
  const state = useStore(desk.live.state);
  const remove = async () => {
    const text = "Delete the thread with its messages and its audit? This cannot be undone. Tables stay as they are.";
    if (!(await confirm({ title: "Delete thread", text, action: "Delete", danger: true }))) return;
    try {
      await desk.client.delete();
      desk.live.deleted();
    } catch (thrown) {
      showError(thrown);
    }
  };
  return (
    <div class="agent-tools">
      <div class="row" role="group" aria-label="Panels">
        {PANELS.map(({ panel: one, text, icon }) => (
          <button key={one} type="button" class="quiet small" aria-pressed={panel === one} onClick={() => desk.panel.set(panel === one ? null : one)}>{icon} {text}</button>
        ))}
      </div>
      <div class="row">
        {state.kind === "ready" && <span class={link === "live" ? "live is-live" : "live"} role="status">{LINKS[link]}</span>}
        {state.kind === "ready" && <button type="button" class="quiet icon-only small" aria-label="Delete the thread" title="Delete the thread" onClick={() => void remove()}><TrashIcon /></button>}
      </div>
    </div>
  );
}

function SidePanel({ desk, panel }: { desk: Desk; panel: Panel }) {
  const text = PANELS.find((one) => one.panel === panel)?.text;
  return (
    <aside class="side" aria-label={text} onKeyDown={(event) => event.key === "Escape" && desk.panel.set(null)}>
      <div class="side-head">
        <h2>{text}</h2>
        <button type="button" class="quiet icon-only small" aria-label="Close the panel" onClick={() => desk.panel.set(null)}><CloseIcon /></button>
      </div>
      <div class="side-body">
        {panel === "history" && <HistoryPanel desk={desk} />}
        {panel === "audit" && <AuditPanel desk={desk} />}
        {panel === "memory" && <MemoryPanel desk={desk} />}
      </div>
    </aside>
  );
}

function Ended({ desk }: { desk: Desk }) {
  const state = useStore(desk.live.state);
  return (
    <div class="talk">
      <div class="talk-inner">
        {state.kind === "failed" && (
          <Failure error={state.error}><button type="button" onClick={() => void desk.live.open()}>Load again</button></Failure>
        )}
        {state.kind === "deleted" && <p class="welcome" role="status">This thread was deleted. <a href="/">Back to the list</a></p>}
      </div>
    </div>
  );
}
