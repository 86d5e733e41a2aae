// Files and links that leave the page.

import { formatJson } from "../shared/json";
import { save } from "../shared/save";
import type { ExportFormat } from "./model";
import { showError } from "../shared/toast";
import type { Workbench } from "./workbench";

/** Characters that file systems refuse, and invisible ones. */
const NOT_IN_FILE_NAMES = /[^\p{L}\p{N}._-]+/gu;
/** The characters of a file name: file systems take 255 bytes, and a character has up to four. */
const FILE_NAME_CHARACTERS = 60;

/** Returns the name of a file of the graph. */
function fileName({ conversation }: Workbench, ending: string): string {
  const name = conversation.replace(NOT_IN_FILE_NAMES, "-").slice(0, FILE_NAME_CHARACTERS);
  return `${name === "" ? "graph" : name}.${ending}`;
}

/** Exports a file of the graph from the server; for an old version, the data on the page. */
export async function exportFile(bench: Workbench, format: ExportFormat): Promise<void> {
  const { version, data } = bench.shown.get();
  if (version !== null && format === "json") {
    const text = formatJson({ nodes: [...data.nodes.values()], edges: [...data.edges.values()] }, 2);
    return save(new Blob([text], { type: "application/json" }), fileName(bench, `version-${version}.json`));
  }
  const content = await bench.run(() => bench.client.exported(format), "Preparing the file…");
  if (content !== undefined) save(content, fileName(bench, format));
}

export async function exportPicture(bench: Workbench): Promise<void> {
  const { canvas } = bench;
  if (canvas === null) return;
  const content = await bench.run(() => canvas.picture(), "Drawing the picture…");
  if (content !== undefined) save(content, fileName(bench, "png"));
}

/** Copies the address of the shown version or the selected node. It contains no token. */
export async function shareLink(bench: Workbench): Promise<void> {
  const { version } = bench.shown.get();
  const { nodes } = bench.selected.get();
  const fields = new URLSearchParams();
  if (version !== null) fields.set("version", String(version));
  if (nodes[0] !== undefined && nodes.length === 1) fields.set("node", nodes[0]);
  const url = new URL(location.pathname, location.href);
  url.hash = fields.toString();
  try {
    await navigator.clipboard.writeText(url.href);
    bench.say(fields.size === 0 ? "The link to this graph is copied." : "The link to what you see is copied.");
  } catch {
    showError(new Error(`the browser did not let the page copy: ${url.href}`));
  }
}

/** Returns the version and the node in a shared link. */
export function linkedPlace(): { version: number | null; node: string | null } {
  const fields = new URLSearchParams(location.hash.slice(1));
  const version = Number.parseInt(fields.get("version") ?? "", 10);
  return { version: Number.isSafeInteger(version) && version >= 0 ? version : null, node: fields.get("node") };
}
