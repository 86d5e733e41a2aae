// The processes below another one, from /proc of Linux.

import { readFile, readdir, readlink } from "node:fs/promises";

/**
 * Returns the process ids of running programs whose name has this prefix, among the descendants of
 * `ancestor`.
 */
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
      // The process has ended meanwhile.
    }
  }
  const descends = (pid) => pid === ancestor || (parents.has(pid) && descends(parents.get(pid).parent));
  return [...parents].filter(([pid, { command }]) => pid !== ancestor && command.startsWith(name) && descends(pid)).map(([pid]) => pid);
}

/** Returns true if a process runs. One that has ended and was not waited for does not. */
export async function isRunning(pid) {
  try {
    return !/^\d+ \(.*\) Z /s.test(await readFile(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** The state of a listening socket in /proc/net/tcp. */
const LISTENS = "0A";

/** Returns the TCP ports of all interfaces on which these processes listen. */
export async function listeningPorts(pids) {
  const sockets = new Set();
  for (const pid of pids) {
    for (const descriptor of await readdir(`/proc/${pid}/fd`)) {
      const inode = /^socket:\[(\d+)\]$/.exec(await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => ""))?.[1];
      if (inode !== undefined) sockets.add(inode);
    }
  }
  const ports = [];
  for (const table of ["tcp", "tcp6"]) {
    const rows = (await readFile(`/proc/net/${table}`, "utf8").catch(() => "")).trim().split("\n").slice(1).map((row) => row.trim().split(/\s+/));
    for (const [, local, , state, , , , , , inode] of rows) if (state === LISTENS && sockets.has(inode)) ports.push(Number.parseInt(local.split(":").at(-1), 16));
  }
  return ports;
}
