/**
 * A chain is read whatever its mempool's source does, and what waits costs little, however much of
 * it there is.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type ChainScanner,
  ChainUnavailable,
  type Transfer,
} from '../../../src/ports/chains/chain-scanner.ts';
import { aDeposit, anId, anInvoice, anIssuedAddress, NOW, secondsAfter } from '../../support/builders.ts';
import { aTxid } from '../../support/chains/utxo-builders.ts';
import { blockAt, emptyBlocks, openWatched } from '../../support/chains/watched-chain.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('a UTXO chain', () => {
  let it: TestService;
  beforeAll(async () => {
    it = await startTestService({ env: { CHAINS: 'fake' } });
  });
  afterAll(() => it.stop());

  const opened = (changes: Partial<ChainScanner>) => openWatched(it, changes);

  test('is read block by block also while its source does not tell what waits (a rate limit, a provider without mempool)', async () => {
    const on = await opened({
      pending: async () => {
        throw new ChainUnavailable('node 1: HTTP 429');
      },
    });
    for (const tip of [10, 11, 12]) {
      on.mine(tip);
      await on.watcher.poll().catch(() => undefined);
    }
    expect(await on.cursor()).toMatchObject({ height: 12 });
    // A payment of this moment may wait there unseen: invoices do not expire before its block could
    // have told.
    expect((await on.cursor()).coveredUntil).toEqual(new Date(NOW.getTime() + 12_000));
  });

  test('R1: is read on while what was read is stored, and what failed then is asked for again', async () => {
    const asked: number[] = [];
    let fails = false;
    const on = await opened({
      blocks: async ({ from, to }) => {
        asked.push(from);
        if (fails) throw new ChainUnavailable('node 1: its limit leaves no room at present');
        return emptyBlocks(from, to);
      },
    });
    on.mine(60);
    expect(await on.watcher.poll()).toEqual({ behind: true });
    expect([asked, (await on.cursor()).height]).toEqual([[5, 21], 20]);
    fails = true;
    await on.watcher.poll();
    expect([asked, (await on.cursor()).height]).toEqual([[5, 21, 37], 36]);
    await expect(on.watcher.poll()).rejects.toBeInstanceOf(ChainUnavailable);
    fails = false;
    await on.watcher.poll();
    expect([asked, (await on.cursor()).height]).toEqual([[5, 21, 37, 37], 52]);
    expect(await on.watcher.poll()).toEqual({ behind: false });
    expect([asked.length, (await on.cursor()).height]).toEqual([5, 60]);
  });

  test('R1: is read to its tip also while it moves on with every look', async () => {
    const on = await opened({});
    const polls: boolean[] = [];
    for (let tip = 100; tip < 130; tip += 3) {
      on.mine(tip);
      polls.push((await on.watcher.poll()).behind);
    }
    expect(polls.indexOf(false)).toBeGreaterThan(0);
    expect(polls.slice(polls.indexOf(false))).not.toContain(true);
  });

  test('R1: goes on behind what a source could give of a range', async () => {
    const on = await opened({ blocks: async ({ from }) => emptyBlocks(from, from) });
    for (let height = 5; height < 10; height++) {
      expect(await on.watcher.poll()).toEqual({ behind: true });
      expect(await on.cursor()).toMatchObject({ height });
    }
    expect(await on.watcher.poll()).toEqual({ behind: false });
    const heard: number[] = [];
    await on.watcher.rescan({ from: 5, to: 8 }, (height) => heard.push(height));
    expect(heard).toEqual([5, 6, 7, 8]);
  });

  test('freezes addresses of ours whose owner changed in blocks that are read again, too', async () => {
    const address = `T${anId()}`;
    let missed = true;
    const on = await opened({
      blocks: async ({ from, to }) =>
        emptyBlocks(from, to).map((block) => ({
          ...block,
          ...(missed || block.height !== 7 ? {} : { frozen: [address] }),
        })),
    });
    const frozen = () => on.deps.unitOfWork.run((r) => r.frozen.isFrozen({ chains: [on.chain], address }));
    await on.watcher.poll();
    expect(await frozen()).toBe(false);
    missed = false;
    await on.watcher.rescan({ from: 5, to: 9 });
    expect(await frozen()).toBe(true);
  });

  test('is asked for what came late to blocks that were read, in the same poll, and what it pays is recorded there', async () => {
    const to = `bc1q${anId()}`;
    const late: Transfer = {
      ...{ txid: aTxid(), output: 'vout:0', asset: 'btc_bitcoin', to, from: null },
      ...{ units: 90_000n, kind: 'payment' },
    };
    const asked: number[] = [];
    const on = await opened({
      confirmWithNodes: async () => ({ kind: 'not_final' }),
      late: async (upTo, _watch, take) => {
        asked.push(upTo);
        await take([{ ...blockAt(7), transfers: [late] }]);
      },
    });
    const { id: merchantId } = await it.merchant({});
    const invoice = anInvoice({ merchantId });
    await on.deps.unitOfWork.run(async (r) => {
      await r.invoices.insert(invoice);
      await r.addresses.insert(
        anIssuedAddress({ merchantId, family: 'bitcoin', address: to, invoiceId: invoice.id }),
      );
    });
    await on.watcher.poll();
    await on.watcher.poll();
    expect(asked).toEqual([10, 10]);
    const found = await on.deps.unitOfWork.run((r) => r.deposits.unfinal(on.chain, 7));
    expect(found).toMatchObject([{ txid: late.txid, units: 90_000n, block: { height: 7, hash: 'a7' } }]);
  });

  test('is asked once for a transaction that waits, however many outputs of dust it pays us', async () => {
    const lookups: string[] = [];
    const on = await opened({
      lookup: async (txid) => {
        lookups.push(txid);
        return { state: 'pending' };
      },
    });
    const { id: merchantId } = await it.merchant({});
    const txid = aTxid();
    await on.deps.unitOfWork.run(async (r) => {
      for (let vout = 0; vout < 200; vout += 1)
        await r.deposits.insertAll([
          aDeposit({
            ...{ merchantId, chain: on.chain, asset: 'btc_bitcoin', units: 300n, txid },
            ...{ output: `vout:${vout}`, block: null },
          }),
        ]);
    });
    await on.watcher.poll();
    expect(lookups.length).toBeLessThanOrEqual(2);
  });

  test('is not asked at all for a transaction that it has just told to be waiting', async () => {
    const lookups: string[] = [];
    const [txid, gone] = [aTxid(), aTxid()];
    const waiting: Transfer = {
      ...{ txid, output: 'vout:0', asset: 'btc_bitcoin', to: `bc1q${anId()}`, from: null },
      ...{ units: 300n, kind: 'payment' },
    };
    const on = await opened({
      pending: async () => [waiting],
      lookup: async (asked) => {
        lookups.push(asked);
        return { state: 'unknown' };
      },
    });
    const { id: merchantId } = await it.merchant({});
    const deposits = [txid, gone].map((each) =>
      aDeposit({
        ...{ merchantId, chain: on.chain, asset: 'btc_bitcoin', units: 300n, txid: each },
        ...{ output: 'vout:0', block: null },
      }),
    );
    await on.deps.unitOfWork.run(async (r) => {
      for (const deposit of deposits) await r.deposits.insertAll([deposit]);
    });
    await on.watcher.poll();
    expect(lookups).toEqual([gone]);
    const left = await on.deps.unitOfWork.run((r) => r.deposits.withoutBlock(on.chain));
    expect(left.map((deposit) => deposit.txid)).toEqual([txid]);
  });

  test('has another block in the place of a deposit only when all nodes say so', async () => {
    const recorded = { height: 7, hash: 'the block that was read' };
    const agreed = new Set<string>();
    const on = await opened({
      confirmWithNodes: async ({ hash }) =>
        agreed.has(hash) ? { kind: 'agreed', disputed: [] } : { kind: 'disputed' },
    });
    const { id: merchantId } = await it.merchant({});
    const deposit = aDeposit({
      ...{ merchantId, chain: on.chain, asset: 'btc_bitcoin', units: 300n, txid: aTxid() },
      ...{ output: 'vout:0', block: recorded },
    });
    await on.deps.unitOfWork.run((r) => r.deposits.insertAll([deposit]));
    const orphans = async () =>
      (await on.deps.unitOfWork.run((r) => r.deposits.withoutBlock(on.chain))).length;
    await on.watcher.poll();
    expect(await orphans()).toBe(0);
    agreed.add('a7');
    await on.watcher.poll();
    expect(await orphans()).toBe(1);
  });

  test.each([
    ['once they are recorded', 3_600, 300],
    ['nor where they come too late to be recorded before their block', -3_600, 0],
  ])(
    'costs nothing in a poll for a transaction of many outputs that goes on waiting, %s',
    async (_, ttl, count) => {
      const { id: merchantId } = await it.merchant({});
      const [txid, to] = [aTxid(), `bc1q${anId()}`];
      const transfers = Array.from(
        { length: 300 },
        (_, vout): Transfer => ({
          ...{ txid, output: `vout:${vout}`, asset: 'btc_bitcoin', to, from: null },
          ...{ units: 300n, kind: 'payment' },
        }),
      );
      let reads = 0;
      const on = await opened({ pending: async () => transfers });
      const counted: typeof on.deps.unitOfWork = {
        run: (work) =>
          on.deps.unitOfWork.run((repositories) =>
            work({
              ...repositories,
              deposits: new Proxy(repositories.deposits, {
                get: (target, name) => {
                  reads += 1;
                  return Reflect.get(target, name);
                },
              }),
            }),
          ),
      };
      const invoice = anInvoice({ merchantId, expiresAt: secondsAfter(ttl, on.deps.clock.now()) });
      await on.deps.unitOfWork.run(async (r) => {
        await r.invoices.insert(invoice);
        await r.addresses.insert(
          anIssuedAddress({
            ...{ family: 'bitcoin', deriver: 'bitcoin', merchantId, invoiceId: invoice.id, address: to },
          }),
        );
      });
      const watcher = on.again({ ...on.deps, unitOfWork: counted });
      for (let poll = 0; poll < 2; poll += 1) await watcher.poll();
      const recorded = await on.deps.unitOfWork.run((r) => r.deposits.withoutBlock(on.chain));
      expect(recorded).toHaveLength(count);
      reads = 0;
      await watcher.poll();
      expect(reads).toBeLessThan(50);
    },
  );
});
