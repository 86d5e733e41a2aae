// The program, in the module that crates/program/src makes from it.

declare const program: (input: unknown) => unknown;
export default program;
