/**
 * A payment that a reorganisation took back after its block was final, before it was credited:
 * nothing is paid then.
 */
import { describe, expect, test } from 'bun:test';
import { stageCheckout } from '../../support/http/checkout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('after a reorganisation', () => {
  const { stage, merchant } = stageCheckout();
  async function takenBack() {
    const eth = await stage.choose(await merchant.create(), 'eth_ethereum');
    const btc = await stage.choose(eth, 'btc_bitcoin');
    const gone = await stage.sight(btc);
    await stage.arrive(gone);
    await stage.lose(gone);
    const now = await stage.read(eth.id);
    expect([now.status, now.funds.pendingUnits, now.price?.asset]).toEqual(['created', 0n, 'btc_bitcoin']);
    return { eth, now };
  }

  test('a payment for an earlier choice is the invoice’s: nothing else was paid', async () => {
    const { eth } = await takenBack();
    expect(await stage.sight(eth)).toMatchObject({ invoiceId: eth.id, strayReason: null });
  });

  test('the list of currencies is offered only if a choice from it is taken', async () => {
    const { now } = await takenBack();
    const offered = stage.application.choosableAssets(now).map(({ key }) => key);
    const chosen = await stage.application.chooseCurrency(
      now.externalId,
      stage.deps.catalog.require('usdt_tron'),
    );
    expect(chosen.ok).toBe(offered.includes('usdt_tron'));
  });
});
