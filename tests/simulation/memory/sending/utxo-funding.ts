/** Money that no known transaction of ours brought, in memory, until it is booked as capital. */
import type { UtxoFunding } from '../../../../src/adapters/postgres/sending/utxo-funding.ts';
import { utxoFromRow, utxoToRow } from '../../../../src/adapters/postgres/sending/utxo-row.ts';
import type { Outpoint } from '../../../../src/domain/chains/outpoint.ts';
import type { Block } from '../../../../src/domain/sending/outgoing.ts';
import type { Utxo } from '../../../../src/ports/sending/utxo-spending.ts';
import { check } from '../store/checks.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import { byOutpoint, type StoredUtxo } from './utxo-rows.ts';

export function utxoFunding({ tables }: MemoryStore): UtxoFunding {
  const { utxos, capitalBookings } = tables;
  const find = (chain: string, { txid, vout }: Outpoint) => utxos.find(chain, txid, vout);
  /** One that is there takes the block, if it is another. */
  function insertIn(chain: string, { height, hash }: Block, utxo: Utxo): void {
    check('coins_units', utxo.units > 0n);
    const place = { blockHeight: height, blockHash: hash };
    const there = find(chain, utxo);
    if (there === undefined) utxos.insert({ chain, ...utxoToRow(utxo), ...place, booked: false });
    else if (there.blockHash !== hash) utxos.update(there, place);
  }
  const unbooked = (chain: string, finalHeight: number): StoredUtxo[] =>
    utxos
      .by('booked', false)
      .filter((row) => row.chain === chain && row.blockHeight !== null && row.blockHeight <= finalHeight);
  /** The block that the newest of its bookings names. */
  function blockOfBooking({ chain, txid, vout }: StoredUtxo): Block | null {
    const [newest] = capitalBookings
      .by('coin', `${txid}:${vout}`)
      .filter((row) => row.chain === chain)
      .sort((a, b) => b.at.getTime() - a.at.getTime() || byText(b.id, a.id));
    return newest === undefined ? null : { height: newest.blockHeight, hash: newest.blockHash };
  }

  return {
    async insertFunding(chain, coin, block) {
      insertIn(chain, block, { ...coin, key: { role: 'hot' } });
    },

    async insertChange(chain, utxo, block) {
      if (utxo.key.role !== 'change') throw new Error('change comes to an address of ours for change');
      insertIn(chain, block, utxo);
    },

    isFunding: async (chain, outpoint) => find(chain, outpoint)?.keyRole === 'hot',

    unbookedUnits: async (chain, height) =>
      unbooked(chain, height).reduce(
        (sum, { units, blockHash }) => sum + (blockHash === null ? 0n : units),
        0n,
      ),

    async removeFunding(chain, outpoint) {
      const row = find(chain, outpoint);
      if (row?.booked === false && row.keyRole === 'hot') utxos.delete(row);
    },

    lockUnbooked: async (chain, finalHeight, limit, txid) =>
      unbooked(chain, finalHeight)
        .filter((row) => row.blockHash !== null && (txid === undefined || row.txid === txid))
        .sort((a, b) => a.blockHeight! - b.blockHeight! || byOutpoint(a, b))
        .slice(0, limit)
        .map((row) => ({ ...utxoFromRow(row), block: { height: row.blockHeight!, hash: row.blockHash! } })),

    async lockBookedInVain(chain, limit) {
      const found: (Utxo & { readonly block: Block })[] = [];
      const rows = utxos.by('booked', true).filter((row) => row.chain === chain && row.blockHeight === null);
      for (const row of rows.sort(byOutpoint)) {
        const block = blockOfBooking(row);
        if (block !== null) found.push({ ...utxoFromRow(row), block });
      }
      return found.slice(0, limit);
    },

    async adopt(chain, outpoints) {
      const noted = outpoints
        .flatMap((outpoint) => find(chain, outpoint) ?? [])
        .filter(({ blockHash }) => blockHash !== null)
        .sort(byOutpoint);
      for (const row of noted) utxos.update(row, { booked: false, blockHash: null });
      return noted
        .filter(({ booked }) => booked === true)
        .map((row) => ({ ...utxoFromRow(row), block: { height: row.blockHeight!, hash: row.blockHash! } }));
    },

    async markBooked(chain, outpoint, booked) {
      const row = find(chain, outpoint);
      if (row === undefined) return;
      check('coins_booked', row.keyRole !== 'deposit');
      utxos.update(row, { booked });
    },
  };
}
