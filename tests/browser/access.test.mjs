// Tests of the console with a token, and of its accessibility: axe in both themes and at both
// sizes.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TOKENS, Worker } from "../worker/harness.mjs";
import { Browser, NARROW, WIDE } from "./browser.mjs";
import { openSession, runSql } from "./home.mjs";

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

test("a token is asked for once, sent as a header, and kept in the tab only", async () => {
  const visit = await browser.visit();
  const { page, context } = visit;
  const addresses = [];
  page.on("request", (request) => addresses.push(request.url()));
  await closed.session("secret", { authorization: `Bearer ${TOKENS.acme}` }).exec("CREATE TABLE t (a)");
  await page.goto(closed.url);
  const dialog = page.getByRole("dialog", { name: "Access token" });
  await dialog.getByText("UNAUTHORIZED").waitFor();
  await dialog.getByLabel("Token").fill("wrong");
  await dialog.getByRole("button", { name: "Continue" }).click();
  // The page asks again, because the first token was wrong.
  await dialog.getByLabel("Token").fill(TOKENS.acme);
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "secret" }).click();
  await page.getByRole("button", { name: "t", exact: true }).waitFor();
  assert.equal(await dialog.count(), 0);

  assert.equal(await page.evaluate(() => JSON.stringify({ ...localStorage }) + document.cookie), "{}");
  assert.ok(await page.evaluate((token) => Object.values(sessionStorage).includes(token), TOKENS.acme));
  assert.ok(addresses.length > 0 && addresses.every((address) => !address.includes(TOKENS.acme)));
  // A reload is the same tab; another tab asks for the token again.
  await page.reload();
  await page.getByRole("button", { name: "t", exact: true }).waitFor();
  const other = await context.newPage();
  await other.goto(closed.url);
  await other.getByRole("dialog", { name: "Access token" }).waitFor();

  await page.getByRole("button", { name: "Remove token" }).click();
  await dialog.waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.getItem("codemode-token")), null);
  await visit.close();
});

for (const theme of ["light", "dark"]) {
  for (const [name, size] of Object.entries({ wide: WIDE, narrow: NARROW })) {
    test(`axe finds nothing serious: ${theme}, ${name}`, async () => {
      const visit = await browser.visit({ theme, size });
      const { page } = visit;
      const session = open.session();
      await session.load("films", "title,year,score\nAlien,1979,8.5\nHeat,1995,\n", { type: "text/csv", query: "?create=true" });
      await open.fetch("/api/codemode/execute", { method: "POST", body: JSON.stringify({ session: session.name, code: "return await helpers.db.query('SELECT titel FROM films')" }) });
      const clean = async (what) => {
        assert.deepEqual(await visit.barriers(), [], what);
        // Content that does not fit scrolls in a part of the page, never the page itself.
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0, `${what} is too wide`);
      };
      await page.goto(open.url);
      await page.getByRole("link", { name: session.name }).waitFor();
      await clean("the list");
      await openSession(page, open, session.name);
      await page.getByRole("button", { name: "Columns of films" }).click();
      await page.getByRole("button", { name: "films", exact: true }).click();
      await page.getByRole("grid").waitFor();
      await clean("a result");
      await page.getByRole("button", { name: "Chart" }).click();
      await page.getByRole("img", { name: "score by year" }).waitFor();
      await clean("a chart");
      await page.getByRole("button", { name: "Actions of films" }).click();
      await clean("a menu");
      await page.keyboard.press("Escape");
      await runSql(page, "SELECT titel FROM films");
      await page.getByRole("alert").waitFor();
      await clean("an error");
      await page.getByRole("button", { name: "Runs" }).click();
      await page.getByRole("cell", { name: "NO_SUCH_COLUMN Program" }).waitFor();
      await clean("the runs");
      await page.getByRole("button", { name: "Import" }).click();
      await page.getByRole("dialog", { name: "Import" }).waitFor();
      await clean("a dialog");
      await page.keyboard.press("Escape");
      const other = theme === "light" ? "Dark theme" : "Light theme";
      const before = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      await page.getByRole("button", { name: other }).click();
      assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), before);
      await page.reload();
      await page.getByText("unless it is used").waitFor();
      assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), before);
      await visit.close();
    });
  }
}
