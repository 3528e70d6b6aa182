/**
 * Blocks that hold nothing may be left out: what is recorded, orphaned and credited is the same as
 * when all are read.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type FakeChain, fakeChain } from '../../../src/adapters/chains/fake/fake-chain.ts';
import { fakeDeriver } from '../../../src/adapters/chains/fake/fake-deriver.ts';
import { chainWatcher } from '../../../src/app/watching/watch-chain.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import type { ChainScanner } from '../../../src/ports/chains/chain-scanner.ts';
import { anId, anInvoice, anIssuedAddress, secondsAfter } from '../../support/builders.ts';
import { watching } from '../../support/chains/watch-list.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

const CONFIRMATIONS = 4;
const deriver = fakeDeriver({ family: 'evm' });
const ours = deriver.derive({ from: 0, count: 3 }).map((address) => deriver.normalize(address)!);

describe.skipIf(!needs('postgres', postgresAvailable()))('a chain whose empty blocks are left out', () => {
  let it: TestService;
  beforeAll(async () => {
    it = await startTestService({ env: { CHAINS: 'fake' } });
    const { id: merchantId } = await it.merchant({});
    // Long over: what arrives is a stray, whatever arrived before it.
    await it.service.dependencies.unitOfWork.run(async (r) => {
      for (const [derivationIndex, address] of ours.entries()) {
        const invoice = anInvoice({ merchantId, expiresAt: secondsAfter(1) });
        await r.invoices.insert(invoice);
        await r.addresses.insert(
          anIssuedAddress({ merchantId, address, derivationIndex, invoiceId: invoice.id }),
        );
      }
    });
  });
  afterAll(() => it.stop());

  const opened = (): FakeChain =>
    fakeChain({
      ...{ chain: 'ethereum', family: 'evm', confirmations: CONFIRMATIONS, sparse: true },
      assets: [{ asset: 'eth_ethereum', decimals: 18 }],
      clock: it.service.dependencies.clock,
    });

  /** A reader of its own of that chain: it polls, and tells what it recorded. */
  async function reader(scanner: ChainScanner) {
    const { dependencies: deps } = it.service;
    const chain = { ...chainNamed('ethereum'), name: `chain-${anId()}` };
    const watcher = chainWatcher(deps, {
      ...{ chain, scanner, watch: watching(ours), startHeight: 0, hotWallet: null },
    });
    await watcher.begin();
    return {
      poll: () => watcher.poll(),
      rescan: (from: number, to: number) => watcher.rescan({ from, to }),
      cursor: async () => (await deps.unitOfWork.run((r) => r.chains.cursor(chain.name)))!,
      remembered: async () =>
        (await deps.unitOfWork.run((r) => r.chains.rememberedBlocks(chain.name, 99))).map(
          ({ height }) => height,
        ),
      async recorded() {
        const all = await deps.operatorQueries.deposits({
          statuses: ['confirming', 'arrived', 'credited', 'held', 'rejected', 'stray', 'dropped', 'reversed'],
          ...{ sandbox: null, limit: 100_000 },
        });
        return all
          .filter((deposit) => deposit.chain === chain.name)
          .map(({ txid, output, units, status, block }) => ({ txid, output, units, status, block }))
          .toSorted((a, b) => (a.txid + a.output < b.txid + b.output ? -1 : 1));
      },
    };
  }
  const readingAll = (scanner: ChainScanner): ChainScanner => ({
    ...scanner,
    blocks: ({ from, to }, watch) => scanner.blocks({ from, to }, watch),
  });
  const pay = (chain: FakeChain, to: string) => chain.control.pay({ to, asset: 'eth_ethereum', units: 5n });

  test('remembers what it was told of, and nothing between', async () => {
    const chain = opened();
    const read = await reader(chain.scanner);
    chain.control.mine(9);
    pay(chain, ours[0]!);
    chain.control.mine(3);
    await read.poll();
    expect(await read.remembered()).toEqual([12, 10, 0]);
    expect(await read.recorded()).toMatchObject([{ block: { height: 10 }, status: 'confirming' }]);
  });

  test('U7: goes back over the blocks that it was told of, and reads again what lies above them', async () => {
    const chain = opened();
    const read = await reader(chain.scanner);
    for (const blocks of [5, 5]) {
      chain.control.mine(blocks);
      await read.poll();
    }
    pay(chain, ours[0]!);
    chain.control.mine(3);
    await read.poll();
    // The fork lies among blocks that were left out.
    chain.control.reorg(6);
    pay(chain, ours[1]!);
    chain.control.mine(1);
    await read.poll();
    expect(await read.remembered()).toEqual([5, 0]);
    await read.poll();
    const recorded = await read.recorded();
    expect(new Map(recorded.map(({ status, block }) => [status, block?.height]))).toEqual(
      new Map([
        ['confirming', 14],
        ['dropped', undefined],
      ]),
    );
    expect(await read.cursor()).toMatchObject({ height: 14 });
  });

  test('U7: sees that a chain which became shorter is another one, though no block of that height was read', async () => {
    const chain = opened();
    const read = await reader(chain.scanner);
    for (const blocks of [5, 5]) {
      chain.control.mine(blocks);
      await read.poll();
    }
    chain.control.lag(2);
    expect(await read.poll()).toEqual({ behind: false });
    chain.control.lag(0);
    chain.control.reorg(7);
    chain.control.lag(2);
    expect(await read.poll()).toEqual({ behind: true });
    expect(await read.remembered()).toEqual([0]);
  });

  test('what a rescan finds in a block that was left out is orphaned and found again like any other', async () => {
    const chain = opened();
    let shows = false;
    const forgetful: ChainScanner = {
      ...chain.scanner,
      blocks: async (range, watch) =>
        chain.scanner.blocks(range, shows || !range.after ? watch : watching([])),
    };
    const read = await reader(forgetful);
    const { txid } = pay(chain, ours[0]!);
    chain.control.mine(3);
    await read.poll();
    expect(await read.recorded()).toEqual([]);
    await read.rescan(1, 3);
    expect(await read.recorded()).toMatchObject([{ txid, status: 'confirming', block: { height: 1 } }]);
    chain.control.reorg(1);
    await read.poll();
    expect(await read.recorded()).toMatchObject([{ txid, status: 'confirming', block: null }]);
    for (const again of [false, true]) {
      shows = again;
      await read.poll();
      expect(await read.recorded()).toMatchObject([{ txid, status: 'confirming', block: { height: 1 } }]);
    }
  });

  test('A3: a final payment keeps the units that all nodes showed, whatever one tells of its block late', async () => {
    const chain = opened();
    let lies = false;
    const read = await reader({
      ...chain.scanner,
      async late(_, watch, take) {
        if (!lies) return;
        const [block] = await chain.scanner.blocks({ from: 1, to: 1 }, watch);
        await take([{ ...block!, transfers: block!.transfers.map((told) => ({ ...told, units: 6n })) }]);
      },
    });
    pay(chain, ours[0]!);
    chain.control.mine(CONFIRMATIONS);
    await read.poll();
    const final = await read.recorded();
    expect(final).toMatchObject([{ units: 5n, status: 'stray', block: { height: 1 } }]);
    lies = true;
    await read.poll();
    expect(await read.recorded()).toEqual(final);
  });

  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ pay: fc.nat(2) }) },
    { weight: 3, arbitrary: fc.record({ mine: fc.integer({ min: 1, max: 5 }) }) },
    { weight: 2, arbitrary: fc.record({ reorg: fc.integer({ min: 1, max: 8 }), fate: fc.nat(2) }) },
    { weight: 1, arbitrary: fc.record({ appear: fc.nat(2) }) },
    { weight: 5, arbitrary: fc.record({ poll: fc.nat(1) }) },
  );

  test('credits what it credits when all blocks are read, whatever is reorganised when', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24 }), async (history) => {
        const chain = opened();
        const { control } = chain;
        const readers = [await reader(chain.scanner), await reader(readingAll(chain.scanner))];
        const paid: string[] = [];
        const height = async () => (await chain.scanner.head()).tip.height;
        for (const each of history) {
          if ('pay' in each) paid.push(pay(chain, ours[each.pay]!).txid);
          else if ('mine' in each) control.mine(each.mine);
          else if ('appear' in each)
            control.appear({ to: ours[each.appear]!, asset: 'eth_ethereum', units: 7n });
          else if ('poll' in each) await readers[each.poll]!.poll();
          else if (each.reorg <= (await height()))
            control.reorg(each.reorg, [{}, { keep: paid }, { requeue: paid }][each.fate]);
        }
        control.mine(CONFIRMATIONS + 1);
        for (const one of readers) {
          for (let polls = 0; polls < 4; polls++) await one.poll();
          expect(await one.cursor()).toMatchObject({ height: await height() });
        }
        const [some, all] = await Promise.all(readers.map(async (one) => one.recorded()));
        // One of them may have seen a payment that was gone before the other looked.
        const there = (deposits: typeof some) => deposits!.filter(({ block }) => block !== null);
        expect(there(some)).toEqual(there(all));
        expect(there(all).every(({ status }) => status === 'stray')).toBe(true);
      }),
      { numRuns: 20 },
    );
  }, 120_000);
});
