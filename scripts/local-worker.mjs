// The Worker of a wrangler.toml as a configuration of plain workerd: the same modules, bindings, variables and storage that `wrangler dev` gives
// it, without Miniflare in between. Nothing but the Worker serves requests then, and it sees them as they were sent.
//
// Data lies where `wrangler dev` keeps it, under the same keys, so that either finds what the other has written.

import { existsSync, mkdirSync, readFileSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  unstable_convertConfigBindingsToStartWorkerBindings as bindingsOf,
  unstable_getVarsForDev as variablesOf,
  unstable_readConfig as readConfig,
} from "wrangler";

/** The program of the npm package workerd, of the version that wrangler pins and Miniflare runs in the tests. */
export const WORKERD = createRequire(import.meta.resolve("wrangler/package.json"))("workerd").default;
/** Files beside the configuration that variables are read from. */
const VARIABLE_FILES = [".dev.vars", ".env", ".env.local"];
/** Where wrangler keeps data, below the folder that `--persist-to` names, or this one. */
const STATE = join(".wrangler", "state");
const STATE_VERSION = "v3";
/** The key from which Miniflare derives the ids of D1 databases. */
const D1_KEY = "miniflare-D1DatabaseObject";
const WORKERS_AI = fileURLToPath(new URL("./workers-ai.js", import.meta.url));
const CLOUDFLARE_API = "https://api.cloudflare.com/client/v4";

/**
 * Reads a configuration, and what lies beside it, as `wrangler dev` would.
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

  /** The texts of the files that the configuration is made of, as one: it differs where one of them has changed. */
  get settings() {
    const texts = VARIABLE_FILES.map((name) => join(this.#folder, name)).map((path) => (existsSync(path) ? readFileSync(path, "utf8") : null));
    return JSON.stringify([readFileSync(this.#file, "utf8"), ...texts]);
  }

  /** Which modules there are, and which version of each. */
  get modules() {
    return JSON.stringify(modulesOf(this.#main).map((file) => [file, statSync(file).mtimeMs, statSync(file).size]));
  }

  get #folder() {
    return dirname(this.#file);
  }

  /**
   * The configuration of workerd as text, for a server on this Unix socket; notes for whoever starts it; and what builds the Worker.
   *
   * @throws where wrangler.toml or .dev.vars cannot be read
   */
  read(socket) {
    const read = readConfig({ config: this.#file }, { hideWarnings: true });
    this.#main = read.main;
    const worker = new Configuration(read.name);
    const objects = [];
    for (const [name, binding] of Object.entries(bindingsOf(read))) {
      if (binding.type === "durable_object_namespace") objects.push(binding.class_name);
      worker.bind(name, binding, read, this.#folder);
    }
    for (const [name, { type, value }] of Object.entries(variablesOf(this.#file, undefined, read.vars, undefined, true))) {
      const bound = type === "json" ? `json = ${text(JSON.stringify(value))}` : `text = ${text(value)}`;
      worker.bindings.set(name, `(name = ${text(name)}, ${bound})`);
    }
    const storage = join(this.#persistTo ? resolve(this.#persistTo) : join(this.#folder, STATE), STATE_VERSION);
    for (const kind of ["do", "d1"]) mkdirSync(join(storage, kind), { recursive: true });
    const { command, watch_dir: watched = [] } = read.build ?? {};
    return {
      text: worker.render({ socket, storage, objects: [...new Set(objects)], read }),
      notes: worker.notes,
      build: command && { command, folder: this.#folder, watched: [watched].flat().map((path) => resolve(path)) },
    };
  }
}

/** The files of the Worker's modules, the entry first. */
function modulesOf(main) {
  const folder = dirname(main);
  const isEntry = (file) => Number(file === basename(main));
  const files = readdirSync(folder).filter((file) => /\.(?:js|wasm)$/.test(file));
  return files.sort((a, b) => isEntry(b) - isEntry(a)).map((file) => join(folder, file));
}

/** The parts of a configuration. */
class Configuration {
  bindings = new Map();
  services = [];
  notes = [];

  constructor(name) {
    this.name = name;
  }

  /** Takes a binding over. A variable is taken over later, with what .dev.vars says of it. */
  bind(name, binding, read, folder) {
    const set = (value) => this.bindings.set(name, `(name = ${text(name)}, ${value})`);
    switch (binding.type) {
      case "plain_text":
      case "json":
      case "secret_text":
        return;
      case "durable_object_namespace":
        return set(`durableObjectNamespace = ${text(binding.class_name)}`);
      case "worker_loader":
        return set("workerLoader = ()");
      case "assets": {
        const { directory, html_handling, not_found_handling } = read.assets;
        const [path, served, date] = [resolve(folder, directory), JSON.stringify({ html_handling, not_found_handling }), read.compatibility_date].map(text);
        this.services.push(`(name = "assets", assets = (path = ${path}, config = ${served}, compatibilityDate = ${date}))`);
        return set(`service = (name = "assets", entrypoint = "AssetWorker")`);
      }
      case "d1": {
        const database = text(JSON.stringify({ database: binding.preview_database_id ?? binding.database_id ?? name }));
        if (!this.services.includes(D1)) this.services.push(D1);
        const fetcher = `(name = "fetcher", service = (name = "d1", props = (json = ${database})))`;
        return set(`wrapped = (moduleName = "cloudflare-internal:d1-api", innerBindings = [${fetcher}])`);
      }
      case "ai":
        this.#bindWorkersAi(read);
        return set(`service = "ai"`);
      case "analytics_engine":
        this.notes.push(`${name}: data points of Analytics Engine are kept on Cloudflare only, so there are none here`);
        return;
      default:
        this.notes.push(`${name}: make run has no bindings of the kind ${binding.type}, so the Worker runs without it`);
    }
  }

  /** Models of Workers AI run on Cloudflare's network alone: the binding calls its REST API. */
  #bindWorkersAi(read) {
    const account = process.env.CLOUDFLARE_ACCOUNT_ID ?? read.account_id;
    const token = process.env.CLOUDFLARE_API_TOKEN;
    if (!account || !token) {
      this.notes.push("Workers AI needs CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID in the environment of make run; without them its models fail");
    }
    const variables = { ACCOUNT: account ?? "", TOKEN: token ?? "", API: process.env.CLOUDFLARE_API_BASE_URL ?? CLOUDFLARE_API };
    const bound = Object.entries(variables).map(([name, value]) => `(name = ${text(name)}, text = ${text(value)})`);
    const module = `(name = "workers-ai.js", esModule = embed ${text(WORKERS_AI)})`;
    this.services.push(`(name = "ai", worker = (modules = [${module}], compatibilityDate = ${text(read.compatibility_date)}, bindings = [${bound}]))`);
  }

  render({ socket, storage, objects, read }) {
    const embedded = modulesOf(read.main).map((file) => `(name = ${text(basename(file))}, ${file.endsWith(".wasm") ? "wasm" : "esModule"} = embed ${text(file)})`);
    const namespaces = objects.map((name) => `(className = ${text(name)}, uniqueKey = ${text(`${this.name}-${name}`)}, enableSql = true)`);
    const certificates = extraCertificates().map(text);
    return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "do", disk = (path = ${text(join(storage, "do"))}, writable = true)),
    (name = "d1-files", disk = (path = ${text(join(storage, "d1"))}, writable = true)),
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true, trustedCertificates = [${certificates}]))),
    ${this.services.join(",\n    ")}
  ],
  sockets = [(name = "http", address = ${text(`unix:${socket}`)}, http = (), service = "main")]
);
const main :Workerd.Worker = (
  modules = [${embedded.join(",\n    ")}],
  compatibilityDate = ${text(read.compatibility_date)},
  compatibilityFlags = [${read.compatibility_flags.map(text)}],
  bindings = [${[...this.bindings.values()].join(",\n    ")}],
  durableObjectNamespaces = [${namespaces.join(",\n    ")}],
  durableObjectStorage = (localDisk = "do")
);
`;
  }
}

/** workerd's own D1. Its databases are objects with a key that is Miniflare's. */
const D1 = `(name = "d1", worker = (
      modules = [(name = "d1.js", bundled = "/workerd/d1.js")],
      compatibilityDate = "2026-11-17",
      durableObjectNamespaces = [(className = "D1Database", uniqueKey = "${D1_KEY}", enableSql = true)],
      durableObjectStorage = (localDisk = "d1-files"),
      bindings = [(name = "DATABASE", durableObjectNamespace = "D1Database")]))`;

/** A string of Cap'n Proto. */
function text(value) {
  const escaped = value.replace(/[\x00-\x1f\x7f"\\]/g, (letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return `"${escaped}"`;
}

/** Certificates that Node would trust as well. */
function extraCertificates() {
  const file = process.env.NODE_EXTRA_CA_CERTS;
  if (!file || !existsSync(file)) return [];
  return readFileSync(file, "utf8").match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? [];
}
