/** Payouts inside a transaction, and the X-Uniq-Id claims that make a request count once. */
import type { PayoutRepository } from '../../ports/repositories.ts';
import type { Sql } from './client.ts';
import { nextNumber } from './numbering.ts';
import { PAYOUT_COLUMNS, type PayoutRow, payoutFromRow, payoutToRow } from './payout-row.ts';
import { inOrder, insertInto, theOnly, updateById } from './statements.ts';

const INSERT = insertInto('payouts', ['seq', ...PAYOUT_COLUMNS]);
const SELECT = `select ${PAYOUT_COLUMNS.join(', ')} from payouts`;
const CHANGEABLE = ['status', 'txid', 'tx_hashes', 'failure', 'processed_at'] as const;
const SAVE = `${updateById('payouts', CHANGEABLE)} returning id`;

// An id whose two hours are over is taken again; a concurrent claim of the same id waits here for the first to commit.
const CLAIM = `
  insert into uniq_ids as u (merchant_id, sandbox, uniq_id, expires_at, order_id, batch_id)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (merchant_id, sandbox, uniq_id) do update
    set expires_at = excluded.expires_at, order_id = excluded.order_id, batch_id = excluded.batch_id
    where u.expires_at <= $7
  returning uniq_id`;
const CLAIMED = `select order_id, batch_id from uniq_ids where merchant_id = $1 and sandbox = $2 and uniq_id = $3`;

interface ClaimRow {
  readonly order_id: string | null;
  readonly batch_id: string | null;
}

export function payoutRepository(sql: Sql): PayoutRepository {
  return {
    async insert(payout) {
      const { merchantId, sandbox, createdAt } = payout;
      const number = await nextNumber(sql, { merchantId, sandbox, stream: 'payouts', at: createdAt });
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

    async lockOpenSandbox(limit) {
      const rows = await sql.query<PayoutRow>(
        `${SELECT} where sandbox and status in ('pending', 'processing')
         order by id limit $1 for no key update skip locked`,
        [limit],
      );
      return rows.map(payoutFromRow);
    },

    async claimUniqId({ merchantId, sandbox, uniqId, now, expiresAt, result }) {
      const orderId = 'order_id' in result ? result.order_id : null;
      const batchId = 'batch_id' in result ? result.batch_id : null;
      const key = [merchantId, sandbox, uniqId];
      const claimed = await sql.query(CLAIM, [...key, expiresAt, orderId, batchId, now]);
      if (claimed.length === 1) return { kind: 'free' };
      const first = theOnly(await sql.query<ClaimRow>(CLAIMED, key), `claim of ${uniqId}`);
      if (first.order_id !== null) return { kind: 'taken', result: { order_id: first.order_id } };
      if (first.batch_id !== null) return { kind: 'taken', result: { batch_id: first.batch_id } };
      throw new Error(`the claim of ${uniqId} has no result`);
    },
  };
}
