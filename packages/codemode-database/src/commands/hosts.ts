// `mcp add HOST`: adds the stdio server to the configuration of a host, or prints the
// configuration.

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Failure } from "../failure.ts";

export interface AddOptions {
  name: string;
  from: string;
  print?: boolean | undefined;
  data?: string | undefined;
  url?: string | undefined;
  token?: string | undefined;
  session?: string | undefined;
  profile?: string | undefined;
}

/** The entry of a server. */
interface Entry {
  type?: string;
  command: string;
  args: string[];
  env?: Record<string, string>;
}

interface Host {
  about: string;
  /** The file of the configuration; absent if the host has its own command. */
  file?: () => string;
  /** The key that holds the servers. */
  key: string;
  isTyped?: boolean;
}

/** The hosts whose configuration is known. */
export const HOSTS: Record<string, Host> = {
  claude: { about: "Claude Code, in .mcp.json of this folder", file: () => resolve(".mcp.json"), key: "mcpServers", isTyped: true },
  "claude-desktop": { about: "Claude Desktop", file: claudeDesktop, key: "mcpServers" },
  cursor: { about: "Cursor, for all projects", file: () => join(homedir(), ".cursor", "mcp.json"), key: "mcpServers" },
  vscode: { about: "VS Code, in .vscode/mcp.json of this folder", file: () => resolve(".vscode", "mcp.json"), key: "servers", isTyped: true },
  windsurf: { about: "Windsurf", file: () => join(homedir(), ".codeium", "windsurf", "mcp_config.json"), key: "mcpServers" },
  gemini: { about: "Gemini CLI, for all projects", file: () => join(homedir(), ".gemini", "settings.json"), key: "mcpServers" },
  json: { about: "any other host: prints the usual form", key: "mcpServers" },
};

function claudeDesktop(): string {
  const file = "claude_desktop_config.json";
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "Claude", file);
  if (process.platform === "win32") return join(process.env["APPDATA"] ?? join(homedir(), "AppData", "Roaming"), "Claude", file);
  return join(process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "Claude", file);
}

/** Adds the server; returns the message for a person. */
export function add(name: string, options: AddOptions): string {
  const host = HOSTS[name];
  if (host === undefined) throw new Failure(`there is no host ${name}`, `hosts are ${Object.keys(HOSTS).join(", ")}`);
  const entry = entryOf(host, options);
  const file = host.file?.();
  if (file === undefined || options.print) return `${JSON.stringify({ [host.key]: { [options.name]: entry } }, null, 2)}\n`;
  const known = read(file, host.key);
  const servers = known[host.key] as Record<string, unknown>;
  const isChanged = options.name in servers;
  servers[options.name] = entry;
  writeWhole(file, `${JSON.stringify(known, null, 2)}\n`);
  return `${isChanged ? "changed" : "added"} the server ${options.name} in ${file}; start ${host.about.split(",")[0]} again\n`;
}

function entryOf({ isTyped }: Host, { from, data, url, token, session, profile }: AddOptions): Entry {
  const words = Object.entries({ "--data": data && resolve(data), "--url": url, "--session": session, "--profile": profile });
  const args = words.flatMap(([option, value]) => (value === undefined ? [] : [option, value]));
  // npx would run a bare path as a program.
  const source = existsSync(from) ? `file:${resolve(from)}` : from;
  return {
    ...(isTyped && { type: "stdio" }),
    command: "npx",
    args: ["-y", source, "mcp", ...args],
    // As an argument, it would be visible in the list of processes.
    ...(token !== undefined && { env: { CODEMODE_TOKEN: token } }),
  };
}

/** Reads a configuration with its servers. If it is no JSON, it is not changed. */
function read(file: string, key: string): Record<string, unknown> {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "{}";
  let value: unknown;
  try {
    value = JSON.parse(text.trim() === "" ? "{}" : text);
  } catch {
    throw new Failure(`${file} is not plain JSON, so it was not changed`, "run the command again with --print, and enter what it prints by hand");
  }
  const isObject = (one: unknown): one is Record<string, unknown> => typeof one === "object" && one !== null && !Array.isArray(one);
  if (!isObject(value)) throw new Failure(`${file} is not a JSON object, so it was not changed`);
  value[key] ??= {};
  if (!isObject(value[key])) throw new Failure(`${key} in ${file} is not a JSON object, so the file was not changed`);
  return value;
}

/** Writes a file as a whole, so that a host never finds a part of it. */
function writeWhole(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const fresh = `${file}.${process.pid}.new`;
  writeFileSync(fresh, text, { mode: 0o600 });
  renameSync(fresh, file);
}
