// The Worker of this package for a supervisor.

import { join } from "node:path";
import { FACTS, PARTS } from "../product.ts";
import { type Binding, type Description, configure, makeStorage, versionsOf } from "./configuration.ts";
import { asksForTokens, readSettings, textOf } from "./settings.ts";
import type { Configured, Source } from "./supervisor.ts";

/** Addresses that only this machine reaches. */
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/i;
/** The database of persistent tables. */
const D1: Record<string, Binding> = { CODEMODE_D1: { type: "d1", database_id: FACTS.name } };

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

export class PackagedWorker implements Source {
  readonly #data: string;
  readonly #file: string;
  readonly #host: string;

  /** Data is in the folder `data`; settings are read from `file`; others reach `host`. */
  constructor({ data, file, host }: { data: string; file: string; host: string }) {
    this.#data = data;
    this.#file = file;
    this.#host = host;
  }

  get settings(): string {
    return textOf(this.#file) ?? "";
  }

  get modules(): string {
    return versionsOf(PARTS.entry);
  }

  read(socket: string): Configured {
    const settings = readSettings(this.#file);
    if (!isLoopback(this.#host) && !asksForTokens(settings)) {
      throw new Error(`${this.#host} is reached by other machines, so API_TOKENS or OAUTH_ISSUER must be set`);
    }
    const hasWorkersAi = process.env["CLOUDFLARE_API_TOKEN"] && process.env["CLOUDFLARE_ACCOUNT_ID"];
    const ai: Record<string, Binding> = hasWorkersAi ? { AI: { type: "ai" } } : {};
    const storage = storageOf(this.#data);
    makeStorage(storage);
    return configure(
      describe({ console: PARTS.console, more: ai }),
      { address: `unix:${socket}`, storage, variables: settings, workersAi: PARTS.workersAi, command: "codemode-database dev" },
    );
  }
}

/**
 * Returns the folder below a folder of data that workerd writes to, the same as for `wrangler dev`.
 */
export function storageOf(data: string): string {
  return join(data, "v3");
}

/**
 * Describes the Worker of this package, with its console in a folder and with more bindings than it
 * needs.
 */
export function describe({ console, more = {} }: { console: string; more?: Record<string, Binding> }): Description {
  const { name, compatibilityDate, compatibilityFlags, bindings, assets } = FACTS;
  return { name, main: PARTS.entry, compatibilityDate, compatibilityFlags, bindings: { ...bindings, ...D1, ...more }, assets: { ...assets, directory: console } };
}
