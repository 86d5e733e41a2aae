// Data from the server for a component.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, toApiError } from "./api";

export interface Loaded<T> {
  /** The last data; null before the first. */
  data: T | null;
  /** The error of the last attempt. */
  error: ApiError | null;
  busy: boolean;
  reload(): void;
}

/** Loads when `key` changes and on request. Data for an older key are dropped. */
export function useLoaded<T>(load: () => Promise<T>, key: string): Loaded<T> {
  const [state, setState] = useState<{ data: T | null; error: ApiError | null; busy: boolean }>({ data: null, error: null, busy: true });
  const latest = useRef(0);
  const start = useCallback(() => {
    latest.current += 1;
    const mine = latest.current;
    setState((before) => ({ ...before, busy: true }));
    load().then(
      (data) => mine === latest.current && setState({ data, error: null, busy: false }),
      (thrown: unknown) => mine === latest.current && setState((before) => ({ ...before, error: toApiError(thrown), busy: false })),
    );
  }, [key]);
  useEffect(() => {
    start();
    return () => {
      latest.current += 1;
    };
  }, [start]);
  return { ...state, reload: start };
}

/** One page of a list. */
export interface Page<T> {
  items: readonly T[];
  /** The cursor to the next page; null on the last. */
  nextCursor: string | null;
}

export interface Pages<T> {
  /** The items so far; null before the first page. */
  items: readonly T[] | null;
  error: ApiError | null;
  busy: boolean;
  hasMore: boolean;
  showMore(): void;
  reload(): void;
}

/** Loads a list page by page, from the start again when `key` changes or on request. */
export function usePages<T>(load: (cursor: string | null) => Promise<Page<T>>, key: string): Pages<T> {
  const [cursors, setCursors] = useState<readonly (string | null)[]>([null]);
  const [pages, setPages] = useState<readonly Page<T>[]>([]);
  const last = cursors.at(-1) ?? null;
  const current = useLoaded(() => load(last), `${key} ${cursors.length}`);
  useEffect(() => {
    setCursors([null]);
    setPages([]);
  }, [key]);
  useEffect(() => {
    if (current.data !== null) setPages([...pages.slice(0, cursors.length - 1), current.data]);
  }, [current.data]);
  const nextCursor = pages.at(-1)?.nextCursor ?? null;
  return {
    items: pages.length === 0 ? null : pages.flatMap(({ items }) => items),
    error: current.error,
    busy: current.busy,
    hasMore: nextCursor !== null,
    showMore: () => setCursors([...cursors, nextCursor]),
    reload() {
      if (cursors.length === 1) current.reload();
      else setCursors([null]);
    },
  };
}
