// Failures of the command that a person can fix.

/** A failure with the fix as a hint. The command prints both and exits with 1. */
export class Failure extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** Returns the text of any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
