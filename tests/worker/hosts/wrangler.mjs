// `wrangler dev` with the settings that the package has for wrangler: nothing is bundled.

import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { startGuarded } from "../../../packages/codemode-database/src/engine/workerd.ts";
import { ROOT, installed } from "../../package/tarball.mjs";

const ENV = { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_SEND_ERROR_REPORTS: "false", X_LOCAL_EXPLORER: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false" };

/** A `wrangler dev` with the settings of one way of using the package. */
export class WranglerHost {
  url;
  folder = mkdtempSync(join(tmpdir(), "codemode-wrangler-"));
  #options;
  #child;
  #exited;

  static async start(options) {
    const { telemetry, ai } = options;
    if (telemetry || ai) throw new Error("wrangler dev has no servers of the tests as TELEMETRY or AI: workerd alone has them");
    const host = new this();
    host.#options = options;
    writeFileSync(join(host.folder, "wrangler.json"), JSON.stringify(host.configured(options)));
    try {
      await host.again();
    } catch (error) {
      await host.stop();
      throw error;
    }
    return host;
  }

  /** Returns the settings for wrangler. */
  configured(options) {
    const folder = installed();
    const settings = JSON.parse(readFileSync(join(folder, "wrangler.json"), "utf8"));
    return adapted({ ...settings, main: join(folder, settings.main), base_dir: join(folder, settings.base_dir), assets: { ...settings.assets, directory: resolve(folder, settings.assets.directory) } }, options);
  }

  /** Starts wrangler on the same storage, after `end`. */
  async again() {
    const words = ["dev", "--config", join(this.folder, "wrangler.json"), "--local", "--ip", "127.0.0.1", "--port", "0", "--inspector-port", "0", "--persist-to", this.#options.folder, "--show-interactive-dev-session=false"];
    const child = startGuarded([join(ROOT, "node_modules/.bin/wrangler"), ...words], "group", { cwd: this.folder, env: ENV });
    this.#child = child;
    // Not "close": a process that wrangler has left behind may keep its output open.
    this.#exited = once(child, "exit");
    const lines = [];
    let onReady;
    const ready = new Promise((found) => (onReady = found));
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line);
        this.#options.log(line);
        const origin = /Ready on (http:\/\/[\d.]+:\d+)/.exec(line)?.[1];
        if (origin !== undefined) onReady(origin);
      });
    }
    this.url = await Promise.race([ready, this.#exited.then(() => undefined)]);
    if (this.url === undefined) throw new Error(`wrangler dev ended before it served: ${lines.join("\n")}`);
  }

  /** Ends wrangler and workerd without a chance to finish anything. */
  async end() {
    try {
      process.kill(-this.#child.pid, "SIGKILL");
    } catch {
      // They have ended.
    }
    await this.#exited;
    for (const stream of this.#child?.stdio ?? []) stream?.destroy();
  }

  async stop() {
    await this.end();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Applies a test's options to settings: variables, D1, and without programs or pages. */
export function adapted({ worker_loaders, limits, assets, ...rest }, options) {
  const { settings, persistent, loader, pages } = options;
  return {
    ...rest,
    vars: settings,
    ...(loader ? { worker_loaders, limits } : {}),
    ...(options.assets !== undefined ? { assets: { ...assets, directory: options.assets } } : pages ? { assets } : {}),
    ...(persistent ? { d1_databases: [{ binding: "CODEMODE_D1", database_name: "codemode-test", database_id: "codemode-test" }] } : {}),
  };
}
