// Serves a folder of data, or finds the process that serves it.

import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Failure, messageOf } from "../failure.ts";
import { workerd } from "../product.ts";
import type { DataFolder } from "./data-folder.ts";
import { askHealth } from "./health.ts";
import { PackagedWorker } from "./packaged.ts";
import { SETTINGS_FILE } from "./settings.ts";
import { type OnLine, Supervisor } from "./supervisor.ts";

export const DEFAULT_PORT = 8787;
export const DEFAULT_HOST = "127.0.0.1";
/** The time within which a local server responds to /health, unless it is computing. */
const HEALTH_MS = 2_000;
const POLL_MS = 25;

export interface ServeOptions {
  /** The port that must be used. Without it, the port of the last server, the usual one, or any. */
  port?: number | undefined;
  host?: string;
  /** The file of the settings, if not the one in the folder. */
  settings?: string | undefined;
  patienceMs?: number | undefined;
  /** The name of the output that reports a request which blocked the Worker. */
  log: string;
  onLine: OnLine;
  report: (text: string) => void;
  onLost: (error: Error) => void;
}

/** Returns the file of the settings. */
export function settingsFile(folder: DataFolder, { settings }: Pick<ServeOptions, "settings">): string {
  return settings ?? join(folder.path, SETTINGS_FILE);
}

/** A server of this process. */
export class Serving {
  readonly origin: string;
  readonly #supervisor: Supervisor;
  readonly #folder: DataFolder;

  private constructor(origin: string, supervisor: Supervisor, folder: DataFolder) {
    this.origin = origin;
    this.#supervisor = supervisor;
    this.#folder = folder;
  }

  /** Starts the Worker on a folder that this process has claimed. */
  static async start(folder: DataFolder, options: ServeOptions): Promise<Serving> {
    const { host = DEFAULT_HOST, port } = options;
    const last = Number(new URL(folder.lastOrigin ?? `http://${host}:${DEFAULT_PORT}`).port) || DEFAULT_PORT;
    const ports = port === undefined ? [...new Set([last, DEFAULT_PORT, 0])] : [port];
    for (const [index, one] of ports.entries()) {
      try {
        return await Serving.#startOn(folder, one, host, options);
      } catch (error) {
        const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
        if (isTaken && index + 1 < ports.length) continue;
        folder.release();
        if (isTaken) throw new Failure(`port ${one} is in use`, `choose another: --port ${one + 1}`);
        throw error;
      }
    }
    throw new Failure("there is no port to listen on");
  }

  static async #startOn(folder: DataFolder, port: number, host: string, options: ServeOptions): Promise<Serving> {
    const file = settingsFile(folder, options);
    const supervisor = new Supervisor({
      ...options,
      worker: new PackagedWorker({ data: folder.path, file, host }),
      program: workerd(),
      words: { settings: file, log: options.log },
    });
    try {
      // Recorded before there is a workerd, because the next server looks for its remains after a
      // kill.
      folder.record({ folder: supervisor.folder });
      const origin = await supervisor.start(port, host);
      folder.record({ folder: supervisor.folder, origin });
      return new Serving(origin, supervisor, folder);
    } catch (error) {
      await supervisor.stop();
      throw error;
    }
  }

  /** Ends the Worker and releases the folder. */
  async stop(): Promise<void> {
    await this.#supervisor.stop();
    this.#folder.release();
  }
}

/** The address of a folder's server, and the server if it is one of this process. */
export interface Reached {
  origin: string;
  serving?: Serving;
}

/**
 * Serves the folder, or finds the process that does. `onStart` is called before a server is started
 * here.
 *
 * @throws Failure if neither succeeds within the time
 */
export async function reach(folder: DataFolder, options: ServeOptions, withinMs: number): Promise<Reached> {
  const endMs = performance.now() + withinMs;
  for (;;) {
    if (await folder.claim()) {
      const serving = await Serving.start(folder, options);
      return { origin: serving.origin, serving };
    }
    const origin = folder.server?.origin;
    if (origin !== undefined && (await askHealth(origin, HEALTH_MS)) !== undefined) return { origin };
    if (performance.now() > endMs) {
      throw new Failure(`another process serves ${folder.path} and does not respond`, `it is process ${folder.server?.pid ?? "unknown"}; end it, or choose another folder with --data DIR`);
    }
    await pause(POLL_MS);
  }
}

/** Waits until a folder is free and takes it; stops waiting when the signal is aborted. */
export async function takeOver(folder: DataFolder, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (await folder.claim()) return true;
    await pause(POLL_MS * 4, undefined, { signal }).catch((error: unknown) => messageOf(error));
  }
  return false;
}
