/**
 * The treasury in memory answers as on PostgreSQL: every query and repository of it, whole answers
 * and their order, on random rows and after random work.
 */
import { afterAll, beforeAll, describe, test } from 'bun:test';
import { DEPOSIT_STATUSES } from '../../../../src/domain/deposits/deposit.ts';
import { PAYOUT_STATUSES } from '../../../../src/domain/payouts/payout.ts';
import type { Sweep } from '../../../../src/domain/sweeps/sweep.ts';
import { sweepReason } from '../../../../src/domain/sweeps/sweep-reason.ts';
import { NOW, secondsAfter } from '../../../support/builders.ts';
import { postgresAvailable } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';
import { seeded } from '../../../support/runtime/seeded.ts';
import {
  ADDRESSES,
  ASSETS,
  anyId,
  anyOf,
  CHAINS,
  fill,
  HEIGHTS,
  NATIVE,
  type World,
} from './treasury-rows.ts';
import { type TwoStorages, twoStorages } from './two-storages.ts';

const SEEDS = [1, 2];
const QUESTIONS = 12;

describe.skipIf(!needs('postgres', postgresAvailable()))('the treasury in memory', () => {
  for (const seed of SEEDS)
    describe(`seed ${seed}`, () => {
      let storages: TwoStorages;
      let world: World;
      beforeAll(async () => {
        storages = await twoStorages();
        world = await fill(seeded(seed), storages, 80);
      });
      afterAll(() => storages.close());

      test('answers as PostgreSQL on the same rows', async () => {
        await askTreasury(world);
        await askSweeps(world);
        await askOperators(world);
      });

      test('and after the same work', async () => {
        for (let nth = 0; nth < 120; nth += 1) await work(world);
        await askTreasury(world);
        await askSweeps(world);
      });
    });
});

async function askTreasury({ random, storages: { ask } }: World): Promise<void> {
  for (const chain of CHAINS) {
    const nativeAsset = NATIVE[chain];
    await ask(chain, ({ treasuryQueries: q }) => q.atDepositAddresses(chain));
    await ask(chain, ({ treasuryQueries: q }) => q.onTheWay(chain));
    await ask(chain, ({ treasuryQueries: q }) => q.frozenAddresses(chain));
    await ask(chain, ({ treasuryQueries: q }) => q.treasuryBooks(chain, ASSETS, nativeAsset));
    for (let nth = 0; nth < QUESTIONS; nth += 1) {
      const page = { after: random.pick(['', '', ...ADDRESSES]), limit: 1 + random.int(9) };
      const sweepable = { ...page, onDemand: random.int(2) === 0 };
      await ask([chain, sweepable], ({ treasuryQueries: q }) => q.sweepable(chain, sweepable));
      await ask([chain, page], ({ treasuryQueries: q }) => q.depositAddresses(chain, page));
      const of = { chain, family: random.pick(['evm', 'tron']) };
      await ask([of, page], ({ treasuryQueries: q }) => q.issuedAddresses(of, page));
      await ask([of, page], ({ treasuryQueries: q }) => q.unpaidAddresses(of, page));
      await ask([chain, page], ({ treasuryQueries: q }) => q.sweepsToLookAt(chain, page.limit));
      const chains = [chain, random.pick(CHAINS)];
      await ask([chains, page], ({ treasuryQueries: q }) => q.unbookedFunding(chains, page.limit));
      const least = new Map(ASSETS.slice(random.int(4)).map((asset) => [asset, BigInt(random.int(90))]));
      const utxos = random.int(2) === 0;
      await ask([chain, utxos, least], ({ treasuryQueries: q }) => q.belowCost({ chain, utxos, least }));
      const assets = [random.pick(ASSETS), random.pick(ASSETS)];
      await ask(assets, ({ treasuryQueries: q }) => q.waitingForLiquidity(assets));
    }
    await askUnits({ random, ask }, chain);
  }
}

async function askUnits(
  { random, ask }: Pick<World, 'random'> & Pick<TwoStorages, 'ask'>,
  chain: (typeof CHAINS)[number],
  transfers: readonly string[] = [],
): Promise<void> {
  for (let height = -1; height <= HEIGHTS; height += 1) {
    const apart = transfers.filter(() => random.int(4) === 0);
    const at = { chain, nativeAsset: NATIVE[chain], height, apart };
    const addresses = ADDRESSES.filter(() => random.int(2) === 0);
    // Neither statement has an order.
    await ask([at, addresses], async ({ treasuryQueries: q }) =>
      (await q.unitsOfAddresses({ ...at, addresses })).map((row) => ({ ...row })).sort(byPlace),
    );
    await ask([at, addresses], ({ unitOfWork }) =>
      unitOfWork.run(async (r) =>
        (await r.capital.unitsOfAddresses({ ...at, addresses })).map((row) => ({ ...row })).sort(byPlace),
      ),
    );
    for (const pooled of [false, true]) {
      const hot = { ...at, wallet: random.pick(ADDRESSES), pooled };
      const units = (found: ReadonlyMap<string, bigint>) => Object.fromEntries(found);
      await ask(hot, async ({ treasuryQueries: q }) => units(await q.unitsOfHotWallet(hot)));
      await ask(hot, ({ unitOfWork }) =>
        unitOfWork.run(async (r) => units(await r.capital.unitsOfHotWallet(hot))),
      );
    }
  }
}

async function askSweeps(world: World): Promise<void> {
  const {
    random,
    storages: { ask },
    transfers,
  } = world;
  for (const chain of CHAINS) {
    await askUnits({ random, ask }, chain, transfers);
    for (let nth = 0; nth < 3 * QUESTIONS; nth += 1) {
      const place = { chain, address: random.pick(ADDRESSES), asset: random.pick(ASSETS) };
      await askPlace(world, place);
    }
    const page = { after: anyId(random), limit: 3 };
    await ask([chain, page], ({ unitOfWork }) =>
      unitOfWork.run(async (r) => ({
        open: await r.sweeps.open(chain, page),
        all: await r.sweeps.open(chain, { after: '', limit: 99 }),
        // Its statement has no order.
        undone: (await r.sweeps.undone(chain)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
        active: await r.sweeps.countActive(chain),
        wantingGas: await r.sweeps.countWantingGas({ chain, nativeAsset: NATIVE[chain] }),
        frozen: [...(await r.frozen.among({ chain, addresses: ADDRESSES }))].sort(),
        requests: await r.forwardRequests.ofChain(chain),
      })),
    );
  }
}

async function askPlace(
  { random, storages: { ask }, sweeps }: World,
  place: { chain: string; address: string; asset: string },
): Promise<void> {
  const at = { ...place, height: random.int(HEIGHTS) };
  const sweep = { ...at, id: random.pick(sweeps) } as unknown as Sweep;
  const back = 1n + BigInt(random.int(20));
  const many = { ...at, addresses: ADDRESSES.filter(() => random.int(2) === 0) };
  const others = ADDRESSES.map((address, nth) => ({ ...sweep, address, id: sweeps[nth] ?? sweep.id }));
  const sorted = (found: ReadonlyMap<string, unknown>) => Object.fromEntries(found);
  await ask(at, ({ unitOfWork }) =>
    unitOfWork.run(async (r) => ({
      openAt: await r.sweeps.openAt(many),
      withheld: [...(await r.sweeps.withheldAmong(many))].sort(),
      undecidedUnits: [...(await r.sweeps.undecidedUnits(many))].sort(byPlace),
      lastMovedAt: sorted(await r.sweeps.lastMovedAt(many)),
      coverable: sorted(await r.sweeps.coverable(others)),
      frozen: await r.frozen.find(at),
      isFrozen: await r.frozen.isFrozen({ chains: [at.chain, 'bitcoin'], address: at.address }),
      capital: await r.capital.newest(at),
      lastHeight: await r.capital.lastHeight(at),
      lastOfHot: await r.capital.lastHeight({ ...at, address: null }),
      takesBack: await r.capital.takesBack({ ...at, units: back }),
    })),
  );
}

async function askOperators({ random, storages: { ask }, merchants, payouts }: World): Promise<void> {
  await ask('merchants', ({ operatorQueries: q }) => q.merchants());
  for (const now of [secondsAfter(-60), NOW, secondsAfter(60)]) {
    await ask(now, ({ operatorQueries: q }) => q.metrics(now));
    await ask(now, ({ operatorQueries: q }) => q.waitingWork(now));
  }
  for (let nth = 0; nth < QUESTIONS; nth += 1) {
    const limit = 1 + random.int(20);
    const statuses = DEPOSIT_STATUSES.filter(() => random.int(2) === 0);
    const deposits = { statuses, sandbox: random.pick([null, true, false]), limit };
    await ask(deposits, ({ operatorQueries: q }) => q.deposits(deposits));
    const unknown = { chains: [random.pick(CHAINS), random.pick(CHAINS)], limit };
    await ask(unknown, ({ operatorQueries: q }) => q.unknownTransactions(unknown));
    const wanted = {
      ...{ statuses: PAYOUT_STATUSES, held: random.int(4) === 0, waiting: random.int(3) === 0, limit },
      merchantId: random.pick([null, random.pick(merchants)]),
      ...(random.int(3) === 0 ? { id: random.pick(payouts) } : {}),
    };
    await ask(wanted, ({ operatorQueries: q }) => q.payouts(wanted));
  }
}

/** One thing that the treasury does. */
async function work({ random, storages, sweeps, transfers }: World): Promise<void> {
  const place = { chain: random.pick(CHAINS), address: random.pick(ADDRESSES) };
  const sweep: Sweep = {
    ...{ id: anyId(random), ...place, asset: random.pick(ASSETS), status: 'planned' },
    ...{ forced: random.int(2) === 0, units: null, topupId: null, delegationId: null, transferId: null },
    ...{ undelegationId: null, reason: null, createdAt: NOW, endedAt: null },
  };
  const [known, transferId, chosen] = [random.pick(sweeps), anyOf(random, transfers), random.int(9)];
  const booking = { id: anyId(random), chain: place.chain, asset: random.pick(ASSETS), units: 5n, note: '' };
  const block = { height: random.int(HEIGHTS), hash: 'b' };
  const bookedAt = random.pick([null, place.address]);
  await storages.run(async (r) => {
    const found = await r.sweeps.find(known);
    switch (chosen) {
      case 0:
        return r.frozen.freeze({ ...place, reason: 'more', at: NOW });
      case 1:
        return r.frozen.thaw(place);
      case 2:
        return r.forwardRequests.insert({ chain: place.chain, asset: sweep.asset, at: NOW });
      case 3:
        return r.forwardRequests.remove(sweep.asset);
      case 7:
        return (
          found &&
          r.sweeps.planAll([{ ...sweep, chain: found.chain, address: found.address, asset: found.asset }])
        );
      case 4:
        return found && r.sweeps.uncover([found]);
      case 5:
        return r.capital.insert({ ...booking, block, at: NOW, coin: null, address: bookedAt });
      case 6:
        return found?.status === 'planned'
          ? r.sweeps.save({ ...found, status: 'sweeping', units: 5n, transferId })
          : found &&
              r.sweeps.save({ ...found, status: 'failed', reason: sweepReason('operator'), endedAt: NOW });
      default:
        return (await r.sweeps.planAll([sweep])).length === 1
          ? Object.fromEntries(await r.sweeps.cover([sweep]))
          : 'is planned';
    }
  });
}

function byPlace(a: { address: string; asset: string }, b: { address: string; asset: string }): number {
  return `${a.address} ${a.asset}` < `${b.address} ${b.asset}` ? -1 : 1;
}
