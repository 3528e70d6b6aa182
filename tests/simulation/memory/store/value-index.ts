/**
 * Keys of rows by the value of a column, in the order of the rows' places: whoever asks gets the
 * same order, whenever the index was made and however often rows came and went.
 */

interface Group {
  keys: Map<string, number>;
  /** The place that was added last, while each was beyond the one before; else infinite. */
  last: number;
}

export class ValueIndex {
  readonly #groups = new Map<string, Group>();

  add(value: string, key: string, place: number): void {
    const group = this.#groups.get(value);
    if (group === undefined) {
      this.#groups.set(value, { keys: new Map([[key, place]]), last: place });
      return;
    }
    group.last = place > group.last ? place : Number.POSITIVE_INFINITY;
    group.keys.set(key, place);
  }

  remove(value: string, key: string): void {
    this.#groups.get(value)?.keys.delete(key);
  }

  keysOf(value: string): Iterable<string> {
    const group = this.#groups.get(value);
    if (group === undefined) return [];
    if (group.last === Number.POSITIVE_INFINITY) inOrder(group);
    return group.keys.keys();
  }
}

function inOrder(group: Group): void {
  const sorted = [...group.keys].sort(([, a], [, b]) => a - b);
  group.keys = new Map(sorted);
  group.last = sorted.at(-1)?.[1] ?? 0;
}
