/**
 * Each payout request is a transaction of its own: PostgreSQL decides those of one group as if they
 * came one after the other, and so the answers are the same.
 */
import { mustReserve } from '../../../../src/adapters/postgres/payouts/insert-payouts.ts';
import {
  byEveryClock,
  decidePayouts,
  type PayoutContext,
  type UniqIdClaim,
  type UniqIdResult,
} from '../../../../src/domain/payouts/payout-acceptance.ts';
import type { Scope } from '../../../../src/ports/list-queries.ts';
import type { PayoutItem, PayoutToWrite, PayoutWriter } from '../../../../src/ports/payouts/payout-writer.ts';
import { postEntry } from '../ledger/post-entry.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { storedAnswerRepository } from '../stored-answers.ts';
import { insertPayout } from './insert-payout.ts';

export function payoutWriter(store: MemoryStore): PayoutWriter {
  const answers = storedAnswerRepository(store);
  return {
    add: (request) =>
      store.transaction(async () => {
        const claim = byEveryClock(request, chainTime(store));
        const items = request.items.map(({ destination, toWrite }) => ({
          ownAddress: destination !== null && isOurs(store, destination, request),
          reservedMicroUsd: toWrite === null ? null : toWrite.payout.reservedMicroUsd,
        }));
        const outcome = decidePayouts([{ claim, items }], contextOf(store))[0]!;
        if (outcome.kind === 'decided' && outcome.usesUniqId) {
          const accepted = request.items.flatMap(({ toWrite }, index) =>
            toWrite !== null && outcome.items[index]?.kind === 'accepted' ? [toWrite] : [],
          );
          write(store, claim, accepted);
        }
        const { once, at, merchantId, sandbox } = request;
        const answer = once ? once.answer(outcome) : null;
        if (once && answer) {
          const { key, fingerprint } = once;
          await answers.store({ scope: { merchantId, sandbox }, key, fingerprint, answer, at });
        }
        return outcome;
      }),
  };
}

/** The latest of all chains' own times; null while none is read. */
function chainTime({ tables }: MemoryStore): Date | null {
  let latest: Date | null = null;
  for (const { coveredUntil } of tables.chainCursors.all())
    if (coveredUntil !== null && (latest === null || coveredUntil > latest)) latest = coveredUntil;
  return latest;
}

function contextOf({ tables }: MemoryStore): PayoutContext {
  return {
    available({ merchantId, sandbox }) {
      const balance = tables.balances.find(merchantId, sandbox);
      return balance === undefined
        ? 0n
        : balance.incomeMicroUsd - balance.payoutsMicroUsd - balance.refundsMicroUsd;
    },
    used({ merchantId, sandbox, uniqId }) {
      const use = tables.uniqIds.find(merchantId, sandbox, uniqId);
      return use === undefined ? null : { expiresAt: use.expiresAt, created: createdBy(use) };
    },
  };
}

function createdBy({
  orderId,
  batchId,
}: {
  readonly orderId: string | null;
  readonly batchId: string | null;
}): UniqIdResult {
  return orderId === null ? { batch_id: batchId! } : { order_id: orderId };
}

/** The sandbox only recognises its own addresses of that merchant (safety.md W5). */
function isOurs(
  { tables }: MemoryStore,
  { family, address }: NonNullable<PayoutItem['destination']>,
  asker: Scope,
): boolean {
  const isChange = tables.utxos.by('address', address).some(({ keyRole }) => keyRole === 'change');
  if (isChange) return !asker.sandbox;
  const given = tables.addresses.find(family, address);
  if (given === undefined) return false;
  return !asker.sandbox || (given.sandbox && given.merchantId === asker.merchantId);
}

function write(store: MemoryStore, claim: UniqIdClaim, accepted: readonly PayoutToWrite[]): void {
  accepted.forEach(mustReserve);
  const { merchantId, sandbox, uniqId, expiresAt, creates } = claim;
  const use = {
    expiresAt,
    orderId: 'order_id' in creates ? creates.order_id : null,
    batchId: 'batch_id' in creates ? creates.batch_id : null,
  };
  store.tables.uniqIds.insertOrUpdate({ merchantId, sandbox, uniqId, ...use }, () => use);
  for (const { payout } of accepted) insertPayout(store, payout);
  for (const { entry } of accepted) postEntry(store, entry);
}
