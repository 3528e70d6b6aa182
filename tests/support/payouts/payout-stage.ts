/**
 * A merchant with a balance and a hot wallet with money on a fake chain, and a signer and a sender
 * that a test can come between.
 */
import { expect } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { fakeEntropy, fakeFamily } from '../../../src/adapters/chains/fake/fake-family.ts';
import { hotWalletOf, type SendingChain } from '../../../src/app/sending/sending-chain.ts';
import type { Payout } from '../../../src/domain/payouts/payout-record.ts';
import type { ChainSender } from '../../../src/ports/sending/chain-sender.ts';
import { type SigningOrder, SigningRefused } from '../../../src/ports/sending/signer.ts';
import { anAddress } from '../builders.ts';
import { type FakeChainName, type FakeJourney, openFakeJourney, usdt } from '../fake/fake-journey.ts';

export const ETHER = 10n ** 18n;

export async function openPayoutStage(
  options: {
    credit?: string;
    usdt?: string;
    ether?: bigint;
    sender?: Partial<ChainSender>;
    /** Ethereum, and its native asset, by default. */
    at?: { chain: FakeChainName; native: string };
  } = {},
) {
  /** Payouts that the signer does not sign for at present. */
  const refused = new Set<string>();
  const over: {
    sender: Partial<ChainSender>;
    beforeSigning?: ((order: SigningOrder) => Promise<void>) | undefined;
  } = {
    sender: options.sender ?? {},
  };
  const wrapped = (chain: SendingChain): SendingChain => ({
    ...chain,
    sender: new Proxy(chain.sender, {
      get: (target, name: keyof ChainSender) => over.sender[name] ?? target[name],
    }),
    signer: {
      ...chain.signer,
      async sign(asked) {
        const named = asked.payments.find(({ referenceId }) => refused.has(referenceId));
        if (named && !asked.voids)
          throw new SigningRefused('over the limit of a day', {
            lasting: false,
            transferId: named.transferId,
          });
        await over.beforeSigning?.(asked);
        return chain.signer.sign(asked);
      },
    },
  });
  const { chain, native } = options.at ?? { chain: 'ethereum', native: 'eth_ethereum' };
  const token = `usdt_${chain}`;
  const journey: FakeJourney = await openFakeJourney({ sending: wrapped }, chain);
  const { service } = journey.it;
  const { unitOfWork } = service.dependencies;
  const credit = options.credit ?? '1000';
  const invoice = await journey.create({ amount: Number(credit) });
  const deposit = journey.pay(invoice, String(invoice.amount));
  await journey.mineToFinality();
  const on = service.sending.chains.get(chain);
  if (!on) throw new Error(`${chain} has no sender`);
  const hot = hotWalletOf(on);
  if (options.usdt !== '0') journey.chain().fund(hot, token, usdt(options.usdt ?? '100000'));
  journey.chain().fund(hot, native, options.ether ?? 100n * ETHER);
  journey.chain().mine();
  return {
    journey,
    on,
    hot,
    deposit,
    refused,
    over,
    deps: service.dependencies,
    step: async () => service.sending.senders.get(chain)?.step(),
    async order(body: Record<string, unknown> = {}, live = journey.merchant.live): Promise<string> {
      const answer = await journey.it.call(
        live,
        'POST',
        '/api/v2/payouts',
        { address: strangerAt(on), amount: 5, asset: token, ...body },
        { 'x-uniq-id': randomUUID() },
      );
      expect(answer.body).toMatchObject({ ok: true });
      return answer.body.result.order_id;
    },
    async stored(id: string): Promise<Payout> {
      const payout = await unitOfWork.run((r) => r.payouts.lock(id));
      if (!payout) throw new Error('the payout is gone');
      return payout;
    },
    signedOf: (payoutId: string) =>
      unitOfWork.run(async (r) => {
        const transfer = await r.outgoing.activeOf('payout', payoutId);
        return transfer === null ? [] : r.outgoing.signedOf([transfer.id]);
      }),
    open: () => unitOfWork.run((r) => r.outgoing.open(chain, 1_000)),
    close: () => journey.close(),
  };
}
/** An address that is not ours, in the chain's form. */
function strangerAt({ family }: SendingChain): string {
  return family === 'evm'
    ? anAddress()
    : fakeFamily(family).address(fakeEntropy(`stranger/${family}`, strangers++));
}
let strangers = 0;

export type PayoutStage = Awaited<ReturnType<typeof openPayoutStage>>;
