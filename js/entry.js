// The Worker as the platform sees it: the front and the classes of objects. It is two WebAssembly modules (the features in Cargo.toml), which
// scripts/build puts beside this file.

// @ts-expect-error: scripts/build makes it.
export { default, CodeModeDatabase, McpSession, TenantIndex } from "./main.js";

/** @typedef {{ fetch(request: Request): Promise<Response>, alarm(): Promise<void> }} Served */

/**
 * A class of the second module, which is compiled when the first object of it is asked for: no session waits for graphs or for parsers of code.
 *
 * @param {string} name of the class
 */
function lazily(name) {
  return class {
    /** @type {Served | undefined} */
    #object;

    /**
     * @param {DurableObjectState} state
     * @param {unknown} env
     */
    constructor(state, env) {
      // Where it fails, the platform makes the object again for the next request.
      state.blockConcurrencyWhile(async () => {
        // @ts-expect-error: scripts/build makes it.
        const module = await import("./objects.js");
        this.#object = new module[name](state, env);
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
      if (this.#object === undefined) throw new Error(`the module of ${name} is not loaded`);
      return this.#object;
    }
  };
}

export const AgentThread = lazily("AgentThread");
export const CodeWorkspace = lazily("CodeWorkspace");
export const KnowledgeGraph = lazily("KnowledgeGraph");
