// Writes template/package-lock.json: every package with its hash, except codemode-database, whose
// tarball has none before it is published. npm installs that one by its version.
// Usage: node scripts/template-lock.mjs FOLDER_WITH_THE_TARBALL

import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { serveTarball } from "./local-registry.mjs";

const TEMPLATE = resolve(dirname(fileURLToPath(import.meta.url)), "../template");
const made = resolve(process.argv[2] ?? "build-package-test");
const tarball = readdirSync(made).find((name) => name.endsWith(".tgz"));
if (tarball === undefined) throw new Error(`there is no tarball in ${made}`);

const registry = await serveTarball(join(made, tarball));
const folder = mkdtempSync(join(tmpdir(), "codemode-template-"));
try {
  cpSync(join(TEMPLATE, "package.json"), join(folder, "package.json"));
  const words = ["install", "--package-lock-only", "--ignore-scripts", "--omit-lockfile-registry-resolved", "--no-audit", "--no-fund", `--registry=${registry.origin}`, `--cache=${join(folder, "cache")}`];
  await promisify(execFile)("npm", words, { cwd: folder });
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  delete lock.packages["node_modules/codemode-database"].integrity;
  writeFileSync(join(TEMPLATE, "package-lock.json"), `${JSON.stringify(lock, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  await registry.stop();
}
