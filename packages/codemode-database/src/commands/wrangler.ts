// The settings that wrangler deploys with, and the command wrangler.

import { type SpawnOptions, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join, relative, resolve } from "node:path";
import { Failure, messageOf } from "../failure.ts";
import { FACTS, PARTS } from "../product.ts";
import { parseJsonc } from "./jsonc.ts";

export type Settings = Record<string, unknown>;

/** The files with a user's settings; the first that exists counts. */
const FILES = ["wrangler.jsonc", "wrangler.json"];
/** The lists whose entries have a name, and the field of the name. */
const NAMED: Record<string, string> = {
  worker_loaders: "binding", d1_databases: "binding", kv_namespaces: "binding", r2_buckets: "binding", services: "binding",
  analytics_engine_datasets: "binding", hyperdrive: "binding", vectorize: "binding", migrations: "tag",
};

/** Reads the user's settings in a folder; undefined if there are none. */
export function readUserSettings(folder: string): { file: string; settings: Settings } | undefined {
  const file = FILES.map((name) => join(folder, name)).find(existsSync);
  if (file === undefined) {
    if (existsSync(join(folder, "wrangler.toml"))) throw new Failure("wrangler.toml is not read by this command", "write its settings into wrangler.jsonc, which wrangler reads as well");
    return undefined;
  }
  try {
    return { file, settings: parseJsonc(readFileSync(file, "utf8")) as Settings };
  } catch (error) {
    throw new Failure(`${file} cannot be read: ${messageOf(error)}`);
  }
}

/** Reads the settings of this package, with paths relative to a folder. */
export function packageSettings(folder: string, { isFree }: { isFree: boolean }): Settings {
  const settings = JSON.parse(readFileSync(PARTS.wrangler, "utf8")) as Settings;
  const seen = (path: string): string => relative(folder, path) || ".";
  settings["main"] = seen(PARTS.entry);
  settings["base_dir"] = seen(resolve(PARTS.entry, ".."));
  settings["assets"] = { ...(settings["assets"] as Settings), directory: seen(PARTS.console) };
  delete settings["$schema"];
  return isFree ? withoutPaid(settings) : settings;
}

/**
 * Leaves out the settings that Cloudflare rejects on the Free plan: the Worker Loader, and limits.
 */
export function withoutPaid({ worker_loaders: _loaders, limits: _limits, ...rest }: Settings): Settings {
  return rest;
}

/**
 * Merges the user's settings over those of the package: an entry of a list replaces the one of the
 * same name, and so does a field of an object.
 */
export function merge(base: Settings, over: Settings): Settings {
  const merged: Settings = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const known = merged[key];
    if (key === "$schema" || key === "main") continue;
    if (Array.isArray(known) && Array.isArray(value)) merged[key] = mergeLists(known, value, NAMED[key]);
    else if (isObject(known) && isObject(value)) merged[key] = key === "durable_objects" ? mergeObjects(known, value) : { ...known, ...value };
    else merged[key] = value;
  }
  return merged;
}

function mergeLists(base: unknown[], over: unknown[], by: string | undefined): unknown[] {
  if (by === undefined) return over;
  const names = new Set(over.map((one) => isObject(one) && one[by]));
  return [...base.filter((one) => !(isObject(one) && names.has(one[by]))), ...over];
}

function mergeObjects(base: Settings, over: Settings): Settings {
  const list = (one: Settings): unknown[] => (Array.isArray(one["bindings"]) ? one["bindings"] : []);
  return { ...base, ...over, bindings: mergeLists(list(base), list(over), "name") };
}

function isObject(value: unknown): value is Settings {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Returns the words that run wrangler: that of the folder, that on the path, or that which npx
 * fetches.
 */
export function wranglerCommand(folder: string): string[] {
  const program = process.platform === "win32" ? "wrangler.cmd" : "wrangler";
  const folders = [join(folder, "node_modules", ".bin"), ...(process.env["PATH"] ?? "").split(delimiter).filter(Boolean)];
  const found = folders.map((one) => join(one, program)).find(existsSync);
  return found === undefined ? ["npx", "--yes", `wrangler@${FACTS.wrangler}`] : [found];
}

/** Runs wrangler and resolves with its exit code, and its output if that is not shown. */
export function runWrangler(folder: string, words: string[], { isShown, input }: { isShown: boolean; input?: string }): Promise<{ code: number; output: string }> {
  const [program = "", ...first] = wranglerCommand(folder);
  return new Promise((settled, failed) => {
    const options: SpawnOptions = {
      cwd: folder,
      stdio: [input === undefined ? "inherit" : "pipe", isShown ? "inherit" : "pipe", isShown ? "inherit" : "pipe"],
      shell: process.platform === "win32",
      env: { WRANGLER_SEND_METRICS: "false", ...process.env },
    };
    const child = spawn(program, [...first, ...words], options);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (piece: Buffer) => (output += piece.toString()));
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
    child.once("error", (error) => failed(new Failure(`wrangler cannot be started: ${error.message}`, "npm install --save-dev wrangler")));
    child.once("close", (code) => settled({ code: code ?? 1, output }));
  });
}
