// The settings of a local Worker: a file of lines NAME=value, and the environment, which takes
// precedence.

import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { FACTS } from "../product.ts";

/** The name of the file in the folder of the data. */
export const SETTINGS_FILE = "settings.env";

/** Returns the text of a file; undefined if it does not exist. */
export function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Reads the settings: each line of the file, and those variables of the environment that the Worker
 * knows or that a setting refers to as `$NAME`.
 *
 * @throws if a line of the file is no setting
 */
export function readSettings(file: string, environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const text = textOf(file) ?? "";
  const settings: Record<string, string> = Object.create(null);
  Object.assign(settings, parseEnv(text));
  const unread = firstUnread(text, settings);
  if (unread !== undefined) throw new Error(`line ${unread} of ${file} is not a setting: write NAME=value`);
  const take = (name: string): void => {
    const value = environment[name];
    if (value !== undefined && value !== "") settings[name] = value;
  };
  for (const name of FACTS.settings) take(name);
  for (const [, name] of (settings["MCP_SERVERS"] ?? "").matchAll(/\$\{?([A-Za-z_][A-Za-z0-9_]*)/g)) if (name !== undefined) take(name);
  return settings;
}

/**
 * Returns the number of the first line that is no comment, no setting and no part of a text over
 * several lines. Node's parser skips such lines silently.
 */
function firstUnread(text: string, settings: Record<string, string>): number | undefined {
  let quote: string | undefined;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (quote !== undefined) {
      if (line.includes(quote)) quote = undefined;
      continue;
    }
    if (/^\s*(?:#|$)/.test(line)) continue;
    const [, name, rest = ""] = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(.*)$/.exec(line) ?? [];
    if (name === undefined || !(name in settings)) return index + 1;
    const opening = rest[0];
    if (opening !== undefined && `"'\``.includes(opening) && !rest.slice(1).includes(opening)) quote = opening;
  }
  return undefined;
}

/** Returns the first token of API_TOKENS; undefined if there are none or they cannot be read. */
export function firstToken(settings: Record<string, string>): string | undefined {
  try {
    return Object.keys(JSON.parse(settings["API_TOKENS"] ?? "{}") as object)[0];
  } catch {
    return undefined;
  }
}

/** Returns true if the Worker requires tokens. */
export function asksForTokens(settings: Record<string, string>): boolean {
  return Boolean(settings["API_TOKENS"]?.trim() || settings["OAUTH_ISSUER"]?.trim());
}
