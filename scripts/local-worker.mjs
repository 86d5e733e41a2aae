// The Worker of a wrangler.toml for plain workerd: reads the configuration, and the files beside
// it, as `wrangler dev` would, and lets packages/codemode-database make a configuration of workerd
// from them.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  unstable_convertConfigBindingsToStartWorkerBindings as bindingsOf,
  unstable_getVarsForDev as variablesOf,
  unstable_readConfig as readConfig,
} from "wrangler";
import { configure, makeStorage, versionsOf } from "../packages/codemode-database/src/engine/configuration.ts";
import { Supervisor } from "../packages/codemode-database/src/engine/supervisor.ts";
import { Builder } from "./builder.mjs";

/**
 * The program of the npm package workerd, of the version that wrangler pins and Miniflare runs in
 * the tests.
 */
const WORKERD = createRequire(import.meta.resolve("wrangler/package.json"))("workerd").default;
/** The files beside the configuration from which variables are read. */
const VARIABLE_FILES = [".dev.vars", ".env", ".env.local"];
/**
 * The folder in which wrangler keeps data, below the folder of `--persist-to`, or below this one.
 */
const STATE = join(".wrangler", "state");
const STATE_VERSION = "v3";
const WORKERS_AI = fileURLToPath(new URL("../packages/codemode-database/worker/workers-ai.js", import.meta.url));

/**
 * Supervises the Worker of a wrangler.toml. The options are those of a supervisor, without the ones
 * that are the same for each wrangler.toml.
 */
export function supervise(options) {
  return new Supervisor({
    program: WORKERD,
    words: { settings: ".dev.vars or wrangler.toml", log: "the terminal of make run" },
    watch: (build, hooks) => new Builder({ ...build, ...hooks }),
    ...options,
  });
}

/** Returns the description of the Worker in a configuration of wrangler. */
export function describe(read, folder) {
  const { directory, html_handling, not_found_handling } = read.assets ?? {};
  return {
    name: read.name,
    main: read.main,
    compatibilityDate: read.compatibility_date,
    compatibilityFlags: read.compatibility_flags,
    bindings: bindingsOf(read),
    assets: directory && { directory: resolve(folder, directory), html_handling, not_found_handling },
    accountId: read.account_id,
  };
}

/** Reads a configuration of wrangler. */
export function readWrangler(config) {
  return readConfig({ config }, { hideWarnings: true });
}

/**
 * Reads a configuration and the files beside it, as `wrangler dev` would.
 *
 * @param {object} options
 * @param {string} options.config path of a wrangler.toml
 * @param {string} [options.persistTo] folder of the data
 */
export class LocalWorker {
  #file;
  #persistTo;
  /** The entry of the Worker, as it was last read. */
  #main;

  constructor({ config, persistTo }) {
    this.#file = resolve(config);
    this.#persistTo = persistTo;
  }

  /**
   * Returns the texts of the files of the configuration, as one, which differs if one of them has
   * changed.
   */
  get settings() {
    const texts = VARIABLE_FILES.map((name) => join(this.#folder, name)).map((path) => (existsSync(path) ? readFileSync(path, "utf8") : null));
    return JSON.stringify([readFileSync(this.#file, "utf8"), ...texts]);
  }

  /** Returns the modules and the version of each. */
  get modules() {
    return versionsOf(this.#main);
  }

  get #folder() {
    return dirname(this.#file);
  }

  /**
   * Returns the configuration of workerd as text, for a server on this Unix socket; notes for the
   * person who starts it; and the command that builds the Worker.
   *
   * @throws if wrangler.toml or .dev.vars cannot be read
   */
  read(socket) {
    const read = readWrangler(this.#file);
    this.#main = read.main;
    const variables = Object.entries(variablesOf(this.#file, undefined, read.vars, undefined, true)).map(([name, { value }]) => [name, value]);
    const storage = join(this.#persistTo ? resolve(this.#persistTo) : join(this.#folder, STATE), STATE_VERSION);
    makeStorage(storage);
    const { text, notes } = configure(describe(read, this.#folder), {
      address: `unix:${socket}`,
      storage,
      variables: Object.fromEntries(variables),
      workersAi: WORKERS_AI,
      command: "make run",
    });
    const { command, watch_dir: watched = [] } = read.build ?? {};
    return { text, notes, build: command && { command, folder: this.#folder, watched: [watched].flat().map((path) => resolve(path)) } };
  }
}
