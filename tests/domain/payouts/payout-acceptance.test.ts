import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  decidePayouts,
  type PayoutContext,
  type PayoutOutcome,
  type PayoutToDecide,
  type UniqIdClaim,
  uniqIdKey,
} from '../../../src/domain/payouts/payout-acceptance.ts';

interface Asked {
  readonly claim: UniqIdClaim;
  readonly items: readonly PayoutToDecide[];
}

const BALANCE = 100n;
const HOUR_MS = 3_600_000;

/** Books as a store keeps them between groups. */
function openBooks(): {
  standing: PayoutContext;
  apply(asked: readonly Asked[], outcomes: readonly PayoutOutcome[]): void;
} {
  const spent = new Map<string, bigint>();
  const uses = new Map<string, UniqIdClaim>();
  const scope = (of: { merchantId: string; sandbox: boolean }) => `${of.merchantId} ${of.sandbox}`;
  return {
    standing: {
      available: (of) => BALANCE - (spent.get(scope(of)) ?? 0n),
      used(claim) {
        const use = uses.get(uniqIdKey(claim));
        return use ? { expiresAt: use.expiresAt, created: use.creates } : null;
      },
    },
    apply(asked, outcomes) {
      for (const [position, { claim, items }] of asked.entries()) {
        const outcome = outcomes[position];
        if (outcome?.kind !== 'decided') continue;
        if (outcome.usesUniqId) uses.set(uniqIdKey(claim), claim);
        for (const [index, item] of items.entries()) {
          if (outcome.items[index]?.kind !== 'accepted') continue;
          spent.set(scope(claim), (spent.get(scope(claim)) ?? 0n) + (item.reservedMicroUsd ?? 0n));
        }
      }
    },
  };
}

const item = fc.record({
  ownAddress: fc.boolean(),
  reservedMicroUsd: fc.option(fc.bigInt({ min: 0n, max: 60n }), { nil: null }),
});
const requests = fc
  .array(
    fc.record({
      merchantId: fc.constantFrom('a', 'b'),
      sandbox: fc.boolean(),
      uniqId: fc.constantFrom('one', 'two', 'three'),
      hoursLater: fc.constantFrom(0, 0, 0, 1, 2),
      batch: fc.boolean(),
      items: fc.array(item, { minLength: 1, maxLength: 4 }),
    }),
    { maxLength: 30 },
  )
  .map((given) => {
    let at = 0;
    return given.map((each, position): Asked => {
      at += each.hoursLater * HOUR_MS;
      const id = String(position);
      return {
        claim: {
          merchantId: each.merchantId,
          sandbox: each.sandbox,
          uniqId: each.uniqId,
          at: new Date(at),
          expiresAt: new Date(at + 2 * HOUR_MS),
          creates: each.batch ? { batch_id: id } : { order_id: id },
        },
        items: each.batch ? each.items : each.items.slice(0, 1),
      };
    });
  });

function decideInGroups(asked: readonly Asked[], sizes: readonly number[]): readonly PayoutOutcome[] {
  const books = openBooks();
  const outcomes: PayoutOutcome[] = [];
  for (let from = 0, group = 0; from < asked.length; group++) {
    const part = asked.slice(from, from + (sizes[group % sizes.length] ?? 1));
    const decided = decidePayouts(part, books.standing);
    books.apply(part, decided);
    outcomes.push(...decided);
    from += part.length;
  }
  return outcomes;
}

const asks = (claim: Partial<UniqIdClaim>, ...items: PayoutToDecide[]): Asked => ({
  claim: {
    merchantId: 'a',
    sandbox: false,
    uniqId: 'one',
    at: new Date(0),
    expiresAt: new Date(2 * HOUR_MS),
    creates: { order_id: '1' },
    ...claim,
  },
  items,
});
const of = (reservedMicroUsd: bigint | null, ownAddress = false): PayoutToDecide => ({
  ownAddress,
  reservedMicroUsd,
});

describe('which payouts are accepted', () => {
  test('however requests are grouped, each gets what it would get alone', () => {
    fc.assert(
      fc.property(requests, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (asked, sizes) => {
        expect(decideInGroups(asked, sizes)).toEqual(decideInGroups(asked, [1]));
      }),
    );
  });

  test('no balance is overdrawn, and a refused payout would have overdrawn it', () => {
    fc.assert(
      fc.property(requests, (asked) => {
        const left = new Map<string, bigint>();
        const outcomes = decideInGroups(asked, [asked.length || 1]);
        for (const [position, { claim, items }] of asked.entries()) {
          const outcome = outcomes[position];
          if (outcome?.kind !== 'decided') continue;
          const scope = `${claim.merchantId} ${claim.sandbox}`;
          for (const [index, { reservedMicroUsd }] of items.entries()) {
            const decided = outcome.items[index];
            const available = left.get(scope) ?? BALANCE;
            if (decided?.kind === 'insufficient') {
              expect(decided.availableMicroUsd).toBe(available);
              expect(available).toBeLessThan(reservedMicroUsd ?? 0n);
            }
            if (decided?.kind !== 'accepted') continue;
            expect(available).toBeGreaterThanOrEqual(reservedMicroUsd ?? 0n);
            left.set(scope, available - (reservedMicroUsd ?? 0n));
          }
        }
      }),
    );
  });

  test('an X-Uniq-Id is free again at the moment at which its two hours end, and in the other environment', () => {
    const at = (hours: number) => new Date(hours * HOUR_MS);
    const asked = (when: Date, change: Partial<UniqIdClaim> = {}) =>
      asks({ at: when, expiresAt: new Date(when.getTime() + 2 * HOUR_MS), ...change }, of(1n));
    const kinds = (requests: readonly Asked[]) =>
      decidePayouts(requests, openBooks().standing).map(({ kind }) => kind);
    expect(kinds([asked(at(0)), asked(new Date(2 * HOUR_MS - 1))])).toEqual(['decided', 'duplicate']);
    expect(kinds([asked(at(0)), asked(at(2))])).toEqual(['decided', 'decided']);
    expect(kinds([asked(at(0)), asked(at(0), { sandbox: true })])).toEqual(['decided', 'decided']);
    expect(kinds([asked(at(0)), asked(at(0), { merchantId: 'b' })])).toEqual(['decided', 'decided']);
  });

  test('within one group a balance for ten covers ten', () => {
    const asked = Array.from({ length: 50 }, (_, index) => asks({ uniqId: `${index}` }, of(10n)));
    const kinds = decidePayouts(asked, openBooks().standing).map((outcome) =>
      outcome.kind === 'decided' ? outcome.items[0]?.kind : outcome.kind,
    );
    expect(kinds).toEqual([...Array(10).fill('accepted'), ...Array(40).fill('insufficient')]);
  });

  test('an X-Uniq-Id is used up by an accepted payout and by any batch, and not by a refused payout', () => {
    const outcomes = decidePayouts(
      [
        asks({ uniqId: 'refused' }, of(null)),
        asks({ uniqId: 'refused', creates: { order_id: '2' } }, of(1n)),
        asks({ uniqId: 'refused', creates: { order_id: '3' } }, of(1n)),
        asks({ uniqId: 'batch', creates: { batch_id: '4' } }, of(null), of(1_000n)),
        asks({ uniqId: 'batch', creates: { batch_id: '5' } }, of(1n)),
      ],
      openBooks().standing,
    );
    expect(outcomes).toEqual([
      { kind: 'decided', usesUniqId: false, items: [{ kind: 'refused' }] },
      { kind: 'decided', usesUniqId: true, items: [{ kind: 'accepted' }] },
      { kind: 'duplicate', created: { order_id: '2' } },
      {
        kind: 'decided',
        usesUniqId: true,
        items: [{ kind: 'refused' }, { kind: 'insufficient', availableMicroUsd: 99n }],
      },
      { kind: 'duplicate', created: { batch_id: '4' } },
    ]);
  });

  test('an address of ours is refused before anything else about the payout', () => {
    const [outcome] = decidePayouts([asks({}, of(null, true), of(1_000n, true))], openBooks().standing);
    expect(outcome).toEqual({
      kind: 'decided',
      usesUniqId: false,
      items: [{ kind: 'own_address' }, { kind: 'own_address' }],
    });
  });
});
