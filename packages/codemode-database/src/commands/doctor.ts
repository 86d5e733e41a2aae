// `doctor`: checks the things that the command needs, and says what is missing and how to get it.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { DataFolder, defaultFolder, isNewer } from "../engine/data-folder.ts";
import { askHealth } from "../engine/health.ts";
import { SETTINGS_FILE, asksForTokens, readSettings } from "../engine/settings.ts";
import { messageOf } from "../failure.ts";
import { FACTS, workerd } from "../product.ts";
import { settingsOfLibrary } from "./init.ts";
import { isOwnWorker } from "./deploy.ts";
import { type Settings, packageSettings, readUserSettings, wranglerCommand } from "./wrangler.ts";

export interface DoctorOptions {
  data?: string | undefined;
  url?: string | undefined;
}

type State = "ok" | "note" | "fault";
interface Finding {
  state: State;
  subject: string;
  text: string;
}

const WITHIN_MS = 5_000;

/** Prints the findings; resolves with the exit code, which is 1 if there is a fault. */
export async function doctor(options: DoctorOptions): Promise<number> {
  const findings = [node(), await engine(), ...(await data(options)), ...project(resolve(".")), ...(options.url === undefined ? [] : await deployment(options.url))];
  for (const { state, subject, text } of findings) process.stdout.write(`${{ ok: "ok   ", note: "note ", fault: "FAULT" }[state]} ${subject}: ${text}\n`);
  return findings.some(({ state }) => state === "fault") ? 1 : 0;
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [least, leastMinor] = FACTS.node;
  const isOld = major < least || (major === least && minor < leastMinor);
  return { state: isOld ? "fault" : "ok", subject: "Node", text: `${process.versions.node}${isOld ? `; ${FACTS.node.join(".")} or newer is needed` : ""}` };
}

async function engine(): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)(workerd(), ["--version"], { timeout: WITHIN_MS });
    return { state: "ok", subject: "workerd", text: stdout.trim().replace(/^workerd /, "") };
  } catch (error) {
    return { state: "fault", subject: "workerd", text: messageOf(error).split("\n")[0] ?? "" };
  }
}

/** Checks the data, the settings and the server of this machine. */
async function data(options: DoctorOptions): Promise<Finding[]> {
  const path = options.data ?? defaultFolder();
  if (!existsSync(path)) return [{ state: "ok", subject: "data", text: `none yet; ${path} is made when it is needed` }];
  const folder = new DataFolder(path);
  const findings: Finding[] = [];
  const { dataVersion, server } = folder;
  const isDowngrade = dataVersion !== undefined && isNewer(dataVersion, FACTS.version);
  findings.push(isDowngrade ? { state: "fault", subject: "data", text: `${path} was written by the newer version ${dataVersion}, and this is ${FACTS.version}: run npx codemode-database@${dataVersion}` }
    : { state: "ok", subject: "data", text: `${path}${dataVersion === undefined ? "" : `, written by version ${dataVersion}`}` });
  const file = join(path, SETTINGS_FILE);
  try {
    const settings = readSettings(file);
    findings.push({ state: "ok", subject: "settings", text: `${existsSync(file) ? file : `${file} is absent`}; ${asksForTokens(settings) ? "callers need a token" : "no tokens, so only this machine is served"}` });
  } catch (error) {
    findings.push({ state: "fault", subject: "settings", text: messageOf(error) });
  }
  if (server?.origin === undefined) return [...findings, { state: "ok", subject: "server", text: "none runs on this data" }];
  const health = await askHealth(server.origin, WITHIN_MS);
  const found: Finding = health === undefined ? { state: "note", subject: "server", text: `process ${server.pid} at ${server.origin} does not respond; it was killed, or is busy` }
    : health.success ? { state: "ok", subject: "server", text: `process ${server.pid} at ${server.origin}, version ${health.version ?? "unknown"}` }
      : { state: "fault", subject: "server", text: `${server.origin}: ${health.error?.message ?? "an error"}` };
  if (health?.success && health.version !== undefined && health.version !== FACTS.version) return [...findings, found, { state: "note", subject: "server", text: `it has version ${health.version}, this command ${FACTS.version}; end it and start this one` }];
  return [...findings, found];
}

/**
 * Checks the project in a folder: wrangler, and its settings compared with those of this version.
 */
function project(folder: string): Finding[] {
  const wrangler: Finding = wranglerCommand(folder)[0] === "npx" ? { state: "note", subject: "wrangler", text: `not installed; deploy fetches wrangler@${FACTS.wrangler}. npm install --save-dev wrangler keeps it` }
    : { state: "ok", subject: "wrangler", text: wranglerCommand(folder).join(" ") };
  let user: ReturnType<typeof readUserSettings>;
  try {
    user = readUserSettings(folder);
  } catch (error) {
    return [wrangler, { state: "fault", subject: "settings of wrangler", text: messageOf(error) }];
  }
  if (user === undefined) return [wrangler];
  if (!isOwnWorker(user.settings)) return [wrangler, { state: "ok", subject: "settings of wrangler", text: `${user.file} is merged over those of this version` }];
  const missing = missingOf(user.settings);
  if (missing.length > 0) return [wrangler, { state: "fault", subject: "settings of wrangler", text: `${user.file} lacks ${missing.join(", ")}` }];
  return [wrangler, { state: "ok", subject: "settings of wrangler", text: `${user.file} has the bindings and migrations of this version` }, ...paidOf(user)];
}

/**
 * Names the settings that a project has left out because Cloudflare rejects them on the Free plan,
 * and says how to get them.
 */
function paidOf({ file, settings }: { file: string; settings: Settings }): Finding[] {
  const { worker_loaders: loaders, limits } = packageSettings(".", { isFree: false });
  const wanted: [string, unknown, string][] = [
    ["worker_loaders", loaders, "so execute returns 501 SANDBOX_UNAVAILABLE"],
    ["limits", limits, "so a statement that nothing else stops runs until the limit of the plan"],
  ];
  return wanted.filter(([key]) => !(key in settings)).map(([key, value, effect]) => ({ state: "note", subject: "plan", text: `${file} has no ${key}, ${effect}; with the Workers Paid plan add "${key}": ${JSON.stringify(value)}` }));
}

/** Names the settings that a Worker with this package lacks. */
export function missingOf(settings: Settings): string[] {
  const wanted = settingsOfLibrary();
  const bindings = (one: Settings): string[] => ((one["durable_objects"] as { bindings?: { name: string }[] } | undefined)?.bindings ?? []).map(({ name }) => name);
  const classes = (one: Settings): string[] => ((one["migrations"] as { new_sqlite_classes?: string[] }[] | undefined) ?? []).flatMap(({ new_sqlite_classes = [] }) => new_sqlite_classes);
  const known = new Set([...bindings(settings), ...classes(settings), ...Object.keys((settings["exports"] as object | undefined) ?? {})]);
  const absent = (names: string[], kind: string): string[] => names.filter((name) => !known.has(name)).map((name) => `${kind} ${name}`);
  return [...absent(bindings(wanted), "the binding"), ...absent(classes(wanted), "a migration for")];
}

/** Checks a deployed Worker: its version, and if it runs programs. */
async function deployment(url: string): Promise<Finding[]> {
  const health = await askHealth(url, WITHIN_MS);
  if (health === undefined) return [{ state: "fault", subject: url, text: "does not respond to /health" }];
  if (!health.success) return [{ state: "fault", subject: url, text: health.error?.message ?? "an error" }];
  const version = health.version ?? "unknown";
  const state: State = version === FACTS.version ? "ok" : "note";
  return [{ state, subject: url, text: `version ${version}${state === "ok" ? "" : `, this command ${FACTS.version}`}` }, await programs(url)];
}

async function programs(url: string): Promise<Finding> {
  const subject = `programs at ${url}`;
  const token = process.env["CODEMODE_TOKEN"];
  try {
    const response = await fetch(new URL("/api/codemode/execute", url), {
      method: "POST",
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ session: "doctor", code: "return 6 * 7" }),
      signal: AbortSignal.timeout(WITHIN_MS * 2),
    });
    const { success, error } = (await response.json()) as { success: boolean; error?: { code: string; message: string; hint?: string } };
    if (success) return { state: "ok", subject, text: "run" };
    if (response.status === 401) return { state: "note", subject, text: "not tried: set CODEMODE_TOKEN to a token of the deployment" };
    const plan = error?.code === "SANDBOX_UNAVAILABLE" ? "; the Worker Loader needs the Workers Paid plan: codemode-database deploy without --free adds it, or worker_loaders in the wrangler.jsonc of a Worker of your own" : "";
    return { state: "note", subject, text: `${error?.code}: ${error?.message}${plan}` };
  } catch (error) {
    return { state: "fault", subject, text: messageOf(error) };
  }
}
