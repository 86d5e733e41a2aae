// Processes of this machine by their command lines.

import { execFile } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { promisify } from "node:util";

/** Finds the ids of other processes whose command line contains a text. */
export async function processesWith(text: string): Promise<number[]> {
  const lines = process.platform === "linux" ? await ofProc() : await ofPs();
  return lines.filter(([pid, command]) => pid !== process.pid && command.includes(text)).map(([pid]) => pid);
}

/** Containers often have no `ps`. */
async function ofProc(): Promise<[number, string][]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  return Promise.all(pids.map(async (pid) => [Number(pid), await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")] as [number, string]));
}

async function ofPs(): Promise<[number, string][]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-ww", "-o", "pid=,command="], { maxBuffer: 64 * 1024 * 1024 });
  return stdout.split("\n").map((line) => {
    const [, pid = "0", command = ""] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
    return [Number(pid), command] as [number, string];
  });
}
