/** UTXOs that were spent without the gateway: booked out of the capital, or taken back into it. */
import { sql } from 'drizzle-orm';
import type { UtxoRepository } from '../../../ports/sending/utxo-repository.ts';
import type { Sql } from '../client/sql.ts';
import { utxos as c } from '../schema/outgoing.ts';
import { statement } from '../statement.ts';
import { set, value } from '../statement-parts.ts';
import { BEFORE_ALL, COIN, OUTPOINT, utxoFromRow } from './utxo-row.ts';

const MARK = statement({
  given: { ...OUTPOINT, finalHeight: c.blockHeight },
  selects: COIN,
  text: ({ chain, txid, vout, finalHeight }, select) => sql`
    update ${c} set ${set(c, { spentOutside: sql<boolean>`true`, doubted: sql<boolean>`true` })}
    where ${c.chain} = ${chain} and ${c.txid} = ${txid} and ${c.vout} = ${vout}
      and not ${c.spentOutside} and ${c.claimedBy} is null and ${c.blockHeight} <= ${finalHeight}
    returning ${select}`,
});
const IN_BLOCK = value<boolean>('boolean');
const UNMARK = statement({
  given: { ...OUTPOINT, inBlock: IN_BLOCK },
  selects: COIN,
  text: ({ chain, txid, vout, inBlock }, select) => sql`
    update ${c} set ${set(c, { spentOutside: sql<boolean>`false` })}
    where ${c.chain} = ${chain} and ${c.txid} = ${txid} and ${c.vout} = ${vout} and ${c.spentOutside}
      and (${c.blockHeight} is not null) = ${inBlock}
    returning ${select}`,
});
const MARKED = statement({
  given: { ...OUTPOINT, inBlock: IN_BLOCK, limit: value<number>('bigint') },
  selects: COIN,
  text: ({ chain, txid, vout, inBlock, limit }, select) => sql`
    select ${select} from ${c}
    where ${c.chain} = ${chain} and ${c.spentOutside} and (${c.blockHeight} is not null) = ${inBlock}
      and (${c.txid}, ${c.vout}) > (${txid}, ${vout})
    order by ${c.txid}, ${c.vout} limit ${limit}`,
});

export function spentOutside(on: Sql): Pick<UtxoRepository, 'markSpentOutside' | 'spentOutside'> {
  return {
    async markSpentOutside(chain, { txid, vout }, mark) {
      const place = { chain, txid, vout };
      const [row] = mark.isSpent
        ? await MARK(on, { ...place, finalHeight: mark.finalHeight })
        : await UNMARK(on, { ...place, inBlock: mark.inBlock });
      return row === undefined ? null : utxoFromRow(row);
    },

    spentOutside: async (chain, { inBlock, after, limit }) =>
      (await MARKED(on, { chain, ...(after ?? BEFORE_ALL), inBlock, limit })).map(utxoFromRow),
  };
}
