// Tests in which the official MCP clients drive the product over stdio: the same checks as over
// HTTP, through `codemode-database mcp --url`.

import { StdioClientTransport as ModernTransport } from "@modelcontextprotocol/client/stdio";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { drive } from "../worker/mcp-battery.mjs";
import { MODERN, OLDER, ofModernPackage, ofSdkPackage, olderOnly } from "../worker/mcp-clients.mjs";
import { CLI, environment } from "./installed.mjs";

/**
 * Makes a transport that starts the command. Like a transport over HTTP, it knows the version that
 * its client has negotiated.
 */
const over = (Transport) => ({ url, token }) => {
  const words = ["mcp", "--url", url, ...(token === undefined ? [] : ["--token", token])];
  const transport = new Transport({ command: process.execPath, args: [CLI, ...words], env: environment(), stderr: "ignore" });
  transport.setProtocolVersion = (version) => (transport.protocolVersion = version);
  return transport;
};

const stdio = (client) => ({ ...client, isStdio: true });

drive([
  stdio(ofSdkPackage("@modelcontextprotocol/sdk", over(StdioClientTransport))),
  stdio(ofModernPackage("which negotiates", MODERN, { versionNegotiation: { mode: "auto" } }, over(ModernTransport))),
  stdio(ofModernPackage("restricted to the older version", OLDER, olderOnly, over(ModernTransport))),
]);
