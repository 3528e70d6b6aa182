/** Which payouts of a UTXO chain become a batch, and what the others wait for. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { fakeDeriver } from '../../../src/adapters/chains/fake/fake-deriver.ts';
import type { SendingChain } from '../../../src/app/sending/sending-chain.ts';
import { utxoAllocator } from '../../../src/app/sending/utxos/allocate-utxos.ts';
import { type PayoutLimits, UNLIMITED_PAYOUTS } from '../../../src/domain/payouts/payout-limits.ts';
import type { Payout } from '../../../src/domain/payouts/payout-record.ts';
import type { UtxoSpending } from '../../../src/ports/sending/utxo-spending.ts';
import { aHash, anEntry, anId, aPayout, NOW } from '../../support/builders.ts';
import { aUtxo } from '../../support/chains/utxo-builders.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

const DUST = 546n;
const notAsked = (): never => {
  throw new Error('not asked for');
};

/** All UTXOs are spent when they are enough; fees are nothing. */
const utxos: UtxoSpending = {
  replaceable: true,
  feeRate: async () => 1_000n,
  isDust: ({ units }) => units < DUST,
  choose: ({ utxos: free, payments }) => {
    const sum = (of: readonly { units: bigint }[]) => of.reduce((total, { units }) => total + units, 0n);
    return sum(free) >= sum(payments) ? free : null;
  },
  consolidate: notAsked,
  bump: notAsked,
  spends: notAsked,
  changeOf: notAsked,
  unspent: notAsked,
  unspentAtAll: notAsked,
  spentByWaiting: notAsked,
  waitingPaying: notAsked,
};

describe.skipIf(!needs('postgres', postgresAvailable()))('a batch of payouts', () => {
  let it: TestService;
  beforeAll(async () => {
    it = await startTestService({ env: { CHAINS: 'fake' } });
  });
  afterAll(() => it.stop());

  /** A chain of its own, with a merchant who has nothing, and a UTXO. */
  async function opened(coinUnits: bigint) {
    const { dependencies: deps } = it.service;
    const chain = `chain-${anId()}`;
    const { id: merchantId } = await it.merchant({});
    const deriver = fakeDeriver({ family: 'bitcoin' });
    // Only what allocating asks for.
    const capabilities = { paymentsAtOnce: 50 };
    const sender = {
      chain,
      nativeAsset: 'btc_bitcoin',
      capabilities,
      utxos,
    } as unknown as SendingChain['sender'];
    const on = { chain, family: 'bitcoin', sender, deriver } as unknown as SendingChain;
    const block = { height: 7, hash: aHash() };
    const utxo = { txid: aHash(), vout: 0, address: deriver.hotWallet() ?? '', units: coinUnits };
    await deps.unitOfWork.run(async (r) => {
      const cursor = { height: 9, hash: aHash(), coveredUntil: NOW, finalizedHeight: 8 };
      await r.chains.moveCursor(chain, null, cursor);
      await r.utxos.insertFunding(chain, utxo, block);
    });
    return {
      chain,
      deps,
      merchantId,
      async order(...given: Partial<Payout>[]): Promise<readonly Payout[]> {
        const payouts = given.map((each) => aPayout({ merchantId, asset: 'btc_bitcoin', ...each }));
        await deps.unitOfWork.run(async (r) => {
          for (const payout of payouts) await r.payouts.insert(payout);
        });
        return payouts;
      },
      allocate: async (payouts: readonly Payout[], limits: PayoutLimits = UNLIMITED_PAYOUTS) =>
        (await utxoAllocator(deps, on, utxos, limits)(payouts, [])).allocate(),
      /** Of each payout whether it was let go, is held, or waits and for what. */
      fates: (payouts: readonly Payout[]) =>
        deps.unitOfWork.run(async (r) => {
          const fates = [];
          for (const { id } of payouts) {
            const found = await r.payouts.lock(id);
            const held = found?.held === null ? null : 'held';
            fates.push(found?.dispatchedAt ? 'let go' : (held ?? found?.waiting?.code));
          }
          return fates;
        }),
      owes: (microUsd: bigint) =>
        deps.unitOfWork.run((r) =>
          r.ledger.post(
            anEntry({
              merchantId,
              kind: 'payout_retaken',
              referenceId: anId(),
              depositId: null,
              postings: [
                { account: 'merchant', currency: 'USD', amount: microUsd },
                { account: 'payouts_in_flight', currency: 'USD', amount: -microUsd },
              ],
            }),
          ),
        ),
    };
  }
  const sizes = (...units: bigint[]) => units.map((sentUnits) => ({ sentUnits, amountUnits: sentUnits }));

  test('has what the UTXOs pay for; one that is too large waits, and those behind it go', async () => {
    const { order, allocate, fates } = await opened(10_000n);
    const payouts = await order(...sizes(4_000n, 50_000n, DUST - 1n, 5_000n));
    expect(await allocate(payouts)).toBe(2);
    expect(await fates(payouts)).toEqual(['let go', 'liquidity', 'dust', 'let go']);
  });

  test('spends no UTXO whose block is not final, or that no block has', async () => {
    const { chain, deps, order, allocate, fates } = await opened(10_000n);
    const [change, waiting] = [aUtxo({ units: 5_000n }), aUtxo({ units: 5_000n })];
    await deps.unitOfWork.run(async (r) => {
      await r.utxos.insert(chain, [change, waiting]);
      await r.utxos.settle(chain, change.txid, 9);
    });
    const [small, large] = [await order(...sizes(10_000n)), await order(...sizes(10_001n))];
    expect(await allocate(large)).toBe(0);
    expect(await fates(large)).toEqual(['liquidity']);
    expect(await allocate(small)).toBe(1);
    const [batch] = await deps.unitOfWork.run((r) => r.outgoing.open(chain, 10));
    const spent = await deps.unitOfWork.run((r) => r.utxos.ofBatch(batch?.transferBatchId ?? ''));
    expect(spent.map(({ units }) => units)).toEqual([10_000n]);

    const another = await order(...sizes(5_000n));
    expect(await allocate(another)).toBe(0);
    await deps.unitOfWork.run(async ({ chains }) => {
      const cursor = (await chains.cursor(chain))!;
      await chains.moveCursor(chain, cursor, { ...cursor, height: 10, hash: aHash(), finalizedHeight: 9 });
    });
    expect(await allocate(another)).toBe(1);
  });

  test('makes one UTXO of many only where their blocks are final', async () => {
    const { chain, deps, allocate } = await opened(10_000n);
    // With the one that is there 100 are final, and as many more are not.
    const own = (height: number, count: number) =>
      deps.unitOfWork.run(async (r) => {
        const txid = aHash();
        await r.utxos.insert(
          chain,
          Array.from({ length: count }, (_, vout) => aUtxo({ txid, vout })),
        );
        await r.utxos.settle(chain, txid, height);
      });
    await own(8, 98);
    await own(9, 100);
    expect(await allocate([])).toBe(0);
  });

  test('has no payout of a merchant who owes', async () => {
    const { order, allocate, fates, owes } = await opened(10_000n);
    await owes(1n);
    const payouts = await order(...sizes(4_000n));
    expect(await allocate(payouts)).toBe(0);
    expect(await fates(payouts)).toEqual(['negative_balance']);
  });

  test('has no more of a merchant than leaves within a day', async () => {
    const { order, allocate, fates } = await opened(100_000n);
    const limits = { ...UNLIMITED_PAYOUTS, dayMicroUsd: 11_000_000n };
    // Of 5 USD each.
    const payouts = await order(...sizes(1_000n, 1_000n, 1_000n));
    expect(await allocate(payouts, limits)).toBe(2);
    expect(await fates(payouts)).toEqual(['let go', 'let go', 'held']);
  });
});
