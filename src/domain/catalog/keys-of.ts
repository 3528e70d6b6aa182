/**
 * The keys of a table whose rows are all listed where it is declared, in their order. A record that
 * others fill may have more.
 */
export function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): readonly Key[] {
  return Object.keys(table) as Key[];
}
