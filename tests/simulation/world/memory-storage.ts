/**
 * The fast tier: the repositories in memory, which pass the contract suites of PostgreSQL's. Here
 * the laws of the ledger are asked after every transaction that changed what they are about.
 */
import { brokenInMemory, memoryBooks, memoryIdsOf } from '../memory/memory-books.ts';
import { memoryDatabase } from '../memory/memory-database.ts';
import { memoryStore } from '../memory/store/memory-store.ts';
import type { Change } from '../memory/store/table.ts';
import { changesTold } from './changes-told.ts';
import type { Broken } from './laws.ts';
import { storageOf } from './storage.ts';
import { SERIAL_PACE, type Storage } from './storages.ts';
import type { Story } from './story.ts';
import type { Witness } from './witness/witness.ts';

/** Tables that laws of the ledger read. */
const LAWFUL = new Set([
  ...['balances', 'deposits', 'invoices', 'ledger_entries', 'ledger_postings', 'payouts'],
  ...['webhook_deliveries'],
]);

export function memoryStorage(): Storage {
  const store = memoryStore();
  const database = memoryDatabase(store);
  let broken: readonly Broken[] = [];
  let saw: Witness['saw'] = () => undefined;
  const committed = (story: Story) => (changes: readonly Change[]) => {
    saw(changes);
    if (story.keeps) for (const what of changesTold(changes)) story.note({ by: 'books', what });
    if (broken.length > 0 || !changes.some(({ table }) => LAWFUL.has(table.name))) return;
    broken = brokenInMemory(store);
    for (const { law } of broken) story.note({ by: 'LAW BROKEN', what: law });
  };
  return {
    pace: SERIAL_PACE,
    databaseOf: (parts, process) => storageOf(parts, process, database),
    unitOfWork: database.ports.unitOfWork,
    books: memoryBooks(store),
    idsOf: memoryIdsOf(store),
    tellTo: (story) => store.onCommit(committed(story)),
    watch: (next) => {
      saw = next;
    },
    brokenOnTheWay: () => broken,
    async copy() {
      const putBack = store.copy();
      return async () => {
        putBack();
        saw(null);
      };
    },
    async empty() {
      store.empty();
      broken = [];
    },
    close: async () => undefined,
  };
}
