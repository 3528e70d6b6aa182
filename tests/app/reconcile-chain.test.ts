/** What is held against a chain, and what is counted of transfers that are mined and not settled. The records are a test's own. */
import { describe, expect, test } from 'bun:test';
import { type ReconcileNeeds, reconcileChain } from '../../src/app/reconcile-chain.ts';
import { AssetCatalog } from '../../src/domain/asset.ts';
import type { OutgoingTransfer, SignedTransaction } from '../../src/domain/outgoing.ts';
import type { Repositories } from '../../src/ports/repositories.ts';
import { BY_NONCE } from '../../src/ports/sending-ways.ts';
import { aHash, NOW } from '../support/builders.ts';
import { anOutgoing, aSigned } from '../support/outgoing-builders.ts';

const [ETH, USDT] = ['eth_ethereum', 'usdt_ethereum'];
const HOT = 'hot wallet';
const CURSOR = { height: 20, hash: aHash(), coveredUntil: NOW, finalizedHeight: 10 };
type On = Parameters<typeof reconcileChain>[1];
type Outcome = Awaited<ReturnType<On['sender']['outcome']>>;

interface World {
  /** Of the chain, by address and asset. */
  readonly chain?: Readonly<Record<string, Readonly<Record<string, bigint>>>>;
  readonly hot?: Readonly<Record<string, bigint>>;
  readonly addresses?: readonly string[];
  readonly cursor?: typeof CURSOR | null;
  readonly open?: readonly OutgoingTransfer[];
  readonly signed?: readonly SignedTransaction[];
  readonly outcome?: () => Outcome;
}

/** An address has nothing by the records, and the ledger agrees with them. */
async function reconciled(world: World) {
  const asked: string[] = [];
  const repositories = {
    chains: { cursor: async () => (world.cursor === undefined ? CURSOR : world.cursor) },
    outgoing: { open: async () => world.open ?? [], signedOf: async () => world.signed ?? [] },
  } as unknown as Repositories;
  const deps = {
    catalog: new AssetCatalog(),
    unscannedAssets: new Map(),
    unitOfWork: { run: <T>(work: (given: Repositories) => Promise<T>) => work(repositories) },
    treasuryQueries: {
      unitsOfHotWallet: async () => new Map(Object.entries(world.hot ?? {})),
      depositAddresses: async (_: string, { after, limit }: { after: string; limit: number }) =>
        (world.addresses ?? []).filter((address) => address > after).slice(0, limit),
      unitsOfAddresses: async () => [],
      treasuryBooks: async () => [],
    },
  } as unknown as ReconcileNeeds;
  const on = {
    ...{ chain: 'ethereum', family: 'evm', hotWallet: HOT },
    deriver: { hotWallet: () => HOT, normalize: (address: string) => address },
    sender: {
      ...{ nativeAsset: ETH, coins: null, ways: BY_NONCE, hotWallet: HOT },
      balances: async (address: string) => ({
        units: new Map(Object.entries(world.chain?.[address] ?? {})),
      }),
      outcome: async ({ wallet }: { wallet: string }) => {
        asked.push(wallet);
        return world.outcome?.();
      },
    },
  } as unknown as On;
  return { asked, ...(await reconcileChain(deps, on, { height: null })) };
}

describe('a chain that is reconciled', () => {
  test('is asked for every address that ever had a deposit, however many there are', async () => {
    const addresses = Array.from({ length: 1_201 }, (_, n) => `address ${String(n).padStart(5, '0')}`);
    const odd = addresses.at(-1) ?? '';
    const { addresses: checked, differences } = await reconciled({
      addresses,
      chain: { [odd]: { [USDT]: 5n } },
    });
    expect(checked).toBe(1_202);
    expect(differences).toEqual([
      { kind: 'unrecorded_incoming', address: odd, asset: USDT, expectedUnits: 0n, foundUnits: 5n },
    ]);
  });

  test('that was not read yet, or has no final block, is told as one that could not be checked', async () => {
    for (const cursor of [null, { ...CURSOR, finalizedHeight: -1 }])
      expect(await reconciled({ cursor })).toMatchObject({
        ...{ height: null, differences: [], unavailable: expect.stringContaining('not been read') },
      });
    expect(await reconciled({ cursor: { ...CURSOR, finalizedHeight: 0 } })).toMatchObject({ height: 0 });
  });

  test('is not asked for a transfer of which nothing is signed', async () => {
    const [unsigned, signed] = [anOutgoing({ wallet: 'one' }), anOutgoing({ wallet: 'two' })];
    const { asked } = await reconciled({
      ...{
        open: [unsigned, signed],
        signed: [{ ...aSigned({ bundleId: signed.bundleId }), broadcastAt: null }],
      },
      outcome: () => ({ kind: 'waiting' }) as Outcome,
    });
    expect(asked).toEqual(['two']);
  });

  test('counts a sweep that is mined and not settled: its money, and the fee with whoever paid it', async () => {
    const sweep = anOutgoing({ wallet: 'address', to: HOT, purpose: 'sweep', units: 60n });
    const mined = (height: number) => ({
      open: [sweep],
      signed: [{ ...aSigned({ bundleId: sweep.bundleId }), broadcastAt: null }],
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
});
