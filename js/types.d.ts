// Types of workerd that its type package lacks.

/** The event of an error that nothing caught, including a trap of WebAssembly. */
declare function addEventListener(type: "error", listener: (event: ErrorEvent) => void): void;
