// The parts of the package at run time, which `make package` puts beside the command.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { Binding } from "./engine/configuration.ts";
import { Failure, messageOf } from "./failure.ts";

/**
 * Facts of the build: `make package` derives them from wrangler.toml, Cargo.toml, package-lock.json
 * and the settings of the Worker.
 */
export interface Facts {
  version: string;
  name: string;
  compatibilityDate: string;
  compatibilityFlags: string[];
  bindings: Record<string, Binding>;
  assets: { html_handling?: string; not_found_handling?: string };
  /** The names of the environment variables that the Worker reads. */
  settings: string[];
  /** The oldest Node that the command runs on: major and minor version. */
  node: [number, number];
  wrangler: string;
}

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The paths of the package's parts. */
export const PARTS = {
  command: at("./cli.js"),
  folder: at("."),
  entry: at("./worker/index.js"),
  console: at("./console"),
  workersAi: at("./workers-ai.js"),
  wrangler: at("./wrangler.json"),
  template: at("./template"),
};

export const FACTS = JSON.parse(readFileSync(at("./facts.json"), "utf8")) as Facts;

/** Returns the path of the program workerd. */
export function workerd(): string {
  try {
    return (createRequire(import.meta.url)("workerd") as { default: string }).default;
  } catch (error) {
    throw new Failure(`the package workerd does not work here: ${messageOf(error).split("\n")[0]}`, "workerd runs on Linux, macOS and Windows on x64 and arm64; install again with optional dependencies");
  }
}
