// The host of the MCP App: JSON-RPC 2.0 over postMessage, as specified by the extension MCP Apps
// (SEP-1865, version 2026-01-26).
//
// The host may have any origin, so messages are sent to whatever window embeds the page, and only
// messages from that window are read.

const PROTOCOL_VERSION = "2026-01-26";

/** The time after which a host will no longer respond: the page then shows the data it was sent. */
const RESPONSE_MS = 60_000;

const METHOD_NOT_FOUND = -32_601;

export interface HostContext {
  theme?: "light" | "dark";
  containerDimensions?: { height?: number; maxHeight?: number };
}

export interface HostInfo {
  hostCapabilities?: { serverTools?: unknown };
  hostContext?: HostContext;
}

export interface ToolResult {
  content?: { type: string; text?: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

interface Message {
  jsonrpc: "2.0";
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string };
}

export class Host {
  private lastId = 0;
  private readonly waiting = new Map<number | string, { resolve(result: unknown): void; reject(error: Error): void }>();

  constructor(
    private readonly embedder: Window,
    /** Called for each notification. */
    private readonly onNotification: (method: string, params: Record<string, unknown>) => void,
  ) {
    window.addEventListener("message", (event) => {
      if (event.source === embedder) this.receive(event.data as unknown);
    });
  }

  /** Tells the host that the page is loaded. It must be the first message. */
  async connect(appVersion: string): Promise<HostInfo> {
    const info = await this.request("ui/initialize", {
      protocolVersion: PROTOCOL_VERSION,
      appInfo: { name: "codemode-database-graph", title: "Knowledge graph", version: appVersion },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    });
    this.notify("ui/notifications/initialized", {});
    return info as HostInfo;
  }

  /**
   * Calls a tool of the server that the page came from. @throws Error with the text of a failure
   */
  async callTool(name: string, parameters: Record<string, unknown>): Promise<ToolResult> {
    const result = (await this.request("tools/call", { name, arguments: parameters })) as ToolResult;
    if (result.isError === true) throw new Error(textOf(result));
    return result;
  }

  notify(method: string, params: Record<string, unknown>): void {
    this.send({ jsonrpc: "2.0", method, params });
  }

  private request(method: string, params: Record<string, unknown>): Promise<unknown> {
    this.lastId += 1;
    const id = this.lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        reject(new Error(`the host did not respond to ${method}`));
      }, RESPONSE_MS);
      this.waiting.set(id, {
        resolve: (result) => {
          clearTimeout(timer);
          resolve(result);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
      this.send({ jsonrpc: "2.0", id, method, params });
    });
  }

  private receive(data: unknown): void {
    if (!isMessage(data)) return;
    const { id, method, params = {}, result, error } = data;
    if (method !== undefined && id !== undefined) return this.respond(id, method);
    if (method !== undefined) return this.onNotification(method, params);
    const waiting = id === undefined ? undefined : this.waiting.get(id);
    if (waiting === undefined || id === undefined) return;
    this.waiting.delete(id);
    if (error !== undefined) waiting.reject(new Error(error.message));
    else waiting.resolve(result);
  }

  /** Responds to a request of the host. The page has nothing to save, so it may end at any time. */
  private respond(id: number | string, method: string): void {
    if (method === "ping" || method === "ui/resource-teardown") return this.send({ jsonrpc: "2.0", id, result: {} });
    this.send({ jsonrpc: "2.0", id, error: { code: METHOD_NOT_FOUND, message: `the page has no method ${method}` } });
  }

  private send(message: Message): void {
    this.embedder.postMessage(message, "*");
  }
}

/** Returns the text of a result. */
export function textOf({ content = [] }: ToolResult): string {
  return content.flatMap(({ text }) => text ?? []).join("\n");
}

function isMessage(data: unknown): data is Message {
  return typeof data === "object" && data !== null && "jsonrpc" in data && data.jsonrpc === "2.0";
}
