/** Sweeps that are planned, started and ended together: what one of them does to the others. */
import { afterEach, beforeEach, describe, expect, type Mock, spyOn, test } from 'bun:test';
import { requestSweeps } from '../../../src/app/sweeps/plan-sweeps.ts';
import type { Sweep } from '../../../src/domain/sweeps/sweep.ts';
import { ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';
import { NOW } from '../../support/builders.ts';
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

describe.skipIf(!needs('postgres', postgresAvailable()))('sweeps in sets', () => {
  let journey: TreasuryJourney;
  let logger: ReturnType<typeof recordingLogger>;
  beforeEach(async () => {
    logger = recordingLogger();
    journey = await openTreasuryJourney({ funded: true, logger });
  });
  afterEach(() => journey.close());

  const statuses = (...addresses: readonly string[]) => statusesOf(journey, addresses);
  const coin = () => journey.credited(String(ETHER), ETH);
  /** The database refuses what would be written so of the sweeps of an address. */
  const refuse = (address: string, on: 'insert' | 'update') =>
    journey.damage(`
      create function refuse_sweep() returns trigger language plpgsql as
        $$ begin raise exception 'refused by a test'; end $$;
      create trigger refuse_sweep before ${on} on sweeps
        for each row when (new.address = '${address}') execute function refuse_sweep()`);
  const allow = () => journey.damage('drop function refuse_sweep cascade');
  /** Others whose transfer is on its way. */
  async function onTheWay(count: number): Promise<readonly Sweep[]> {
    const chain = 'ethereum';
    const transfer = anOutgoing({ chain, purpose: 'sweep' });
    const moved = { status: 'sweeping', units: 1n, transferId: transfer.id } as const;
    const others = Array.from({ length: count }, () => aSweep({ asset: ETH, ...moved }));
    await journey.it.service.dependencies.unitOfWork.run(async ({ outgoing, sweeps }) => {
      await outgoing.insert(transfer);
      await sweeps.planAll(others);
    });
    return others;
  }
  /** What happens while the nodes are asked for nonces the first `times`. */
  function nodesThat(happens: () => Promise<void>, times: number) {
    const { sender } = journey.on;
    const { reportedNonces } = sender;
    const ask = spyOn(sender, 'reportedNonces' as never) as unknown as Mock<
      NonNullable<typeof reportedNonces>
    >;
    ask.mockImplementation(async (wallet) => {
      if (ask.mock.calls.length <= times) await happens();
      return reportedNonces!(wallet);
    });
    return ask;
  }
  const logged = (event: string) => logger.lines.filter((line) => line.event === event).length;

  test('one that cannot be planned does not stop the others, and is planned when it can be', async () => {
    const addresses = [await coin(), await coin(), await coin()];
    await refuse(addresses[1]!, 'insert');
    await journey.sweep();
    expect(await statuses(...addresses)).toEqual(['sweeping', '', 'sweeping']);
    expect(logged('sweep.not_planned')).toBe(1);
    await allow();
    await journey.sweep();
    expect(await statuses(...addresses)).toEqual(['sweeping', 'sweeping', 'sweeping']);
  });

  test('one that cannot be started, or ended, does not stop the others, and nothing of it is left', async () => {
    const addresses = [await coin(), await journey.credited('25'), await coin(), await coin()];
    await refuse(addresses[2]!, 'update');
    await journey.sweep();
    expect(await statuses(...addresses)).toEqual(['sweeping', 'topping_up', 'planned', 'sweeping']);
    expect(await journey.transfersOf('sweep', addresses[2]!)).toEqual([]);
    expect(logged('sweep.not_advanced')).toBe(1);
    await allow();
    await journey.sweep();
    await refuse(addresses[0]!, 'update');
    await journey.finish();
    await journey.sweep();
    expect(await statuses(...addresses)).toEqual(['sweeping', 'sweeping', 'done', 'done']);
    await allow();
    await journey.sweepToTheEnd();
    expect(await statuses(...addresses)).toEqual(['done', 'done', 'done', 'done']);
    await journey.booksAreRight();
    expect(await journey.reconciled()).toMatchObject({ differences: [], unavailable: null });
  });

  test('the gas of many is within what the hot wallet has, and the rest wait for it', async () => {
    await journey.close();
    journey = await openTreasuryJourney({ funded: false });
    const addresses = [];
    for (let nth = 0; nth < 4; nth += 1) addresses.push(await journey.credited('250'));
    await journey.sweep();
    expect(await statuses(...addresses)).toEqual(['planned', 'planned', 'planned', 'planned']);
    const { maxUnits } = await journey.on.sender.price({ asset: USDT, to: journey.hot });
    // Gas with its fee is some two and a half times as much, for two of them.
    journey.chain().fund(journey.hot, ETH, 5n * maxUnits);
    await journey.mineToFinality();
    await journey.sweep();
    const started = await statuses(...addresses);
    const toppedUp = started.filter((status) => status === 'topping_up').length;
    expect(toppedUp).toBeGreaterThan(0);
    expect(toppedUp).toBeLessThan(4);
    await journey.finish();
    expect(journey.balanceOf(journey.hot, ETH)).toBeGreaterThanOrEqual(0n);
    const waiting = await journey.sweepsOf(addresses[started.indexOf('planned')]!);
    expect(waiting.map(({ reason }) => reason?.code)).toEqual(['liquidity']);
  });

  test('at most a hundred are on their way, and one that ends without a transfer leaves its place to the next', async () => {
    const addresses = [await coin(), await coin(), await coin()];
    const [left] = await onTheWay(100);
    await journey.sweep();
    expect(await statuses(...addresses)).toEqual(['planned', 'planned', 'planned']);
    const planned = (await Promise.all(addresses.map(journey.sweepsOf))).flat();
    const [first, second, third] = planned.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    // Room for one, and the two that are looked at first have nothing to move.
    await journey.damage(`
      delete from sweeps where id = '${left!.id}';
      update deposits set status = 'confirming' where address in ('${first!.address}', '${second!.address}')`);
    await journey.sweep();
    expect(await statuses(first!.address, second!.address, third!.address)).toEqual([
      'failed',
      'failed',
      'sweeping',
    ]);
  });

  test('those that another worker starts while the nodes are asked take their room as well', async () => {
    const addresses = [await coin(), await coin(), await coin()];
    await onTheWay(98);
    const nodes = nodesThat(async () => void (await onTheWay(1)), 1);
    await journey.sweep();
    nodes.mockRestore();
    expect((await statuses(...addresses)).toSorted()).toEqual(['planned', 'planned', 'sweeping']);
  });

  test('nothing is ordered once signing is stopped, though the nodes were asked before', async () => {
    const addresses = [await coin(), await coin()];
    const { unitOfWork } = journey.it.service.dependencies;
    const stop = (at: { at: Date; note: string } | null) =>
      unitOfWork.run(({ outgoing }) => outgoing.setSigningStopped(at));
    const nodes = nodesThat(async () => void (await stop({ at: NOW, note: 'a test' })), 1);
    await journey.sweep();
    const asked = nodes.mock.calls.length;
    await journey.sweep();
    expect(nodes.mock.calls).toHaveLength(asked);
    nodes.mockRestore();
    expect(await statuses(...addresses)).toEqual(['planned', 'planned']);
    await stop(null);
    await journey.sweep();
    expect(await statuses(...addresses)).toEqual(['sweeping', 'sweeping']);
  });

  test('no node is asked about one that the risk check keeps, and it says so', async () => {
    const [kept, free] = [await coin(), await coin()];
    const { dependencies } = journey.it.service;
    expect(await requestSweeps(dependencies, journey.on, { asset: ETH, address: null })).toHaveLength(2);
    await journey.damage(`update deposits set status = 'held' where address = '${kept}'`);
    const asked = spyOn(journey.on.sender, 'balances');
    await journey.sweep();
    const wallets = asked.mock.calls.map(([wallet]) => wallet);
    asked.mockRestore();
    expect(wallets).toContain(free);
    expect(wallets).not.toContain(kept);
    expect(await statuses(kept, free)).toEqual(['planned', 'sweeping']);
    expect(await journey.sweepsOf(kept)).toMatchObject([{ reason: { code: 'withheld' } }]);
  });

  /** A step in which no node prices the token: it says so, and does the rest. */
  async function sweptWithoutPrice(): Promise<void> {
    const { sender } = journey.on;
    const { price } = sender;
    const ask = spyOn(sender, 'price').mockImplementation((order) =>
      order.asset === USDT ? Promise.reject(new ChainUnavailable('a test')) : price(order),
    );
    await expect(journey.sweep()).rejects.toThrow(ChainUnavailable);
    ask.mockRestore();
  }

  test('an asset that the nodes cannot price keeps no other from being swept', async () => {
    const [token, first, second] = [await journey.credited('250'), await coin(), await coin()];
    const { dependencies } = journey.it.service;
    for (const asset of [USDT, ETH]) await requestSweeps(dependencies, journey.on, { asset, address: null });
    await sweptWithoutPrice();
    expect(await statuses(token, first, second)).toEqual(['planned', 'sweeping', 'sweeping']);
    await journey.sweepToTheEnd();
    expect(await statuses(token, first, second)).toEqual(['done', 'done', 'done']);
  });

  test('those that are open go on while none can be planned', async () => {
    const address = await coin();
    await journey.sweep();
    await journey.finish();
    const token = await journey.credited('250');
    await sweptWithoutPrice();
    expect(await statuses(address, token)).toEqual(['done', '']);
  });

  test('a wallet whose nonce the nodes contradict waits alone', async () => {
    const addresses = [await coin(), await coin(), await coin()];
    const foreign = addresses[1]!;
    const ask = nodesThat(async () => undefined, 0);
    ask.mockImplementation(async (wallet) => {
      const highest = wallet === foreign ? 9n : 0n;
      return { lowest: wallet === foreign ? 1n : 0n, highest, complete: true };
    });
    try {
      await expect(journey.sweep()).rejects.toThrow(ChainUnavailable);
      expect(await statuses(...addresses)).toEqual(['sweeping', 'planned', 'sweeping']);
    } finally {
      ask.mockRestore();
    }
    await journey.sweepToTheEnd();
    expect(await statuses(...addresses)).toEqual(['done', 'done', 'done']);
  });
});
