/** An unknown transaction of the wallet, in a block that is replaced while it is noted. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chainWatcher } from '../../../src/app/watching/watch-chain.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import type { ChainScanner, ScannedBlock } from '../../../src/ports/chains/chain-scanner.ts';
import { type Repositories, StorageUnavailable, type UnitOfWork } from '../../../src/ports/repositories.ts';
import { anId, NOW } from '../../support/builders.ts';
import { aTxid } from '../../support/chains/utxo-builders.ts';
import { spendingFrom, watchingNobody } from '../../support/chains/watch-list.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

const WALLET = 'wallet';
const CHANGE = 'change';

describe.skipIf(!needs('postgres', postgresAvailable()))('K4: an unknown transaction of the wallet', () => {
  let it: TestService;
  beforeAll(async () => {
    it = await startTestService({ env: { CHAINS: 'fake' } });
  });
  afterAll(() => it.stop());

  async function opened() {
    const chain = { ...chainNamed('bitcoin'), name: `chain-${anId()}` };
    const { dependencies: deps } = it.service;
    const unknown = { txid: aTxid(), nonce: null, feeUnits: 705n, harmless: false };
    const payments = [
      { to: 'somebody', asset: 'btc_bitcoin', units: 213_500n, vout: 0 },
      { to: CHANGE, asset: 'btc_bitcoin', units: 9_000n, vout: 1 },
    ];
    /** Block 7 has the transaction on the first branch only. */
    let branch = 'a';
    const hashOf = (height: number) =>
      height < 7 ? `${chain.name} ${height}` : `${chain.name} ${branch}${height}`;
    const block = (height: number) => ({
      ...{ height, hash: hashOf(height), parentHash: hashOf(height - 1) },
      time: NOW.getTime() / 1000 + height,
    });
    let tip = 6;
    const scanner: ChainScanner = {
      ...{ chain: chain.name, maxRange: 16 },
      head: async () => ({ tip: block(tip), finalizedHeight: tip }),
      blockAt: async (height) => (height > tip ? null : block(height)),
      blocks: async ({ from, to }) =>
        Array.from({ length: to - from + 1 }, (_, n): ScannedBlock => {
          const isThere = branch === 'a' && from + n === 7;
          return {
            ...{ ...block(from + n), transfers: [] },
            ...(isThere ? { unknown: [{ ...unknown, payments }] } : {}),
          };
        }),
      pending: async () => [],
      lookup: async () => ({ state: 'pending' }),
      confirmWithNodes: async () => ({ kind: 'agreed', disputed: [] }),
      unscannedAssets: async () => [],
      close: async () => undefined,
    };
    /** Called between the reading of a transaction and its note. */
    let atChange: () => Promise<void> = async () => undefined;
    const spending = spendingFrom(WALLET, {
      async change() {
        await atChange();
        return new Map([[CHANGE, 1]]);
      },
    });
    const watcher = (unitOfWork = deps.unitOfWork) =>
      chainWatcher(
        { ...deps, unitOfWork },
        { chain, scanner, watch: { ...watchingNobody, spending }, startHeight: 5, hotWallet: WALLET },
      );
    await watcher().begin();
    await watcher().poll();
    const noted = () =>
      deps.unitOfWork.run(async (r) => ({
        block: (await r.unknown.lock(chain.name, unknown.txid))?.block ?? null,
        spendable: await r.utxos.freeUnits(chain.name, 100),
      }));
    return {
      ...{ deps, watcher, noted },
      mine(height: number) {
        tip = height;
      },
      replace() {
        branch = 'b';
      },
      /** Whoever is the first to note it waits until `goOn`. */
      hold() {
        const reached = Promise.withResolvers<void>();
        const gate = Promise.withResolvers<void>();
        atChange = async () => {
          reached.resolve();
          atChange = async () => undefined;
          await gate.promise;
        };
        return { reached: reached.promise, goOn: gate.resolve };
      },
    };
  }

  /** Whoever moves the cursor loses the database at this moment. */
  const losing = (unitOfWork: UnitOfWork): UnitOfWork => ({
    run: <T>(work: (repositories: Repositories) => Promise<T>): Promise<T> =>
      unitOfWork.run((repositories) =>
        work({
          ...repositories,
          chains: {
            ...repositories.chains,
            async moveCursor(chain, from, to) {
              if (from?.height === to.height) return repositories.chains.moveCursor(chain, from, to);
              throw new StorageUnavailable('simulated');
            },
          },
        }),
      ),
  });

  test('is in its block, and its change may be spent', async () => {
    const on = await opened();
    on.mine(8);
    await on.watcher().poll();
    expect(await on.noted()).toMatchObject({ block: { height: 7 }, spendable: 9_000n });
  });

  test('is in no block any more where that was replaced before the cursor moved', async () => {
    const on = await opened();
    on.mine(7);
    const unlucky = on.watcher(losing(on.deps.unitOfWork));
    await expect(unlucky.poll()).rejects.toThrow('simulated');
    expect(await on.noted()).toMatchObject({ block: { height: 7 } });
    on.replace();
    on.mine(8);
    await on.watcher().poll();
    expect(await on.noted()).toEqual({ block: null, spendable: 0n });
  });

  test('is noted of no block that was read before another instance moved the cursor', async () => {
    const on = await opened();
    on.mine(7);
    const slow = on.hold();
    const first = on.watcher().poll();
    await slow.reached;
    on.replace();
    on.mine(8);
    await on.watcher().poll();
    slow.goOn();
    await first;
    expect(await on.noted()).toEqual({ block: null, spendable: 0n });
  });
});
