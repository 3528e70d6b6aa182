/**
 * How many of the first items form a group that weighs at most `most` together: at least one, if
 * there is one, however heavy it is.
 */
export function leadingGroup<Item>(
  items: readonly Item[],
  most: number,
  weigh: (item: Item) => number,
): number {
  let weight = 0;
  const over = items.findIndex((item) => {
    weight += weigh(item);
    return weight > most;
  });
  return over < 0 ? items.length : Math.max(over, 1);
}
