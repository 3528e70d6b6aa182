/**
 * Sweeps while the nodes, or the database, do not answer for some of them: the others are planned,
 * started and ended all the same, and somebody is told.
 */
import { afterEach, beforeEach, describe, expect, type Mock, spyOn, test } from 'bun:test';
import { lockedSweeps } from '../../../src/app/sweeps/change-sweep.ts';
import { requestSweeps } from '../../../src/app/sweeps/plan-sweeps.ts';
import { ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';
import { aHash, anId } from '../../support/builders.ts';
import { recordingLogger } from '../../support/evm/evm-lab.ts';
import { anOutgoing } from '../../support/payouts/outgoing-builders.ts';
import {
  ETH,
  ETHER,
  openTreasuryJourney,
  statusesOf,
  type TreasuryJourney,
  USDT,
} from '../../support/payouts/treasury-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { aSweep } from '../../support/sweeps/a-sweep.ts';

type Sender = TreasuryJourney['on']['sender'];

describe.skipIf(!needs('postgres', postgresAvailable()))('sweeps while some cannot be asked for', () => {
  let journey: TreasuryJourney;
  let logger: ReturnType<typeof recordingLogger>;
  beforeEach(async () => {
    logger = recordingLogger();
    journey = await openTreasuryJourney({ funded: true, logger });
  });
  afterEach(() => journey.close());

  const coin = () => journey.credited(String(ETHER), ETH);
  const ofAll = (asset: string) => ({ asset, address: null });
  const deps = () => journey.it.service.dependencies;
  const statuses = (...addresses: readonly string[]) => statusesOf(journey, addresses);
  /** A step in which the nodes cannot be asked for some: it says so, and does the rest. */
  async function sweptWithout<
    Key extends 'price' | 'balances' | 'reportedNonces' | 'reserveUnits' | 'nextNonce',
  >(key: Key, isUnasked: (...given: Parameters<NonNullable<Sender[Key]>>) => boolean): Promise<void> {
    const { sender } = journey.on;
    type Ask = (...given: Parameters<NonNullable<Sender[Key]>>) => Promise<unknown>;
    const ask = sender[key] as unknown as Ask;
    const spied = spyOn(sender, key as never) as unknown as Mock<Ask>;
    spied.mockImplementation((...given) =>
      isUnasked(...given) ? Promise.reject(new ChainUnavailable('a test')) : ask(...given),
    );
    try {
      await expect(journey.sweep()).rejects.toThrow(ChainUnavailable);
    } finally {
      spied.mockRestore();
    }
  }

  test.each(['balances', 'reserveUnits', 'reportedNonces'] as const)(
    'a wallet whose %s no node tells keeps no other from starting',
    async (key) => {
      const addresses = [await coin(), await coin(), await coin()];
      const unasked = addresses[1]!;
      await sweptWithout(key, (...[wallet]: readonly unknown[]) => wallet === unasked);
      expect(await statuses(...addresses)).toEqual(['sweeping', 'planned', 'sweeping']);
      await journey.sweepToTheEnd();
      expect(await statuses(...addresses)).toEqual(['done', 'done', 'done']);
    },
  );

  test('nor does one from going on whose gas is final', async () => {
    const addresses = [await journey.credited('250'), await journey.credited('250')];
    await journey.sweep();
    await journey.finish();
    const third = await journey.credited('250');
    await sweptWithout('balances', (wallet) => wallet === addresses[0]);
    expect(await statuses(...addresses, third)).toEqual(['topping_up', 'sweeping', 'topping_up']);
  });

  test('an asset that the nodes cannot price keeps no other from being planned', async () => {
    const [token, first, second] = [await journey.credited('250'), await coin(), await coin()];
    await sweptWithout('price', ({ asset }) => asset === USDT);
    expect(await statuses(token, first, second)).toEqual(['', 'sweeping', 'sweeping']);
    await journey.sweepToTheEnd();
    expect(await statuses(token, first, second)).toEqual(['done', 'done', 'done']);
  });

  test('a planned one that cannot be weighed any more waits, and says nothing of its cost', async () => {
    const token = await journey.credited('250');
    await requestSweeps(deps(), journey.on, ofAll(USDT));
    await journey.damage('update sweeps set forced = false');
    await sweptWithout('price', ({ asset, to }) => asset === ETH && to !== journey.hot);
    expect(await journey.sweepsOf(token)).toMatchObject([{ status: 'planned', reason: null }]);
  });

  test('energy that cannot be taken back keeps no other from ending or starting', async () => {
    const chain = 'ethereum';
    const block = { height: 1, hash: aHash() };
    const lent = { status: 'confirmed', txid: aHash(), block, feeUnits: 1n } as const;
    const lend = anOutgoing({ chain, purpose: 'lend', ...lent });
    const moved = { delegationId: lend.id, transferId: anId(), units: 1n };
    const reclaiming = aSweep({ id: '0'.repeat(24), status: 'reclaiming', ...moved });
    const first = await coin();
    await journey.sweep();
    await journey.finish();
    const second = await coin();
    await deps().unitOfWork.run(async ({ outgoing, sweeps }) => {
      await outgoing.insert(lend);
      await outgoing.insert(anOutgoing({ ...lent, id: moved.transferId, chain, purpose: 'sweep' }));
      await sweeps.planAll([reclaiming]);
    });
    await sweptWithout('nextNonce', (wallet) => wallet === journey.hot);
    expect(await statuses(reclaiming.address, first, second)).toEqual(['reclaiming', 'done', 'sweeping']);
  });

  test('what keeps all from being planned is told though the open ones fail as well', async () => {
    await requestSweeps(deps(), journey.on, ofAll((await coin()) && ETH));
    const { treasuryQueries } = deps();
    const ask = spyOn(treasuryQueries, 'sweepable').mockRejectedValue(new Error('a bug of a test'));
    try {
      await sweptWithout('price', () => true);
    } finally {
      ask.mockRestore();
    }
    const [told] = logger.lines.filter(({ event }) => event === 'sweep.not_planned');
    expect(told?.fields).toEqual({ chain: 'ethereum', error: 'Error: a bug of a test' });
  });

  test('an operator is told that a sweep could not be planned, and the others are planned', async () => {
    const [held, free] = [await coin(), await coin()];
    await requestSweeps(deps(), journey.on, ofAll(ETH));
    await journey.damage('update sweeps set forced = false');
    const asked = await lockedSweeps(deps(), await journey.sweepsOf(held), () =>
      requestSweeps(deps(), journey.on, ofAll(ETH)).catch((error: unknown) => error),
    );
    expect(String(asked)).toMatch(/1 of the sweeps of ethereum could not be planned/);
    const forced = async (address: string) => (await journey.sweepsOf(address)).map((sweep) => sweep.forced);
    expect([await forced(held), await forced(free)]).toEqual([[false], [true]]);
  });
});
