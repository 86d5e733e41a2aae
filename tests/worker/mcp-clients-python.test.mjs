// Tests in which real MCP clients drive the product: the Python package, newest 2.x and newest 1.x.
// The table in `mcp-clients.mjs` lists the abilities of each client.

import { drive } from "./mcp-battery.mjs";
import { PYTHON_CLIENTS } from "./mcp-clients.mjs";

drive(PYTHON_CLIENTS);
