/**
 * Payout requests that arrive together are one transaction: it locks the balances they use, reads
 * the facts that decide them, and writes all accepted ones in one statement. Other changes of these
 * balances wait, or are waited for.
 */
import {
  byEveryClock,
  decidePayouts,
  type PayoutOutcome,
  type UniqIdClaim,
} from '../../../domain/payouts/payout-acceptance.ts';
import type { PayoutItem, PayoutRequest, PayoutWriter } from '../../../ports/payouts/payout-writer.ts';
import type { Database } from '../client/client.ts';
import { groupedWrites } from '../client/grouped-writes.ts';
import type { Sql } from '../client/sql.ts';
import { oncePerGroup, storeForGroup } from '../stored-answers.ts';
import { insertPayouts } from './insert-payouts.ts';
import { readPayoutContext } from './payout-context.ts';

/** Items; a batch has up to 200. */
const GROUP_MAX = 256;

export function postgresPayoutWriter(database: Database): PayoutWriter {
  const add = groupedWrites<PayoutRequest, PayoutOutcome>({
    weightMax: GROUP_MAX,
    weigh: ({ items }) => items.length,
    write(group) {
      oncePerGroup(group, ({ once, ...scope }) => (once ? { scope, key: once.key } : null));
      return database.transaction((sql) => decideAndWrite(sql, group));
    },
  });
  return { add };
}

async function decideAndWrite(
  sql: Sql,
  requests: readonly PayoutRequest[],
): Promise<readonly PayoutOutcome[]> {
  const context = await readPayoutContext(sql, requests);
  const group = requests.map((request) => byEveryClock(request, context.chainTime));
  const toDecide = (request: PayoutRequest, { destination, toWrite }: PayoutItem) => ({
    ownAddress: destination !== null && context.isOurs(destination, request),
    reservedMicroUsd: toWrite === null ? null : toWrite.payout.reservedMicroUsd,
  });
  const outcomes = decidePayouts(
    group.map((request) => ({ claim: request, items: request.items.map((item) => toDecide(request, item)) })),
    context,
  );
  const claims: UniqIdClaim[] = [];
  const accepted = group.flatMap((request, position) => {
    const outcome = outcomes[position];
    if (outcome?.kind !== 'decided' || !outcome.usesUniqId) return [];
    claims.push(request);
    return request.items.flatMap(({ toWrite }, index) =>
      toWrite !== null && outcome.items[index]?.kind === 'accepted' ? [toWrite] : [],
    );
  });
  if (claims.length > 0) await insertPayouts(sql, { claims, accepted });
  await storeForGroup(sql, requests, ({ once, at, ...scope }, position) => {
    const outcome = outcomes[position];
    if (!once || outcome === undefined) return null;
    const { key, fingerprint } = once;
    const answer = once.answer(outcome);
    return answer && { scope, key, fingerprint, answer, at };
  });
  return outcomes;
}
