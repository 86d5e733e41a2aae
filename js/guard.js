// Makes sure that every promise of the WebAssembly instance settles.
//
// A panic or a failed allocation inside WebAssembly throws in the middle of a task. All promises of
// that instance, for this request and for all others, would stay pending, and the clients would
// wait for ever. The instance is replaced at the next call; its pending promises are settled here,
// outside of it. `race` does this for responses, and also limits the time that a request may take.

import { discardRest } from "./body.js";

/** @type {Set<(error: Error) => void>} */
const waiting = new Set();

addEventListener("error", (event) => trapped(event.error));

// The platform's own function of this name makes an object for each task. An exception in a task is
// still reported as an event.
const settled = Promise.resolve();
globalThis.queueMicrotask = (task) => void settled.then(() => task()).then(undefined, reportError);

/**
 * Rejects every promise that waits for the instance, if an error ended it.
 *
 * @param {unknown} error
 * @returns {boolean} true if it did
 */
export function trapped(error) {
  const ended = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
  if (ended) abandon("it trapped");
  return ended;
}

/**
 * Rejects every promise that waits for the instance. The panic hook calls it too, before the
 * instance is gone.
 *
 * @param {string} reason
 */
export function abandon(reason) {
  const fails = [...waiting];
  waiting.clear();
  for (const fail of fails) fail(new Error(`the WebAssembly instance ended: ${reason}`));
}

/**
 * Returns the outcome of `work`, or a rejection once its instance has ended.
 *
 * @template T
 * @param {Promise<T>} work
 * @returns {Promise<T>}
 */
export function unlessAbandoned(work) {
  return new Promise((resolve, reject) => {
    waiting.add(reject);
    work.finally(() => waiting.delete(reject)).then(resolve, reject);
  });
}

/**
 * Returns the response of `work`; the response `late` once `timeoutMs` have passed, and `broken` if
 * it fails.
 *
 * @param {Promise<Response>} work
 * @param {number} timeoutMs
 * @param {() => Response} late
 * @param {() => Response} broken
 * @returns {Promise<Response>}
 */
function race(work, timeoutMs, late, broken) {
  /** @type {number | null} */
  let timer = null;
  /** @type {(error: Error) => void} */
  let fail = () => {};
  /** @type {Promise<Response>} */
  const first = new Promise((resolve, reject) => {
    fail = reject;
    waiting.add(fail);
    timer = setTimeout(() => {
      // The response may still arrive; nobody would read its body, and an unread body keeps its
      // cursor open.
      work.then((response) => response.body?.cancel()).catch(() => {});
      resolve(late());
    }, timeoutMs);
    work.then(resolve, reject);
  });
  const end = () => {
    clearTimeout(timer);
    waiting.delete(fail);
  };
  // After a promise of this request: the failure may belong to another request, and the platform
  // does not allow a response to be made there.
  return first.then(
    (response) => {
      end();
      return response;
    },
    (error) => {
      end();
      console.error("request failed:", String(error?.stack ?? error));
      return broken();
    },
  );
}

/**
 * Returns the response of `work`, or one of the last resorts.
 *
 * @param {Promise<Response>} work
 * @param {number} timeoutMs
 * @param {[number, string][]} lastResorts status and JSON text of the response to a request that is
 * late, and to one that cannot be finished
 * @param {[string, string][]} headers of both
 * @returns {Promise<Response>}
 */
export function within(work, timeoutMs, [late, broken], headers) {
  /** @param {[number, string]} answer */
  const answer = ([status, text]) =>
    new Response(text.replaceAll("{timeoutMs}", String(timeoutMs)), {
      status,
      headers: [["content-type", "application/json; charset=utf-8"], ["x-content-type-options", "nosniff"], ...headers],
    });
  return race(work, timeoutMs, () => answer(late), () => answer(broken));
}

/**
 * Returns the response of `work` to `request`, or one of the last resorts, once the unread rest of
 * the request has been discarded, so that the client can read the response.
 *
 * @param {Request} request
 * @param {Promise<Response>} work
 * @param {number} timeoutMs
 * @param {[number, string][]} lastResorts
 * @param {[string, string][]} headers
 * @returns {Promise<Response>}
 */
export async function guard(request, work, timeoutMs, lastResorts, headers) {
  const response = await within(work, timeoutMs, lastResorts, headers);
  await discardRest(request);
  return response;
}
