/**
 * Who bears what a recipient's contract costs, on a real node: the merchant who pays it out, and
 * nobody else.
 */
import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { refundInvoice } from '../../../src/app/payouts/refunds/refund-invoice.ts';
import { cancelPayout, releasePayout } from '../../../src/app/sending/operate-payouts.ts';
import { anvilAvailable } from '../../support/evm/anvil.ts';
import { stageAnvilJourney } from '../../support/evm/anvil-journey.ts';
import { gasBurner, gasPriceTrap } from '../../support/evm/evm-burner.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Answer, Json } from '../../support/test-service.ts';

const ASSET = 'eth_ethereum';
const USD_PER_ETHER = 2_000;
/** Not the one that is built in. */
const MAX_FEE_FACTOR = 6;
const ETHER = 10n ** 18n;

describe.skipIf(!needs('anvil', anvilAvailable()) || !needs('postgres', postgresAvailable()))(
  'what a recipient costs',
  () => {
    const on = stageAnvilJourney({ payouts: { max_fee_factor: MAX_FEE_FACTOR } });
    let hot: string;

    beforeAll(async () => {
      hot = on.it.service.sending.chains.get('ethereum')?.deriver.hotWallet() ?? '';
      await on.lab.send({ to: hot, value: 10n * ETHER });
      await on.mine();
    });
    beforeEach(async () => {
      await on.pay(await on.create({ amount: 300 }));
      await on.mineToFinality();
      await on.it.settle();
    });

    const post = (path: string, body: Json): Promise<Answer> =>
      on.it.call(on.merchant.live, 'POST', `/api/v2/${path}`, body, { 'x-uniq-id': crypto.randomUUID() });
    const paying = (address: string): Json => ({ address, asset: ASSET, amount: 0.000001 });
    const order = async (address: string): Promise<string> => {
      const answer = await post('payouts', paying(address));
      expect(answer.body).toMatchObject({ ok: true });
      return answer.body.result.order_id;
    };
    const get = async (id: string): Promise<Json> =>
      (await on.it.call(on.merchant.live, 'GET', `/api/v2/payouts/${id}`)).body.result;
    const stored = async (id: string) => on.it.service.dependencies.unitOfWork.run((r) => r.payouts.lock(id));
    /** What the merchant and the hot wallet have, in USD. */
    async function held(): Promise<{ merchant: number; hot: number }> {
      const wei = BigInt(await on.lab.anvil.rpc<string>('eth_getBalance', [hot, 'latest']));
      return { merchant: (await on.balance()).available, hot: (Number(wei) / 1e18) * USD_PER_ETHER };
    }
    /** What an ordinary payment costs, in USD. */
    async function ordinaryFee(): Promise<number> {
      const { sender } = on.it.service.sending.chains.get('ethereum')!;
      const { expectedUnits } = await sender.price({ asset: ASSET, to: null });
      return (Number(expectedUnits) / 1e18) * USD_PER_ETHER;
    }
    /** What both lost by `work`. */
    async function lost(work: () => Promise<unknown>): Promise<{ merchant: number; hot: number }> {
      const before = await held();
      await work();
      const after = await held();
      return { merchant: before.merchant - after.merchant, hot: before.hot - after.hot };
    }
    const finish = async (): Promise<void> => {
      await on.it.settle();
      await on.mineToFinality();
      await on.it.settle();
    };

    test('G1: a payout to a contract that burns gas is refused at once, with cost and bound, and costs nobody anything', async () => {
      const burner = await gasBurner(on.lab, 8_000_000);
      const dear = await gasBurner(on.lab, 300_000);
      const loss = await lost(async () => {
        const refused = await post('payouts', paying(burner));
        expect(refused.status).toBe(400);
        expect(refused.body.error).toMatchObject({
          code: 'PAYOUT_REJECTED',
          details: { rule: 'network_fee_too_high', fee_usd: null, max_fee_usd: expect.any(Number) },
        });
        const { fee_usd: fee, max_fee_usd: most } = (await post('payouts', paying(dear))).body.error.details;
        expect(fee).toBeGreaterThan(most);
        expect(most / (await ordinaryFee())).toBeCloseTo(MAX_FEE_FACTOR, 1);
        await finish();
      });
      expect(loss).toEqual({ merchant: 0, hot: 0 });
    });

    test('G1: in a batch each item is quoted for its own recipient', async () => {
      const burner = await gasBurner(on.lab, 8_000_000);
      const honest = on.lab.freshAddress();
      const till = await on.lab.deployed('Till');
      const items = [...Array.from({ length: 20 }, () => burner), honest, till].map(paying);
      const loss = await lost(async () => {
        const { result } = (await post('payouts/batch', { items })).body;
        const statuses = result.items.map(({ status }: Json) => status);
        expect(statuses).toEqual([...Array.from({ length: 20 }, () => 'failed'), 'pending', 'pending']);
        const [plain, contract] = await Promise.all(
          result.items.slice(20).map(({ order_id: id }: Json) => get(id)),
        );
        expect(contract.fee_usd).toBeGreaterThan(plain.fee_usd);
        await finish();
        for (const { order_id: id } of result.items.slice(20))
          expect(await get(id)).toMatchObject({ status: 'success' });
      });
      expect(loss.merchant).toBeGreaterThanOrEqual(loss.hot);
      await on.booksAreRight();
    });

    test('G1: a contract that takes what it was quoted costs its merchant at least what it costs', async () => {
      const contract = await gasBurner(on.lab, 40_000);
      const loss = await lost(async () => {
        const id = await order(contract);
        const before = await stored(id);
        expect(before?.extraGas).toBeGreaterThan(40_000n);
        await finish();
        expect(await get(id)).toMatchObject({ status: 'success' });
      });
      expect(loss.hot).toBeGreaterThan(0);
      expect(loss.merchant).toBeGreaterThanOrEqual(loss.hot);
    });

    test('G2: contracts that are cheap when they are tried and burn all when they are paid cost their merchant all of it', async () => {
      const contracts = await Promise.all(Array.from({ length: 5 }, () => gasBurner(on.lab, 10_000)));
      const ids: string[] = [];
      const loss = await lost(async () => {
        for (const contract of contracts) ids.push(await order(contract));
        await on.it.settle();
        for (const contract of contracts) await gasBurner(on.lab, 8_000_000, contract);
        await on.mineToFinality();
        await on.it.settle();
      });
      for (const id of ids) {
        const { status, fee_usd: fee } = await get(id);
        expect(status).toBe('failed');
        expect(fee).toBeGreaterThan(0);
      }
      expect(loss.hot).toBeGreaterThan(0);
      expect(Math.abs(loss.hot - loss.merchant)).toBeLessThanOrEqual(loss.merchant / 100);
      await on.booksAreRight();
    });

    test('G2: a contract that only looks at the gas price of a trial is found out before anything is signed', async () => {
      const loss = await lost(async () => {
        const id = await order(await gasPriceTrap(on.lab));
        await finish();
        expect(await get(id)).toMatchObject({ status: 'failed', fee_usd: 0 });
      });
      // A nonce that it gave up may have been used up by a transaction that moves nothing.
      expect(loss.merchant).toBe(0);
    });

    test('G2: what is found out before it is signed leaves no place behind that others wait for and the operator uses up', async () => {
      const trap = await gasPriceTrap(on.lab);
      const honest = (place: number): boolean => place % 20 === 19;
      const to = Array.from({ length: 60 }, (_, place) => (honest(place) ? on.lab.freshAddress() : trap));
      const loss = await lost(async () => {
        const { result } = (await post('payouts/batch', { items: to.map(paying) })).body;
        await finish();
        const ended = await Promise.all(result.items.map(({ order_id: id }: Json) => get(id)));
        expect(ended.map(({ status }: Json) => status)).toEqual(
          to.map((_, place) => (honest(place) ? 'success' : 'failed')),
        );
      });
      expect(loss.hot).toBeGreaterThan(0);
      expect(loss.merchant).toBeGreaterThanOrEqual(loss.hot);
    });

    test('G2: one that became dear since it was quoted is held, until an operator cancels it or lets it cost that', async () => {
      const deps = on.it.service.dependencies;
      const [first, second] = [await gasBurner(on.lab, 1_000), await gasBurner(on.lab, 1_000)];
      const ids = [await order(first), await order(second)];
      for (const contract of [first, second]) await gasBurner(on.lab, 200_000, contract);
      await on.it.settle();
      for (const id of ids) expect((await stored(id))?.held).toMatchObject({ code: 'fee' });
      const [cancelled = '', released = ''] = ids;
      const { merchant } = await held();
      const { fee_usd: fee, fiat_amount_usd: amount } = await get(cancelled);
      expect((await cancelPayout(deps)(cancelled)).ok).toBe(true);
      expect((await held()).merchant).toBeCloseTo(merchant + fee + amount, 6);
      expect((await releasePayout(deps)(released)).ok).toBe(true);
      await finish();
      expect(await get(released)).toMatchObject({ status: 'success' });
      expect(await get(cancelled)).toMatchObject({ status: 'cancelled' });
      await on.booksAreRight();
    });

    test('G1 and G2: a refund to a contract is quoted, refused and charged likewise', async () => {
      const deps = on.it.service.dependencies;
      const invoice = await on.create({ amount: 20, asset: ASSET });
      await on.pay(invoice);
      await on.mineToFinality();
      await on.it.settle();
      const refund = (to: string) =>
        refundInvoice(deps)(invoice.order_id, { to, amount: null, by: 'a test' });
      const burner = await gasBurner(on.lab, 8_000_000);
      expect(await refund(burner)).toMatchObject({
        error: { code: 'PAYOUT_REJECTED', details: { rule: 'network_fee_too_high' } },
      });
      const changing = await gasBurner(on.lab, 10_000);
      const loss = await lost(async () => {
        const made = await refund(changing);
        if (!made.ok) throw new Error(made.error.message);
        expect(made.value.refund.extraGas).toBeGreaterThan(10_000n);
        await on.it.settle();
        await gasBurner(on.lab, 8_000_000, changing);
        await on.mineToFinality();
        await on.it.settle();
        expect((await stored(made.value.refund.id))?.status).toBe('failed');
      });
      expect(loss.hot).toBeGreaterThan(0);
      expect(Math.abs(loss.hot - loss.merchant)).toBeLessThanOrEqual(loss.merchant / 100);
      expect((await on.read(invoice.order_id)).status).toBe('success');
      await on.booksAreRight();
    });
  },
);
