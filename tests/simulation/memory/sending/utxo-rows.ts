/** Rows of UTXOs in memory: which are named, their orders, and the outputs of deposits. */
import type { utxos } from '../../../../src/adapters/postgres/schema/outgoing.ts';
import type { Outpoint } from '../../../../src/domain/chains/outpoint.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';

export type StoredUtxo = typeof utxos.$inferSelect;

/** Each once, as often as it is named. */
export function storedAmong(
  { tables }: MemoryStore,
  chain: string,
  outpoints: readonly Outpoint[],
): StoredUtxo[] {
  const found = new Set<StoredUtxo>();
  for (const { txid, vout } of outpoints) {
    const row = tables.utxos.find(chain, txid, vout);
    if (row !== undefined) found.add(row);
  }
  return [...found];
}

export function byOutpoint(a: Outpoint, b: Outpoint): number {
  return byText(a.txid, b.txid) || a.vout - b.vout;
}

export function byUnitsDown(a: StoredUtxo, b: StoredUtxo): number {
  if (a.units !== b.units) return a.units > b.units ? -1 : 1;
  return byOutpoint(a, b);
}

/** Of an address of another owner, or of a replaced wallet. */
export function isFrozen(
  { tables }: MemoryStore,
  { chain, address }: { readonly chain: string; readonly address: string },
): boolean {
  return tables.frozenAddresses.size > 0 && tables.frozenAddresses.find(chain, address) !== undefined;
}

/** Only outputs of UTXO chains are named so, with their number. */
export const VOUT = 'vout:';

export function voutOf({ output }: { readonly output: string }): number {
  return Number(output.slice(VOUT.length));
}
