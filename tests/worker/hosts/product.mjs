// The product that the tests run: the Worker and the pages of the packed tarball where CODEMODE_PACKAGE names its folder, as `make test` does, and else what
// `scripts/build test` has made, so that an edit needs no package. CODEMODE_BUILD names another folder of a Worker.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = resolve(fileURLToPath(import.meta.url), "../../../..");

/** The folder of the tarball. */
const PACKED = resolve(process.env.CODEMODE_PACKAGE ?? join(ROOT, "build-package-test"));

/** The tarball of a folder. */
export function tarballOf(folder = PACKED) {
  const name = existsSync(folder) ? readdirSync(folder).find((one) => one.endsWith(".tgz")) : undefined;
  if (name === undefined) throw new Error(`there is no tarball in ${folder}: run scripts/package test first`);
  return join(folder, name);
}

/** Puts a tarball, and packages of the repository beside it, into a new folder as npm would. Returns the folder of the package. */
export function unpack(tarball, folder, others = []) {
  const modules = join(folder, "node_modules");
  const target = join(modules, "codemode-database");
  mkdirSync(target, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", target, "--strip-components=1"]);
  for (const name of ["workerd", ...others]) {
    mkdirSync(resolve(modules, name, ".."), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  }
  return target;
}

/** The folder of the installed package. The first process of a run makes it beside the tarball; the others find it. */
export function installed() {
  const tarball = tarballOf();
  const { mtimeMs, size } = statSync(tarball);
  const home = join(PACKED, `installed-${Math.round(mtimeMs)}-${size}`);
  if (!existsSync(home)) {
    const fresh = mkdtempSync(join(PACKED, ".installing-"));
    unpack(tarball, fresh, ["@cloudflare/workers-types", "wrangler"]);
    try {
      renameSync(fresh, home);
    } catch {
      // Another process was faster.
      rmSync(fresh, { recursive: true });
    }
  }
  return join(home, "node_modules", "codemode-database");
}

/** The Worker, the pages, and what the configuration of workerd needs to know of them. */
function ofPackage() {
  const folder = installed();
  return { worker: join(folder, "worker"), console: join(folder, "console"), facts: JSON.parse(readFileSync(join(folder, "facts.json"), "utf8")) };
}

function ofBuild(worker) {
  return { worker, console: join(ROOT, "build-console"), facts: factsOf(readFileSync(join(ROOT, "wrangler.toml"), "utf8")) };
}

/** Reads of wrangler.toml what the package has in facts.json. wrangler itself would take a second for it, in each test file. */
function factsOf(text) {
  const only = (pattern) => {
    const found = pattern.exec(text)?.[1];
    if (found === undefined) throw new Error(`wrangler.toml has no ${pattern} as tests/worker/hosts/product.mjs knows it`);
    return found;
  };
  const objects = [...text.matchAll(/^\[\[durable_objects\.bindings\]\]\nname = "([^"]+)"\nclass_name = "([^"]+)"/gm)];
  return {
    name: only(/^name = "([^"]+)"/m),
    compatibilityDate: only(/^compatibility_date = "([^"]+)"/m),
    compatibilityFlags: [],
    bindings: {
      [only(/^\[assets\][^[]*?^binding = "([^"]+)"/ms)]: { type: "assets" },
      ...Object.fromEntries(objects.map(([, name, class_name]) => [name, { type: "durable_object_namespace", class_name }])),
      [only(/^\[\[worker_loaders\]\]\nbinding = "([^"]+)"/m)]: { type: "worker_loader" },
    },
    assets: { html_handling: only(/^html_handling = "([^"]+)"/m), not_found_handling: only(/^not_found_handling = "([^"]+)"/m) },
  };
}

const { CODEMODE_BUILD: built, CODEMODE_PACKAGE: packed } = process.env;
export const PRODUCT = built === undefined && packed !== undefined ? ofPackage() : ofBuild(resolve(built ?? join(ROOT, "build-test")));
