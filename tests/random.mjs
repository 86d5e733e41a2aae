// Random numbers in tests, which are the same in each run.

/**
 * Makes a generator of numbers from 0 to 1 (mulberry32), of whole numbers below a limit, and of
 * members of a list.
 */
export function random(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit) => Math.floor(next() * limit);
  return { next, below, one: (list) => list[below(list.length)] };
}
