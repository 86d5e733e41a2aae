// Builds the Worker again after an edit, as `wrangler dev` would: it runs the command of `[build]`
// in wrangler.toml when a file in one of its folders has changed. The running Worker continues
// meanwhile, and also if the build fails.

import { spawn } from "node:child_process";
import { existsSync, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Editors write a file in several steps, and save several files at once. */
const SETTLE_MS = 200;

export class Builder {
  #options;
  #watchers = new Map();
  #timer;
  #child;
  /** True if something has changed since the running build began. */
  #isStale = false;

  /**
   * @param {object} options
   * @param {string} options.command of a shell
   * @param {string} options.folder where it runs
   * @param {string[]} options.watched folders
   * @param {(line: string, stream: "stdout" | "stderr") => void} options.onLine what the command
   * writes
   * @param {(text: string) => void} options.report
   * @param {() => void} options.onBuilt the command has succeeded
   */
  constructor(options) {
    this.#options = options;
    this.#watch();
  }

  /**
   * Watches the folders and their subfolders, including new ones. Node's own recursion misses a
   * file that another one replaces, which is how editors save.
   */
  #watch() {
    for (const folder of this.#options.watched.flatMap(foldersOf)) {
      if (this.#watchers.has(folder)) continue;
      try {
        const watcher = watch(folder, () => this.#changed());
        // The folder is gone.
        watcher.on("error", () => this.#watchers.delete(folder));
        this.#watchers.set(folder, watcher);
      } catch (error) {
        // A system without enough watches: the Worker still runs.
        this.#options.report(`edits in ${folder} are not noticed: ${error.message}`);
      }
    }
  }

  stop() {
    for (const watcher of this.#watchers.values()) watcher.close();
    clearTimeout(this.#timer);
    if (this.#child?.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, "SIGTERM");
    } catch {
      // It has ended by itself.
    }
  }

  #changed() {
    this.#isStale = true;
    if (this.#child !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#build(), SETTLE_MS);
  }

  #build() {
    const { command, folder, onBuilt, onLine, report } = this.#options;
    this.#isStale = false;
    this.#watch();
    // A separate group, so that the compilers end with it.
    const child = spawn("/bin/sh", ["-c", command], { cwd: folder, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    this.#child = child;
    for (const name of ["stdout", "stderr"]) createInterface({ input: child[name] }).on("line", (line) => onLine(line, name));
    child.once("error", (error) => report(`the build could not be started: ${error.message}`));
    child.once("close", (code) => {
      this.#child = undefined;
      if (code === 0) onBuilt();
      else report("NOT built, see above; the last good build is served until the next edit");
      if (this.#isStale) this.#changed();
    });
  }
}

/** Returns a folder and all its subfolders. */
function foldersOf(folder) {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return [folder, ...entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))];
}
