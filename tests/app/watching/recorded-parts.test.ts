/** A storage that is late with many transfers records them all the same, in smaller parts. */
import { describe, expect, test } from 'bun:test';
import { recordedParts } from '../../../src/app/watching/recorded-parts.ts';
import { chainWatcher } from '../../../src/app/watching/watch-chain.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import type { ChainScanner, Transfer } from '../../../src/ports/chains/chain-scanner.ts';
import { StorageUnavailable, type UnitOfWork } from '../../../src/ports/repositories.ts';
import { anId, anInvoice, anIssuedAddress, aPrice, NOW } from '../../support/builders.ts';
import { aTxid } from '../../support/chains/utxo-builders.ts';
import { watchingNobody } from '../../support/chains/watch-list.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { startTestService } from '../../support/test-service.ts';

class Late extends StorageUnavailable {
  override readonly isLate = true;
}

describe('transfers that are recorded in parts', () => {
  const numbers = Array.from({ length: 600 }, (_, n) => n);

  test('are halved while they are late, and come in larger parts again afterwards', async () => {
    const parts = recordedParts();
    const sizes: number[] = [];
    const stored: number[] = [];
    const record = (most: number) => async (part: readonly number[]) => {
      sizes.push(part.length);
      if (part.length > most) throw new Late('too many');
      stored.push(...part);
      return true;
    };
    expect(await parts.record(numbers, record(100))).toBe(true);
    expect(stored).toEqual(numbers);
    expect(sizes.slice(0, 4)).toEqual([250, 125, 62, 62]);
    sizes.length = 0;
    await parts.record(numbers, record(1_000));
    expect(sizes).toEqual([62, 124, 248, 166]);
  });

  test('are soon as many as before after one short stall of the storage', async () => {
    const parts = recordedParts();
    let stalls = 1;
    await parts.record([1, 2], async () => {
      if (stalls-- > 0) throw new Late('once');
      return true;
    });
    let transactions = 0;
    await parts.record(numbers, async () => {
      transactions += 1;
      return true;
    });
    expect(transactions).toBeLessThan(12);
  });

  test('end between two of them once it stops, to be recorded by the next look', async () => {
    const stopping = new AbortController();
    const seen: number[] = [];
    const record = async (part: readonly number[]) => {
      seen.push(part.length);
      stopping.abort();
      return true;
    };
    expect(await recordedParts().record(numbers, record, stopping.signal)).toBe(false);
    expect(seen).toEqual([250]);
  });

  test('fail where one alone is late, where the storage is away, and once it stops', async () => {
    const failing = (error: Error) => {
      const sizes: number[] = [];
      const record = async (part: readonly number[]) => {
        sizes.push(part.length);
        throw error;
      };
      return { sizes, record };
    };
    const late = failing(new Late('always'));
    await expect(recordedParts().record(numbers, late.record)).rejects.toBeInstanceOf(Late);
    expect(late.sizes).toEqual([250, 125, 62, 31, 15, 7, 3, 1]);
    const away = failing(new StorageUnavailable('away'));
    await expect(recordedParts().record(numbers, away.record)).rejects.toThrow('away');
    expect(away.sizes).toEqual([250]);
    const stopped = failing(new Late('once'));
    await expect(recordedParts().record(numbers, stopped.record, AbortSignal.abort())).rejects.toBeInstanceOf(
      Late,
    );
    expect(stopped.sizes).toEqual([250]);
  });

  test('end where the cursor was moved by somebody else, and have a last part also if there are none', async () => {
    const seen: (readonly [number, boolean])[] = [];
    const record = async (part: readonly number[], isLast: boolean) => {
      seen.push([part.length, isLast]);
      return seen.length < 2;
    };
    expect(await recordedParts().record(numbers, record)).toBe(false);
    expect(seen).toEqual([
      [250, false],
      [250, false],
    ]);
    seen.length = 0;
    expect(await recordedParts().record([], record)).toBe(true);
    expect(seen).toEqual([[0, true]]);
  });
});

describe.skipIf(!needs('postgres', postgresAvailable()))('a chain whose storage is late with a set', () => {
  test('U5: is read on all the same, and records every payment once', async () => {
    const it = await startTestService({ env: { CHAINS: 'fake' } });
    try {
      const { dependencies: deps } = it.service;
      const chain = { ...chainNamed('bitcoin'), name: `chain-${anId()}` };
      const to = `bc1q${anId()}`;
      const { id: merchantId } = await it.merchant({});
      const price = aPrice({ asset: 'btc_bitcoin' });
      const invoice = anInvoice({ merchantId, price });
      await deps.unitOfWork.run(async (r) => {
        await r.invoices.insert(invoice);
        await r.addresses.insert(
          anIssuedAddress({ merchantId, family: 'bitcoin', address: to, invoiceId: invoice.id }),
        );
      });
      const transfers = Array.from(
        { length: 300 },
        (): Transfer => ({
          ...{ txid: aTxid(), output: 'vout:0', asset: 'btc_bitcoin', to, from: null },
          ...{ units: 90_000n, kind: 'payment' },
        }),
      );
      const block = (height: number) => ({
        ...{ height, hash: `a${height}`, parentHash: `a${height - 1}` },
        time: NOW.getTime() / 1000 + height,
      });
      const scanner: ChainScanner = {
        ...{ chain: chain.name, maxRange: 16 },
        head: async () => ({ tip: block(10), finalizedHeight: 5 }),
        blockAt: async (height) => block(height),
        blocks: async ({ from, to: last }) =>
          Array.from({ length: last - from + 1 }, (_, n) => ({
            ...block(from + n),
            transfers: from + n === 7 ? transfers : [],
          })),
        pending: async () => [],
        lookup: async () => ({ state: 'pending' }),
        confirmWithNodes: async () => ({ kind: 'not_final' }),
        unscannedAssets: async () => [],
        close: async () => undefined,
      };
      let late = 0;
      /** What is late may be stored all the same: every second one is. */
      const slow: UnitOfWork = {
        async run(work, limits) {
          let rows = 0;
          const rollBack = late % 2 === 0;
          const answer = await deps.unitOfWork.run(async ({ deposits, ...others }) => {
            const result = await work({
              ...others,
              deposits: {
                ...deposits,
                async insertAll(given) {
                  rows += given.length;
                  await deposits.insertAll(given);
                },
              },
            });
            if (rows > 40 && rollBack) {
              late += 1;
              throw new Late('too many');
            }
            return result;
          }, limits);
          if (rows <= 40) return answer;
          late += 1;
          throw new Late('too many, and stored');
        },
      };
      const watcher = chainWatcher(
        { ...deps, unitOfWork: slow },
        { chain, scanner, watch: watchingNobody, startHeight: 5, hotWallet: null },
      );
      await watcher.begin();
      await watcher.poll();
      const cursor = await deps.unitOfWork.run((r) => r.chains.cursor(chain.name));
      expect(cursor).toMatchObject({ height: 10 });
      expect(late).toBeGreaterThan(1);
      const recorded = await deps.unitOfWork.run((r) => r.deposits.unfinal(chain.name, 7));
      expect(new Set(recorded.map(({ txid }) => txid)).size).toBe(300);
      expect(recorded).toHaveLength(300);
      const { funds } = (await deps.unitOfWork.run((r) => r.invoices.find(invoice.id)))!;
      expect(funds.pendingUnits).toBe(300n * 90_000n);
    } finally {
      await it.stop();
    }
  });
});
