/**
 * The contract of PayoutWriter: accepted payouts are stored completely, and a refusal has no
 * effect.
 */
import { describe, expect, test } from 'bun:test';
import { heldFor } from '../../../src/domain/payouts/held.ts';
import type { Payout } from '../../../src/domain/payouts/payout-record.ts';
import type { Scope } from '../../../src/ports/list-queries.ts';
import type { PayoutItem } from '../../../src/ports/payouts/payout-writer.ts';
import { aHash, anAddress, anId, aPayout, aWaiting, NOW, secondsAfter } from '../../support/builders.ts';
import {
  decided,
  type OpenedPayoutWriter,
  payoutBooks,
  refusedFor,
} from '../../support/payouts/payout-books.ts';
import {
  anUniqId,
  aRequest,
  entryOf,
  REFUSED_BEFORE,
  TWO_HOURS,
  toWrite,
} from '../../support/payouts/payout-requests.ts';
import { openedFor } from '../opened.ts';

export function describePayoutWriter(name: string, open: () => Promise<OpenedPayoutWriter>): void {
  describe(`${name}: payout intake`, () => {
    const storage = openedFor(open);
    const { add, booksAreRight, funded, givenOut, available, listed } = payoutBooks(storage);

    test('an X-Uniq-Id is forgotten after it expired, and not before', async () => {
      const scope = await funded(20_000_000n);
      const uniqId = anUniqId();
      // Long before all others, so that nothing else has expired by then.
      const at = secondsAfter(-1_000_000);
      const request = () => aRequest(scope, { uniqId, at, payouts: [aPayout({ ...scope, createdAt: at })] });
      const forget = (seconds: number) =>
        storage.run((r) => r.payouts.purgeUniqIds(secondsAfter(TWO_HOURS + seconds, at), 100));
      expect(await add(request())).toEqual(decided('accepted'));
      expect(await forget(0)).toBe(0);
      expect((await add(request())).kind).not.toBe('decided');
      expect(await forget(1)).toBe(1);
      expect(await add(request())).toEqual(decided('accepted'));
      expect(await forget(1)).toBe(1);
    });

    test('what is accepted is stored as the repositories would have written it', async () => {
      const [scope, other] = [await funded(20_000_000n), await funded(20_000_000n)];
      const batchId = anId();
      const given: Partial<Payout>[] = [
        { batchId, ref: 'invoice "7" \\ {x}', energyFeeMicroUsd: 5n, feeBearer: 'client' },
        { batchId, amountUnits: 2n ** 256n - 1n, sentUnits: 1n, createdAt: secondsAfter(-5) },
        { batchId, held: heldFor('limit', 'over the daily limit'), waiting: aWaiting() },
      ];
      const payouts = given.map((each) => aPayout({ ...scope, ...each }));
      const outcome = await add(aRequest(scope, { creates: { batch_id: batchId }, payouts }));
      expect(outcome).toEqual(decided('accepted', 'accepted', 'accepted'));
      for (const payout of payouts) {
        await storage.run(async (r) => {
          const twin = { ...payout, ...other, id: anId() };
          const entry = entryOf(twin);
          await r.payouts.insert(twin);
          await r.ledger.post(entry);
          const [written, expected] = [await r.payouts.lock(payout.id), await r.payouts.lock(twin.id)];
          expect({ ...written, ...other, id: twin.id }).toEqual(expected as NonNullable<typeof expected>);
          const [entries, wanted] = [await r.ledger.entriesOf(payout.id), await r.ledger.entriesOf(twin.id)];
          const about = { ...other, id: entry.id, referenceId: twin.id };
          expect(
            entries.map((each) => ({ ...each, ...about, feed: { ...each.feed, referenceId: twin.id } })),
          ).toEqual(wanted as never);
        });
      }
      const { queries } = storage.ports();
      expect(await queries.balance(scope)).toEqual(await queries.balance(other));
      expect(await available(scope)).toBe(20_000_000n - 3n * 5_100_000n);
      // The second was requested earlier; the list's times do not decrease for it.
      expect((await listed(scope)).map(({ id, createdAt }) => ({ id, createdAt }))).toEqual(
        payouts.map(({ id }) => ({ id, createdAt: NOW })),
      );
      await booksAreRight();
    });

    test('50 at once against a balance for 10 are exactly 10, over two instances', async () => {
      const scope = await funded(10n);
      const payouts = Array.from({ length: 50 }, () => aPayout({ ...scope, reservedMicroUsd: 1n }));
      const outcomes = await Promise.all(
        payouts.map((payout, index) => add(aRequest(scope, { payouts: [payout] }), index % 2 === 0 ? 0 : 1)),
      );
      const accepted = payouts.filter((_, index) => Bun.deepEquals(outcomes[index], decided('accepted')));
      expect(accepted).toHaveLength(10);
      expect(outcomes.filter((outcome) => Bun.deepEquals(outcome, refusedFor(0n)))).toHaveLength(40);
      expect(await available(scope)).toBe(0n);
      expect(new Set((await listed(scope)).map(({ id }) => id))).toEqual(
        new Set(accepted.map(({ id }) => id)),
      );
      await booksAreRight();
    });

    test('of 30 at once with one X-Uniq-Id one is accepted, and the others learn which, over two instances', async () => {
      const scope = await funded(1_000n);
      const uniqId = anUniqId();
      const payouts = Array.from({ length: 30 }, () => aPayout({ ...scope, reservedMicroUsd: 1n }));
      const outcomes = await Promise.all(
        payouts.map((payout, index) =>
          add(aRequest(scope, { uniqId, payouts: [payout] }), index % 2 === 0 ? 0 : 1),
        ),
      );
      const [stored, ...more] = await listed(scope);
      expect(more).toEqual([]);
      const winner = payouts.findIndex(({ id }) => id === stored?.id);
      expect(outcomes[winner]).toEqual(decided('accepted'));
      expect(outcomes.toSpliced(winner, 1)).toEqual(
        Array.from({ length: 29 }, () => ({ kind: 'duplicate', created: { order_id: stored?.id ?? '' } })),
      );
      expect(await available(scope)).toBe(999n);
      await booksAreRight();
    });

    test('an X-Uniq-Id is free again after two hours, and counts per merchant and environment', async () => {
      const [scope, other] = [await funded(1_000n), await funded(1_000n)];
      const uniqId = anUniqId();
      const tried = (at: Date, of: Scope = scope) =>
        add(aRequest(of, { uniqId, at, payouts: [aPayout({ ...of, reservedMicroUsd: 1n })] }));
      expect(await tried(NOW)).toEqual(decided('accepted'));
      const [first] = await listed(scope);
      const duplicate = { kind: 'duplicate', created: { order_id: first?.id ?? '' } } as const;
      expect(await tried(secondsAfter(TWO_HOURS - 1))).toEqual(duplicate);
      expect(await tried(NOW, other)).toEqual(decided('accepted'));
      const live = { ...scope, sandbox: false };
      expect(await tried(NOW, live)).toEqual(refusedFor(0n));
      const creates = { batch_id: anId() };
      await add(aRequest(live, { uniqId, creates, items: [REFUSED_BEFORE] }));
      expect(await tried(secondsAfter(1))).toEqual(duplicate);
      expect(await tried(secondsAfter(1), live)).toEqual({ kind: 'duplicate', created: creates });
      expect(await tried(secondsAfter(TWO_HOURS))).toEqual(decided('accepted'));
      const [, second] = await listed(scope);
      expect(await tried(secondsAfter(TWO_HOURS + 1))).toEqual({
        kind: 'duplicate',
        created: { order_id: second?.id ?? '' },
      });
      await booksAreRight();
    });

    test('a refused payout leaves no trace and its X-Uniq-Id free; a batch uses it up even if all its items are refused', async () => {
      const scope = await funded(10n);
      const [uniqId, batchUniqId] = [anUniqId(), anUniqId()];
      const dear = () => aPayout({ ...scope, reservedMicroUsd: 11n });
      expect(await add(aRequest(scope, { uniqId, payouts: [dear()] }))).toEqual(refusedFor(10n));
      expect(await add(aRequest(scope, { uniqId, items: [REFUSED_BEFORE] }))).toEqual(decided('refused'));
      expect(await listed(scope)).toEqual([]);
      expect(await available(scope)).toBe(10n);
      const creates = { batch_id: anId() };
      const batch = { uniqId: batchUniqId, creates, payouts: [dear(), dear()] };
      expect(await add(aRequest(scope, batch))).toEqual({
        kind: 'decided',
        usesUniqId: true,
        items: Array.from({ length: 2 }, () => ({ kind: 'insufficient', availableMicroUsd: 10n })),
      });
      expect(await add(aRequest(scope, { ...batch, creates: { batch_id: anId() } }))).toEqual({
        kind: 'duplicate',
        created: creates,
      });
      const cheap = aPayout({ ...scope, reservedMicroUsd: 10n });
      expect(await add(aRequest(scope, { uniqId, payouts: [cheap] }))).toEqual(decided('accepted'));
      await booksAreRight();
    });

    test('an address that was given out, to whomever, is refused in its own family only', async () => {
      const scope = { ...(await funded(0n)), sandbox: false };
      const { address } = await givenOut();
      const to = (family: string): PayoutItem => ({
        destination: { family, address },
        toWrite: toWrite(aPayout({ ...scope, reservedMicroUsd: 1n })),
      });
      expect(await add(aRequest(scope, { items: [to('evm')] }))).toEqual({
        kind: 'decided',
        usesUniqId: false,
        items: [{ kind: 'own_address' }],
      });
      const outcome = await add(
        aRequest(scope, { creates: { batch_id: anId() }, items: [to('tron'), to('evm'), REFUSED_BEFORE] }),
      );
      expect(outcome.kind === 'decided' && outcome.items.map(({ kind }) => kind)).toEqual([
        'insufficient',
        'own_address',
        'refused',
      ]);
      await booksAreRight();
    });

    test('where our own change went is refused to live payouts, and told to no sandbox', async () => {
      const scope = await funded(10n);
      const coin = { ...{ txid: aHash(), vout: 0, address: anAddress() }, units: 5n };
      await storage.run((r) => r.utxos.insert('bitcoin', [{ ...coin, key: { role: 'change', index: 3 } }]));
      const destination = { family: 'bitcoin', address: coin.address };
      const asked = (of: Scope) =>
        add(
          aRequest(of, {
            items: [{ destination, toWrite: toWrite(aPayout({ ...of, reservedMicroUsd: 1n })) }],
          }),
        );
      expect(await asked({ ...scope, sandbox: false })).toEqual(decided('own_address'));
      expect(await asked(scope)).toEqual(decided('accepted'));
    });

    test('W5: a sandbox payout is refused at the merchant’s own sandbox addresses only, beside live ones in its group', async () => {
      const [scope, other] = [await funded(1_000n), await funded(1_000n)];
      const live = { ...other, sandbox: false };
      const own = await givenOut(scope);
      const addresses = [own, await givenOut({ ...scope, sandbox: false }), await givenOut()];
      const asked = (of: Scope) =>
        add(
          aRequest(of, {
            creates: { batch_id: anId() },
            items: addresses.map((destination) => ({
              destination,
              toWrite: toWrite(aPayout({ ...of, reservedMicroUsd: 1n })),
            })),
          }),
        );
      const answers = await Promise.all([asked(scope), asked(live), asked(other)]);
      const kinds = answers.map((each) =>
        each.kind === 'decided' ? each.items.map(({ kind }) => kind) : each.kind,
      );
      expect(kinds).toEqual([
        ['own_address', 'accepted', 'accepted'],
        ['own_address', 'own_address', 'own_address'],
        ['accepted', 'accepted', 'accepted'],
      ]);
      await booksAreRight();
    });
  });
}
