// `deploy`: uploads the Worker of this package to Cloudflare with wrangler, from any folder.

import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Failure } from "../failure.ts";
import { PARTS } from "../product.ts";
import { type Settings, merge, packageSettings, readUserSettings, runWrangler } from "./wrangler.ts";

export interface DeployOptions {
  name?: string | undefined;
  free?: boolean | undefined;
  dryRun?: boolean | undefined;
}

/** The folder for the files that this command makes. */
const MADE = ".codemode";
const TOKEN_BYTES = 32;
/** Cloudflare's error for a Worker that does not exist. */
const NOT_DEPLOYED = /\b10007\b/;

export async function deploy({ name, free = false, dryRun = false }: DeployOptions, folder = resolve(".")): Promise<void> {
  const say = (text: string): void => void process.stderr.write(`==> ${text}\n`);
  const made = join(folder, MADE);
  const user = readUserSettings(folder);
  if (user !== undefined && isOwnWorker(user.settings)) {
    throw new Failure(`${user.file} has a Worker of its own in "main"`, "deploy it with npx wrangler deploy; codemode-database doctor compares its bindings with those of this version");
  }
  const settings = merge(packageSettings(made, { isFree: free }), user?.settings ?? {});
  if (name !== undefined) settings["name"] = name;
  mkdirSync(made, { recursive: true });
  const file = join(made, "wrangler.json");
  writeFileSync(file, `${JSON.stringify(settings, null, 2)}\n`);
  say(`merged the settings of this version${user === undefined ? "" : ` with ${user.file}`} into ${file}`);
  if (free) say("without programs: the Worker Loader and the limit of CPU time need the Workers Paid plan. Without --free the next deployment has both");

  if (dryRun) {
    const out = join(made, "uploaded");
    const { code } = await runWrangler(folder, ["deploy", "--dry-run", "--outdir", out, "--config", file], { isShown: true });
    if (code !== 0) throw new Failure(`wrangler ended with exit code ${code}`);
    return say("a dry run: nothing was uploaded");
  }
  const secrets = (await hasTokens(folder, file)) ? undefined : newTokens(made, String(settings["name"]));
  try {
    const words = secrets === undefined ? [] : ["--secrets-file", secrets.file];
    const { code } = await runWrangler(folder, ["deploy", "--config", file, ...words], { isShown: true });
    if (code !== 0) throw new Failure(`wrangler ended with exit code ${code}`, "it says above what is missing; npx wrangler login logs in");
  } finally {
    if (secrets !== undefined) rmSync(secrets.file, { force: true });
  }
  if (secrets !== undefined) process.stdout.write(`\nA token was made. It is not shown again:\n\n  ${secrets.token}\n\nSend it as: Authorization: Bearer TOKEN\n`);
}

/** Returns true if the settings have a Worker that is not the one of this package. */
export function isOwnWorker({ main }: Settings): boolean {
  return typeof main === "string" && resolve(main) !== PARTS.entry;
}

/**
 * Returns true if the deployed Worker has tokens. One that is not deployed yet has none. If it
 * cannot be determined, nothing is replaced.
 */
async function hasTokens(folder: string, file: string): Promise<boolean> {
  const { code, output } = await runWrangler(folder, ["secret", "list", "--config", file, "--format", "json"], { isShown: false });
  if (code === 0) return /"name"\s*:\s*"(?:API_TOKENS|OAUTH_ISSUER)"/.test(output);
  if (NOT_DEPLOYED.test(output)) return false;
  process.stderr.write(output);
  throw new Failure("wrangler cannot tell which secrets the Worker has, so nothing was deployed", "it says above what is missing; npx wrangler login logs in");
}

/** Makes a token for a tenant with the name of the Worker, in a file for wrangler. */
function newTokens(made: string, tenant: string): { token: string; file: string } {
  const token = randomBytes(TOKEN_BYTES).toString("hex");
  const file = join(made, "secrets.json");
  writeFileSync(file, JSON.stringify({ API_TOKENS: JSON.stringify({ [token]: tenant }) }), { mode: 0o600 });
  return { token, file };
}
