/** Payouts inside a transaction. New ones that merchants ask for come through payout-intake.ts. */
import type { PayoutRepository } from '../../ports/repositories.ts';
import type { Sql } from './client.ts';
import { nextNumber } from './numbering.ts';
import { PAYOUT_COLUMNS, type PayoutRow, payoutFromRow, payoutToRow } from './payout-row.ts';
import { inOrder, insertInto, theOnly, updateById } from './statements.ts';

const INSERT = insertInto('payouts', ['seq', ...PAYOUT_COLUMNS]);
const SELECT = `select ${PAYOUT_COLUMNS.join(', ')} from payouts`;
const CHANGEABLE = [
  'status',
  'txid',
  'tx_hashes',
  'failure',
  'processed_at',
  'held',
  'released',
  'waiting',
] as const;
const SAVE = `${updateById('payouts', CHANGEABLE)} returning id`;

export function payoutRepository(sql: Sql): PayoutRepository {
  return {
    async insert(payout) {
      const { merchantId, sandbox, createdAt } = payout;
      const number =
        payout.kind === 'payout'
          ? await nextNumber(sql, { merchantId, sandbox, stream: 'payouts', at: createdAt })
          : { seq: null, at: createdAt };
      const row = payoutToRow({ ...payout, createdAt: number.at });
      await sql.query(INSERT, [number.seq, ...inOrder(row, PAYOUT_COLUMNS)]);
    },

    async lock(id) {
      const [row] = await sql.query<PayoutRow>(`${SELECT} where id = $1 for no key update`, [id]);
      return row ? payoutFromRow(row) : null;
    },

    async save(payout) {
      const row = payoutToRow(payout);
      theOnly(await sql.query(SAVE, [payout.id, ...inOrder(row, CHANGEABLE)]), `save of payout ${payout.id}`);
    },

    async sendable(assets, limit) {
      const rows = await sql.query<PayoutRow>(
        `${SELECT} p where not sandbox and status = 'pending' and held is null and asset = any ($1::text[])
           and not exists (
             select from outgoing_transfers t
             where t.purpose = 'payout' and t.reference_id = p.id and t.status <> 'failed' and not t.voided)
         order by id limit $2`,
        [[...assets], limit],
      );
      return rows.map(payoutFromRow);
    },

    async standingRefundOf(invoiceId) {
      const [row] = await sql.query<PayoutRow>(
        `${SELECT} where invoice_id = $1 and status not in ('failed', 'cancelled') order by id desc limit 1`,
        [invoiceId],
      );
      return row ? payoutFromRow(row) : null;
    },

    async microUsdUpTo(payout, since) {
      const rows = await sql.query<{ sum: string }>(
        `select coalesce(sum(amount_micro_usd), 0)::text as sum from payouts
         where merchant_id = $1 and not sandbox and created_at >= $2 and id <= $3
           and status not in ('failed', 'cancelled') and held is null`,
        [payout.merchantId, since, payout.id],
      );
      return BigInt(theOnly(rows, `payouts of merchant ${payout.merchantId}`).sum);
    },

    async lockOpenSandbox(limit) {
      const rows = await sql.query<PayoutRow>(
        `${SELECT} where sandbox and status in ('pending', 'processing') and held is null
         order by id limit $1 for no key update skip locked`,
        [limit],
      );
      return rows.map(payoutFromRow);
    },
  };
}
