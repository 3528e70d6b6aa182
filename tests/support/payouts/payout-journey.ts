/**
 * A merchant with a balance and a hot wallet with money on the fake chain, and a signer that tests
 * can come before.
 */
import { expect } from 'bun:test';
import { randomUUID } from 'node:crypto';
import type { SendingChain } from '../../../src/app/sending/sending-chain.ts';
import type { Payout } from '../../../src/domain/payouts/payout-record.ts';
import type { OperatorPayout } from '../../../src/ports/operator-queries.ts';
import { anAddress } from '../builders.ts';
import { type FakeJourney, openFakeJourney, usdt } from '../fake/fake-journey.ts';

export interface PayoutJourney {
  readonly journey: FakeJourney;
  /** Happens between the network's answer and the signature; the next signature only. */
  beforeSigning(work: (() => Promise<unknown>) | null): void;
  /** A live payout of 5 USDT to an address of its own. */
  order(): Promise<{ id: string; to: string }>;
  stored(id: string): Promise<Payout>;
  received(to: string): bigint;
  transferOf(id: string): Promise<OperatorPayout['transfer']>;
  /** Lets everything that is on its way come to its end. */
  finish(): Promise<void>;
}

const ETHER = 10n ** 18n;

export async function openPayoutJourney(): Promise<PayoutJourney> {
  let before: (() => Promise<unknown>) | null = null;
  const interrupted = (chain: SendingChain): SendingChain => ({
    ...chain,
    signer: {
      ...chain.signer,
      async sign(asked) {
        const now = before;
        before = null;
        await now?.();
        return chain.signer.sign(asked);
      },
    },
  });
  const journey = await openFakeJourney({ sending: interrupted });
  journey.pay(await journey.create({ amount: 1_000 }), '1010');
  await journey.mineToFinality();
  const hotWallet = journey.it.service.sending.chains.get('ethereum')?.deriver.hotWallet() ?? '';
  journey.chain().fund(hotWallet, 'usdt_ethereum', usdt('100000'));
  journey.chain().fund(hotWallet, 'eth_ethereum', 100n * ETHER);
  await journey.mineToFinality();
  const { unitOfWork, operatorQueries } = journey.it.service.dependencies;

  return {
    journey,
    beforeSigning(work) {
      before = work;
    },
    async order() {
      const to = anAddress();
      const answer = await journey.it.call(
        journey.merchant.live,
        'POST',
        '/api/v2/payouts',
        { address: to, amount: 5, asset: 'usdt_ethereum' },
        { 'x-uniq-id': randomUUID() },
      );
      expect(answer.body).toMatchObject({ ok: true });
      return { id: answer.body.result.order_id, to };
    },
    async stored(id) {
      const payout = await unitOfWork.run((r) => r.payouts.lock(id));
      if (!payout) throw new Error('the payout is gone');
      return payout;
    },
    received: (to) =>
      journey
        .chain()
        .received(to)
        .reduce((sum, { units }) => sum + units, 0n),
    async transferOf(id) {
      const statuses = ['pending', 'processing', 'success', 'failed', 'cancelled'] as const;
      const filter = { statuses, held: false, waiting: false, merchantId: journey.merchant.id, limit: 100 };
      const listed = await operatorQueries.payouts(filter);
      return listed.find(({ payout }) => payout.id === id)?.transfer ?? null;
    },
    async finish() {
      for (let round = 0; round < 3; round += 1) {
        await journey.it.settle();
        await journey.mineToFinality();
      }
    },
  };
}
