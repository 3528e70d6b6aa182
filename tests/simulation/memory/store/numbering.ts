/** The dense numbers of a merchant's lists, in memory (src/adapters/postgres/lists/numbering.ts). */
import { theOnly } from '../../../../src/adapters/postgres/client/statements.ts';
import type { Stream } from '../../../../src/adapters/postgres/schema/merchants.ts';
import type { MemoryStore } from './memory-store.ts';

/**
 * The next number and the time of its row: `latest`, or the previous row's time if that is later.
 */
export function nextNumber(
  { tables }: MemoryStore,
  {
    merchantId,
    sandbox,
    stream,
    latest,
  }: { merchantId: string; sandbox: boolean; stream: Stream; latest: Date },
): { seq: bigint; at: Date } {
  const row = tables.counters.find(merchantId, sandbox, stream);
  const counter = theOnly(row ? [row] : [], `counter ${stream} of merchant ${merchantId}`);
  const seq = counter.value + 1n;
  const at = counter.lastAt > latest ? counter.lastAt : latest;
  tables.counters.update(counter, { value: seq, lastAt: at });
  return { seq, at };
}
