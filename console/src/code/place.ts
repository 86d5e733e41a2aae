// The open file, perhaps at a line, or item, in the address after the `#`. Paths stay out of
// requests for pages.

import type { ItemName } from "./client";

export type Place = { kind: "file"; path: string; line: number | null } | { kind: "item"; name: ItemName };

/** Returns the place in an address; null if it names nothing that can be opened. */
export function placeOf(hash: string): Place | null {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const [item, file, canon, kind] = ["item", "file", "canon", "kind"].map((name) => fields.get(name) ?? "") as [string, string, string, string];
  if (item !== "") return { kind: "item", name: { id: item } };
  if (file === "") return null;
  if (canon !== "" && kind !== "") return { kind: "item", name: { canon, file_path: file, node_kind: kind } };
  const line = Number(fields.get("line") ?? "");
  return { kind: "file", path: file, line: Number.isSafeInteger(line) && line > 0 ? line : null };
}

export function fileAddress(path: string, line?: number): string {
  return `#${new URLSearchParams({ file: path, ...(line === undefined ? {} : { line: String(line) }) })}`;
}

export function itemAddress(name: ItemName): string {
  const fields: Record<string, string> = "id" in name ? { item: name.id } : { file: name.file_path, canon: name.canon, kind: name.node_kind };
  return `#${new URLSearchParams(fields)}`;
}
