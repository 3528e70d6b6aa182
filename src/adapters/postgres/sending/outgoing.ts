/** Outgoing transfers, the sequences of our wallets, and every transaction that was ever signed. */
import type { OutgoingRepository } from '../../../ports/sending/outgoing-repository.ts';
import type { SqlParameter } from '../client/parameters.ts';
import type { Sql } from '../client/sql.ts';
import { inOrder, insertInto, theOnly, updateById } from '../client/statements.ts';
import {
  MOVES_MONEY,
  type OutgoingRow,
  type SignedRow,
  signedFromRow,
  TRANSFER_COLUMNS,
  toRow,
  transferFromRow,
} from './outgoing-row.ts';

// A wallet's row is made at its first use; the upsert locks it either way.
const TAKE_SEQUENCE = `
  insert into wallets as w (chain, address, next_sequence) values ($1, $2, $3::bigint + 1)
  on conflict (chain, address) do update set next_sequence = greatest(w.next_sequence, $3::bigint) + 1
  returning next_sequence - 1 as sequence`;

// The same upsert, for its lock alone.
const LOCK_WALLET = `
  insert into wallets as w (chain, address, next_sequence) values ($1, $2, 0)
  on conflict (chain, address) do update set next_sequence = w.next_sequence`;

// The lowest that was given back and that nobody took since.
const GIVEN_BACK = `
  select sequence from outgoing_transfers t
  where chain = $1 and wallet = $2 and sequence >= $3 and taken_out and not exists (
    select from outgoing_transfers o
    where o.chain = t.chain and o.wallet = t.wallet and o.sequence = t.sequence and not o.taken_out)
  order by sequence limit 1`;
const SKIP = `
  insert into wallets as w (chain, address, next_sequence) values ($1, $2, $3)
  on conflict (chain, address) do update set next_sequence = greatest(w.next_sequence, excluded.next_sequence)`;
const NEXT_OF = 'select next_sequence as sequence from wallets where chain = $1 and address = $2';
// Bounded as UNUSED is.
const UNSIGNED_FROM = `
  select coalesce(min(s.sequence), max(w.next_sequence)) as sequence from wallets w
  left join lateral generate_series($3::bigint, least(w.next_sequence, $3::bigint + 10000) - 1) as s (sequence)
    on not exists (
      select from outgoing_transfers t join signed_transactions x on x.bundle_id = t.bundle_id
      where t.chain = w.chain and t.wallet = w.address and t.sequence = s.sequence)
  where w.chain = $1 and w.address = $2 and w.next_sequence > 0`;
const BUNDLES_ON_THE_WAY = `
  select count(distinct bundle_id)::int as count from outgoing_transfers
  where chain = $1 and wallet = $2 and status in ('allocated', 'signed')`;

const CHANGEABLE = [
  'status',
  'txid',
  'block_height',
  'block_hash',
  'fee_units',
  'hot_fee_units',
  'failure',
  'failure_code',
  'voided',
  'taken_out',
  'hurried',
] as const;
const SELECT = `select ${TRANSFER_COLUMNS.join(', ')} from outgoing_transfers`;
const INSERT = insertInto('outgoing_transfers', TRANSFER_COLUMNS);
const SAVE = `${updateById('outgoing_transfers', CHANGEABLE)} returning id`;

const SIGNED_COLUMNS = 'bundle_id, ordinal, txid, raw, voids, max_fee_units, valid_until, signed_at';
const INSERT_SIGNED = `
  insert into signed_transactions (${SIGNED_COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (bundle_id, ordinal) do nothing returning ordinal`;
const SIGNED_OF = `
  select ${SIGNED_COLUMNS}, broadcast_at from signed_transactions where bundle_id = any ($1::text[]) order by bundle_id, ordinal`;
const MARK_BROADCAST = `
  update signed_transactions set broadcast_at = $2 where txid = $1 and broadcast_at is null`;
// The series is bounded by the limit of what can be missing at once: a wallet's sequences are dense.
const UNUSED = `
  select s.sequence from generate_series($3::bigint, least($4::bigint, $3::bigint + 10000) - 1) as s (sequence)
  where not exists (
    select 1 from outgoing_transfers t
    where t.chain = $1 and t.wallet = $2 and t.sequence = s.sequence and not t.taken_out)
  order by s.sequence limit $5`;
const promisedOf = (which: string): string => `
  select asset, coalesce(sum(units) filter (where status <> 'failed' and ${MOVES_MONEY}), 0)::text as units,
    count(*)::int as payments
  from outgoing_transfers where chain = $1 and wallet = $2 and not taken_out and ${which} group by asset`;
const PROMISED_FROM = promisedOf('sequence >= $3');
// What a block above the view settled left since then; where one failed, its fee is gone.
const PROMISED_SINCE = promisedOf("(status in ('allocated', 'signed') or block_height > $3)");
const LENT_SINCE = `
  select coalesce(sum(units), 0)::text as units from outgoing_transfers
  where chain = $1 and wallet = $2 and purpose = 'lend' and (status in ('allocated', 'signed') or (status = 'confirmed' and block_height > $3))`;
const PAYOUTS_OF = `
  select reference_id from outgoing_transfers where bundle_id = $1 and purpose = 'payout' order by position`;
const OURS = 'select txid from signed_transactions where txid = any ($1::text[])';
const NEWEST_SIGNED = 'select txid from signed_transactions order by signed_at desc limit $1';

const SWITCH = 'select stopped_at, note from signing_switch for share';
const SET_SWITCH = 'update signing_switch set stopped_at = $1, note = $2 returning singleton';

export function outgoingRepository(sql: Sql): OutgoingRepository {
  const transfers = async (where: string, parameters: readonly SqlParameter[]) =>
    (await sql.query<OutgoingRow>(`${SELECT} ${where}`, parameters)).map(transferFromRow);

  return {
    async takeSequence({ chain, address, atLeast, givenBackFrom }) {
      if (givenBackFrom !== undefined) {
        await sql.query(LOCK_WALLET, [chain, address]);
        const asked = [chain, address, givenBackFrom.toString()];
        const [free] = await sql.query<{ sequence: string }>(GIVEN_BACK, asked);
        if (free !== undefined) return BigInt(free.sequence);
      }
      const rows = await sql.query<{ sequence: string }>(TAKE_SEQUENCE, [chain, address, atLeast.toString()]);
      return BigInt(theOnly(rows, `sequence of ${address}`).sequence);
    },

    async nextOf({ chain, address }) {
      const [wallet] = await sql.query<{ sequence: string }>(NEXT_OF, [chain, address]);
      return BigInt(wallet?.sequence ?? 0);
    },

    async unsignedFrom({ chain, address, from }) {
      const [wallet] = await sql.query<{ sequence: string | null }>(UNSIGNED_FROM, [
        chain,
        address,
        from.toString(),
      ]);
      return BigInt(wallet?.sequence ?? from);
    },

    async skipSequences({ chain, address, below }) {
      await sql.query(SKIP, [chain, address, below.toString()]);
    },

    async bundlesOnTheWay({ chain, address }) {
      const rows = await sql.query<{ count: number }>(BUNDLES_ON_THE_WAY, [chain, address]);
      return theOnly(rows, `open bundles of ${address}`).count;
    },

    async unusedSequences({ chain, address, from, below, limit }) {
      const rows = await sql.query<{ sequence: string }>(UNUSED, [
        chain,
        address,
        from.toString(),
        below.toString(),
        limit,
      ]);
      return rows.map(({ sequence }) => BigInt(sequence));
    },

    async promised({ chain, address, since }) {
      type Row = { asset: string; units: string; payments: number };
      const rows =
        'sequence' in since
          ? await sql.query<Row>(PROMISED_FROM, [chain, address, since.sequence.toString()])
          : await sql.query<Row>(PROMISED_SINCE, [chain, address, since.height]);
      return rows.map((row) => ({ ...row, units: BigInt(row.units) }));
    },

    async lentSince({ chain, address, height }) {
      const rows = await sql.query<{ units: string }>(LENT_SINCE, [chain, address, height]);
      return BigInt(theOnly(rows, `loans of ${address}`).units);
    },

    async lockWallet({ chain, address }) {
      await sql.query(LOCK_WALLET, [chain, address]);
    },

    async insert(transfer) {
      await sql.query(INSERT, [...inOrder(toRow(transfer), TRANSFER_COLUMNS)]);
    },

    ofBundle: (bundleId) => transfers('where bundle_id = $1 order by position', [bundleId]),

    lockBundle: (bundleId) =>
      transfers('where bundle_id = $1 order by position for no key update', [bundleId]),

    async payoutsOf(bundleId) {
      const rows = await sql.query<{ reference_id: string }>(PAYOUTS_OF, [bundleId]);
      return rows.map(({ reference_id }) => reference_id);
    },

    find: async (ids) => (ids.length === 0 ? [] : transfers('where id = any ($1::text[])', [[...ids]])),

    async lock(id) {
      const [found] = await transfers('where id = $1 for no key update', [id]);
      return found ?? null;
    },

    async save(transfer) {
      const saved = await sql.query(SAVE, [transfer.id, ...inOrder(toRow(transfer), CHANGEABLE)]);
      theOnly(saved, `save of outgoing transfer ${transfer.id}`);
    },

    async insertSigned({ bundleId, ordinal, txid, raw, voids, maxFeeUnits, validUntil, signedAt }) {
      const limits = [maxFeeUnits.toString(), validUntil?.toString() ?? null];
      const fields = [bundleId, ordinal, txid, raw, voids, ...limits, signedAt];
      return (await sql.query(INSERT_SIGNED, fields)).length === 1;
    },

    async markBroadcast(txid, at) {
      await sql.query(MARK_BROADCAST, [txid, at]);
    },

    async signedOf(bundleIds) {
      if (bundleIds.length === 0) return [];
      return (await sql.query<SignedRow>(SIGNED_OF, [[...bundleIds]])).map(signedFromRow);
    },

    async activeOf(purpose, referenceId) {
      const [found] = await transfers(
        "where purpose = $1 and reference_id = $2 and status <> 'failed' and not voided",
        [purpose, referenceId],
      );
      return found ?? null;
    },

    async payingOf(payoutId) {
      const [found] = await transfers(
        `where purpose = 'payout' and reference_id = $1 and status = 'signed' and exists (
           select from signed_transactions s where s.bundle_id = outgoing_transfers.bundle_id and not s.voids)`,
        [payoutId],
      );
      return found ?? null;
    },

    open: (chain, limit) =>
      transfers(
        `where chain = $1 and status in ('allocated', 'signed') order by wallet, sequence, position limit $2`,
        [chain, limit],
      ),

    settledFrom: (chain, height) =>
      transfers('where chain = $1 and block_height >= $2 order by block_height, id', [chain, height]),

    async ours(txids) {
      if (txids.length === 0) return new Set();
      const rows = await sql.query<{ txid: string }>(OURS, [[...txids]]);
      return new Set(rows.map(({ txid }) => txid));
    },

    async newestSigned(limit) {
      const rows = await sql.query<{ txid: string }>(NEWEST_SIGNED, [limit]);
      return rows.map(({ txid }) => txid);
    },

    async signingStopped() {
      const rows = await sql.query<{ stopped_at: Date | null; note: string }>(SWITCH);
      const { stopped_at: at, note } = theOnly(rows, 'the switch of signing');
      return at === null ? null : { at, note };
    },

    async setSigningStopped(stop) {
      const changed = await sql.query(SET_SWITCH, [stop?.at ?? null, stop?.note ?? '']);
      theOnly(changed, 'the switch of signing');
    },
  };
}
