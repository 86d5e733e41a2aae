// The Worker of this package for a supervisor.

import { join } from "node:path";
import { FACTS, PARTS } from "../product.ts";
import { type Binding, configure, versionsOf } from "./configuration.ts";
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

  /** Data lies in the folder `data`; settings come from `file`; others reach `host`. */
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
    const { text, notes } = configure(
      {
        name: FACTS.name,
        main: PARTS.entry,
        compatibilityDate: FACTS.compatibilityDate,
        compatibilityFlags: FACTS.compatibilityFlags,
        bindings: { ...FACTS.bindings, ...D1, ...ai },
        assets: { ...FACTS.assets, directory: PARTS.console },
      },
      { socket, storage: join(this.#data, "v3"), variables: settings, workersAi: PARTS.workersAi, command: "codemode-database dev" },
    );
    return { text, notes };
  }
}
