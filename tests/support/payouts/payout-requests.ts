/** Requests to a PayoutWriter, with sensible defaults, and histories of them for property tests. */
import fc from 'fast-check';
import { reserveEntry } from '../../../src/app/payouts/payout-entries.ts';
import type { UniqIdResult } from '../../../src/domain/payouts/payout-acceptance.ts';
import type { Payout } from '../../../src/domain/payouts/payout-record.ts';
import type { Scope } from '../../../src/ports/list-queries.ts';
import type { PayoutItem, PayoutRequest, PayoutToWrite } from '../../../src/ports/payouts/payout-writer.ts';
import { anEntry, anId, NOW, secondsAfter } from '../builders.ts';

export const TWO_HOURS = 7_200;

/** An item that a rule without a look at the books refused. */
export const REFUSED_BEFORE: PayoutItem = { destination: null, toWrite: null };

/** One request of a history that a property test plays; merchants and X-Uniq-Ids are numbers. */
export interface Step {
  readonly merchant: number;
  readonly uniqId: number;
  readonly hoursLater: number;
  readonly batch: boolean;
  readonly items: readonly { kind: 'plain' | 'own' | 'refused'; reservedMicroUsd: bigint }[];
}

export const STEPS: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    merchant: fc.integer({ min: 0, max: 2 }),
    uniqId: fc.integer({ min: 0, max: 2 }),
    hoursLater: fc.constantFrom(0, 0, 0, 1, 2),
    batch: fc.boolean(),
    items: fc.array(
      fc.record({
        kind: fc.constantFrom('plain', 'plain', 'plain', 'own', 'refused'),
        reservedMicroUsd: fc.bigInt({ min: 1n, max: 60n }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  }),
  { minLength: 1, maxLength: 20 },
);
export const GROUP_SIZES = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 5 });

let uniqIds = 0;
export function anUniqId(): string {
  uniqIds += 1;
  return `4f3a0e4e-5f0b-4d53-9f57-${uniqIds.toString(16).padStart(12, '0')}`;
}

/** For one payout unless it says that it creates a batch; of X-Uniq-Ids it takes a fresh one. */
export function aRequest(
  scope: Scope,
  given: {
    uniqId?: string;
    at?: Date;
    creates?: UniqIdResult;
    payouts?: readonly Payout[];
    items?: readonly PayoutItem[];
  },
): PayoutRequest {
  const { payouts = [], at = NOW } = given;
  return {
    ...scope,
    uniqId: given.uniqId ?? anUniqId(),
    at,
    expiresAt: secondsAfter(TWO_HOURS, at),
    creates: given.creates ?? { order_id: payouts[0]?.id ?? anId() },
    items:
      given.items ??
      payouts.map((payout) => ({
        destination: { family: 'evm', address: payout.address },
        toWrite: toWrite(payout),
      })),
  };
}

export function toWrite(payout: Payout): PayoutToWrite {
  return { payout, entry: entryOf(payout) };
}

export function entryOf(payout: Payout) {
  const { merchantId, sandbox, createdAt: at } = payout;
  return anEntry({ merchantId, sandbox, at, ...reserveEntry(payout) });
}
