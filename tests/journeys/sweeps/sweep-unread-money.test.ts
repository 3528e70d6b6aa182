/**
 * Sweeps and money that nobody recorded yet: no fee is paid from it, and one that lost its money
 * comes to an end by itself.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { BUILT_IN_ASSETS } from '../../../src/domain/catalog/asset.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { testClock } from '../../support/runtime/test-clock.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

/** A chain of each family that is swept, with its coin. */
const SWEPT = [
  ['ethereum', 'eth_ethereum'],
  ['tron', 'trx_tron'],
  ['solana', 'sol_solana'],
  ['ton', 'ton_ton'],
] as const;
const ETH = 'eth_ethereum';
const USDT = 'usdt_ethereum';

describe.skipIf(!needs('postgres', postgresAvailable()))(
  'money at a deposit address that was not read',
  () => {
    const clock = testClock();
    let it: TestService;
    let live: string;
    /** Whose jobs run: the one that a test is about. */
    const chains: string[] = SWEPT.map(([chain]) => chain);
    beforeAll(async () => {
      it = await startTestService({ env: { CHAINS: 'fake' }, chains, overrides: { clock } });
      ({ live } = await it.merchant());
      await it.settle();
    });
    afterAll(() => it.stop());

    const unitOfWork = () => it.service.dependencies.unitOfWork;
    const unitOf = (asset: string): bigint =>
      10n ** BigInt(BUILT_IN_ASSETS.find(({ key }) => key === asset)?.decimals ?? 0);

    function at(chain: string, coin: string) {
      chains.splice(0, chains.length, chain);
      const fake = it.service.chains.fakes?.get(chain);
      if (!fake) throw new Error(`${chain} is not there`);
      const { control } = fake;
      control.fund(it.service.sending.chains.get(chain)?.deriver.hotWallet() ?? '', coin, 10n * unitOf(coin));
      const job = async (...names: string[]) => {
        for (const name of names) await it.run(`${name}:${chain}`);
      };
      const finality = async () => {
        control.mine(40);
        await it.settle();
      };
      return {
        control,
        job,
        sweeps: () => unitOfWork().run(({ sweeps }) => sweeps.open(chain, { after: '', limit: 10 })),
        transfers: () => unitOfWork().run(({ outgoing }) => outgoing.open(chain, 10)),
        /** Deposit address of an invoice that was paid and credited. */
        async credited(asset: string, amount: number): Promise<string> {
          // It rested while others were tested, and no invoice is made on a chain that is read
          // late.
          await it.settle();
          const body = { asset, amount, fee_bearer: 'merchant' };
          const { result } = (await it.call(live, 'POST', '/api/v2/invoices', body)).body;
          control.pay({ to: result.address_to, asset, units: BigInt(amount) * unitOf(asset) });
          await finality();
          return result.address_to;
        },
        /** Mined, and not read. */
        payUnread(to: string, asset: string): void {
          control.pay({ to, asset, units: unitOf(asset) });
          control.mine(1);
        },
        async toTheEnd(): Promise<void> {
          for (let round = 0, still = 0; round < 12 && still < 2; round += 1) {
            clock.advance(900);
            await job('sweep', 'send');
            await finality();
            still = [...(await this.sweeps()), ...(await this.transfers())].length > 0 ? 0 : still + 1;
          }
          expect([await this.sweeps(), await this.transfers()]).toEqual([[], []]);
        },
      };
    }

    test.each(SWEPT.flatMap((swept) => [[...swept, 'ordered'] as const, [...swept, 'sent'] as const]))(
      'G9: no fee of a sweep on %s (%s) is paid from a payment that was not read, and left when it was %s',
      async (chain, coin, when) => {
        const on = at(chain, coin);
        const to = await on.credited(coin, 1);
        on.payUnread(to, coin);
        for (let step = 0; step < 3; step += 1) await on.job('sweep');
        if (when === 'sent') await on.job('send');
        on.control.reorg(1, {});
        await on.toTheEnd();
        // All of it is swept, but for what its fee may have left.
        expect(on.control.balanceOf(to, coin)).toBeLessThan(unitOf(coin) / 10n);
      },
    );

    // TON's addresses gain and lose coins by themselves, and Solana's pay no fees.
    test.each(SWEPT.slice(0, 2))('G9: coins on %s that nobody recorded pay no fee', async (chain, coin) => {
      const on = at(chain, coin);
      const to = await on.credited(coin, 1);
      // As an internal transfer that no node told of: it is there at every block.
      on.control.fund(to, coin, unitOf(coin));
      await on.job('sweep', 'sweep');
      const [ordered] = await on.transfers();
      expect(ordered?.purpose).toBe('sweep');
      expect(ordered?.units).toBeLessThan(unitOf(coin));
      await on.toTheEnd();
    });

    test.each(SWEPT)(
      'G9: a sweep on %s that was ordered and lost its money says so, and ends by itself',
      async (chain, coin) => {
        const on = at(chain, coin);
        await on.credited(coin, 1);
        await on.job('sweep', 'sweep');
        await losesItsMoney(on, async () => {
          await on.job('send', 'sweep');
          expect(await on.sweeps()).toMatchObject([
            {
              status: 'planned',
              reason: { code: 'unsigned', text: expect.stringContaining('lacks the money') },
            },
          ]);
        });
      },
    );

    // Elsewhere what was sent stays valid: the money may come back, and an operator decides
    // (sweep-undone.test.ts).
    test.each(SWEPT.slice(1, 3))(
      'G9: a sweep on %s that expired and lost its money ends by itself',
      async (chain, coin) => {
        const on = at(chain, coin);
        await on.credited(coin, 1);
        await on.job('sweep', 'sweep', 'send');
        await losesItsMoney(on);
      },
    );

    /** A reorganisation so deep that the payment is gone, although it was final. */
    async function losesItsMoney(
      on: ReturnType<typeof at>,
      look: () => Promise<void> = async () => undefined,
    ): Promise<void> {
      expect(await on.transfers()).toMatchObject([{ purpose: 'sweep' }]);
      on.control.reorg(43, {});
      await it.settle();
      await look();
      await on.toTheEnd();
      expect(await it.service.dependencies.operatorQueries.reconciliationFaults()).toEqual([]);
    }

    test('G9: a coin that was not read is no gas for a token: that is sent', async () => {
      const on = at('ethereum', ETH);
      const to = await on.credited(USDT, 50);
      on.payUnread(to, ETH);
      await on.job('sweep', 'sweep');
      expect(await on.sweeps()).toMatchObject([{ status: 'topping_up' }]);
      on.control.reorg(1, {});
      await on.toTheEnd();
      expect(on.control.balanceOf(to, USDT)).toBe(0n);
    });

    test('G9: nothing is ordered by a block that was read and has left the chain', async () => {
      const on = at('ethereum', ETH);
      const to = await on.credited(ETH, 1);
      on.control.reorg(2, {});
      await on.job('sweep', 'sweep');
      expect(await on.transfers()).toEqual([]);
      await on.toTheEnd();
      expect(on.control.balanceOf(to, ETH)).toBeLessThan(unitOf(ETH) / 10n);
    });

    test('G9: gas that arrived in a block that is not read yet is waited for, and not sent again', async () => {
      const on = at('ethereum', ETH);
      const to = await on.credited(USDT, 50);
      await on.job('sweep', 'sweep', 'send');
      on.control.mine(40);
      await on.job('send', 'sweep');
      const [waits] = await on.sweeps();
      expect(waits).toMatchObject({ status: 'topping_up', reason: null });
      await on.toTheEnd();
      const [gas] = await unitOfWork().run(({ outgoing }) => outgoing.find([waits?.topupId ?? '']));
      expect(gas?.status).toBe('confirmed');
      expect(on.control.balanceOf(to, USDT)).toBe(0n);
    });
  },
);
