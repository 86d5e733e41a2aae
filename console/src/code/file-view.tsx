// A file: its facts, its outline, and its text, in parts if it is long.

import { Failure } from "../shared/failure";
import { count, counted, size } from "../shared/format";
import { useLoaded, usePages } from "../shared/loading";
import type { Bench } from "./bench";
import { SHORT_HASH_DIGITS } from "./limits";
import type { FileText } from "./model";
import { itemAddress } from "./place";
import { Reader } from "./reader";

interface FileProps {
  bench: Bench;
  path: string;
  line: number | null;
  asOf: number | null;
  /** The version of the file; a change loads it again. */
  version: number;
}

export function FileView({ bench, path, line, asOf, version }: FileProps) {
  const about = useLoaded(() => bench.client.metadata(path, asOf), String(version));
  const parts = usePages(async (cursor) => {
    const part = await bench.client.text(path, Number(cursor ?? "0"), asOf);
    return { items: [part], nextCursor: part.truncated ? String(part.range[1]) : null };
  }, String(version));
  const file = about.data;
  return (
    <article class="open" aria-label={path}>
      <header class="open-head">
        <h2 class="path">{path}</h2>
        {file?.exists === true && (
          <p class="note">
            {size(file.byte_len)} · {counted(file.line_count, "line")} · {file.language}
            {file.module_path !== undefined && <> · <code>{file.crate === undefined ? "" : `${file.crate}: `}{file.module_path}</code></>}
            {" · "}<span title={`Hash of its bytes: ${file.file_hash}`}>{file.file_hash.slice(0, SHORT_HASH_DIGITS)}</span>
          </p>
        )}
        {file?.exists === true && !file.parsed && file.reason !== undefined && <p class="note">Not parsed: {file.reason}</p>}
        {file?.exists === true && <Outline bench={bench} path={path} asOf={asOf} version={version} />}
      </header>
      {parts.error !== null && <Failure error={parts.error} />}
      {parts.items === null && parts.error === null && <p class="note" role="status">Loading the file…</p>}
      {parts.items !== null && parts.error === null && <Text path={path} line={line} parts={parts.items} />}
      {parts.hasMore && <button type="button" class="small" disabled={parts.busy} onClick={parts.showMore}>Show the next part</button>}
    </article>
  );
}

function Text({ path, line, parts }: { path: string; line: number | null; parts: readonly FileText[] }) {
  const text = parts.map((part) => part.text).join("");
  if (text === "") return <p class="note">This file is empty.</p>;
  return <Reader text={text} path={path} label={`Text of ${path}`} line={line} />;
}

function Outline({ bench, path, asOf, version }: Omit<FileProps, "line">) {
  const { data, error } = useLoaded(() => bench.client.outline(path, asOf), String(version));
  if (error !== null) return <Failure error={error} />;
  if (data === null || data.length === 0) return null;
  return (
    <details class="outline">
      <summary>Outline: {count(data.length)} {data.length === 1 ? "item" : "items"}</summary>
      <ul>
        {data.map(({ canon, node_type, span }) => (
          <li key={`${node_type} ${canon} ${span[0]}`}>
            <a href={itemAddress({ canon, file_path: path, node_kind: node_type })}><code>{canon}</code></a> <span class="note">{node_type}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
