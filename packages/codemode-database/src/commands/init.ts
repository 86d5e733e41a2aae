// `init`: makes a project that depends on this package.

import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { Failure } from "../failure.ts";
import { FACTS } from "../product.ts";
import { type Settings, packageSettings, withoutPaid } from "./wrangler.ts";

export interface InitOptions {
  library?: boolean | undefined;
  from: string;
}

/** Where npm puts this package in the project. */
const INSTALLED = "node_modules/codemode-database";

export function init(directory: string, { library = false, from }: InitOptions): string {
  const folder = resolve(directory);
  if (existsSync(folder) && readdirSync(folder).some((name) => !name.startsWith("."))) {
    throw new Failure(`${folder} is not empty`, "name a folder that does not exist: codemode-database init my-database");
  }
  const name = basename(folder).toLowerCase().replace(/[^a-z0-9-]+/g, "-").replace(/^-+|-+$/g, "") || "codemode-database";
  const files = { ...common(name, from, library), ...(library ? ofLibrary(name) : ofApplication(name)) };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const next = [...(folder === resolve(".") ? [] : [`cd ${relative(resolve("."), folder)}`]), "npm install", "npm run dev"];
  return `made ${folder}: ${Object.keys(files).join(", ")}\n\nNext:\n\n${next.map((line) => `  ${line}\n`).join("")}`;
}

function common(name: string, from: string, isLibrary: boolean): Record<string, string> {
  const source = existsSync(from) ? `file:${resolve(from)}` : from === "codemode-database" ? `~${FACTS.version}` : from;
  const scripts = isLibrary ? { dev: "wrangler dev", deploy: "wrangler deploy", types: "wrangler types", doctor: "codemode-database doctor" }
    : { dev: "codemode-database dev --data .codemode/data", deploy: "codemode-database deploy", doctor: "codemode-database doctor" };
  const manifest = { name, private: true, type: "module", scripts, dependencies: { "codemode-database": source }, devDependencies: { wrangler: FACTS.wrangler } };
  return {
    "package.json": `${JSON.stringify(manifest, null, 2)}\n`,
    ".gitignore": "node_modules/\n.codemode/\n.wrangler/\n.dev.vars*\n.env*\n",
  };
}

function ofApplication(name: string): Record<string, string> {
  return {
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

function ofLibrary(name: string): Record<string, string> {
  const settings = settingsOfLibrary();
  const text = JSON.stringify({ $schema: "node_modules/wrangler/config-schema.json", ...settings, name }, null, 2);
  // The programs of models are a beta of a paid plan, so they are a block that is switched on.
  const paid = `
  // Programs (POST /api/codemode/execute) need the Workers Paid plan:
  // "worker_loaders": [{ "binding": "LOADER" }],
  // "limits": { "cpu_ms": 30000 },
`;
  return {
    "wrangler.jsonc": `${text.replace(/^\{\n/, `{${paid}`)}\n`,
    "src/index.ts": `import database from "codemode-database/worker";

// The classes of Durable Objects, and the entrypoint CodeMode for other Workers.
export * from "codemode-database/worker";

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const { pathname } = new URL(request.url);
    // A route of your own. Everything else is the product's.
    if (pathname === "/hello") return new Response("hello");
    return database.fetch(request, env, ctx);
  },
};
`,
    "tsconfig.json": `${JSON.stringify({ compilerOptions: { strict: true, noEmit: true, target: "es2024", module: "esnext", moduleResolution: "bundler", lib: ["es2024"], types: ["./worker-configuration.d.ts"] }, include: ["src"] }, null, 2)}\n`,
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
