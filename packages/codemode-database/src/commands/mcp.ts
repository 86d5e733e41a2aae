// `mcp`: an MCP server over stdio, for hosts that start programs. It passes messages on to the
// server of the data, which it starts if there is none.

import { once } from "node:events";
import { Bridge } from "../bridge/bridge.ts";
import { linesOf } from "../bridge/lines.ts";
import { DataFolder, defaultFolder } from "../engine/data-folder.ts";
import { type Reached, type ServeOptions, reach, settingsFile } from "../engine/serving.ts";
import { firstToken, readSettings } from "../engine/settings.ts";
import { stopOnSignals } from "../engine/signals.ts";
import { Failure, messageOf } from "../failure.ts";

export interface McpOptions {
  data?: string | undefined;
  url?: string | undefined;
  token?: string | undefined;
  session?: string | undefined;
  profile?: string | undefined;
  settings?: string | undefined;
  verbose?: boolean | undefined;
}

export const PROFILES = ["compact", "readonly", "database", "code"];
/** A local server that hangs is started again after 35 s. */
const LOCAL_PATIENCE_MS = 60_000;
const REMOTE_PATIENCE_MS = 10_000;
/** The longest wait for responses after the host has closed the input. */
const SETTLE_MS = 60_000;

export async function mcp(options: McpOptions): Promise<void> {
  const report = (text: string): void => void process.stderr.write(`codemode-database: ${text}\n`);
  const server = options.url === undefined ? new LocalServer(options, report) : new RemoteServer(options.url);
  const token = options.token ?? process.env["CODEMODE_TOKEN"] ?? server.token;
  const bridge = new Bridge({
    locate: async () => addressOf(await server.find(), options),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    write: (line) => void process.stdout.write(`${line}\n`),
    drained: async () => {
      if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
    },
    report,
    patienceMs: options.url === undefined ? LOCAL_PATIENCE_MS : REMOTE_PATIENCE_MS,
  });
  const end = async (): Promise<void> => {
    await bridge.close();
    await server.stop();
  };
  stopOnSignals(end);
  // The host has gone.
  process.stdout.on("error", () => void end().finally(() => process.exit(0)));

  // The host initializes at once, so the server starts without a request.
  server.find().catch((error: unknown) => report(describe(error)));
  for await (const line of linesOf(process.stdin)) bridge.accept(line);
  const timer = setTimeout(() => void end().finally(() => process.exit(0)), SETTLE_MS);
  await bridge.settle();
  clearTimeout(timer);
  await end();
  // If the output is a socket, written data may not have been sent yet.
  await new Promise<void>((flushed) => void process.stdout.write("", () => flushed()));
  process.exit(0);
}

function describe(error: unknown): string {
  return error instanceof Failure && error.hint !== undefined ? `${error.message}; ${error.hint}` : messageOf(error);
}

/** Returns the address of the MCP server below an origin, or the one that was given. */
function addressOf(base: string, { profile, session }: McpOptions): URL {
  const url = new URL(base);
  if (!/\/mcp(?:\/|$)/.test(url.pathname)) url.pathname = `${url.pathname.replace(/\/$/, "")}/mcp`;
  if (profile !== undefined) url.pathname = `${url.pathname.replace(/\/$/, "")}/${profile}`;
  if (session !== undefined) url.searchParams.set("session", session);
  return url;
}

class RemoteServer {
  readonly token = undefined;
  readonly #url: string;

  constructor(url: string) {
    if (!URL.canParse(url) || !/^https?:/.test(url)) throw new Failure(`--url ${url} is not an address`, "write it as https://HOST or https://HOST/mcp");
    this.#url = url;
  }

  async find(): Promise<string> {
    return this.#url;
  }

  async stop(): Promise<void> {}
}

/** The server of a local folder: one of another process, or of this one. */
class LocalServer {
  readonly #folder: DataFolder;
  readonly #options: ServeOptions;
  #search: Promise<Reached> | undefined;
  #reached: Reached | undefined;

  constructor({ data, settings, verbose }: McpOptions, report: (text: string) => void) {
    this.#folder = new DataFolder(data ?? defaultFolder());
    this.#options = {
      settings,
      log: "the log of codemode-database mcp",
      // The output belongs to the protocol.
      onLine: (line) => void (verbose && process.stderr.write(`${line}\n`)),
      report,
      onLost: (error) => {
        report(messageOf(error));
        const lost = this.#reached;
        this.#reached = undefined;
        void lost?.serving?.stop();
      },
    };
  }

  /** The token of a caller that can read the settings anyway. */
  get token(): string | undefined {
    try {
      return firstToken(readSettings(settingsFile(this.#folder, this.#options)));
    } catch {
      return undefined;
    }
  }

  /**
   * Finds the server, one search at a time. The address of this process's server never changes,
   * because its supervisor starts the Worker again.
   */
  async find(): Promise<string> {
    if (this.#reached?.serving !== undefined) return this.#reached.origin;
    this.#search ??= reach(this.#folder, this.#options, LOCAL_PATIENCE_MS).finally(() => (this.#search = undefined));
    try {
      this.#reached = await this.#search;
    } catch (error) {
      throw new Error(describe(error));
    }
    return this.#reached.origin;
  }

  async stop(): Promise<void> {
    const reached = this.#reached ?? (await this.#search?.catch(() => undefined));
    await reached?.serving?.stop();
  }
}
