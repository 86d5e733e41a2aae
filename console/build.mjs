// Bundles the pages of the console into build-console/, the static assets of the Worker, and fails
// if one exceeds its budget.
// Usage: node console/build.mjs
//
// A page is an HTML file here and a script in src/. The scripts and style sheets have their hash in
// their names, so that a browser may cache them for ever; code that several pages use is in
// separate chunks, and so is the common style sheet. No page has an inline script or style: its
// Content-Security-Policy forbids them.
//
// code-vectors/ is the table with which code workspaces make vectors, and openapi.json describes
// the routes: neither is a part of the Worker's module.
//
// graph-app.html is no page of the Worker but a file for hosts of MCP Apps, which show it in a
// frame that may load nothing: everything in it is inline.

import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/**
 * The budget of `/` and `/graph/` together, gzipped, with everything that they load later: less
 * than half a second at 6 Mbit/s.
 */
const FIRST_PAGES_BUDGET_BYTES = 350_000;
/**
 * The budget of `/agent/`, gzipped, without the files that the first two pages also load: one
 * script and one style sheet.
 */
const AGENT_BUDGET_BYTES = 25_000;
/**
 * The budget of `/code/`, gzipped, without the files that the first two pages also load: one script
 * and one style sheet.
 */
const CODE_BUDGET_BYTES = 20_000;
/**
 * The budget of the MCP App, gzipped: most of it is Cytoscape, and each host keeps its own copy.
 */
const APP_BUDGET_BYTES = 200_000;
/**
 * The browsers that support the CSS and JavaScript of the sources, `light-dark()` above all: from
 * the spring of 2024 on.
 */
const TARGET = ["chrome123", "firefox120", "safari17.5"];

const here = dirname(fileURLToPath(import.meta.url));
const output = resolve(here, "../build-console");
const vectors = resolve(here, "../data/code-vectors");
const description = resolve(here, "../src/api/openapi/document.json");

/** The page for an unknown address. It has no script of its own. */
const MISSING = "not-found.html";
/** The pages: the HTML file, and the script in it. */
const PAGES = { "index.html": "home", "graph.html": "graph", "agent.html": "agent", "code.html": "code" };

const OPTIONS = {
  absWorkingDir: here,
  outdir: output,
  entryNames: "assets/[name]-[hash]",
  chunkNames: "assets/chunk-[hash]",
  loader: { ".svg": "copy" },
  bundle: true,
  platform: "browser",
  target: TARGET,
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: true,
  legalComments: "none",
  metafile: true,
  write: false,
  logLevel: "warning",
};

const results = await Promise.all([
  build({ ...OPTIONS, entryPoints: { home: "src/home/main.tsx", graph: "src/graph/main.tsx", agent: "src/agent/main.tsx", code: "src/code/main.tsx", look: "src/shared/theme.css", icon: "src/icon.svg" }, splitting: true, format: "esm" }),
  // Not a module, because the head must wait for it.
  build({ ...OPTIONS, entryPoints: { theme: "src/shared/theme-first.ts" }, format: "iife" }),
]);
const outputFiles = results.flatMap((result) => result.outputFiles);
const outputs = results.flatMap((result) => Object.entries(result.metafile.outputs));

/** The addresses of esbuild's output, by its entry. */
const made = outputs.map(([path, details]) => ({ ...details, address: `/${relative(output, resolve(here, path))}` }));
const entry = (source) => {
  const found = made.find(({ entryPoint }) => entryPoint === source);
  if (found === undefined) throw new Error(`esbuild made nothing of ${source}`);
  return found;
};

/** Returns the scripts that a script waits for. */
function imported({ imports }) {
  const chunks = imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => `/${relative(output, resolve(here, path))}`);
  return [...new Set(chunks.flatMap((address) => [address, ...imported(made.find((one) => one.address === address))]))];
}

/**
 * Returns all files that a page loads, at once or later: those in its HTML, and those that these
 * files name in turn.
 */
function loadedBy(htmlFile) {
  const found = new Set([htmlFile]);
  // The loop also visits the names that are added to the set meanwhile.
  for (const name of found) {
    const text = files.get(name).toString();
    for (const other of files.keys()) {
      if (other.startsWith("assets/") && text.includes(basename(other))) found.add(other);
    }
  }
  return found;
}

/** Returns the elements in the head of every page. */
function shared() {
  return {
    icon: `<link rel="icon" type="image/svg+xml" href="${entry("src/icon.svg").address}">`,
    theme: `<script src="${entry("src/shared/theme-first.ts").address}"></script>`,
    look: `<link rel="stylesheet" href="${entry("src/shared/theme.css").address}">`,
  };
}

/** Makes an HTML file with the addresses of the files that it loads. */
async function page(file, name) {
  const script = entry(`src/${name}/main.tsx`);
  const style = `/${relative(output, resolve(here, script.cssBundle))}`;
  const places = {
    ...shared(),
    style: [shared().look, `<link rel="stylesheet" href="${style}">`].join("\n"),
    script: [`<script type="module" src="${script.address}"></script>`, ...imported(script).map((chunk) => `<link rel="modulepreload" href="${chunk}">`)].join("\n"),
  };
  return fill(file, places);
}

/** Fills the places of an HTML file. */
async function fill(file, places) {
  const text = await readFile(join(here, file), "utf8");
  return text.replace(/<!-- (\w+) -->/g, (_, place) => {
    if (places[place] === undefined) throw new Error(`${file} has a place ${place} that nothing fills`);
    return places[place];
  });
}

/** Makes the MCP App as one file. */
async function app() {
  const built = await build({ ...OPTIONS, entryPoints: { app: "src/graph/app/main.tsx" }, format: "iife", define: { APP_VERSION: JSON.stringify(await version()) } });
  const text = (ending) => built.outputFiles.find(({ path }) => path.endsWith(ending)).text;
  // The script must not contain the end of its element, or text that hides that end (HTML,
  // "Restrictions for contents of script elements").
  const script = text(".js").replace(/<(\/script|!--)/gi, "\\x3c$1");
  return fill("graph-app.html", { style: `<style>${text(".css")}</style>`, script: `<script>${script}</script>` });
}

/** Returns the version of the product. */
async function version() {
  const text = await readFile(resolve(here, "../Cargo.toml"), "utf8");
  const found = /^\[workspace\.package\][^[]*?^version *= *"([^"]+)"/ms.exec(text);
  if (found === null) throw new Error("Cargo.toml has no version of the workspace");
  return found[1];
}

const files = new Map(outputFiles.map(({ path, contents }) => [relative(output, path), Buffer.from(contents)]));
for (const [file, name] of Object.entries(PAGES)) files.set(file, Buffer.from(await page(file, name)));
files.set(MISSING, Buffer.from(await fill(MISSING, shared())));

const sizes = new Map([...files].map(([name, contents]) => [name, gzippedBytes(contents)]));
for (const [name, bytes] of sizes) console.log(`  ${name}: ${bytes} bytes gzipped`);
const total = (names) => [...names].reduce((sum, name) => sum + sizes.get(name), 0);
const loaded = new Map(Object.keys(PAGES).map((file) => [file, loadedBy(file)]));
for (const [file, names] of loaded) console.log(`  ${file} with all that it loads: ${total(names)} bytes gzipped`);
// A file that several pages load counts once.
const firstPages = new Set([...loaded.get("index.html"), ...loaded.get("graph.html")]);
const alone = (page) => [...loaded.get(page)].filter((name) => !firstPages.has(name));
const unused = [...files.keys()].filter((name) => name !== MISSING && ![...loaded.values()].some((names) => names.has(name)));
if (unused.length > 0) throw new Error(`no page loads ${unused.join(", ")}`);
const appContents = Buffer.from(await app());
check("MCP App", gzippedBytes(appContents), APP_BUDGET_BYTES);
check("agent page alone", total(alone("agent.html")), AGENT_BUDGET_BYTES);
check("code page alone", total(alone("code.html")), CODE_BUDGET_BYTES);
check("first two pages", total(firstPages), FIRST_PAGES_BUDGET_BYTES);
files.set("graph-app.html", appContents);
// No page loads these: the object of a code workspace reads the table, and the Worker serves the
// description.
files.set("openapi.json", await readFile(description));
for (const name of ["sign384_tokens.txt", "sign384_top20k.bin"]) files.set(join("code-vectors", name), await readFile(join(vectors, name)));

function gzippedBytes(contents) {
  return gzipSync(contents, { level: 9 }).length;
}

function check(what, bytes, budget) {
  console.log(`${what}: ${bytes} bytes gzipped, budget ${budget}`);
  if (bytes <= budget) return;
  console.error(`error: the ${what} is ${bytes - budget} bytes over its budget`);
  process.exit(1);
}

// Pages are written last, so that an existing page finds the files that it loads. Files of earlier
// builds are deleted after that.
for (const folder of ["assets", "code-vectors"]) await mkdir(join(output, folder), { recursive: true });
for (const [name, contents] of [...files].sort(([one], [other]) => Number(one.endsWith(".html")) - Number(other.endsWith(".html")))) {
  await writeFile(join(output, name), contents);
}
for (const name of await readdir(join(output, "assets"))) {
  if (!files.has(join("assets", basename(name)))) await rm(join(output, "assets", name));
}
