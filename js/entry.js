// The Worker for the platform: the front Worker and the classes of objects. It consists of two
// WebAssembly modules (the features in Cargo.toml), which scripts/build puts beside this file.

// @ts-expect-error: scripts/build makes it.
export { default, CodeModeDatabase, McpSession, TenantIndex } from "./main.js";

/** @typedef {{ fetch(request: Request): Promise<Response>, alarm(): Promise<void> }} Served */

/**
 * Makes a class of the second module, which is compiled when its first object is requested, so that
 * no session waits for graphs or for parsers of code.
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
      // If this fails, the platform makes the object again for the next request.
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
