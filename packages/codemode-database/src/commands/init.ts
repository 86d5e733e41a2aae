// `init`: makes a project that depends on this package.

import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { Failure } from "../failure.ts";
import { FACTS, PARTS } from "../product.ts";
import { type Settings, packageSettings, withoutPaid } from "./wrangler.ts";

export interface InitOptions {
  library?: boolean | undefined;
  from: string;
}

/** The folder of this package in the project, where npm puts it. */
const INSTALLED = "node_modules/codemode-database";
/**
 * The content of .gitignore. npm leaves that file out of a package, so the template's cannot be
 * read.
 */
const IGNORED = "node_modules/\n.wrangler/\n.codemode/\nworker-configuration.d.ts\n.dev.vars*\n!.dev.vars.example\n.env*\n";

export function init(directory: string, { library = false, from }: InitOptions): string {
  const folder = resolve(directory);
  if (existsSync(folder) && readdirSync(folder).some((name) => !name.startsWith("."))) {
    throw new Failure(`${folder} is not empty`, "name a folder that does not exist: codemode-database init my-database");
  }
  const name = basename(folder).toLowerCase().replace(/[^a-z0-9-]+/g, "-").replace(/^-+|-+$/g, "") || "codemode-database";
  const files = library ? ofLibrary(name, from) : ofApplication(name, from);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const next = [...(folder === resolve(".") ? [] : [`cd ${relative(resolve("."), folder)}`]), "npm install", "npm run dev"];
  return `made ${folder}: ${Object.keys(files).join(", ")}\n\nNext:\n\n${next.map((line) => `  ${line}\n`).join("")}`;
}

function sourceOf(from: string): string {
  return existsSync(from) ? `file:${resolve(from)}` : from === "codemode-database" ? `~${FACTS.version}` : from;
}

function ofApplication(name: string, from: string): Record<string, string> {
  const scripts = { dev: "codemode-database dev --data .codemode/data", deploy: "codemode-database deploy", doctor: "codemode-database doctor" };
  const manifest = { name, private: true, type: "module", scripts, dependencies: { "codemode-database": sourceOf(from) }, devDependencies: { wrangler: FACTS.wrangler } };
  return {
    "package.json": `${JSON.stringify(manifest, null, 2)}\n`,
    ".gitignore": IGNORED,
    "wrangler.jsonc": `{
  // Settings of yours. "npm run deploy" merges them over those of the package, so an update needs no edit here.
  "$schema": "node_modules/wrangler/config-schema.json",
  "name": ${JSON.stringify(name)},
  // "routes": [{ "pattern": "db.example.com", "custom_domain": true }],
  // "d1_databases": [{ "binding": "CODEMODE_D1", "database_name": ${JSON.stringify(name)}, "database_id": "the id that wrangler d1 create prints" }],
  "vars": {
    // "SESSION_TTL_SECONDS": "86400"
  }
}
`,
  };
}

/** The template of a Worker with this package, under the project's name. */
function ofLibrary(name: string, from: string): Record<string, string> {
  const read = (path: string): string => readFileSync(join(PARTS.template, path), "utf8");
  const manifest = JSON.parse(read("package.json")) as Settings & { dependencies: Record<string, string> };
  const dependencies = { ...manifest.dependencies, "codemode-database": sourceOf(from) };
  const named = read("wrangler.jsonc").replace(/^( {2}"name": )"[^"]+"/m, (_, key: string) => `${key}${JSON.stringify(name)}`);
  return {
    "package.json": `${JSON.stringify({ ...manifest, name, dependencies }, null, 2)}\n`,
    "wrangler.jsonc": named,
    ".gitignore": IGNORED,
    ...Object.fromEntries(["src/index.ts", "tsconfig.json", "AGENTS.md", "README.md"].map((path) => [path, read(path)])),
  };
}

/** The settings of a Worker that has this package as a library. */
export function settingsOfLibrary(): Settings {
  const { durable_objects, migrations, compatibility_date, compatibility_flags, assets } = withoutPaid(packageSettings(".", { isFree: true }));
  return {
    main: "src/index.ts",
    compatibility_date,
    ...(compatibility_flags === undefined ? {} : { compatibility_flags }),
    durable_objects,
    migrations,
    assets: { ...(assets as Settings), directory: `${INSTALLED}/console` },
  };
}
