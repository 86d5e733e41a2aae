// An item: its facts, its relations to others, and its text.

import { Failure } from "../shared/failure";
import { count } from "../shared/format";
import { useLoaded } from "../shared/loading";
import type { Bench } from "./bench";
import type { ItemName } from "./client";
import { grouped } from "./grouped";
import { SHORT_HASH_DIGITS, SHOWN_EDGES } from "./limits";
import type { Edges, Item, Named } from "./model";
import { fileAddress, itemAddress } from "./place";
import { Reader } from "./reader";

interface ItemProps {
  bench: Bench;
  name: ItemName;
  asOf: number | null;
  /** The version of the item; a change loads it again. */
  version: number;
}

export function ItemView({ bench, name, asOf, version }: ItemProps) {
  const item = useLoaded(() => bench.client.item(name, asOf), String(version));
  const edges = useLoaded(() => bench.client.edges(name, asOf), String(version));
  if (item.error !== null) return <Failure error={item.error} />;
  if (item.data === null) return <p class="note" role="status">Loading the item…</p>;
  const { canon, file_path, lines, text } = item.data;
  return (
    <article class="open" aria-label={canon}>
      <header class="open-head">
        <h2 class="path"><code>{canon}</code></h2>
        <Facts item={item.data} />
        {edges.error !== null && <Failure error={edges.error} />}
        {edges.data !== null && <Relations edges={edges.data} />}
      </header>
      {text !== undefined && text !== "" && <Reader text={text} path={file_path} label={`Text of ${canon}`} firstLine={lines[0]} />}
    </article>
  );
}

function Facts({ item: { node_type, visibility, file_path, lines, docstring, tracking_hash, valid_from } }: { item: Item }) {
  return (
    <>
      <p class="note">
        {visibility} {node_type} · <a href={fileAddress(file_path, lines[0])}>{file_path}:{lines[0]}–{lines[1]}</a> · as it is since version {count(valid_from)}
        {" · "}<span title={`Hash of its words: ${tracking_hash}`}>{tracking_hash.slice(0, SHORT_HASH_DIGITS)}</span>
      </p>
      {docstring !== null && docstring !== "" && <p class="docs">{docstring}</p>}
    </>
  );
}

function Relations({ edges: { owner, outgoing, incoming } }: { edges: Edges }) {
  const out = grouped(outgoing, ({ kind }) => kind);
  const into = grouped(incoming, ({ kind }) => kind);
  if (owner === null && out.length === 0 && into.length === 0) return <p class="note">It has no relations to other items of the workspace.</p>;
  return (
    <details class="edges" open>
      <summary>Relations: {count(outgoing.length)} from it, {count(incoming.length)} to it</summary>
      <dl>
        {owner !== null && <><dt>is in</dt><dd><ItemLink item={owner} /></dd></>}
        {out.map(([kind, list]) => (
          <Group key={`out ${kind}`} title={words(kind)} of={list.map(({ target, item }) => ({ key: `${target} ${item?.id ?? ""}`, item, text: target }))} />
        ))}
        {into.map(([kind, list]) => (
          <Group key={`in ${kind}`} title={`${words(kind)}, from`} of={list.map(({ item }) => ({ key: item.id, item, text: item.canon }))} />
        ))}
      </dl>
    </details>
  );
}

function words(kind: string): string {
  return kind.replaceAll("_", " ");
}

function Group({ title, of }: { title: string; of: readonly { key: string; item: Named | null; text: string }[] }) {
  return (
    <>
      <dt>{title}</dt>
      <dd>
        <ul>
          {of.slice(0, SHOWN_EDGES).map(({ key, item, text }) => <li key={key}>{item === null ? <code title="Not in this workspace">{text}</code> : <ItemLink item={item} />}</li>)}
          {of.length > SHOWN_EDGES && <li class="note">and {count(of.length - SHOWN_EDGES)} more</li>}
        </ul>
      </dd>
    </>
  );
}

function ItemLink({ item: { id, canon, node_type, file_path } }: { item: Named }) {
  return <a href={itemAddress({ id })} title={`${node_type} in ${file_path}`}><code>{canon}</code></a>;
}
