/**
 * What must not keep payouts and consolidations of a UTXO chain from being made when the money is
 * there.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { fakeDeriver } from '../../../src/adapters/chains/fake/fake-deriver.ts';
import { utxoSpending } from '../../../src/adapters/chains/utxo/send/spendable.ts';
import type { SendingChain } from '../../../src/app/sending/sending-chain.ts';
import { utxoAllocator } from '../../../src/app/sending/utxos/allocate-utxos.ts';
import { UNLIMITED_PAYOUTS } from '../../../src/domain/payouts/payout-limits.ts';
import type { Payout } from '../../../src/domain/payouts/payout-record.ts';
import type { UtxoSpending } from '../../../src/ports/sending/utxo-spending.ts';
import { aHash, anId, aPayout, NOW } from '../../support/builders.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';
import { ofRate, stubSending } from '../../support/utxo/utxo-stub.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('coins that are there', () => {
  let it: TestService;
  let utxos: UtxoSpending;
  let recipient: string;
  beforeAll(async () => {
    it = await startTestService({ env: { CHAINS: 'fake' } });
    // The real arithmetic, at one satoshi a byte.
    const sending = await stubSending('bitcoin', [ofRate(1_000n)]);
    utxos = utxoSpending(sending);
    recipient = sending.changeAddress(5_000_000);
  });
  afterAll(() => it.stop());

  async function opened(units: readonly bigint[]) {
    const { dependencies: deps } = it.service;
    const chain = `chain-${anId()}`;
    const { id: merchantId } = await it.merchant({});
    const deriver = fakeDeriver({ family: 'bitcoin' });
    const capabilities = { paymentsAtOnce: 200 };
    const sender = {
      chain,
      nativeAsset: 'btc_bitcoin',
      capabilities,
      utxos,
    } as unknown as SendingChain['sender'];
    const on = { chain, family: 'bitcoin', sender, deriver } as unknown as SendingChain;
    const address = deriver.hotWallet() ?? '';
    await deps.unitOfWork.run(async (r) => {
      const cursor = { height: 9, hash: aHash(), coveredUntil: NOW, finalizedHeight: 8 };
      await r.chains.moveCursor(chain, null, cursor);
      const block = { height: 7, hash: aHash() };
      for (const each of units)
        await r.utxos.insertFunding(chain, { txid: aHash(), vout: 0, address, units: each }, block);
    });
    return {
      async order(...sizes: bigint[]): Promise<readonly Payout[]> {
        const payouts = sizes.map((sentUnits) =>
          aPayout({
            ...{ merchantId, asset: 'btc_bitcoin', address: recipient },
            ...{ sentUnits, amountUnits: sentUnits },
          }),
        );
        await deps.unitOfWork.run(async (r) => {
          for (const payout of payouts) await r.payouts.insert(payout);
        });
        return payouts;
      },
      async allocate(payouts: readonly Payout[]) {
        const open = await deps.unitOfWork.run((r) => r.outgoing.open(chain, 1_000));
        const plan = await utxoAllocator(deps, on, utxos, UNLIMITED_PAYOUTS)(payouts, open);
        return plan.allocate();
      },
      fates: (payouts: readonly Payout[]) =>
        deps.unitOfWork.run(async (r) => {
          const fates = [];
          for (const { id } of payouts) {
            const found = await r.payouts.lock(id);
            fates.push(found?.dispatchedAt ? 'let go' : found?.waiting?.code);
          }
          return fates;
        }),
      purposes: () =>
        deps.unitOfWork.run(async (r) => (await r.outgoing.open(chain, 1_000)).map(({ purpose }) => purpose)),
    };
  }
  const many = (count: number, units: bigint) => Array.from({ length: count }, () => units);

  test('a payout of all that is there, which leaves nothing for the fee, does not stop those behind it', async () => {
    const { order, allocate, fates } = await opened([1_000_000n]);
    const payouts = await order(999_990n, 200_000n, 300_000n);
    await allocate(payouts);
    expect(await fates(payouts)).toEqual(['liquidity', 'let go', 'let go']);
  });

  test('UTXOs that are not worth their fee do not let a payout in that stops those behind it', async () => {
    const { order, allocate, fates } = await opened([1_000_000n, ...many(50, 60n)]);
    const payouts = await order(1_000_500n, 200_000n);
    await allocate(payouts);
    expect(await fates(payouts)).toEqual(['liquidity', 'let go']);
  });

  test('a payout that needs more than the 500 largest UTXOs is paid in the end: they are made fewer for it', async () => {
    // 1,200 deposits of 0.0005; the payout is less than half of what they are.
    const { order, allocate, purposes } = await opened(many(1_200, 50_000n));
    const payouts = await order(26_000_000n);
    // Its turn comes again and again, as in every step of the worker.
    for (let step = 0; step < 3; step += 1) await allocate(payouts);
    // Either it went, or something was done about it.
    expect(await purposes()).not.toEqual([]);
  });

  test('a payout that waits for another reason (dust) does not keep small UTXOs from being consolidated', async () => {
    const { order, allocate, purposes } = await opened(many(200, 50_000n));
    const payouts = await order(100n);
    for (let step = 0; step < 3; step += 1) await allocate(payouts);
    expect(await purposes()).toEqual(['consolidation']);
  });

  test('a hundred outputs of dust that a stranger sent to the hot wallet do not keep the others from being consolidated', async () => {
    const { allocate, purposes } = await opened([...many(300, 50_000n), ...many(100, 294n)]);
    await allocate([]);
    expect(await purposes()).toEqual(['consolidation']);
  });
});
