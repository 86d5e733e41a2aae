// Tests in which real MCP clients drive the product: the official TypeScript packages. The table in
// `mcp-clients.mjs` lists the abilities of each client.

import { drive } from "./mcp-battery.mjs";
import { TYPESCRIPT_CLIENTS } from "./mcp-clients.mjs";

drive(TYPESCRIPT_CLIENTS);
