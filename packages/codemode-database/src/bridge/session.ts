// The MCP session of a bridge, for the protocol versions that have sessions. It outlives the
// server. If the server has forgotten it, a new one is begun with the client's original
// `initialize`.

import { isObject } from "./message.ts";

export class Session {
  /** The session's id, once there is one. */
  id: string | undefined;
  version: string | undefined;
  /** The client's `initialize`. */
  opening: Buffer | undefined;
  /**
   * The requests that change the session, by the setting they change; a new session gets them
   * again.
   */
  readonly #state = new Map<string, Buffer>();

  get headers(): Record<string, string> {
    return { ...(this.id !== undefined && { "mcp-session-id": this.id }), ...(this.version !== undefined && { "mcp-protocol-version": this.version }) };
  }

  /** Takes the session from the response to `initialize`. */
  begin(id: string | undefined, response: unknown): void {
    if (id !== undefined) this.id = id;
    const result = isObject(response) && isObject(response["result"]) ? response["result"] : {};
    if (typeof result["protocolVersion"] === "string") this.version = result["protocolVersion"];
  }

  /** Remembers a request that changes the session. */
  remember(method: string, value: unknown, bytes: Buffer): void {
    const params = isObject(value) && isObject(value["params"]) ? value["params"] : {};
    const subscription = `resource ${String(params["uri"])}`;
    if (method === "logging/setLevel") this.#state.set("level", bytes);
    if (method === "resources/subscribe" && this.#state.size < MOST_REMEMBERED) this.#state.set(subscription, bytes);
    if (method === "resources/unsubscribe") this.#state.delete(subscription);
  }

  get remembered(): Buffer[] {
    return [...this.#state.values()];
  }
}

/** The server takes 100 subscriptions of a client. */
const MOST_REMEMBERED = 200;
