/** UTXOs of credited deposits, in memory, and the reorganisations of all that came from outside. */
import type { UtxoRepository } from '../../../../src/ports/sending/utxo-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { isFrozen, VOUT, voutOf } from './utxo-rows.ts';

type ArrivalMethods = 'insertDeposits' | 'removeDeposit' | 'ours' | 'orphanAbove';

export function arrivingUtxos(store: MemoryStore): Pick<UtxoRepository, ArrivalMethods> {
  const { utxos, deposits, addresses } = store.tables;
  /** Where the output paid us; null if it did not. */
  function addressPaid(chain: string, txid: string, vout: number): string | null {
    const utxo = utxos.find(chain, txid, vout);
    if (utxo !== undefined) return utxo.address;
    const output = `${VOUT}${vout}`;
    const paid = deposits.by('txid', txid).find((row) => row.chain === chain && row.output === output);
    return paid?.address ?? null;
  }
  function insert(id: string, family: string): void {
    const deposit = deposits.find(id);
    if (deposit === undefined || deposit.encumbered || deposit.sandbox) return;
    if (!deposit.output.startsWith(VOUT)) return;
    // The wallet's own deriver issued it: it has the key.
    const issued = addresses.find(family, deposit.address);
    if (issued === undefined || issued.deriver !== family) return;
    const { chain, txid, address, units, blockHeight } = deposit;
    const key = { keyRole: 'deposit', keyIndex: issued.derivationIndex } as const;
    const row = { chain, txid, vout: voutOf(deposit), address, ...key, units, blockHeight };
    utxos.insertOrUpdate(row, () => ({ blockHeight, units }));
  }
  return {
    async insertDeposits(given, family) {
      for (const { id } of given) insert(id, family);
    },

    async removeDeposit({ chain, txid, output }) {
      for (const row of utxos.by('txid', txid))
        if (row.chain === chain && `${VOUT}${row.vout}` === output) utxos.update(row, { blockHeight: null });
    },

    async ours(chain, outpoints) {
      const found = new Set<string>();
      for (const outpoint of outpoints) {
        const [txid, vout] = outpoint.split(':');
        const address = addressPaid(chain, txid!, Number(vout));
        if (address !== null && !isFrozen(store, { chain, address })) found.add(`${txid}:${Number(vout)}`);
      }
      return found;
    },

    // The change of own transactions, which has no block hash, depends on their transfers.
    async orphanAbove(chain, height, kept = []) {
      for (const row of utxos.all()) {
        if (row.chain !== chain || row.blockHeight === null || row.blockHeight <= height) continue;
        if (row.blockHash !== null && kept.includes(row.blockHash)) continue;
        if (row.keyRole === 'deposit' || row.blockHash !== null)
          utxos.update(row, { blockHeight: null, blockHash: null });
      }
    },
  };
}
