// Types for `make lint`: the objects that the files of this folder share through the global object,
// and features of V8 beyond the language.

/** A destination of values, see values.js. */
interface Way {
  /** The verb for sending a value there. */
  verb: string;
  /** The reason why it cannot, which follows the description of the value. */
  cannot: string;
}

/** A value without a form, see values.js. */
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

/** Returns the form of the value that `holder` has as `key`. `place(key)` is its path. */
type Form = (holder: any, key: string, value: any, place: (key: string) => string) => unknown;

/** Functions that values.js, prelude.js, graphql.js and runtime.js share. */
interface Wire {
  SQL: Way;
  ARGUMENTS: Way;
  RESULT: Way;
  Refusal: { new (what: string, fix: string, whole?: boolean): Refusal };
  /** Thrown if a text has no more room. */
  TooLong: { new (): object };
  /** Bounds the text that `write` makes. `count` is called for each value. */
  metered<T>(characters: number, write: () => T): T;
  count(holder: any, key: string, value: unknown): void;
  /** Returns true if a constructor replaces one of the language. */
  isOfLanguage?(constructor: Function): boolean;
  /** Checks the clock, if the host has one. */
  spend?(): void;
  /** Checks an object that is spread into the fields of a call. */
  fields(given: any): any;
  formOf(way: Way, holder: any, key: string, value: any, isCell?: boolean): unknown;
  tracking(root: string, form: Form): (this: any, key: string, item: any) => unknown;
  /**
   * The encoder of values.js, for any destination. The prelude moves it to encodeAs and puts its
   * own here.
   */
  encode(call: unknown, way?: Way, fail?: Fail, skip?: string): string;
  encodeAs(call: unknown, way: Way, fail: Fail, skip?: string): string;
  decode(text: string): any;
  /** Translates a hint to the names that a program calls. */
  inProgram<T>(hint: T): T;
  DatabaseError: { new (error: WireError, operation: string): DatabaseError; prototype: DatabaseError };
  plain?(value: unknown): unknown;
  /** Examines the text of the program, if functions are there that depend on it. */
  readProgram?(source: string): void;
  /** See tools.js. */
  withServers(base: any, servers: string[], wire: Wire, door: () => InvokeDatabase, log: (level: "warn" | "error", text: string) => void): any;
  /** The place of a call, and the places of failed calls. */
  site?(): Error;
  sites: WeakMap<object, Error | undefined>;
}

/** Sends a call to the host. Returns the result, or a promise of it. */
interface InvokeDatabase {
  (operation: string, args: any, text: string): unknown;
  /** True if the host accepts a large insert in pieces. */
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
  /** Creates a number from its digits. */
  rawJSON(text: string): unknown;
  parse(text: string, reviver?: (this: any, key: string, value: any, context?: { source: string }) => any): any;
}

/** A frame of a V8 stack. */
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
