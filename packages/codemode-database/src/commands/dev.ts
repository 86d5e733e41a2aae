// `dev`: serves the product on this machine, or waits while another process serves the same data.

import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { DataFolder, defaultFolder } from "../engine/data-folder.ts";
import { isLoopback } from "../engine/packaged.ts";
import { DEFAULT_HOST, type ServeOptions, Serving, settingsFile, takeOver } from "../engine/serving.ts";
import { asksForTokens, readSettings } from "../engine/settings.ts";
import { stopOnSignals } from "../engine/signals.ts";
import { Failure, messageOf } from "../failure.ts";

export interface DevOptions {
  data?: string | undefined;
  port?: number | undefined;
  host?: string | undefined;
  settings?: string | undefined;
  patience?: number | undefined;
  wrangler?: boolean | undefined;
}

/** The longest wait of the message about the other server for its address. */
const ORIGIN_MS = 5_000;

export async function dev(options: DevOptions): Promise<void> {
  const folder = new DataFolder(options.data ?? defaultFolder());
  const host = options.host ?? DEFAULT_HOST;
  const say = (text: string): void => void process.stderr.write(`==> ${text}\n`);
  const serve: ServeOptions = {
    port: options.port,
    host,
    settings: options.settings,
    patienceMs: options.patience,
    log: "the terminal of codemode-database dev",
    onLine: (line, stream) => void process[stream].write(`${line}\n`),
    report: say,
    onLost: (error) => {
      if (options.wrangler) say(error.message);
      process.exit(1);
    },
  };
  const file = settingsFile(folder, serve);
  requireTokens(host, file);

  let serving: { origin: string; stop(): Promise<void> } | undefined;
  const waiting = new AbortController();
  const isInterrupted = stopOnSignals(async () => {
    waiting.abort();
    await serving?.stop();
  });

  if (!(await folder.claim())) {
    say(`${await nameOther(folder)} serves ${folder.path}; this one takes over when that ends (stop waiting with Ctrl-C)`);
    if (!(await takeOver(folder, waiting.signal))) return;
  }
  if (isInterrupted()) return folder.release();
  serving = options.wrangler ? await (await import("./wrangler-serving.ts")).WranglerServing.start(folder, serve, resolve(".")) : await Serving.start(folder, serve);
  process.stdout.write(welcome(serving.origin, folder.path, file));
}

/** Refuses to listen for other machines if the Worker would require no token. */
function requireTokens(host: string, file: string): void {
  let settings: Record<string, string>;
  try {
    settings = readSettings(file);
  } catch (error) {
    throw new Failure(messageOf(error));
  }
  if (isLoopback(host) || asksForTokens(settings)) return;
  throw new Failure(`${host} is reached by other machines, and there are no tokens`, `write API_TOKENS={"a-long-random-token":"my-team"} into ${file}, or leave out --host`);
}

/** Names the other server, once it has an address. */
async function nameOther(folder: DataFolder): Promise<string> {
  const endMs = performance.now() + ORIGIN_MS;
  while (performance.now() < endMs) {
    const { pid, origin } = folder.server ?? {};
    if (origin !== undefined) return `the process ${pid} at ${origin}`;
    await pause(50);
  }
  return "another process";
}

function welcome(origin: string, path: string, file: string): string {
  return `
Code Mode Database runs on ${origin} (stop it with Ctrl-C)

  console     ${origin}/
  MCP         ${origin}/mcp
  data        ${path}
  settings    ${file}

Try, in another terminal:

  curl -s ${origin}/api/codemode/sessions/hello \\
    -H 'content-type: application/json' \\
    -d '{"operation":"query","sql":"SELECT 6 * 7 AS product"}'

`;
}
