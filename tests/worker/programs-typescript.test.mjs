// Tests that TypeScript without its types behaves like the output of the TypeScript compiler: each
// program of tests/sandbox/typescript.json gives the same result here as its compiled text in Node.
// They include line breaks in types where JavaScript ends a statement, and enums with computed
// members.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Worker } from "./harness.mjs";
import { result } from "./program-client.mjs";

const programs = JSON.parse(await readFile(new URL("../sandbox/typescript.json", import.meta.url), "utf8"));
const COMPILER = fileURLToPath(new URL("../../node_modules/.bin/tsc", import.meta.url));
const OPTIONS = ["--target", "esnext", "--module", "esnext", "--strict", "false", "--noCheck"];

/**
 * Makes the module for the compiler: the value that a program returns becomes the result of its
 * default export.
 */
const moduleOf = (program) => (program.startsWith("export ") ? program.replace(/return (\w+)$/, "export default $1") : `export default async function () {\n${program}\n}\n`);

describe("programs in TypeScript", () => {
  let folder, worker;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "codemode-typescript-"));
    await mkdir(join(folder, "in"));
    const names = programs.map((_, index) => join(folder, "in", `${index}.mts`));
    await Promise.all(programs.map((program, index) => writeFile(names[index], moduleOf(program))));
    await promisify(execFile)(COMPILER, [...OPTIONS, "--outDir", join(folder, "out"), ...names]);
    worker = await Worker.start();
  });
  after(async () => {
    await worker?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  programs.forEach((program, index) =>
    test(program, async () => {
      const { default: made } = await import(pathToFileURL(join(folder, "out", `${index}.mjs`)));
      const expected = JSON.parse(JSON.stringify((typeof made === "function" ? await made() : made) ?? null));
      assert.deepEqual(await result(worker, randomUUID(), program), expected);
    }),
  );
});
