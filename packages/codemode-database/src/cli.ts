// The command codemode-database.

import { Command, InvalidArgumentError, Option } from "commander";
import { compile } from "./commands/compile.ts";
import { HOSTS, add } from "./commands/hosts.ts";
import { deploy } from "./commands/deploy.ts";
import { type DevOptions, dev } from "./commands/dev.ts";
import { doctor } from "./commands/doctor.ts";
import { init } from "./commands/init.ts";
import { type McpOptions, PROFILES, mcp } from "./commands/mcp.ts";
import { Failure, messageOf } from "./failure.ts";
import { FACTS } from "./product.ts";

/** The package that npx runs by default. */
const PACKAGE = "codemode-database";

const data = (): Option => new Option("--data <dir>", "folder of the data (default: one for your user; CODEMODE_DATA names another)");
const settings = (): Option => new Option("--settings <file>", "file of settings, NAME=value on each line (default: settings.env in the folder of the data)");
const from = (): Option => new Option("--from <package>", "the package that npx runs: a name, a version or the path of a tarball").default(PACKAGE);
const upstream = (command: Command): Command => command
  .addOption(data().conflicts("url"))
  .option("--url <address>", "a deployed server instead of one on this machine")
  .option("--token <token>", "its token (CODEMODE_TOKEN is not seen by other users, as an argument is)")
  .option("--session <name>", "the session of calls that name none")
  .addOption(new Option("--profile <name>", "a shorter list of tools").choices(PROFILES));

const program = new Command(PACKAGE)
  .description("A SQL database and a sandbox for AI agents, on this machine or on Cloudflare.")
  .version(FACTS.version)
  .showHelpAfterError("(--help lists commands and options)")
  .enablePositionalOptions();

program.command("dev")
  .description("serve on this machine: console, HTTP API and MCP")
  .addOption(data())
  .option("--port <number>", "port to listen on (default: 8787, or a free one)", integer(1, 65_535))
  .option("--host <address>", "address to listen on; others than loopback need API_TOKENS or OAUTH_ISSUER (default: 127.0.0.1)")
  .addOption(settings())
  .addOption(new Option("--patience <ms>", "how long the Worker may be silent before it is started again").argParser(integer(1_000, 3_600_000)).conflicts("wrangler"))
  .option("--wrangler", "serve with wrangler dev, as it would be deployed: wrangler.jsonc in this folder is merged in; no restart of a Worker that is stuck")
  .action((options: DevOptions) => dev(options));

const server = upstream(program.command("mcp"))
  .description("serve MCP over stdio, for hosts that start programs")
  .addOption(settings())
  .option("--verbose", "write the log of the Worker to stderr")
  .action((options: McpOptions) => mcp(options));

upstream(server.command("add"))
  .description(`enter the stdio server into the configuration of a host:\n${Object.entries(HOSTS).map(([name, { about }]) => `  ${name}: ${about}`).join("\n")}`)
  .argument("<host>", Object.keys(HOSTS).join(", "))
  .option("--name <name>", "name of the server in the host", "codemode")
  .addOption(from())
  .option("--print", "print the configuration instead")
  .action((host: string, options: Parameters<typeof add>[1]) => void process.stdout.write(add(host, options)));

program.command("init")
  .description("make a project: settings, scripts, and with --library a Worker of your own")
  .argument("[dir]", "a new folder", ".")
  .option("--library", "a Worker of your own with the product's routes and objects")
  .addOption(from())
  .action((directory: string, options: Parameters<typeof init>[1]) => void process.stdout.write(init(directory, options)));

program.command("deploy")
  .description("upload the Worker to Cloudflare with wrangler; wrangler.jsonc in this folder is merged over the settings of the package")
  .option("--name <name>", "name of the Worker")
  .option("--free", "without the Worker Loader and limits, which the Free plan rejects: no programs")
  .option("--dry-run", "make what would be uploaded, and upload nothing")
  .action((options: Parameters<typeof deploy>[0]) => deploy(options));

program.command("compile")
  .description("make one program of workerd and the Worker, for an image or a machine without Node; the console is put beside it")
  .argument("<dir>", "a new folder")
  .option("--data <dir>", "folder of the data where it will run; relative to the folder in which it is started", "data")
  .option("--secret <names...>", "names of variables that MCP_SERVERS refers to, read when it starts")
  .action((directory: string, options: Parameters<typeof compile>[1]) => compile(directory, options));

program.command("doctor")
  .description("look at Node, workerd, data, settings and bindings, and say what is missing")
  .addOption(data())
  .option("--url <address>", "look at a deployed server as well")
  .action(async (options: Parameters<typeof doctor>[0]) => {
    process.exitCode = await doctor(options);
  });

function integer(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    return value;
  };
}

try {
  await program.parseAsync();
} catch (error) {
  const hint = error instanceof Failure && error.hint !== undefined ? `\n       ${error.hint}` : "";
  process.stderr.write(`error: ${messageOf(error)}${hint}\n`);
  process.exit(1);
}
