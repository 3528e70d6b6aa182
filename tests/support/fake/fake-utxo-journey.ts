/**
 * A merchant with a balance, a hot wallet with UTXOs on a fake UTXO chain, and what a test does and
 * asks there.
 */
import { expect } from 'bun:test';
import { fakeDeriver } from '../../../src/adapters/chains/fake/fake-deriver.ts';
import { reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import type { UtxoFamily } from '../../../src/domain/catalog/family.ts';
import { formatUnits, unitsOf } from '../../../src/domain/money/decimal.ts';
import type { Json } from '../test-service.ts';
import { openFakeJourney } from './fake-journey.ts';
import { COINS } from './fake-utxo-stage.ts';

export async function openFakeCoinJourney(family: UtxoFamily) {
  const asset = COINS[family];
  const { confirmations } = chainNamed(family);
  const strangers = fakeDeriver({ family });
  const journey = await openFakeJourney({}, 'ethereum', [family]);
  let strangersPaid = 0;

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

  async function order(...items: readonly { address: string; units: bigint }[]): Promise<readonly string[]> {
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
    journey.it.service.dependencies.unitOfWork.run(({ utxos }) =>
      utxos.free(family, Number.MAX_SAFE_INTEGER, 100),
    );
  /** The records, the UTXOs and the books are those of the chain. */
  async function chainIsRight(): Promise<void> {
    const found = await reconcileChain(journey.it.service.dependencies, sending(), { height: null });
    expect(found).toMatchObject({ differences: [], unavailable: null });
    await journey.booksAreRight();
  }

  return {
    ...{ journey, asset, confirmations, control, sending, settle, mine, earn, someone, order, payout },
    ...{ received, free, chainIsRight },
  };
}

export type FakeCoinJourney = Awaited<ReturnType<typeof openFakeCoinJourney>>;
