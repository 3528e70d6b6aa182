/**
 * A fake chain with a funded merchant and hot wallet, workers that step when told to, and the
 * entries of what they sent.
 */
import { expect } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { fakeEntropy, fakeFamily } from '../../../src/adapters/chains/fake/fake-family.ts';
import { refundInvoice } from '../../../src/app/payouts/refunds/refund-invoice.ts';
import { transferSender } from '../../../src/app/sending/send-transfers.ts';
import { hotWalletOf } from '../../../src/app/sending/sending-chain.ts';
import { sweeper } from '../../../src/app/sweeps/advance-sweeps.ts';
import type { TreasuryChain } from '../../../src/app/sweeps/sweep-needs.ts';
import { bookCapital } from '../../../src/app/treasury/book-capital.ts';
import { reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { treasuryChains } from '../../../src/compose/treasury.ts';
import type { Posting } from '../../../src/domain/ledger.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { UNLIMITED_PAYOUTS } from '../../../src/domain/payouts/payout-limits.ts';
import type { OutgoingTransfer } from '../../../src/domain/sending/outgoing.ts';
import { type FakeJourney, openFakeJourney, usdt } from '../fake/fake-journey.ts';
import { OPEN_GATE } from '../runtime/open-gate.ts';

export type PostingsStage = Awaited<ReturnType<typeof openPostingsStage>>;

/** The price of the chain's coin, `native`, is what `price` says. */
export async function openPostingsStage(name: 'ethereum' | 'solana', native: string) {
  const journey: FakeJourney = await openFakeJourney({}, name);
  const { service } = journey.it;
  const token = `usdt_${name}`;
  const sending = service.sending.chains.get(name);
  const watcher = service.watchers.get(name);
  const treasury = treasuryChains(service.chains, service.dependencies).get(name);
  if (!sending || !watcher || !treasury) throw new Error(`${name} has no sender`);
  const on: TreasuryChain = treasury;
  let usd = '';
  const deps = {
    ...service.dependencies,
    rateBook: {
      ...service.dependencies.rateBook,
      latest: () => {
        const { rates, ageSeconds } = service.dependencies.rateBook.latest();
        const usdPerAssetE18 = new Map(rates.usdPerAssetE18).set(native, unitsOf(usd, 18));
        return { rates: { ...rates, usdPerAssetE18 }, ageSeconds };
      },
    },
  };
  const sender = transferSender(deps, sending, UNLIMITED_PAYOUTS, OPEN_GATE);
  const sweeps = sweeper(service.dependencies, on, {
    sharePpm: 20_000n,
    limits: { floorUnits: new Map() },
  });
  const hot = hotWalletOf(on);
  journey.chain().fund(hot, native, unitsOf('100', 9) * 10n ** 9n);
  journey.chain().fund(hot, token, usdt('1000'));
  await journey.mineToFinality();
  for (const asset of [native, token])
    expect(await bookCapital(deps, on)({ asset, note: 'test', dryRun: false })).toMatchObject({ ok: true });

  const it = {
    journey,
    deps,
    on,
    token,
    price(next: string) {
      usd = next;
    },
    step: () => sender.step(),
    /**
     * To the tip, as sweeps need it: what lies there is asked as of the last block that was read.
     */
    async read(): Promise<void> {
      while ((await watcher.poll()).behind);
    },
    /** The next transfer of the open sweep, which is a `purpose`, mined to its finality. */
    async sweepAStep(purpose: 'topup' | 'sweep'): Promise<{ id: string; txid: string }> {
      await it.read();
      await sweeps.step();
      await it.step();
      const [transfer, ...others] = await deps.unitOfWork.run((r) => r.outgoing.open(name, 10));
      expect(transfer).toMatchObject({ purpose });
      expect(others).toEqual([]);
      const [txid = ''] = journey.chain().waiting();
      await it.mine();
      return { id: transfer?.id ?? '', txid };
    },
    async mine(count = 33) {
      journey.chain().mine(count);
      await it.read();
      await sender.step();
    },
    async paid(amount: number) {
      const invoice = await journey.create({ amount, asset: token });
      journey.pay(invoice, String(invoice.amount), token);
      await journey.mineToFinality();
      return invoice;
    },
    stranger: () => fakeFamily(on.family).address(fakeEntropy(`stranger/${name}`, strangers++)),
    async payout(to: string, more = {}): Promise<string> {
      const body = { address: to, amount: 5, asset: token, ...more };
      const id = { 'x-uniq-id': randomUUID() };
      const answer = await journey.it.call(journey.merchant.live, 'POST', '/api/v2/payouts', body, id);
      expect(answer.body).toMatchObject({ ok: true });
      return answer.body.result.order_id;
    },
    async refund(to: string): Promise<string> {
      const { order_id: invoiceId } = await it.paid(5);
      const made = await refundInvoice(deps)(invoiceId, { to, amount: null, by: 'a test' });
      if (!made.ok) throw new Error(made.error.message);
      return made.value.refund.id;
    },
    transferOf: (payoutId: string): Promise<OutgoingTransfer> =>
      deps.unitOfWork.run(async (r) => {
        const transfer = await r.outgoing.activeOf('payout', payoutId);
        if (transfer === null) throw new Error(`nothing leaves for ${payoutId}`);
        return transfer;
      }),
    waiting: () => journey.chain().waiting(),
    /** Entries about it, oldest first, each as its kind and what it posts. */
    entriesOf: (id: string): Promise<(readonly string[])[]> =>
      deps.unitOfWork.run(async (r) =>
        (await r.ledger.entriesOf(id)).map(({ kind, postings }) => [kind, ...postings.map(told)]),
      ),
    async booksAndChainAgree() {
      await journey.booksAreRight();
      const found = await reconcileChain(deps, on, { height: null, everyAddress: true });
      expect(found).toMatchObject({ differences: [], unavailable: null });
    },
  };
  it.price('2000');
  // What is worth sweeping: the rest costs too much.
  const { address_to: swept } = await it.paid(1_000);
  return { ...it, swept: on.deriver.normalize(swept) ?? '' };
}
let strangers = 0;

const told = ({ account, currency, amount }: Posting): string => `${account} ${currency} ${amount}`;
