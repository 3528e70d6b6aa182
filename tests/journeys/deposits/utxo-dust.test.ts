/**
 * Thousands of outputs of dust in one block, through the whole service (safety.md U5). Every output
 * is a deposit, with rows and entries of its own: ten thousand (`U5_OUTPUTS=10000`) take a minute,
 * so the suite has a quarter of them.
 */
import { describe, expect, test } from 'bun:test';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { until } from '../../support/runtime/poll.ts';
import { stageUtxoJourney } from '../../support/utxo/utxo-journey.ts';
import { BITCOIN } from '../../support/utxo/utxo-nodes.ts';

const DUST = 300n;
const DUST_OUTPUTS = Number(process.env.U5_OUTPUTS ?? 2_500);
const DEADLINE_MS = 300_000;

describe.skipIf(![BITCOIN.there(), needs('postgres', postgresAvailable())].every(Boolean))(
  'dust on bitcoin',
  () => {
    const on = stageUtxoJourney(BITCOIN);

    test(
      `U5: ${DUST_OUTPUTS} outputs of dust cause no storm of webhooks`,
      async () => {
        // So dear that all the dust together is a part of it.
        const invoice = await on.create({ amount: 100 });
        const made = await on.it.call(on.merchant.live, 'POST', '/api/v2/permanent', {
          user_id: 'customer-5',
          family: 'bitcoin',
        });
        const outputs = Array.from({ length: DUST_OUTPUTS }, (_, n) => ({
          to: n % 2 === 0 ? invoice.address_to : made.body.result.address,
          units: DUST,
        }));
        const { raw } = await on.node.sign(outputs);
        await on.node.mineOnly([raw]);
        await on.settle();
        await on.mineToFinality();
        await until('every payment is credited', DEADLINE_MS, async () => {
          await on.settle();
          return (await on.read(invoice.order_id)).status === 'partially_paid';
        });
        const strays = await on.depositsTo(made.body.result.address);
        expect(strays).toHaveLength(DUST_OUTPUTS / 2);
        expect(new Set(strays.map(({ status }) => status))).toEqual(new Set(['stray']));
        expect(on.receiver.received.length).toBeLessThanOrEqual(3);
        await on.booksAreRight();
      },
      DEADLINE_MS,
    );
  },
);
