// `compile`: makes one program from workerd, the Worker and its configuration, and copies the
// console beside it.

import { spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, openSync, closeSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { configure } from "../engine/configuration.ts";
import { describe, storageOf } from "../engine/packaged.ts";
import { DEFAULT_HOST, DEFAULT_PORT } from "../engine/serving.ts";
import { Failure } from "../failure.ts";
import { FACTS, PARTS, workerd } from "../product.ts";

export interface CompileOptions {
  data: string;
  secret?: string[] | undefined;
}

/** The names of the output. */
const PROGRAM = "codemode-server";
const CONSOLE = "console";
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

export async function compile(directory: string, { data, secret = [] }: CompileOptions): Promise<void> {
  const folder = resolve(directory);
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Failure(`${folder} is not empty`, "name a folder that does not exist: codemode-database compile server");
  const unfit = secret.find((name) => !VARIABLE.test(name));
  if (unfit !== undefined) throw new Failure(`${unfit} is not the name of a variable`, "name the variable, such as --secret GITHUB_TOKEN; its value is read when the program starts");
  mkdirSync(folder, { recursive: true });
  cpSync(PARTS.console, join(folder, CONSOLE), { recursive: true });
  const program = join(folder, PROGRAM);
  const configuration = join(folder, "configuration.capnp");
  const { text } = configure(describe({ console: CONSOLE }), {
    address: `${DEFAULT_HOST}:${DEFAULT_PORT}`,
    storage: storageOf(data),
    variables: {},
    inherited: [...FACTS.settings, ...secret],
    workersAi: PARTS.workersAi,
    command: "codemode-database compile",
  });
  writeFileSync(configuration, text);
  try {
    await run(["compile", "--import-path=/", configuration, "config"], program);
  } finally {
    rmSync(configuration);
  }
  chmodSync(program, 0o755);
  const storage = storageOf(data);
  process.stdout.write(`made ${program} and ${join(folder, CONSOLE)}. It is started in the folder of the two:

  mkdir -p ${join(storage, "do")} ${join(storage, "d1")}
  ./${PROGRAM} --experimental                                    # ${DEFAULT_HOST}:${DEFAULT_PORT}
  ./${PROGRAM} --experimental --socket-addr=http=0.0.0.0:8080    # for other machines: needs API_TOKENS or OAUTH_ISSUER
`);
}

/** Runs workerd with its output in a file. */
async function run(words: string[], output: string): Promise<void> {
  const file = openSync(output, "w");
  try {
    const child = spawn(workerd(), words, { stdio: ["ignore", file, "pipe"] });
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (piece: string) => (said += piece));
    const code = await new Promise<number | string | null>((ended, failed) => {
      child.once("error", failed);
      child.once("close", (status, signal) => ended(status ?? signal));
    });
    if (code !== 0) throw new Failure(`workerd compile ended with ${code}: ${said.trim()}`);
  } finally {
    closeSync(file);
  }
}
