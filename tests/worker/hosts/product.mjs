// The product that the tests run. If CODEMODE_PACKAGE names the folder of the packed tarball, as in
// `make test`, it is the Worker and the pages in it; else it is the output of `scripts/build test`,
// so that an edit needs no package. CODEMODE_BUILD names another folder of a Worker.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ROOT, installed } from "../../package/tarball.mjs";

/** Returns the Worker, the pages, and the facts that the configuration of workerd needs. */
function ofPackage() {
  const folder = installed();
  return { worker: join(folder, "worker"), console: join(folder, "console"), facts: JSON.parse(readFileSync(join(folder, "facts.json"), "utf8")) };
}

function ofBuild(worker) {
  return { worker, console: join(ROOT, "build-console"), facts: factsOf(readFileSync(join(ROOT, "wrangler.toml"), "utf8")) };
}

/**
 * Reads the facts from wrangler.toml that the package has in facts.json. wrangler itself would take
 * a second for this, in each test file.
 */
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
