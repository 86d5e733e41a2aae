// The licence notices of everything inside the npm package: crates in the WebAssembly modules, and
// npm packages in the Worker, the console and the command.

import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** The files of a package that contain a licence or a notice of its authors. */
const FILES = /^(?:licen[cs]e|copying|notice|unlicense|copyright)/i;
/** The sources of the Worker's modules and of the console, which import packages of npm. */
const SOURCES = ["js", "console/src"];
const WASM = "wasm32-unknown-unknown";
const PRODUCT = "codemode-database";

/**
 * Returns the third-party crates that are compiled into the Worker, except those that only build or
 * test something.
 */
export function cargoPackages(root) {
  const cargo = (...words) => execFileSync("cargo", [...words, "--locked"], { cwd: root, encoding: "utf8", maxBuffer: 256 * 1024 * 1024 });
  // The metadata has the crates of every member of the workspace, and the tree those that this one
  // is compiled with.
  const tree = cargo("tree", "--package", PRODUCT, "--target", WASM, "--edges", "normal,no-proc-macro", "--features", "objects-module", "--prefix", "none", "--format", "{p}");
  const inside = new Set(tree.split("\n").map((line) => line.split(" ").slice(0, 2).join(" v").replace("vv", "v")));
  const { packages } = JSON.parse(cargo("metadata", "--format-version", "1", "--filter-platform", WASM));
  const found = packages.filter(({ name, version, source }) => source !== null && inside.has(`${name} v${version}`));
  if (found.length === 0) throw new Error("cargo tree names no crates as scripts/licences.mjs knows them");
  return found.map(({ name, version, license, license_file, manifest_path, repository }) => ({
    kind: "crate", name, version, licence: license ?? (license_file && `as its file ${license_file} says`), repository, texts: textsOf(dirname(manifest_path)),
  }));
}

/**
 * Returns the npm packages that the sources import, with their dependencies, and those among the
 * files that a bundler has read.
 */
export function npmPackages(root, bundled) {
  const imported = SOURCES.flatMap((folder) => sourcesOf(join(root, folder))).flatMap((file) => [...readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*["']((?:@[\w.-]+\/)?[a-z][\w.-]*)/g)].map(([, name]) => name));
  const read = bundled.map((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]).filter(Boolean);
  const found = new Map();
  const visit = (name, isNeeded) => {
    if (found.has(name)) return;
    const manifest = manifestOf(root, name);
    // A module of the platform, such as cloudflare:workers or a file of the project.
    if (manifest === undefined) {
      if (isNeeded) throw new Error(`the package ${name} is not installed`);
      return;
    }
    found.set(name, manifest);
    for (const dependency of Object.keys(manifest.dependencies ?? {})) visit(dependency, true);
  };
  for (const name of new Set(imported)) visit(name, false);
  for (const name of new Set(read)) visit(name, true);
  return [...found.values()].map(({ name, version, license, repository }) => ({
    kind: "npm package", name, version, licence: license, repository: typeof repository === "string" ? repository : repository?.url, texts: textsOf(join(root, "node_modules", name)),
  }));
}

/**
 * Renders the notices: a list of all packages, and each text once with the packages it belongs to.
 */
export function notices(packages) {
  const sorted = packages.toSorted((one, other) => `${one.kind} ${one.name} ${one.version}`.localeCompare(`${other.kind} ${other.name} ${other.version}`, "en"));
  const nameless = sorted.filter(({ licence }) => !licence);
  if (nameless.length > 0) throw new Error(`these packages name no licence: ${nameless.map(({ name }) => name).join(", ")}`);
  const list = sorted.map(({ kind, name, version, licence, repository }) => `${kind} ${name} ${version}: ${licence}${repository ? `, ${repository.replace(/^git\+/, "")}` : ""}`);
  const owners = new Map();
  for (const { name, version, texts } of sorted) for (const text of texts) owners.set(text, [...(owners.get(text) ?? []), `${name} ${version}`]);
  const rule = "-".repeat(80);
  const texts = [...owners].map(([text, names]) => `${rule}\n${names.join(", ")}\n${rule}\n\n${text}\n`);
  return `Code Mode Database contains the following packages of others.\n\n${list.join("\n")}\n\n${texts.join("\n")}`;
}

function manifestOf(root, name) {
  try {
    return JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8"));
  } catch {
    return undefined;
  }
}

function textsOf(folder) {
  return readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile() && FILES.test(entry.name)).map(({ name }) => readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n").trim());
}

function sourcesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && /\.(?:js|ts|tsx)$/.test(entry.name)).map((entry) => join(entry.parentPath, entry.name));
}
