/**
 * What is held against a chain, and what is counted of transfers that are mined and not settled.
 * The records are a test's own.
 */
import { describe, expect, test } from 'bun:test';
import {
  lastReconciliation,
  reconcileJob,
  reconciliationFigures,
} from '../../../src/app/treasury/reconcile.ts';
import { type ReconcileNeeds, reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { UNLISTED_TOKENS } from '../../../src/domain/catalog/unlisted-tokens.ts';
import type { OutgoingTransfer, SignedTransaction } from '../../../src/domain/sending/outgoing.ts';
import { ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';
import type { Repositories } from '../../../src/ports/repositories.ts';
import type { OutcomeQuery } from '../../../src/ports/sending/chain-sender.ts';
import {
  EVM_CAPABILITIES,
  type SendingCapabilities,
} from '../../../src/ports/sending/sending-capabilities.ts';
import type { HotWalletAt } from '../../../src/ports/treasury/hot-wallet-at.ts';
import { aHash, NOW } from '../../support/builders.ts';
import { anOutgoing, aSigned } from '../../support/payouts/outgoing-builders.ts';
import { type LogLine, memoryLogger } from '../../support/runtime/memory-logger.ts';

const [ETH, USDT, USDC, WETH] = ['eth_ethereum', 'usdt_ethereum', 'usdc_ethereum', 'weth_ethereum'];
const HOT = 'hot wallet';
const CURSOR = { height: 20, hash: aHash(), coveredUntil: NOW, finalizedHeight: 10 };
const SETTLED = { status: 'confirmed', txid: aHash(), feeUnits: 3n } as const;
type On = Parameters<typeof reconcileChain>[1];
type Outcome = Awaited<ReturnType<On['sender']['outcome']>>;

interface World {
  /** Of the chain, by address and asset. */
  readonly chain?: Readonly<Record<string, Readonly<Record<string, bigint>>>>;
  readonly hot?: Readonly<Record<string, bigint>>;
  readonly addresses?: readonly string[];
  readonly cursor?: typeof CURSOR | null;
  readonly open?: readonly OutgoingTransfer[];
  readonly settled?: readonly OutgoingTransfer[];
  readonly signed?: readonly SignedTransaction[];
  readonly outcome?: (query: OutcomeQuery) => Outcome;
  readonly capabilities?: Partial<SendingCapabilities>;
  /** Whether the chain tells the balances of many addresses together. */
  readonly together?: boolean;
  /** Whether nobody can tell what the address has of the asset. */
  readonly fails?: (asset: string, address: string) => boolean;
}

/** An address has nothing by the records, and the ledger agrees with them. */
function staged(world: World) {
  const asked: string[] = [];
  const alone: string[] = [];
  const unitsOf = (address: string, assets: readonly string[]) => {
    const failed = assets.find((asset) => world.fails?.(asset, address));
    if (failed !== undefined) throw new ChainUnavailable(`ethereum: ${failed} cannot be read`);
    return new Map(Object.entries(world.chain?.[address] ?? {}));
  };
  const { open = [], settled = [] } = world;
  const apart: string[] = [];
  const repositories = {
    chains: { cursor: async () => (world.cursor === undefined ? CURSOR : world.cursor) },
    outgoing: {
      open: async () => open,
      settledFrom: async (_: string, height: number) =>
        settled.filter(({ block }) => block !== null && block.height >= height),
      ofBatch: async (id: string) =>
        [...open, ...settled].filter(({ transferBatchId }) => transferBatchId === id),
      signedOf: async () => world.signed ?? [],
    },
    utxos: { ofBatch: async () => [] },
    reconciliations: { append: async () => {}, forgetBefore: async () => {} },
    operatorNotices: { openOf: async () => [] },
  } as unknown as Repositories;
  const deps = {
    catalog: new AssetCatalog({}, [], UNLISTED_TOKENS.slice(0, 1)),
    unscannedAssets: new Map(),
    unitOfWork: { run: <T>(work: (given: Repositories) => Promise<T>) => work(repositories) },
    treasuryQueries: {
      unitsOfHotWallet: async (at: HotWalletAt) => {
        apart.push(...at.apart);
        return new Map(Object.entries(world.hot ?? {}));
      },
      depositAddresses: async (_: string, { after, limit }: { after: string; limit: number }) =>
        (world.addresses ?? []).filter((address) => address > after).slice(0, limit),
      unitsOfAddresses: async () => [],
      unpaidAddresses: async () => [],
      belowCost: async () => [],
      // Something of every asset has come.
      treasuryBooks: async (_: string, assets: readonly string[]) =>
        assets.map((asset) => ({ asset, recordedUnits: 1n, ledgerUnits: 1n })),
    },
  } as unknown as ReconcileNeeds;
  const on = {
    ...{ chain: 'ethereum', family: 'evm', hotWallet: HOT },
    deriver: {
      ...{ hotWallet: () => HOT, normalize: (address: string) => address },
      derive: async () => ['address'],
    },
    sender: {
      ...{
        nativeAsset: ETH,
        utxos: null,
        capabilities: { ...EVM_CAPABILITIES, ...world.capabilities },
        hotWallet: HOT,
      },
      async balances(address: string, assets: readonly string[]) {
        alone.push(address);
        return { units: unitsOf(address, assets) };
      },
      ...(world.together
        ? {
            balancesOf: async (all: string[], assets: readonly string[]) => ({
              units: new Map(all.map((each) => [each, unitsOf(each, assets)])),
            }),
          }
        : {}),
      outcome: async (query: OutcomeQuery) => {
        asked.push(query.wallet);
        return world.outcome?.(query);
      },
    },
  } as unknown as On;
  return { deps, on, asked, alone, apart };
}

async function reconciled(world: World) {
  const { deps, on, ...seen } = staged(world);
  return { ...seen, ...(await reconcileChain(deps, on, { height: null })) };
}

describe('a chain that is reconciled', () => {
  test('is asked for every address that ever had a deposit, however many there are', async () => {
    const addresses = Array.from({ length: 1_201 }, (_, n) => `address ${String(n).padStart(5, '0')}`);
    const odd = addresses.at(-1) ?? '';
    const world = { addresses, chain: { [odd]: { [USDT]: 5n } } };
    for (const together of [false, true]) {
      const { addresses: checked, differences, alone } = await reconciled({ ...world, together });
      expect([checked, alone.length]).toEqual([1_202, together ? 1 : 1_202]);
      expect(differences).toEqual([
        { kind: 'unrecorded_incoming', address: odd, asset: USDT, expectedUnits: 0n, foundUnits: 5n },
      ]);
    }
  });

  test('that was not read yet, or has no final block, is told as one that could not be checked', async () => {
    for (const cursor of [null, { ...CURSOR, finalizedHeight: -1 }])
      expect(await reconciled({ cursor })).toMatchObject({
        ...{ height: null, differences: [], unavailable: expect.stringContaining('not been read') },
      });
    expect(await reconciled({ cursor: { ...CURSOR, finalizedHeight: 0 } })).toMatchObject({ height: 0 });
  });

  test.each([
    [WETH, false],
    [USDT, true],
  ])('in which %s cannot be read is held against all the rest, and tells that', async (broken, listed) => {
    const chain = { '1': { [ETH]: 5n }, '2': { [USDC]: 7n, [broken]: 9n }, '3': { [ETH]: 6n } };
    for (const together of [false, true])
      for (const at of [HOT, '2']) {
        const world = { addresses: Object.keys(chain), chain, together };
        const fails = (asset: string, address: string) => asset === broken && address === at;
        const { differences, unreadable, unavailable, addresses } = await reconciled({ ...world, fails });
        expect([unavailable, addresses]).toEqual([null, 4]);
        const found = differences.map(({ address, asset }) => `${address} ${asset}`);
        expect(found.toSorted()).toEqual([`1 ${ETH}`, `2 ${USDC}`, `3 ${ETH}`]);
        const reason = `ethereum: ${broken} cannot be read`;
        expect(unreadable).toEqual([{ asset: broken, listed, reason }]);
      }
  });

  test('in which a token cannot be read is an alarm if it is listed, and a warning if not', async () => {
    for (const [asset, level, event] of [
      [USDT, 'error', 'books.token_unreadable'],
      [WETH, 'warn', 'books.unlisted_unreadable'],
    ] as const) {
      const { deps, on } = staged({ fails: (each) => each === asset });
      const lines: LogLine[] = [];
      const last = lastReconciliation();
      const needs = {
        ...{ ...deps, logger: memoryLogger(lines), ids: { id: () => '0' }, clock: { now: () => NOW } },
        operatorQueries: { newFaults: async () => [] },
        rateBook: { latest: () => ({ rates: { usdPerAssetE18: new Map(), fiatPerUsdE18: new Map() } }) },
      };
      await reconcileJob(needs as unknown as Parameters<typeof reconcileJob>[0], [on], last).run();
      const reason = `ethereum: ${asset} cannot be read`;
      expect(lines).toEqual([{ level, event, fields: { chain: 'ethereum', asset, reason } }]);
      const isWhole = level === 'warn';
      expect(last.read()?.report.agree).toBe(isWhole);
      expect(reconciliationFigures(last)?.chains).toMatchObject([{ differences: 0, checked: isWhole }]);
    }
  });

  test('of which the coin cannot be read, or nothing for a moment, is told as one that could not be checked', async () => {
    /** From some call on, for so many calls. */
    const failing = (from: number, calls: number) => {
      let call = 0;
      return () => {
        call += 1;
        return call >= from && call < from + calls;
      };
    };
    const away = { unavailable: 'ethereum: eth_ethereum cannot be read', unreadable: [] };
    const ofCoin = failing(1, 2);
    for (const fails of [failing(2, 99), failing(1, 3), (asset: string) => asset === ETH && ofCoin()])
      expect(await reconciled({ fails })).toMatchObject(away);
    expect(await reconciled({ fails: failing(1, 1) })).toMatchObject({ unavailable: null, unreadable: [] });
  });

  test('is not asked for a transfer of which nothing is signed', async () => {
    const [unsigned, signed] = [anOutgoing({ wallet: 'one' }), anOutgoing({ wallet: 'two' })];
    const { asked } = await reconciled({
      ...{
        open: [unsigned, signed],
        signed: [{ ...aSigned({ transferBatchId: signed.transferBatchId }), broadcastAt: null }],
      },
      outcome: () => ({ kind: 'waiting' }) as Outcome,
    });
    expect(asked).toEqual(['two']);
  });

  test('counts a sweep that is mined and not settled: its money, and the fee with whoever paid it', async () => {
    const sweep = anOutgoing({ wallet: 'address', to: HOT, purpose: 'sweep', units: 60n });
    const mined = (height: number) => ({
      open: [sweep],
      signed: [{ ...aSigned({ transferBatchId: sweep.transferBatchId }), broadcastAt: null }],
      outcome: () =>
        ({
          ...{ kind: 'mined', block: { height, hash: aHash() }, final: false, effects: [true] },
          ...{ feeUnits: 9n, hotFeeUnits: 7n, txid: aHash() },
        }) as unknown as Outcome,
    });
    const chain = { [HOT]: { [USDT]: 60n, [ETH]: 93n }, address: { [USDT]: -60n, [ETH]: -2n } };
    const world = { hot: { [ETH]: 100n }, addresses: ['address'], chain };
    expect((await reconciled({ ...world, ...mined(10) })).differences).toEqual([]);
    // In a block above the one that is looked at nothing of it has happened.
    const before = { [HOT]: { [ETH]: 100n } };
    expect((await reconciled({ ...world, ...mined(11), chain: before })).differences).toEqual([]);
  });

  test('counts what was settled lately as far as it had come by then, where money takes several blocks', async () => {
    const settledAt = (height: number, given: Partial<OutgoingTransfer>) =>
      anOutgoing({ ...SETTLED, units: 60n, asset: USDT, block: { height, hash: aHash() }, ...given });
    const payout = settledAt(5, { wallet: HOT });
    const sweep = settledAt(10, { wallet: 'address', to: HOT, purpose: 'sweep' });
    const settled = [settledAt(4, { wallet: 'before' }), payout, sweep, settledAt(11, { wallet: 'after' })];
    const world: World = {
      settled,
      signed: settled.map(({ transferBatchId }) => ({ ...aSigned({ transferBatchId }), broadcastAt: null })),
      outcome: ({ wallet, asOf, toOurs }) =>
        ({
          ...{ kind: 'mined', block: { height: 5 }, txid: aHash(), feeUnits: 3n, effects: [true] },
          ...{ left: [wallet !== HOT], arrived: [asOf !== 10 || !toOurs] },
        }) as unknown as Outcome,
      addresses: ['address'],
      chain: { [HOT]: { [ETH]: -3n }, address: { [ETH]: -3n, [USDT]: -60n } },
    };
    const { asked, apart, differences } = await reconciled({ ...world, capabilities: { arrivesWithin: 5 } });
    expect({ asked, apart, differences }).toEqual({
      ...{ asked: [HOT, 'address'], apart: [payout.id, sweep.id], differences: [] },
    });
    expect((await reconciled(world)).asked).toEqual([]);
    // Bytes that are gone cannot be looked for on the chain (decision 0047).
    const signed = world.signed?.map((transaction) => ({ ...transaction, raw: '' })) ?? [];
    const forgotten = await reconciled({ ...world, signed, capabilities: { arrivesWithin: 5 } });
    expect(forgotten.asked).toEqual([]);
    expect(forgotten.unavailable).toContain('bytes of its transfers of the blocks 5 to 10 were removed');
  });

  test('counts a batch as a whole, of which a part is settled', async () => {
    const first = anOutgoing({ ...SETTLED, wallet: HOT, asset: USDT, block: { height: 9, hash: aHash() } });
    const rest = anOutgoing({
      wallet: HOT,
      asset: USDT,
      transferBatchId: first.transferBatchId,
      position: 1,
      units: 7n,
    });
    const { apart, differences } = await reconciled({
      ...{ open: [rest], settled: [first], capabilities: { paymentsAtOnce: 200 } },
      signed: [{ ...aSigned({ transferBatchId: first.transferBatchId }), broadcastAt: null }],
      outcome: ({ order: { payments } }) =>
        ({
          ...{ kind: 'mined', block: first.block, final: true, txid: aHash(), feeUnits: 3n },
          effects: payments.map(() => payments.length === 2),
        }) as Outcome,
      chain: { [HOT]: { [ETH]: -3n, [USDT]: -(first.units + rest.units) } },
    });
    expect({ apart: new Set(apart), differences }).toEqual({
      ...{ apart: new Set([first.id, rest.id]), differences: [] },
    });
  });
});
