/**
 * A map of bounded size: when it is full, what was set the longest ago is forgotten, a sixty-fourth
 * of it at a time.
 */
export interface BoundedMap<Key, Value> {
  readonly size: number;
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
}

/**
 * Of batches and sweeps: what is remembered between steps, only to spare questions and repeated
 * alarms.
 */
export const NOTES_MAX = 20_000;

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
      // A walk passes whatever was deleted before its first entry, thousands by then: it is worth
      // it for many.
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
