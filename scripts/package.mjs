// Makes the npm package codemode-database from a built Worker: its folder and its tarball. A
// package for tests has a Worker that is not optimised, so it has no budget.
// Usage: node scripts/package.mjs deploy|test FOLDER_OF_THE_WORKER OUTPUT
//
// Facts with another source are derived here: the version from Cargo.toml, bindings and dates from
// wrangler.toml, versions of workerd and wrangler from package-lock.json, names of settings from
// the Worker's list.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { experimental_readRawConfig as readRawConfig } from "wrangler";
import { cargoPackages, npmPackages, notices } from "./licences.mjs";
import { describe, readWrangler } from "./local-worker.mjs";
import { version } from "./release.mjs";

/**
 * The budget of the tarball: a download of some seconds on a slow line. Most of it is the two
 * WebAssembly modules.
 */
const BUDGET_BYTES = 7_000_000;
const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const SOURCE = join(ROOT, "packages/codemode-database");
const [kind, from, to] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(join(SOURCE, "package.json"), "utf8"));
/** The oldest Node that the command runs on: major and minor version. */
const TARGET = /^>=(\d+)\.(\d+)\.0$/.exec(manifest.engines.node).slice(1).map(Number);
const worker = resolve(from);
const OUTPUT = resolve(to);
const STAGE = join(OUTPUT, "codemode-database");

const read = (path) => readFileSync(join(ROOT, path), "utf8");
const write = (path, text) => writeFileSync(join(STAGE, path), text);
const json = (value) => `${JSON.stringify(value, null, 2)}\n`;

/** Returns the version of a package in the lock file. */
function locked(name) {
  return JSON.parse(read("package-lock.json")).packages[`node_modules/${name}`].version;
}

/** Returns the names of the variables that the Worker reads. */
function settings() {
  const list = /pub const SETTINGS[^]*?\n\];/.exec(read("src/config/settings.rs"))?.[0] ?? "";
  const names = [...list.matchAll(/name: "([A-Z0-9_]+)"/g)].map(([, name]) => name);
  if (names.length === 0) throw new Error("`src/config/settings.rs` has no names of variables as scripts/package.mjs knows them");
  return names;
}

/** Returns the settings of wrangler for the Worker in the package, without a build. */
function wranglerSettings() {
  const { build: _build, rules: _rules, find_additional_modules: _find, main: _main, ...raw } = readRawConfig({ config: join(ROOT, "wrangler.toml") }).rawConfig;
  return {
    ...raw,
    main: "worker/index.js",
    base_dir: "worker",
    no_bundle: true,
    find_additional_modules: true,
    rules: [{ type: "ESModule", globs: ["**/*.js"] }],
    assets: { ...raw.assets, directory: "console" },
  };
}

/**
 * Copies the modules of the Worker. The second WebAssembly module is imported when it is needed,
 * even after a bundler has joined the modules.
 */
function copyWorker() {
  mkdirSync(join(STAGE, "worker"));
  for (const name of readdirSync(worker).filter((one) => /\.(?:js|wasm)$/.test(one))) cpSync(join(worker, name), join(STAGE, "worker", name));
  const path = join(STAGE, "worker/objects.js");
  const text = readFileSync(path, "utf8");
  const lazy = text.replace(/import\s+([\w$]+)\s*from\s*"\.\/objects_bg\.wasm";?/, 'const{default:$1}=await import("./objects_bg.wasm");');
  if (lazy === text) throw new Error(`${path} does not import its WebAssembly as scripts/package.mjs knows it`);
  writeFileSync(path, lazy);
}

/**
 * Returns the description for the registry of MCP, which compares its name with `mcpName` of the
 * package on npm. The name begins with the owner of the repository, whom only a release knows.
 */
function serverOfRegistry() {
  const described = JSON.parse(read("server.json"));
  if (!repository) return described;
  return { ...described, name: described.name.replace("OWNER", repository.split("/")[0]), repository: { url: address, source: "github" } };
}

/**
 * Copies the template of a Worker with this package, for `init --library`. Its lock file is for
 * people who take the folder from the repository.
 */
function copyTemplate() {
  for (const path of ["package.json", "wrangler.jsonc", "tsconfig.json", "src/index.ts", "AGENTS.md", "README.md"]) cpSync(join(ROOT, "template", path), join(STAGE, "template", path));
}

/**
 * Starts the command with Node's compile cache, which keeps it in a folder of the system from the
 * second run on. An older Node would stop at the first missing feature.
 */
const START = `#!/usr/bin/env node
import module from "node:module";
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < ${TARGET[0]} || (major === ${TARGET[0]} && minor < ${TARGET[1]})) {
  console.error(\`error: this is Node \${process.versions.node}; codemode-database needs ${TARGET.join(".")} or newer\n       https://nodejs.org has it\`);
  process.exit(1);
}
module.enableCompileCache?.();
await import("./command.js");
`;

/** Bundles the command with its libraries; returns the files in the bundle. */
async function bundleCommand() {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [join(SOURCE, "src/cli.ts")],
    outfile: join(STAGE, "command.js"),
    bundle: true,
    platform: "node",
    format: "esm",
    target: `node${TARGET.join(".")}`,
    external: ["workerd"],
    minify: true,
    keepNames: true,
    // commander is CommonJS, and requires modules of Node.
    banner: { js: 'import { createRequire as $createRequire } from "node:module"; const require = $createRequire(import.meta.url);' },
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  return Object.keys(metafile.inputs);
}

rmSync(OUTPUT, { recursive: true, force: true });
mkdirSync(STAGE, { recursive: true });
delete manifest.private;
// The provenance of npm names the repository that the package must name, too.
const { GITHUB_REPOSITORY: repository } = process.env;
const address = repository && `https://github.com/${repository}`;
if (repository) manifest.repository = { type: "git", url: `git+${address}.git` };
const server = serverOfRegistry();
write("package.json", json({ ...manifest, mcpName: server.name, version: version(), dependencies: { workerd: locked("workerd") } }));
writeFileSync(join(OUTPUT, "server.json"), json(server));
const { name, compatibilityDate, compatibilityFlags, bindings, assets: { html_handling, not_found_handling } } = describe(readWrangler(join(ROOT, "wrangler.toml")), ROOT);
write("facts.json", json({ version: version(), name, compatibilityDate, compatibilityFlags, bindings, assets: { html_handling, not_found_handling }, settings: settings(), node: TARGET, wrangler: locked("wrangler") }));
write("wrangler.json", json(wranglerSettings()));
copyWorker();
cpSync(join(ROOT, "build-console"), join(STAGE, "console"), { recursive: true });
cpSync(join(SOURCE, "library"), join(STAGE, "library"), { recursive: true });
copyTemplate();
cpSync(join(SOURCE, "worker/workers-ai.js"), join(STAGE, "workers-ai.js"));
cpSync(join(SOURCE, "README.md"), join(STAGE, "README.md"));
for (const licence of ["LICENSE-APACHE", "LICENSE-MIT"]) cpSync(join(ROOT, licence), join(STAGE, licence));
const inputs = await bundleCommand();
writeFileSync(join(STAGE, "cli.js"), START, { mode: 0o755 });
write("NOTICES.txt", `${notices([...cargoPackages(ROOT), ...npmPackages(ROOT, inputs)])}\n${read("data/code-vectors/NOTICE")}`);

const [{ filename, size, unpackedSize }] = JSON.parse(execFileSync("npm", ["pack", "--json", "--pack-destination", OUTPUT], { cwd: STAGE, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }));
renameSync(join(OUTPUT, filename), join(OUTPUT, `codemode-database-${version()}.tgz`));
const path = join(OUTPUT, `codemode-database-${version()}.tgz`);
console.log(`${path}: ${size} bytes, ${unpackedSize} unpacked${kind === "deploy" ? `, budget ${BUDGET_BYTES}` : ""}`);
if (kind === "deploy" && size > BUDGET_BYTES) {
  console.error(`error: the tarball is ${size - BUDGET_BYTES} bytes over its budget`);
  process.exitCode = 1;
}
