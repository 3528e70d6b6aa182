/** The fast tier: the repositories in memory, which pass the contract suites of PostgreSQL's. */
import { idsOf, memoryBooks } from '../memory/memory-books.ts';
import { memoryDatabase } from '../memory/memory-database.ts';
import { memoryStore } from '../memory/store/memory-store.ts';
import { changesTold } from './changes-told.ts';
import type { Storage } from './storages.ts';

export function memoryStorage(): Storage {
  const store = memoryStore();
  return {
    database: memoryDatabase(store),
    books: memoryBooks(store),
    idsOf: async (what) => idsOf(store, what),
    tellTo: (story) =>
      store.onCommit(
        story.keeps
          ? (changes) => changesTold(changes).forEach((what) => story.note({ by: 'books', what }))
          : () => undefined,
      ),
    empty: async () => store.empty(),
    close: async () => undefined,
  };
}
