// The program, as crates/program/src makes a module of it.

declare const program: (input: unknown) => unknown;
export default program;
