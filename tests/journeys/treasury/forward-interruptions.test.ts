/** A forward that is interrupted at any step, or whose block leaves the chain, is sent once. */
import { afterEach, describe, expect, test } from 'bun:test';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import { STEPS, type Step, withSteps } from '../../support/payout-drill/steps.ts';
import { type ForwardJourney, openForwardJourney } from '../../support/payouts/forward-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const CASES = [
  { chain: 'ethereum', asset: 'usdt_ethereum', coin: 'eth_ethereum' },
  { chain: 'tron', asset: 'usdt_tron', coin: 'trx_tron' },
  { chain: 'solana', asset: 'sol_solana', coin: null },
  { chain: 'xrp', asset: 'xrp_xrp', coin: null },
  { chain: 'ton', asset: 'ton_ton', coin: null },
  { chain: 'bitcoin', asset: 'btc_bitcoin', coin: null },
] as const;

describe.skipIf(!needs('postgres', postgresAvailable()))('a forward', () => {
  let journey: ForwardJourney | null = null;
  afterEach(async () => {
    await journey?.close();
    journey = null;
  });

  async function open(its: (typeof CASES)[number], passes: (step: Step) => void = () => undefined) {
    const { chain, asset, coin } = its;
    const rules = { [asset]: { above: '100', keep: '20' } };
    const overrides = { sending: (on: Parameters<typeof withSteps>[0]) => withSteps(on, passes) };
    journey = await openForwardJourney({ chain, asset, rules, overrides });
    if (coin !== null) await journey.fund('1000', coin);
    await journey.fund('150');
    return journey;
  }
  async function isSentOnce(its: ForwardJourney): Promise<void> {
    const settled = (await its.forwards()).filter(({ status }) => status === 'confirmed');
    expect(settled).toHaveLength(1);
    expect(its.received()).toBe(settled[0]!.units);
    expect(await its.forwards()).not.toContainEqual(expect.objectContaining({ status: 'signed' }));
    expect(its.received()).toBeLessThanOrEqual(its.units('130'));
    await its.booksAreRight();
  }

  test.each(CASES)('G12: of $asset that is interrupted at every step is sent once', async (its) => {
    const left = new Set<Step>(STEPS);
    const on = await open(its, (step) => {
      if (left.delete(step)) throw new Error(`interrupted: ${step}`);
    });
    for (let round = 0; round < 14; round += 1) {
      await on.forward();
      // What an interruption takes down is the job; the next run goes on.
      await on.it.settle().catch(() => undefined);
      on.control().mine(chainNamed(its.chain).confirmations);
    }
    await on.finish();
    await on.finish();
    expect([...left]).toEqual([]);
    await isSentOnce(on);
  });

  test.each(CASES)(
    'G12: of $asset whose block leaves the chain is sent again, once, and its entry with it',
    async (its) => {
      const on = await open(its);
      await on.forward();
      await on.finish();
      const [before] = await on.forwards();
      expect(before?.status).toBe('confirmed');
      const cursor = await on.it.service.dependencies.unitOfWork.run((r) => r.chains.cursor(its.chain));
      on.control().reorg(cursor!.height - before!.block!.height + 1);
      await on.it.settle();
      expect((await on.forwards())[0]).toMatchObject({ status: 'signed', txid: null });
      expect(on.received()).toBe(0n);
      await on.it.service.dependencies.operatorQueries.reconciliationFaults().then((faults) => {
        expect(faults).toEqual([]);
      });
      // Nothing else is forwarded meanwhile.
      await on.forward();
      await on.finish();
      await on.finish();
      expect(await on.forwards()).toHaveLength(1);
      await isSentOnce(on);
    },
  );
});
