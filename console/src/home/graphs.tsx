// The knowledge graphs, if the deployment has them.

import { Failure } from "../shared/failure";
import { counted, dateTime, relative } from "../shared/format";
import { usePages } from "../shared/loading";
import { useStore } from "../shared/store";
import { token } from "../shared/token";
import { OpenByName } from "./list";
import { listGraphs, type GraphEntry } from "./requests";
import { graphAddress } from "./route";

export function Graphs() {
  const { items, error, busy, hasMore, showMore } = usePages(listGraphs, useStore(token) ?? "");
  // A deployment without graphs has no such route.
  if (error?.status === 404 || (items === null && error === null)) return null;
  return (
    <section aria-labelledby="graphs">
      <div class="section-head">
        <h2 id="graphs">Knowledge graphs</h2>
        <OpenByName label="Conversation" action="Open" hint="A conversation without a graph gets an empty one." addressOf={graphAddress} />
      </div>
      {error !== null && <Failure error={error} />}
      {items?.length === 0 && <p class="empty">No graphs yet. Open one by a name of your choice.</p>}
      {items !== null && items.length > 0 && <GraphTable graphs={items} />}
      {hasMore && <button type="button" class="more" disabled={busy} onClick={showMore}>Show more</button>}
    </section>
  );
}

function GraphTable({ graphs }: { graphs: readonly GraphEntry[] }) {
  return (
    <table class="list">
      <thead>
        <tr><th scope="col">Conversation</th><th scope="col">Name</th><th scope="col" class="wide-only">Holds</th><th scope="col">Changed</th></tr>
      </thead>
      <tbody>
        {graphs.map(({ conversationId, name, nodeCount, edgeCount, updatedAt }) => (
          <tr key={conversationId}>
            <th scope="row"><a href={graphAddress(conversationId)}>{conversationId}</a></th>
            <td>{name}</td>
            <td class="wide-only">{counted(nodeCount, "node")}, {counted(edgeCount, "edge")}</td>
            <td><time dateTime={updatedAt} title={dateTime(updatedAt)}>{relative(updatedAt)}</time></td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
