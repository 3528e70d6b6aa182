/** Numbers of removed invoices in memory, in the blocks of postgres/lists/removed-numbers.ts. */
import { BLOCK } from '../../../../src/adapters/postgres/lists/list-counts.ts';
import type { Scope } from '../../../../src/ports/list-queries.ts';
import type { Tables } from '../store/memory-store.ts';

const EMPTY = '0'.repeat(BLOCK);

export function noteRemoved(
  { removedInvoices }: Tables,
  { merchantId, sandbox, seq }: Scope & { readonly seq: bigint },
): void {
  const block = (seq - 1n) / BigInt(BLOCK);
  const place = Number((seq - 1n) % BigInt(BLOCK));
  const known = removedInvoices.find(merchantId, sandbox, block);
  const before = known?.numbers ?? EMPTY;
  const numbers = `${before.slice(0, place)}1${before.slice(place + 1)}`;
  if (known) removedInvoices.update(known, { numbers, count: known.count + 1 });
  else removedInvoices.insert({ merchantId, sandbox, block, numbers, count: 1 });
}

export function removedNumbers(
  { removedInvoices }: Tables,
  { merchantId, sandbox }: Scope,
): readonly bigint[] {
  const numbers: bigint[] = [];
  for (const row of removedInvoices.by('merchantId', merchantId)) {
    if (row.sandbox !== sandbox) continue;
    for (let at = row.numbers.indexOf('1'); at >= 0; at = row.numbers.indexOf('1', at + 1))
      numbers.push(row.block * BigInt(BLOCK) + BigInt(at) + 1n);
  }
  return numbers.sort((a, b) => (a < b ? -1 : 1));
}
