// Showing old versions, and restoring one.

import { isAbort } from "../shared/api";
import { showError } from "../shared/toast";
import { GraphData } from "./graph-data";
import { asPatch } from "./patch";
import type { Workbench } from "./workbench";

let loading = new AbortController();

/** Shows a version of the graph. If several are requested, the last one stays. */
export async function openVersion(bench: Workbench, version: number): Promise<void> {
  loading.abort();
  const own = new AbortController();
  loading = own;
  if (version >= bench.live.metadata.get().version) return present(bench);
  bench.busy.set(`Loading version ${version}…`);
  try {
    const data = new GraphData();
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof bench.client.state>> = await bench.client.state(cursor, version, own.signal);
      data.apply(asPatch(page.data));
      cursor = page.nextCursor;
    } while (cursor !== null);
    if (own.signal.aborted) return;
    bench.connecting.set(null);
    bench.present({ data, version, step: bench.live.steps.get().find((step) => step.version === version) });
  } catch (thrown) {
    if (!isAbort(thrown)) showError(thrown);
  } finally {
    if (loading === own) bench.busy.set(null);
  }
}

/** Returns to the present graph. */
export function closeVersion(bench: Workbench): void {
  loading.abort();
  bench.busy.set(null);
  present(bench);
}

function present(bench: Workbench): void {
  if (bench.shown.get().version !== null) bench.present({ data: bench.live.data, version: null, step: undefined });
  bench.busy.set(null);
}

/** Restores a version of the graph, as a step that can be undone. */
export async function restoreVersion(bench: Workbench, version: number): Promise<void> {
  const done = await bench.run(async () => {
    const written = await bench.client.restore(version);
    await bench.live.reached(written.version);
    return written;
  }, `Restoring version ${version}…`);
  if (done === undefined) return;
  closeVersion(bench);
  bench.say(`The graph is as it was in version ${version}. You can undo this.`);
}
