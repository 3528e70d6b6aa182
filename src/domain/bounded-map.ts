/**
 * A map of bounded size. When it is full, it deletes the sixty-fourth of its entries that were set
 * first.
 */
export interface BoundedMap<Key, Value> {
  readonly size: number;
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
}

export function boundedMap<Key, Value>(max: number): BoundedMap<Key, Value> {
  const entries = new Map<Key, Value>();
  const kept = max - Math.floor(max / 64);
  return {
    get size() {
      return entries.size;
    },
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= max) return;
      // An iteration first skips all deleted entries, by then thousands, so one iteration deletes
      // many.
      for (const oldest of entries.keys()) {
        if (entries.size <= kept) break;
        entries.delete(oldest);
      }
    },
    delete(key) {
      entries.delete(key);
    },
  };
}
