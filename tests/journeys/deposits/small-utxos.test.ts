/**
 * Many small UTXOs become one while fees are low, on real nodes of Bitcoin, Litecoin and Bitcoin
 * Cash.
 */
import { describe, expect, test } from 'bun:test';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { stageUtxoJourney } from '../../support/utxo/utxo-journey.ts';
import { UTXO_CHAINS } from '../../support/utxo/utxo-nodes.ts';

const COINS = 100;
/** Little enough that the node calls fees low: it learns them from what it sees. */
const LOW_FEE_UNITS = 8_000n;

for (const chain of UTXO_CHAINS) {
  const ready = [chain.there(), needs('postgres', postgresAvailable())].every(Boolean);
  describe.skipIf(!ready)(`small coins on ${chain.family}`, () => {
    const on = stageUtxoJourney(chain);

    test('become one, which is ours less the fee', async () => {
      const { unitOfWork } = on.it.service.dependencies;
      const free = () =>
        unitOfWork.run(({ utxos }) => utxos.free(chain.family, Number.MAX_SAFE_INTEGER, 1_000));
      const invoice = await on.create({ amount: 2_000, fee_bearer: 'merchant' });
      const units = on.due(invoice) / BigInt(COINS);
      const payments = Array.from({ length: COINS }, () => ({ to: invoice.address_to, units }));
      await on.node.pay(payments, { feeUnits: LOW_FEE_UNITS });
      await on.mineToFinality();
      // They are claimed as soon as they are credited.
      await on.settle();
      expect(await free()).toEqual([]);
      await on.mineToFinality();
      await on.settle();
      const [one, ...others] = await free();
      expect(others).toEqual([]);
      const hotWallet = on.it.service.sending.chains.get(chain.family)?.deriver.hotWallet();
      expect(one).toMatchObject({ address: hotWallet, key: { role: 'hot' } });
      const sum = units * BigInt(COINS);
      expect(one!.units).toBeLessThan(sum);
      expect(one!.units * 20n).toBeGreaterThanOrEqual(sum * 19n);
      await on.booksAreRight();
    });
  });
}
