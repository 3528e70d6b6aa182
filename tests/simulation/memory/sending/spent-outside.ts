/** UTXOs that were spent without the gateway, in memory. */
import { BEFORE_ALL, utxoFromRow } from '../../../../src/adapters/postgres/sending/utxo-row.ts';
import type { UtxoRepository } from '../../../../src/ports/sending/utxo-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byOutpoint } from './utxo-rows.ts';

export function spentOutside({
  tables: { utxos },
}: MemoryStore): Pick<UtxoRepository, 'markSpentOutside' | 'spentOutside'> {
  return {
    async markSpentOutside(chain, { txid, vout }, mark) {
      const row = utxos.find(chain, txid, vout);
      if (row === undefined || row.spentOutside === mark.isSpent) return null;
      if (mark.isSpent) {
        if (row.claimedBy !== null || row.blockHeight === null || row.blockHeight > mark.finalHeight)
          return null;
        utxos.update(row, { spentOutside: true, doubted: true });
      } else {
        if ((row.blockHeight !== null) !== mark.inBlock) return null;
        utxos.update(row, { spentOutside: false });
      }
      return utxoFromRow(row);
    },

    spentOutside: async (chain, { inBlock, after, limit }) =>
      utxos
        .by('spentOutside', true)
        .filter(
          (row) =>
            row.chain === chain &&
            (row.blockHeight !== null) === inBlock &&
            byOutpoint(row, after ?? BEFORE_ALL) > 0,
        )
        .sort(byOutpoint)
        .slice(0, limit)
        .map(utxoFromRow),
  };
}
