/** Transactions of our hot wallets that this gateway does not know (ports/chains/unknown-transactions.ts). */
import type { UnknownPayment } from '../../../ports/chains/chain-scanner.ts';
import type {
  NotedTransaction,
  UnknownTransactionRepository,
} from '../../../ports/chains/unknown-transactions.ts';
import type { Sql } from '../client/sql.ts';
import { insertInto, theOnly } from '../client/statements.ts';
import { bigintOrNull, textOrNull } from '../invoices/invoice-row.ts';

const COLUMNS = [
  'chain',
  'txid',
  'wallet',
  'sequence',
  'fee_units',
  'payments',
  'harmless',
  'block_height',
  'block_hash',
  'mined_at',
  'noted_at',
] as const;
const NOTE = `
  with known as (select harmless from unknown_transactions where chain = $1 and txid = $2)
  ${insertInto('unknown_transactions as t', COLUMNS)}
  on conflict (chain, txid) do update set block_height = excluded.block_height, block_hash = excluded.block_hash,
    payments = case when t.harmless then excluded.payments else t.payments end, harmless = t.harmless and excluded.harmless
  returning (xmax = 0 or (not harmless and exists (select from known where known.harmless))) as is_news`;
const ORPHAN_ABOVE =
  'update unknown_transactions set block_hash = null where chain = $1 and block_height > $2';
const SELECT = `select ${COLUMNS.join(', ')} from unknown_transactions`;
const LOCK = `${SELECT} where chain = $1 and txid = $2 for no key update`;
const FOUND = insertInto('found_paid', ['payout_id', 'chain', 'txid', 'at']);
const FOUND_FOR = `
  select p.asset, p.address, p.sent_units from found_paid f join payouts p on p.id = f.payout_id
  where f.chain = $1 and f.txid = $2 order by p.id`;
const COUNT = `
  select count(distinct sequence) as count from unknown_transactions
  where chain = $1 and wallet = $2 and sequence >= $3 and sequence < $4`;
const PAYS_MORE = `
  not harmless and greatest(json_array_length(payments::json), 1) > (
    select count(*) from found_paid f where f.chain = unknown_transactions.chain and f.txid = unknown_transactions.txid)`;
const PAID_SINCE = `
  select 1 as found from unknown_transactions where chain = $1 and noted_at >= $2 and ${PAYS_MORE} limit 1`;

/** Those that paid more than operators found payouts for. $1: chains, $2: how many. */
export const UNKNOWN_NEWEST = `
  ${SELECT} where chain = any ($1::text[]) and ${PAYS_MORE} order by mined_at desc, chain, sequence desc, txid limit $2`;

export interface UnknownTransactionRow {
  readonly chain: string;
  readonly txid: string;
  readonly wallet: string;
  readonly sequence: string | null;
  readonly fee_units: string | null;
  readonly payments: string;
  readonly harmless: boolean;
  readonly block_height: string;
  readonly block_hash: string | null;
  readonly mined_at: Date;
  readonly noted_at: Date;
}

export function unknownTransactionRepository(sql: Sql): UnknownTransactionRepository {
  return {
    async note({ chain, txid, wallet, sequence, feeUnits, payments, harmless, block, minedAt, notedAt }) {
      const rows = await sql.query<{ is_news: boolean }>(NOTE, [
        ...[chain, txid, wallet, textOrNull(sequence), textOrNull(feeUnits)],
        JSON.stringify(payments.map(({ units, ...payment }) => ({ ...payment, units: units.toString() }))),
        ...[harmless, block.height, block.hash, minedAt, notedAt],
      ]);
      return theOnly(rows, `note of ${txid}`).is_news;
    },

    async orphanAbove(chain, height) {
      await sql.query(ORPHAN_ABOVE, [chain, height]);
    },

    async paidSince(chain, since) {
      return (await sql.query(PAID_SINCE, [chain, since])).length > 0;
    },

    async lock(chain, txid) {
      const [row] = await sql.query<UnknownTransactionRow>(LOCK, [chain, txid]);
      return row ? notedFromRow(row) : null;
    },

    async found({ chain, txid, payoutId, at }) {
      await sql.query(FOUND, [payoutId, chain, txid, at]);
    },

    async foundFor(chain, txid) {
      type Row = { asset: string; address: string; sent_units: string };
      const rows = await sql.query<Row>(FOUND_FOR, [chain, txid]);
      return rows.map(({ asset, address, sent_units }) => ({
        asset,
        address,
        sentUnits: BigInt(sent_units),
      }));
    },

    async countSequences({ chain, wallet, from, below }) {
      const rows = await sql.query<{ count: string }>(COUNT, [
        chain,
        wallet,
        from.toString(),
        below.toString(),
      ]);
      return BigInt(theOnly(rows, `noted sequences of ${wallet}`).count);
    },
  };
}

export function notedFromRow(row: UnknownTransactionRow): NotedTransaction {
  const payments = JSON.parse(row.payments) as (Omit<UnknownPayment, 'units'> & { units: string })[];
  return {
    chain: row.chain,
    txid: row.txid,
    wallet: row.wallet,
    sequence: bigintOrNull(row.sequence),
    feeUnits: bigintOrNull(row.fee_units),
    payments: payments.map((payment) => ({ ...payment, units: BigInt(payment.units) })),
    harmless: row.harmless,
    block: row.block_hash === null ? null : { height: Number(row.block_height), hash: row.block_hash },
    minedAt: row.mined_at,
    notedAt: row.noted_at,
  };
}
