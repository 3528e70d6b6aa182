/**
 * Reads of single rows that are requested together share a statement: under load a read costs a
 * fraction of a round trip, and alone it costs one without waiting.
 */
const BATCH_MAX = 64;
/** Batches in progress; reads requested meanwhile form the next one. */
const BATCHES_MAX = 2;

interface Waiting<Row> {
  readonly id: string;
  resolve(row: Row | null): void;
  reject(reason: unknown): void;
}

/** `readAll` finds the rows of different ids. The reader returns the row of an id, or null. */
export function readsById<Row extends { readonly id: string }>(
  readAll: (ids: readonly string[]) => Promise<readonly Row[]>,
): (id: string) => Promise<Row | null> {
  let queue: Waiting<Row>[] = [];
  let running = 0;
  let scheduled = false;

  function startBatches(): void {
    scheduled = false;
    while (running < BATCHES_MAX && queue.length > 0) {
      const batch = queue.slice(0, BATCH_MAX);
      queue = queue.slice(BATCH_MAX);
      running += 1;
      void read(batch).finally(() => {
        running -= 1;
        startBatches();
      });
    }
  }

  async function read(batch: readonly Waiting<Row>[]): Promise<void> {
    try {
      const rows = await readAll([...new Set(batch.map(({ id }) => id))]);
      const found = new Map(rows.map((row) => [row.id, row]));
      for (const { id, resolve } of batch) resolve(found.get(id) ?? null);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return (id) => {
    const { promise, resolve, reject } = Promise.withResolvers<Row | null>();
    queue.push({ id, resolve, reject });
    if (!scheduled) {
      scheduled = true;
      // Later in this turn, so that the requests of one turn share a statement.
      queueMicrotask(startBatches);
    }
    return promise;
  };
}
