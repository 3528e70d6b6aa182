/** Splits lists that are too long for one call. */

/** The items in order, `most` (above zero) at a time; the last ones may be fewer. */
export function* inChunks<Item>(items: readonly Item[], most: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += most) yield items.slice(start, start + most);
}
