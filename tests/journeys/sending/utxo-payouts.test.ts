/**
 * Money out on real nodes of Bitcoin, Litecoin and Bitcoin Cash: deposits and change are spent,
 * many payouts leave in one transaction, what is stuck is replaced or pulled along by a child, and
 * a reorganisation undoes nothing for good.
 */
import { describe, expect, test } from 'bun:test';
import { reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { formatUnits } from '../../../src/domain/money/decimal.ts';
import { expectToldWhenUnknown } from '../../support/chains/unknown-sent.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';
import { CONFIRMATIONS, stageUtxoJourney } from '../../support/utxo/utxo-journey.ts';
import { BITCOIN, UTXO_CHAINS } from '../../support/utxo/utxo-nodes.ts';
import { receiptsSince, receivedSince } from '../../support/utxo/utxo-received.ts';

const STUCK_SECONDS = 91;
/**
 * As many as one request may order where nothing stands between us and the node; elsewhere enough
 * to be many.
 */
const MANY = { ofOneRequest: 200, elsewhere: 30 } as const;

const sources = [
  ...UTXO_CHAINS.map((chain) => ({ chain, over: 'rpc' as const })),
  { chain: BITCOIN, over: 'esplora' as const },
  { chain: BITCOIN, over: 'electrum' as const },
];

for (const { chain, over } of sources) {
  const ready = [chain.there(), needs('postgres', postgresAvailable())].every(Boolean);
  describe.skipIf(!ready)(`payouts on ${chain.family} over ${over}`, () => {
    const on = stageUtxoJourney(chain, over);
    const { create, pay, settle, mineToFinality, booksAreRight, balance } = on;

    async function earn(usd: number): Promise<void> {
      await pay(await create({ amount: usd, fee_bearer: 'merchant' }));
      await mineToFinality();
    }

    async function order(items: readonly { address: string; units: bigint }[]): Promise<readonly string[]> {
      const answer = await on.it.call(
        on.merchant.live,
        'POST',
        '/api/v2/payouts/batch',
        JSON.stringify({
          items: items.map(({ address, units }) => ({
            address,
            asset: chain.asset,
            amount: Number(formatUnits(units, 8)),
          })),
        }),
        { 'x-uniq-id': crypto.randomUUID(), 'content-type': 'application/json' },
      );
      expect(answer.body).toMatchObject({ ok: true });
      return answer.body.result.items.map((item: Json) => item.order_id);
    }

    async function payout(id: string): Promise<Json> {
      const answer = await on.it.call(on.merchant.live, 'GET', `/api/v2/payouts/${id}`);
      return answer.body.result;
    }

    const many = chain === BITCOIN && over === 'rpc' ? MANY.ofOneRequest : MANY.elsewhere;
    const oneOf = (units: bigint) => ({ address: on.node.freshAddress(), units });

    /** What its merchant was charged for the network, and what that took. */
    function feesOf(id: string): Promise<readonly [bigint, bigint]> {
      return on.it.service.dependencies.unitOfWork.run(async ({ outgoing, payouts }) => [
        (await payouts.lock(id))?.feeUnits ?? 0n,
        (await outgoing.activeOf('payout', id))?.feeUnits ?? 0n,
      ]);
    }

    async function chainIsRight(): Promise<void> {
      const treasury = on.it.service.sending.chains.get(chain.family);
      if (!treasury) throw new Error(`${chain.family} has no treasury`);
      const found = await reconcileChain(on.it.service.dependencies, treasury, { height: null });
      expect(found).toMatchObject({ differences: [], unavailable: null });
      await booksAreRight();
    }

    test('wait while every coin is on its way, and what the operator sends to the hot wallet is booked', async () => {
      await earn(1_000);
      const [first = ''] = await order([oneOf(150_000n)]);
      await settle();
      const [second = ''] = await order([oneOf(150_000n)]);
      await settle();
      expect((await payout(first)).status).toBe('processing');
      expect((await payout(second)).status).toBe('pending');
      const hotWallet = on.it.service.sending.chains.get(chain.family)?.deriver.hotWallet() ?? '';
      await on.node.pay([{ to: hotWallet, units: 100_000_000n }]);
      await mineToFinality();
      await settle();
      await mineToFinality();
      expect((await payout(second)).status).toBe('success');
      const { operatorQueries } = on.it.service.dependencies;
      expect(await operatorQueries.reconciliationFaults()).toEqual([]);
      await chainIsRight();
    });

    test('K4: spend deposits and then their change, and are success when they are final; the scanner tells them when they are not known', async () => {
      await earn(1_000);
      const from = await on.node.height();
      for (const units of [150_000n, 250_000n]) {
        const to = oneOf(units);
        const [id = ''] = await order([to]);
        await settle();
        expect(await payout(id)).toMatchObject({ status: 'processing' });
        await on.node.mine(CONFIRMATIONS - 1);
        await settle();
        expect((await payout(id)).status).toBe('processing');
        await on.node.mine(1);
        await settle();
        const paid = await payout(id);
        expect(paid).toMatchObject({ status: 'success', tx_hashes: [paid.txid] });
        expect(await receivedSince(on.node, from, to.address)).toBe(units);
        const [charged, taken] = await feesOf(id);
        expect(charged).toBeGreaterThanOrEqual(taken);
        expect(charged).toBeLessThan(2n * taken);
        await chainIsRight();
        await expectToldWhenUnknown(on.it, chain.family, [id]);
      }
    });

    test('leave many in one transaction, each settled by itself', async () => {
      await earn(20_000);
      const from = await on.node.height();
      const items = Array.from({ length: many }, (_, index) => oneOf(40_000n + BigInt(index)));
      const ids = await order(items);
      await settle();
      await mineToFinality();
      const payouts = await Promise.all(ids.map(payout));
      expect(new Set(payouts.map(({ status }) => status))).toEqual(new Set(['success']));
      expect(new Set(payouts.map(({ txid }) => txid)).size).toBeLessThanOrEqual(2);
      const received = await receiptsSince(on.node, from);
      for (const { address, units } of items) expect(received(address)).toBe(units);
      await chainIsRight();
    });

    test('are replaced or pulled along by a child when no block takes them, and pay once', async () => {
      await earn(1_000);
      const from = await on.node.height();
      const to = oneOf(150_000n);
      const [id = ''] = await order([to]);
      await settle();
      const first = await payout(id);
      on.clock.advance(STUCK_SECONDS);
      await settle();
      await settle();
      const waiting = await payout(id);
      const replaced = chain.family === 'bitcoin';
      expect(waiting.tx_hashes).toHaveLength(replaced ? 2 : 1);
      const pool = await on.node.rpc<string[]>('getrawmempool');
      expect(pool.includes(first.txid)).toBe(!replaced);
      expect(pool).toHaveLength(replaced ? 1 : 2);
      await mineToFinality();
      await settle();
      expect((await payout(id)).status).toBe('success');
      expect(await receivedSince(on.node, from, to.address)).toBe(150_000n);
      await chainIsRight();
    });

    test('are processing again after a reorganisation of what was final, and paid once in the end', async () => {
      await earn(1_000);
      const from = await on.node.height();
      const to = oneOf(150_000n);
      const [id = ''] = await order([to]);
      await settle();
      await mineToFinality();
      expect((await payout(id)).status).toBe('success');
      await on.node.reorg(CONFIRMATIONS);
      await on.node.mine(1);
      await settle();
      const before = await balance();
      await mineToFinality();
      expect((await payout(id)).status).toBe('success');
      expect(await balance()).toEqual(before);
      expect(await receivedSince(on.node, from, to.address)).toBe(150_000n);
      await chainIsRight();
    });
  });
}
