// The product as a library of another Worker: the project that `codemode-database init --library`
// makes, bundled and served by wrangler. All requests but one pass through the handler of that
// Worker.

import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { installed } from "../../package/tarball.mjs";
import { WranglerHost, adapted } from "./wrangler.mjs";

export class LibraryHost extends WranglerHost {
  configured(options) {
    const folder = installed();
    const project = join(this.folder, "project");
    execFileSync(process.execPath, [join(folder, "cli.js"), "init", project, "--library"], { stdio: "pipe" });
    symlinkSync(resolve(folder, ".."), join(project, "node_modules"));
    // Each comment has its own lines. The settings for programs are one of them, which is switched
    // on here.
    const text = readFileSync(join(project, "wrangler.jsonc"), "utf8").replace(/^( *)\/\/ ("(?:worker_loaders|limits)")/gm, "$1$2").replace(/^ *\/\/.*$/gm, "");
    const settings = JSON.parse(text);
    if (settings.worker_loaders === undefined) throw new Error("init --library has no block of worker_loaders as tests/worker/hosts/library.mjs knows it");
    return adapted({ ...settings, main: join(project, settings.main), assets: { ...settings.assets, directory: join(project, settings.assets.directory) } }, options);
  }
}
