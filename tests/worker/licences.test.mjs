// Tests of scripts/check-licences.mjs, which `make lint` runs: the licences of npm packages that
// pass.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isMet, refused } from "../../scripts/check-licences.mjs";

const isAllowed = (licence) => ["MIT", "Apache-2.0"].includes(licence);

test("an expression is met where a choice or all parts are allowed", () => {
  for (const expression of ["MIT", "MIT OR GPL-3.0-only", "GPL-3.0-only OR (MIT AND Apache-2.0)", "(MIT)", "GPL-3.0-only AND ISC OR MIT"]) {
    assert.equal(isMet(expression, isAllowed), true, expression);
  }
  for (const expression of ["GPL-3.0-only", "MIT AND GPL-3.0-only", "(MIT OR Apache-2.0) AND GPL-3.0-only", "", "MIT GPL-3.0-only", "MIT WITH x", "(MIT", "MIT OR", "SEE LICENSE IN file"]) {
    assert.equal(isMet(expression, isAllowed), false, expression);
  }
});

test("the packages of a lock file that are not permissive are named", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "codemode-licences-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "package-lock.json");
  const packages = {
    "": { name: "project" },
    "node_modules/good": { version: "1.0.0", license: "MIT" },
    "node_modules/good/node_modules/@a/bad": { version: "2.0.0", license: "AGPL-3.0-only" },
    "node_modules/silent": { version: "3.0.0" },
    "node_modules/@img/sharp-libvips-linux-x64": { version: "1.2.3", license: "LGPL-3.0-or-later" },
    "node_modules/other": { version: "1.2.3", license: "LGPL-3.0-or-later" },
  };
  writeFileSync(file, JSON.stringify({ packages }));
  assert.deepEqual(refused(file), ["@a/bad 2.0.0: AGPL-3.0-only", "silent 3.0.0: names no licence", "other 1.2.3: LGPL-3.0-or-later"]);
});

test("those of this project are permissive", () => {
  assert.deepEqual(refused("package-lock.json"), []);
});
