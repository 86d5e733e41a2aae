// Ends a command on a signal in the way that a shell expects.

/** The signals that end a command, and the exit code that the shell reports for each. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Stops in order at the first signal and then exits; the second signal exits at once. The returned
 * function tells if a signal has arrived.
 */
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
