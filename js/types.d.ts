// Types of workerd that its type package lacks.

/** The event of an error that nothing caught, including a trap of WebAssembly. */
declare function addEventListener(type: "error", listener: (event: ErrorEvent) => void): void;

/** The state of the instance of WebAssembly that was made last (workers-rs, `init.rs`). */
declare var __worker_init_state: { criticalError: boolean; instanceId: number };
