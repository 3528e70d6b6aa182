/**
 * The facts that decide payout requests: balances, which stay locked, the uses of their X-Uniq-Ids,
 * and which addresses are the gateway's.
 */
import { getTableColumns, sql } from 'drizzle-orm';
import {
  type PayoutContext,
  scopeKey,
  type UniqIdResult,
  uniqIdKey,
} from '../../../domain/payouts/payout-acceptance.ts';
import type { Scope } from '../../../ports/list-queries.ts';
import type { PayoutItem, PayoutRequest } from '../../../ports/payouts/payout-writer.ts';
import type { Sql } from '../client/sql.ts';
import { addresses as a } from '../schema/addresses.ts';
import { chainCursors } from '../schema/chains.ts';
import { equals } from '../schema/columns.ts';
import { balances as b } from '../schema/merchants.ts';
import { utxos as x } from '../schema/outgoing.ts';
import { uniqIds as u } from '../schema/payouts.ts';
import { type RowOf, statement } from '../statement.ts';
import { columnsOf, ifThere, like, listOf, names, outer } from '../statement-parts.ts';

// In merchant order, so that two groups cannot wait for each other.
const LOCK = statement({
  given: { merchantIds: listOf(b.merchantId), sandboxes: listOf(b.sandbox) },
  selects: {
    merchantId: b.merchantId,
    sandbox: b.sandbox,
    available: like(b.incomeMicroUsd, sql`${b.incomeMicroUsd} - ${b.payoutsMicroUsd} - ${b.refundsMicroUsd}`),
  },
  text: ({ merchantIds, sandboxes }, select) => {
    const key = names(b.merchantId, b.sandbox);
    return sql`
      select ${select} from ${b} join unnest(${merchantIds}, ${sandboxes}) as g (${key}) using (${key})
      order by ${b.merchantId}, ${b.sandbox} for no key update of ${b}`;
  },
});

const USE = getTableColumns(u);
type Use = RowOf<typeof USE>;
const USED = columnsOf('g', USE);
const GONE_TO = columnsOf('g', { family: a.family, address: a.address });
const ADDRESS = sql`${GONE_TO.family} || ' ' || ${GONE_TO.address}`;
// A statement after LOCK: one that waited for the locks would still see the state from before. It
// reads X-Uniq-Ids and addresses together, since each round trip keeps the balances locked. Each
// row is looked up by its key, whatever the planner believes about fast-growing tables.
const LOOK = statement({
  given: {
    merchantIds: listOf(u.merchantId),
    sandboxes: listOf(u.sandbox),
    uniqIds: listOf(u.uniqId),
    families: listOf(a.family),
    addresses: listOf(a.address),
  },
  // Either an address of the gateway, with its owner in the columns of an X-Uniq-Id, or the use of
  // one.
  selects: { address: sql<string | null>`address`, ...outer(USE) },
  text: ({ merchantIds, sandboxes, uniqIds, families, addresses }, select) => {
    const destinations = sql`unnest(${families}, ${addresses}) as g (${names(a.family, a.address)})`;
    return sql`
      select ${select} from (
        select null as address, ${u}.*
        from unnest(${merchantIds}, ${sandboxes}, ${uniqIds}) as g (${names(u.merchantId, u.sandbox, u.uniqId)})
        cross join lateral (
          select ${names(...Object.values(USE))} from ${u}
          where ${u.merchantId} = ${USED.merchantId} and ${u.sandbox} = ${USED.sandbox} and ${u.uniqId} = ${USED.uniqId}
          limit 1) ${u}
        union all
        select ${ADDRESS}, ${a.merchantId}, ${a.sandbox}, null, null, null, null from ${destinations}
        cross join lateral (
          select ${a.merchantId}, ${a.sandbox} from ${a}
          where ${a.family} = ${GONE_TO.family} and ${a.address} = ${GONE_TO.address} limit 1) ${a}
        union all
        select ${ADDRESS}, null, null, null, null, null, null from ${destinations}
        where exists (select from ${x} where ${equals(x.keyRole, 'change')} and ${x.address} = ${GONE_TO.address})
      ) ${u}`;
  },
});
const CHAIN_TIME = statement({
  selects: { latest: sql<Date | null>`max(${chainCursors.coveredUntil})` },
  text: (_given, select) => sql`select ${select} from ${chainCursors}`,
});

type Destination = NonNullable<PayoutItem['destination']>;

export interface LockedPayoutContext extends PayoutContext {
  /** The latest of all chains' own times; null while none is read. */
  readonly chainTime: Date | null;
  /**
   * Whether a payout of this merchant and environment to that address is refused because it is the
   * gateway's. The sandbox only recognises its own addresses of that merchant, and so reveals
   * nothing about others (safety.md W5).
   */
  isOurs(destination: Destination, asker: Scope): boolean;
}

export async function readPayoutContext(
  on: Sql,
  group: readonly PayoutRequest[],
): Promise<LockedPayoutContext> {
  const scopes = distinct(group, scopeKey);
  const lines = await LOCK(on, {
    merchantIds: scopes.map(({ merchantId }) => merchantId),
    sandboxes: scopes.map(({ sandbox }) => sandbox),
  });
  const ids = distinct(group, uniqIdKey);
  const destinations = distinct(
    group.flatMap(({ items }) => items.flatMap(({ destination }) => destination ?? [])),
    addressKey,
  );
  const found = await LOOK(on, {
    merchantIds: ids.map(({ merchantId }) => merchantId),
    sandboxes: ids.map(({ sandbox }) => sandbox),
    uniqIds: ids.map(({ uniqId }) => uniqId),
    families: destinations.map(({ family }) => family),
    addresses: destinations.map(({ address }) => address),
  });

  const [time] = await CHAIN_TIME(on);
  const available = new Map(lines.map((line) => [scopeKey(line), line.available]));
  const uses = new Map<string, { expiresAt: Date; created: UniqIdResult }>();
  const owners = new Map<string, string | null>();
  for (const row of found) {
    const { address, merchantId, sandbox } = row;
    const use = ifThere<Use>(row, 'uniqId');
    if (use !== null) uses.set(uniqIdKey(use), { expiresAt: use.expiresAt, created: createdBy(use) });
    if (address !== null)
      owners.set(address, merchantId === null || sandbox === null ? null : scopeKey({ merchantId, sandbox }));
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

function createdBy({ orderId, batchId, uniqId }: Use): UniqIdResult {
  if (orderId !== null) return { order_id: orderId };
  if (batchId !== null) return { batch_id: batchId };
  throw new Error(`the claim of ${uniqId} has no result`);
}

function addressKey({ family, address }: Destination): string {
  return `${family} ${address}`;
}

function distinct<Value>(values: readonly Value[], key: (value: Value) => string): readonly Value[] {
  return [...new Map(values.map((value) => [key(value), value])).values()];
}
