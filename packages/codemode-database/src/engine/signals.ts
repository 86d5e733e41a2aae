// Ends a command on a signal as a shell expects it.

/** The signals that end a command, and what the shell reports for a program that one of them has ended. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Stops in order at the first signal and then exits; the second signal does not wait. Returns whether a signal has come. */
export function stopOnSignals(stop: () => Promise<void>): () => boolean {
  let isInterrupted = false;
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.on(signal, async () => {
      if (isInterrupted) process.exit(code);
      isInterrupted = true;
      await stop().catch(() => {});
      process.exit(code);
    });
  }
  return () => isInterrupted;
}
