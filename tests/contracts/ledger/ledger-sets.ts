/**
 * The contract of LedgerRepository for many entries together: the result is the same as one by one.
 */
import { describe, expect, test } from 'bun:test';
import { income } from '../../../src/domain/ledger.ts';
import type { NewEntry } from '../../../src/ports/ledger-repository.ts';
import { anEntry, anId, secondsAfter } from '../../support/builders.ts';
import { seeded } from '../../support/runtime/seeded.ts';
import { type Opened, openedFor } from '../opened.ts';

export function describeLedgerBatches(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: ledger, many entries`, () => {
    const storage = openedFor(open);
    const post = (...entries: NewEntry[]) =>
      storage.run(async (r) => {
        for (const entry of entries) await r.ledger.post(entry);
      });
    const summary = (merchantId: string, sandbox: boolean) =>
      storage.run((r) => r.ledger.lockBalance(merchantId, sandbox));

    function anIncome(about: Pick<NewEntry, 'merchantId' | 'depositId' | 'referenceId'>): NewEntry {
      const [asset, creditedUnits, feeUnits] = ['usdt_ethereum', 10_000_000n, 100_000n];
      const value = { receivedMicroUsd: 10_100_000n, creditedMicroUsd: 10_000_000n };
      const { referenceId } = about;
      return anEntry({
        ...about,
        kind: 'income',
        postings: income({ asset, creditedUnits, feeUnits, ...value }),
        feed: {
          ...{ type: 'income', asset, amountUnits: creditedUnits, feeUnits, currency: 'USD' },
          ...{ microUsd: value.creditedMicroUsd, referenceId },
        },
      });
    }

    test('the balances of many merchants are those of each', async () => {
      const [one, other] = [await storage.merchant(), await storage.merchant()];
      await post(anIncome({ merchantId: one.id, depositId: null, referenceId: anId() }));
      const ids = [other.id, one.id, other.id];
      const found = await storage.run((r) => r.ledger.lockBalances(ids, false));
      expect(Object.fromEntries(found)).toEqual({
        [one.id]: await summary(one.id, false),
        [other.id]: await summary(other.id, false),
      });
      expect(found.get(one.id)?.incomeMicroUsd).toBe(10_000_000n);
      expect(await storage.run((r) => r.ledger.lockBalances([], true))).toEqual(new Map());
    });

    test('W3: many entries at once are what they would be one by one: feeds, times, balances, positions', async () => {
      const scopes = [await storage.merchant(), await storage.merchant()].flatMap(({ id: merchantId }) =>
        [false, true].map((sandbox) => ({ merchantId, sandbox })),
      );
      const twins = new Map<string, string>();
      for (const { merchantId } of scopes)
        twins.set(merchantId, twins.get(merchantId) ?? (await storage.merchant()).id);
      const references = Array.from({ length: 5 }, () => [anId(), anId()] as const);
      const random = seeded(3);
      /** One for a merchant, and the same for its twin. */
      const pairs = Array.from({ length: 60 }, (_, place) => {
        const [referenceId, twinReferenceId] = references[place % references.length] ?? [anId(), anId()];
        const scope = scopes[(place * 7) % scopes.length] ?? { merchantId: '', sandbox: false };
        const at = secondsAfter(random.int(5));
        const isIncome = random.int(3) > 0;
        const entryFor = (merchantId: string, reference: string): NewEntry => {
          const about = { merchantId, depositId: null, referenceId: reference };
          const entry = isIncome ? anIncome(about) : anEntry(about);
          return { ...entry, id: anId(), sandbox: scope.sandbox, at };
        };
        return [
          entryFor(scope.merchantId, referenceId),
          entryFor(twins.get(scope.merchantId) ?? '', twinReferenceId),
        ] as const;
      });
      for (let from = 0; from < pairs.length; from += 20) {
        const part = pairs.slice(from, from + 20);
        await storage.run((r) => r.ledger.postAll(part.map(([one]) => one)));
        await post(...part.map(([, twin]) => twin));
      }
      await storage.run((r) => r.ledger.postAll([]));
      for (const { merchantId, sandbox } of scopes)
        expect(await summary(merchantId, sandbox)).toEqual(
          await summary(twins.get(merchantId) ?? '', sandbox),
        );
      for (const [reference, twinReference] of references) {
        const [stored, expected] = await storage.run(async (r) => [
          await r.ledger.entriesOf(reference),
          await r.ledger.entriesOf(twinReference),
        ]);
        const withoutIds = (entries: readonly NewEntry[] = [], nameOf: (merchantId: string) => string) =>
          entries.map((entry) => ({
            ...entry,
            id: '',
            merchantId: nameOf(entry.merchantId ?? ''),
            referenceId: '',
            feed: entry.feed && { ...entry.feed, referenceId: '' },
          }));
        expect(withoutIds(stored, (id) => twins.get(id) ?? '')).toEqual(withoutIds(expected, (id) => id));
      }
    });

    test('W3: entries that take back others, or reserve a payout, are not posted with others', async () => {
      const { id: merchantId } = await storage.merchant();
      const credit = anIncome({ merchantId, depositId: null, referenceId: anId() });
      for (const kind of ['payout_released', 'payout_reserved'] as const)
        await expect(storage.run((r) => r.ledger.postAll([{ ...credit, kind }]))).rejects.toThrow();
    });

    test('W3: batches about the same merchants in opposite orders wait for each other, and never for ever', async () => {
      const merchants: string[] = [];
      for (let index = 0; index < 6; index += 1) merchants.push((await storage.merchant()).id);
      const entries = () =>
        merchants.map((merchantId) => anIncome({ merchantId, depositId: null, referenceId: anId() }));
      let attempts = 0;
      const batch = (given: readonly NewEntry[]) =>
        storage.run(async (r) => {
          attempts += 1;
          await r.ledger.postAll(given);
        });
      const batches = Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0 ? entries() : entries().toReversed(),
      );
      await Promise.all(batches.map(batch));
      expect(attempts).toBe(batches.length);
      for (const merchantId of merchants)
        expect((await summary(merchantId, false)).incomeMicroUsd).toBe(40n * 10_000_000n);
    });
  });
}
