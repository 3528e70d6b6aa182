/**
 * Money that is locked past its block, or carries tokens, through the whole service on the fake
 * chains (safety.md U4, U6, U8).
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { FakePayment } from '../../../src/adapters/chains/fake/fake-mining.ts';
import { DEPOSIT_STATUSES } from '../../../src/domain/deposits/deposit.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { type FakeJourney, openFakeJourney } from '../../support/fake/fake-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('on the fake chains', () => {
  let journey: FakeJourney;
  beforeAll(async () => {
    journey = await openFakeJourney({}, 'ethereum', ['bitcoin', 'litecoin', 'bitcoincash', 'monero']);
  });
  afterAll(() => journey.close());

  const controlOf = (chain: string) => journey.it.service.chains.fakes!.get(chain)!.control;
  const statusOf = async (invoice: Json) => (await journey.read(invoice.order_id)).status;
  async function mine(chain: string, count: number): Promise<void> {
    controlOf(chain).mine(count);
    await journey.it.settle();
  }
  async function paid(chain: string, asset: string, extra: Partial<FakePayment>): Promise<Json> {
    const invoice = await journey.create({ asset });
    const units = unitsOf(String(invoice.amount), 8);
    controlOf(chain).pay({ to: invoice.address_to, asset, units, from: null, ...extra });
    return invoice;
  }
  async function depositOf(invoice: Json) {
    const all = await journey.it.service.dependencies.operatorQueries.deposits({
      statuses: DEPOSIT_STATUSES,
      sandbox: null,
      limit: 1_000,
    });
    return all.find(({ invoiceId }) => invoiceId === invoice.order_id);
  }

  const cases = [
    {
      id: 'U4',
      what: 'a coinbase',
      chain: 'bitcoin',
      asset: 'btc_bitcoin',
      matureAfter: 100,
      confirmations: 2,
    },
    {
      id: 'U6',
      what: 'a peg-out',
      chain: 'litecoin',
      asset: 'ltc_litecoin',
      matureAfter: 6,
      confirmations: 6,
    },
  ];
  for (const { id, what, chain, asset, matureAfter, confirmations } of cases)
    test(`${id}: ${what} is confirming until the final chain may spend it`, async () => {
      const invoice = await paid(chain, asset, { matureAfter });
      await mine(chain, 1);
      expect(await statusOf(invoice)).toBe('confirming');
      await mine(chain, matureAfter + confirmations - 2);
      expect(await statusOf(invoice)).toBe('confirming');
      await mine(chain, 1);
      expect(await statusOf(invoice)).toBe('success');
      expect(journey.statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
      await journey.booksAreRight();
    });

  test('U4: a lock goes along when a reorganisation puts the payment into a later block', async () => {
    const invoice = await paid('bitcoin', 'btc_bitcoin', { matureAfter: 20 });
    await mine('bitcoin', 1);
    const before = await depositOf(invoice);
    controlOf('bitcoin').reorg(1, { requeue: [before!.txid] });
    await journey.it.settle();
    await mine('bitcoin', 1);
    expect((await depositOf(invoice))?.lockedUntil).toBe(before!.lockedUntil! + 1);
    await mine('bitcoin', 20);
    expect(await statusOf(invoice)).toBe('confirming');
    await mine('bitcoin', 1);
    expect(await statusOf(invoice)).toBe('success');
  });

  test('U8: what carries tokens is credited like any other, and the deposit says so', async () => {
    const invoice = await paid('bitcoincash', 'bch_bitcoincash', { encumbered: true });
    const plain = await paid('bitcoincash', 'bch_bitcoincash', {});
    await mine('bitcoincash', 6);
    expect(await statusOf(invoice)).toBe('success');
    expect(await depositOf(invoice)).toMatchObject({ status: 'credited', encumbered: true });
    expect(await depositOf(plain)).toMatchObject({
      status: 'credited',
      encumbered: false,
      lockedUntil: null,
    });
    await journey.booksAreRight();
  });
});
