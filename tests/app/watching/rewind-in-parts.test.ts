/** A reorganisation of blocks with very many payments: they lose their block in parts. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chainWatcher } from '../../../src/app/watching/watch-chain.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import type { ChainScanner, Transfer } from '../../../src/ports/chains/chain-scanner.ts';
import type { UnitOfWork } from '../../../src/ports/repositories.ts';
import { aDeposit, anId, NOW } from '../../support/builders.ts';
import { aTxid } from '../../support/chains/utxo-builders.ts';
import { watchingNobody } from '../../support/chains/watch-list.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

/** More than two parts. */
const COUNT = 2_010;
const FORK = 7;

describe.skipIf(!needs('postgres', postgresAvailable()))('a rewind over thousands of payments', () => {
  let it: TestService;
  beforeAll(async () => {
    it = await startTestService({ env: { CHAINS: 'fake' } });
  });
  afterAll(() => it.stop());

  async function opened() {
    const chain = { ...chainNamed('bitcoin'), name: `chain-${anId()}` };
    const on = { branch: 'a', tip: 10, parts: 0, dies: false };
    const name = (height: number) => `${height > FORK ? on.branch : 'a'}${height}`;
    const block = (height: number) => ({
      ...{ height, hash: name(height), parentHash: name(height - 1) },
      time: NOW.getTime() / 1000 + height,
    });
    const { id: merchantId } = await it.merchant({});
    const [txid, to] = [aTxid(), `bc1q${anId()}`];
    const transfers = Array.from(
      { length: COUNT },
      (_, vout): Transfer => ({
        ...{ txid, output: `vout:${vout}`, asset: 'btc_bitcoin', to, from: null, units: 300n },
        kind: 'payment',
      }),
    );
    const scanner: ChainScanner = {
      ...{ chain: chain.name, maxRange: 16 },
      head: async () => ({ tip: block(on.tip), finalizedHeight: 5 }),
      blockAt: async (height) => (height > on.tip ? null : block(height)),
      blocks: async ({ from, to: last }) =>
        Array.from({ length: last - from + 1 }, (_, n) => ({
          ...block(from + n),
          transfers: from + n === 9 ? transfers : [],
        })),
      pending: async () => [],
      lookup: async () => ({ state: 'mined', height: 9, blockHash: name(9) }),
      confirmWithNodes: async () => ({ kind: 'not_final' }),
      unscannedAssets: async () => [],
      close: async () => undefined,
    };
    const { dependencies: deps } = it.service;
    const unitOfWork: UnitOfWork = {
      run: (work, limits) =>
        deps.unitOfWork.run((repositories) => {
          const orphanAbove: typeof repositories.deposits.orphanAbove = async (...above) => {
            if (on.dies && on.parts === 1) throw new Error('killed');
            on.parts += 1;
            return repositories.deposits.orphanAbove(...above);
          };
          return work({ ...repositories, deposits: { ...repositories.deposits, orphanAbove } });
        }, limits),
    };
    const watcher = chainWatcher(
      { ...deps, unitOfWork },
      { chain, scanner, watch: watchingNobody, startHeight: 5, hotWallet: null },
    );
    await watcher.begin();
    await watcher.poll();
    const deposits = transfers.map(({ output }) =>
      aDeposit({
        ...{ merchantId, chain: chain.name, asset: 'btc_bitcoin', units: 300n, txid, output, address: to },
        block: { height: 9, hash: 'a9' },
      }),
    );
    await deps.unitOfWork.run((r) => r.deposits.insertAll(deposits));
    return {
      ...{ on, watcher },
      cursor: () => deps.unitOfWork.run((r) => r.chains.cursor(chain.name)),
      orphans: async () => (await deps.unitOfWork.run((r) => r.deposits.withoutBlock(chain.name))).length,
      in: async (hash: string) =>
        (await deps.unitOfWork.run((r) => r.deposits.unfinal(chain.name, 9))).filter(
          (deposit) => deposit.block?.hash === hash && deposit.status === 'confirming',
        ).length,
    };
  }

  test('is done in parts, with the cursor moved by the last one', async () => {
    const world = await opened();
    Object.assign(world.on, { branch: 'b', tip: 11 });
    expect(await world.watcher.poll()).toEqual({ behind: true });
    expect([world.on.parts, await world.orphans()]).toEqual([3, COUNT]);
    expect(await world.cursor()).toMatchObject({ height: FORK, hash: 'a7' });
    expect(await world.watcher.poll()).toEqual({ behind: false });
    expect([await world.orphans(), await world.in('b9')]).toEqual([0, COUNT]);
  });

  test.each(['b', 'a'])(
    'loses no payment to a kill between two parts, if branch %p is on the chain in the end',
    async (branch) => {
      const world = await opened();
      Object.assign(world.on, { branch: 'b', tip: 11, dies: true });
      await expect(world.watcher.poll()).rejects.toThrow('killed');
      expect(await world.cursor()).toMatchObject({ height: 10, hash: 'a10' });
      expect([await world.orphans(), await world.in('a9')]).toEqual([1_000, COUNT - 1_000]);
      Object.assign(world.on, { branch, dies: false });
      for (let polls = 0; (await world.watcher.poll()).behind && polls < 5; ) polls += 1;
      expect([await world.orphans(), await world.in(`${branch}9`)]).toEqual([0, COUNT]);
    },
  );
});
