/**
 * The contract of PayoutWriter for requests that arrive together: each is decided as if it came
 * alone after the earlier ones.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { PayoutOutcome, UniqIdResult } from '../../../src/domain/payouts/payout-acceptance.ts';
import type { Payout } from '../../../src/domain/payouts/payout-record.ts';
import type { PayoutItem, PayoutRequest } from '../../../src/ports/payouts/payout-writer.ts';
import { anId, aPayout, NOW, secondsAfter } from '../../support/builders.ts';
import { type OpenedPayoutWriter, payoutBooks } from '../../support/payouts/payout-books.ts';
import {
  anUniqId,
  aRequest,
  entryOf,
  GROUP_SIZES,
  REFUSED_BEFORE,
  STEPS,
  type Step,
  toWrite,
} from '../../support/payouts/payout-requests.ts';
import { openedFor } from '../opened.ts';

export function describePayoutGroups(name: string, open: () => Promise<OpenedPayoutWriter>): void {
  describe(`${name}: payout intake, groups`, () => {
    const storage = openedFor(open);
    const { add, booksAreRight, funded, fund, givenOut, available, listed } = payoutBooks(storage);

    test('a bad request fails alone, whatever it was grouped with', async () => {
      const scope = await funded(1_000n);
      const payout = (given: Partial<Payout> = {}) => aPayout({ ...scope, reservedMicroUsd: 1n, ...given });
      const good = Array.from({ length: 10 }, () => payout());
      const first = payout();
      await add(aRequest(scope, { payouts: [first] }));
      const unbalanced = payout();
      const { entry } = toWrite(unbalanced);
      const [posting] = entry.postings;
      const dearer = payout();
      const bad: PayoutRequest[] = [
        // It reserves another sum than its entry.
        aRequest(scope, {
          items: [
            {
              destination: null,
              toWrite: { payout: dearer, entry: entryOf({ ...dearer, reservedMicroUsd: 2n }) },
            },
          ],
        }),
        aRequest(scope, { payouts: [payout({ id: first.id })] }),
        aRequest(scope, { payouts: [payout({ sentUnits: 0n })] }),
        aRequest(scope, { payouts: [payout({ status: 'processing' })] }),
        aRequest(scope, { creates: { batch_id: anId() }, payouts: [payout(), payout({ feeUnits: -1n })] }),
        aRequest(scope, {
          items: [
            {
              destination: null,
              toWrite: { payout: unbalanced, entry: { ...entry, postings: posting ? [posting] : [] } },
            },
          ],
        }),
        aRequest(
          { merchantId: anId(), sandbox: true },
          { creates: { batch_id: anId() }, items: [REFUSED_BEFORE] },
        ),
      ];
      const well = (payouts: readonly Payout[]) =>
        payouts.map((each) => aRequest(scope, { payouts: [each] }));
      const requests = [...well(good.slice(0, 5)), ...bad, ...well(good.slice(5))];
      const results = await Promise.allSettled(requests.map((request) => add(request)));
      const fulfilled = Array.from({ length: 5 }, () => 'fulfilled');
      expect(results.map((result) => result.status)).toEqual([
        ...fulfilled,
        ...bad.map(() => 'rejected'),
        ...fulfilled,
      ] as never);
      expect((await listed(scope)).map(({ id }) => id)).toEqual([first, ...good].map(({ id }) => id));
      expect(await available(scope)).toBe(1_000n - 11n);
      await booksAreRight();
    });

    test('several merchants, two instances and other entries at once: lists and feeds are dense, and times never run backwards', async () => {
      const scopes = await Promise.all(Array.from({ length: 4 }, () => funded(1_000n)));
      const outcomes = await Promise.all(
        Array.from({ length: 300 }, (_, index) => {
          const scope = scopes[(index * 7) % 4] ?? { merchantId: '', sandbox: true };
          if (index % 10 === 0) return fund(scope, 1n).then(() => null);
          // The clocks of instances differ, and requests overtake each other.
          const at = secondsAfter(((index * 37) % 50) / 1000);
          const size = index % 6 === 0 ? 5 : 1;
          const payouts = Array.from({ length: size }, () =>
            aPayout({ ...scope, reservedMicroUsd: 1n, createdAt: at }),
          );
          const creates = size > 1 ? { creates: { batch_id: anId() } } : {};
          return add(aRequest(scope, { at, payouts, ...creates }), index % 2 === 0 ? 0 : 1);
        }),
      );
      const accepted = outcomes.flatMap((outcome) => (outcome?.kind === 'decided' ? outcome.items : []));
      const lists = await Promise.all(scopes.map(listed));
      expect(lists.flat()).toHaveLength(accepted.length);
      await booksAreRight();
    });

    test('however requests fall into groups, each gets what it would get alone', async () => {
      const own = await givenOut();
      await fc.assert(
        fc.asyncProperty(STEPS, GROUP_SIZES, async (steps, sizes) => {
          const grouped = await play(steps, sizes, 0);
          const alone = await play(steps, [1], 1);
          expect(grouped).toEqual(alone);
        }),
        { numRuns: 20 },
      );
      await booksAreRight();

      /**
       * Runs the steps with merchants of their own, and returns all visible results without ids.
       */
      async function play(steps: readonly Step[], sizes: readonly number[], instance: 0 | 1) {
        const scopes = [await funded(100n), await funded(100n), { ...(await funded(0n)), sandbox: false }];
        const uniqIds = Array.from({ length: 3 }, anUniqId);
        let at = NOW;
        const requests = steps.map((step) => {
          at = secondsAfter(step.hoursLater * 3_600, at);
          const scope = scopes[step.merchant] ?? { merchantId: '', sandbox: true };
          const creates = step.batch ? { batch_id: anId() } : { order_id: anId() };
          const items = (step.batch ? step.items : step.items.slice(0, 1)).map(
            ({ kind, reservedMicroUsd }): PayoutItem => {
              const payout = aPayout({ ...scope, reservedMicroUsd, createdAt: at });
              const destination = kind === 'own' ? own : { family: 'evm', address: payout.address };
              return { destination, toWrite: kind === 'refused' ? null : toWrite(payout) };
            },
          );
          return aRequest(scope, { uniqId: uniqIds[step.uniqId] ?? '', at, creates, items });
        });
        const outcomes: PayoutOutcome[] = [];
        for (let from = 0, group = 0; from < requests.length; group++) {
          const part = requests.slice(from, from + (sizes[group % sizes.length] ?? 1));
          outcomes.push(...(await Promise.all(part.map((request) => add(request, instance)))));
          from += part.length;
        }
        const creator = (created: UniqIdResult) =>
          requests.findIndex(({ creates }) => Bun.deepEquals(creates, created));
        const { queries } = storage.ports();
        return {
          outcomes: outcomes.map((outcome) =>
            outcome.kind === 'duplicate' ? { duplicateOf: creator(outcome.created) } : outcome,
          ),
          books: await Promise.all(
            scopes.map(async (scope) => ({
              balance: await queries.balance(scope),
              payouts: (await listed(scope)).map(({ reservedMicroUsd, createdAt, batchId }) => ({
                reservedMicroUsd,
                createdAt,
                batchId,
              })),
              feed: (
                await queries.ledger(scope, { type: null, from: null, to: null }, { page: 1, perPage: 100 })
              ).rows.map(({ type, amountUnits, createdAt }) => ({ type, amountUnits, createdAt })),
            })),
          ),
        };
      }
    });
  });
}
