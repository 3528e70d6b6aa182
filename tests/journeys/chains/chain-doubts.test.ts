/**
 * When a chain cannot be taken at its word: a transaction that fails on the other branch, a node
 * that is behind, two readers at once.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { type ChainWatcher, chainWatcher, type WatcherNeeds } from '../../../src/app/watching/watch-chain.ts';
import { watchList } from '../../../src/app/watching/watch-list.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import type { Deposit } from '../../../src/domain/deposits/deposit.ts';
import type { Rates } from '../../../src/domain/rates/rate.ts';
import { type ChainScanner, ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';
import { type FakeJourney, openFakeJourney, usdt } from '../../support/fake/fake-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

const ETHEREUM = chainNamed('ethereum');

describe.skipIf(!needs('postgres', postgresAvailable()))(
  'a chain that is not to be taken at its word',
  () => {
    let journey: FakeJourney;
    beforeAll(async () => {
      journey = await openFakeJourney();
    });
    afterEach(() => journey.chain().lag(0));
    afterAll(() => journey.close());

    const fake = () => {
      const chain = journey.it.service.chains.fakes?.get('ethereum');
      if (!chain) throw new Error('the fake chains are not there');
      return chain;
    };
    function watcherOver(scanner: ChainScanner, change: Partial<WatcherNeeds> = {}): ChainWatcher {
      const deps = { ...journey.it.service.dependencies, ...change };
      return chainWatcher(deps, {
        chain: ETHEREUM,
        scanner,
        watch: watchList(journey.it.service.dependencies, ETHEREUM, { arrivals: null, spending: null }),
        startHeight: null,
        hotWallet: null,
      });
    }
    /** Answers of `blocks` wait until `open` is called. */
    function gated(): { scanner: ChainScanner; read: Promise<void>; open(): void } {
      const read = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      const { scanner } = fake();
      return {
        read: read.promise,
        open: gate.resolve,
        scanner: {
          ...scanner,
          async blocks(range, watch) {
            const blocks = await scanner.blocks(range, watch);
            read.resolve();
            await gate.promise;
            return blocks;
          },
        },
      };
    }
    async function height(): Promise<number> {
      return (await fake().scanner.head()).tip.height;
    }
    async function depositsTo(address: string): Promise<readonly Deposit[]> {
      const all = await journey.it.service.dependencies.operatorQueries.deposits({
        statuses: ['confirming', 'arrived', 'credited', 'held', 'rejected', 'stray', 'dropped', 'reversed'],
        sandbox: null,
        limit: 10_000,
      });
      return all.filter((deposit) => deposit.address === address.toLowerCase());
    }
    const statusOf = async (invoice: Json) => (await journey.read(invoice.order_id)).status;

    test('a transaction that is mined again and fails there is not credited', async () => {
      const invoice = await journey.create();
      const txid = journey.pay(invoice, '25.25');
      journey.chain().mine(3);
      await journey.it.settle();
      expect(await statusOf(invoice)).toBe('confirming');
      journey.chain().reorg(3, { revert: [txid] });
      await journey.it.settle(3);
      await journey.mineToFinality();
      expect(await statusOf(invoice)).toBe('created');
      expect((await depositsTo(invoice.address_to)).map(({ status }) => status)).toEqual(['dropped']);
      await journey.booksAreRight();
    });

    test('a credited transaction that is mined again and fails there is taken back (U7)', async () => {
      const before = await journey.balance();
      const invoice = await journey.create();
      const txid = journey.pay(invoice, '25.25');
      await journey.mineToFinality();
      expect(await statusOf(invoice)).toBe('success');
      journey.chain().reorg(14, { revert: [txid] });
      await journey.it.settle(4);
      expect(await statusOf(invoice)).toBe('failed');
      expect((await journey.balance()).total_income).toBeCloseTo(before.total_income, 6);
      await journey.booksAreRight();
    });

    test('money without a transaction that a reorganisation removes is no stray afterwards', async () => {
      const invoice = await journey.create();
      journey.chain().appear({ to: invoice.address_to, asset: 'usdt_ethereum', units: usdt('7') });
      journey.chain().mine();
      await journey.it.settle();
      journey.chain().reorg(1);
      await journey.it.settle(3);
      await journey.mineToFinality();
      expect((await depositsTo(invoice.address_to)).map(({ status }) => status)).toEqual(['dropped']);
      await journey.booksAreRight();
    });

    test('a node that is behind takes nothing back and lets nothing expire', async () => {
      const [paid, confirming, open] = [
        await journey.create(),
        await journey.create({ ttl: 300 }),
        await journey.create({ ttl: 300 }),
      ];
      journey.pay(paid, '25.25');
      await journey.mineToFinality();
      expect(await statusOf(paid)).toBe('success');
      journey.pay(confirming, '25.25');
      journey.chain().mine();
      await journey.it.settle();
      journey.clock.advance(299);
      journey.pay(open, '25.25');
      journey.chain().mine();
      journey.clock.advance(600);
      journey.chain().lag(20);
      await journey.it.settle(4);
      expect(await Promise.all([paid, confirming, open].map(statusOf))).toEqual([
        'success',
        'confirming',
        'created',
      ]);
      journey.chain().lag(0);
      await journey.mineToFinality();
      expect(await Promise.all([paid, confirming, open].map(statusOf))).toEqual([
        'success',
        'success',
        'success',
      ]);
      expect(journey.statusesSent(confirming.order_id)).toEqual(['confirming', 'success']);
      await journey.booksAreRight();
    });

    test('blocks read before a reorganisation and recorded after it do not keep a payment from its credit', async () => {
      const [moved, vanished] = [await journey.create(), await journey.create()];
      const kept = journey.pay(moved, '25.25');
      journey.pay(vanished, '25.25');
      journey.chain().mine();
      const at = await height();
      const gate = gated();
      const rescanning = watcherOver(gate.scanner).rescan({ from: at, to: at });
      await gate.read;
      journey.chain().reorg(1, { keep: [kept] });
      await journey.it.settle();
      gate.open();
      await rescanning;
      await journey.mineToFinality();
      await journey.it.settle(2);
      expect(await statusOf(moved)).toBe('success');
      expect(await statusOf(vanished)).toBe('created');
      await journey.booksAreRight();
    });

    test('two readers that record one payment at the same moment record it once', async () => {
      const user = { user_id: 'two readers', family: 'evm' };
      const made = await journey.it.call(journey.merchant.live, 'POST', '/api/v2/permanent', user);
      const invoices = await Promise.all([journey.create(), journey.create()]);
      for (const { address_to: to } of [...invoices, { address_to: made.body.result.address }])
        journey.chain().pay({ to, asset: 'usdt_ethereum', units: usdt('25.25') });
      const total = async () =>
        (await journey.it.call(journey.merchant.live, 'GET', '/api/v2/invoices')).body.pagination.total;
      const before = await total();
      journey.chain().mine();
      const at = await height();
      const [first, second] = [gated(), gated()];
      const reading = Promise.all([
        watcherOver(first.scanner).poll(),
        watcherOver(second.scanner).rescan({ from: at, to: at }),
      ]);
      await Promise.all([first.read, second.read]);
      first.open();
      second.open();
      await reading;
      expect(await total()).toBe(before + 1);
      for (const invoice of invoices)
        expect(await journey.read(invoice.order_id)).toMatchObject({ received_amount: 25.25 });
      await journey.mineToFinality();
      expect(await Promise.all(invoices.map(statusOf))).toEqual(['success', 'success']);
      await journey.booksAreRight();
    });

    test('a block full of payments is recorded in several short transactions', async () => {
      const invoice = await journey.create();
      const dust = { to: invoice.address_to, asset: 'usdt_ethereum', units: 1n };
      journey.chain().payMany(Array.from({ length: 650 }, () => dust));
      journey.chain().mine();
      const { unitOfWork } = journey.it.service.dependencies;
      let most = 0;
      const counting: WatcherNeeds['unitOfWork'] = {
        run: (work) =>
          unitOfWork.run((repositories) => {
            let recorded = 0;
            const deposits = {
              ...repositories.deposits,
              insertAll: (given: readonly Deposit[]) => {
                recorded += given.length;
                most = Math.max(most, recorded);
                return repositories.deposits.insertAll(given);
              },
            };
            return work({ ...repositories, deposits });
          }),
      };
      const watcher = watcherOver(fake().scanner, { unitOfWork: counting });
      while ((await watcher.poll()).behind);
      expect(await depositsTo(invoice.address_to)).toHaveLength(650);
      expect(most).toBeLessThanOrEqual(250);
      await journey.booksAreRight();
    });

    test('before the first exchange rates are known a payment to a permanent address waits, and is no stray', async () => {
      const user = { user_id: 'early bird', family: 'evm' };
      const made = await journey.it.call(journey.merchant.live, 'POST', '/api/v2/permanent', user);
      const to = made.body.result.address;
      journey.chain().pay({ to, asset: 'usdt_ethereum', units: usdt('25.25') });
      journey.chain().mine();
      const empty: Rates = { usdPerAssetE18: new Map(), fiatPerUsdE18: new Map() };
      const none: WatcherNeeds['rateBook'] = {
        latest: () => ({ rates: empty, ageSeconds: null }),
        usable: () => null,
        crediting: () => empty,
      };
      const early = watcherOver(fake().scanner, { rateBook: none });
      await expect(early.poll()).rejects.toThrow(ChainUnavailable);
      expect(await depositsTo(to)).toEqual([]);
      await journey.mineToFinality();
      expect((await depositsTo(to)).map(({ status }) => status)).toEqual(['credited']);
    });
  },
);
