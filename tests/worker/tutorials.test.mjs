// Tests that run docs/tutorials/ in workerd, with the real npm packages. `$ curl` lines are sent
// and `$ node` lines run, and the output must be the text after them. A block of js begins with the
// name of its file. Packages of `$ npm install` are those of package.json.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { commands, curl } from "./console.mjs";
import { Worker } from "./harness.mjs";
import { ROOT, blocks, read, steady } from "./pages.mjs";

/** The pages, each with the least number of commands that it shows. */
const PAGES = [
  { page: "ai-sdk", least: 3 },
  { page: "curl", least: 9 },
  { page: "langchain", least: 3 },
  { page: "mcp-host", least: 2 },
];

/**
 * Writes the files of a page: programs by the name in their first line, and the configuration of an
 * MCP host.
 */
async function writeFiles(folder, list) {
  for (const { language, text } of list) {
    const [, name] = /^\/\/ (\S+\.mjs)\n/.exec(text) ?? [];
    if (language === "js") await writeFile(join(folder, name), text);
    if (language === "json" && text.includes("mcpServers")) await writeFile(join(folder, "host.json"), text);
  }
}

/** Returns true if packages such as `ai@7` are in package.json, in this major version. */
async function isInstalled(packages) {
  const { devDependencies } = JSON.parse(await read("package.json"));
  return packages.every((wanted) => {
    const [, name, major] = /^(.+)@(\d+)$/.exec(wanted) ?? [];
    return name !== undefined && devDependencies[name]?.startsWith(`${major}.`);
  });
}

describe("the tutorials", () => {
  let worker, folder;
  before(async () => (worker = await Worker.start()));
  after(() => worker?.stop());

  const send = async ({ path, init }) => {
    const response = await worker.fetch(path, init);
    return { ok: response.ok, text: await response.text() };
  };

  const perform = async ({ words, output, line }, place) => {
    if (words[0] === "curl") {
      const request = await curl(words, ROOT);
      const { ok, text } = await send(request);
      if (request.silent) return assert.ok(ok, `${place}, line ${line}: ${text}`);
      return assert.deepEqual(steady(text), steady(output), `${place}, line ${line}: ${text}`);
    }
    if (words[0] === "node") {
      const options = { cwd: folder, env: { PATH: process.env.PATH, NODE_NO_WARNINGS: "1", ORIGIN: worker.url } };
      const { stdout } = await promisify(execFile)(process.execPath, words.slice(1), options);
      return assert.equal(stdout.trim(), output, `${place}, line ${line}`);
    }
    assert.deepEqual(words.slice(0, 2), ["npm", "install"], `${place}, line ${line}: curl, node or npm install`);
    return assert.ok(await isInstalled(words.slice(2)), `${place}, line ${line}: package.json has these packages and versions`);
  };

  for (const { page, least } of PAGES) {
    test(`docs/tutorials/${page}.md`, async () => {
      const place = `docs/tutorials/${page}.md`;
      folder = await mkdtemp(join(tmpdir(), "codemode-tutorial-"));
      try {
        await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
        const list = blocks(await read(place));
        await writeFiles(folder, list);
        const variables = new Map();
        const shown = list.filter(({ language }) => language === "console").flatMap((block) => commands(block, variables));
        for (const command of shown) await perform(command, place);
        assert.ok(shown.length >= least, `${shown.length} commands`);
      } finally {
        // Each page begins with an empty session.
        await worker.fetch("/api/codemode/sessions/seattle", { method: "DELETE" });
        await rm(folder, { recursive: true, force: true });
      }
    });
  }

  test("each page of the folder is run", async () => {
    const links = [...(await read("README.md")).matchAll(/docs\/tutorials\/([\w-]+)\.md/g)].map(([, name]) => name);
    assert.deepEqual([...new Set(links)].sort(), PAGES.map(({ page }) => page));
  });
});
