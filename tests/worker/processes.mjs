// Which processes run under another, as /proc of Linux tells.

import { readFile, readdir } from "node:fs/promises";

/** Process ids of running programs whose name begins so, among the descendants of `ancestor`. */
export async function processes(ancestor, name) {
  const parents = new Map();
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = await readFile(`/proc/${entry}/stat`, "utf8");
      const [, command, rest] = /^\d+ \((.*)\) (.*)$/s.exec(stat);
      const [state, parent] = rest.split(" ");
      if (state !== "Z") parents.set(Number(entry), { command, parent: Number(parent) });
    } catch {
      // It ended meanwhile.
    }
  }
  const descends = (pid) => pid === ancestor || (parents.has(pid) && descends(parents.get(pid).parent));
  return [...parents].filter(([pid, { command }]) => pid !== ancestor && command.startsWith(name) && descends(pid)).map(([pid]) => pid);
}

/** Whether a process runs. One that has ended and was not waited for does not. */
export async function isRunning(pid) {
  try {
    return !/^\d+ \(.*\) Z /s.test(await readFile(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
