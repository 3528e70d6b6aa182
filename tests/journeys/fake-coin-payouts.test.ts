/**
 * Money out on the fake chains of bitcoin, litecoin and bitcoincash: what utxo-payouts.test.ts does on real nodes, where none is
 * there, and what nodes cannot be told to do: fees that rise, answers that stay away.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { fakeDeriver } from '../../src/adapters/chains/fake/fake-deriver.ts';
import { reconcileChain } from '../../src/app/reconcile-chain.ts';
import { chainNamed, UTXO_FAMILIES } from '../../src/domain/chain.ts';
import { formatUnits, unitsOf } from '../../src/domain/decimal.ts';
import { COINS } from '../support/fake-coin-stage.ts';
import { type FakeJourney, openFakeJourney } from '../support/fake-journey.ts';
import { needs } from '../support/needs.ts';
import { postgresAvailable } from '../support/postgres.ts';
import type { Json } from '../support/test-service.ts';

const STUCK_SECONDS = 91;

for (const family of UTXO_FAMILIES)
  describe.skipIf(!needs('postgres', postgresAvailable()))(`payouts on the fake ${family}`, () => {
    const asset = COINS[family];
    const { confirmations } = chainNamed(family);
    const strangers = fakeDeriver({ family });
    let journey: FakeJourney;
    let strangersPaid = 0;
    beforeAll(async () => {
      journey = await openFakeJourney({}, 'ethereum', [family]);
    });
    afterAll(() => journey.close());

    const control = () => journey.it.service.chains.fakes!.get(family)!.control;
    const sending = () => journey.it.service.sending.chains.get(family)!;
    const settle = () => journey.it.settle();

    async function mine(count = confirmations): Promise<void> {
      control().mine(count);
      await settle();
    }

    /** A coin at a deposit address, and a balance of as much. */
    async function earn(amount: number): Promise<void> {
      const invoice = await journey.create({ asset, amount, fee_bearer: 'merchant' });
      control().pay({ to: invoice.address_to, asset, units: unitsOf(String(invoice.amount), 8) });
      await mine();
    }

    const someone = (units: bigint) => ({
      address: strangers.derive({ from: 1_000_000 + strangersPaid++, count: 1 })[0]!,
      units,
    });

    async function order(
      ...items: readonly { address: string; units: bigint }[]
    ): Promise<readonly string[]> {
      const answer = await journey.it.call(
        journey.merchant.live,
        'POST',
        '/api/v2/payouts/batch',
        {
          items: items.map(({ address, units }) => ({
            address,
            asset,
            amount: Number(formatUnits(units, 8)),
          })),
        },
        { 'x-uniq-id': crypto.randomUUID() },
      );
      expect(answer.body).toMatchObject({ ok: true });
      return answer.body.result.items.map((item: Json) => item.order_id);
    }

    async function payout(id: string): Promise<Json> {
      return (await journey.it.call(journey.merchant.live, 'GET', `/api/v2/payouts/${id}`)).body.result;
    }

    const received = (address: string): bigint =>
      control()
        .received(address)
        .reduce((sum, { units }) => sum + units, 0n);

    const free = () =>
      journey.it.service.dependencies.unitOfWork.run(({ coins }) =>
        coins.free(family, Number.MAX_SAFE_INTEGER, 100),
      );
    /** The records, the coins and the books are those of the chain. */
    async function chainIsRight(): Promise<void> {
      const found = await reconcileChain(journey.it.service.dependencies, sending(), { height: null });
      expect(found).toMatchObject({ differences: [], unavailable: null });
      await journey.booksAreRight();
    }

    test('leave several in one transaction, and then from its change', async () => {
      await earn(1_000);
      const [before] = await free();
      const all = [150_000n, 250_000n, 350_000n].map(someone);
      const ids = await order(...all);
      await settle();
      const pending = await Promise.all(ids.map(payout));
      expect(new Set(pending.map(({ status }) => status))).toEqual(new Set(['processing']));
      expect(control().waiting()).toEqual([pending[0].txid]);
      await mine(confirmations - 1);
      expect((await payout(ids[0]!)).status).toBe('processing');
      await mine(1);
      const paid = await Promise.all(ids.map(payout));
      expect(new Set(paid.map(({ status, txid }) => `${status} ${txid}`))).toEqual(
        new Set([`success ${pending[0].txid}`]),
      );
      for (const { address, units } of all) expect(received(address)).toBe(units);
      await chainIsRight();
      // All that there is to spend is the change.
      const [change, ...others] = await free();
      expect(others).toEqual([]);
      expect(change).toMatchObject({ txid: pending[0].txid, vout: 3, key: { role: 'change' } });
      expect(before!.units - change!.units).toBeGreaterThan(750_000n);
      expect(before!.units - change!.units).toBeLessThan(760_000n);
      const next = someone(150_000n);
      const [id = ''] = await order(next);
      await settle();
      await mine();
      expect((await payout(id)).status).toBe('success');
      expect(received(next.address)).toBe(150_000n);
      await chainIsRight();
    });

    test('wait while every coin is on its way, and what the operator sends to the hot wallet is booked', async () => {
      const [first = ''] = await order(someone(150_000n));
      await settle();
      const [second = ''] = await order(someone(150_000n));
      await settle();
      expect((await payout(first)).status).toBe('processing');
      expect((await payout(second)).status).toBe('pending');
      control().fund(sending().deriver.hotWallet() ?? '', asset, 100_000_000n);
      await mine();
      await settle();
      await mine();
      expect((await payout(second)).status).toBe('success');
      await chainIsRight();
    });

    test('are replaced or pulled along by a child when fees rise, and pay once', async () => {
      await earn(1_000);
      const to = someone(150_000n);
      const [id = ''] = await order(to);
      await settle();
      const { txid: first } = await payout(id);
      control().setFeeLevel(500);
      await mine();
      expect(await payout(id)).toMatchObject({ status: 'processing', txid: first });
      journey.clock.advance(STUCK_SECONDS);
      await settle();
      await settle();
      const { tx_hashes: hashes } = await payout(id);
      const replaced = family === 'bitcoin';
      expect(hashes).toHaveLength(replaced ? 2 : 1);
      expect(control().waiting().includes(first)).toBe(!replaced);
      expect(control().waiting()).toHaveLength(replaced ? 1 : 2);
      await mine();
      control().setFeeLevel(100);
      await settle();
      expect(control().waiting()).toEqual([]);
      expect((await payout(id)).status).toBe('success');
      expect(received(to.address)).toBe(150_000n);
      await chainIsRight();
    });

    test('are processing again after a reorganisation of what was final, and paid once in the end', async () => {
      await earn(1_000);
      const to = someone(150_000n);
      const [id = ''] = await order(to);
      await settle();
      await mine();
      expect((await payout(id)).status).toBe('success');
      control().reorg(confirmations);
      control().mine();
      await settle();
      expect(received(to.address)).toBe(0n);
      const before = await journey.balance();
      await mine();
      await mine();
      expect((await payout(id)).status).toBe('success');
      expect(await journey.balance()).toEqual(before);
      expect(received(to.address)).toBe(150_000n);
      await chainIsRight();
    });

    test('pay once when nodes lose what they took, or take it and do not answer', async () => {
      await earn(1_000);
      for (const fault of ['lose', 'time_out', 'refuse'] as const) {
        const to = someone(150_000n);
        const [id = ''] = await order(to);
        control().spoilBroadcasts(fault);
        await settle();
        expect((await payout(id)).status).toBe('processing');
        control().spoilBroadcasts(null);
        await settle();
        await mine();
        expect((await payout(id)).status).toBe('success');
        expect(received(to.address)).toBe(150_000n);
      }
      await chainIsRight();
    });
  });
