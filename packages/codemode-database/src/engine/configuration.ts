// The configuration of plain workerd as a text of Cap'n Proto: the modules, bindings, variables and
// storage that `wrangler dev` would give a Worker, without Miniflare in between. Only the Worker
// serves requests then, and it gets them unchanged.
//
// Data is where `wrangler dev` keeps it below its folder, under the same keys, so that either finds
// the data of the other.

import { existsSync, mkdirSync, readFileSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The key from which Miniflare derives the ids of D1 databases. */
const D1_KEY = "miniflare-D1DatabaseObject";
const CLOUDFLARE_API = "https://api.cloudflare.com/client/v4";

/** A binding in the form of wrangler's settings. Other kinds exist, and are reported as missing. */
export type Binding =
  | { type: "plain_text" | "json" | "secret_text" }
  | { type: "durable_object_namespace"; class_name: string }
  | { type: "worker_loader" }
  | { type: "assets" }
  | { type: "d1"; database_id?: string; preview_database_id?: string }
  | { type: "ai" }
  | { type: "analytics_engine" };

/** The Worker that is configured. */
export interface Description {
  name: string;
  /** The path of the entry. The modules beside it belong to the Worker, too. */
  main: string;
  compatibilityDate: string;
  compatibilityFlags: string[];
  bindings: Record<string, Binding>;
  /** The folder of the static assets, and how they are served. */
  assets?: { directory: string; html_handling?: string; not_found_handling?: string };
  accountId?: string | undefined;
}

/** The place where the Worker runs, and the name of the command in messages. */
export interface Surroundings {
  /** The address to listen on, in workerd's form: `unix:` and a path, or host and port. */
  address: string;
  /** The folder of the data. It must have the folders of [`makeStorage`]. */
  storage: string;
  /** Variables and secrets; a value that is no text is JSON. */
  variables: Record<string, unknown>;
  /** The names of variables that workerd reads from its environment when it starts. */
  inherited?: string[];
  /** The module that calls Workers AI over its REST API. */
  workersAi: string;
  command: string;
}

/** The folders of the data: Durable Objects, and databases of D1. */
const STORAGE = ["do", "d1"];

/** Makes the folders of the data. */
export function makeStorage(storage: string): void {
  for (const kind of STORAGE) mkdirSync(join(storage, kind), { recursive: true });
}

/** Renders the configuration. */
export function configure(worker: Description, around: Surroundings): { text: string; notes: string[] } {
  const configuration = new Configuration(worker, around);
  for (const [name, binding] of Object.entries(worker.bindings)) configuration.bind(name, binding);
  for (const [name, value] of Object.entries(around.variables)) configuration.set(name, value);
  for (const name of around.inherited ?? []) configuration.inherit(name);
  return { text: configuration.render(), notes: configuration.notes };
}

/** Returns the files of the Worker's modules, the entry first. */
export function modulesOf(main: string): string[] {
  const folder = dirname(main);
  const isEntry = (file: string): number => Number(file === basename(main));
  const files = readdirSync(folder).filter((file) => /\.(?:js|wasm)$/.test(file));
  return files.sort((a, b) => isEntry(b) - isEntry(a)).map((file) => join(folder, file));
}

/** Returns the modules and the version of each, as a text. */
export function versionsOf(main: string): string {
  return JSON.stringify(modulesOf(main).map((file) => [file, statSync(file).mtimeMs, statSync(file).size]));
}

class Configuration {
  readonly notes: string[] = [];
  readonly #worker: Description;
  readonly #around: Surroundings;
  readonly #bindings = new Map<string, string>();
  readonly #services: string[] = [];
  readonly #classes = new Set<string>();

  constructor(worker: Description, around: Surroundings) {
    this.#worker = worker;
    this.#around = around;
  }

  /** Adds a variable or a secret. */
  set(name: string, value: unknown): void {
    const bound = typeof value === "string" ? `text = ${text(value)}` : `json = ${text(JSON.stringify(value))}`;
    this.#bindings.set(name, `(name = ${text(name)}, ${bound})`);
  }

  /**
   * Adds a variable of the environment in which workerd will start. If it is not set there, it is
   * absent.
   */
  inherit(name: string): void {
    this.#bindings.set(name, `(name = ${text(name)}, fromEnvironment = ${text(name)})`);
  }

  /** Adds a binding that is no variable. */
  bind(name: string, binding: Binding): void {
    const set = (value: string): void => void this.#bindings.set(name, `(name = ${text(name)}, ${value})`);
    switch (binding.type) {
      case "plain_text":
      case "json":
      case "secret_text":
        return;
      case "durable_object_namespace":
        this.#classes.add(binding.class_name);
        return set(`durableObjectNamespace = ${text(binding.class_name)}`);
      case "worker_loader":
        return set("workerLoader = ()");
      case "assets": {
        if (this.#worker.assets === undefined) throw new Error(`the binding ${name} needs a folder of assets`);
        const { directory, html_handling, not_found_handling } = this.#worker.assets;
        const served = text(JSON.stringify({ html_handling, not_found_handling }));
        this.#services.push(`(name = "assets", assets = (path = ${text(directory)}, config = ${served}, compatibilityDate = ${text(this.#worker.compatibilityDate)}))`);
        return set(`service = (name = "assets", entrypoint = "AssetWorker")`);
      }
      case "d1": {
        const database = text(JSON.stringify({ database: binding.preview_database_id ?? binding.database_id ?? name }));
        if (!this.#services.includes(D1)) this.#services.push(D1);
        const fetcher = `(name = "fetcher", service = (name = "d1", props = (json = ${database})))`;
        return set(`wrapped = (moduleName = "cloudflare-internal:d1-api", innerBindings = [${fetcher}])`);
      }
      case "ai":
        this.#bindWorkersAi();
        return set(`service = "ai"`);
      case "analytics_engine":
        this.notes.push(`${name}: data points of Analytics Engine are kept on Cloudflare only, so there are none here`);
        return;
      default:
        this.notes.push(`${name}: ${this.#around.command} has no bindings of the kind ${(binding as { type: string }).type}, so the Worker runs without it`);
    }
  }

  /** Binds Workers AI to its REST API, because its models run only on Cloudflare's network. */
  #bindWorkersAi(): void {
    const account = process.env["CLOUDFLARE_ACCOUNT_ID"] ?? this.#worker.accountId;
    const token = process.env["CLOUDFLARE_API_TOKEN"];
    if (!account || !token) {
      this.notes.push(`Workers AI needs CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID in the environment of ${this.#around.command}; without them its models fail`);
    }
    const variables = { ACCOUNT: account ?? "", TOKEN: token ?? "", API: process.env["CLOUDFLARE_API_BASE_URL"] ?? CLOUDFLARE_API };
    const bound = Object.entries(variables).map(([name, value]) => `(name = ${text(name)}, text = ${text(value)})`);
    const module = `(name = "workers-ai.js", esModule = embed ${text(this.#around.workersAi)})`;
    this.#services.push(`(name = "ai", worker = (modules = [${module}], compatibilityDate = ${text(this.#worker.compatibilityDate)}, bindings = [${bound.join(", ")}]))`);
  }

  render(): string {
    const { name, main, compatibilityDate, compatibilityFlags } = this.#worker;
    const { address, storage } = this.#around;
    const embedded = modulesOf(main).map((file) => `(name = ${text(basename(file))}, ${file.endsWith(".wasm") ? "wasm" : "esModule"} = embed ${text(file)})`);
    const namespaces = [...this.#classes].map((one) => `(className = ${text(one)}, uniqueKey = ${text(`${name}-${one}`)}, enableSql = true)`);
    return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "do", disk = (path = ${text(join(storage, "do"))}, writable = true)),
    (name = "d1-files", disk = (path = ${text(join(storage, "d1"))}, writable = true)),
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true, trustedCertificates = [${extraCertificates().map(text).join(", ")}]))),
    ${this.#services.join(",\n    ")}
  ],
  sockets = [(name = "http", address = ${text(address)}, http = (), service = "main")]
);
const main :Workerd.Worker = (
  modules = [${embedded.join(",\n    ")}],
  compatibilityDate = ${text(compatibilityDate)},
  compatibilityFlags = [${compatibilityFlags.map(text).join(", ")}],
  bindings = [${[...this.#bindings.values()].join(",\n    ")}],
  durableObjectNamespaces = [${namespaces.join(",\n    ")}],
  durableObjectStorage = (localDisk = "do")
);
`;
  }
}

/** workerd's own D1. Its databases are objects with Miniflare's key. */
const D1 = `(name = "d1", worker = (
      modules = [(name = "d1.js", bundled = "/workerd/d1.js")],
      compatibilityDate = "2026-11-17",
      durableObjectNamespaces = [(className = "D1Database", uniqueKey = "${D1_KEY}", enableSql = true)],
      durableObjectStorage = (localDisk = "d1-files"),
      bindings = [(name = "DATABASE", durableObjectNamespace = "D1Database")]))`;

/** Renders a string of Cap'n Proto. */
function text(value: string): string {
  const escaped = value.replace(/[\x00-\x1f\x7f"\\]/g, (letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return `"${escaped}"`;
}

/** Reads the certificates that Node would trust as well. */
function extraCertificates(): string[] {
  const file = process.env["NODE_EXTRA_CA_CERTS"];
  if (!file || !existsSync(file)) return [];
  return readFileSync(file, "utf8").match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? [];
}
