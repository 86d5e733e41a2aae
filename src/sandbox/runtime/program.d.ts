// The program, as src/sandbox/prepare makes a module of it.

declare const program: (input: unknown) => unknown;
export default program;
