// The code workspaces, if the deployment has them.

import { Failure } from "../shared/failure";
import { counted, dateTime, relative, size } from "../shared/format";
import { usePages } from "../shared/loading";
import { useStore } from "../shared/store";
import { token } from "../shared/token";
import { OpenByName } from "./list";
import { listWorkspaces, type WorkspaceEntry } from "./requests";
import { codeAddress } from "./route";

export function Workspaces() {
  const { items, error, busy, hasMore, showMore } = usePages(listWorkspaces, useStore(token) ?? "");
  // A deployment without workspaces has no such route.
  if (error?.status === 404 || (items === null && error === null)) return null;
  return (
    <section aria-labelledby="workspaces">
      <div class="section-head">
        <h2 id="workspaces">Code</h2>
        <OpenByName label="Workspace" action="Open" hint="A workspace begins with the first file that is written to it." addressOf={codeAddress} />
      </div>
      {error !== null && <Failure error={error} />}
      {items?.length === 0 && <p class="empty">No code workspaces yet. One begins with the first file that a program or a model writes to it.</p>}
      {items !== null && items.length > 0 && <WorkspaceTable workspaces={items} />}
      {hasMore && <button type="button" class="more" disabled={busy} onClick={showMore}>Show more</button>}
    </section>
  );
}

function WorkspaceTable({ workspaces }: { workspaces: readonly WorkspaceEntry[] }) {
  return (
    <table class="list">
      <thead>
        <tr><th scope="col">Workspace</th><th scope="col">Holds</th><th scope="col" class="number wide-only">Size</th><th scope="col">Changed</th></tr>
      </thead>
      <tbody>
        {workspaces.map(({ workspace, files, items, databaseSize, lastActivity }) => (
          <tr key={workspace}>
            <th scope="row"><a href={codeAddress(workspace)}>{workspace}</a></th>
            <td>{counted(files, "file")}<span class="wide-only">, {counted(items, "item")}</span></td>
            <td class="number wide-only">{size(databaseSize)}</td>
            <td><time dateTime={lastActivity} title={dateTime(lastActivity)}>{relative(lastActivity)}</time></td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
