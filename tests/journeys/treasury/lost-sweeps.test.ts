/**
 * An older backup is put back, and sweeps of after it had moved money from deposit addresses: the
 * operator books what they moved, and from then on chain and books agree.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { creditStray } from '../../../src/app/deposits/unmatched-deposits.ts';
import { bookCapital, type CapitalFound } from '../../../src/app/treasury/book-capital.ts';
import { bookDifference, differencesOf } from '../../../src/app/treasury/book-differences.ts';
import { ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';
import {
  ETH,
  ETHER,
  openTreasuryJourney,
  type TreasuryJourney,
  USDT,
} from '../../support/payouts/treasury-journey.ts';
import { type DatabaseBackup, databaseBackup } from '../../support/postgres/database-backup.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const HUNDRED = 100_000_000n;

describe.skipIf(!needs('postgres', postgresAvailable()))('sweeps that an older backup lacks', () => {
  let journey: TreasuryJourney;
  let backup: DatabaseBackup;
  beforeEach(async () => {
    journey = await openTreasuryJourney({ funded: true });
    backup = databaseBackup(journey.it.databaseUrl);
  });
  afterEach(async () => {
    await backup.close();
    await journey.close();
  });
  const deps = () => journey.it.service.dependencies;

  /** Answers deposit addresses whose money was swept after the backup that is there again. */
  async function lost(): Promise<{ token: string; coin: string }> {
    const token = await journey.credited('100');
    const coin = await journey.credited(String(ETHER), ETH);
    await backup.take();
    await journey.sweepToTheEnd();
    expect([journey.balanceOf(token, USDT), journey.balanceOf(coin, ETH) < ETHER]).toEqual([0n, true]);
    await backup.putBack();
    await journey.it.settle();
    await journey.mineToFinality();
    return { token, coin };
  }
  /** Pays the address of a payment that was swept; answers the unmatched deposit. */
  async function stray(address: string, asset: string, units: bigint): Promise<string> {
    const { txid } = journey.chain().pay({ to: address, asset, units });
    await journey.mineToFinality();
    const found = await deps().operatorQueries.deposits({ statuses: ['stray'], sandbox: false, limit: 9 });
    return found.find((deposit) => deposit.txid === txid)?.id ?? '';
  }
  async function credit(depositId: string): Promise<void> {
    expect(await creditStray(deps())(depositId)).toMatchObject({ ok: true });
  }
  /** Answers an address whose unmatched deposit was credited and swept after the backup. */
  async function lostStray(asset: string, units: bigint): Promise<{ address: string; gone: string }> {
    const address = await journey.credited('100');
    await journey.sweepToTheEnd();
    const gone = await stray(address, asset, units);
    await backup.take();
    await credit(gone);
    await journey.sweepToTheEnd();
    expect(journey.balanceOf(address, asset)).toBeLessThan(units);
    await backup.putBack();
    await journey.it.settle();
    await journey.mineToFinality();
    return { address, gone };
  }
  /** A wallet's nonce that the backup lacks counts once nodes have reported it for a minute. */
  async function sweepOnceProven(wallets = 2): Promise<void> {
    try {
      await journey.sweepToTheEnd();
    } catch (error) {
      if (!(error instanceof ChainUnavailable) || wallets === 0) throw error;
      journey.clock.advance(61);
      await sweepOnceProven(wallets - 1);
    }
  }
  const newestSweep = async (address: string) => (await journey.sweepsOf(address)).at(-1);
  async function differing(): Promise<readonly string[]> {
    const { differences } = await journey.reconciled();
    return differences.map(({ address, asset }) => `${address} ${asset}`).toSorted();
  }
  const book = (asset: string, address: string | null = null, dryRun = false) =>
    bookCapital(deps(), journey.on)({ asset, address, note: 'a lost sweep', dryRun, takesBack: true });
  async function refusal(asset: string, address: string): Promise<string> {
    const found = await book(asset, address);
    return found.ok ? 'booked' : found.error.message;
  }
  async function bookAll(dryRun = false): Promise<readonly CapitalFound[]> {
    const booked = [];
    for (const difference of (await differencesOf(deps(), journey.on)).found) {
      const found = await bookDifference(deps(), journey.on)(difference, { note: '', dryRun });
      if (!found.ok) throw new Error(found.error.message);
      booked.push(found.value);
    }
    return booked;
  }

  test('K4: are booked address by address, and the chain equals the books', async () => {
    const { token, coin } = await lost();
    const { hot } = journey;
    expect(await differing()).toEqual(
      [`${token} ${USDT}`, `${token} ${ETH}`, `${coin} ${ETH}`, `${hot} ${USDT}`, `${hot} ${ETH}`].toSorted(),
    );
    expect(await book(USDT, token, true)).toMatchObject({ value: { units: -HUNDRED, booked: false } });
    expect(await book(USDT, token)).toMatchObject({
      value: { address: token, expectedUnits: HUNDRED, foundUnits: 0n, units: -HUNDRED, booked: true },
    });
    expect(await refusal(USDT, token)).toContain('was booked at block');
    for (const [asset, at] of [
      [ETH, token],
      [ETH, coin],
      [USDT, null],
      [ETH, hot],
    ] as const)
      expect(await book(asset, at)).toMatchObject({ ok: true });
    expect(await differing()).toEqual([]);
    await journey.booksAreRight();
  });

  test('K4: are booked with all differences of the chain, once', async () => {
    const { token, coin } = await lost();
    const shown = await bookAll(true);
    expect(shown.map(({ booked }) => booked)).toEqual([false, false, false, false, false]);
    const booked = await bookAll();
    expect(booked.map(({ address, asset, units }) => ({ address, asset, units }))).toEqual(
      shown.map(({ address, asset, units }) => ({ address, asset, units })),
    );
    expect(new Set(booked.map(({ address }) => address))).toEqual(new Set([null, token, coin]));
    expect(await bookAll()).toEqual([]);
    expect(await differing()).toEqual([]);
    await journey.booksAreRight();
  });

  test('leave one empty sweep behind, and later deposits of the address are swept as usual', async () => {
    const { token } = await lost();
    await bookAll();
    await journey.sweepToTheEnd();
    await journey.sweepToTheEnd();
    const empty = { asset: USDT, status: 'failed', reason: { code: 'empty' }, transferId: null };
    expect(await journey.sweepsOf(token)).toMatchObject([empty]);
    // One is credited, and nobody decides about the other: it stays.
    const later = await stray(token, USDT, 30_000_000n);
    await stray(token, USDT, 20_000_000n);
    await credit(later);
    await journey.sweepToTheEnd();
    // Gas is sent once, though the fee of the lost sweep took some of what is unmatched there.
    const swept = { asset: USDT, status: 'done', units: 30_000_000n };
    expect(await journey.sweepsOf(token)).toMatchObject([empty, swept]);
    expect(journey.balanceOf(token, USDT)).toBe(20_000_000n);
    expect(await differing()).toEqual([]);
    await journey.booksAreRight();
  });

  test('of an unmatched token make later sweeps wait, until the deposit is decided on', async () => {
    const { address, gone } = await lostStray(USDT, HUNDRED);
    await credit(await stray(address, USDT, HUNDRED));
    await sweepOnceProven();
    const waits = { asset: USDT, status: 'planned', reason: { code: 'undecided' }, transferId: null };
    expect(await newestSweep(address)).toMatchObject(waits);
    // The books cannot say which of the two is gone.
    await bookAll();
    await sweepOnceProven();
    expect(await newestSweep(address)).toMatchObject(waits);
    expect(journey.balanceOf(address, USDT)).toBe(HUNDRED);
    await credit(gone);
    await sweepOnceProven();
    expect(await newestSweep(address)).toMatchObject({ asset: USDT, status: 'done', units: HUNDRED });
    expect(journey.balanceOf(address, USDT)).toBe(0n);
    expect(await differing()).toEqual([]);
    await journey.booksAreRight();
  });

  test('of an unmatched token keep no later deposit once they are booked, and none that is undecided goes', async () => {
    const { address } = await lostStray(USDT, HUNDRED);
    await stray(address, USDT, 5_000_000n);
    await bookAll();
    await credit(await stray(address, USDT, HUNDRED));
    await stray(address, USDT, 20_000_000n);
    await sweepOnceProven();
    expect(await newestSweep(address)).toMatchObject({ asset: USDT, status: 'done', units: HUNDRED });
    expect(journey.balanceOf(address, USDT)).toBe(25_000_000n);
    expect(await differing()).toEqual([]);
    await journey.booksAreRight();
  });

  test('of unmatched coins are not made up for with gas: a token waits until they are booked', async () => {
    const { address } = await lostStray(ETH, 5n * ETHER);
    const held = journey.balanceOf(journey.hot, ETH);
    await credit(await stray(address, USDT, HUNDRED));
    await sweepOnceProven();
    const waits = { asset: USDT, status: 'planned', reason: { code: 'undecided' }, topupId: null };
    expect(await newestSweep(address)).toMatchObject(waits);
    expect(journey.balanceOf(journey.hot, ETH)).toBe(held);
    await bookAll();
    await sweepOnceProven();
    expect(await newestSweep(address)).toMatchObject({ asset: USDT, status: 'done', units: HUNDRED });
    const [gas] = await journey.transfersOf('topup', address);
    expect(gas?.units).toBeLessThan(ETHER / 10n);
    expect(await differing()).toEqual([]);
    await journey.booksAreRight();
  });

  test('a payment that was not recorded is not booked, nor at an address of somebody else', async () => {
    const address = await journey.credited('100');
    journey.chain().fund(address, USDT, 7n);
    journey.chain().fund(address, ETH, 7n);
    await journey.mineToFinality();
    for (const asset of [USDT, ETH]) expect(await refusal(asset, address)).toContain('bun run rescan');
    expect(await refusal(USDT, `0x${'9'.repeat(40)}`)).toContain('did not issue');
    expect(await refusal(USDT, 'nowhere')).toContain('did not issue');
    expect(await differing()).toEqual([`${address} ${USDT}`, `${address} ${ETH}`].toSorted());
  });

  test('nothing is booked while a transfer of the address is on its way', async () => {
    const address = await journey.credited('100');
    await journey.sweep();
    expect(await refusal(USDT, address)).toContain('1 transfers from or to');
    await journey.sweepToTheEnd();
    expect(await book(USDT, address)).toMatchObject({ value: { units: 0n, booked: false } });
    await journey.booksAreRight();
  });

  test('what comes back after it was booked out is booked in again, and nothing above it', async () => {
    const { token } = await lost();
    await bookAll();
    // A payment that was not recorded is not what was booked out, though it is less.
    journey.chain().fund(token, USDT, 30_000_000n);
    await journey.mineToFinality();
    expect(await refusal(USDT, token)).toContain('bun run rescan');
    journey.chain().fund(token, USDT, HUNDRED - 30_000_000n);
    await journey.mineToFinality();
    await expect(bookAll()).rejects.toThrow('bun run rescan');
    expect(await book(USDT, token)).toMatchObject({ value: { units: HUNDRED, booked: true } });
    expect(await differing()).toEqual([]);
    await journey.booksAreRight();
    journey.chain().fund(token, USDT, 1n);
    await journey.mineToFinality();
    expect(await refusal(USDT, token)).toContain('bun run rescan');
  });
});
