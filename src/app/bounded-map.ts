/** A map of bounded size: when it is full, what was set the longest ago is forgotten. */
export interface BoundedMap<Key, Value> {
  readonly size: number;
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
}

/** Of bundles and sweeps: what is remembered between steps, only to spare questions and repeated alarms. */
export const NOTES_MAX = 20_000;

export function boundedMap<Key, Value>(max: number): BoundedMap<Key, Value> {
  const entries = new Map<Key, Value>();
  return {
    get size() {
      return entries.size;
    },
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= max) return;
      const [oldest] = entries.keys();
      if (oldest !== undefined) entries.delete(oldest);
    },
    delete(key) {
      entries.delete(key);
    },
  };
}
