// A value that parts of a page share. Components read it with `useStore` and render again when it
// changes; other code reads and sets it.

import { useEffect, useState } from "preact/hooks";

/** A shared value. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  /** Calls back after each change, until the returned function is called. */
  subscribe(listener: (value: T) => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let current = initial;
  const listeners = new Set<(value: T) => void>();
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return;
      current = value;
      for (const listener of [...listeners]) listener(value);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Returns the value of a store, for a component. */
export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(store.get());
  useEffect(() => {
    // It may have changed between the first rendering and now.
    setValue(() => store.get());
    return store.subscribe((next) => setValue(() => next));
  }, [store]);
  return value;
}
