// The tarball of `scripts/package`, and folders in which it is installed as npm would: unpacked
// beside the workerd that it depends on.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = resolve(fileURLToPath(import.meta.url), "../../..");

/** The folder of the tarball. */
const PACKED = resolve(process.env.CODEMODE_PACKAGE ?? join(ROOT, "build-package-test"));

/** Returns the tarball of a folder. */
export function tarballOf(folder = PACKED) {
  const name = existsSync(folder) ? readdirSync(folder).find((one) => one.endsWith(".tgz")) : undefined;
  if (name === undefined) throw new Error(`there is no tarball in ${folder}: run scripts/package test first`);
  return join(folder, name);
}

/**
 * Puts a tarball, and packages of the repository beside it, into a new folder as npm would. Returns
 * the folder of the package.
 */
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

/**
 * Returns the folder of the installed package. The first process of a run makes it beside the
 * tarball; the others find it.
 */
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
