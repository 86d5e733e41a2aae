// Real MCP clients drive the product: the MCP clients of the AI SDK and of LangChain.
// The table in `mcp-clients.mjs` says which client does what.

import { drive } from "./mcp-battery.mjs";
import { FRAMEWORK_CLIENTS } from "./mcp-clients.mjs";

drive(FRAMEWORK_CLIENTS);
