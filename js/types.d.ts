// What workerd has and its types have not.

/** Of an error that nothing caught, a trap of WebAssembly among them. */
declare function addEventListener(type: "error", listener: (event: ErrorEvent) => void): void;
