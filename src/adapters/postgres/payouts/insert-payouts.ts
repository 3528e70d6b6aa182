/**
 * Writes any number of accepted payouts in one statement: the X-Uniq-Ids they use up, the payouts under their merchants'
 * dense numbers, the ledger entries that reserve their money, and the balances. The caller holds the balances' locks.
 */
import { type UniqIdClaim, uniqIdKey } from '../../../domain/payouts/payout-acceptance.ts';
import type { WantedPayout } from '../../../ports/payouts/payout-writer.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { ENTRY, entryToRow, POSTINGS, postingRows } from '../ledger/ledger-row.ts';
import { summaryChange } from '../ledger/ledger-summary.ts';
import { TAKE_NUMBERS } from '../lists/numbering.ts';
import { asText } from '../statement.ts';
import { recordOf, typeOf } from '../statement-parts.ts';
import { PAYOUT_COLUMNS, PAYOUT_TYPES, payoutToRow } from './payout-row.ts';

/** The entry's columns that are not found out under the lock, or the payout's own. */
const { merchantId: _, sandbox: _sandbox, at: _at, feedSeq: _feedSeq, ...ENTRY_GIVEN } = ENTRY;
const ENTRY_NAMES = Object.values(ENTRY_GIVEN).map(({ name }) => name);
const entryRecord = recordOf(ENTRY_GIVEN);

const GIVEN = [
  'position integer',
  'change numeric',
  ...PAYOUT_COLUMNS.map((column) => `${column} ${PAYOUT_TYPES[column]}`),
  'entry_at timestamptz',
  ...Object.values(ENTRY_GIVEN).map((column) => `entry_${column.name} ${typeOf(column)}`),
].join(', ');

const PAYOUT_VALUES = PAYOUT_COLUMNS.map((column) =>
  column === 'created_at' ? 'greatest(c.last_at, max(g.created_at) over merchant)' : `g.${column}`,
).join(', ');

const CLAIM =
  'merchant_id text, sandbox boolean, uniq_id text, at timestamptz, expires_at timestamptz, order_id text, batch_id text';

// The entry is the first of its payout.
const INSERT = `
  with given as materialized (select * from json_to_recordset($1::json) as g (${GIVEN})),
  posting as (
    select * from json_to_recordset($2::json)
      as p (entry_id text, ordinal smallint, account text, currency text, amount numeric)),
  claim as materialized (select * from json_to_recordset($3::json) as c (${CLAIM})),
  claimed as (
    insert into uniq_ids as u (merchant_id, sandbox, uniq_id, expires_at, order_id, batch_id)
    select merchant_id, sandbox, uniq_id, expires_at, order_id, batch_id from claim
    on conflict (merchant_id, sandbox, uniq_id) do update
      set expires_at = excluded.expires_at, order_id = excluded.order_id, batch_id = excluded.batch_id
      where u.expires_at <= (
        select c.at from claim c
        where c.merchant_id = u.merchant_id and c.sandbox = u.sandbox and c.uniq_id = u.uniq_id)
    returning uniq_id),
  per_merchant as materialized (
    select merchant_id, sandbox, count(*) as lines, sum(change) as change,
      max(created_at) as latest_payout, max(entry_at) as latest_entry
    from given group by 1, 2),
  wanted as materialized (
    select merchant_id, sandbox, 'payouts' as stream, lines, latest_payout as latest from per_merchant
    union all select merchant_id, sandbox, 'ledger', lines, latest_entry from per_merchant),
  ${asText(TAKE_NUMBERS)},
  written as (
    insert into payouts (seq, ${PAYOUT_COLUMNS.join(', ')})
    select c.value + row_number() over merchant, ${PAYOUT_VALUES}
    from given g join counter c using (merchant_id, sandbox) where c.stream = 'payouts'
    window merchant as (partition by g.merchant_id, g.sandbox order by g.position)
    returning id),
  entered as (
    insert into ledger_entries (ordinal, merchant_id, sandbox, feed_seq, at, ${ENTRY_NAMES.join(', ')})
    select 1, g.merchant_id, g.sandbox, c.value + row_number() over merchant,
      greatest(c.last_at, max(g.entry_at) over merchant), ${ENTRY_NAMES.map((name) => `g.entry_${name}`).join(', ')}
    from given g join counter c using (merchant_id, sandbox) where c.stream = 'ledger'
    window merchant as (partition by g.merchant_id, g.sandbox order by g.position)
    returning id),
  posted as (
    insert into ledger_postings (entry_id, ordinal, account, currency, amount)
    select entry_id, ordinal, account, currency, amount from posting),
  reserved as (
    update balances b set payouts_micro_usd = b.payouts_micro_usd + m.change
    from per_merchant m where b.merchant_id = m.merchant_id and b.sandbox = m.sandbox
    returning b.income_micro_usd - b.payouts_micro_usd - b.refunds_micro_usd as available)
  select (select count(*)::int from claimed) as claimed, (select count(*)::int from written) as written,
    (select count(*)::int from entered) as entered, (select min(available) from reserved) as least`;

interface Written {
  readonly claimed: number;
  readonly written: number;
  readonly entered: number;
  /** Of the balances that were drawn on; null without any. */
  readonly least: string | null;
}

/** Of the claims of one X-Uniq-Id the last counts. Throws, for the transaction to be undone, when a claim or a balance does not hold. */
export async function insertPayouts(
  sql: Sql,
  { claims, accepted }: { claims: readonly UniqIdClaim[]; accepted: readonly WantedPayout[] },
): Promise<void> {
  const claimed = [...new Map(claims.map((claim) => [uniqIdKey(claim), claim])).values()];
  const rows = await sql.query<Written>(INSERT, [
    JSON.stringify(accepted.map(givenRow)),
    POSTINGS.encode(accepted.flatMap(({ entry }) => postingRows(entry))),
    JSON.stringify(claimed.map(claimRow)),
  ]);
  const done = theOnly(rows, 'insert of payouts');
  if (done.claimed !== claimed.length)
    throw new Error('an X-Uniq-Id was taken although its balance is locked');
  if (done.written !== accepted.length || done.entered !== accepted.length)
    throw new Error('a payout is of an unknown merchant');
  if (done.least !== null && BigInt(done.least) < 0n)
    throw new Error('a payout would take the balance below zero');
}

function givenRow({ payout, entry }: WantedPayout, position: number): Record<string, unknown> {
  const { column, change } = summaryChange(entry);
  const { merchantId, sandbox } = payout;
  const own = entry.merchantId === merchantId && entry.sandbox === sandbox && entry.referenceId === payout.id;
  if (!own || entry.feed === null || payout.kind !== 'payout' || column !== 'payouts')
    throw new Error(`entry ${entry.id} does not reserve payout ${payout.id}`);
  if (change !== payout.reservedMicroUsd)
    throw new Error(`payout ${payout.id} reserves ${payout.reservedMicroUsd}, its entry ${change}`);
  const record = entryRecord(entryToRow(entry, null));
  const given: Record<string, unknown> = {
    position,
    change: change.toString(),
    ...payoutToRow(payout),
    entry_at: entry.at,
  };
  for (const name of ENTRY_NAMES) given[`entry_${name}`] = record[name];
  return given;
}

function claimRow(claim: UniqIdClaim): Record<string, unknown> {
  const { creates } = claim;
  return {
    merchant_id: claim.merchantId,
    sandbox: claim.sandbox,
    uniq_id: claim.uniqId,
    at: claim.at,
    expires_at: claim.expiresAt,
    order_id: 'order_id' in creates ? creates.order_id : null,
    batch_id: 'batch_id' in creates ? creates.batch_id : null,
  };
}
