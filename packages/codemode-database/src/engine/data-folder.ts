// A folder of data that one process at a time serves.
//
// The lock is one of SQLite on a separate file: the system releases it when its process ends in any
// way. The record beside it has the address of the server, and the name by which a workerd can be
// found whose server was killed. A Durable Object assumes that it is alone, so the next server
// waits until the workerd of a killed process has ended.

import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { Failure } from "../failure.ts";
import { FACTS } from "../product.ts";
import { processesWith } from "./processes.ts";

const LOCK = "lock.sqlite";
const RECORD = "server.json";
const VERSION = "data.json";
/** SQLITE_BUSY. */
const BUSY = 5;
/**
 * The time after which a workerd is killed whose server was killed; usually it ends by itself
 * within milliseconds.
 */
const LEFTOVER_MS = 1_000;
const LEFTOVER_LIMIT_MS = 10_000;
const POLL_MS = 20;

/** The server of a folder. */
export interface ServerRecord {
  pid: number;
  version: string;
  /** The folder of its workerd's configuration, which only that process has in its command line. */
  folder: string;
  /** Its address, once the Worker has responded there. */
  origin?: string;
}

/**
 * Returns the default folder: one for each user of this machine, so that every command finds the
 * same data.
 */
export function defaultFolder(): string {
  const named = process.env["CODEMODE_DATA"];
  if (named) return named;
  const home = homedir();
  if (process.platform === "darwin") return join(home, "Library", "Application Support", "codemode-database");
  if (process.platform === "win32") return join(process.env["LOCALAPPDATA"] ?? join(home, "AppData", "Local"), "codemode-database");
  return join(process.env["XDG_DATA_HOME"] || join(home, ".local", "share"), "codemode-database");
}

export class DataFolder {
  readonly path: string;
  #lock: DatabaseSync | undefined;
  #lastOrigin: string | undefined;

  constructor(path: string) {
    this.path = resolve(path);
    try {
      mkdirSync(this.path, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new Failure(`the folder ${this.path} cannot be used: ${(error as Error).message}`, "choose another with --data DIR");
    }
  }

  /** Returns true if this process serves the folder. */
  get isOwn(): boolean {
    return this.#lock !== undefined;
  }

  /**
   * Takes the folder if no other process serves it, once an earlier server has ended completely.
   * Returns true if it was taken.
   */
  async claim(): Promise<boolean> {
    if (this.isOwn) return true;
    this.#lock = await lockOf(join(this.path, LOCK));
    if (this.#lock === undefined) return false;
    try {
      this.#checkVersion();
      await this.#clear();
    } catch (error) {
      this.release();
      throw error;
    }
    return true;
  }

  /** Records the address of the server. */
  record(record: Omit<ServerRecord, "pid" | "version">): void {
    write(join(this.path, RECORD), { pid: process.pid, version: FACTS.version, ...record });
  }

  /** Returns the server that was recorded last; undefined if its process ended in order. */
  get server(): ServerRecord | undefined {
    const record = read<ServerRecord>(join(this.path, RECORD));
    this.#lastOrigin = record?.origin ?? this.#lastOrigin;
    return record;
  }

  /**
   * Returns the address of the last server that this object has seen, which the next server uses if
   * it can.
   */
  get lastOrigin(): string | undefined {
    return this.server?.origin ?? this.#lastOrigin;
  }

  /** Returns the version that wrote the data. */
  get dataVersion(): string | undefined {
    return read<{ version: string }>(join(this.path, VERSION))?.version;
  }

  /** Releases the folder. */
  release(): void {
    if (this.#lock === undefined) return;
    rmSync(join(this.path, RECORD), { force: true });
    this.#lock.close();
    this.#lock = undefined;
  }

  /** Refuses data of a newer version, because each object that it has migrated would be refused. */
  #checkVersion(): void {
    const version = this.dataVersion;
    if (version !== undefined && isNewer(version, FACTS.version)) {
      throw new Failure(`the data in ${this.path} was written by version ${version}, which is newer than this one, ${FACTS.version}`, `run npx codemode-database@${version}, or choose another folder with --data DIR`);
    }
    if (version !== FACTS.version) write(join(this.path, VERSION), { version: FACTS.version });
  }

  /** Waits until the workerd of a server that was killed has ended. */
  async #clear(): Promise<void> {
    const left = this.server;
    if (left === undefined || !isOurs(left.folder)) return;
    const beganMs = performance.now();
    for (;;) {
      const running = await processesWith(left.folder);
      if (running.length === 0) break;
      const waitedMs = performance.now() - beganMs;
      if (waitedMs > LEFTOVER_LIMIT_MS) throw new Failure(`the process ${running[0]} of an earlier server on ${this.path} does not end`, `end it: kill -9 ${running.join(" ")}`);
      if (waitedMs > LEFTOVER_MS) for (const pid of running) kill(pid);
      await pause(POLL_MS);
    }
    rmSync(left.folder, { recursive: true, force: true });
  }
}

/**
 * Returns true if a supervisor makes folders with such a name; anything may have written the file
 * of the record.
 */
function isOurs(folder: unknown): folder is string {
  return typeof folder === "string" && dirname(folder) === tmpdir() && /^codemode-\w{6}$/.test(basename(folder));
}

/** Kills a process and its group, because a wrangler has a workerd. */
function kill(pid: number): void {
  for (const target of process.platform === "win32" ? [pid] : [-pid, pid]) {
    try {
      process.kill(target, "SIGKILL");
    } catch {
      // It has ended meanwhile, or it leads no group.
    }
  }
}

/** Takes the lock of a file; undefined if another process has it. */
async function lockOf(file: string): Promise<DatabaseSync | undefined> {
  const { DatabaseSync: Database } = await sqlite();
  const database = new Database(file);
  try {
    // Nothing is ever written, so no journal is needed.
    database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === BUSY) return undefined;
    throw new Failure(`the lock ${file} cannot be taken: ${(error as Error).message}`);
  }
}

/**
 * Loads SQLite of Node without the warning that it is experimental, because only the lock is used.
 */
async function sqlite(): Promise<typeof import("node:sqlite")> {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return await import("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}

function read<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as T;
  } catch {
    // It is absent or unreadable.
    return undefined;
  }
}

/** Writes a file as a whole, so that a reader meanwhile finds the old one. */
function write(file: string, value: unknown): void {
  const folder = mkdtempSync(join(dirname(file), ".new-"));
  const fresh = join(folder, basename(file));
  writeFileSync(fresh, `${JSON.stringify(value)}\n`, { mode: 0o600 });
  renameSync(fresh, file);
  rmSync(folder, { recursive: true });
}

/**
 * Returns true if a version may have migrated data beyond another: a minor release may, a patch
 * release may not.
 */
export function isNewer(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [otherMajor = 0, otherMinor = 0] = than.split(".").map(Number);
  return major > otherMajor || (major === otherMajor && minor > otherMinor);
}
