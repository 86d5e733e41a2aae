// The first view: the deployment, the sessions, the knowledge graphs, the threads of questions, the
// code workspaces.

import { useEffect, useState } from "preact/hooks";
import { confirm } from "../shared/dialog";
import { Failure } from "../shared/failure";
import { dateTime, relative, size } from "../shared/format";
import { CopyIcon, PlusIcon, RefreshIcon, TrashIcon } from "../shared/icons";
import { useLoaded, usePages } from "../shared/loading";
import { Shell } from "../shared/shell";
import { useStore } from "../shared/store";
import { news, showError } from "../shared/toast";
import { token } from "../shared/token";
import { DropHere, handOver, useDrop } from "./dropped";
import { Graphs } from "./graphs";
import { freshSessionAddress, NAME_PATTERN, NAME_RULE, sessionAddress } from "./route";
import { deleteSession, listSessions, listThreads, version, type SessionEntry } from "./requests";
import { Threads, Waiting } from "./threads";
import { Workspaces } from "./workspaces";

export function ListPage() {
  useEffect(() => {
    document.title = "Code Mode Database";
  }, []);
  const threads = usePages(listThreads, useStore(token) ?? "");
  const over = useDrop((files) => {
    handOver(files);
    location.assign(freshSessionAddress());
  });
  return (
    <Shell crumbs={[]}>
      {over && <DropHere text="Drop to begin a session with it" />}
      <div class="page">
        <About />
        <Waiting threads={threads.items ?? []} />
        <Sessions />
        <Graphs />
        <Threads list={threads} />
        <Workspaces />
      </div>
    </Shell>
  );
}

function About() {
  const { data } = useLoaded(version, "version");
  const endpoint = `${location.origin}/mcp`;
  const copy = () => navigator.clipboard.writeText(endpoint).then(() => news("Copied the address of the MCP server."), showError);
  return (
    <section class="about" aria-labelledby="about">
      <div>
        <h1 id="about">Code Mode Database{data !== null && <span class="version"> {data}</span>}</h1>
        <p class="muted">Databases, programs and knowledge graphs for AI agents.</p>
      </div>
      <ul class="facts">
        <li>
          <span class="muted">MCP server</span> <code>{endpoint}</code>
          <button type="button" class="quiet icon-only small" aria-label="Copy the address of the MCP server" title="Copy" onClick={copy}><CopyIcon /></button>
        </li>
        <li><span class="muted">HTTP API</span> <a href="/api/openapi.json">OpenAPI description</a></li>
      </ul>
    </section>
  );
}

function Sessions() {
  const list = usePages(listSessions, useStore(token) ?? "");
  const [deleted, setDeleted] = useState<ReadonlySet<string>>(new Set());
  const shown = list.items?.filter(({ name }) => !deleted.has(name)) ?? null;
  const remove = async (name: string) => {
    const text = `Delete the session ${name} with all its tables? This cannot be undone.`;
    if (!(await confirm({ title: "Delete session", text, action: "Delete", danger: true }))) return;
    try {
      await deleteSession(name);
      setDeleted(new Set([...deleted, name]));
      news(`Deleted the session ${name}.`);
    } catch (thrown) {
      showError(thrown);
    }
  };
  const reload = () => {
    setDeleted(new Set());
    list.reload();
  };
  return (
    <section aria-labelledby="sessions">
      <div class="section-head">
        <h2 id="sessions">Sessions</h2>
        <button type="button" class="quiet icon-only small" aria-label="Reload the sessions" title="Reload" disabled={list.busy} onClick={reload}><RefreshIcon /></button>
        <button type="button" class="small" onClick={() => location.assign(freshSessionAddress())}><PlusIcon /> New session</button>
        <OpenByName label="Session name" action="Open" hint="A name that does not exist yet makes a new session." addressOf={sessionAddress} />
      </div>
      {list.error !== null && <Failure error={list.error} />}
      {shown?.length === 0 && <p class="empty">No sessions yet. Drop a CSV file on this page to begin one, and ask it in plain words.</p>}
      {shown !== null && shown.length > 0 && <SessionTable sessions={shown} onDelete={remove} />}
      {list.hasMore && <button type="button" class="more" disabled={list.busy} onClick={list.showMore}>Show more</button>}
    </section>
  );
}

function SessionTable({ sessions, onDelete }: { sessions: readonly SessionEntry[]; onDelete(name: string): void }) {
  return (
    <table class="list">
      <thead>
        <tr><th scope="col">Name</th><th scope="col" class="number">Size</th><th scope="col">Last use</th><th scope="col" class="wide-only">Ends</th><th scope="col"><span class="visually-hidden">Actions</span></th></tr>
      </thead>
      <tbody>
        {sessions.map(({ name, databaseSize, lastActivity, expiresAt }) => (
          <tr key={name}>
            <th scope="row"><a href={sessionAddress(name)}>{name}</a></th>
            <td class="number">{size(databaseSize)}</td>
            <td><time dateTime={lastActivity} title={dateTime(lastActivity)}>{relative(lastActivity)}</time></td>
            <td class="wide-only"><time dateTime={expiresAt} title={dateTime(expiresAt)}>{relative(expiresAt)}</time></td>
            <td class="end"><button type="button" class="quiet icon-only small" aria-label={`Delete the session ${name}`} title="Delete" onClick={() => onDelete(name)}><TrashIcon /></button></td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface OpenProps {
  label: string;
  action: string;
  hint: string;
  addressOf(name: string): string;
}

/** A field that opens the object with this name. */
export function OpenByName({ label, action, hint, addressOf }: OpenProps) {
  const [name, setName] = useState("");
  return (
    <form
      class="open"
      onSubmit={(event) => {
        event.preventDefault();
        location.assign(addressOf(name));
      }}
    >
      <input aria-label={label} placeholder={label} title={`${hint} A name has ${NAME_RULE}.`} required pattern={NAME_PATTERN} maxLength={128} autocomplete="off" autocapitalize="none" spellcheck={false} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      <button type="submit">{action}</button>
    </form>
  );
}
