// Types for `make lint`: what the files of this folder share through the global object, and what V8 has beyond the language.

/** Where a value goes, see values.js. */
interface Way {
  /** What a program does with it there. */
  verb: string;
  /** Why it cannot, after what it is. */
  cannot: string;
}

/** What has no form, see values.js. */
interface Refusal {
  what: string;
  fix: string;
  whole: boolean;
  path: string;
  message(way: Way): string;
}

/** The fields of an error as they are on the wire, see docs/errors.md. */
interface WireError {
  code?: string;
  message?: string;
  hint?: string;
  [detail: string]: unknown;
}

interface DatabaseError extends Error, WireError {
  name: string;
  message: string;
}

type Fail = (message: string, hint: string, code?: string) => Error;

/** The form of what `holder` has as `key`; `place(key)` is its path. */
type Form = (holder: any, key: string, value: any, place: (key: string) => string) => unknown;

/** What values.js, prelude.js, graphql.js and runtime.js do for each other. */
interface Wire {
  SQL: Way;
  ARGUMENTS: Way;
  RESULT: Way;
  Refusal: { new (what: string, fix: string, whole?: boolean): Refusal };
  /** Thrown where a text has no more room. */
  TooLong: { new (): object };
  /** Bounds the text that `write` makes; `count` is called for each value. */
  metered<T>(characters: number, write: () => T): T;
  count(holder: any, key: string, value: unknown): void;
  /** Whether a constructor stands in the place of one of the language. */
  isOfLanguage?(constructor: Function): boolean;
  /** Looks at the clock, where the host has one. */
  spend?(): void;
  /** What is spread into the fields of a call. */
  fields(given: any): any;
  formOf(way: Way, holder: any, key: string, value: any, isCell?: boolean): unknown;
  tracking(root: string, form: Form): (this: any, key: string, item: any) => unknown;
  /** Of values.js: any way. The prelude puts it under encodeAs, and its own in its place. */
  encode(call: unknown, way?: Way, fail?: Fail, skip?: string): string;
  encodeAs(call: unknown, way: Way, fail: Fail, skip?: string): string;
  decode(text: string): any;
  /** A hint with what a program calls. */
  inProgram<T>(hint: T): T;
  DatabaseError: { new (error: WireError, operation: string): DatabaseError; prototype: DatabaseError };
  plain?(value: unknown): unknown;
  /** Where a call was made, and that of each failure. */
  site?(): Error;
  sites: WeakMap<object, Error | undefined>;
}

/** A call on its way to the host: the result, or a promise of it. */
interface InvokeDatabase {
  (operation: string, args: any, text: string): unknown;
  /** Whether the host takes a large insert in pieces. */
  pieces?: boolean;
}

/** Deleted by runtime.js before a program runs. */
declare var __wire: any;
declare var __invokeDB: InvokeDatabase;
declare var __memoryDB: InvokeDatabase | undefined;
declare var helpers: any;
declare var input: unknown;
declare var SERVER_COLUMN_MAPPINGS: Record<string, Record<string, string>>;
declare var getSafeColumnName: (server: string, semanticName: string) => string;

interface JSON {
  /** A number by its digits. */
  rawJSON(text: string): unknown;
  parse(text: string, reviver?: (this: any, key: string, value: any, context?: { source: string }) => any): any;
}

/** A frame of a stack, of V8. */
interface CallSite {
  getFileName(): string | null;
  getLineNumber(): number;
  getColumnNumber(): number;
  getFunctionName(): string | null;
  isAsync(): boolean;
}

interface ErrorConstructor {
  prepareStackTrace?: (error: Error, sites: CallSite[]) => string;
}
