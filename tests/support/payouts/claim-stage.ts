/**
 * Refunds that customers claim, on a fake chain: a funded hot wallet, paid invoices, and what
 * merchants and customers do.
 */
import { expect } from 'bun:test';
import type { AppDependencies } from '../../../src/app/dependencies.ts';
import { changeMerchant } from '../../../src/app/merchants/manage-merchants.ts';
import { confirmRefund } from '../../../src/app/payouts/refunds/confirm-refund.ts';
import { type FakeJourney, openFakeJourney, usdt } from '../fake/fake-journey.ts';
import type { Json } from '../test-service.ts';

const ETHER = 10n ** 18n;
const LOCAL = ['127.0.0.0/8', '::1/128'];

export type ClaimStage = Awaited<ReturnType<typeof openClaimStage>>;

export async function openClaimStage() {
  const journey: FakeJourney = await openFakeJourney();
  const { merchant, it } = journey;
  const deps: AppDependencies = it.service.dependencies;
  await changeMerchant(deps)(merchant.id, { allowedSubnets: LOCAL });
  const hotWallet = it.service.sending.chains.get('ethereum')?.deriver.hotWallet() ?? '';
  journey.chain().fund(hotWallet, 'usdt_ethereum', usdt('100000'));
  journey.chain().fund(hotWallet, 'eth_ethereum', 100n * ETHER);
  await journey.mineToFinality();

  const call = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: Json): Promise<Json> =>
    (await it.call(merchant.live, method, `/api/v2/${path}`, body)).body;
  const confirm = (id: string, address: string, seenUnits = 0n) =>
    confirmRefund(deps)(id, { address, seenUnits });
  return {
    ...{ journey, deps, hotWallet, call, confirm },
    /** `confirm`, which waits for `quoted` between its quote and its transaction. */
    confirmAfter(quoted: () => Promise<void>): (id: string, address: string) => ReturnType<typeof confirm> {
      const { feeQuoter } = deps;
      const quoteEach: typeof feeQuoter.quoteEach = async (...asked) => {
        const quotes = await feeQuoter.quoteEach(...asked);
        await quoted();
        return quotes;
      };
      const confirmQuoted = confirmRefund({ ...deps, feeQuoter: { ...feeQuoter, quoteEach } });
      return (id, address) => confirmQuoted(id, { address, seenUnits: 0n });
    },
    local: LOCAL,
    statusOf: async (invoice: Json): Promise<string> => (await journey.read(invoice.order_id)).status,
    available: async (): Promise<number> => (await journey.balance()).available,
    /** Base units that the address got. */
    received: (to: string): bigint =>
      journey
        .chain()
        .received(to)
        .reduce((sum, { units }) => sum + units, 0n),
    async sentAndFinal(): Promise<void> {
      await it.settle();
      await journey.mineToFinality();
      await it.settle();
    },
    /** An invoice of 25 USDT and its fee of 0.25, paid so much. */
    async paid(amount = '25.25', body: Json = {}): Promise<Json> {
      const invoice = await journey.create(body);
      journey.pay(invoice, amount);
      await journey.mineToFinality();
      await it.settle();
      return invoice;
    },
    /** By the merchant. */
    async offered(invoice: Json, body: Json = {}): Promise<Json> {
      const { result, error } = await call('POST', `invoices/${invoice.order_id}/refunds`, body);
      expect(error).toBeUndefined();
      return result;
    },
    claim: async (id: string): Promise<Json> => (await call('GET', `refunds/${id}`)).result,
    async confirmed(id: string, address: string): Promise<void> {
      expect(await confirm(id, address)).toMatchObject({ ok: true });
    },
    async why(asked: ReturnType<typeof confirm>): Promise<string> {
      const done = await asked;
      return done.ok ? 'done' : done.error.why;
    },
    /** The types of the claim's events, in order. */
    async steps(id: string): Promise<string[]> {
      const found: string[] = [];
      for (let [after, more] = [0, true]; more; ) {
        const { result, pagination } = await call('GET', `events?after=${after}&limit=100`);
        found.push(...result.flatMap(({ data, type }: Json) => (data.id === id ? [type] : [])));
        [after, more] = [pagination.next_after, pagination.has_more];
      }
      return found;
    },
    payoutsOf: (id: string): Promise<number> =>
      deps.unitOfWork.run(({ refundClaims }) => refundClaims.payouts(id)),
  };
}
