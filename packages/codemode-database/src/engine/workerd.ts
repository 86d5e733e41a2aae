// Starts a program that serves data so that it ends with this process in any case, because two of
// them on the same data would not know of each other.

import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

/** The file descriptors of the child besides its output. */
const CONTROL_FD = 3;
const LIFELINE_FD = 4;
const GUARD_FD = 5;
/**
 * The word that ends a guard without a kill, because the process that it watches has ended by
 * itself.
 */
const ENDED = "ended\n";

/**
 * The target of the guard's kill: the started process, or its group, which includes all processes
 * that it has started.
 */
type Killed = "process" | "group";

// A shell first starts the guard and then becomes the program, so the program never runs without
// something that would end it. The guard reads the lifeline, which ends when this process does;
// `$$` is the process that becomes the program. While the guard lives it holds GUARD_FD open.
const launch = (killed: Killed): string => `
(read -r word <&${LIFELINE_FD}; [ "$word" = ${ENDED.trim()} ] || kill -s KILL -- ${killed === "group" ? "-" : ""}$$) >/dev/null 2>&1 ${CONTROL_FD}>&- &
exec "$@" ${LIFELINE_FD}<&- ${GUARD_FD}>&-`;
/** The guard that replaces one that was killed. */
const WATCH = `read -r word; [ "$word" = ${ENDED.trim()} ] || kill -s KILL -- "$1"`;

/** workerd as a child process, and the stream on which it reports that it listens. */
export interface Workerd {
  child: ChildProcess;
  control: Readable;
}

/**
 * Starts `workerd serve` with a configuration of `file`; modules are embedded by their absolute
 * paths.
 */
export function startWorkerd(program: string, file: string): Workerd {
  // The Worker Loader and the service of assets are experimental.
  const words = ["serve", "--experimental", `--control-fd=${CONTROL_FD}`, "--import-path=/", file, "config"];
  const child = startGuarded([program, ...words], "process");
  return { child, control: child.stdio[CONTROL_FD] as Readable };
}

/** Starts a program whose output is a pipe, and which ends with this process. */
export function startGuarded([program = "", ...words]: string[], killed: Killed, more: Pick<SpawnOptions, "cwd" | "env"> = {}): ChildProcess {
  // A separate group, so that Ctrl-C reaches this process alone.
  const options: SpawnOptions = { ...more, detached: true, stdio: ["ignore", "pipe", "pipe", "pipe", "pipe", "pipe"] };
  if (process.platform === "win32") return spawn(program, words, options);
  const child = spawn("/bin/sh", ["-c", launch(killed), "sh", program, ...words], options);
  keepGuarded(child, killed);
  return child;
}

function keepGuarded(child: ChildProcess, killed: Killed): void {
  let lifeline = child.stdio[LIFELINE_FD] as Writable;
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  lifeline.on("error", () => {});
  const held = (child.stdio as unknown as Readable[])[GUARD_FD] as Readable;
  held.on("error", () => {});
  held.once("end", () => isRunning() && replace());
  held.resume();
  child.once("exit", () => lifeline.end(ENDED));

  const replace = (): void => {
    if (child.pid === undefined) return;
    const guard = spawn("/bin/sh", ["-c", WATCH, "sh", String(killed === "group" ? -child.pid : child.pid)], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
    guard.on("error", () => {});
    guard.stdin.on("error", () => {});
    lifeline = guard.stdin;
    guard.once("exit", () => isRunning() && replace());
  };
}
