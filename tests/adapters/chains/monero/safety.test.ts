/**
 * safety.md M1 to M3 where scanner and wallet meet, on real programs: blocks are mined whose
 * rewards pay our subaddresses.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { moneroDeriver } from '../../../../src/adapters/chains/monero/deriver.ts';
import { moneroScanner } from '../../../../src/adapters/chains/monero/scanner.ts';
import type { ChainScanner, Transfer } from '../../../../src/ports/chains/chain-scanner.ts';
import { watching } from '../../../support/chains/watch-list.ts';
import {
  MERCHANT,
  type MoneroLab,
  OPENING_MS,
  openMoneroLab,
  scannerOptions,
} from '../../../support/monero/monero-lab.ts';
import { moneroAvailable } from '../../../support/nodes/monero.ts';
import { needs } from '../../../support/runtime/needs.ts';

/**
 * Deeper than the scanner's confirmations. What 18 blocks do to an invoice:
 * tests/journeys/chains/monero.test.ts.
 */
const DEEP = 6;

describe.skipIf(!needs('monerod', moneroAvailable()))('monero payments that are not what they seem', () => {
  let lab: MoneroLab;
  let scanner: ChainScanner;
  const addresses = moneroDeriver(MERCHANT).derive({ from: 0, count: 20 });
  const watch = watching(addresses);
  let secret = 1_000n;
  const fresh = () => {
    secret += 1n;
    return { to: addresses[Number(secret % 20n)]!, secret };
  };

  beforeAll(async () => {
    lab = await openMoneroLab({ pays: true });
    scanner = moneroScanner(scannerOptions(lab));
  }, OPENING_MS);
  afterAll(async () => {
    await scanner.close();
    await lab.stop();
  });

  async function paidIn(
    range: { from: number; to: number },
    by: ChainScanner = scanner,
  ): Promise<readonly Transfer[]> {
    return (await by.blocks(range, watch)).flatMap(({ transfers }) => transfers);
  }

  test('M1: two transactions that pay one one-time key are credited once, and to everybody alike', async () => {
    const payment = fresh();
    const first = await lab.mineReward(payment);
    const second = await lab.mineReward(payment);
    expect(second.txid).not.toBe(first.txid);
    const range = { from: first.height, to: second.height };
    const once = [{ txid: first.txid, to: payment.to, units: first.units }];
    expect(await paidIn(range)).toMatchObject(once);
    expect(await paidIn({ from: second.height, to: second.height })).toEqual([]);
    // Another wallet, which reads both blocks at once.
    const other = moneroScanner({ ...scannerOptions(lab), startHeight: 1 });
    expect(await paidIn(range, other)).toMatchObject(once);
    await other.close();
  });

  test('M1: the second counts when a reorganisation takes the first away', async () => {
    const payment = fresh();
    const first = await lab.mineReward(payment);
    expect(await paidIn({ from: first.height, to: first.height })).toHaveLength(1);
    await lab.reorg(1);
    const second = await lab.mineReward(payment);
    const found = await paidIn({ from: first.height, to: second.height });
    expect(found).toMatchObject([{ txid: second.txid, units: second.units }]);
  });

  test('M1: a transaction that names its key twice is credited once', async () => {
    const reward = await lab.mineReward({ ...fresh(), keyTwice: true });
    expect(await paidIn({ from: reward.height, to: reward.height })).toMatchObject([
      { txid: reward.txid, units: reward.units },
    ]);
  });

  test('M2: a payment with an unlock height says until when it is locked, and an ordinary block has none', async () => {
    const payment = fresh();
    const reward = await lab.mineReward(payment);
    const minor = addresses.indexOf(payment.to) + 1;
    expect(await paidIn({ from: reward.height, to: reward.height })).toEqual([
      {
        txid: reward.txid,
        output: `subaddress:0/${minor}`,
        asset: 'xmr_monero',
        to: payment.to,
        from: null,
        units: reward.units,
        kind: 'payment',
        lockedUntil: reward.height + 60,
      },
    ]);
    expect(await scanner.pending(watch)).toEqual([]);
  });

  test('M3: a reorganisation of what was final takes the payment away, and in between no old block is told as new', async () => {
    await lab.mine(2);
    const reward = await lab.mineReward(fresh());
    const top = await lab.mine(DEEP - 1);
    const range = { from: reward.height, to: top };
    expect(await paidIn(range)).toHaveLength(1);
    await lab.pop(DEEP);
    const shorter = (await scanner.head()).tip.height;
    expect(shorter).toBe(reward.height - 1);
    expect(await paidIn({ from: shorter - 1, to: shorter })).toEqual([]);
    await expect(paidIn(range)).rejects.toThrow(/no node could answer/);
    expect(await scanner.pending(watch)).toEqual([]);
    await lab.mine(DEEP);
    expect(await paidIn(range)).toEqual([]);
    expect(await scanner.lookup(reward.txid)).toEqual({ state: 'unknown' });
  });

  test('M1: of a second, larger output to one one-time key only what it has more is credited, to everybody alike', async () => {
    const payment = fresh();
    const first = await lab.mineReward(payment);
    expect(await paidIn({ from: first.height, to: first.height })).toMatchObject([{ units: first.units }]);
    // Its block has the fee of a transaction besides the reward.
    await lab.pay(MERCHANT.primaryAddress, 1_000_000n);
    const second = await lab.mineReward(payment);
    expect(second.units).toBeGreaterThan(first.units);
    // Together what the larger output is worth: the other can never be spent as well.
    const credited = [
      { txid: first.txid, to: payment.to, units: first.units },
      { txid: second.txid, to: payment.to, units: second.units - first.units },
    ];
    const range = { from: first.height, to: second.height };
    expect(await paidIn(range)).toMatchObject(credited);
    const other = moneroScanner({ ...scannerOptions(lab), startHeight: 2 });
    expect(await paidIn(range, other)).toMatchObject(credited);
    await other.close();
  });
});
