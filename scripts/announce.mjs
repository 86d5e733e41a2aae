// Waits until the Worker that scripts/run starts answers, then says where it is and what to try first.
// Ends by itself when wrangler, its parent, is gone.

const port = process.argv[2];
const base = `http://127.0.0.1:${port}`;
const parent = process.ppid;
const patience_ms = 120_000;
const pause_ms = 200;

async function answers() {
  try {
    const response = await fetch(`${base}/health`, { signal: AbortSignal.timeout(2_000) });
    return response.ok;
  } catch {
    return false;
  }
}

const started = Date.now();
while (!(await answers())) {
  if (process.ppid !== parent) process.exit(0);
  if (Date.now() - started > patience_ms) {
    console.error(`error: ${base}/health did not answer within ${patience_ms / 1000} s`);
    process.exit(1);
  }
  await new Promise((resolve) => setTimeout(resolve, pause_ms));
}

console.log(`
Code Mode Database answers on ${base} (stop it with Ctrl-C). Try, in another terminal:

  curl -s ${base}/api/codemode/sessions/hello \\
    -H 'content-type: application/json' \\
    -d '{"operation":"query","sql":"SELECT 6 * 7 AS answer"}'

and then: make demo
`);
