// Tests of the page /code/{workspace} in Chromium: reading, searching and deciding, also with a
// token, by keyboard alone, and its accessibility.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TOKENS, Worker } from "../worker/harness.mjs";
import { until } from "../until.mjs";
import { Browser, LOOKS } from "./browser.mjs";
import { CACHE, HOSTILE, LIB, list, look, openWorkspace, proposal, reader, search, Workspace } from "./code.mjs";

let open, closed, browser;
before(async () => {
  open = await Worker.start();
  closed = await Worker.start({ settings: { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme" }) } });
  browser = await Browser.start();
});
after(async () => {
  await browser?.stop();
  await Promise.all([open?.stop(), closed?.stop()]);
});

/** Opens the page of a workspace with files. */
async function visited(options) {
  const visit = await browser.visit(options);
  const workspace = await new Workspace(open).filled();
  await openWorkspace(visit.page, workspace);
  return { visit, page: visit.page, workspace };
}

test("files are a tree, and a text has its words coloured, its items and its relations", async () => {
  const { visit, page } = await visited();
  const tree = page.getByRole("navigation", { name: "Files" });
  assert.deepEqual(await tree.locator("summary").allTextContents(), ["src", "deep/down"]);
  assert.deepEqual(await tree.getByRole("link").allTextContents(), ["here.rs", "cache.rs", "lib.rs", "Cargo.toml", "README.md"]);
  await tree.getByRole("link", { name: "lib.rs" }).click();
  const text = reader(page, "src/lib.rs");
  await text.waitFor();
  assert.equal(await text.locator(".cm-line").allTextContents().then((lines) => lines.join("\n")), LIB);
  const colourOf = (words) => text.getByText(words, { exact: true }).first().evaluate((element) => getComputedStyle(element).color);
  await until(async () => new Set([await colourOf("pub"), await colourOf('"empty"'), await colourOf("//! A gate.")]).size === 3);
  assert.equal(await tree.getByRole("link", { name: "lib.rs" }).getAttribute("aria-current"), "true");

  await page.getByText("Outline:").click();
  await page.getByRole("link", { name: "crate::review", exact: true }).click();
  const item = page.getByRole("article", { name: "crate::review" });
  await item.getByText("Checks a statement before it runs.", { exact: true }).waitFor();
  assert.match(await item.innerText(), /function/);
  assert.match(await reader(page, "crate::review").innerText(), /pub fn review/);
  await item.getByText("is in", { exact: true }).waitFor();
  await page.goBack();
  await text.waitFor();

  await page.getByLabel("Filter by path").fill("CACHE");
  await page.getByText("No file has this in its path.").waitFor();
  await page.getByLabel("Filter by path").fill("cach");
  await until(async () => (await tree.getByRole("link").allTextContents()).join() === "cache.rs");
  await visit.close();
});

test("a question finds code, and says how each score came about; texts and expressions find lines", async () => {
  const { visit, page } = await visited();
  await search(page, "StatementCache");
  const first = page.locator(".hits > li").first();
  assert.equal(await first.getByRole("link").first().innerText(), "crate::cache::StatementCache");
  await first.getByText("Score").click();
  const score = await first.getByRole("table").innerText();
  for (const part of ["rank by words", "rank by vectors", "defines the name that was asked for"]) assert.ok(score.includes(part), score);
  await first.getByRole("link").first().click();
  await page.getByRole("article", { name: "crate::cache::StatementCache" }).waitFor();

  await search(page, "is_empty", "text");
  await page.locator(".matches a").first().click();
  await reader(page, "src/lib.rs").waitFor();
  assert.match(await reader(page, "src/lib.rs").locator(".cm-wanted").innerText(), /is_empty/);
  await search(page, "fn (open|lookup)", "regex");
  assert.deepEqual(await page.locator(".matches .path").allTextContents(), ["src/cache.rs", "src/lib.rs"]);
  await page.getByLabel("What to look for").fill("(");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("INVALID_ARGUMENT").waitFor();
  await visit.close();
});

test("a proposal shows its changes, and is approved, reverted, or denied", async () => {
  const { visit, page, workspace } = await visited();
  await workspace.propose("first");
  await workspace.propose("second", "true");
  await list(page, "Proposals");
  const changes = proposal(page, "first").getByRole("region", { name: "Changes of first" });
  await changes.waitFor();
  assert.ok((await changes.locator(".patch-old code").allTextContents()).includes("Taken out: pub fn review(sql: &str) -> Result<(), String> {"));
  assert.ok((await changes.locator(".patch-new code").allTextContents()).some((line) => line.includes("-> bool { !sql.is_empty() }")));
  await proposal(page, "first").getByRole("link", { name: "src/lib.rs" }).click();
  await reader(page, "src/lib.rs").waitFor();
  await proposal(page, "first").getByRole("button", { name: "Approve" }).click();
  await page.getByText(/Applied first as version 2/).waitFor();
  // The open file is updated, and a proposal that can no longer be applied stops waiting.
  await until(async () => (await reader(page, "src/lib.rs").innerText()).includes("-> bool"));
  await page.getByText("No proposal waits for a decision.").waitFor();
  assert.match(await workspace.text("src/lib.rs"), /-> bool/);

  await page.getByLabel("Which proposals").selectOption("applied");
  await proposal(page, "first").getByRole("button", { name: "Revert" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revert" }).click();
  await proposal(page, "first").getByText("reverted by version 3").waitFor();
  assert.equal(await workspace.text("src/lib.rs"), LIB);

  await workspace.propose("third");
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByLabel("Which proposals").selectOption("pending");
  await proposal(page, "third").getByRole("button", { name: "Deny" }).click();
  await page.getByText("No proposal waits for a decision.").waitFor();
  assert.equal(await workspace.text("src/lib.rs"), LIB);
  await visit.close();
});

test("a decision that comes second is told what became of the proposal", async () => {
  const { visit, page, workspace } = await visited();
  await workspace.propose("once");
  await list(page, "Proposals");
  await proposal(page, "once").waitFor();
  await workspace.call("deny_proposal", { requestId: "once" });
  await proposal(page, "once").getByRole("button", { name: "Approve" }).click();
  await page.getByText("PROPOSAL_DECIDED").waitFor();
  await page.getByText("No proposal waits for a decision.").waitFor();
  assert.equal(await workspace.text("src/lib.rs"), LIB);
  await visit.close();
});

test("the slider shows earlier versions", async () => {
  const { visit, page, workspace } = await visited();
  await workspace.put(["src/cache.rs", "pub struct Renamed;\n"], ["src/more.rs", "pub fn more() {}\n"]);
  await page.getByRole("button", { name: "Reload" }).click();
  const tree = page.getByRole("navigation", { name: "Files" });
  await tree.getByRole("link", { name: "more.rs" }).waitFor();
  await tree.getByRole("link", { name: "cache.rs" }).click();
  await until(async () => (await reader(page, "src/cache.rs").innerText()).includes("Renamed"));
  await look(page, 1);
  await page.getByText("Version 1 of 2").waitFor();
  await until(async () => (await reader(page, "src/cache.rs").locator(".cm-line").allTextContents()).join("\n") === CACHE);
  await until(async () => (await tree.getByRole("link", { name: "more.rs" }).count()) === 0);
  await search(page, "StatementCache");
  assert.equal(await page.locator(".hits a").first().innerText(), "crate::cache::StatementCache");
  await page.getByRole("button", { name: "Back to now" }).click();
  await page.getByText("These hits are from another version.").waitFor();
  await until(async () => (await reader(page, "src/cache.rs").innerText()).includes("Renamed"));
  await visit.close();
});

test("a text from a file is never HTML", async () => {
  const { visit, page, workspace } = await visited();
  const staged = { requestId: HOSTILE.slice(0, 60), edits: [{ mode: "insert_after", file: "src/deep/down/here.rs", canon: "crate::deep::down::here::here", node_type: "function", code: `/// ${HOSTILE}\npub fn there() {}` }] };
  const { canon } = (await workspace.call("code_item_lookup", { item_name: "here", node_kind: "function" })).item;
  staged.edits[0].canon = canon;
  await workspace.call("apply_code_edit", staged);
  await page.goto(`${workspace.address}#file=README.md`);
  await reader(page, "README.md").waitFor();
  assert.ok((await reader(page, "README.md").innerText()).includes(HOSTILE));
  await page.goto(`${workspace.address}#${new URLSearchParams({ file: "src/deep/down/here.rs", canon, kind: "function" })}`);
  await page.locator(".docs").getByText(HOSTILE).waitFor();
  await search(page, "onerror", "text");
  await list(page, "Proposals");
  await page.locator(".patch-new").first().waitFor();
  await page.goto(`${workspace.address}#file=${encodeURIComponent(HOSTILE)}`);
  await page.getByRole("alert").waitFor();
  assert.equal(await page.locator("#app img, #app script").count(), 0);
  assert.equal(await page.evaluate(() => globalThis.harmed), undefined);
  await visit.close();
});

test("characters that are not seen have their numbers in a proposal, and long lines their length", async () => {
  const { visit, page, workspace } = await visited();
  const long = `// ${"x".repeat(400)}`;
  const code = `/// Opens.\u202e\n${long}\npub fn review(sql: &str) -> bool { sql != "\u200badmin\u2066" }`;
  await workspace.call("apply_code_edit", { requestId: "odd\u202e", edits: [{ mode: "canonical", file: "src/lib.rs", canon: "crate::review", node_type: "function", code }] });
  await list(page, "Proposals");
  const changes = page.getByRole("region", { name: "Changes of odd⟨U+202E⟩" });
  await changes.waitFor();
  const added = await changes.locator(".patch-new code").allTextContents();
  assert.ok(added.some((line) => line.includes("/// Opens.⟨U+202E⟩")), JSON.stringify(added));
  assert.ok(added.some((line) => line.includes(`sql != "⟨U+200B⟩admin⟨U+2066⟩"`)), JSON.stringify(added));
  await page.getByText("the new code of src/lib.rs has invisible characters, or characters that change its displayed order: U+200B, U+202E, U+2066").waitFor();
  // A diff is as wide as the page, and no line leaves it.
  assert.equal(await changes.locator(".line-length").innerText(), "one line of 403 characters");
  const { scrollWidth, clientWidth, width } = await changes.evaluate((element) => ({ scrollWidth: element.scrollWidth, clientWidth: element.clientWidth, width: innerWidth }));
  assert.ok(scrollWidth <= clientWidth && clientWidth > 0.8 * width, JSON.stringify({ scrollWidth, clientWidth, width }));
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByText(/as version 2/).waitFor();
  await page.goto(`${workspace.address}#file=src/lib.rs`);
  await until(async () => (await reader(page, "src/lib.rs").innerText()).includes(`sql != "⟨U+200B⟩admin⟨U+2066⟩"`));
  await visit.close();
});

test("an empty workspace says so, and the home page lists those with files", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  await page.goto(new Workspace(open).address);
  await page.getByText("This workspace has no files yet.").waitFor();
  const workspace = await new Workspace(open).filled();
  await until(async () => (await (await open.fetch("/api/code/workspaces?limit=1000")).json()).workspaces.some(({ workspace: name }) => name === workspace.name));
  await page.goto(open.url);
  const row = page.getByRole("row").filter({ hasText: workspace.name });
  assert.match(await row.innerText(), /5 files/);
  await row.getByRole("link").click();
  await page.getByRole("navigation", { name: "Files" }).waitFor();
  await visit.close();
});

for (const { size, theme, name } of LOOKS) {
  test(`axe finds nothing serious: ${name}`, async () => {
    const { visit, page, workspace } = await visited({ size, theme });
    const clean = async (what) => {
      assert.deepEqual(await visit.barriers(), [], what);
      // Content that does not fit scrolls in a part of the page, never the page itself.
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0, `${what} is too wide`);
      await visit.picture(`code-${what.replaceAll(" ", "-")}`);
    };
    const back = async () => {
      if (await page.getByRole("link", { name: "Back to the lists" }).isVisible()) await page.getByRole("link", { name: "Back to the lists" }).click();
    };
    await clean("files");
    await page.getByRole("link", { name: "lib.rs" }).click();
    await reader(page, "src/lib.rs").waitFor();
    await page.getByText("Outline:").click();
    await clean("a file");
    await back();
    await search(page, "where is a statement checked?");
    await page.locator(".hits summary").first().click();
    await clean("a search");
    await page.locator(".hits a").first().click();
    await page.locator(".edges").waitFor();
    await clean("an item");
    await back();
    await search(page, "fn", "text");
    await clean("lines");
    await workspace.propose("look");
    await list(page, "Proposals");
    await proposal(page, "look").waitFor();
    await clean("a proposal");
    await proposal(page, "look").getByRole("button", { name: "Approve" }).click();
    await page.getByText("No proposal waits for a decision.").waitFor();
    await look(page, 1);
    await page.getByRole("button", { name: "Back to now" }).waitFor();
    await clean("an earlier version");
    await page.goto(`${workspace.address}#file=none.rs`);
    await page.getByRole("alert").first().waitFor();
    await clean("a file that is not there");
    await visit.close();
  });
}

test("everything is done by keyboard alone", async () => {
  const { visit, page, workspace } = await visited();
  await visit.tabTo("src");
  await visit.press("Enter");
  await until(async () => (await page.getByRole("link", { name: "lib.rs" }).count()) === 0);
  await visit.press("Enter");
  await visit.tabTo("lib.rs");
  await visit.press("Enter");
  await reader(page, "src/lib.rs").waitFor();
  await visit.tabTo("Text of src/lib.rs");
  await visit.press("/");
  await visit.focusComesTo("What to look for");
  await page.keyboard.type("StatementCache");
  await visit.press("Enter");
  await page.locator(".hits a").first().waitFor();
  await visit.tabTo("crate::cache::StatementCache");
  await visit.press("Enter");
  await page.getByRole("article", { name: "crate::cache::StatementCache" }).waitFor();
  await workspace.propose("keys");
  await visit.tabTo("Proposals");
  await visit.press("Enter");
  await proposal(page, "keys").waitFor();
  await visit.tabTo("Approve");
  await visit.press("Enter");
  await page.getByText(/Applied keys/).waitFor();
  await visit.tabTo("Skip to the content");
  await visit.tabToElement("input[type=range]");
  await visit.press("ArrowLeft");
  await page.getByText("Version 1 of 2").waitFor();
  await page.getByRole("button", { name: "Back to now" }).waitFor();
  await visit.close();
});

test("a token is asked for once, and no address has it", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const workspace = await new Workspace(closed, { headers: { authorization: `Bearer ${TOKENS.acme}` } }).filled();
  const addresses = [];
  page.on("request", (request) => addresses.push(request.url()));
  await page.goto(workspace.address);
  const dialog = page.getByRole("dialog", { name: "Access token" });
  await dialog.getByLabel("Token").fill(TOKENS.acme);
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "lib.rs" }).click();
  await reader(page, "src/lib.rs").waitFor();
  await search(page, "StatementCache");
  assert.equal(await dialog.count(), 0);
  assert.ok(addresses.length > 0 && addresses.every((address) => !address.includes(TOKENS.acme)));
  await visit.close();
});
