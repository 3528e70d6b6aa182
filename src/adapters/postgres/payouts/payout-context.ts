/** What payout requests are decided by: balances, which stay locked, the uses of their X-Uniq-Ids, and which addresses are ours. */
import {
  type PayoutStanding,
  type UniqIdResult,
  uniqIdKey,
} from '../../../domain/payouts/payout-acceptance.ts';
import type { PayoutItem, PayoutRequest } from '../../../ports/payouts/payout-writer.ts';
import type { Scope } from '../../../ports/queries.ts';
import type { Sql } from '../client/sql.ts';

// In merchant order, so that two groups cannot wait for each other.
const LOCK = `
  select b.merchant_id, b.sandbox, b.income_micro_usd - b.payouts_micro_usd - b.refunds_micro_usd as available
  from balances b join unnest($1::text[], $2::boolean[]) as g (merchant_id, sandbox) using (merchant_id, sandbox)
  order by b.merchant_id, b.sandbox for no key update of b`;

// A statement of its own: one that waited for the locks would still see what was there before it waited. Each row is
// looked up by its key, whatever the planner believes about tables that grow fast.
const LOOK = `
  select null as address, u.* from unnest($1::text[], $2::boolean[], $3::text[]) as g (merchant_id, sandbox, uniq_id)
  cross join lateral (
    select u.merchant_id, u.sandbox, u.uniq_id, u.expires_at, u.order_id, u.batch_id from uniq_ids u
    where u.merchant_id = g.merchant_id and u.sandbox = g.sandbox and u.uniq_id = g.uniq_id limit 1) u
  union all
  select a.family || ' ' || a.address, a.merchant_id, a.sandbox, null, null, null, null
  from unnest($4::text[], $5::text[]) as g (family, address)
  cross join lateral (
    select a.family, a.address, a.merchant_id, a.sandbox from addresses a where a.family = g.family and a.address = g.address limit 1) a
  union all
  select g.family || ' ' || g.address, null, null, null, null, null, null
  from unnest($4::text[], $5::text[]) as g (family, address)
  where exists (select from coins c where c.key_role = 'change' and c.address = g.address)`;
const CHAIN_TIME = 'select max(covered_until) as latest from chain_cursors';

interface BalanceLine {
  readonly merchant_id: string;
  readonly sandbox: boolean;
  readonly available: string;
}

type FoundRow =
  | { readonly address: string; readonly merchant_id: string | null; readonly sandbox: boolean | null }
  | {
      readonly address: null;
      readonly merchant_id: string;
      readonly sandbox: boolean;
      readonly uniq_id: string;
      readonly expires_at: Date;
      readonly order_id: string | null;
      readonly batch_id: string | null;
    };

type Destination = NonNullable<PayoutItem['destination']>;

export interface LockedStanding extends PayoutStanding {
  /** The latest of all chains' own times; null while none is read. */
  readonly chainTime: Date | null;
  /**
   * Whether a payout of this merchant and environment may not go there, since the address is ours. The sandbox knows its own
   * addresses of that merchant only: whoever asks there learns nothing about anybody else's (safety.md W5).
   */
  isOurs(destination: Destination, asker: Scope): boolean;
}

export async function readPayoutStanding(sql: Sql, group: readonly PayoutRequest[]): Promise<LockedStanding> {
  const scopes = distinct(group, scopeKey);
  const lines = await sql.query<BalanceLine>(LOCK, [
    scopes.map((scope) => scope.merchantId),
    scopes.map((scope) => scope.sandbox),
  ]);
  const ids = distinct(group, uniqIdKey);
  const destinations = distinct(
    group.flatMap(({ items }) => items.flatMap(({ destination }) => destination ?? [])),
    addressKey,
  );
  const found = await sql.query<FoundRow>(LOOK, [
    ids.map((id) => id.merchantId),
    ids.map((id) => id.sandbox),
    ids.map((id) => id.uniqId),
    destinations.map((destination) => destination.family),
    destinations.map((destination) => destination.address),
  ]);

  const [time] = await sql.query<{ latest: Date | null }>(CHAIN_TIME);
  const available = new Map(
    lines.map((line) => [
      scopeKey({ merchantId: line.merchant_id, sandbox: line.sandbox }),
      BigInt(line.available),
    ]),
  );
  const uses = new Map<string, { expiresAt: Date; created: UniqIdResult }>();
  const owners = new Map<string, string | null>();
  for (const row of found) {
    if (row.address !== null) {
      owners.set(row.address, row.merchant_id === null ? null : `${row.merchant_id} ${row.sandbox}`);
      continue;
    }
    const key = uniqIdKey({ merchantId: row.merchant_id, sandbox: row.sandbox, uniqId: row.uniq_id });
    uses.set(key, { expiresAt: row.expires_at, created: createdBy(row) });
  }
  return {
    chainTime: time?.latest ?? null,
    available: (scope) => available.get(scopeKey(scope)) ?? 0n,
    used: (claim) => uses.get(uniqIdKey(claim)) ?? null,
    isOurs: (destination, asker) => {
      const owner = owners.get(addressKey(destination));
      return asker.sandbox ? owner === scopeKey(asker) : owner !== undefined;
    },
  };
}

function createdBy(row: { order_id: string | null; batch_id: string | null; uniq_id: string }): UniqIdResult {
  if (row.order_id !== null) return { order_id: row.order_id };
  if (row.batch_id !== null) return { batch_id: row.batch_id };
  throw new Error(`the claim of ${row.uniq_id} has no result`);
}

function scopeKey(of: { merchantId: string; sandbox: boolean }): string {
  return `${of.merchantId} ${of.sandbox}`;
}

function addressKey({ family, address }: Destination): string {
  return `${family} ${address}`;
}

function distinct<Value>(values: readonly Value[], key: (value: Value) => string): readonly Value[] {
  return [...new Map(values.map((value) => [key(value), value])).values()];
}
