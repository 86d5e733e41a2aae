// The Worker as the platform sees it: the front and the classes of objects. It is two WebAssembly modules (the features in Cargo.toml), which
// scripts/build puts beside this file.

// @ts-expect-error: scripts/build makes it.
export { default, AgentThread, CodeModeDatabase, KnowledgeGraph, McpSession, TenantIndex } from "./main.js";

/** The code workspace, whose module is compiled when the first of them is asked for: no session waits for its parsers. */
export class CodeWorkspace {
  /** @type {{ fetch(request: Request): Promise<Response>, alarm(): Promise<void> } | undefined} */
  #object;

  /**
   * @param {DurableObjectState} state
   * @param {unknown} env
   */
  constructor(state, env) {
    // Where it fails, the platform makes the object again for the next request.
    state.blockConcurrencyWhile(async () => {
      // @ts-expect-error: scripts/build makes it.
      const { CodeWorkspace: Exported } = await import("./code.js");
      this.#object = new Exported(state, env);
    });
  }

  /** @param {Request} request */
  fetch(request) {
    return this.#loaded().fetch(request);
  }

  alarm() {
    return this.#loaded().alarm();
  }

  #loaded() {
    if (this.#object === undefined) throw new Error("the module of code workspaces is not loaded");
    return this.#object;
  }
}
