// A headless Chromium for the pages of the console. CHROMIUM names the program, which scripts/setup
// finds or installs.
//
// Every visit records events that must never happen: a violation of the Content-Security-Policy, an
// exception, an error in the console. `close` fails if there was one. Chromium also reports each
// response that is no success; some tests provoke those, so they do not count.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { until } from "../until.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
/**
 * The time after which a page that shows nothing has failed. It is long because the machine may be
 * busy with other tests.
 */
const PATIENCE_MS = 60_000;
const REPORTED_RESPONSE = /^Failed to load resource: the server responded with a status of/;

/** The window sizes of the tests. */
export const WIDE = { width: 1280, height: 800 };
export const NARROW = { width: 390, height: 844 };

/** The appearances in which a whole visit is tested: each size and each theme. */
export const LOOKS = [WIDE, NARROW].flatMap((size) => ["light", "dark"].map((theme) => ({ size, theme, name: `${size.width} px, ${theme}` })));

export class Browser {
  static async start() {
    const browser = new Browser();
    browser.program = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "chromium", args: ARGUMENTS, timeout: PATIENCE_MS });
    return browser;
  }

  /**
   * Opens a page for a new visitor.
   *
   * @param {object} [options]
   * @param {"light" | "dark"} [options.theme] the theme that the system prefers
   * @param {{width: number, height: number}} [options.size]
   */
  async visit({ theme = "light", size = WIDE } = {}) {
    const context = await this.program.newContext({ colorScheme: theme, viewport: size, acceptDownloads: true, locale: "en-GB", permissions: ["clipboard-read", "clipboard-write"] });
    context.setDefaultTimeout(PATIENCE_MS);
    const visit = new Visit();
    visit.look = `${size.width}-${theme}`;
    visit.context = context;
    visit.page = await context.newPage();
    await visit.listen();
    return visit;
  }

  stop() {
    return this.program.close();
  }
}

export class Visit {
  problems = [];

  async listen() {
    await this.page.exposeBinding("reportViolation", (_, text) => this.problems.push(text));
    await this.page.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        globalThis.reportViolation(`${event.effectiveDirective} blocked ${event.blockedURI} ${event.sample} in ${event.sourceFile}:${event.lineNumber}`);
      });
    });
    this.page.on("pageerror", (error) => this.problems.push(`exception: ${error.stack}`));
    this.page.on("console", (message) => {
      if (message.type() === "error" && !REPORTED_RESPONSE.test(message.text())) this.problems.push(`console: ${message.text()}`);
    });
  }

  /**
   * Takes a picture of the page for a person to look at, only if CODEMODE_SCREENSHOTS names a
   * folder.
   */
  async picture(name) {
    const folder = process.env.CODEMODE_SCREENSHOTS;
    if (folder !== undefined) await this.page.screenshot({ path: join(folder, `${name}-${this.look}.png`) });
  }

  /** Returns the serious and critical findings of axe, a line for each rule. */
  async barriers() {
    // Through the debugger, which the Content-Security-Policy does not restrict.
    await this.page.evaluate(AXE);
    const found = await this.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations", "passes"] }));
    // Rules that examined nothing find nothing.
    assert.ok(found.passes.length > 10, `only ${found.passes.length} rules of axe had something to look at`);
    return found.violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target, failureSummary }) => `${target.join(" ")} (${failureSummary})`).join("; ")}`);
  }

  /** Returns the name of the control that has the focus, also of one in a shadow tree. */
  focused() {
    return this.page.evaluate(() => {
      let element = document.activeElement;
      while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
      return element?.getAttribute("aria-label") ?? element?.labels?.[0]?.textContent ?? element?.textContent?.trim() ?? "";
    });
  }

  /** Waits until the page has moved the focus to the control of this name. */
  focusComesTo(name) {
    return until(async () => (await this.focused()) === name);
  }

  /** Presses Tab until the control of this name has the focus, also if it is only drawn later. */
  tabTo(name) {
    return this.#tabUntil(async () => (await this.focused()) === name);
  }

  /** Presses Tab until an element that a selector matches has the focus. */
  tabToElement(selector) {
    return this.#tabUntil(() => this.page.evaluate((wanted) => document.activeElement.matches(wanted), selector));
  }

  #tabUntil(hasCome) {
    return until(async () => {
      if (await hasCome()) return true;
      await this.page.keyboard.press("Tab");
      return false;
    });
  }

  /** Presses the keys one after another. */
  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  async close() {
    await this.context.close();
    assert.deepEqual(this.problems, []);
  }
}
