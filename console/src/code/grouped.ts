// Grouping of lists by a key.

/** Returns the entries of each key, in the order in which the keys first occur. */
export function grouped<T>(entries: readonly T[], keyOf: (entry: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const entry of entries) {
    const group = groups.get(keyOf(entry));
    if (group === undefined) groups.set(keyOf(entry), [entry]);
    else group.push(entry);
  }
  return [...groups];
}
